"""What a reviewer's answer amounts to: findings, and a last line that says PASS or FAIL. Anything else is no verdict."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from ralph.core.signals import bare, outside_fences

Verdict = Literal["PASS", "FAIL", ""]

MOST_FINDINGS = 30
FINDING_CHARS = 300
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?P<text>\S.*)$")
_NOTHING = re.compile(
    r"\W*(?:none|n/a|nothing(?: to (?:report|mend|say))?|no (?:findings|issues|problems)(?: found)?)\W*",
    re.IGNORECASE,
)


class Review(msgspec.Struct, frozen=True):
    verdict: Verdict
    findings: tuple[str, ...] = ()
    text: str = ""  # the answer without its last line


def read(said: str) -> Review:
    lines = said.rstrip().splitlines()
    last = [line for line in outside_fences(said) if line.strip()][-1:]
    word = bare(last[0]) if last and lines and last[0] == lines[-1] else ""
    verdict: Verdict = "PASS" if word == "PASS" else "FAIL" if word == "FAIL" else ""
    above = lines[:-1] if verdict else lines
    return Review(verdict, _findings(above, verdict), "\n".join(above).strip())


def _findings(lines: list[str], verdict: Verdict) -> tuple[str, ...]:
    """The points of a list; of a FAIL without one, every line."""
    points = [found["text"] for line in lines if (found := _BULLET.match(line))]
    if not points and verdict == "FAIL":
        points = [line.strip() for line in lines if line.strip()]
    kept = [point[:FINDING_CHARS].strip() for point in points if not _NOTHING.fullmatch(point.strip())]
    return tuple(kept[:MOST_FINDINGS])
