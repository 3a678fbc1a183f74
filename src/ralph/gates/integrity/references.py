"""Which files the judges of the start use: data that they open, helpers that they assert with, scripts that they run.

Found backwards, from a changed path to the judges that name it: most changes are named by none. Every search is bounded.
"""

from __future__ import annotations

import ast
import posixpath
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from fnmatch import fnmatchcase

import msgspec

from ralph.core.globs import matches
from ralph.core.policy import CI
from ralph.gates.integrity.command_roles import read_command
from ralph.gates.integrity.sections import judging_text, package_scripts
from ralph.gates.judges import checks_by_name, configures_runner, is_shell, is_test
from ralph.git.trees import Trees, contents

SOURCE = frozenset(
    {
        "py",
        "pyi",
        "js",
        "jsx",
        "ts",
        "tsx",
        "mjs",
        "cjs",
        "mts",
        "cts",
        "vue",
        "svelte",
        "go",
        "rs",
        "java",
        "kt",
        "kts",
    }
    | {
        "scala",
        "groovy",
        "rb",
        "php",
        "c",
        "cc",
        "cpp",
        "cxx",
        "h",
        "hh",
        "hpp",
        "cs",
        "fs",
        "swift",
        "dart",
        "ex",
        "exs",
    }
    | {"erl", "hs", "ml", "lua", "pl", "pm", "r", "jl", "clj", "zig", "nim", "m", "mm", "sql"}
)
# Documents that tests may read are work, and so are dependencies and what a tool writes down.
_DOCUMENT = re.compile(
    r"(?i)(?:readme|change(?:s|log)|history|news|licen[cs]e|authors|contributing|notice|todo|prompt)\b.*|\.git\w+"
    r"|(?:.*[.-])?lock(?:\.\w+)?|package-lock\.json|go\.sum|.*-lock\.ya?ml|requirements.*\.txt|ralph\.ya?ml"
)
_DEPENDENCIES = re.compile(r"(?:.*/)?requirements/[^/]+\.(?:txt|in)")
_PROSE = re.compile(r"(?:.*/)?(?:docs?|documentation)/.*\.(?:rst|md|mdx|adoc|txt)")
_HELPER = re.compile(
    r"(?i)test[-_]?(?:util|helper|support|lib|kit|ing)\w*|\w*(?:check|assert|spec)[-_]?(?:helper|util|support)\w*|assert\w*|matchers"
)
# A module of the work that is there to feed tests, if its first lines say so.
_FEEDS = re.compile(r"(?i)samples?|fixtures?|arbitrary|test_?data|fakes?")
_SAYS_FEEDS = re.compile(r"(?i)\bfor (?:\w+ )?tests?\b")
_GLOB_WORD = re.compile(r"[\w./\[\]{}?*-]*[*?\[][\w./\[\]{}?*-]*")
_GENERATORS = frozenset(
    {
        "gen",
        "generate",
        "generator",
        "codegen",
        "build",
        "make",
        "update",
        "sync",
        "convert",
        "import",
        "fetch",
        "release",
    }
)
MOST_FILES = 3000  # judges that are searched
LARGEST = 400_000  # bytes of each
MOST_HITS = 200  # files of which more is asked than whether they name something


class Side(msgspec.Struct, frozen=True):
    """A tree as the rules see it. What is no file, or larger than LARGEST, is not read."""

    paths: frozenset[str]
    read_all: Callable[[Collection[str]], Mapping[str, bytes | None]]
    grep: Callable[[Collection[str]], Collection[str]]  # files that hold one of these words

    def read(self, path: str) -> bytes | None:
        return self.read_all((path,)).get(path)


def side_of(trees: Trees, tree: str, changed: Collection[str] = ()) -> Side:
    """Of a recorded tree. The `changed` paths are read at once, and nothing is read twice."""
    paths = frozenset(path for _, _, path in trees.files(tree))
    seen: dict[str, bytes | None] = {}

    def read_all(wanted: Collection[str]) -> dict[str, bytes | None]:
        fresh = [path for path in (wanted if seen else {*wanted, *changed}) if path not in seen]
        if fresh:
            seen.update(dict.fromkeys(fresh))
            seen.update(contents(trees, tree, fresh, largest=LARGEST))
        return {path: seen[path] for path in wanted}

    def grep(words: Collection[str]) -> Collection[str]:
        pattern = "|".join(re.sub(r"([\\.^$*+?{}()|\[\]])", r"\\\1", word) for word in words)
        return trees.grep(tree, pattern)

    return Side(paths, read_all, grep)


