"""Files that hold both work and judges, read by section: what the runner obeys is a judge, dependencies are work.

`original_sections` gives the claim's file with the judging sections of the start. Pure functions over bytes; what cannot
be read as its format says is left to the caller, who takes the whole original.
"""

from __future__ import annotations

import configparser
import json
import posixpath
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

Exists = Callable[[str], bool]
Keys = tuple[str, ...]

# -- package.json

_JSON_JUDGES = frozenset(
    {"scripts", "config", "workspaces", "jest", "vitest", "mocha", "ava", "tap", "nyc", "c8", "tsd", "karma"}
    | {"eslintConfig", "eslintIgnore", "xo", "standard", "prettier", "stylelint", "babel", "wireit", "nx"}
    | {"lint-staged", "husky", "pre-commit", "ts-node", "size-limit", "engineStrict", "packageManager"}
)
# Where a name leads: as at the start while the file that it led to is still there.
_JSON_LEADS = ("imports", "exports", "main", "module", "browser")
_JSON_DEPENDS = ("dependencies", "devDependencies", "optionalDependencies", "peerDependencies")
_LOCAL = ("file:", "link:", "portal:", "workspace:", ".", "/", "~/")

# -- TOML: the first keys of a path that make it a judge

# Of [tool.*] in pyproject.toml; every other tool checks something.
_PACKAGING = frozenset(
    {
        "poetry",
        "setuptools",
        "setuptools_scm",
        "flit",
        "pdm",
        "uv",
        "cibuildwheel",
        "commitizen",
        "bumpversion",
    }
    | {"bumpver", "semantic_release", "towncrier", "scikit-build", "maturin", "meson-python", "versioningit"}
    | {"hatch", "briefcase", "jupyter-releaser", "cython", "dynamic", "rye", "conda-lock", "pixi"}
)
_PYTHON_PATH = ("tool", "pytest", "ini_options", "pythonpath")
_HATCH_JUDGES = frozenset({"envs"})
_CARGO_JUDGES: tuple[Keys, ...] = (
    *(("package", key) for key in ("autotests", "autobenches", "autoexamples", "autolib", "workspace")),
    *(("lib", key) for key in ("test", "doctest", "harness", "path", "bench")),
    *(("test",), ("bench",), ("profile",), ("patch",), ("replace",), ("lints",)),
    *(("workspace", key) for key in ("members", "default-members", "exclude", "lints")),
)

# -- INI: sections of setup.cfg that build and describe

_SETUP_CFG_WORK = re.compile(
    r"metadata|options(?:\..*)?|bdist_\w+|sdist|egg_info|build(?:_\w+)?|develop|install(?:_\w+)?|upload\w*"
    r"|bumpversion.*|versioneer|\w+_catalog|extract_messages|aliases|files|global|pbr|upload_docs"
)

_ONLY_SECTIONS = frozenset({"pyproject.toml", "setup.cfg"})

_GO_JUDGES = frozenset({"replace", "exclude", "ignore", "toolchain", "godebug"})
_GO_DIRECTIVES = _GO_JUDGES | {"module", "go", "require", "retract", "tool"}


def is_mixed(path: str) -> bool:
    """Whether the file holds sections of both kinds."""
    return posixpath.basename(path) in _READERS


def original_sections(
    path: str, before: bytes, after: bytes, exists: Exists = lambda path: True
) -> bytes | None:
    """The claim's file with the judging sections of the start; None when it cannot be taken apart.

    `exists`: whether the claim has a file at this path from the root.
    """
    folder, name = posixpath.split(path)
    try:
        then, now = before.decode(), after.decode()
        made = _READERS[name](
            then, now, lambda place: exists(posixpath.normpath(posixpath.join(folder, place)))
        )
    except (ValueError, KeyError, RecursionError, AttributeError, TypeError, configparser.Error):
        return None
    return after if made is None else made.encode()


def without_judges(path: str, content: bytes) -> bytes | None:
    """A new file without its judging sections; None when it cannot be taken apart, or acts by being there: go.mod,
    Cargo.toml and package.json make a module of their folder."""
    return original_sections(path, b"", content) if posixpath.basename(path) in _ONLY_SECTIONS else None


def sections_differ(path: str, before: bytes, after: bytes, exists: Exists = lambda path: True) -> bool:
    """Whether a judging section is not as it was at the start."""
    return original_sections(path, before, after, exists) != after


def judging_text(path: str, content: str) -> str:
    """What of the file judges, as text to search in; all of a file that holds no work."""
    name = posixpath.basename(path)
    try:
        if name == "package.json":
            read = json.loads(content)
            return json.dumps({key: value for key, value in read.items() if key in _JSON_JUDGES})
        if name in _TOML_JUDGES:
            judges = _TOML_JUDGES[name]
            return "".join(text for table in _tables(content) for text in table.judging(judges))
        if name == "setup.cfg":
            return "".join(text for section, text in _ini_sections(content) if _ini_judges(section, text))
    except (ValueError, AttributeError, configparser.Error):
        pass
    return content


