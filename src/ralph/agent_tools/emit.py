"""`ralph emit` and `ralph scratchpad`, and the scratchpad's format, which the tool `write_scratchpad` uses too."""

from __future__ import annotations

import os

from ralph import files
from ralph.agent_tools.commands import Given, agent_command, option

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


@agent_command(
    "emit TOPIC [PAYLOAD]",
    """Hand an event to the loop that runs here. Inside an iteration it belongs to that iteration, and to its hat: what the hat
may not publish is refused.
The topic `human.interact` asks a person: the loop ends as blocked-on-person with PAYLOAD as its question.
As {"question": ..., "default": ..., "deadline_seconds": ...} it is waited for, until the deadline; then the default holds.""",
    """ralph emit human.interact "Which database shall I use?"
  ralph emit human.interact --json '{"question": "Which port?", "default": "8080", "deadline_seconds": 600}'""",
    option("-j", "--json", about="The payload must be JSON."),
)
def _emit(given: Given) -> int:
    from ralph.journal import inbox

    topic, payload = given.words
    if given.json and payload:
        import json

        try:
            json.loads(payload)
        except ValueError as error:
            raise ValueError(f"--json: the payload is not JSON: {error}") from error
    if why := inbox.refusal(topic, os.environ):
        raise ValueError(why)
    message: dict[str, object] = {"kind": "event", "topic": topic, "payload": payload}
    folder = inbox.state_dir()
    if "RALPH_GATE" in os.environ:
        raise ValueError("a gate emits no events; only agents and people do")
    if "RALPH_LOOP" in os.environ:
        message["loop"] = os.environ["RALPH_LOOP"]
        message["token"] = os.environ.get("RALPH_TOKEN", "")
    else:
        inbox.require_run(folder)
    inbox.put(f"{folder}/inbox", message)
    return 0


@agent_command(
    "scratchpad",
    """Write the scratchpad that the next iteration reads; only inside an iteration, whose number is filled in.
All four options are needed.""",
    """ralph scratchpad --done "parser reads dates" --test-status "12 pass, 1 fails: test_leap" \\
    --next-step "leap years" --blockers none""",
    option("--done", value="TEXT", about="What this iteration has done."),
    option("--test-status", value="TEXT", about="Which tests pass and which fail."),
    option("--next-step", value="TEXT", about="What comes next."),
    option("--blockers", value="TEXT", about="What is in the way."),
)
def _scratchpad(given: Given) -> int:
    values = {name: getattr(given, name) for name in ("done", "test_status", "next_step", "blockers")}
    missing = [f"--{name.replace('_', '-')}" for name, value in values.items() if not value.strip()]
    if missing:
        raise ValueError(f"missing: {', '.join(missing)}")
    if "RALPH_ITERATION" not in os.environ:
        raise ValueError("no iteration runs here, so no one would read it; agents call this inside one")
    path = os.environ.get("RALPH_SCRATCHPAD", ".ralph/agent/scratchpad.md")
    write(path, os.environ["RALPH_ITERATION"], **values)
    return 0
