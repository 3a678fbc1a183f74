"""What to do after an end, where the loop's state says more than the general advice. `core/exits.py` refers to these.

Each returns "" where the general advice is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

import msgspec

from ralph.core.policy import Policy

if TYPE_CHECKING:
    from ralph.core.loop.state import LoopState


FLAGS = {
    "iterations": "--max-iterations",
    "time": "--max-runtime",
    "cost": "--max-cost",
    "tokens": "--max-tokens",
}


def after_proof(s: LoopState) -> str:
    """Without git there is nothing to diff or to commit."""
    if s.workspace.prepared and not s.workspace.base_commit and not s.workspace.branch:
        return "Look at the change; `ralph recover` shows how it was before."
    if s.workspace.commit and s.workspace.commit != s.workspace.base_commit:
        return f"The agent has committed. Look at the change with `git diff {s.workspace.base_commit[:12]}` and `git status`."
    return ""


def after_claim(s: LoopState) -> str:
    return "Look at the change yourself: no gate did." if s.identity.policy.gates_declined else ""


def after_block(s: LoopState) -> str:
    if s.awaits_gate:
        return (
            "Correct the gate's command and start over: `ralph run --fresh`; or install what is missing: `ralph resume`. "
            'If the agent is to create it: `ralph answer "go on"`.'
        )
    return "Find out who changes the tree, then `ralph resume`." if s.people.question is None else ""


def after_block_of_task(s: LoopState) -> str:
    if s.awaits_gate:
        return f"Correct the gate's command and start over, or install what is missing: `{resume_of(s)}`. "
    if s.people.question is not None:
        return f'Answer and continue: `{of_task("answer", s)} "..."`. '
    return f"Continue: `{resume_of(s)}`. "


def after_doubt(s: LoopState) -> str:
    if not s.judgement.review_paths:
        return ""
    return (
        "Look at what is named. If it is right: `ralph resume --accept`; "
        "if not, `ralph resume`: the agent has to do without."
    )


def after_doubt_of_task(s: LoopState) -> str:
    go_on = resume_of(s)
    if not s.judgement.review_paths:
        return f"Continue: `{go_on}`. "
    return f"If what is named is right: `{go_on} --accept`; if not, `{go_on}`: the agent has to do without. "


def after_limit(s: LoopState) -> str:
    flag = FLAGS.get(s.judgement.end_limit, "--max-iterations")
    return f"Continue with a higher limit: `ralph resume {flag} N` (N counts from the start)."


def after_no_route_of_task(s: LoopState) -> str:
    return "Add a trigger for this event to a hat in ralph.yml; a resumed loop keeps its hats. "


def after_fault(s: LoopState) -> str:
    """A reviewer's fault comes with a claim or a check, and its agent may be another."""
    if not s.agents.fault or s.judgement.claim is not None or s.judgement.unchecked:
        return ""
    if s.agents.fault == "credentials" and s.agents.login_hint:
        return f"Log in with {s.agents.login_hint}, then `ralph resume`."
    if "too long for the model" in s.agents.fault_text:
        return "Shorten the task (or `core.guardrails`), then `ralph run --fresh`."
    if "model" in s.agents.fault_text.lower():
        return (
            "Name a model that the agent has: `cli.model`, then `ralph run --fresh`; "
            "or in the agent's own settings, then `ralph resume`."
        )
    return ""


# -- commands about a loop ---------------------------------------------------------------------------------


def resume_of(s: LoopState) -> str:
    return of_task("resume", s)


def of_task(command: str, s: LoopState) -> str:
    """A command about this loop; of a backlog it names the task."""
    return (
        f"ralph {command} --task {shlex_quoted(s.identity.task.id)}"
        if s.identity.of_backlog
        else f"ralph {command}"
    )


def shlex_quoted(path: str) -> str:
    plain = all(c.isalnum() or c in "./_-" for c in path)
    return path if plain else "'" + path.replace("'", "'\\''") + "'"


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
# What becomes of a server's task. land: it goes on to its landing; released: another worker continues it
FleetOutcome = Literal["land", "failed", "blocked", "cancelled", "quota", "released"]


