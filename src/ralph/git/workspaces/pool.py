"""The pool of workspaces: slots in which clones or worktrees are prepared, reused and given back.

What a repository uses that a separate workspace cannot have (a partial clone, submodules, LFS) is refused by name first.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec.structs import asdict, replace

from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.files import NotAFile, read_bytes, remove_tree
from ralph.git import recovery
from ralph.git.landing.squash import bring_history, bring_tree
from ralph.git.landing.target import keep_base
from ralph.git.program import GitFailed
from ralph.git.repo import Repo, head, make_slots_dir, printable, shared_settings, slots_dir
from ralph.git.snapshots import Snapshots
from ralph.git.trees import changes_between
from ralph.git.uncommitted_changes import GITLINK, tree_entries
from ralph.git.workspaces import clone, worktree
from ralph.git.workspaces.shared_folders import bring_shared, check_shared

_STORE = "objects"  # of a worktree: what its snapshots are made of
_FILTER = re.compile(r"\sfilter=(\S+)")


def refuse(repo: Repo, commit: str) -> str | None:
    """Why no clone or worktree of this commit can be made; None when it can. In place, none of this matters."""
    settings = shared_settings(repo)
    if "extensions.partialclone" in settings:
        return "this is a partial clone: a separate workspace could not fetch what is missing"
    if settings.get("extensions.refstorage", "files") != "files":
        return f"its refs are stored as {printable(settings['extensions.refstorage'])}, which Ralph does not handle"
    attributes = []
    for mode, oid, path in tree_entries(repo.git("ls-tree", "-r", "-z", "--full-tree", commit)):
        if mode == GITLINK:
            return f"{printable(path)} is a submodule, whose files a separate workspace would not have"
        if path.rpartition("/")[2] == ".gitattributes" and mode.startswith("100"):
            attributes.append(repo.git("cat-file", "blob", oid))
    try:
        attributes.append(read_bytes(repo.common_dir / "info" / "attributes"))
    except OSError:
        pass
    return _filtered("\n".join(text.decode("utf-8-sig", "replace") for text in attributes), settings)


def refuse_since(repo: Repo, old: str, new: str) -> str | None:
    """The same of a commit that came after one with which all was well; cheap when it changes nothing of the kind."""
    try:
        changed = changes_between(repo, old, new)
    except GitFailed:  # the old one is gone
        return refuse(repo, new)
    doubtful = any(x.new_mode == GITLINK or x.path.rpartition("/")[2] == ".gitattributes" for x in changed)
    return refuse(repo, new) if doubtful else None


def _filtered(attributes: str, settings: Mapping[str, str]) -> str | None:
    lines = (line.lstrip() for line in attributes.split("\n"))
    names = {name for line in lines if not line.startswith("#") for name in _FILTER.findall(line)}
    for name in sorted(names):
        if name == "lfs":
            return "files are in Git LFS, which a separate workspace could not reach"
        smudge, process = (settings.get(f"filter.{name}.{what}", "") for what in ("smudge", "process"))
        if process or smudge not in ("", "cat"):
            return (
                f"files go through the filter {printable(name)}, which only this repository is configured for"
            )
    return None


Kind = Literal["clone", "worktree"]
Say = Callable[[str], None]


class PooledWorkspace(msgspec.Struct, frozen=True):
    """Where one loop works. That of a slot is noted beside it."""

    kind: Kind
    path: Path
    branch: str  # short name
    base: str
    loop: str = ""
    slot: int = 0
    target: str = ""  # short name of the branch that the work is for; a clone has it too, at the base
    made_in: float = 0.0  # seconds that `prepare` took
    state: Literal["preparing", "ready", "released"] = "ready"
    home: str = ""  # the git directory of the user's repository


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
    say: Say = lambda text: None,
) -> PooledWorkspace:
    """A clean workspace at `base`, on `branch`. The same loop and branch again: the one that is there, untouched, and
    on the base that it has by now (`rebased`).
    `refuse` has been asked before. `when` (ISO 8601) dates what is saved of a dead loop."""
    folder, known, began = slots_dir(repo) / str(slot), "", time.monotonic()
    there = _read(folder)
    if there and there.state == "ready" and (folder / ".git").exists():
        if (there.loop, there.kind, there.branch) == (loop, kind, branch):
            return there
        salvage(repo, there, when=when, say=say)
        known = _head(repo, there)
    check_shared(repo.root, share)
    make_slots_dir(repo)
    if there and there.kind == "worktree":
        worktree.remove(repo, folder, there.branch, there.base, known)
    elif there and there.kind != kind:
        remove_tree(folder)
    if there and there.loop != loop:
        keep_base(repo, there.loop, "")
    fault_point("workspace.note.before", writes=True)
    home = printable(str(repo.common_dir))
    workspace = PooledWorkspace(kind, folder, branch, base, loop, slot, target, home=home)
    _write(replace(workspace, state="preparing"))
    fault_point("workspace.note.after")
    keep_base(repo, loop, base)
    if kind == "clone":
        clone.prepare(repo, folder, base, branch, target, keep=share)
    else:
        worktree.make_store(repo, _beside(folder, _STORE))
        worktree.prepare(repo, folder, base, branch)
    if share:
        bring_shared(repo.root, folder, share, _beside(folder, "d"))
    fault_point("workspace.ready.before", writes=True)
    workspace = replace(workspace, made_in=round(time.monotonic() - began, 3))
    _write(workspace)
    fault_point("workspace.ready.after")
    return workspace


def rebased(repo: Repo, workspace: PooledWorkspace, base: str) -> PooledWorkspace:
    """The same workspace, which now builds on another commit: HEAD and index stand there; files stay as they are. What it
    borrows has been kept before (`keep_base`)."""
    if workspace.base == base:
        return workspace
    inside = as_repo(repo, workspace)
    if workspace.kind == "clone":
        clone.point(inside, workspace.branch, base, workspace.target)
    else:
        worktree.point(repo, inside, workspace.branch, base)
    there = replace(workspace, base=base, state="ready")
    fault_point("workspace.rebased.before", writes=True)
    _write(there)
    fault_point("workspace.rebased.after")
    return there


def track(inside: Repo, entries: Sequence[tuple[str, str, str]]) -> None:
    """Into the workspace's index, whatever its ignore rules say: (mode, object, path)."""
    lines = "".join(f"{mode} {oid}\t{path}\0" for mode, oid, path in entries if mode != GITLINK)
    inside.git_inside("update-index", "--add", "--replace", "-z", "--index-info", stdin=os.fsencode(lines))


