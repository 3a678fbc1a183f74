"""Which verdicts on a tree another loop may take over."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy, Policy, Task
from ralph.journal.record import IMPORTED, Record
from ralph.runner.gate_cache import GateCache

TESTS = GatePolicy(name="tests", run="sh test.sh")
STARTED = f.LoopStarted(
    loop="1",
    task=Task(id="A", title="A"),
    policy=Policy(agent=AgentPolicy(command=("agent",)), gates=(TESTS,)),
    root="/r",
)
INPUTS = {"tests": {".env": "digest"}}
PASSED = f.GateEnded(
    op="claim:tests",
    gate="tests",
    command="sh test.sh",
    purpose="claim",
    variant="as-is",
    tree="t",
    how="exited",
    code=0,
    passed=True,
    seconds=0.1,
    hermetic=True,
)
AFTER = fold(LoopState(), replace(STARTED, loop="2"))


def known(
    *said: f.GateEnded,
    started: f.LoopStarted = STARTED,
    inputs: dict[str, dict[str, str]] = INPUTS,
    of: LoopState = AFTER,
) -> list[tuple[str, str]]:
    gates = GateCache(())
    facts = (started, f.WorkspacePrepared(tree="base", unrecorded_inputs=inputs), *said)
    for seq, fact in enumerate(facts, 1):
        gates.note(fact, "1", seq)
    return [(found.gate, found.evidence) for found in gates.results(of, "t", INPUTS)]


def test_what_another_loop_saw_pass_on_the_same_tree_is_known() -> None:
    assert known(PASSED) == [("tests", "journal seq 3")]


def test_what_was_found_out_on_another_machine_is_not_known_here() -> None:
    facts = (STARTED, f.WorkspacePrepared(tree="base", unrecorded_inputs=INPUTS), PASSED)

    def known_from(run: str) -> int:
        records = [
            Record(n, "", run, "1", f.kind_of(x), msgspec.Raw(f.encode(x))) for n, x in enumerate(facts, 1)
        ]
        return len(GateCache(records).results(AFTER, "t", INPUTS))

    assert (known_from("20260101-000000-abcd"), known_from(IMPORTED)) == (1, 0)


def test_a_pass_in_the_folder_is_not_taken_over() -> None:
    """It may depend on what only that folder held."""
    assert known(replace(PASSED, hermetic=False)) == []


def test_another_tree_folder_command_or_input_is_another_question() -> None:
    assert known(replace(PASSED, tree="u")) == []
    assert known(PASSED, started=replace(STARTED, folder="sub")) == []
    assert known(PASSED, inputs={"tests": {".env": "other"}}) == []
    other = replace(STARTED.policy, gates=(replace(TESTS, run="sh other.sh"),))
    assert known(PASSED, started=replace(STARTED, policy=other)) == []


def test_a_failure_a_doubt_and_the_original_inputs_are_not_taken_over() -> None:
    assert known(replace(PASSED, passed=False, code=1)) == []
    assert known(PASSED, replace(PASSED, passed=False, code=1)) == [], "it says two things"
    assert known(replace(PASSED, wrote=("x",))) == []
    assert known(replace(PASSED, variant="original")) == []
    assert known(replace(PASSED, how="interrupted")) == []


def test_a_reviewer_is_asked_anew() -> None:
    reviewer = replace(TESTS, review="spec")
    policy = replace(STARTED.policy, gates=(reviewer,))
    of = fold(LoopState(), replace(STARTED, loop="2", policy=policy))
    assert known(PASSED, started=replace(STARTED, policy=policy), of=of) == []
