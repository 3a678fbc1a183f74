"""What a fact means for the events that hats route: the next step of turns.py, before anything is judged. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats import board, routing, turns
from ralph.core.hats.board import Board
from ralph.core.hats.model import ASK, COMPLETE, Event, Hat, Team
from ralph.core.hats.turns import Routed, Turns
from ralph.text import few

if TYPE_CHECKING:
    from ralph.core.loop.state import LoopState

IDLE = "idle:"  # the wait of an idle loop; its id continues with the count of events
COOLDOWN = "cooldown:"  # the wait before an iteration; its id continues with the serial of the one before


class HatStep(msgspec.Struct, frozen=True):
    turns: Turns
    board: Board
    dispatched: bool = False  # by an agent, an item: what was tried so far was about another
    said: frozenset[str] = frozenset()  # by an iteration that ended by itself: "topic payload"
    questions: tuple[str, ...] = ()  # to a person
    warnings: tuple[tuple[str, str], ...] = ()  # kind, and words


def routed(before: LoopState, after: LoopState) -> tuple[Routed, ...]:
    """What became of events by the fact that lies between these two states."""
    return after.hats.turns.latest if after.hats.turns is not before.hats.turns else ()


def turned(team: Team, before: LoopState, fact: f.Input) -> HatStep:
    """Any fact but the end of an iteration."""
    now = before.hats.board
    if isinstance(fact, f.IterationStarted) and (hat := team.hat(fact.hat)) is not None and hat.scanner:
        now = board.looking(now, hat.id)
    return HatStep(_turned(team, before, before.hats.turns, fact), now)


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
            item, out = before.hats.board.items.get(fact.item), before.hats.board.others
            by = team.hat(item.scanner) if item is not None else None
            what = "is set aside: take another item" if by else "was given up"
            return turns.abandoned(team, now, f"{fact.item} {what}", by_agent=by is not None, others=out)
        case f.BoardLooked():
            return turns.looked(team, now, fact.topic or COMPLETE, fact.payload or fact.item, over=fact.over)
    return now


def cut_short(team: Team, before: LoopState, x: f.IterationEnded) -> HatStep:
    """The iteration did not come to speak."""
    now = before.hats.turns
    if now.current is not None:
        how: turns.How = "interrupted" if x.how == "interrupted" or x.fault else "unfinished"
        now = turns.ended(team, now, how, moved=x.tree != before.workspace.tree)
    return HatStep(now, before.hats.board)


def spoken(team: Team, before: LoopState, x: f.IterationEnded, *, claims: bool) -> HatStep:
    """The iteration ended by itself: its events go out. Whether its claim stands, in whatever way it was made, is
    `turns.claim`."""
    now = before.hats.turns
    hat = team.hat(now.current.hat) if now.current else None
    step, tags = HatStep(now, before.hats.board), routing.read(x.said)
    refused: tuple[Routed, ...] = ()
    full = ""
    if hat is not None and hat.scanner:
        step, tags = _dispatched(team, hat, step, x, tags)
        refused = step.turns.latest
        full = _still_there(step.board, hat)
    moved = x.tree != before.workspace.tree
    only_refused = bool(refused) and not (tags or step.turns.said)
    now = turns.ended(
        team, step.turns, tags=tags, claimed=claims, moved=moved, only_refused=only_refused, full=full
    )
    now = replace(now, latest=(*refused, *now.latest))
    idle = hat is not None and (now.idle or now.claim) and not only_refused
    return replace(
        step,
        turns=now,
        board=board.nothing_left(step.board, hat.id) if hat is not None and idle else step.board,
        said=frozenset(f"{r.event.topic} {r.event.payload}" for r in now.latest if r.event.iteration),
        questions=tuple(tag.payload for tag in tags if tag.topic == ASK),
    )


def _dispatched(
    team: Team, hat: Hat, step: HatStep, x: f.IterationEnded, tags: tuple[Event, ...]
) -> tuple[HatStep, tuple[Event, ...]]:
    """An agent looks for work. What was set aside, and what no one got done as often as it was tried, is refused."""
    kept: list[Event] = []
    now, warnings = replace(step.turns, latest=()), list[tuple[str, str]]()
    items, any_item = board.seen(step.board, hat.id, x.places, x.contents), False
    known = {(event.topic, event.payload) for event in now.said}
    tags = tuple(tag for tag in dict.fromkeys(tags) if (tag.topic, tag.payload) not in known)  # said once
    for event in (*now.said, *tags):
        folder, why = board.found_in(x.places.get(event.payload, "")), ""
        if board.item_name(event) and (folder or team.persistent) and _is_dispatch(team, event):
            new = board.item_name(event) not in items.items
            items, why = board.dispatched(items, hat.id, event, folder)
            any_item = any_item or (not why and bool(new or folder))
        if not why:
            kept.append(event)
            continue
        warnings.append((f"repeats {event.topic}", f"{event.topic}: {why}"))
        now = turns.refused(now, event, why)
    first = now.count + 1 if any_item else now.dispatched
    now = replace(now, said=tuple(e for e in now.said if e in kept), dispatched=first)
    step = HatStep(now, items, dispatched=any_item and team.persistent, warnings=tuple(warnings))
    return step, tuple(e for e in tags if e in kept)


def _is_dispatch(team: Team, event: Event) -> bool:
    return event.topic != ASK and not team.completes(event.topic)


def _still_there(items: Board, hat: Hat) -> str:
    """Why a board is not empty, although there is nothing to do."""
    names = [item.name for item in board.set_aside(items, hat.id) if item.folder]
    return f"{few(names)} {'is' if len(names) == 1 else 'are'} set aside" if names else ""
