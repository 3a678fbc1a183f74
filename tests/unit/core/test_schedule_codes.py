"""The exit code of a run over a backlog."""

from __future__ import annotations

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import End
from ralph.core.policy import Policy, Task
from ralph.core.run import EndRun, RunState, Work, fold_run, schedule


def after(*facts: tuple[f.AnyFact, str]) -> RunState:
    s = RunState()
    for fact, task in facts:
        s = fold_run(s, fact, task)
    return s


def ran(task: str, end: End, code: int) -> list[tuple[f.AnyFact, str]]:
    started = f.LoopStarted(
        loop=f"loop-{task}",
        task=Task(task, task),
        policy=Policy(agent=AgentPolicy(backend="custom")),
        root="/w",
    )
    return [(started, task), (f.LoopEnded(end=end, reason="", code=code), task)]


def stop(how: f.StopHow) -> tuple[f.AnyFact, str]:
    return f.StopRequested(how=how, by="somebody"), ""


def test_a_cancelled_run_has_the_code_of_cancelling_whatever_was_done_before() -> None:
    assert schedule(after(*ran("A", "completed-verified", 0), stop("cancel")), [], Work()) == (EndRun(13),)
    assert schedule(after(stop("cancel"), *ran("A", "cancelled", 13)), ["B"], Work()) == (EndRun(13),)
    assert schedule(after(stop("cancel")), [], Work(only="A")) == (EndRun(13),)
    assert schedule(after(stop("graceful")), [], Work()) == (EndRun(12),)


def test_a_task_that_was_asked_for_and_cannot_be_begun_is_an_error_in_use() -> None:
    assert schedule(RunState(), [], Work(only="A")) == (EndRun(2),)
    assert schedule(RunState(), [], Work(only="A"), whole=["B"]) == (EndRun(2),)
    assert schedule(RunState(), [], Work(only="A"), whole=["A.1"]) == (EndRun(0),), "a dead run got it done"
    assert schedule(RunState(), [], Work()) == (EndRun(0),)
    assert schedule(RunState(), [], Work(only="A", watch=True)) == ()


def test_a_split_task_counts_by_its_parts() -> None:
    s = after(*ran("A", "stuck", 4), *ran("A.1", "completed-verified", 0))
    assert schedule(s, [], Work(), whole=["A"]) == (EndRun(0),)
    assert schedule(s, [], Work(), whole=[]) == (EndRun(1),)
    other = after(*ran("A", "stuck", 4), *ran("B", "failed", 3))
    assert schedule(other, [], Work(), whole=["A"]) == (EndRun(1),)
