"""ralph.yml to settings: what the file says, checked key by key against the table. No defaults in here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from ralph.config.nodes import Mapping, Node, Scalar, Sequence, described, entries, parse, shown_key
from ralph.config.problems import Problems, Spot
from ralph.config.schema import BY_PATH, GATE, KEYS, SECTIONS, names_in

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

    def get(self, path: str) -> Any:
        given = self.values.get(path)
        return given.value if given else None

    def wrong(self, path: str, what: str) -> None:
        self.problems.add(self._line(path), path, what)

    def warn(self, path: str, what: str) -> None:
        self.problems.warn(self._line(path), path, what)

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
    if not (isinstance(node, Scalar) and node.means == "null"):  # all of its keys may be commented out
        spot.wrong(f"must be a mapping, not {described(node)}")
    return {}


def _value(node: Node, path: str, spot: Spot) -> Any:
    if isinstance(node, Scalar) and node.means == "null":
        if not node.text:  # an explicit null or ~ asks for the default; a blank is a slip
            spot.wrong("has no value; give it one or remove the key")
        return None
    read_value = BY_PATH[path].kind.read
    return read_value(node, spot) if read_value else _gates(node, spot)


def _gates(node: Node, spot: Spot) -> str | tuple[Values, ...] | None:
    if isinstance(node, Scalar) and node.text == NO_GATES:
        return NO_GATES
    if not isinstance(node, Sequence):
        spot.wrong(f"must be a list of gates or {NO_GATES}, not {described(node)}")
        return None
    gates: list[Values] = []
    for index, item in enumerate(node.items):
        at = spot.item(index, item.line)
        if not isinstance(item, Mapping):
            at.wrong(f"must be a mapping with at least `run`, not {described(item)}")
            gates.append({})
            continue
        before = len(spot.problems.found)
        gate = _section(item, GATE, at)
        if f"{GATE}.run" not in gate and len(spot.problems.found) == before:
            at.wrong("has no `run`: the command that checks the work")
        gates.append(gate)
    return tuple(gates)


def _unknown(name: str, section: str, valid: tuple[str, ...], spot: Spot) -> None:
    other_places = () if section == GATE else (path for path in BY_PATH if not path.startswith(GATE))
    spot.wrong("unknown key", name, among=valid, elsewhere=other_places)
