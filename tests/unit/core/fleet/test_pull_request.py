"""The body of a pull request is the evidence."""

from __future__ import annotations

from ralph.core.fleet.model import FleetTask, TaskProgress, TaskSpec
from ralph.core.fleet.pull_request import pull_request_body
from ralph.core.proof import Account, Evidence, GateEvidence

TASK = FleetTask(
    id="t1",
    spec=TaskSpec(task="Do it\nwell", ralph_promise="it is done", criteria=("a | b",)),
    born=1,
    progress=TaskProgress(ralph_iterations=3, tokens=12_000, cost_usd=1.5),
)


def test_it_says_what_was_wanted_what_proves_it_and_what_it_cost() -> None:
    gate = GateEvidence(
        gate="tests",
        start="red",
        claim="green",
        where="checkout",
        passes=3,
        originals=Account(passed=40),
        new_tests=2,
        idle_tests=("test_b",),
    )
    said = pull_request_body(TASK, "I did it.", Evidence("proven", (gate,), sandbox="bwrap"), "c" * 40)
    assert said.startswith(
        "I did it.\n\n**Wanted**\n\n- it is done\n- a \\| b\n\n**Evidence**: proven; judged on top of"
    )
    assert (
        "| tests | a clean checkout | red → green | 3 | 40 passed | 2 new tests, 1 passing on the old code |"
        in said
    )
    assert "- Proves nothing, it passes on the starting code: test_b" in said
    assert "- Sandbox: bwrap; hidden gates: off" in said
    assert said.endswith("**Cost**: 3 iterations, 12,000 tokens, 1.50 USD\n\nTask `t1`\n")


def test_without_gates_it_says_that_nothing_proves_it() -> None:
    assert "**Evidence**: none" in pull_request_body(TASK, "", None, "c" * 40)
