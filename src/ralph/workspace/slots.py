"""Where loops work that do not work in place: a folder for each slot, outside of the project, used again and again.

A note beside the folder says whose it is: `preparing`, `ready` or `released`. What a dead loop left in it is kept in a
recovery ref before it is cleaned.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ralph.errors import RalphError
from ralph.seams import seam
from ralph.workspace import clone, git, recovery, worktree
from ralph.workspace.git import GitFailed
from ralph.workspace.landing.moves import forget_base, keep_base
from ralph.workspace.landing.squash import bring_history, bring_tree
from ralph.workspace.removal import remove_tree
from ralph.workspace.repo import Repo, head, safe_name
from ralph.workspace.share import bring_shared, check_shared
from ralph.workspace.snapshot import Snapshots
from ralph.workspace.uncommitted import GITLINK

Kind = Literal["clone", "worktree", "in-place"]


class Workspace(msgspec.Struct, frozen=True):
    """Where one loop works."""

    kind: Kind
    path: Path
    branch: str  # short name; empty in place
    base: str
    loop: str = ""
    slot: int = 0
    target: str = ""  # short name of the branch that the work is for; a clone has it too, at the base


class _Note(msgspec.Struct, frozen=True):
    state: Literal["preparing", "ready", "released"]
    loop: str
    kind: Kind
    branch: str
    base: str
    target: str = ""


def slots_dir(repo: Repo) -> Path:
    """The folder of this repository's slots. Not inside `.git`: agents guard it, and test runners skip it."""
    chosen = os.environ.get("RALPH_WORKSPACES", "")
    state = os.environ.get("XDG_STATE_HOME", "")
    home = Path(state) if state.startswith("/") else Path.home() / ".local" / "state"
    place = Path(chosen).absolute() if chosen else home / "ralph" / "workspaces"
    return place / f"{safe_name(repo.root.name)[:40]}-{_mark(repo.common_dir)}"


def is_slot_of(common_dir: Path, folder: Path) -> bool:
    """Whether `folder` is a slot of the repository whose git directory this is, wherever slots are kept."""
    return folder.name.isdigit() and folder.parent.name.endswith(f"-{_mark(common_dir)}")


def _mark(common_dir: Path) -> str:
    return hashlib.sha256(os.fsencode(common_dir)).hexdigest()[:8]


def prepare(
    repo: Repo,
    kind: Kind,
    *,
    slot: int,
    loop: str,
    base: str,
    branch: str,
    when: str,
    target: str = "",
    share: Sequence[str] = (),
) -> Workspace:
    """A clean workspace at `base`, on `branch`. The same loop and branch again: the one that is there, untouched, and
    on the base that it has by now (`rebased`).
    `refuse` has been asked before. `when` (ISO 8601) dates what is saved of a dead loop."""
    if kind == "in-place":
        return Workspace(kind, repo.root, "", base, loop)
    folder, known = slots_dir(repo) / str(slot), ""
    note = _read(folder)
    if note and note.state == "ready" and (folder / ".git").exists():
        if (note.loop, note.kind, note.branch) == (loop, kind, branch):
            return _of(note, folder, slot)
        salvage(repo, _of(note, folder, slot), when=when)
        known = _head(repo, _of(note, folder, slot))
    check_shared(repo.root, share)
    folder.parent.mkdir(parents=True, exist_ok=True)
    if note and note.kind == "worktree":
        worktree.remove(repo, folder, note.branch, note.base, known)
    elif note and note.kind != kind:
        remove_tree(folder)
    if note and note.loop != loop:
        forget_base(repo, note.loop)
    seam("workspace.note.before", writes=True)
    _write(folder, _Note("preparing", loop, kind, branch, base, target))
    seam("workspace.note.after")
    keep_base(repo, loop, base)
    if kind == "clone":
        clone.prepare(repo, folder, base, branch, target, keep=share)
    else:
        worktree.prepare(repo, folder, base, branch)
    if share:
        bring_shared(repo.root, folder, share, _beside(folder, "d"))
    seam("workspace.ready.before", writes=True)
    note = _Note("ready", loop, kind, branch, base, target)
    _write(folder, note)
    seam("workspace.ready.after")
    return _of(note, folder, slot)


def rebased(repo: Repo, workspace: Workspace, base: str, held: str = "") -> Workspace:
    """The same workspace, which now builds on another commit: HEAD and index stand there; files stay as they are. `held`: a
    commit on `base` with what it borrows beside it."""
    if workspace.kind == "in-place" or workspace.base == base:
        return workspace
    keep_base(repo, workspace.loop, held or base)
    inside = as_repo(repo, workspace)
    if workspace.kind == "clone":
        clone.point(inside, workspace.branch, base, workspace.target)
    else:
        worktree.point(repo, inside, workspace.branch, base)
    there = msgspec.structs.replace(workspace, base=base)
    seam("workspace.rebased.before", writes=True)
    _write(there.path, _Note("ready", there.loop, there.kind, there.branch, base, there.target))
    seam("workspace.rebased.after")
    return there


def track(inside: Repo, entries: Sequence[tuple[str, str, str]]) -> None:
    """Into the workspace's index, whatever its ignore rules say: (mode, object, path)."""
    lines = "".join(f"{mode} {oid}\t{path}\0" for mode, oid, path in entries if mode != GITLINK)
    env = {"GIT_DIR": str(inside.git_dir), "GIT_WORK_TREE": str(inside.root)}
    git.run(
        ("update-index", "--add", "--replace", "-z", "--index-info"),
        cwd=inside.root,
        env=env,
        stdin=os.fsencode(lines),
    )


