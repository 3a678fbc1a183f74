"""A claim by the tool that comes when the iteration has ended: it is about the tree that was left."""

from __future__ import annotations

from core_world import World, world

from ralph.core import facts as f
from ralph.core.loop import decide as d


def late(w: World, serial: int = 1) -> World:
    return w.tell(f.ClaimMade(name="c", serial=serial, summary="all is done", evidence="it passes"))


def test_it_is_put_to_the_gates_though_the_iteration_said_that_more_is_to_do() -> None:
    w = late(world().iterate("t1", "ITERATION_DONE"))
    op = w.wants()
    assert isinstance(op, d.RunGate)
    assert (op.purpose, op.tree) == ("claim", "t1")
    claim = w.state.judgement.claim
    assert claim is not None
    assert (claim.serial, claim.summary) == (1, "all is done")


def test_it_is_judged_by_the_same_rules() -> None:
    w = late(world().iterate("t1", "ITERATION_DONE")).gate(False)
    if isinstance(again := w.wants(), d.RunGate) and again.id.endswith(":again"):
        w.gate(False)
    assert isinstance(w.wants(), d.RunAgent)
    assert w.state.judgement.attempts == 1
    unchanged = late(world().iterate("base", "ITERATION_DONE"))
    assert isinstance(unchanged.wants(), d.RunAgent)
    assert "nothing has changed" in unchanged.state.judgement.refusal


def test_an_iteration_that_ended_otherwise_claims_nothing_any_more() -> None:
    for ended in ({"code": 1}, {"how": "interrupted"}, {"how": "cut", "cause": "iteration-time"}):
        w = late(world().iterate("t1", "", **ended))
        assert w.state.judgement.claim is None, ended


def test_it_is_about_the_tree_that_was_left_and_about_the_last_iteration() -> None:
    changed = world().iterate("t1", "ITERATION_DONE").tell(f.WorkspaceChanged(tree="t2", paths=("a",)))
    assert late(changed).state.judgement.claim is None
    second = world().iterate("t1", "ITERATION_DONE").iterate("t2", "ITERATION_DONE")
    assert late(second).state.judgement.claim is None
    assert late(second, 2).state.judgement.claim is not None


def test_a_claim_that_was_rejected_is_not_made_again_by_a_late_one() -> None:
    w = world().claim("t1", passed=False)
    assert late(w).state.judgement.claim is None
    assert w.state.judgement.attempts == 1
