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


_PARTS = r"\*\*/|\*\*|\*|\?|\[(.[^\]]*)\]|."
_MEANS = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def _translated(body: str) -> str:
    return re.sub(_PARTS, _part, body, flags=re.DOTALL)


def _part(found: re.Match[str]) -> str:
    if not found[1]:
        return _MEANS.get(found[0]) or re.escape(found[0])
    negated = found[1][0] in "!^"
    escaped = re.sub(r"([\\\[&~|^])", r"\\\1", found[1][negated:])
    return f"[^/{escaped}]" if negated else f"[{escaped}]"
