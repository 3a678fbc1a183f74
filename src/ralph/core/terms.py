"""What a condition consists of once it is parsed, and whether it is true. Pure and total; types were checked by the parser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import msgspec

from ralph.core.vocabulary import NOTHING, Kind, Value


class Const(msgspec.Struct, frozen=True, tag=True):
    value: Value
    kind: Kind


class Ref(msgspec.Struct, frozen=True, tag=True):
    name: str
    kind: Kind
    argument: str = ""

    @property
    def key(self) -> str:
        """Under which its value is found."""
        return f"{self.name}('{self.argument}')" if self.argument else self.name


class Compare(msgspec.Struct, frozen=True, tag=True):
    operator: str
    left: Node
    right: Node
    kind: Kind = "truth"


class Not(msgspec.Struct, frozen=True, tag=True):
    of: Node
    kind: Kind = "truth"


class Join(msgspec.Struct, frozen=True, tag=True):
    every: bool  # True: and; False: or
    parts: tuple[Node, ...]
    kind: Kind = "truth"


Node = Const | Ref | Compare | Not | Join


class Condition(msgspec.Struct, frozen=True):
    text: str
    root: Node
    refs: tuple[Ref, ...]  # what it reads, each once, in order


def evaluate(condition: Condition, values: Mapping[str, Value]) -> bool:
    """Total: a value that is missing or of another type counts as 0, '' or false."""
    return bool(_value(condition.root, values))


def _value(node: Node, values: Mapping[str, Value]) -> Value:
    match node:
        case Const():
            return node.value
        case Ref():
            return _typed(values.get(node.key), node.kind)
        case Compare():
            return OPERATORS[node.operator].holds(_value(node.left, values), _value(node.right, values))
        case Not():
            return not _value(node.of, values)
        case Join(every=True):
            return all(_value(part, values) for part in node.parts)
        case Join():
            return any(_value(part, values) for part in node.parts)


def _typed(value: Value | None, kind: Kind) -> Value:
    # A bool is an int to Python, but never a number here.
    is_kind = {
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "text": isinstance(value, str),
        "truth": isinstance(value, bool),
    }[kind]
    return value if is_kind and value is not None else NOTHING[kind]


class Operator(NamedTuple):
    takes: Kind | None  # None: any, the same on both sides
    holds: Callable[[Value, Value], bool]


OPERATORS: dict[str, Operator] = {
    "==": Operator(None, lambda a, b: a == b),
    "!=": Operator(None, lambda a, b: a != b),
    "<": Operator("number", lambda a, b: a < b),  # type: ignore[operator]
    "<=": Operator("number", lambda a, b: a <= b),  # type: ignore[operator]
    ">": Operator("number", lambda a, b: a > b),  # type: ignore[operator]
    ">=": Operator("number", lambda a, b: a >= b),  # type: ignore[operator]
    # Whoever looks for 'refactor' also means "Refactor the parser".
    "contains": Operator("text", lambda a, b: str(b).casefold() in str(a).casefold()),
}
