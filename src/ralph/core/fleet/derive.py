"""What accepted facts come to. fold_progress adds one fact; after_end says what a closing fact makes of its task.

A worker has no call for "complete" or "failed": the server reads it from here, in the transaction that accepts the fact.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import BY_NAME, FleetOutcome
from ralph.core.fleet.model import (
    FOREVER,
    FleetSettings,
    FleetTask,
    OpenIntent,
    SentFact,
    TaskProgress,
    WorkerFault,
)
from ralph.core.tasks.task import Status

_CHECKPOINTS = ("precompact", "stop", "manual")  # of seed 001's hooks; others are soft limits


def read_fact(sent: SentFact) -> f.AnyFact | None:
    """None: of a kind that this server does not know; it is kept and passed on. ValueError: it is not such a fact."""
    if sent.kind not in f.BY_KIND:
        return None
    try:
        fact = f.decode(sent.body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"fact {sent.n} is no {sent.kind}: {error}") from None
    if f.kind_of(fact) != sent.kind:
        raise ValueError(f"fact {sent.n} calls itself {sent.kind} and is {f.kind_of(fact)}")
    return fact


def is_closing(fact: f.AnyFact | None) -> bool:
    """Its worker's claim is over with it: nothing follows it in a batch."""
    return isinstance(fact, f.LoopEnded | f.LandingReturned)


def message_named(fact: f.AnyFact | None) -> int:
    """The id of the server's message that the fact names; 0: none."""
    name = getattr(fact, "name", "")
    number = name.removeprefix("server-") if isinstance(name, str) else ""
    return int(number) if number != name and number.isascii() and number.isdigit() else 0


def fold_progress(p: TaskProgress, fact: f.AnyFact | None, at: str = "") -> TaskProgress:
    match fact:
        case f.LoopStarted():
            return replace(
                _continued(p),
                loop=fact.loop,
                started_at=p.started_at or at,
                unproven_ok=fact.policy.gates_declined,
                ralph_iterations=0,
                rejected=0,
            )
        case f.LoopResumed():
            return _continued(p)
        case f.LoopMoved():
            return replace(p, open="")
        case f.IterationStarted():
            rejected = max(p.rejected, fact.attempts)
            return replace(p, open=f"iteration:{fact.serial}", retry_seconds=0.0, rejected=rejected)
        case f.IterationEnded():
            return _iteration_ended(p, fact)
        case f.GateStarted():
            return replace(p, open=fact.op)
        case f.GateEnded():
            return _spent(replace(p, open=""), fact)
        case f.Checkpoint() if fact.what in _CHECKPOINTS:
            return replace(p, ralph_last_checkpoint=at)
        case f.StopRequested() if fact.how != "cancel" and message_named(fact):
            return replace(p, stop_wanted=True)
        case f.ClaimMade():
            return replace(
                p, summary=fact.summary, promise_evidence=fact.evidence, artifact_paths=fact.artifacts
            )
        case f.LandingIntended():
            return replace(p, intent=OpenIntent(fact.commit, fact.tip, fact.ref, fact.how))
        case f.LandingReturned():
            return replace(p, intent=None, open="", attempts=p.attempts + 1)
        case f.Landed():
            return replace(p, intent=None, landed=fact.how, commit=fact.commit)
        case f.LoopEnded():
            # Who was stopped or died may have pushed: only an end that was thought through closes the intent.
            keeps = outcome(p, fact) == "released"
            intent = p.intent if keeps else None
            return replace(
                p,
                end=fact.end,
                reason=fact.reason,
                open="",
                intent=intent,
                ended_at=at,
                rejected=max(p.rejected, fact.attempts),
            )
    return p


def _continued(p: TaskProgress) -> TaskProgress:
    return replace(p, end="", reason="", open="", stop_wanted=False, ended_at="")


def _iteration_ended(p: TaskProgress, x: f.IterationEnded) -> TaskProgress:
    p = _spent(replace(p, open=""), x)
    if x.fault == "quota":
        return replace(p, retry_seconds=x.retry_after if x.retry_after >= 0 else f.QUOTA_SECONDS)
    return (
        p if x.how == "interrupted" or x.fault else replace(p, ralph_iterations=max(p.ralph_iterations, x.n))
    )


def _spent(p: TaskProgress, x: f.IterationEnded | f.GateEnded) -> TaskProgress:
    return replace(
        p,
        tokens=p.tokens + max(0, x.usage.tokens),
        cost_usd=round(p.cost_usd + max(0.0, x.usage.cost_usd), 9),
    )


# -- the end of a claim ----------------------------------------------------------------------------------------


def outcome(p: TaskProgress, ended: f.LoopEnded) -> FleetOutcome:
    if ended.end == "completed-unverified" and p.unproven_ok:
        return "land"
    return BY_NAME[ended.end].fleet


def after_end(
    task: FleetTask, fact: f.LoopEnded | f.LandingReturned, now: int, s: FleetSettings
) -> FleetTask:
    """The task after a closing fact, which its progress has already taken in. Its worker holds it no more."""
    worker = task.holder
    task = replace(task, holder="", reason="")
    if isinstance(fact, f.LandingReturned):
        back = replace(task, status="pending", phase="work", deaths=0, faults=())
        return _cancelled(task) if task.cancel_wanted else back
    kind = outcome(task.progress, fact)
    if kind == "land" or task.progress.landed:
        return _proven(task)
    if kind == "cancelled" or (task.cancel_wanted and task.progress.intent is None):
        return _cancelled(task)
    if kind == "failed" or kind == "blocked":
        return _stopped(task, kind, f"{fact.end}: {fact.reason}" if fact.reason else fact.end)
    if kind == "quota":
        seconds = task.progress.retry_seconds
        wait = int(seconds * 1000) if seconds > 0 else s.quota_ms
        return replace(task, status="pending", reason="quota", not_before=now + wait)
    if fault := BY_NAME[fact.end].worker_fault:
        return after_fault(task, WorkerFault(worker, fault), fact.reason, now, s)
    if task.progress.stop_wanted:
        return replace(task, status="pending", reason="stopped by a person", not_before=FOREVER)
    return replace(task, status="pending")


def _proven(task: FleetTask) -> FleetTask:
    if task.progress.landed or not task.lane:
        return replace(task, status="complete", cancel_wanted=False)
    return replace(task, status="pending", phase="land", deaths=0, faults=())


def _cancelled(task: FleetTask) -> FleetTask:
    return replace(task, status="cancelled", cancel_wanted=False, reason="cancelled by a person")


def _stopped(task: FleetTask, status: Status, reason: str) -> FleetTask:
    return replace(task, status=status, reason=reason)


def after_fault(task: FleetTask, fault: WorkerFault, text: str, now: int, s: FleetSettings) -> FleetTask:
    """A worker could not do its part: released unharmed, with back-off; blocked when different workers fail alike."""
    faults = (*task.faults, fault)
    alike = sorted({other.worker for other in faults if other.kind == fault.kind})
    why = f"{fault.kind}: {text}" if text else fault.kind
    task = replace(task, holder="", faults=faults)
    if len(alike) >= s.most_alike:
        return _stopped(task, "blocked", f"{', '.join(alike)} failed alike: {why}")
    wait = min(s.longest_backoff_ms, s.backoff_ms * 2 ** min(20, len(faults) - 1))
    return replace(task, status="pending", reason=why, not_before=now + wait)
