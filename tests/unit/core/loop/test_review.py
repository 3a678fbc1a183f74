"""Reviewer gates: what an answer amounts to, and what follows from it."""

from __future__ import annotations

import pytest
from core_world import TESTS, World, policy

from ralph.core import facts as f
from ralph.core.loop import decide as d
from ralph.core.policy import GatePolicy
from ralph.gates import reviewer

SPEC = GatePolicy(name="spec", review="spec")
QUALITY = GatePolicy(name="quality", review="quality", hard=False)
GATED = policy(gates=(TESTS, SPEC, QUALITY))


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("All criteria are met.\nPASS", "PASS"),
        ("- misses the reset flow\n\n**FAIL**\n", "FAIL"),
        ("`PASS`.", "PASS"),
        ("PASS\nbut I am not sure", ""),
        ("I would say PASS", ""),
        ("```\nPASS\n```", ""),
        ("pass", ""),
        ("PASS or FAIL", ""),
        ("", ""),
    ],
)
def test_only_a_last_line_that_says_pass_or_fail_is_a_verdict(said: str, verdict: str) -> None:
    assert reviewer.read(said).verdict == verdict


def test_findings_are_the_points_of_the_list() -> None:
    found = reviewer.read(
        "Looked at it.\n- one\n  more of it\n* two\n3. three\n- none\n- No issues found.\n- no docs\nFAIL"
    )
    assert found.findings == ("one", "two", "three", "no docs")
    assert reviewer.read("It misses the reset flow.\nFAIL").findings == ("It misses the reset flow.",)
    assert reviewer.read("It is fine.\nPASS").findings == ()
    assert (
        len(reviewer.read("\n".join(f"- {n}" for n in range(99)) + "\nFAIL").findings)
        == reviewer.MOST_FINDINGS
    )


def claimed(world: World, tree: str = "t1") -> World:
    """A claim that has passed the tests."""
    if not world.state.progress.serial:
        world.base()
    return world.iterate(tree, "TASK_COMPLETE").gate(True)


def end(world: World) -> d.Finish:
    if isinstance(op := world.wants(), d.InspectClaim):
        world.tell(f.ClaimInspected(tree=op.tree, changed=1))
    return world.finish()


def test_a_reviewer_does_not_look_at_the_starting_tree() -> None:
    assert isinstance(World(policy(gates=(SPEC,))).wants(), d.RunAgent)


def test_reviewers_come_in_order_and_their_word_is_in_the_proof() -> None:
    world = claimed(World(GATED)).gate(True).gate(False, findings=("long names",), headline="long names")
    done = end(world)
    assert done.end == "completed-verified"
    assert done.proof == {"tests": "red→green", "spec": "PASS", "quality": "FAIL (soft)"}
    assert world.state.judgement.findings == {"quality": ("long names",)}
    assert any("long names" in w for w in world.state.warnings.lines)


def test_a_hard_fail_is_an_attempt_and_its_findings_reach_the_next_prompt() -> None:
    world = claimed(World(GATED)).gate(False, excerpt="- no reset flow")
    assert world.state.judgement.claim is None
    assert [(a.gate, a.excerpt) for a in world.state.judgement.history] == [("spec", "- no reset flow")]
    assert isinstance(world.wants(), d.RunAgent)


def test_a_verdict_on_a_tree_is_asked_for_once() -> None:
    world = claimed(World(GATED)).gate(False)
    claimed(world, "t1")  # it claims again, having changed nothing
    assert world.state.judgement.attempts == 2
    assert world.state.judgement.claim is None


def test_a_verdict_that_is_known_turns_a_claim_down_also_when_no_command_runs_before() -> None:
    world = World(policy(gates=(SPEC,)))
    world.iterate("t1", "TASK_COMPLETE").gate(False).iterate("t1", "TASK_COMPLETE")
    assert world.state.judgement.attempts == 2
    assert isinstance(world.wants(), d.RunAgent)


def test_an_answer_without_a_verdict_is_asked_for_once_more_and_then_fails() -> None:
    world = claimed(World(GATED)).gate(False, unclear=True, code=0)
    op = world.wants()
    assert isinstance(op, d.RunGate) and op.id.endswith(":again") and world.state.judgement.attempts == 0
    world.gate(False, unclear=True, code=0)
    assert world.state.judgement.attempts == 1 and world.state.judgement.history[-1].gate == "spec"
    assert (
        world.state.judgement.reviews == {}
    )  # silence is no opinion: the same tree may be asked about again


