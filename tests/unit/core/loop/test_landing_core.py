"""What was proven lands; what meets a target that has moved on is merged and judged again."""

from __future__ import annotations

import pytest
from core_world import TESTS, World, policy
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop import decide as d
from ralph.core.policy import GatePolicy, LandPolicy
from ralph.prompt.compose import Context, compose

MAIN = "refs/heads/main"
LAND = LandPolicy(how="merge", target=MAIN)
SPEC = GatePolicy(name="spec", review="spec")


def world(**changes: object) -> World:
    return World(policy(**{"workspace": "clone", "land": LAND, **changes})).base()


def wants_to_land(w: World) -> d.Land:
    op = w.wants()
    assert isinstance(op, d.Land), op
    return op


def merged(w: World, tree: str = "m1", **more: object) -> World:
    op = wants_to_land(w)
    return w.tell(f.WorkspaceMerged(op=op.id, commit="c2", base_tree="b2", tree=tree, **more))  # type: ignore[arg-type]


def landed(w: World) -> World:
    op = wants_to_land(w)
    return w.tell(
        f.LandingIntended(op=op.id, how=op.how, ref=MAIN, commit="c9", tree=op.tree, tip="c1"),
        f.Landed(op=op.id, how=op.how, ref=MAIN, commit="c9"),
    )


def test_a_proven_claim_lands_before_the_loop_ends() -> None:
    w = world().claim("t1", passed=True)
    op = wants_to_land(w)
    assert (op.tree, op.how) == ("t1", "merge")
    end = landed(w).finish()
    assert (end.end, end.code) == ("completed-verified", 0)


def test_a_landing_that_is_returned_is_not_intended_any_more() -> None:
    w = world().claim("t1", passed=True)
    op = wants_to_land(w)
    w.tell(f.LandingIntended(op=op.id, how=op.how, ref=MAIN, commit="c9", tree=op.tree, tip="c1"))
    assert w.state.landing.intended is not None
    assert w.tell(f.LandingReturned(op=op.id, why="red")).state.landing.intended is None


def test_a_loop_that_moved_knows_its_new_place_and_what_judges_there() -> None:
    w = world().tell(
        f.LoopMoved(
            run="r2",
            epoch=7,
            root="/new",
            home="/h",
            slot=2,
            excludes="x",
            unrecorded_inputs={"tests": {"a": "b"}},
        )
    )
    identity, workspace = w.state.identity, w.state.workspace
    assert (identity.root, identity.home, identity.slot) == ("/new", "/h", 2)
    assert (workspace.excludes, workspace.unrecorded_inputs) == ("x", {"tests": {"a": "b"}})
    assert identity.policy.land == LAND


def test_a_claim_that_the_gates_turn_down_does_not_land() -> None:
    assert isinstance(world().claim("t1", passed=False).wants(), d.RunAgent)


def test_merged_with_a_target_that_has_moved_on_it_is_judged_again() -> None:
    w = merged(world().claim("t1", passed=True))
    op = w.wants()
    assert isinstance(op, d.RunGate)
    assert (op.tree, op.id) == ("m1", "claim:1+1:tests:as-is")
    w.gate(True)
    assert isinstance(w.wants(), d.InspectClaim)
    w.tell(f.ClaimInspected(tree="m1", changed=1))
    assert wants_to_land(w).tree == "m1"
    assert landed(w).finish().end == "completed-verified"


def test_what_fails_after_merging_goes_back_to_the_agent() -> None:
    w = merged(world().claim("t1", passed=True)).gate(False)
    if isinstance(w.wants(), d.RunGate):
        w.gate(False)
    assert isinstance(w.wants(), d.RunAgent)
    assert w.state.judgement.attempts == 1


@pytest.mark.parametrize("same", [True, False])
def test_a_reviewers_word_holds_for_the_same_patch_only(same: bool) -> None:
    w = world(gates=(TESTS, SPEC))
    w.iterate("t1", "TASK_COMPLETE").gate(True).gate(True)
    w.tell(f.ClaimInspected(tree="t1", changed=1))
    w = merged(w, same_patch=same).gate(True)
    op = w.wants()
    assert isinstance(op, d.InspectClaim if same else d.RunGate), op


def test_a_conflict_goes_to_the_next_iteration_word_for_word() -> None:
    w = world().claim("t1", passed=True)
    w = merged(w, conflicts=("a.py",), text="CONFLICT (content): Merge conflict in a.py")
    op = w.wants()
    assert isinstance(op, d.RunAgent)
    text = compose(w.state, op, Context()).text
    assert "CONFLICT (content): Merge conflict in a.py" in text
    assert w.state.judgement.attempts == 0
    w.iterate("t2", "ITERATION_DONE")
    op = w.wants()
    assert isinstance(op, d.RunAgent)
    assert "CONFLICT" not in compose(w.state, op, Context()).text


