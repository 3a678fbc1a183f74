"""The examples of a project's tests: which literals stand together in them. A table of exactly these is not a solution."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ralph.gates.gaming.rules import AnswerTable, Found, Hit
from ralph.text import few

LITERAL = re.compile(
    r"""[bru]{0,2}"((?:\\.|[^"\\\n])*)"|[bru]{0,2}'((?:\\.|[^'\\\n])*)'|`([^`\n]*)`|(?<![\w.])(\d[\d_]*(?:\.\d+)?|0x[0-9a-fA-F_]+)""",
    re.IGNORECASE,
)
_CALLED = re.compile(r"(?<!def )(?<!func )(?<!function )\b(\w+)\(")
LONGEST_LINE = 1_000
MOST_LINES = 60_000
MOST_ON_A_LINE = 60  # literals of a line; a longer one is data
LEAST_PART = 6  # characters of an answer that stands inside of a longer text
LEAST = 3  # entries that make a table, or two whose questions have several parts


def literals_in(line: str) -> list[str]:
    found = []
    for match in LITERAL.finditer(line):
        number = match[4]
        found.append(plain_number(number) if number else next(g for g in match.groups()[:3] if g is not None))
        if len(found) == MOST_ON_A_LINE:
            break
    return found


def plain_number(text: str) -> str:
    """As Python writes it."""
    text = text.replace("_", "")
    try:
        return str(int(text, 16) if text[:2] in ("0x", "0X") else int(text))
    except ValueError:
        return str(float(text)) if re.fullmatch(r"[\d.]+", text) else text


class Examples:
    """Literal -> lines of the tests that have it; and the names that they call."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._lines: dict[str, set[int]] = {}
        self._said: dict[int, list[str]] = {}
        self._called: set[str] = set()
        number = 0
        for text in texts:
            for line in text.splitlines():
                if number >= MOST_LINES:
                    return
                number += 1
                self._called.update(_CALLED.findall(line[:LONGEST_LINE]))
                self._said[number] = literals_in(line)
                for literal in self._said[number]:
                    self._lines.setdefault(literal, set()).add(number)

    def __contains__(self, literal: object) -> bool:
        return literal in self._lines

    def call(self, name: str) -> bool:
        return name in self._called

    def together(self, literals: Sequence[str]) -> bool:
        """Whether one line of the tests has all of them; what is long, perhaps as a part of a longer text."""
        places = [self._lines[literal] for literal in literals if literal in self._lines]
        parts = [literal for literal in literals if literal not in self._lines]
        if not places or any(len(part) < LEAST_PART for part in parts):
            return False
        lines = set.intersection(*places)
        return any(all(self._says(line, part) for part in parts) for line in lines)

    def _says(self, line: int, part: str) -> bool:
        words = re.compile(rf"(?<!\w){re.escape(part)}(?!\w)")
        return any(words.search(literal) for literal in self._said[line])


def answers(found: Found, examples: Callable[[], Examples]) -> Iterator[Hit]:
    """The tables and sequences of a file that are made of what the tests ask and expect. `examples` reads the tests, and is
    only called where it can matter."""
    for table in found.tables:
        if could_be_of_tests(table) and all(map(examples().together, table.literals)):
            shown = few([" ".join((*entry.question, "->", *entry.answer)) for entry in table.entries], 3)
            yield Hit(table.entries[0].line, "table-of-answers", shown)
    for handout in found.handouts:
        if _tells(handout.answers) and all(literal in examples() for literal in handout.answers):
            yield Hit(handout.line, "call-count", f"{handout.code} of {few(handout.answers, 4)}")


_NAME = re.compile(r"[A-Za-z_]\w*\Z")


def could_be_of_tests(table: AnswerTable) -> bool:
    """A table of names whose whole domain is in it is a solution, even if the tests ask for all of them."""
    questions = [entry.question for entry in table.entries]
    is_composite = all(len(question) > 1 for question in questions)
    if len(questions) < (LEAST - 1 if is_composite else LEAST):
        return False
    asked = [literal for question in questions for literal in question]
    return _tells(asked) and (table.has_rest or not all(map(_NAME.match, asked)))


def _tells(literals: Sequence[str]) -> bool:
    """Whether these could hardly be in the tests by chance."""
    return sum(len(literal) > 1 for literal in literals) * 2 > len(literals)
