"""What the wire formats share: a request and an answer in one set of words, and the seam of a format."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from model.script import Fault, Usage

Json = dict[str, Any]


@dataclass(frozen=True)
class Tool:
    """A tool that the CLI offers. `kind` is the format's own: function, custom, namespace ..."""

    name: str
    kind: str = "function"
    parameters: tuple[str, ...] = ()
    namespace: str = ""


@dataclass(frozen=True)
class Ask:
    """One request. `said` are the assistant's messages without a tool call; `searches` were for hidden tools."""

    model: str
    stream: bool
    tools: tuple[Tool, ...] = ()
    results: int = 0
    searches: int = 0
    said: tuple[str, ...] = ()
    system: str = ""
    prompt: str = ""
    wants_words: bool = False

    @property
    def side(self) -> bool:
        """Not a turn of the work: a title, a router, a summary of what is to be compacted away."""
        return self.wants_words or not self.tools


@dataclass(frozen=True)
class Call:
    """A tool call; `arguments` is text for a tool that takes free text."""

    tool: Tool
    arguments: Json | str
    id: str


@dataclass(frozen=True)
class Reply:
    words: str
    call: Call | None = None
    usage: Usage = field(default_factory=Usage)
    id: str = "0"
    thought: str = ""


@dataclass(frozen=True)
class Failure:
    """An error answer. With `events` it is told inside a stream that began well."""

    status: int
    body: Json
    headers: dict[str, str] = field(default_factory=dict)
    events: tuple[bytes, ...] = ()


class Wire(Protocol):
    """One wire format."""

    def read(self, body: Json, path: str) -> Ask: ...

    def whole(self, ask: Ask, reply: Reply) -> Json:
        """The answer in one piece."""

    def events(self, ask: Ask, reply: Reply) -> list[bytes]:
        """The same answer as server-sent events."""

    def failure(self, ask: Ask, fault: Fault, now: int) -> Failure: ...


def event(data: Json, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def halves(text: str) -> Iterable[str]:
    """A text comes in two pieces, so that a cut stream cuts it."""
    middle = (len(text) + 1) // 2
    return [piece for piece in (text[:middle], text[middle:]) if piece]


def texts(content: Any, *kinds: str) -> str:
    """The text of a content that is a string or a list of typed parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, dict) and (not kinds or part.get("type") in kinds)]
    return "\n".join(str(part["text"]) for part in parts if isinstance(part.get("text"), str))
