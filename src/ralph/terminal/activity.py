"""What one line of an agent's output says: its words, the call of a tool, a result, an error, a retry. Pure, and tolerant
of anything.

One reader for the streams of all agent CLIs. A line that is not JSON of a stream is the agent's own words. What comes out is
hostile text like what went in.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from typing import Any, Literal

import msgspec

LONGEST_READ = 1 << 18  # a longer line of JSON is not taken apart

PieceKind = Literal["text", "thinking", "call", "result", "error", "retry", "notice"]

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
# Lines of a stream that hold nothing for a reader: sessions, turns, figures.
_SILENT = frozenset(
    (
        "system",
        "init",
        "user",
        "assistant",
        "message",
        "result",
        "rate_limit_event",
        "stream_event",
        "usage",
        "thread.started",
        "turn.started",
        "turn.completed",
        "turn.failed",
        "step_start",
        "step_finish",
        "tool_result",
        "item.started",
        "item.updated",
        "item.completed",
    )
)
_SHELL = re.compile(r"(?:/\S*/)?(?:ba|z|da)?sh -l?c (?P<quote>['\"]?)(?P<command>.*)(?P=quote)", re.DOTALL)
_MCP = re.compile(r"mcp__(?P<server>.+?)__(?P<tool>.+)")  # how Claude Code names the tools of a server
_RECONNECTING = re.compile(r"Reconnecting\.\.\. (?P<n>\d+)/(?P<of>\d+)(?: \((?P<why>.*)\))?", re.DOTALL)


class Piece(msgspec.Struct, frozen=True):
    """One thing that an agent says or does."""

    kind: PieceKind
    text: str = ""
    name: str = ""  # of a tool
    id: str = ""  # of a call, as the agent gives it
    given: Any = None  # to a tool
    ok: bool | None = None  # of a result; None: the agent does not say
    seconds: float = -1.0  # that a call took, where the agent says so
    at: float = 0.0  # seconds since 1970; 0: the line does not say
    partial: bool = False  # the text continues with the next piece
    plain: bool = False  # a line that is not of a stream
    last: bool = False  # the agent's last words once more
    helper: bool = False  # of a helper that the agent started

    @property
    def words(self) -> str:
        if self.kind == "call":
            return call_words(self.name, self.given)
        return f"error: {self.text}" if self.kind == "error" else self.text


def pieces(line: str) -> list[Piece]:
    """What the line consists of; a line that is not of a stream is text."""
    item = _object(line)
    if item is None:
        return [Piece("text", line, plain=True)]
    if not item:
        return [Piece("notice", f"a line of {len(line):,} characters is not shown")]
    at, helper = _moment(item.get("timestamp")), bool(item.get("parent_tool_use_id"))
    return [msgspec.structs.replace(piece, at=piece.at or at, helper=helper) for piece in _read(item)]


def activity(line: str) -> str:
    """The last thing that the line tells about what is being done; empty when it tells nothing of it."""
    item = _object(line)
    if item is None:
        return line.strip() if any(map(str.isalnum, line)) else ""  # rules and frames tell nothing
    shown = [piece.words.strip() for piece in _read(item) if piece.kind not in ("result", "notice")]
    told = [line for words in shown for line in words.splitlines() if line.strip()]
    return told[-1].strip() if told else ""


def call_words(name: str, given: Any) -> str:
    """The tool's name and the first line of what tells most about the call."""
    texts = {key: value for key, value in _dict(given).items() if isinstance(value, str) and value.strip()}
    telling = next((texts[key] for key in _TELLING if key in texts), next(iter(texts.values()), ""))
    called = _MCP.fullmatch(name)
    short = f"{called['server']}.{called['tool']}" if called else name
    return " ".join(part for part in (short, telling.strip().partition("\n")[0]) if part)


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


def _read(item: dict[str, Any]) -> list[Piece]:
    kind = item.get("type", "")
    found = _SHAPES[kind](item) if kind in _SHAPES else []
    if found or kind in _SILENT or not kind:
        return found
    return [Piece("notice", call_words(kind, item | {"type": None}))]


# -- Claude Code, and what is shaped like it -----------------------------------------------------------


