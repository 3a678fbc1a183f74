"""What a shell command does with the files it names: runs them, reads commands from them, checks them, or shows their output
to another command. Only a reading of words: nothing is expanded or run.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

import msgspec

Role = Literal[
    "runs",  # its exit code is the verdict
    "sources",  # its commands become part of the command
    "tests",  # a test runner collects it
    "doctests",  # a test runner looks for examples in it
    "shown",  # run, but another command judges what it prints
    "given",  # what is checked, looked at or written
    "compared",  # one side of a comparison
    "data",  # read by what is run
]

_SHELLS = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "busybox"})
_INTERPRETERS = re.compile(
    r"(?:python|pypy)[\d.]*|node|nodejs|ruby|perl|php|lua|Rscript|tsx|ts-node|bun|deno|java|swift|escript|elixir"
)
_MAKES = frozenset({"make", "gmake", "just", "task", "ninja", "rake"})
_CHECKERS = frozenset(
    {
        "mypy",
        "ruff",
        "flake8",
        "pylint",
        "black",
        "isort",
        "pyright",
        "pytype",
        "bandit",
        "pyflakes",
        "pycodestyle",
    }
    | {
        "pydocstyle",
        "vulture",
        "codespell",
        "py_compile",
        "compileall",
        "eslint",
        "tsc",
        "prettier",
        "stylelint",
    }
    | {
        "biome",
        "xo",
        "standard",
        "jshint",
        "oxlint",
        "shellcheck",
        "shfmt",
        "hadolint",
        "yamllint",
        "markdownlint",
    }
    | {
        "gofmt",
        "goimports",
        "golint",
        "staticcheck",
        "golangci-lint",
        "rustc",
        "rustfmt",
        "clang-tidy",
        "cppcheck",
    }
    | {
        "clang-format",
        "gcc",
        "g++",
        "cc",
        "c++",
        "clang",
        "clang++",
        "javac",
        "ld",
        "ar",
        "go",
        "cargo",
        "swiftc",
    }
)
_RUNNERS = frozenset(
    {
        "pytest",
        "py.test",
        "unittest",
        "jest",
        "vitest",
        "mocha",
        "ava",
        "tap",
        "jasmine",
        "nose2",
        "tape",
        "rspec",
    }
    | {"phpunit", "bats", "prove", "behave", "c8", "nyc"}
)
# What they are given is looked at, written or passed on; it is what the work has to bring about.
_LOOKERS = frozenset(
    {
        "grep",
        "egrep",
        "fgrep",
        "rg",
        "test",
        "[",
        "[[",
        "ls",
        "cat",
        "head",
        "tail",
        "wc",
        "stat",
        "file",
        "cp",
        "mv",
    }
    | {
        "rm",
        "mkdir",
        "touch",
        "echo",
        "printf",
        "cd",
        "pushd",
        "find",
        "sed",
        "awk",
        "jq",
        "sort",
        "uniq",
        "tr",
        "cut",
    }
    | {
        "tee",
        "chmod",
        "git",
        "tar",
        "which",
        "sha256sum",
        "md5sum",
        "ln",
        "install",
        "expr",
        "less",
        "more",
        "ts",
    }
    | {
        "xxd",
        "od",
        "rev",
        "nl",
        "column",
        "curl",
        "wget",
        "kill",
        "sleep",
        "export",
        "unset",
        "read",
        "ldd",
        "nm",
    }
)
_COMPARERS = frozenset({"diff", "cmp", "comm", "colordiff", "sdiff"})
_PASS_ON = frozenset({"tee", "cat", "ts", "head", "tail", "less", "more", "sed", "tr", "nl", "column", "tac"})
_PREFIXES = frozenset(
    {
        "env",
        "time",
        "nice",
        "exec",
        "sudo",
        "nohup",
        "stdbuf",
        "command",
        "xvfb-run",
        "npx",
        "bunx",
        "pnpx",
        "uvx",
    }
    | {
        "if",
        "then",
        "else",
        "elif",
        "do",
        "while",
        "until",
        "!",
        "{",
        "(",
        "builtin",
        "setsid",
        "ionice",
        "strace",
    }
    | {"timeout", "xargs", "eval", "parallel", "chronic", "faketime"}
)
_TWO_WORDS = frozenset(
    {("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run"), ("hatch", "run"), ("pnpm", "exec")}
    | {
        ("bundle", "exec"),
        ("yarn", "exec"),
        ("npm", "exec"),
        ("coverage", "run"),
        ("go", "run"),
        ("deno", "run"),
    }
    | {("bun", "run"), ("bun", "test"), ("rye", "run"), ("pixi", "run")}
)
# Options whose value is a file that decides how the program works.
_FILE_OPTION = re.compile(
    r"-{1,2}(?:\w+-)*(?:config|rcfile|require|import|loader|env-file|file|ini|settings|setup|c|f|r|p)(?:-file|-path)?\Z"
)
_STOPS = re.compile(r"(?:\|\||&&|;;|[;|&()\n]|\|&)+\Z")
_SUBSTITUTED = re.compile(r"(?:[$<>]\(([^()]*(?:\([^()]*\)[^()]*)*)\)|`([^`]*)`)")
MOST_TEXT = 200_000


class _Simple(msgspec.Struct, frozen=True):
    """One program with its words. `into`: the program that its output goes to."""

    words: tuple[str, ...]
    reads: tuple[str, ...] = ()  # by `<`
    writes: tuple[str, ...] = ()  # by `>`
    into: str = ""
    into_bare: bool = False  # and that one has no operand: it reads what to do


class Reading(msgspec.Struct, frozen=True):
    roles: tuple[tuple[str, Role], ...]
    written: frozenset[str]  # by redirection


@lru_cache(maxsize=256)
def read_command(text: str) -> Reading:
    """The words of the command that may be files, each with what happens to it."""
    roles: list[tuple[str, Role]] = []
    written: set[str] = set()
    _read(text[:MOST_TEXT], roles, written, judged=False, depth=0)
    return Reading(tuple(dict.fromkeys(roles)), frozenset(written))


def _read(text: str, roles: list[tuple[str, Role]], written: set[str], *, judged: bool, depth: int) -> None:
    """`judged`: another command looks at what this one prints."""
    if depth > 4:
        return
    inner: list[str] = []

    def put_aside(match: re.Match[str]) -> str:
        inner.append(match[1] or match[2] or "")
        return f"__SUBSTITUTED{len(inner) - 1}__"

    lines = re.sub(r"\\\n", " ", text)
    commands = list(_simples(_SUBSTITUTED.sub(put_aside, lines)))
    looked_at = {
        word for one in commands if _name(one.words) in _LOOKERS | _COMPARERS for word in one.words[1:]
    }
    for one in commands:
        written |= set(one.writes)
        words = _stripped(one.words)
        name = posixpath.basename(words[0]) if words else ""
        shown = judged or bool(one.into and one.into not in _PASS_ON and not one.into_bare)
        shown = shown or any(place in looked_at for place in one.writes)
        for number, said in enumerate(inner):
            if any(f"__SUBSTITUTED{number}__" in word for word in one.words):
                _read(said, roles, written, judged=name in _LOOKERS | _COMPARERS, depth=depth + 1)
                if name in _SHELLS or not name:  # sh -c "$(cat FILE)", most=$(cat FILE)
                    kept: Role = "runs" if name else "data"
                    roles += [(word, kept) for word, role in _operands(said) if role == "given"]
        if not words:
            continue
        if name in _SHELLS and (script := _after_option(words, "-c")) is not None:
            _read(script, roles, written, judged=shown, depth=depth + 1)
            continue
        if name in _SHELLS and len(words) == 1:
            roles += [(place, "runs") for place in one.reads]
        else:
            roles += [(place, "data") for place in one.reads]
        if one.into_bare:  # cat FILE | sh
            roles += [(word, "runs") for word in words[1:]]
        roles += [
            (word, "shown" if role == "runs" and shown else role)
            for word, role in _roles(name, words)
            if "__SUBSTITUTED" not in word
        ]


def _operands(text: str) -> Iterator[tuple[str, Role]]:
    for one in _simples(text):
        if words := _stripped(one.words):
            yield from _roles(posixpath.basename(words[0]), words)


def _simples(text: str) -> Iterator[_Simple]:
    tokens = [token for line in text.splitlines() for token in (*_tokens(line), "\n")]
    found: list[_Simple] = []
    words: list[str] = []
    reads: list[str] = []
    writes: list[str] = []
    stops: list[str] = []
    redirects = ""
    for token in (*tokens, ";"):
        if redirects:
            (reads if redirects.startswith("<") else writes).append(token)
            redirects = ""
        elif re.fullmatch(r"[<>&]*[<>][<>&|]*", token):
            redirects = token
            if words and words[-1].isdigit():
                words.pop()
        elif _STOPS.fullmatch(token):
            found.append(_Simple(tuple(words), tuple(reads), tuple(writes)))
            stops.append(token)
            words, reads, writes = [], [], []
        else:
            words.append(token)
    for number, one in enumerate(found):
        following = _stripped(found[number + 1].words) if number + 1 < len(found) else ()
        if stops[number] in ("|", "|&") and following:
            name = posixpath.basename(following[0])
            bare = len(following) == 1 and (name in _SHELLS or _INTERPRETERS.fullmatch(name) is not None)
            one = msgspec.structs.replace(one, into=name, into_bare=bare)
        yield one


def _tokens(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    try:
        return list(lexer)
    except ValueError:  # an open quote
        return line.split()


def _name(words: Sequence[str]) -> str:
    stripped = _stripped(words)
    return posixpath.basename(stripped[0]) if stripped else ""


def _stripped(words: Sequence[str]) -> tuple[str, ...]:
    """Without assignments and without programs that run another."""
    words = tuple(words)
    while words:
        if tuple(words[:2]) in _TWO_WORDS:
            words = words[1:] if words[0] in ("bun", "deno", "go") and words[1] == "run" else words[2:]
            if words and words[0] == "run":
                words = ("node", *words[1:])
            while words and words[0].startswith("-") and words[0] != "-m":
                words = words[1:]
            if words and words[0] == "-m":
                words = ("python", *words)
        elif re.match(r"[@-]?[A-Za-z_]\w*\+?=", words[0]) or words[0] in ("@", "-", "+"):
            words = words[1:]
        elif words[0] in _PREFIXES:
            words = words[1:]
            while words and (words[0].startswith("-") or re.fullmatch(r"[\d.]+[smhd]?", words[0])):
                words = words[1:]
        else:
            break
    if words and words[0][0] in "@-+" and len(words[0]) > 1:  # of a recipe
        words = (words[0].lstrip("@-+"), *words[1:])
    return words


def _after_option(words: Sequence[str], option: str) -> str | None:
    for number, word in enumerate(words[1:-1], start=1):
        if word == option or (re.fullmatch(r"-[a-z]*c", word) and option == "-c"):
            return words[number + 1]
    return None


def _roles(name: str, words: Sequence[str]) -> Iterator[tuple[str, Role]]:
    if name in (".", "source"):
        yield from ((word, "sources") for word in words[1:2])
    elif name in _SHELLS:
        yield from _script(words)
    elif _INTERPRETERS.fullmatch(name):
        yield from _interpreted(words)
    elif name in _MAKES:
        yield from _options(words)
    elif name in _RUNNERS:
        yield from _given_to_runner(words)
    elif name in _CHECKERS:
        yield from _options(words)
        yield from ((word, "given") for word in words[1:] if not word.startswith("-"))
    elif name in _LOOKERS:
        yield from _looked_at(name, words)
    elif name in _COMPARERS:
        yield from ((word, "compared") for word in words[1:] if not word.startswith("-"))
    else:
        yield words[0], "runs"
        yield from _data(words[1:])


def _script(words: Sequence[str]) -> Iterator[tuple[str, Role]]:
    """The first operand is run, the rest is for it to read."""
    rest = list(words[1:])
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if _FILE_OPTION.fullmatch(option) and rest and option not in ("-c", "-e"):
            yield rest.pop(0), "sources"
        elif "=" in option:
            yield option.partition("=")[2], "sources"
    if rest:
        yield rest[0], "runs"
        yield from _data(rest[1:])


def _interpreted(words: Sequence[str]) -> Iterator[tuple[str, Role]]:
    module = _after_option(words, "-m")
    if module is not None:
        at = words.index("-m") + 2
        last = module.rpartition(".")[2]
        if last in _RUNNERS or module in _RUNNERS or module == "doctest":
            yield from _given_to_runner((module, *words[at:]))
        elif module in _CHECKERS:
            yield from ((word, "given") for word in words[at:])
        else:
            path = module.replace(".", "/")
            yield from ((place, "runs") for place in (f"{path}.py", f"{path}/__main__.py"))
            yield from _data(words[at:])
    elif "--test" in words:
        yield from _given_to_runner(words)
    elif "--check" in words:
        yield from ((word, "given") for word in words[1:])
    else:
        yield from _script(words)


def _given_to_runner(words: Sequence[str]) -> Iterator[tuple[str, Role]]:
    examples = words[0] == "doctest" or any(word.startswith("--doctest") for word in words)
    yield from _options(words)
    for word in words[1:]:
        if word.startswith("-"):
            continue
        yield word.partition("::")[0], "doctests" if examples else "tests"
        if re.fullmatch(r"[\w.]+", word) and words[0] == "unittest":
            yield f"{word.replace('.', '/')}.py", "tests"


def _options(words: Sequence[str]) -> Iterator[tuple[str, Role]]:
    """Files that decide how a program works."""
    for number, word in enumerate(words[1:], start=1):
        option, equals, value = word.partition("=")
        if equals and option.startswith("-"):
            yield value, "sources"
        elif _FILE_OPTION.fullmatch(word) and number + 1 < len(words):
            yield words[number + 1], "sources"


def _looked_at(name: str, words: Sequence[str]) -> Iterator[tuple[str, Role]]:
    for number, word in enumerate(words[1:], start=1):
        patterns = name.endswith("grep") and words[number - 1] == "-f"
        if not word.startswith("-"):
            yield word, "data" if patterns else "given"


def _data(words: Sequence[str]) -> Iterator[tuple[str, Role]]:
    for word in words:
        yield (word.partition("=")[2] if word.startswith("-") else word), "data"
