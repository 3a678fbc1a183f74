"""How a change of one task reaches others: dependants wait, are blocked, are let go; cycles; tasks that agents propose.

`save` is the only way by which rules write a task: it keeps the table of moves, and dependants true.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.fleet.model import EventKind, FleetEvent, FleetTask, TaskSpec
from ralph.core.fleet.moves import LOST, Cause, may_move
from ralph.core.fleet.store import FleetTransaction
from ralph.core.tasks.task import NOT_ACCEPTED


class WrongMove(ValueError):
    """A rule made a move that the table does not have: a bug, and nothing is written."""


def save(
    tx: FleetTransaction, before: FleetTask, after: FleetTask, by: Cause, event: EventKind, text: str = ""
) -> FleetTask:
    if before.status != after.status and not may_move(before.status, after.status, by):
        raise WrongMove(f"{after.id}: {before.status} → {after.status} by {by}")
    tx.save_task(after)
    tx.emit(FleetEvent(after.id, event, after.epoch, after.facts, after.holder, text))
    if after.satisfies != before.satisfies or (after.status in LOST) != (before.status in LOST):
        for id in tx.dependants(after.id):
            update_needs(tx, id, changed=after)
    return after


def update_needs(tx: FleetTransaction, id: str, changed: FleetTask | None = None) -> None:
    """What a task waits for, counted anew. It is blocked by what failed, and let go when that is tried again."""
    task = tx.lock_task(id)
    if task is None or task.status not in ("pending", "blocked"):
        return
    after = with_needs(task, _tasks(tx, tx.needs(id), changed))
    if after != task:
        tx.save_task(after)
        kind: EventKind = (
            "blocked" if after.failed_needs else "unblocked" if after.status != task.status else "updated"
        )
        tx.emit(FleetEvent(id, kind, after.epoch, after.facts, text=after.reason))


def _tasks(tx: FleetTransaction, ids: Sequence[str], changed: FleetTask | None) -> list[FleetTask]:
    found = (changed if changed is not None and changed.id == id else tx.task(id) for id in ids)
    return [task for task in found if task is not None]


def with_needs(task: FleetTask, needs: Iterable[FleetTask]) -> FleetTask:
    needs = list(needs)
    failed = tuple(sorted(need.id for need in needs if need.status in LOST))
    waits = sum(not need.satisfies for need in needs)
    was_blocked = task.status == "blocked" and bool(task.failed_needs)
    task = replace(task, waits=waits, failed_needs=failed)
    if failed and (task.status == "pending" or was_blocked):
        return replace(
            task, status="blocked", reason=f"it depends on {', '.join(failed)}, which did not complete"
        )
    return replace(task, status="pending", reason="") if was_blocked else task


def find_cycle(tx: FleetTransaction, start: str, needs: Sequence[str]) -> tuple[str, ...]:
    """The ring that these dependencies of `start` would close; empty: none."""
    paths: list[tuple[str, ...]] = [(start, need) for need in needs]
    seen: set[str] = set()
    while paths:
        path = paths.pop()
        if path[-1] == start:
            return path
        if path[-1] not in seen:
            seen.add(path[-1])
            paths += [(*path, need) for need in tx.needs(path[-1])]
    return ()


def propose(tx: FleetTransaction, by: FleetTask, n: int, fact: f.TaskProposed) -> None:
    """Tasks that an agent wants: blocked until a person accepts them. The same fact gives the same ids."""
    for index, wanted in enumerate(fact.tasks):
        digest = hashlib.sha256(f"{by.id} {n} {index}".encode()).hexdigest()
        id = "-".join((digest[:8], digest[8:12], f"5{digest[13:16]}", f"8{digest[17:20]}", digest[20:32]))
        if tx.task(id) is not None:
            continue
        spec = TaskSpec(
            task="\n\n".join(filter(None, (wanted.title, wanted.description))),
            title=wanted.title,
            ralph_promise="; ".join(wanted.criteria) or wanted.title,
            criteria=wanted.criteria,
            priority=wanted.priority,
            labels=by.spec.labels,
            parent=by.id if fact.how == "split" else by.spec.parent,
            repository=by.spec.repository,
            target=by.spec.target,
            agent=by.spec.agent,
        )
        task = FleetTask(
            id=id,
            spec=spec,
            born=tx.now(),
            lane=by.lane,
            status="blocked",
            reason=NOT_ACCEPTED,
            assigned=by.assigned,
            proposed_by=by.id,
        )
        tx.add_task(task, ())
        tx.emit(FleetEvent(id, "created", text=f"proposed by {by.id}"))
