"""The agents that `ralph init` can choose: those that Ralph knows by name, or any command of the user's."""

from __future__ import annotations

import re
import shlex

import msgspec

from ralph.agents import registry
from ralph.core.policy import AgentPolicy
from ralph.errors import RalphError
from ralph.init.place import Machine


class Agent(msgspec.Struct, frozen=True):
    """One agent, as the `cli` section of ralph.yml has it. Without a command, the name says all."""

    name: str
    command: tuple[str, ...] = ()

    @property
    def program(self) -> str:
        return registry.program(AgentPolicy(backend=self.name, command=self.command))


def known() -> tuple[Agent, ...]:
    """Those that a program on PATH gives away, the preferred first."""
    return tuple(Agent(name) for name, _ in registry.programs())


def names() -> str:
    return ", ".join(agent.name for agent in known())


def on_path(machine: Machine) -> tuple[Agent, ...]:
    return tuple(agent for agent in known() if machine.has(agent.program))


def wanted(text: str, machine: Machine) -> Agent:
    """The agent that a person names: one of the known, or any command that reads the prompt from standard input."""
    for agent in known():
        if text == agent.name:
            return agent
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise RalphError(f"the agent cannot be split into words: {str(error).lower()}", where="--agent")
    if not words or not words[0].strip():
        raise RalphError("the agent must not be empty", where="--agent", todo=f"Known: {names()}.")
    if len(words) > 1 or "/" in words[0] or machine.has(words[0]):
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", words[0].rstrip("/").rpartition("/")[2]) or "agent"
        return Agent(name, words)
    import difflib

    near = difflib.get_close_matches(text, [agent.name for agent in known()], 1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise RalphError(
        f"there is no agent {text!r}",
        where="--agent",
        todo=f"{hint}Known: {names()}. Any other needs a command that is on PATH, or a path with a slash.",
    )
