"""How a loop can end: one table. Exit codes, sets of ends, colours, words and the tables in the documents come from it.

A new end is one row here (and its name in `End`, for the type checker). No other module lists names of ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

import msgspec

from ralph.core import next_steps
from ralph.core.policy import Policy

if TYPE_CHECKING:
    from ralph.core.state import LoopState

End = Literal[
    "completed-verified",
    "completed-unverified",
    "needs-review",
    "failed",
    "stuck",
    "blocked-on-person",
    "limit",
    "quota",
    "agent-unusable",
    "no-route",
    "stopped",
    "cancelled",
    "internal",
    "interrupted",
]
Tone = Literal["good", "unsure", "bad"]
Outcome = Literal["complete", "failed", "blocked", "cancelled", "in_progress"]


class Exit(msgspec.Struct, frozen=True, kw_only=True):
    """One way to end."""

    name: End
    code: int
    tone: Tone  # how it looks: green, yellow, red
    task: Outcome  # what becomes of the task; in_progress: the end says nothing about the work, a later run continues
    resumable: bool = True
    ends_run: bool = False  # the next task of the backlog would meet the same: none is begun
    needs_person: bool = False  # nothing continues before a person has said something; they are notified
    requested: bool = False  # a person wanted it
    settled: bool = (
        False  # it says something about the work: a new task may begin without a question about it
    )
    raisable: bool = False  # only a higher limit gets it any further
    ends_wait: bool = False  # resuming it says that what it waited for is there
    claim: Literal["verified", "accepted", "review"] | None = None  # what became of the claim that led to it
    meaning: str  # for someone who does not know the name
    next: str  # what to do, whatever the state is
    next_here: Callable[[LoopState], str] | None = None  # where the state says more; "": as above
    next_of_task: Callable[[LoopState], str] | None = None  # the same for a blocked task of the backlog


EXITS: tuple[Exit, ...] = (
    Exit(
        name="completed-verified",
        code=0,
        tone="good",
        task="complete",
        resumable=False,
        claim="verified",
        meaning="Done, and the gates prove it",
        next="Look at the change with `git status` and `git diff`, then commit it.",
        next_here=next_steps.after_proof,
    ),
    Exit(
        name="failed",
        code=3,
        tone="bad",
        task="failed",
        settled=True,
        raisable=True,
        meaning="Failed: every attempt was turned down",
        next="Read .ralph_state.md, then `ralph resume --max-attempts N`, or sharpen the task and `ralph run --fresh`.",
    ),
    Exit(
        name="stuck",
        code=4,
        tone="bad",
        task="failed",
        settled=True,
        meaning="Stuck",
        next='Give the agent what it lacks: `ralph answer "..."`; or sharpen the task and `ralph run --fresh`.',
    ),
    Exit(
        name="blocked-on-person",
        code=5,
        tone="unsure",
        task="blocked",
        needs_person=True,
        meaning="Waits for your answer",
        next='Answer and go on: `ralph answer "..."`.',
        next_here=next_steps.after_block,
        next_of_task=next_steps.after_block_of_task,
    ),
    Exit(
        name="completed-unverified",
        code=6,
        tone="unsure",
        task="complete",
        resumable=False,
        claim="accepted",
        meaning="Claimed done; nothing proves it",
        next="No gate proved this. Add `gates:` to ralph.yml to have the work checked.",
        next_here=next_steps.after_claim,
    ),
    Exit(
        name="needs-review",
        code=7,
        tone="unsure",
        task="blocked",
        needs_person=True,
        settled=True,
        claim="review",
        meaning="Needs your review",
        next="Look at the named files: `ralph resume --allow FILE` if they are right, else `ralph resume`.",
        next_here=next_steps.after_doubt,
        next_of_task=next_steps.after_doubt_of_task,
    ),
    Exit(
        name="limit",
        code=8,
        tone="unsure",
        task="failed",
        raisable=True,
        meaning="Stopped at a limit",
        next="Go on with a higher limit: `ralph resume --max-iterations N` (or --max-runtime, --max-cost, --max-tokens).",
        next_here=next_steps.after_limit,
    ),
    Exit(
        name="quota",
        code=9,
        tone="unsure",
        task="in_progress",
        ends_run=True,
        ends_wait=True,
        meaning="Out of quota",
        next="Go on when the quota is back: `ralph resume`.",
    ),
    Exit(
        name="agent-unusable",
        code=10,
        tone="bad",
        task="in_progress",
        ends_run=True,
        ends_wait=True,
        meaning="The agent cannot be used",
        next="Run the agent by hand to see why it fails, then `ralph resume`; with another agent: `ralph run --fresh`.",
        next_here=next_steps.after_fault,
    ),
    Exit(
        name="no-route",
        code=11,
        tone="bad",
        task="blocked",
        meaning="An event that no hat takes",
        next="Add a trigger for this event to a hat in ralph.yml, then `ralph run --fresh`: a resumed loop keeps its hats.",
        next_of_task=next_steps.after_no_route_of_task,
    ),
    Exit(
        name="stopped",
        code=12,
        tone="unsure",
        task="in_progress",
        ends_run=True,
        requested=True,
        meaning="Stopped",
        next="Go on with `ralph resume`.",
    ),
    Exit(
        name="cancelled",
        code=13,
        tone="unsure",
        task="cancelled",
        resumable=False,
        requested=True,
        meaning="Cancelled",
        next="Your tree is as the agent left it; `ralph recover` shows how it was before.",
    ),
    Exit(
        name="internal",
        code=70,
        tone="bad",
        task="in_progress",
        ends_run=True,
        meaning="An error in Ralph, the disk or the journal",
        next="Fix the cause named above, then `ralph resume`.",
    ),
    Exit(
        name="interrupted",
        code=130,
        tone="unsure",
        task="in_progress",
        ends_run=True,
        requested=True,
        meaning="Interrupted",
        next="Go on with `ralph resume`.",
    ),
)
BY_NAME: dict[str, Exit] = {row.name: row for row in EXITS}
SOME_TASKS_FAILED = 1
USAGE_ERROR = 2
# Codes of a command or a whole run that are not the end of one loop: name and next step.
OTHER_CODES = {
    SOME_TASKS_FAILED: ("some tasks failed", "Of several tasks; `ralph report` names them."),
    USAGE_ERROR: ("usage or configuration error", "Nothing was started; correct what the message names."),
}


def _names(rows: Iterable[Exit]) -> frozenset[End]:
    return frozenset(row.name for row in rows)


CODES: dict[End, int] = {row.name: row.code for row in EXITS}
NEXT: dict[End, str] = {row.name: row.next for row in EXITS}
DONE = _names(row for row in EXITS if row.task == "complete")
FAILURES = _names(row for row in EXITS if row.task == "failed")
BLOCKED = _names(row for row in EXITS if row.task == "blocked")
# Ends after which the workspace of a task is not needed any more.
OVER = _names(row for row in EXITS if row.task in ("complete", "failed", "cancelled"))
# A loop that ended like this can be continued; the others are over.
RESUMABLE = _names(row for row in EXITS if row.resumable)
SETTLED = _names(row for row in EXITS if row.settled)
STOPS_THE_RUN = _names(row for row in EXITS if row.ends_run)
NEEDS_PERSON = _names(row for row in EXITS if row.needs_person)
REQUESTED = _names(row for row in EXITS if row.requested)


def exit_code(end: End, policy: Policy | None = None) -> int:
    """The exit code of an end. Declining gates on purpose makes an unverified end a success, and so does a file of the
    older family, which knows no gates; unless proof is required."""
    if end == "completed-unverified" and policy and not policy.require_verified:
        return 0 if policy.gates_declined or policy.unverified_ok else CODES[end]
    return CODES[end]