def package_scripts(content: str) -> list[str]:
    """The commands of a package.json."""
    try:
        scripts = json.loads(content).get("scripts", {})
        return [script for script in scripts.values() if isinstance(script, str)]
    except (ValueError, AttributeError):
        return []


# -- package.json: read and written as JSON


def _package_json(before: str, after: str, exists: Exists) -> str | None:
    then, now = json.loads(before), json.loads(after)
    made: dict[str, Any] = {}
    for key in (*now, *(key for key in then if key not in now)):
        value = _json_value(key, then.get(key), now.get(key), exists)
        if value is not None:
            made[key] = value
    if made == now:
        return None
    return json.dumps(made, indent=2, ensure_ascii=False) + "\n"


def _json_value(key: str, then: Any, now: Any, exists: Exists) -> Any:
    if key in _JSON_JUDGES:
        return then
    if key in _JSON_LEADS:
        return _leads(then, now, exists)
    if key in _JSON_DEPENDS and isinstance(then, dict) and isinstance(now, dict):
        return {name: _dependency(then.get(name), spec) for name, spec in now.items()}
    return now


def _leads(then: Any, now: Any, exists: Exists) -> Any:
    """New names are work; a name of the start leads where it led, unless that file was moved or deleted."""
    if isinstance(then, dict) and isinstance(now, dict):
        made = {key: _leads(then[key], value, exists) if key in then else value for key, value in now.items()}
        return made | {key: value for key, value in then.items() if key not in now and _stays(value, exists)}
    return then if then != now and then is not None and _stays(then, exists) else now


def _stays(value: Any, exists: Exists) -> bool:
    """Whether some file of the project, to which a name of the start led, is still there."""
    if isinstance(value, str):
        return "*" not in value and not value.startswith("#") and exists(value)
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(_stays(one, exists) for one in inner)


def _dependency(then: Any, now: Any) -> Any:
    """Another version is work; a folder in place of a published package is not."""
    turned = isinstance(then, str) and isinstance(now, str) and now.startswith(_LOCAL)
    return then if turned and then != now and not then.startswith(_LOCAL) else now


# -- TOML: entries are moved as text, and what comes out is compared with what was meant


class _Table(msgspec.Struct, frozen=True):
    path: Keys
    header: str  # "" for what stands before the first
    entries: tuple[tuple[Keys, str], ...]  # full path, text
    listed: bool = False  # [[...]]

    def judging(self, judges: Callable[[Keys], bool]) -> tuple[str, ...]:
        return tuple(text for path, text in self.entries if judges(path))

    def working(self, judges: Callable[[Keys], bool]) -> tuple[str, ...]:
        return tuple(text for path, text in self.entries if not judges(path))


MOST_LINES = 300  # of one entry, which is read anew with each line
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?")


def _tables(text: str) -> list[_Table]:
    found: list[_Table] = []
    path: Keys = ()
    header, listed = "", False
    entries: list[tuple[Keys, str]] = []
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        matched = None if lines else _HEADER.fullmatch(line.rstrip("\r\n"))
        if matched:
            found.append(_Table(path, header, tuple(entries), listed))
            path, header, listed = _key(matched[2]), line, matched[1] == "[["
            entries = []
            continue
        lines.append(line)
        if len(lines) > MOST_LINES:
            raise ValueError("too long an entry")
        if (keys := _entry("".join(lines))) is not None:
            entries.append(((*path, *keys), "".join(lines)))
            lines = []
    if lines:
        raise ValueError("not TOML")
    return [*found, _Table(path, header, tuple(entries), listed)]


def _key(dotted: str) -> Keys:
    read = tomllib.loads(f"{dotted} = 1")
    keys = []
    while isinstance(read, dict):
        key, read = next(iter(read.items()))
        keys.append(key)
    return tuple(keys)


def _entry(text: str) -> Keys | None:
    """The path that the text assigns to, () for blanks and comments; None while it is not complete."""
    try:
        read = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
    dotted = re.match(
        r"\s*(?:#.*\n\s*)*((?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')(?:\s*\.\s*(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*'))*)\s*=",
        text,
    )
    return _key(dotted[1]) if read and dotted else ()


def _toml(rule: Callable[[Keys], bool]) -> Callable[[str, str, Exists], str | None]:
    def read(before: str, after: str, exists: Exists) -> str | None:
        old, new = tomllib.loads(before), tomllib.loads(after)
        judges = _without_python_path(rule, old, new)
        if _picked(old, judges) == _picked(new, judges):
            return None
        made = "".join(_composed(_tables(before), _tables(after), judges))
        result = tomllib.loads(made)
        if _picked(result, judges) != _picked(old, judges):
            raise ValueError("sections that cannot be separated")
        return made

    return read


def _without_python_path(
    judges: Callable[[Keys], bool], old: dict[str, Any], new: dict[str, Any]
) -> Callable[[Keys], bool]:
    """Where tests could not import the sources, the usual folder of sources is what the work has to bring."""
    then, now = _picked(old, _PYTHON_PATH.__eq__), _picked(new, _PYTHON_PATH.__eq__)
    listed = now.get(_PYTHON_PATH)
    folders = {listed} if isinstance(listed, str) else set(listed or ())
    free = not then and folders and folders <= {".", "src", "./src"}
    return (lambda path: path != _PYTHON_PATH and judges(path)) if free else judges


