"""A run over a backlog as people see it, and what agents want of the list that they may not write themselves."""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from project import Project, until

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 6, crash_wait: 0, max_attempts: 2}
"""
GATE = 'if grep -rqs bad parts; then echo "FAILED: a bad part"; exit 1; fi\n'
WORK = 'mkdir -p parts; echo "good $RALPH_TASK" > "parts/$RALPH_TASK"; echo Did it.; echo TASK_COMPLETE'
BAD_B = (
    'mkdir -p parts; w=good; [ "$RALPH_TASK" = B ] && w=bad; '
    'echo "$w $RALPH_TASK" > "parts/$RALPH_TASK"; echo TASK_COMPLETE'
)


@pytest.fixture
def backlog(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("test.sh", GATE)
    project.agent(WORK)
    with open(project.path / "tasks.jsonl", "w") as file:
        for id in ("A", "B"):
            file.write(json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) + "\n")
    project.commit()
    return project


def told(project: Project, *arguments: str) -> Any:
    done = project.ralph(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def listed(project: Project) -> dict[str, dict[str, Any]]:
    return {task["id"]: task for task in told(project, "task", "list", "--all")["tasks"]}


@contextmanager
def running(project: Project, *arguments: str) -> Iterator[None]:
    """Agents wait for the file `go` in HOME."""
    run = project.start("run", *arguments)
    try:
        yield
    finally:
        (Path(project.env["HOME"]) / "go").touch()
        try:
            run.wait(60)
        finally:
            if run.poll() is None:
                os.killpg(run.pid, signal.SIGKILL)
                run.wait()


HELD = 'touch "$HOME/at-$RALPH_TASK"; until [ -e "$HOME/go" ]; do sleep 0.05; done; '


# -- what agents want of the list -------------------------------------------------------------------------


def test_an_agents_tasks_reach_the_users_file_once_and_are_worked_on(backlog: Project) -> None:
    backlog.agent(f'if [ "$RALPH_TASK" = A ]; then ralph task add "Part of it" --id N; fi; {WORK}')
    backlog.commit()
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {id: task["status"] for id, task in listed(backlog).items()} == {
        "A": "complete",
        "B": "complete",
        "N": "complete",
    }
    assert "[N] Part of it" in backlog.git("log", "--format=%s", "main").splitlines()
    assert "A proposed N: Part of it" in done.stdout


def test_an_id_that_is_taken_is_changed_and_a_parent_is_no_leaf_any_more(backlog: Project) -> None:
    wants = 'ralph task add "Below" --parent B; ralph task add "Other" --id B'
    backlog.agent(f'if [ "$RALPH_TASK" = A ]; then {wants}; fi; {WORK}')
    backlog.commit()
    done = backlog.ralph("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    tasks = listed(backlog)
    assert tasks["C"]["title"] == "Other" and tasks["B"]["title"] == "Part B"
    assert tasks["B.1"]["title"] == "Below" and tasks["B"]["leaf"] is False


def test_killed_after_a_proposal_it_is_added_by_the_next_run_and_only_once(backlog: Project) -> None:
    asks = 'ralph task add "Part of it" --id N; until [ -e "$HOME/go" ]; do sleep 0.05; done'
    backlog.agent(f'if [ "$RALPH_TASK" = A ]; then {asks}; fi; {WORK}')
    backlog.commit()
    run = backlog.start("run", "--once")
    until(lambda: backlog.facts("task.proposed"), "the proposal")
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    found = told(backlog, "status")
    assert found["backlog"]["state"] == "died" and "`ralph run`" in found["next"]
    assert [x["state"] for x in found["backlog"]["under_way"]] == ["died"]
    (Path(backlog.env["HOME"]) / "go").touch()
    for _ in range(2):
        assert backlog.ralph("run", "--once").returncode == 0
    titles = [task["title"] for task in listed(backlog).values()]
    assert sorted(titles) == ["Part A", "Part B", "Part of it"]


def test_a_split_takes_effect_when_the_loop_fails(backlog: Project) -> None:
    backlog.agent(
        'if [ "$RALPH_TASK" = A ]; then ralph task split A "First half" "Second half"; '
        "mkdir -p parts; echo bad > parts/A; echo TASK_COMPLETE; else "
        f"{WORK}; fi"
    )
    backlog.commit()
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    tasks = listed(backlog)
    assert [tasks[id]["title"] for id in ("A.1", "A.2")] == ["First half", "Second half"]
    assert all(task["status"] == "complete" for task in tasks.values()), tasks
    assert backlog.git("branch", "--list", "wip/ralph-fail-A-*")


def test_a_split_of_a_task_that_gets_done_is_dropped_and_said(backlog: Project) -> None:
    backlog.agent(f'[ "$RALPH_TASK" = A ] && ralph task split A "First" "Second"; {WORK}')
    backlog.commit()
    done = backlog.ralph("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(listed(backlog)) == {"A", "B"}
    assert "it is not split" in done.stdout


def test_edits_of_the_workspaces_copy_become_a_claim_and_proposals_and_never_land(backlog: Project) -> None:
    edit = (
        'sed -i \'/"id": "A"/s/in_progress/complete/\' tasks.jsonl; '
        'echo \'{"id": "N", "title": "New", "allow": ["**"]}\' >> tasks.jsonl'
    )
    work = 'mkdir -p parts; echo good > "parts/$RALPH_TASK"; echo I wrote the part.'
    backlog.agent(f"{work}; {edit}")
    backlog.commit()
    before = backlog.git("show", "main:tasks.jsonl")
    done = backlog.ralph("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert backlog.git("show", "main:tasks.jsonl") == before
    assert "I wrote the part." in backlog.git("log", "-1", "--format=%B", "main")
    tasks = listed(backlog)
    assert tasks["A"]["status"] == "complete" and tasks["N"]["title"] == "New"
    assert "allow" not in tasks["N"]
    assert len(backlog.facts("iteration.ended")) == 1


def test_killed_after_the_copy_was_read_nothing_is_lost_or_doubled(backlog: Project) -> None:
    backlog.agent(f'echo \'{{"id": "N", "title": "New"}}\' >> tasks.jsonl; {WORK}')
    backlog.commit()
    killed = backlog.ralph("run", "--once", env={"RALPH_FAULT": "kill@backlog.taken#1"})
    assert killed.returncode == -signal.SIGKILL
    assert backlog.ralph("run", "--once").returncode == 0
    assert [task["title"] for task in listed(backlog).values()].count("New") == 1
    assert "New" not in backlog.git("show", "main:tasks.jsonl")


def test_other_edits_of_the_copy_are_undone_and_the_agent_is_told(backlog: Project) -> None:
    backlog.agent(
        '[ "$RALPH_ITERATION" = 1 ] && { sed -i "s/Part B/Mine/" tasks.jsonl; echo ITERATION_DONE; exit; }\n'
        f'cat tasks.jsonl > "$HOME/seen"; {WORK}'
    )
    backlog.commit()
    done = backlog.ralph("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Mine" not in (Path(backlog.env["HOME"]) / "seen").read_text()
    assert "these edits do not count: B: edited" in backlog.prompt(1)
    assert listed(backlog)["B"]["title"] == "Part B"


def test_the_copy_is_the_current_list_with_statuses_and_archive(backlog: Project) -> None:
    """Though nothing of it is committed, nor known to git at all."""
    backlog.git("rm", "-q", "--cached", "tasks.jsonl")
    backlog.git("commit", "-qm", "a list that git does not know")
    backlog.agent(f'cat tasks*.jsonl > "$HOME/seen-$RALPH_TASK"; git status --short > "$HOME/status"; {WORK}')
    backlog.git("commit", "-qam", "agent")
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    home = Path(backlog.env["HOME"])
    first = [json.loads(line) for line in (home / "seen-A").read_text().splitlines()]
    assert [(task["id"], task.get("status")) for task in first] == [("A", "in_progress"), ("B", None)]
    second = {task["id"]: task for task in map(json.loads, (home / "seen-B").read_text().splitlines())}
    assert (second["A"]["status"], second["B"]["status"]) == ("complete", "in_progress")
    assert second["A"]["verified"] is True
    assert (home / "status").read_text() == ""
    assert backlog.git("ls-tree", "-r", "--name-only", "main", "parts").split() == ["parts/A", "parts/B"]


def test_a_task_that_was_never_committed_is_completed_by_its_line(backlog: Project) -> None:
    edit = 'sed -i "/\\"id\\": *\\"$RALPH_TASK\\"/s/in_progress/complete/" tasks.jsonl'
    backlog.agent(f'mkdir -p parts; echo "good $RALPH_TASK" > "parts/$RALPH_TASK"; {edit}; echo Wrote it.')
    backlog.commit()
    with open(backlog.path / "tasks.jsonl", "a") as file:
        file.write('{"id": "C", "title": "Part C"}\n')
    done = backlog.ralph("run", "--task", "C")
    assert done.returncode == 0, done.stdout + done.stderr
    assert listed(backlog)["C"]["status"] == "complete"
    assert len(backlog.facts("iteration.ended")) == 1


def test_a_split_by_edit_takes_effect_at_once(backlog: Project) -> None:
    """As seed 004 has it: the parent becomes a container, its parts are lines of their own."""
    parts = (
        '{"id": "A.1", "title": "First half", "leaf": true}',
        '{"id": "A.2", "title": "Second", "leaf": true}',
    )
    backlog.agent(
        'if [ "$RALPH_TASK" = A ]; then sed -i \'/"id": "A"/s/"leaf": true/"leaf": false/\' tasks.jsonl; '
        f"echo '{parts[0]}' >> tasks.jsonl; echo '{parts[1]}' >> tasks.jsonl; echo ITERATION_DONE; else {WORK}; fi"
    )
    backlog.commit()
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len([x for x in backlog.facts("loop.ended") if x["end"] == "stuck"]) == 1
    assert len(backlog.facts("iteration.ended")) == 4  # A once, and its two parts and B
    tasks = listed(backlog)
    assert [tasks[id]["title"] for id in ("A.1", "A.2")] == ["First half", "Second"]
    assert all(task["status"] == "complete" for task in tasks.values()), tasks
    assert "A: split into A.1, A.2; 2 of 2 done" in done.stdout


def test_a_taken_and_an_orphaned_id_get_another_and_the_agent_is_told(backlog: Project) -> None:
    lines = ('{"id": "B", "title": "Of my own"}', '{"id": "Z.1", "title": "Below nothing"}', "no task")
    edit = "; ".join(f"echo '{line}' >> tasks.jsonl" for line in lines)
    backlog.agent(f'[ "$RALPH_ITERATION" = 1 ] && {{ {edit}; echo ITERATION_DONE; exit; }}\n{WORK}')
    backlog.commit()
    done = backlog.ralph("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    titles = {task["title"]: id for id, task in listed(backlog).items()}
    assert titles.keys() == {"Part A", "Part B", "Of my own", "Below nothing"}
    told = backlog.prompt(1)
    assert f"'Of my own': is added as {titles['Of my own']}, as its id was taken" in told
    assert f"is added as {titles['Below nothing']}, as there is no task Z, its parent" in told
    assert "tasks.jsonl line 5: this is not a JSON object on one line; it was not read" in told
    assert "were undone" not in told


def test_a_list_in_a_place_of_its_own_is_the_users_too(backlog: Project) -> None:
    backlog.git("mv", "tasks.jsonl", "plan.jsonl")
    backlog.config(f"backlog: plan.jsonl\n{CONFIG}")
    backlog.agent(f'echo \'{{"id": "N", "title": "New"}}\' >> plan.jsonl; {WORK}')
    backlog.commit()
    done = backlog.ralph("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "New" not in backlog.git("show", "main:plan.jsonl")
    assert '"N"' in (backlog.path / "plan.jsonl").read_text()
    assert told(backlog, "status")["backlog"]["counts"]["pending"] == 2


def test_behind_a_link_the_list_the_link_and_the_archive_are_the_users(backlog: Project) -> None:
    backlog.git("mv", "tasks.jsonl", "real.jsonl")
    (backlog.path / "tasks.jsonl").symlink_to("real.jsonl")
    backlog.write("tasks-done.jsonl", "")
    backlog.agent(
        'echo \'{"id": "N", "title": "New"}\' >> real.jsonl; echo "{}" >> tasks-done.jsonl; '
        f"rm tasks.jsonl; echo mine > tasks.jsonl; {WORK}"
    )
    backlog.commit()
    done = backlog.ralph("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "New" not in backlog.git("show", "main:real.jsonl")
    assert backlog.git("show", "main:tasks.jsonl") == "real.jsonl"
    assert backlog.git("show", "main:tasks-done.jsonl") == ""
    assert '"N"' in (backlog.path / "real.jsonl").read_text()
    assert (backlog.path / "tasks.jsonl").is_symlink()
    assert [
        json.loads(line)["id"] for line in (backlog.path / "tasks-done.jsonl").read_text().splitlines()
    ] == ["A"]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("plan.jsonl", "plan.jsonl: 1 in_progress, 1 pending"),
        ("../plan.jsonl", "The list of tasks is kept outside of the workspace."),
    ],
)
def test_the_tool_that_lists_tasks_shows_the_list_that_is_worked_on(
    backlog: Project, file: str, said: str
) -> None:
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "list_tasks", "arguments": {}},
    }
    (backlog.path / "tasks.jsonl").rename(backlog.path / file)
    backlog.write("tasks.jsonl", '{"id": "other", "title": "Of another list"}\n')
    backlog.config(f"backlog: {file}\n{CONFIG}")
    backlog.agent(f"echo '{json.dumps(call)}' | ralph mcp > \"$HOME/said\"; {WORK}")
    backlog.commit()
    done = backlog.ralph("run", "--once")
    assert done.returncode == 0, done.stdout + done.stderr
    text = (Path(backlog.env["HOME"]) / "said").read_text()
    assert "Current task: A, iteration 1" in text and said in text
    assert "Of another list" not in text


# -- status, logs, events ---------------------------------------------------------------------------------


def test_status_shows_the_tasks_under_way(backlog: Project) -> None:
    backlog.agent(HELD + WORK)
    backlog.commit()
    home = Path(backlog.env["HOME"])
    with running(backlog, "--parallel", "2"):
        until(lambda: (home / "at-A").exists() and (home / "at-B").exists(), "both agents")
        found = told(backlog, "status")
        assert found["running"] is True and found["backlog"]["state"] == "working"
        assert {x["task"]: (x["iteration"], x["max_iterations"]) for x in found["backlog"]["under_way"]} == {
            "A": (1, 6),
            "B": (1, 6),
        }
        shown = backlog.ralph("status").stdout
        assert "0 done, 0 failed, 0 blocked, 2 left (0 ready)" in shown
        for id in ("A", "B"):
            line = next(line for line in shown.splitlines() if line.endswith(f"Part {id}"))
            assert "1/6" in line and "agent for" in line and "since" in line
        assert "ralph logs --task A" in shown
        assert backlog.ralph("logs", "--task", "B").stdout.splitlines()[0].endswith("B: Part B")


def test_status_afterwards_says_what_failed_and_what_to_do(backlog: Project) -> None:
    backlog.agent(BAD_B)
    backlog.commit()
    assert backlog.ralph("run").returncode == 1
    branch = backlog.git("branch", "--list", "wip/*", "--format=%(refname:short)")
    found = told(backlog, "status")
    assert (found["running"], found["backlog"]["state"], found["backlog"]["code"]) == (False, "ended", 1)
    assert {x["task"]: (x["done"], x["branch"]) for x in found["backlog"]["outcomes"]} == {
        "A": (True, ""),
        "B": (False, branch),
    }
    counts = found["backlog"]["counts"]
    assert (counts["complete"], counts["failed"], counts["pending"]) == (1, 1, 0)
    shown = backlog.ralph("status").stdout
    assert f"kept on {branch}" in shown and "1 done, 1 failed" in shown
    assert "ralph task reopen B" in shown.split("next")[-1]


def test_a_failure_without_a_change_says_that_nothing_is_kept_and_how_to_try_again(backlog: Project) -> None:
    backlog.agent('[ "$RALPH_TASK" = B ] && exit 0; ' + WORK)
    backlog.config(
        backlog.path.joinpath("ralph.yml").read_text().replace("max_iterations: 6", "max_iterations: 2")
    )
    backlog.commit()
    done = backlog.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "no change was made and nothing is kept" in done.stdout
    assert "To try again: `ralph task reopen B` and `ralph run`." in done.stdout


def test_the_message_of_a_failure_branch_counts_as_its_state_file_does(backlog: Project) -> None:
    backlog.agent(BAD_B)
    backlog.commit()
    assert backlog.ralph("run").returncode == 1
    branch = backlog.git("branch", "--list", "wip/*", "--format=%(refname:short)")
    header = dict(
        line.split(": ", 1)
        for line in backlog.git("show", f"{branch}:.ralph_state.md").split("---")[1].splitlines()
        if ": " in line
    )
    message = backlog.git("log", "-1", "--format=%B", branch)
    assert f"Iterations: {header['iteration']}/{header['max_iterations']}\n" in message
    assert f"Attempts: {header['attempts']}/{header['max_attempts']}\n" in message
    (report,) = json.loads(backlog.ralph("report", "--task", "B", "--json").stdout)["loops"]
    assert (str(report["counted"]), str(report["turned_down"])) == (header["iteration"], header["attempts"])


def test_after_kill_nine_status_and_report_tell_of_all_lives_and_of_what_the_file_lacks(
    backlog: Project,
) -> None:
    # The first time the list is written, A is in progress; the second time it is done, and perhaps B as well.
    killed = backlog.ralph("run", env={"RALPH_FAULT": "kill@begin.before#2"})
    assert killed.returncode == -signal.SIGKILL, killed.stdout + killed.stderr
    shown = backlog.ralph("status").stdout
    done = re.search(r"backlog     ([12]) done", shown)
    assert done and f"this run    {done[1]} done, 0 not done" in shown
    assert (backlog.path / "tasks.jsonl").read_text().count("Part A") == 1, "nothing is written by looking"
    assert backlog.ralph("run").returncode == 0
    found = told(backlog, "status")["backlog"]
    assert {x["task"] for x in found["outcomes"] if x["done"]} == {"A", "B"}
    report = backlog.ralph("report").stdout
    assert "Completed: 2/2 tasks" in report and "cut short and continued 1 time" in report
    assert told(backlog, "report")["run"]["id"] == found["run"]


def test_logs_and_events_choose_a_task(backlog: Project) -> None:
    backlog.agent(f'echo "I am at $RALPH_TASK"; {WORK}')
    backlog.commit()
    assert backlog.ralph("run").returncode == 0
    for id in ("A", "B"):
        assert f"I am at {id}" in backlog.ralph("logs", "1", "--task", id).stdout
        ended = backlog.ralph("events", "--task", id, "--kind", "landed", "--json").stdout.splitlines()
        assert len(ended) == 1
    assert backlog.ralph("logs").stdout.splitlines()[0].endswith("B: Part B")
    for command in (("logs",), ("events",), ("report",)):
        wrong = backlog.ralph(*command, "--task", "Z")
        assert wrong.returncode == 2 and "'Z'" in wrong.stderr and "B" in wrong.stderr


# -- the report -------------------------------------------------------------------------------------------


def test_the_report_tells_of_every_task_of_the_run_and_of_all_together(backlog: Project) -> None:
    backlog.agent(BAD_B)
    backlog.commit()
    assert backlog.ralph("run").returncode == 1
    branch = backlog.git("branch", "--list", "wip/*", "--format=%(refname:short)")
    text = backlog.ralph("report").stdout
    assert "## Completed: 1/2 tasks" in text and "### Task A: Part A" in text
    assert f"- Landed: main {backlog.git('rev-parse', 'main')[:12]}" in text
    failed = text.partition("## Failed Tasks (require human attention):")[2]
    hashes = [gate["error_hash"] for gate in backlog.facts("gate.ended") if gate.get("error_hash")]
    for line in (
        "### Task B: Part B",
        "- Attempts: 2/2",
        "- Last gate: tests",
        "- Error: FAILED: a bad part",
        f"- Error hash: {hashes[-1]}",
        f"- Branch: {branch}",
        "- Stuck: ",
        "- Quality warnings: 0",
    ):
        assert line in failed, line
    assert "| **In all** | 1 done, 1 failed | 3 | 2 |" in text
    found = told(backlog, "report")
    assert (found["run"]["done"], found["run"]["failed"], found["run"]["code"]) == (1, 1, 1)
    assert [loop["task"]["id"] for loop in found["loops"]] == ["A", "B"]
    own = backlog.ralph("report", "--task", "B").stdout
    assert "#### Evidence" in own and "Task A" not in own


def test_the_page_has_a_table_and_a_folded_section_for_each_task(backlog: Project) -> None:
    backlog.agent(BAD_B.replace("echo TASK_COMPLETE", "echo '<b>hostile</b>'; echo TASK_COMPLETE"))
    backlog.commit()
    assert backlog.ralph("run").returncode == 1
    page = backlog.ralph("report", "--html", "-o", "-").stdout
    assert page.count('<details class="task"') == 2 and len(re.findall(r"</article>\s*</details>", page)) == 2
    assert 'href="#l2-task"' in page and "In all" in page
    assert "<b>hostile</b>" not in page and "&lt;b&gt;hostile" in page


def test_a_later_loop_in_place_is_what_the_views_show(backlog: Project) -> None:
    assert backlog.ralph("run", "--once").returncode == 0
    backlog.commit()
    assert backlog.ralph("run", "-p", "Another thing").returncode == 0
    assert "backlog" not in told(backlog, "status")
    assert [loop["task"]["title"] for loop in told(backlog, "report")["loops"]] == ["Another thing"]
