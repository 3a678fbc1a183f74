"""A checkout that is on the target follows a landing, when the user's edits do not overlap with it. What the user edited is
never written over, nor what git does not know.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from ralph.seams import seam
from ralph.workspace import git
from ralph.workspace.git import GitFailed
from ralph.workspace.landing.checkouts import Checkout, under_way
from ralph.workspace.landing.guard import Guard
from ralph.workspace.landing.index import Held, held
from ralph.workspace.landing.repair import Entry, differences, only_known, settle
from ralph.workspace.repo import Repo, printable
from ralph.workspace.uncommitted import GITLINK, dirty

_NAMED = re.compile(r"[Ee]ntry '(.*)' |^\t(.*)$", re.MULTILINE)


class Followed(msgspec.Struct, frozen=True):
    """The checkout shows the new commit."""


class Overlap(msgspec.Struct, frozen=True):
    """The checkout cannot follow: these paths (if it is about paths), or this reason. It was left as it is."""

    root: str
    paths: tuple[str, ...] = ()
    reason: str = ""


def would_overlap(checkout: Checkout, old: str, new: str) -> Overlap | None:
    """Why the checkout could not follow from `old` to `new`, asked before anything is done. Reads only."""
    root = str(checkout.repo.root)
    if checkout.obstacle:
        return Overlap(root, reason=checkout.obstacle)
    entries = differences(checkout.repo, old, new)
    blocked = _in_the_way(checkout.repo, entries)
    edited = [path for path in dirty(checkout.repo) if _touches(path, entries)]
    if blocked or edited:
        return Overlap(root, tuple(sorted({printable(p) for p in (*blocked, *edited)})))
    if (checkout.repo.git_dir / "index.lock").exists():
        return Overlap(root, reason="another git holds its index")
    return None


def follow(
    guard: Guard, checkout: Checkout, entries: Sequence[Entry], old: str, new: str
) -> Followed | Overlap:
    """Bring index and files from `old` to `new`. The caller has noted it, and holds the ref that is about to move."""
    root = str(checkout.repo.root)
    doing = under_way(checkout.repo.git_dir)
    if checkout.obstacle or doing:
        return Overlap(root, reason=checkout.obstacle or f"{doing} is under way there")
    blocked = _in_the_way(checkout.repo, entries)
    if blocked:
        return Overlap(root, tuple(printable(path) for path in blocked))
    with held(guard, checkout.repo) as index:
        if index is None:
            return Overlap(root, reason="another git holds its index")
        before = _stamps(checkout.repo.root, entries)
        seam("landing.follow.before", writes=True)
        try:
            _two_trees(index, old, new)
        except GitFailed as failed:
            if (
                _stamps(checkout.repo.root, entries) != before
            ):  # it failed while writing: a full disk, a permission
                settle(index, checkout.repo, entries, forward=False)
            return Overlap(root, _named(failed, entries), "" if _named(failed, entries) else failed.what)
        seam("landing.follow.after")
        index.put_in_place()
    return Followed()


def _two_trees(index: Held, old: str, new: str) -> None:
    """git's own check and update. It refuses what differs only in its time stamps, so those are renewed once."""
    command = ("read-tree", "-m", "-u", old, new)
    try:
        index.git(*command)
    except GitFailed as failed:
        if "not uptodate" not in failed.stderr:
            raise
        try:
            index.git("update-index", "-q", "--refresh")
        except GitFailed as dirt:
            if dirt.status != 1:  # 1: some files are really edited
                raise
        index.git(*command)


# --- what stands in the way


def _in_the_way(checkout: Repo, entries: Sequence[Entry]) -> list[str]:
    """Paths that git's own check lets pass: it overwrites ignored files, brings back files that the user deleted, and
    leaves submodules behind."""
    root = checkout.root
    known = {entry.path for entry in entries if entry.old}
    found = []
    for entry in entries:
        if GITLINK in (entry.old_mode, entry.new_mode) or _leads_away(root, entry.path, known):
            found.append(entry.path)
        elif not entry.old and os.path.lexists(root / entry.path):
            full = root / entry.path
            if full.is_symlink() or not full.is_dir() or not only_known(root, full, known):
                found.append(entry.path)
    return found + _deleted(checkout, [e.path for e in entries if e.old and e.new and e.path not in found])


def _deleted(checkout: Repo, paths: Sequence[str]) -> list[str]:
    """Those that are not there, although the checkout is to have them (a sparse one has not all)."""
    gone = {path for path in paths if not os.path.lexists(checkout.root / path)}
    if not gone:
        return []
    place = {"GIT_DIR": str(checkout.git_dir), "GIT_WORK_TREE": str(checkout.root)}
    listed = os.fsdecode(git.run(("ls-files", "-t", "-z"), cwd=checkout.root, env=place)).split("\0")
    return sorted(gone - {line[2:] for line in listed if line.startswith("S ")})


def _leads_away(root: Path, path: str, known: set[str]) -> bool:
    """Whether a parent is not a folder, and is not a file that the landing itself takes away."""
    for parent in Path(path).parents[:-1]:
        full = root / parent
        if full.is_symlink() or (os.path.lexists(full) and not full.is_dir()):
            return str(parent) not in known
    return False


def _touches(path: str, entries: Iterable[Entry]) -> bool:
    return any(
        path == e.path or path.startswith(f"{e.path}/") or e.path.startswith(f"{path}/") for e in entries
    )


def _named(failed: GitFailed, entries: Sequence[Entry]) -> tuple[str, ...]:
    """The paths that git's refusal is about; it stops at the first."""
    said = [first or second for first, second in _NAMED.findall(failed.stderr)]
    known = {printable(entry.path): entry for entry in entries}
    return tuple(sorted({path for path in said if path in known}))


def _stamps(root: Path, entries: Iterable[Entry]) -> list[tuple[int, int, int] | None]:
    found: list[tuple[int, int, int] | None] = []
    for entry in entries:
        try:
            seen = (root / entry.path).lstat()
            found.append((seen.st_ino, seen.st_ctime_ns, seen.st_size))
        except OSError:
            found.append(None)
    return found
