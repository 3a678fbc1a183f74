"""A task of the backlog that waits for a person goes on with their word, where it was, and lands as always."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest
from project import Project, contents, until

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 6, crash_wait: 0, max_attempts: 2}
"""
# Tasks whose names begin with Q ask something in their first iteration and leave a draft behind.
ASKS = """\
mkdir -p parts
case "$RALPH_TASK-$RALPH_ITERATION" in
  Q*-1) echo draft > "parts/$RALPH_TASK"; ralph emit human.interact "Which colour for $RALPH_TASK?"; echo ITERATION_DONE ;;
  *) echo good >> "parts/$RALPH_TASK"; echo TASK_COMPLETE ;;
esac
"""


def asking(project: Project, *ids: str, config: str = CONFIG, agent: str = ASKS) -> Project:
    (project.path / "PROMPT.md").unlink(missing_ok=True)
    project.config(config)
    project.write("test.sh", 'if grep -rqs bad parts; then echo "FAILED: a bad part"; exit 1; fi\n')
    project.agent(agent)
    lines = [json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) + "\n" for id in ids]
    project.write("tasks.jsonl", "".join(lines))
    project.commit()
    return project


def statuses(project: Project) -> dict[str, str]:
    done = project.ralph("task", "list", "--all", "--json")
    assert done.returncode == 0, done.stderr
    return {task["id"]: task["status"] for task in json.loads(done.stdout)["tasks"]}


def standing(project: Project) -> Any:
    return json.loads(project.ralph("status", "--json").stdout)


def workspaces(project: Project) -> list[Path]:
    folder = Path(project.env["HOME"]) / ".local/state/ralph/workspaces"
    return [path for path in folder.glob("*/*.json") if json.loads(path.read_text())["state"] != "released"]


def subjects(project: Project) -> list[str]:
    return project.git("log", "--format=%s", "main").splitlines()


def test_with_the_answer_it_goes_on_in_its_own_workspace_and_lands(project: Project) -> None:
    asking(project, "Q", "B")
    done = project.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert statuses(project) == {"Q": "blocked", "B": "complete"}
    assert "--task Q" in done.stdout and "Which colour for Q?" in done.stdout
    found = standing(project)
    assert [x["task"] for x in found["backlog"]["parked"]] == ["Q"]
    assert "--task Q" in found["next"] and "--task Q" in project.ralph("status").stdout.split("next")[-1]

    done = project.ralph("resume", "--task", "Q", "--answer", "Blue.")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.git("show", "main:parts/Q") == "draft\ngood"
    assert [x["n"] for x in project.facts("iteration.started")] == [1, 1, 2]
    assert 'A person answered the question "Which colour for Q?": Blue.' in project.prompt()
    assert subjects(project)[0] == "[Q] Part Q"
    assert set(statuses(project).values()) == {"complete"}
    assert workspaces(project) == []
    assert standing(project)["backlog"]["parked"] == []


def test_while_it_goes_on_its_line_says_so(project: Project) -> None:
    asking(
        project, "Q", agent=ASKS.replace("*) echo", '*) until [ -e "$HOME/go" ]; do sleep 0.05; done; echo')
    )
    assert project.ralph("run").returncode == 1
    run = project.start("resume", "--answer", "Blue.")
    until(lambda: '"in_progress"' in (project.path / "tasks.jsonl").read_text(), "its line is written")
    assert "reason" not in (project.path / "tasks.jsonl").read_text()
    (Path(project.env["HOME"]) / "go").touch()
    assert run.wait(60) == 0


def test_a_name_is_needed_only_where_several_wait(project: Project) -> None:
    asking(project, "Q1", "Q2", "B")
    assert project.ralph("run").returncode == 1
    shown = project.ralph("status").stdout
    assert "--task Q1" in shown and "--task Q2" in shown
    before = contents(project.path)
    done = project.ralph("resume", "--answer", "Blue.")
    assert done.returncode == 2
    assert "Q1 (blocked-on-person), Q2 (blocked-on-person)" in done.stderr and "--task Q1" in done.stderr
    assert contents(project.path) == before

    assert project.ralph("resume", "--task", "Q2", "--answer", "Blue.").returncode == 0
    assert statuses(project) == {"Q1": "blocked", "Q2": "complete", "B": "complete"}
    # That was another run; what the first one left to be answered is still shown.
    assert "Q1 needs you" in standing(project)["next"]
    assert project.ralph("resume", "--answer", "Red.").returncode == 0
    assert set(statuses(project).values()) == {"complete"}


