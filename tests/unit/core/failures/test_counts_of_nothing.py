"""Whether an output says that there was no test to run."""

from __future__ import annotations

import pytest

from ralph.core.failures.test_counts import ran_nothing

NOTHING = [
    "\n----\nRan 0 tests in 0.000s\n\nOK\n",
    "TAP version 13\n1..0\n# tests 0\n# pass 0\n",
    "ℹ tests 0\nℹ suites 0\nℹ pass 0\n",
    "?   \texample.com/a\t[no test files]\n",
    "collected 0 items\n\n==== no tests ran in 0.01s ====\n",
    "\x1b[1mNo tests found\x1b[0m, exiting with code 0\n",
    "running 0 tests\n\ntest result: ok. 0 passed; 0 failed\n",
    "0 examples, 0 failures\n",
]
SOMETHING = [
    "",
    "all good\n",
    "Ran 3 tests in 0.1s\nOK\n",
    "running 2 tests\n..\ntest result: ok. 2 passed\n\n   Doc-tests x\n\nrunning 0 tests\n",
    "?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.01s\n",
    "collected 4 items\n\n==== 4 passed in 0.1s ====\n",
    "1..3\nok 1\nok 2\nok 3\n# tests 3\n",
    "no problems: 0 errors\n",
]


@pytest.mark.parametrize("output", NOTHING)
def test_a_run_of_no_test_is_seen(output: str) -> None:
    assert ran_nothing(output)


@pytest.mark.parametrize("output", SOMETHING)
def test_other_outputs_are_taken_as_they_are(output: str) -> None:
    assert not ran_nothing(output)
