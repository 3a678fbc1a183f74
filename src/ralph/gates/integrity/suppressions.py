"""Comments and attributes that silence a checker: what a change adds of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ralph.core.policy import COVERAGE
from ralph.core.proof import GamingFinding
from ralph.text import one_line

_SUPPRESSIONS = re.compile(
    r"#\s*noqa\b|#\s*type:\s*ignore|#\s*pyright:\s*(?:ignore|basic)|#\s*mypy:\s*(?:ignore|disable|allow)|#\s*pylint:\s*disable"
    r"|#\s*ruff:\s*noqa|#\s*pragma:\s*no\s*(?:cover|branch)|#\s*nosec\b|#\s*(?:fmt|isort):\s*(?:off|skip)"
    r"|#\s*shellcheck\s+disable|#\s*rubocop:disable|@no_type_check\b"
    r"|eslint-disable|@ts-(?:ignore|nocheck|expect-error)|biome-ignore|prettier-ignore|tslint:disable"
    r"|(?:istanbul|c8|v8)\s+ignore|node:coverage\s+(?:disable|ignore)|#!?\[\s*(?:cfg_attr\([^\]]*,\s*)?coverage\(off"
    r"|jshint\s+ignore|deno-lint-ignore"
    r"|//\s*nolint\b|//\s*lint:ignore|//\s*#nosec|#!?\[\s*(?:cfg_attr\([^\]]*,\s*)?(?:allow|expect)\s*\("
    r"|@SuppressWarnings\b|@Suppress\b|//\s*NOSONAR|#pragma\s+warning\s+disable|NOLINT\b|@psalm-suppress|@phpstan-ignore"
    r"|\blint-(?:disable|ignore|off|skip)\b"
    r"|\w[\w-]*(?:-|:)\s*(?:disable|ignore)-(?:file|line|next-line)\b",
    re.IGNORECASE,
)
MOST = 50
_CHECKERS = re.compile(
    r"(?<![\w-])(?:ruff|flake8|pylint|pycodestyle|bandit|mypy|pyright|biome|tsc|xo|clippy|vet|staticcheck|shellcheck|rubocop"
    r"|[\w:-]*lint[\w:-]*|[\w:-]*types?(?:[:-]?check)?)(?![\w-])|-D\s*warnings\b|--deny[ =]warnings\b|-Werror\b|-warnaserror\b"
)
# What only those that count the code that tests reach look at.
_UNCOUNTED = re.compile(
    r"pragma:\s*no|(?:istanbul|c8|v8)\s+ignore|node:coverage|coverage\(off", re.IGNORECASE
)
_PLACE = re.compile(r"(?P<path>.+?):(?P<line>\d+): (?P<text>.*)")


def new_suppressions(before: bytes | None, after: bytes | None, path: str) -> list[str]:
    """`path:line: text` of each that the claim's file has more often than the start's."""
    known = Counter(text for _, text in _found(before))
    found = []
    for number, text in _found(after):
        if known[text]:
            known[text] -= 1
        else:
            found.append(f"{path}:{number}: {text}")
    return found[:MOST]


def silenced_checkers(red: Iterable[str], suppressions: Iterable[str]) -> list[GamingFinding]:
    """A linter, a type checker or a measure of coverage was red, and the change tells it to look away. `red`: names and
    commands of gates."""
    judges = list(red)
    checks, counts = (any(map(one.search, judges)) for one in (_CHECKERS, COVERAGE))
    text = "the checker that was to be satisfied is told to look away: `{}`; fix what it found"
    places = filter(None, map(_PLACE.match, suppressions))
    return [
        GamingFinding(one["path"], int(one["line"]), "finding-silenced", text.format(one["text"]))
        for one in places
        if (counts if _UNCOUNTED.search(one["text"]) else checks)
    ]


def _found(content: bytes | None) -> list[tuple[int, str]]:
    """Line number and the comment from where it begins to silence."""
    lines = (content or b"").decode(errors="replace").splitlines()
    return [
        (number, one_line(line[match.start() :][:300], 120))
        for number, line in enumerate(lines, start=1)
        if (match := _SUPPRESSIONS.search(line[:2000]))
    ]
