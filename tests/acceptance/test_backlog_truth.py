"""A run over a backlog says what is so: where work is, what waits for it, who changed a task, why nothing was begun."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from project import Project, until
from test_land_and_push import WithRemote

from ralph.core.tasks.task import NOT_ACCEPTED

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 6, crash_wait: 0, max_attempts: 1}
"""
GATE = 'if grep -rqs bad parts; then echo "FAILED: a bad part"; exit 1; fi\n'
WORK = 'mkdir -p parts; echo good > "parts/$RALPH_TASK"; echo TASK_COMPLETE'
BAD = 'mkdir -p parts; echo bad > "parts/$RALPH_TASK"; echo TASK_COMPLETE'
# Lets the test act while the task is worked on.
HELD = 'touch "$HOME/began-$RALPH_TASK"; until [ -f "$HOME/go" ]; do sleep 0.05; done; ' + WORK
MERGE = "git merge task/A-part-a"


@pytest.fixture
def backlog(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("test.sh", GATE)
    project.agent(WORK)
    project.write("parts/A", "begin\n")
    return project


def tasks(project: Project, *lines: dict[str, object], commit: bool = True) -> None:
    full = ({"title": f"Part {line['id']}", "leaf": True, **line} for line in lines)
    project.write("tasks.jsonl", "".join(json.dumps(line) + "\n" for line in full))
    if commit:
        project.commit()


def archived(project: Project, id: str) -> dict[str, Any]:
    lines = (project.path / "tasks-done.jsonl").read_text().splitlines()
    return [task for task in map(json.loads, lines) if task["id"] == id][-1]  # type: ignore[no-any-return]


def shown(project: Project, id: str) -> dict[str, Any]:
    return json.loads(project.ralph("task", "show", id, "--json").stdout)  # type: ignore[no-any-return]


def statuses(project: Project) -> dict[str, str]:
    listed = json.loads(project.ralph("task", "list", "--all", "--json").stdout)["tasks"]
    return {task["id"]: task["status"] for task in listed}


# -- work that could not land ---------------------------------------------------------------------------


@pytest.fixture
def diverted(backlog: Project) -> Project:
    """A goes to its branch: the user edits the file that it lands. B needs A, C does not."""
    tasks(backlog, {"id": "A"}, {"id": "B", "depends_on": ["A"]}, {"id": "C"})
    backlog.write("parts/A", "my own edit\n")
    return backlog


def test_what_rests_on_work_that_could_not_land_waits_until_the_user_has_merged_it(diverted: Project) -> None:
    project = diverted
    done = project.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert statuses(project) == {"A": "complete", "B": "pending", "C": "complete"}
    assert [s for s in project.git("log", "--format=%s", "main").splitlines() if "[" in s] == ["[C] Part C"]
    line = archived(project, "A")
    assert (line["branch"], line["target"]) == ("task/A-part-a", "main")
    assert line["commit"] == project.git("rev-parse", "task/A-part-a") and "branch" not in archived(
        project, "C"
    )
    for said in (done.stdout, project.ralph("status").stdout):
        assert "A: on branch task/A-part-a, not on main (" in said and MERGE in said
        assert "B waits for A (on branch task/A-part-a, not on main)" in said
    detail = project.ralph("task", "show", "A").stdout
    assert (
        "on branch task/A-part-a, not on main: look at it, then `git merge task/A-part-a` on main" in detail
    )
    assert "A (on branch task/A-part-a, not on main)" in project.ralph("task", "show", "B").stdout
    assert shown(project, "B")["waits_for"] == ["A"] and shown(project, "A")["on_target"] is False
    assert project.ralph("task", "next").stdout.startswith("Nothing is ready. 3 tasks: 2 complete, 0 ready")

    again = project.ralph("run")  # a person has still to act
    assert again.returncode == 0 and "B waits for A (on branch" in again.stdout
    assert statuses(project)["B"] == "pending" and project.journaled("loop.started") == 2

    project.git("checkout", "-q", "--", "parts/A")
    project.git("merge", "-q", "--no-edit", "task/A-part-a")
    assert shown(project, "B")["waits_for"] == [] and shown(project, "A")["on_target"] is True
    assert "not on main" not in project.ralph("status").stdout
    last = project.ralph("run")
    assert last.returncode == 0, last.stdout + last.stderr
    assert statuses(project)["B"] == "complete" and "not on main" not in last.stdout


def test_taken_over_by_another_commit_with_the_same_change_counts_too(diverted: Project) -> None:
    assert diverted.ralph("run").returncode == 1
    diverted.git("checkout", "-q", "--", "parts/A")
    diverted.git("cherry-pick", "task/A-part-a")
    assert diverted.git("rev-parse", "main") != diverted.git("rev-parse", "task/A-part-a")
    assert diverted.ralph("run").returncode == 0
    assert statuses(diverted)["B"] == "complete"


def test_a_run_under_way_sees_the_merge(diverted: Project) -> None:
    diverted.config(CONFIG + "poll_interval_seconds: 0.2\n")
    run = diverted.start("run", "--watch")
    until(lambda: diverted.journaled("loop.ended") == 2, "A and C are over")
    diverted.git("checkout", "-q", "--", "parts/A")
    diverted.git("merge", "-q", "--no-edit", "task/A-part-a")
    until(lambda: diverted.journaled("loop.ended") == 3, "B goes on")
    diverted.ralph("stop")
    assert run.wait(60) == 12
    assert statuses(diverted)["B"] == "complete"


def test_with_the_branch_gone_the_way_out_is_to_have_it_made_again(diverted: Project) -> None:
    assert diverted.ralph("run").returncode == 1
    diverted.git("branch", "-q", "-D", "task/A-part-a")
    assert "that branch is gone: `ralph task reopen A`" in diverted.ralph("task", "show", "A").stdout
    diverted.git("checkout", "-q", "--", "parts/A")
    diverted.ralph("task", "reopen", "A")
    done = diverted.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert statuses(diverted) == dict.fromkeys("ABC", "complete") and "branch" not in archived(diverted, "A")


def test_landing_on_branches_by_choice_holds_nobody(backlog: Project) -> None:
    tasks(backlog, {"id": "A"}, {"id": "B", "depends_on": ["A"]})
    backlog.config(CONFIG + "land: branch\n")
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert archived(backlog, "A")["branch"] == "task/A-part-a" and "target" not in archived(backlog, "A")
    assert "not on main" not in done.stdout + backlog.ralph("status").stdout


def test_work_that_no_gate_proved_is_named_with_its_branch_and_what_to_do(backlog: Project) -> None:
    backlog.config("cli: {command: ./agent.sh}\ngates: []\n")
    tasks(backlog, {"id": "A"}, {"id": "B"})
    done = backlog.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    for said in (done.stdout.split("2 done, 0 not done")[1], backlog.ralph("status").stdout):
        for id in "AB":
            branch = f"task/{id}-part-{id.lower()}"
            assert f"{id}: on branch {branch}, not on main (no hard gate proves it): look at it, then" in said
            assert f"`git merge {branch}` on main" in said


def test_without_gh_every_branch_and_what_to_do_is_named_at_the_end(tmp_path: Path) -> None:
    user = WithRemote(tmp_path, "pr", "A", "B")
    (user.hub / "fails").touch()
    done = user.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    for said in (done.stdout.split("2 done, 0 not done")[1], user.ralph("status").stdout):
        for id in "AB":
            branch = f"task/{id}-part-{id.lower()}"
            assert f"{id}: on branch {branch}, no pull request: " in said
            assert f"gh pr create --head {branch} --base main" in said


def test_pull_requests_are_shown_with_their_addresses(tmp_path: Path) -> None:
    user = WithRemote(tmp_path, "pr", "A")
    done = user.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    (request,) = user.requests()
    before, _, after = done.stdout.partition("1 done, 0 not done")
    assert f"pull request {request['url']}" in before and f"A: pull request {request['url']}" in after
    assert f"A: {request['url']}" in user.ralph("status").stdout


# -- a person's word on a task under way ----------------------------------------------------------------


def test_a_task_that_a_person_blocks_while_it_is_worked_on_stays_blocked(backlog: Project) -> None:
    tasks(backlog, {"id": "A"}, {"id": "B", "depends_on": ["A"]})
    backlog.agent(HELD)
    backlog.commit()
    run = backlog.start("run")
    until(lambda: backlog.journaled("backlog.written"), "the list says that A is begun")
    until(lambda: backlog.mark("began-A"), "the agent of A")
    assert backlog.ralph("task", "block", "A", "not like this").returncode == 0
    Path(backlog.env["HOME"], "go").touch()
    run.wait(60)
    assert statuses(backlog) == {"A": "blocked", "B": "pending"}
    assert shown(backlog, "A")["reason"] == "not like this"
    landed = backlog.git("rev-parse", "main")[:12]
    assert (
        "not written: A: A was set to blocked by hand and stays so; what its loop came to: completed-verified: "
        in (backlog.shown())
    )
    assert f"main {landed}" in backlog.shown()


def test_a_task_that_a_person_completes_while_it_is_worked_on_gets_its_proof(backlog: Project) -> None:
    tasks(backlog, {"id": "A"})
    backlog.agent(HELD)
    backlog.commit()
    run = backlog.start("run")
    until(lambda: backlog.journaled("backlog.written"), "the list says that A is begun")
    until(lambda: backlog.mark("began-A"), "the agent of A")
    assert backlog.ralph("task", "complete", "A").returncode == 0
    assert archived(backlog, "A")["verified"] is False
    Path(backlog.env["HOME"], "go").touch()
    assert run.wait(60) == 0, backlog.shown()
    line = archived(backlog, "A")
    assert (line["commit"], line["verified"]) == (backlog.git("rev-parse", "main"), True)
    assert shown(backlog, "A")["verified"] is True
    assert "warning" not in backlog.shown()


# -- ends -----------------------------------------------------------------------------------------------


def test_a_cancelled_run_ends_with_the_code_of_cancelling_and_says_how_to_begin_anew(
    backlog: Project,
) -> None:
    tasks(backlog, {"id": "A"}, {"id": "B"})
    backlog.agent("echo changed > parts/A; " + HELD)
    backlog.commit()
    run = backlog.start("run")
    until(lambda: backlog.mark("began-A"), "the agent of A")
    backlog.ralph("cancel")
    assert run.wait(60) == 13, backlog.shown()
    status = backlog.ralph("status").stdout
    assert "cancelled, exit code 13" in status
    for said in (status, backlog.shown()):
        assert "`ralph task reopen A`, then `ralph run`" in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            {"status": "failed", "reason": "no luck"},
            "A is failed (no luck). To start it over: `ralph task reopen A`",
        ),
        (
            {"status": "blocked", "reason": "later"},
            "A is blocked (later). To start it over: `ralph task reopen A`",
        ),
        ({"status": "cancelled"}, "A is cancelled. To start it over: `ralph task reopen A`"),
        ({"depends_on": ["B"]}, "A waits for B: `ralph task show A`"),
    ],
    ids=["failed", "blocked", "cancelled", "waiting"],
)
def test_a_task_that_is_asked_for_and_cannot_be_begun_is_an_error_that_says_why(
    backlog: Project, line: dict[str, object], said: str
) -> None:
    tasks(backlog, {"id": "A", **line}, {"id": "B"})
    done = backlog.ralph("run", "--task", "A")
    assert done.returncode == 2, done.stdout + done.stderr
    assert said in done.stdout
    assert backlog.journaled("loop.started") == 0


