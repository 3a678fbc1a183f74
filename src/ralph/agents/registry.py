"""Every agent that can be named: Ralph's own, and those of other packages (entry point group `ralph.agents`).

An agent's module is imported when the agent is asked for: a run with one agent does not pay for the others.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from ralph.core.agent_policy import AgentPolicy
from ralph.errors import RalphError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from ralph.agents.adapter import Adapter, Needs, Reader

GROUP = "ralph.agents"
# In the form of entry points. The order is that of preference: the first one on PATH is taken when none is named.
BUILT_IN = {
    "claude": "ralph.agents.claude:ClaudeAdapter",
    "codex": "ralph.agents.codex:CodexAdapter",
    "gemini": "ralph.agents.gemini:GeminiAdapter",
    "opencode": "ralph.agents.opencode:OpencodeAdapter",
    "amp": "ralph.agents.command:AMP",
    "kiro": "ralph.agents.command:KIRO",
    "copilot": "ralph.agents.command:COPILOT",
    "pi": "ralph.agents.command:PI",
    "qwen": "ralph.agents.command:QWEN",
    "aider": "ralph.agents.command:AIDER",
    "roo": "ralph.agents.command:ROO",
    "custom": "ralph.agents.command:CustomAdapter",
    "scripted": "ralph.agents.scripted:adapter",
}


def names() -> tuple[str, ...]:
    """All that a configuration may name."""
    return (*BUILT_IN, *_installed())


def is_known(name: str) -> bool:
    """Installed packages are only looked through for a name that is not Ralph's own."""
    return name in BUILT_IN or name in _installed()


def find(name: str) -> Adapter:
    if name in BUILT_IN:
        return _built_in(name)
    if entry := _installed().get(name):
        return _loaded(entry)
    import difflib

    near = difflib.get_close_matches(name, names(), 1)
    nearest = f"Did you mean {near[0]}? " if near else ""
    raise RalphError(f"unknown agent {name!r}", todo=f"{nearest}Known: {', '.join(names())}.", code=10)


def adapter(policy: AgentPolicy) -> Adapter:
    return find(policy.backend)


def usable() -> Iterator[tuple[str, Adapter]]:
    """Every agent that can be loaded. What is wrong with another is said when it is asked for by name."""
    for name in names():
        try:
            yield name, find(name)
        except RalphError:
            continue


def programs() -> Iterator[tuple[str, str]]:
    """The agents that are programs, each with the one to look for, the preferred first."""
    return ((name, agent.program) for name, agent in usable() if agent.program)


def on_path(path: str | None = None) -> Iterator[str]:
    """Those that are installed."""
    import shutil

    path = os.environ.get("PATH", os.defpath) if path is None else path
    return (name for name, program in programs() if shutil.which(program, path=path))


def program(policy: AgentPolicy) -> str:
    """What would be started; empty where only the adapter knows."""
    return policy.command[0] if policy.command else adapter(policy).program


def needs(policy: AgentPolicy) -> Needs:
    declared = adapter(policy).needs
    return _of_any_command() if declared is None else declared


def known_stream(item: dict[str, Any], policy: AgentPolicy) -> Reader | None:
    """The reader for output that begins with this object, whichever agent printed it."""
    known = (agent for agent in map(_built_in, BUILT_IN) if agent.opens(item))
    return next((agent.reader(policy) for agent in known), None)


def instructions() -> tuple[str, ...]:
    """Patterns of the files in a repository that agents obey by themselves, wherever they are."""
    return ("AGENTS.md", "**/.agents/**", *(path for _, agent in usable() for path in agent.instructions))


def skill_folders() -> tuple[str, ...]:
    """Where agents look for skills in a repository; the last is that of the open standard."""
    return (*(agent.skills for _, agent in usable() if agent.skills), ".agents/skills")


@cache
def _of_any_command() -> Needs:
    """It may be a wrapper around any agent: it gets their variables, but no files that are not named."""
    from ralph.agents.adapter import Needs

    programs = (name for name in BUILT_IN if name != "scripted")  # that one is Ralph's own, for tests
    declared = [needs for name in programs if (needs := _built_in(name).needs) and needs.wrapped]
    variables = (variable for needs in declared for variable in needs.variables)
    more = {key: value for needs in declared for key, value in needs.with_variable.items()}
    return Needs(tuple(dict.fromkeys(variables)), more)


@cache
def _built_in(name: str) -> Adapter:
    from importlib import import_module

    module, _, attribute = BUILT_IN[name].partition(":")
    return _made(getattr(import_module(module), attribute))


@cache
def _installed() -> dict[str, EntryPoint]:
    """What other packages bring. Ralph's own names are not for them to take."""
    from importlib.metadata import entry_points

    return {
        entry.name: entry
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
        if entry.name not in BUILT_IN
    }


def _loaded(entry: EntryPoint) -> Adapter:
    package = entry.dist.name if entry.dist else entry.value
    try:
        return _made(entry.load())
    except Exception as error:  # whatever another's code does on import
        what = f"the agent {entry.name!r} cannot be loaded: {type(error).__name__}: {error}"
        raise RalphError(what, todo=f"Fix or remove the package {package}.", code=10) from error


def _made(found: Any) -> Adapter:
    """An adapter, or what makes one."""
    from ralph.agents.adapter import Adapter

    made = found() if callable(found) else found
    if not isinstance(made, Adapter):
        raise TypeError(f"{type(made).__name__} is not an Adapter (ralph.agents.adapter)")
    return made