def release(repo: Repo, workspace: PooledWorkspace, *, tip: str = "") -> None:
    """The loop is over, and what it made is in the user's repository (`bring_home`, a landing, a failure branch). A
    clone stays for the next loop; a worktree goes, with its branch if that still stands at the base or at `tip`."""
    noted = _read(workspace.path)
    if workspace.kind == "worktree":
        worktree.remove(repo, workspace.path, workspace.branch, workspace.base, tip)
    keep_base(repo, workspace.loop, "")
    if noted:  # last, so that a death before it leads here again
        _write(replace(noted, state="released"))
    if workspace.kind == "worktree":
        discard(repo, workspace.slot)


def discard(repo: Repo, slot: int) -> None:
    """Remove a slot with all that is in it. What an unreleased loop left must have been salvaged."""
    folder = slots_dir(repo) / str(slot)
    there = _read(folder)
    if there and there.kind == "worktree":
        worktree.remove(repo, folder, there.branch, there.base)
    if there:
        keep_base(repo, there.loop, "")
    fault_point("workspace.discard.before", writes=True)
    remove_tree(folder)
    for ending in ("d", "index", _STORE, "tmp"):
        remove_tree(_beside(folder, ending))
    # last: its presence says that there is something to remove
    _beside(folder, "json").unlink(missing_ok=True)
    fault_point("workspace.discard.after")
    for parent in (folder.parent, folder.parent.parent):
        try:
            parent.rmdir()
        except OSError:
            break


def slots(repo: Repo) -> list[PooledWorkspace]:
    """Every slot that is not released: workspaces of living loops, and what dead ones left."""
    return [workspace for workspace in notes_in(slots_dir(repo)) if workspace.state != "released"]


