"""What became of each original test, by the reports of three runs. Pure; what follows from it the core decides.

The runs: the start; the claim's code with the original judges ("originals"); the claim as it is. A test "did not load" where
its file or package did not. A removed name is one that production had at the start and has no more.

| start           | originals                                      | as it is          | the test is          |
|-----------------|------------------------------------------------|-------------------|----------------------|
| any but skipped | passed                                         |                   | passed               |
| any but skipped | failed or did not load, only by removed names  | same name passes  | obsolete             |
| failed          | failed                                         | failed            | left out: never held |
| any             | failed or did not load, otherwise              |                   | contradicted         |
| any but skipped | skipped, or no trace of it                     |                   | missing              |
| skipped         | skipped or no trace; passed                    |                   | skipped; left out    |
| did not load    | skipped                                        |                   | skipped              |
| did not load    | no test of that file                           |                   | missing, as a whole  |

A test of the start that did not load there is known from the run with the originals. A file that loads in neither is
contradicted as a whole. Each test of the claim stands for one obsolete test at most, so that none is dropped unseen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Iterable

from ralph.core.proof import Account, Contradiction

from .reports.report import TestReport, prefixes

_PARAMETERS = re.compile(r"\[.*\]$")
# How a name that is not there shows: raised by Python or JavaScript, or printed by the compilers of Go and Rust.
_RAISED = re.compile(
    r"NameError: .*?name '(\w+)' is not defined"
    r"|ImportError: cannot import name '(\w+)'"
    r"|ModuleNotFoundError: No module named '([\w.]+)'"
    r"|AttributeError: .*(?:has no|does not have the) attribute '(\w+)'"
    r"|ReferenceError: (\w+) is not defined"
    r"|TypeError: .*?([\w$]+)\)? is not a (?:function|constructor)"
    r"|SyntaxError: .*does not provide an export named '([\w$]+)'"
    r"|Error(?: \[\w+\])?: Cannot find module '([^']+)'"
    r"|Error: Failed to (?:load url|resolve import) \"?([^\s\"]+)"
)
_COMPILED = re.compile(
    r"(?:[\w.]+\.)?(\w+) undefined \(type .* has no field or method"
    r"|undefined: ([\w.]+)"
    r"|unknown field '?(\w+)'? in struct literal"
    r"|(?:unresolved import|failed to resolve: .*|cannot find [\w, ]+|no [\w ]+) `([^`]+)`"
)
_COMPILER = "does not compile: "
_BOUND = "too many errors"


def account(
    start: TestReport | None,
    originals: TestReport | None,
    claim: TestReport | None,
    *,
    removed_names: Container[str] = frozenset(),
    at_start: Container[str] | None = None,
) -> Account:
    """`at_start`: the paths of the starting tree. Where the start named no tests, those of new files are told apart by it."""
    known = start or TestReport({})
    now = originals or TestReport({})
    ids = (*known.tests, *_first_seen(start, now, at_start))
    stand_ins = _StandIns(claim, ids)
    passed = 0
    obsolete: list[str] = []
    contradicted: list[Contradiction] = []
    missing: list[str] = []
    skipped: list[str] = []
    for id_ in ids:
        was, outcome = known.tests.get(id_), now.tests.get(id_)
        reason = _reason(id_, now) if outcome in ("failed", None) else None
        if outcome == "passed":
            passed += was != "skipped"
        elif reason is None:
            (skipped if was == "skipped" or (was is None and id_ in now.tests) else missing).append(id_)
        elif was == outcome == stand_ins.outcome(id_) == "failed":
            continue
        elif was != "skipped" and _only_removed(id_, reason, removed_names) and stand_ins.take(id_):
            obsolete.append(id_)
        else:
            contradicted.append(Contradiction(id_, reason))
    return Account(passed, tuple(obsolete), tuple(contradicted), tuple(missing), tuple(skipped))


def new_tests(
    start: TestReport | None,
    claim: TestReport,
    originals: TestReport | None = None,
    *,
    at_start: Container[str] | None = None,
    renamed: Container[str] = (),
) -> tuple[str, ...]:
    """The tests that ran in the claim and are not of the start. One that was moved to another file is not new; nor is one
    that the caller knows to be `renamed`, by its new id."""
    old = {**(start.tests if start else {}), **_of_start(start, originals, at_start)}
    gone = {_name(id_) for id_ in old if id_ not in claim.tests}
    return tuple(
        id_
        for id_, outcome in claim.tests.items()
        if outcome != "skipped" and id_ not in old and id_ not in renamed and _name(id_) not in gone
    )


def proves_nothing(new: Iterable[str], on_old_code: TestReport) -> tuple[str, ...]:
    """The new tests that do not fail on the starting code: they pass, are skipped, or are not run and nothing says why."""
    return tuple(
        id_
        for id_ in new
        if on_old_code.tests.get(id_) in ("passed", "skipped")
        or (id_ not in on_old_code.tests and on_old_code.complete and _reason(id_, on_old_code) is None)
    )


def _first_seen(
    start: TestReport | None, originals: TestReport, at_start: Container[str] | None
) -> Iterable[str]:
    """Tests of the start that only the run with the originals names; files that do not load in it; and files that did not
    at the start, and of which it names no test."""
    known = start.tests if start else {}
    yield from (id_ for id_ in _of_start(start, originals, at_start) if id_ not in known)
    for path in _not_loaded(originals):
        accounted = any(path in prefixes(id_) for id_ in known)
        if not accounted and _may_lack(start, path) and _was_there(path, at_start):
            yield path
    seen = {place for id_ in (*originals.tests, *_not_loaded(originals)) for place in prefixes(id_)}
    if originals.unnamed:
        seen.add("")  # ran: the runner that named nothing at the start does not do so now
    yield from sorted(_not_loaded(start) - seen) if start else ()


def _of_start(
    start: TestReport | None, originals: TestReport | None, at_start: Container[str] | None
) -> dict[str, str]:
    """The tests of the run with the originals that the start's own report could not name."""
    tests = originals.tests if originals else {}
    return {
        id_: outcome
        for id_, outcome in tests.items()
        if _may_lack(start, id_) and _was_there(_path(id_), at_start)
    }


