"""The nearest id to one that does not exist, quick also among many."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

_MANY = 2000


def nearest(name: str, among: Sequence[str]) -> str:
    """Empty when nothing is near."""
    if len(among) > _MANY:
        among = [other for other in among if abs(len(other) - len(name)) < 3 and other[:1] == name[:1]][
            :_MANY
        ]
    same = [other for other in among if other.lower() == name.lower()]
    found = same or difflib.get_close_matches(name[:120], among, 1, 0.5)
    return found[0] if found else ""


def hint(name: str, among: Sequence[str]) -> str:
    found = nearest(name, among)
    return f"The nearest is {found}." if found else ""
