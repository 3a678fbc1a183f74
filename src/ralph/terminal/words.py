"""What may reach a terminal: one line, without characters that move the cursor, recolour or retitle it."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ralph.core import facts as f
from ralph.text import count

LONGEST = 2000


def one_line(text: str) -> str:
    """Words of agents, gates and prompts pass through here before they are shown."""
    shown = text if len(text) <= LONGEST else text[:LONGEST] + "..."
    if shown.isprintable():  # nearly always, and ten times as fast
        return shown
    return "".join(c if c.isprintable() or c in "\t\u00a0" else "⏎" if c == "\n" else "�" for c in shown)


ESTIMATE = "estimate"
NOT_REPORTED = "not reported"


def cost(usd: float, *, estimated: bool = False) -> str:
    """In cents; what is less than one as exactly as it needs."""
    if 0 < usd < 0.0005:
        shown = "<0.001 USD"
    else:
        shown = f"{usd:.3f} USD" if 0 < usd < 0.005 else f"{max(usd, 0.0):.2f} USD"
    return f"{shown} ({ESTIMATE})" if estimated and usd > 0 else shown


def spent(tokens: int, usd: float, *, estimated: bool) -> list[str]:
    """Tokens and cost, as far as they are known; nothing of an agent that tells neither."""
    told = [f"{tokens} tokens"] if tokens else []
    if usd:
        told.append(cost(usd, estimated=estimated))
    elif tokens:
        told.append(f"cost {NOT_REPORTED}")
    return told


def by_kind(x: f.Tokens) -> str:
    """Empty where nothing is known."""
    kinds = (
        (x.input, "in"),
        (x.output, "out"),
        (x.cache_read, "read from cache"),
        (x.cache_write, "written to cache"),
    )
    return ", ".join(f"{number} {name}" for number, name in kinds if number)


def fault_words(fault: str) -> str:
    """What keeps an agent from working, and what is waited for."""
    return fault.replace("-", " ")


def moment(at: str) -> str:
    """A moment of the journal in local time; with its day when that is not today."""
    when, today = datetime.fromisoformat(at).astimezone(), datetime.now().astimezone()
    return f"{when:%H:%M:%S}" if when.date() == today.date() else f"{when:%a %H:%M}"


Verdict = Literal["", "green", "red", "PASS", "FAIL", "no verdict", "could not run"]


def verdict(*, reviewer: bool, passed: bool, unclear: bool = False, fault: str = "") -> Verdict:
    if fault:
        return "could not run"
    if not reviewer:
        return "green" if passed else "red"
    return "no verdict" if unclear else "PASS" if passed else "FAIL"


def colour_of(word: str) -> Literal["", "green", "red", "yellow"]:
    """Few colours: what proves, what does not, what to look at."""
    return _COLOURS.get(word, "")


_COLOURS: dict[str, Literal["green", "red", "yellow"]] = {
    "green": "green",
    "PASS": "green",
    "red": "red",
    "FAIL": "red",
    "no verdict": "yellow",
    "could not run": "yellow",
}


def said(x: f.RunReviewed) -> str:
    """The verdict, and what there is to say besides the findings themselves."""
    if x.how == "interrupted":
        return "interrupted"
    word: str = verdict(reviewer=True, passed=x.passed, unclear=x.unclear, fault=x.fault)
    if x.unclear and x.headline:
        return f"{word}: {x.headline}"
    late = ", later than it should have" if x.timed_out == "soft" else ""
    return f"{word}{late}" + (f", {count(len(x.findings), 'finding')}" if x.findings else "")
