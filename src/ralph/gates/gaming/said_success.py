"""Work that only says that it is done, as both versions of a file show it: failures that end well, results that the next call
overwrites, data that is thrown away, promises to the compiler that are not kept."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from ralph.gates.gaming.code_comparison import squeezed
from ralph.gates.gaming.code_lines import CodeLines
from ralph.gates.gaming.python.syntax import code_of, literal, named_functions
from ralph.gates.gaming.rules import Hit, TestsSeen

# A failure that ends the program well.

_FAILS = re.compile(
    r"\bos\.Exit\s*\(\s*[1-9]\d*\s*\)|\bprocess(?:::|\.)exit\s*\(\s*[1-9]\d*\s*\)|\bprocess\.exitCode\s*=\s*[1-9]|\bExitCode::FAILURE\b"
)
_ENDS_WELL = re.compile(
    r"\bos\.Exit\s*\(\s*0\s*\)|\bprocess(?:::|\.)exit\s*\(\s*0?\s*\)|\bprocess\.exitCode\s*=\s*0\b|\bExitCode::SUCCESS\b"
)
_OF_ERRORS = re.compile(r"\berr(?:or)?\b|\bErr\s*\(|\bcatch\b|\bexcept\b", re.IGNORECASE)


def failures_end_well(old: CodeLines, new: CodeLines) -> Iterator[Hit]:
    """Where an error ended the program with a failure, it now ends it as if nothing had happened."""
    failed = Counter(head for match in old.find(_FAILS) if (head := _head(old, match.start())))
    fails = Counter(head for match in new.find(_FAILS) if (head := _head(new, match.start())))
    well = Counter(head for match in old.find(_ENDS_WELL) if (head := _head(old, match.start())))
    for match in new.find(_ENDS_WELL):
        head = _head(new, match.start())
        if well[head] > 0:
            well[head] -= 1
        elif failed[head] > fails[head]:
            yield new.hit("failure-ends-well", match.start())


def _head(code: CodeLines, at: int) -> str:
    """What stands before the block around, if it is about an error."""
    around = code.around(at)
    line = code.line_text(around[-1][0]) if around else ""
    return squeezed(line) if _OF_ERRORS.search(line) else ""


def python_failures_end_well(old: ast.Module, new: ast.Module) -> Iterator[Hit]:
    failed = {name for name, ends in _python_ends(old) if not ends[0]} - {
        name for name, ends in _python_ends(new) if not ends[0]
    }
    known = {name for name, ends in _python_ends(old) if ends[0]}
    for name, (well, node) in _python_ends(new):
        if well and name in failed - known:
            yield Hit(node.lineno, "failure-ends-well", code_of(node))


def _python_ends(tree: ast.Module) -> Iterator[tuple[str, tuple[bool, ast.stmt]]]:
    """The handlers of errors that end the program, or that return a status from `main`: which, and whether well."""
    for name, function in named_functions(tree).items():
        for handler in ast.walk(function):
            if not isinstance(handler, ast.ExceptHandler) or not handler.body:
                continue
            last = handler.body[-1]
            status = _status(last, name)
            if status is not None:
                yield f"{name} {code_of(handler)}", (status in (0, ""), last)


def _status(node: ast.stmt, function: str) -> object:
    """0 and "" for none; None: this does not end the program."""
    if isinstance(node, ast.Return) and function == "main" and node.value is not None:
        value = literal(node.value)
        return value if isinstance(value, int) else None
    call = node.exc if isinstance(node, ast.Raise) else node.value if isinstance(node, ast.Expr) else None
    if not isinstance(call, ast.Call) or code_of(call.func) not in ("sys.exit", "exit", "SystemExit"):
        return None
    if not call.args:
        return 0
    value = literal(call.args[0])
    return value if isinstance(value, int) else "an error"


# A result that the next call overwrites.

_KEPT = {
    "go": re.compile(r"^var\s+(?P<name>\w+)\s*(?:=\s*make\s*\(\s*\[\]|\[\]|=\s*\[\])", re.MULTILINE),
    "js": re.compile(r"^(?:const|let|var)\s+(?P<name>\w+)\s*(?::[^=\n]+)?=\s*\[\s*\]", re.MULTILINE),
}
_EMPTIED = {"go": r"\b{0}\s*=\s*{0}\s*\[\s*:\s*0\s*\]", "js": r"\b{0}\s*\.\s*length\s*=\s*0\b"}


def shared_results(
    old: CodeLines, new: CodeLines, functions: re.Pattern[str], language: str
) -> Iterator[Hit]:
    """A function empties a list of the module, fills it, and returns it: every result is the same one."""
    for match in new.find(_KEPT[language]):
        name = match["name"]
        emptied = re.compile(_EMPTIED[language].format(name))
        for part in new.parts(functions):
            body = new.code[part.begin : part.end]
            returned = re.search(rf"\breturn\s+{name}\s*(?:[;}}\n,]|\Z)", body)
            if emptied.search(body) and returned and not emptied.search(old.code):
                yield new.hit("shared-result", part.begin + returned.start())


def python_shared_results(old: ast.Module, new: ast.Module) -> Iterator[Hit]:
    known = {name for name, _ in _python_shared(old)}
    yield from (hit for name, hit in _python_shared(new) if name not in known)


def _python_shared(tree: ast.Module) -> Iterator[tuple[str, Hit]]:
    kept = {
        target.id
        for part in tree.body
        if isinstance(part, ast.Assign) and isinstance(part.value, ast.List | ast.Dict | ast.Set | ast.Call)
        for target in part.targets
        if isinstance(target, ast.Name)
    }
    for name, function in named_functions(tree).items() if kept else ():
        said = {code_of(part) for part in ast.walk(function) if isinstance(part, ast.Expr | ast.Delete)}
        for part in ast.walk(function):
            if isinstance(part, ast.Return) and isinstance(part.value, ast.Name) and part.value.id in kept:
                own = part.value.id
                if {f"{own}.clear()", f"del {own}[:]"} & said:
                    yield name, Hit(part.lineno, "shared-result", code_of(part))


# Data that is thrown away.

_DROPS = re.compile(
    r"\b(?:DROP\s+TABLE\s+(?:IF\s+EXISTS\s+)?|TRUNCATE\s+(?:TABLE\s+)?)[\"'`\[]?(?P<table>\w+)", re.IGNORECASE
)
_KEEPS = re.compile(
    r"\bRENAME\s+TO\b|\bINSERT\s+INTO\b[^;]*?\bSELECT\b|\bCREATE\s+TABLE\b[^;]*?\bAS\s+SELECT\b",
    re.IGNORECASE,
)
_MEANT = re.compile(
    r"(?i)reset|clear|wipe|drop|truncate|recreate|rebuild|purge|destroy|delete|teardown|tear_down|downgrade|down\b|uninstall|flush|empty|clean"
)


def tables_dropped(old: CodeLines, new: CodeLines) -> Iterator[Hit]:
    """A table is dropped and made again, and nothing of what was in it is kept."""
    known = {match["table"].lower() for match in _DROPS.finditer(old.spoken)}
    for match in _DROPS.finditer(new.spoken):
        table = match["table"]
        made = re.search(rf"(?i)\bCREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?[\"'`\[]?{table}\b", new.spoken)
        if table.lower() in known or not made or _KEEPS.search(new.spoken):
            continue
        if not _MEANT.search(_function_name(new, match.start())):
            yield new.hit("data-dropped", match.start())


def _function_name(code: CodeLines, at: int) -> str:
    heads = re.findall(
        r"(?m)^[ \t]*(?:async\s+)?(?:def|fn|func|function|pub fn)\s+(?:\([^()\n]*\)\s*)?(\w+)", code.code[:at]
    )
    return heads[-1] if heads else ""


# Promises to the compiler.

_PROMISE = re.compile(r"\bunsafe\s+impl\s*(?:<[^{;]*?>)?\s*(?P<what>Send|Sync)\s+for\s+(?P<name>\w+)")
_OF_ONE_THREAD = re.compile(r"\b(?:Rc|Cell|RefCell|OnceCell)\s*<")


def false_promises(old: CodeLines, new: CodeLines) -> Iterator[Hit]:
    """Rust: a type of parts for one thread is said to be for several."""
    known = {squeezed(match.group()) for match in old.find(_PROMISE)}
    for match in new.find(_PROMISE):
        declared = re.search(rf"\bstruct\s+{match['name']}\b", new.code)
        body = new.block(declared.end()) if declared else None
        fields = new.code[body[0] : body[1]] if body else ""
        if squeezed(match.group()) not in known and _OF_ONE_THREAD.search(fields):
            yield new.hit("promise-not-kept", match.start())


# Warnings of leaks.

_NO_LIMIT = re.compile(
    r"\bsetMaxListeners\s*\(\s*(?:0|Infinity|Number\.\w+|\d{3,})\s*[,)]|\bdefaultMaxListeners\s*=(?!=)"
)


def leaks_unwarned(old: CodeLines, new: CodeLines, tests: TestsSeen) -> Iterator[Hit]:
    """The warning that listeners pile up is switched off, where tests look at warnings."""
    if len(list(new.find(_NO_LIMIT))) > len(list(old.find(_NO_LIMIT))) and tests.expect("warning"):
        yield new.hit("warnings-muted", list(new.find(_NO_LIMIT))[-1].start())


# Done before it is done.

_STARTS = re.compile(r"[\w.]*(?:thread|process|timer|worker|task|job)\w*\.start\(\)\Z", re.IGNORECASE)
_IS_OVER = re.compile(r"(?:done|finished|completed?|succeeded|success|ended|over)\Z", re.IGNORECASE)
_SAYS_SO = re.compile(r"(?:^|[._])(?:status|state|phase|progress|done|finished|completed?)\Z", re.IGNORECASE)


def done_when_started(old: ast.Module, new: ast.Module) -> Iterator[Hit]:
    """What was started in the background is said to be over as soon as it was started."""
    known = {hit.key for hit in _over_at_once(old)}
    yield from (hit for hit in _over_at_once(new) if hit.key not in known)


def _over_at_once(tree: ast.Module) -> Iterator[Hit]:
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        started = False
        for part in body if isinstance(body, list) else ():
            said = code_of(part)
            if isinstance(part, ast.Expr) and _STARTS.match(said):
                started = True
            elif ".join(" in said or "wait(" in said:
                started = False
            elif started and isinstance(part, ast.Assign) and _says_over(part):
                yield Hit(part.lineno, "done-when-started", said)


def _says_over(node: ast.Assign) -> bool:
    value = literal(node.value)
    name = code_of(node.targets[0])
    if isinstance(value, str):
        return _IS_OVER.match(value) is not None and _SAYS_SO.search(name) is not None
    return value is True and re.search(r"(?:^|[._])(?:done|finished|completed?)\Z", name) is not None
