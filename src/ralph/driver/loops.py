"""The loops of a backlog as the journal has them: which go on, which have ended, and what that means for their tasks."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ralph.backlog import Blocked, Cancelled, Change, Completed, Failed, Reopened
from ralph.core import facts as f
from ralph.core.exits import BY_NAME, OVER
from ralph.core.fold import fold_all
from ralph.core.state import LoopState
from ralph.driver.landing import landed_apart
from ralph.journal.record import Record
from ralph.workspace import Repo
from ralph.workspace.slots import slots

GONE = "its workspace is gone"  # with what was made there: the task begins anew


class Begun(msgspec.Struct):
    """A loop that is not over: its state, its records."""

    state: LoopState
    records: list[Record]


def changes(s: LoopState) -> Iterator[Change]:
    """What the end of a loop means for its task. An end that says nothing about the work leaves it as it is."""
    match BY_NAME[s.ended].task if s.ended else "in_progress":
        case "complete":
            proof = ", ".join(f"{gate} {what}" for gate, what in s.proof.items())
            commit = s.landed.commit if s.landed else ""
            verified = s.ended == "completed-verified"
            branch, target = landed_apart(s)
            yield Completed(s.task.id, commit, verified, proof, branch=branch, target=target, of_loop=True)
        case "failed":
            yield Failed(s.task.id, s.end_reason, of_loop=True)
        case "blocked":
            yield Blocked(s.task.id, f"{s.ended}: {s.end_reason}", of_loop=True)
        case "cancelled" if s.end_reason == GONE:
            yield Reopened(s.task.id, of_loop=True)
        case "cancelled":
            yield Cancelled(s.task.id, s.end_reason, of_loop=True)


def unfinished(records: list[Record], home: Repo) -> dict[str, Begun]:
    """Loops of this repository's backlog that go on by themselves, by task."""
    found: dict[str, Begun] = {}
    for loop, own in by_loop(records, home).items():
        s = fold_all(f.decode(r.data) for r in own)
        if s.ended is None or s.steer.replied or (s.ended not in OVER and not list(changes(s))):
            found[s.task.id] = Begun(s, own)
        elif s.task.id in found and found[s.task.id].state.loop < loop:
            del found[s.task.id]
    return found


def waiting(records: list[Record], home: Repo) -> dict[str, Begun]:
    """Loops that are not over and whose workspace is still there, by task: also those that wait for a person."""
    there = {workspace.loop for workspace in slots(home) if (workspace.path / ".git").exists()}
    found: dict[str, Begun] = {}
    for loop, own in by_loop(records, home).items() if there else ():
        if loop in there:
            s = fold_all(f.decode(r.data) for r in own)
            if s.ended not in OVER:
                found[s.task.id] = Begun(s, own)
    return found


def needs_a_person(s: LoopState) -> bool:
    """Whether it ended in a way that only somebody's word gets it out of; its workspace is kept for that."""
    return (
        s.ended is not None and s.ended not in OVER and not s.steer.replied and any(True for _ in changes(s))
    )


def ended_loops(records: list[Record], home: Repo) -> Iterator[tuple[LoopState, int]]:
    """Every loop of the backlog that ended, with the number of the record that says so."""
    for own in by_loop(records, home).values():
        last = max((r.seq for r in own if r.kind == "loop.ended"), default=0)
        if last:
            s = fold_all(f.decode(r.data) for r in own)
            if s.ended is not None:
                yield s, last


def by_loop(records: list[Record], home: Repo) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.kind == "loop.started":
            started = f.decode(record.data)
            if isinstance(started, f.LoopStarted) and started.home == str(home.root):
                found[started.loop] = []
        if record.loop in found:
            found[record.loop].append(record)
    return found
