"""Reads JSON lines from an agent: the last assistant message, usage, faults. Lines that are not JSON are passed over.

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

    def words(self) -> Words:
        return self._words

    def feed(self, line: str) -> None:
        if not line.lstrip().startswith("{"):
            return
        try:
            item = json.loads(line)
        except (ValueError, RecursionError):
            return
        reader = _READERS.get(item.get("type"))
        if reader:
            reader(self._words, item)


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
    tokens = _tokens(usage) if isinstance(usage, dict) else words.usage.tokens
    cost = _number(item.get("total_cost_usd")) or words.usage.cost_usd
    words.usage = Usage(tokens=tokens, cost_usd=cost)


def _usage(words: Words, item: dict[str, Any]) -> None:
    words.usage = replace(
        words.usage,
        tokens=words.usage.tokens + _tokens(item),
        cost_usd=words.usage.cost_usd + _number(item.get("cost_usd")),
    )


def _error(words: Words, item: dict[str, Any]) -> None:
    kind = item.get("kind")
    words.fault = cast("Fault", kind) if kind in get_args(Fault) else ""
    words.fault_text = str(item.get("text", ""))[:500]
    if "retry_after" in item:
        words.retry_after = _number(item["retry_after"])


def _say(words: Words, text: Any) -> None:
    if isinstance(text, str) and text.strip():
        bounded = TextReader()
        for line in text.splitlines():
            bounded.feed(line)
        words.said = bounded.words().said


def _tokens(usage: dict[str, Any]) -> int:
    return int(sum(_number(usage.get(key)) for key in ("input_tokens", "output_tokens")))


def _number(value: Any) -> float:
    """Figures from outside: anything odd counts as nothing."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return float(value) if 0 <= value < 1e15 else 0.0


_READERS = {
    "message": _message,
    "assistant": _assistant,
    "result": _result,
    "usage": _usage,
    "error": _error,
}
