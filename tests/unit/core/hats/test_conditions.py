"""Conditions: a small language that is checked when it is read and then cannot fail."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph.core.hats.conditions import (
    MAX_CHARS,
    NAMES,
    NOTHING,
    OPERATORS,
    Compare,
    Condition,
    ConditionError,
    Const,
    Join,
    Node,
    Not,
    Ref,
    Value,
    evaluate,
    parse,
)

ROLES = frozenset(("reviewer", "documenter"))


def holds(text: str, **values: Value) -> bool:
    return evaluate(parse(text), values)


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("branch_commits >= 5", {"branch_commits": 5}, True),
        ("branch_commits >= 5", {"branch_commits": 4}, False),
        ("branch_commits > 5", {"branch_commits": 5}, False),
        ("branch_commits != 5", {"branch_commits": 5}, False),
        ("5 <= branch_commits", {"branch_commits": 7}, True),
        ("cost_usd < 2.5", {"cost_usd": 2.49}, True),
        ("task_title contains 'refactor'", {"task_title": "Refactor the parser"}, True),
        ('task_title contains "it\'s"', {"task_title": "It's broken"}, True),
        ("task_title == 'refactor'", {"task_title": "Refactor"}, False),
        ("last_iteration_failed", {"last_iteration_failed": True}, True),
        ("last_iteration_failed == false", {"last_iteration_failed": False}, True),
        ("not last_iteration_failed", {"last_iteration_failed": True}, False),
        ("not attempts > 1 and crashes == 0", {"attempts": 1, "crashes": 0}, True),
        ("attempts > 1 or crashes > 1 and tokens > 9", {"attempts": 2}, True),
        ("(attempts > 1 or crashes > 1) and tokens > 9", {"attempts": 2}, False),
        (
            "attempts > 1 AND NOT first_iteration",
            {"attempts": 2},
            True,
        ),
        ("no_progress>=2\n  or\tcrashes>=1", {"crashes": 1}, True),
        ("iterations_since_role('reviewer') >= 3", {"iterations_since_role('reviewer')": 3}, True),
        ("attempts >= crashes", {"attempts": 1, "crashes": 2}, False),
    ],
)
def test_a_condition_holds_or_not(text: str, values: dict[str, Value], expected: bool) -> None:
    assert evaluate(parse(text, ROLES), values) is expected


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("", 1, "a name or a value is missing"),
        ("branch_commit >= 5", 1, "unknown name 'branch_commit'"),
        ("attempts > 1 and brunch > 2", 18, "unknown name 'brunch'"),
        ("branch_commits", 1, "is a number; compare it, as in `branch_commits >= 1`"),
        ("not task_title", 5, "is a text; compare it"),
        ("first_iteration and attempts", 21, "attempts is a number"),
        ("task_title >= 5", 1, "`>=` needs a number on this side, and task_title is a text"),
        ("task_title == 5", 15, "`==` needs a text on this side, and 5 is a number"),
        ("attempts contains 'x'", 1, "`contains` needs a text"),
        ("task_title contains 5", 21, "`contains` needs a text"),
        ("(attempts > 1) > 1", 1, "`>` needs a number on this side, and this is true or false"),
        ("1 < attempts < 3", 14, "only one comparison at a time"),
        ("attempts = 3", 10, "write =="),
        ("first_iteration && first_iteration", 17, "write `and`"),
        ("first_iteration | first_iteration", 17, "write `or`"),
        ("!first_iteration", 1, "write `not`"),
        ("attempts > -1", 12, "numbers have no sign"),
        ("attempts > 1; import os", 13, "';' means nothing here"),
        ("task_title contains 'x", 21, "never closed"),
        ("(attempts > 1", 14, "a ) is missing before the end"),
        ("attempts > 1)", 13, ") cannot stand here"),
        ("attempts >", 11, "a name or a value is missing before the end"),
        ("attempts > 1 or and", 17, "missing before and"),
        ("attempts > 1 first_iteration", 14, "first_iteration cannot stand here"),
        ("attempts > 1 '\x1b[31m'", 14, "'\\x1b[31m' cannot stand here"),
        ("attempts > 1234567890123456", 12, "at most 15 digits"),
        ("iterations_since_role >= 3", 1, "iterations_since_role('reviewer')"),
        ("iterations_since_role(reviewer) >= 3", 23, "needs a role"),
        ("iterations_since_role('') >= 3", 23, "needs a role"),
        ("iterations_since_role('revewer') >= 3", 23, "there is no role 'revewer'"),
        ("last_role == 'revewer'", 14, "there is no role 'revewer'"),
        ("attempts('x') >= 3", 9, "takes nothing in parentheses"),
        ("last_signal == 'DONE'", 16, "last_signal is never 'DONE'"),
        ("true", 1, "says nothing about the loop"),
        ("1 < 2 or 'a' == 'b'", 1, "says nothing about the loop"),
        ("(" * 40, 21, "nested more than 20"),
        ("not " * 40 + "first_iteration", 81, "nested more than 20"),
        ("attempts > 1 " + " " * MAX_CHARS, MAX_CHARS + 1, "longer than"),
    ],
)
def test_what_is_wrong_is_told_with_its_column(text: str, column: int, words: str) -> None:
    with pytest.raises(ConditionError) as caught:
        parse(text, ROLES)
    assert words in caught.value.what
    assert caught.value.column == column
    assert str(caught.value).startswith(f"column {column}: ")


@pytest.mark.parametrize(
    ("text", "name", "among"),
    [
        ("branch_commit >= 5", "branch_commit", "branch_commits"),
        ("iterations_since_role('revewer') >= 3", "revewer", "reviewer"),
        ("last_signal != 'TASK_COMPLETED'", "TASK_COMPLETED", "TASK_COMPLETE"),
    ],
)
def test_an_unknown_name_comes_with_the_valid_ones(text: str, name: str, among: str) -> None:
    with pytest.raises(ConditionError) as caught:
        parse(text, ROLES)
    assert caught.value.name == name
    assert among in caught.value.among


def test_without_a_list_of_roles_any_role_may_be_named() -> None:
    assert parse("iterations_since_role('anyone') >= 3").refs[0].key == "iterations_since_role('anyone')"


def test_missing_values_and_values_of_another_type_count_as_nothing() -> None:
    assert not holds("attempts >= 1")
    assert not holds("attempts >= 1", attempts="many")
    assert not holds("attempts >= 1", attempts=True)
    assert holds("task_title == ''", task_title=5)
    assert holds("not last_iteration_failed", last_iteration_failed=1)


# -- any condition ---------------------------------------------------------------------------------

TEXTS = st.text(st.characters(blacklist_characters="'\"", blacklist_categories=("Cs",)), max_size=6)
FREE = [name for name in NAMES.values() if not (name.takes_role or name.values or name.is_role)]


def _refs(kind: str) -> st.SearchStrategy[Node]:
    return st.sampled_from([Ref(name.name, name.kind) for name in FREE if name.kind == kind])


NUMBERS = (
    _refs("number")
    | st.integers(0, 10**9).map(lambda n: Const(n, "number"))
    | st.sampled_from((0.5, 2.25)).map(lambda n: Const(n, "number"))
    | st.sampled_from(sorted(ROLES)).map(lambda role: Ref("iterations_since_role", "number", role))
)
WORDS = _refs("text") | TEXTS.map(lambda text: Const(text, "text"))
TRUTHS = _refs("truth") | st.booleans().map(lambda value: Const(value, "truth"))
LEAVES = (
    TRUTHS
    | st.builds(Compare, st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), NUMBERS, NUMBERS)
    | st.builds(Compare, st.sampled_from(["==", "!=", "contains"]), WORDS, WORDS)
    | st.builds(Compare, st.sampled_from(["==", "!="]), TRUTHS, TRUTHS)
)
NODES = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds(Not, inner)
        | st.builds(Join, st.booleans(), st.lists(inner, min_size=2, max_size=3).map(tuple))
    ),
    max_leaves=6,
)
VALUES = st.integers(-3, 12) | st.floats() | TEXTS | st.booleans()
WORLDS = st.dictionaries(
    st.sampled_from([*(name.name for name in FREE), "iterations_since_role('reviewer')"]), VALUES
)


def written(node: Node) -> str:
    match node:
        case Const(kind="truth"):
            return str(node.value).lower()
        case Const(kind="text"):
            return f"'{node.value}'"
        case Const():
            return str(node.value)
        case Ref():
            return node.key
        case Compare():
            return f"{written(node.left)} {node.operator} {written(node.right)}"
        case Not():
            return f"not ({written(node.of)})"
        case Join():
            return (" and " if node.every else " or ").join(f"({written(part)})" for part in node.parts)


def reads(node: Node) -> bool:
    match node:
        case Const():
            return False
        case Ref():
            return True
        case Compare():
            return reads(node.left) or reads(node.right)
        case Not():
            return reads(node.of)
        case Join():
            return any(reads(part) for part in node.parts)


def told(node: Node, values: dict[str, Value]) -> bool | Value:
    """What it means, said a second time and in another way: as Python."""
    known = {key: value for key, value in values.items() if _fits(key, value)}

    def python(node: Node) -> str:
        match node:
            case Ref():
                return f"(known.get({node.key!r}, {NOTHING[node.kind]!r}))"
            case Const():
                return f"({node.value!r})"
            case Compare(operator="contains"):
                return f"({python(node.right)}.casefold() in {python(node.left)}.casefold())"
            case Compare():
                return f"({python(node.left)} {node.operator} {python(node.right)})"
            case Not():
                return f"(not {python(node.of)})"
            case Join():
                return "(" + (" and " if node.every else " or ").join(map(python, node.parts)) + ")"

    return bool(eval(python(node), {"known": known}))


def _fits(key: str, value: Value) -> bool:
    kind = NAMES[key.partition("(")[0]].kind
    return {
        "number": type(value) in (int, float),
        "text": type(value) is str,
        "truth": type(value) is bool,
    }[kind]


@settings(max_examples=150, deadline=None)
@given(NODES.filter(reads), WORLDS)
def test_what_is_written_is_read_back_and_means_the_same_as_in_python(
    node: Node, values: dict[str, Value]
) -> None:
    condition = parse(written(node), ROLES)
    assert condition.root == node
    assert evaluate(condition, values) is told(node, values)


@settings(max_examples=250, deadline=None)
@given(
    st.text(max_size=40)
    | st.lists(
        st.sampled_from(
            [
                *OPERATORS,
                *NAMES,
                "(",
                ")",
                "and",
                "or",
                "not",
                "true",
                "'x'",
                "5",
                "0.5",
                "'reviewer'",
                "=",
                "-",
            ]
        ),
        max_size=12,
    ).map(" ".join),
    WORLDS,
)
def test_any_text_is_a_condition_or_an_error_with_a_column(text: str, values: dict[str, Value]) -> None:
    try:
        condition = parse(text, ROLES)
    except ConditionError as error:
        assert 1 <= error.column <= len(text) + 1
        assert error.what
        return
    assert isinstance(condition, Condition)
    assert evaluate(condition, values) in (True, False)
