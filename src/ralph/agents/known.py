"""Every agent that can be named: four with an adapter of their own, more that are only a command line, two that need
no name of theirs, and those that other packages bring along (entry point group `ralph.agents`).

The order is that of preference: the first one on PATH is taken when none is named.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ralph.core.policy import AgentPolicy, OutputFormat, PromptMode
from ralph.errors import RalphError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from ralph.agents.adapter import Adapter, Launch, Reader, Tools

GROUP = "ralph.agents"
ADAPTERS = {
    "claude": "ClaudeAdapter",
    "codex": "CodexAdapter",
    "gemini": "GeminiAdapter",
    "opencode": "OpencodeAdapter",
}
OWN = {"custom": "CommandAdapter", "scripted": "ScriptedAdapter"}
_MODULES = {"custom": "command"}


class Listed(msgspec.Struct, frozen=True):
    """An agent that is a command line and nothing more. These are not tested with the real programs."""

    command: tuple[str, ...]
    model_flag: str = ""  # empty: it takes no model
    prompt_mode: PromptMode = "stdin"
    prompt_flag: str = ""
    output: OutputFormat = "text"


# fmt: off
LISTED: dict[str, Listed] = {
    "amp": Listed(("amp", "--dangerously-allow-all", "-x")),
    "kiro": Listed(("kiro-cli", "chat", "--no-interactive", "--trust-all-tools"), "--model"),
    "copilot": Listed(("copilot", "--allow-all", "--silent"), "--model"),
    "pi": Listed(("pi", "-p"), "--model"),
    "qwen": Listed(("qwen", "--yolo", "-o", "stream-json"), "-m", output="jsonl"),
    "aider": Listed(
        # Whether to commit is for the gates and the user to say.
        ("aider", "--yes-always", "--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--no-check-update"),
        "--model", prompt_mode="file", prompt_flag="--message-file",
    ),
}
# fmt: on

BUILT_IN = (*ADAPTERS, *LISTED)


def names() -> tuple[str, ...]:
    """All that a configuration may name."""
    return (*BUILT_IN, *OWN, *_brought())


def is_known(name: str) -> bool:
    """Installed packages are only looked through for a name that is not Ralph's own."""
    return name in BUILT_IN or name in OWN or name in _brought()


def program(policy: AgentPolicy) -> str:
    """What would be started; empty where only the adapter knows."""
    if policy.command:
        return policy.command[0]
    if policy.backend in LISTED:
        return LISTED[policy.backend].command[0]
    return policy.backend if policy.backend in ADAPTERS else ""


def tells_usage(policy: AgentPolicy) -> bool:
    """Whether tokens and cost can be known at all. Of any command it may be so: its output decides."""
    return policy.backend not in LISTED or LISTED[policy.backend].output == "jsonl"


def on_path(path: str | None = None) -> tuple[str, ...]:
    """Ralph's own agents that are installed, the preferred first."""
    import shutil

    path = os.environ.get("PATH", os.defpath) if path is None else path
    return tuple(name for name in BUILT_IN if shutil.which(program(AgentPolicy(backend=name)), path=path))


def find(name: str) -> Adapter:
    if name in LISTED:
        return ListedAdapter(LISTED[name])
    if attribute := {**ADAPTERS, **OWN}.get(name):
        from importlib import import_module

        module = import_module(f"ralph.agents.{_MODULES.get(name, name)}")
        return getattr(module, attribute)()  # type: ignore[no-any-return]
    if entry := _brought().get(name):
        return _loaded(entry)
    import difflib

    near = difflib.get_close_matches(name, names(), 1)
    nearest = f"Did you mean {near[0]}? " if near else ""
    raise RalphError(f"unknown agent {name!r}", todo=f"{nearest}Known: {', '.join(names())}.", code=10)


def _brought() -> dict[str, EntryPoint]:
    """What other packages bring. Ralph's own names are not for them to take."""
    from importlib.metadata import entry_points

    return {
        entry.name: entry
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: (entry.name, entry.value))
        if entry.name not in BUILT_IN and entry.name not in OWN
    }


def _loaded(entry: EntryPoint) -> Adapter:
    package = entry.dist.name if entry.dist else entry.value
    try:
        return entry.load()()  # type: ignore[no-any-return]
    except Exception as error:  # whatever another's code does on import
        what = f"the agent {entry.name!r} cannot be loaded: {type(error).__name__}: {error}"
        raise RalphError(what, todo=f"Mend or remove the package {package}.", code=10) from error


class ListedAdapter:
    def __init__(self, listed: Listed) -> None:
        self._listed = listed

    def check(self, policy: AgentPolicy) -> None:
        if policy.model and not self._listed.model_flag:
            raise RalphError(f"{policy.backend} takes no model", todo="Remove `model`.", code=10)

    def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path, tools: Tools) -> Launch:
        from ralph.agents.command import CommandAdapter

        return CommandAdapter().launch(self._as_command(policy), prompt, prompt_file, tools)

    def reader(self, policy: AgentPolicy) -> Reader:
        from ralph.agents.command import CommandAdapter

        return CommandAdapter().reader(self._as_command(policy))

    def _as_command(self, policy: AgentPolicy) -> AgentPolicy:
        listed = self._listed
        model = (listed.model_flag, policy.model) if policy.model else ()
        program = policy.command or listed.command[:1]
        return replace(
            policy,
            command=(*program, *listed.command[1:], *model, *policy.args),
            prompt_mode=listed.prompt_mode,
            prompt_flag=listed.prompt_flag,
            output=listed.output,
        )
