"""What only both versions of a Python file together show."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator

from ralph.gates.gaming.code_comparison import PAUSES, lock_skipped, messages_demoted
from ralph.gates.gaming.python_syntax import (
    Function,
    code_of,
    literals,
    named_functions,
    parameters,
    parsed,
    uses_arguments,
)
from ralph.gates.gaming.rules import Hit, TestsSeen


def compared_python(old: str, new: str, tests: TestsSeen) -> Iterator[Hit]:
    """A function that gave up its arguments or ignores one, or code that hides errors which it did not hide."""
    trees = parsed(old), parsed(new)
    if trees[0] is None or trees[1] is None:
        return
    before, after = named_functions(trees[0]), named_functions(trees[1])
    hidden = set[int]()
    for name, now in after.items():
        then = before.get(name)
        changed = then is None or ast.dump(then) != ast.dump(now)
        if (
            then
            and uses_arguments(then)
            and not uses_arguments(now)
            and _only_returns_literals(now, tests.expect)
        ):
            yield Hit(now.lineno, "expected-literal", f"def {name}: {code_of(now.body[-1])}")
        elif changed and tests.call(now.name) and (ignored := _ignored(name, now)):
            yield Hit(now.lineno, "ignored-argument", f"def {name}: {', '.join(ignored)}")
        if changed and tests.call(now.name) and _only_sleeps(now):
            yield Hit(now.lineno, "fixed-wait", f"def {name}: {code_of(now.body[-1])}")
        if then is None:
            continue
        if _hides_everything(now) and not any(isinstance(n, ast.Try) for n in ast.walk(then)):
            yield Hit(now.lineno, "catch-all", f"def {name}")
            hidden.update(range(now.lineno, (now.end_lineno or now.lineno) + 1))
    yield from (hit for hit in _dropped_errors(trees[0], trees[1]) if hit.line not in hidden)
    yield from _muted_warnings(trees[0], trees[1])
    yield from messages_demoted(old, new, tests)
    yield from lock_skipped(old, new)
    known = {hit.key for hit in (*_shown_to_checkers(trees[0]), *_unread_options(trees[0]))}
    yield from (
        hit for hit in (*_shown_to_checkers(trees[1]), *_unread_options(trees[1])) if hit.key not in known
    )


def _only_sleeps(node: Function) -> bool:
    """Whether all that it does is to wait for a time that stands in the code."""
    parts = [part for part in node.body if not isinstance(getattr(part, "value", None), ast.Constant)]
    if PAUSES.search(node.name) or len(parts) != 1 or not isinstance(parts[0], ast.Expr):
        return False
    done = parts[0].value.value if isinstance(parts[0].value, ast.Await) else parts[0].value
    if not isinstance(done, ast.Call) or not re.fullmatch(r"(?:\w+\.)?sleep", code_of(done.func)):
        return False
    named = [one for argument in done.args for one in ast.walk(argument) if isinstance(one, ast.Name)]
    return all(one.id.isupper() for one in named)


def _muted_warnings(old: ast.Module, new: ast.Module) -> Iterator[Hit]:
    """Statements that stood there as they are, and whose warnings that they are to be replaced are now ignored."""
    muted = {_text(part) for body, _ in _muting(old) for part in body}
    open_ = {_text(part) for part in ast.walk(old) if isinstance(part, ast.stmt)} - muted
    for body, node in _muting(new):
        if body and all(_text(part) in open_ for part in body):
            yield Hit(node.lineno, "warnings-muted", code_of(body[0]))


_MUTES = re.compile(r"(?:warnings\.)?(?:simplefilter|filterwarnings)\((?:action=)?'ignore'(?P<which>.*)\)\Z")
_OF_OLD_CODE = re.compile(r"Deprecat|FutureWarning|(?<!\w)Warning\b")


def _muting(tree: ast.Module) -> Iterator[tuple[list[ast.stmt], ast.stmt]]:
    """`with catch_warnings()` that ignores all of them or those about what is deprecated, and what else it does."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.With) or "catch_warnings" not in code_of(node.items[0].context_expr):
            continue
        said = [_MUTES.match(code_of(part)) for part in node.body]
        which = [match["which"] for match in said if match]
        if "'ignore'" in (head := code_of(node.items[0].context_expr)):
            which.append(head.partition("'ignore'")[2])
        if any("Warning" not in one or _OF_OLD_CODE.search(one) for one in which):
            yield [part for part, match in zip(node.body, said, strict=True) if match is None], node


