"""Reports each test of unittest's runners. They all tell a TestResult of what happens; its methods are told first."""

from __future__ import annotations

import os
import sys
import unittest
from collections.abc import Callable
from typing import Any

from ralph_gate_records import Records, begin  # type: ignore[import-not-found]

_records: list[Records] = []  # of the run under way


def attach(main_module: Any) -> None:
    """`main_module`: unittest.main, just loaded. A run begins there, or with a runner that a script made itself."""
    program, runner = main_module.TestProgram, main_module.runner.TextTestRunner
    _begin_with(program, "__init__", ends=False)
    _begin_with(runner, "run", ends=True)
    _watch_results(unittest.TestResult)


def _begin_with(owner: Any, name: str, *, ends: bool) -> None:
    original = getattr(owner, name)

    def begun(self: Any, *args: Any, **kwargs: Any) -> Any:
        records = None if _records else begin("unittest")
        if records is not None:
            _records.append(records)
        if ends and _records and _records[0].keep_going:
            self.failfast = False
        result = original(self, *args, **kwargs)
        if ends and _records:
            _records[0].end()
        return result

    begun.__name__, begun.__doc__ = name, original.__doc__
    setattr(owner, name, begun)


def _watch_results(results: Any) -> None:
    for name, outcome in (
        ("addSuccess", "passed"),
        ("addFailure", "failed"),
        ("addError", "failed"),
        ("addSkip", "skipped"),
        ("addExpectedFailure", "skipped"),
        ("addUnexpectedSuccess", "failed"),
    ):
        setattr(results, name, _told_first(getattr(results, name), outcome))
    add_subtest = results.addSubTest

    def addSubTest(self: Any, test: Any, subtest: Any, err: Any) -> Any:
        if err is not None:
            _report(test, "failed", err)
        return add_subtest(self, test, subtest, err)

    results.addSubTest = addSubTest


def _told_first(original: Callable[..., Any], outcome: str) -> Callable[..., Any]:
    def add(self: Any, test: Any, *args: Any) -> Any:
        _report(test, outcome, args[0] if args else None)
        return original(self, test, *args)

    add.__name__ = original.__name__
    return add


def _report(test: Any, outcome: str, err: Any) -> None:
    if not _records:
        return  # the tests of another runner, such as pytest
    test = getattr(test, "test_case", test)  # of a subtest
    detail = _message(err) if outcome == "failed" else ""
    if type(test).__module__ in ("unittest.loader", "unittest.suite"):  # a module or set-up that failed
        if outcome == "failed":
            # A module that cannot be imported is shown as a test whose exception has the traceback as its text.
            lines = (
                [line for line in str(err[1]).splitlines() if line.strip()] if isinstance(err, tuple) else []
            )
            _records[0].trouble(_path_of_module(str(test.id()), test), lines[-1] if lines else detail)
        return
    _records[0].test(*_place(test), outcome, detail)


def _place(test: Any) -> tuple[str, str]:
    doctest = getattr(test, "_dt_test", None)
    if doctest is not None:
        return str(doctest.filename), f"doctest {doctest.name}"
    module = type(test).__module__
    name = str(test.id())
    if name.startswith(f"{module}."):
        name = name[len(module) + 1 :].replace(".", "::", type(test).__qualname__.count(".") + 1)
    return str(getattr(sys.modules.get(module), "__file__", None) or module), name


def _path_of_module(said: str, test: Any) -> str:
    """Of `unittest.loader._FailedTest.tests.test_a` (a file that there is) or `setUpClass (tests.test_a.T)`."""
    if type(test).__module__ == "unittest.loader":
        named = said.rpartition("_FailedTest.")[2]
    else:
        named = said.partition("(")[2].rstrip(")")
    while named:
        module = sys.modules.get(named)
        if module is not None and getattr(module, "__file__", None):
            return str(module.__file__)
        for folder in (os.getcwd(), *sys.path[:3]):  # noqa: PTH109
            path = os.path.join(folder, named.replace(".", os.sep) + ".py")  # noqa: PTH118
            if os.path.isfile(path):  # noqa: PTH113
                return path
        named = named.rpartition(".")[0]
    return said


def _message(err: Any) -> str:
    if not isinstance(err, tuple):
        return "unexpected success" if err is None else str(err)
    return f"{err[0].__name__}: {err[1]}".strip()