def notes_in(folder: Path) -> list[PooledWorkspace]:
    """Every slot of one repository, by the notes beside them."""
    notes = (path for path in sorted(folder.glob("*.json")) if path.stem.isdigit())
    found = (_read(path.with_suffix("")) for path in notes)
    return [workspace for workspace in found if workspace]


def reclaim(
    repo: Repo, loops: Collection[str], *, when: str, say: Say = lambda text: None
) -> list[PooledWorkspace]:
    """Give back every slot whose loop is none of these: its run died before the journal knew of it. What is in it is
    kept in a recovery ref first."""
    found = [workspace for workspace in slots(repo) if workspace.loop not in loops]
    for workspace in found:
        known = ""
        if workspace.state == "ready":
            salvage(repo, workspace, when=when, say=say)
            known = _head(repo, workspace)
        release(repo, workspace, tip=known)
    return found


def as_repo(repo: Repo, workspace: PooledWorkspace) -> Repo:
    """The workspace as a repository to take snapshots of. Ralph's state stays with the user's repository."""
    if workspace.kind == "clone":
        git_dir = workspace.path / ".git"
        return Repo(workspace.path, git_dir, git_dir, repo.state_dir, repo.object_format)
    git_dir, store = worktree.git_dir(workspace.path), _beside(workspace.path, _STORE)
    there = Repo(workspace.path, git_dir, repo.common_dir, repo.state_dir, repo.object_format)
    return replace(there, store=store) if store.is_dir() else there


def bring_home(repo: Repo, workspace: PooledWorkspace, tree: str, *, history: str = "") -> None:
    """Put what a snapshot needs into the user's repository, and the commits behind `history`. Afterwards the workspace can be
    cleaned."""
    objects = as_repo(repo, workspace).objects
    if objects == repo.objects:
        return
    bring_tree(repo, objects, tree, workspace.base, loop=workspace.loop)
    if history:
        bring_history(repo, objects, history, workspace.base, loop=workspace.loop)


def hold(repo: Repo, workspace: PooledWorkspace, commit: str, *known: str) -> None:
    """A commit that was made in the workspace's object store is in the user's repository, and a ref holds it until the loop
    is over. `known`: commits that are there already."""
    bring_history(repo, as_repo(repo, workspace).objects, commit, *known, loop=workspace.loop)
    keep_base(repo, workspace.loop, commit)


def salvage(
    repo: Repo, workspace: PooledWorkspace, *, when: str, say: Say = lambda text: None
) -> recovery.Saved | None:
    """Keep what a dead loop left in its workspace in a recovery ref of the user's repository; None if it changed nothing.
    Where git cannot, because its agent has destroyed the repository, the folder is kept as it is and `say` hears where."""
    if not (workspace.path / ".git").exists():
        return None
    try:
        inside = as_repo(repo, workspace)
        tree = Snapshots(inside, f"slot-{workspace.slot}", base=workspace.base).take_left()[0].tree
        parent = _head(repo, workspace) or workspace.base
        bring_home(repo, workspace, tree, history=parent)
    except (NotAFile, RalphError) as error:
        aside = workspace.path.with_name(f"unsaved-{workspace.loop}")
        fault_point("rename.before", writes=True)
        workspace.path.rename(aside)
        fault_point("rename.after")
        say(
            f"warning: git cannot save what {workspace.loop} left ({getattr(error, 'what', error)}); the folder is kept: {aside}"
        )
        return None
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


def _read(folder: Path) -> PooledWorkspace | None:
    try:
        noted = msgspec.json.decode(_beside(folder, "json").read_bytes(), type=dict[str, Any])
        return msgspec.convert({**noted, "path": folder, "slot": int(folder.name)}, PooledWorkspace)
    except (OSError, msgspec.DecodeError):
        return None


def _write(workspace: PooledWorkspace) -> None:
    """All but where it is, which the note's own place says."""
    noted = {key: value for key, value in asdict(workspace).items() if key not in ("path", "slot")}
    path = _beside(workspace.path, "json")
    temporary = path.with_suffix(".tmp")
    with open(temporary, "wb") as file:
        file.write(msgspec.json.encode(noted))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _head(repo: Repo, workspace: PooledWorkspace) -> str:
    try:
        return head(as_repo(repo, workspace)) or ""
    except (OSError, RalphError):
        return ""
