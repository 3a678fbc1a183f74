"""Recovery refs: states of a workspace, stored as commits under `refs/ralph/recovery/` before anything is changed.

No branch, tag, stash or index of the user's is touched; dropping one removes only that ref.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.files import sync
from ralph.git.program import GitFailed
from ralph.git.repo import Repo, ensure_store, head, safe_name
from ralph.git.snapshots import Snapshots

if TYPE_CHECKING:
    from ralph.git.workspaces.pool import PooledWorkspace


PREFIX = "refs/ralph/recovery/"
_SYNC_ALL_ABOVE = 200  # objects; one sync of everything is cheaper then
_TRIES = 20


class Saved(msgspec.Struct, frozen=True):
    """One recoverable state."""

    ref: str
    commit: str
    tree: str
    reason: str
    loop: str
    when: str  # ISO 8601, UTC
    note: str = ""  # where the user's index is kept, when it held changes


def save(repo: Repo, snapshots: Snapshots, tree: str, *, loop: str, reason: str, when: str) -> Saved:
    """Keep `tree`, and the user's index when it differs from it and from HEAD."""
    ensure_store(repo)

    def with_index() -> tuple[list[str], str]:
        parent = head(repo)
        parents, trees, note = [parent] if parent else [], [tree], ""
        try:
            index_tree = snapshots.user_index_tree()
        except GitFailed:
            index_tree, note = None, "the index could not be kept: it holds an unfinished merge or is damaged"
        if index_tree and index_tree not in (tree, tree_of(repo, parent)):
            message = f"ralph: the index before: {_one_line(reason)}\n"
            index_commit = _commit(repo, index_tree, parents, when, message)
            parents.append(index_commit)
            trees.append(index_tree)
            note = f"the index is in {index_commit}"
        settle(repo, snapshots.new_objects(trees, parent))
        return parents, note

    return _keep_once(repo, tree, with_index, loop=loop, reason=reason, when=when)


def keep_tree(repo: Repo, tree: str, parent: str, *, loop: str, reason: str, when: str) -> Saved:
    """Keep a tree that is in the repository's object store, as a commit on `parent`."""
    return _keep_once(repo, tree, lambda: ([parent], ""), loop=loop, reason=reason, when=when)


def _keep_once(
    repo: Repo,
    tree: str,
    beside: Callable[[], tuple[list[str], str]],
    *,
    loop: str,
    reason: str,
    when: str,
) -> Saved:
    """The same loop, reason and tree again finds the ref that is there already. `beside`: the commit's parents, and a note."""
    loop, reason = _one_line(loop), _one_line(reason)
    existing, lost = _listed(repo)
    for entry in existing:
        if (entry.loop, entry.reason, entry.tree) == (loop, reason, tree):
            return entry
    parents, note = beside()
    message = f"ralph: {reason}\n\nRalph-Loop: {loop}\nRalph-When: {when}\nRalph-Note: {note}\n"
    commit = _commit(repo, tree, parents, when, message)
    ref = _create_ref(repo, loop, commit, (*(entry.ref for entry in existing), *lost))
    return Saved(ref, commit, tree, reason, loop, when, note)


def saved(repo: Repo) -> list[Saved]:
    """Every recoverable state, oldest first within its loop."""
    return _listed(repo)[0]


def unreadable(repo: Repo) -> list[str]:
    """Recovery refs whose commit is missing or damaged: nothing can be restored from them."""
    return _listed(repo)[1]


def _listed(repo: Repo) -> tuple[list[Saved], list[str]]:
    if not (repo.common_dir / "HEAD").exists():
        return [], []
    try:
        return _entries(repo, PREFIX), []
    except GitFailed:  # of one of them
        pass
    found, lost = [], []
    names = repo.git("for-each-ref", "--format=%(refname)", "--sort=version:refname", PREFIX)
    for ref in os.fsdecode(names).splitlines():
        try:
            found += _entries(repo, ref)
        except GitFailed:
            lost.append(ref)
    return found, lost


