"""Which loops a report is about after runs over a backlog, and how such a run is told."""

from __future__ import annotations

import pytest
from report_world import GATES, World

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.policy import Policy, Task
from ralph.errors import RalphError
from ralph.history.choose import choose
from ralph.report import render
from ralph.report.render import summary
from ralph.report.sources import Changes, StoredTexts
from ralph.report.stories import Gathered, gather, totals


def begin_run(world: World, target: str = "") -> None:
    """A run without a target goes on with none before it."""
    world.loop = ""
    root = str(world.repo.root)
    world.record(
        f.RunStarted(
            run=world.run, pid=1, version="0", tier="group", backlog=root, file="tasks.jsonl", target=target
        )
    )


def end_run(world: World, code: int) -> None:
    world.loop = ""
    world.t += 1
    world.record(f.RunEnded(run=world.run, code=code))


def task(world: World, id: str, *, home: bool = True, end: str = "failed") -> None:
    root = str(world.repo.root)
    world.loop = f"loop-{id}-{world.run}"
    where = {"root": f"{root}-slot", "home": root} if home else {"root": root}
    world.record(
        f.LoopStarted(
            loop=world.loop,
            task=Task(id, f"Title {id}"),
            policy=Policy(AgentPolicy(), unverified_ok=True),
            **where,
        )
    )
    world.t += 1
    usage = f.Usage(tokens=100, cost_usd=0.25)
    tree = world.tree()
    world.record(f.WorkspacePrepared(tree=tree))
    world.record(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree=tree))
    world.record(f.IterationEnded(serial=1, n=1, how="exited", code=0, seconds=2.0, tree=tree, usage=usage))
    world.record(f.LoopEnded(end=end, reason="because | of ~that~", code=3, branch=f"wip/{id}"))  # type: ignore[arg-type]


def names(world: World, **wish: str) -> list[str]:
    return choose(world.repo, **wish).ids  # type: ignore[arg-type]


def test_the_newest_run_over_a_backlog_is_meant_and_a_task_its_newest_loop(world: World) -> None:
    begin_run(world)
    task(world, "A")
    world.next_run("run-2")
    begin_run(world)
    task(world, "A")
    task(world, "B")
    world.next_run("run-3")
    begin_run(world)  # it found nothing to do
    assert names(world) == ["loop-A-run-2", "loop-B-run-2"]
    assert names(world, task="A") == ["loop-A-run-2"]
    assert names(world, run="run-1") == ["loop-A-run-1"]
    with pytest.raises(RalphError, match="no loop has worked on a task 'Z'"):
        choose(world.repo, task="Z")


def test_a_loop_that_the_run_took_up_again_belongs_to_it(world: World) -> None:
    begin_run(world)
    task(world, "A", end="stopped")
    world.next_run("run-2")
    begin_run(world)
    world.loop = "loop-A-run-1"
    world.record(f.LoopResumed(run="run-2"))
    assert names(world) == ["loop-A-run-1"]


def test_lives_of_a_run_that_was_cut_short_are_one_run(world: World) -> None:
    begin_run(world, "refs/heads/main")
    task(world, "0", end="completed-unverified")
    end_run(world, 0)
    world.next_run("run-2")
    begin_run(world, "refs/heads/main")
    task(world, "A", end="completed-unverified")
    task(world, "B", end="completed-unverified")  # and the run dies
    world.t += 1000
    world.next_run("run-3")
    begin_run(world, "refs/heads/main")
    task(world, "C", end="stopped")
    end_run(world, 12)
    world.next_run("run-4")
    begin_run(world, "refs/heads/main")
    world.loop = "loop-C-run-3"
    world.record(f.LoopResumed(run="run-4"))
    world.record(f.LoopEnded(end="completed-unverified", reason="", code=0))
    end_run(world, 0)
    world.next_run("run-5")
    begin_run(world, "refs/heads/main")  # it found nothing to do
    end_run(world, 0)
    every = ["loop-A-run-2", "loop-B-run-2", "loop-C-run-3"]
    assert names(world) == names(world, run="run-2") == names(world, run="run-4") == every
    assert names(world, run="run-1") == ["loop-0-run-1"]
    with Changes(world.repo) as changes:
        found = gather(world.repo, changes)
    assert found.run is not None
    assert (found.run.id, found.run.lives) == ("run-4", ("run-2", "run-3", "run-4"))
    x = totals(found.stories, found.run)
    assert (x.done, x.tokens, x.wall_seconds) == (3, 300, 5.0), "the time between two lives does not count"
    text = summary(found)
    assert "## Completed: 3/3 tasks" in text and "cut short and gone on 2 times" in text
    assert "The run before: `ralph report --run run-1`." in text


