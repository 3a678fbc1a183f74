"""Promise: nothing is endless. Whatever agents do to keep a run going, it ends, or it is in a wait that has a name and an
end of its own. Only `persistent` and `--watch` go on, because a person asked for that.

Nobody stops these runs: a test that does not come back is the failure.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from project import Project, until

LIMIT = 8  # the exit code of a limit
TASK = {"id": "A", "title": "Part A", "leaf": True}


def backlog(project: Project, agent: str, config: str = "", gates: str = "none") -> None:
    (project.path / "PROMPT.md").unlink()
    project.config(
        "cli: {command: ./agent.sh}\n"
        f"gates: {gates}\nevent_loop: {{max_iterations: 4, crash_wait: 0{config}}}\n"
    )
    project.write("tasks.jsonl", json.dumps(TASK) + "\n")
    project.agent(agent.replace("PROJECT", str(project.path)))
    project.commit()


def began(project: Project) -> list[str]:
    return [one["task"]["id"] for one in project.facts("loop.started")]


# -- tasks that make tasks ---------------------------------------------------------------------------------

BREEDS = """touch $RALPH_TASK
ralph task add "more of $RALPH_TASK" > /dev/null; ralph task add "also of $RALPH_TASK" > /dev/null; echo TASK_COMPLETE"""


def test_tasks_that_breed_end_with_the_first_generation_and_the_rest_waits_for_a_person(
    project: Project,
) -> None:
    backlog(project, BREEDS)
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(began(project)) == 3, "a person's task and what was proposed because of it"
    listed = json.loads(project.ralph("task", "list", "--json").stdout)
    waiting = [one for one in listed["tasks"] if one["status"] == "blocked"]
    assert len(waiting) == 4 and all("accept" in one["reason"] for one in waiting)


def test_tasks_that_split_themselves_end(project: Project) -> None:
    splits = 'ralph task split "$RALPH_TASK" one two > /dev/null; touch "$RALPH_TASK"; echo TASK_COMPLETE'
    backlog(project, splits, ", max_attempts: 1", gates="[{name: tests, run: 'false'}]")
    done = project.ralph("run")
    assert done.returncode != 0
    assert began(project) == ["A", "A.1", "A.2"], done.stdout + done.stderr


@pytest.mark.parametrize("status", ["pending", "in_progress"])
def test_tasks_that_reopen_each_other_in_the_file_are_worked_on_once(project: Project, status: str) -> None:
    """Each puts the lines of both back into the user's list, as if nothing had been done."""
    lines = "".join(
        json.dumps({"id": id, "title": f"Part {id}", "leaf": True, "status": status}) + "\\n" for id in "AB"
    )
    backlog(project, f"touch $RALPH_TASK; printf '{lines}' > PROJECT/tasks.jsonl; echo TASK_COMPLETE")
    done = project.ralph("run")
    assert sorted(began(project)) in (["A"], ["A", "B"]), done.stdout + done.stderr
    assert project.facts("run.ended") != []


ADDS = """touch "$RALPH_TASK"
n=$(cat "$HOME/n" 2>/dev/null || echo 0); n=$((n+1)); echo $n > "$HOME/n"
printf '{"id":"N%s","title":"N%s","leaf":true}\\n' $n $n >> PROJECT/tasks.jsonl; echo TASK_COMPLETE"""


def test_a_list_that_refills_itself_ends_at_the_runs_own_limit(project: Project) -> None:
    backlog(project, ADDS, ", max_run_tasks: 4")
    done = project.ralph("run")
    assert len(began(project)) == 4, done.stdout + done.stderr
    assert "limit of 4 tasks" in project.facts("run.ended")[-1]["reason"]


