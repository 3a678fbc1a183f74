"""SQLite and PostgreSQL against the store in memory: whatever is asked, they answer alike."""

from __future__ import annotations

from pathlib import Path

import psycopg
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test
from store_machine import StoreMachine

from examples import EXAMPLES
from ralph.server.stores.postgresql import PostgresqlStore
from ralph.server.stores.sqlite import SqliteStore

CLOCK = """
CREATE TABLE IF NOT EXISTS test_clock (ms BIGINT);
TRUNCATE test_clock;
INSERT INTO test_clock VALUES (0);
CREATE OR REPLACE FUNCTION now_ms() RETURNS BIGINT LANGUAGE SQL STABLE AS 'SELECT ms FROM test_clock';
"""
EMPTY = """
TRUNCATE repositories, tasks, facts, needs, messages, blobs, blob_uses, requests, outbox, events, tokens, workers, audit,
  task_counts RESTART IDENTITY;
UPDATE ticks SET up_since = 0, at = 0;
ALTER SEQUENCE epoch RESTART;
"""


class SqliteCase:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.ms = 0
        for old in path.parent.glob(f"{path.name}*"):
            old.unlink()
        self.store = SqliteStore(path, self.clock)

    def clock(self) -> int:
        return self.ms

    def set_clock(self, ms: int) -> None:
        self.ms = ms

    def reopen(self) -> None:
        self.store.close()
        self.store = SqliteStore(self.path, self.clock)

    def close(self) -> None:
        self.store.close()


class PostgresqlCase:
    """Two stores on one database, as two server processes have them: sometimes the one is asked, sometimes the other."""

    def __init__(self, control: psycopg.Connection, stores: list[PostgresqlStore]) -> None:
        self.control = control
        self.stores = stores
        self.store = stores[0]
        control.execute(EMPTY)

    def set_clock(self, ms: int) -> None:
        self.control.execute("UPDATE test_clock SET ms = %s", (ms,))

    def reopen(self) -> None:
        self.store = self.stores[self.store is self.stores[0]]

    def close(self) -> None:
        pass


def explore(machine: type[StoreMachine], examples: int) -> None:
    wanted = EXAMPLES[settings.get_current_profile_name()](examples)
    # What fails is not made smaller: on a busy machine that takes longer than a test may.
    run_state_machine_as_test(
        machine, settings=settings(max_examples=wanted, stateful_step_count=40, phases=[Phase.generate])
    )


def test_sqlite_answers_as_the_model_does(tmp_path: Path) -> None:
    class OnSqlite(StoreMachine):
        make = staticmethod(lambda: SqliteCase(tmp_path / "fleet.db"))

    explore(OnSqlite, 40)


def test_postgresql_answers_as_the_model_does(database: str) -> None:
    stores = [PostgresqlStore(database, size=1) for _ in range(2)]
    with psycopg.connect(database, autocommit=True) as control:
        control.execute(CLOCK)

        class OnPostgresql(StoreMachine):
            make = staticmethod(lambda: PostgresqlCase(control, stores))

        explore(OnPostgresql, 20)
    for store in stores:
        store.close()
