"""The rules of limits, stopping and ends, one test for each."""

from __future__ import annotations

import pytest
from core_world import TESTS, limits, world

from ralph.core import facts as f
from ralph.core.exits import BY_NAME, CODES, exit_code
from ralph.core.loop import decide as d
from ralph.core.policy import GatePolicy

# -- limits ----------------------------------------------------------------------------------------


def test_the_last_iteration_may_complete() -> None:
    w = world(limits=limits(max_iterations=1)).claim("t1", passed=True)
    assert w.finish().end == "completed-verified"


def test_iterations_are_limited() -> None:
    end = world(limits=limits(max_iterations=1)).iterate("t1").finish()
    assert (end.end, end.limit, end.code) == ("limit", "iterations", 8)


def test_a_raised_limit_goes_on() -> None:
    w = world(limits=limits(max_iterations=1)).iterate("t1")
    w.finish()
    w.tell(f.LoopResumed(run="r2", limits=limits(max_iterations=2)))
    assert isinstance(w.wants(), d.RunAgent)


@pytest.mark.parametrize(
    ("changes", "usage", "limit"),
    [
        ({"max_tokens": 100}, f.Usage(tokens=100), "tokens"),
        ({"max_cost_usd": 1.0}, f.Usage(cost_usd=1.0), "cost"),
    ],
)
def test_spending_is_cut_off_in_the_middle_of_an_iteration(
    changes: dict[str, object], usage: f.Usage, limit: f.Cause
) -> None:
    w = world(limits=limits(**changes))
    w.tell(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="base"))
    assert d.decide(w.state)
    w.tell(f.Metered(op="iteration:1", usage=usage))
    assert d.decide(w.state) == ()
    assert d.cutoff(w.state, "iteration:1") == limit
    w.tell(
        f.IterationEnded(serial=1, n=1, how="cut", cause=limit, code=-15, seconds=1, tree="t1", usage=usage)
    )
    end = w.finish()
    assert (end.end, end.limit) == ("limit", limit)


def test_active_time_is_limited_and_waiting_is_not_active() -> None:
    w = world(limits=limits(hard_seconds=100.0, soft_seconds=0.0))
    w.iterate("t1", seconds=60.0)
    assert isinstance(w.wants(), d.RunAgent)
    w.iterate("t2", seconds=60.0)
    assert w.finish().limit == "time"


def test_a_hard_iteration_time_out_is_an_attempt() -> None:
    w = world(limits=limits(iteration_hard_seconds=10.0))
    w.tell(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="base"))
    w.tell(f.Tick(op="iteration:1", seconds=10.0))
    assert d.cutoff(w.state, "iteration:1") == "iteration-time"
    w.tell(
        f.IterationEnded(serial=1, n=1, how="cut", cause="iteration-time", code=-15, seconds=10, tree="t1")
    )
    assert (w.state.judgement.attempts, w.state.progress.iterations) == (1, 1)
    assert isinstance(w.wants(), d.RunAgent)


def test_idleness_is_cut_off() -> None:
    w = world(limits=limits(idle_seconds=30.0))
    w.tell(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="base"))
    w.tell(f.Tick(op="iteration:1", seconds=31.0, idle=30.0))
    assert d.cutoff(w.state, "iteration:1") == "idle"


def test_soft_limits_are_noted_once_and_told_to_the_next_iteration() -> None:
    w = world(limits=limits(soft_seconds=5.0, iteration_soft_seconds=3.0))
    w.tell(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="base"))
    w.tell(f.Tick(op="iteration:1", seconds=6.0))
    notes = [op for op in d.decide(w.state) if isinstance(op, d.Note)]
    assert {n.what for n in notes} == {"soft-time", "iteration-soft"}
    w.tell(*(f.Checkpoint(what=n.what, serial=n.serial, seconds=6) for n in notes))
    assert not [op for op in d.decide(w.state) if isinstance(op, d.Note)]
    w.tell(f.IterationEnded(serial=1, n=1, how="exited", code=0, seconds=6.0, tree="t1"))
    assert set(w.state.progress.soft_notes) == {"soft-time", "iteration-soft"}
    w.iterate("t2")
    assert not w.state.progress.soft_notes, "the second iteration was told; the third need not be"


