"""Reads JSON lines from an agent: the last assistant message, usage, faults. Lines that are not JSON are passed over;
an agent that prints no JSON at all is read as plain text.

Understood: {"type":"message","role":"assistant","text":...}, {"type":"usage","input_tokens":..,"output_tokens":..,
"cost_usd":..} (summed), {"type":"error","kind":"quota|overload|credentials|unusable","text":..,"retry_after":..};
and the common shape {"type":"assistant","message":{"content":[{"type":"text","text":..}]}} with a final
{"type":"result","result":..,"usage":{..},"total_cost_usd":..}, whose figures are totals.
"""

from __future__ import annotations

import json
from typing import Any, cast, get_args

from msgspec.structs import replace

from ralph.agents.adapter import Words
from ralph.agents.command import TextReader
from ralph.core.facts import Fault, Usage


class JsonLinesReader:
    def __init__(self) -> None:
        self._words = Words(structured=True)
        self._text: TextReader | None = (
            TextReader()
        )  # until the first object: perhaps it speaks plain text after all

    def words(self) -> Words:
        return self._text.words() if self._text else self._words

    def feed(self, line: str) -> None:
        item = _object(line)
        if item is None:
            if self._text:
                self._text.feed(line)
            return
        self._text = None
        kind = item.get("type")
        reader = _READERS.get(kind) if isinstance(kind, str) else None
        if reader:
            reader(self._words, item)


def _object(line: str) -> dict[str, Any] | None:
    if not line.lstrip().startswith("{"):
        return None
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) else None


def _message(words: Words, item: dict[str, Any]) -> None:
    if item.get("role", "assistant") == "assistant":
        _say(words, item.get("text"))


def _assistant(words: Words, item: dict[str, Any]) -> None:
    message = item.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        _say(words, content)
    elif isinstance(content, list):
        texts = [c.get("text") for c in content if isinstance(c, dict) and c.get("type") == "text"]
        _say(words, "\n".join(t for t in texts if isinstance(t, str)))


def _result(words: Words, item: dict[str, Any]) -> None:
    _say(words, item.get("result"))
    usage = item.get("usage")
    # Totals: never less than what was counted on the way.
    words.usage = Usage(
        tokens=max(words.usage.tokens, _tokens(usage) if isinstance(usage, dict) else 0),
        cost_usd=max(words.usage.cost_usd, _number(item.get("total_cost_usd"))),
    )


def _usage(words: Words, item: dict[str, Any]) -> None:
    words.usage = replace(
        words.usage,
        tokens=words.usage.tokens + _tokens(item),
        cost_usd=words.usage.cost_usd + _number(item.get("cost_usd")),
    )


def _error(words: Words, item: dict[str, Any]) -> None:
    kind = item.get("kind")
    words.fault = cast("Fault", kind) if kind in get_args(Fault) else ""
    words.fault_text = _bounded(str(item.get("text", ""))[:500])
    words.retry_after = _number(item.get("retry_after"), odd=-1.0)


def _say(words: Words, text: Any) -> None:
    if isinstance(text, str) and text.strip():
        words.said = _bounded(text)
        words.fault, words.fault_text, words.retry_after = "", "", -1.0  # it speaks again: it got over it


def _bounded(text: str) -> str:
    reader = TextReader()
    for line in text.splitlines():
        reader.feed(line)
    return reader.words().said


def _tokens(usage: dict[str, Any]) -> int:
    return int(sum(_number(usage.get(key)) for key in ("input_tokens", "output_tokens")))


def _number(value: Any, *, odd: float = 0.0) -> float:
    """Figures from outside: anything odd counts as nothing said."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return odd
    return float(value) if 0 <= value < 1e15 else odd


_READERS = {
    "message": _message,
    "assistant": _assistant,
    "result": _result,
    "usage": _usage,
    "error": _error,
}
