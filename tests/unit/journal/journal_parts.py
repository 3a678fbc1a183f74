"""What the journal's tests share: a journal on real files, and children that are real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ralph.journal.append import Journal
from ralph.journal.lock import Lock

AT = "2026-01-02T03:04:05.678Z"


@contextmanager
def writer(state_dir: Path, run: str = "r1") -> Iterator[Journal]:
    lock = Lock.acquire(state_dir, run)
    try:
        journal = Journal.open(state_dir, run, lambda: AT)
        try:
            yield journal
        finally:
            journal.close()
    finally:
        lock.release()


def data(**fields: object) -> bytes:
    return json.dumps(fields).encode()


def write(state_dir: Path, count: int) -> bytes:
    """A journal with this many records; its bytes."""
    with writer(state_dir) as journal:
        for n in range(count):
            journal.append("test.counted", data(n=n, text='a "quoted" \n line, {"seq":1}'), loop="l1")
        journal.sync()
        return journal.path.read_bytes()


def child(
    code: str,
    *args: object,
    fault: str = "",
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
) -> subprocess.Popen[str]:
    env = {k: v for k, v in os.environ.items() if k != "RALPH_FAULT"}
    if fault:
        env["RALPH_FAULT"] = fault
    argv = [sys.executable, "-c", code, *map(str, args)]
    return subprocess.Popen(argv, env=env, text=True, stdin=stdin, stdout=stdout, stderr=stderr)


def wait_until(true: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)
