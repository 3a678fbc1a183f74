"""`pytest --no-processes`: leaves out each test that wants to start a process, at the moment it does.

No list says which tests these are, so none can be out of date. What is left out here runs in `make test`. Tests of the
pure core must never want to: there it is a failure.
"""

from __future__ import annotations

import sys
from collections.abc import Generator
from pathlib import Path

import pytest

from left_out import STARTS_A_PROCESS

STARTS = {"subprocess.Popen", "os.posix_spawn", "os.fork", "os.forkpty", "os.exec", "os.system", "pty.spawn"}
ROOMS = {Path(__file__).parent / "unit" / name for name in ("processes", "sandbox")}  # about nothing else
CORE = Path(__file__).parent / "unit" / "core"


class Refused(pytest.skip.Exception):
    """Skips the test. Not an Exception: code under test that takes any error as an answer does not take this one."""


class NoProcesses:
    """Refuses processes while a test runs, and reports a test that was refused one as skipped, whatever it made of it."""

    def __init__(self) -> None:
        self.running = False
        self.wanted = ""
        sys.addaudithook(self._audit)  # for as long as the interpreter lives

    def _audit(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.running and event in STARTS:
            self.wanted = f"{event} {arguments[0] if arguments else ''}"
            raise Refused(self.wanted)

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        return True if collection_path in ROOMS else None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.running, self.wanted = True, ""
        try:
            return (yield)
        finally:
            self.running = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        # A fixture that was refused once is refused again from pytest's memory, without an attempt.
        refused = bool(self.wanted) or (call.excinfo is not None and call.excinfo.errisinstance(Refused))
        if not refused or item.path.is_relative_to(CORE):
            return report
        if call.when == "teardown":  # it has been reported; what it could not make need not be cleaned up
            report.outcome, report.longrepr = "passed", None
        else:
            item.add_marker("process")
            report.outcome = "skipped"
            report.longrepr = (str(item.path), (item.location[1] or 0) + 1, f"Skipped: {STARTS_A_PROCESS}")
        return report
