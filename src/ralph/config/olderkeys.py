"""Reading what only the older family's files have: old names lead to today's, what has no effect is told once.

The table is ralph.config.older_family; the rest of the file is read by ralph.config.read.
"""

from __future__ import annotations

from collections.abc import Collection

from ralph.config.nodes import Mapping, Node, Scalar, Sequence, entries, shown_key
from ralph.config.older_family import ANY, ITEM, ROWS, Row, row_for
from ralph.config.problems import Spot

Renamed = list[
    tuple[Row, tuple[str, ...], Node, Spot]
]  # the row, the names on the way, what is said, and where
_PARTS = tuple(tuple(row.path.split(".")) for row in ROWS)


def take(parts: tuple[str, ...], node: Node, spot: Spot, renamed: Renamed) -> bool:
    """Whether the older family knows this key. What has another name here is put into `renamed`."""
    return _take(parts, node, spot, renamed, told=True)


def names_below(parts: tuple[str, ...]) -> tuple[str, ...]:
    """The names that the family knows directly in this section."""
    below = [row for row in _PARTS if len(row) > len(parts) and _begins(row, parts)]
    found = dict.fromkeys(row[len(parts)].removesuffix(ITEM) for row in below)
    return tuple(name for name in found if name != ANY)


def _take(parts: tuple[str, ...], node: Node, spot: Spot, renamed: Renamed, *, told: bool) -> bool:
    row = row_for(parts)
    if row is not None:
        if row.into:
            renamed.append((row, parts, node, spot))
        elif row.acts:  # as a key of Ralph's own, which is read elsewhere
            return False
        elif told and not _says_nothing(row, node):
            _tell_once(row, spot)
        return True
    items = (*parts[:-1], parts[-1] + ITEM)
    if isinstance(node, Sequence) and _known(items):
        for index, item in enumerate(node.items):
            _inside(items, item, spot.item(index, item.line), renamed, told=told)
        return True
    below = next((known for known in (parts, items) if _known(known)), None)
    if below is None:
        return False
    _inside(below, node, spot, renamed, told=told)
    return True


def _inside(parts: tuple[str, ...], node: Node, spot: Spot, renamed: Renamed, *, told: bool) -> None:
    if isinstance(node, Mapping):
        _section(parts, node, spot, renamed, told=told)
    elif told and not (isinstance(node, Scalar) and node.means == "null"):
        _tell_once(_first(parts), spot)


def _section(parts: tuple[str, ...], node: Mapping, spot: Spot, renamed: Renamed, *, told: bool) -> None:
    pairs = entries(node, spot)
    told = told and not any(key.text == "enabled" and _is_false(value) for key, value in pairs)
    for key, value in pairs:
        at = spot.key(shown_key(key.text), key.line)
        if not _take((*parts, key.text), value, at, renamed, told=told):
            at.wrong("unknown key", key.text, among=names_below(parts))


def _tell_once(row: Row, spot: Spot) -> None:
    """The same advice for each key of a section would hide the others."""
    what = f"has no effect. {row.instead}"
    top = spot.path.partition(".")[0].partition("[")[0]
    same = (p for p in spot.problems.noted if p.what == what)
    if not any(p.path.partition(".")[0].partition("[")[0] == top for p in same):
        spot.warn(what)


def _says_nothing(row: Row, node: Node) -> bool:
    match node:
        case Scalar(means="null"):
            return True
        case Scalar(means="boolean"):
            return ("false" if _is_false(node) else "true") in row.quiet
        case Scalar():
            return node.text in row.quiet
        case Sequence():
            return "[]" in row.quiet and not node.items
        case Mapping():
            return "{}" in row.quiet and not node.pairs


def _is_false(node: Node) -> bool:
    return (
        isinstance(node, Scalar) and node.means == "boolean" and node.text.lower() in ("false", "no", "off")
    )


def _known(parts: tuple[str, ...]) -> bool:
    return any(len(row) > len(parts) and _begins(row, parts) for row in _PARTS)


def _first(parts: tuple[str, ...]) -> Row:
    return next(row for row, known in zip(ROWS, _PARTS, strict=True) if _begins(known, parts) and row.instead)


def _begins(row: tuple[str, ...], parts: Collection[str]) -> bool:
    return all(
        one == other
        or (one == ANY and not other.endswith(ITEM))
        or (one == ANY + ITEM and other.endswith(ITEM))
        for one, other in zip(row, parts, strict=False)
    )
