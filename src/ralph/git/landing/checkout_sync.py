"""A checkout of the target follows a landing. If the landing died or its disk was full, the checkout is put back or brought
forward. Only paths that stand at one of the two commits, or at a beginning of the new one, are touched; later edits stay.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.files import Stamp, prune_empty, read_bytes, stamp
from ralph.git.landing.checkouts import Checkout, Held, lock_checkout, operation_under_way
from ralph.git.landing.lock import LandingLock
from ralph.git.program import GitFailed
from ralph.git.repo import Repo, object_id, printable, quoted
from ralph.git.trees import Change
from ralph.git.uncommitted_changes import GITLINK

_LINK = "120000"


def repair(guard: LandingLock, checkout: Checkout, entries: Sequence[Change], *, forward: bool) -> None:
    """After a death: every path that stands between old and new goes to new (`forward`: the ref has moved) or back to
    old. Paths that someone edited since are left."""
    with lock_checkout(guard, checkout.repo) as index:
        if index is None:
            raise RalphError(
                "a landing died here, and its repair needs the index, which another git holds",
                where=str(checkout.repo.git_dir / "index.lock"),
                todo="When no git runs here any more, remove this file; then `ralph resume`.",
                code=70,
            )
        settle(index, checkout.repo, entries, forward=forward)


def only_known(root: Path, folder: Path, known: set[str]) -> bool:
    """Whether the folder holds no file but these."""
    for place, folders, files in os.walk(folder):
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        if any(os.path.relpath(Path(place) / name, root) not in known for name in (*files, *links)):
            return False
    return True


def settle(index: Held, checkout: Repo, entries: Sequence[Change], *, forward: bool) -> None:
    """As `repair`, with the index held."""
    listed = _index_entries(index, entries)
    hashes = _file_hashes(index, checkout, [entry.path for entry in entries])
    ours = []
    for entry in entries:
        staged, file = listed.get(entry.path, ""), hashes[entry.path]
        mode, wanted = (entry.new_mode, entry.new) if forward else (entry.old_mode, entry.old)
        known = staged in (entry.old, entry.new) and file in ("", entry.old, entry.new)
        is_ours = known or _is_part(index, checkout.root, entry)
        if is_ours and (staged, file) != (wanted, wanted):
            ours.append((entry.path, mode, wanted))
    if ours:
        _put(index, checkout, ours)


def _put(index: Held, checkout: Repo, wanted: Sequence[tuple[str, str, str]]) -> None:
    """Index and files of these paths as given: (path, mode, object), an empty object for a path that goes."""
    fault_point("landing.repair.before", writes=True)
    for path, _, oid in wanted:
        if not oid:
            with suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError):
                (checkout.root / path).unlink()
            prune_empty((checkout.root / path).parent, checkout.root)
    lines = [
        f"{mode} {oid}\t{path}\0" if oid else f"0 {checkout.zero}\t{path}\0" for path, mode, oid in wanted
    ]
    gone_first = sorted(lines, key=lambda line: not line.startswith("0 "))
    index.git("update-index", "-z", "--index-info", stdin=os.fsencode("".join(gone_first)))
    present = [path for path, _, oid in wanted if oid]
    if present:
        paths = os.fsencode("".join(f"{path}\0" for path in present))
        index.git("checkout-index", "-f", "-u", "-q", "-z", "--stdin", stdin=paths)
    index.put_in_place()
    fault_point("landing.repair.after")


def _index_entries(index: Held, entries: Sequence[Change]) -> dict[str, str]:
    """The object of each of these paths in the index; a path in an unfinished merge counts as something else."""
    wanted = {entry.path for entry in entries}
    found: dict[str, str] = {}
    for line in os.fsdecode(index.git("ls-files", "-s", "-z")).split("\0")[:-1]:
        facts, _, path = line.partition("\t")
        if path in wanted:
            _, oid, stage = facts.split(" ")
            found[path] = oid if stage == "0" else "unmerged"
    return found


def _file_hashes(index: Held, checkout: Repo, paths: Sequence[str]) -> dict[str, str]:
    """The object that each file would be stored as; empty where there is none, "?" for what git could not store."""
    found, regular = {}, []
    for path in paths:
        full = checkout.root / path
        if full.is_symlink():
            found[path] = object_id("blob", os.fsencode(full.readlink()), checkout.object_format)
        elif full.is_file():
            regular.append(path)
        else:  # a folder of nothing but the difference's own files is about to go, or about to come
            ours = not os.path.lexists(full) or (full.is_dir() and only_known(checkout.root, full, {*paths}))
            found[path] = "" if ours else "?"
    if regular:
        listed = "".join(f"{quoted(path)}\n" for path in regular)
        hashes = index.git("hash-object", "--stdin-paths", stdin=os.fsencode(listed)).decode().split()
        found |= dict(zip(regular, hashes, strict=True))
    return found


def _is_part(index: Held, root: Path, entry: Change) -> bool:
    """Whether the file is a beginning of the new content: git was killed while it wrote it."""
    full = root / entry.path
    if not entry.new or entry.new_mode == _LINK or full.is_symlink() or not full.is_file():
        return False
    whole = index.git("cat-file", "--filters", f"--path={entry.path}", entry.new)
    return whole.startswith(read_bytes(full))


_NAMED = re.compile(r"[Ee]ntry '(.*)' |^\t(.*)$", re.MULTILINE)


class Overlap(msgspec.Struct, frozen=True):
    """The checkout cannot follow: these paths (if it is about paths), or this reason. It was left as it is."""

    root: str
    paths: tuple[str, ...] = ()
    reason: str = ""


def follow(
    guard: LandingLock, checkout: Checkout, entries: Sequence[Change], old: str, new: str
) -> Overlap | None:
    """Bring index and files from `old` to `new`; None: it shows the new commit. The caller has noted it, and holds the ref
    that is about to move."""
    root = str(checkout.repo.root)
    doing = operation_under_way(checkout.repo.git_dir)
    if checkout.obstacle or doing:
        return Overlap(root, reason=checkout.obstacle or f"{doing} is under way there")
    blocked = _in_the_way(checkout.repo, entries)
    if blocked:
        return Overlap(root, tuple(printable(path) for path in blocked))
    with lock_checkout(guard, checkout.repo) as index:
        if index is None:
            return Overlap(root, reason="another git holds its index")
        before = _stamps(checkout.repo.root, entries)
        fault_point("landing.follow.before", writes=True)
        try:
            _two_trees(index, old, new)
        except GitFailed as failed:
            if _stamps(checkout.repo.root, entries) != before:  # while writing: a full disk, a permission
                settle(index, checkout.repo, entries, forward=False)
            return Overlap(root, _named(failed, entries), "" if _named(failed, entries) else failed.what)
        fault_point("landing.follow.after")
        index.put_in_place()
    return None


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


def _in_the_way(checkout: Repo, entries: Sequence[Change]) -> list[str]:
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
    listed = os.fsdecode(checkout.git_inside("ls-files", "-t", "-z")).split("\0")
    return sorted(gone - {line[2:] for line in listed if line.startswith("S ")})


def _leads_away(root: Path, path: str, known: set[str]) -> bool:
    """Whether a parent is not a folder, and is not a file that the landing itself takes away."""
    for parent in Path(path).parents[:-1]:
        full = root / parent
        if full.is_symlink() or (os.path.lexists(full) and not full.is_dir()):
            return str(parent) not in known
    return False


def _named(failed: GitFailed, entries: Sequence[Change]) -> tuple[str, ...]:
    """The paths that git's refusal is about; it stops at the first."""
    said = [first or second for first, second in _NAMED.findall(failed.stderr)]
    known = {printable(entry.path): entry for entry in entries}
    return tuple(sorted({path for path in said if path in known}))


def _stamps(root: Path, entries: Iterable[Change]) -> list[Stamp | None]:
    return [stamp(root / entry.path, follow=False) for entry in entries]
