"""What an agent can leave that is neither file, folder nor link, or that no one may read: it is a rejected claim that names it.

git waits for ever for a FIFO in place of a file that it reads, and fails where it tracks a file. Neither holds up a run,
ends more than the loop of the agent that did it, nor outlives Ralph.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import pytest
from project import RALPH, Project, until

from ralph.journal.read import history

DONE = "echo 42 > answer; echo done > $RALPH_TASK.txt; echo TASK_COMPLETE"
SOCKET = "python3 -c \"import socket; socket.socket(socket.AF_UNIX).bind('{}')\""
# Root may read everything, unless it gives that up.
AS_A_USER = "setpriv --bounding-set=-dac_override,-dac_read_search " if os.geteuid() == 0 else ""
LEFT = {
    "a FIFO at .gitignore": "rm -f .gitignore; mkfifo .gitignore",
    "a FIFO at .gitattributes": "mkfifo .gitattributes",
    "a FIFO at sub/.gitignore": "mkdir sub; echo x > sub/x; mkfifo sub/.gitignore",
    "a FIFO at sub/.gitattributes": "mkdir sub; echo x > sub/x; mkfifo sub/.gitattributes",
    "a FIFO at .gitmodules": "mkfifo .gitmodules",
    "a FIFO at PROMPT.md": "rm PROMPT.md; mkfifo PROMPT.md",
    "a socket at PROMPT.md": f"rm PROMPT.md; {SOCKET.format('PROMPT.md')}",
}
IN_GIT = ("info/exclude", "info/attributes", "index", "HEAD", "config", "packed-refs", "refs/heads/main")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", tmp_path / "home")


def once(what: str) -> str:
    """An agent that leaves this in its first iteration, and claims in every one."""
    return f'if test "$RALPH_ITERATION" = 1; then {what}; else git checkout -q . ; fi\n{DONE}'


def with_backlog(project: Project, *titles: str) -> None:
    (project.path / "PROMPT.md").unlink()
    tasks = [{"id": title, "title": title} for title in titles]
    project.write("tasks.jsonl", "".join(json.dumps(task) + "\n" for task in tasks))


@pytest.mark.parametrize(("named", "left"), LEFT.items(), ids=LEFT)
def test_it_is_named_in_a_rejected_claim_and_the_loop_goes_on(
    project: Project, named: str, left: str
) -> None:
    project.agent(once(left))
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"claim refused: the tree held what git cannot record, which is taken away: {named}" in done.stdout
    first, *_, last = project.facts("iteration.ended")
    assert first["special"] == [named] and not last.get("special")
    assert named in project.prompt(1)


@pytest.mark.parametrize("where", IN_GIT)
def test_a_fifo_inside_the_clone_s_git_folder_holds_nothing_up(project: Project, where: str) -> None:
    project.agent(f'if test "$RALPH_ITERATION" = 1; then rm -f .git/{where}; mkfifo .git/{where}; fi\n{DONE}')
    with_backlog(project, "a", "b")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert ends(project) == {"a": "completed-verified", "b": "completed-verified"}


def test_what_git_passes_over_is_no_trouble(project: Project) -> None:
    project.agent(f"mkfifo pipe; {DONE}")
    project.commit()
    assert project.ralph("run").returncode == 0
    assert (project.path / "pipe").is_fifo()


def test_a_fifo_as_scratchpad_holds_nothing_up(project: Project) -> None:
    project.agent(f'rm -f "$RALPH_SCRATCHPAD"; mkfifo "$RALPH_SCRATCHPAD"; {DONE}')
    project.commit()
    assert project.ralph("run").returncode == 0
    again = project.ralph("run", "-p", "Another task", "--max-iterations", "1", "--in-place")
    assert again.returncode in (0, 8), again.stdout + again.stderr


@pytest.mark.parametrize("name", ["ralph.yml", "PROMPT.md"])
def test_a_fifo_as_what_describes_the_run_is_refused(project: Project, name: str) -> None:
    (project.path / name).unlink()
    os.mkfifo(project.path / name)
    done = project.ralph("run")
    assert done.returncode == 2 and "is not a file" in done.stderr + done.stdout


@pytest.mark.parametrize(("path", "what"), [("sub", "folder"), ("sub/x", "file")])
def test_what_no_one_may_read_is_named_and_can_be_read_again(project: Project, path: str, what: str) -> None:
    project.write("sub/x", "x\n")
    project.agent(f'if test "$RALPH_ITERATION" = 1; then chmod 000 {path}; fi\n{DONE}')
    project.commit()
    done = project.shell(f"{AS_A_USER}{RALPH} run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.facts("iteration.ended")[0]["special"] == [f"a {what} that cannot be read at {path}"]
    assert project.end()["end"] == "completed-verified"


def ends(project: Project) -> dict[str, str]:
    """Task -> how its last loop ended."""
    tasks, found = {}, {}
    for record in history(project.path / ".git/ralph"):
        fact = json.loads(bytes(record.data))
        if record.kind == "loop.started":
            tasks[record.loop] = fact["task"]["id"]
        elif record.kind == "loop.ended":
            found[tasks[record.loop]] = fact["end"]
    return found


@pytest.mark.parametrize("lost", [".git", ".git/objects", ".git/objects/info/alternates"])
def test_trouble_in_one_workspace_ends_that_loop_and_not_the_run(project: Project, lost: str) -> None:
    project.agent(f'case "$RALPH_TASK" in bad) rm -rf {lost}; mkfifo {lost};; esac\n{DONE}')
    with_backlog(project, "bad", "good")
    project.commit()
    done = project.ralph("run")
    assert ends(project) == {"bad": "blocked-on-person", "good": "completed-verified"}, (
        done.stdout + done.stderr
    )
    assert done.returncode not in (0, 70)
    assert "its workspace cannot be used" in done.stdout
    assert project.ralph("run").returncode != 70, "nor does it end the next one"
    project.agent(DONE)
    project.commit()
    assert project.ralph("task", "reopen", "bad").returncode == 0
    again = project.ralph("run")
    assert again.returncode == 0 and ends(project)["bad"] == "completed-verified", again.stdout + again.stderr
    assert "the folder is kept" in again.stdout


@pytest.mark.parametrize("tier", ["cgroup", "reaper", "group"])
def test_no_git_of_ralph_outlives_it(project: Project, tier: str) -> None:
    pid, real = project.path.parent / "git.pid", shutil.which("git")
    hangs = f'case "$*" in *"add -A"*) echo $$ > {pid}; exec sleep 1000;; esac'
    git = project.write("bin/git", f'#!/bin/sh\n{hangs}\nexec {real} "$@"\n', executable=True)
    project.write(".git/info/exclude", "bin/\n")
    run = project.start("run", env={"PATH": f"{git.parent}:{project.env['PATH']}", "RALPH_TIER": tier})
    until(lambda: pid.exists() and pid.read_text().strip(), "git is at work")
    run.send_signal(signal.SIGKILL)
    run.wait()
    until(lambda: not Path(f"/proc/{pid.read_text().strip()}").exists(), "git is gone")
    git.unlink()
    assert project.ralph("resume").returncode == 0, "no lock is left"
