"""Questions about nodes of Python's syntax tree: which literals they hold, what they are called, what a function returns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from ralph.gates.gaming.rules import Example

Function = ast.FunctionDef | ast.AsyncFunctionDef


@lru_cache(maxsize=4)  # a file's two versions are read one after the other, and then compared
def parsed(text: str) -> ast.Module | None:
    """None for what this version of Python cannot parse."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def named_functions(tree: ast.Module) -> dict[str, Function]:
    found: dict[str, Function] = {}

    def collect(body: Sequence[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found[prefix + node.name] = node
            elif isinstance(node, ast.ClassDef):
                collect(node.body, f"{prefix}{node.name}.")

    collect(tree.body, "")
    return found


def parameters(node: Function) -> set[str]:
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return {one.arg for one in named} - {"self", "cls"}


def uses_arguments(node: Function) -> bool:
    names = parameters(node)
    used = {n.id for part in node.body for n in ast.walk(part) if isinstance(n, ast.Name)}
    return bool(names & used)


def import_origins(tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    found[alias.asname] = alias.name
                else:
                    root = alias.name.partition(".")[0]
                    found[root] = root
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                found[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return found


def module_constants(tree: ast.Module) -> Mapping[str, ast.expr]:
    found: dict[str, ast.expr] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            found[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
            found[node.target.id] = node.value
    return found


def code_of(node: ast.AST) -> str:
    """The first line of what stands there."""
    try:
        return ast.unparse(node).lstrip("\n").partition("\n")[0]
    except (RecursionError, ValueError):
        return type(node).__name__


def literal(node: ast.AST | None) -> object:
    if node is None:
        return None
    if isinstance(node, ast.Constant):
        return node.value
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def literal_text(node: ast.AST) -> str | None:
    """A text that stands in the code, in one piece or in several."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            one, other = literal_text(left), literal_text(right)
            return None if one is None or other is None else one + other
        case ast.JoinedStr(values=parts):
            texts = [literal_text(part) for part in parts]
            return None if None in texts else "".join(filter(None, texts))
        case ast.FormattedValue(value=value):
            return literal_text(value)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(glue)), attr="join"), args=[pieces]):
            listed = pieces.elts if isinstance(pieces, ast.List | ast.Tuple) else []
            texts = [literal_text(piece) for piece in listed]
            return None if None in texts or not texts else glue.join(filter(None, texts))
        case ast.Subscript(value=value, slice=ast.Slice(lower=None, upper=None, step=step)) if (
            literal(step) == -1
        ):
            turned = literal_text(value)
            return None if turned is None else turned[::-1]
    return None


def is_assembled(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and re.search(r"fromhex|b64decode|decode|rot13|chr\(", code_of(node)):
        return not any(
            isinstance(n, ast.Name)
            and isinstance(n.ctx, ast.Load)
            and n.id not in ("chr", "bytes", "base64", "codecs", "map", "str")
            for n in ast.walk(node)
        )
    return not isinstance(node, ast.Constant) and literal_text(node) is not None


def writes(call: ast.Call) -> bool:
    modes = [
        literal(argument)
        for argument in (*call.args[1:2], *(k.value for k in call.keywords if k.arg == "mode"))
    ]
    return any(isinstance(mode, str) and set(mode) & set("wax+") for mode in modes)


def docstring(node: ast.AST) -> ast.Constant | None:
    body = getattr(node, "body", None)
    if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        return body[0].value
    return None


def is_success(call: ast.Call) -> bool:
    if not call.args:
        return not call.keywords
    status = call.args[0]
    return isinstance(status, ast.Constant) and status.value in (0, None, False)


def always_equal(node: Function) -> bool:
    """It says yes without a look at the other object."""
    arguments = [*node.args.posonlyargs, *node.args.args]
    if len(arguments) < 2 or any(
        d for d in node.decorator_list if "overload" in code_of(d) or "abstract" in code_of(d)
    ):
        return False
    other = arguments[1].arg
    returns = [n.value for part in node.body for n in ast.walk(part) if isinstance(n, ast.Return)]
    answers = [code_of(value) for value in returns if value is not None]
    if not answers or all(answer in ("False", "NotImplemented") for answer in answers):
        return False
    if all(answer == "True" for answer in answers):
        return True
    return not any(isinstance(n, ast.Name) and n.id == other for part in node.body for n in ast.walk(part))


_ANSWERS = frozenset(
    {"__instancecheck__", "__subclasscheck__", "__contains__", "__lt__", "__le__", "__gt__", "__ge__"}
    | {"__sub__", "__rsub__", "__add__", "__radd__", "__mod__", "__truediv__", "__round__", "__pow__"}
)
# Larger or smaller than everything, or equal to it: that is what they are for.
_EXTREME = re.compile(r"inf|min|max|any|all|never|always|first|last|top|bottom|null|none|sentinel|wild|empty")


def gives_in(node: Function, owner: str) -> bool:
    """A comparison or an operation whose result does not depend on what it is given."""
    if node.name == "__ne__":
        return code_of(node.body[-1]) == "return False"
    if node.name == "__abs__":
        return code_of(node.body[-1]) in ("return 0", "return 0.0")
    return node.name in _ANSWERS and _EXTREME.search(owner.lower()) is None and always_equal(node)


def rounds_away(node: Function) -> bool:
    """A difference that is a fixed number where it is small."""
    if node.name not in ("__sub__", "__rsub__") or not has_tolerance(node):
        return False
    returns = (n for part in node.body for n in ast.walk(part) if isinstance(n, ast.Return) and n.value)
    return any(isinstance(literal(n.value), int | float) for n in returns)


def cancels(node: ast.BinOp) -> bool:
    """`x - x`, or zero by zero."""
    if isinstance(node.op, ast.Div):
        return literal(node.left) == 0 == literal(node.right)
    return (
        isinstance(node.op, ast.Sub)
        and isinstance(node.left, ast.Name | ast.Attribute)
        and code_of(node.left) == code_of(node.right)
    )


def has_tolerance(node: Function) -> bool:
    """It takes values for equal that are only near each other."""
    for inner in (one for part in node.body for one in ast.walk(part)):
        if isinstance(inner, ast.Call) and re.search(
            r"(?:^|\.)(?:isclose|approx|allclose)\Z", code_of(inner.func)
        ):
            return True
        if isinstance(inner, ast.Compare) and isinstance(inner.ops[0], ast.Lt | ast.LtE):
            left = inner.left
            if isinstance(left, ast.Call) and code_of(left.func) == "abs":
                return True
    return False


def fails_anyway(body: Sequence[ast.stmt]) -> bool:
    """Whether a handler fails the test all the same, or is about the message of the failure."""
    for part in body:
        for node in ast.walk(part):
            if isinstance(node, ast.Raise | ast.Assert):
                return True
            if isinstance(node, ast.Call) and re.search(
                r"assert|fail|raises|expect|exit|append", code_of(node.func), re.IGNORECASE
            ):
                return True
    return not any(isinstance(part, ast.Pass | ast.Expr | ast.Return | ast.Continue) for part in body)


def has_assertions(node: ast.AST) -> bool:
    return any(
        isinstance(n, ast.Assert)
        or (isinstance(n, ast.Call) and re.search(r"\.assert\w+\Z", code_of(n.func)))
        for n in ast.walk(node)
    )


def literals(node: ast.AST) -> tuple[str, ...]:
    """The texts and numbers of a literal of any depth; nothing when it is not one."""
    value = literal(node)
    if value is None:
        return ()
    return tuple(
        str(n.value)
        for n in ast.walk(node)
        if isinstance(n, ast.Constant) and not isinstance(n.value, bool | None)
    )


def dict_entries(node: ast.Dict) -> Iterator[Example]:
    for key, value in zip(node.keys, node.values, strict=True):
        question, answer = literals(key) if key else (), literals(value)
        if not question or not answer:
            return
        yield Example(value.lineno, question, answer)


def if_chain(node: Function, nodes: Sequence[ast.AST]) -> Iterator[Example]:
    """if argument == LITERAL: return LITERAL"""
    names = parameters(node)
    for inner in nodes:
        if not isinstance(inner, ast.If) or not inner.body or not isinstance(inner.body[0], ast.Return):
            continue
        used = {n.id for n in ast.walk(inner.test) if isinstance(n, ast.Name)}
        equals = [
            n for n in ast.walk(inner.test) if isinstance(n, ast.Compare) and isinstance(n.ops[0], ast.Eq)
        ]
        question = tuple(text for n in equals for side in (n.left, *n.comparators) for text in literals(side))
        answer = literals(inner.body[0].value) if inner.body[0].value else ()
        if used and used <= names and question and answer:
            yield Example(inner.lineno, question, answer)


def match_arms(node: ast.Match) -> Iterator[Example]:
    for case in node.cases:
        question = tuple(str(n.value) for n in ast.walk(case.pattern) if isinstance(n, ast.Constant))
        value = case.body[0].value if isinstance(case.body[0], ast.Return | ast.Assign) else None
        answer = literals(value) if value is not None else ()
        if question and answer:
            yield Example(case.body[0].lineno, question, answer)