def test_a_complete_task_that_is_asked_for_is_named_as_such(backlog: Project) -> None:
    tasks(backlog, {"id": "A"})
    assert backlog.ralph("run", "--task", "A").returncode == 0
    done = backlog.ralph("run", "--task", "A")
    assert done.returncode == 2, done.stdout + done.stderr
    assert "A is complete already. To have it made again: `ralph task reopen A`" in done.stdout


def test_a_run_with_nothing_to_begin_says_what_is_left_and_why(backlog: Project) -> None:
    tasks(
        backlog,
        {"id": "A", "status": "failed", "reason": "no luck"},
        {"id": "B", "depends_on": ["A"]},
        {"id": "C", "status": "blocked", "reason": "later"},
    )
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    line = "Not ready: failed: A (no luck); blocked: C (later); B waits for A. `ralph task reopen A` puts one back."
    assert line in done.stdout


def test_a_run_with_only_a_proposal_left_says_how_to_accept_it(backlog: Project) -> None:
    tasks(backlog, {"id": "P", "status": "blocked", "proposed_by": "A", "reason": NOT_ACCEPTED})
    done = backlog.ralph("run")
    line = f"Not ready: blocked: P ({NOT_ACCEPTED}). `ralph task accept P` lets it begin."
    assert line in done.stdout


