"""Which paths a pattern means. One rule for every list of paths in Ralph.

`*` and `?` stay within a folder, `**` crosses folders, `[abc]` is one of these. A pattern without a slash matches the
name in any folder; one with a slash counts from the root; one that names a folder means all that is in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache


def matches(path: str, patterns: Iterable[str]) -> bool:
    return _Patterns.of(tuple(patterns)).match(path)


class _Patterns:
    """Patterns prepared for many paths: the tables of inputs are long, and so are trees."""

    def __init__(self, patterns: tuple[str, ...]) -> None:
        names = [pattern.strip("/") for pattern in patterns if not _rooted(pattern)]
        places = [pattern.removeprefix("./").strip("/") for pattern in patterns if _rooted(pattern)]
        self._literal = frozenset(name for name in names if not re.search(r"[*?\[]", name))
        self._name = _one_of([name for name in names if name not in self._literal], r"\Z")
        self._place = _one_of(places, r"(?:/.*)?\Z")  # the place itself, or anything below it
        self._fits = lru_cache(maxsize=4096)(self._name_fits)

    @staticmethod
    @lru_cache(maxsize=64)
    def of(patterns: tuple[str, ...]) -> _Patterns:
        return _Patterns(patterns)

    def match(self, path: str) -> bool:
        if any(self._fits(part) for part in path.split("/")):
            return True
        return self._place is not None and self._place.match(path) is not None

    def _name_fits(self, name: str) -> bool:
        return name in self._literal or (self._name is not None and self._name.match(name) is not None)


def _rooted(pattern: str) -> bool:
    return "/" in pattern.rstrip("/")


def _one_of(patterns: list[str], end: str) -> re.Pattern[str] | None:
    if not patterns:
        return None
    return re.compile(f"(?:{'|'.join(map(_translated, patterns))}){end}", re.DOTALL)


def _translated(body: str) -> str:
    parts = []
    at = 0
    while at < len(body):
        if body.startswith("**/", at):
            parts.append("(?:.*/)?")
            at += 3
        elif body.startswith("**", at):
            parts.append(".*")
            at += 2
        elif body[at] == "*":
            parts.append("[^/]*")
            at += 1
        elif body[at] == "?":
            parts.append("[^/]")
            at += 1
        elif body[at] == "[" and (end := body.find("]", at + 2)) > 0:
            parts.append(_one_character(body[at + 1 : end]))
            at = end + 1
        else:
            parts.append(re.escape(body[at]))
            at += 1
    return "".join(parts)


def _one_character(inner: str) -> str:
    escaped = re.sub(r"([\\\[&~|^])", r"\\\1", inner[1:] if inner[0] in "!^" else inner)
    return f"[^/{escaped}]" if inner[0] in "!^" else f"[{escaped}]"
