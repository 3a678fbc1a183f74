"""The agents of a configuration: the loop's, its fallbacks, a reviewer's and a hat's."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from ralph.config.field_types import AUTO, is_unicode
from ralph.config.problems import quoted, quoted_path
from ralph.config.settings import Overrides, Settings, Values, fields
from ralph.core.agent_policy import AgentPolicy
from ralph.core.policy import Policy
from ralph.errors import RalphError
from ralph.files import located, read_bytes, read_text

if TYPE_CHECKING:
    from ralph.agents.adapter import Adapter


CUSTOM = "custom"  # the agent that is only a command


def agent_of(settings: Settings, overrides: Overrides, cwd: Path) -> AgentPolicy:
    own = fields(settings.values, "agent")
    if own.get("backend") == AUTO:
        del own["backend"]
    if overrides.command:
        command = _resolved(overrides.command, cwd, settings)
        return AgentPolicy(**_custom(own | {"command": command}, settings, said=False))
    args = settings.get("cli.args") or ()
    if "command" in own:
        own["command"] = _resolved(own["command"], settings.folder, settings)
    elif "backend" not in own and (found := _first_on_path(own, settings)):
        own["backend"] = found
    backend = own.get("backend", CUSTOM)
    if backend == CUSTOM:
        if "command" in own:
            own["command"] += args
        return AgentPolicy(**_custom(own, settings))
    return AgentPolicy(**_named(backend, own, args, settings))


def own_agent(
    own: Values, at: str, settings: Settings, overrides: Overrides, cwd: Path, *, older: bool
) -> AgentPolicy:
    """Of a gate or a hat: the loop's with what is said here, or one that is said from the ground up. `older`: by the rules
    of the older family also in the latter case."""
    own = {f"cli.{name}": given for name, given in own.items()}
    anew = bool(own.keys() & {"cli.backend", "cli.command"})
    theirs = {} if anew else {key: v for key, v in settings.values.items() if key.startswith("cli.")}
    inside = replace(
        settings,
        values=theirs | own,
        agent_at=at,
        inherited=frozenset(theirs.keys() - own.keys()),
        older=settings.older and (older or not anew),
    )
    return agent_of(inside, Overrides() if anew else overrides, cwd)


def other_agent(text: str, settings: Settings) -> AgentPolicy:
    """An agent in one text: a known name, or a command."""
    import shlex  # most files name none
    import shutil

    from ralph.agents import registry

    if registry.is_known(text.strip()):
        return AgentPolicy(backend=text.strip())
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        settings.wrong("fallback", f"{quoted(text)} cannot be split into words: {str(error).lower()}")
        return AgentPolicy()
    if len(words) == 1 and "/" not in words[0] and not shutil.which(words[0]):
        settings.wrong(
            "fallback",
            f"unknown agent {quoted(text)}, known: {', '.join(registry.names())}; a file needs a slash",
        )
    return AgentPolicy(command=_resolved(words, settings.folder, settings))


def unknown_agent(name: str) -> str:
    """Why a task cannot ask for it; empty: it can."""
    from ralph.agents import registry

    return (
        "" if registry.is_known(name) else f"there is no agent {name}; known: {', '.join(registry.names())}"
    )


def with_agent(policy: Policy, name: str) -> Policy:
    """A task asks for an agent by name: as the file has it, if it does, and no other in its place."""
    own = next((agent for agent in policy.agents if agent.backend == name), AgentPolicy(backend=name))
    return replace(policy, agent=own, fallback=())


def _custom(own: dict[str, Any], settings: Settings, *, said: bool = True) -> dict[str, Any]:
    """`said`: by the file, whose other keys are then looked at as well."""
    if said:
        warn_unused(settings, "cli.script", _USED_BY["script"])
        warn_unused(settings, "cli.model", f"{_USED_BY['model']}; put it into args")
        if settings.older and (settings.get("cli.backend") == CUSTOM or settings.agent_at != "cli"):
            own = {"prompt_mode": "arg"} | own
    if own.get("prompt_mode", "stdin") == "stdin":
        warn_unused(settings, "cli.prompt_flag", "is used only with prompt_mode: arg or file")
    used = {name: value for name, value in own.items() if name not in ("script", "model")}
    return used | {"backend": CUSTOM}


def _named(backend: str, own: dict[str, Any], args: tuple[str, ...], settings: Settings) -> dict[str, Any]:
    """Of the keys, those that the agent uses."""
    keys = adapter_of(backend).keys
    for name, by in _USED_BY.items():
        if name not in keys:
            warn_unused(settings, f"cli.{name}", by)
            own.pop(name, None)
    if "args" in keys:
        own["args"] = args
    if "script" in keys:
        own["script"] = _script(backend, settings)
    return own


# Keys that not every agent uses, in the order of the warnings about them.
_USED_BY = {
    "script": "is used only with backend: scripted",
    "command": "is used only with backend: custom",
    "args": "is used only with backend: custom",
    "prompt_mode": "is used only with backend: custom",
    "prompt_flag": "is used only with backend: custom",
    "output": "is used only with backend: custom",
    "model": "is used only with an agent known by name",
}


def adapter_of(backend: str) -> Adapter:
    """For what the configuration must know of an agent. That one cannot be loaded is said when it is checked."""
    from ralph.agents.registry import find

    try:
        return find(backend)
    except RalphError:
        from ralph.agents.command import CommandAdapter

        return CommandAdapter()


def _first_on_path(own: dict[str, Any], settings: Settings) -> str:
    from ralph.agents.registry import on_path

    found = next(on_path(own.get("env", {}).get("PATH")), "")
    if found and settings.agent_at == "cli":
        settings.problems.warn_outside(
            f"no agent is named: {found} is taken, the first on PATH; cli.backend names one"
        )
    return found


def _resolved(argv: tuple[str, ...], folder: Path, settings: Settings) -> tuple[str, ...]:
    """A program with a slash is a file, wherever the agent will be started; without one PATH finds it."""
    return (absolute("cli.command", argv[0], folder, settings), *argv[1:]) if "/" in argv[0] else argv


def absolute(key: str, text: str, folder: Path, settings: Settings) -> str:
    path = str(located(text, folder))
    if not is_unicode(path):  # the journal could not hold it
        settings.wrong(key, f"{quoted_path(path)} is in a folder whose name is not valid Unicode text")
    return path


def _script(backend: str, settings: Settings) -> str:
    named = settings.get("cli.script")
    if named is None:
        if not settings.problems.concern("cli.script"):
            settings.wrong("cli.backend", f"{backend} needs cli.script: the file with its steps")
        return ""
    path = absolute("cli.script", named, settings.folder, settings)
    try:
        read_text(Path(path))
    except RalphError as error:
        settings.wrong("cli.script", f"{quoted_path(path)} {error.what}")
    return path


def warn_unused(settings: Settings, path: str, what: str) -> None:
    if settings.get(path):
        settings.warn(path, what)


UNUSABLE = 10

NamedBy = Literal["config", "name", "command line", "gate", "hat", "loop"]
_CORRECT: dict[NamedBy, str] = {
    "config": "Correct cli.command.",
    "name": "Or name another in cli.backend, or its program in cli.command.",
    "command line": "Correct the command after `--`.",
    "gate": "Correct the gate's agent in ralph.yml.",
    "hat": "Correct the hat's `backend` in ralph.yml.",
    "loop": "Put it back, or start over with another agent: `ralph run --fresh`.",
}


def check_agents(policy: Policy, folder: Path, named_by: NamedBy) -> None:
    """An agent that cannot run is told before anything is done."""
    check_agent(policy, folder, named_by)
    hats = policy.team.hats if policy.team is not None else ()
    others: list[tuple[NamedBy, str, AgentPolicy | None]] = []
    others += (("gate", gate.name, gate.agent) for gate in policy.gates)
    others += (("hat", hat.id, hat.agent) for hat in hats)
    for kind, name, agent in others:
        if agent:
            try:
                check_agent(replace(policy, agent=agent), folder, "loop" if named_by == "loop" else kind)
            except RalphError as error:
                what = f"{kind} {name}: {error.what}"
                raise RalphError(what, where=error.where, todo=error.todo, code=error.code)


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
        head = read_bytes(file, 512)
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