def _entries(repo: Repo, below: str) -> list[Saved]:
    fields = "%00".join(("%(refname)", "%(objectname)", "%(tree)", "%(contents)", ""))
    listed = repo.git("for-each-ref", f"--format={fields}", "--sort=version:refname", below)
    parts = listed.decode("utf-8", "replace").split("\0")
    found = []
    for ref, commit, tree, message in zip(parts[:-1:4], parts[1::4], parts[2::4], parts[3::4], strict=True):
        lines = message.splitlines()
        facts = dict(line.partition(": ")[::2] for line in lines if line.startswith("Ralph-"))
        if lines and "Ralph-Loop" in facts:
            reason = lines[0].removeprefix("ralph: ")
            when, note = facts.get("Ralph-When", ""), facts.get("Ralph-Note", "")
            found.append(Saved(ref.strip(), commit, tree, reason, facts["Ralph-Loop"], when, note))
    return found


def drop(repo: Repo, ref: str) -> None:
    """Forget one recoverable state."""
    existing, lost = _listed(repo)
    if ref not in {*(entry.ref for entry in existing), *lost}:
        raise RalphError(f"there is no recovery ref {ref}", todo="`ralph recover` lists those that exist.")
    fault_point("ref.before", writes=True)
    repo.git("update-ref", "-d", ref, durable=True)
    fault_point("ref.after")


def _create_ref(repo: Repo, loop: str, commit: str, existing: Iterable[str]) -> str:
    folder = f"{PREFIX}{safe_name(loop)}/"
    taken = [ref.removeprefix(folder) for ref in existing if ref.startswith(folder)]
    first = 1 + max((int(number) for number in taken if number.isdigit()), default=0)
    # A number may be held by the lock file of a killed git: then the next one is as good.
    for number in range(first, first + _TRIES):
        ref = f"{folder}{number}"
        fault_point("ref.before", writes=True)
        try:
            repo.git("update-ref", "--stdin", "-z", stdin=f"create {ref}\0{commit}\0".encode(), durable=True)
        except GitFailed:
            if number == first + _TRIES - 1:
                raise
            continue
        fault_point("ref.after")
        break
    with suppress(OSError):
        sync(repo.common_dir / folder)
    return ref


def _commit(repo: Repo, tree: str, parents: Iterable[str], when: str, message: str) -> str:
    links = [part for parent in parents for part in ("-p", parent)]
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    text = message.encode("utf-8", "replace")
    made = repo.git("commit-tree", tree, *links, env=dates, stdin=text, durable=True)
    return made.decode().strip()


def tree_of(repo: Repo, commit: str | None) -> str | None:
    return repo.git("rev-parse", f"{commit}^{{tree}}").decode().strip() if commit else None


def settle(repo: Repo, objects: list[str]) -> None:
    """Put on the disk what the snapshots wrote without waiting for it."""
    if len(objects) > _SYNC_ALL_ABOVE:
        os.sync()
        return
    folders = set()
    for oid in objects:
        path = repo.objects / oid[:2] / oid[2:]
        with suppress(FileNotFoundError):  # in a pack, which git has synced
            sync(path)
            folders.add(path.parent)
    for folder in folders:
        sync(folder)


def _one_line(text: str) -> str:
    return " ".join(text.split())


Keep = Callable[[str, str], object]  # a tree, and why


def keep(
    home: Repo,
    workspace: PooledWorkspace | None,
    snapshots: Snapshots,
    tree: str,
    *,
    loop: str,
    reason: str,
    when: str,
) -> Saved:
    """Repeating it finds what is kept already."""
    if workspace is None:  # objects and refs are the user's repository's
        return save(snapshots.repo, snapshots, tree, loop=loop, reason=reason, when=when)
    from ralph.git.workspaces.pool import bring_home

    bring_home(home, workspace, tree)
    return keep_tree(home, tree, workspace.base, loop=loop, reason=reason, when=when)
