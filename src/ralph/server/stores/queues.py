"""Which queues there are. Rows are only ever added, in the order of their ids, so that a process can keep them in memory."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable

import msgspec

from ralph.core.fleet.model import FleetTask, Queue
from ralph.core.fleet.readiness import serves
from ralph.core.fleet.requests import Offer

MOST_OFFERS = 1000


class StoredQueue(msgspec.Struct, frozen=True):
    """A queue of one lane: tasks that wait for a lane do not stand in the way of others."""

    queue: Queue
    lane: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()

    @classmethod
    def of(cls, task: FleetTask) -> StoredQueue:
        return cls(task.queue, task.lane)


class QueueIndex:
    """The queues that this process knows to be committed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ids: dict[StoredQueue, int] = {}
        self._by_worker: dict[str, list[tuple[int, Queue]]] = {}  # assigned -> queues
        self._served: dict[Offer, tuple[int, ...]] = {}
        self.last = 0

    def id_of(self, queue: StoredQueue) -> int | None:
        return self._ids.get(queue)

    def learn(self, found: Iterable[tuple[int, StoredQueue]]) -> None:
        """What a transaction that is now committed has seen: every queue after `last`."""
        with self._lock:
            for id, stored in found:
                if id > self.last:
                    self.last = id
                    self._ids[stored] = id
                    self._by_worker.setdefault(stored.queue.assigned, []).append((id, stored.queue))
                    self._served = {}

    def served_by(self, offer: Offer) -> tuple[int, ...]:
        served = self._served  # replaced, not emptied, when a queue is added
        if offer not in served:
            mine = [
                *self._by_worker.get("", ()),
                *(self._by_worker.get(offer.worker, ()) if offer.worker else ()),
            ]
            if len(served) >= MOST_OFFERS:
                served.clear()
            served[offer] = tuple(id for id, queue in mine if serves(offer, queue))
        return served[offer]
