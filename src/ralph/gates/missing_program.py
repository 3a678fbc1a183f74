"""Why a gate's command cannot be run at all: a program, an interpreter, a module, a script or a target that is not there.

A misspelt gate would be red forever, whatever the agent does. What the task may bring itself (a file of the project, a program
that the gate builds first) is not missing in this sense. In doubt nothing is said, and the gate is red like any other.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import msgspec

from ralph.gates.kinds import Surroundings

CODES = (126, 127)  # a shell's: found but not to be run, not found

_OPERATOR = re.compile(r"[;&|(){}!]+")
_KEYWORDS = frozenset({"if", "then", "else", "elif", "while", "until", "do", "time"})
_BUILTINS = frozenset(
    re.findall(
        r"\S+",
        ". : [ [[ alias bg break case cd command continue declare do done echo elif else esac eval exec exit export false fg "
        "fi for function getopts hash in jobs kill let local printf popd pushd pwd read readonly return set shift shopt "
        "source test then time times trap true type typeset ulimit umask unalias unset wait",
    )
)
_WRAPPERS = frozenset({"env", "exec", "command", "nice", "nohup", "setsid", "stdbuf", "sudo", "timeout"})
_SETTING = re.compile(r"[A-Za-z_]\w*=")
_OF_A_WRAPPER = re.compile(r"-.*|[\d.]+[smhd]?|[A-Za-z_]\w*=.*", re.DOTALL)
# What may bring the program that comes after it.
_MAKES = re.compile(
    r"(?:.*/.*|pip[\d.]*|pipx|uv|poetry|pdm|hatch|npm|pnpm|yarn|bun|c?make|ninja|meson|cargo|rustc|go|g?cc|[cg]\+\+|"
    r"clang.*|javac|mvn|gradle|bundle|gem|composer|dotnet|stack|cabal|mix|zig|python[\d.]*|node|perl|ruby|sh|bash|cp|ln|mv|install)"
)
_BIN_FOLDERS = (".venv/bin", "venv/bin", "node_modules/.bin", "vendor/bin", "bin")
_TOOL_FOLDERS = tuple(name for name in _BIN_FOLDERS if name != "bin")  # no one writes programs there by hand

_PYTHON_MODULES = (
    *(
        "pytest",
        "unittest",
        "doctest",
        "mypy",
        "ruff",
        "flake8",
        "pylint",
        "pyright",
        "black",
        "isort",
        "tox",
        "nox",
    ),
    *(
        "coverage",
        "behave",
        "nose2",
        "compileall",
        "bandit",
        "build",
        "pip",
        "ward",
        "pycodestyle",
        "pydocstyle",
    ),
)
_CARGO = ("test", "check", "clippy", "build", "fmt", "run", "bench", "doc", "nextest", "miri")
_GO = ("test", "vet", "build", "run", "fmt", "generate", "mod", "tool", "work", "install")


class _Call(msgspec.Struct, frozen=True):
    program: str
    folder: Path
    made: bool  # something before it in the command may have brought it


def missing_program(command: str, code: int, output: str, where: Surroundings) -> str:
    """What is missing, and what is nearest to it; empty when the command could be run, or when the task may bring it."""
    if code == 0:
        return ""
    calls = list(_calls(command, where.folder))
    if code in CODES:
        for call in calls:
            file = _file(call, where)
            interpreter = _interpreter(file) if file else ""
            if _names_one(output, call.program, interpreter) and (why := _cannot_start(call, where)):
                return why
    words = set(_words(command))
    built = any(call.made for call in calls)
    return next((why for find in _SAID if (why := find(words, output, where, built))), "")


def nearest(name: str, among: Iterable[str]) -> str:
    """The one that was probably meant."""
    names = sorted(set(among) - {name})
    if slipped := [other for other in names if _one_slip(name, other)]:
        return slipped[0]
    return next(iter(difflib.get_close_matches(name, names, 1, 0.75)), "")


def _one_slip(a: str, b: str) -> bool:
    """One letter too many, too few, another one, or two in each other's place."""
    if min(len(a), len(b)) < 3 or a == b:
        return False
    start = _shared(a, b)
    a, b = a[start:], b[start:]
    end = _shared(a[::-1], b[::-1])
    a, b = a[: len(a) - end], b[: len(b) - end]
    return max(len(a), len(b)) <= 1 or (len(a) == len(b) == 2 and a == b[::-1])


