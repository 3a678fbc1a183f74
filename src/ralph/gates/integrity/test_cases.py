"""What a file of tests holds, whatever its language: its cases, what they assert, and which of them do not run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

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
        """What a call of it asserts. The blank distinguishes it from other assertions, which have none."""
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


SAME_NAME = 0.3  # how alike two tests of one name in different files must be
ALIKE = 0.75  # and two of different names
MOST_COMPARED = 300  # tests without a match that are compared with one another


class Pair(msgspec.Struct, frozen=True):
    """A test then and now."""

    old: Case
    new: Case
    missing: int = 0  # assertions that are nowhere any more


class Matched(msgspec.Struct, frozen=True):
    pairs: tuple[Pair, ...]
    gone: tuple[Case, ...]


def match_up(old: Sequence[Case], new: Sequence[Case]) -> Matched:
    pairs, left, fresh = _paired(list(old), list(new))
    spare = _spare(pairs, new)
    room = _room(pairs, fresh)
    gone = []
    for case in left:
        if case.shape and room[case.shape] > 0:
            room[case.shape] -= 1  # it is a set of parameters now
        elif not _accounted(case, spare):
            gone.append(case)
    return Matched(tuple(_with_missing(pair, spare) for pair in pairs), tuple(gone))


def _spare(pairs: Sequence[Pair], new: Sequence[Case]) -> Counter[str]:
    """The assertions of the new tests that were not in the same test before: where those may be that a test has lost."""
    spare = Counter(text for case in new for text in case.assertions)
    for pair in pairs:
        spare -= Counter(pair.old.assertions) & Counter(pair.new.assertions)
    return spare


def _paired(old: list[Case], new: list[Case]) -> tuple[list[Pair], list[Case], list[Case]]:
    pairs: list[Pair] = []
    for key, least in _KEYS:
        old, new = _by_key(old, new, key, least, pairs)
    return pairs, *_by_likeness(old, new, pairs)


_KEYS: tuple[tuple[Callable[[Case], Hashable], float], ...] = (
    (lambda case: (case.path, case.name), 0.0),
    (lambda case: (case.name, case.words), 0.0),
    (lambda case: case.name, SAME_NAME),
    (lambda case: (case.path, case.short), SAME_NAME),
    (lambda case: case.short, SAME_NAME),
    (lambda case: case.words or case, 0.0),
)


def _by_key(
    old: list[Case],
    new: list[Case],
    key: Callable[[Case], Hashable],
    least: float,
    pairs: list[Pair],
) -> tuple[list[Case], list[Case]]:
    waiting: dict[Hashable, list[Case]] = {}
    for case in new:
        waiting.setdefault(key(case), []).append(case)
    left = []
    for case in old:
        queue = waiting.get(key(case), [])
        found = next((other for other in queue if not least or likeness(case, other) >= least), None)
        if found is None:
            left.append(case)
        else:
            queue.remove(found)
            pairs.append(Pair(case, found))
    return left, [case for queue in waiting.values() for case in queue]


def _by_likeness(old: list[Case], new: list[Case], pairs: list[Pair]) -> tuple[list[Case], list[Case]]:
    """The most alike first, so that it does not matter who comes first."""
    scored = sorted(
        (
            (-score, n, m)
            for n, case in enumerate(old[:MOST_COMPARED])
            for m, other in enumerate(new[:MOST_COMPARED])
            if (score := likeness(case, other)) >= ALIKE
        ),
    )
    taken_old: set[int] = set()
    taken_new: set[int] = set()
    for _, n, m in scored:
        if n not in taken_old and m not in taken_new:
            taken_old.add(n)
            taken_new.add(m)
            pairs.append(Pair(old[n], new[m]))
    return (
        [case for n, case in enumerate(old) if n not in taken_old],
        [case for m, case in enumerate(new) if m not in taken_new],
    )


def likeness(a: Case, b: Case) -> float:
    """From 0 to 1: the share of words that both bodies have."""
    if not a.words or not b.words:
        return 0.0
    if 2 * min(len(a.words), len(b.words)) / (len(a.words) + len(b.words)) < SAME_NAME:
        return 0.0
    common = sum((Counter(a.words) & Counter(b.words)).values())
    return 2 * common / (len(a.words) + len(b.words))


def _room(pairs: Sequence[Pair], fresh: Sequence[Case]) -> Counter[str]:
    """How many tests of a shape the new sets of parameters can stand for."""
    room: Counter[str] = Counter()
    for pair in pairs:
        if pair.new.rows > pair.old.rows:
            room[pair.new.shape] += pair.new.rows - max(pair.old.rows, 1)
    for case in fresh:
        room[case.shape] += case.rows
    return room


def _accounted(case: Case, spare: Counter[str]) -> bool:
    """Whether all that it asserted is asserted elsewhere now. Takes it out of what is to spare."""
    needed = Counter(case.assertions)
    if not needed or needed - spare:
        return False
    spare -= needed
    return True


def _with_missing(pair: Pair, spare: Counter[str]) -> Pair:
    fewer = len(pair.old.assertions) - len(pair.new.assertions)
    if fewer <= 0:
        return pair
    lost = Counter(pair.old.assertions) - Counter(pair.new.assertions)
    moved = lost & spare
    spare -= moved
    helped = sum(count for text, count in lost.items() if _still_called(text, pair))
    return Pair(pair.old, pair.new, max(0, fewer - sum(moved.values()) - helped))


def _still_called(text: str, pair: Pair) -> bool:
    """Whether it is an assertion of a helper that the test calls as often as before: then it is the helper that asserts
    less, or one that is out of sight by now."""
    name, blank, _ = text.partition(" ")
    return bool(blank) and pair.new.words.count(name) >= pair.old.words.count(name)
