"""Which hats were worn when, and what the counters showed: folded from the starts and ends of iterations. Pure.

A hat has been worn when its iteration was lived through: not interrupted, not refused by a service, not crashed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ralph.core import signals

if TYPE_CHECKING:
    from ralph.core.facts import IterationEnded
    from ralph.core.state import LoopState


class Worn(msgspec.Struct, frozen=True):
    """The loop's counts when a hat was taken off for the last time, and the trees that it has seen."""

    iterations: int = 0
    attempts: int = 0
    commits: int = 0
    files: int = 0
    shifts: int = 0
    seconds: float = 0.0
    tokens: int = 0
    cost_usd: float = 0.0
    trees: frozenset[str] = frozenset()


class Wearing(msgspec.Struct, frozen=True):
    hat: str = ""  # of the newest iteration
    about: str = ""  # the claimed tree that it was put on for
    last: str = ""  # of the last iteration that counts
    lived: bool = False  # and whether that one was lived through
    signal: str = ""  # that it gave
    attempts_before: int = 0
    commits: int = 0
    files: int = 0
    worn: dict[str, Worn] = {}


def counts(s: LoopState, w: Wearing, trees: frozenset[str] = frozenset()) -> Worn:
    return Worn(
        iterations=s.iterations,
        attempts=s.attempts,
        commits=w.commits,
        files=w.files,
        shifts=s.shifts,
        seconds=s.active_seconds,
        tokens=s.tokens,
        cost_usd=s.cost_usd,
        trees=trees,
    )


def started(w: Wearing, s: LoopState, hat: str) -> Wearing:
    """An iteration begins under this hat; `s` is the state before. What gates found and cost since the last end belongs to the
    iteration that it was about."""
    worn = w.worn
    if w.lived and w.last in worn:
        worn = {**worn, w.last: counts(s, w, worn[w.last].trees)}
    return replace(w, hat=hat, about=s.claim.tree if s.claim else "", worn=worn)


def ended(
    w: Wearing, before: LoopState, after: LoopState, x: IterationEnded, *, commits: int = 0, files: int = 0
) -> Wearing:
    """`commits` and `files`: how many the iteration made and changed, where the driver counted them."""
    moved = x.tree != before.tree
    w = replace(w, commits=w.commits + max(0, commits, moved), files=w.files + max(0, files))
    if x.how == "interrupted" or x.fault:
        return replace(w, hat=w.last, about="")
    crashed = after.last_how.startswith("exit ")
    w = replace(
        w,
        last=w.hat,
        lived=not crashed,
        signal="" if crashed or x.how != "exited" else _signal(before, x),
        attempts_before=before.attempts,
    )
    if crashed or not w.hat:
        return replace(w, about="")
    seen = w.worn.get(w.hat, Worn()).trees | ({w.about, x.tree} - {""})
    return replace(w, about="", worn={**w.worn, w.hat: counts(after, w, seen)})


def _signal(s: LoopState, x: IterationEnded) -> str:
    said = signals.read(x.said, structured=x.structured, promise=s.policy.completion_promise)
    if s.promised == x.serial:
        said = signals.with_tool(said)
    return said.word if said.explicit else ""