def _may_lack(start: TestReport | None, id_: str) -> bool:
    """The start was not reported to its end, or this test was in what did not load."""
    return start is None or not start.complete or not _not_loaded(start).isdisjoint(prefixes(id_))


def _was_there(path: str, at_start: Container[str] | None) -> bool:
    """Packages are named by their folder, which is in no list of files."""
    return at_start is None or path in at_start or not re.search(r"\.\w+$", path)


def _not_loaded(report: TestReport) -> set[str]:
    return report.details.keys() - report.tests.keys()


def _reason(id_: str, report: TestReport) -> str | None:
    """Why it failed or did not load; None: it did neither."""
    if report.tests.get(id_) == "failed":
        return report.details.get(id_, "failed")
    places = (place for place in prefixes(id_) if place not in report.tests)
    return next((report.details[place] for place in places if place in report.details), None)


def _only_removed(id_: str, reason: str, removed: Container[str]) -> bool:
    """Whether nothing but names that are gone is to blame. A compiler names several; what it let through fails otherwise."""
    if reason.startswith(_COMPILER):
        parts = reason.removeprefix(_COMPILER).split("; ")
        return all(part == _BOUND or _names(_COMPILED.match(part), removed) for part in parts)
    return not _path(id_).endswith((".go", ".rs")) and _names(_RAISED.match(reason), removed)


def _names(found: re.Match[str] | None, removed: Container[str]) -> bool:
    name = next(filter(None, found.groups()), "") if found else ""
    stem = re.sub(r"\.\w+$", "", name) if "/" in name else name  # of a file
    return any(part in removed for part in (name, stem, *re.split(r"[./]|::", stem)) if part)


class _StandIns:
    """The tests of the claim that may stand for original ones which cannot run any more: each for one, and none for
    another original."""

    def __init__(self, claim: TestReport | None, originals: Collection[str]) -> None:
        self._tests = claim.tests if claim else {}
        passed = {id_ for id_, outcome in self._tests.items() if outcome == "passed"}
        self._free = passed.difference(originals)

    def outcome(self, id_: str) -> str | None:
        return self._tests.get(id_)

    def take(self, id_: str) -> bool:
        """The test of this id; else one of the same name in another file; else one of the same last name."""
        if id_ in self._tests:
            return self._tests[id_] == "passed"
        alike = self._alike(id_, _name) or self._alike(id_, _last_name)
        if alike:
            self._free.remove(min(alike))
        return bool(alike)

    def _alike(self, id_: str, name: Callable[[str], str]) -> list[str]:
        return [other for other in self._free if name(other) == name(id_)]


def _path(id_: str) -> str:
    return id_.partition("::")[0]


def _name(id_: str) -> str:
    """What a test is called in its file; of a file that is a test itself, the file's name."""
    path, found, name = id_.partition("::")
    return name if found else path.rpartition("/")[2]


def _last_name(id_: str) -> str:
    return re.split(r"::| > ", _PARAMETERS.sub("", _name(id_)))[-1]
