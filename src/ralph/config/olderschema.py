"""The part of the JSON Schema for keys that only files of the older family have: under another name here, or without
effect. Editors show them as deprecated, with what to use instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ralph.config.older_family import ANY, ITEM, ROWS, Row
from ralph.config.schema import BY_PATH, Key, names_in

Fragment = dict[str, Any]
ValueOf = Callable[[Key], Fragment]  # the schema of a key of Ralph's own
_DEPRECATED = {"deprecated": True}


def properties(parts: tuple[str, ...], value_of: ValueOf) -> Fragment:
    """Those in this section that Ralph does not have itself."""
    known = names_in(".".join(parts))
    below = _below(parts)
    names = dict.fromkeys(name.removesuffix(ITEM) for name in below)
    return {
        name: _DEPRECATED | _fragment(parts, name, below, value_of)
        for name in names
        if name not in known and name != ANY
    }


def _fragment(parts: tuple[str, ...], name: str, below: dict[str, list[Row]], value_of: ValueOf) -> Fragment:
    """A mapping is checked name by name, in a list as well; any other value has no effect, whatever it is."""
    rows, items = below.get(name, []), below.get(name + ITEM)
    if len(rows) == 1 and rows[0].path == ".".join((*parts, name)):
        return _leaf(rows[0], value_of)
    inside = (*parts, name) if rows else (*parts, name + ITEM)
    found = _section(inside, value_of)
    return found | ({"items": _section((*parts, name + ITEM), value_of)} if items else {})


def _section(parts: tuple[str, ...], value_of: ValueOf) -> Fragment:
    below = _below(parts)
    of_any = ANY in below or ANY + ITEM in below
    others = _DEPRECATED | _fragment(parts, ANY, below, value_of) if of_any else False
    return {"properties": properties(parts, value_of), "additionalProperties": others}


def _leaf(row: Row, value_of: ValueOf) -> Fragment:
    if row.into:
        return {**value_of(BY_PATH[row.into]), "description": f"Today: `{row.into}`."}
    return {"description": f"Without effect. {row.instead}"}


def _below(parts: tuple[str, ...]) -> dict[str, list[Row]]:
    """The rows of this section, by the next name on the way."""
    found: dict[str, list[Row]] = {}
    for row in ROWS:
        names = tuple(row.path.split("."))
        if names[: len(parts)] == parts and len(names) > len(parts):
            found.setdefault(names[len(parts)], []).append(row)
    return found