def test_marks_that_an_iteration_leaves_are_told_to_the_next_one_too() -> None:
    w = merged(world().claim("t1", passed=True), conflicts=("a.py",), text="CONFLICT")
    for left in (("a.py",), ()):
        w.iterate(f"t-{left}", "ITERATION_DONE", unresolved=left)
        op = w.wants()
        assert isinstance(op, d.RunAgent)
        told = "conflict marks are still in a.py" in compose(w.state, op, Context()).text
        assert told == bool(left)


def test_a_target_that_never_rests_does_not_hold_the_work_for_ever() -> None:
    w = world(land=replace(LAND, merges=2)).claim("t1", passed=True)
    for n in range(2):
        assert not wants_to_land(w).tired
        w = merged(w, f"m{n}").gate(True)
        w.tell(f.ClaimInspected(tree=f"m{n}", changed=1))
    op = wants_to_land(w)
    assert (op.how, op.tired) == ("merge", "main kept moving on: merged 2 times")  # if it has moved once more


def test_without_proof_it_lands_on_a_branch_and_with_gates_declined_on_the_target() -> None:
    w = World(policy(gates=(), land=LAND)).iterate("t1", "TASK_COMPLETE")
    assert wants_to_land(w).how == "branch"
    assert landed(w).finish().end == "completed-unverified"
    w = World(policy(gates=(), gates_declined=True, land=LAND)).iterate("t1", "TASK_COMPLETE")
    assert wants_to_land(w).how == "merge"


def test_a_stop_at_once_comes_before_landing_and_a_graceful_one_after() -> None:
    w = world().claim("t1", passed=True).tell(f.StopRequested(how="interrupt", by="Ctrl-C"))
    assert w.finish().end == "interrupted"
    w = world().claim("t1", passed=True).tell(f.StopRequested(how="graceful", by=".stop"))
    assert landed(w).finish().end == "completed-verified"


# -- by a lander of a fleet


def returned_by_a_lander(**more: object) -> World:
    """The loop was proven and had ended; its lander sends it back."""
    w = World(policy()).base().claim("t1", passed=True)
    w.finish()
    fields = {"op": f.BY_A_LANDER, "why": "red", "tip": "c2", "gate": "tests", "error_hash": "bbbb", **more}
    fields |= {"headline": "on top of main: 2 failed", "excerpt": "test_a FAILED"}
    return w.tell(f.LoopResumed(run="r2"), f.LandingReturned(**fields))  # type: ignore[arg-type]


def test_what_comes_back_from_its_landing_is_a_rejected_claim() -> None:
    s = returned_by_a_lander().state
    assert (s.judgement.ended, s.judgement.claim, s.judgement.attempts) == (None, None, 1)
    last = s.judgement.history[-1]
    assert (last.gate, last.headline, last.excerpt) == ("tests", "on top of main: 2 failed", "test_a FAILED")
    assert s.landing.returned


def test_it_continues_on_top_of_the_target_with_the_conflicts_in_its_prompt() -> None:
    w = returned_by_a_lander(why="conflict", gate="landing")
    merge = f.WorkspaceMerged(
        op=f.BY_A_LANDER, commit="c2", base_tree="b2", tree="m1", conflicts=("a.py",), text="CONFLICT: a.py"
    )
    s = w.tell(merge).state
    assert (s.workspace.base_commit, s.workspace.base_tree, s.workspace.tree) == ("c2", "b2", "m1")
    assert (s.landing.returned, s.landing.merges, s.landing.merging) == (False, 1, ("a.py",))
    op = w.wants()
    assert isinstance(op, d.RunAgent) and op.n == 2
    assert "CONFLICT: a.py" in compose(w.state, op, Context()).text


def test_a_merge_without_a_claim_or_a_return_changes_nothing() -> None:
    w = world()
    before = w.state.workspace
    w.tell(f.WorkspaceMerged(op="land:1", commit="c2", base_tree="b2", tree="m1"))
    assert (w.state.workspace, w.state.landing.merges) == (before, 0)


def test_what_a_landers_gates_say_is_no_verdict_of_the_loop() -> None:
    w = World(policy()).base().claim("t1", passed=True)
    before = w.state.judgement
    gate = f.GateStarted(op="land:7:claim", gate="other", purpose="land", variant="as-is", tree="t1")
    assert "land:7:claim" in w.tell(gate).state.progress.open
    ended = f.GateEnded(
        op=gate.op,
        gate="other",
        purpose="land",
        variant="as-is",
        tree="t1",
        command="x",
        code=1,
        seconds=2.0,
        passed=False,
        usage=f.Usage(tokens=5, cost_usd=0.5),
    )
    s = w.tell(ended).state
    assert s.judgement == before
    assert (s.progress.open, s.progress.tokens) == ({}, 5)
    assert w.finish().end == "completed-verified"
