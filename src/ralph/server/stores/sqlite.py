"""The fleet's tasks in one SQLite file: for one server process, which a lock beside the file makes sure of.

One writer. Requests that wait for it share a transaction, each behind its own savepoint, and so one fsync. Whoever gets the
writer's lock first does the work of all who wait. Readers have their own connections and see the last commit.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from ralph.core.fleet.model import FleetTask
from ralph.core.fleet.requests import Offer
from ralph.errors import RalphError
from ralph.journal.lock import Busy, Lock
from ralph.server.stores.queries import SQLITE, check_version, migrations, statements
from ralph.server.stores.queues import QueueIndex
from ralph.server.stores.rows import Value, storable
from ralph.server.stores.transaction import Row, SqlTransaction

T = TypeVar("T")
MOST_TOGETHER = 64  # requests in one commit
PATIENCE = 10.0  # seconds; only another program that opened the file could make us wait


def _system_clock() -> int:
    return time.time_ns() // 1_000_000


class _Job(Generic[T]):
    """A rule that waits for the writer, and what came of it."""

    def __init__(self, rule: Callable[[SqliteTransaction], T]) -> None:
        self.rule = rule
        self.done = False
        self.result: T
        self.error: BaseException | None = None

    def outcome(self) -> T:
        if self.error is not None:
            raise self.error
        return self.result


class SqliteStore:
    """`clock` gives milliseconds. The file is made, and brought up to date, where needed."""

    def __init__(self, path: Path, clock: Callable[[], int] = _system_clock) -> None:
        self.path = path.resolve()
        self._clock = clock
        self._queues = QueueIndex()
        self._waiting: deque[_Job[Any]] = deque()
        self._writing = threading.Lock()
        self._readers: deque[sqlite3.Connection] = deque()
        self._lock = _lock(self.path)
        try:
            self._writer = _open(self.path)
            _migrate(self._writer)
            self._epochs = _Epochs(self._writer)
        except sqlite3.Error as error:
            self._lock.release()
            raise _unusable(self.path, error)
        except BaseException:
            self._lock.release()
            raise

    def run(self, rule: Callable[[SqliteTransaction], T]) -> T:
        job = _Job(rule)
        self._waiting.append(job)
        with self._writing:
            try:
                while not job.done:
                    waiting = min(len(self._waiting), MOST_TOGETHER)
                    self._write([self._waiting.popleft() for _ in range(waiting)])
            except KeyboardInterrupt:
                if not job.done:
                    self._waiting.remove(job)
                raise
        return job.outcome()

    def read(self, rule: Callable[[SqliteTransaction], T]) -> T:
        try:
            connection = self._readers.pop()
        except IndexError:
            connection = _open(self.path, reads=True)
        connection.execute("BEGIN")
        try:
            return rule(SqliteTransaction(connection, self._queues, self._clock(), self._epochs))
        finally:
            connection.execute("ROLLBACK")
            self._readers.append(connection)

    def relay(self) -> int:
        """Nothing is left to do: with one writer, each commit numbers its own events."""
        return 0

    def close(self) -> None:
        with self._writing:
            while self._readers:
                self._readers.pop().close()
            self._writer.close()
            self._lock.release()

    def _write(self, jobs: list[_Job[Any]]) -> None:
        """All in one commit. When it fails, all of them have failed."""
        try:
            self._writer.execute("BEGIN IMMEDIATE")
            transactions = [tx for job in jobs if (tx := self._attempt(job)) is not None]
            if any(tx.emitted for tx in transactions):
                self._writer.execute(statements("sqlite")["relay"])
                self._writer.execute(statements("sqlite")["empty_outbox"])
            last = self._epochs.last
            if last != self._epochs.saved:
                self._writer.execute(statements("sqlite")["save_epoch"], {"epoch": last})
            self._writer.execute("COMMIT")
            self._epochs.saved = last
        except sqlite3.Error as error:
            self._roll_back()
            for job in jobs:
                job.error = _unusable(self.path, error)
        except KeyboardInterrupt:  # this thread is to end: the others do their work themselves
            self._roll_back()
            self._waiting.extendleft(reversed(jobs))
            raise
        else:
            for tx in transactions:
                self._queues.learn(sorted(tx.seen.items()))
        for job in jobs:
            job.done = True

    def _attempt(self, job: _Job[Any]) -> SqliteTransaction | None:
        tx = SqliteTransaction(self._writer, self._queues, self._clock(), self._epochs)
        self._writer.execute("SAVEPOINT request")
        try:
            job.result = job.rule(tx)
        except KeyboardInterrupt:
            raise  # meant for this thread, whoever's rule it runs
        except BaseException as error:
            self._writer.execute("ROLLBACK TO request")
            job.error = error
            return None
        self._writer.execute("RELEASE request")
        return tx

    def _roll_back(self) -> None:
        if self._writer.in_transaction:
            self._writer.execute("ROLLBACK")


class SqliteReader:
    """For a look at a database that a server may have open: it takes no lock, and changes nothing."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        if not self._path.is_file():
            raise RalphError("there is no such database", where=str(path))
        self._connection = _open(self._path, reads=True)
        try:
            check_version(
                "sqlite", [row[0] for row in self._connection.execute(statements("sqlite")["versions"])]
            )
            self._epochs = _Epochs(self._connection)
        except sqlite3.Error as error:
            self.close()
            raise _unusable(self._path, error)
        except BaseException:
            self.close()
            raise

    def read(self, rule: Callable[[SqliteTransaction], T]) -> T:
        self._connection.execute("BEGIN")
        try:
            return rule(SqliteTransaction(self._connection, QueueIndex(), _system_clock(), self._epochs))
        except sqlite3.Error as error:
            raise _unusable(self._path, error)
        finally:
            self._connection.execute("ROLLBACK")

    def close(self) -> None:
        self._connection.close()


