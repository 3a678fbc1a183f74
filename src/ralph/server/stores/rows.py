"""A task as a row: one column for each field of FleetTask, JSON where the value is not plain, and what
claims are ordered and merges looked for by.

Statements name their columns: those that a later version added stay as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_origin

import msgspec

from ralph.core.fleet.model import FleetTask
from ralph.core.fleet.readiness import urgency

Value = str | int | float | bytes | None | list[str] | list[int]
_FIELDS = msgspec.structs.fields(FleetTask)
TASK_COLUMNS: tuple[str, ...] = tuple(field.name for field in _FIELDS)
COLUMNS: tuple[str, ...] = (*TASK_COLUMNS, "queue", "rank", "priority", "unmerged")


def to_json(value: object) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


def _keep(value: Any) -> Any:
    return value


def _from_json(type: Any) -> Callable[[Any], Any]:
    decode = msgspec.json.Decoder(type).decode
    return lambda text: None if text is None else decode(text)


def _conversion(type: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    if type is bool:
        return int, bool
    if type in (str, int, float) or get_origin(type) is Literal:
        return _keep, _keep
    return to_json, _from_json(type)


_TO: tuple[tuple[str, Callable[[Any], Any]], ...] = tuple((f.name, _conversion(f.type)[0]) for f in _FIELDS)
_FROM: tuple[Callable[[Any], Any], ...] = tuple(_conversion(field.type)[1] for field in _FIELDS)


def row_of(task: FleetTask, queue: int) -> dict[str, Value]:
    row: dict[str, Value] = {name: convert(getattr(task, name)) for name, convert in _TO}
    rank, priority, _, _ = urgency(task)
    return row | {"queue": queue, "rank": rank, "priority": priority, "unmerged": int(task.awaits_merge)}


def task_of(row: Sequence[Any]) -> FleetTask:
    """From the values of TASK_COLUMNS."""
    values = (convert(value) for convert, value in zip(_FROM, row, strict=True))
    return FleetTask(**dict(zip(TASK_COLUMNS, values, strict=True)))


def storable(value: Any) -> Any:
    """PostgreSQL has no NUL in texts. Facts and names come from outside: a NUL must not make their task unsavable."""
    if isinstance(value, str) and "\0" in value:
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}")
    if isinstance(value, list):
        return [storable(item) for item in value]
    return value
