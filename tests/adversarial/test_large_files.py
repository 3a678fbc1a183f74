"""Promise: a file of any size holds nothing up. git would read and store all of it: for a sparse file of 100 GB, one command of
an agent, that is hours in which no one is heard. Such a file is not recorded; a claim with a new one is refused and names it.
A stop is heard within seconds even while git is at work.
"""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path

import pytest
from project import Project, until

DONE = "echo 42 > answer; echo TASK_COMPLETE"
HUGE = "truncate -s 100G huge.img"


def test_a_new_one_is_named_in_a_refused_claim_and_the_loop_goes_on(project: Project) -> None:
    project.agent(f'if test "$RALPH_ITERATION" = 1; then {HUGE}; else rm -f huge.img; fi; {DONE}')
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "claim refused: the tree holds files that are too large to record: huge.img" in done.stdout
    assert "huge.img" in project.prompt(1) and ".gitignore" in project.prompt(1)
    assert project.facts("iteration.ended")[0]["too_large"] == ["huge.img"]


def test_among_many_files_it_is_found_too(project: Project) -> None:
    many = "mkdir m; (cd m; seq 1 3100 | xargs touch)"
    project.agent(f'if test "$RALPH_ITERATION" = 1; then {many}; {HUGE}; else rm -rf huge.img; fi; {DONE}')
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.facts("iteration.ended")[0]["too_large"] == ["huge.img"]


def test_one_that_is_ignored_is_no_trouble(project: Project) -> None:
    project.agent(f"{HUGE}; echo '*.img' >> .gitignore; {DONE}")
    project.commit()
    assert project.ralph("run").returncode == 0
    assert "too_large" not in project.facts("iteration.ended")[-1]


def test_one_in_place_of_a_tracked_file_is_named(project: Project) -> None:
    project.agent(
        'if test "$RALPH_ITERATION" = 1; then truncate -s 100G PROMPT.md; else git checkout PROMPT.md; fi; '
        + DONE
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert project.facts("iteration.ended")[0]["too_large"] == ["PROMPT.md"]


def test_the_users_own_stays_where_it_is_and_refuses_no_claim(project: Project) -> None:
    project.shell(HUGE)
    project.agent(DONE)
    project.git("commit", "-qam", "agent", "--allow-empty")
    done = project.ralph("run", "--in-place")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning: git cannot record what is in huge.img" in done.stdout
    assert (project.path / "huge.img").stat().st_size == 100 << 30


def test_it_holds_up_only_its_own_loop(project: Project) -> None:
    project.agent(f'case "$RALPH_TASK" in bad) {HUGE};; esac\n{DONE}')
    (project.path / "PROMPT.md").unlink()
    project.write("tasks.jsonl", "".join(json.dumps({"id": i, "title": i}) + "\n" for i in ("bad", "good")))
    project.commit()
    done = project.ralph("run", "--parallel", "2", "--max-iterations", "2")
    assert "good  completed-verified" in done.stdout, done.stdout + done.stderr
    assert "bad: limit" in done.stdout


def test_before_a_run_begins_ctrl_c_ends_git_too(project: Project) -> None:
    mark, real = project.path.parent / "git.pid", shutil.which("git")
    slow = f'case "$*" in *" status "*|*" diff"*) echo $$ > {mark}; exec sleep 1000;; esac'
    git = project.write("bin/git", f'#!/bin/sh\n{slow}\nexec {real} "$@"\n', executable=True)
    Path(project.path, ".git/info/exclude").write_text("bin/\n")
    run = project.start("run", env={"PATH": f"{git.parent}:{project.env['PATH']}"})
    until(lambda: mark.exists() and mark.read_text().strip(), "git is at work")
    run.send_signal(signal.SIGINT)
    assert run.wait(60) == 130
    until(lambda: not Path(f"/proc/{mark.read_text().strip()}").exists(), "git is gone")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_is_heard_while_git_is_at_work(project: Project, number: int) -> None:
    mark, real = project.path.parent / "git-works", shutil.which("git")
    slow = f'case "$*" in *"add -A"*) if test -e answer; then touch {mark}; exec sleep 1000; fi;; esac'
    git = project.write("bin/git", f'#!/bin/sh\n{slow}\nexec {real} "$@"\n', executable=True)
    Path(project.path, ".git/info/exclude").write_text("bin/\n")
    run = project.start("run", env={"PATH": f"{git.parent}:{project.env['PATH']}"})
    until(mark.exists, "git is at work")
    run.send_signal(number)
    assert run.wait(25) == 130, "sooner than git's own limit"  # a deadline: git would take 1000 s
    assert "ralph resume" in project.shown()
    git.unlink()
    assert project.ralph("resume").returncode == 0