def _text(content: bytes | None) -> str:
    return (content or b"").decode(errors="replace")


def suffix_of(path: str) -> str:
    name = posixpath.basename(path)
    return name.rpartition(".")[2].lower() if "." in name.lstrip(".") else ""


def is_source(path: str) -> bool:
    return suffix_of(path) in SOURCE


def _vendored(path: str) -> str:
    """The package that a file of a recorded dependency belongs to; "" for the project's own."""
    parts = path.split("/")[:-1]
    if "node_modules" in parts:
        package = parts[len(parts) - parts[::-1].index("node_modules") :]
        return "/".join(package[: 2 if package and package[0].startswith("@") else 1])
    return parts[-1] if parts and parts[0] in ("vendor", "third_party") else ""


def is_production(path: str) -> bool:
    return (
        is_source(path)
        and not _vendored(path)
        and not is_test(path)
        and not checks_by_name(path)
        and not configures_runner(path)
    )


def _generates(path: str) -> bool:
    """Whether a tool makes part of the work out of what it reads."""
    stem = posixpath.basename(path).partition(".")[0]
    words = re.findall(r"[A-Z]?[a-z]+", stem)
    return is_source(path) and not is_test(path) and any(word.lower() in _GENERATORS for word in words)


class References:
    """What the judges of the start name, asked of one changed path at a time. `known`: judges that the command names."""

    def __init__(self, start: Side, known: Collection[str], paths: Collection[str]) -> None:
        """`paths` are those that will be asked of: the judges are read once."""
        self._start = start
        self._known = frozenset(known)
        self._found: dict[str, dict[str, str]] = {path: {} for path in paths}
        self._scripts: dict[str, str] = {}  # those of the judges that are shell scripts
        words = {path: _words(path) for path in paths}
        if words:
            self._search(words)

    def _search(self, words: Mapping[str, tuple[str, ...]]) -> None:
        pattern = re.compile("|".join(sorted({re.escape(word) for some in words.values() for word in some})))
        for judge, text in self._judges().items():
            if is_shell(judge, None):
                self._scripts[judge] = text
            if not pattern.search(text):
                continue
            for path, some in words.items():
                if path != judge and any(word in text for word in some):
                    self._found[path][judge] = text

    def _judges(self) -> dict[str, str]:
        """The judges of the start, as text; with the scripts that they run, and those that these run."""
        fresh = [path for path in sorted(self._start.paths) if self._may_judge(path)][:MOST_FILES]
        scripts = {path for path in self._start.paths if is_shell(path, None)} - set(fresh)
        found: dict[str, str] = {}
        while fresh:
            read = self._start.read_all(fresh)
            texts = {path: judging_text(path, _text(read.get(path))) for path in fresh}
            found |= texts
            named = {
                path for path in scripts if any(posixpath.basename(path) in text for text in texts.values())
            }
            fresh = [path for path in sorted(named) if any(self._runs(*item, path) for item in texts.items())]
            scripts -= set(fresh)
        return found

    def _may_judge(self, path: str) -> bool:
        named = checks_by_name(path) and (is_source(path) or not suffix_of(path) or is_shell(path, None))
        return path in self._known or is_test(path) or configures_runner(path) or named

    def judge(self, path: str) -> bool:
        """Whether the judges of the start use this file of the start as one of theirs."""
        if checks_by_name(path) and self._runs_by_pattern(path):
            return True
        naming = self._found.get(path, {})
        if not naming or _DOCUMENT.fullmatch(posixpath.basename(path)) or _DEPENDENCIES.fullmatch(path):
            return False
        if matches(path, CI) and any(posixpath.basename(path) in text for text in naming.values()):
            return True
        if _vendored(path):  # a library that only tests use
            used = any(_imports(text, path) for judge, text in naming.items() if is_test(judge))
            return used and not self.is_used(path)
        content = self._start.read(path)
        scripted = is_shell(path, content) or (is_source(path) and checks_by_name(path))
        if scripted and any(self._runs(judge, text, path) for judge, text in naming.items()):
            return True
        if is_shell(path, content):
            return False
        if is_source(path):
            return self._asserts(path, _text(content), naming)
        return any(_opens(judge, text, path) for judge, text in naming.items()) and not self.is_used(path)

    def _runs_by_pattern(self, path: str) -> bool:
        """Whether a script goes through the checks of its own folder, and this is one of them."""
        folder, name = posixpath.split(path)
        return any(
            fnmatchcase(name, posixpath.basename(word))
            for judge, text in self._scripts.items()
            if posixpath.dirname(judge) == folder and judge != path
            for word in _GLOB_WORD.findall(text)
            if posixpath.dirname(word) in ("", ".", folder, posixpath.basename(folder))
        )

    def sourced(self, path: str) -> bool:
        """Whether a judge of the start takes in a file of this name if there is one."""
        return any(_takes_in(judge, text, path) for judge, text in self._found.get(path, {}).items())

    def _runs(self, judge: str, text: str, path: str) -> bool:
        """A script that another judge runs or takes in. What a test runs is what it tests, unless it is a check."""
        for command in _commands(judge, text):
            for role in roles_in(command, path):
                if role == "sources" or (
                    role in ("runs", "data") and (not is_test(judge) or checks_by_name(path))
                ):
                    return True
        return not is_shell(judge, None) and _takes_in(judge, text, path)

    def _asserts(self, path: str, content: str, naming: Mapping[str, str]) -> bool:
        """A module that only tests use, and only to assert."""
        tests = {judge: text for judge, text in naming.items() if is_source(judge) and _imports(text, path)}
        if suffix_of(path) == "go":
            return bool(re.search(r"\*testing\.(?:T|B|F)\b|\btesting\.TB\b", content)) and not self.is_used(
                path
            )
        named = any(_HELPER.fullmatch(part.partition(".")[0]) for part in path.split("/"))
        feeds = _FEEDS.fullmatch(posixpath.basename(path).partition(".")[0]) and _SAYS_FEEDS.search(
            content[:400]
        )
        helper = bool(feeds) or (named and not self._is_offered(path))
        asserts = bool(tests) and (helper or _called_as_statements(path, content, tests))
        return asserts and not self.is_used(path)  # which looks at the whole tree, and so comes last

    def _is_offered(self, path: str) -> bool:
        """A Python package offers the module to those who use it, like any other that lies beside it."""
        folder = posixpath.dirname(path)
        beside = (
            other for other in self._start.paths if posixpath.dirname(other) == folder and other != path
        )
        names = {posixpath.basename(other) for other in beside if is_production(other)}
        return "__init__.py" in names and len(names) > 1

    def is_used(self, path: str) -> bool:
        """Whether production of the start refers to it."""
        words = _words(path)[:1]
        named = sorted(hit for hit in self._start.grep(words) if hit != path)
        hits = [hit for hit in named if is_production(hit) or _generates(hit)][:MOST_HITS]
        if not is_source(path) and not _vendored(path):
            return bool(hits)
        texts = self._start.read_all(hits)
        return any(_imports(_without_declarations(_text(texts.get(hit)), path), path) for hit in hits)


