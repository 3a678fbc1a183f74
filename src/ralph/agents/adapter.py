"""The seam to agents: how to start one and how to read what it says. An adapter is one small file.

Adapters never judge the work; they only report words, usage and faults.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

import msgspec

from ralph.core.facts import Fault, Usage
from ralph.core.policy import AgentPolicy

CostFrom = Literal["", "agent", "table"]

SAID_CHARS = 4000  # of the last words that go into the journal


class Launch(msgspec.Struct, frozen=True):
    """One agent process to start."""

    argv: tuple[str, ...]
    stdin: bytes | None = None
    env: dict[str, str] = {}


class Tools(msgspec.Struct, frozen=True):
    """What Ralph hands to an agent besides the prompt."""

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
    session: str = ""  # as the agent calls it
    waiting: bool = False  # nothing has been said or done yet; only readers that can tell say so
    full: bool = False  # it worked until no more fitted into the model's context
    cost_from: CostFrom = (
        ""  # the agent's own figure, or an estimate by ralph.agents.prices; "": no cost is known
    )


class Reader(Protocol):
    def feed(self, line: str) -> None:
        """One line of standard output."""

    def ended(self, code: int) -> None:
        """It is gone, with this exit code (negative: a signal). Called once, after the last line."""

    def words(self) -> Words: ...


class Adapter(Protocol):
    def check(self, policy: AgentPolicy) -> None:
        """RalphError when this agent cannot work. Asked before anything is changed."""

    def launch(self, policy: AgentPolicy, prompt: str, prompt_file: Path, tools: Tools) -> Launch: ...

    def reader(self, policy: AgentPolicy) -> Reader: ...


def adapter(policy: AgentPolicy) -> Adapter:
    """The adapter for the configured backend; each is imported only when used."""
    from ralph.agents.known import find

    return find(policy.backend)
