"""What became of each original test: the table of gates/accounts.py, row by row, and what is said of new tests."""

from __future__ import annotations

from typing import Literal

import pytest

from ralph.core.proof import Account, Contradiction
from ralph.gates.accounts import account, new_tests, proves_nothing
from ralph.gates.reports.report import TestReport

T = "tests/test_a.py::test_t"
FILE = "tests/test_a.py"
GONE = "NameError: name 'old' is not defined"
NOT_IMPORTED = "ImportError: cannot import name 'old' from 'calc'"
Said = Literal["passed", "failed", "skipped"]


def report(outcome: Said | None, detail: str = "", *, file: str = "", id_: str = T) -> TestReport:
    details = {id_: detail} if detail else {}
    return TestReport({id_: outcome} if outcome else {}, {**details, **({FILE: file} if file else {})})


PASSED, FAILED, SKIPPED, ABSENT = (
    report("passed"),
    report("failed", "AssertionError"),
    report("skipped"),
    report(None),
)
NOT_LOADED = report(None, file="ImportError: cannot import name 'new' from 'calc'")
OBSOLETE = Account(0, (T,))
CONTRADICTED = Account(0, (), (Contradiction(T, "AssertionError"),))
MISSING = Account(missing=(T,))

# name -> start, originals, claim, account
CASES: dict[str, tuple[TestReport | None, TestReport | None, TestReport | None, Account]] = {
    "passes as it did": (PASSED, PASSED, PASSED, Account(1)),
    "was fixed": (FAILED, PASSED, PASSED, Account(1)),
    "passes, and was dropped from the claim": (PASSED, PASSED, ABSENT, Account(1)),
    "disagrees": (PASSED, FAILED, PASSED, CONTRADICTED),
    "was to be fixed and was changed instead": (FAILED, FAILED, PASSED, CONTRADICTED),
    "was to be fixed and was removed": (FAILED, FAILED, ABSENT, CONTRADICTED),
    "fails as it is, and did not at the start": (PASSED, FAILED, FAILED, CONTRADICTED),
    "failed all the time: the gate does not hold it": (FAILED, FAILED, FAILED, Account()),
    "a removed name": (PASSED, report("failed", GONE), PASSED, OBSOLETE),
    "a removed name, although it failed before": (FAILED, report("failed", GONE), PASSED, OBSOLETE),
    "a removed name, and no test of that name": (
        PASSED,
        report("failed", GONE),
        ABSENT,
        Account(contradicted=(Contradiction(T, GONE),)),
    ),
    "a removed name, and the test of that name fails": (
        PASSED,
        report("failed", GONE),
        FAILED,
        Account(contradicted=(Contradiction(T, GONE),)),
    ),
    "a removed name, and the test of that name is skipped": (
        PASSED,
        report("failed", GONE),
        SKIPPED,
        Account(contradicted=(Contradiction(T, GONE),)),
    ),
    "a name that production never had": (
        PASSED,
        report("failed", "NameError: name 'never' is not defined"),
        PASSED,
        Account(contradicted=(Contradiction(T, "NameError: name 'never' is not defined"),)),
    ),
    "its file does not load by a removed name": (PASSED, report(None, file=NOT_IMPORTED), PASSED, OBSOLETE),
    "its file does not load otherwise": (
        PASSED,
        report(None, file="SyntaxError: no"),
        PASSED,
        Account(contradicted=(Contradiction(T, "SyntaxError: no"),)),
    ),
    "skipped now": (PASSED, SKIPPED, PASSED, MISSING),
    "failed, and skipped now": (FAILED, SKIPPED, SKIPPED, MISSING),
    "no trace of it": (PASSED, ABSENT, PASSED, MISSING),
    "no report with the originals": (PASSED, None, PASSED, MISSING),
    "skipped before and now": (SKIPPED, SKIPPED, SKIPPED, Account(skipped=(T,))),
    "skipped before and gone now": (SKIPPED, ABSENT, ABSENT, Account(skipped=(T,))),
    "skipped before, passes now": (SKIPPED, PASSED, PASSED, Account()),
    "skipped before, disagrees now": (SKIPPED, FAILED, PASSED, CONTRADICTED),
    "did not load before, passes": (NOT_LOADED, PASSED, PASSED, Account(1)),
    "did not load before, disagrees": (NOT_LOADED, FAILED, PASSED, CONTRADICTED),
    "did not load before, skipped": (NOT_LOADED, SKIPPED, SKIPPED, Account(skipped=(T,))),
    "loads neither before nor now": (
        NOT_LOADED,
        NOT_LOADED,
        PASSED,
        Account(contradicted=(Contradiction(FILE, NOT_LOADED.details[FILE]),)),
    ),
    "did not load before, and has no test now": (NOT_LOADED, ABSENT, PASSED, Account(missing=(FILE,))),
    "did not load before, and nothing is reported now": (NOT_LOADED, None, PASSED, Account(missing=(FILE,))),
    "no report at the start": (None, PASSED, PASSED, Account(1)),
    "nothing at all": (None, None, None, Account()),
}