def test_a_hard_gate_that_runs_out_of_time_is_a_failed_attempt() -> None:
    w = world().iterate("t1", "TASK_COMPLETE")
    op = w.wants()
    w.tell(f.GateStarted(op=op.id, gate="tests", purpose="claim", variant="as-is", tree="t1"))
    w.tell(f.Tick(op=op.id, seconds=TESTS.hard_timeout))
    assert d.cutoff(w.state, op.id) == "gate-time"
    w.tell(
        f.GateEnded(
            op=op.id, gate="tests", purpose="claim", variant="as-is", tree="t1", command="x", code=-15, seconds=1800,
            passed=False, timed_out="hard", error_hash="cccccccc",
        )
    )  # fmt: skip
    assert w.state.judgement.attempts == 1


def test_a_soft_gate_that_runs_out_of_time_is_a_warning() -> None:
    w = world(gates=(TESTS, GatePolicy(name="style", run="x", hard=False)))
    w.iterate("t1", "TASK_COMPLETE").gate(True).gate(False, timed_out="hard")
    assert w.state.judgement.attempts == 0
    assert any("style ran out of time" in warning for warning in w.state.warnings.lines)


# -- stopping --------------------------------------------------------------------------------------


def test_a_graceful_stop_waits_for_the_iteration_and_its_claim() -> None:
    w = world()
    w.tell(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="base"))
    w.tell(f.StopRequested(how="graceful", by=".stop"))
    assert isinstance(w.wants(), d.Continue)
    w.tell(f.IterationEnded(serial=1, n=1, how="exited", code=0, seconds=1, tree="t1", said="TASK_COMPLETE"))
    w.gate(True).tell(f.ClaimInspected(tree="t1", changed=1))
    assert w.finish().end == "completed-verified"


def test_a_graceful_stop_without_a_claim_ends_as_stopped() -> None:
    w = world().tell(f.StopRequested(how="graceful", by=".stop"))
    end = w.finish()
    assert (end.end, end.code) == ("stopped", 12)


def test_a_graceful_stop_ends_a_wait() -> None:
    w = world().iterate(code=1)
    op = w.wants()
    w.tell(f.WaitStarted(op=op.id, what="crash", seconds=10), f.StopRequested(how="graceful", by="x"))
    assert d.decide(w.state) == ()
    w.tell(f.WaitEnded(op=op.id, elapsed=False))
    assert w.finish().end == "stopped"


@pytest.mark.parametrize(
    ("how", "end", "code"),
    [("interrupt", "interrupted", 130), ("now", "stopped", 12), ("cancel", "cancelled", 13)],
)
def test_stopping_at_once_cuts_off_and_gives_the_number_back(how: f.StopHow, end: str, code: int) -> None:
    w = world()
    w.tell(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="base"))
    w.tell(f.StopRequested(how=how, by="x"))
    assert d.decide(w.state) == ()
    assert d.cutoff(w.state, "iteration:1") == "stop"
    w.tell(f.IterationEnded(serial=1, n=1, how="interrupted", code=-15, seconds=2, tree="t1", cause="stop"))
    found = w.finish()
    assert (found.end, found.code) == (end, code)
    assert (w.state.progress.iterations, w.state.progress.active_seconds) == (0, 3.0)


def test_an_interrupted_gate_is_no_attempt_and_runs_again() -> None:
    w = world().iterate("t1", "TASK_COMPLETE").gate(False, how="interrupted")
    assert w.state.judgement.attempts == 0
    assert isinstance(w.wants(), d.RunGate)


# -- ends ------------------------------------------------------------------------------------------


def test_every_end_has_one_code_and_one_next_step() -> None:
    assert set(CODES) == set(BY_NAME)
    assert exit_code("no-route") == 11
    assert exit_code("internal") == 70
    assert len(set(CODES.values())) == len(CODES)