def _without_declarations(text: str, path: str) -> str:
    """Rust: `pub mod samples;` makes a module part of the crate, and is no use of it; `samples::all()` is."""
    if suffix_of(path) != "rs":
        return text
    word = _words(path)[0]
    text = re.sub(rf"(?m)^[ \t]*(?:pub(?:\([^)\n]*\))?\s+)?mod\s+{re.escape(word)}\s*;", "", text)
    return f"use {word};\n{text}" if re.search(rf"\b{re.escape(word)}::", text) else text


def _words(path: str) -> tuple[str, ...]:
    """By which others call the file: its name; of a module, without the suffix; and the folder of a data file."""
    folder, name = posixpath.split(path)
    if package := _vendored(path):
        return (package,)
    if is_source(path):
        stem = name.rpartition(".")[0]
        return (
            (posixpath.basename(folder),)
            if stem in ("__init__", "index", "mod") or name.endswith(".go")
            else (stem,)
        )
    return (name, f"{posixpath.basename(folder)}/", f'"{posixpath.basename(folder)}"') if folder else (name,)


def _opens(judge: str, text: str, path: str) -> bool:
    """Whether a judge reads the data file: by its name, or by the folder that it is in."""
    folder, name = posixpath.split(path)
    if is_shell(judge, None) or posixpath.basename(judge) == "package.json":
        roles = {role for command in _commands(judge, text) for role in roles_in(command, path)}
        if roles & {"data", "sources", "runs"} or ("compared" in roles and is_golden(path)):
            return True
        if roles:
            return False
    if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text):
        return True
    last = posixpath.basename(folder)
    return (
        len(last) > 2
        and not _PROSE.fullmatch(path)
        and re.search(rf"""["'/]{re.escape(last)}["'/]""", text) is not None
        and is_source(judge)
    )