@pytest.mark.slow
def test_a_list_that_refills_itself_ends_without_any_limit(project: Project) -> None:
    """A hundred tasks that came while it worked are taken up; what came after them is for the next run."""
    backlog(project, ADDS)
    done = project.ralph("run", timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(began(project)) == 101
    notes = [note for one in project.facts("backlog.written") for note in one.get("notes", ())]
    assert [note for note in notes if "the rest is for the next run" in note]


# -- boards ------------------------------------------------------------------------------------------------


def test_a_board_that_refills_itself_ends_with_its_iterations(project: Project) -> None:
    for name in ("PROMPT.md", "agent.sh"):
        (project.path / name).unlink()
    moves = "mkdir -p done work; for i in work/*; do mv $i done/; done; echo more > work/$(ls done | wc -l)"
    worker = {
        "triggers": ["work.do"],
        "publishes": ["board.rescan"],
        "default_publishes": "board.rescan",
    }
    config = {
        "cli": {"backend": "scripted", "script": "../script.yml"},
        "gates": "none",
        "event_loop": {"starting_event": "board.scan", "max_iterations": 6, "prompt": "Work through it."},
        "hats": {
            "scanner": {
                "triggers": ["board.scan", "board.rescan"],
                "scan": {"folders": {"work": "work.do"}},
            },
            "worker": worker,
        },
    }
    project.write("ralph.yml", yaml.safe_dump(config))
    project.write("work/first", "item\n")
    (project.path.parent / "script.yml").write_text(yaml.safe_dump({"hats": {"worker": [{"run": moves}]}}))
    project.commit()
    done = project.ralph("run")
    assert done.returncode == LIMIT, done.stdout + done.stderr
    assert (project.end()["end"], project.end()["limit"]) == ("limit", "iterations")


# -- waits that renew --------------------------------------------------------------------------------------

JSONL = (
    "cli: {backend: custom, command: ./agent.sh, output: jsonl}\ngates: [{name: tests, run: sh test.sh}]\n"
)


@pytest.mark.parametrize("kind", ["quota", "overload"])
def test_a_quota_that_is_always_back_in_a_moment_ends_when_its_waits_add_up(
    project: Project, kind: str
) -> None:
    """It says each time that it is back at once: the word is not trusted twice, and all waits count together."""
    project.config(JSONL + "event_loop: {crash_wait: 0, max_wait: 9}\n")
    error = json.dumps({"type": "error", "kind": kind, "text": "later", "retry_after": 0})
    project.agent(f"echo '{error}'; exit 1")
    project.commit()
    done = project.ralph("run")
    assert project.end()["end"] == "quota", done.stdout + done.stderr
    assert {wait["what"] for wait in project.facts("wait.started")} <= {kind}
    assert len(project.facts("iteration.started")) < 6


def test_a_quota_between_iterations_that_do_nothing_ends_all_the_same(project: Project) -> None:
    """An iteration in between makes the waits count anew; but it is an iteration."""
    project.config(JSONL + "event_loop: {crash_wait: 0, max_iterations: 3, max_wait: 5}\n")
    error = json.dumps({"type": "error", "kind": "quota", "text": "later", "retry_after": 0})
    message = json.dumps({"type": "message", "text": "ITERATION_DONE"})
    project.agent(
        'n=$(cat "$HOME/n" 2>/dev/null || echo 0); echo $((n+1)) > "$HOME/n"; echo $n > made\n'
        f"if [ $((n % 2)) = 0 ]; then echo '{error}'; exit 1; fi; echo '{message}'"
    )
    project.commit()
    done = project.ralph("run")
    assert (project.end()["end"], project.end()["limit"]) == ("limit", "iterations"), done.stdout
    assert len(project.facts("iteration.started")) <= 7


def test_a_question_that_nobody_answers_is_a_named_wait_and_then_an_end(project: Project) -> None:
    hats = {
        "asker": {"triggers": ["work.start"], "publishes": ["human.interact"]},
    }
    config = {
        "cli": {"command": "./agent.sh"},
        "gates": "none",
        "event_loop": {"starting_event": "work.start", "max_iterations": 4, "human_timeout_seconds": 1},
        "hats": hats,
    }
    project.write("ralph.yml", yaml.safe_dump(config))
    project.agent("ralph emit human.interact 'May I?'; echo $RALPH_ITERATION > x")
    project.commit()
    done = project.ralph("run")
    assert project.facts("loop.ended") != [], done.stdout + done.stderr
    assert len(project.facts("iteration.started")) <= 4


def test_a_target_that_moves_with_every_gate_does_not_keep_a_landing_waiting_for_ever(
    project: Project,
) -> None:
    """The gate itself commits to the target, so that the proven change is never on its tip."""
    moves = (
        "cd PROJECT && n=$(cat ../n 2>/dev/null || echo 0) && echo $((n+1)) > ../n && "
        "echo $n > moved && git add moved && git commit -qm moved"
    ).replace("PROJECT", str(project.path))
    backlog(project, "echo A > a; echo TASK_COMPLETE", gates="[{name: tests, run: sh move.sh}]")
    project.write("move.sh", f"({moves}) > /dev/null 2>&1; true\n")
    project.commit()
    done = project.ralph("run")
    assert project.facts("loop.ended") != [], done.stdout + done.stderr
    landed = project.facts("landed")
    assert not landed or landed[-1]["how"] == "branch", "it is proven, and kept on a branch"


def test_tasks_side_by_side_that_conflict_with_each_other_all_end(project: Project) -> None:
    """Each writes the same line, and resolves every conflict in its own favour."""
    backlog(project, "echo $RALPH_TASK > shared; echo TASK_COMPLETE")
    project.write("tasks.jsonl", "".join(json.dumps(TASK | {"id": id, "title": id}) + "\n" for id in "ABCD"))
    project.commit()
    done = project.ralph("run", "--parallel", "4", timeout=200)
    assert sorted({*began(project)}) == ["A", "B", "C", "D"], done.stdout + done.stderr
    assert len(project.facts("loop.ended")) == 4


# -- limits of the whole run -------------------------------------------------------------------------------


def test_a_run_that_is_over_its_time_ends_what_is_under_way(project: Project) -> None:
    backlog(project, "sleep 1000", ", max_run_seconds: 2")
    done = project.ralph("run")
    assert done.returncode == LIMIT, done.stdout + done.stderr
    assert project.facts("run.ended")[-1]["reason"] == "limit: max_run_seconds"


def test_a_run_that_waits_for_a_quota_ends_at_its_own_limit(project: Project) -> None:
    error = json.dumps({"type": "error", "kind": "quota", "text": "later", "retry_after": 3000})
    (project.path / "PROMPT.md").unlink()
    project.config(JSONL + "event_loop: {crash_wait: 0, max_run_seconds: 3}\n")
    project.write("tasks.jsonl", json.dumps(TASK) + "\n")
    project.agent(f"echo '{error}'; exit 1")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == LIMIT, done.stdout + done.stderr
    assert [wait["what"] for wait in project.facts("wait.started")] == ["quota"]


def test_watching_is_a_named_wait_and_a_stop_ends_it(project: Project) -> None:
    """What a person asked for goes on until a person ends it."""
    backlog(project, "touch $RALPH_TASK; echo TASK_COMPLETE")
    run = project.start("run", "--watch")
    try:
        until(lambda: project.journaled("loop.ended") == 1, "the only task is over")
        until(lambda: "wait" in project.ralph("status").stdout, "status says that it waits")
        assert project.ralph("stop").returncode == 0
        assert run.wait(60) is not None
    finally:
        run.kill()
        run.wait()
    assert Path(project.path, "A").exists()