def test_after_needs_review_allowing_the_change_lands_it_without_another_iteration(project: Project) -> None:
    weaken = "echo true > test.sh; mkdir -p parts; echo bad > parts/$RALPH_TASK; echo TASK_COMPLETE"
    asking(project, "A", agent=weaken)
    done = project.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "`ralph resume --task A --accept`" in done.stdout
    iterations = len(project.facts("iteration.started"))
    assert iterations == 2  # the doubt went back to the agent once
    wrong = project.ralph("resume", "--task", "A", "--answer", "Blue.")
    assert wrong.returncode == 2 and "no question waits" in wrong.stderr
    done = project.ralph("resume", "--task", "A", "--allow", "test.sh")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(project.facts("iteration.started")) == iterations
    assert subjects(project)[0] == "[A] Part A" and project.git("show", "main:test.sh") == "true"


def test_a_second_question_parks_it_again(project: Project) -> None:
    asking(project, "Q", agent=ASKS.replace("Q*-1)", "Q*-[12])"))
    assert project.ralph("run").returncode == 1
    assert project.ralph("resume", "--answer", "Blue.").returncode == 5
    assert statuses(project) == {"Q": "blocked"}
    assert project.ralph("resume", "--answer", "Light blue.").returncode == 0
    assert [x["n"] for x in project.facts("iteration.started")] == [1, 2, 3]
    assert workspaces(project) == []


@pytest.mark.parametrize("kind", ["loop.resumed", "iteration.started", "landing.intended", "landed"])
def test_killed_at_any_point_it_goes_on_with_the_answer_and_lands_once(project: Project, kind: str) -> None:
    asking(project, "Q", agent=ASKS.replace("*) echo", "*) sleep 0.2; echo"))
    assert project.ralph("run").returncode == 1
    before = project.journaled(kind)
    run = project.start("resume", "--answer", "Blue.")
    until(lambda: project.journaled(kind) > before, kind)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert subjects(project).count("[Q] Part Q") == 1
    assert statuses(project) == {"Q": "complete"}
    assert "Blue." in project.prompt()
    assert workspaces(project) == []
    assert project.git("fsck", "--no-dangling") == ""


def test_killed_it_can_be_resumed_again_as_well(project: Project) -> None:
    asking(
        project, "Q", agent=ASKS.replace("*) echo", '*) until [ -e "$HOME/go" ]; do sleep 0.05; done; echo')
    )
    assert project.ralph("run").returncode == 1
    run = project.start("resume", "--answer", "Blue.")
    until(lambda: project.journaled("iteration.started") == 2, "it goes on")
    live = project.ralph("resume", "--task", "Q", "--answer", "Red.")
    assert live.returncode == 2 and f"a run is at work here (pid {run.pid})" in live.stderr
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    (Path(project.env["HOME"]) / "go").touch()
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Blue." in project.prompt() and subjects(project)[0] == "[Q] Part Q"


def test_what_was_cut_short_beside_it_keeps_its_workspace(project: Project) -> None:
    agent = ASKS.replace("*) echo", '*) echo half > half; until [ -e "$HOME/go" ]; do sleep 0.05; done; echo')
    asking(project, "Q", "B", agent=agent)
    run = project.start("run", "--parallel", "2")
    until(lambda: project.journaled("loop.ended") == 1 and list(_halves(project)), "Q asks and B is at work")
    os.kill(run.pid, signal.SIGINT)
    assert run.wait(60) == 130
    several = project.ralph("resume")
    assert several.returncode == 2 and "`ralph run` goes on with B by itself" in several.stderr
    (Path(project.env["HOME"]) / "go").touch()
    assert project.ralph("resume", "--answer", "Blue.").returncode == 0  # only Q has asked
    assert statuses(project) == {"Q": "complete", "B": "in_progress"}
    assert list(_halves(project))
    assert project.ralph("run").returncode == 0
    assert project.git("show", "main:half") == "half" and workspaces(project) == []


def _halves(project: Project) -> list[Path]:
    return list((Path(project.env["HOME"]) / ".local/state/ralph/workspaces").glob("*/*/half"))


