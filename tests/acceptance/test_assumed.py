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