def _shared(a: str, b: str) -> int:
    return next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))


# -- the programs that the command calls ----------------------------------------------------------------------------------------


def _calls(command: str, folder: Path) -> Iterator[_Call]:
    """Its programs in their order, so far as they can be read off it."""
    words = _words(command.replace("\\\n", " ").replace("\n", " ; "))
    functions = {word for word, after in pairwise(words) if after == "()"}
    expects, wrapped, made = True, False, False
    for at, word in enumerate(words):
        if _OPERATOR.fullmatch(word) or word in _KEYWORDS:
            expects, wrapped = True, False
        elif not expects or _SETTING.match(word) or (wrapped and _OF_A_WRAPPER.fullmatch(word)):
            made |= expects and word.startswith("PATH=")
        elif word in _WRAPPERS:
            wrapped = True
        else:
            expects, wrapped = False, False
            after = words[at + 1] if at + 1 < len(words) else ""
            if word == "cd" and after and "$" not in after:
                folder = folder / after
            if word not in _BUILTINS | functions and not re.search(r"[$`*?<>]", word):
                yield _Call(os.path.expanduser(word), folder, made)  # noqa: PTH111
                made |= _MAKES.fullmatch(word) is not None


def _words(command: str) -> list[str]:
    """As a shell splits it, operators apart."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:  # an open quote: the shell will say so
        return []


def _file(call: _Call, where: Surroundings) -> Path | None:
    if "/" in call.program:
        return Path(os.path.normpath(call.folder / call.program))
    found = shutil.which(call.program, path=where.path)
    return Path(found) if found else None


def _names_one(output: str, *words: str) -> bool:
    """The shell blames one of these, and not what a script of the project calls."""
    names = (re.escape(Path(word).name) for word in words if word)
    return re.search(rf"(?<![\w-])(?:{'|'.join(names)})(?![\w-])", output) is not None


def _cannot_start(call: _Call, where: Surroundings) -> str:
    file, word = _file(call, where), call.program
    if file is None:
        return _not_on_path(call, where)
    if not file.exists():
        return _not_there(word, file, where)
    if file.is_dir():
        return f"`{word}` is a folder"
    if not os.access(file, os.X_OK):
        return f"`{word}` is not executable; `chmod +x {word}`, or name its interpreter: `sh {word}`"
    return _without_interpreter(file, word, where)


def _not_on_path(call: _Call, where: Surroundings) -> str:
    for folder in _BIN_FOLDERS:
        if os.access(where.folder / folder / call.program, os.X_OK):
            return f"`{call.program}` is not on PATH, but in {folder}: write `{folder}/{call.program}`"
    near = nearest(call.program, _programs(where))
    if call.made and not near:
        return ""
    return f"there is no program `{call.program}` on PATH" + _meant(near)


def _not_there(word: str, file: Path, where: Surroundings) -> str:
    """A file of the project may be the task's to write. The tools in it are not."""
    inside = file.is_relative_to(where.root)
    if inside and not str(file.parent).endswith(_TOOL_FOLDERS):
        return ""
    near = nearest(file.name, _names(file.parent))
    return (
        ""
        if inside and not near
        else f"there is no `{word}`" + _meant(str(Path(word).with_name(near)) if near else "")
    )


def _without_interpreter(file: Path, word: str, where: Surroundings) -> str:
    interpreter = _interpreter(file)
    name = Path(interpreter).name
    if not interpreter or (
        Path(interpreter).exists() if "/" in interpreter else shutil.which(name, path=where.path)
    ):
        return ""
    return f"the interpreter of `{word}` is not there: {interpreter}" + _meant(
        nearest(name, _programs(where))
    )