def test_one_at_its_limit_is_refused_before_its_workspace_is_given_up(project: Project) -> None:
    asking(project, "Q", config=CONFIG.replace("max_iterations: 6", "max_iterations: 1"))
    assert project.ralph("run").returncode == 1
    done = project.ralph("resume", "--task", "Q", "--answer", "Blue.")
    assert done.returncode == 2 and "`ralph resume --task Q --max-iterations N`" in done.stderr
    done = project.ralph("resume", "--task", "Q", "--answer", "Blue.", "--max-iterations", "3")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_list_in_a_place_of_its_own_is_the_one_that_is_written(project: Project) -> None:
    asking(project, "Q")
    project.git("mv", "tasks.jsonl", "plan.jsonl")
    project.config(f"backlog: plan.jsonl\n{CONFIG}")
    project.commit()
    assert project.ralph("run").returncode == 1
    project.config(CONFIG)  # the loop's list is that of its start
    assert project.ralph("resume", "--task", "Q", "--answer", "Blue.").returncode == 0
    assert '"Q"' in (project.path / "plan-done.jsonl").read_text()
    assert not (project.path / "tasks-done.jsonl").exists()


def test_a_loop_here_that_was_cut_short_comes_first(project: Project) -> None:
    asking(project, "Q")
    assert project.ralph("run").returncode == 1
    project.agent("echo half > here; until [ -e $HOME/go ]; do sleep 0.05; done; echo TASK_COMPLETE")
    project.commit()
    run = project.start("run", "-p", "Something else")
    until(lambda: (project.path / "here").exists(), "the agent in place")
    os.kill(run.pid, signal.SIGINT)
    assert run.wait(60) == 130
    (Path(project.env["HOME"]) / "go").touch()
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.end()["end"] == "completed-verified" and statuses(project) == {"Q": "blocked"}


def test_as_a_flag_of_run_it_is_the_same_and_what_would_change_nothing_is_refused(project: Project) -> None:
    asking(project, "Q", "A")
    assert project.ralph("run").returncode == 1
    done = project.ralph("run", "--resume", "--parallel", "2")
    assert done.returncode == 2 and "--parallel would change nothing" in done.stderr
    done = project.ralph("run", "--resume", "--task", "Q")  # without an answer it still has its question
    assert done.returncode == 5 and statuses(project)["Q"] == "blocked"


def test_what_cannot_go_on_says_why(project: Project) -> None:
    asking(
        project,
        "Q1",
        "Q2",
        "Q3",
        "A",
        "F",
        "N",
        agent=ASKS.replace("case", '[ "$RALPH_TASK" = F ] && echo bad > parts/F\ncase'),
    )
    assert project.ralph("run", "--max-items", "5").returncode == 1
    blocked = dict.fromkeys(("Q1", "Q2", "Q3"), "blocked")
    assert statuses(project) == {**blocked, "A": "complete", "F": "failed", "N": "pending"}
    # What people say in the list goes before.
    lines = (project.path / "tasks.jsonl").read_text().splitlines(keepends=True)
    changed = [text.replace('"blocked"', '"cancelled"') if '"Q1"' in text else text for text in lines]
    project.write("tasks.jsonl", "".join(text for text in changed if '"Q2"' not in text))
    for note in workspaces(project):
        if "Q3" in note.read_text():
            shutil.rmtree(note.with_suffix(""))
    before = contents(project.path)
    for task, said, todo in (
        ("Q1", "Q1 is cancelled", "ralph task reopen Q1"),
        ("Q2", "there is no task 'Q2'", "The nearest is Q3"),
        ("Q3", "the workspace of Q3 is gone", "ralph task reopen Q3"),
        ("A", "A is over: completed-verified", "ralph task reopen A"),
        ("F", "it would end again at once: 2 attempts used up", "ralph resume --task F --max-attempts N"),
        ("N", "N has no loop that can continue", "ralph run --task N"),
        ("Z", "there is no task 'Z'", "ralph task list"),
    ):
        done = project.ralph("resume", "--task", task)
        assert done.returncode == 2 and said in done.stderr, (task, done.stdout, done.stderr)
        assert todo in done.stderr, (task, done.stderr)
    assert contents(project.path) == before


def test_without_a_backlog_there_is_no_such_task(project: Project) -> None:
    done = project.ralph("resume", "--task", "A")
    assert done.returncode == 2 and "there is no task 'A'" in done.stderr
    assert project.ralph("resume").returncode == 2
