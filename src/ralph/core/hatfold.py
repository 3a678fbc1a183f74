"""What a fact means for the hats: from facts to the steps of turns.py. Pure; without hats nothing happens here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.core import eventtags, turns
from ralph.core import facts as f
from ralph.core.hats import Event, Team
from ralph.core.queue import Turns

if TYPE_CHECKING:
    from ralph.core.state import LoopState

IDLE = "idle:"  # the wait of an idle loop; its id goes on with the count of events


def turned(before: LoopState, after: LoopState, fact: f.Input) -> LoopState:
    """The state after a fact, with whose turn it is."""
    team = after.policy.team
    if team is None:
        return after
    after = replace(after, turns=_step(team, before, after, fact))
    if after.turns.claim and after.claim is None:
        return replace(after, turns=turns.turned_down(team, after.turns, _why(before, after)))
    return after


def spoken(s: LoopState, x: f.IterationEnded, claims: bool, *, moved: bool) -> tuple[LoopState, bool]:
    """An iteration ended by itself: its events go out. Whether its claim, in whatever way it was made, stands."""
    team = s.policy.team
    if team is None:
        return s, claims
    now = turns.ended(team, s.turns, tags=eventtags.read(x.said), claimed=claims, moved=moved)
    s = replace(s, turns=now)
    if now.idle:  # an idle look is no iteration without progress, and nothing for the gates
        s = replace(s, no_progress=0, same_tree=0, unchecked=0)
    return s, bool(now.claim)


def _step(team: Team, before: LoopState, after: LoopState, fact: f.Input) -> Turns:
    now = after.turns
    match fact:
        case f.LoopStarted():
            return turns.start(team)
        case f.LoopResumed() if before.ended is not None:
            return turns.again(team, now)
        case f.IterationStarted():
            return turns.began(team, now, fact.serial, fact.hat)
        case f.EventReceived():
            return turns.emitted(team, now, Event(fact.topic, fact.payload, iteration=fact.serial))
        case f.IterationEnded() if now.current is not None:  # not by itself, or it would have spoken
            how: turns.How = "interrupted" if fact.how == "interrupted" or fact.fault else "unfinished"
            return turns.ended(team, now, how, moved=fact.tree != before.tree)
        case f.WaitEnded(elapsed=True) if fact.op.startswith(IDLE) and now.idle:
            return turns.resumed(team, now)
    return now


def _why(before: LoopState, after: LoopState) -> str:
    """Why a claim that stood does not stand any more."""
    if after.attempts > before.attempts and after.history:
        last = after.history[-1]
        return f"{last.gate}: {last.headline}"
    if after.conflicts:
        return f"merge conflicts: {', '.join(after.conflicts[:5])}"
    return after.refusal or "the tree is not the one that was claimed"
