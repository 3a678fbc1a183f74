"""Where the server keeps tasks: the interface that the rules need. Values in, values out; no rule belongs in a store.

An in-memory store (server/stores/memory.py) is the model; SQLite and PostgreSQL do the same by the statements of the data
model. One transaction is one request. Isolation that suffices: READ COMMITTED with the row locks named here, or one writer
at a time (BEGIN IMMEDIATE).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

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
from ralph.core.fleet.requests import Offer

T = TypeVar("T")


class FleetTransaction(Protocol):
    """Everything here happens, or nothing. Rules check before they write: a refusal is a value, and commits nothing."""

    def now(self) -> int:
        """The database's clock in milliseconds, the same throughout the transaction."""
        ...

    def next_epoch(self) -> int:
        """Greater than every one given before, over all tasks; gaps do not matter."""
        ...

    def skip_numbers(self, gap: int) -> None:
        """Epochs continue so much higher, and so do the numbers of events, of those that are there too: whoever comes with an
        older one has seen what is not here. The gap is larger than the number of events."""
        ...

    # -- tasks

    def task(self, id: str) -> FleetTask | None:
        """As it is, without a lock."""
        ...

    def lock_task(self, id: str) -> FleetTask | None:
        """SELECT ... FOR UPDATE: no other transaction changes it before this one is over."""
        ...

    def add_task(self, task: FleetTask, needs: Sequence[str]) -> None: ...

    def save_task(self, task: FleetTask) -> None:
        """Every column of a task that this transaction has locked."""
        ...

    def tasks_after(self, id: str, most: int) -> tuple[FleetTask, ...]:
        """In the order of ids; "" begins."""
        ...

    def find_tasks(self, query: TaskQuery) -> tuple[FleetTask, ...]: ...

    def unmerged_tasks(self, most: int) -> tuple[FleetTask, ...]:
        """Those that landed as a pull request which no one has reported as merged (`awaits_merge`), the oldest first."""
        ...

    def held_by(self, worker: str) -> tuple[FleetTask, ...]: ...

    # -- claims

    def claimed_with(self, key: str) -> FleetTask | None:
        """The task whose newest claim has this key, locked."""
        ...

    def claim_expired(self, offer: Offer) -> FleetTask | None:
        """A task whose holder's lease ran out, and for which knows and serves (readiness.py) hold: locked, those of others
        skipped, the longest overdue first. It comes back as it is: the rules decide what becomes of it."""
        ...

    def claim_ready(self, offer: Offer, key: str, lease_ms: int) -> FleetTask | None:
        """The one query of the data model: of the tasks for which is_ready, knows and serves (readiness.py) hold, the first by
        readiness.urgency, skipping what others have locked, and in phase land what is in a lane with a held landing. It comes
        back with a new epoch, `holder`, `claim_key`, `lease_until`, `status` in_progress, and neither `saved` nor `vitals`."""
        ...

    def is_landing(self, lane: str) -> bool:
        """Some task of the lane is held in phase land (the unique index one_landing)."""
        ...

    def renew_lease(self, id: str, epoch: int, worker: str, lease_ms: int, vitals: Vitals | None) -> bool:
        """One UPDATE ... WHERE id, epoch and holder are these; False: no row. None leaves the vitals as they are."""
        ...

    def overdue(self, before: int) -> tuple[FleetTask, ...]:
        """Held tasks with lease_until < before, locked, those of others skipped; a hundred at most."""
        ...

    def wake_due(self) -> int:
        """not_before = 0 where it was reached; how many. The index of ready tasks holds only those with 0."""
        ...

    # -- facts

    def add_facts(self, task: str, facts: Sequence[StoredFact]) -> None: ...

    def facts(self, task: str, after: int = 0, most: int = 0) -> tuple[StoredFact, ...]:
        """In order; most = 0: all of them."""
        ...

    # -- dependencies

    def needs(self, task: str) -> tuple[str, ...]:
        """What it depends on."""
        ...

    def dependants(self, task: str) -> tuple[str, ...]:
        """Which depend on it, in the order of their ids."""
        ...

    def replace_needs(self, task: str, needs: Sequence[str]) -> None: ...

    def lock_needs(self) -> None:
        """No one else adds a dependency before this transaction is over: two could make a cycle that neither sees."""
        ...

    # -- messages

    def add_message(self, message: PersonMessage) -> PersonMessage:
        """With the id it got, greater than those before."""
        ...

    def messages(self, task: str, *, taken: bool = False) -> tuple[PersonMessage, ...]:
        """In order, those that no fact names yet; with `taken` all of them."""
        ...

    def take_messages(self, task: str, taken: dict[int, int]) -> None:
        """id -> number of the fact that names it. One that was taken before stays as it is."""
        ...

    # -- blobs

    def missing_blobs(self, hashes: Sequence[str], since: int) -> tuple[str, ...]:
        """Those that were not put since this time: an older one may be forgotten at any moment."""
        ...

    def put_blob(self, hash: str, body: bytes) -> None:
        """Content under its own hash: putting it again only says that it is of now."""
        ...

    def blob(self, hash: str) -> bytes | None: ...

    def use_blobs(self, task: str, hashes: Sequence[str]) -> None:
        """Facts of the task name them: they are kept as long as it is."""
        ...

    def save_blobs(self, task: str, hashes: Sequence[str]) -> None:
        """Those of its savepoint: what an earlier one had, and no fact names, is used no more."""
        ...

    def forget_blobs(self, before: int, most: int) -> int:
        """Those put before this time that no task uses; how many."""
        ...

    # -- the server itself

    def repository(self, name: str) -> Repository | None: ...

    def add_repository(self, repository: Repository) -> None: ...

    def repositories(self) -> tuple[Repository, ...]:
        """By name."""
        ...

    def worker(self, name: str) -> WorkerRecord | None: ...

    def workers(self) -> tuple[WorkerRecord, ...]:
        """By name."""
        ...

    def save_worker(self, worker: WorkerRecord) -> None:
        """Adds it, or replaces the one with this name."""
        ...

    def token_with(self, hash: str) -> Token | None: ...

    def tokens(self) -> tuple[Token, ...]:
        """In the order in which they were made."""
        ...

    def save_token(self, token: Token) -> None:
        """Adds it, or replaces the one with this id."""
        ...

    def forget_token(self, id: str) -> None: ...

    def add_audit(self, record: AuditRecord) -> None: ...

    def audit(self, before: int = 0, most: int = 100) -> tuple[AuditRecord, ...]:
        """The newest first; before = 0: from the newest on."""
        ...

    def figures(self) -> FleetFigures:
        """Without a look at every task."""
        ...

    def compact_counts(self) -> None:
        """What `figures` adds up is made short again."""
        ...

    def tick(self) -> ServerTick: ...

    def save_tick(self, tick: ServerTick) -> None: ...

    def kept_answer(self, token: str, key: str) -> KeptAnswer | None:
        """Of the request that was sent under this key with this token."""
        ...

    def keep_answer(self, token: str, key: str, answer: KeptAnswer) -> None:
        """Two at the same time: one rule is run again, and finds the other's answer."""
        ...

    def forget_answers(self, before: int) -> int:
        """Those kept before this time; how many."""
        ...

    def emit(self, event: FleetEvent) -> None:
        """A row of the outbox; a relay numbers it after the commit."""
        ...

    def events(self, after: int = 0, most: int = 0) -> tuple[tuple[int, FleetEvent], ...]:
        """Numbered, in the order of their commits; most = 0: all of them."""
        ...

    def event_range(self) -> tuple[int, int]:
        """The numbers of the oldest that is kept and of the newest; (1, 0): there is none."""
        ...

    def forget_events(self, before: int) -> int:
        """Those with a lower number; how many. The newest one stays: its number must not be given again."""
        ...


class FleetReader(Protocol):
    def read(self, rule: Callable[[FleetTransaction], T]) -> T:
        """A rule that writes and locks nothing, on what is committed, all of it from one moment. It waits for no writer."""
        ...

    def close(self) -> None: ...


class FleetStore(FleetReader, Protocol):
    def run(self, rule: Callable[[FleetTransaction], T]) -> T:
        """The rule in one transaction, committed when this returns. When the database gives up on it (deadlock, serialisation),
        the rule runs again from its beginning; an exception of the rule rolls back."""
        ...

    def relay(self) -> int:
        """Numbers the events of what has been committed; how many. Called after commits and by the server's tick, in every
        process: one of them does it at a time. A store with one writer numbers them in the commit, and returns 0."""
        ...
