"""Fingerprints of what acts on the gates and is in no snapshot: shared folders, interpreters' environments, settings in HOME.

They are taken at the start and again at a claim. A file is known by size, mode, ctime and inode: mtime can be set at will.
Nothing of what lies there is ever run.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from stat import S_ISREG
from typing import Literal

import msgspec

from ralph.core.policy import GatePolicy
from ralph.gates.installed_packages import InstalledPackages
from ralph.gates.toolchain import Toolchain, dependency_folders
from ralph.git.repo import printable

What = Literal["appeared", "changed", "vanished"]
_READ_WHOLE = 1 << 18  # bytes; a larger file that is a place by itself is known by its inode
_CACHES = frozenset(
    {".cache", ".vite", ".vite-temp", ".vitest", ".pytest_cache", ".mypy_cache", ".ruff_cache"}
)
_UNRELATED = (
    "user",
    "safe",
    "credential",
    "init",
    "commit",
)  # sections of git's settings that no test depends on
_BESIDE_LIBRARY = ("/site-packages", "/dist-packages", "/test")
MOST_NAMED = 20  # files of a place, before it is named as a whole


class FileMark(msgspec.Struct, frozen=True, array_like=True):
    """How a file is recognised. `digest`: of its content, where that was small enough to read."""

    size: int
    mode: int
    ctime: int
    inode: int
    digest: str = ""

    def same(self, other: FileMark) -> bool:
        if self.digest and other.digest:
            return (self.digest, self.mode) == (other.digest, other.mode)
        return self == other


class Fingerprints(msgspec.Struct, frozen=True):
    """What was found. A place that was not there has no marks."""

    root: str
    places: dict[str, tuple[str, ...]]  # gate -> files and folders that act on it
    marks: dict[str, dict[str, FileMark]]  # folder -> name -> the file


class Tampered(msgspec.Struct, frozen=True):
    path: str  # absolute
    what: What


def take(
    gates: Sequence[GatePolicy],
    *,
    root: str,
    folder: str,
    share: Sequence[str] = (),
    env: Mapping[str, str],
    home: str,
    above: str = "",
) -> Fingerprints:
    """Of all that acts on these gates, by their commands. `env` is the gates' environment; `above` is the folder in which their
    clean checkouts are."""
    top = Path(root)
    cwd = Path(os.path.normpath(top / folder))
    tools = Toolchain(top, cwd, env, Path(home), above=Path(above or root).parents)
    shared = dependency_folders(top, cwd, share)
    commands = [gate for gate in gates if gate.hard and gate.run and not gate.kind.runs_agent]
    places = {gate.name: _outermost({*shared, *tools.places(gate.run)}) for gate in commands}
    return Fingerprints(root, places, _marks({place for found in places.values() for place in found}))


def dump(found: Fingerprints) -> str:
    return msgspec.json.encode(found).decode()


def load(text: str) -> Fingerprints:
    return msgspec.json.decode(text, type=Fingerprints)


def take_again(before: Fingerprints) -> Fingerprints:
    """Of the same places. What the gates would find by now in other places is none of theirs at the start."""
    places = {place for found in before.places.values() for place in found}
    return Fingerprints(before.root, before.places, _marks(places))


def rebased(before: Fingerprints, fresh: Fingerprints) -> Fingerprints:
    """When a workspace was made anew: what lies in it is as it is now, all else as it was."""
    kept = {path: marks for path, marks in before.marks.items() if not _within(path, before.root)}
    made = {path: marks for path, marks in fresh.marks.items() if _within(path, fresh.root)}
    places = {
        gate: tuple(
            sorted(
                {p for p in before.places.get(gate, ()) if not _within(p, before.root)}
                | {p for p in found if _within(p, fresh.root)}
            )
        )
        for gate, found in fresh.places.items()
    }
    return Fingerprints(fresh.root, places, kept | made)


def compare(
    before: Fingerprints,
    after: Fingerprints,
    *,
    recorded: Collection[str] = (),
    packages: frozenset[str] = frozenset(),
) -> dict[str, tuple[Tampered, ...]]:
    """gate -> what is not as it was. `recorded`: paths in the workspace that snapshots hold. `packages`: those that a change
    of a lock file names; their own files may differ."""
    differing = [
        found for found in _differences(before, after) if _relative(found.path, before.root) not in recorded
    ]
    installed = InstalledPackages(packages, _trusted_records(before, after))
    suspect = [found for found in differing if not installed.explain(found.path, found.what)]
    by_gate = {}
    for gate, places in before.places.items():
        if mine := tuple(found for found in suspect if any(_within(found.path, place) for place in places)):
            by_gate[gate] = mine
    return by_gate


def names_of(tampered: Sequence[Tampered], root: str, *, absolute: Sequence[str] = ()) -> tuple[str, ...]:
    """For people and facts: relative in the workspace, but for these folders of it; folders in place of very many files."""
    paths = [found.path for found in tampered]
    depth = max(path.count("/") for path in paths) if paths else 0
    while len(set(paths)) > MOST_NAMED and depth > root.count("/") + 1:
        depth -= 1
        paths = ["/".join(path.split("/")[: depth + 1]) for path in paths]
    names = {
        path if any(_within(path, place) for place in absolute) else _relative(path, root) for path in paths
    }
    return tuple(sorted(map(printable, names))[:MOST_NAMED])


# -- taking -----------------------------------------------------------------------------------------


def _outermost(places: set[str]) -> tuple[str, ...]:
    """Without those that lie in another one which is a folder, and with what links lead to."""
    real = {os.path.realpath(place) for place in places if os.path.islink(place)}  # noqa: PTH114
    folders = {place for place in places | real if os.path.isdir(place)}  # noqa: PTH112

    def inside(place: str) -> bool:
        for parent in _parents(place):
            if parent in folders and not _stands_alone(place):
                return True
            place = parent
        return False

    return tuple(sorted(place for place in places | real if not inside(place)))


def _marks(places: Collection[str]) -> dict[str, dict[str, FileMark]]:
    found: dict[str, dict[str, FileMark]] = {}
    for place in places:
        if os.path.isdir(place) and not os.path.islink(place):  # noqa: PTH112, PTH114
            _walk(place, found)
            continue
        folder, _, name = place.rpartition("/")
        if mark := _mark_of(place):
            found.setdefault(folder or "/", {})[name] = mark
    return found


def _walk(top: str, found: dict[str, dict[str, FileMark]]) -> None:
    """One stat for each file. Links are looked at, not followed."""
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        marks = found.setdefault(folder if folder.isascii() else printable(folder), {})
        try:
            with os.scandir(folder) as listing:
                entries = list(listing)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not (_is_cache(folder, entry.name, top) or _stands_alone(entry.path)):
                    waiting.append(entry.path)
                continue
            try:
                st = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            digest = _digest(entry.path) if entry.name == "RECORD" else ""
            name = entry.name if entry.name.isascii() else printable(entry.name)
            marks[name] = FileMark(st.st_size, st.st_mode, st.st_ctime_ns, st.st_ino, digest)


def _is_cache(folder: str, name: str, top: str) -> bool:
    """Tools write these while they run; deeper down, a package may have such a folder itself."""
    return name == "__pycache__" or (name in _CACHES and (folder == top or folder.endswith("/node_modules")))


def _stands_alone(path: str) -> bool:
    """What is installed for an interpreter, inside its standard library. A virtual environment uses the latter only."""
    return path.endswith(_BESIDE_LIBRARY) and os.path.exists(f"{path.rpartition('/')[0]}/os.py")  # noqa: PTH110


def _mark_of(path: str) -> FileMark | None:
    try:
        st = os.lstat(path)
    except OSError:
        return None
    small = S_ISREG(st.st_mode) and st.st_size <= _READ_WHOLE
    return FileMark(st.st_size, st.st_mode, st.st_ctime_ns, st.st_ino, _digest(path) if small else "")


def _digest(path: str) -> str:
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            data = file.read() if S_ISREG(os.fstat(file.fileno()).st_mode) else b""
    except OSError:
        return ""
    if path.endswith((".gitconfig", "/git/config")):
        data = re.sub(rb"(?mi)^\s*\[(?:%s)\b[^\[]*" % "|".join(_UNRELATED).encode(), b"", data).strip()
    return hashlib.sha256(data).hexdigest()


# -- comparing --------------------------------------------------------------------------------------


def _differences(before: Fingerprints, after: Fingerprints) -> Iterator[Tampered]:
    nothing: dict[str, FileMark] = {}
    for folder in sorted({*before.marks, *after.marks}):
        then, now = before.marks.get(folder, nothing), after.marks.get(folder, nothing)
        if then == now:
            continue
        for name in sorted({*then, *now}):
            path = f"{folder.rstrip('/')}/{name}"
            if name not in then:
                yield Tampered(path, "appeared")
            elif name not in now:
                yield Tampered(path, "vanished")
            elif not then[name].same(now[name]):
                yield Tampered(path, "changed")


def _trusted_records(before: Fingerprints, after: Fingerprints) -> frozenset[str]:
    """The lists of installed Python packages that still say what they said."""
    return frozenset(
        f"{folder}/RECORD"
        for folder, marks in before.marks.items()
        if (then := marks.get("RECORD"))
        and (now := after.marks.get(folder, {}).get("RECORD"))
        and then.digest == now.digest != ""
    )


def _within(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place.rstrip('/')}/")


def _relative(path: str, root: str) -> str:
    return path.removeprefix(f"{root.rstrip('/')}/")


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path
