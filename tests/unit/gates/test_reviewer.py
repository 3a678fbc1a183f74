"""What a reviewer's rejection names makes its error; its words do not."""

from __future__ import annotations

import pytest

from ralph.agents.adapter import Words
from ralph.core.policy import GatePolicy
from ralph.gates.kinds import Ran
from ralph.gates.reviewer import Reviewer

SPEC = GatePolicy(name="spec", review="spec")


def error(said: str, gate: GatePolicy = SPEC) -> str:
    ran = Ran(
        code=0,
        timed_out="",
        wrote=(),
        output=lambda: (b"", b"", 0),
        words=Words(said=f"{said}\nFAIL"),
        trouble="",
    )
    return Reviewer().find(gate, ran).error_hash


REPHRASED = (
    "- src/auth.py:24: the password reset is missing (C2)",
    "- C2 is not met: nobody can reset a password, see `src/auth.py`",
    "* auth.py line 80: still no reset, as criterion 2 asks",
    "1. Regarding C2, `./src/auth.py` lacks the flow; session.start() is not called.",
    "The reset flow of C2 was not added to src/auth.py.",
)


@pytest.mark.parametrize("said", REPHRASED)
def test_rephrased_rejections_are_the_same_error(said: str) -> None:
    assert error(said) == error(REPHRASED[0])


@pytest.mark.parametrize(
    "said",
    [
        "- src/auth.py: C3 is not met",
        "- src/login.py: C2 is not met",
        "- C2 is not met",
        "- src/auth.py is wrong",
    ],
)
def test_what_names_something_else_is_another_error(said: str) -> None:
    assert error(said) != error(REPHRASED[0])


def test_without_a_name_the_gate_is_the_error() -> None:
    assert error("- too long") == error("- it does not convince me, e.g. by its length") == error("")
    assert error("- too long") != error("- too long", GatePolicy(name="quality", review="quality"))
