"""Readers of what an agent prints, as plain text or as a stream of JSON; and the fault in a status, an error text or exit code.

Faults are read only from what a CLI reports as an error, never from the agent's own words.
"""

from __future__ import annotations

import json
import re
import time
from collections import deque
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from ralph.agents.adapter import SAID_CHARS, Words
from ralph.core.facts import Fault, Retry, Tokens
from ralph.core.failures.excerpt import ESCAPES
from ralph.core.loop.signals import fence_after

TOO_LONG = "the prompt is too long for the model"

# The first that fits is the fault. Patterns are looked for in lower case.
_TEXTS: tuple[tuple[Fault, str], ...] = (
    (
        "quota",
        r"usage limit|hit your .{0,40}limit|session limit|(current|daily) quota|insufficient_quota|credit balance"
        r"|billing|quota exceeded|exceeded .{0,40}quota|out of credits",
    ),
    (
        "unusable",
        r"model.{0,80}(does not exist|not found|not supported|not available)|models/\S+ is not found"
        r"|issue with the selected model|unknown model|model_not_found|invalid model",
    ),
    (
        "credentials",
        r"\b40[13]\b|api.?key|unauthori[sz]ed|unauthenticated|authenticat|not logged in|log ?in again|/login"
        r"|credential|token (has )?expired|sign in",
    ),
    ("rate-limit", r"\b429\b|too many requests|rate.?limit|resource has been exhausted"),
    (
        "overload",
        r"\b5\d\d\b|overloaded|high demand|server error"
        r"|internal error|unavailable|stream disconnected|connection|network|econn|socket|fetch failed|timed? ?out"
        r"|terminated|temporar|try again later",
    ),
)
_OVERFLOW = (
    r"prompt is too long|context.?(window|length|overflow)|exceeds the maximum number of tokens|ran out of room"
    r"|input is too long|too many tokens"
)
_UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_SPAN = r"(\d+(?:\.\d+)?) ?(d(?:ays?)?|h(?:ours?)?|m(?:in(?:utes?)?)?|s(?:ec(?:onds?)?)?)\b"
_AT = r"\bat (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th)?, (\d{4}) )?(\d{1,2}):(\d{2}) ([AP])M"
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def fault_in_text(text: str) -> Fault:
    low = text.lower()[:2000]
    return next((fault for fault, pattern in _TEXTS if re.search(pattern, low)), "")


def fault_of_status(status: int, text: str = "") -> Fault:
    """An HTTP status, with the text that came along: a 429 is a passing limit or a used up quota."""
    if status in (401, 403):
        return "credentials"
    if status == 402:
        return "quota"
    if status == 404:
        return "unusable"
    if status == 429:
        return "quota" if fault_in_text(text) == "quota" else "rate-limit"
    return "overload" if status == 408 or 500 <= status < 600 else ""


def too_long(text: str) -> bool:
    return bool(re.search(_OVERFLOW, text.lower()[:2000]))


def seconds_until(text: str, now: float | None = None) -> float:
    """`try again at Nov 16th, 2026 12:18 AM`, `at 3:05 PM` (local time), `in 2 hours 5 minutes`; -1: no time is said."""
    now = time.time() if now is None else now
    if found := re.search(_AT, text):
        return max(0.0, _moment(found, now) - now)
    spans = _spans(re.split(r"\b(?:in|after)\b", text)[1:])
    return spans if spans > 0 else -1.0


def _moment(found: re.Match[str], now: float) -> float:
    """The end of the minute that is named: it is when the limit is surely over."""
    today = time.localtime(now)
    month, day, year, hour, minute, half = found.groups()
    at = int(hour) % 12 + (12 if half == "P" else 0)
    date = (today.tm_year, today.tm_mon, today.tm_mday)
    if month in _MONTHS:
        date = (int(year), _MONTHS.index(month) + 1, int(day))
    when = time.mktime((*date, at, int(minute), 59, 0, 0, -1))
    return when if month or when >= now else when + 86400


def _spans(texts: Iterable[str]) -> float:
    for text in texts:
        total, rest = 0.0, text.lstrip()
        while found := re.match(_SPAN, rest):
            total += float(found[1]) * _UNITS[found[2][0]]
            rest = rest[found.end() :].lstrip(" ,")
        if total:
            return total
    return 0.0


FAULT_CHARS = 500
_MODEL_CHARS = 100
_WHY_CHARS = 200
_LINE_CHARS = 1000  # so that the last lines always fit; a signal's line is short


class TextReader:
    """Keeps the last lines of plain text, each bounded, and knows whether they begin inside a code fence."""

    def __init__(self) -> None:
        self._tail: deque[str] = deque()
        self._chars = 0
        self._fence = ""  # open where the tail begins

    def feed(self, line: str) -> None:
        self._tail.append(_clean(line)[:_LINE_CHARS])
        self._chars += len(self._tail[-1]) + 1
        while self._chars > SAID_CHARS:
            gone = self._tail.popleft()
            self._chars -= len(gone) + 1
            self._fence = fence_after(self._fence, gone)

    def ended(self, code: int) -> None:
        """Text says nothing more at its end."""

    def words(self) -> Words:
        return Words(said="\n".join([self._fence, *self._tail] if self._fence else self._tail))


