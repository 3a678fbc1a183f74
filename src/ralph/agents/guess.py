"""Which reader fits what an agent prints: told from its first line, so that the wrong setting does no harm."""

from __future__ import annotations

from typing import Any

from ralph.agents.adapter import Reader, Words
from ralph.agents.command import TextReader
from ralph.agents.stream import parse
from ralph.core.policy import AgentPolicy


class GuessingReader:
    """With `output: text` the first line that is not empty decides. With `jsonl` the first JSON object does, and what
    comes before it is passed over, unless nothing else ever comes."""

    def __init__(self, policy: AgentPolicy) -> None:
        self._policy = policy
        self._text = TextReader()
        self._chosen: Reader | None = None

    def feed(self, line: str) -> None:
        if not self._chosen and line.strip():
            self._chosen = self._choose(parse(line))
        (self._chosen or self._text).feed(line)

    def _choose(self, item: dict[str, Any] | None) -> Reader | None:
        json_wanted = self._policy.output == "jsonl"
        if item is None:
            return None if json_wanted else self._text
        if known := _known_stream(item, self._policy):
            return known
        if json_wanted or item.get("type") in ("message", "assistant", "result"):
            from ralph.agents.jsonlines import JsonLinesReader

            return JsonLinesReader()
        return self._text

    def ended(self, code: int) -> None:
        (self._chosen or self._text).ended(code)

    def words(self) -> Words:
        return (self._chosen or self._text).words()


def _known_stream(item: dict[str, Any], policy: AgentPolicy) -> Reader | None:
    match item:
        case {"type": "system", "subtype": "init"}:
            from ralph.agents.claude import ClaudeReader

            return ClaudeReader()
        case {"type": "thread.started", "thread_id": _}:
            from ralph.agents.codex import CodexReader

            return CodexReader(policy)
        case {"type": "init", "session_id": _}:
            from ralph.agents.gemini import GeminiReader

            return GeminiReader()
        case {"type": "step_start" | "error", "sessionID": _}:
            from ralph.agents.opencode import OpencodeReader

            return OpencodeReader(policy)
    return None
