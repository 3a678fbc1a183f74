"""An original test with the names that the change gave to what it uses. Only names and paths of imports are replaced, and in
strings only what names a module or an attribute to import or to patch. Pure."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping

import msgspec

from ralph.gates.integrity.definitions import language_of, parsed
from ralph.gates.integrity.line_tests import blanked
from ralph.gates.integrity.renames import Renames

Edit = tuple[int, int, str]  # from, to, what is there instead


def rewrite(text: str, renames: Renames, *, path: str) -> str:
    """The text of the test file `path` as it has to read now; the same when nothing that it uses was renamed."""
    language = language_of(path)
    if language is None:
        return text
    edits = {"python": _python, "js": _javascript, "go": _go, "rust": _rust}[language](text, renames, path)
    return _edited(text, edits)


def new_place(path: str, renames: Renames) -> str:
    """Where an original test belongs now: in Go it lies in the folder of its package."""
    folder = _moved_folders(renames).get(posixpath.dirname(path)) if path.endswith(".go") else None
    return posixpath.join(folder, posixpath.basename(path)) if folder else path


def _edited(text: str, edits: Iterator[Edit]) -> str:
    """Of two edits that overlap, the one that was named first counts."""
    done: list[Edit] = []
    for edit in edits:
        if all(edit[1] <= start or end <= edit[0] for start, end, _ in done):
            done.append(edit)
    for start, end, new in sorted(done, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _each(pattern: str, text: str, new: str, group: int = 0) -> Iterator[Edit]:
    for found in re.finditer(pattern, text):
        yield found.start(group), found.end(group), new


def _free(new: str, code: str) -> bool:
    """Whether the new name means nothing else in the test yet."""
    return not re.search(rf"(?<![\w$]){re.escape(new)}(?![\w$])", code)


def _method_edits(renames: Renames, code: str) -> Iterator[Edit]:
    for old, new in renames.methods.items():
        yield from _each(rf"(?<=\.){re.escape(old)}\b(?=\s*\()", code, new)


# -- Python -------------------------------------------------------------------------------------------

_TARGET = re.compile(
    r"\b(?:patch(?:\.dict|\.multiple)?|setattr|delattr|import_module|importorskip|__import__|run_module)\(\s*[\"']([\w.]+)"
)
_ATTRIBUTE = re.compile(
    r"\b(?:setattr|delattr|getattr|hasattr|patch\.object)\(\s*[\w.]+\s*,\s*[\"'](\w+)[\"']"
)


class _Modules(msgspec.Struct, frozen=True):
    """Python modules by their dotted names."""

    renames: Renames

    def denotes(self, dotted: str, path: str) -> bool:
        """Whether the name is that of the file, or of a package around it, which may hand its names on."""
        parts, wanted = _parts(path), dotted.split(".")
        return any(parts[n : n + len(wanted)] == wanted for n in range(len(parts)))

    def place(self, dotted: str, name: str = "") -> str:
        """The dotted name under which the module, or this name of it, is found now."""
        wanted = dotted.split(".")
        for table in (
            {old: to[name] for old, to in self.renames.moved.items() if name in to},
            self.renames.modules,
        ):
            for old, new in table.items():
                parts = _parts(old)
                if parts[-len(wanted) :] == wanted and old.endswith((".py", ".pyi")):
                    return ".".join(_from_root(_parts(new), parts[: -len(wanted)]))
        return dotted

    def target(self, dotted: str) -> str:
        """Of an attribute by its whole name, as in patch()."""
        module, _, name = dotted.rpartition(".")
        if self.place(dotted) != dotted or not module:
            return self.place(dotted)
        inner = self.target(module) if self.place(module, name) == module else self.place(module, name)
        return f"{inner}.{self.name(module, name)}"

    def name(self, module: str, name: str) -> str:
        origin = self.renames.origins.get(name, "")
        return self.renames.names.get(name, name) if origin and self.denotes(module, origin) else name


def _parts(path: str) -> list[str]:
    parts = path.rpartition(".")[0].split("/")
    return parts[:-1] if parts[-1] == "__init__" else parts


def _from_root(parts: list[str], root: list[str]) -> list[str]:
    if parts[: len(root)] == root:
        return parts[len(root) :]
    return parts[1:] if parts[0] in ("src", "lib") and len(parts) > 1 else parts


def _python(text: str, renames: Renames, path: str) -> Iterator[Edit]:
    tree = parsed(text)
    if tree is None:
        return
    modules, (bare, code) = _Modules(renames), blanked(text, "python")
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def offset(line: int, column: int) -> int:
        """The parser counts bytes."""
        whole = text[starts[line - 1] : starts[line]].encode("utf-8", "surrogatepass")
        return starts[line - 1] + len(whole[:column].decode("utf-8", "surrogatepass"))

    renamed, aliases = dict[str, str](), dict[str, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            new = _import_from(node, modules, code, renamed, aliases)
        elif isinstance(node, ast.Import):
            new = _import(node, modules, aliases)
            for alias in node.names:
                if not alias.asname and modules.place(alias.name) != alias.name:
                    yield from _each(
                        rf"(?<![\w.]){re.escape(alias.name)}(?=\.)(?!\.\w+\s+import)",
                        code,
                        modules.place(alias.name),
                    )
        else:
            continue
        start, end = (
            offset(node.lineno, node.col_offset),
            offset(node.end_lineno or 0, node.end_col_offset or 0),
        )
        if new != ast.unparse(node):
            yield start, end, new
    for old, new in renamed.items():
        yield from _each(rf"(?<![\w.]){old}\b(?!\s*=(?!=))", code, new)
    for bound, module in aliases.items():
        for old, new in renames.names.items():
            if modules.name(module, old) == new:
                yield from _each(rf"(?<![\w.]){re.escape(bound)}\s*\.\s*({old})\b", code, new, 1)
    yield from _method_edits(renames, code)
    for found in _TARGET.finditer(bare):
        yield found.start(1), found.end(1), modules.target(found[1])
    for found in _ATTRIBUTE.finditer(bare):
        new = renames.names.get(found[1]) or renames.methods.get(found[1]) or found[1]
        yield found.start(1), found.end(1), new


def _import_from(
    node: ast.ImportFrom, modules: _Modules, code: str, renamed: dict[str, str], aliases: dict[str, str]
) -> str:
    """The statement anew. `renamed` gets the names that are used without their module, `aliases` the modules."""
    said, by_module = node.module or "", dict[str, list[str]]()
    for alias in node.names:
        inner = f"{said}.{alias.name}"
        place, name = modules.place(said, alias.name), modules.name(said, alias.name)
        if modules.place(inner) != inner:  # a module itself
            place, _, name = modules.place(inner).rpartition(".")
            bound = alias.asname or alias.name
        elif name != alias.name and not alias.asname and not _free(name, code):
            place, name, bound = said, alias.name, alias.name
        else:
            bound = alias.asname or name
            if name != alias.name and not alias.asname:
                renamed[alias.name] = name
        aliases[alias.asname or alias.name] = inner
        by_module.setdefault(place, []).append(name if bound == name else f"{name} as {bound}")
    return "; ".join(
        f"from {place} import {', '.join(names)}" if place else f"import {', '.join(names)}"
        for place, names in by_module.items()
    )


def _import(node: ast.Import, modules: _Modules, aliases: dict[str, str]) -> str:
    parts = []
    for alias in node.names:
        aliases[alias.asname or alias.name] = alias.name
        place = modules.place(alias.name)
        parts.append(f"{place} as {alias.asname}" if alias.asname else place)
    return f"import {', '.join(parts)}"


# -- JavaScript, TypeScript ---------------------------------------------------------------------------

_JS_ENDING = re.compile(r"\.(?:[mc]?[jt]s|[jt]sx)$")
_SPECIFIER = re.compile(
    r"(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire(?:Actual|Mock)?\(\s*|\b(?:do|un)?[mM]ock\(\s*|\bimportActual\(\s*)([\"'])(\.[^\"'\n]*)\1"
)
_CLAUSE = re.compile(
    r"\bimport\s+(?:type\s+)?([^;\"'`()]+?)\s*from\s*([\"'])(\.[^\"'\n]*)\2"
    r"|\b(?:const|let|var)\s+(\{[^}]*\}|[\w$]+)\s*=\s*(?:await\s+)?(?:require|import)\(\s*([\"'])(\.[^\"'\n]*)\5\s*\)"
)


def _javascript(text: str, renames: Renames, path: str) -> Iterator[Edit]:
    bare, code = blanked(text, "js")
    folder = posixpath.dirname(path)
    for found in _CLAUSE.finditer(bare):
        clause, specifier = found[1] or found[4], found[3] or found[6]
        at = found.start(1) if found[1] else found.start(4)
        yield from _js_names(clause, at, specifier, folder, renames, code)
        moved = _js_moved(clause, specifier, folder, renames)
        if moved is not None:
            whole = found[0].replace(clause, moved[0], 1) if moved[0] else ""
            more = [
                found[0].replace(clause, f"{{ {names} }}", 1).replace(specifier, to, 1)
                for to, names in moved[1]
            ]
            yield found.start(), found.end(), "; ".join(filter(None, (whole, *more)))
    for found in _SPECIFIER.finditer(bare):
        yield found.start(2), found.end(2), _js_place(found[2], folder, renames.modules)
    yield from _method_edits(renames, code)


def _js_denotes(specifier: str, folder: str, path: str) -> bool:
    wanted = posixpath.normpath(posixpath.join(folder, specifier))
    stem = _JS_ENDING.sub("", path)
    return wanted == path or _JS_ENDING.sub("", wanted) == stem or f"{wanted}/index" == stem


def _js_place(specifier: str, folder: str, table: Mapping[str, str]) -> str:
    for old, new in table.items():
        if _js_denotes(specifier, folder, old):
            found = posixpath.relpath(new, folder or ".")
            ending = _JS_ENDING.search(specifier)
            if ending is None:
                found = re.sub(r"/index$", "", _JS_ENDING.sub("", found))
            elif (
                posixpath.splitext(old)[1] != ending[0]
            ):  # TypeScript is imported by the name of what it becomes
                found = _JS_ENDING.sub(ending[0], found)
            return found if found.startswith(".") else f"./{found}"
    return specifier


def _js_names(
    clause: str, at: int, specifier: str, folder: str, renames: Renames, code: str
) -> Iterator[Edit]:
    for old, new in renames.names.items():
        origin = renames.origins.get(old, "")
        around = posixpath.normpath(posixpath.join(folder, specifier, ".."))
        if not (_js_denotes(specifier, folder, origin) or _is_index(specifier, origin, around)):
            continue
        name = re.escape(old)
        if alias := re.match(r"(?:\*\s*as\s+)?([\w$]+)\s*$", clause):
            yield from _each(rf"(?<![\w$.]){re.escape(alias[1])}\.({name})(?![\w$])", code, new, 1)
        elif found := re.search(rf"[{{,]\s*({name})(?=\s*(?:as\b|:))", clause):
            yield at + found.start(1), at + found.end(1), new
        elif re.search(rf"[{{,]\s*{name}\s*[,}}]", clause) and _free(new, code):
            yield from _each(rf"(?<![\w$.]){name}(?![\w$])(?!\s*:)", code, new)


def _is_index(specifier: str, origin: str, around: str) -> bool:
    """A file that hands on what others beside and below it have."""
    return bool(re.search(r"(?:^|/)index(?:\.\w+)?$|^\.{1,2}$", specifier)) and origin.startswith(
        f"{around}/"
    )


def _js_moved(
    clause: str, specifier: str, folder: str, renames: Renames
) -> tuple[str, list[tuple[str, str]]] | None:
    """The clause without the names that moved to other files, and for each of these files its names."""
    moved = next((to for old, to in renames.moved.items() if _js_denotes(specifier, folder, old)), {})
    if not clause.startswith("{") or not moved:
        return None
    stay, gone = list[str](), dict[str, list[str]]()
    for part in (part.strip() for part in clause.strip("{} \n").split(",")):
        name = re.split(r"\s+as\s+|\s*:", part)[0]
        if name in moved:
            origin = next(old for old, to in renames.moved.items() if to is moved)
            gone.setdefault(_js_place(specifier, folder, {origin: moved[name]}), []).append(part)
        elif part:
            stay.append(part)
    if not gone:
        return None
    return (f"{{ {', '.join(stay)} }}" if stay else ""), [
        (to, ", ".join(names)) for to, names in gone.items()
    ]


# -- Go, Rust -------------------------------------------------------------------------------------------


def _moved_folders(renames: Renames) -> dict[str, str]:
    """Of Go packages: all files that moved from a folder moved to the same one."""
    found: dict[str, set[str]] = {}
    for old, new in renames.modules.items():
        if old.endswith(".go") and posixpath.dirname(old) != posixpath.dirname(new):
            found.setdefault(posixpath.dirname(old), set()).add(posixpath.dirname(new))
    return {old: new.pop() for old, new in found.items() if len(new) == 1}


def _go(text: str, renames: Renames, path: str) -> Iterator[Edit]:
    bare, code = blanked(text, "go")
    here = posixpath.dirname(path)
    qualifiers: dict[str, str] = {}  # folder -> how the test calls its package
    folders = _moved_folders(renames)
    for found in re.finditer(r"(?m)^(?:import[ \t]+|[ \t]+)?(?:(\w+)[ \t]+)?\"([\w./~-]+)\"", bare):
        if not renames.go_module or not f"{found[2]}/".startswith(f"{renames.go_module}/"):
            continue
        folder = found[2].removeprefix(renames.go_module).strip("/")
        qualifiers[folder] = found[1] or found[2].rpartition("/")[2]
        if folder in folders:
            yield found.start(2), found.end(2), f"{renames.go_module}/{folders[folder]}"
        if folder in renames.packages and not found[1]:
            yield from _each(rf"(?<![\w.]){qualifiers[folder]}(?=\.)", code, renames.packages[folder])
    if here in renames.packages:
        yield from _each(r"(?m)^package\s+(\w+?)(?=(?:_test)?\s*$)", code, renames.packages[here], 1)
    for old, new in renames.names.items():
        origin = posixpath.dirname(renames.origins.get(old, ""))
        if origin in qualifiers:
            yield from _each(rf"(?<![\w.]){qualifiers[origin]}\.({old})\b", code, new, 1)
        elif origin == here and _free(new, code):
            yield from _each(rf"(?<![\w.]){old}\b(?!\s*:[^=])", code, new)
    yield from _method_edits(renames, code)


def _rust(text: str, renames: Renames, path: str) -> Iterator[Edit]:
    code = blanked(text, "rust")[1]
    for old, new in renames.modules.items():
        then, now = ("::".join(_rust_path(place)) for place in (old, new))
        if old.endswith(".rs") and then and now:
            yield from _each(rf"(?<=::){then}\b", code, now)
    for old, new in renames.names.items():
        if renames.origins.get(old, "").endswith(".rs") and _free(new, code):
            yield from _each(rf"(?<![\w.]){old}\b", code, new)
    yield from _method_edits(renames, code)
    for old, new in renames.methods.items():
        yield from _each(rf"(?<=::){old}\b(?=\s*\()", code, new)


def _rust_path(path: str) -> list[str]:
    parts = path.removesuffix(".rs").split("/")
    parts = parts[parts.index("src") + 1 :] if "src" in parts else parts
    return [part for part in parts if part not in ("mod", "lib", "main")]
