"""Where the server keeps its tasks. `open_store` is how the rest of the server gets one, `open_reader` how one is looked at."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.core.fleet.store import FleetReader, FleetStore
from ralph.errors import RalphError

if TYPE_CHECKING:
    from ralph.server.stores.postgresql import PostgresqlStore


def default_db() -> Path:
    """SQLite in the user's data folder."""
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    return Path(data) / "ralph" / "server.db"


def open_store(db: str) -> FleetStore:
    """`postgresql://...`, or the path of a SQLite file."""
    if is_postgresql(db):
        return _postgresql()(db)
    from ralph.server.stores.sqlite import SqliteStore

    return SqliteStore(Path(db))


def open_reader(db: str) -> FleetReader:
    """Also while servers use it. It has to be there, and of this version."""
    if is_postgresql(db):
        return _postgresql()(db, size=1, reads=True)
    from ralph.server.stores.sqlite import SqliteReader

    return SqliteReader(Path(db))


def is_postgresql(db: str) -> bool:
    return db.startswith(("postgresql://", "postgres://"))


def _postgresql() -> type[PostgresqlStore]:
    try:
        from ralph.server.stores.postgresql import PostgresqlStore
    except ImportError as error:
        raise RalphError(
            f"PostgreSQL needs a package that is not installed: {error.name}",
            todo="Install Ralph with its extra `server`: pip install '.[server]'",
        )
    return PostgresqlStore
