"""When a hat is worn, as a person writes it (in roles.yaml, or as `when`): `branch_commits >= 5 and not last_iteration_failed`.

parse checks names and types, so that evaluate (terms.py) cannot fail. Nothing is ever executed.

    condition  = and-part {"or" and-part}          and-part = not-part {"and" not-part}
    not-part   = "not" not-part | comparison       comparison = value [operator value]
    value      = number | 'text' | true | false | name | name('role') | "(" condition ")"
    operator   = == != < <= > >= contains
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import NamedTuple

from ralph.core.terms import OPERATORS, Compare, Condition, Const, Join, Node, Not, Ref, evaluate
from ralph.core.vocabulary import NAMES, Kind, Name

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


_TOKEN = re.compile(
    r"""(?P<number>\d+(?:\.\d+)?)|(?P<word>[A-Za-z_]\w*)|(?P<text>'[^']*'|"[^"]*")|(?P<mark>==|!=|<=|>=|[<>()])""",
    re.ASCII,
)
_SPACE = re.compile(r"\s*")
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
    while True:
        blank = _SPACE.match(text, at)
        at = blank.end() if blank else at
        if at >= len(text):
            return [*found, _Token("end", "the end", len(text) + 1)]
        token = _TOKEN.match(text, at)
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
