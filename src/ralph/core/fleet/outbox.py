"""The facts of one claim on their way to the server: numbered here, sent when they are synced and what they name is stored.

One batch is under way at a time, and it is repeated as it is until it is answered.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from ralph.core import facts as f
from ralph.core.fleet.chain import number
from ralph.core.fleet.derive import is_closing
from ralph.core.fleet.model import Savepoint, SentFact

MOST_IN_A_BATCH = 100


class OutboxEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A fact as the claim's journal keeps it, with what has to be stored before it is sent."""

    fact: SentFact
    blobs: tuple[str, ...] = ()
    savepoint: Savepoint | None = None
    closing: bool = False


class Outbox:
    def __init__(self, accepted: int, chain: str) -> None:
        self.accepted = accepted  # as far as is known
        self.synced = accepted
        self._chains = {accepted: chain}
        self.last = accepted
        self.entries: list[OutboxEntry] = []
        self.stored: set[str] = set()  # blobs that the server has
        self.batch: tuple[OutboxEntry, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not self.entries

    @property
    def is_closed(self) -> bool:
        """The fact with which the claim ends is recorded: nothing follows."""
        return bool(self.entries) and self.entries[-1].closing

    def record(
        self,
        fact: f.AnyFact,
        *,
        loop: str,
        at: str,
        blobs: tuple[str, ...] = (),
        savepoint: Savepoint | None = None,
    ) -> OutboxEntry:
        """The fact as the next one. It is not sent before `sync` has been called with its number."""
        sent = number(fact, self.last + 1, self._chains[self.last], loop=loop, at=at)
        entry = OutboxEntry(sent, blobs, savepoint, is_closing(fact))
        self.load((entry,))
        return entry

    def load(self, entries: Iterable[OutboxEntry]) -> None:
        """Facts as they are in the claim's journal."""
        for entry in entries:
            self.entries.append(entry)
            self.last = entry.fact.n
            self._chains[self.last] = entry.fact.chain

    def sync(self, n: int) -> None:
        """Facts up to this number are on disk."""
        self.synced = max(self.synced, n)

    def wanted_blobs(self) -> tuple[str, ...]:
        """That the first facts wait for."""
        named = (blob for entry in self.entries[:MOST_IN_A_BATCH] for blob in entry.blobs)
        return tuple(dict.fromkeys(blob for blob in named if blob not in self.stored))

    def named_blobs(self) -> Iterable[str]:
        return (blob for entry in self.entries for blob in entry.blobs)

    def unstore(self, missing: Iterable[str], at_hand: Collection[str]) -> None:
        """The server does not have these. Where they are not here either, as after a restart, the facts that name them and
        those behind stay here."""
        self.batch = ()
        self.stored -= set(missing)
        gone = set(missing) - set(at_hand)
        for place, entry in enumerate(self.entries):
            if gone & set(entry.blobs):
                del self.entries[place:]
                self.last = entry.fact.n - 1
                return

    def next_batch(self) -> tuple[OutboxEntry, ...]:
        """What can be sent now. A savepoint ends a batch: it is accepted with the last fact."""
        if self.batch:
            return self.batch
        ready: list[OutboxEntry] = []
        for entry in self.entries[:MOST_IN_A_BATCH]:
            if not self.is_sendable(entry):
                break
            ready.append(entry)
            if entry.savepoint is not None:
                break
        self.batch = tuple(ready)
        return self.batch

    def is_sendable(self, entry: OutboxEntry) -> bool:
        """On disk, and all that it names is stored: what the server has accepted is never lost here."""
        return entry.fact.n <= self.synced and all(blob in self.stored for blob in entry.blobs)

    def accept(self, n: int) -> None:
        self.accepted = max(self.accepted, n)
        self.batch = ()
        self.entries = [entry for entry in self.entries if entry.fact.n > n]

    def knows(self, n: int, chain: str) -> bool:
        """Whether the server's facts up to this one are ours."""
        return self._chains.get(n) == chain

    def give_up(self, fact: f.AnyFact, *, loop: str, at: str) -> OutboxEntry:
        """The server takes none of what is left: this small fact is recorded in its place."""
        self.entries, self.batch = [], ()
        self.last = self.synced = self.accepted
        return self.record(fact, loop=loop, at=at)
