"""The store in memory: the model for the others, and what the simulation runs on. One transaction at a time.

A rule that raises leaves nothing behind: writes are collected, and applied when it returns.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from ralph.core.fleet.model import (
    AuditRecord,
    FleetEvent,
    FleetFigures,
    FleetTask,
    KeptAnswer,
    PersonMessage,
    Repository,
    ServerTick,
    StoredFact,
    TaskQuery,
    Token,
    Vitals,
    WorkerRecord,
)
from ralph.core.fleet.readiness import CLAIMABLE, is_ready, knows, serves, urgency
from ralph.core.fleet.requests import Offer

T = TypeVar("T")
MOST_OVERDUE = 100


class _Tables:
    """The rows; a transaction has one of its own, in front of the store's."""

    NAMES = (
        *("tasks", "facts", "needs", "messages", "blobs", "blob_uses", "repositories", "answers"),
        *("workers", "tokens", "audit"),
    )

    def __init__(self) -> None:
        self.tasks: dict[str, FleetTask] = {}
        self.facts: dict[str, tuple[StoredFact, ...]] = {}
        self.needs: dict[str, tuple[str, ...]] = {}
        self.messages: dict[int, PersonMessage] = {}
        self.blobs: dict[str, tuple[int, bytes] | None] = {}  # None: forgotten
        # True: a fact names it; False: only the savepoint has it; None: used no more
        self.blob_uses: dict[tuple[str, str], bool | None] = {}
        self.repositories: dict[str, Repository] = {}
        self.answers: dict[tuple[str, str], tuple[int, KeptAnswer] | None] = {}  # None: forgotten
        self.workers: dict[str, WorkerRecord] = {}
        self.tokens: dict[str, Token | None] = {}  # None: forgotten
        self.audit: dict[int, AuditRecord] = {}
        self.tick = ServerTick()
        self.events: list[FleetEvent] = []
        self.forgotten = 0  # so many of them, the oldest
        self.skipped = 0  # numbers of events: their first has the next one
        self.epoch = 0

    def update(self, other: _Tables) -> None:
        for name in _Tables.NAMES:
            getattr(self, name).update(getattr(other, name))
        self.tick = other.tick
        self.events += other.events
        self.forgotten = max(self.forgotten, other.forgotten)
        self.skipped += other.skipped


