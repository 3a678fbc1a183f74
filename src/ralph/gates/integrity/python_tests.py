"""The tests of Python files, read from their syntax trees: what pytest and unittest would collect, and what it asserts.

An assertion counts only where it is reached and where its failure is not swallowed.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence

from ralph.gates.integrity.test_cases import (
    MOST_CHECKS,
    NO_TESTS,
    Case,
    Helper,
    Tests,
    shape_of,
    squeezed,
    words_of,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef
SKIPS = frozenset(
    {
        "skip",
        "skipif",
        "skipIf",
        "skipUnless",
        "xfail",
        "expectedFailure",
        "skipTest",
        "SkipTest",
        "importorskip",
    }
)
# Calls that check something, by their last name.
_CHECKS = re.compile(
    r"assert|expect|verify|ensure|should|check(?!_output$|_call$)|(?:raises|warns|fail|deprecated_call)$"
)
_PLAIN = frozenset(
    {
        "assertTrue",
        "assertFalse",
        "assertEqual",
        "assertEquals",
        "assertIs",
        "assertIsNone",
        "assertIsNotNone",
    }
    | {"assertGreaterEqual", "assertLessEqual", "assert_", "assert_equal", "assert_true"}
)
_SWALLOWS = frozenset({"AssertionError", "Exception", "BaseException"})


def read_python(files: Mapping[str, str]) -> dict[str, Tests]:
    """Without the files that are no Python of this version; someone else may read those line by line."""
    trees = {path: tree for path, text in files.items() if (tree := _parsed(text)) is not None}
    helpers: dict[str, Helper] = {}
    try:
        own = {path: _helpers_in(tree, helpers) for path, tree in trees.items()}
    except RecursionError:
        own = {}
    found = {}
    for path, tree in trees.items():
        try:
            here = {helper.name: helper for helper in own.get(path, ())}  # win over others of their names
            found[path] = Tests(_Reader(path, tree, {**helpers, **here}).cases(), tuple(here.values()))
        except RecursionError:
            found[path] = NO_TESTS
    return found


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the file's style
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _helpers_in(tree: ast.Module, known: dict[str, Helper]) -> tuple[Helper, ...]:
    """The tree's helpers, which join the known ones. Two rounds: helpers call helpers."""
    functions = [node for node in ast.walk(tree) if isinstance(node, Function) and not _is_test(node.name)]
    found: dict[str, Helper] = {}
    for _ in range(2):
        for node in functions:
            if checks := len(_Checks(known, node.name).of(node.body)[0]):
                helper = Helper(node.name, node.lineno, min(checks, MOST_CHECKS))
                found[node.name] = known[node.name] = helper
    return tuple(found.values())


def _is_test(name: str) -> bool:
    return name.startswith("test")


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _last_name(node.func)
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


class _Reader:
    def __init__(self, path: str, tree: ast.Module, helpers: Mapping[str, Helper]) -> None:
        self._path = path
        self._tree = tree
        self._helpers = helpers
        self._cases: dict[str, Case] = {}  # a later definition of the same name replaces the earlier
        self._lists = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def cases(self) -> tuple[Case, ...]:
        self._block(self._tree.body, "", _block_skip(self._tree.body), collected=True)
        return tuple(self._cases.values())

    def _block(self, body: Sequence[ast.stmt], inside: str, skip: str, *, collected: bool) -> None:
        for node in _defined(body):
            if isinstance(node, ast.ClassDef):
                here = f"{inside}{node.name}."
                why = skip or _decorated_skip(node.decorator_list) or _block_skip(node.body)
                # pytest takes classes by name, unittest by what they derive from.
                self._block(node.body, here, why, collected=node.name.startswith("Test") or bool(node.bases))
            elif collected and _is_test(node.name):
                self._case(node, inside, skip)

    def _case(self, node: Function, inside: str, skip: str) -> None:
        body = _without_docstring(node.body)
        assertions, trivial = _Checks(self._helpers, node.name).of(body)
        text = "\n".join(ast.unparse(statement) for statement in body)
        names = tuple(arg.arg for arg in node.args.args if arg.arg not in ("self", "cls"))
        self._cases[inside + node.name] = Case(
            path=self._path,
            name=inside + node.name,
            line=node.lineno,
            assertions=tuple(assertions),
            trivial=trivial,
            skip=skip or _decorated_skip(node.decorator_list) or _called_skip(body),
            rows=self._rows(node.decorator_list),
            words=words_of(text),
            shape=shape_of(text, names),
        )

    def _rows(self, decorators: Sequence[ast.expr]) -> int:
        rows = 1
        found = False
        for decorator in decorators:
            if not isinstance(decorator, ast.Call) or _last_name(decorator) != "parametrize":
                continue
            values = decorator.args[1] if len(decorator.args) > 1 else _keyword(decorator, "argvalues")
            if isinstance(values, ast.Name):
                values = self._lists.get(values.id)
            if not isinstance(values, ast.List | ast.Tuple | ast.Set) or _has_stars(values.elts):
                return 0
            rows *= sum(1 for value in values.elts if not _marked(value))
            found = True
        return rows if found else 0