def is_golden(path: str) -> bool:
    """Whether the name says that it is what something should be."""
    return (
        re.search(r"(?i)expect|golden|want|reference|snapshot|baseline|approved|\.exp\Z|\.out\Z", path)
        is not None
    )


def _commands(judge: str, text: str) -> list[str]:
    if posixpath.basename(judge) == "package.json":
        return package_scripts(text)
    return [text] if is_shell(judge, None) or not is_source(judge) else []


def roles_in(command: str, path: str) -> Iterator[str]:
    """What the command does with a file of this name, wherever it is."""
    name = posixpath.basename(path)
    for word, role in read_command(command).roles:
        if any(posixpath.basename(part) == name for part in (word, *re.split(r"[=:@,]", word))):
            yield role


def _takes_in(judge: str, text: str, path: str) -> bool:
    """`. FILE`, `include FILE`, `source FILE`, dotenv."""
    name = re.escape(posixpath.basename(path))
    if posixpath.basename(path).startswith(".env") and re.search(r"dotenv|env-file|\.env\b", text):
        return True
    if is_source(judge):
        return False
    pattern = (
        rf"(?m)^[ \t@;&|({{]*(?:-?s?include|\.|source)\s+[^\n#]*?(?<![\w.-]){name}(?![\w.-])"
        rf"|--(?:require|import|env-file|config|setup)[= ]\S*{name}"
    )
    if re.search(pattern, text):
        return True
    globs = re.findall(r"(?m)^[ \t]*-?s?include\s+([^\n#]+)", text)
    return any(
        re.fullmatch(re.escape(one.rpartition("/")[2]).replace(r"\*", ".*"), posixpath.basename(path))
        for line in globs
        for one in line.split()
        if "*" in one
    )


def _imports(text: str, path: str) -> bool:
    """Whether some line takes in the module."""
    word = re.escape(_words(path)[0])
    if not word:
        return False
    pattern = (
        rf"(?m)^[ \t]*(?:from\s+[\w.]*\b{word}\b|import\s+[^\n]*\b{word}\b|from\s+[\w.]+\s+import\s+[^\n]*\b{word}\b)"
        rf"|(?:require|import|from)\s*\(?\s*[\"'`][^\"'`\n]*\b{word}(?:\.\w+)?[\"'`]"
        rf"|^[ \t]*(?:use|mod|extern crate|pub mod)\s[^\n;]*\b{word}\b|[\"`][^\"`\s]*/{word}[\"`]"
        rf"|#include\s+[\"<][^\">\n]*\b{word}\b"
        rf"|import_module\([^)\n]*\b{word}\b"
    )
    return re.search(pattern, text) is not None


_ASSERTING = re.compile(
    r"\bassert\b|\bAssertionError\b|\bassert[.(]|\bexpect\(|\bpytest\.fail|\bthrow\b|\braise\b|\bprocess\.exit|\bpanic"
)


def _called_as_statements(path: str, content: str, tests: Mapping[str, str]) -> bool:
    """Whether the tests use nothing of it but functions that assert, and never their results."""
    names = set(re.findall(r"(?m)^(?:export\s+)?(?:async\s+)?(?:def|function)\s+(\w+)", content))
    names |= set(re.findall(r"(?m)^(?:export\s+)?const\s+(\w+)\s*=\s*(?:async\s*)?\(?[^=\n]*=>", content))
    used: set[str] = set()
    for text in tests.values():
        calls = list(_calls(text, names, python=suffix_of(path) == "py"))
        if any(not statement for _, statement in calls):
            return False
        used |= {name for name, _ in calls}
    return bool(used) and _ASSERTING.search(content) is not None


def _calls(text: str, names: Collection[str], *, python: bool) -> Iterator[tuple[str, bool]]:
    """Each call of one of the names, and whether it is a statement by itself."""
    if python:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                called = (
                    node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                )
                if called in names:
                    yield called, id(node) in statements
        return
    for match in re.finditer(
        r"(?m)(?P<before>^[ \t]*(?:await\s+)?(?:\w+\.)?|[;{>]\s*(?:await\s+)?(?:\w+\.)?)?\b(?P<name>\w+)\s*\(",
        text,
    ):
        if match["name"] in names:
            yield match["name"], match["before"] is not None
