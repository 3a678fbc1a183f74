"""Docs are part of the program: every fact is explained, and pins are plain."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_every_fact_says_what_it_means() -> None:
    assert not re.findall(r"^\| `[a-z.]+` \|  \|", (ROOT / "docs/journal.md").read_text(), re.MULTILINE)


def test_no_pin_records_an_address() -> None:
    for file in (ROOT / "requirements").glob("*.txt"):
        for line in file.read_text().splitlines():
            assert re.fullmatch(r"(-r [a-z.]+|[A-Za-z0-9_.-]+==[A-Za-z0-9.]+)", line), f"{file.name}: {line}"
