"""Single refs set or removed, each after what a dead landing left was put right. No checkout is touched: for a branch
that somebody may have checked out there is `land`.
"""

from __future__ import annotations

from ralph.errors import RalphError
from ralph.workspace.landing.guard import guarded
from ralph.workspace.landing.land import recover_held
from ralph.workspace.landing.refs import Moved, Raced, Update, change, tip
from ralph.workspace.repo import Repo, safe_name

BASES = "refs/ralph/base/"


def move(repo: Repo, ref: str, new: str, old: str, *, message: str = "ralph") -> Moved | Raced:
    """Set one ref from `old` (empty: it must not exist) to `new` (empty: it goes), if it still stands there."""
    with guarded(repo) as guard:
        recover_held(guard)
        return change(guard, [Update(ref, new, old)], message)


def keep(repo: Repo, ref: str, commit: str) -> None:
    """Set one of Ralph's own refs (refs/ralph/...), whatever it was; nothing is collected that it can reach."""
    _own(repo, ref, commit)


def forget(repo: Repo, ref: str) -> None:
    """Remove one of Ralph's own refs, if it is there."""
    _own(repo, ref, "")


def keep_base(repo: Repo, loop: str, commit: str) -> str:
    """Keep the commit that a loop builds on while its workspace borrows objects; returns the ref."""
    ref = BASES + safe_name(loop)
    keep(repo, ref, commit)
    return ref


def forget_base(repo: Repo, loop: str) -> None:
    forget(repo, BASES + safe_name(loop))


def _own(repo: Repo, ref: str, commit: str) -> None:
    assert ref.startswith("refs/ralph/"), ref
    with guarded(repo) as guard:
        recover_held(guard)
        at = tip(repo, ref)
        if at != commit and isinstance(change(guard, [Update(ref, commit, at)], "ralph"), Raced):
            raise RalphError(f"somebody else changed {ref}", where=str(repo.root), code=70)
