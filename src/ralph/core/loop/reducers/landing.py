"""How the change gets onto its target. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop.state import Landing
from ralph.core.loop.step import Reducers, Step


def _queued(step: Step, x: f.LandingQueued) -> Landing:
    return replace(step.before.landing, queued=x)


def _not_queued(step: Step, x: f.Input) -> Landing:
    landing = step.before.landing
    return landing if landing.queued is None else replace(landing, queued=None)


def _merge_intended(step: Step, x: f.MergeIntended) -> Landing:
    return replace(step.before.landing, merge=x, queued=None)


def _merged(step: Step, x: f.WorkspaceMerged) -> Landing:
    landing, claim = step.before.landing, step.before.judgement.claim
    if claim is None and not landing.returned:
        return replace(landing, merge=None)
    landing = replace(landing, merges=landing.merges + 1, intended=None, merge=None, returned=False)
    if not x.conflicts:
        return replace(landing, mixed=True)
    return replace(
        landing,
        conflicts=x.conflicts,
        conflict=x.text,
        merging=tuple(dict.fromkeys((*landing.merging, *x.conflicts))),
        conflicted=landing.conflicted + 1,
        merged_from=claim.tree if claim is not None else step.before.workspace.tree,
    )


def _intended(step: Step, x: f.LandingIntended) -> Landing:
    return replace(step.before.landing, intended=x, queued=None)


def _returned(step: Step, x: f.LandingReturned) -> Landing:
    """By a lander of a fleet: it is brought on top of the target before anyone works on it again."""
    return replace(step.before.landing, intended=None, queued=None, returned=True)


def _landed(step: Step, x: f.Landed) -> Landing:
    return replace(step.before.landing, landed=x, intended=None, queued=None)


def _iteration_ended(step: Step, x: f.IterationEnded) -> Landing:
    landing = step.before.landing
    if not step.outcome.lived:
        return landing
    merging = landing.merging if x.unresolved else ()
    text = landing.conflict if merging else ""
    return replace(landing, conflict=text, conflicts=(), mixed=False, merging=merging)


REDUCERS: Reducers = {
    f.LoopResumed: _not_queued,
    f.LandingQueued: _queued,
    f.MergeIntended: _merge_intended,
    f.WorkspaceMerged: _merged,
    f.LandingIntended: _intended,
    f.LandingReturned: _returned,
    f.Landed: _landed,
    f.IterationStarted: _not_queued,
    f.IterationEnded: _iteration_ended,
    f.GateStarted: _not_queued,
    f.Paused: _not_queued,
    f.LoopEnded: _not_queued,
}
