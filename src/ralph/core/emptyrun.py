"""Did a test run test anything? A gate that passes because it found no test proves nothing."""

from __future__ import annotations

import re

from ralph.core.excerpt import ESCAPES

# What runners print when they found nothing to run; and what they print when they ran something.
_NOTHING = re.compile(
    r"^\s*(?:"
    r"[ℹ#] tests 0|1\.\.0\b|Ran 0 tests\b|NO TESTS RAN|no tests ran|collected 0 items|No tests? (?:found|to run|were executed)"
    r"|\?\s+\S+\s+\[no test files\]|testing: warning: no tests to run|running 0 tests|Tests: +0 total|0 examples, 0 failures"
    r"|0 passing|No test files found|No test is available|Tests run: 0\b"
    r")",
    re.MULTILINE,
)
_SOMETHING = re.compile(
    r"^\s*(?:[ℹ#] tests [1-9]|1\.\.[1-9]|Ran [1-9]\d* tests?\b|collected [1-9]|ok\s+\S+\s+(?:[\d.]+s|\(cached\))(?!.*no tests)"
    r"|running [1-9]\d* tests?|Tests: +.*[1-9]\d* total|[1-9]\d* examples?,|[1-9]\d* passing|Tests  .*[1-9]|Tests run: [1-9]"
    r"|.*\b[1-9]\d* passed\b)",
    re.MULTILINE,
)


def ran_nothing(output: str) -> bool:
    """Only where the output says so; most commands are no test runners."""
    text = ESCAPES.sub("", output)
    return bool(_NOTHING.search(text)) and not _SOMETHING.search(text)
