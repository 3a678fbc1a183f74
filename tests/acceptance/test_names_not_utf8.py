"""Names that are not UTF-8, of branches, repositories and items: the journal holds them in a printable form, or says no."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest
from project import Project, until

CAFE = os.fsdecode(b"caf\xe9")
SHOWN = "caf\ufffd"
BRANCH = f"refs/heads/{CAFE}"


@pytest.fixture
def odd(project: Project) -> Project:
    """On a branch of such a name, beside a repository of such a name, and with such a rule of what is ignored."""
    (project.path / ".git/info/exclude").write_bytes(b"made-\xe9\n")
    project.git("checkout", "-q", "-b", CAFE)
    return project


def working(project: Project, agent: str) -> None:
    project.agent(agent)
    project.commit()
    folder = project.path / CAFE  # which the user's git could not add
    folder.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=folder, env=project.env, check=True)
    (folder / "kept").write_text("kept\n")


def views_work(project: Project) -> str:
    shown = ""
    for command in (("status",), ("report",), ("events",), ("events", "--json"), ("replay",), ("logs",)):
        done = project.ralph(*command)
        assert done.returncode == 0, (command, done.stdout, done.stderr)
        shown += done.stdout
    return shown


def test_a_run_on_such_a_branch_beside_such_a_repository_comes_to_its_end(odd: Project) -> None:
    """One that the agent makes is refused by name; the one that was there before is not."""
    working(
        odd,
        "new=$(printf 'new-\\351'); test $RALPH_ITERATION = 1 && git init -q $new || rm -rf $new\n"
        "echo 42 > answer; echo TASK_COMPLETE",
    )
    done = odd.ralph("run", "--in-place")
    assert done.returncode == 0, done.stdout + done.stderr
    prepared = odd.facts("workspace.prepared")[-1]
    assert (prepared["branch"], prepared["unrecorded"]) == (f"refs/heads/{SHOWN}", [SHOWN])
    first, second = odd.facts("iteration.ended")
    assert (first["nested"], second["nested"]) == ([SHOWN, "new-\ufffd"], [SHOWN])
    assert "new-\ufffd" in odd.prompt() and SHOWN not in odd.prompt()
    assert "refs_moved" not in first and "refs_moved" not in second
    assert f"refs/heads/{SHOWN}" in views_work(odd)
    assert (odd.path / CAFE / "kept").read_text() == "kept\n"


def test_after_a_death_nothing_is_told_as_moved_or_newly_ignored(odd: Project) -> None:
    working(
        odd,
        "if test $RALPH_ITERATION = 1 && ! test -e $HOME/again; then\n"
        "  touch $(printf 'made-\\351') $HOME/again $HOME/waits; sleep 600\n"
        "fi\necho 42 > answer; echo TASK_COMPLETE",
    )
    running = odd.start("run", "--in-place")
    until(lambda: odd.mark("waits"), "the agent works")
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    odd.git("tag", "moved")
    done = odd.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    interrupted = odd.facts("iteration.ended")[0]
    assert interrupted["how"] == "interrupted"
    assert [line.split(":")[0] for line in interrupted["refs_moved"]] == ["refs/tags/moved"]
    assert interrupted["nested"] == [SHOWN]
    assert not any("ignored" in fact for fact in odd.facts("claim.inspected"))
    views_work(odd)


def test_a_commit_that_is_no_text_is_told_and_the_run_goes_on(project: Project) -> None:
    """A ref's file that an agent has spoiled: what it holds goes into the journal."""
    project.agent(
        "git checkout -q -b spoiled; printf '\\351\\000' > .git/refs/heads/spoiled; echo 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert "UnicodeEncodeError" not in done.stdout + done.stderr
    assert project.facts("iteration.ended")[-1]["commit"] == "\ufffd\0"
    views_work(project)


def test_a_file_whose_folder_has_such_a_name_is_shown_to_the_agent(project: Project) -> None:
    project.write(f"{CAFE}/maker.py", "def make():\n    return 'the maker'\n")
    project.write(
        "test.sh",
        'test "$(cat answer)" = 42 && exit\n'
        "echo 'Traceback (most recent call last):'\necho '  File \"maker.py\", line 1, in <module>'\n"
        "echo \"AttributeError: module 'maker' has no attribute 'answer'\"\nexit 1\n",
    )
    project.agent(
        "echo $RALPH_ITERATION > tried; test $RALPH_ITERATION -gt 4 && echo 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    prompts = [project.prompt(n) for n in range(len(project.facts("iteration.started")))]
    assert any(f"{SHOWN}/maker.py" in text and "the maker" in text for text in prompts)


def test_a_backlog_cannot_land_on_such_a_branch_and_says_so(project: Project) -> None:
    project.git("checkout", "-q", "-b", CAFE)
    project.write("backlog.jsonl", '{"id":"T1","title":"one"}\n')
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\nbacklog: backlog.jsonl\n"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 2, done.stdout + done.stderr
    assert f"the name of the branch {SHOWN} is not UTF-8" in done.stderr
    assert "git branch -m" in done.stderr


def test_uncommitted_files_of_such_a_name_are_asked_about_in_words(project: Project) -> None:
    project.write(CAFE, "mine\n")
    done = project.ralph("run")
    assert done.returncode == 2
    assert f"there are uncommitted changes: {SHOWN}\n" in done.stderr
