"""Who holds a task: claim, heartbeat, release, deaths. Each function is one transaction of the server.

Nothing here protects by time. A lease that ran out is worth as much as a fresh one until another worker claims the task:
then a new epoch is drawn, and whatever comes under the old one is refused.
"""

from __future__ import annotations

from msgspec.structs import replace

from ralph.core.fleet import derive
from ralph.core.fleet.dependants import save
from ralph.core.fleet.model import (
    FOREVER,
    HOLDING,
    FleetEvent,
    FleetSettings,
    FleetTask,
    ServerTick,
    Vitals,
    WorkerFault,
)
from ralph.core.fleet.requests import (
    Accepted,
    ClaimGrant,
    ClaimRequest,
    Heartbeat,
    Refusal,
    Release,
)
from ralph.core.fleet.store import FleetTransaction

ADOPTED_GAP = 10**9  # more than a server gives between two back-ups


def is_stale(task: FleetTask, epoch: int, worker: str) -> bool:
    """Whether who sends this has lost the task, or never had it. The one right: the epoch."""
    return task.epoch != epoch or task.holder != worker


def stale(task: FleetTask) -> Refusal:
    holder = f"{task.holder} holds it" if task.holder else f"it is {task.status}"
    return Refusal("stale", f"the claim is over: {holder}", accepted=task.facts, chain=task.chain)


def unknown(id: str) -> Refusal:
    return Refusal("unknown", f"there is no task {id}")


# -- claim -----------------------------------------------------------------------------------------------------


def claim(tx: FleetTransaction, request: ClaimRequest, s: FleetSettings) -> ClaimGrant | Refusal:
    """The first that gives a task: the same key again; the one that a restarted worker held; a dead holder's; the most urgent
    of those that are ready."""
    worker = request.offer.worker
    if (known := tx.claimed_with(request.key)) is not None:
        if known.holder != worker:
            return Refusal("used", "the claim with this key is over")
        tx.renew_lease(known.id, known.epoch, worker, s.lease_ms, None)
        return grant(tx, known, s)
    if request.task:
        return claim_again(tx, request, s)
    while (dead := tx.claim_expired(request.offer)) is not None:
        dead = after_death(tx, dead, s) if counts_as_death(dead, tx.tick(), s) else dead
        if dead.status == "in_progress":
            return grant(tx, take(tx, dead, request, s), s)
    taken = tx.claim_ready(request.offer, request.key, s.lease_ms)
    if taken is None:
        return ClaimGrant()
    tx.emit(FleetEvent(taken.id, "claimed", taken.epoch, taken.facts, worker))
    if not taken.spec.repository and not taken.assigned:  # its files are on this machine
        taken = replace(taken, assigned=worker)
        tx.save_task(taken)
    return grant(tx, taken, s)


def claim_again(tx: FleetTransaction, request: ClaimRequest, s: FleetSettings) -> ClaimGrant | Refusal:
    """A restarted worker never continues an epoch: what it sent and forgot must not mix with what it sends now."""
    task = tx.lock_task(request.task)
    if task is None:
        return unknown(request.task)
    if is_stale(task, request.epoch, request.offer.worker):
        return stale(task)
    if task.progress.open and not task.saved:
        task = after_death(tx, task, s)
        if task.status != "in_progress":
            return stale(task)
    return grant(tx, take(tx, task, request, s), s)


def take(tx: FleetTransaction, task: FleetTask, request: ClaimRequest, s: FleetSettings) -> FleetTask:
    """A held task goes to this worker. The vitals stay: they close what the one before left open."""
    taken = replace(
        task,
        epoch=tx.next_epoch(),
        holder=request.offer.worker,
        claim_key=request.key,
        lease_until=tx.now() + s.lease_ms,
        saved=False,
    )
    return save(tx, task, taken, "claim", "claimed")


def grant(tx: FleetTransaction, task: FleetTask, s: FleetSettings) -> ClaimGrant:
    return ClaimGrant(task, s.lease_ms / 1000, tx.messages(task.id))


# -- deaths ----------------------------------------------------------------------------------------------------