def _shown_to_checkers(tree: ast.Module) -> Iterator[Hit]:
    """What TYPE_CHECKING declares, and what runs is a function or class of another shape."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.If):
            continue
        asked = code_of(node.test).removeprefix("not ").rpartition(".")[2]
        if asked != "TYPE_CHECKING":
            continue
        runs, shown = (
            (node.body, node.orelse) if code_of(node.test).startswith("not ") else (node.orelse, node.body)
        )
        declared = {name: code for part in shown for name, code in _declared(part)}
        for part in runs:
            for name, code in _declared(part):
                if (
                    isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef)
                    and declared.get(name, code) != code
                ):
                    yield Hit(part.lineno, "other-signature", code)


def _declared(node: ast.stmt) -> Iterator[tuple[str, str]]:
    """Name -> how it is declared. A class or an alias may be shown otherwise: that is how generic bases are made."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, code_of(node)
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name, code_of(node)


def _unread_options(tree: ast.Module) -> Iterator[Hit]:
    """Parameters of a command that are options, and that its function never looks at."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        used = {one.id for part in node.body for one in ast.walk(part) if isinstance(one, ast.Name)}
        for decorator in node.decorator_list:
            said = code_of(decorator)
            if not _OPTION.match(said) or used & {"locals", "kwargs"} or _OBSOLETE.search(said):
                continue
            names = {name.lstrip("-").replace("-", "_") for name in re.findall(r"'([\w-]+)'", said)}
            if unread := sorted(names & parameters(node) - used):
                yield Hit(node.lineno, "dead-option", f"def {node.name}: {', '.join(unread)}")


_OPTION = re.compile(r"(?:click|typer|\w+)\.option\('-")
_OBSOLETE = re.compile(r"ignored|deprecated|no longer|compatib|hidden=True|expose_value=False", re.IGNORECASE)


def _only_returns_literals(node: Function, expected: Callable[[str], bool]) -> bool:
    returns = [n for part in node.body for n in ast.walk(part) if isinstance(n, ast.Return)]
    if not returns or any(n.value is None for n in returns):
        return False
    returned = [literals(n.value) for n in returns if n.value is not None]
    shown = [text for one in returned for text in one if text not in ("", "0", "1")]
    return all(returned) and bool(shown) and all(expected(text) for text in shown)


def _hides_everything(node: Function) -> bool:
    body = [
        part for part in node.body if not isinstance(part, ast.Assign | ast.AnnAssign | ast.Expr | ast.Return)
    ]
    if len(body) != 1 or not isinstance(body[0], ast.Try) or len(body[0].body) < 1:
        return False
    for handler in body[0].handlers:
        broad = handler.type is None or (
            isinstance(handler.type, ast.Name) and handler.type.id in ("Exception", "BaseException")
        )
        if broad and not any(
            isinstance(n, ast.Raise | ast.Call) for part in handler.body for n in ast.walk(part)
        ):
            return True
    return False


def _ignored(name: str, node: Function) -> list[str]:
    """Parameters that a function with a body never looks at, if they are half of all. Methods, and functions that someone
    else calls with what others need too, may leave one out."""
    real = [
        part
        for part in node.body
        if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))
    ]
    if (
        "." in name
        or name.startswith("_")
        or node.decorator_list
        or not real
        or isinstance(real[0], ast.Raise | ast.Pass)
    ):
        return []
    used = {one.id for part in real for one in ast.walk(part) if isinstance(one, ast.Name)}
    if used & {"locals", "eval", "exec"} or not any(
        isinstance(one, ast.Return) for part in real for one in ast.walk(part)
    ):
        return []
    unused = sorted(one for one in parameters(node) - used if not one.startswith("_"))
    return unused if 2 * len(unused) >= len(parameters(node)) else []


def _dropped_errors(old: ast.Module, new: ast.Module) -> Iterator[Hit]:
    """Statements that stood there as they are, and now stand in a try or a `suppress` that says nothing of what it catches."""
    guarded_parts = [part for body, _ in _guarded(old, every=True) for part in body]
    guarded = {_text(part) for part in guarded_parts}
    open_ = {_text(part) for part in ast.walk(old) if isinstance(part, ast.stmt)} - guarded
    for body, node in _guarded(new):
        if (body and all(_text(part) in open_ for part in body) and not all(map(_cleans_up, body))) or (
            body
            and _leaves_out(node)
            and _conversions(body) & (_conversions([old]) - _conversions(guarded_parts))
        ):
            yield Hit(node.lineno, "errors-dropped", code_of(body[0]))


def _leaves_out(node: ast.stmt) -> bool:
    """What fails is passed over, as one of many."""
    handlers = node.handlers if isinstance(node, ast.Try) else []
    return all(isinstance(part, ast.Pass | ast.Continue) for handler in handlers for part in handler.body)


_CONVERTS = re.compile(
    r"(?:^|\.)(?:int|float|complex|Decimal|Fraction|loads|fromisoformat|strptime|from_\w+|parse\w*)\Z"
)


def _conversions(nodes: Iterable[ast.AST]) -> set[str]:
    """Calls that read a value of a text, as code."""
    inside = (one for node in nodes for one in ast.walk(node) if isinstance(one, ast.Call) and one.args)
    return {code_of(one) for one in inside if _CONVERTS.search(code_of(one.func))}


def _cleans_up(node: ast.stmt) -> bool:
    called = (
        code_of(node.value.func) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) else ""
    )
    return called.rpartition(".")[2] in _CLEANS_UP


_CLEANS_UP = frozenset(
    {
        "close",
        "flush",
        "unlink",
        "remove",
        "rmdir",
        "rmtree",
        "kill",
        "terminate",
        "wait",
        "shutdown",
        "cancel",
        "disconnect",
    }
)


def _guarded(tree: ast.Module, *, every: bool = False) -> Iterator[tuple[list[ast.stmt], ast.stmt]]:
    """`every`: whatever is caught and whatever is then done."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Try) and node.handlers and (every or all(map(_says_nothing, node.handlers)))
        ) or (isinstance(node, ast.With) and any(_suppresses(item.context_expr) for item in node.items)):
            yield node.body, node


