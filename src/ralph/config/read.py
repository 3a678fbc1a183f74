"""ralph.yml to settings: what the file says, checked key by key against the table. No defaults in here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from ralph.config.nodes import Mapping, Node, Scalar, Sequence, described, entries, parse, shown_key
from ralph.config.problems import Problems, Spot
from ralph.config.schema import BY_PATH, EITHER, GATE, KEYS, LISTS, NOTIFY, SECTIONS, SHORT, names_in

NO_GATES = "none"


class Given(msgspec.Struct, frozen=True):
    value: Any
    line: int


Values = dict[str, Given]  # by the key's path in the table


class Settings(msgspec.Struct, frozen=True):
    """Everything a file says, and where to report what is wrong with it."""

    folder: Path  # absolute; relative paths in the file start here
    values: Values
    problems: Problems
    agent_at: str = "cli"  # what messages call the section that describes the agent
    inherited: frozenset[str] = (
        frozenset()
    )  # keys taken over from elsewhere, where they were looked at already

    def get(self, path: str) -> Any:
        given = self.values.get(path)
        return given.value if given else None

    def wrong(self, path: str, what: str) -> None:
        if path not in self.inherited:
            self.problems.add(self._line(path), self.shown(path), what)

    def warn(self, path: str, what: str) -> None:
        if path not in self.inherited:
            self.problems.warn(self._line(path), self.shown(path), what)

    def shown(self, path: str) -> str:
        return self.agent_at + path.removeprefix("cli") if path.startswith("cli.") else path

    def _line(self, path: str) -> int:
        given = self.values.get(path)
        return given.line if given else 0


def fields(values: Values, group: str) -> dict[str, Any]:
    """The given values for the fields of one part of the policy, or of the task."""
    prefix = group + "."
    return {
        key.into.removeprefix(prefix): values[key.path].value
        for key in KEYS
        if key.into.startswith(prefix) and key.path in values
    }


def read(text: str, problems: Problems) -> Values:
    root = parse(text, problems)
    if root is None or (isinstance(root, Scalar) and root.means == "null"):
        return {}
    if not isinstance(root, Mapping):
        problems.add(root.line, "", f"must be a mapping of keys to values at the top, not {described(root)}")
        return {}
    return _section(root, "", Spot(problems, "", root.line))


def _section(node: Mapping, section: str, spot: Spot) -> Values:
    values: Values = {}
    valid = names_in(section)
    for name, value in entries(node, spot):
        path = f"{section}.{name.text}" if section else name.text
        at = spot.key(shown_key(name.text), name.line)
        if name.means != "text":
            at.wrong(f"a key must be text, not {described(name)}")
        elif name.text not in valid:  # also a dotted name: keys are nested
            _unknown(name.text, section, valid, at)
        elif path in SECTIONS:
            values.update(_subsection(value, path, at))
        elif (found := _value(value, path, at)) is not None:
            values[path] = Given(found, name.line)
    return values


def _subsection(node: Node, path: str, spot: Spot) -> Values:
    if isinstance(node, Mapping):
        return _section(node, path, spot)
    if isinstance(node, Scalar) and node.means == "null":  # all of its keys may be commented out
        return {}
    if path in SHORT and isinstance(node, Scalar):
        short = f"{path}.{SHORT[path]}"
        found = _value(node, short, spot)
        return {} if found is None else {short: Given(found, spot.line)}
    spot.wrong(f"must be a mapping, not {described(node)}")
    return {}


def _value(node: Node, path: str, spot: Spot) -> Any:
    if isinstance(node, Scalar) and node.means == "null":
        if not node.text:  # an explicit null or ~ asks for the default; a blank is a slip
            spot.wrong("has no value; give it one or remove the key")
        return None
    read_value = BY_PATH[path].kind.read
    if read_value:
        return read_value(node, spot)
    return _gates(node, spot) if path == "gates" else _items(node, NOTIFY, spot)


def _gates(node: Node, spot: Spot) -> str | tuple[Values, ...] | None:
    if isinstance(node, Scalar) and node.text == NO_GATES:
        return NO_GATES
    if not isinstance(node, Sequence):
        spot.wrong(f"must be a list of gates or {NO_GATES}, not {described(node)}")
        return None
    return _items(node, GATE, spot)


def _items(node: Node, section: str, spot: Spot) -> tuple[Values, ...] | None:
    """A list of mappings, each of which has exactly one of two keys."""
    if not isinstance(node, Sequence):
        spot.wrong(f"must be a list, not {described(node)}")
        return None
    first, second = EITHER[section]
    items: list[Values] = []
    for index, item in enumerate(node.items):
        at = spot.item(index, item.line)
        if not isinstance(item, Mapping):
            at.wrong(f"must be a mapping with `{first}` or `{second}`, not {described(item)}")
            items.append({})
            continue
        before = len(spot.problems.found)
        found = _section(item, section, at)
        if len(spot.problems.found) == before:
            has = [name for name in (first, second) if f"{section}.{name}" in found]
            if not has:
                at.wrong(f"has neither `{first}` nor `{second}`")
            elif len(has) == 2:
                at.wrong(f"has both `{first}` and `{second}`; keep one of them")
        items.append(found)
    return tuple(items)


def _unknown(name: str, section: str, valid: tuple[str, ...], spot: Spot) -> None:
    inside = section.startswith(LISTS)
    other_places = () if inside else (path for path in BY_PATH if not path.startswith(LISTS))
    spot.wrong("unknown key", name, among=valid, elsewhere=other_places)
