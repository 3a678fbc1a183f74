"""The fleet's tasks in PostgreSQL: for several server processes. The only module that knows the driver; imported when it is used.

READ COMMITTED: rows that a request changes are locked by it, claims skip what others have locked, and the unique indexes decide
what two requests do at the same time. Who comes second begins again, and then sees what the first did.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import ConnectionPool

from ralph.core.fleet.model import FleetTask
from ralph.core.fleet.requests import Offer
from ralph.errors import RalphError
from ralph.server.stores.queries import POSTGRESQL, check_version, migrations, statements
from ralph.server.stores.queues import QueueIndex
from ralph.server.stores.rows import Value, storable
from ralph.server.stores.transaction import Row, SqlTransaction

T = TypeVar("T")
Connection = psycopg.Connection[tuple[Any, ...]]

HEADS = 16  # of each queue, that a claim looks at first
MOST_CLAIMS = 5  # attempts, each with more heads
MOST_TRIES = 20  # of a rule that the database gave up
MOST_RACES = 10  # lost by a unique index; then it was no race
MOST_LOST = 3  # connections
MOST_RELAYED = 5000  # events in one transaction
LONGEST_IDLE = "15s"  # inside a transaction: a process that was stopped there must not hold rows forever
PATIENCE = 10.0  # seconds to wait for a connection


class PostgresqlStore:
    """The database is brought up to date where needed, unless someone only looks (`reads`). `size`: most connections."""

    def __init__(self, url: str, *, size: int = 8, reads: bool = False) -> None:
        self._place = _place(url)
        self._queues = QueueIndex()
        try:
            with psycopg.connect(url, connect_timeout=int(PATIENCE)) as connection:
                if reads:
                    _check_version(connection)
                else:
                    _migrate(connection)
        except psycopg.Error as error:
            raise self._unreachable(error)
        self._pool = ConnectionPool(
            url, min_size=1, max_size=size, timeout=PATIENCE, configure=_configure, open=True
        )

    def run(self, rule: Callable[[PostgresqlTransaction], T]) -> T:
        lost = races = 0
        for tries in range(1, MOST_TRIES + 1):
            committing = False
            try:
                with self._pool.connection() as connection:
                    tx = PostgresqlTransaction(connection, self._queues)
                    result = rule(tx)
                    committing = True
            except (errors.SerializationFailure, errors.DeadlockDetected):
                if tries == MOST_TRIES:
                    raise
            except errors.UniqueViolation as error:
                races += 1
                if races == MOST_RACES:
                    raise _conflict(error) from error
                continue  # the other has committed
            except psycopg.OperationalError as error:
                lost += 1
                if committing or lost == MOST_LOST:  # no one knows whether it was committed
                    raise self._unreachable(error)
            else:
                self._queues.learn(sorted(tx.seen.items()))
                return result
            time.sleep(random.uniform(0, min(0.002 * 2**tries, 0.2)))
        raise AssertionError("the last try returns or raises")

    def read(self, rule: Callable[[PostgresqlTransaction], T]) -> T:
        """One snapshot for all of it."""
        try:
            with self._pool.connection() as connection:
                connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                return rule(PostgresqlTransaction(connection, self._queues))
        except psycopg.OperationalError as error:
            raise self._unreachable(error)

    def relay(self) -> int:
        """Moves rows of the outbox into events, so that they are numbered in the order of commits: one relay at a time, in
        whichever process. Its own transaction is over before the next begins, so no reader of events sees a gap filled later."""
        return self.run(lambda tx: tx.relay())

    def close(self) -> None:
        self._pool.close()

    def _unreachable(self, error: psycopg.Error) -> RalphError:
        return RalphError(
            f"PostgreSQL cannot be used: {str(error).strip()}",
            where=self._place,
            todo="Look whether it runs, and whether the address and the password are right.",
            code=70,
        )


class PostgresqlTransaction(SqlTransaction):
    def __init__(self, connection: Connection, queues: QueueIndex) -> None:
        super().__init__(queues)
        self._connection = connection
        self._statements = statements("postgresql")
        self._now: int | None = None

    def _execute(self, name: str, values: Mapping[str, Value]) -> psycopg.Cursor[tuple[Any, ...]]:
        bound = {key: storable(value) for key, value in values.items()}
        return self._connection.execute(self._statements[name].encode(), bound)

    def _rows(self, name: str, /, **values: Value) -> list[Row]:
        return list(self._execute(name, values))

    def _count(self, name: str, /, **values: Value) -> int:
        return self._execute(name, values).rowcount

    def _each(self, name: str, rows: Iterable[Mapping[str, Value]]) -> None:
        bound = [{key: storable(value) for key, value in row.items()} for row in rows]
        if len(bound) == 1:
            self._connection.execute(self._statements[name].encode(), bound[0])
        elif bound:
            self._connection.cursor().executemany(self._statements[name].encode(), bound)

    def now(self) -> int:
        if self._now is None:
            self._now = int(self._rows("now")[0][0])
        return self._now

    def next_epoch(self) -> int:
        return int(self._rows("next_epoch")[0][0])

    def skip_numbers(self, gap: int) -> None:
        self._rows("skip_epochs", gap=gap)
        self._count("move_events", gap=gap)
        self._rows("skip_events", gap=gap)

    def lock_needs(self) -> None:
        self._rows("lock_needs")

    def _lock_queues(self) -> None:
        self._rows("lock_queues")

    def _claim_ready(self, offer: Offer, queues: list[int], key: str, lease_ms: int) -> FleetTask | None:
        where: dict[str, Value] = {"queues": queues, "phase": offer.phase, "protocol": offer.protocol}
        claim: dict[str, Value] = {"worker": offer.worker, "key": key, "lease": lease_ms}
        for attempt in range(MOST_CLAIMS):
            taken = self._task("claim", most=HEADS * 4**attempt, **claim, **where)
            if taken is not None or not self._rows("any_ready", **where):
                return taken
        return None  # others take what is ready, or hold it

    def relay(self) -> int:
        if not self._rows("try_relay")[0][0]:
            return 0
        return self._count("relay", most=MOST_RELAYED)


def _conflict(error: errors.UniqueViolation) -> Exception:
    """As the store in memory says it."""
    name = error.diag.constraint_name or ""
    if name == "tasks_pkey":
        return KeyError(str(error))
    return ValueError(f"{name}: {error}")


def _configure(connection: Connection) -> None:
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    connection.execute(f"SET idle_in_transaction_session_timeout = '{LONGEST_IDLE}'".encode())
    connection.commit()


def _migrate(connection: Connection) -> None:
    """In one transaction, one process at a time; the others then find it done."""
    queries = {name: text.encode() for name, text in statements("postgresql").items()}
    connection.execute(queries["lock_migrations"])
    connection.execute(queries["make_versions"])
    done = {row[0] for row in connection.execute(queries["versions"])}
    for migration in migrations(POSTGRESQL, max(done, default=0)):
        for statement in migration.statements:
            connection.execute(statement.encode())
        connection.execute(queries["add_version"], {"number": migration.number, "name": migration.name})


def _check_version(connection: Connection) -> None:
    try:
        done = [row[0] for row in connection.execute(statements("postgresql")["versions"].encode())]
    except errors.UndefinedTable:
        raise RalphError("this is no database of ralph's")
    check_version("postgresql", done)


def _place(url: str) -> str:
    """What may be shown: no password."""
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        raise RalphError("this is not the address of a PostgreSQL", todo="Like postgresql://user@host/name")
    return f"{parts.get('host') or 'localhost'}/{parts.get('dbname') or ''}"