@pytest.mark.parametrize("leaf", [True, None], ids=["leaf", "not told"])
def test_a_task_that_was_split_and_whose_parts_are_done_is_done(backlog: Project, leaf: bool | None) -> None:
    """Also one whose line, written by hand, does not say that it is a leaf."""
    tasks(backlog, {"id": "S", "leaf": leaf})
    backlog.agent(
        'if [ "$RALPH_TASK" = S ]; then ralph task split S "Part one" "Part two"; echo "TASK_STUCK too big"\n'
        f"else {WORK}; fi"
    )
    backlog.commit()
    done = backlog.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert set(statuses(backlog).values()) == {"complete"}
    last = done.stdout.split("2 done, 0 not done, 1 split")[1]
    assert "S: split into S.1, S.2; 2 of 2 done" in last
    status = backlog.ralph("status").stdout
    for said in (last, status):
        assert "stuck" not in said and "reopen" not in said
    assert "S: split into S.1, S.2; 2 of 2 done" in status


def test_a_split_task_whose_part_fails_is_not_done(backlog: Project) -> None:
    tasks(backlog, {"id": "S"})
    backlog.agent(
        'case "$RALPH_TASK" in\nS) ralph task split S "Part one" "Part two"; echo "TASK_STUCK too big" ;;\n'
        f"S.1) {WORK} ;;\n*) {BAD} ;; esac"
    )
    backlog.commit()
    done = backlog.ralph("run")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 done, 1 not done, 1 split" in done.stdout and "`ralph task reopen S.2`" in done.stdout
    assert "reopen S`" not in done.stdout
