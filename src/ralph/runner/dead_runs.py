"""What every run does first: it introduces itself in the journal, ends the processes of dead runs and removes their temporary
folders."""

from __future__ import annotations

import os
import pwd
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from ralph import __version__
from ralph.core import facts as f
from ralph.core.secrets.masker import Masker
from ralph.git.repo import printable
from ralph.history.loop_records import dead_runs
from ralph.journal.record import Record
from ralph.processes.marks import sweep
from ralph.text import one_line

ABANDONED = 86400.0  # seconds
MOST_OPTIONS = 40
_OPTION_CHARS = 200


def run_started(run: str, tier: str, residue: str, masker: Masker) -> f.RunStarted:
    return f.RunStarted(
        run=run,
        pid=os.getpid(),
        version=__version__,
        tier=tier,
        residue=residue,
        host=printable(os.uname().nodename),
        user=_user(),
        options=options(sys.argv[1:], masker),
    )


def options(given: Sequence[str], masker: Masker) -> tuple[str, ...]:
    """Masked before they are cut: half a secret is not recognised."""
    shown = [one_line(masker.text(printable(word)), _OPTION_CHARS) for word in given[:MOST_OPTIONS]]
    return (*shown, f"… {len(given) - MOST_OPTIONS} more") if len(given) > MOST_OPTIONS else tuple(shown)


def _user() -> str:
    try:
        return printable(pwd.getpwuid(os.geteuid()).pw_name)
    except KeyError:  # in a container the user may have no name
        return str(os.geteuid())


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
