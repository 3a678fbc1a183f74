"""When reviewers look at a whole run, whom it asks, and what they say together. Rules only: no process, no file."""

from __future__ import annotations

from typing import Any

import pytest

from ralph.core import facts as f
from ralph.core.policy import GatePolicy
from ralph.core.run import (
    EndRun,
    ReviewRun,
    RunState,
    StartLoop,
    Work,
    fold_run,
    is_consensus,
    schedule,
    together,
)

SPEC, FIT = (
    GatePolicy("spec", review="spec", hard=False),
    GatePolicy("fit", review="Does it fit?", hard=False),
)
WORK = Work(at_end=(SPEC, FIT))
MAIN = "refs/heads/main"


def started(run: str = "r1", *, tip: str = "c0", target: str = MAIN) -> f.RunStarted:
    return f.RunStarted(run=run, pid=1, version="0", tier="group", backlog="/p", target=target, tip=tip)


def landed(commit: str, how: Any = "merge") -> f.Landed:
    return f.Landed(op="land", how=how, ref=MAIN, commit=commit)


def ended(end: Any = "completed-verified", code: int = 0) -> f.LoopEnded:
    return f.LoopEnded(end=end, reason="", code=code)


def reviewed(gate: str, *, passed: bool = True, tip: str = "c1", **more: Any) -> f.RunReviewed:
    said: dict[str, Any] = {"asked": ("spec", "fit"), "command": "", "code": 0, "seconds": 1.0} | more
    return f.RunReviewed(gate=gate, base="c0", tip=tip, passed=passed, **said)


def after(*facts: f.AnyFact, s: RunState | None = None) -> RunState:
    s = s or RunState()
    for fact in facts:
        s = fold_run(s, fact, "A")
    return s


DONE = (started(), landed("c1"), ended())


def test_every_reviewer_is_asked_once_in_order_and_then_the_run_ends() -> None:
    s = after(*DONE)
    assert schedule(s, [], WORK) == (ReviewRun("spec"),)
    s = after(f.RunReviewStarted(gate="spec", base="c0", tip="c1"), reviewed("spec", passed=False), s=s)
    assert schedule(s, [], WORK) == (ReviewRun("fit"),)
    s = after(reviewed("fit", passed=False, unclear=True), s=s)
    assert schedule(s, [], WORK) == (EndRun(0),), (
        "what they say changes no exit code, and no verdict is an answer"
    )


def test_nobody_is_asked_while_there_is_work_or_when_nothing_landed() -> None:
    assert schedule(after(*DONE), ["B"], WORK) == (StartLoop("B"),)
    assert schedule(after(started(), ended("failed", 3)), [], WORK) == (EndRun(1),)
    assert schedule(after(started(), landed("c1", "branch"), ended()), [], WORK) == (EndRun(0),)
    assert schedule(after(*DONE), [], Work()) == (EndRun(0),)
    assert schedule(after(*DONE), [], Work(at_end=(SPEC,), watch=True)) == ()


@pytest.mark.parametrize(
    ("why", "code"),
    [
        (f.StopRequested(how="graceful", by="x"), 12),
        (ended("quota", 9), 9),
        (ended("interrupted", 130), 130),
    ],
)
def test_nobody_is_asked_about_a_run_that_was_cut_short(why: f.AnyFact, code: int) -> None:
    assert schedule(after(*DONE, why), [], WORK) == (EndRun(code),)


def test_once_somebody_is_asked_no_further_task_is_begun() -> None:
    s = after(*DONE, f.RunReviewStarted(gate="spec", base="c0", tip="c1"), reviewed("spec"))
    assert schedule(s, ["B"], WORK) == (ReviewRun("fit"),)
    assert schedule(after(reviewed("fit"), s=s), ["B"], WORK) == (EndRun(0),)


@pytest.mark.parametrize("stop", [(), (f.StopRequested(how="now", by="x"), f.RunEnded(run="r1", code=12))])
def test_a_run_that_goes_on_asks_about_both_and_nobody_twice(stop: tuple[f.AnyFact, ...]) -> None:
    s = after(*DONE, reviewed("spec"), *stop, started("r2", tip="c1"))
    assert (s.base, s.tip, s.runs) == ("c0", "c1", ("r1", "r2"))
    assert schedule(s, [], WORK) == (ReviewRun("fit"),)
    more = after(landed("c2"), ended(), s=s)
    assert (more.base, more.tip, more.reviews) == ("c0", "c2", ()), (
        "what was said is about another change now"
    )
    assert schedule(more, [], WORK) == (ReviewRun("spec"),)


def test_who_was_interrupted_is_asked_again() -> None:
    s = after(*DONE, reviewed("spec", passed=False, unclear=True, how="interrupted"), started("r2", tip="c1"))
    assert schedule(s, [], WORK) == (ReviewRun("spec"),)
    s = after(reviewed("spec"), s=s)
    assert schedule(s, [], WORK) == (ReviewRun("fit"),)


def test_a_run_after_one_that_ended_or_for_another_branch_is_looked_at_by_itself() -> None:
    over = after(*DONE, f.RunEnded(run="r1", code=0))
    for s in (
        after(started("r2", tip="c5"), s=over),
        after(started("r2", tip="c5", target="x"), s=after(*DONE)),
    ):
        assert (s.base, s.tip, s.runs) == ("c5", "", ("r2",))
        assert schedule(s, [], WORK) == (EndRun(0),)


def test_consensus_is_a_pass_of_everyone_who_was_to_be_asked() -> None:
    spec, fit = reviewed("spec"), reviewed("fit")
    assert is_consensus((spec, fit))
    assert together((spec, fit)) == "consensus: spec, fit say PASS"
    assert together(()) == "" and not is_consensus(())
    assert together((spec,)) == "no consensus: spec: PASS; fit: not asked"
    assert together((reviewed("spec", passed=False), reviewed("fit", passed=False, unclear=True))) == (
        "no consensus: spec: FAIL; fit: no verdict"
    )
    cut = reviewed("fit", passed=False, unclear=True, how="interrupted")
    assert is_consensus((spec, cut, fit)), "the last word counts"
