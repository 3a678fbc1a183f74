"""Lists of work in other tools' formats, read into lines of the backlog and written back without loss. One file for each format.

What Ralph has no field for is kept in the line's `source`; what the other format has no field for is written as `ralph`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from ralph.backlog.changes import Fields
from ralph.core.tasks.task import parent_of

Record = dict[str, object]
Read = Callable[[Record], Fields]  # only what both have a field for
Plain = Callable[[Fields], Record]
OWN = "ralph"  # the key under which a record carries what its format has no field for
SOURCE = "source"
_OF_IMPORT = ("completed", "verified")  # written because it was complete when it came


def same(one: object, other: object) -> bool:
    """As JSON: 1, 1.0 and true are three different things."""
    return one is other or _text(one) == _text(other)


def _text(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def to_line(record: Record, read: Read, plain: Plain) -> tuple[Fields, Fields]:
    """The fields of its line, and what of the record they do not say."""
    own = record.get(OWN)
    fields = read(record)
    if isinstance(own, dict):
        fields |= own
    said = plain(fields)
    beyond: Fields = {}
    if rest := {k: v for k, v in record.items() if k != OWN and not (k in said and same(said[k], v))}:
        beyond["rest"] = rest
    if absent := [k for k in said if k not in record]:
        beyond["absent"] = absent
    return fields, beyond


def to_record(fields: Fields, beyond: Mapping[str, object], read: Read, plain: Plain) -> Record:
    """The record for a line: as it came, but for what has changed since; and what its form cannot say, under `ralph`."""
    told, gone = beyond.get("rest"), beyond.get("absent")
    rest: Record = told if isinstance(told, dict) else {}
    absent: list[str] = gone if isinstance(gone, list) else []
    record = plain(fields)

    def better(trial: Record) -> Record:
        """What it was, wherever that says no less of the line than what would be written today."""
        wrong, now = (
            unmapped_fields(fields, read(trial), beyond),
            unmapped_fields(fields, read(record), beyond),
        )
        return trial if wrong.keys() <= now.keys() else record

    whole = {key: value for key, value in (record | rest).items() if key not in absent}
    record = better(whole)
    if record is not whole:
        for key, value in rest.items():
            record = better({**record, key: value})
        for key in absent:
            record = better({k: v for k, v in record.items() if k != key})
    if lost := unmapped_fields(fields, read(record), beyond):
        record = {**record, OWN: lost}
    return record


def unmapped_fields(
    fields: Fields, back: Fields, beyond: Mapping[str, object], besides: Iterable[str] = ()
) -> Fields:
    """The fields that reading the record again would not bring back."""
    skip = {SOURCE, *besides} if beyond else set(besides)
    if beyond.get("done"):
        skip.update(_OF_IMPORT)
    one, other = _without_defaults(fields), _without_defaults(back)
    lost = {k: v for k, v in one.items() if k not in skip and not (k in other and same(other[k], v))}
    for key in other:
        if key not in one and key not in skip:
            lost[key] = _DEFAULTS.get(key)
    return lost


_DEFAULTS: Fields = {"status": "pending", "description": "", "criteria": [], "depends_on": [], "type": ""}


def _without_defaults(fields: Fields) -> Fields:
    parent = parent_of(str(fields.get("id", "")))
    return {
        key: value
        for key, value in fields.items()
        if value is not None
        and not (key in _DEFAULTS and same(value, _DEFAULTS[key]))
        and not (key == "parent" and value == parent)
    }


# -- reading what other tools wrote --------------------------------------------------------------------


def text(record: Record, key: str) -> str:
    found = record.get(key)
    return found if isinstance(found, str) else ""


def texts(record: Record, key: str) -> list[str]:
    found = record.get(key)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def number(record: Record, key: str) -> int | float | None:
    found = record.get(key)
    return found if isinstance(found, int | float) and not isinstance(found, bool) else None


def name(record: Record, key: str) -> str:
    """An id, which may be a number."""
    found = record.get(key)
    return str(found) if isinstance(found, int) and not isinstance(found, bool) else text(record, key)
