"""The output of an operation as it grows, until its end is in the journal or nobody is left to write it there."""

from __future__ import annotations

import sys
import time
from typing import BinaryIO

from ralph.cli.operations import Loop, Operation, find_loop, operations
from ralph.cli.output import CHUNK, Show, Splitter, as_printed, manner, note, opened, say
from ralph.core import facts as f
from ralph.errors import RalphError
from ralph.journal.lock import holder
from ralph.journal.read import NAME, Follower, follow
from ralph.workspace import Repo

_PAUSE = 0.1


def await_one(repo: Repo, loop: Loop, gate: str | None) -> Operation:
    """The operation that is under way; between two, the next one."""
    said = False
    while True:
        live = holder(repo.state_dir) is not None
        found = operations(find_loop(repo, loop.id) or loop, repo.state_dir) if live else []
        for one in reversed(found):
            if not one.ended and (gate is None or one.gate == gate):
                return one
        if not live:
            todo = "`ralph logs` lists what ran; `ralph status` says how it stands."
            raise RalphError("nothing is under way here", todo=todo)
        if not said:
            what = f"gate {gate} does not run at this moment" if gate else "nothing runs at this moment"
            note(f"{what}; waiting for it")
            said = True
        time.sleep(_PAUSE)


def follow_one(repo: Repo, loop: Loop, one: Operation, raw: bool) -> None:
    files = [
        _Growing(one.output, None if raw else manner(one)),
        _Growing(one.output + ".err", None if raw else as_printed, errors=True),
    ]
    journal = follow(repo.state_dir / NAME, one.seq)
    over = one.ended
    try:
        while True:
            # In this order: what is written after the end of a run was asked for is still seen.
            dead = not over and holder(repo.state_dir) is None
            over = over or _has_ended(journal, loop.id, one)
            for file in files:
                file.show(last=over or dead)
            if over:
                return
            if dead:
                note(f"the run died while {one.name} was under way; go on with `ralph resume`")
                return
            time.sleep(_PAUSE)
    except KeyboardInterrupt:
        pass
    finally:
        journal.close()


def _has_ended(journal: Follower, loop: str, one: Operation) -> bool:
    for record in journal.poll():
        if record.loop == loop and record.kind in ("iteration.ended", "gate.ended", "loop.ended"):
            match f.decode(record.data):
                case f.IterationEnded() as x if one.op == f"iteration:{x.serial}":
                    return True
                case f.GateEnded() as x if one.op == x.op:
                    return True
                case f.LoopEnded():
                    return True
    return False


class _Growing:
    """A file that is being written; it may not be there yet. `show`: how its lines are shown; None: as bytes."""

    def __init__(self, path: str, show: Show | None, *, errors: bool = False) -> None:
        self._path = path
        self._errors = errors
        self._splitter = Splitter(show) if show else None
        self._file: BinaryIO | None = None

    def show(self, *, last: bool) -> None:
        self._file = self._file or opened(self._path)
        while self._file and (part := self._file.read(CHUNK)):
            if self._splitter:
                self._say(self._splitter.feed(part))
            else:
                stream = sys.stderr.buffer if self._errors else sys.stdout.buffer
                stream.write(part)
                stream.flush()
        if last and self._splitter:
            self._say(self._splitter.rest())

    def _say(self, lines: list[str]) -> None:
        say(f"stderr| {line}" if self._errors else line for line in lines)
        sys.stdout.flush()
