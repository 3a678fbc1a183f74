"""What a condition consists of once it is parsed, and whether it is true. Pure and total; types were checked by the parser."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec


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


Value = int | float | str | bool
Kind = Literal["number", "text", "truth"]
# counter: counts since the role was last worn. moment: about the iteration before, unless that one wore the role itself.
# standing: the same all along.
Sort = Literal["counter", "moment", "standing"]

NOTHING: dict[Kind, Value] = {"number": 0, "text": "", "truth": False}


class Name(msgspec.Struct, frozen=True):
    name: str
    kind: Kind
    sort: Sort
    meaning: str
    takes_role: bool = False  # name('role')
    is_role: bool = False  # its value is a role's name
    values: tuple[str, ...] = ()  # all that it can be, where that is known


_ROWS = (
    # as in roles.yaml files since the first
    Name(
        "branch_commits",
        "number",
        "counter",
        "commits made; an iteration that changed files without a commit counts as one",
    ),
    Name("task_title", "text", "standing", "the task's title"),
    Name(
        "last_iteration_failed",
        "truth",
        "moment",
        "it crashed, ran out of time, or its claim was refused, or rejected by a gate",
    ),
    Name(
        "iterations_since_role",
        "number",
        "counter",
        "iterations since the role in parentheses was worn, or since the start: `iterations_since_role('documenter')`",
        takes_role=True,
    ),
    Name(
        "task_marked_ready_to_complete",
        "truth",
        "moment",
        "a claim is about to complete the task; true for a role once for each tree",
    ),
    # counts
    Name("iterations", "number", "counter", "iterations"),
    Name("attempts", "number", "counter", "claims that gates rejected, and iterations that ran out of time"),
    Name("same_error", "number", "counter", "attempts in a row that failed with the same error"),
    Name("no_progress", "number", "counter", "iterations in a row that changed nothing"),
    Name("crashes", "number", "counter", "iterations in a row in which the agent crashed"),
    Name("strategy_shifts", "number", "counter", "strategy shifts given because an error repeated"),
    Name("files_changed", "number", "counter", "files that iterations changed, summed over the iterations"),
    Name("seconds", "number", "counter", "active time used, in seconds"),
    Name("tokens", "number", "counter", "tokens used, as far as the agent reports them"),
    Name("cost_usd", "number", "counter", "US dollars spent, as far as the agent reports them"),
    # the iteration before
    Name("first_iteration", "truth", "moment", "no iteration came before"),
    Name("timed_out", "truth", "moment", "it hit its time limit, or was idle for too long"),
    Name("failed_gate", "text", "moment", "the gate that rejected its claim; '' when none did"),
    Name("last_error", "text", "moment", "what that gate said, in one line"),
    Name("red_gates", "number", "moment", "`every: iteration` gates that fail on the tree as it is"),
    Name(
        "last_signal",
        "text",
        "moment",
        "its signal: ITERATION_DONE, TASK_COMPLETE, TASK_STUCK, or '' when it gave none",
        values=("ITERATION_DONE", "TASK_COMPLETE", "TASK_STUCK", ""),
    ),
    Name("last_role", "text", "moment", "the role that it wore; '' when none", is_role=True),
    # the task
    Name("task_id", "text", "standing", "the task's id"),
    Name("task_description", "text", "standing", "the task's description"),
    Name("task_type", "text", "standing", "the task's type, as the backlog has it"),
    Name("task_priority", "number", "standing", "the task's priority; 0 is the most urgent, 2 the usual"),
    Name("task_criteria", "number", "standing", "how many acceptance criteria the task has"),
)
NAMES: dict[str, Name] = {row.name: row for row in _ROWS}


__all__ = ("Condition", "ConditionError", "evaluate", "parse")

MAX_CHARS = 1000
MAX_DEPTH = 20
MAX_DIGITS = 15


class ConditionError(ValueError):
    """What is wrong, and at which column of the condition; `name` was not known, `among` are those that are."""

    def __init__(self, what: str, column: int, name: str = "", among: Collection[str] = ()) -> None:
        super().__init__(f"column {column}: {what}")
        self.what = what
        self.column = column
        self.name = name
        self.among = tuple(among)


@lru_cache(maxsize=256)
def parse(text: str, roles: frozenset[str] | None = None) -> Condition:
    """ConditionError says what is wrong and where. `roles`, when given, are the only ones that it may name."""
    if len(text) > MAX_CHARS:
        raise ConditionError(f"is longer than {MAX_CHARS} characters", MAX_CHARS + 1)
    parser = _Parser(_tokens(text), roles)
    root = parser.condition()
    if (extra := parser.next).kind != "end":
        what = f"{extra.shown} cannot stand here"
        if extra.text in OPERATORS:
            what = "only one comparison at a time; join two of them with `and`"
        raise ConditionError(what, extra.column)
    _require("truth", root, 1)
    if not parser.refs:
        raise ConditionError("it says nothing about the loop: it names none of the things that change", 1)
    return Condition(text, root, tuple(dict.fromkeys(parser.refs)))


class _Token(NamedTuple):
    kind: str  # number, word, text, mark, end
    text: str
    column: int

    @property
    def shown(self) -> str:
        return repr(self.text[1:-1][:40]) if self.kind == "text" else self.text[:40]


_TOKEN = r"""(?a)(?P<number>\d+(?:\.\d+)?)|(?P<word>[A-Za-z_]\w*)|(?P<text>'[^']*'|"[^"]*")|(?P<mark>==|!=|<=|>=|[<>()])"""
_HINTS = {
    "=": "to compare, write ==",
    "&": "write `and`",
    "|": "write `or`",
    "!": "write `not`, or != to compare",
    "'": "this quotation mark is never closed",
    '"': "this quotation mark is never closed",
    "-": "numbers have no sign here",
}
_WORDS = ("and", "or", "not", "contains", "true", "false")


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    pattern, space = re.compile(_TOKEN), re.compile(r"\s*")
    while True:
        blank = space.match(text, at)
        at = blank.end() if blank else at
        if at >= len(text):
            return [*found, _Token("end", "the end", len(text) + 1)]
        token = pattern.match(text, at)
        if not token:
            raise ConditionError(_HINTS.get(text[at], f"{text[at]!r} means nothing here"), at + 1)
        word = token.group()
        if token.lastgroup == "word" and word.lower() in _WORDS:
            word = word.lower()
        found.append(_Token(token.lastgroup or "", word, at + 1))
        at = token.end()