def _blocks(item: dict[str, Any]) -> list[Piece]:
    """{"type": "assistant" | "user", "message": {"content": text or blocks}}"""
    content, speaks = _dict(item.get("message")).get("content"), item["type"] == "assistant"
    if item.get("is_api_error_message"):
        return _said(_texts(content), "error")
    if isinstance(content, str):
        return [Piece("text", content)] if speaks else []
    found: list[Piece] = []
    for block in content if isinstance(content, list) else ():
        match block:
            case {"type": "text", "text": str(text)} if speaks:
                found.append(Piece("text", text))
            case {"type": "thinking", "thinking": str(text)}:
                found.append(Piece("thinking", text))
            case {"type": "tool_use", "name": str(name)}:
                found.append(Piece("call", name=name, id=_id(block.get("id")), given=block.get("input")))
            case {"type": "tool_result"}:
                text = "\n".join(_texts(block.get("content")))
                ok = not block.get("is_error")
                found.append(Piece("result", text, id=_id(block.get("tool_use_id")), ok=ok))
    return found


def _system(item: dict[str, Any]) -> list[Piece]:
    match item.get("subtype"):
        case "init" if model := _id(item.get("model")):
            return [Piece("notice", f"model {model}")]
        case "api_retry":
            why = [_number(item.get("error_status")), _id(item.get("error")).replace("_", " ")]
            return [_retry(item.get("attempt"), item.get("max_retries"), " ".join(filter(None, why)))]
        case "compact_boundary":
            return [Piece("notice", "its context was compacted")]
    return []


def _rate_limit(item: dict[str, Any]) -> list[Piece]:
    info = _dict(item.get("rate_limit_info"))
    if info.get("status") != "rejected":
        return []
    resets = _moment(info.get("resetsAt"))
    until = f" until {datetime.fromtimestamp(resets).astimezone():%a %H:%M}" if resets else ""
    return [Piece("error", f"rate limit{until}")]


def _result(item: dict[str, Any]) -> list[Piece]:
    """Claude Code repeats its last words; Gemini says how it ended."""
    if item.get("status") == "error":
        return _said(_texts(_dict(item.get("error")).get("message")), "error")
    kind: PieceKind = "error" if item.get("is_error") else "text"
    return [msgspec.structs.replace(piece, last=True) for piece in _said(_texts(item.get("result")), kind)]


# -- Gemini CLI, opencode, and agents of no brand --------------------------------------------------------


def _init(item: dict[str, Any]) -> list[Piece]:
    return [Piece("notice", f"model {item['model']}")] if isinstance(item.get("model"), str) else []


def _message(item: dict[str, Any]) -> list[Piece]:
    if item.get("role", "assistant") != "assistant":
        return []
    content = item.get("content")
    if item.get("delta") and isinstance(content, str):
        return [Piece("text", content, partial=True)]
    return _said(_texts(item.get("text")) or _texts(content))


def _tool_use(item: dict[str, Any]) -> list[Piece]:
    """{"tool_name", "parameters"}, or with its result {"part": {"tool", "state": {"input", "output"}}}"""
    part = _dict(item.get("part"))
    if isinstance(part.get("tool"), str):
        state, id = _dict(part.get("state")), _id(part.get("callID"))
        call = Piece("call", name=part["tool"], id=id, given=state.get("input"))
        if state.get("status") not in ("completed", "error"):
            return [call]
        time, code = _dict(state.get("time")), _dict(state.get("metadata")).get("exit")
        began, ended = _moment(time.get("start")), _moment(time.get("end"))
        text = "\n".join(_texts(state.get("output")) or _texts(state.get("error")))
        ok = state["status"] == "completed" and not (isinstance(code, int) and code)
        took = ended - began if ended >= began > 0 else -1.0
        return [msgspec.structs.replace(call, at=began), Piece("result", text, id=id, ok=ok, seconds=took)]
    name, id = item.get("tool_name", item.get("name")), _id(item.get("tool_id", item.get("id")))
    given = item.get("parameters", item.get("input"))
    return [Piece("call", name=name, id=id, given=given)] if isinstance(name, str) else []


def _tool_result(item: dict[str, Any]) -> list[Piece]:
    error = _texts(_dict(item.get("error")).get("message"))
    text = "\n".join(_texts(item.get("output")) or _texts(item.get("content")) or error)
    ok = {"success": True, "error": False}.get(str(item.get("status")))
    return [Piece("result", text, id=_id(item.get("tool_id", item.get("id"))), ok=ok)]


def _part(item: dict[str, Any]) -> list[Piece]:
    return _said(_texts(_dict(item.get("part")).get("text")))


def _thought(item: dict[str, Any]) -> list[Piece]:
    return _said(_texts(_dict(item.get("part")).get("text")), "thinking")


