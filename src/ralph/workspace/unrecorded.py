"""Gate inputs that git does not record: ignored files and files outside the repository, found by the words of a command.

No snapshot holds them, so they are known by what they held at the start. Files are read here, never changed.
"""

from __future__ import annotations

import glob
import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from ralph.workspace.fingerprint import is_cache
from ralph.workspace.inputs import FOLDERS_OF_CHECKS, GLOB, words_of
from ralph.workspace.repo import printable

MOST_FILES = 200  # in one folder or one pattern; a larger folder is no set of checks written by hand
READ_WHOLE = 16 * 1024 * 1024  # bytes; larger files are known by size and time

# What is installed here is the user's machine, not the user's gate.
_SYSTEM = (
    *("/bin", "/sbin", "/usr", "/lib", "/lib32", "/lib64", "/opt", "/nix", "/etc", "/dev", "/proc", "/sys"),
    *("/snap", "/System", "/Library", "/Applications"),
    *{os.path.realpath(prefix) for prefix in (sys.prefix, sys.base_prefix)},
)
# Compiled programs are built anew from sources that are judged themselves: ELF, Mach-O, PE, WebAssembly.
_PROGRAM = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"MZ", b"\0asm")
_BUILT = "a compiled program"
_DEPENDENCIES = frozenset({"node_modules", ".venv", "venv", "vendor", ".tox", ".nox"})

Stamp = tuple[int, int, int, int]  # inode, size, mtime_ns, ctime_ns


def named_files(
    command: str,
    patterns: Sequence[str] = (),
    *,
    root: str,
    folder: str,
    leads_out: bool = False,
    folders: bool = True,
) -> dict[str, Path]:
    """Name and place of every file on disk that the command or the `patterns` (from the root) name.

    A name is relative to the root; a file outside is called as the command calls it. `leads_out`: the command runs in a
    checkout elsewhere, so that only its absolute paths lead to files of this machine. `folders`: with the files of
    small folders of checks that are named.
    """
    top = Path(root)
    here = _normal(top / folder)
    words = sorted(_expanded(word) for word in words_of(command) if not word.startswith("-"))
    bases = dict.fromkeys((here, *(place for word in words if _is(S_ISDIR, place := _normal(here / word)))))
    asked = [(base, word) for base in bases for word in words]
    asked += [(top, pattern.strip("/")) for pattern in patterns]
    found: dict[str, Path] = {}
    for base, word in asked:
        absolute = word.startswith("/")
        if leads_out and not absolute:
            continue
        for path in _files(base, word, folders=folders):
            inside = path.is_relative_to(top)
            if inside or not _is_system(path):
                full = absolute and (leads_out or not inside)
                found[printable(str(path) if full else os.path.relpath(path, top))] = path
    return found


def held(files: Iterable[tuple[str, Path]]) -> dict[str, str]:
    """What each of these files (name, place) holds now, in short; without those that are gone."""
    return {name: content for name, path in files if (content := _content(path))}


def made_by_tools(name: str, content: str) -> bool:
    """Whether a file that was not there at the start is a build's or an installer's rather than a check."""
    return content == _BUILT or any(part in _DEPENDENCIES for part in name.split("/"))


def stamps(files: Mapping[str, Path]) -> dict[str, Stamp]:
    """The inode of each file (by name), to tell later whether it was written."""
    found = {}
    for name, path in files.items():
        with suppress(OSError):
            st = path.stat()
            found[name] = (st.st_ino, st.st_size, st.st_mtime_ns, st.st_ctime_ns)
    return found


def _expanded(word: str) -> str:
    """As the shell would, so far as it only takes the environment."""
    return os.path.expandvars(os.environ.get("HOME", "~") + word[1:] if word.startswith("~/") else word)


def _normal(path: Path) -> Path:
    return Path(os.path.normpath(path))


def _is(kind: Callable[[int], bool], path: Path) -> bool:
    try:
        return kind(path.stat().st_mode)
    except (OSError, ValueError):  # not there, or a word that can be no path
        return False


def _files(base: Path, word: str, *, folders: bool) -> Iterator[Path]:
    if GLOB.search(word):  # Path.glob would refuse what is absolute or leads upwards
        names = list(islice(glob.iglob(word, root_dir=base), MOST_FILES))  # noqa: PTH207
    else:
        names = [word]
    for place in (_normal(base / name) for name in names):
        if _is(S_ISREG, place):
            yield place
        elif folders and place.name in FOLDERS_OF_CHECKS and _is(S_ISDIR, place):
            yield from _small_folder(place)


def _small_folder(folder: Path) -> list[Path]:
    """Its files, caches left out; none when there are too many."""
    found: list[Path] = []
    for parent, names, files in os.walk(folder):
        names[:] = [name for name in names if not is_cache(name)]
        found += [path for name in files if _is(S_ISREG, path := Path(parent, name))]
        if len(found) > MOST_FILES:
            return []
    return found


def _is_system(path: Path) -> bool:
    return any(path.is_relative_to(prefix) for prefix in _SYSTEM)


def _content(path: Path) -> str:
    try:
        # Without blocking: what was a file may be a pipe by now.
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            st = os.fstat(file.fileno())
            if not S_ISREG(st.st_mode):
                return ""
            head = file.read(4)
            if head.startswith(_PROGRAM):
                return _BUILT
            mode = "executable " if st.st_mode & 0o111 else ""
            if st.st_size > READ_WHOLE:
                return f"{mode}{st.st_size} bytes of {st.st_mtime_ns}"
            return f"{mode}sha256 {hashlib.sha256(head + file.read()).hexdigest()}"
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return f"unreadable: {error.strerror}"