def _interpreter(file: Path) -> str:
    """That a script's first line names; after `env`, the name to be looked up."""
    try:
        with file.open("rb") as opened:
            first = opened.readline(300)
    except OSError:
        return ""
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    return words[0] if words else ""


def _programs(where: Surroundings) -> Iterator[str]:
    """On PATH, and as a path in the project's own folders of programs."""
    for folder in where.path.split(os.pathsep):
        if folder:
            yield from _names(Path(folder))


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208
    except OSError:
        return []


def _meant(near: str) -> str:
    return f"; did you mean `{near}`?" if near else ""


# -- what a program says that could be run, but not what it was asked to run ----------------------------------------------------


def _module(words: set[str], output: str, where: Surroundings, built: bool) -> str:
    found = re.search(r"^\S*python[\d.]*: No module named (\S+?)\.?$", output, re.MULTILINE)
    if not found or "-m" not in words or found[1] not in words:
        return ""
    near = _slip(found[1], _PYTHON_MODULES)
    if not near and (built or found[1] not in _PYTHON_MODULES):
        return ""
    return f"Python has no module `{found[1]}`" + (_meant(near) or "; install it where the gate runs")


def _script(words: set[str], output: str, where: Surroundings, built: bool) -> str:
    found = re.search(r'[Mm]issing script: "?([\w:.-]+)|error Command "([\w:.-]+)" not found', output)
    name = (found[1] or found[2]) if found else ""
    if name not in words or not (near := _slip(name, _scripts(where.folder))):
        return ""
    return f"package.json has no script `{name}`{_meant(near)}"


def _scripts(folder: Path) -> tuple[str, ...]:
    try:
        scripts = msgspec.json.decode((folder / "package.json").read_bytes()).get("scripts", {})
        return tuple(map(str, scripts))
    except (OSError, AttributeError, TypeError, msgspec.DecodeError):
        return ()


def _target(words: set[str], output: str, where: Surroundings, built: bool) -> str:
    found = re.search(r"No rule to make target [`'‘]([^'’]+)['’]\.?\s+Stop", output)
    if not found or found[1] not in words or not (near := _slip(found[1], _targets(where.folder))):
        return ""
    return f"the Makefile has no target `{found[1]}`{_meant(near)}"


def _targets(folder: Path) -> list[str]:
    for name in ("GNUmakefile", "makefile", "Makefile"):
        try:
            text = (folder / name).read_text("utf-8", "replace")
        except OSError:
            continue
        return re.findall(r"^([\w.-]+)\s*:(?!=)", text, re.MULTILINE)
    return []


def _subcommand(words: set[str], output: str, where: Surroundings, built: bool) -> str:
    for pattern, program, known in (
        (r"no such (?:sub)?command: `([\w-]+)`", "cargo", _CARGO),
        (r"^go (\w+): unknown command", "go", _GO),
    ):
        found = re.search(pattern, output, re.MULTILINE)
        if not found or not {program, found[1]} <= words:
            continue
        if (near := _slip(found[1], known)) or found[1] in known:
            return f"{program} has no command `{found[1]}`{_meant(near) or '; install it'}"
    return ""


def _spawned(words: set[str], output: str, where: Surroundings, built: bool) -> str:
    """`uv run`, `poetry run`: the program comes from an environment of theirs."""
    found = re.search(r"Failed to spawn: `([^`]+)`|^Command not found: (\S+)", output, re.MULTILINE)
    name = (found[1] or found[2]) if found else ""
    near = nearest(name, (*_PYTHON_MODULES, *_programs(where))) if name in words else ""
    return f"there is no program `{name}`{_meant(near)}" if near else ""


def _slip(name: str, among: Iterable[str]) -> str:
    """A project's own name may be like another by chance, so that only one slip counts."""
    return next((other for other in sorted(among) if _one_slip(name, other)), "")


_SAID: tuple[Callable[[set[str], str, Surroundings, bool], str], ...] = (
    _module,
    _script,
    _target,
    _subcommand,
    _spawned,
)
