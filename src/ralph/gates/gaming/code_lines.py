"""A source file without comments and strings, for rules that are patterns. All of it takes time in proportion to the text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import islice

import msgspec

from ralph.gates.gaming.examples import literals_in
from ralph.gates.gaming.rules import Example, Hit
from ralph.gates.integrity.line_tests import blanked, brackets

LONGEST = 200  # characters of a place that is shown
LONGEST_CALL = 300  # characters of arguments
CLOSE = 2  # lines from one entry of a table to the next
MOST_MATCHES = 200  # of a pattern in a file


@lru_cache(maxsize=4)  # a file's two versions are read one after the other, and then compared
def code_lines(text: str, style: str) -> CodeLines:
    return CodeLines(text, style)


class FunctionBlock(msgspec.Struct, frozen=True):
    """A function: its name, its parameters as they are written, and the block of its body."""

    name: str
    parameters: str
    begin: int
    end: int


class CodeLines:
    """`spoken` has no comments, `code` has no comments and nothing inside strings; all three have the same offsets."""

    def __init__(self, text: str, style: str) -> None:
        self.text = text
        self.spoken, self.code = blanked(text, style)
        self._parts: dict[re.Pattern[str], list[FunctionBlock]] = {}

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    @cached_property
    def pairs(self) -> dict[int, int]:
        return brackets(self.code)

    @cached_property
    def openings(self) -> dict[int, int]:
        """Offset of every closing bracket -> offset of the one that opens it."""
        return {end: at for at, end in self.pairs.items()}

    @cached_property
    def _blocks(self) -> tuple[list[int], dict[int, int]]:
        """Where blocks begin, in order; and the block around each, -1 for none."""
        begins = sorted(at for at in self.pairs if self.code[at] == "{")
        outer: dict[int, int] = {}
        open_: list[int] = []
        for at in begins:
            while open_ and self.pairs[open_[-1]] < at:
                open_.pop()
            outer[at] = open_[-1] if open_ else -1
            open_.append(at)
        return begins, outer

    def line(self, at: int) -> int:
        return bisect_right(self._starts, at)

    def offset(self, line: int) -> int:
        return self._starts[line - 1]

    def line_text(self, at: int) -> str:
        """The line of this place, without its comments."""
        number = self.line(at)
        end = self._starts[number] if number < len(self._starts) else len(self.text)
        return self.spoken[self._starts[number - 1] : end].strip()[:LONGEST]

    def hit(self, rule: str, at: int) -> Hit:
        return Hit(self.line(at), rule, self.line_text(at))

    def find(self, pattern: re.Pattern[str], *, spoken: bool = False) -> Iterator[re.Match[str]]:
        """Where code matches, outside of comments. With `spoken` a pattern sees strings, but does not begin inside one."""
        found = pattern.finditer(self.spoken if spoken else self.code)
        return islice((match for match in found if not spoken or self.is_code(match.start())), MOST_MATCHES)

    def is_code(self, at: int) -> bool:
        return self.code[at] == self.text[at]

    def block(self, at: int) -> tuple[int, int] | None:
        """The next block in braces from here on, if it begins soon."""
        open_ = self.code.find("{", at, at + 400)
        return (open_, self.pairs[open_]) if open_ in self.pairs else None

    def literals_of_call(self, match: re.Match[str]) -> list[str]:
        """Of the arguments of a call that a match ends in with its parenthesis."""
        end = self.pairs.get(match.end() - 1, -1)
        return literals_in(self.spoken[match.end() : end]) if 0 < end - match.end() < LONGEST_CALL else []

    def parts(self, functions: re.Pattern[str]) -> list[FunctionBlock]:
        """The functions that a pattern finds up to their parameters' parenthesis."""
        if functions not in self._parts:
            found = []
            for match in functions.finditer(self.code):
                end = self.pairs.get(match.end() - 1, match.end())
                body = self.block(end)
                if body is not None:
                    found.append(FunctionBlock(_name(match), self.code[match.end() : end], *body))
            self._parts[functions] = found
        return self._parts[functions]

    def part_around(self, functions: re.Pattern[str], at: int) -> FunctionBlock | None:
        return next((part for part in self.parts(functions) if part.begin < at < part.end), None)

    def around(self, at: int) -> list[tuple[int, int]]:
        """The blocks around, from the outermost."""
        begins, outer = self._blocks
        index = bisect_right(begins, at) - 1
        block = begins[index] if index >= 0 else -1
        found: list[tuple[int, int]] = []
        while block >= 0:
            if self.pairs[block] > at:
                found.append((block, self.pairs[block]))
            block = outer[block]
        return found[::-1]


def _name(match: re.Match[str]) -> str:
    return next(filter(None, match.groups()), "")


def adjacent(entries: Iterable[Example], lines: int = CLOSE) -> Iterator[tuple[Example, ...]]:
    """Those that stand beside one another are one table."""
    table: list[Example] = []
    for entry in entries:
        if table and entry.line - table[-1].line > lines:
            yield tuple(table)
            table = []
        table.append(entry)
    if table:
        yield tuple(table)


def example(line: int, question: str, answer: str) -> Example | None:
    asked, answered = literals_in(question), literals_in(answer)
    return Example(line, tuple(asked), tuple(answered)) if asked and answered else None
