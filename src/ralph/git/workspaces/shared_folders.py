"""`share:`: ignored folders (node_modules, .venv) copied into a workspace.

A link would let an agent write into the user's folder. Where the file system can, a copy shares its blocks (reflink);
of a workspace that is used again, only what differs is copied anew.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path

from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.files import remove_tree
from ralph.git import program
from ralph.git.repo import Repo, printable

# Folders of installed dependencies: what tests need, and what git mostly does not record.
DEPENDENCIES = ("node_modules", ".venv", "venv", "vendor", "bower_components", "Pods")

_FICLONE = 0x40049409  # Linux; elsewhere and on other file systems the content is copied
_STAMP = "shared"
_REWRITTEN_BELOW = 1 << 20


def check_shared(root: Path, names: Sequence[str]) -> None:
    """Refuse names that are not folders inside the checkout."""
    for name in names:
        normal = os.path.normpath(name)
        if (
            Path(name).is_absolute()
            or normal in (".", "..")
            or normal.startswith(("../", ".git/"))
            or normal == ".git"
        ):
            raise RalphError(f"`share: {name}` is not a folder inside the project", where=str(root))


def bring_shared(root: Path, into: Path, names: Sequence[str], stamp_dir: Path) -> list[str]:
    """Make the shared folders of the workspace `into` equal to those of `root`; returns those that `root` has not."""
    stamp = stamp_dir / _STAMP
    try:
        since = stamp.stat().st_ctime_ns
    except FileNotFoundError:
        since = 0
    missing = copy_shared(root, into, names, since)
    stamp.unlink(missing_ok=True)
    stamp.touch()  # what changes in the copies after this moment is not ours
    return missing


def copy_shared(root: Path, into: Path, names: Sequence[str], since: int) -> list[str]:
    """The same, where the caller knows the moment (ns) since which no copy was made; 0: there are none. A copy that changed
    after it is made anew, and so is one whose original did."""
    check_shared(root, names)
    missing = []
    for name in map(os.path.normpath, names):
        source = root / name
        if not source.is_dir():
            missing.append(name)
            remove_tree(into / name)
            continue
        fault_point("share.before", writes=True)
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        _equal(source.resolve(), into / name, since, (os.fsencode(root), os.fsencode(into)))
        fault_point("share.after")
    return missing


def _equal(source: Path, copy: Path, since: int, moved: tuple[bytes, bytes]) -> None:
    """One folder. A file is kept when size and time are the source's and nothing happened to it since it was copied."""
    if copy.is_symlink() or not copy.is_dir():
        remove_tree(copy)
        copy.mkdir()
    theirs = {entry.name: entry for entry in os.scandir(source)}
    for entry in list(os.scandir(copy)):
        if entry.name not in theirs:
            remove_tree(Path(entry.path))
    for name, entry in theirs.items():
        to = copy / name
        if entry.is_symlink():
            _link(os.fsencode(Path(entry.path).readlink()), to, moved)
        elif entry.is_dir(follow_symlinks=False):
            _equal(Path(entry.path), to, since, moved)
        elif entry.is_file(follow_symlinks=False) and not _same(entry.stat(follow_symlinks=False), to, since):
            remove_tree(to)
            _copy(Path(entry.path), to)
            _relocate(Path(entry.path), to, moved)
    shutil.copystat(source, copy, follow_symlinks=False)


def _same(theirs: os.stat_result, copy: Path, since: int) -> bool:
    try:
        ours = copy.lstat()
    except OSError:
        return False
    return (
        stat.S_ISREG(ours.st_mode)
        and (ours.st_size, ours.st_mtime_ns, ours.st_mode)
        == (theirs.st_size, theirs.st_mtime_ns, theirs.st_mode)
        and ours.st_ctime_ns < since
        and theirs.st_ctime_ns < since  # times of modification can be set back
    )


def _copy(source: Path, to: Path) -> None:
    with open(source, "rb") as reading, open(to, "xb") as writing:
        try:
            fcntl.ioctl(writing.fileno(), _FICLONE, reading.fileno())
        except OSError:
            shutil.copyfileobj(reading, writing, 1 << 20)
    shutil.copystat(source, to)


def _link(leads_to: bytes, at: Path, moved: tuple[bytes, bytes]) -> None:
    """A link into the user's checkout leads into the workspace instead."""
    root, into = moved
    if leads_to == root or leads_to.startswith(root + b"/"):
        leads_to = into + leads_to[len(root) :]
    if at.is_symlink() and os.fsencode(at.readlink()) == leads_to:
        return
    remove_tree(at)
    at.symlink_to(os.fsdecode(leads_to))


def _relocate(source: Path, path: Path, moved: tuple[bytes, bytes]) -> None:
    """A virtual environment names its place in its scripts and in the files of editable installs: left as they are, the
    workspace's tests would import the user's code, and a gate's checkout the workspace's."""
    in_bin = source.parent.name in ("bin", "Scripts") and (source.parents[1] / "pyvenv.cfg").exists()
    editable = path.suffix == ".pth" or path.name.startswith("__editable__")
    if (
        not (in_bin or editable or path.name in ("pyvenv.cfg", "direct_url.json"))
        or path.stat().st_size > _REWRITTEN_BELOW
    ):
        return
    content = path.read_bytes()
    if moved[0] in content and b"\0" not in content:
        path.write_bytes(content.replace(moved[0], moved[1]))


def leading_out(root: Path, names: Sequence[str]) -> list[str]:
    """Links in the shared folders to folders and data files outside of the checkout: an agent that writes there writes into
    what is the user's. A link to a program (the interpreter of a virtual environment) is no such thing."""
    found, folders = [], [root / os.path.normpath(name) for name in names]
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:  # not there, or not a folder
            continue
        for entry in entries:
            if entry.is_symlink():
                to = Path(os.path.realpath(entry.path))
                program_file = to.is_file() and os.access(to, os.X_OK)
                if to.exists() and not to.is_relative_to(root) and not program_file:
                    found.append(os.path.relpath(entry.path, root))
            elif entry.is_dir(follow_symlinks=False):
                folders.append(Path(entry.path))
    return found


def missing_of(repo: Repo, names: Sequence[str]) -> list[str]:
    """Those that are not there. One that git does not ignore as a whole is refused."""
    check_shared(repo.root, names)
    for name in names:
        query = ("ls-files", "-c", "-o", "--exclude-standard", "-z", "--", f":(literal){name}")
        if found := os.fsdecode(program.run(query, cwd=repo.root)).split("\0")[0]:
            raise RalphError(
                f"`share: {name}` is not ignored by git ({printable(found)}): your copy of it would land",
                where=str(repo.root),
                todo="Share only folders that .gitignore names; the others are in every workspace anyway.",
            )
    return [name for name in names if not (repo.root / name).is_dir()]
