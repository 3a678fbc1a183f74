"""Promise: while a run is under way it owns what is its own, and notices what others do to it: commands for people, refs,
the journal, the repository, processes, folders that are shared with workspaces.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from project import RALPH, Project, processes_with, until

from ralph.processes.ownership import available_tiers

BROKEN = 70


def with_backlog(project: Project, kind: str = "clone") -> None:
    (project.path / "PROMPT.md").unlink()
    project.write("tasks.jsonl", json.dumps({"id": "A", "title": "Part A", "leaf": True}) + "\n")
    project.config((project.path / "ralph.yml").read_text() + f"workspace: {kind}\n")


def home(project: Project, name: str) -> str:
    return (Path(project.env["HOME"]) / name).read_text()


# -- commands for people -----------------------------------------------------------------------------------

FOR_PEOPLE = (
    "run",
    "resume",
    "stop",
    "stop --now",
    "cancel",
    "init --yes",
    "init --skill",
    "say x",
    "answer x",
    "pause",
    "continue",
    "recover 1",
    "recover 1 --drop",
)
TASK_WRITES = (
    "task edit A --title x",
    "task block A why",
    "task reopen A",
    "task accept A",
    "task import x.json",
)
READS = ("status", "logs", "events", "recover", "task list", "task show A", "validate", "stop --help")


def tries(commands: tuple[str, ...], place: str) -> str:
    log = '"$HOME/said"'
    lines = [
        f'(cd {place} && ralph {one} < /dev/null) > "$HOME/one" 2>&1; echo "$? {one}" >> {log}'
        for one in commands
    ]
    return "\n".join(lines)


@pytest.mark.parametrize("kind", ["in-place", "clone"])
def test_commands_for_people_are_refused_inside_an_iteration_and_reading_is_not(
    project: Project, kind: str
) -> None:
    if kind == "clone":
        with_backlog(project)
    else:
        project.write("tasks.jsonl", json.dumps({"id": "A", "title": "Part A", "leaf": True}) + "\n")
    work = "\n".join(tries(each, f"'{project.path}'") for each in (FOR_PEOPLE, TASK_WRITES, READS))
    project.agent(f"{work}\necho 42 > answer; echo TASK_COMPLETE")
    project.commit()
    before = (project.path / "ralph.yml").read_text()
    done = project.ralph("run", timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr + home(project, "said")
    codes = dict(reversed(line.split(" ", 1)) for line in home(project, "said").splitlines())
    assert [one for one in (*FOR_PEOPLE, *TASK_WRITES) if codes[one] != "2"] == []
    assert [one for one in READS if codes[one] != "0"] == []
    assert (project.path / "ralph.yml").read_text() == before
    assert project.facts("stop.requested") == []
    assert len(project.facts("run.started")) == 1


def test_the_refusal_says_what_to_do_instead(project: Project) -> None:
    project.agent('ralph stop > "$HOME/why" 2>&1; echo 42 > answer; echo TASK_COMPLETE')
    project.commit()
    assert project.ralph("run").returncode == 0
    why = home(project, "why")
    assert "an iteration of a run works here" in why and "this is for people" in why
    assert "`ralph emit` or in the scratchpad" in why


def test_in_a_repository_of_their_own_tests_may_do_all_of_it(project: Project) -> None:
    project.write(
        "other.sh",
        'set -e; other=$(mktemp -d); cd "$other"; git init -q .; git config user.name U\n'
        "git config user.email u@localhost; git commit -q --allow-empty -m begin\n"
        "ralph init --yes --agent true --no-gates --no-trial\n"
        "if ralph stop 2> why; then exit 1; fi; grep -q 'nothing runs here' why\n",
    )
    project.agent('sh ./other.sh > "$HOME/out" 2>&1 || exit 1; echo 42 > answer; echo TASK_COMPLETE')
    project.commit()
    done = project.ralph("run", "--max-iterations", "1")
    assert done.returncode == 0, done.stdout + home(project, "out")


# -- refs --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("does", "named"),
    [
        ("branch planted", "refs/heads/planted"),
        ("update-ref refs/heads/mine HEAD~1", "refs/heads/mine"),
        ("branch -D mine", "refs/heads/mine"),
        ("tag v9", "refs/tags/v9"),
    ],
)
def test_an_agent_that_moves_the_users_refs_from_a_clone_is_reported(
    project: Project, does: str, named: str
) -> None:
    with_backlog(project)
    project.agent(f"git -C '{project.path}' {does} >&2; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    project.git("branch", "mine")
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    (moved,) = project.facts("iteration.ended")[0]["refs_moved"]
    assert moved.startswith(f"in your repository: {named}: ")
    assert f"refs moved while it ran: in your repository: {named}" in done.stdout


def test_landings_of_other_loops_are_not_laid_to_an_agent(project: Project) -> None:
    with_backlog(project)
    lines = [json.dumps({"id": id, "title": f"Part {id}", "leaf": True}) + "\n" for id in "ABC"]
    project.write("tasks.jsonl", "".join(lines))
    project.agent("echo 42 > answer; echo $RALPH_TASK > $RALPH_TASK; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run", "--parallel", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert [one for one in project.facts("iteration.ended") if one.get("refs_moved")] == []


# -- the journal -------------------------------------------------------------------------------------------

JOURNAL = ".git/ralph/journal.jsonl"


@pytest.mark.parametrize(
    ("does", "what"),
    [
        (f"rm {JOURNAL}", "deleted"),
        (f"cp {JOURNAL} other; mv other {JOURNAL}", "replaced"),
        (f"truncate -s 10 {JOURNAL}", "cut short"),
        (f"echo junk >> {JOURNAL}", "written to by someone else"),
    ],
)
def test_a_journal_that_is_taken_away_ends_the_run_before_the_next_record(
    project: Project, does: str, what: str
) -> None:
    project.agent(f"{does}; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == BROKEN, done.stdout + done.stderr
    assert f"the journal was {what} while this run was writing it" in done.stderr
    assert "completed-verified" not in done.stdout, "nothing is said that nobody could look up"
    assert (project.path / "answer").read_text() == "42\n"
    assert not (project.path / ".ralph.lock").exists()


def test_what_a_deleted_journal_held_can_be_put_back_and_the_loop_resumed(project: Project) -> None:
    project.agent(f"test -e answer || rm {JOURNAL}; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == BROKEN and "move it back, and `ralph resume` continues" in done.stderr
    (saved,) = (project.path / ".git/ralph").glob("journal.jsonl.lost-*")
    saved.rename(project.path / JOURNAL)
    again = project.ralph("resume")
    assert again.returncode == 0, again.stdout + again.stderr
    assert project.end()["end"] == "completed-verified"


def test_work_in_a_clone_is_in_a_recovery_ref_after_its_journal_was_deleted(project: Project) -> None:
    with_backlog(project)
    project.agent(f"rm -f '{project.path}/{JOURNAL}'; echo 41 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == BROKEN
    project.agent("echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    (ref,) = project.git("for-each-ref", "--format=%(refname)", "refs/ralph/recovery").splitlines()
    assert project.git("show", f"{ref}:answer") == "41"


# -- the repository ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "command", ["run", "run --workspace clone", "status", "init --yes --force", "doctor", "task list"]
)
def test_a_path_that_is_not_utf8_works_or_is_refused_in_one_sentence(tmp_path: Path, command: str) -> None:
    plain = Project(tmp_path / "plain", tmp_path / "home")
    plain.config("cli: {command: sh -c true}\ngates: [{name: tests, run: sh test.sh}]\n")
    plain.commit()
    odd = os.fsencode(tmp_path) + b"/caf\xe9"
    plain.path.rename(os.fsdecode(odd))
    done = subprocess.run(
        [RALPH, *command.split()],
        cwd=odd,
        env=plain.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    assert b"Traceback" not in done.stderr and "internal error" not in said, said
    if done.returncode:
        assert done.returncode == 2, said
        assert "the path of this folder is not valid UTF-8" in said and "nothing was changed" in said
        assert not (Path(os.fsdecode(odd)) / ".git/ralph/journal.jsonl").exists()


@pytest.mark.parametrize("place", ["in-place", "clone", "worktree"])
def test_after_the_git_folder_was_removed_the_words_are_true(project: Project, place: str) -> None:
    if place != "in-place":
        with_backlog(project, place)
    project.agent(
        'test -e "$HOME/once" || rm -rf .git; touch "$HOME/once"; echo 42 > answer; echo TASK_COMPLETE'
    )
    project.commit()
    done = project.ralph("run")
    said = done.stdout + done.stderr
    assert "Traceback" not in said and "internal error" not in said
    if place == "in-place":
        assert done.returncode == BROKEN
        assert "the folder .git is gone" in done.stderr
        assert "`ralph resume` continues" not in done.stderr, "there is nothing left to resume"
        assert (project.path / "answer").read_text() == "42\n"
        return
    assert done.returncode != 0 and ".git" in said, "it names what is missing"
    assert project.git("fsck", "--no-dangling", "--no-progress") == ""
    project.ralph("task", "reopen", "A")
    again = project.ralph("run")
    assert again.returncode == 0, again.stdout + again.stderr
    assert project.git("show", "main:answer") == "42"


# -- shared folders ----------------------------------------------------------------------------------------


def test_a_link_inside_a_shared_folder_that_leads_outside_is_named(project: Project) -> None:
    outside = Path(project.env["HOME"]) / "outside"
    outside.mkdir()
    (outside / "lib.txt").write_text("the user's\n")
    with_backlog(project)
    project.write(".gitignore", (project.path / ".gitignore").read_text() + "deps/\n")
    project.config((project.path / "ralph.yml").read_text() + "share: [deps]\n")
    project.write("deps/inside", "x\n")
    (project.path / "deps/out").symlink_to(outside)
    project.agent("echo agent > deps/out/lib.txt; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "share: deps/out leads outside of the project" in done.stderr


def test_a_link_to_a_program_or_to_the_project_itself_is_not(project: Project) -> None:
    with_backlog(project)
    project.write(".gitignore", (project.path / ".gitignore").read_text() + "deps/\n")
    project.config((project.path / "ralph.yml").read_text() + "share: [deps]\n")
    project.write("deps/bin/x", "")
    (project.path / "deps/bin/python").symlink_to(sys.executable)
    (project.path / "deps/top").symlink_to("../test.sh")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0 and "leads outside" not in done.stderr, done.stderr


# -- processes ---------------------------------------------------------------------------------------------


def test_a_process_that_left_its_cgroup_is_recorded_and_ended(project: Project) -> None:
    if reason := available_tiers()["cgroup"]:
        pytest.skip(reason)
    token = project.env["CRASH_TOKEN"] = f"left-{os.urandom(8).hex()}"
    place = "$(sed -n 's/^0:://p' /proc/self/cgroup | sed 's,/[^/]*$,,')"
    mount = "$(sed -n 's/.* \\([^ ]*\\) [^ ]* - cgroup2 .*/\\1/p' /proc/self/mountinfo | head -n 1)"
    project.config((project.path / "ralph.yml").read_text() + "env_allow: [CRASH_TOKEN]\n")
    project.write(
        "leave.sh",
        f'echo $$ > "{mount}{place}/cgroup.procs" && touch "$HOME/left"; exec sleep 1000 > /dev/null 2>&1\n',
    )
    wait = 'while ! test -e "$HOME/left" && test $n -lt 100; do n=$((n+1)); sleep 0.05; done'
    project.agent(f"(setsid sh leave.sh &) ; n=0; {wait}; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    project.env["RALPH_TIER"] = "cgroup"
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    if not project.mark("left"):
        pytest.skip("no process may leave its cgroup here")
    until(lambda: processes_with(token) == [], "it was ended")
    assert any("sleep" in one for one in project.facts("iteration.ended")[0]["stragglers"])


# -- configuration -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["run", "validate", "status", "init --yes", "task list", "doctor"])
def test_a_fifo_as_configuration_is_refused_and_nothing_waits_for_it(project: Project, command: str) -> None:
    (project.path / "ralph.yml").unlink()
    os.mkfifo(project.path / "ralph.yml")
    done = project.ralph(*command.split(), timeout=60)
    if command in ("run", "validate", "doctor"):
        assert done.returncode != 0, done.stdout
        assert "ralph.yml" in done.stdout + done.stderr
        assert "is not a file" in done.stdout + done.stderr


def test_after_an_agent_removed_its_workspace_the_words_are_true_and_the_others_go_on(
    project: Project,
) -> None:
    with_backlog(project)
    tasks = "".join(json.dumps({"id": one, "title": f"Part {one}"}) + "\n" for one in "AB")
    project.write("tasks.jsonl", tasks)
    project.agent('test "$RALPH_TASK" = B || rm -rf "$PWD"; echo 42 > answer; echo TASK_COMPLETE')
    project.commit()
    done = project.ralph("run")
    ends = {fact["end"]: fact["reason"] for fact in project.facts("loop.ended")}
    assert set(ends) == {"blocked-on-person", "completed-verified"}, done.stdout
    assert ends["blocked-on-person"] == "its workspace is gone: someone removed it"
    assert "Its work is in" not in done.stdout
    assert "`ralph task reopen A`, then `ralph run`" in done.stdout
    project.agent("echo 42 > answer; echo A > a; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("task", "reopen", "A").returncode == 0
    again = project.ralph("run")
    assert again.returncode == 0, again.stdout + again.stderr