class Exit(msgspec.Struct, frozen=True, kw_only=True):
    """One way to end."""

    name: End
    code: int
    tone: Tone  # how it looks: green, yellow, red
    task: Outcome  # what becomes of the task; in_progress: the end says nothing about the work, a later run continues
    fleet: FleetOutcome  # the same on a server
    worker_fault: Literal["", "agent", "internal"] = (
        ""  # it says something about the machine, not about the task
    )
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
        fleet="land",
        resumable=False,
        claim="verified",
        meaning="Done, and the gates prove it",
        next="Look at the change with `git status` and `git diff`, then `ralph commit`.",
        next_here=after_proof,
    ),
    Exit(
        name="failed",
        code=3,
        tone="bad",
        task="failed",
        fleet="failed",
        settled=True,
        raisable=True,
        meaning="Failed: every attempt was rejected",
        next="Read .ralph_state.md, then `ralph resume --max-attempts N`, or sharpen the task and `ralph run --fresh`.",
    ),
    Exit(
        name="stuck",
        code=4,
        tone="bad",
        task="failed",
        fleet="failed",
        settled=True,
        meaning="Stuck",
        next='Give the agent what it needs: `ralph answer "..."`; or sharpen the task and `ralph run --fresh`.',
    ),
    Exit(
        name="blocked-on-person",
        code=5,
        tone="unsure",
        task="blocked",
        fleet="blocked",
        needs_person=True,
        meaning="Waits for your answer",
        next='Answer and continue: `ralph answer "..."`.',
        next_here=after_block,
        next_of_task=after_block_of_task,
    ),
    Exit(
        name="completed-unverified",
        code=6,
        tone="unsure",
        task="complete",
        fleet="blocked",
        resumable=False,
        claim="accepted",
        meaning="Claimed done; nothing proves it",
        next="No gate proved this. Add one to ralph.yml, as `gates: [{run: make test}]`; `gates: none` says that none is wanted: "
        "unproven work then counts, lands, and exits with 0.",
        next_here=after_claim,
    ),
    Exit(
        name="needs-review",
        code=7,
        tone="unsure",
        task="blocked",
        fleet="blocked",
        needs_person=True,
        settled=True,
        claim="review",
        meaning="Needs your review",
        next="Look at what is named: `ralph resume --accept` if it is right, else `ralph resume`.",
        next_here=after_doubt,
        next_of_task=after_doubt_of_task,
    ),
    Exit(
        name="limit",
        code=8,
        tone="unsure",
        task="failed",
        fleet="failed",
        raisable=True,
        meaning="Stopped at a limit",
        next="Continue with a higher limit: `ralph resume --max-iterations N` (or --max-runtime, --max-cost, --max-tokens).",
        next_here=after_limit,
    ),
    Exit(
        name="quota",
        code=9,
        tone="unsure",
        task="in_progress",
        fleet="quota",
        ends_run=True,
        ends_wait=True,
        meaning="Out of quota",
        next="Continue when the quota is back: `ralph resume`.",
    ),
    Exit(
        name="agent-unusable",
        code=10,
        tone="bad",
        task="in_progress",
        fleet="released",
        worker_fault="agent",
        ends_run=True,
        ends_wait=True,
        meaning="The agent cannot be used",
        next="Run the agent by hand to see why it fails, then `ralph resume`; with another agent: `ralph run --fresh`.",
        next_here=after_fault,
    ),
    Exit(
        name="no-route",
        code=11,
        tone="bad",
        task="blocked",
        fleet="failed",
        meaning="An event that no hat takes",
        next="Add a trigger for this event to a hat in ralph.yml, then `ralph run --fresh`: a resumed loop keeps its hats.",
        next_of_task=after_no_route_of_task,
    ),
    Exit(
        name="stopped",
        code=12,
        tone="unsure",
        task="in_progress",
        fleet="released",
        ends_run=True,
        requested=True,
        meaning="Stopped",
        next="Continue with `ralph resume`.",
    ),
    Exit(
        name="cancelled",
        code=13,
        tone="unsure",
        task="cancelled",
        fleet="cancelled",
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
        fleet="released",
        worker_fault="internal",
        ends_run=True,
        meaning="An error in Ralph, the disk or the journal",
        next="Fix the cause named above, then `ralph resume`.",
    ),
    Exit(
        name="interrupted",
        code=130,
        tone="unsure",
        task="in_progress",
        fleet="released",
        ends_run=True,
        requested=True,
        meaning="Interrupted",
        next="Continue with `ralph resume`.",
    ),
)
BY_NAME: dict[str, Exit] = {row.name: row for row in EXITS}
SOME_TASKS_FAILED = 1
USAGE_ERROR = 2
# Codes of a command or a whole run that are not the end of one loop: name and next step.
OTHER_CODES = {
    SOME_TASKS_FAILED: (
        "some tasks failed",
        "Of several tasks, or items of a board; `ralph report` names them.",
    ),
    USAGE_ERROR: ("usage or configuration error", "Nothing was started; correct what the message names."),
}


def _names(rows: Iterable[Exit]) -> frozenset[End]:
    return frozenset(row.name for row in rows)


CODES: dict[End, int] = {row.name: row.code for row in EXITS}
DONE = _names(row for row in EXITS if row.task == "complete")
FAILURES = _names(row for row in EXITS if row.task == "failed")
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
