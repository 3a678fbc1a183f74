"""What a report tells of a loop: plain values, ready to be shown as Markdown, page or JSON. No rules, no reading."""

from __future__ import annotations

from typing import Literal

import msgspec

from ralph.core.facts import Cause, Fault, How, Purpose, Variant
from ralph.core.hats.board import BoardItem
from ralph.core.policy import Policy, Task
from ralph.report.sources import Changed

ITERATIONS_SHOWN = 400  # in full; of a longer loop, the first and the last
Standing = Literal["running", "died", "ended"]
# What became of an iteration, in one word.
Fate = Literal[
    "verified", "passed", "accepted", "review", "refused", "turned-down", "flaky", "stuck", "worked", "crashed", "fault", "cut",
    "interrupted", "running",
]  # fmt: skip
MarkKind = Literal["shift", "checkpoint", "event", "edited", "resumed", "stop", "refused", "ended"]


class TimeSpan(msgspec.Struct, frozen=True):
    """From when to when, in seconds since 1970; what has not ended lasts until the newest record."""

    began: float
    ended: float


class GateRun(msgspec.Struct, frozen=True):
    """The evidence: one run of a gate."""

    op: str
    gate: str
    serial: int  # of the iteration it came after; 0 before the first
    purpose: Purpose
    variant: Variant
    tree: str
    span: TimeSpan
    n: int = 0  # that iteration's number
    hard: bool = True
    reviewer: bool = False
    again: bool = False
    known: str = ""  # where it was measured, if an earlier loop did
    command: str = ""
    passed: bool | None = None  # None: it did not end
    how: How | Literal["running", "known", "remembered"] = "exited"
    before: int = 0  # remembered: the iteration whose run of it said so about the same tree
    code: int = 0
    seconds: float = 0.0
    timed_out: str = ""
    hermetic: bool = False
    flaky: bool = False
    unclear: bool = False
    empty: bool = False  # it passed without a test to run
    findings: tuple[str, ...] = ()
    headline: str = ""
    error_hash: str = ""
    wrote: tuple[str, ...] = ()
    swapped: tuple[str, ...] = ()
    stragglers: tuple[str, ...] = ()
    refs_moved: tuple[str, ...] = ()
    tokens: int = 0
    cost_usd: float = 0.0
    estimated: bool = False  # the cost is from a table of prices
    fault: Fault = ""
    fault_text: str = ""
    prompt: str = ""  # hash
    output: str = ""  # relative to the state folder


class IterationRow(msgspec.Struct, frozen=True):
    serial: int
    n: int
    span: TimeSpan
    fate: Fate = "running"
    detail: str = ""  # why, in a few words
    claimed: bool = False
    signal: str = ""
    how: How | Literal["running"] = "running"
    cause: Cause = ""
    code: int = 0
    seconds: float = 0.0
    tokens: int = 0
    cost_usd: float = 0.0
    review_tokens: int = 0
    review_cost_usd: float = 0.0
    estimated: bool = False  # some of the cost is from a table of prices, of the agent or of a reviewer
    shift: int = 0
    expand: bool = False
    prompt: str = ""  # hash
    prompt_chars: int = 0
    tree_before: str = ""
    tree_after: str = ""
    output: str = ""  # relative to the state folder
    scratchpad: str = ""  # hash
    fault: Fault = ""
    fault_text: str = ""
    stragglers: tuple[str, ...] = ()
    refs_moved: tuple[str, ...] = ()
    cut: bool = False


class WaitRow(msgspec.Struct, frozen=True):
    op: str
    what: str
    why: str
    seconds: float
    span: TimeSpan
    ended: Literal["elapsed", "cut short", "waiting"] = "waiting"


class Mark(msgspec.Struct, frozen=True):
    """Something that happened at one moment."""

    kind: MarkKind
    at: float
    text: str


class Notice(msgspec.Struct, frozen=True):
    """Somebody was told, or could not be."""

    occasion: str
    target: str
    ok: bool
    at: float
    text: str = ""


class AttemptRow(msgspec.Struct, frozen=True):
    number: int
    gate: str
    error_hash: str
    shift: bool
    headline: str
    serial: int = 0  # of the iteration


class HatRow(msgspec.Struct, frozen=True):
    """An iteration of a loop with hats: who it was, because of what, and what came of it."""

    serial: int
    n: int
    hat: str  # empty: the coordinator
    title: str
    event: str  # topic and payload; empty: a condition put the hat on
    why: str
    fresh: bool = False  # it began with cleared notes
    said: tuple[str, ...] = ()  # its events, and where each went
    refused: tuple[str, ...] = ()  # and those that went nowhere


class LoopReport(msgspec.Struct, frozen=True):
    """One loop, from its first fact to its last."""

    loop: str
    task: Task
    policy: Policy
    standing: Standing
    span: TimeSpan
    end: str  # empty until it ended
    reason: str
    next: str
    done: bool  # it ended well: exit code 0
    code: int | None = None
    limit: str = ""
    proof: dict[str, str] = {}
    proven: bool = False  # verified, and a hard gate that was red before is green
    paths: tuple[str, ...] = ()  # to be looked at, when the end is needs-review
    runs: tuple[str, ...] = ()
    root: str = ""
    folder: str = "."
    branch: str = ""
    base_commit: str = ""
    base_tree: str = ""
    tree: str = ""
    recovery: str = ""
    landed_on: str = ""  # the branch that has it now
    landed_as: str = ""  # and the commit
    landed_note: str = ""
    url: str = ""  # of its pull request
    kept_on: str = ""  # the branch that keeps what was not proven
    counted: int = 0  # iterations that count
    turned_down: int = 0
    active_seconds: float = 0.0
    wall_seconds: float = 0.0
    tokens: int = 0
    cost_usd: float = 0.0
    estimated: bool = False  # some of the cost is from a table of prices
    last_gate: str = ""
    last_error: str = ""
    error_hash: str = ""  # of that error
    stuck: str = ""  # why it counts as stuck; empty when it does not
    quality_warnings: tuple[str, ...] = ()
    evidence: tuple[GateRun, ...] = ()
    iterations: tuple[IterationRow, ...] = ()
    attempts: tuple[AttemptRow, ...] = ()
    waits: tuple[WaitRow, ...] = ()
    pauses: tuple[TimeSpan, ...] = ()  # when no run worked on it
    marks: tuple[Mark, ...] = ()
    notices: tuple[Notice, ...] = ()
    warnings: tuple[str, ...] = ()
    changed: tuple[Changed, ...] | None = None  # None: the trees are not kept
    worn: tuple[HatRow, ...] = ()  # with hats: one for each iteration
    items: tuple[BoardItem, ...] = ()  # of the board

    def left_out(self) -> frozenset[int]:
        """The iterations, by serial, that are too many to be shown in full."""
        more = len(self.iterations) - ITERATIONS_SHOWN
        first = ITERATIONS_SHOWN // 4
        return frozenset(it.serial for it in self.iterations[first : first + max(0, more)])