def test_a_task_that_was_reopened_counts_once_and_what_both_loops_cost_is_told(world: World) -> None:
    begin_run(world)
    task(world, "A")
    world.loop += "-again"
    root = str(world.repo.root)
    world.record(
        f.LoopStarted(
            loop=world.loop,
            task=Task("A", "A"),
            policy=Policy(AgentPolicy(), unverified_ok=True),
            root=f"{root}-slot",
            home=root,
        )
    )
    world.record(f.LoopEnded(end="completed-unverified", reason="", code=0))
    with Changes(world.repo) as changes:
        found = gather(world.repo, changes)
    assert found.run is not None and len(found.stories) == 2
    assert "## Completed: 1/1 tasks" in summary(found)
    assert (totals(found.stories, found.run).failed, totals(found.stories, found.run).tokens) == (0, 100)


def test_a_run_that_only_took_up_a_loop_goes_before_an_older_loop_in_place(world: World) -> None:
    begin_run(world)
    task(world, "A", end="stopped")
    world.next_run("run-2")
    task(world, "here", home=False)
    world.next_run("run-3")
    begin_run(world)
    world.loop = "loop-A-run-1"
    world.record(f.LoopResumed(run="run-3"))
    assert names(world) == ["loop-A-run-1"]


def test_a_newer_loop_in_place_goes_before_the_run(world: World) -> None:
    begin_run(world)
    task(world, "A")
    task(world, "here", home=False)
    assert names(world) == ["loop-here-run-1"]
    assert choose(world.repo).run is None


def test_time_tokens_and_cost_of_each_task_and_in_all(world: World) -> None:
    begin_run(world)
    task(world, "A")
    task(world, "B")
    world.loop = ""
    world.t += 10
    world.record(f.RunEnded(run=world.run, code=1))
    with Changes(world.repo) as changes:
        found = gather(world.repo, changes)
    assert found.run is not None
    x = totals(found.stories, found.run)
    assert (x.failed, x.tokens, x.cost_usd, x.active_seconds, x.wall_seconds) == (2, 200, 0.5, 4.0, 12.0)
    text = summary(found)
    assert "| A | failed | 1 | 0 | 2.0 s | 100 | 0.25 USD |" in text
    assert "| **In all** | 0 done, 2 failed | 2 | 0 | 4.0 s | 200 | 0.50 USD |" in text
    assert "- Branch: wip/B" in text and "because \\| of \\~that\\~" in text


def test_the_page_of_a_run_begins_with_a_banner_what_failed_and_when_each_task_ran(world: World) -> None:
    begin_run(world)
    task(world, "A", end="completed-unverified")
    task(world, "B")
    task(world, "C")
    end_run(world, 1)
    with Changes(world.repo) as changes:
        found = gather(world.repo, changes)
        page = "".join(render.page(found, StoredTexts(world.repo.state_dir), changes, 0.0))
    assert '<header class="outcome bad">' in page and "Completed: 1/3 tasks" in page and "2 failed" in page
    failed = page.partition("<h2>What failed</h2>")[2].partition("</section>")[0]
    assert failed.count("<li>") == 1, "both for the same reason"
    assert 'href="#l2-task">B</a>' in failed and 'href="#l3-task">C</a>' in failed
    chart = page.partition("Timeline of the run</title>")[2].partition("</svg>")[0]
    assert [name for name in ("A", "B", "C") if f">{name}</text>" in chart] == ["A", "B", "C"]
    assert chart.count('class="it worked"') == 3


def test_findings_stand_below_the_review_that_has_them(world: World) -> None:
    world.start(gates=GATES)
    world.iteration()
    world.gate(False, "quality", headline="long", findings=("login() is long", "no docstring"))
    world.end("failed", "attempts used up")
    text = summary(Gathered(world.stories()))
    assert "- Quality warnings: 2\n  - " in text
    assert "quality, the claim of iteration 1:\n  - login() is long\n  - no docstring\n" in text
