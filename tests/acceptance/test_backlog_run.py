"""`ralph run` over a backlog: each task in a workspace of its own, and main gets only what was proven as merged."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from project import Project, until

from portrait import portrait

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 6, crash_wait: 0, max_attempts: 2}
"""
# Every task writes a file of its own; none may hold "bad".
GATE = 'if grep -rqs bad parts; then echo "FAILED: a bad part"; exit 1; fi\n'
WORK = 'mkdir -p parts; echo "good $RALPH_TASK" > "parts/$RALPH_TASK"; echo Did it.; echo TASK_COMPLETE'


@pytest.fixture
def backlog(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("test.sh", GATE)
    project.agent(WORK)
    add(project, "A", "B", "C")
    project.commit()
    return project


def add(project: Project, *ids: str, **more: object) -> None:
    with open(project.path / "tasks.jsonl", "a") as file:
        for id in ids:
            file.write(json.dumps({"id": id, "title": f"Part {id}", "leaf": True, **more}) + "\n")


def statuses(project: Project) -> dict[str, str]:
    done = project.ralph("task", "list", "--all", "--json")
    assert done.returncode == 0, done.stderr
    return {task["id"]: task["status"] for task in json.loads(done.stdout)["tasks"]}


def subjects(project: Project, ref: str = "main") -> list[str]:
    return project.git("log", "--reverse", "--format=%s", ref).splitlines()[1:]


def workspaces(project: Project) -> list[Path]:
    folder = Path(project.env["HOME"]) / ".local/state/ralph/workspaces"
    return [path for path in folder.glob("*/*.json") if json.loads(path.read_text())["state"] != "released"]


def test_every_task_lands_as_one_commit_and_goes_to_the_archive(backlog: Project) -> None:
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert subjects(backlog)[1:] == ["[A] Part A", "[B] Part B", "[C] Part C"]
    assert "Did it.\n\nCompletes: C" in backlog.git("log", "-1", "--format=%B", "main")
    archive = [json.loads(line) for line in (backlog.path / "tasks-done.jsonl").read_text().splitlines()]
    assert [task["id"] for task in archive] == ["A", "B", "C"]
    assert archive[2]["commit"] == backlog.git("rev-parse", "main")
    assert all(task["verified"] and task["completed"] for task in archive)
    assert (backlog.path / "tasks.jsonl").read_text() == ""
    # The checkout is on main, so it followed.
    assert sorted(path.name for path in (backlog.path / "parts").iterdir()) == ["A", "B", "C"]
    assert backlog.git("status", "--porcelain").split() == ["M", "tasks.jsonl", "??", "tasks-done.jsonl"]
    assert workspaces(backlog) == []


def test_side_by_side_they_are_merged_and_judged_again(backlog: Project) -> None:
    done = backlog.ralph("run", "--parallel", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(subjects(backlog)[1:]) == ["[A] Part A", "[B] Part B", "[C] Part C"]
    merged = backlog.facts("workspace.merged")
    assert len(merged) >= 2
    judged = {
        gate["tree"] for gate in backlog.facts("gate.ended") if gate["purpose"] == "claim" and gate["passed"]
    }
    assert {landing["tree"] for landing in backlog.facts("landing.intended")} <= judged
    assert backlog.git("fsck", "--no-dangling") == ""


def test_what_does_not_pass_is_kept_on_a_branch_and_the_rest_goes_on(backlog: Project) -> None:
    bad = "mkdir -p parts; if [ $RALPH_TASK = B ]; then echo bad > parts/B; else echo good > parts/$RALPH_TASK; fi"
    backlog.agent(f"{bad}; echo TASK_COMPLETE")
    backlog.commit()
    done = backlog.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert statuses(backlog) == {"A": "complete", "B": "failed", "C": "complete"}
    assert subjects(backlog)[2:] == ["[A] Part A", "[C] Part C"]
    (branch,) = backlog.git("branch", "--list", "wip/*", "--format=%(refname:short)").splitlines()
    assert branch.startswith("wip/ralph-fail-B-")
    assert backlog.git("show", f"{branch}:parts/B") == "bad"
    assert "task_id: B" in backlog.git("show", f"{branch}:.ralph_state.md")
    assert branch in done.stdout


def test_a_conflict_goes_to_the_next_iteration(backlog: Project) -> None:
    backlog.write("shared", "start\n")
    backlog.agent(
        'if grep -qs "<<<<<<<" shared; then printf "A\\nB\\nC\\n" > shared; echo resolved >> $HOME/resolved\n'
        "else echo $RALPH_TASK > shared; fi; mkdir -p parts; touch parts/$RALPH_TASK; echo TASK_COMPLETE"
    )
    backlog.commit()
    done = backlog.ralph("run", "--parallel", "2", "--max-items", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert any(merged.get("conflicts") == ["shared"] for merged in backlog.facts("workspace.merged"))
    assert (Path(backlog.env["HOME"]) / "resolved").exists()
    assert "<<<<<<<" not in backlog.git("show", "main:shared")


def test_the_users_checkout_is_left_alone(backlog: Project) -> None:
    backlog.git("branch", "other")
    backlog.write("mine.txt", "stashed\n")
    backlog.git("stash", "-u")
    backlog.write("staged.txt", "staged\n")
    backlog.git("add", "staged.txt")
    backlog.write("test.sh", GATE + "# mine\n")
    before = portrait(backlog.path)
    backlog.git("checkout", "-q", "other")
    there = portrait(backlog.path)
    done = backlog.ralph("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert before != there
    assert (backlog.path / "test.sh").read_text().endswith("# mine\n")
    assert backlog.git("stash", "list").count("\n") == 0
    assert "staged.txt" in backlog.git("diff", "--cached", "--name-only")


def test_where_the_users_edits_overlap_it_lands_on_a_branch(backlog: Project) -> None:
    (backlog.path / "parts").mkdir()
    backlog.write("parts/A", "mine\n")
    done = backlog.ralph("run", "--task", "A")
    assert done.returncode == 1, done.stdout + done.stderr
    assert (backlog.path / "parts/A").read_text() == "mine\n"
    (landed,) = backlog.facts("landed")
    assert landed["how"] == "branch"
    assert backlog.git("show", f"{landed['ref']}:parts/A") == "good A"
    assert "task/A-part-a" in done.stdout


def test_which_and_how_many(backlog: Project) -> None:
    assert backlog.ralph("run", "--task", "B").returncode == 0
    assert statuses(backlog) == {"A": "pending", "B": "complete", "C": "pending"}
    assert backlog.ralph("run", "--once").returncode == 0
    assert statuses(backlog)["A"] == "complete"
    assert backlog.ralph("run", "--max-items", "5").returncode == 0
    assert set(statuses(backlog).values()) == {"complete"}
    unknown = backlog.ralph("run", "--task", "Z")
    assert unknown.returncode == 2
    assert "there is no task 'Z'" in unknown.stderr


def test_watching_sees_a_task_that_is_added(backlog: Project) -> None:
    run = backlog.start("run", "--watch")
    try:
        until(lambda: len(backlog.facts("landed")) == 3, "the backlog")
        add(backlog, "D")
        until(lambda: len(backlog.facts("landed")) == 4, "the new task")
        assert backlog.ralph("stop").returncode == 0
        assert run.wait(60) == 12
    finally:
        if run.poll() is None:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()


@pytest.mark.parametrize(
    "kind", ["landing.intended", "landed", "loop.ended", "iteration.started", "workspace.prepared"]
)
def test_killed_at_any_point_the_next_run_goes_on_and_nothing_is_done_twice(
    backlog: Project, kind: str
) -> None:
    backlog.agent("sleep 0.2; " + WORK)
    backlog.commit()
    run = backlog.start("run", "--parallel", "2")
    until(lambda: backlog.facts(kind), kind)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    done = backlog.ralph("run", "--parallel", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(subjects(backlog)[2:]) == ["[A] Part A", "[B] Part B", "[C] Part C"]
    assert set(statuses(backlog).values()) == {"complete"}
    assert workspaces(backlog) == []
    assert backlog.git("fsck", "--no-dangling") == ""
    assert backlog.git("for-each-ref", "refs/ralph/base") == ""


@pytest.mark.parametrize("what", ["ralph.lock.txt", "-r ."])
def test_a_task_that_only_removes_files_lands(backlog: Project, what: str) -> None:
    backlog.write("ralph.lock.txt", "to be removed\n")
    backlog.config(CONFIG + "protect: [nothing]\n")
    backlog.write("keep/this", "x\n")
    backlog.agent(f"git rm -qf {what}; echo TASK_COMPLETE")
    backlog.commit()
    done = backlog.ralph("run", "--task", "A", "--gate", "true")
    assert done.returncode == 0, done.stdout + done.stderr
    assert subjects(backlog)[-1] == "[A] Part A"
    assert "ralph.lock.txt" not in backlog.git("ls-tree", "--name-only", "main").splitlines()
    assert backlog.git("fsck", "--no-dangling", "--no-progress") == ""


def test_after_an_interruption_it_says_how_to_go_on(backlog: Project) -> None:
    backlog.agent("n=0; while [ $n -lt 600 ]; do n=$((n+1)); sleep 0.05; done")
    backlog.commit()
    run = backlog.start("run")
    until(lambda: backlog.facts("iteration.started"), "the iteration")
    os.kill(run.pid, signal.SIGINT)
    assert run.wait(60) == 130
    said = (backlog.path.parent / "run.out").read_text()
    assert "Next: `ralph run` continues where it was." in said
    assert "`ralph run` continues where it was." in backlog.ralph("status").stdout
    assert "needs you" not in backlog.ralph("status").stdout


def test_what_one_task_remembers_the_next_one_is_told(backlog: Project) -> None:
    backlog.write("agent.sh", '#!/bin/sh\ncat > "$HOME/prompt-$RALPH_TASK"\n', executable=True)
    with open(backlog.path / "agent.sh", "a") as file:
        file.write(f'ralph tools memory add "part $RALPH_TASK was easy" -t pattern\n{WORK}\n')
    backlog.commit()
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "part B was easy" in (backlog.path / ".ralph/agent/memories.md").read_text()
    prompt = (Path(backlog.env["HOME"]) / "prompt-C").read_text()
    assert "part A was easy" in prompt and "part B was easy" in prompt
    assert backlog.git("log", "--format=%H", "--", ".ralph") == ""


def test_a_claim_with_conflict_marks_left_is_refused_and_never_lands(backlog: Project) -> None:
    """B writes the same file as A; at first it does not resolve the conflict, and no gate looks at that file."""
    backlog.agent(
        'case "$RALPH_TASK" in\n'
        'A) until [ -f "$HOME/b-began" ]; do sleep 0.05; done; echo A > shared.txt ;;\n'
        'B) if [ "$RALPH_ITERATION" = 1 ]; then touch "$HOME/b-began"; echo B > shared.txt\n'
        '     until git -C "$HOME/../project" cat-file -e main:shared.txt 2>/dev/null; do sleep 0.05; done\n'
        '   elif [ "$RALPH_ITERATION" = 3 ]; then echo both > shared.txt; fi ;;\n'
        "*) echo C > c.txt ;; esac\n"
        "echo TASK_COMPLETE"
    )
    backlog.commit()
    done = backlog.ralph("run", "--parallel", "2", "--max-items", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    assert backlog.git("show", "main:shared.txt") == "both"
    assert all("<<<<<<<" not in backlog.git("show", f"{c}:shared.txt") for c in ("main", "main~1"))
    prompts = [fact["n"] for fact in backlog.facts("iteration.started")]
    assert max(prompts) == 3
    assert "main has moved on and conflicts in shared.txt" in done.stdout
    assert "claim refused: the merge is not resolved: conflict marks are still in shared.txt" in done.stdout
