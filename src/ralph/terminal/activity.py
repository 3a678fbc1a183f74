"""What an agent does, in words for people, read from what it prints. Pure, and tolerant of anything.

Lines that are no JSON of a known shape are their own words. What comes out is hostile text like what went in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

LONGEST_READ = 1 << 18  # a longer line of JSON is not taken apart

# What tells most about a call of a tool, in this order.
_TELLING = (
    "command",
    "cmd",
    "file_path",
    "filePath",
    "path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
)


class Piece(msgspec.Struct, frozen=True):
    """One thing that an agent says or does: its words, the call of a tool, or what that gave."""

    kind: Literal["text", "call", "result", "error"]
    text: str = ""
    name: str = ""  # of a tool
    id: str = ""  # of a call, as the agent gives it
    given: Any = None  # to a tool

    @property
    def words(self) -> str:
        if self.kind == "call":
            return _tool(self.name, self.given)
        return f"error: {self.text}" if self.kind == "error" else self.text


def pieces(line: str) -> list[Piece]:
    """What the line consists of; a line of no known shape is text."""
    item = _object(line)
    return _read(item, True) if item is not None else [Piece("text", line)]


def activity(line: str) -> str:
    """The last thing that the line tells about what is being done; empty when it tells nothing of it."""
    item = _object(line)
    if item is None:
        return line.strip() if any(map(str.isalnum, line)) else ""  # rules and frames tell nothing
    told = [text for text in _told(item, results=False) if text.strip()]
    return told[-1].strip() if told else ""


def readable(line: str) -> list[str]:
    """All that the line tells, results of tools included; the line itself where its shape is not known."""
    item = _object(line)
    return (_told(item, results=True) if item is not None else []) or [line]


def _object(line: str) -> dict[str, Any] | None:
    if not line.lstrip().startswith("{"):
        return None
    if len(line) > LONGEST_READ:
        return {}
    try:
        item = msgspec.json.decode(line)
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) and isinstance(item.get("type"), str) else None


def _told(item: dict[str, Any], *, results: bool) -> list[str]:
    return [line for piece in _read(item, results) for line in piece.words.splitlines()]


def _read(item: dict[str, Any], results: bool) -> list[Piece]:
    read = _SHAPES.get(item.get("type", ""))
    return read(item, results) if read else []


def _blocks(item: dict[str, Any], results: bool) -> list[Piece]:
    """{"type": "assistant" | "user", "message": {"content": text or blocks}}"""
    content = _dict(item.get("message")).get("content")
    if isinstance(content, str):
        return [Piece("text", content)] if item["type"] == "assistant" else []
    found: list[Piece] = []
    for block in content if isinstance(content, list) else ():
        match block:
            case {"type": "text", "text": str(text)} if item["type"] == "assistant":
                found.append(Piece("text", text))
            case {"type": "thinking", "thinking": str(text)}:
                found.append(Piece("text", text))
            case {"type": "tool_use", "name": str(name)}:
                found.append(Piece("call", name=name, id=_id(block.get("id")), given=block.get("input")))
            case {"type": "tool_result", "content": content} if results:
                found += _said(_texts(content), "result", _id(block.get("tool_use_id")))
    return found


def _message(item: dict[str, Any], results: bool) -> list[Piece]:
    if item.get("role", "assistant") != "assistant":
        return []
    return _said(_texts(item.get("text")) or _texts(item.get("content")))


def _tool_use(item: dict[str, Any], results: bool) -> list[Piece]:
    """Of its own: {"tool_name", "parameters"}, or {"part": {"tool", "state": {"input", "output"}}}"""
    part = _dict(item.get("part"))
    if isinstance(part.get("tool"), str):
        state, id = _dict(part.get("state")), _id(part.get("callID"))
        call = Piece("call", name=part["tool"], id=id, given=state.get("input"))
        return [call, *(_said(_texts(state.get("output")), "result", id) if results else ())]
    name, id = item.get("tool_name", item.get("name")), _id(item.get("tool_id", item.get("id")))
    given = item.get("parameters", item.get("input"))
    return [Piece("call", name=name, id=id, given=given)] if isinstance(name, str) else []


def _tool_result(item: dict[str, Any], results: bool) -> list[Piece]:
    texts = _texts(item.get("output")) or _texts(item.get("content"))
    return _said(texts, "result", _id(item.get("tool_id", item.get("id")))) if results else []


def _part(item: dict[str, Any], results: bool) -> list[Piece]:
    return _said(_texts(_dict(item.get("part")).get("text")))


def _item(item: dict[str, Any], results: bool) -> list[Piece]:
    """{"type": "item.started" | "item.completed", "item": {"type": ...}}"""
    done = item["type"] == "item.completed"
    id = _id(_dict(item.get("item")).get("id"))
    match _dict(item.get("item")):
        case {"type": "agent_message" | "reasoning" | "error", "text": str(text)}:
            return [Piece("text", text)]
        case {"type": "error", "message": str(text)}:
            return [Piece("text", text)]
        case {"type": "command_execution", "command": str(command), **rest}:
            if not done:
                return [Piece("call", name="", id=id, given={"command": command})]
            return _said(_texts(rest.get("aggregated_output")), "result", id) if results else []
        case {"type": "mcp_tool_call", "tool": str(tool), **rest}:
            return [Piece("call", name=tool, id=id, given=rest.get("arguments"))] if not done else []
        case {"type": "file_change", "changes": list(changes)}:
            paths = [c["path"] for c in changes if isinstance(c, dict) and isinstance(c.get("path"), str)]
            return [Piece("call", name="edit", id=id, given={"path": " ".join(paths)})]
    return []


def _result(item: dict[str, Any], results: bool) -> list[Piece]:
    return _said(_texts(item.get("result")))


def _error(item: dict[str, Any], results: bool) -> list[Piece]:
    return _said(_texts(item.get("text")) or _texts(item.get("message")), "error")


def _said(texts: list[str], kind: Literal["text", "result", "error"] = "text", id: str = "") -> list[Piece]:
    return [Piece(kind, text, id=id) for text in texts]


def _id(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _tool(name: str, given: Any) -> str:
    """Its name and the first line of what tells most about the call."""
    texts = {key: value for key, value in _dict(given).items() if isinstance(value, str) and value.strip()}
    telling = next((texts[key] for key in _TELLING if key in texts), next(iter(texts.values()), ""))
    return " ".join(part for part in ("tool:", name, telling.strip().partition("\n")[0]) if part)


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content] if content.strip() else []
    blocks = content if isinstance(content, list) else ()
    return [b["text"] for b in blocks if isinstance(b, dict) and isinstance(b.get("text"), str)]


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


_SHAPES: dict[str, Callable[[dict[str, Any], bool], list[Piece]]] = {
    "assistant": _blocks,
    "user": _blocks,
    "message": _message,
    "result": _result,
    "error": _error,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "text": _part,
    "item.started": _item,
    "item.completed": _item,
}
