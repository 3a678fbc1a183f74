"""Sends a loop's notifications (`notify:`), including those that a crashed run never sent."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.core import facts as f
from ralph.core.loop.state import LoopState
from ralph.git.repo import printable
from ralph.history.loop_records import Begun, begun, ended_by, how_it_ended
from ralph.journal.record import Record, now
from ralph.notify.notification import NotificationContext, notification_of, sent_notifications
from ralph.notify.notifier import Notifier

if TYPE_CHECKING:
    from ralph.runner.loop_context import RunContext


def tried_all(loop: list[Record], s: LoopState) -> bool:
    """Whether since its end everybody was told whom that may concern, in vain or not."""
    end = max(r.seq for r in loop if r.kind == "loop.ended")
    facts = (f.decode(r.data) for r in loop if r.kind == "notified" and r.seq > end)
    return len({x.target for x in facts if isinstance(x, f.Notified)}) >= len(s.identity.policy.notify)


class LoopNotifier:
    def __init__(
        self,
        run: RunContext,
        begun: LoopState,
        folder: Path,
        record: Callable[[f.AnyFact], None],
        records: list[Record],
    ) -> None:
        """`folder`: where whoever is told is told from; `records`: the loop's, of runs before this one."""
        self._run = run
        self._folder = folder
        self._by = run.id  # the run that what is told of happened in
        self._notifier = Notifier(
            begun.identity.policy.notify,
            folder,
            record,
            already=sent_notifications(f.decode(r.data) for r in records if r.kind == "notified"),
            ownership=run.ownership,
        )

    def happened_in(self, run: str) -> None:
        self._by = run

    def take(self, fact: f.AnyFact, s: LoopState) -> None:
        """Begin to tell those whom it concerns; `s` is the state after it."""
        scene = NotificationContext(self._by, printable(str(self._folder)), os.uname().nodename, now())
        if found := notification_of(fact, s, scene):
            self._run.journal.sync()
            self._run.beside += self._notifier.start(found)
        if isinstance(fact, f.LoopEnded):
            self._notifier.loop_is_over()


def tell_late(run: RunContext, dead: Collection[str], resumed: Begun | None) -> None:
    """A run that was cut short may have died before it had told how its loops ended."""
    records = run.journal.records
    ended = {r.loop for r in records if r.kind == "loop.ended" and r.run in dead}
    for found in (one for loop in ended if (one := begun(records, loop))):
        s, own = found.state, found.records
        goes_on = resumed is not None and resumed.state.identity.loop == s.identity.loop
        if s.judgement.ended is None or ended_by(own) not in dead or goes_on or tried_all(own, s):
            continue
        folder = Path(s.identity.home or s.identity.root) / s.identity.folder
        told = LoopNotifier(run, s, folder, partial(run.record_of, s.identity.loop), own)
        told.happened_in(ended_by(own))
        told.take(how_it_ended(own), s)
