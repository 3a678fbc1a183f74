"""SQL by name, from the files in sql/. The one place that knows how the two databases write the same thing differently."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from ralph.errors import RalphError
from ralph.server.stores.rows import COLUMNS, TASK_COLUMNS

SQL = Path(__file__).parent / "sql"


class Dialect(msgspec.Struct, frozen=True):
    name: Literal["sqlite", "postgresql"]
    words: dict[str, str]  # of statements, with a $
    types: dict[str, str]  # of migrations
    among: str  # "column $in(:values)" with a list of values
    field: str  # "$spec(field)": a text of the task's specification
    element: str  # "$holds(field, :value)": whether a list of it has this element
    parameter: str  # how ":name" is written


SQLITE = Dialect(
    "sqlite",
    {
        "for_update": "",
        "skip_locked": "",
        "now": ":now",  # of the one writer
        "like": "LIKE",
    },
    {"SERIAL64": "INTEGER PRIMARY KEY AUTOINCREMENT", "BYTES": "BLOB", "DOUBLE": "REAL"},
    r"IN (SELECT value FROM json_each(:\1))",
    r"COALESCE(json_extract(spec, '$.\1'), '')",
    r"EXISTS (SELECT 1 FROM json_each(spec, '$.\1') WHERE value = :\2)",
    r":\1",
)
POSTGRESQL = Dialect(
    "postgresql",
    {
        "for_update": "FOR UPDATE",
        "skip_locked": "FOR UPDATE SKIP LOCKED",
        "now": "now_ms()",
        "like": "ILIKE",  # ASCII letters only, by the collation of TEXT
    },
    {
        "SERIAL64": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "BYTES": "BYTEA",
        "DOUBLE": "DOUBLE PRECISION",
        "TEXT": 'TEXT COLLATE "C"',  # the order of SQLite, and of Python
    },
    r"= ANY(:\1)",
    r"COALESCE(spec::json->>'\1', '')",
    r"COALESCE(jsonb_exists(spec::jsonb->'\1', :\2), FALSE)",
    r"%(\1)s",
)


class Migration(msgspec.Struct, frozen=True):
    number: int
    name: str
    statements: tuple[str, ...]


@cache
def statements(name: Literal["sqlite", "postgresql"]) -> dict[str, str]:
    dialect = {"sqlite": SQLITE, "postgresql": POSTGRESQL}[name]
    found = {}
    for file in ("queries.sql", f"{name}.sql"):
        _, *parts = re.split(r"^-- name: ", (SQL / file).read_text(), flags=re.MULTILINE)
        for part in parts:
            title, _, text = part.partition("\n")
            found[title.strip()] = translate(without_comments(text), dialect)
    return found


def translate(text: str, dialect: Dialect) -> str:
    """A statement as the database's driver takes it."""
    words = dialect.words | {
        "task": ", ".join(TASK_COLUMNS),
        "columns": ", ".join(COLUMNS),
        "values": ", ".join(f":{name}" for name in COLUMNS),
        "settings": ", ".join(f"{name} = :{name}" for name in COLUMNS if name != "id"),
    }
    if dialect.name == "postgresql":
        text = text.replace("%", "%%")
    text = re.sub(r"\$in\(:(\w+)\)", dialect.among, text)
    text = re.sub(r"\$(\w+)\b(?!\()", lambda match: words[match[1]], text)
    text = re.sub(r"\$spec\((\w+)\)", dialect.field, text)
    text = re.sub(r"\$holds\((\w+), :(\w+)\)", dialect.element, text)
    return re.sub(r"(?<!:):([a-z]\w*)", dialect.parameter, text).strip()


def migrations(dialect: Dialect, after: int = 0) -> Iterator[Migration]:
    """In order. What one database alone needs is in a second file of the same number."""
    for path in sorted((SQL / "migrations").glob("*.sql")):
        name, _, suffixes = path.name.partition(".")
        number = int(name.partition("_")[0])
        if suffixes != "sql" or number <= after:
            continue
        text = path.read_text()
        own = path.with_name(f"{name}.{dialect.name}.sql")
        if own.exists():
            text += own.read_text()
        text = re.sub(
            r"\b[A-Z0-9]+\b", lambda match: dialect.types.get(match[0], match[0]), without_comments(text)
        )
        yield Migration(number, name, tuple(filter(str.strip, re.split(r";\s*\n", text))))


def check_version(name: Literal["sqlite", "postgresql"], done: Sequence[int]) -> None:
    """Who only looks does not bring a database up to date."""
    newest = max(
        migration.number for migration in migrations({"sqlite": SQLITE, "postgresql": POSTGRESQL}[name])
    )
    if max(done, default=0) < newest:
        raise RalphError(
            "an older version of ralph made this database",
            todo="`ralph serve` brings it up to date when it starts.",
        )


def without_comments(text: str) -> str:
    return re.sub(r"^\s*--.*\n", "", text, flags=re.MULTILINE)