class _Epochs:
    """The last epoch that was drawn. One that was drawn in vain, by a rule that failed, is not drawn again either."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.last: int = connection.execute(statements("sqlite")["last_epoch"]).fetchone()[0]
        self.saved = self.last


class SqliteTransaction(SqlTransaction):
    def __init__(self, connection: sqlite3.Connection, queues: QueueIndex, now: int, epochs: _Epochs) -> None:
        super().__init__(queues)
        self._connection = connection
        self._statements = statements("sqlite")
        self._now = now
        self._epochs = epochs

    def _bound(self, values: Mapping[str, Value]) -> dict[str, Any]:
        bound = {name: storable(value) for name, value in values.items()}
        lists = {name: msgspec.json.encode(v).decode() for name, v in bound.items() if isinstance(v, list)}
        return {"now": self._now, **bound, **lists}

    def _execute(self, name: str, values: Mapping[str, Value]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(self._statements[name], self._bound(values))
        except sqlite3.IntegrityError as error:
            raise _conflict(error, values) from error

    def _rows(self, name: str, /, **values: Value) -> list[Row]:
        return self._execute(name, values).fetchall()

    def _count(self, name: str, /, **values: Value) -> int:
        return self._execute(name, values).rowcount

    def _each(self, name: str, rows: Iterable[Mapping[str, Value]]) -> None:
        self._connection.executemany(self._statements[name], map(self._bound, rows))

    def now(self) -> int:
        return self._now

    def next_epoch(self) -> int:
        self._epochs.last += 1
        return self._epochs.last

    def skip_numbers(self, gap: int) -> None:
        self._epochs.last += gap
        self._count("move_events", gap=gap)
        if not self._count("skip_events", gap=gap):  # there has been none
            self._count("begin_events", gap=gap)

    def lock_needs(self) -> None:
        pass  # one writer

    def _lock_queues(self) -> None:
        pass  # one writer

    def _claim_ready(self, offer: Offer, queues: list[int], key: str, lease_ms: int) -> FleetTask | None:
        head = self._rows("head", phase=offer.phase, protocol=offer.protocol, queues=queues)
        if not head:
            return None
        claim: dict[str, Value] = {"worker": offer.worker, "key": key, "lease": lease_ms}
        return self._task("take", id=head[0][0], epoch=self.next_epoch(), **claim)


def _conflict(error: sqlite3.IntegrityError, values: Mapping[str, Value]) -> Exception:
    """As the store in memory says it."""
    if "tasks.id" in str(error):
        return KeyError(values["id"])
    return ValueError(str(error))


def _lock(path: Path) -> Lock:
    try:
        return Lock.acquire(path.parent, "server", f"{path.name}.lock")
    except Busy as busy:
        raise RalphError(
            f"another server has this database open: pid {busy.pid}",
            where=str(path),
            todo="SQLite is for one server process. End that one, or name another file or a PostgreSQL with --db.",
        )


def _open(path: Path, *, reads: bool = False) -> sqlite3.Connection:
    try:
        if not reads:  # later it must not be closed by this process: that would give SQLite's own locks back
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        connection = sqlite3.connect(
            path, timeout=PATIENCE, isolation_level=None, check_same_thread=False, cached_statements=200
        )
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute(f"PRAGMA query_only = {int(reads)}")
    except (OSError, sqlite3.Error) as error:
        raise _unusable(path, error)
    return connection


def _unusable(path: Path, error: Exception) -> RalphError:
    return RalphError(
        f"the database cannot be used: {error}",
        where=str(path),
        todo="Look whether it is a database of ralph's, and whether its disk is full.",
        code=70,
    )


def _migrate(connection: sqlite3.Connection) -> None:
    queries = statements("sqlite")
    connection.execute("BEGIN EXCLUSIVE")
    try:
        connection.execute(queries["make_versions"])
        done = {row[0] for row in connection.execute(queries["versions"])}
        for migration in migrations(SQLITE, max(done, default=0)):
            for statement in migration.statements:
                connection.execute(statement)
            connection.execute(queries["add_version"], {"number": migration.number, "name": migration.name})
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
