"""How many tests a gate's run says it ran; and whether a later run of it tests less."""

import re

import msgspec

from ralph.core.failures.excerpt import ESCAPES


class Counts(msgspec.Struct, frozen=True, omit_defaults=True):
    """`run` are those that were really run, whether they passed or failed; a test that may fail unseen is a skipped one."""

    run: int
    skipped: int = 0
    failed: int = 0


def fewer(before: Counts | None, after: Counts | None) -> str:
    """In words, what the later run left out; empty when it tests no less, or when one of the runs does not tell."""
    if before is None or after is None:
        return ""
    parts = []
    if after.run < before.run:
        parts.append(f"{_tests(after.run)} ran, {before.run} at the start")
    if after.skipped > before.skipped:
        parts.append(f"{after.skipped} skipped, {before.skipped or 'none'} at the start")
    return "; ".join(parts)


def _tests(count: int) -> str:
    return f"{count or 'no'} test{'' if count == 1 else 's'}"


# What runners print when they found nothing to run; and what they print when they ran something. Few runs look for them, so they
# are compiled when one does.
_NOTHING = (
    r"(?m)^\s*(?:"
    r"[ℹ#] tests 0|1\.\.0\b|Ran 0 tests\b|NO TESTS RAN|no tests ran|collected 0 items|No tests? (?:found|to run|were executed)"
    r"|\?\s+\S+\s+\[no test files\]|testing: warning: no tests to run|running 0 tests|Tests: +0 total|0 examples, 0 failures"
    r"|0 passing|No test files found|No test is available|Tests run: 0\b"
    r")"
)
_SOMETHING = (
    r"(?m)^\s*(?:"
    r"[ℹ#] tests [1-9]|1\.\.[1-9]|Ran [1-9]\d* tests?\b|collected [1-9]|ok\s+\S+\s+(?:[\d.]+s|\(cached\))(?!.*no tests)"
    r"|running [1-9]\d* tests?|Tests: +.*[1-9]\d* total|[1-9]\d* examples?,|[1-9]\d* passing|Tests  .*[1-9]|Tests run: [1-9]"
    r"|.*\b[1-9]\d* passed\b)"
)


def ran_nothing(output: str) -> bool:
    """Only where the output says so; most commands are no test runners."""
    text = ESCAPES.sub("", output)
    return bool(re.search(_NOTHING, text)) and not re.search(_SOMETHING, text)
