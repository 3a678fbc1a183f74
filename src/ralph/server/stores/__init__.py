"""Where the server keeps its tasks. `open_store` is how the rest of the server gets one."""

from __future__ import annotations

from pathlib import Path

from ralph.core.fleet.store import FleetStore
from ralph.errors import RalphError


def open_store(db: str) -> FleetStore:
    """`postgresql://...`, or the path of a SQLite file."""
    if not db.startswith(("postgresql://", "postgres://")):
        from ralph.server.stores.sqlite import SqliteStore

        return SqliteStore(Path(db))
    try:
        from ralph.server.stores.postgresql import PostgresqlStore
    except ImportError as error:
        raise RalphError(
            f"PostgreSQL needs a package that is not installed: {error.name}",
            todo="Install Ralph with its extra `server`: pip install '.[server]'",
        )
    return PostgresqlStore(db)
