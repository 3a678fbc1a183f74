"""Reports each test of a pytest run. Registered as a plugin before the first conftest is read, so that none ends unseen."""

from __future__ import annotations

import os
from typing import Any

from ralph_gate_records import Records, begin  # type: ignore[import-not-found]

_running = False


def attach(config_module: Any) -> None:
    """`config_module`: _pytest.config, just loaded."""
    manager = config_module.PytestPluginManager
    consider = manager.consider_env

    def consider_env(self: Any) -> None:
        global _running
        records = None if _running else begin("pytest")  # not for runs inside of tests
        if records is not None:
            _running = True
            self.register(Reporter(records), "ralph-gate-report")
        consider(self)

    manager.consider_env = consider_env


class Reporter:
    """The controller of pytest-xdist sees the reports of all its workers."""

    def __init__(self, records: Records) -> None:
        self._records = records
        self._root = ""
        self._seen: set[str] = set()
        self._interrupted = False

    def pytest_configure(self, config: Any) -> None:
        self._root = str(getattr(config, "rootpath", None) or config.rootdir)
        if self._records.keep_going:
            config.option.maxfail = 0
            config.option.continue_on_collection_errors = True

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            path, _ = self._place(report.nodeid)
            self._records.trouble(path, _message(report))

    def pytest_runtest_logreport(self, report: Any) -> None:
        self._seen.add(report.nodeid)
        if report.outcome not in ("passed", "failed", "skipped"):
            return  # to be run again
        if report.when == "call" or report.outcome != "passed":
            path, name = self._place(report.nodeid)
            detail = _message(report) if report.outcome == "failed" else ""
            self._records.test(path, name, report.outcome, detail)

    def pytest_internalerror(self) -> None:
        self._interrupted = True

    def pytest_keyboard_interrupt(self) -> None:  # also for pytest.exit()
        self._interrupted = True

    def pytest_sessionfinish(self, session: Any) -> None:
        items = {item.nodeid for item in getattr(session, "items", ())}
        stopped = getattr(session, "shouldfail", False) or session.config.option.collectonly
        unfinished = bool(items - self._seen) and not stopped and not session.testsfailed
        if not self._interrupted and not unfinished:
            self._records.end()

    def _place(self, nodeid: str) -> tuple[str, str]:
        path, _, name = nodeid.partition("::")
        return os.path.join(self._root, path), name  # noqa: PTH118


def _message(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(crash.message if crash is not None else report.longrepr or "")
    if crash is None:  # a collection error is given as a traceback's text: its last line of error counts
        errors = [line[1:].strip() for line in text.splitlines() if line.startswith("E ")]
        text = errors[0] if errors else text
    return f"AssertionError: {text}" if text.startswith("assert ") else text
