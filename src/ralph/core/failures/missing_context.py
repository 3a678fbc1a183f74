"""Does a failure say that something is unknown rather than wrong? Then more context helps.

One table over languages: what each calls a missing module, name, file, command or build target.
"""

from __future__ import annotations

import re

import msgspec

from ralph.core.failures.excerpt import bounded_lines

MAX_NAMES = 10
MAX_FILES = 10
_TRACE_LINES = 60  # how far from its message a trace is followed

_Q = r"[`'\"‘]([^`'\"‘’\n]+)[`'\"’]"  # a quoted name, in the quotes of any tool

_ROWS: tuple[tuple[str, str], ...] = (
    # Python
    ("module", rf"ModuleNotFoundError: No module named {_Q}"),
    ("module", r": No module named ([\w.]+)$"),
    ("name", rf"ImportError: cannot import name {_Q}"),
    ("module", r"\bImportError: (?!cannot import name)"),
    ("name", rf"NameError: (?:\w+ )*name {_Q} is not defined"),
    ("name", rf"AttributeError: (?:\w+ )*module {_Q} has no attribute {_Q}"),
    ("name", rf"\bfixture {_Q} not found"),
    ("file", rf"[Nn]o such file or directory: {_Q}"),
    # JavaScript, TypeScript
    ("module", rf"Cannot find (?:module|package) {_Q}"),
    ("module", rf"(?:Failed to resolve import|Can't resolve) {_Q}"),
    ("name", r"ReferenceError: (\S+) is not defined"),
    ("name", rf"\bTS2304: Cannot find name {_Q}"),
    ("name", rf"has no exported member {_Q}|does not provide an export named {_Q}"),
    ("file", rf"\bENOENT: no such file or directory, \w+ {_Q}"),
    # Go
    ("name", r"\bundefined: ([\w.]+)"),
    ("module", r"no required module provides package ([^\s;:]+)|cannot find module providing package ([^\s;:]+)"),
    ("module", r"\bpackage (\S+) is not in (?:GOROOT|std)\b"),
    ("module", rf"cannot find package {_Q}"),
    ("file", r"\b(?:open|stat|lstat|chdir|fork/exec) ([^:\n]+): no such file or directory"),
    ("command", rf"exec: {_Q}: executable file not found"),
    # Rust
    ("name", rf"cannot find (?:(?!module|crate)[\w,]+ )*{_Q} in (?:this scope|module|crate)"),
    ("module", rf"cannot find (?:module or )?crate {_Q}|can't find crate for {_Q}"),
    ("module", rf"unresolved imports? {_Q}|use of (?:undeclared|unresolved) (?:crate or )?module (?:or unlinked crate )?{_Q}"),
    ("module", rf"use of undeclared type {_Q}|file not found for module {_Q}|no matching package named {_Q}"),
    # Java, Kotlin
    ("module", r": error: package ([\w.]+) does not exist"),
    ("name", r": error: cannot find symbol"),
    ("name", r"^\s+symbol: +\w+ (\w+)"),
    ("module", r"\b(?:ClassNotFoundException|NoClassDefFoundError): ([\w.$/]+)"),
    ("name", r"[Uu]nresolved reference:? ['`]?(\w+)"),
    # C, C++
    ("file", r"fatal error: '?([^':\n]+?)'?(?:: No such file or directory| file not found)"),
    ("name", rf"undefined reference to {_Q}|use of undeclared identifier {_Q}|unknown type name {_Q}"),
    ("name", rf": error: {_Q} (?:undeclared|was not declared|does not name a type)"),
    ("module", r"\bld: cannot find (-l\S+?):?(?= |$)|library (?:not found for|'[^']*' not found).*(-l\S+)"),
    # Ruby, PHP, C#
    ("module", r"cannot load such file -- (\S+)"),
    ("name", rf"uninitialized constant ([\w:]+)|undefined local variable or method {_Q}"),
    ("name", rf"(?:Class|Interface|Trait) {_Q} not found|Call to undefined function ([\w\\]+)\("),
    ("file", rf"Failed opening required {_Q}"),
    ("name", rf"\bCS(?:0246|0234)\b.*? name {_Q}|\bCS0103\b.*? name {_Q}"),
    # shell, make, npm
    ("command", r"(?:^|: )([^\s:]+): (?:command )?not found$|command not found: (\S+)$"),
    ("command", r"^make(?:\[\d+\])?: ([^\s:]+): No such file or directory$"),
    ("file", r"(?:^|: )([^\s:][^:\n]*): No such file or directory$"),
    ("target", rf"No rule to make target {_Q}|^npm .*Missing script: {_Q}"),
)  # fmt: skip
_TABLE = tuple((kind, re.compile(pattern, re.MULTILINE)) for kind, pattern in _ROWS)

