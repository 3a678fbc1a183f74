"""An agent that cannot be started is found before anything runs: exit code 10 and what to do."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ralph.config.agents import NamedBy, check_agent
from ralph.core.agent_policy import AgentPolicy
from ralph.core.policy import Policy
from ralph.errors import RalphError


def refused(cwd: Path, *command: str, env: dict[str, str] | None = None) -> RalphError:
    policy = Policy(agent=AgentPolicy(command=command, env=env or {}))
    with pytest.raises(RalphError) as caught:
        check_agent(policy, cwd)
    assert caught.value.code == 10
    assert caught.value.todo
    return caught.value


def accepted(cwd: Path, *command: str, env: dict[str, str] | None = None) -> None:
    check_agent(Policy(agent=AgentPolicy(command=command, env=env or {})), cwd)


def test_a_script_and_a_program_are_accepted_and_really_start(
    tmp_path: Path, write: Callable[..., Path]
) -> None:
    script = write("a b/it's.sh", "#!/bin/sh\nexit 0\n", 0o755)
    accepted(tmp_path, str(script))
    subprocess.run([str(script)], check=True)
    accepted(tmp_path, "sh")
    accepted(tmp_path, "a b/it's.sh")


def test_a_file_that_does_not_exist(tmp_path: Path) -> None:
    error = refused(tmp_path, str(tmp_path / "agent.sh"))
    assert error.what == f"the agent {str(tmp_path / 'agent.sh')!r} does not exist"


def test_a_file_without_the_executable_bit(tmp_path: Path, write: Callable[..., Path]) -> None:
    script = write("my agent.sh", "#!/bin/sh\n", 0o644)
    error = refused(tmp_path, str(script))
    assert "is not executable" in error.what
    assert error.todo == f"Run: chmod +x '{script}'"
    subprocess.run(error.todo.removeprefix("Run: "), shell=True, check=True)
    accepted(tmp_path, str(script))


def test_a_folder_and_a_pipe_are_no_agents(tmp_path: Path) -> None:
    (tmp_path / "agent").mkdir()
    assert "is a folder" in refused(tmp_path, str(tmp_path / "agent")).what
    os.mkfifo(tmp_path / "pipe", 0o755)
    assert "is not a file" in refused(tmp_path, str(tmp_path / "pipe")).what


def test_a_path_through_a_file_is_an_error_and_no_traceback(
    tmp_path: Path, write: Callable[..., Path]
) -> None:
    write("file", "x")
    policy = Policy(agent=AgentPolicy(command=(str(tmp_path / "file/agent"),)))
    with pytest.raises(RalphError, match="cannot be used: Not a directory"):
        check_agent(policy, tmp_path)


def test_a_name_that_is_not_on_the_path(tmp_path: Path, write: Callable[..., Path]) -> None:
    error = refused(tmp_path, "no-such-agent-anywhere")
    assert error.what == "the agent 'no-such-agent-anywhere' is not on PATH"
    write("local-agent-only", "#!/bin/sh\n", 0o755)
    assert (
        refused(tmp_path, "local-agent-only").todo == "For the file in this folder write ./local-agent-only"
    )


def test_the_path_of_the_agents_own_environment_counts(tmp_path: Path, write: Callable[..., Path]) -> None:
    write("bin/my-own-agent", "#!/bin/sh\n", 0o755)
    refused(tmp_path, "my-own-agent")
    accepted(tmp_path, "my-own-agent", env={"PATH": str(tmp_path / "bin")})
    refused(tmp_path, "sh", env={"PATH": str(tmp_path / "bin")})


def test_a_path_entry_that_cannot_be_searched_is_passed_over(
    tmp_path: Path, write: Callable[..., Path]
) -> None:
    write("bin/my-own-agent", "#!/bin/sh\n", 0o755)
    accepted(tmp_path, "my-own-agent", env={"PATH": f"/{'x' * 300}:{tmp_path / 'bin'}"})


def test_a_name_on_the_path_that_is_not_executable(tmp_path: Path, write: Callable[..., Path]) -> None:
    write("bin/my-own-agent", "#!/bin/sh\n", 0o644)
    error = refused(tmp_path, "my-own-agent", env={"PATH": str(tmp_path / "bin")})
    assert "chmod +x" in error.todo


def test_what_the_kernel_would_refuse_is_said_in_plain_words(
    tmp_path: Path, write: Callable[..., Path]
) -> None:
    bare = write("bare", "echo hello\n", 0o755)
    assert "without a #! line" in refused(tmp_path, str(bare)).what
    lost = write("lost", "#!/no/such/interpreter -x\n", 0o755)
    assert "interpreter that does not exist: '/no/such/interpreter'" in refused(tmp_path, str(lost)).what
    windows = write("windows", "#!/bin/sh\r\nexit 0\r\n", 0o755)
    assert "Windows line ends" in refused(tmp_path, str(windows)).what
    for file in (bare, lost, windows):
        with pytest.raises(OSError):
            subprocess.run([str(file)])


def test_a_scripted_agent_needs_its_script(tmp_path: Path, write: Callable[..., Path]) -> None:
    script = write("steps.yml", "iterations: [[say: ITERATION_DONE]]\n")
    policy = Policy(agent=AgentPolicy(backend="scripted", script=str(script)))
    check_agent(policy, tmp_path)
    script.unlink()
    with pytest.raises(RalphError, match="does not exist") as caught:
        check_agent(policy, tmp_path)
    assert caught.value.code == 10


def test_no_agent_at_all(tmp_path: Path) -> None:
    assert "no agent is set" in refused(tmp_path).what


@pytest.mark.parametrize(
    "named_by, todo",
    [
        ("config", "Correct cli.command."),
        ("command line", "Correct the command after `--`."),
        ("gate", "Correct the gate's agent"),
        ("hat", "Correct the hat's `backend`"),
        ("loop", "`ralph run --fresh`"),
    ],
)
@pytest.mark.parametrize("program", ["./gone.sh", "no-such-program"])
def test_what_to_correct_is_where_the_agent_was_named(
    tmp_path: Path, named_by: NamedBy, todo: str, program: str
) -> None:
    with pytest.raises(RalphError) as caught:
        check_agent(Policy(agent=AgentPolicy(command=(program,))), tmp_path, named_by)
    assert todo in caught.value.todo