def _composed(
    before: Sequence[_Table], after: Sequence[_Table], judges: Callable[[Keys], bool]
) -> Iterator[str]:
    given = set()
    for table in after:
        if table.listed and judges(table.path):
            continue
        mine = () if table.listed or table.path in given else _of(before, table.path, judges)
        given.add(table.path)
        working = table.working(judges)
        if table.entries and not working and not mine:
            continue
        yield from (_whole(table.header), *map(_whole, mine), *map(_whole, working))
    for table in before:
        judging = table.judging(judges)
        if judging and (table.listed or table.path not in given):
            yield from (_whole(table.header), *map(_whole, judging))


def _of(tables: Sequence[_Table], path: Keys, judges: Callable[[Keys], bool]) -> tuple[str, ...]:
    return tuple(
        text for table in tables if table.path == path and not table.listed for text in table.judging(judges)
    )


def _whole(line: str) -> str:
    return line if not line or line.endswith("\n") else line + "\n"


def _picked(value: dict[str, Any], judges: Callable[[Keys], bool], path: Keys = ()) -> dict[Keys, Any]:
    """Path -> value of all that judges."""
    found: dict[Keys, Any] = {}
    for key, inner in value.items():
        here = (*path, key)
        if isinstance(inner, dict):
            found |= _picked(inner, judges, here)
        elif judges(here):
            found[here] = inner
    return found


def _pyproject_judges(path: Keys) -> bool:
    match path:
        case ("tool", "hatch", inner, *_):
            return inner in _HATCH_JUDGES
        case ("tool", "poetry", "plugins", "pytest11", *_) | ("project", "entry-points", "pytest11", *_):
            return True
        case ("tool", name, *_):
            return name not in _PACKAGING
    return False


def _cargo_judges(path: Keys) -> bool:
    return any(path[: len(keys)] == keys for keys in _CARGO_JUDGES)


# -- INI


def _setup_cfg(before: str, after: str, exists: Exists) -> str | None:
    then, now = list(_ini_sections(before)), list(_ini_sections(after))
    if [text for name, text in then if _ini_judges(name, text)] == [
        text for name, text in now if _ini_judges(name, text)
    ]:
        return None
    kept = [text for name, text in now if not _ini_judges(name, text)]
    return "".join(map(_whole, [*kept, *(text for name, text in then if _ini_judges(name, text))]))


def _ini_sections(text: str) -> Iterator[tuple[str, str]]:
    configparser.RawConfigParser(strict=False, allow_no_value=True).read_string(text)
    for part in re.split(r"(?m)^(?=\[)", text):
        yield (part[1:].partition("]")[0].strip() if part.startswith("[") else ""), part


def _ini_judges(name: str, text: str) -> bool:
    if not name:
        return False
    return _SETUP_CFG_WORK.fullmatch(name) is None or (name == "options.entry_points" and "pytest11" in text)


# -- go.mod


def _go_mod(before: str, after: str, exists: Exists) -> str | None:
    then, now = list(_directives(before)), list(_directives(after))
    if not {word for word, _, _ in (*then, *now)} <= _GO_DIRECTIVES:
        raise ValueError("not a go.mod")
    known = {
        name for word, rest, _ in then if word in ("require", "replace") and (name := rest.partition(" ")[0])
    }

    def judges(word: str, rest: str) -> bool:
        # What a module that is new here is replaced by, or left out of it, cannot act on a test of the start.
        return word in _GO_JUDGES and (word not in ("replace", "exclude") or rest.partition(" ")[0] in known)

    old = [(word, rest) for word, rest, _ in then if judges(word, rest)]
    if old == [(word, rest) for word, rest, _ in now if judges(word, rest)]:
        return None
    lines = [line for word, rest, line in now if not judges(word, rest)]
    return "\n".join([*lines, *(f"{word} {rest}" for word, rest in old), ""])


def _directives(text: str) -> Iterator[tuple[str, str, str]]:
    """Directive, arguments, and the line that says so by itself."""
    block = ""
    for line in text.splitlines():
        code = " ".join(line.partition("//")[0].split())
        if block and code == ")":
            block = ""
        elif code.endswith("("):
            block = code[:-1].strip()
        elif block and code:
            yield block, code, f"{block} {line.strip()}"
        elif code:
            word, _, rest = code.partition(" ")
            yield word, rest, line


_TOML_JUDGES = {"pyproject.toml": _pyproject_judges, "Cargo.toml": _cargo_judges}
_READERS: dict[str, Callable[[str, str, Exists], str | None]] = {
    "package.json": _package_json,
    **{name: _toml(judges) for name, judges in _TOML_JUDGES.items()},
    "setup.cfg": _setup_cfg,
    "go.mod": _go_mod,
}
