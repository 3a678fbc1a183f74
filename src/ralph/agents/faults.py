"""What went wrong with an agent, told from a status, a text or an exit code. Only for what a CLI reports as an error:
never for the agent's own words.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable

from ralph.core.facts import Fault

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
    (
        "overload",
        r"\b(429|5\d\d)\b|too many requests|rate.?limit|overloaded|resource has been exhausted|high demand|server error"
        r"|internal error|unavailable|stream disconnected|connection|network|econn|socket|fetch failed|timed? ?out"
        r"|terminated|temporar|try again later",
    ),
)
_OVERFLOW = re.compile(
    r"prompt is too long|context.?(window|length|overflow)|exceeds the maximum number of tokens|ran out of room"
    r"|input is too long|too many tokens"
)
_UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0}
_SPAN = re.compile(r"(\d+(?:\.\d+)?) ?(d(?:ays?)?|h(?:ours?)?|m(?:in(?:utes?)?)?|s(?:ec(?:onds?)?)?)\b")
_AT = re.compile(r"\bat (?:([A-Z][a-z]{2}) (\d{1,2})(?:st|nd|rd|th)?, (\d{4}) )?(\d{1,2}):(\d{2}) ([AP])M")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def by_text(text: str) -> Fault:
    low = text.lower()[:2000]
    return next((fault for fault, pattern in _TEXTS if re.search(pattern, low)), "")


def by_status(status: int, text: str = "") -> Fault:
    """An HTTP status, with the text that came along: a 429 is a passing limit or a used up quota."""
    if status in (401, 403):
        return "credentials"
    if status == 402:
        return "quota"
    if status == 404:
        return "unusable"
    if status == 429:
        return "quota" if by_text(text) == "quota" else "overload"
    return "overload" if status == 408 or 500 <= status < 600 else ""


def too_long(text: str) -> bool:
    return bool(_OVERFLOW.search(text.lower()[:2000]))


def seconds_until(text: str, now: float | None = None) -> float:
    """`try again at Nov 16th, 2026 12:18 AM`, `at 3:05 PM` (local time), `in 2 hours 5 minutes`; -1: no time is said."""
    now = time.time() if now is None else now
    if found := _AT.search(text):
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
        while found := _SPAN.match(rest):
            total += float(found[1]) * _UNITS[found[2][0]]
            rest = rest[found.end() :].lstrip(" ,")
        if total:
            return total
    return 0.0