def test_an_answer_without_a_verdict_followed_by_one_counts_and_is_not_flaky() -> None:
    world = claimed(World(GATED)).gate(False, unclear=True, code=0).gate(True).gate(True)
    assert end(world).proof["spec"] == "PASS"
    assert not any("flaky" in w for w in world.state.warnings.lines)


def test_a_reviewer_that_fails_to_run_twice_is_unusable_and_costs_no_attempt() -> None:
    world = claimed(World(GATED)).gate(False, unclear=True, code=1).gate(False, unclear=True, code=1)
    done = world.finish()
    assert done.end == "agent-unusable" and "spec" in done.reason
    assert world.state.judgement.attempts == 0
    world.tell(f.LoopResumed(run="r2"))
    op = world.wants()
    assert (
        isinstance(op, d.RunGate) and op.gate == "spec"
    )  # the claim is still open, the tests are not run again


def test_a_reviewer_out_of_quota_is_waited_for_and_asked_again() -> None:
    world = claimed(World(GATED)).gate(
        False, unclear=True, fault="quota", fault_text="limit", retry_after=60.0
    )
    wait = world.wants()
    assert isinstance(wait, d.Wait) and wait.seconds == 60.0 and "spec" in wait.why
    world.tell(f.WaitStarted(op=wait.id, what=wait.what, seconds=60.0), f.WaitEnded(op=wait.id, elapsed=True))
    op = world.wants()
    assert isinstance(op, d.RunGate) and op.gate == "spec"
    world.gate(True).gate(True)
    assert end(world).end == "completed-verified"
    assert world.state.judgement.attempts == 0


def test_a_stop_during_such_a_wait_ends_the_loop_with_the_claim_kept() -> None:
    world = claimed(World(GATED)).gate(False, unclear=True, fault="overload")
    wait = world.wants()
    assert isinstance(wait, d.Wait)
    world.tell(
        f.WaitStarted(op=wait.id, what=wait.what, seconds=5.0),
        f.StopRequested(how="graceful", by="ralph stop"),
        f.WaitEnded(op=wait.id, elapsed=False),
    )
    assert world.finish().end == "stopped"


def test_a_soft_reviewer_that_cannot_work_never_blocks() -> None:
    world = claimed(World(GATED)).gate(True)
    world.gate(False, unclear=True, fault="quota", headline="out of quota")
    world.gate(False, unclear=True, fault="quota", headline="out of quota")  # asked once more, as always
    done = end(world)
    assert done.end == "completed-verified" and done.proof["quality"] == "no verdict (soft)"
    assert any("out of quota" in w for w in world.state.warnings.lines)


def test_a_hard_reviewer_out_of_time_is_an_attempt() -> None:
    world = claimed(World(GATED)).gate(False, unclear=True, timed_out="hard", code=-9)
    assert world.state.judgement.attempts == 1


def test_what_reviewers_spend_counts() -> None:
    world = claimed(World(GATED)).gate(True, usage=f.Usage(tokens=70, cost_usd=0.5))
    assert (world.state.progress.tokens, world.state.progress.cost_usd) == (70, 0.5)


def test_a_reviewer_s_edits_are_reported_and_do_not_decide() -> None:
    world = claimed(World(GATED)).gate(True, wrote=("a.py",)).gate(True)
    assert end(world).end == "completed-verified"
    assert any("a.py" in w for w in world.state.warnings.lines)


def test_a_reviewer_of_every_iteration_that_stays_silent_is_not_asked_for_ever() -> None:
    world = World(policy(gates=(GatePolicy(name="spec", review="spec", every="iteration"),)))
    world.iterate("t1", "ITERATION_DONE").gate(False, unclear=True, code=0)
    assert isinstance(world.wants(), d.RunAgent)


def test_a_reviewer_of_every_iteration_out_of_quota_is_waited_for() -> None:
    world = World(policy(gates=(GatePolicy(name="spec", review="spec", every="iteration"),)))
    world.iterate("t1", "ITERATION_DONE").gate(False, unclear=True, fault="quota", retry_after=9.0)
    assert isinstance(world.wants(), d.Wait)
