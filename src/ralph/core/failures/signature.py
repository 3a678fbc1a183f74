"""Is it the same failure as before? A hash that stays when only noise changed, and changes when the failure did."""

from __future__ import annotations

import re

from ralph.core.failures.failure_lines import FailureLine, failure_lines, telling_lines
from ralph.core.failures.normalize import without_noise
from ralph.text import digest, single_spaced

MAX_HEADLINE = 160
_FIRST_LINES, _LAST_LINES = 200, 400  # of an output in which no failure is recognised

_VALUES = re.compile(
    r"^(?:expected|received|actual|left|right|got|want)\b[\w ]{0,20}[:=]|^[-+](?!\s*(?:expected|received))\s*\S",
    re.IGNORECASE,
)
_COMPARES = re.compile(r"[!=]==?|\bassert\b|\b(?:expected|got|want)\b", re.IGNORECASE)
_COMPILER = re.compile(r"(?:^|[ :])error(?:\[\w+\])?(?:: | [A-Z]+\d+: )")
_BLAMES = re.compile(r"Error|Exception|error\b|panic|fail|not found|No such|undefined|cannot", re.IGNORECASE)
_COMPLAINS = re.compile(
    r"\b(?:error|fail(?:ed|ure|s)?|missing|not|cannot|can't|wrong|invalid|expected|unexpected|denied|refused)\b",
    re.IGNORECASE,
)


def error_hash(output: str, exit_code: int, gate: str) -> str:
    """Eight hex characters. The order of the failures, and what passed, make no difference."""
    failures = failure_lines(output)
    essential = {without_noise(line.text) for line in failures}
    if all(line.role == "hint" for line in failures):
        lines = telling_lines(output)
        if len(lines) > _FIRST_LINES + _LAST_LINES:
            lines = lines[:_FIRST_LINES] + lines[-_LAST_LINES:]
        essential = {without_noise(line) for line in lines}
    return digest(gate, str(exit_code), *sorted(essential))


def headline(output: str) -> str:
    """The one line that best says what failed; empty only when there is nothing to say."""
    failures = failure_lines(output)
    if not failures:
        return _shortened(_complaint(telling_lines(output)))
    name, messages = _first_failure(failures)
    message = _best(messages)
    return _shortened(": ".join(part for part in (name, message) if part))


def _first_failure(failures: tuple[FailureLine, ...]) -> tuple[str, list[str]]:
    """The first name that has messages, with them; else whatever there is."""
    name, messages = "", list[str]()
    for line in failures:
        if line.role in ("message", "hint"):
            messages.append(line.text)
        elif messages:
            break
        else:
            name = line.text
    return name, messages


def _best(messages: list[str]) -> str:
    if not messages:
        return ""
    at = max(range(len(messages)), key=lambda n: (_worth(messages[n]), -n))
    if not _VALUES.match(messages[at]) and "`left" not in messages[at]:
        return messages[at]
    values = (text for text in messages[at + 1 : at + 4] if _VALUES.match(text))
    return ", ".join([messages[at], *values])


def _worth(message: str) -> int:
    """A comparison or a compiler's word says most, then a named error, then a line of a difference."""
    if message.endswith(":") or message.startswith(("expect(", "- Expected", "+ Received", "+ expected")):
        return 0
    if _COMPARES.search(message) or _COMPILER.search(message):
        return 4
    if _BLAMES.search(message):
        return 3
    return 2 if _VALUES.match(message) else 1


def _complaint(lines: list[str]) -> str:
    return next((line for line in lines if _COMPLAINS.search(line)), lines[-1] if lines else "").strip()


def _shortened(text: str) -> str:
    text = single_spaced(text)
    return text if len(text) <= MAX_HEADLINE else text[: MAX_HEADLINE - 1].rstrip() + "…"
