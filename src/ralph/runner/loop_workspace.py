"""Where a loop works: the folder, the snapshots that leave Ralph's own files there alone, and separate workspaces."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ralph.core import facts as f
from ralph.core.loop.state import LoopState
from ralph.core.policy import WorkspaceKind
from ralph.errors import RalphError
from ralph.git.ref_watch import Update
from ralph.git.repo import Repo, own_files
from ralph.git.snapshots import Snapshots
from ralph.journal.record import Record, now

if TYPE_CHECKING:
    from ralph.git.workspaces.pool import PooledWorkspace


def own_paths(s: LoopState) -> tuple[str, ...]:
    """What Ralph and its agents write for themselves, beside the files that are always theirs."""
    hats = s.identity.policy.team.hats if s.identity.policy.team is not None else ()
    logs = tuple(hat.scan.log for hat in hats if hat.scan is not None)
    return (*s.identity.policy.scratchpads(s.identity.task.id), *logs, *_list_paths(s))


def _list_paths(s: LoopState) -> tuple[str, ...]:
    """The workspace's copy of the backlog and of its archive, which nothing lands of."""
    if not s.identity.backlog:
        return ()
    from ralph.backlog import done_name  # most loops work in place

    root, name = s.identity.root, s.identity.backlog
    return f"{root}/{name}", f"{root}/{done_name(name)}"


def folder_of(s: LoopState) -> Path:
    return Path(s.identity.root) / s.identity.folder


def straight(path: Path, s: LoopState) -> bool:
    """Whether no one inside a sandbox has made it lead elsewhere: whatever Ralph reads or writes there, it does with the
    user's rights. A link, also one to another place in the workspace, does not count as the file."""
    if s.identity.policy.sandbox.kind == "none":
        return True
    root = Path(s.identity.root)
    return path.resolve() == root.resolve() / os.path.relpath(path, root)


def snapshots_of(repo: Repo, s: LoopState) -> Snapshots:
    return Snapshots(
        repo, "in-place", own_files(repo, folder_of(s), own_paths(s)), base=s.workspace.base_commit
    )


class Workspaces:
    """The separate workspaces of a repository, as a run uses them: each loop has one of its own, until it is over."""

    def __init__(self, home: Repo, target: str, share: tuple[str, ...], say: Callable[[str], None]) -> None:
        """`say`: tells people what could not be kept as usual."""
        from ralph.git.refs import tip

        self._home = home
        self._target = target
        self._share = share
        self._say = say
        self._fine = tip(home, target)  # who asked for the run has looked at it

    @property
    def tip(self) -> str:
        return self._fine

    def new(self, kind: WorkspaceKind, loop: str, branch: str, base: str = "") -> PooledWorkspace:
        """On the target's tip, or on that commit."""
        from ralph.git.workspaces.pool import prepare

        assert kind != "in-place"
        return prepare(
            self._home,
            kind,
            slot=self._free_slot(),
            loop=loop,
            base=base or self._base(),
            branch=branch,
            when=now(),
            target=self._target.removeprefix(HEADS),
            share=self._share,
            say=self._say,
        )

    def of(self, loop: str) -> PooledWorkspace | None:
        """The one in which this loop works, if it is still there."""
        from ralph.git.workspaces.pool import slots

        found = next((one for one in slots(self._home) if one.loop == loop), None)
        there = found is not None and ((found.path / ".git").is_dir() or (found.path / ".git").is_file())
        return found if there else None

    def keep_only(self, loops: Collection[str]) -> None:
        """Whatever else is in a workspace is kept in a recovery ref, and the workspace is free."""
        from ralph.git.workspaces.pool import reclaim

        reclaim(self._home, loops, when=now(), say=self._say)

    def loops(self) -> set[str]:
        from ralph.git.workspaces.pool import slots

        return {workspace.loop for workspace in slots(self._home)}

    def _base(self) -> str:
        """What a new task begins with: the target's tip, unless someone has put there meanwhile what stands in the way."""
        from ralph.git.refs import tip
        from ralph.git.workspaces.pool import refuse_since

        base = tip(self._home, self._target)
        if base not in ("", self._fine) and (why := refuse_since(self._home, self._fine, base)):
            todo = "What has landed is kept. Take it off that branch, then `ralph run` continues."
            raise RalphError(why, where=str(self._home.root), todo=todo)
        self._fine = base
        return base

    def _free_slot(self) -> int:
        from ralph.git.workspaces.pool import slots

        used = {workspace.slot for workspace in slots(self._home)}
        return next(n for n in range(1, len(used) + 2) if n not in used)


HEADS = "refs/heads/"


class OwnRefs(msgspec.Struct, frozen=True):
    """Of runs before this one. `made`: what they did or were about to; `branches`: those of loops and of failures."""

    made: tuple[Update, ...] = ()
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
                made.append(Update(x.ref, x.commit, x.tip))
            case f.LandingIntended() as x:
                branches.add(x.ref)
    return OwnRefs(tuple(made), frozenset(branches))