def counts_as_death(task: FleetTask, tick: ServerTick, s: FleetSettings) -> bool:
    """Against the task: an agent or gate was open, nothing was saved since the claim, and the server was there to be reached
    since the lease was last renewed."""
    renewed = task.lease_until - s.lease_ms
    return bool(task.progress.open) and not task.saved and tick.up_since <= renewed


def after_death(tx: FleetTransaction, task: FleetTask, s: FleetSettings) -> FleetTask:
    """One more death. Too many: blocked, under a new epoch, so that a worker that only seemed dead cannot go on."""
    counted = replace(task, deaths=task.deaths + 1)
    if counted.deaths < s.most_deaths:
        return save(tx, task, counted, "death", "died", f"{task.holder} died during {task.progress.open}")
    story = f"{counted.deaths} workers died with it, the last during {task.progress.open}: {task.holder}"
    blocked = replace(counted, status="blocked", reason=story, holder="", epoch=tx.next_epoch())
    return save(tx, task, blocked, "death", "blocked", story)


# -- while it is held ------------------------------------------------------------------------------------------


def heartbeat(tx: FleetTransaction, beat: Heartbeat, s: FleetSettings) -> Accepted | Refusal:
    """Renews the lease, also one that ran out and that no one else has claimed: a restart of the server costs no one their
    work."""
    if not tx.renew_lease(beat.task, beat.epoch, beat.worker, s.lease_ms, beat.vitals):
        task = tx.task(beat.task)
        return unknown(beat.task) if task is None else stale(task)
    task = tx.task(beat.task)
    accepted = task.facts if task is not None else 0
    return Accepted(accepted, True, s.lease_ms / 1000, tx.messages(beat.task))


def release(tx: FleetTransaction, request: Release, s: FleetSettings) -> Accepted | Refusal:
    """Gives it back: to wait, or because the worker cannot do its part. A repeat finds it done."""
    task = tx.lock_task(request.task)
    if task is None:
        return unknown(request.task)
    if task.epoch == request.epoch and not task.holder:
        return Accepted(task.facts, held=False)
    if is_stale(task, request.epoch, request.worker):
        return stale(task)
    if request.fault:
        fault = WorkerFault(request.worker, request.fault)
        after = derive.after_fault(task, fault, request.text, tx.now(), s)
        save(tx, task, after, "fault" if after.status == "blocked" else "release", "released", request.text)
        return Accepted(task.facts, held=False)
    after = replace(task, status="pending", holder="", reason=request.text, vitals=Vitals())
    if request.park_seconds and not has_news(tx, task.id):
        wait = int(request.park_seconds * 1000)
        after = replace(after, not_before=FOREVER if request.park_seconds < 0 else tx.now() + wait)
    save(tx, task, after, "release", "released", request.text)
    return Accepted(task.facts, held=False)


def has_news(tx: FleetTransaction, task: str) -> bool:
    """What a loop is about to be parked for may have come meanwhile: then it stays ready, and hears it."""
    return any(message.kind not in HOLDING for message in tx.messages(task))


def tick(tx: FleetTransaction, s: FleetSettings) -> None:
    """Every few seconds: the server is up; what was parked until now is ready; what its worker left long ago is given back."""
    now, last = tx.now(), tx.tick()
    gap = not 0 <= now - last.at <= s.tick_gap_ms
    state = ServerTick(up_since=now if gap else last.up_since, at=now)
    tx.save_tick(state)
    tx.wake_due()
    if state.up_since > now - s.abandoned_ms:
        return
    for task in tx.overdue(now - s.abandoned_ms):
        left = after_death(tx, task, s) if counts_as_death(task, state, s) else task
        if left.status == "in_progress":
            free = replace(left, status="pending", holder="", epoch=tx.next_epoch())
            save(tx, left, free, "release", "released", f"{task.holder} was not heard of any more")


def adopt(tx: FleetTransaction) -> int:
    """The database comes from a back-up: what was claimed before it or after it was made is over, and every epoch and cursor
    that is out there is older than those to come. How many tasks were given back."""
    tx.skip_numbers(ADOPTED_GAP)
    given_back = 0
    while held := tx.overdue(FOREVER):
        for task in held:
            free = replace(task, status="pending", holder="", epoch=tx.next_epoch(), vitals=Vitals())
            save(tx, task, free, "release", "released", "the server was restored from a back-up")
            given_back += 1
    return given_back
