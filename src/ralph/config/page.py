"""A page of the docs with a part that is made: what stands between its markers is replaced."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path


def between(page: str, begin: str, end: str, made: str) -> str:
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"the page has no {begin} ... {end}")
    return f"{before}{begin}\n{made}{end}{after}"


def main(renewed: Callable[[str], str]) -> None:
    """`python -m ... PAGE` renews the page."""
    path = Path(sys.argv[1])
    path.write_text(renewed(path.read_text(encoding="utf-8")), encoding="utf-8")
