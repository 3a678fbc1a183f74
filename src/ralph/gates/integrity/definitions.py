"""What a source file defines: functions, classes, methods and constants by name, each with its parameters and its body. Read by
syntax for Python, by tokens for JavaScript, TypeScript, Go and Rust. Pure."""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterator
from typing import Literal

import msgspec

from ralph.gates.integrity.line_tests import blanked, brackets

Language = Literal["python", "js", "go", "rust"]
Kind = Literal["function", "class", "constant", "method"]
_LANGUAGES: dict[str, Language] = {
    **dict.fromkeys(("py", "pyi"), "python"),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"), "js"),
    "go": "go",
    "rs": "rust",
}
_TOKEN = re.compile(r"\w+|[^\w\s]")
MOST_BYTES = 1 << 20


class Definition(msgspec.Struct, frozen=True):
    """`body` are the tokens without comments, and with a mark in place of its own name."""

    name: str
    kind: Kind
    owner: str  # the class or type of a method
    parameters: tuple[str, ...]
    body: tuple[str, ...]

    @property
    def full(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name


class Source(msgspec.Struct, frozen=True):
    definitions: dict[str, Definition]  # by their full names
    bound: frozenset[str] = frozenset()  # other names that can be imported from here
    open: bool = False  # it hands on all that another file has


def language_of(path: str) -> Language | None:
    return _LANGUAGES.get(path.rpartition(".")[2])


def tokens(text: str) -> list[str]:
    return _TOKEN.findall(text)


def read_source(path: str, text: str) -> Source | None:
    """None when it is in no known language, too large, or does not parse."""
    language = language_of(path)
    if language is None or len(text) > MOST_BYTES:
        return None
    if language == "python":
        return _python(text)
    bare, code = blanked(text, language)
    file = _File(bare, code)
    found = {"js": _javascript, "go": _go, "rust": _rust}[language](file)
    definitions: dict[str, Definition] = {}
    for one in found:
        definitions.setdefault(one.full, one)
    bound, is_open = _js_bound(file) if language == "js" else (_rust_bound(file), False)
    return Source(definitions, bound, is_open)


def _normal(name: str, text: str) -> tuple[str, ...]:
    return tuple("\0" if token == name else token for token in tokens(text))


# -- Python ---------------------------------------------------------------------------------------


def parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _python(text: str) -> Source | None:
    tree = parsed(text)
    if tree is None:
        return None
    found: dict[str, Definition] = {}
    bound, is_open = set[str](), False
    for node in _statements(tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
            bound |= names - {"*"}
            is_open = is_open or "*" in names
        else:
            for one in _python_definitions(node):
                found.setdefault(one.full, one)
    return Source(found, frozenset(bound), is_open)


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        yield node
        for part in ("body", "orelse", "handlers", "finalbody") if isinstance(node, ast.If | ast.Try) else ():
            for inner in getattr(node, part, []):
                yield from _statements(inner.body if isinstance(inner, ast.ExceptHandler) else [inner])


def _python_definitions(node: ast.stmt, owner: str = "") -> Iterator[Definition]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        arguments = node.args
        names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        names += [a.arg for a in (arguments.vararg, arguments.kwarg) if a]
        body = _normal(node.name, _unparsed(node.body))
        yield Definition(node.name, "method" if owner else "function", owner, tuple(names), body)
    elif isinstance(node, ast.ClassDef) and not owner:
        yield Definition(node.name, "class", "", (), _normal(node.name, _unparsed(node.body)))
        for inner in node.body:
            yield from _python_definitions(inner, node.name)
    elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and not owner:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            if isinstance(target, ast.Name):
                yield Definition(target.id, "constant", "", (), _normal(target.id, ast.unparse(node.value)))


def _unparsed(body: list[ast.stmt]) -> str:
    """Without a docstring."""
    first = body[0]
    spoken = (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    )
    return "\n".join(ast.unparse(node) for node in body[spoken:])


# -- languages with braces --------------------------------------------------------------------------


class _File:
    """`bare` has no comments, `code` has neither comments nor what is in strings; both at the offsets of the text."""

    def __init__(self, bare: str, code: str) -> None:
        self.bare = bare
        self.code = code
        self.pairs = brackets(code)
        self._starts, self._ends = [], []
        reached = -1
        for start in sorted(self.pairs):
            if start > reached:
                self._starts.append(start)
                self._ends.append(reached := self.pairs[start])

    def is_outside(self, at: int) -> bool:
        """Whether no bracket is open there."""
        n = bisect_right(self._starts, at) - 1
        return n < 0 or at > self._ends[n]

    def parameters(self, opened: int) -> tuple[str, ...]:
        closed = self.pairs.get(opened)
        if closed is None:
            return ()
        parts = (
            re.sub(r"^\s*(?:mut|ref|&|\*|\.)+\s*", "", part) for part in self.flat(opened, closed).split(",")
        )
        return tuple(found[0] for part in parts if (found := re.search(r"[A-Za-z_$][\w$]*", part)))

    def flat(self, opened: int, closed: int) -> str:
        """What is between, with nothing in inner brackets."""
        text, at = list[str](), opened + 1
        while at < closed:
            if (end := self.pairs.get(at)) is not None:
                text.append(self.code[at] + " " * (end - at - 1) + self.code[end])
                at = end + 1
            else:
                text.append(self.code[at])
                at += 1
        return "".join(text)

    def block_after(self, at: int) -> tuple[int, int] | None:
        """The braces that open next, before the statement ends."""
        while at < len(self.code) and self.code[at] not in "{;":
            at = self.pairs[at] + 1 if at in self.pairs else at + 1
        return (at, self.pairs[at]) if at in self.pairs else None

    def statement_end(self, at: int) -> int:
        while at < len(self.code):
            if at in self.pairs:
                at = self.pairs[at] + 1
                continue
            if self.code[at] == ";":
                return at
            if self.code[at] == "\n":
                before = self.code[max(0, at - 200) : at].rstrip()[-1:]
                after = self.code[at : at + 200].lstrip()[:1]
                if before not in "=,+-*/&|?:.>(" and after not in ".?:+*/&|,=":
                    return at
            at += 1
        return at

    def define(
        self, name: str, kind: Kind, start: int, end: int, owner: str = "", opened: int = -1
    ) -> Definition:
        parameters = self.parameters(opened) if opened >= 0 else ()
        return Definition(name, kind, owner, parameters, _normal(name, self.bare[start:end]))


_JS_FUNCTION = re.compile(
    r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*([\w$]+)\s*(?:<[^>()]*>\s*)?(?=\()",
    re.M,
)
_JS_CLASS = re.compile(
    r"^[ \t]*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:class|interface|enum)\s+([\w$]+)", re.M
)
_JS_VALUE = re.compile(
    r"^[ \t]*(?:(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::[^=\n]+)?=(?!=)|(?:module\.)?exports\.([\w$]+)\s*=(?!=)"
    r"|(?:export\s+)?type\s+([\w$]+)[^=\n]*=)",
    re.M,
)
_JS_ARROW = re.compile(r"\s*(?:async\s+)?(?:function\b\s*\*?\s*[\w$]*\s*(?=\()|(?=\()|([\w$]+)\s*=>)")
_JS_METHOD = re.compile(
    r"(?:^|[;}\n])[ \t]*(?:(?:static|async|get|set|public|private|protected|override)\s+)*"
    r"\*?\s*(#?[\w$]+)\s*(?:<[^>()]*>\s*)?(?=\()",
    re.M,
)


def _javascript(file: _File) -> Iterator[Definition]:
    code = file.code
    for found in _JS_FUNCTION.finditer(code):
        block = file.block_after(found.end())
        if file.is_outside(found.start(1)) and block:
            yield file.define(found[1], "function", *block, opened=found.end())
    for found in _JS_CLASS.finditer(code):
        block = file.block_after(found.end())
        if file.is_outside(found.start(1)) and block:
            yield file.define(found[1], "class", *block)
            yield from _methods(file, found[1], block, _JS_METHOD)
    for found in _JS_VALUE.finditer(code):
        name = found[1] or found[2] or found[3]
        if not file.is_outside(found.end() - 1):
            continue
        end, arrow = file.statement_end(found.end()), _JS_ARROW.match(code, found.end())
        is_function = arrow and (arrow[1] or "=>" in code[found.end() : end] or "function" in arrow[0])
        if arrow and is_function:
            made = file.define(name, "function", arrow.end(), end, opened=-1 if arrow[1] else arrow.end())
            closed = file.pairs.get(arrow.end(), arrow.end())
            body = _normal(name, file.bare[closed + 1 : end])
            yield msgspec.structs.replace(
                made, body=body, parameters=(arrow[1],) if arrow[1] else made.parameters
            )
        else:
            yield file.define(name, "constant", found.end(), end)


def _methods(file: _File, owner: str, block: tuple[int, int], shape: re.Pattern[str]) -> Iterator[Definition]:
    first = block[0] + 1
    for found in shape.finditer(file.flat(*block)):
        opened = first + found.end()
        inner = file.block_after(file.pairs.get(opened, opened) + 1)
        if inner and inner[1] <= block[1]:
            yield file.define(found[1], "method", *inner, owner=owner, opened=opened)


def _js_bound(file: _File) -> tuple[frozenset[str], bool]:
    names = set[str]()
    for found in re.finditer(r"\bexport\s*\{|\bmodule\.exports\s*=\s*\{", file.code):
        opened = found.end() - 1
        names |= set(re.findall(r"[\w$]+", file.code[opened : file.pairs.get(opened, opened)]))
    is_open = bool(re.search(r"\bexport\s*\*\s*from\b|\bmodule\.exports\s*=\s*require\b", file.code))
    return frozenset(names), is_open


_GO_FUNCTION = re.compile(
    r"^func\s+(?:\(\s*(?:\w+\s+)?\*?(\w+)(?:\[[^\]]*\])?\s*\)\s*)?(\w+)\s*(?:\[[^\]]*\]\s*)?(?=\()", re.M
)
_GO_VALUE = re.compile(r"^(var|const|type)\s+(?:(\w+)|(\())", re.M)
_GO_LINE = re.compile(r"^\t(\w+)\b", re.M)


def _go(file: _File) -> Iterator[Definition]:
    for found in _GO_FUNCTION.finditer(file.code):
        if block := file.block_after(file.pairs.get(found.end(), found.end()) + 1):
            kind: Kind = "method" if found[1] else "function"
            yield file.define(found[2], kind, *block, owner=found[1] or "", opened=found.end())
    for found in _GO_VALUE.finditer(file.code):
        kind = "class" if found[1] == "type" else "constant"
        if found[2]:
            yield file.define(found[2], kind, found.end(), file.statement_end(found.end()))
            continue
        closed = file.pairs.get(found.start(3), found.start(3))
        for line in _GO_LINE.finditer(file.code, found.end(), closed):
            yield file.define(line[1], kind, line.end(), file.statement_end(line.end()))


_RUST_FUNCTION = re.compile(r"\bfn\s+(\w+)\s*(?:<[^(]*>\s*)?(?=\()")
_RUST_TYPE = re.compile(
    r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|union|type|macro_rules!)\s+(\w+)", re.M
)
_RUST_VALUE = re.compile(r"^[ \t]*(?:pub(?:\([^)]*\))?\s+)?(?:const|static)\s+(?:mut\s+)?(\w+)\s*:", re.M)
_RUST_IMPL = re.compile(
    r"^[ \t]*(?:unsafe\s+)?(?:impl\b(?:<[^{]*?>)?\s*(?:[\w:<>, ]+\s+for\s+)?|(?:pub\s+)?trait\s+)(\w+)", re.M
)


def _rust(file: _File) -> Iterator[Definition]:
    blocks = [
        (found[1], block)
        for found in _RUST_IMPL.finditer(file.code)
        if (block := file.block_after(found.end()))
    ]
    for found in _RUST_FUNCTION.finditer(file.code):
        at = found.start(1)
        owner = next((name for name, (start, end) in blocks if start < at < end), "")
        block = file.block_after(file.pairs.get(found.end(), found.end()) + 1)
        if block and (owner or file.is_outside(at)):
            kind: Kind = "method" if owner else "function"
            yield file.define(found[1], kind, *block, owner=owner, opened=found.end())
    for shape, kind in ((_RUST_TYPE, "class"), (_RUST_VALUE, "constant")):
        for found in shape.finditer(file.code):
            if file.is_outside(found.start(1)):
                block = file.block_after(found.end()) if kind == "class" else None
                end = block[1] if block else file.statement_end(found.end())
                yield file.define(found[1], kind, found.end(), end)


def _rust_bound(file: _File) -> frozenset[str]:
    used = re.findall(r"\bpub(?:\([^)]*\))?\s+use\s+([^;]+);", file.code)
    return frozenset(word for text in used for word in re.findall(r"\w+", text))