def bounded(text: str) -> str:
    """The end of a message, cleaned, with the fence in which it begins."""
    reader = TextReader()
    for line in text.splitlines():
        reader.feed(line)
    return reader.words().said


def _clean(line: str) -> str:
    """Without colours and titles, which a signal may wear, and without half characters, which the journal cannot hold."""
    bare = ESCAPES.sub("", line[: 2 * _LINE_CHARS])
    return bare.encode("utf-8", "replace").decode()


class StreamReader:
    """The frame of a reader: `item` gets each JSON object. Until the first one, lines are plain text: a CLI that cannot
    start says why without JSON."""

    def __init__(self) -> None:
        self._words = Words(structured=True, waiting=True)
        self._text: TextReader | None = TextReader()

    def feed(self, line: str) -> None:
        item = parse(line)
        if item is not None:
            self._text = None
            self.item(item)
        elif self._text:
            self._text.feed(line)

    def item(self, item: dict[str, Any]) -> None:
        raise NotImplementedError

    def ended(self, code: int) -> None:
        """Before its first JSON a CLI has only complained."""
        if code and self._text and (said := self._text.words().said.strip()):
            self.failed(fault_in_text(said), said)

    def words(self) -> Words:
        if self._text and (plain := self._text.words()).said.strip():
            plain.fault, plain.fault_text = self._words.fault, self._words.fault_text
            return plain
        return self._words

    def say(self, text: Any) -> None:
        """It speaks: whatever went wrong before, it got over it."""
        if isinstance(text, str) and text.strip():
            self._words.waiting = False
            self._words.said = bounded(text)
            self.recovered()

    def did(self) -> None:
        self._words.waiting = False
        self.recovered()

    def recovered(self) -> None:
        self._words.full = False
        self._words.retry = None
        self._words.fault, self._words.fault_text, self._words.retry_after = "", "", -1.0

    def retrying(self, attempt: int, most: int = 0, status: int = 0, why: str = "") -> None:
        """The CLI did not reach its model and says that it tries again."""
        found = re.search(r"\b[45]\d\d\b", why)
        shown = re.sub(r",? url: \S+", "", bounded(why).replace("\n", " "))[:_WHY_CHARS]
        self._words.retry = Retry(attempt, most, status or (int(found[0]) if found else 0), shown)

    def complained(self, message: str) -> None:
        """An error of which only the text is known."""
        self.failed(fault_in_text(message), message, seconds_until(message))

    def failed(self, fault: Fault, text: str, retry_after: float = -1.0) -> None:
        """A prompt that does not fit at the very start never will; later on it is the end of an iteration's room."""
        if too_long(text):
            self._words.full = not self._words.waiting
            fault = "" if self._words.full else "unusable"
            text = f"{TOO_LONG}: {text}"
        self._words.fault = fault
        self._words.fault_text = bounded(text)[:FAULT_CHARS]
        self._words.retry_after = retry_after if fault in ("quota", "rate-limit", "overload") else -1.0

    def uses(self, model: str) -> None:
        """It says which model works for it; an empty or made up name says nothing."""
        if model and not model.startswith("<"):
            self._words.usage = replace(self._words.usage, model=_clean(model)[:_MODEL_CHARS])

    def spent(self, used: dict[str, Tokens], cost: float = 0.0) -> None:
        """The figures so far, in all, by model. Without a price of the agent's own, the table's."""
        from ralph.agents import prices

        estimate = 0.0 if cost else sum(prices.cost(model, tokens) for model, tokens in used.items())
        split = sum(used.values(), Tokens())
        usage = replace(self._words.usage, tokens=split.all, cost_usd=cost or estimate, split=split)
        self._words.usage = usage
        self._words.cost_from = "agent" if cost else "table" if estimate else ""


def parse(line: str) -> dict[str, Any] | None:
    if not line.lstrip().startswith("{"):
        return None
    try:
        item = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return item if isinstance(item, dict) else None


_COMMENTS = r'(?s)("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])'


def parse_settings(text: str) -> dict[str, Any] | None:
    """JSON as people write it for agent CLIs: with comments and a comma too many. None: it is something else."""
    return parse(re.sub(_COMMENTS, lambda found: found[1] or "", text))


def part(item: Any, *path: str) -> dict[str, Any]:
    """The mapping at this place; empty where there is none."""
    for name in path:
        item = item.get(name) if isinstance(item, dict) else None
    return item if isinstance(item, dict) else {}


def text(item: dict[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""


def number(value: Any, *, odd: float = 0.0) -> float:
    """Figures from outside: anything odd counts as nothing said."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return odd
    return float(value) if 0 <= value < 1e15 else odd


def count(item: dict[str, Any], name: str) -> int:
    return int(number(item.get(name)))


def tokens(item: dict[str, Any], *names: str) -> Tokens:
    """`names`: of the input, the output, what was read from the cache and what was written to it."""
    return Tokens(*(count(item, name) for name in names))