def release(repo: Repo, workspace: Workspace, *, tip: str = "") -> None:
    """The loop is over, and what it made is in the user's repository (`bring_home`, a landing, a failure branch). A
    clone stays for the next loop; a worktree goes, with its branch if that still stands at the base or at `tip`."""
    if workspace.kind == "in-place":
        return
    note = _read(workspace.path)
    if workspace.kind == "worktree":
        worktree.remove(repo, workspace.path, workspace.branch, workspace.base, tip)
    forget_base(repo, workspace.loop)
    if note:  # last, so that a death before it leads here again
        _write(workspace.path, msgspec.structs.replace(note, state="released"))
    if workspace.kind == "worktree":
        discard(repo, workspace.slot)


def discard(repo: Repo, slot: int) -> None:
    """Remove a slot with all that is in it. What an unreleased loop left must have been salvaged."""
    folder = slots_dir(repo) / str(slot)
    note = _read(folder)
    if note and note.kind == "worktree":
        worktree.remove(repo, folder, note.branch, note.base)
    if note:
        forget_base(repo, note.loop)
    seam("workspace.discard.before", writes=True)
    remove_tree(folder)
    for ending in ("d", "index", "tmp"):
        remove_tree(_beside(folder, ending))
    _beside(folder, "json").unlink(
        missing_ok=True
    )  # last: its presence says that there is something to remove
    seam("workspace.discard.after")
    for parent in (folder.parent, folder.parent.parent):
        try:
            parent.rmdir()
        except OSError:
            break


def slots(repo: Repo) -> list[Workspace]:
    """Every slot that is not released: workspaces of living loops, and what dead ones left."""
    found = []
    folder = slots_dir(repo)
    for path in sorted(folder.glob("*.json")) if folder.is_dir() else []:
        note = _read(path.with_suffix(""))
        if note and note.state != "released" and path.stem.isdigit():
            found.append(_of(note, path.with_suffix(""), int(path.stem)))
    return found


def reclaim(repo: Repo, loops: Collection[str], *, when: str) -> list[Workspace]:
    """Give back every slot whose loop is none of these: its run died before the journal knew of it. What is in it is
    kept in a recovery ref first."""
    found = [workspace for workspace in slots(repo) if workspace.loop not in loops]
    for workspace in found:
        note = _read(workspace.path)
        known = ""
        if note and note.state == "ready":
            salvage(repo, workspace, when=when)
            known = _head(repo, workspace)
        release(repo, workspace, tip=known)
    return found


def as_repo(repo: Repo, workspace: Workspace) -> Repo:
    """The workspace as a repository to take snapshots of. Ralph's state stays with the user's repository."""
    if workspace.kind == "in-place":
        return repo
    if workspace.kind == "clone":
        git_dir = workspace.path / ".git"
        return Repo(workspace.path, git_dir, git_dir, repo.state_dir, repo.object_format)
    git_dir = worktree.git_dir(workspace.path)
    return Repo(workspace.path, git_dir, repo.common_dir, repo.state_dir, repo.object_format)


def bring_home(repo: Repo, workspace: Workspace, tree: str, *, history: str = "") -> None:
    """Put what a snapshot needs into the user's repository, and the commits behind `history`. Only a clone has objects of
    its own; afterwards it can be cleaned."""
    if workspace.kind == "clone":
        objects = workspace.path / ".git" / "objects"
        bring_tree(repo, objects, tree, workspace.base)
        if history:
            bring_history(repo, objects, history, workspace.base)


def salvage(repo: Repo, workspace: Workspace, *, when: str) -> recovery.Saved | None:
    """Keep what a dead loop left in its workspace in a recovery ref of the user's repository; None if it changed nothing."""
    if not (workspace.path / ".git").exists():
        return None
    inside = as_repo(repo, workspace)
    try:
        tree = Snapshots(inside, f"slot-{workspace.slot}", base=workspace.base).take().tree
        parent = _head(repo, workspace) or workspace.base
        bring_home(repo, workspace, tree, history=parent)
    except (GitFailed, RalphError) as error:
        raise RalphError(
            f"a workspace holds work of {workspace.loop} that cannot be saved: {error.what}",
            where=str(workspace.path),
            todo="Save what you want of it and remove the folder; then `ralph resume`.",
            code=70,
        ) from None
    if parent == workspace.base and tree == recovery.tree_of(repo, parent):
        return None
    return recovery.keep_tree(
        repo, tree, parent, loop=workspace.loop, reason="left in its workspace", when=when
    )


def _beside(folder: Path, ending: str) -> Path:
    path = folder.with_name(f"{folder.name}.{ending}")
    if ending == "d":
        path.mkdir(parents=True, exist_ok=True)
    return path


def _read(folder: Path) -> _Note | None:
    try:
        return msgspec.json.decode(_beside(folder, "json").read_bytes(), type=_Note)
    except (OSError, msgspec.DecodeError):
        return None


def _write(folder: Path, note: _Note) -> None:
    path = _beside(folder, "json")
    temporary = path.with_suffix(".tmp")
    with open(temporary, "wb") as file:
        file.write(msgspec.json.encode(note))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _of(note: _Note, folder: Path, slot: int) -> Workspace:
    return Workspace(note.kind, folder, note.branch, note.base, note.loop, slot, note.target)


def _head(repo: Repo, workspace: Workspace) -> str:
    try:
        return head(as_repo(repo, workspace)) or ""
    except (OSError, RalphError):
        return ""
