"""Where a loop works, by its state alone: the folder, and the snapshots that leave Ralph's own files there alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ralph.core.state import LoopState
from ralph.workspace import Repo, Snapshots, own_files

if TYPE_CHECKING:
    from ralph.workspace.slots import Workspace


class Place(msgspec.Struct):
    """Where one loop works."""

    home: Repo  # the user's own
    workspace: Workspace | None  # None: in place
    repo: Repo
    folder: Path
    snapshots: Snapshots


def in_place(repo: Repo, folder: Path, s: LoopState) -> Place:
    return Place(repo, None, repo, folder, snapshots_of(repo, s))


def in_workspace(home: Repo, workspace: Workspace, s: LoopState) -> Place:
    from ralph.workspace.slots import as_repo

    repo = as_repo(home, workspace)
    folder = workspace.path / s.folder
    own = own_files(repo, folder, own_paths(s))
    # Cut short in a merge, the workspace may stand on a commit that the loop does not know of yet.
    base = s.base_commit or workspace.base
    return Place(home, workspace, repo, folder, Snapshots(repo, f"slot-{workspace.slot}", own, base=base))


def own_paths(s: LoopState) -> tuple[str, ...]:
    """What Ralph and its agents write for themselves, beside the files that are always theirs."""
    hats = s.policy.team.hats if s.policy.team is not None else ()
    logs = tuple(hat.scan.log for hat in hats if hat.scan is not None)
    return (*s.policy.scratchpads(s.task.id), *logs)


def folder_of(s: LoopState) -> Path:
    return Path(s.root) / s.folder


def straight(path: Path, s: LoopState) -> bool:
    """Whether nobody inside a sandbox has made it lead elsewhere: whatever Ralph reads or writes there, it does with the
    user's rights. A link, also one to another place in the workspace, does not count as the file."""
    if s.policy.sandbox.kind == "none":
        return True
    root = Path(s.root)
    return path.resolve() == root.resolve() / os.path.relpath(path, root)


def snapshots_of(repo: Repo, s: LoopState) -> Snapshots:
    return Snapshots(repo, "in-place", own_files(repo, folder_of(s), own_paths(s)), base=s.base_commit)
