"""What a file of tests holds, whatever its language: its cases, what they assert, and which of them do not run."""

from __future__ import annotations

import re

import msgspec

MOST_CHECKS = 20  # of a helper
LONGEST = 300  # characters of an assertion that are compared
_LITERAL = re.compile(
    r"""[rbfuRBFU]{0,2}(?:"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`[^`]*`)|-?\b\d[\w.]*|\b(?:True|False|None|true|false|null|nil)\b"""
)
_WORD = re.compile(r"\w+")


class Case(msgspec.Struct, frozen=True):
    """One test, as a runner would find it."""

    path: str
    name: str  # with what is around it: "TestAdd.test_small"
    line: int
    assertions: tuple[str, ...] = ()  # that can fail
    trivial: int = 0  # assertions that cannot
    skip: str = ""  # what keeps it from running, or from failing
    rows: int = 0  # how many sets of parameters it has; 0: not known
    words: tuple[str, ...] = ()  # of its body, sorted
    shape: str = ""  # its body without literals and parameters' names

    @property
    def short(self) -> str:
        return re.split(r" > |\.|::", self.name)[-1]


class Helper(msgspec.Struct, frozen=True):
    """A function that is no test and asserts something."""

    name: str
    line: int
    checks: int  # how many assertions a call of it stands for

    def texts(self) -> list[str]:
        """What a call of it asserts. The blank tells it from other assertions, which have none."""
        return [f"{self.name} {n}" for n in range(self.checks)]


class Tests(msgspec.Struct, frozen=True):
    cases: tuple[Case, ...] = ()
    helpers: tuple[Helper, ...] = ()
    only: tuple[int, ...] = ()  # lines of what makes a runner leave out all other tests


NO_TESTS = Tests()


def words_of(body: str) -> tuple[str, ...]:
    return tuple(sorted(_WORD.findall(body)[:2000]))


def shape_of(body: str, parameters: tuple[str, ...] = ()) -> str:
    shape = _LITERAL.sub("_", body)
    if parameters:
        shape = re.sub(rf"\b(?:{'|'.join(map(re.escape, parameters))})\b", "_", shape)
    return " ".join(shape.split())


def squeezed(text: str) -> str:
    """An assertion's text, however it is laid out."""
    return "".join(text.split())[:LONGEST]