def _error(item: dict[str, Any]) -> list[Piece]:
    """In words, as {"message": ...}, or as {"error": {"name", "data": {"message"}}}"""
    texts = _texts(item.get("text")) or _texts(item.get("message"))
    if texts and (found := _RECONNECTING.match(texts[0])):
        return [_retry(int(found["n"]), int(found["of"]), found["why"] or "")]
    error = _dict(item.get("error"))
    named = _texts(_dict(error.get("data")).get("message")) or _texts(error.get("message"))
    return _said(texts or named or _texts(error.get("name")), "error")


# -- Codex ---------------------------------------------------------------------------------------------


def _item(item: dict[str, Any]) -> list[Piece]:
    """{"type": "item.started" | "item.completed", "item": {"type": ...}}"""
    done, what = item["type"] == "item.completed", _dict(item.get("item"))
    id, kind = _id(what.get("id")), _id(what.get("type"))
    match kind:
        case "agent_message" | "reasoning":
            return _said(_texts(what.get("text")), "text" if kind == "agent_message" else "thinking")
        case "error":  # a notice: it continues
            return _said(_texts(what.get("message")) or _texts(what.get("text")), "notice")
        case "":
            return []
    read = _ITEMS.get(kind)
    name, given, text, ok = read(what) if read else (kind, what | {"type": None, "id": None}, "", None)
    if not done:
        return [Piece("call", name=name, id=id, given=given)]
    status = {"completed": True, "failed": False, "declined": False}.get(str(what.get("status")))
    # A call that is reported only when it is over was never begun: whoever pairs them needs both.
    return [Piece("result", text, name=name, id=id, given=given, ok=ok if ok is not None else status)]


def _command_execution(what: dict[str, Any]) -> tuple[str, Any, str, bool | None]:
    command, code = _id(what.get("command")), what.get("exit_code")
    found = _SHELL.fullmatch(command)
    text = "\n".join(_texts(what.get("aggregated_output")))
    ok = code == 0 if isinstance(code, int) else None
    return "shell", {"command": found["command"] if found else command}, text, ok


def _mcp_tool_call(what: dict[str, Any]) -> tuple[str, Any, str, bool | None]:
    name = ".".join(filter(None, (_id(what.get("server")), _id(what.get("tool")))))
    result, error = _dict(what.get("result")), _dict(what.get("error"))
    text = "\n".join(_texts(result.get("content")) or _texts(error.get("message")))
    return name, what.get("arguments"), text, None


def _file_change(what: dict[str, Any]) -> tuple[str, Any, str, bool | None]:
    changes = what.get("changes")
    listed = [c for c in changes if isinstance(c, dict)] if isinstance(changes, list) else []
    paths = [c["path"] for c in listed if isinstance(c.get("path"), str)]
    return "edit", {"path": " ".join(paths)}, "", None


_ITEMS: dict[str, Callable[[dict[str, Any]], tuple[str, Any, str, bool | None]]] = {
    "command_execution": _command_execution,
    "mcp_tool_call": _mcp_tool_call,
    "file_change": _file_change,
}


# -- what they share -----------------------------------------------------------------------------------


def _retry(attempt: Any, most: Any, why: str) -> Piece:
    of = "/".join(filter(None, (_number(attempt), _number(most))))
    return Piece("retry", f"retry {of}".rstrip() + (f": {why}" if why else ""))


def _said(texts: list[str], kind: PieceKind = "text") -> list[Piece]:
    return [Piece(kind, text) for text in texts]


def _id(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any) -> str:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else ""


def _moment(value: Any) -> float:
    """Text, seconds or milliseconds since 1970; 0 for anything else."""
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError):
            return 0.0
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e14:
        return 0.0
    return value / 1000 if value > 1e11 else float(value)


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content] if content.strip() else []
    blocks = content if isinstance(content, list) else ()
    return [b["text"] for b in blocks if isinstance(b, dict) and isinstance(b.get("text"), str)]


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


_SHAPES: dict[str, Callable[[dict[str, Any]], list[Piece]]] = {
    "assistant": _blocks,
    "user": _blocks,
    "system": _system,
    "rate_limit_event": _rate_limit,
    "result": _result,
    "init": _init,
    "message": _message,
    "error": _error,
    "turn.failed": _error,
    "tool_use": _tool_use,
    "tool_result": _tool_result,
    "text": _part,
    "reasoning": _thought,
    "item.started": _item,
    "item.completed": _item,
}
