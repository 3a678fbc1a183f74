"""What may differ between a golden file and what is found now, and what not.

JSON: every recorded key has its recorded value; keys may be added. Texts for people, in JSON and elsewhere, are compared by
the facts that they hold: ids, names, ends, verdicts, commands and numbers, in their order and line by line. Words may change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from html.parser import HTMLParser
from typing import Any

# Keys of `--json` whose values are sentences.
WORDS = frozenset(
    (
        "reason",
        "next",
        "about",
        "why",
        "detail",
        "text",
        "warnings",
        "quality_warnings",
        "stuck",
        "landed_note",
    )
)
VERSION = ".ralph_report"  # the version that made a report: there must be one
ENDS = (
    *("completed-verified", "completed-unverified", "needs-review", "blocked-on-person", "agent-unusable"),
    *("no-route", "failed", "stuck", "limit", "quota", "stopped", "cancelled", "interrupted"),
)
VERDICTS = ("red→green", "green→green", "red", "green", "flaky", "PASS", "FAIL")
_OTHER = (
    r"@[a-z]+\d*@",  # what a normalised text numbers
    r"\d{8}-\d{6}-[0-9a-f]{4}",
    r"(?<![\w.])(?=[0-9a-f]*\d)[0-9a-f]{7,64}(?!\w)",
    r"ralph [a-z]+(?: --[a-z-]+)*",
    r"\d+(?:[.,:]\d+)*",
)
_MOMENT = re.compile(
    r"\b(?:\d{4}-\d\d-\d\d )?(\d\d:\d\d)(?::\d\d)?\b"
)  # today without its date, else without seconds


class Facts:
    """`names`: of tasks, gates, hats and what else has a name of its own in a scenario."""

    def __init__(self, names: Iterable[str]) -> None:
        known = sorted({*names, *ENDS, *VERDICTS}, key=lambda name: (-len(name), name))
        words = "|".join(re.escape(name) for name in known)
        self._pattern = re.compile(rf"(?<![\w-])(?:{words})(?![\w-])|" + "|".join(_OTHER))

    def of(self, text: str) -> tuple[str, ...]:
        return tuple(self._pattern.findall(_MOMENT.sub(r"\1", text)))

    def lines(self, text: str) -> list[tuple[str, ...]]:
        """Of each line that has any; a line that is indented goes on with the one before it."""
        joined: list[str] = []
        for line in text.splitlines():
            if line[:1].isspace() and joined:
                joined[-1] += " " + line.strip()
            else:
                joined.append(line)
        return [facts for line in joined if (facts := self.of(line))]


def differences(golden: Any, found: Any, facts: Facts | None = None, at: str = "") -> list[str]:
    """Where something recorded is not there any more. With `facts`, sentences are compared by them."""
    if at == VERSION:
        return [] if isinstance(found, str) and found else [f"{at}: is {found!r}"]
    if facts and at.rpartition(".")[2] in WORDS:
        if bool(golden) != bool(found):
            return [f"{at}: {golden!r} was recorded, {found!r} is found"]
        mine, theirs = _flat(golden), _flat(found)
        return (
            [] if _within(facts.of(mine), facts.of(theirs)) else [f"{at}: {mine!r} says more than {theirs!r}"]
        )
    if isinstance(golden, dict) and isinstance(found, dict):
        lost = [f"{at}.{key}: is gone; {golden[key]!r} was recorded" for key in golden if key not in found]
        both = [key for key in golden if key in found]
        return lost + [d for key in both for d in differences(golden[key], found[key], facts, f"{at}.{key}")]
    if isinstance(golden, list) and isinstance(found, list):
        if len(golden) != len(found):
            return [f"{at}: {len(golden)} were recorded, {len(found)} are found"]
        pairs = enumerate(zip(golden, found, strict=True))
        return [d for n, (a, b) in pairs for d in differences(a, b, facts, f"{at}[{n}]")]
    same = golden == found and type(golden) is type(found)
    return [] if same else [f"{at}: {golden!r} was recorded, {found!r} is found"]


def _flat(value: Any) -> str:
    return "\n".join(map(str, value)) if isinstance(value, list) else str(value)


def _within(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether all of it is there in this order."""
    rest = iter(whole)
    return all(one in rest for one in part)


def text_differences(golden: str, found: str, facts: Facts, *, ordered: bool = True) -> list[str]:
    """Line by line: every fact of the golden text, in its order. A text of as many lines must have each in its place."""
    before, now = facts.lines(golden), facts.lines(found)
    if not ordered:
        before, now = sorted(before), sorted(now)
    if len(before) == len(now):
        return [
            f"line {n}: {' '.join(a)} was recorded, {' '.join(b)} is found"
            for n, (a, b) in enumerate(zip(before, now, strict=True), 1)
            if not _within(a, b)
        ]
    rest = iter(now)
    for n, line in enumerate(before, 1):
        if not any(_within(line, other) for other in rest):
            return [f"line {n} of {len(before)}: {' '.join(line)} is not there, or not in this place"]
    return []


def markdown_differences(golden: str, found: str, facts: Facts) -> list[str]:
    """Also its headings and tables, one after the other, by their kind."""

    def shape(text: str) -> list[str]:
        kinds = [re.match(r"#+(?= )|\|(?=-+:?\|)|\|(?=-)", line) for line in text.splitlines()]
        return [kind[0] for kind in kinds if kind]

    return _shape_differences(golden, found, shape) + text_differences(golden, found, facts)


def page_differences(golden: str, found: str, facts: Facts) -> list[str]:
    def shape(text: str) -> list[str]:
        return _Page.read(text).shape

    def lines(text: str) -> str:
        # Space between elements says nothing.
        return "\n".join(line.strip() for line in _Page.read(text).lines)

    return _shape_differences(golden, found, shape) + text_differences(lines(golden), lines(found), facts)


def _shape_differences(golden: str, found: str, shape: Callable[[str], list[str]]) -> list[str]:
    before, now = shape(golden), shape(found)
    return [] if before == now else [f"its parts were {' '.join(before)}; they are {' '.join(now)}"]


class _Page(HTMLParser):
    SILENT = ("style", "script", "footer")  # the footer says by which version it was made, and when
    PARTS = ("h1", "h2", "h3", "h4", "h5", "table", "details", "pre", "svg")
    BLOCKS = (*PARTS, "p", "div", "li", "tr", "summary", "section", "header", "dt", "dd", "title", "text")

    def __init__(self) -> None:
        super().__init__()
        self.shape: list[str] = []
        self.lines = [""]
        self._silent = 0

    @classmethod
    def read(cls, text: str) -> _Page:
        page = cls()
        page.feed(text)
        return page

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in self.SILENT
        if tag in self.PARTS:
            self.shape.append(tag)
        self._separate(tag)

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in self.SILENT
        self._separate(tag)

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.lines[-1] += data.replace("\n", " ")

    def _separate(self, tag: str) -> None:
        if tag in self.BLOCKS:
            self.lines.append("")
        else:
            self.lines[-1] += " "
