"""Can the configured agent be started at all? Asked before anything runs, so that nothing has changed."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal

from ralph.config.problems import quoted, quoted_path
from ralph.config.textfile import read_text
from ralph.core.policy import AgentPolicy, Policy
from ralph.errors import RalphError

UNUSABLE = 10

NamedBy = Literal["config", "name", "command line", "gate", "hat", "loop"]
_CORRECT: dict[NamedBy, str] = {
    "config": "Correct cli.command.",
    "name": "Or name another in cli.backend, or its program in cli.command.",
    "command line": "Correct the command after `--`.",
    "gate": "Correct the gate's agent in ralph.yml.",
    "hat": "Correct the hat's `backend` in ralph.yml.",
    "loop": "Put it back, or start anew with another agent: `ralph run --fresh`.",
}


def check_agent(policy: Policy, cwd: Path, named_by: NamedBy = "config") -> None:
    """RalphError when it cannot. `named_by` is where the user would have to correct the agent's command."""
    from ralph.agents.registry import adapter

    agent = policy.agent
    found = adapter(agent)
    if "script" in found.keys:
        _check_script(agent.script)
    elif program := agent.command[0] if agent.command else found.program:
        _check_startable(program, agent, cwd, named_by)
    found.check(agent)


def _check_startable(program: str, agent: AgentPolicy, cwd: Path, named_by: NamedBy) -> None:
    if not agent.command and named_by == "config":
        named_by = "name"
    if "/" in program:
        _check_program(cwd / program, _CORRECT[named_by])
    else:
        path = agent.env.get("PATH", os.environ.get("PATH", os.defpath))
        _check_on_path(program, path, cwd, _CORRECT[named_by])


def _check_script(script: str) -> None:
    try:
        read_text(Path(script))
    except RalphError as error:
        raise _unusable(f"the script {quoted_path(script)} {error.what}", "Correct cli.script.")


def _check_on_path(name: str, path: str, cwd: Path, correct: str) -> None:
    found = [file for folder in path.split(os.pathsep) if _is_file(file := cwd / folder / name)]
    startable = [file for file in found if os.access(file, os.X_OK)]
    if startable:
        _check_interpreter(startable[0])
    elif found:
        _check_program(found[0], correct)
    elif _is_file(cwd / name):
        raise _unusable(
            f"the agent {quoted(name)} is not on PATH", f"For the file in this folder write ./{name}"
        )
    else:
        raise _unusable(
            f"the agent {quoted(name)} is not on PATH",
            f"Install it. {correct} A file needs a slash. `ralph doctor` lists the agents that are here.",
        )


def _check_program(file: Path, correct: str) -> None:
    shown = quoted_path(file)
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        raise _unusable(f"the agent {shown} does not exist", correct)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise _unusable(f"the agent {shown} cannot be used: {why}", correct)
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "not a file"
        raise _unusable(f"the agent {shown} is {what}", correct)
    if not os.access(file, os.X_OK):
        raise _unusable(f"the agent {shown} is not executable", f"Run: chmod +x {_in_shell(file)}")
    _check_interpreter(file)


def _check_interpreter(file: Path) -> None:
    """The kernel's own errors for these ("No such file", "Exec format error") send people the wrong way."""
    try:
        with open(file, "rb") as opened:
            head = opened.read(512)
    except OSError:  # executable but not readable is fine
        return
    shown = quoted_path(file)
    if not head.startswith(b"#!"):
        if b"\0" not in head:
            raise _unusable(
                f"the agent {shown} is a text file without a #! line",
                "Make #!/bin/sh, or its like, the first line.",
            )
        return
    first_line = head[2:].partition(b"\n")[0]
    if first_line.endswith(b"\r"):
        raise _unusable(f"the agent {shown} has Windows line ends", "Convert it to Unix line ends.")
    interpreter = os.fsdecode((first_line.split() or [b""])[0])
    if not _is_file(Path("/", interpreter)):
        raise _unusable(
            f"the agent {shown} names an interpreter that does not exist: {quoted(interpreter)}",
            "Correct its first line.",
        )


def _is_file(path: Path) -> bool:
    """Path.is_file raises where a folder on the way may not be searched; PATH may well contain such."""
    try:
        return path.is_file()
    except OSError:
        return False


def _in_shell(file: Path) -> str:
    import shlex

    return shlex.quote(str(file))


def _unusable(what: str, todo: str) -> RalphError:
    return RalphError(what, todo=todo, code=UNUSABLE)
