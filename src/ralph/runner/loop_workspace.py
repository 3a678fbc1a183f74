"""Where a loop works, by its state alone: the folder, and the snapshots that leave Ralph's own files there alone."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ralph.core import facts as f
from ralph.core.loop.state import LoopState
from ralph.git.ref_watch import Made
from ralph.git.repo import Repo, own_files
from ralph.git.snapshots import Snapshots
from ralph.journal.record import Record

if TYPE_CHECKING:
    from ralph.git.workspaces.pool import PooledWorkspace


class LoopWorkspace(msgspec.Struct):
    """Where one loop works."""

    home: Repo  # the user's own
    workspace: PooledWorkspace | None  # None: in place
    repo: Repo
    folder: Path
    snapshots: Snapshots


def in_place(repo: Repo, folder: Path, s: LoopState) -> LoopWorkspace:
    return LoopWorkspace(repo, None, repo, folder, snapshots_of(repo, s))


def in_workspace(home: Repo, workspace: PooledWorkspace, s: LoopState) -> LoopWorkspace:
    from ralph.git.workspaces.pool import as_repo

    repo = as_repo(home, workspace)
    folder = workspace.path / s.identity.folder
    own = own_files(repo, folder, own_paths(s))
    # Cut short in a merge, the workspace may stand on a commit that the loop does not know of yet.
    base = s.workspace.base_commit or workspace.base
    return LoopWorkspace(
        home, workspace, repo, folder, Snapshots(repo, f"slot-{workspace.slot}", own, base=base)
    )


def own_paths(s: LoopState) -> tuple[str, ...]:
    """What Ralph and its agents write for themselves, beside the files that are always theirs."""
    hats = s.identity.policy.team.hats if s.identity.policy.team is not None else ()
    logs = tuple(hat.scan.log for hat in hats if hat.scan is not None)
    return (*s.identity.policy.scratchpads(s.identity.task.id), *logs)


def folder_of(s: LoopState) -> Path:
    return Path(s.identity.root) / s.identity.folder


def straight(path: Path, s: LoopState) -> bool:
    """Whether nobody inside a sandbox has made it lead elsewhere: whatever Ralph reads or writes there, it does with the
    user's rights. A link, also one to another place in the workspace, does not count as the file."""
    if s.identity.policy.sandbox.kind == "none":
        return True
    root = Path(s.identity.root)
    return path.resolve() == root.resolve() / os.path.relpath(path, root)


def snapshots_of(repo: Repo, s: LoopState) -> Snapshots:
    return Snapshots(
        repo, "in-place", own_files(repo, folder_of(s), own_paths(s)), base=s.workspace.base_commit
    )


HEADS = "refs/heads/"


class OwnRefs(msgspec.Struct, frozen=True):
    """Of runs before this one. `made`: what they did or were about to; `branches`: those of loops and of failures."""

    made: tuple[Made, ...] = ()
    branches: frozenset[str] = frozenset()


def at_work(home: Repo) -> frozenset[str]:
    """The branches of the worktrees in which loops work now."""
    from ralph.git.workspaces.pool import slots

    return frozenset(HEADS + workspace.branch for workspace in slots(home))


def of_runs(records: Iterable[Record], home: Repo) -> OwnRefs:
    from ralph.git.repo import branch_name

    made, branches = [], set()
    for record in records:
        if record.kind not in ("loop.started", "loop.ended", "landing.intended"):
            continue
        match f.decode(record.data):
            case f.LoopStarted(home=root, task=task) if root == str(home.root):
                branches.add(HEADS + branch_name(task.id, task.title))
            case f.LoopEnded(branch=branch) if branch:
                branches.add(HEADS + branch)
            case f.LandingIntended(how="merge") as x:
                made.append(Made(x.ref, x.tip, x.commit))
            case f.LandingIntended() as x:
                branches.add(x.ref)
    return OwnRefs(tuple(made), frozenset(branches))
