"""The checker: what must hold of every history of a fleet, whatever happened. Pure; it reads what the server has kept.

The simulation runs it on every seed. Each problem is one line; none means that the history is sound.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from ralph.core import facts as f
from ralph.core.exits import BY_NAME
from ralph.core.fleet import derive
from ralph.core.fleet.chain import first_broken
from ralph.core.fleet.lander import TAKEN_OFF
from ralph.core.fleet.model import (
    FOREVER,
    HOLDING,
    FleetEvent,
    FleetTask,
    PersonMessage,
    StoredFact,
    TaskProgress,
)
from ralph.core.fleet.moves import LOST
from ralph.core.fleet.store import FleetTransaction

PAGE = 500


class LandedCommit(msgspec.Struct, frozen=True):
    """A commit that was once put onto a target, by its trailers."""

    commit: str
    task: str
    epoch: int


class TaskHistory(msgspec.Struct, frozen=True):
    """Everything that the server has of one task."""

    task: FleetTask
    facts: tuple[StoredFact, ...]
    messages: tuple[PersonMessage, ...]
    needs: tuple[str, ...]


def read_histories(tx: FleetTransaction) -> Iterator[TaskHistory]:
    last = ""
    while page := tx.tasks_after(last, PAGE):
        for task in page:
            yield TaskHistory(task, tx.facts(task.id), tx.messages(task.id, taken=True), tx.needs(task.id))
        last = page[-1].id


def check(
    histories: Sequence[TaskHistory],
    events: Sequence[FleetEvent],
    landed: Sequence[LandedCommit] = (),
) -> list[str]:
    """Every problem. `landed` comes from the remotes, where they can be looked at."""
    tasks = {history.task.id: history.task for history in histories}
    by_task: dict[str, list[FleetEvent]] = defaultdict(list)
    for event in events:
        by_task[event.task].append(event)
    commits: dict[str, list[LandedCommit]] = defaultdict(list)
    for commit in landed:
        commits[commit.task].append(commit)
    found = []
    for history in histories:
        id = history.task.id
        problems = [
            *_check_chain(history),
            *_check_epochs(history, by_task[id]),
            *_check_derived(history),
            *_check_status(history.task),
            *_check_needs(history, tasks),
            *_check_messages(history),
            *_check_parked(history),
            *_check_landing(history, commits[id]),
        ]
        found += [f"{id}: {problem}" for problem in problems]
    found += [
        f"{commit.task}: {commit.commit} landed for no task" for commit in landed if commit.task not in tasks
    ]
    return found + check_lanes(tasks.values())


def _check_chain(history: TaskHistory) -> Iterator[str]:
    task, facts = history.task, [stored.fact for stored in history.facts]
    if broken := first_broken(facts):
        yield f"fact {broken} does not follow from the one before, or is missing"
    chain = facts[-1].chain if facts else ""
    if (task.facts, task.chain) != (len(facts), chain):
        yield f"it counts {task.facts} facts, and {len(facts)} are there"
    if task.savepoint is not None and not 0 < task.savepoint.fact <= len(facts):
        yield "its savepoint belongs to no fact"


def _check_epochs(history: TaskHistory, events: Sequence[FleetEvent]) -> Iterator[str]:
    """No fact was accepted under an epoch that was over when it came."""
    epochs = [stored.epoch for stored in history.facts]
    for event in events:
        if event.kind not in ("claimed", "cancelled"):
            continue
        late = [n for n, epoch in enumerate(epochs, 1) if n > event.facts and epoch < event.epoch]
        early = [n for n, epoch in enumerate(epochs, 1) if n <= event.facts and epoch >= event.epoch]
        if late:
            yield f"fact {late[0]} was accepted under epoch {epochs[late[0] - 1]}, after epoch {event.epoch} began"
        if early:
            yield f"fact {early[0]} has epoch {epochs[early[0] - 1]}, before that began"
    if epochs and max(epochs) > history.task.epoch:
        yield f"epoch {max(epochs)} is higher than the task's own"
    drawn = [event.epoch for event in events if event.kind in ("claimed", "cancelled")]
    if drawn != sorted(set(drawn)):
        yield f"its epochs do not rise: {drawn}"


def _check_derived(history: TaskHistory) -> Iterator[str]:
    progress = TaskProgress()
    for stored in history.facts:
        progress = derive.fold_progress(progress, derive.read_fact(stored.fact), stored.fact.at)
    for field in TaskProgress.__struct_fields__:
        kept, folded = getattr(history.task.progress, field), getattr(progress, field)
        if kept != folded:
            yield f"{field} is {kept!r}, and its facts say {folded!r}"


def _check_status(task: FleetTask) -> Iterator[str]:
    """Complete or failed for a reason."""
    p = task.progress
    if (task.status == "in_progress") != bool(task.holder):
        yield f"it is {task.status}, and held by {task.holder or 'no one'}"
    if task.status in ("failed", "blocked", "cancelled") and not task.reason:
        yield f"it is {task.status} without a reason"
    if task.status == "failed" and (not p.end or BY_NAME[p.end].fleet != "failed"):
        yield f"it failed, and its loop ended as {p.end or 'nothing'}"
    if task.status == "complete":
        if not p.end:
            yield "it is complete, and its loop has not ended"
        if task.lane and not p.landed:
            yield "it is complete and has not landed"
    if task.status in ("complete", "cancelled") and p.intent is not None:
        yield f"it is {task.status}, and {p.intent.commit} may still land"
    if p.landed and task.status in LOST:
        yield f"it landed, and is {task.status}"


def _check_needs(history: TaskHistory, tasks: Mapping[str, FleetTask]) -> Iterator[str]:
    task = history.task
    if task.status not in ("pending", "blocked"):
        return
    needs = [tasks[need] for need in history.needs if need in tasks]
    unmet = sum(not need.satisfies for need in needs)
    if task.waits != unmet:
        yield f"it waits for {task.waits} tasks, and {unmet} are not complete"
    lost = [need.id for need in needs if need.status in LOST]
    if lost and task.status == "pending":
        yield f"it is pending, and {', '.join(lost)} did not complete"


def _check_messages(history: TaskHistory) -> Iterator[str]:
    """A message is taken by the fact that names it, and by nothing else."""
    named: dict[int, int] = {}
    for stored in history.facts:
        if id := derive.message_named(derive.read_fact(stored.fact)):
            named.setdefault(id, stored.fact.n)
    for message in history.messages:
        if message.taken_by != named.get(message.id, 0):
            yield f"message {message.id} is taken by {message.taken_by}, and named by {named.get(message.id, 0)}"


def _check_parked(history: TaskHistory) -> Iterator[str]:
    task = history.task
    if task.status != "pending" or task.not_before < FOREVER:
        return
    held = max((message.id for message in history.messages if message.kind in HOLDING), default=0)
    for message in history.messages:
        if not message.taken_by and message.id > held:
            yield f"it is parked, and message {message.id} ({message.kind}) woke no one"


def _check_landing(history: TaskHistory, commits: Sequence[LandedCommit]) -> Iterator[str]:
    """At most once; except that a person took it off again and wanted it tried once more."""
    facts = [derive.read_fact(stored.fact) for stored in history.facts]
    intended = {fact.commit for fact in facts if isinstance(fact, f.LandingIntended)}
    landed = [fact.commit for fact in facts if isinstance(fact, f.Landed)]
    taken_off = sum(isinstance(fact, f.LoopEnded) and fact.reason == TAKEN_OFF for fact in facts)
    if len(landed) > 1:
        yield f"it landed {len(landed)} times: {', '.join(landed)}"
    if len(commits) > 1 + taken_off:
        yield f"{len(commits)} commits of it were put onto the target: {', '.join(c.commit for c in commits)}"
    intent = history.task.progress.intent
    for commit in commits:
        if commit.commit not in intended:
            yield f"{commit.commit} is on the target without an accepted intent"
        known = commit.commit in landed or (intent is not None and intent.commit == commit.commit)
        if not known and not taken_off:
            yield f"{commit.commit} is on the target, and no fact says so"


def check_lanes(tasks: Iterable[FleetTask]) -> list[str]:
    lanes = Counter(task.lane for task in tasks if task.phase == "land" and task.holder)
    return [f"{n} tasks are landing on {lane} at once" for lane, n in lanes.items() if n > 1]
