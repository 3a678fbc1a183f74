"""Facts come in: numbered, chained, fenced by the epoch, each taken once. Whatever is known of a task is derived here."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.fleet import derive
from ralph.core.fleet.chain import first_broken
from ralph.core.fleet.dependants import propose, save
from ralph.core.fleet.leases import has_news, is_stale, stale, unknown
from ralph.core.fleet.model import FOREVER, FleetSettings, FleetTask, StoredFact, Vitals
from ralph.core.fleet.requests import Accepted, BlobUpload, FactBatch, FactsPage, FactsRequest, Refusal
from ralph.core.fleet.store import FleetTransaction

Facts = Sequence[f.AnyFact | None]


def append(tx: FleetTransaction, batch: FactBatch, s: FleetSettings) -> Accepted | Refusal:
    """One request, one transaction: all of the batch, or nothing of it."""
    task = tx.lock_task(batch.task)
    if task is None:
        return unknown(batch.task)
    if is_known(tx, task, batch):
        if is_stale(
            task, batch.epoch, batch.worker
        ):  # what follows may be another's: only these are known to be taken
            return Accepted(batch.facts[-1].n, held=False)
        return accepted(tx, task, s, held=True)
    if is_stale(task, batch.epoch, batch.worker):
        return stale(task)
    if wrong := malformed(batch, s):
        return wrong
    if misplaced := misfit(task, batch):
        return misplaced
    if missing := tx.missing_blobs(new_blobs(task, batch), tx.now() - s.kept_blob_ms // 2):
        return Refusal("missing", "these are not stored yet", missing=missing)
    try:
        facts = [derive.read_fact(sent) for sent in batch.facts]
    except ValueError as error:
        return Refusal("invalid", str(error), field="facts")
    if any(derive.is_closing(fact) for fact in facts[:-1]):
        return Refusal("invalid", "facts follow the end of the claim", field="facts")
    after = store_facts(tx, task, batch, facts, s)
    return accepted(tx, after, s, held=after.is_held)


def accepted(tx: FleetTransaction, task: FleetTask, s: FleetSettings, *, held: bool) -> Accepted:
    return Accepted(task.facts, held, s.lease_ms / 1000, tx.messages(task.id) if held else ())


def malformed(batch: FactBatch, s: FleetSettings) -> Refusal | None:
    if not batch.facts:
        return Refusal("invalid", "there is no fact", field="facts")
    numbers = [sent.n for sent in batch.facts]
    if numbers != list(range(numbers[0], numbers[0] + len(numbers))) or numbers[0] < 1:
        return Refusal("invalid", "the facts are not numbered one after the other", field="facts")
    if large := [sent.n for sent in batch.facts if len(sent.body) > s.largest_fact]:
        return Refusal("too-large", f"fact {large[0]} has more than {s.largest_fact} bytes", field="facts")
    return None


def is_known(tx: FleetTransaction, task: FleetTask, batch: FactBatch) -> bool:
    """All of it was accepted before: equal chains mean equal facts. The answer had got lost, and is given again, even if the
    claim is over by now."""
    if not batch.facts or not 1 <= batch.facts[-1].n <= task.facts:
        return False
    last = batch.facts[-1]
    stored = tx.facts(task.id, last.n - 1, 1)
    return bool(stored) and stored[0].fact.chain == last.chain


def misfit(task: FleetTask, batch: FactBatch) -> Refusal | None:
    """Why the batch does not follow the last fact."""
    where = {"accepted": task.facts, "chain": task.chain}
    if batch.facts[-1].n <= task.facts:
        return Refusal("forked", "another fact has this number", **where)  # type: ignore[arg-type]
    if batch.facts[0].n != task.facts + 1:
        return Refusal("expected", f"fact {task.facts + 1} is expected", **where)  # type: ignore[arg-type]
    if first_broken(batch.facts, task.chain, task.facts):
        return Refusal("forked", "the chain does not follow the last fact", **where)  # type: ignore[arg-type]
    return None


def store_facts(
    tx: FleetTransaction, task: FleetTask, batch: FactBatch, facts: Facts, s: FleetSettings
) -> FleetTask:
    tx.add_facts(task.id, [StoredFact(batch.epoch, sent) for sent in batch.facts])
    keep_blobs(tx, task, batch)
    named = {derive.message_named(fact): sent.n for fact, sent in zip(facts, batch.facts, strict=True)}
    tx.take_messages(task.id, {id: n for id, n in named.items() if id})
    after = with_facts(task, batch, facts, tx.now() + s.lease_ms)
    for fact, sent in zip(facts, batch.facts, strict=True):
        if isinstance(fact, f.TaskProposed):
            propose(tx, task, sent.n, fact)
    last = facts[-1]
    if isinstance(last, f.LoopEnded | f.LandingReturned):
        after = derive.after_end(after, last, tx.now(), s)
        after = replace(after, vitals=Vitals())
        if after.not_before == FOREVER and has_news(tx, task.id):
            after = replace(after, not_before=0, reason="")
        if after.status == "complete" and after.progress.landed:
            tx.save_blobs(task.id, ())  # what the savepoint has is on the remote
    return save(tx, task, after, "facts", "facts", batch.facts[-1].kind)


def new_blobs(task: FleetTask, batch: FactBatch) -> tuple[str, ...]:
    """What must be stored now. The rest of a savepoint was, when the one before was accepted."""
    known = task.savepoint.blobs.values() if task.savepoint is not None else ()
    saved = batch.savepoint.blobs.values() if batch.savepoint is not None else ()
    return tuple(dict.fromkeys((*batch.blobs, *(hash for hash in saved if hash not in known))))


def keep_blobs(tx: FleetTransaction, task: FleetTask, batch: FactBatch) -> None:
    """What facts name is kept with them; what only savepoints have, as long as it is in the newest."""
    named = (hash for hash in batch.blobs if any(hash.encode() in sent.body for sent in batch.facts))
    tx.use_blobs(task.id, tuple(named))
    if batch.savepoint is not None:
        tx.save_blobs(task.id, tuple(dict.fromkeys(batch.savepoint.blobs.values())))


def with_facts(task: FleetTask, batch: FactBatch, facts: Facts, lease_until: int) -> FleetTask:
    progress = task.progress
    for fact, sent in zip(facts, batch.facts, strict=True):
        progress = derive.fold_progress(progress, fact, sent.at)
    last = batch.facts[-1]
    after = replace(
        task,
        facts=last.n,
        chain=last.chain,
        progress=progress,
        protocol=max(task.protocol, batch.protocol),
        lease_until=lease_until,
    )
    if any(isinstance(fact, f.LoopStarted | f.LoopResumed) for fact in facts):
        after = replace(after, retry=None)
    if batch.savepoint is not None:
        point = replace(batch.savepoint, fact=last.n)
        after = replace(after, savepoint=point, saved=True, deaths=0, faults=())
    return after


def upload(tx: FleetTransaction, blob: BlobUpload) -> Accepted | Refusal:
    task = tx.task(blob.task)
    if task is None:
        return unknown(blob.task)
    if is_stale(task, blob.epoch, blob.worker):
        return stale(task)
    if hashlib.sha256(blob.body).hexdigest() != blob.hash:
        return Refusal("invalid", "the content has another hash", field="hash")
    tx.put_blob(blob.hash, blob.body)
    return Accepted(task.facts)


def read_facts(tx: FleetTransaction, request: FactsRequest, s: FleetSettings) -> FactsPage | Refusal:
    task = tx.task(request.task)
    if task is None:
        return unknown(request.task)
    page = tx.facts(request.task, request.after, s.page)
    return FactsPage(tuple(stored.fact for stored in page), task.facts)
