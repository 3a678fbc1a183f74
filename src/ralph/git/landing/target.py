"""Lands a commit on the target ref, recovers a landing that died, and sets or removes single refs.

Only `land` touches a branch that may be checked out; the other functions move refs without a checkout.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from ralph.errors import RalphError
from ralph.git.landing.checkout_sync import Overlap, follow, repair
from ralph.git.landing.checkouts import Checkout, remove_own, worktrees_on
from ralph.git.landing.lock import LandingLock, LandingNote, locked_landing, remove_own_locks
from ralph.git.landing.squash import drop_keeps
from ralph.git.program import GitFailed
from ralph.git.ref_watch import Update
from ralph.git.refs import Raced, Transaction, change, is_ancestor, is_landed, prepare, tip
from ralph.git.repo import Repo, safe_name
from ralph.git.trees import Change, changes_between

BASES = "refs/ralph/base/"


def move(repo: Repo, ref: str, new: str, old: str, *, message: str = "ralph") -> Raced | None:
    """Set one ref from `old` (empty: it must not exist) to `new` (empty: it goes), if it still stands there.
    None: that is done, now or before."""
    with locked_landing(repo) as guard:
        recover_held(guard)
        return change(guard, [Update(ref, new, old)], message)


def keep_base(repo: Repo, loop: str, commit: str) -> None:
    """Keep the commit that a loop builds on while its workspace borrows objects, or one on top of it that is about to land.
    Empty: it is not needed any more, and neither is what the loop brought home."""
    ref = BASES + safe_name(loop)
    with locked_landing(repo) as guard:
        recover_held(guard)
        at = tip(repo, ref)
        if at != commit and change(guard, [Update(ref, commit, at)], "ralph"):
            raise RalphError(f"someone else changed {ref}", where=str(repo.root), code=70)
    if not commit:
        drop_keeps(repo, loop)


class LandResult(msgspec.Struct, frozen=True):
    """The commit is on the target. `followed`: the checkouts that show it."""

    followed: tuple[str, ...] = ()


def land(repo: Repo, ref: str, new: str, old: str, *, message: str = "ralph") -> LandResult | Raced | Overlap:
    """Move the target from `old` to `new`, with every checkout on it; or nothing at all.

    Again after it happened: Landed. Overlap: one checkout cannot follow; put the commit on a branch instead (`move`).
    """
    with locked_landing(repo) as guard:
        recover_held(guard)
        entries: list[Change] | None = None
        checkouts = worktrees_on(repo, ref)
        for checkout in checkouts:
            if checkout.obstacle and not is_landed(repo, ref, new):
                return Overlap(str(checkout.repo.root), reason=checkout.obstacle)
        places = tuple((str(c.repo.root), str(c.repo.git_dir)) for c in checkouts)
        guard.begin(LandingNote((ref,), (new,), old, new, places))
        try:
            transaction = prepare(guard, [Update(ref, new, old)], message)
        except RalphError:
            guard.end()  # nothing was done
            raise
        if not isinstance(transaction, Transaction):
            guard.end()
            if isinstance(transaction, Raced) and not (
                transaction.tip and is_ancestor(repo, new, transaction.tip)
            ):
                return transaction
            return LandResult(tuple(root for root, _ in places))
        try:
            entries = changes_between(repo, old, new) if checkouts else []
            overlap = _follow_all(guard, checkouts, entries, old, new)
            if overlap is not None:
                transaction.abort()
                guard.end()
                return overlap
        except (RalphError, OSError):
            transaction.abort()
            if entries is not None:
                _back(guard, checkouts, entries)
                guard.end()
            raise
        transaction.commit()  # if it fails the note stays, and the next landing or resume repairs
        guard.end()
        return LandResult(tuple(root for root, _ in places))


def recover(repo: Repo) -> None:
    """Put right what a landing that died left: its locks, and checkouts that stand between two commits. Call it when a
    run begins; `land` and `move` call it too. Nothing left: does nothing."""
    with locked_landing(repo) as guard:
        recover_held(guard)


def recover_held(guard: LandingLock) -> None:
    note = guard.note()
    if note is None:
        return
    repo = guard.repo
    remove_own_locks(guard, note)
    here = worktrees_on(repo, note.refs[0]) if note.checkouts else []
    # Also where they are now: the project may have been moved since.
    for git_dir in {*(git_dir for _, git_dir in note.checkouts), *(str(c.repo.git_dir) for c in here)}:
        remove_own(Path(git_dir))
    at = tip(repo, note.refs[0])
    if note.checkouts and at in (note.old, note.new):  # otherwise someone has gone on from what they saw
        _repair_all(guard, note, forward=at == note.new)
    guard.end()


def _follow_all(
    guard: LandingLock, checkouts: Sequence[Checkout], entries: Sequence[Change], old: str, new: str
) -> Overlap | None:
    for number, checkout in enumerate(checkouts):
        overlap = follow(guard, checkout, entries, old, new)
        if overlap is not None:
            _back(guard, checkouts[:number], entries)
            return overlap
    return None


def _back(guard: LandingLock, checkouts: Sequence[Checkout], entries: Sequence[Change]) -> None:
    for checkout in checkouts:
        repair(guard, checkout, entries, forward=False)


def _repair_all(guard: LandingLock, note: LandingNote, *, forward: bool) -> None:
    repo = guard.repo
    try:
        entries = changes_between(repo, note.old, note.new)
    except GitFailed:  # the commit is gone: then nothing of it was ever shown
        return
    for checkout in worktrees_on(repo, note.refs[0]):
        place = (str(checkout.repo.root), str(checkout.repo.git_dir))
        if place in note.checkouts and not checkout.obstacle:
            repair(guard, checkout, entries, forward=forward)
