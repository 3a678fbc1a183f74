"""What a fact means for the events that hats route: the next step of turns.py, before anything is judged. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats import board, routing, turns
from ralph.core.hats.board import Repeats
from ralph.core.hats.model import ASK, COMPLETE, Event, Team
from ralph.core.hats.turns import Routed, Turns

if TYPE_CHECKING:
    from ralph.core.loop.state import LoopState

IDLE = "idle:"  # the wait of an idle loop; its id continues with the count of events
COOLDOWN = "cooldown:"  # the wait before an iteration; its id continues with the serial of the one before


class HatStep(msgspec.Struct, frozen=True):
    turns: Turns
    repeats: Repeats
    said: frozenset[str] = frozenset()  # by an iteration that ended by itself: "topic payload"
    questions: tuple[str, ...] = ()  # to a person
    warnings: tuple[tuple[str, str], ...] = ()  # kind, and words


def routed(before: LoopState, after: LoopState) -> tuple[Routed, ...]:
    """What became of events by the fact that lies between these two states."""
    return after.hats.turns.latest if after.hats.turns is not before.hats.turns else ()


def turned(team: Team, before: LoopState, fact: f.Input) -> HatStep:
    """Any fact but the end of an iteration."""
    return HatStep(_turned(team, before, before.hats.turns, fact), before.hats.repeats)


def _turned(team: Team, before: LoopState, now: Turns, fact: f.Input) -> Turns:
    match fact:
        case f.LoopStarted():
            return turns.start(team)
        case f.LoopResumed() if before.judgement.ended is not None:
            return turns.again(team, now)
        case f.IterationStarted():
            return turns.began(team, now, fact.serial, fact.hat)
        case f.EventReceived():
            return turns.emitted(team, now, Event(fact.topic, fact.payload, iteration=fact.serial))
        case f.WaitEnded(elapsed=True) if fact.op.startswith(IDLE) and now.idle:
            return turns.resumed(team, now)
        case f.TransitionPassed():
            return turns.passed(team, now)
        case f.ItemGivenUp(under_way=True):
            return turns.abandoned(team, now, f"{fact.item} was given up")
        case f.BoardLooked():
            return turns.looked(team, now, fact.topic or COMPLETE, fact.payload or fact.item, over=fact.over)
    return now


def cut_short(team: Team, before: LoopState, x: f.IterationEnded) -> HatStep:
    """The iteration did not come to speak."""
    now = before.hats.turns
    if now.current is not None:
        how: turns.How = "interrupted" if x.how == "interrupted" or x.fault else "unfinished"
        now = turns.ended(team, now, how, moved=x.tree != before.workspace.tree)
    return HatStep(now, before.hats.repeats)


def spoken(team: Team, before: LoopState, x: f.IterationEnded, *, claims: bool) -> HatStep:
    """The iteration ended by itself: its events go out. Whether its claim stands, in whatever way it was made, is
    `turns.claim`."""
    now = before.hats.turns
    hat = team.hat(now.current.hat) if now.current else None
    step, tags = HatStep(now, before.hats.repeats), routing.read(x.said)
    refused: tuple[Routed, ...] = ()
    if hat is not None and hat.scanner:
        step, tags = _dispatched(step, x, tags)
        refused = step.turns.latest
        if refused and team.persistent and not (tags or step.turns.said):
            # Nothing else is to be done: that is idle.
            step = replace(step, turns=replace(step.turns, claimed=True))
    moved = x.tree != before.workspace.tree
    now = turns.ended(team, step.turns, tags=tags, claimed=claims, moved=moved)
    now = replace(now, latest=(*refused, *now.latest))
    return replace(
        step,
        turns=now,
        said=frozenset(f"{r.event.topic} {r.event.payload}" for r in now.latest if r.event.iteration),
        questions=tuple(tag.payload for tag in tags if tag.topic == ASK),
    )


def _dispatched(
    step: HatStep, x: f.IterationEnded, tags: tuple[Event, ...]
) -> tuple[HatStep, tuple[Event, ...]]:
    """An agent looks for work: the same again and again, with nothing moved, is refused."""
    kept: list[Event] = []
    now, repeats, warnings = replace(step.turns, latest=()), step.repeats, list[tuple[str, str]]()
    known = {(event.topic, event.payload) for event in now.said}
    tags = tuple(tag for tag in dict.fromkeys(tags) if (tag.topic, tag.payload) not in known)  # said once
    for event in (*now.said, *tags):
        repeats = board.dispatched(repeats, event, x.places.get(event.payload, ""))
        if not (why := board.repeat_refusal(repeats)):
            kept.append(event)
            continue
        warnings.append((f"repeats {event.topic}", why))
        now = turns.refused(now, event, why)
    now = replace(now, said=tuple(e for e in now.said if e in kept))
    return HatStep(now, repeats, warnings=tuple(warnings)), tuple(e for e in tags if e in kept)