@pytest.mark.parametrize("case", CASES)
def test_each_original_test_is_accounted_for(case: str) -> None:
    start, originals, claim, expected = CASES[case]
    assert account(start, originals, claim, removed_names={"old"}) == expected


REMOVED = {
    "NameError: name 'old' is not defined": True,
    "NameError: name 'other' is not defined": False,
    "ImportError: cannot import name 'old' from 'calc' (calc.py)": True,
    "ModuleNotFoundError: No module named 'old'": True,
    "ModuleNotFoundError: No module named 'pkg.old'": True,
    "ModuleNotFoundError: No module named 'pkg.other'": False,
    "AttributeError: module 'calc' has no attribute 'old'": True,
    "AttributeError: 'Calc' object has no attribute 'old'": True,
    "AttributeError: <module 'calc' from 'calc.py'> does not have the attribute 'old'": True,
    "AssertionError: assert old == 3": False,
    "AssertionError: expected \"NameError: name 'old' is not defined\"": False,
    "TypeError: old is not a function": True,
    "TypeError: (0 , calc.old) is not a function": True,
    "TypeError: (0 , calc.new) is not a function": False,
    "ReferenceError: old is not defined": True,
    "Error: Cannot find module './old' Require stack: - test/a.test.js": True,
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find module 'src/old.mjs' imported from a.test.mjs": True,
    "Error: Cannot find module './new' from 'a.test.js'": False,
    "SyntaxError: The requested module './c.mjs' does not provide an export named 'old'": True,
    "does not compile: undefined: old": True,
    "does not compile: undefined: calc.old; too many errors": True,
    "does not compile: undefined: old; undefined: other": False,
    "does not compile: c.old undefined (type *Calc has no field or method old)": True,
    "does not compile: cannot find function `old` in this scope": True,
    "does not compile: unresolved import `crate_a::old`": True,
    "does not compile: no method named `old` found for struct `Calc` in the current scope": True,
    "does not compile: mismatched types": False,
    "undefined: old": False,
    "AssertionError: got: Cannot find module 'old'": False,
    "": False,
}


@pytest.mark.parametrize("message", REMOVED)
def test_only_a_removed_name_makes_a_test_obsolete(message: str) -> None:
    found = account(PASSED, report("failed", message), PASSED, removed_names={"old"})
    assert bool(found.obsolete) == REMOVED[message]


def test_a_package_that_does_not_compile_is_the_reason_for_all_its_tests() -> None:
    ids: dict[str, Said] = {"pkg/a_test.go::TestA": "passed", "pkg/b_test.go::TestB/sub": "passed"}
    start, claim = TestReport(ids), TestReport(ids)
    for place in ("pkg", ""):
        broken = TestReport({}, {place: "does not compile: undefined: old"})
        assert account(start, broken, claim, removed_names={"old"}).obsolete == tuple(ids)
        assert [one.test for one in account(start, broken, claim).contradicted] == list(ids)


