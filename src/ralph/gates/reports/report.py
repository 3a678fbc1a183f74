"""What the runners of one gate reported: each test by its id, and how it came out. Pure.

An id is `path::name` with a path relative to the repository's root, so it is the same in every checkout.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from ralph.text import digest, one_line

Outcome = Literal["passed", "failed", "skipped"]
LONGEST = 500  # characters of a detail
_WEIGHT: dict[Outcome, int] = {"skipped": 0, "passed": 1, "failed": 2}


class TestReport(msgspec.Struct, frozen=True):
    """`details` has the messages of failed tests by id, exception first; and by the path alone those of a file, or by the
    folder those of a package, whose tests could not be loaded."""

    __test__: ClassVar[bool] = False  # a name that pytest would collect

    tests: dict[str, Outcome]
    details: dict[str, str] = {}
    runners: tuple[str, ...] = ()  # which reported
    complete: bool = True  # every runner that began reached its own end
    trouble: str = ""  # what could not be loaded, in one line
    unnamed: bool = False  # a runner ran tests and did not say which


class Builder:
    """Gathers one report. A test that ran several times is failed if it ever failed, and skipped only if it always was."""

    def __init__(self, root: Path) -> None:
        self._roots = sorted({str(root), os.path.realpath(root)}, key=len, reverse=True)
        self._tests: dict[str, Outcome] = {}
        self._details: dict[str, str] = {}
        self._troubles: list[str] = []
        self._not_loaded: set[str] = set()
        self._runners: list[str] = []
        self._complete = True
        self._unnamed = False

    def began(self, runner: str) -> None:
        if runner not in self._runners:
            self._runners.append(runner)

    def ran_unnamed(self) -> None:
        """Tests of which only the number is known."""
        self._unnamed = True

    def never_ended(self) -> None:
        self._complete = False

    def test(self, path: str, name: str, outcome: Outcome, detail: str = "") -> None:
        place = self.relative(path)
        id_ = f"{place}::{self._name(name)}" if name else place
        known = self._tests.get(id_)
        if known is None or _WEIGHT[outcome] > _WEIGHT[known]:
            self._tests[id_] = outcome
        if outcome == "failed" and detail:
            self._details.setdefault(id_, self._clean(detail))

    def trouble(self, path: str, detail: str) -> None:
        place, detail = self.relative(path), self._clean(detail)
        self._details.setdefault(place, detail)
        self._not_loaded.add(place)
        self._troubles.append(f"{place}: {detail}" if place else detail)

    def note(self, text: str) -> None:
        """Trouble that keeps no test from being loaded."""
        self._troubles.append(text)

    def report(self) -> TestReport | None:
        """None when no runner said anything. Without `runners`, no test is known by name."""
        if not self._runners and not self._unnamed:
            return None
        return TestReport(
            {id_: outcome for id_, outcome in self._tests.items() if id_ not in self._not_loaded},
            self._details,
            tuple(sorted(self._runners)),
            self._complete,
            one_line("; ".join(dict.fromkeys(self._troubles)), LONGEST),
            self._unnamed,
        )

    def relative(self, path: str) -> str:
        """From the root; what lies elsewhere (an installed package) is named by what does not depend on the machine."""
        absolute = path.startswith(os.sep)
        for place in (path, os.path.realpath(path)) if absolute else ():
            for root in self._roots:
                if place == root:
                    return ""
                if place.startswith(root + os.sep):
                    return os.path.normpath(place[len(root) + 1 :])
        if not absolute:
            return "" if path in ("", ".") else os.path.normpath(path)
        _, installed, inside = path.rpartition("/site-packages/")
        return inside if installed else Path(path).name

    def _clean(self, text: str) -> str:
        return one_line(self._without_root(text), LONGEST)

    def _name(self, name: str) -> str:
        """Parameters may make a name very long; what is cut off still distinguishes it."""
        whole = self._without_root(name)
        shown = one_line(whole, LONGEST)
        return shown if len(whole) <= LONGEST else f"{shown[:-13]} {digest(whole)[:12]}"

    def _without_root(self, text: str) -> str:
        for root in self._roots:
            text = text.replace(root + os.sep, "").replace(root, ".")
        return text


def prefixes(id_: str) -> Iterable[str]:
    """Of a test: its own id, its file, and the folders around it, up to the root (""): where its trouble may be noted."""
    yield id_
    path = id_.partition("::")[0]
    while path:
        if path != id_:
            yield path
        path = path.rpartition("/")[0]
    yield ""
