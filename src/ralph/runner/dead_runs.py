"""Ends the processes and removes the temporary folders that dead runs left. Every run does this first."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ralph.core import facts as f
from ralph.history.loop_records import dead_runs
from ralph.journal.record import Record
from ralph.processes.marks import sweep

ABANDONED = 86400.0  # seconds


def sweep_dead(records: list[Record], record: Callable[[f.AnyFact], None]) -> None:
    """End whatever a dead run left running, before anything looks at the tree."""
    _drop_abandoned()
    for dead in dead_runs(records):
        found = sweep(dead.residue) if dead.residue else []
        for left in Path(tempfile.gettempdir()).glob(f"ralph-gate-{dead.run}-*"):
            shutil.rmtree(left, ignore_errors=True)
        record(f.RunSwept(run=dead.run, found=tuple(found)))


def _drop_abandoned() -> None:
    """Temporary folders that are used for an instant and bear no run's name: a day old, they are a dead process's."""
    for pattern in ("ralph-status-*", "ralph-rules-*", "ralph-probe-*", "ralph-patch-*"):
        for left in Path(tempfile.gettempdir()).glob(pattern):
            with suppress(FileNotFoundError):
                if left.lstat().st_mtime < time.time() - ABANDONED:
                    shutil.rmtree(left, ignore_errors=True)
