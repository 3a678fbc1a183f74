"""The queue of a loop's events: what waits for whom, and what was said about it. turns.py says when it changes.

One event is one turn for each hat that takes it. A scanner looks at everything at once, so that its other events are
stale by then; an aggregate waits for the others and takes all of its own together.
"""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from ralph.core.hats import COORDINATOR, RESUME, TURNED_DOWN, Event, Hat, Team
from ralph.core.routing import matches, route, shown_topic

EXHAUSTED = "exhausted"  # <hat>.exhausted: published in place of one activation too many


class Turn(msgspec.Struct, frozen=True):
    """One iteration to be: the hat, what it is about, and why it is this hat's. No hat: the coordinator's."""

    hat: str
    events: tuple[Event, ...]
    why: str


class Routed(msgspec.Struct, frozen=True):
    """What became of an event: `triggered` hats, or why none."""

    event: Event
    triggered: tuple[str, ...]
    why: str


class Turns(msgspec.Struct, frozen=True):
    count: int = 0  # events accepted
    pending: tuple[Turn, ...] = ()
    serial: int = 0  # of the iteration under way
    current: Turn | None = None
    aside: bool = False  # it wears a hat by a condition, and no turn of the queue is taken
    said: tuple[Event, ...] = ()  # by it
    claimed: bool = False  # by it, as an event
    asked: bool = False  # it has a question to a person
    refused: tuple[Routed, ...] = ()  # what it, or the one before, was not allowed to emit: to be told
    held: tuple[Event, ...] = ()  # until the gates have passed
    producer: str = COORDINATOR  # the last hat that changed the tree; scanners do not count
    claim: str = ""  # why the loop is said to be complete
    claimer: str = ""  # and by which hat
    promise: str = ""  # what was said with the claim
    earlier: str = ""  # the claim that stands unless the iteration under way, which reads a person's words, says otherwise
    insists: int = 0  # iterations in a row that claimed without being allowed to
    known: frozenset[str] = frozenset()  # events of this cycle: the same again is nothing new
    idle: str = ""  # and the same of a persistent one
    cancelled: str = ""
    dispatched: int = 0  # the first event that can be about the item under way
    fruitless: int = 0
    lost: str = ""  # the topic that leads nowhere
    lost_why: str = ""
    cycle: int = 1
    worked: bool = False  # somebody but a scanner had a turn in this cycle
    seen: frozenset[str] = frozenset()  # of the required events, in this cycle
    activations: dict[str, int] = {}  # in this cycle
    latest: tuple[Routed, ...] = ()  # what the last step routed: for views


def publish(team: Team, s: Turns, event: Event, *, note: str = "") -> Turns:
    """Number it, and give each hat that takes it a turn."""
    event = replace(event, n=s.count + 1)
    found = route(team.hats, event, producer=s.producer)
    s = replace(s, count=event.n, seen=s.seen | {t for t in team.required_events if matches(t, event.topic)})
    s = logged(s, event, tuple(one.hat for one in found.hats), note + found.why)
    if not found.hats:
        return replace(s, pending=(*s.pending, Turn(COORDINATOR, (event,), found.why)))
    from_outside = event.topic in (RESUME, *TURNED_DOWN) and not event.iteration
    for one in found.hats:
        hat = team.hat(one.hat)
        assert hat is not None
        if _used_up(s, hat):
            s = _exhausted(team, s, hat, event)
            continue
        s = replace(
            s,
            pending=(*s.pending, Turn(hat.id, (event,), note + one.why)),
            activations={**s.activations, hat.id: s.activations.get(hat.id, 0) + (not _waits(s, hat))},
            fruitless=s.fruitless if from_outside or hat.scan is not None else 0,
        )
    return s


def _used_up(s: Turns, hat: Hat) -> bool:
    return s.activations.get(hat.id, 0) >= hat.max_activations > 0 and not _waits(s, hat)


def _waits(s: Turns, hat: Hat) -> bool:
    """It has a turn already, and this event would be part of it."""
    return (hat.scanner or hat.aggregate is not None) and any(turn.hat == hat.id for turn in s.pending)


def _exhausted(team: Team, s: Turns, hat: Hat, event: Event) -> Turns:
    why = f"{hat.id} was worn {hat.max_activations} times in this cycle, which is its limit"
    told = Event(f"{hat.id}.{EXHAUSTED}", f"{shown_topic(event.topic)}: {why}")
    if event.topic.endswith(f".{EXHAUSTED}"):  # of a hat that is to take care of exhausted ones: no circle
        return replace(s, pending=(*s.pending, Turn(COORDINATOR, (event,), why)))
    return publish(team, s, told)


def picked(team: Team, s: Turns) -> tuple[Turn, tuple[Turn, ...], tuple[Event, ...]]:
    """The next turn, the turns that are left, and events that are stale by then."""
    if not s.pending:
        return Turn(COORDINATOR, (), "nothing waits"), (), ()
    hats = {hat.id: hat for hat in team.hats}
    waiting = {id for id, hat in hats.items() if hat.aggregate is not None}
    turn = next((t for t in s.pending if t.hat not in waiting), s.pending[0])
    hat = hats.get(turn.hat)
    if hat is None or not (hat.scanner or hat.aggregate):
        at = s.pending.index(turn)
        return turn, (*s.pending[:at], *s.pending[at + 1 :]), ()
    own = tuple(event for t in s.pending if t.hat == turn.hat for event in t.events)
    rest = tuple(t for t in s.pending if t.hat != turn.hat)
    if hat.aggregate:
        return replace(turn, events=own), rest, ()
    return turn, rest, own[len(turn.events) :]


def logged(s: Turns, event: Event, triggered: tuple[str, ...], why: str) -> Turns:
    return replace(s, latest=(*s.latest, Routed(event, triggered, why)))
