"""A transaction of the fleet's store in SQL: what SQLite and PostgreSQL do alike. No rule belongs here."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from ralph.core.fleet.model import (
    AuditRecord,
    FleetEvent,
    FleetFigures,
    FleetTask,
    KeptAnswer,
    PersonMessage,
    Queue,
    Repository,
    SentFact,
    ServerTick,
    StoredFact,
    TaskQuery,
    Token,
    Vitals,
    WorkerRecord,
)
from ralph.core.fleet.readiness import serves
from ralph.core.fleet.requests import Offer
from ralph.server.stores.memory import MOST_OVERDUE
from ralph.server.stores.queues import QueueIndex, StoredQueue
from ralph.server.stores.rows import Value, row_of, task_of, to_json

Row = Sequence[Any]
ALL = 2**62  # rows
MOST_COUNTS = 100_000  # rows that one tick adds up


class SqlTransaction(ABC):
    def __init__(self, queues: QueueIndex) -> None:
        self._queues = queues
        self.seen: dict[int, StoredQueue] = {}  # queues that the store may learn after the commit
        self.emitted = False
        self._looked = False

    # -- what a database does in its own way

    @abstractmethod
    def _rows(self, name: str, /, **values: Value) -> list[Row]: ...

    @abstractmethod
    def _count(self, name: str, /, **values: Value) -> int:
        """How many rows the statement changed."""

    @abstractmethod
    def _each(self, name: str, rows: Iterable[Mapping[str, Value]]) -> None: ...

    @abstractmethod
    def now(self) -> int: ...

    @abstractmethod
    def next_epoch(self) -> int: ...

    @abstractmethod
    def skip_numbers(self, gap: int) -> None: ...

    @abstractmethod
    def lock_needs(self) -> None: ...

    @abstractmethod
    def _lock_queues(self) -> None:
        """Until the end of the transaction: ids of queues are in the order of commits."""

    @abstractmethod
    def _claim_ready(self, offer: Offer, queues: list[int], key: str, lease_ms: int) -> FleetTask | None: ...

    # -- tasks

    def _task(self, name: str, /, **values: Value) -> FleetTask | None:
        return next((task_of(row) for row in self._rows(name, **values)), None)

    def task(self, id: str) -> FleetTask | None:
        return self._task("task", id=id)

    def lock_task(self, id: str) -> FleetTask | None:
        return self._task("lock_task", id=id)

    def add_task(self, task: FleetTask, needs: Sequence[str]) -> None:
        self._count("add_task", **row_of(task, self._queue_of(task)))
        self._add_needs(task.id, needs)

    def save_task(self, task: FleetTask) -> None:
        if not self._count("save_task", **row_of(task, self._queue_of(task))):
            raise KeyError(task.id)

    def tasks_after(self, id: str, most: int) -> tuple[FleetTask, ...]:
        return tuple(task_of(row) for row in self._rows("tasks_after", id=id, most=most))

    def find_tasks(self, query: TaskQuery) -> tuple[FleetTask, ...]:
        born, id = query.before or (ALL, "")
        needle = re.sub(r"([!%_])", r"!\1", query.search)
        texts = (
            "phase",
            "task_type",
            "repository",
            "worker",
            "assign_to",
            "parent",
            "tag",
            "label",
            "search",
        )
        rows = self._rows(
            "find_tasks",
            any_status=int(not query.statuses),
            statuses=[*map(str, query.statuses)],
            any_repository=int(query.repositories is None),
            repositories=list(query.repositories or ()),
            contains=f"%{needle}%",
            begins=f"{needle}%",
            born=born,
            id=id,
            most=query.most,
            **{name: getattr(query, name) for name in texts},
        )
        return tuple(task_of(row) for row in rows)

    def unmerged_tasks(self, most: int) -> tuple[FleetTask, ...]:
        return tuple(task_of(row) for row in self._rows("unmerged_tasks", most=most))

    def held_by(self, worker: str) -> tuple[FleetTask, ...]:
        return tuple(task_of(row) for row in self._rows("held_by", worker=worker))

    # -- queues

    def _queue_of(self, task: FleetTask) -> int:
        wanted = StoredQueue.of(task)
        known = self._queues.id_of(wanted)
        if known is not None:
            return known
        found = self._rows("queue", digest=wanted.digest)
        if not found:
            self._lock_queues()
            queue = msgspec.structs.asdict(wanted.queue) | {"labels": to_json(wanted.queue.labels)}
            self._count("add_queue", digest=wanted.digest, lane=wanted.lane, **queue)
            self._look_at_queues()
            found = self._rows("queue", digest=wanted.digest)
        return int(found[0][0])

    def _look_at_queues(self) -> None:
        self._looked = True
        for id, repository, labels, agent, assigned, lane in self._rows("queues_after", id=self._queues.last):
            queue = Queue(repository, msgspec.json.decode(labels, type=tuple[str, ...]), agent, assigned)
            self.seen[id] = StoredQueue(queue, lane)

    def _served_by(self, offer: Offer) -> list[int]:
        if not self._looked:
            self._look_at_queues()
        new = (id for id, stored in self.seen.items() if serves(offer, stored.queue))
        return sorted({*self._queues.served_by(offer), *new})  # others may learn the new ones at this moment

    # -- claims

    def claimed_with(self, key: str) -> FleetTask | None:
        return self._task("claimed_with", key=key)

    def claim_expired(self, offer: Offer) -> FleetTask | None:
        queues = self._served_by(offer)
        if not queues:
            return None
        return self._task("claim_expired", phase=offer.phase, protocol=offer.protocol, queues=queues)

    def claim_ready(self, offer: Offer, key: str, lease_ms: int) -> FleetTask | None:
        queues = self._served_by(offer)
        return self._claim_ready(offer, queues, key, lease_ms) if queues else None

    def is_landing(self, lane: str) -> bool:
        return bool(self._rows("is_landing", lane=lane))

    def renew_lease(self, id: str, epoch: int, worker: str, lease_ms: int, vitals: Vitals | None) -> bool:
        claim: dict[str, Value] = {"id": id, "epoch": epoch, "worker": worker, "lease": lease_ms}
        if vitals is None:
            return bool(self._count("renew_lease", **claim))
        return bool(self._count("renew_lease_with_vitals", vitals=to_json(vitals), **claim))

    def overdue(self, before: int) -> tuple[FleetTask, ...]:
        return tuple(task_of(row) for row in self._rows("overdue", before=before, most=MOST_OVERDUE))

    def wake_due(self) -> int:
        return self._count("wake_due")

    # -- facts

    def add_facts(self, task: str, facts: Sequence[StoredFact]) -> None:
        self._each(
            "add_fact", ({"task": task, "epoch": f.epoch, **msgspec.structs.asdict(f.fact)} for f in facts)
        )

    def facts(self, task: str, after: int = 0, most: int = 0) -> tuple[StoredFact, ...]:
        rows = self._rows("facts", task=task, after=after, most=most or ALL)
        return tuple(
            StoredFact(epoch, SentFact(n, loop, kind, at, bytes(body), chain))
            for epoch, n, loop, kind, at, body, chain in rows
        )

    # -- dependencies

    def needs(self, task: str) -> tuple[str, ...]:
        return tuple(row[0] for row in self._rows("needs", task=task))

    def dependants(self, task: str) -> tuple[str, ...]:
        return tuple(row[0] for row in self._rows("dependants", task=task))

    def replace_needs(self, task: str, needs: Sequence[str]) -> None:
        self._count("forget_needs", task=task)
        self._add_needs(task, needs)

    def _add_needs(self, task: str, needs: Sequence[str]) -> None:
        self._each(
            "add_need", ({"task": task, "place": place, "needs": need} for place, need in enumerate(needs))
        )

    # -- messages

    def add_message(self, message: PersonMessage) -> PersonMessage:
        fields = msgspec.structs.asdict(message)
        del fields["id"]
        return replace(message, id=self._rows("add_message", **fields)[0][0])

    def messages(self, task: str, *, taken: bool = False) -> tuple[PersonMessage, ...]:
        return tuple(PersonMessage(*row) for row in self._rows("messages", task=task, taken=int(taken)))

    def take_messages(self, task: str, taken: dict[int, int]) -> None:
        self._each("take_message", ({"task": task, "id": id, "n": n} for id, n in taken.items()))

    # -- blobs

    def missing_blobs(self, hashes: Sequence[str], since: int) -> tuple[str, ...]:
        rows = self._rows("stored_blobs", hashes=list(hashes), since=since) if hashes else []
        stored = {row[0] for row in rows}
        return tuple(hash for hash in hashes if hash not in stored)

    def put_blob(self, hash: str, body: bytes) -> None:
        self._count("put_blob", hash=hash, body=body)

    def blob(self, hash: str) -> bytes | None:
        return next((bytes(row[0]) for row in self._rows("blob", hash=hash)), None)

    def use_blobs(self, task: str, hashes: Sequence[str]) -> None:
        self._each("use_blob", ({"task": task, "hash": hash} for hash in hashes))

    def save_blobs(self, task: str, hashes: Sequence[str]) -> None:
        self._count("forget_saved_blobs", task=task, hashes=list(hashes))
        self._each("save_blob", ({"task": task, "hash": hash} for hash in hashes))

    def forget_blobs(self, before: int, most: int) -> int:
        return self._count("forget_blobs", before=before, most=most)

    # -- the server itself

    def repository(self, name: str) -> Repository | None:
        return next((Repository(*row) for row in self._rows("repository", name=name)), None)

    def add_repository(self, repository: Repository) -> None:
        self._count("add_repository", **msgspec.structs.asdict(repository))

    def repositories(self) -> tuple[Repository, ...]:
        return tuple(Repository(*row) for row in self._rows("repositories"))

    def worker(self, name: str) -> WorkerRecord | None:
        return next((_worker(row[0]) for row in self._rows("worker", name=name)), None)

    def workers(self) -> tuple[WorkerRecord, ...]:
        return tuple(_worker(row[0]) for row in self._rows("workers"))

    def save_worker(self, worker: WorkerRecord) -> None:
        self._count("save_worker", name=worker.name, body=to_json(worker))

    def token_with(self, hash: str) -> Token | None:
        return next((_token(row[0]) for row in self._rows("token_with", hash=hash)), None)

    def tokens(self) -> tuple[Token, ...]:
        return tuple(_token(row[0]) for row in self._rows("tokens"))

    def save_token(self, token: Token) -> None:
        body = to_json(token)
        self._count("save_token", id=token.id, hash=token.hash, created_at=token.created_at, body=body)

    def forget_token(self, id: str) -> None:
        self._count("forget_token", id=id)

    def add_audit(self, record: AuditRecord) -> None:
        fields = msgspec.structs.asdict(record)
        del fields["n"]
        self._count("add_audit", **fields)

    def audit(self, before: int = 0, most: int = 100) -> tuple[AuditRecord, ...]:
        return tuple(AuditRecord(*row) for row in self._rows("audit", before=before or ALL, most=most))

    def figures(self) -> FleetFigures:
        def number(name: str) -> int:
            return int(self._rows(name)[0][0] or 0)

        return FleetFigures(
            tasks={(status, phase): count for status, phase, count in self._rows("count_tasks")},
            oldest_ready_ms=number("oldest_ready"),
            parked=number("count_parked"),
            lanes={row[0]: row[1] for row in self._rows("count_lanes")},
            deaths=number("count_deaths"),
            outbox_ms=number("oldest_in_outbox"),
        )

    def compact_counts(self) -> None:
        counts: Counter[tuple[str, str]] = Counter()
        rows = self._rows("take_counts", most=MOST_COUNTS)
        for status, phase, n in rows:
            counts[status, phase] += n
        self._each("add_count", ({"status": s, "phase": p, "n": n} for (s, p), n in counts.items() if n))

    def tick(self) -> ServerTick:
        return ServerTick(*self._rows("tick")[0])

    def save_tick(self, tick: ServerTick) -> None:
        self._count("save_tick", up_since=tick.up_since, at=tick.at)

    def kept_answer(self, token: str, key: str) -> KeptAnswer | None:
        rows = self._rows("kept_answer", token=token, key=key)
        return next((KeptAnswer(digest, bytes(answer)) for digest, answer in rows), None)

    def keep_answer(self, token: str, key: str, answer: KeptAnswer) -> None:
        self._count("keep_answer", token=token, key=key, digest=answer.digest, answer=answer.answer)

    def forget_answers(self, before: int) -> int:
        return self._count("forget_answers", before=before)

    def emit(self, event: FleetEvent) -> None:
        self._count("emit", task=event.task, kind=event.kind, body=to_json(event))
        self.emitted = True

    def events(self, after: int = 0, most: int = 0) -> tuple[tuple[int, FleetEvent], ...]:
        rows = self._rows("events", after=after, most=most or ALL)
        return tuple((seq, msgspec.json.decode(body, type=FleetEvent)) for seq, body in rows)

    def event_range(self) -> tuple[int, int]:
        first, last = self._rows("event_range")[0]
        return first, last

    def forget_events(self, before: int) -> int:
        return self._count("forget_events", before=before)


_token = msgspec.json.Decoder(Token).decode
_worker = msgspec.json.Decoder(WorkerRecord).decode
