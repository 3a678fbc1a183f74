"""Tests inside production files: doctests, Rust's test modules and documented examples, in-source vitest.

`original_blocks` gives the claim's file with the tests of the start. Where what a documented example belongs to is
gone, so is the example: the accounting by test names it as missing.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence

import msgspec

from ralph.gates.integrity.line_tests import blanked, brackets

_SCRIPTS = ("js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte")
LARGEST = 1_000_000  # bytes; larger files are generated


class Edit(msgspec.Struct, frozen=True, order=True):
    """Text that takes the place of [start, end)."""

    start: int
    end: int
    text: str


def original_blocks(path: str, before: bytes, after: bytes) -> bytes | None:
    """The claim's file with the test blocks of the start; None when the start's file has none, or cannot be read."""
    suffix = path.rpartition(".")[2].lower()
    if max(len(before), len(after)) > LARGEST:
        return None
    try:
        then, now = before.decode(), after.decode()
        if suffix == "py":
            edits = _python(then, now)
        elif suffix == "rs":
            edits = _rust(then, now)
        else:
            edits = _vitest(then, now) if suffix in _SCRIPTS else None
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return None if edits is None else _applied(now, edits).encode()


def _applied(text: str, edits: Sequence[Edit]) -> str:
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def _appended(now: str, texts: Sequence[str]) -> Edit:
    return Edit(len(now), len(now), "".join(f"\n{text}\n" for text in texts))


# -- Python: docstrings with examples, and test functions and classes at the top level


class _Documented(msgspec.Struct, frozen=True):
    text: str  # the literal, as it is written
    start: int
    end: int
    indent: int  # of the body it stands in
    body: int  # offset of the line where the body begins


def _python(before: str, after: str) -> list[Edit] | None:
    then, now = _parsed(before), _parsed(after)
    examples = {name: doc for name, doc in _docstrings(before, then).items() if ">>>" in doc.text}
    tests = _test_items(before, then)
    if not examples and not tests:
        return None
    there, functions = _docstrings(after, now), _named_items(after, now)
    edits = []
    for name, doc in examples.items():
        place = there.get(name)
        if place is not None:
            text = doc.text if place.text else " " * place.indent + doc.text + "\n"
            edits.append(Edit(place.start, place.end, text))
    missing = [text for name, (_, _, text) in tests.items() if name not in functions]
    for name, (_, _, text) in tests.items():
        if name in functions:
            start, end, _ = functions[name]
            # its docstring goes with it
            edits = [edit for edit in edits if not start <= edit.start < end]
            edits.append(Edit(start, end, text))
    return [*edits, _appended(after, missing)] if missing else edits


def _parsed(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)


def _offsets(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text)), len(text)]


def _docstrings(text: str, tree: ast.Module) -> dict[str, _Documented]:
    """Qualified name -> its docstring; for a function without one, where it would stand."""
    lines = _offsets(text)
    source = text.splitlines(keepends=True)
    found: dict[str, _Documented] = {}

    def at(line: int, column: int) -> int:
        return lines[line - 1] + len(source[line - 1].encode()[:column].decode())

    def visit(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> None:
        for inner in node.body:
            if isinstance(inner, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                visit(inner, f"{name}.{inner.name}")
        if not node.body:
            return
        first = node.body[0]
        line = lines[first.lineno - 1]
        if (
            isinstance(first, ast.Expr)
            and isinstance(first.value, ast.Constant)
            and isinstance(first.value.value, str)
        ):
            value = first.value
            start = at(value.lineno, value.col_offset)
            end = at(value.end_lineno or value.lineno, value.end_col_offset or 0)
            found[name] = _Documented(text[start:end], start, end, first.col_offset, line)
        elif isinstance(node, ast.Module) or first.lineno > node.lineno:  # not `def f(): return 1`
            found[name] = _Documented("", line, line, first.col_offset, line)

    visit(tree, "")
    return found


def _named_items(text: str, tree: ast.Module) -> dict[str, tuple[int, int, str]]:
    lines = _offsets(text)
    found = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            start, end = lines[first - 1], lines[min(node.end_lineno or first, len(lines) - 1)]
            found[node.name] = (start, end, text[start:end])
    return found


def _test_items(text: str, tree: ast.Module) -> dict[str, tuple[int, int, str]]:
    cases = {
        node.name
        for node in tree.body
        if isinstance(node, ast.ClassDef) and any("TestCase" in ast.unparse(base) for base in node.bases)
    }
    items = _named_items(text, tree)
    return {name: item for name, item in items.items() if name in cases or re.match(r"test_|Test[A-Z]", name)}


# -- Rust


class _Item(msgspec.Struct, frozen=True):
    key: str  # such as "mod tests"
    start: int
    end: int
    tests: bool  # compiled for tests only, or a test itself
    depth: int


_ITEM = re.compile(
    r"(?P<attributes>(?:#\[(?:[^\[\]]|\[[^\[\]]*\])*\]\s*){0,20})"
    r"(?:pub(?:\([^()]*\))?\s+)?(?:async\s+|unsafe\s+|const\s+(?=fn))*\b(?P<word>mod|fn|struct|enum|trait|impl|macro_rules!|use|const|static|type)\s+"
    r"(?P<name>[\w:]+)"
)
_FOR_TESTS = re.compile(
    r"#\[\s*cfg\s*\(\s*(?:test\b|(?:all|any)\s*\(\s*(?:[^()]*,\s*)?test\b)|#\[\s*(?:\w+::)*(?:test|rstest|quickcheck)\b"
)


def _rust(before: str, after: str) -> list[Edit] | None:
    then = [item for item in _items(before) if item.tests]
    fences = [fence for fence in _fences(before) if fence.runs]
    if not then and not fences:
        return None
    edits, missing = [], []
    places = {item.key: item for item in reversed(list(_items(after)))}
    for item in _outermost(then):
        text = before[item.start : item.end]
        if item.key in places:
            place = places[item.key]
            edits.append(Edit(place.start, place.end, text))
        elif not item.depth and item.key.startswith(("mod ", "fn ")):
            missing.append(text)
    edits += [
        edit
        for edit in _fence_edits(fences, after)
        if not any(one.start <= edit.start < one.end for one in edits)
    ]
    return [*edits, _appended(after, missing)] if missing else edits


def _items(text: str) -> Iterator[_Item]:
    code = blanked(text, "rust")[1]
    pairs = brackets(code)
    opened = sorted((at, end) for at, end in pairs.items() if code[at] == "{")
    for match in _ITEM.finditer(code):
        body = re.compile(r"[;{]").search(code, match.end())
        if body is None:
            continue
        end = body.end() if body.group() == ";" else pairs.get(body.start(), -1) + 1
        if end:
            start = match.start()
            tests = _FOR_TESTS.search(match["attributes"]) is not None
            depth = sum(1 for at, close in opened if at < start < close) if tests else 0
            yield _Item(f"{match['word']} {match['name']}", start, end, tests, depth)


def _outermost(items: Sequence[_Item]) -> Iterator[_Item]:
    reached = -1
    for item in items:
        if item.start >= reached:
            reached = item.end
            yield item


class _Fence(msgspec.Struct, frozen=True):
    """An example in the documentation of something."""

    of: str  # "crate", or the item, such as "fn add"
    index: int
    start: int
    end: int
    text: str
    runs: bool


_DOC = re.compile(r"[ \t]*//[/!]")
_MARK = re.compile(r"[ \t]*//[/!][ \t]?\s*```+\s*([\w, -]*)")
_NOT_RUN = re.compile(r"ignore|text|toml|json|sh|bash|console|compile_fail|plain|yaml|c\b|python")


def _doc_groups(text: str) -> Iterator[tuple[str, list[tuple[int, str]]]]:
    """What is documented, and the lines (offset, text) of its documentation."""
    group: list[tuple[int, str]] = []
    at = 0
    for line in text.splitlines(keepends=True):
        if _DOC.match(line):
            group.append((at, line))
        elif group and not re.match(r"\s*(?:#!?\[|$)", line):
            item = _ITEM.match(line.strip())
            inner = group[0][1].lstrip().startswith("//!")
            yield "crate" if inner else f"{item['word']} {item['name']}" if item else "", group
            group = []
        at += len(line)
    if group:
        yield "crate", group


def _fences(text: str) -> Iterator[_Fence]:
    for of, lines in _doc_groups(text):
        start, index, said = -1, 0, ""
        for at, line in lines:
            mark = _MARK.match(line)
            if mark and start < 0:
                start, said = at, mark[1]
            elif mark:
                end = at + len(line)
                yield _Fence(of, index, start, end, text[start:end], _NOT_RUN.search(said) is None)
                start, index = -1, index + 1


def _fence_edits(fences: Sequence[_Fence], after: str) -> Iterator[Edit]:
    places = {(fence.of, fence.index): fence for fence in _fences(after)}
    ends = {of: lines[-1][0] + len(lines[-1][1]) for of, lines in _doc_groups(after)}
    items = {item.key: after.rfind("\n", 0, item.start) + 1 for item in reversed(list(_items(after)))}
    for fence in fences:
        if place := places.get((fence.of, fence.index)):
            yield Edit(place.start, place.end, fence.text)
        elif fence.of in ends or fence.of in items:
            at = ends.get(fence.of, items.get(fence.of, 0))
            yield Edit(at, at, fence.text)


# -- JavaScript: `if (import.meta.vitest) { ... }`

_VITEST = re.compile(r"\bif\s*\(\s*import\.meta\.vitest\s*\)\s*\{")


def _vitest(before: str, after: str) -> list[Edit] | None:
    then, now = list(_vitest_blocks(before)), list(_vitest_blocks(after))
    if not then:
        return None
    edits = [Edit(*place, before[slice(*block)]) for block, place in zip(then, now, strict=False)]
    missing = [before[slice(*block)] for block in then[len(now) :]]
    return [*edits, _appended(after, missing)] if missing else edits


def _vitest_blocks(text: str) -> Iterator[tuple[int, int]]:
    code = blanked(text, "js")[1]
    pairs = brackets(code)
    for match in _VITEST.finditer(code):
        if match.end() - 1 in pairs:
            yield match.start(), pairs[match.end() - 1] + 1
