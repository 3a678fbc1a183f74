"""A full context: the iteration may wrap up, then a fresh one takes over. Neither is a failure."""

from __future__ import annotations

from core_world import World, policy
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop import decide as d
from ralph.core.loop.fold import fold_all
from ralph.core.policy import LimitPolicy
from ralph.prompt.compose import Context, compose

OP = "iteration:1"


def under_way(**changes: object) -> World:
    w = World(policy(limits=replace(LimitPolicy(), **changes))).base()
    op = w.wants()
    assert isinstance(op, d.RunAgent)
    return w.tell(f.IterationStarted(serial=1, n=1, prompt="p", prompt_chars=1, tree="base"))


def full(w: World, seconds: float = 10.0) -> World:
    return w.tell(f.Checkpoint(what="precompact", serial=1, seconds=seconds, name="precompact-x"))


def ended(how: f.How = "cut", cause: f.Cause = "context", **more: object) -> f.IterationEnded:
    fields = {"serial": 1, "n": 1, "how": how, "code": -15, "seconds": 320.0, "tree": "t1", "cause": cause}
    return f.IterationEnded(**(fields | more))  # type: ignore[arg-type]


def prompt(w: World) -> str:
    op = w.wants()
    assert isinstance(op, d.RunAgent), op
    return compose(w.state, op, Context()).text


def test_a_full_context_gives_the_iteration_its_time_to_wrap_up() -> None:
    w = full(under_way(wrap_up_seconds=300.0))
    assert w.tell(f.Tick(op=OP, seconds=309.0)).wants() == d.Continue(id=OP)
    assert d.next_deadline(w.state, OP) == 310.0
    w.tell(f.Tick(op=OP, seconds=310.0))
    assert d.cutoff(w.state, OP) == "context"
    assert d.decide(w.state) == ()


def test_zero_lets_it_go_on() -> None:
    w = full(under_way(wrap_up_seconds=0.0)).tell(f.Tick(op=OP, seconds=2000.0))
    assert d.cutoff(w.state, OP) == ""


def test_being_told_twice_does_not_give_more_time() -> None:
    w = full(full(under_way(wrap_up_seconds=300.0)), 200.0).tell(f.Tick(op=OP, seconds=310.0))
    assert d.cutoff(w.state, OP) == "context"
    assert len(w.state.progress.soft_notes) == 1


def test_an_iteration_that_was_ended_for_it_counts_and_has_not_failed() -> None:
    w = full(under_way()).tell(ended())
    assert (w.state.progress.iterations, w.state.judgement.attempts, w.state.agents.crashes) == (1, 0, 0)
    assert "because its context was full" in prompt(w)


def test_what_it_said_before_it_was_ended_is_no_signal() -> None:
    w = full(under_way()).tell(ended(said="TASK_COMPLETE"))
    assert w.state.judgement.claim is None


def test_where_every_iteration_is_put_to_the_gates_this_one_is_too() -> None:
    w = World(policy(claim="every-iteration")).base()
    w.wants()
    w.tell(f.IterationStarted(serial=1, n=1, prompt="p", prompt_chars=1, tree="base"))
    op = full(w).tell(ended()).wants()
    assert isinstance(op, d.RunGate)
    assert op.purpose == "claim"


def test_an_iteration_that_wrapped_up_by_itself_is_read_as_any_other_and_the_next_is_told() -> None:
    w = full(under_way()).tell(ended("exited", "", code=0, said="ITERATION_DONE"))
    assert "context of the iteration before was full" in prompt(w)
    w.iterate("t2", "ITERATION_DONE")
    assert "context" not in prompt(w)


def test_checkpoints_that_say_nothing_about_the_context_change_nothing() -> None:
    w = under_way()
    before = w.state
    for what in ("stop", "manual"):
        w.tell(f.Checkpoint(what=what, serial=1, seconds=1.0))
    assert w.state == before


def test_the_journal_alone_gives_the_same_state() -> None:
    w = full(under_way()).tell(f.Tick(op=OP, seconds=310.0), ended())
    assert fold_all(w.facts) == w.state
