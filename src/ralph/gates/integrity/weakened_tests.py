"""What a change did to existing tests and to their runner's configuration: cases removed, skipped or asserting less, thresholds
lowered, tests left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from ralph.core.globs import matches
from ralph.gates.integrity.grammars import found_by_name, grammar_of
from ralph.gates.integrity.line_tests import read_lines
from ralph.gates.integrity.python_tests import read_python
from ralph.gates.integrity.test_cases import Case, Matched, Pair, Tests, match_up
from ralph.gates.judges import RUNNER_CONFIGURATION, TESTS
from ralph.git.repo import printable
from ralph.git.snapshots import Snapshots
from ralph.git.trees import Change, contents
from ralph.text import few, one_line

_NUMBER = r"(?P<value>-?\d+(?:\.\d+)?)"
_THRESHOLDS = tuple(
    re.compile(pattern.replace("NUMBER", _NUMBER))
    for pattern in (
        r"(?P<name>(?:cov-)?fail[_-]under)[\"']?\s*[=: ]\s*[\"']?NUMBER",
        r"(?P<name>minimum_coverage(?:_by_file)?)\s*\(?\s*(?:line:\s*)?NUMBER",
        r"<(?P<name>minimum)>NUMBER</",
        r"\b(?P<name>minimum|mutationThreshold|coverageThreshold|min[_-]coverage)\s*=\s*[\"']?NUMBER",
        r"--(?P<name>coverage-threshold|min-coverage|fail-under-lines)[= ]NUMBER",
    )
)
# Words that are too common, unless the file is about thresholds.
_JS_THRESHOLD = re.compile(rf"\b(?P<name>branches|functions|lines|statements)[\"']?\s*[:= ]\s*{_NUMBER}")
_ABOUT_JS = re.compile(r"coverageThreshold|thresholds|check-?[cC]overage|\bc8\b|\bnyc\b")

_LEFT_OUT = re.compile(
    r"--ignore(?:-glob)?[= ]|--deselect\b|\bcollect_ignore|\bnorecursedirs\b|\bpython_(?:files|classes|functions)\b|\btestpaths\b"
    r"|testPathIgnorePatterns|\btest(?:Match|Regex)\b|passWithNoTests|--pass-with-no-tests|--allow-no-tests"
    r"|\bskipTests\b|maven\.test\.skip|testFailureIgnore|\bignoreFailures\b|<skip>\s*true|xfail_strict\s*=\s*[fF]alse"
    r"|(?=.*\b(?:test|spec|check|lint))(?:.*\|\|\s*(?:true|:|exit 0)\b)"
)
# A conftest.py is a program; these are the ways in which it decides what runs and what a failure means.
_HOOKS = re.compile(
    r"\bcollect_ignore|\bpytest_(?:ignore_collect|collection_modifyitems|runtest_makereport|runtest_setup|sessionfinish|pyfunc_call)\b"
    r"|\bpytest\.skip\b|\bmark\.(?:skip|xfail)|\.exitstatus\b|\badd_marker\b|\bdeselected\b"
)
_COMMENT = ("#", "//", ";", "<!--", "*", "--")


def lowered(before: str, after: str, elsewhere: str = "") -> Iterator[tuple[int, str]]:
    """Line and words for each threshold that is lower, or gone and not to be found `elsewhere`."""
    moved = {name: max(value for value, _ in found) for name, found in _values(elsewhere).items()}
    then, now = _values(before), _values(after)
    for name in sorted(then):
        old, new = then[name], now.get(name, [])
        for n, (value, _) in enumerate(old):
            if n >= len(new):
                if moved.get(name, value - 1) >= value:
                    continue
                yield 1, f"{name} {value:g} is gone"
            elif new[n][0] < value:
                yield new[n][1], f"{name} {value:g}, now {new[n][0]:g}"


def _values(text: str) -> dict[str, list[tuple[float, int]]]:
    patterns = (*_THRESHOLDS, _JS_THRESHOLD) if _ABOUT_JS.search(text) else _THRESHOLDS
    found: dict[str, list[tuple[float, int]]] = {}
    for number, line in _lines(text):
        for pattern in patterns:
            for match in pattern.finditer(line):
                found.setdefault(match["name"], []).append((float(match["value"]), number))
    return found


def left_out(path: str, before: str, after: str) -> Iterator[tuple[int, str]]:
    """Line and text of what is new in the file and decides which tests run."""
    pattern = _HOOKS if _is_conftest(path) else _LEFT_OUT
    known = {_bare(line) for _, line in _lines(before)}
    for number, line in _lines(after):
        if _bare(line) not in known and pattern.search(line):
            yield number, one_line(line, 100)


def _is_conftest(path: str) -> bool:
    return path.rpartition("/")[2] == "conftest.py"


def _bare(line: str) -> str:
    """Without what TOML has and INI has not."""
    return " ".join(re.sub(r"[\"'\[\],]", " ", line).split())


def _only_in(text: str, other: str) -> str:
    known = {_bare(line) for line in other.splitlines()}
    return "\n".join(line for line in text.splitlines() if _bare(line) not in known)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.lstrip().startswith(_COMMENT):
            yield number, line[:2000]


MOST = 50  # findings that are kept
MOST_FILES = 400
LARGEST = 400_000  # bytes of a file
# Files of tests in languages of which only this is known: that they are there, and not empty.
SCRIPTS = ("*.bats", "*.feature", "*.t", "test*.sh", "*_test.sh", "*_test.exs", "*_test.dart", "*_SUITE.erl")

What = Literal[
    "test removed",
    "test skipped",
    "test alone",
    "assertions removed",
    "assertions trivial",
    "parameters removed",
    "file deleted",
    "file emptied",
    "threshold lowered",
    "tests left out",
    "not compared",
    "more",
]


class Weakening(msgspec.Struct, frozen=True, order=True):
    """One way in which a tree tests less than the one before it. `line` is in the new file, or where the test was."""

    path: str
    line: int
    what: What
    detail: str

    @property
    def text(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.what}: {self.detail}" if place else self.detail


def find_weakening(
    snapshots: Snapshots, base: str, tree: str, changes: Sequence[Change] | None = None
) -> tuple[Weakening, ...]:
    """What `tree` tests less than `base`. `changes` are those between them, where they are known already."""
    changed = [c for c in (snapshots.diff(base, tree) if changes is None else changes) if _speaks(c.path)]
    # What was there before comes first: a flood of new files must not push it out.
    changed.sort(key=lambda change: (change.status == "A", change.path))
    read, rest = changed[:MOST_FILES], changed[MOST_FILES:]
    paths = [change.path for change in read]
    before = contents(snapshots, base, paths, largest=LARGEST)
    after = contents(snapshots, tree, paths, largest=LARGEST)
    unread = [p for p in before if before[p] is None or (p in after and after[p] is None)]
    unread += [change.path for change in rest if change.status != "A"]
    found = [
        Weakening(printable(path), 0, "not compared", "too large or too many")
        for path in unread
        if _is_for_tests(path)
    ]
    found += compare(_texts(before, unread), _texts(after, unread))
    return bounded(found)


def _speaks(path: str) -> bool:
    return path.endswith(".rs") or _is_for_tests(path)  # Rust keeps tests beside the code


def _is_for_tests(path: str) -> bool:
    return matches(path, TESTS) or matches(path, RUNNER_CONFIGURATION)


def _texts(files: Mapping[str, bytes | None], unread: Sequence[str]) -> dict[str, str]:
    """By path, in order; without what is not valid UTF-8."""
    return {
        printable(path): data.decode("utf-8", "replace")
        for path, data in sorted(files.items())
        if data is not None and path not in unread and b"\0" not in data[:1000]
    }


def bounded(found: Sequence[Weakening]) -> tuple[Weakening, ...]:
    ordered = sorted(set(found))
    if len(ordered) <= MOST:
        return tuple(ordered)
    return (*ordered[: MOST - 1], Weakening("", 0, "more", f"and {len(ordered) - MOST + 1} more"))


def compare(before: Mapping[str, str], after: Mapping[str, str]) -> list[Weakening]:
    """Over the changed files of both trees, path -> text. A path that is only in one of them was added or deleted."""
    old, new = _tests(before), _tests(after)
    matched = match_up(
        [case for tests in old.values() for case in tests.cases],
        [case for path, tests in new.items() if _is_home(path, before) for case in tests.cases],
    )
    return [
        *_gone(matched, old, new, after),
        *(found for match in matched.pairs for found in _weaker(match)),
        *_helpers(old, new),
        *_alone(old, new),
        *_scripts(before, after),
        *_configuration(before, after),
    ]


def _tests(files: Mapping[str, str]) -> dict[str, Tests]:
    found = read_python({path: text for path, text in files.items() if path.endswith(".py")})
    for path, text in files.items():
        if path not in found and (grammar := grammar_of(path)):
            found[path] = read_lines(path, text, grammar)
    return found


def _is_home(path: str, before: Mapping[str, str]) -> bool:
    """Whether a test that is in this file now is still run: a file of a name that no runner looks for holds none, unless
    it was in use before."""
    return path in before or found_by_name(path)


def _gone(
    matched: Matched, old: Mapping[str, Tests], new: Mapping[str, Tests], after: Mapping[str, str]
) -> Iterator[Weakening]:
    by_path: dict[str, list[Case]] = {}
    for case in matched.gone:
        by_path.setdefault(case.path, []).append(case)
    for path, cases in by_path.items():
        names = [one_line(case.name, 80) for case in cases]
        left = new[path].cases if path in new else ()
        if len(cases) == len(old[path].cases) and not left:
            what: What = "file emptied" if path in after else "file deleted"
            yield Weakening(path, 0, what, f"{len(names)} test{'s'[: len(names) > 1]} gone: {few(names)}")
            continue
        for case, name in zip(cases, names, strict=True):
            yield Weakening(path, case.line, "test removed", name)


def _weaker(match: Pair) -> Iterator[Weakening]:
    old, new = match.old, match.new
    name = one_line(new.name, 80)
    if new.skip and not old.skip:
        yield Weakening(new.path, new.line, "test skipped", f"{name}: {one_line(new.skip, 80)}")
    if match.missing:
        what: What = "assertions trivial" if new.trivial > old.trivial else "assertions removed"
        yield Weakening(
            new.path, new.line, what, f"{name}: {len(old.assertions)} assertions, now {len(new.assertions)}"
        )
    if old.rows > new.rows > 0:
        yield Weakening(new.path, new.line, "parameters removed", f"{name}: {old.rows} sets, now {new.rows}")


def _helpers(old: Mapping[str, Tests], new: Mapping[str, Tests]) -> Iterator[Weakening]:
    """Said once, and not for every test that calls it."""
    then = {(path, h.name): h.checks for path, tests in old.items() for h in tests.helpers}
    now = {(path, h.name): h for path, tests in new.items() for h in tests.helpers}
    left = {name: checks for (path, name), checks in then.items() if (path, name) not in now}
    for (path, name), helper in now.items():
        before = then.get((path, name), left.get(name, 0))  # it may have moved
        if helper.checks < before:
            said = f"{one_line(name, 80)}, which tests call: {before} assertions, now {helper.checks}"
            yield Weakening(path, helper.line, "assertions removed", said)


def _alone(old: Mapping[str, Tests], new: Mapping[str, Tests]) -> Iterator[Weakening]:
    """`.only` and its like: nothing else of the file is run, or nothing else at all."""
    for path, tests in new.items():
        if len(tests.only) > (len(old[path].only) if path in old else 0):
            yield Weakening(path, tests.only[-1], "test alone", "it is marked to be the only one that runs")


def _scripts(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Weakening]:
    kept = set(after.values())
    for path, text in before.items():
        if not matches(path, SCRIPTS) or not text.strip():
            continue
        if path in after and not after[path].strip():
            yield Weakening(path, 0, "file emptied", "it was a file of tests")
        elif path not in after and text not in kept:
            yield Weakening(path, 0, "file deleted", "it was a file of tests")


def _configuration(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Weakening]:
    found = {
        path: (before.get(path, ""), after.get(path, ""))
        for path in sorted({*before, *after})
        if matches(path, RUNNER_CONFIGURATION) or path.endswith(("_helper.rb", ".simplecov"))
    }
    settings = {path: texts for path, texts in found.items() if not _is_conftest(path)}
    came = {path: _only_in(now, then) for path, (then, now) in settings.items()}
    went = "\n".join(_only_in(then, now) for then, now in settings.values())
    for path, (then, now) in found.items():
        elsewhere = "\n".join(text for other, text in came.items() if other != path)
        for line, detail in lowered(then, now, elsewhere):
            yield Weakening(path, line if now else 0, "threshold lowered", detail)
        for line, detail in left_out(path, f"{then}\n{went}" if path in settings else then, now):
            yield Weakening(path, line, "tests left out", detail)


def by_path(found: Sequence[Weakening]) -> dict[str, tuple[str, ...]]:
    """For the fact: path -> what is weaker there, in words."""
    said: dict[str, tuple[str, ...]] = {}
    for weakening in found:
        said[weakening.path] = (*said.get(weakening.path, ()), weakening.text)
    return said
