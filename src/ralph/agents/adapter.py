"""The interface to agents: what one agent's file says about it, and the small types and tools that such files share.

Adapters never judge the work; they only report words, usage and faults. docs/extending.md shows how to write one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

import msgspec

from ralph.core.agent_policy import AgentPolicy
from ralph.core.facts import Fault, Retry, Usage

CostFrom = Literal["", "agent", "table"]

SAID_CHARS = 4000  # of the last words that go into the journal
HOOK_SECONDS = 30


class Launch(msgspec.Struct, frozen=True):
    """One agent process to start."""

    argv: tuple[str, ...]
    stdin: bytes | None = None
    env: dict[str, str] = {}


class AgentTools(msgspec.Struct, frozen=True):
    """What Ralph gives an agent in addition to the prompt."""

    private: Path  # a folder of this iteration's own, for the configuration of agents that need files
    mcp: tuple[str, ...] = ()  # the command of Ralph's MCP server; empty: none
    mcp_env: dict[str, str] = {}  # and what it must know
    hook: tuple[
        str, ...
    ] = ()  # the command that answers the agent CLI's hooks, all but its last word; empty: none


class Words(msgspec.Struct):
    """What the agent has said so far. `structured`: `said` is one whole message, not the tail of a text."""

    said: str = ""
    structured: bool = False
    usage: Usage = Usage()
    fault: Fault = ""
    fault_text: str = ""
    retry_after: float = -1.0
    retry: Retry | None = None  # it tries its model again, as it says itself
    session: str = ""  # as the agent calls it
    waiting: bool = False  # nothing has been said or done yet; only readers that can tell say so
    full: bool = False  # it worked until no more fitted into the model's context
    cost_from: CostFrom = (
        ""  # the agent's own figure, or an estimate by ralph.agents.prices; "": no cost is known
    )


class Needs(msgspec.Struct, frozen=True):
    """What an agent needs of the user's: variables, and files below the home folder. Nothing else of either is its business.

    Variables are patterns, files are relative to `folder`, which is relative to the home folder."""

    variables: tuple[str, ...] = ()
    with_variable: dict[str, tuple[str, ...]] = {}  # further ones, when this one is set
    folder: str = ""  # where the agent keeps its things; and the variable that moves it
    folder_variable: str = ""
    logins: tuple[str, ...] = ()  # files that hold credentials
    settings: tuple[str, ...] = ()  # and files that say which model and provider to use
    folders: tuple[str, ...] = ()  # that must be there, if empty
    writes_private: bool = False  # whether it writes into the folder that Ralph hands it (`Tools.private`)
    wrapped: bool = True  # whether any command, which may be a wrapper around it, gets its variables too

    def allowed(self, environ: Mapping[str, str]) -> tuple[str, ...]:
        more = (names for name, names in self.with_variable.items() if environ.get(name))
        return (*self.variables, *(name for names in more for name in names))

    def place(self, environ: Mapping[str, str], home: Path) -> Path:
        moved = environ.get(self.folder_variable, "") if self.folder_variable else ""
        return Path(moved) if moved else home / self.folder

    def files(self, environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
        """Those that are there: with a key in the environment there may be none."""
        named = (
            *self.login_files(environ, home),
            *(self.place(environ, home) / name for name in self.settings),
        )
        return tuple(path for path in named if path.is_file())

    def login_files(self, environ: Mapping[str, str], home: Path) -> tuple[Path, ...]:
        return tuple(self.place(environ, home) / name for name in self.logins)


# The variables of providers that several agents can use.
OPENAI = ("OPENAI_*", "AZURE_OPENAI_*")
GOOGLE = ("GEMINI_*", "GOOGLE_*", "GCLOUD_PROJECT")
# fmt: off
PROVIDERS = (
    "ANTHROPIC_*", *OPENAI, *GOOGLE, "OPENROUTER_*", "GROQ_*", "MISTRAL_*", "DEEPSEEK_*", "XAI_*", "TOGETHER_*",
    "FIREWORKS_*", "CEREBRAS_*", "COHERE_*", "PERPLEXITY_*", "MOONSHOT_*", "ZAI_*", "ZHIPU_*", "DASHSCOPE_*",
    "OLLAMA_*", "LM_STUDIO_*", "LITELLM_*", "AI_GATEWAY_*", "AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION", "AWS_PROFILE",
)
# fmt: on


class Reader(Protocol):
    def feed(self, line: str) -> None:
        """One line of standard output."""

    def ended(self, code: int) -> None:
        """It is gone, with this exit code (negative: a signal). Called once, after the last line."""

    def words(self) -> Words: ...


@runtime_checkable
class ErrorReader(Protocol):
    """A reader that also wants what its agent says on standard error."""

    def feed_error(self, line: str) -> None:
        """One line of standard error."""


@runtime_checkable
class Adapter(Protocol):
    """One agent: all that is specific to it. Inherit from it, and say only what differs."""

    program: str = ""  # what is started where `cli.command` names nothing else, and looked for on PATH
    login_hint: str = ""  # how a person logs in; shown after "Log in with" when its credentials fail
    needs: Needs | None = None  # None: the variables of all agents that are built in, and no files
    keys: tuple[str, ...] = ("command", "args", "model")  # of `cli`, those that it uses
    profile_flag: str = ""  # the option that chooses one of its own profiles; empty: it has none
    reports_usage: bool = True  # whether its tokens and cost can be known at all
    has_tools: bool = False  # whether `launch` hands it Ralph's MCP server
    instructions: tuple[
        str, ...
    ] = ()  # files in a repository that it obeys by itself, in addition to AGENTS.md
    skills: str = ""  # the folder of its skills in a repository, where it is not .agents/skills

    def check(self, policy: AgentPolicy) -> None:
        """RalphError when this agent cannot work. Asked before anything is changed. Whether they are logged in, most
        agents only say when they are asked to work."""
        return

    def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path, tools: AgentTools) -> Launch: ...

    def reader(self, policy: AgentPolicy) -> Reader: ...

    def opens(self, item: dict[str, Any]) -> bool:
        """Whether its stream begins with this object: any command whose output does is read as this agent's."""
        return False

    def tool_args(self, denied: tuple[str, ...], allowed: tuple[str, ...]) -> tuple[str, ...] | None:
        """Arguments, put last, that hold it to a choice of tools. None: it cannot be held to any, only asked."""
        return None


# What adapters hand over without touching the user's settings: private files, and a quiet environment.


def private_file(folder: Path, name: str, text: str) -> Path:
    """A file that only the user can read, in the iteration's own folder: it may hold the iteration's token."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / name
    with open(path, "w", encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        file.write(text)
    return path


def hooks(command: tuple[str, ...]) -> dict[str, list[dict[str, Any]]]:
    """Which of an agent CLI's hooks call back, in the form that Claude Code and Codex share. After its context was compacted
    an agent can be told to wrap up; before, it cannot."""

    import shlex

    def call(name: str, **more: str) -> list[dict[str, Any]]:
        hook = {"type": "command", "command": shlex.join((*command, name)), "timeout": HOOK_SECONDS}
        return [{**more, "hooks": [hook]}]

    return {
        "PreCompact": call("pre-compact"),
        "SessionStart": call("pre-compact", matcher="compact"),
        "Stop": call("stop"),
    }


def environment(ours: dict[str, str], policy: AgentPolicy) -> dict[str, str]:
    """What the user has set, in the configuration or around Ralph, is stronger."""
    return {**{name: os.environ.get(name, value) for name, value in ours.items()}, **policy.env}
