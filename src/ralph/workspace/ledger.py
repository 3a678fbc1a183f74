"""What this process has done to refs by itself, so that nobody else is blamed for it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec


class Made(msgspec.Struct, frozen=True):
    """One ref that Ralph set; empty: it was not there, or went."""

    ref: str
    old: str
    new: str


_made: dict[Path, list[Made]] = {}


def note(common_dir: Path, moves: Iterable[Made]) -> None:
    _made.setdefault(common_dir, []).extend(moves)


def count(common_dir: Path) -> int:
    return len(_made.get(common_dir, ()))


def since(common_dir: Path, number: int) -> list[Made]:
    """Those after the first `number` of them."""
    return _made.get(common_dir, [])[number:]