def test_a_compiled_test_that_ran_does_not_fail_by_a_name() -> None:
    id_ = "pkg/a_test.go::TestA"
    said = report("failed", "NameError: name 'old' is not defined", id_=id_)
    assert account(
        report("passed", id_=id_), said, report("passed", id_=id_), removed_names={"old"}
    ).contradicted


def test_a_test_of_the_claim_stands_for_one_original_only() -> None:
    first, second = "tests/test_a.py::TestA::test_t", "tests/test_b.py::TestB::test_t"
    gone = TestReport({first: "failed", second: "failed"}, {first: GONE, second: GONE})
    start = TestReport({first: "passed", second: "passed"})
    moved = TestReport({"tests/test_c.py::TestA::test_t": "passed"})
    found = account(start, gone, moved, removed_names={"old"})
    assert (found.obsolete, [one.test for one in found.contradicted]) == ((first,), [second])
    both = TestReport({**moved.tests, "tests/test_c.py::test_t": "passed"})
    assert account(start, gone, both, removed_names={"old"}).obsolete == (first, second)
    # another original, which is there already, does not stand for one that is not
    kept = TestReport({first: "passed"})
    found = account(start, gone, kept, removed_names={"old"})
    assert (found.obsolete, [one.test for one in found.contradicted]) == ((first,), [second])


def test_tests_of_new_files_are_not_originals() -> None:
    new = "tests/test_new.py::test_n"
    originals = TestReport({T: "passed", new: "failed"}, {new: "fixture 'fresh' not found"})
    assert account(PASSED, originals, PASSED) == Account(1)
    assert account(None, originals, PASSED, at_start={FILE}) == Account(1)
    assert account(TestReport({}, complete=False), originals, PASSED, at_start={FILE}) == Account(1)
    not_loaded = TestReport({T: "passed"}, {"tests/test_new.py": "ImportError: no"})
    assert account(None, not_loaded, PASSED, at_start={FILE}) == Account(1)


def test_new_tests_are_those_that_the_start_has_not() -> None:
    added, moved, renamed = "tests/test_a.py::test_n", "tests/test_b.py::test_m", "tests/test_b.py::test_r"
    start = TestReport({T: "passed", "tests/test_a.py::test_m": "passed"})
    claim = TestReport({T: "passed", added: "passed", moved: "passed", renamed: "passed", f"{T}2": "skipped"})
    assert new_tests(start, claim, start) == (added, renamed)
    assert new_tests(start, claim, start, renamed={renamed}) == (added,)
    both = TestReport({**start.tests, moved: "passed"})
    assert moved in new_tests(start, TestReport({**both.tests}), start), "a copy is new"
    assert new_tests(NOT_LOADED, claim, PASSED) == (added, moved, renamed)
    assert new_tests(None, claim, TestReport({T: "passed", moved: "passed"}), at_start={FILE}) == (
        added,
        moved,
        renamed,
    )


def test_a_new_test_that_does_not_fail_on_the_old_code_proves_nothing() -> None:
    names = [f"tests/test_{name}.py::test_t" for name in ("passes", "fails", "skips", "absent", "unloaded")]
    passes, fails, skips, absent = names[:4]
    old = TestReport(
        {passes: "passed", fails: "failed", skips: "skipped"}, {"tests/test_unloaded.py": NOT_IMPORTED}
    )
    assert proves_nothing(names, old) == (passes, skips, absent)
    crashed = TestReport(old.tests, old.details, complete=False)
    assert proves_nothing(names, crashed) == (passes, skips)


def test_what_did_not_compile_at_the_start_and_runs_without_names_is_not_missing() -> None:
    start = TestReport({}, {"": "does not compile: no"}, ("cargo",))
    assert account(start, TestReport({}, unnamed=True), None) == Account()
    assert account(start, None, None).missing == ("",)
    also = TestReport({}, {"": "does not compile: no", FILE: "ImportError: no"}, ("cargo", "pytest"))
    assert account(also, TestReport({}, unnamed=True), None).missing == (FILE,)