class _Parser:
    def __init__(self, tokens: list[_Token], roles: frozenset[str] | None) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self._roles = roles
        self.refs: list[Ref] = []

    @property
    def next(self) -> _Token:
        return self._tokens[self._at]

    def _take(self) -> _Token:
        token = self.next
        self._at += token.kind != "end"
        return token

    def _deeper(self, token: _Token) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise ConditionError(f"nested more than {MAX_DEPTH} levels deep", token.column)

    def condition(self) -> Node:
        return self._joined("or", lambda: self._joined("and", self._negated))

    def _joined(self, word: str, part: Callable[[], Node]) -> Node:
        start = self.next.column
        parts = [part()]
        while self.next[:2] == ("word", word):
            _require("truth", parts[-1], start)
            self._take()
            start = self.next.column
            parts.append(part())
            _require("truth", parts[-1], start)
        return parts[0] if len(parts) == 1 else Join(every=word == "and", parts=tuple(parts))

    def _negated(self) -> Node:
        if self.next[:2] != ("word", "not"):
            return self._comparison()
        self._deeper(self._take())
        start = self.next.column
        inner = self._negated()
        _require("truth", inner, start)
        self._depth -= 1
        return Not(inner)

    def _comparison(self) -> Node:
        start = self.next.column
        left = self._operand()
        if self.next.text not in OPERATORS or self.next.kind == "text":
            return left
        operator = self._take()
        right_at = self.next.column
        right = self._operand()
        wanted = OPERATORS[operator.text].takes or left.kind
        _require(wanted, left, start, operator.text)
        _require(wanted, right, right_at, operator.text)
        for one, other in ((left, right), (right, left)):
            if isinstance(one, Ref) and isinstance(other, Const) and operator.text in ("==", "!="):
                self._can_be(one, str(other.value), right_at if other is right else start)
        return Compare(operator.text, left, right)

    def _operand(self) -> Node:
        token = self._take()
        match token.kind:
            case "number":
                if len(token.text) > MAX_DIGITS:
                    raise ConditionError(f"a number has at most {MAX_DIGITS} digits", token.column)
                return Const(float(token.text) if "." in token.text else int(token.text), "number")
            case "text":
                return Const(token.text[1:-1], "text")
            case "word" if token.text in ("true", "false"):
                return Const(token.text == "true", "truth")
            case "word" if token.text not in _WORDS:
                return self._named(token)
            case "mark" if token.text == "(":
                self._deeper(token)
                inner = self.condition()
                self._close()
                self._depth -= 1
                return inner
        raise ConditionError(f"a name or a value is missing before {token.shown}", token.column)

    def _close(self) -> None:
        if self.next.text != ")" or self.next.kind != "mark":
            raise ConditionError(f"a ) is missing before {self.next.shown}", self.next.column)
        self._take()

    def _named(self, token: _Token) -> Ref:
        name = NAMES.get(token.text)
        if name is None:
            raise ConditionError(f"unknown name {token.shown!r}", token.column, token.text, NAMES)
        ref = Ref(name.name, name.kind, self._argument(name, token))
        self.refs.append(ref)
        return ref

    def _argument(self, name: Name, token: _Token) -> str:
        opened = self.next[:2] == ("mark", "(")
        if not name.takes_role:
            if opened:
                raise ConditionError(f"{name.name} takes nothing in parentheses", self.next.column)
            return ""
        usage = f"{name.name} needs a role, as in {name.name}('reviewer')"
        if not opened:
            raise ConditionError(usage, token.column)
        self._take()
        role = self._take()
        if role.kind != "text" or role.text[1:-1] == "":
            raise ConditionError(usage, role.column)
        self._is_role(role.text[1:-1], role.column)
        self._close()
        return role.text[1:-1]

    def _can_be(self, ref: Ref, text: str, column: int) -> None:
        name = NAMES[ref.name]
        if name.is_role and text:
            self._is_role(text, column)
        if name.values and text not in name.values:
            raise ConditionError(
                f"{name.name} is never {text[:40]!r}", column, text, [v for v in name.values if v]
            )

    def _is_role(self, role: str, column: int) -> None:
        if self._roles is not None and role not in self._roles:
            raise ConditionError(f"there is no role {role[:40]!r}", column, role, sorted(self._roles))


_SAYS: dict[Kind, str] = {"number": "a number", "text": "a text", "truth": "true or false"}


def _require(kind: Kind, node: Node, column: int, operator: str = "") -> None:
    if node.kind == kind:
        return
    shown = (
        node.key if isinstance(node, Ref) else repr(node.value)[:40] if isinstance(node, Const) else "this"
    )
    if operator:
        raise ConditionError(
            f"`{operator}` needs {_SAYS[kind]} on this side, and {shown} is {_SAYS[node.kind]}", column
        )
    example = {"number": ">= 1", "text": "contains 'word'"}[node.kind]
    raise ConditionError(f"{shown} is {_SAYS[node.kind]}; compare it, as in `{shown} {example}`", column)
