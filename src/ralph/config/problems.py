"""Errors and warnings of a configuration, collected so that a person sees all of them at once.

The nearest valid name is looked for only when a message is really shown.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from ralph.errors import RalphError

SHOWN_AT_MOST = 50
FIX_AND_RETRY = "Correct this and run again; nothing was changed."


class Problem(msgspec.Struct, frozen=True):
    line: int  # 0: not a line of the file
    path: str
    what: str
    name: str = ""  # the name that was not known
    among: tuple[str, ...] = ()  # the names that are valid in its place
    elsewhere: tuple[str, ...] = ()  # full paths of keys that are valid in another place
    outside: bool = False  # the path is a flag or another file


class ConfigFinding(msgspec.Struct, frozen=True):
    """A problem as it is shown, in parts, for programs."""

    line: int  # 0: not a line of the file
    key: str
    what: str

    @property
    def text(self) -> str:
        return self.what


class Unreadable(RalphError):
    """The file cannot be taken apart, so nothing is known of its keys."""

    def __init__(self, what: str, source: str, todo: str, line: int = 0) -> None:
        super().__init__(what, where=f"{source}:{line}" if line else source, todo=todo)
        self.line = line


class Refused(Exception):
    """A value is wrong, and what is wrong with it has been reported."""


class Problems:
    def __init__(self, source: str) -> None:
        self.source = source
        self.found: list[Problem] = []
        self.noted: list[Problem] = []  # wrong, but no reason to refuse the file

    @property
    def warnings(self) -> tuple[str, ...]:
        return tuple(self._shown(problem) for problem in self.noted)

    def add(
        self,
        line: int,
        path: str,
        what: str,
        name: str = "",
        among: Iterable[str] = (),
        elsewhere: Iterable[str] = (),
    ) -> None:
        self.found.append(Problem(line, path, what, name, tuple(among), tuple(elsewhere)))

    def add_outside(self, where: str, what: str) -> None:
        """Wrong on the command line, or in a file that no key names."""
        self.found.append(Problem(0, where, what, outside=True))

    def concern(self, path: str) -> bool:
        return any(problem.path == path for problem in self.found)

    def warn(self, line: int, path: str, what: str, name: str = "", among: Iterable[str] = ()) -> None:
        self.noted.append(Problem(line, path, what, name, tuple(among)))

    def warn_outside(self, what: str) -> None:
        """What is said is about no key and no line."""
        self.noted.append(Problem(0, "", what, outside=True))

    def adopt(self, other: Problems) -> None:
        """Report what is wrong with another layer of the configuration, under that layer's name."""
        for mine, theirs in ((self.found, other.found), (self.noted, other.noted)):
            for problem in theirs:
                line = f":{problem.line}" if problem.line else ""
                path = f": {problem.path}" if problem.path and not other.source.endswith(problem.path) else ""
                mine.append(replace(problem, line=0, path=f"{other.source}{line}{path}", outside=True))

    def raise_if_any(self, todo: str = FIX_AND_RETRY) -> None:
        if not self.found:
            return
        ordered = _in_file_order(self.found)
        lines = [self._shown(problem) for problem in ordered[:SHOWN_AT_MOST]]
        if len(ordered) > SHOWN_AT_MOST:
            lines.append(f"... and {len(ordered) - SHOWN_AT_MOST} more problems")
        raise RalphError("\n".join(lines), todo=todo)

    def _shown(self, problem: Problem) -> str:
        where = (
            ""
            if problem.outside
            else f"{self.source}:{problem.line}: "
            if problem.line
            else f"{self.source}: "
        )
        key = f"{problem.path}: " if problem.path else ""
        return where + key + problem.what + _suggestion(problem)


def findings(problems: Iterable[Problem]) -> tuple[ConfigFinding, ...]:
    return tuple(ConfigFinding(p.line, p.path, p.what + _suggestion(p)) for p in _in_file_order(problems))


class Spot(msgspec.Struct, frozen=True):
    """A place in the file that is being read."""

    problems: Problems
    path: str
    line: int

    def wrong(
        self, what: str, name: str = "", among: Iterable[str] = (), elsewhere: Iterable[str] = ()
    ) -> None:
        self.problems.add(self.line, self.path, what, name, among, elsewhere)

    def refused(self, what: str, name: str = "", among: Iterable[str] = ()) -> Refused:
        """To be raised: there is nothing more to be read here."""
        self.wrong(what, name, among)
        return Refused()

    def refuse_if(self, problem: str) -> None:
        if problem:
            raise self.refused(problem)

    def warn(self, what: str) -> None:
        self.problems.warn(self.line, self.path, what)

    def key(self, name: str, line: int) -> Spot:
        return Spot(self.problems, f"{self.path}.{name}" if self.path else name, line)

    def item(self, index: int, line: int) -> Spot:
        return Spot(self.problems, f"{self.path}[{index}]", line)


def quoted(text: str) -> str:
    """A user's text as it may stand in a message: one short line without control characters."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def quoted_path(path: object) -> str:
    """Whole: the end of a path is what distinguishes it from another."""
    return repr(str(path))


def _in_file_order(problems: Iterable[Problem]) -> list[Problem]:
    return sorted(problems, key=lambda problem: problem.line)


def _suggestion(problem: Problem) -> str:
    if not problem.name:
        return ""
    leaves = {path.rpartition(".")[2]: path for path in problem.elsewhere}
    nearest = (
        leaves.get(problem.name)
        or closest(problem.name, problem.among)
        or leaves.get(closest(problem.name, tuple(leaves)))
    )
    if nearest:
        return f" (nearest valid: {nearest})"
    if all(name in problem.what for name in problem.among):  # the message lists them already
        return ""
    return f" (valid here: {', '.join(problem.among)})"


def closest(name: str, among: tuple[str, ...]) -> str:
    import difflib

    # A name of any length can be in the file; a real misspelling is never this long.
    found = difflib.get_close_matches(name[:80].lower(), among, 1, 0.7)
    return found[0] if found else ""
