"""Steering a run over a backlog: one task is spoken to, paused or answered, and the others go on."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from project import Project, until

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 6, crash_wait: 0, max_attempts: 2}
parallel: 2
"""
WORK = 'mkdir -p parts; echo "good $RALPH_TASK" > "parts/$RALPH_TASK"; echo TASK_COMPLETE'
HELD = "touch $HOME/up-$RALPH_TASK; until [ -e $HOME/go-$RALPH_TASK ]; do sleep 0.02; done"
# A asks in its first iteration and does its work in the second.
ASKS = "if [ $RALPH_TASK = A ] && [ $RALPH_ITERATION = 1 ]; then ralph emit human.interact 'Which port?'; exit 0; fi"


@pytest.fixture
def backlog(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("test.sh", "! grep -rqs bad parts\n")
    tasks = [{"id": id, "title": f"Part {id}", "leaf": True} for id in ("A", "B")]
    project.write("tasks.jsonl", "".join(json.dumps(task) + "\n" for task in tasks))
    return project


def ready(project: Project, body: str) -> Project:
    project.agent(body)
    project.commit()
    return project


def go(project: Project, task: str) -> None:
    (Path(project.env["HOME"]) / f"go-{task}").touch()


def up(project: Project, *tasks: str) -> None:
    for task in tasks:
        until(lambda task=task: project.mark(f"up-{task}"), f"{task} is worked on")  # type: ignore[misc]


def ok(project: Project, *arguments: str) -> str:
    done = project.ralph(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def prompts(project: Project, task: str) -> list[str]:
    done = ok(project, "events", "--json", "--kind", "iteration.started", "--task", task)
    blobs = project.path / ".git/ralph/blobs"
    return [(blobs / json.loads(line)["data"]["prompt"]).read_text() for line in done.splitlines()]


def statuses(project: Project) -> dict[str, str]:
    listed = json.loads(ok(project, "task", "list", "--all", "--json"))["tasks"]
    return {task["id"]: task["status"] for task in listed}


def test_status_says_who_asks_and_how_to_answer_also_while_it_is_paused(backlog: Project) -> None:
    ask = """ralph emit human.interact --json '{"question": "Which port?", "deadline_seconds": 600}'"""
    ready(backlog, f"if [ $RALPH_TASK$RALPH_ITERATION = A1 ]; then {ask}; exit 0; fi; {WORK}")
    run = backlog.start("run", "--task", "A")
    until(lambda: "A asks: `ralph answer --task A" in ok(backlog, "status"), "status says who asks")
    ok(backlog, "pause")
    until(lambda: "paused since" in ok(backlog, "status"), "it is paused")
    shown = ok(backlog, "status")
    assert "Which port? (the time for it runs on)" in shown
    assert 'A asks: `ralph answer --task A "..."`. Paused: `ralph continue`' in shown
    ok(backlog, "answer", "8080")
    ok(backlog, "continue")
    assert run.wait(60) == 0, backlog.shown()


def test_a_question_parks_its_task_alone_and_an_answer_takes_it_up_in_the_same_run(backlog: Project) -> None:
    ready(backlog, f"{ASKS}; [ $RALPH_TASK = B ] && {{ {HELD}; }}; {WORK}")
    run = backlog.start("run")
    up(backlog, "B")
    until(lambda: backlog.journaled("loop.ended") == 1, "A is parked")
    assert run.poll() is None, "B goes on"
    wrong = backlog.ralph("say", "hello", "--task", "A")
    assert wrong.returncode == 2 and "A waits for an answer" in wrong.stderr
    assert "no question of 'B' waits" in backlog.ralph("answer", "x", "--task", "B").stderr
    assert "A continues with your answer" in ok(backlog, "answer", "8080")
    until(lambda: backlog.journaled("loop.resumed") == 1, "A goes on beside B")
    go(backlog, "B")
    assert run.wait(60) == 0, backlog.shown()
    assert statuses(backlog) == {"A": "complete", "B": "complete"}
    assert 'A person answered the question "Which port?": 8080' in prompts(backlog, "A")[1]
    assert len(backlog.facts("loop.started")) == 2


def test_an_answer_after_the_run_goes_on_with_the_task_where_it_was(backlog: Project) -> None:
    ready(backlog, f"{ASKS}; {WORK}")
    done = backlog.ralph("run")
    assert done.returncode == 1, done.stdout
    assert statuses(backlog) == {"A": "blocked", "B": "complete"}
    assert 'ralph answer --task A "..."' in backlog.ralph("report", "--task", "A").stdout
    ok(backlog, "answer", "8080")
    assert statuses(backlog) == {"A": "complete", "B": "complete"}
    assert "8080" in prompts(backlog, "A")[1]


def test_an_answer_that_was_heard_survives_kill_nine(backlog: Project) -> None:
    """The run dies after it has recorded the answer and before the parked loop has gone on."""
    ready(backlog, f"{ASKS}; {HELD}; {WORK}")
    run = backlog.start("run", "--parallel", "1")
    until(lambda: backlog.journaled("loop.ended") == 1, "A is parked")
    up(backlog, "B")
    ok(backlog, "answer", "8080", "--task", "A")
    assert backlog.journaled("loop.resumed") == 0, "B has the only place"
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    for task in ("A", "B"):
        go(backlog, task)
    ok(backlog, "run", "--parallel", "1")
    assert statuses(backlog) == {"A": "complete", "B": "complete"}
    assert "8080" in prompts(backlog, "A")[1]
    assert len(backlog.facts("answered")) == 1


def test_words_reach_the_loop_of_one_task_or_all_of_them(backlog: Project) -> None:
    ready(backlog, f"{HELD}; {WORK}")
    run = backlog.start("run")
    up(backlog, "A", "B")
    assert "the next iteration will read it" in ok(backlog, "say", "only for A", "--task", "A")
    assert "the next iteration of A, B will read it" in ok(backlog, "say", "for both")
    wrong = backlog.ralph("say", "x", "--task", "C")
    assert wrong.returncode == 2 and "Under way: A, B" in wrong.stderr
    for task in ("A", "B"):
        go(backlog, task)
    assert run.wait(60) == 0, backlog.shown()
    assert ["only for A" in text for text in prompts(backlog, "A")] == [False, True]
    assert not any("only for A" in text for text in prompts(backlog, "B"))
    assert all("for both" in prompts(backlog, task)[1] for task in ("A", "B"))


def test_words_wait_in_the_inbox_for_a_loop_that_has_not_been_taken_up_again(backlog: Project) -> None:
    ready(backlog, f"{HELD}; {WORK}")
    run = backlog.start("run")
    up(backlog, "A", "B")
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert "It is kept" in ok(backlog, "say", "for both")
    for task in ("A", "B"):
        go(backlog, task)
    ok(backlog, "run", "--parallel", "1")
    assert all("for both" in prompts(backlog, task)[1] for task in ("A", "B"))
    assert backlog.facts("inbox.refused") == []
    assert not list((backlog.path / ".git/ralph/inbox").glob("*.json"))


def test_a_paused_task_waits_while_the_other_goes_on(backlog: Project) -> None:
    ready(backlog, f"{HELD}; [ $RALPH_ITERATION = 1 ] && {{ echo 1 > first; exit 0; }}; {WORK}")
    run = backlog.start("run")
    up(backlog, "A", "B")
    assert "A pauses after what is under way; `ralph continue --task A`" in ok(
        backlog, "pause", "--task", "A"
    )
    for task in ("A", "B"):
        go(backlog, task)
    until(lambda: backlog.journaled("loop.ended") == 1, "B is done")
    assert [x["task"]["id"] for x in backlog.facts("loop.started")] == ["A", "B"]
    assert "paused since" in ok(backlog, "status")
    ok(backlog, "continue", "--task", "A")
    assert run.wait(60) == 0, backlog.shown()
    assert statuses(backlog) == {"A": "complete", "B": "complete"}


def test_a_paused_run_begins_nothing_until_it_is_continued(backlog: Project) -> None:
    ready(backlog, f"{HELD}; {WORK}")
    go(backlog, "B")
    run = backlog.start("run", "--parallel", "1")
    up(backlog, "A")
    ok(backlog, "pause")
    go(backlog, "A")
    until(lambda: backlog.journaled("wait.started") == 1, "A waits before its gates")
    assert not backlog.mark("up-B")
    ok(backlog, "continue")
    assert run.wait(60) == 0, backlog.shown()
    assert statuses(backlog) == {"A": "complete", "B": "complete"}
