"""A PostgreSQL for tests, with a database for each that wants one. Unless it is `durable`, as for measurements and for crashes,
nothing is synced: a test's data need not outlive the machine. Where there is none, these tests fail and say what to install."""

from __future__ import annotations

import uuid

import psycopg

from ralph.server.temporary_postgresql import TemporaryPostgresql

SETTINGS = {"max_connections": "60", "shared_buffers": "32MB", "deadlock_timeout": "100ms"}
UNSYNCED = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}


class Cluster(TemporaryPostgresql):
    def __init__(self, *, durable: bool = False) -> None:
        super().__init__(SETTINGS if durable else SETTINGS | UNSYNCED)

    def create_database(self) -> str:
        """The address of a new, empty one."""
        name = f"test_{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}".encode())
        return self.url(name)

    def drop_database(self, url: str) -> None:
        name = url.partition("@/")[2].partition("?")[0]
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
