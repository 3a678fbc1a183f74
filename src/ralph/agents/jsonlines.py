"""Reads JSON lines from an agent: the last assistant message, usage, faults. Lines that are not JSON are passed over;
an agent that prints no JSON at all is read as plain text.

Understood: {"type":"message","role":"assistant","text":...}, {"type":"usage","input_tokens":..,"output_tokens":..,
"cost_usd":..} (summed), {"type":"error","kind":"quota|overload|credentials|unusable","text":..,"retry_after":..};
and the shape of Claude Code, {"type":"assistant","message":{"content":[{"type":"text","text":..}]}} with a final
{"type":"result","result":..,"usage":{..},"total_cost_usd":..}, whose figures are totals.
"""

from __future__ import annotations

from typing import Any, cast, get_args

from msgspec.structs import replace

from ralph.agents.adapter import Words
from ralph.agents.claude import ClaudeReader
from ralph.agents.command import bounded
from ralph.agents.stream import FAULT_CHARS, count, number
from ralph.core.facts import Fault, Usage


class JsonLinesReader(ClaudeReader):
    def __init__(self) -> None:
        super().__init__()
        self._summed = Usage()

    def item(self, item: dict[str, Any]) -> None:
        match item.get("type"):
            case "message":
                if item.get("role", "assistant") == "assistant":
                    self.say(item.get("text"))
            case "usage":
                self._summed = Usage(
                    tokens=self._summed.tokens + count(item, "input_tokens") + count(item, "output_tokens"),
                    cost_usd=self._summed.cost_usd + number(item.get("cost_usd")),
                )
            case "error":
                self._error(item)
            case _:
                super().item(item)
        self._never_less()

    def _error(self, item: dict[str, Any]) -> None:
        kind = item.get("kind")
        self._words.fault = cast("Fault", kind) if kind in get_args(Fault) else ""
        self._words.fault_text = bounded(str(item.get("text", ""))[:FAULT_CHARS])
        self._words.retry_after = number(item.get("retry_after"), odd=-1.0)

    def words(self) -> Words:
        """What its other lines say is not known: it may well be at work."""
        return replace(super().words(), waiting=False)

    def _never_less(self) -> None:
        """A total is never less than what was counted on the way."""
        now, summed = self._words.usage, self._summed
        if summed.cost_usd > now.cost_usd:
            self._words.cost_from = "agent"
        self._words.usage = Usage(max(now.tokens, summed.tokens), max(now.cost_usd, summed.cost_usd))
