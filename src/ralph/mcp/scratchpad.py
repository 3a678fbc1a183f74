"""The scratchpad's form and its writer, for `ralph scratchpad` and for the tool `write_scratchpad`."""

from __future__ import annotations

from ralph.mcp import files

_FORM = """# Iteration {n} Scratchpad

## Done this iteration
{done}

## Test status
{test_status}

## Next step
{next_step}

## Blockers
{blockers}
"""


def write(path: str, n: str, *, done: str, test_status: str, next_step: str, blockers: str) -> None:
    files.replace(
        path, _FORM.format(n=n, done=done, test_status=test_status, next_step=next_step, blockers=blockers)
    )
