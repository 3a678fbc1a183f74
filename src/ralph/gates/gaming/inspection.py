"""Inspects a change for code that games its judge: what the change adds, not what was there before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import msgspec

from ralph.core.proof import GamingFinding
from ralph.gates.gaming.change_view import ChangeView
from ralph.gates.gaming.data_answers import HASHES, answers_in_data, is_data
from ralph.gates.gaming.data_answers import LARGEST as LARGEST_DATA
from ralph.gates.gaming.dodged_checks import DodgedChecks
from ralph.gates.gaming.examples import Examples, answers
from ralph.gates.gaming.fed_tests import FedTests
from ralph.gates.gaming.go_rules import compared_go, read_go
from ralph.gates.gaming.javascript_rules import compared_javascript, read_javascript
from ralph.gates.gaming.python.comparison import compared_python
from ralph.gates.gaming.python.rules import read_python
from ralph.gates.gaming.rules import Found, Hit, SourceFile, TestsSeen, is_tooling, shadows_program
from ralph.gates.gaming.rust_rules import compared_rust, read_rust, test_blocks
from ralph.gates.gaming.whole_change import WholeChange
from ralph.git.trees import Change

Reader = Callable[[str], bytes | None]

LARGEST = 400_000  # bytes of a file that is read
MOST_FILES = 2_000
MOST_TESTS = 400  # files whose examples are compared with tables
MOST = 50  # findings


class Language(NamedTuple):
    """How one version of a file is read, and how two are compared, by what the tests expect and call."""

    read: Callable[[SourceFile], Found | None]
    compare: Callable[[str, str, TestsSeen], Iterator[Hit]]


_JAVASCRIPT = Language(read_javascript, compared_javascript)
_LANGUAGES: Mapping[str, Language] = {
    "py": Language(read_python, compared_python),
    **dict.fromkeys(("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts"), _JAVASCRIPT),
    "go": Language(read_go, compared_go),
    "rs": Language(read_rust, compared_rust),
}
# Code that others wrote or a program made, which no one reads line by line. What is small is read all the same.
_NOT_WRITTEN_HERE = re.compile(
    r"(?:^|/)(?:node_modules|vendor|third_party|bower_components|_vendor|dist)/|[.-]min\.\w+\Z|(?:^|[.-])bundle\.\w+\Z"
)
_SMALL = 20_000
_LONG_LINES = 300  # characters on average: made by a program


class Skipped(msgspec.Struct, frozen=True):
    path: str
    why: str


class Inspection(msgspec.Struct, frozen=True):
    findings: tuple[GamingFinding, ...] = ()
    skipped: tuple[Skipped, ...] = ()  # code that was not read


def find_gaming(
    before: Reader,
    after: Reader,
    changes: Sequence[Change],
    *,
    tests: Callable[[str], bool],
    root: str,
    home: str,
    paths: Iterable[str] = (),
) -> tuple[GamingFinding, ...]:
    """The findings of `inspect_change`."""
    return inspect_change(before, after, changes, tests=tests, root=root, home=home, paths=paths).findings


def inspect_change(
    before: Reader,
    after: Reader,
    changes: Sequence[Change],
    *,
    tests: Callable[[str], bool],
    root: str,
    home: str,
    paths: Iterable[str] = (),
) -> Inspection:
    """`tests` says whether a path is one of tests. `paths` are all of the claim's tree: the tests among them show which
    answers they expect; without them, only changed tests do."""
    return _Change(before, after, changes, tests, (root, home), paths).inspect()


class _Change:
    def __init__(
        self,
        before: Reader,
        after: Reader,
        changes: Sequence[Change],
        tests: Callable[[str], bool],
        places: tuple[str, ...],
        paths: Iterable[str],
    ) -> None:
        self._before, self._after, self._tests = before, after, tests
        self._changes = [change for change in changes if _language(change.path)]
        self._shadows = [
            change.path
            for change in changes
            if change.status == "A" and change.new_mode != "100644" and shadows_program(change.path)
        ]
        self._data = [change for change in changes if change.status != "D" and is_data(change.path)]
        self._places = [place.rstrip("/") for place in places if len(place.strip("/")) > 1]
        self._paths = list(paths)
        self._view = ChangeView(before, after, changes, tests, self._paths, self.call)
        self._examples: Examples | None = None
        self._skipped: list[Skipped] = []

    def inspect(self) -> Inspection:
        known: Counter[tuple[str, str]] = Counter()
        new: list[tuple[str, Hit]] = []
        for change in self._changes[:MOST_FILES]:
            old = self._read(self._before, change.path) if change.status != "A" else None
            now = self._read(self._after, change.path, said=True) if change.status != "D" else None
            known.update(hit.key for hit in set(self._hits(old)))
            if now is not None:
                new += [(now.path, hit) for hit in (*self._hits(now), *self._compared(old, now))]
        self._skipped += [Skipped(change.path, "too many files") for change in self._changes[MOST_FILES:]]
        new += self._answers_in_data()
        new += [(path, Hit(1, "program-shadowed", path)) for path in self._shadows]
        for of_the_whole in (WholeChange, FedTests, DodgedChecks):
            new += of_the_whole(self._view).find()
        return Inspection(tuple(islice(_added(new, known), MOST)), tuple(self._skipped))

    def _answers_in_data(self) -> Iterator[tuple[str, Hit]]:
        """Of data files that are new or changed, and none of the tests."""
        data = [change.path for change in self._data[:MOST_FILES] if not self._tests(change.path)]
        hashes = bool(data) and any(
            HASHES.search((self._after(change.path) or b"").decode("utf-8", "replace"))
            for change in self._changes
            if change.status != "D" and not self._tests(change.path)
        )
        for path in data:
            now, then = self._after(path), self._before(path)
            if now is None or len(now) > LARGEST_DATA or b"\0" in now:
                continue
            text = now.decode("utf-8", "replace")
            known = {
                hit.rule for hit in self._data_hits(path, (then or b"").decode("utf-8", "replace"), hashes)
            }
            yield from ((path, hit) for hit in self._data_hits(path, text, hashes) if hit.rule not in known)

    def _data_hits(self, path: str, text: str, hashes: bool) -> Iterator[Hit]:
        return answers_in_data(path, text, self._tests_examples, hashes=hashes)

    def _read(self, reader: Reader, path: str, *, said: bool = False) -> SourceFile | None:
        data = reader(path)
        if data is None:
            return None
        if why := _unreadable(path, data):
            if said:
                self._skipped.append(Skipped(path, why))
            return None
        return SourceFile(path, data.decode("utf-8", "replace"), self._tests(path))

    def _hits(self, file: SourceFile | None) -> Iterator[Hit]:
        if file is None:
            return
        found = _LANGUAGES[_language(file.path)].read(file)
        if found is None:
            return
        yield from found.hits
        if not file.is_test:
            yield from self._places_of_this_machine(file)
            if not is_tooling(file.path):
                yield from answers(found, self._tests_examples)

    def _compared(self, old: SourceFile | None, now: SourceFile) -> Iterator[Hit]:
        if now.is_test or is_tooling(now.path):
            return
        compare = _LANGUAGES[_language(now.path)].compare
        yield from compare(old.text if old else "", now.text, self)

    def expect(self, literal: str) -> bool:
        return literal in self._tests_examples()

    def call(self, name: str) -> bool:
        return self._tests_examples().call(name)

    def _places_of_this_machine(self, file: SourceFile) -> Iterator[Hit]:
        for place in self._places:
            at = file.text.find(place)
            if at >= 0:
                line = file.text.count("\n", 0, at) + 1
                yield Hit(line, "absolute-path", file.text.splitlines()[line - 1].strip())

    def _tests_examples(self) -> Examples:
        if self._examples is None:
            paths = dict.fromkeys((*(change.path for change in self._changes), *self._paths))
            tests = [path for path in paths if self._tests(path) or path.endswith(".rs")]
            self._examples = Examples(self._test_texts(tests[:MOST_TESTS]))
        return self._examples

    def _test_texts(self, paths: Sequence[str]) -> Iterator[str]:
        """As they are, and as they were at the start."""
        changed = {change.path for change in self._changes}
        for path in paths:
            for reader in (self._after, self._before) if path in changed else (self._after,):
                data = reader(path)
                if data is not None and len(data) <= LARGEST and b"\0" not in data[:1000]:
                    text = data.decode("utf-8", "replace")
                    yield text if self._tests(path) else test_blocks(text)


def _added(new: Sequence[tuple[str, Hit]], known: Counter[tuple[str, str]]) -> Iterator[GamingFinding]:
    """Those that were not there before, wherever they stood."""
    left = Counter(known)
    for path, hit in sorted(set(new), key=lambda one: (one[0], one[1].line, one[1].rule)):
        if left[hit.key] > 0:
            left[hit.key] -= 1
        else:
            yield GamingFinding(path, hit.line, hit.rule, hit.text)


def _language(path: str) -> str:
    suffix = path.rpartition(".")[2].lower()
    return suffix if suffix in _LANGUAGES else ""


def _unreadable(path: str, data: bytes) -> str:
    if b"\0" in data[:8000]:
        return "binary"
    if len(data) > LARGEST:
        return "too large"
    if len(data) <= _SMALL:
        return ""
    if _NOT_WRITTEN_HERE.search(path):
        return "vendored or built"
    return "minified" if len(data) > _LONG_LINES * (data.count(b"\n") + 1) else ""
