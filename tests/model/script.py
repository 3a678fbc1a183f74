"""Scenarios as data: what the model does turn by turn, what it reports as usage, how it fails. No I/O.

The turn is read from the request itself (tool results seen, final words said), so retries change nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

TOOLS = ("write", "bash", "mcp")
FAULTS = ("429", "usage-limit", "500", "529", "401", "hang", "cut", "too-long", "unknown-model")
FOR_EVER = 1_000_000
LAST_WORDS = "Done."
SIDE_WORDS = "Scripted work"
_MARK = re.compile(r"\[scripted turn (\d+)\]")


class BadScenario(ValueError):
    """The scenario is not what this module understands; the text says where."""


@dataclass(frozen=True)
class Usage:
    """Tokens as reported with one answer. `input` is what was read anew, beside both cache figures."""

    input: int = 100
    output: int = 10
    cache_read: int = 0
    cache_write: int = 0

    @property
    def prompt(self) -> int:
        return self.input + self.cache_read + self.cache_write


@dataclass(frozen=True)
class Step:
    """One answer: words, a tool to use, or both. Words alone end the agent's turn."""

    words: str = ""
    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    usage: Usage = Usage()
    thought: str = ""  # as Anthropic and OpenAI tell of it


@dataclass(frozen=True)
class Fault:
    """One way to fail, for the first requests of a run or (`first` 0) for ever; at one turn or at any. `side`: side calls
    fail as well, as they do when the user's own prompt is what does not fit."""

    name: str
    first: int = 0
    turn: int = -1
    retry_after: int = -1
    resets_in: int = 3600
    side: bool = False

    @property
    def times(self) -> int:
        return self.first or FOR_EVER


@dataclass(frozen=True)
class Scenario:
    steps: tuple[Step, ...]
    faults: tuple[Fault, ...] = ()

    def step(self, turn: int) -> Step:
        if turn < len(self.steps):
            return self.steps[turn]
        last = self.steps[-1] if self.steps else Step(LAST_WORDS)
        return last if not last.tool else Step(LAST_WORDS, usage=last.usage)

    def turn(self, results: int, said: Iterable[str], prompt: str) -> int:
        """Tool results, final words that were not the end (a hook or a resume went on), turns compacted away."""
        finals = {step.words for step in self.steps if not step.tool}
        marks = [int(mark) for mark in _MARK.findall(prompt)]
        return results + sum(words in finals for words in said) + max(marks, default=0)


def side_words(turn: int, summary: bool) -> str:
    """For titles, routers and summaries. A summary replaces the conversation, so it carries the turn."""
    words = f"{SIDE_WORDS} [scripted turn {turn}]" if turn else SIDE_WORDS
    return f"<summary>{words}</summary>" if summary else words


def scenario(data: dict[str, Any]) -> Scenario:
    """{"steps": [{"write": {...}}, {"say": {...}, "bash": {...}}, {"usage": {...}}], "faults": [{"name": ...}]}"""
    _known("scenario", data, ("steps", "faults"))
    steps: list[Step] = []
    usage = Usage()
    for number, item in enumerate(data.get("steps", [])):
        where = f"steps[{number}]"
        _known(where, item, ("say", "think", "usage", *TOOLS))
        if "usage" in item:  # for this answer and all later ones
            _known(f"{where}.usage", item["usage"], ("input", "output", "cache_read", "cache_write"))
            usage = Usage(**item["usage"])
        if set(item) != {"usage"}:
            thought = _strings(f"{where}.think", item["think"], ("text",))["text"] if "think" in item else ""
            steps.append(replace(_step(where, item, usage), thought=thought))
    return Scenario(tuple(steps), tuple(_fault(n, item) for n, item in enumerate(data.get("faults", []))))


def _step(where: str, item: dict[str, Any], usage: Usage) -> Step:
    tools = [name for name in TOOLS if name in item]
    if len(tools) > 1:
        raise BadScenario(f"{where}: one tool a step, not {' and '.join(tools)}")
    words = _strings(f"{where}.say", item["say"], ("text",))["text"] if "say" in item else ""
    match tools:
        case ["write"]:
            return Step(words, "write", _strings(f"{where}.write", item["write"], ("path", "text")), usage)
        case ["bash"]:
            return Step(words, "bash", _strings(f"{where}.bash", item["bash"], ("command",)), usage)
        case ["mcp"]:
            _known(f"{where}.mcp", item["mcp"], ("server", "tool", "arguments"))
            if not item["mcp"].get("tool"):
                raise BadScenario(f"{where}.mcp: needs tool")
            return Step(words, "mcp", {"server": "", "arguments": {}, **item["mcp"]}, usage)
    return Step(words, usage=usage)


def _fault(number: int, item: dict[str, Any]) -> Fault:
    where = f"faults[{number}]"
    _known(where, item, ("name", "first", "turn", "retry_after", "resets_in", "side"))
    if item.get("name") not in FAULTS:
        raise BadScenario(f"{where}: unknown fault {item.get('name')!r}; known: {', '.join(FAULTS)}")
    return Fault(**item)


def _known(where: str, item: Any, names: Iterable[str]) -> None:
    if not isinstance(item, dict):
        raise BadScenario(f"{where}: a mapping is needed")
    if unknown := set(item) - set(names):
        raise BadScenario(f"{where}: unknown {', '.join(sorted(unknown))}; known: {', '.join(names)}")


def _strings(where: str, item: Any, names: tuple[str, ...]) -> dict[str, str]:
    _known(where, item, names)
    for name in names:
        if not isinstance(item.get(name), str):
            raise BadScenario(f"{where}: needs {name}, a text")
    return dict(item)