def _suppresses(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call) or code_of(node.func) not in ("suppress", "contextlib.suppress"):
        return False
    return not all(map(_is_expected, node.args))


def _says_nothing(handler: ast.ExceptHandler) -> bool:
    """It names neither the error nor anything else that was computed."""
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    if all(one is not None and _is_expected(one) for one in caught):
        return False
    if [code_of(part) for part in handler.body] == ["return False"]:
        return False  # the answer of a question
    for part in handler.body:
        if isinstance(part, ast.Pass | ast.Continue | ast.Break):
            continue
        if not isinstance(part, ast.Return | ast.Assign):
            return False
        if part.value is not None and any(
            isinstance(one, ast.Name | ast.Call) for one in ast.walk(part.value)
        ):
            return False
    return True


def _is_expected(error: ast.expr) -> bool:
    return code_of(error).rpartition(".")[2] in _EXPECTED


# Asked for by way of an error: whether something is there.
_EXPECTED = frozenset(
    {"ImportError", "ModuleNotFoundError", "StopIteration", "FileNotFoundError", "FileExistsError"}
    | {"KeyError", "IndexError", "LookupError", "AttributeError", "ProcessLookupError", "BrokenPipeError"}
    | {"KeyboardInterrupt", "Empty", "CancelledError", "TimeoutExpired", "EOFError", "DoesNotExist"}
)


def _text(node: ast.stmt) -> str:
    return ast.dump(node)
