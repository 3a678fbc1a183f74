"""Lands a commit on the target ref, recovers a landing that died, and sets or removes single refs.

Only `land` touches a branch that may be checked out; the other functions move refs without a checkout.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from ralph.errors import RalphError
from ralph.git.landing.checkout_sync import IndexEntry, Overlap, differences, follow, repair
from ralph.git.landing.checkouts import Checkout, operation_under_way, remove_own, worktrees_on
from ralph.git.landing.lock import LandingLock, LandingNote, locked_landing, remove_own_locks
from ralph.git.program import GitFailed
from ralph.git.refs import Moved, Raced, Transaction, Update, change, is_ancestor, prepare, tip
from ralph.git.repo import Repo, safe_name

BASES = "refs/ralph/base/"


def move(repo: Repo, ref: str, new: str, old: str, *, message: str = "ralph") -> Moved | Raced:
    """Set one ref from `old` (empty: it must not exist) to `new` (empty: it goes), if it still stands there."""
    with locked_landing(repo) as guard:
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
    with locked_landing(repo) as guard:
        recover_held(guard)
        at = tip(repo, ref)
        if at != commit and isinstance(change(guard, [Update(ref, commit, at)], "ralph"), Raced):
            raise RalphError(f"someone else changed {ref}", where=str(repo.root), code=70)


class LandResult(msgspec.Struct, frozen=True):
    """The commit is on the target. `followed`: the checkouts that show it."""

    followed: tuple[str, ...] = ()


class Recovered(msgspec.Struct, frozen=True):
    """What a dead landing left and was put right. `edited`: paths that someone edited since and that were left."""

    ref: str = ""
    landed: bool = False
    edited: tuple[str, ...] = ()


def land(repo: Repo, ref: str, new: str, old: str, *, message: str = "ralph") -> LandResult | Raced | Overlap:
    """Move the target from `old` to `new`, with every checkout on it; or nothing at all.

    Again after it happened: Landed. Overlap: one checkout cannot follow; put the commit on a branch instead (`move`).
    """
    with locked_landing(repo) as guard:
        recover_held(guard)
        entries: list[IndexEntry] | None = None
        checkouts = worktrees_on(repo, ref)
        for checkout in checkouts:
            if checkout.obstacle and not _landed(repo, ref, new):
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
            entries = differences(repo, old, new) if checkouts else []
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


def recover(repo: Repo) -> Recovered:
    """Put right what a landing that died left: its locks, and checkouts that stand between two commits. Call it when a
    run begins; `land` and `move` call it too. Nothing left: does nothing."""
    with locked_landing(repo) as guard:
        return recover_held(guard)


def recover_held(guard: LandingLock) -> Recovered:
    note = guard.note()
    if note is None:
        return Recovered()
    repo = guard.repo
    remove_own_locks(guard, note)
    here = (
        [(str(c.repo.root), str(c.repo.git_dir)) for c in worktrees_on(repo, note.refs[0])]
        if note.checkouts
        else []
    )
    for _, git_dir in {*note.checkouts, *here}:  # the project may have been moved since
        remove_own(Path(git_dir))
    at = tip(repo, note.refs[0])
    landed = bool(note.new) and bool(at) and (at == note.new or is_ancestor(repo, note.new, at))
    edited: list[str] = []
    if note.checkouts and at in (note.old, note.new):  # otherwise someone has gone on from what they saw
        edited = _repair_all(guard, note, forward=at == note.new)
    guard.end()
    return Recovered(note.refs[0], landed, tuple(edited))


def _follow_all(
    guard: LandingLock, checkouts: Sequence[Checkout], entries: Sequence[IndexEntry], old: str, new: str
) -> Overlap | None:
    for number, checkout in enumerate(checkouts):
        outcome = follow(guard, checkout, entries, old, new)
        if isinstance(outcome, Overlap):
            _back(guard, checkouts[:number], entries)
            return outcome
    return None


def _back(guard: LandingLock, checkouts: Sequence[Checkout], entries: Sequence[IndexEntry]) -> None:
    for checkout in checkouts:
        repair(guard, checkout, entries, forward=False)


def _repair_all(guard: LandingLock, note: LandingNote, *, forward: bool) -> list[str]:
    repo = guard.repo
    edited: list[str] = []
    try:
        entries = differences(repo, note.old, note.new)
    except GitFailed:  # the commit is gone: then nothing of it was ever shown
        return []
    for checkout in worktrees_on(repo, note.refs[0]):
        place = (str(checkout.repo.root), str(checkout.repo.git_dir))
        if (
            place in note.checkouts
            and not checkout.obstacle
            and not operation_under_way(checkout.repo.git_dir)
        ):
            edited += repair(guard, checkout, entries, forward=forward)
    return edited


def _landed(repo: Repo, ref: str, commit: str) -> bool:
    at = tip(repo, ref)
    return bool(at) and (at == commit or is_ancestor(repo, commit, at))
