"""Which agent the file and the command line mean: the loop's, a fallback, a reviewer's or a hat's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ralph.config.kinds import AUTO, is_unicode
from ralph.config.overrides import Overrides
from ralph.config.problems import quoted, quoted_path
from ralph.config.read import Settings, fields
from ralph.config.textfile import located, read_text
from ralph.core.policy import AgentPolicy
from ralph.errors import RalphError

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
