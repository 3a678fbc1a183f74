"""What the result of a gate is called, the same in every view: a command is green or red, a reviewer says PASS or FAIL."""

from __future__ import annotations

from typing import Literal

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
