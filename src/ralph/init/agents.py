"""The agent programs that Ralph knows by name, in the order of preference: how each is run once, without questions.

Every one of them takes the whole prompt from standard input, except where `prompt_mode` says otherwise.
"""

from __future__ import annotations

import re
import shlex

import msgspec

from ralph.core.policy import OutputFormat, PromptMode
from ralph.errors import RalphError
from ralph.init.place import Machine


class Agent(msgspec.Struct, frozen=True):
    """One agent, as the `cli` section of ralph.yml has it."""

    name: str
    command: tuple[str, ...]
    prompt_mode: PromptMode = "stdin"
    prompt_flag: str = ""
    output: OutputFormat = "text"
    env: dict[str, str] = {}

    @property
    def program(self) -> str:
        return self.command[0]


# fmt: off
AGENTS: tuple[Agent, ...] = (
    Agent(
        "claude",
        ("claude", "-p", "--output-format", "stream-json", "--verbose", "--dangerously-skip-permissions"),
        output="jsonl",
    ),
    Agent(
        "codex",
        ("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-"),
    ),
    Agent(
        "gemini",
        ("gemini", "--yolo"),
        # Otherwise it refuses a folder that it was not told to trust, and ignores being asked to end.
        env={"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_CLI_NO_RELAUNCH": "true"},
    ),
    Agent("opencode", ("opencode", "run", "--auto")),
    Agent("amp", ("amp", "--dangerously-allow-all", "-x")),
    Agent("kiro-cli", ("kiro-cli", "chat", "--no-interactive", "--trust-all-tools")),
    Agent("copilot", ("copilot", "--allow-all", "--silent")),
    Agent("pi", ("pi", "-p")),
    Agent("qwen", ("qwen", "--yolo")),
    Agent(
        "aider",
        # Whether to commit is for the gates and the user to say.
        ("aider", "--yes-always", "--no-auto-commits", "--no-dirty-commits", "--no-gitignore", "--no-check-update"),
        prompt_mode="file",
        prompt_flag="--message-file",
    ),
)
# fmt: on

NAMES = tuple(agent.name for agent in AGENTS)


def on_path(machine: Machine) -> tuple[Agent, ...]:
    return tuple(agent for agent in AGENTS if machine.has(agent.program))


def wanted(text: str, machine: Machine) -> Agent:
    """The agent that a person names: one of the known, or any command that reads the prompt from standard input."""
    for agent in AGENTS:
        if text == agent.name:
            return agent
    try:
        words = tuple(shlex.split(text))
    except ValueError as error:
        raise RalphError(f"the agent cannot be split into words: {str(error).lower()}", where="--agent")
    if not words or not words[0].strip():
        raise RalphError("the agent must not be empty", where="--agent", todo=f"Known: {', '.join(NAMES)}.")
    if len(words) > 1 or "/" in words[0] or machine.has(words[0]):
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", words[0].rstrip("/").rpartition("/")[2]) or "agent"
        return Agent(name, words)
    import difflib

    near = difflib.get_close_matches(text, NAMES, 1)
    hint = f"Did you mean {near[0]}? " if near else ""
    raise RalphError(
        f"there is no agent {text!r}",
        where="--agent",
        todo=f"{hint}Known: {', '.join(NAMES)}. Any other needs a command that is on PATH, or a path with a slash.",
    )
