"""`ralph run` where nobody ran `ralph init`, and right after somebody did."""

from __future__ import annotations

import pytest
from project import Project

AGENT = (
    "#!/bin/sh\ncat > /dev/null\necho 42 > answer\n"
    """printf '%s\\n' '{"type":"result","subtype":"success","result":"TASK_COMPLETE"}'\n"""
)


@pytest.fixture
def bare(project: Project) -> Project:
    """A Makefile that says how to test, an agent on PATH, and nothing that was written for Ralph."""
    for name in ("ralph.yml", "PROMPT.md", ".gitignore", "agent.sh"):
        (project.path / name).unlink()
    project.write("Makefile", ".PHONY: test\ntest:\n\tsh test.sh\n")
    project.commit()
    tools = project.path.parent / "tools"
    tools.mkdir()
    (tools / "claude").write_text(AGENT)
    (tools / "claude").chmod(0o755)
    project.env["PATH"] = f"{tools}:{project.env['PATH']}"
    return project


def test_agent_and_gates_are_found_and_said_and_nothing_is_written(bare: Project) -> None:
    done = bare.ralph("run", "-p", "Write 42 into the file answer")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no ralph.yml: agent claude (on PATH)" in done.stderr
    assert "`make test`" in done.stderr
    assert list(bare.end()["proof"].values()) == ["red→green"]
    assert not (bare.path / "ralph.yml").exists()


def test_what_the_command_line_says_is_not_looked_for(bare: Project) -> None:
    done = bare.ralph(
        "run", "-p", "x", "--gate", "sh test.sh", "--", "sh", "-c", "echo 42 > answer; echo TASK_COMPLETE"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no ralph.yml" not in done.stderr
    (bare.path / "answer").unlink()
    done = bare.ralph("run", "-p", "x", "--no-gates")
    assert "agent claude" in done.stderr and "gate " not in done.stderr


def test_without_an_agent_anywhere_it_says_what_to_do(bare: Project) -> None:
    done = bare.ralph("run", "-p", "x", env={"PATH": "/usr/bin:/bin"})
    assert done.returncode == 2
    assert "there is no agent" in done.stderr


def test_a_file_that_is_there_is_never_added_to(bare: Project) -> None:
    bare.config("cli: {command: claude, output: jsonl}\n")
    done = bare.ralph("run", "-p", "x")
    assert done.returncode == 6, done.stdout + done.stderr  # no gate is set, and none is assumed


def test_what_init_wrote_need_not_be_committed(bare: Project) -> None:
    assert bare.ralph("init", "--yes").returncode == 0
    assert ".gitignore" in bare.git("status", "--porcelain")
    done = bare.ralph("run", "-p", "Write 42 into the file answer")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_gitignore_that_the_user_edited_is_their_work(bare: Project) -> None:
    assert bare.ralph("init", "--yes").returncode == 0
    with open(bare.path / ".gitignore", "a") as file:
        file.write("secrets/\n")
    done = bare.ralph("run", "-p", "x")
    assert done.returncode == 2
    assert "uncommitted changes: .gitignore" in done.stderr


# -- a configuration above -----------------------------------------------------------------------------


def test_a_configuration_above_is_neither_ignored_nor_used_in_silence(project: Project) -> None:
    below = project.path / "src/deep"
    below.mkdir(parents=True)
    for arguments in (("run",), ("run", "-p", "x", "--gate", "true", "--", "true")):
        done = project.ralph(*arguments, cwd=below)
        assert done.returncode == 2
        assert "there is no ralph.yml here, but there is ../../ralph.yml" in done.stderr
        assert "`cd ../..`" in done.stderr and "`-c ../../ralph.yml`" in done.stderr
    assert not (project.path / ".git/ralph").exists(), "nothing was begun"
    done = project.ralph("run", "-c", "../../ralph.yml", "-P", "../../PROMPT.md", cwd=below)
    assert done.returncode != 2, done.stderr
    assert project.facts("loop.started")[0]["folder"] == "src/deep"


def test_a_configuration_above_is_said_by_the_commands_that_look_for_one(project: Project) -> None:
    below = project.path / "src"
    below.mkdir()
    done = project.ralph("validate", cwd=below)
    assert done.returncode == 2 and "`ralph validate ../ralph.yml` checks it" in done.stdout
    shown = project.ralph("doctor", cwd=below).stdout
    assert "there is no ralph.yml here, but there is ../ralph.yml" in shown
    assert "`ralph run -c ../ralph.yml`" in shown
    done = project.ralph("init", "--no-gates", "--agent", "./x", cwd=below)
    assert done.returncode == 0 and "There is ../ralph.yml already" in done.stdout
    assert "but there is" not in project.ralph("doctor", cwd=below).stdout, "now there is one here"


def test_a_configuration_outside_the_repository_is_none_of_its_business(bare: Project) -> None:
    (bare.path.parent / "ralph.yml").write_text("cli: {command: ./x}\n")
    done = bare.ralph("run", "-p", "Write 42 into the file answer")
    assert done.returncode == 0, done.stderr


# -- .gitignore ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("became", ["nothing", "a folder", "a dangling link", "a link to the lines of init"])
def test_a_gitignore_that_is_no_file_any_more_is_an_uncommitted_change(project: Project, became: str) -> None:
    path = project.path / ".gitignore"
    path.unlink()
    if became == "a folder":
        path.mkdir()
        (path / "x").touch()
    elif became != "nothing":
        target = project.path.parent / "lines"
        if "init" in became:
            target.write_text(".ralph/\n")
        path.symlink_to(target)
    done = project.ralph("run")
    assert done.returncode == 2
    assert "there are uncommitted changes: .gitignore" in done.stderr
