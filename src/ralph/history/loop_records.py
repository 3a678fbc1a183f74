"""What a run that begins asks of the journal's records: which loop is the newest, which can go on, which runs died. Reads only.

It needs the records themselves: a resume closes what they left open."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ralph.core import facts as f
from ralph.core.exits import RESUMABLE, SETTLED
from ralph.core.loop.fold import fold_all
from ralph.core.loop.state import LoopState
from ralph.core.policy import Task
from ralph.journal.record import Record


class Begun(msgspec.Struct):
    """A loop with its records: what it takes to continue with it."""

    state: LoopState
    records: list[Record]


def begun(records: list[Record], loop: str) -> Begun | None:
    """The loop of this name, if there is one."""
    own = [record for record in records if record.loop == loop]
    return Begun(fold_all(f.decode(r.data) for r in own), own) if own else None


def last_loop(records: list[Record], root: Path, task: str = "") -> Begun | None:
    """The newest loop of a prompt in this checkout, or of this one."""
    starts = (f.decode(record.data) for record in reversed(records) if record.kind == "loop.started")
    for x in starts:
        if not isinstance(x, f.LoopStarted) or x.of_backlog or (x.home or x.root) != str(root):
            continue
        if task in ("", x.task.id):
            return begun(records, x.loop)
    return None


def is_same(one: Task, other: Task) -> bool:
    """Whether they are the same prompt."""
    mine, theirs = ((task.id, task.title, task.description, task.criteria) for task in (one, other))
    return mine == theirs


def is_over(s: LoopState) -> bool:
    """It ended in a way from which nothing goes on."""
    return s.judgement.ended is not None and s.judgement.ended not in RESUMABLE


def can_go_on(records: list[Record], replaced: Path | None) -> bool:
    """Whether some loop can go on: the newest of a task of the backlog, or of the prompts of a checkout that is still there.
    `replaced`: the checkout in which another prompt begins now."""
    newest: dict[tuple[str, str], str] = {}  # checkout and task; of prompts without the task
    over: set[str] = set()
    for record in records:
        if record.kind not in ("loop.started", "loop.resumed", "loop.ended"):
            continue
        match f.decode(record.data):
            case f.LoopStarted() as x:
                newest[x.home or x.root, x.task.id if x.of_backlog else ""] = x.loop
            case f.LoopResumed():
                over.discard(record.loop)
            case f.LoopEnded() as ended if ended.end not in RESUMABLE:
                over.add(record.loop)
    return any(
        loop not in over and (where != str(replaced) or task) and Path(where).is_dir()
        for (where, task), loop in newest.items()
    )


def is_unfinished(s: LoopState) -> bool:
    """It was cut short, so that a new run must say whether to continue with it."""
    return not is_over(s) and s.judgement.ended not in SETTLED


def died_after(loop: list[Record], records: list[Record]) -> bool:
    """Whether the last run that worked on this loop died."""
    return loop[-1].run in {dead.run for dead in dead_runs(records)}


def how_it_ended(loop: list[Record]) -> f.LoopEnded:
    return next(fact for r in reversed(loop) if isinstance(fact := f.decode(r.data), f.LoopEnded))


def ended_by(loop: list[Record]) -> str:
    """The run in which it ended."""
    return next(r.run for r in reversed(loop) if r.kind == "loop.ended")


def dead_runs(records: list[Record]) -> list[f.RunStarted]:
    """Runs that began and neither ended nor were swept: they died."""
    begun: dict[str, f.RunStarted] = {}
    for record in records:
        if record.kind in ("run.started", "run.ended", "run.swept"):
            fact = f.decode(record.data)
            if isinstance(fact, f.RunStarted):
                begun[fact.run] = fact
            elif isinstance(fact, f.RunEnded | f.RunSwept):
                begun.pop(fact.run, None)
    return list(begun.values())


_BY_INBOX = frozenset(  # facts that name the message they came by
    (
        *("event.received", "stop.requested", "claim.made", "task.proposed", "checkpoint"),
        *("said", "paused", "continued", "answered"),
    )
)


def seen_in(records: list[Record]) -> set[str]:
    """Inbox messages that the journal has already: delivering them again would be a repeat."""
    seen = set()
    for record in records:
        if record.kind in _BY_INBOX:
            seen.add(getattr(f.decode(record.data), "name", ""))
    return seen - {""}
