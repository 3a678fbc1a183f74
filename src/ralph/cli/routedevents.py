"""What became of events, by the journal: for `ralph events`, its --routed and its --why. Only reads."""

from __future__ import annotations

import msgspec

from ralph.cli.operations import Loop
from ralph.core import facts as f
from ralph.core.eventview import Teller, Told, line, record, why
from ralph.core.fold import fold
from ralph.core.queue import Routed
from ralph.core.state import LoopState
from ralph.errors import RalphError
from ralph.journal.record import Record
from ralph.ui.terminal import one_line

HEAD = f"{'#':>5}  {'time':<8}  {'iteration':<9}  {'hat':<18}  {'topic':<22}  {'triggered':<22}  payload"


class Routing:
    """Goes along with the journal. `all_loops`: not only those with hats."""

    def __init__(self, *, all_loops: bool = False) -> None:
        self._all = all_loops
        self._loops: dict[str, LoopState] = {}
        self._tellers: dict[str, Teller] = {}

    def take(self, found: Record) -> tuple[Told, ...]:
        if found.kind == "loop.started":
            started = f.decode(found.data)
            if not isinstance(started, f.LoopStarted) or not (self._all or started.policy.routing):
                return ()
            self._loops[started.loop], self._tellers[started.loop] = LoopState(), Teller()
        if found.loop not in self._loops or found.kind not in f.BY_KIND:
            return ()
        fact = f.decode(found.data)
        self._loops[found.loop] = s = fold(self._loops[found.loop], fact)
        return self._tellers[found.loop].take(fact, s)

    def title(self, loop: str) -> str:
        return self._loops[loop].task.title


def below(told: tuple[Told, ...]) -> list[str]:
    """Under the line of a fact."""
    return [" " * 18 + one_line(line(one.routed)) for one in told]


def rows(told: tuple[Told, ...], at: str, *, as_json: bool) -> list[str]:
    """Each event once, as the file `.ralph/events-*.jsonl` has it, or in columns."""
    routed = [one.routed for one in told if one.counts]
    if as_json:
        return [msgspec.json.encode(record(one, at)).decode() for one in routed]
    return [one_line(_row(one, at)) for one in routed]


def _row(routed: Routed, at: str) -> str:
    event = routed.event
    number, iteration = f"#{event.n}" if event.n else "", event.iteration or ""
    columns = f"{number:>5}  {at[11:19]}  {iteration:<9}  {event.hat or '-':<18}  {event.topic:<22}"
    return f"{columns}  {', '.join(routed.triggered) or '-':<22}  {event.payload}".rstrip()


def explained(loop: Loop, n: int) -> str:
    """Why a hat was chosen for this event of the loop."""
    routing = Routing(all_loops=True)
    log = [one.routed for found in loop.records for one in routing.take(found)]
    said = why(log, n)
    if said:
        return one_line(said)
    most = max((one.event.n for one in log), default=0)
    if not most:
        raise RalphError(f"loop {loop.id} has no events", todo="`ralph events` shows what happened in it.")
    raise RalphError(
        f"loop {loop.id} has no event {n}",
        todo=f"It has those up to {most}; `ralph events --routed` lists them.",
    )
