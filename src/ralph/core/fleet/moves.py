"""Which moves a task's status may make, by what, and which fields may change when: one table each."""

from __future__ import annotations

from typing import Literal

import msgspec

from ralph.core.tasks.task import STATUSES, Status

Cause = Literal["claim", "facts", "release", "cancel", "retry", "message", "dependency", "death", "fault"]


class Move(msgspec.Struct, frozen=True):
    of: Status
    to: Status
    by: Cause
    why: str


MOVES: tuple[Move, ...] = (
    Move("pending", "in_progress", "claim", "a worker claims it"),
    Move("in_progress", "in_progress", "claim", "another worker continues it"),
    Move("in_progress", "complete", "facts", "it landed, or it is proven and has no target"),
    Move("in_progress", "failed", "facts", "its loop ended as failed, stuck, limit or no-route"),
    Move("in_progress", "blocked", "facts", "its loop needs a person"),
    Move("in_progress", "pending", "facts", "its loop ended without a result, or it moves to the next phase"),
    Move("in_progress", "cancelled", "facts", "cancelled while it landed, and the landing failed"),
    Move("in_progress", "pending", "release", "its worker gives it back"),
    Move("in_progress", "blocked", "death", "three workers died with it"),
    Move("in_progress", "blocked", "fault", "three workers failed alike"),
    Move("pending", "blocked", "dependency", "what it depends on failed or was cancelled"),
    Move("blocked", "pending", "dependency", "what it depends on is tried again"),
    Move("blocked", "pending", "message", "a person answers or accepts"),
    Move("blocked", "pending", "retry", "a person wants it tried again"),
    Move("failed", "pending", "retry", "a person wants it tried again"),
    Move("blocked", "pending", "cancel", "a landing is open: a lander finds out whether it happened"),
    Move("failed", "pending", "cancel", "a landing is open: a lander finds out whether it happened"),
    Move("pending", "cancelled", "cancel", "a person cancels it"),
    Move("in_progress", "cancelled", "cancel", "a person cancels it"),
    Move("blocked", "cancelled", "cancel", "a person cancels it"),
    Move("failed", "cancelled", "cancel", "a person cancels it"),
)
_ALLOWED = {(move.of, move.to, move.by) for move in MOVES}
FINAL: frozenset[Status] = frozenset({"complete", "cancelled"})
# What depends on such a task is blocked.
LOST = frozenset(STATUSES) - {"pending", "in_progress", "blocked", "complete"}


def may_move(of: Status, to: Status, by: Cause) -> bool:
    return (of, to, by) in _ALLOWED


def possible(of: Status) -> str:
    """What a person can do with a task that has this status."""
    causes = ("cancel", "retry", "message")
    found = sorted({move.by for move in MOVES if move.of == of and move.by in causes})
    return ", ".join(found) or "nothing"


# Fields of the specification that a person may change. What a loop was started with stays as it is.
_ALWAYS = frozenset({"priority", "tags", "title"})
_WAITING = _ALWAYS | {"labels", "assign_to"}
_BEFORE = _WAITING | {
    *("task", "task_type", "ralph_promise", "ralph_max_iterations", "ralph_plan_path"),
    *("criteria", "dependencies", "parent", "agent"),
}
# status -> before its loop has begun, and after
EDITABLE: dict[Status, tuple[frozenset[str], frozenset[str]]] = {
    "pending": (_BEFORE, _WAITING),
    "in_progress": (_ALWAYS, _ALWAYS),
    "blocked": (_BEFORE, _WAITING),
    "failed": (_BEFORE, _WAITING),
    "complete": (frozenset({"tags"}), frozenset({"tags"})),
    "cancelled": (frozenset({"tags"}), frozenset({"tags"})),
}


def editable(status: Status, *, begun: bool, held: bool) -> frozenset[str]:
    return _ALWAYS if held else EDITABLE[status][begun]
