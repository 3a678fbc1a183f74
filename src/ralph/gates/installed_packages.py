"""Whether a changed file in a folder of dependencies is an installer's work: of a package that a lock file newly names, or put
back with the content that it had. A runner that was there, and what Python runs at its start, is never explained so."""

from __future__ import annotations

import base64
import csv
import hashlib
import json
import os
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

_SITE = re.compile(r"(.*/(?:site|dist)-packages)(?:/(.*))?")
_ENVIRONMENT = re.compile(r"(.*)/(?:bin|Scripts)/[^/]+")
_STARTS_PYTHON = re.compile(r"(?:.*\.pth|sitecustomize\.py[co]?|usercustomize\.py[co]?)")
_BOOKKEEPING = frozenset({".package-lock.json", ".modules.yaml", ".yarn-integrity", ".yarn-state.yml"})


class _Owner(NamedTuple):
    package: str
    digest: str  # as RECORD has it
    trusted: bool  # RECORD says what it said at the start


class InstalledPackages:
    """`named` are packages that may have changed; `trusted` the paths of RECORD files that are as they were."""

    def __init__(self, named: frozenset[str], trusted: frozenset[str]) -> None:
        self._named = named
        self._trusted = trusted
        self._sites: dict[str, dict[str, list[_Owner]]] = {}

    def explain(self, path: str, what: str) -> bool:
        if "/node_modules/" in path:
            return bool(self._named) and self._of_node(path, what)
        if site := _SITE.fullmatch(path):
            return self._of_python(site[1], path, what)
        if beside := _ENVIRONMENT.fullmatch(path):
            sites = map(str, Path(beside[1]).glob("lib/python3*/site-packages"))
            return any(self._of_python(site, path, what, program=True) for site in sites)
        return False

    def _of_node(self, path: str, what: str) -> bool:
        inside = path.rpartition("/node_modules/")[2]
        if inside.startswith(".bin/"):
            return what == "appeared" and os.path.islink(path) and self._of_node_link(path)  # noqa: PTH114
        if inside in _BOOKKEEPING or path.endswith("/.pnpm/lock.yaml"):
            return True
        return _node_package(inside) in self._named

    def _of_node_link(self, path: str) -> bool:
        target = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))  # noqa: PTH115, PTH118, PTH120
        return (
            "/node_modules/" in target
            and _node_package(target.rpartition("/node_modules/")[2]) in self._named
        )

    def _of_python(self, site: str, path: str, what: str, *, program: bool = False) -> bool:
        owners = self._owners(site).get(path, [])
        if path in self._trusted:
            return True
        if what != "vanished" and any(o.trusted and o.digest and o.digest == _sha256(path) for o in owners):
            return True
        if _STARTS_PYTHON.fullmatch(path.rpartition("/")[2]) or (program and what != "appeared"):
            return False
        if owners:
            return all(owner.package in self._named for owner in owners)
        top = path.removeprefix(f"{site}/").partition("/")[0]
        return what == "vanished" and not program and _python_package(top) in self._named

    def _owners(self, site: str) -> dict[str, list[_Owner]]:
        """Path -> the packages that say it is theirs."""
        if site not in self._sites:
            found: dict[str, list[_Owner]] = defaultdict(list)
            for record in Path(site).glob("*.dist-info/RECORD"):
                package, trusted = _python_package(record.parent.name), str(record) in self._trusted
                for row in _rows(record):
                    place = os.path.normpath(f"{site}/{row[0]}")
                    found[place].append(_Owner(package, row[1] if len(row) > 1 else "", trusted))
            self._sites[site] = found
        return self._sites[site]


def _rows(record: Path) -> list[list[str]]:
    try:
        return [row for row in csv.reader(record.read_text("utf-8", "replace").splitlines()) if row]
    except (OSError, csv.Error):
        return []


def _sha256(path: str) -> str:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            digest = hashlib.file_digest(file, "sha256").digest()
    except OSError:
        return ""
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _node_package(inside: str) -> str:
    parts = inside.split("/")
    return "/".join(parts[:2]) if inside.startswith("@") else parts[0]


def _python_package(folder: str) -> str:
    """foo_bar-1.2.dist-info -> foo-bar"""
    return _normal(re.sub(r"(?:-[^-]+)?\.(?:dist|egg)-info$|\.py$", "", folder))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


# -- lock files -----------------------------------------------------------------------------------


def is_lock_file(path: str) -> bool:
    return any(re.search(shape, f"/{path}") for shape, _ in _READERS)


def named_in_change(path: str, before: str, after: str) -> frozenset[str]:
    """The packages whose entries differ between two versions of a lock file. What cannot be read names none."""
    read = next((read for shape, read in _READERS if re.search(shape, f"/{path}")), None)
    if read is None:
        return frozenset()
    try:
        then, now = read(before) if before else {}, read(after) if after else {}
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError):
        return frozenset()
    return frozenset(name for name in {*then, *now} if name and then.get(name) != now.get(name))


Entries = dict[str, set[str]]  # package -> what is said of it


def _entries(pairs: Iterable[tuple[str, object]]) -> Entries:
    found: Entries = defaultdict(set)
    for name, said in pairs:
        found[name].add(said if isinstance(said, str) else json.dumps(said, sort_keys=True, default=str))
    return dict(found)


def _npm(text: str) -> Entries:
    data = json.loads(text)
    packages = (
        (key.rpartition("node_modules/")[2], said) for key, said in data.get("packages", {}).items() if key
    )
    older = data.get("dependencies", {}) if "packages" not in data else {}
    return _entries([*packages, *older.items()])


def _pipfile(text: str) -> Entries:
    data = json.loads(text)
    return _entries(
        (_normal(name), said)
        for group in ("default", "develop")
        for name, said in data.get(group, {}).items()
    )


def _toml(text: str) -> Entries:
    data = tomllib.loads(text)
    tables: list[dict[str, Any]] = [*data.get("package", []), *data.get("packages", [])]
    return _entries((_normal(table["name"]), table) for table in tables)


def _yarn(text: str) -> Entries:
    blocks = re.findall(r"(?m)^\"?((?:@[^@\s\"]+/)?[^@\s\"#]+)@[^\n]*:\n((?:[ \t]+[^\n]*\n?|\n)*)", text)
    return _entries((name, body.strip()) for name, body in blocks)


def _pnpm(text: str) -> Entries:
    found = re.findall(
        r"(?m)^  '?/?((?:@[^@/\s']+/)?[^@/\s':]+)[@/]([^\s:']+)'?:\n((?:    [^\n]*\n?)*)", text
    )
    return _entries((name, version + body) for name, version, body in found)


def _requirements(text: str) -> Entries:
    lines = re.findall(r"(?m)^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?([^\n#]*)", text)
    return _entries((_normal(name), said.strip()) for name, said in lines)


def _go(text: str) -> Entries:
    return _entries((line.split()[0], line) for line in text.splitlines() if line.strip())


_READERS: tuple[tuple[str, Callable[[str], Entries]], ...] = (
    (r"/(?:package-lock|npm-shrinkwrap)\.json$", _npm),
    (r"/yarn\.lock$", _yarn),
    (r"/pnpm-lock\.yaml$", _pnpm),
    (r"/(?:(?:poetry|uv|pdm|Cargo)\.lock|pylock\.toml)$", _toml),
    (r"/Pipfile\.lock$", _pipfile),
    (r"/requirements(?:[^/]*|/[^/]+)\.(?:txt|lock)$", _requirements),
    (r"/go\.sum$", _go),
)