class MemoryStore:
    """`clock` gives milliseconds."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._tables = _Tables()

    def run(self, rule: Callable[[MemoryTransaction], T]) -> T:
        transaction = MemoryTransaction(self._tables, self._clock())
        result = rule(transaction)
        self._tables.update(transaction.written)
        return result

    def read(self, rule: Callable[[MemoryTransaction], T]) -> T:
        transaction = MemoryTransaction(self._tables, self._clock())
        result = rule(transaction)
        if transaction.has_written:
            raise ValueError("a rule that only reads has written")
        return result

    def relay(self) -> int:
        return 0

    def close(self) -> None:
        pass


class MemoryTransaction:
    def __init__(self, tables: _Tables, now: int) -> None:
        self._tables = tables
        self._now = now
        self.written = _Tables()
        self.written.tick = tables.tick
        self._tasks = ChainMap(self.written.tasks, tables.tasks)
        self._facts = ChainMap(self.written.facts, tables.facts)
        self._needs = ChainMap(self.written.needs, tables.needs)
        self._messages = ChainMap(self.written.messages, tables.messages)
        self._blobs = ChainMap(self.written.blobs, tables.blobs)
        self._blob_uses = ChainMap(self.written.blob_uses, tables.blob_uses)
        self._repositories = ChainMap(self.written.repositories, tables.repositories)
        self._answers = ChainMap(self.written.answers, tables.answers)
        self._workers = ChainMap(self.written.workers, tables.workers)
        self._tokens = ChainMap(self.written.tokens, tables.tokens)
        self._audit = ChainMap(self.written.audit, tables.audit)

    @property
    def has_written(self) -> bool:
        written = self.written
        tables = (getattr(written, name) for name in _Tables.NAMES)
        changed = written.forgotten > self._tables.forgotten or written.tick != self._tables.tick
        changed = changed or bool(written.skipped)
        return changed or any(tables) or bool(written.events)

    def now(self) -> int:
        return self._now

    def next_epoch(self) -> int:
        self._tables.epoch += 1  # as a sequence: not rolled back
        return self._tables.epoch

    def skip_numbers(self, gap: int) -> None:
        self._tables.epoch += gap
        self.written.skipped += gap

    # -- tasks

    def task(self, id: str) -> FleetTask | None:
        return self._tasks.get(id)

    def lock_task(self, id: str) -> FleetTask | None:
        return self._tasks.get(id)

    def add_task(self, task: FleetTask, needs: Sequence[str]) -> None:
        if task.id in self._tasks:
            raise KeyError(task.id)
        self.written.tasks[task.id] = task
        self.written.needs[task.id] = tuple(needs)

    def save_task(self, task: FleetTask) -> None:
        if task.id not in self._tasks:
            raise KeyError(task.id)
        self.written.tasks[task.id] = task
        self._check_one_landing(task)

    def tasks_after(self, id: str, most: int) -> tuple[FleetTask, ...]:
        return tuple(self._tasks[key] for key in sorted(key for key in self._tasks if key > id)[:most])

    def find_tasks(self, query: TaskQuery) -> tuple[FleetTask, ...]:
        found = [task for task in self._every_task() if asked_for(query, task)]
        newest = sorted(found, key=lambda task: (task.born, task.id), reverse=True)
        return tuple(newest[: query.most])

    def unmerged_tasks(self, most: int) -> tuple[FleetTask, ...]:
        found = (task for task in self._every_task() if task.awaits_merge)
        return tuple(sorted(found, key=lambda task: (task.born, task.id))[:most])

    def held_by(self, worker: str) -> tuple[FleetTask, ...]:
        held = (task for task in self._every_task() if task.holder and task.holder == worker)
        return tuple(sorted(held, key=lambda task: task.id))

    def _every_task(self) -> Iterable[FleetTask]:
        return self._tasks.values()

    # -- claims

    def claimed_with(self, key: str) -> FleetTask | None:
        return next((task for task in self._every_task() if task.claim_key == key), None)

    def claim_expired(self, offer: Offer) -> FleetTask | None:
        dead = [
            task
            for task in self._every_task()
            if task.holder
            and task.lease_until < self._now
            and knows(offer, task)
            and serves(offer, task.queue)
        ]
        return min(dead, key=lambda task: (task.lease_until, task.id), default=None)

    def claim_ready(self, offer: Offer, key: str, lease_ms: int) -> FleetTask | None:
        ready = [
            task
            for task in self._every_task()
            if is_ready(task)
            and knows(offer, task)
            and serves(offer, task.queue)
            and not (task.phase == "land" and self.is_landing(task.lane))
        ]
        if not ready:
            return None
        first = min(ready, key=urgency)
        taken = replace(
            first,
            epoch=self.next_epoch(),
            holder=offer.worker,
            claim_key=key,
            lease_until=self._now + lease_ms,
            status="in_progress",
            saved=False,
            vitals=Vitals(),
        )
        self.save_task(taken)
        return taken

    def is_landing(self, lane: str) -> bool:
        return any(task.lane == lane and task.phase == "land" and task.holder for task in self._every_task())

    def _check_one_landing(self, task: FleetTask) -> None:
        if task.phase != "land" or not task.holder:
            return
        held = [t.id for t in self._every_task() if t.lane == task.lane and t.phase == "land" and t.holder]
        if len(held) > 1:
            raise ValueError(f"one_landing: {held} are held in the lane {task.lane}")

    def renew_lease(self, id: str, epoch: int, worker: str, lease_ms: int, vitals: Vitals | None) -> bool:
        task = self._tasks.get(id)
        if task is None or task.epoch != epoch or task.holder != worker:
            return False
        task = replace(task, lease_until=self._now + lease_ms)
        self.written.tasks[id] = task if vitals is None else replace(task, vitals=vitals)
        return True

    def overdue(self, before: int) -> tuple[FleetTask, ...]:
        found = [task for task in self._every_task() if task.holder and task.lease_until < before]
        return tuple(sorted(found, key=lambda task: (task.lease_until, task.id))[:MOST_OVERDUE])

    def wake_due(self) -> int:
        due = [task for task in self._every_task() if 0 < task.not_before <= self._now]
        for task in due:
            self.save_task(replace(task, not_before=0))
        return len(due)

    # -- facts

    def add_facts(self, task: str, facts: Sequence[StoredFact]) -> None:
        self.written.facts[task] = (*self._facts.get(task, ()), *facts)

    def facts(self, task: str, after: int = 0, most: int = 0) -> tuple[StoredFact, ...]:
        found = self._facts.get(task, ())[after:]
        return found[:most] if most else found

    # -- dependencies

    def needs(self, task: str) -> tuple[str, ...]:
        return self._needs.get(task, ())

    def dependants(self, task: str) -> tuple[str, ...]:
        return tuple(sorted(id for id, needs in self._needs.items() if task in needs))

    def replace_needs(self, task: str, needs: Sequence[str]) -> None:
        self.written.needs[task] = tuple(needs)

    def lock_needs(self) -> None:
        pass  # one transaction at a time

    # -- messages

    def add_message(self, message: PersonMessage) -> PersonMessage:
        added = replace(message, id=max(self._messages, default=0) + 1)
        self.written.messages[added.id] = added
        return added

    def messages(self, task: str, *, taken: bool = False) -> tuple[PersonMessage, ...]:
        of_task = (m for _, m in sorted(self._messages.items()) if m.task == task)
        return tuple(m for m in of_task if taken or not m.taken_by)

    def take_messages(self, task: str, taken: dict[int, int]) -> None:
        for id, n in taken.items():
            message = self._messages.get(id)
            if message is not None and message.task == task and not message.taken_by:
                self.written.messages[id] = replace(message, taken_by=n)

    # -- blobs

    def missing_blobs(self, hashes: Sequence[str], since: int) -> tuple[str, ...]:
        known = ((hash, self._blobs.get(hash)) for hash in hashes)
        return tuple(hash for hash, blob in known if blob is None or blob[0] < since)

    def put_blob(self, hash: str, body: bytes) -> None:
        self.written.blobs[hash] = self._now, body

    def blob(self, hash: str) -> bytes | None:
        blob = self._blobs.get(hash)
        return None if blob is None else blob[1]

    def use_blobs(self, task: str, hashes: Sequence[str]) -> None:
        self.written.blob_uses.update({(task, hash): True for hash in hashes})

    def save_blobs(self, task: str, hashes: Sequence[str]) -> None:
        uses = self._blob_uses
        earlier = [use for use, named in uses.items() if use[0] == task and named is False]
        self.written.blob_uses.update(dict.fromkeys(earlier))
        self.written.blob_uses.update({(task, hash): False for hash in hashes if not uses.get((task, hash))})

    def forget_blobs(self, before: int, most: int) -> int:
        used = {hash for (_, hash), named in self._blob_uses.items() if named is not None}
        stored = ((hash, blob[0]) for hash, blob in self._blobs.items() if blob is not None)
        unused = sorted((at, hash) for hash, at in stored if at < before and hash not in used)[:most]
        self.written.blobs.update(dict.fromkeys(hash for _, hash in unused))
        return len(unused)

    # -- the server itself

    def repository(self, name: str) -> Repository | None:
        return self._repositories.get(name)

    def add_repository(self, repository: Repository) -> None:
        self.written.repositories[repository.name] = repository

    def repositories(self) -> tuple[Repository, ...]:
        return tuple(self._repositories[name] for name in sorted(self._repositories))

    def worker(self, name: str) -> WorkerRecord | None:
        return self._workers.get(name)

    def workers(self) -> tuple[WorkerRecord, ...]:
        return tuple(self._workers[name] for name in sorted(self._workers))

    def save_worker(self, worker: WorkerRecord) -> None:
        self.written.workers[worker.name] = worker

    def token_with(self, hash: str) -> Token | None:
        return next((token for token in self.tokens() if token.hash == hash), None)

    def tokens(self) -> tuple[Token, ...]:
        known = [token for token in self._tokens.values() if token is not None]
        return tuple(sorted(known, key=lambda token: (token.created_at, token.id)))

    def save_token(self, token: Token) -> None:
        self.written.tokens[token.id] = token

    def forget_token(self, id: str) -> None:
        self.written.tokens[id] = None

    def add_audit(self, record: AuditRecord) -> None:
        n = len(self._audit) + 1
        self.written.audit[n] = replace(record, n=n)

    def audit(self, before: int = 0, most: int = 100) -> tuple[AuditRecord, ...]:
        newest = sorted((n for n in self._audit if not before or n < before), reverse=True)
        return tuple(self._audit[n] for n in newest[:most])

    def figures(self) -> FleetFigures:
        tasks = list(self._every_task())
        landing = [task for task in tasks if task.phase == "land" and task.status in CLAIMABLE]
        return FleetFigures(
            tasks=dict(Counter((task.status, task.phase) for task in tasks)),
            oldest_ready_ms=min((task.born for task in tasks if is_ready(task)), default=0),
            parked=sum(task.not_before > 0 for task in tasks),
            lanes=dict(Counter(task.lane for task in landing)),
            deaths=sum(task.deaths for task in tasks),
            outbox_ms=0,
        )

    def tick(self) -> ServerTick:
        return self.written.tick

    def save_tick(self, tick: ServerTick) -> None:
        self.written.tick = tick

    def kept_answer(self, token: str, key: str) -> KeptAnswer | None:
        kept = self._answers.get((token, key))
        return kept[1] if kept is not None else None

    def keep_answer(self, token: str, key: str, answer: KeptAnswer) -> None:
        if self.kept_answer(token, key) is not None:
            raise ValueError(f"an answer is kept for {key}")
        self.written.answers[token, key] = self._now, answer

    def forget_answers(self, before: int) -> int:
        old = [name for name, kept in self._answers.items() if kept is not None and kept[0] < before]
        self.written.answers.update(dict.fromkeys(old))
        return len(old)

    def emit(self, event: FleetEvent) -> None:
        self.written.events.append(event)

    def events(self, after: int = 0, most: int = 0) -> tuple[tuple[int, FleetEvent], ...]:
        tables = self._tables
        first = max(after - tables.skipped, tables.forgotten)
        numbered = tuple(enumerate(tables.events[first:], first + tables.skipped + 1))
        return numbered[:most] if most else numbered

    def event_range(self) -> tuple[int, int]:
        tables = self._tables
        first, last = tables.forgotten + 1, len(tables.events)
        return (first + tables.skipped, last + tables.skipped) if last else (1, 0)

    def forget_events(self, before: int) -> int:
        last = min(before - self._tables.skipped, len(self._tables.events)) - 1
        forgotten = max(0, last - self._tables.forgotten)
        self.written.forgotten = self._tables.forgotten + forgotten
        return forgotten

    def compact_counts(self) -> None:
        pass  # figures are counted


def asked_for(query: TaskQuery, task: FleetTask) -> bool:
    """What the statement `find_tasks` says."""
    spec, needle = task.spec, _small(query.search)
    wanted = (
        (bool(query.statuses), task.status in query.statuses),
        (bool(query.phase), task.phase == query.phase),
        (bool(query.task_type), spec.task_type == query.task_type),
        (bool(query.repository), spec.repository == query.repository),
        (bool(query.worker), task.holder == query.worker),
        (bool(query.assign_to), spec.assign_to == query.assign_to),
        (bool(query.parent), spec.parent == query.parent),
        (bool(query.tag), query.tag in spec.tags),
        (bool(query.label), query.label in spec.labels),
        (
            bool(needle),
            needle in _small(spec.title) or needle in _small(spec.task) or _small(task.id).startswith(needle),
        ),
        (query.repositories is not None, spec.repository in ("", *(query.repositories or ()))),
        (query.before is not None, (task.born, task.id) < (query.before or (0, ""))),
    )
    return all(holds for asked, holds in wanted if asked)


def _small(text: str) -> str:
    """ASCII letters only: as both databases compare."""
    return "".join(c.lower() if c.isascii() else c for c in text)