def _defined(body: Sequence[ast.stmt]) -> Iterator[Function | ast.ClassDef]:
    """Functions and classes of a block, also under conditions that can hold."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node
            case ast.If():
                yield from _defined([] if _is_false(node.test) else node.body)
                yield from _defined(node.orelse)
            case ast.Try():
                yield from _defined([*node.body, *node.orelse, *node.finalbody])
            case ast.With():
                yield from _defined(node.body)


def _decorated_skip(decorators: Sequence[ast.expr]) -> str:
    return next((ast.unparse(d) for d in decorators if _last_name(d) in SKIPS), "")


def _block_skip(body: Sequence[ast.stmt]) -> str:
    """What keeps a whole module or class from running."""
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name == "__test__" and _is_false(node.value):
                return "__test__ = False"
            if name == "pytestmark" and (marks := [n for n in ast.walk(node.value) if _is_skip(n)]):
                return ast.unparse(marks[0])
    return _called_skip(body)


def _called_skip(body: Sequence[ast.stmt]) -> str:
    """A skip in the block's own statements, or under a condition in them."""
    for node in body:
        match node:
            case ast.Expr(value=ast.Call() as call) | ast.Assign(value=ast.Call() as call) if _is_skip(call):
                return ast.unparse(call)
            case ast.Raise(exc=ast.expr() as raised) if _last_name(raised) in SKIPS:
                return ast.unparse(node)
            case ast.If() if not _is_false(node.test):
                if found := _called_skip([*node.body, *node.orelse]):
                    return found
            case ast.Try():
                handled = [statement for handler in node.handlers for statement in handler.body]
                if found := _called_skip([*node.body, *handled]):
                    return found
    return ""


def _is_skip(node: ast.AST) -> bool:
    return isinstance(node, ast.Call | ast.Attribute | ast.Name) and _last_name(node) in SKIPS


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value


def _marked(value: ast.expr) -> bool:
    """pytest.param(..., marks=pytest.mark.xfail)"""
    marks = _keyword(value, "marks") if isinstance(value, ast.Call) else None
    return marks is not None and any(_is_skip(node) for node in ast.walk(marks))


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((keyword.value for keyword in call.keywords if keyword.arg == name), None)


def _has_stars(values: Sequence[ast.expr]) -> bool:
    return any(isinstance(value, ast.Starred) for value in values)


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0]
    is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return body[1:] if is_text and isinstance(first.value.value, str) else body  # type: ignore[attr-defined]


class _Checks(ast.NodeVisitor):
    """Collects what a function asserts, and counts what only looks like it."""

    def __init__(self, helpers: Mapping[str, Helper], inside: str) -> None:
        self._helpers = helpers
        self._inside = inside  # a helper that calls itself
        self._found: list[str] = []
        self._trivial = 0
        self._named: set[str] = set()  # checks that the test gave a name, to be used in `with`

    def of(self, body: Sequence[ast.stmt]) -> tuple[list[str], int]:
        for statement in body:
            if isinstance(statement, ast.Return | ast.Raise):
                self.visit(statement)
                break  # what follows is never reached
            self.visit(statement)
        return self._found, self._trivial

    def visit_Assert(self, node: ast.Assert) -> None:
        if _always_true(node.test):
            self._trivial += 1
        else:
            self._found.append(squeezed(ast.unparse(node.test)))

    def visit_Call(self, node: ast.Call) -> None:
        name = _last_name(node.func)
        if name in self._helpers and name != self._inside:
            self._found += self._helpers[name].texts()
        elif _CHECKS.match(name):
            if name in _PLAIN and _same_or_fixed(node.args):
                self._trivial += 1
            else:
                self._found.append(squeezed(ast.unparse(node)))
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.value, ast.Call) and _CHECKS.match(_last_name(node.value)):
            self._named |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        self.generic_visit(node)

    def visit_With(self, node: ast.With) -> None:
        contexts = [item.context_expr for item in node.items]
        self._found += [one.id for one in contexts if isinstance(one, ast.Name) and one.id in self._named]
        self.generic_visit(node)

    def visit_If(self, node: ast.If) -> None:
        for statement in ([] if _is_false(node.test) else node.body) + node.orelse:
            self.visit(statement)

    def visit_Try(self, node: ast.Try) -> None:
        swallowed = any(_swallows(handler) for handler in node.handlers)
        for part in (
            [] if swallowed else node.body,
            *(h.body for h in node.handlers),
            node.orelse,
            node.finalbody,
        ):
            for statement in part:
                self.visit(statement)


def _swallows(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    catches = any(kind is None or _last_name(kind) in _SWALLOWS for kind in kinds)
    speaks = any(isinstance(n, ast.Raise | ast.Assert | ast.Call) for s in handler.body for n in ast.walk(s))
    return catches and not speaks


def _always_true(node: ast.expr) -> bool:
    match node:
        case ast.Constant():
            return bool(node.value)
        case ast.Tuple():
            return bool(node.elts)  # `assert (x == 1, "why")`
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _is_false(operand)
        case ast.BoolOp(op=ast.Or()):
            return any(_always_true(value) for value in node.values)
        case ast.Compare(left=left, ops=[ast.Eq() | ast.Is() | ast.LtE() | ast.GtE()], comparators=[right]):
            return _same_or_fixed([left, right])
    return False


def _same_or_fixed(arguments: Sequence[ast.expr]) -> bool:
    """Nothing of what is tested is in it: only constants, or the same name twice."""
    if not arguments:
        return False
    if all(isinstance(argument, ast.Constant) for argument in arguments):
        return True
    plain = all(isinstance(argument, ast.Name | ast.Constant) for argument in arguments[:2])
    return plain and len(arguments) > 1 and ast.dump(arguments[0]) == ast.dump(arguments[1])
