"""The exit code of a run over a backlog."""

from __future__ import annotations

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import End
from ralph.core.policy import Policy, Task
from ralph.core.run import EndRun, RunSpent, RunState, StartLoop, StopRun, Work, fold_run, schedule, why_over


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


def test_a_limit_of_the_run_ends_what_is_under_way_and_begins_nothing_more() -> None:
    works = {
        "max_run_seconds": (Work(max_run_seconds=10), RunSpent(seconds=10)),
        "max_run_cost_usd": (Work(max_run_cost_usd=2), RunSpent(cost_usd=2.5)),
        "max_run_tokens": (Work(max_run_tokens=100), RunSpent(tokens=100)),
    }
    for limit, (work, spent) in works.items():
        assert schedule(RunState(), ["A"], work, (), RunSpent()) == (StartLoop("A"),)
        assert schedule(RunState(), ["A"], work, (), spent) == (StopRun(limit),)
        begun = after(*ran("A", "completed-verified", 0)[:1])
        assert schedule(begun, [], work, (), spent) == (StopRun(limit),)
        stopped = fold_run(begun, f.StopRequested(how="now", by=limit))
        assert schedule(stopped, ["B"], work, (), spent) == (), "what is under way is waited for"
        over = fold_run(stopped, f.LoopEnded(end="stopped", reason="", code=12), "A")
        assert schedule(over, ["B"], work, (), spent) == (EndRun(8),)
        assert why_over(over, work, ["B"]) == f"limit: {limit}"
