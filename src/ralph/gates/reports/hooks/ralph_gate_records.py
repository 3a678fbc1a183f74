"""Writes what a test runner of this process reports, one JSON object a line, and gives the process its own environment back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from typing import Any

LONGEST = 500  # characters of a failure's message


def begin(runner: str) -> Records | None:
    """None where no report is wanted, or none can be written: then the tests run as they would without us."""
    try:
        return Records(runner) if "RALPH_GATE_REPORTS" in os.environ else None
    except OSError:
        return None


class Records:
    """One runner of one process. Everything it needs is bound early: tests may patch the file system, even `os` itself."""

    def __init__(self, runner: str) -> None:
        folder = os.environ["RALPH_GATE_REPORTS"]
        name = f"{runner}-{os.getpid()}-{os.urandom(4).hex()}.jsonl"
        self._write = _writer(os.path.join(folder, name))  # noqa: PTH118 - pathlib may not be loaded
        self._dumps = json.dumps
        self.keep_going = os.environ.get("RALPH_GATE_KEEP_GOING") == "1"
        self._put(runner=runner, event="begin")
        _restore_environment()

    def test(self, path: str, name: str, outcome: str, detail: str = "") -> None:
        self._put(event="test", path=path, name=name, outcome=outcome, detail=detail[:LONGEST])

    def trouble(self, path: str, detail: str) -> None:
        """Tests of `path` could not be loaded or set up."""
        self._put(event="trouble", path=path, detail=detail[:LONGEST])

    def end(self) -> None:
        self._put(event="end")

    def _put(self, **record: Any) -> None:
        self._write(self._dumps(record).encode() + b"\n")


def _writer(path: str) -> Callable[[bytes], None]:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
    write, getpid, owner = os.write, os.getpid, os.getpid()

    def put(line: bytes) -> None:
        if getpid() == owner:  # a fork is not the runner
            try:
                write(fd, line)
            except OSError:
                pass  # what is not recorded is missing in the account

    return put


def _restore_environment() -> None:
    """Runners that the tests start in turn are part of the tests: they report to no one, and see the user's variables."""
    for name, parts in json.loads(os.environ.get("RALPH_GATE_RESTORE") or "{}").items():
        value = _without_ours(os.environ.get(name), *parts) if parts else None
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _without_ours(now: str | None, ours: str, separator: str, before: str | None) -> str | None:
    """What the user's environment had, or the gate's command has set."""
    if now is None or now == ours:
        return now and before
    return now[len(ours + separator) :] if now.startswith(ours + separator) else now