_SOURCE = re.compile(
    r"[mc]?[jt]s|[jt]sx|vue|svelte|pyi?|go|rs|java|kts?|scala|groovy|[chm]|cc|[ch]pp|cxx|hh|mm|rb|php|cs|fs|vb|swift"
    r"|(?:ba|z)?sh|p[lm]|lua|exs?|erl|hs|ml|sql|json|toml|ya?ml|ini|cfg|xml|html|s?css|proto|gradle|cmake|mk"
)
_SOURCE_NAMES = frozenset(("Makefile", "GNUmakefile", "Dockerfile", "Gemfile", "Rakefile"))
_FOREIGN = re.compile(  # not of the project: of the language or of its packages
    r"^/(?:usr|lib|lib64|opt|nix|rustc|snap|Library)/|(?:^|/)(?:node_modules|[sd][a-z]+-packages|\.venv|\.cargo|\.rustup"
    r"|\.pyenv|\.nvm|\.gem|\.m2|\.gradle)/|/lib/python\d|/pkg/mod/|^<"
)
_FOREIGN_FRAME = re.compile(r"^\s*at (?:java|javax|jdk|sun|kotlin|scala|org\.junit|org\.gradle)[./]")
_TOKEN = re.compile(r"[^\s'\"`‘’()<>\[\]{},;:|=]+")
_PYTHON_HEADING = re.compile(r"^\s*Traceback \(most|^_{3,} |^={3,}")
_PYTHON_FRAME = re.compile(r'^\s*File ".*", line \d|^\S+\.py:\d+: ')


class MissingContext(msgspec.Struct, frozen=True):
    """What is missing (`kind`: module, name, file, command, target), by name, and where the trace points.

    `files` are as the tool wrote them: a path below the root, or only its last parts (Go, Java).
    """

    kind: str
    names: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


def missing_context(output: str, root: str = "") -> MissingContext | None:
    """With `root`, the directory in which the gate ran, absolute paths below it become relative, others go."""
    lines = bounded_lines(output)
    text = "\n".join(lines)
    matches = sorted(
        (
            (match.start(), order, kind, match)
            for order, (kind, row) in enumerate(_TABLE)
            for match in row.finditer(text)
        ),
        key=lambda found: found[:2],
    )
    if not matches:
        return None
    named = [(kind, name) for _, _, kind, match in matches if (name := _name(match))]
    names = tuple(dict.fromkeys(name for _, name in named))
    missing = {_slashed(name) for name in names}
    paths: list[str] = []
    for start, _, _, _ in matches:
        paths += _trace(lines, text.count("\n", 0, start))
        if len(paths) > 20 * MAX_FILES:
            break
    files = dict.fromkeys(path for path in _relative(paths, root) if path not in missing)
    return MissingContext(
        named[0][0] if named else matches[0][2], names[:MAX_NAMES], tuple(files)[:MAX_FILES]
    )


def _name(match: re.Match[str]) -> str:
    return ".".join(group for group in match.groups() if group)


def _trace(lines: list[str], at: int) -> list[str]:
    """Innermost first: the message's own line, then Python's frames around it, or other languages' below it."""
    after, before = lines[at + 1 : at + _TRACE_LINES], lines[max(0, at - _TRACE_LINES) : at][::-1]
    python = [line for line in _own(after)[:8] + _own(before) if _PYTHON_FRAME.match(line)]
    near = [lines[at], *(python or after)]
    return [path for line in near if not _FOREIGN_FRAME.match(line) for path in _paths(line)]


def _own(lines: list[str]) -> list[str]:
    """Up to where another failure begins."""
    return lines[: next((n for n, line in enumerate(lines) if _PYTHON_HEADING.match(line)), len(lines))]


def _paths(line: str) -> list[str]:
    tokens = (token.rstrip(".") for token in _TOKEN.findall(line))
    return [token for token in tokens if token in _SOURCE_NAMES or _is_source(token)]


def _is_source(token: str) -> bool:
    stem, dot, extension = token.rpartition(".")
    return (
        bool(stem and dot)
        and _SOURCE.fullmatch(extension) is not None
        and ".." not in token
        and token != "Node.js"
    )


def _relative(paths: list[str], root: str) -> list[str]:
    paths = [_slashed(path) for path in paths]
    root = root.rstrip("/") or _common_directory([p for p in paths if p[0] == "/" and not _FOREIGN.search(p)])
    relative = (path.removeprefix(root + "/") for path in paths)
    return [path for path in relative if path[0] != "/" and not _FOREIGN.search(path)]


def _slashed(path: str) -> str:
    """`file://` leaves two slashes, and `./` says nothing."""
    path = "/" + path.lstrip("/") if path.startswith("/") else path
    return path.removeprefix("./")


def _common_directory(paths: list[str]) -> str:
    """The root, as far as the paths of the trace tell it."""
    directories = [path.split("/")[:-1] for path in paths]
    common = min(directories, default=[])
    for directory in directories:
        common = common[
            : next(
                (n for n, (a, b) in enumerate(zip(common, directory, strict=False)) if a != b), len(common)
            )
        ]
    return "/".join(common)
