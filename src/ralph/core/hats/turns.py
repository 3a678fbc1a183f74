"""The queue of a loop's events: what waits for whom, and what was said about it. turns.py says when it changes.

One event is one turn for each hat that takes it. A scanner looks at everything at once, so that its other events are
stale by then; an aggregate waits for the others and takes all of its own together.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal

import msgspec
from msgspec.structs import replace

from ralph.core.hats.model import (
    ASK,
    CLAIM_REFUSED,
    COORDINATOR,
    GATE_FAILED,
    RESUME,
    TURNED_DOWN,
    Event,
    Hat,
    Team,
)
from ralph.core.hats.routing import matches, refusal, route, shown_topic
from ralph.text import few

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
    declined: int = 0  # looks of an agent in a row by which nothing was dispatched but what is refused
    cancelled: str = ""
    dispatched: int = 0  # the first event that can be about the item under way
    fruitless: int = 0
    lost: str = ""  # the topic that leads nowhere
    lost_why: str = ""
    cycle: int = 1
    worked: bool = False  # someone but a scanner had a turn in this cycle
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


MOST_FRUITLESS = 3  # coordinations, or claims that could not stand, in a row
MOST_DECLINED = 2  # looks in a row that only dispatch what is set aside, before the board rests
MOST_PENDING = 200  # turns: an agent that emits without end is told so
LEAST_REST = 1.0  # seconds: an idle loop without a cool-down would spin
How = Literal["lived", "unfinished", "interrupted"]


class Wear(msgspec.Struct, frozen=True):
    turn: Turn
    after: float = 0.0  # seconds of cool-down


class Rest(msgspec.Struct, frozen=True):
    """Idle: `resumed` after these seconds, or whatever event comes first."""

    seconds: float
    why: str


class NoRoute(msgspec.Struct, frozen=True):
    topic: str
    why: str


Next = Wear | Rest | NoRoute


def next_turn(team: Team, s: Turns) -> Next:
    """What comes next once nothing is cancelled, claimed or held for the gates: decide.py looks at those first."""
    if s.fruitless >= MOST_FRUITLESS:
        return NoRoute(s.lost, f"{s.lost_why}, {s.fruitless} times in a row")
    if s.insists >= MOST_FRUITLESS:
        who, times = s.claimer or "the coordinator", f"{s.insists} times in a row"
        return NoRoute(
            team.promise,
            f"{who} says that it is complete, which its `publishes` do not allow, {times}",
        )
    if s.idle and not s.pending:
        return Rest(max(team.cooldown, LEAST_REST), s.idle)
    turn = picked(team, s)[0]
    waits = team.cooldown_always and any(event.iteration for event in turn.events)
    return Wear(turn, team.cooldown if waits else 0.0)


def fresh(team: Team, turn: Turn) -> bool:
    """Whether scratchpad and todos are cleared first: as the hat says, else when a scanner dispatches it."""
    hat = team.hat(turn.hat)
    if hat is None or hat.fresh is not None:
        return bool(hat and hat.fresh)
    senders = [team.hat(event.hat) for event in turn.events]
    return not hat.scanner and any(sender is not None and sender.scanner for sender in senders)


# -- what happens ------------------------------------------------------------------------------------------------


def start(team: Team) -> Turns:
    return publish(team, Turns(), Event(team.starting_event))


def began(team: Team, s: Turns, serial: int, hat: str) -> Turns:
    """An iteration starts. Another hat than the one whose turn it is was put on by a condition."""
    earlier = s.claim if hat == s.claimer else ""
    s = replace(s, latest=(), serial=serial, said=(), claimed=False, asked=False, refused=(), claim="")
    s = replace(s, earlier=earlier, promise="")
    turn, rest, stale = picked(team, s)
    if hat != turn.hat or earlier:
        return replace(s, current=Turn(hat, (), "by its condition"), aside=True)
    why = f"stale: {hat} looks at everything at once"
    dropped = tuple(Routed(event, (), why) for event in stale)
    return replace(s, current=turn, pending=rest, latest=dropped, idle="", aside=False)


def emitted(team: Team, s: Turns, event: Event) -> Turns:
    """An event came in: from a person (iteration 0) it is routed now, from an agent when its iteration has ended."""
    s = replace(s, latest=())
    if event.iteration == 0:
        return _from_person(team, s, event)
    if s.current is None or event.iteration != s.serial:
        return _refuse(s, event, f"stale: iteration {event.iteration} is over")
    event = replace(event, hat=s.current.hat)
    if why := refusal(team, team.hat(event.hat), event.topic):
        return _refuse(s, event, why)
    if team.cancellation_promise and event.topic == team.cancellation_promise:
        return _cancel(s, event)
    if team.completes(event.topic):
        return replace(s, claimed=True, promise=event.payload)
    if event.topic == ASK:
        return replace(s, asked=True)
    if any((event.topic, event.payload) == (e.topic, e.payload) for e in s.said):
        return s  # said twice is said once
    if len(s.said) + len(s.pending) >= MOST_PENDING:
        return _refuse(s, event, f"more than {MOST_PENDING} events wait already")
    return replace(s, said=(*s.said, event))


def ended(
    team: Team,
    s: Turns,
    how: How = "lived",
    *,
    tags: Iterable[Event] = (),
    claimed: bool = False,
    moved: bool = False,
    only_refused: bool = False,
    full: str = "",
) -> Turns:
    """The iteration is over. `tags`: events in its last words; `claimed`: by a signal; `moved`: it changed the tree;
    `only_refused`: it dispatched nothing but items that are set aside; `full`: why its board is not empty."""
    told: tuple[Routed, ...] = ()
    if how == "lived":
        for tag in tags:
            s = emitted(team, s, replace(tag, iteration=s.serial))
            told += s.latest
    turn, hat = s.current, team.hat(s.current.hat) if s.current else None
    s = replace(s, current=None, latest=told)
    if turn is None:
        return replace(s, said=(), claimed=False)
    if moved and not (hat and hat.scanner):
        s = replace(s, producer=turn.hat)
    waits = s.asked and not s.claimed and not claimed  # for an answer, with which it is to go on
    if how == "interrupted" or ((how == "unfinished" or waits) and not s.said):
        back = s.pending if s.aside else (turn, *s.pending)
        return replace(s, pending=back, said=(), claimed=False)
    if how == "lived":
        s = replace(s, worked=s.worked or not (hat and hat.scanner))
        claim = s.claimed or claimed
        if claimed and (why := refusal(team, hat, team.promise)):
            s = _refuse(s, _of(turn, s.serial, team.promise), why)
            claim = s.claimed
        insists = any(r.event.iteration == s.serial and team.completes(r.event.topic) for r in s.refused)
        s = replace(s, insists=s.insists + 1 if insists else 0, claimer=turn.hat if insists else s.claimer)
        declined = only_refused and not claim
        if hat is not None and hat.scanner:
            s = replace(s, declined=s.declined + 1 if declined else 0)
        if declined and (s.declined < MOST_DECLINED or team.persistent):
            s = _declined(team, s)
        else:
            s = _spoken(team, s, turn, hat, claim, full)
    else:
        s = _routed(team, s, s.said)
    return replace(s, said=(), claimed=False, aside=False)


def looked(team: Team, s: Turns, topic: str, payload: str = "", *, over: bool = False) -> Turns:
    """The scanner whose turn it is is data (Hat.scan), and this is what it found; a completion: nothing. `over`: and
    nothing more is wanted, so that a persistent loop ends too."""
    s = began(team, s, s.serial, picked(team, s)[0].hat)
    if s.current is None or team.completes(topic):
        return ended(replace(team, persistent=team.persistent and not over), replace(s, claimed=True))
    dispatch = Event(topic, payload, s.current.hat, s.serial)
    s = ended(team, replace(s, said=(dispatch,), dispatched=s.count + 1))
    return _unless_only_looked_at(team, s, topic)


def turned_down(team: Team, s: Turns, why: str, *, by_gates: bool = True) -> Turns:
    """The gates failed, on a claim or on what was held, and `why` names the gate; or it was not even put to them."""
    sender = team.hat(s.held[0].hat) if s.held else None
    producer = s.producer if not s.held or (sender and sender.scanner) else s.held[0].hat
    told = tuple(Routed(event, (), f"refused: by the gates: {why}") for event in s.held)
    s = replace(s, claim="", held=(), producer=producer, latest=told)
    topic = GATE_FAILED if by_gates else CLAIM_REFUSED
    return _unless_only_looked_at(team, publish(team, s, Event(topic, why)), topic)


def passed(team: Team, s: Turns) -> Turns:
    """The gates passed on what was held."""
    held = s.held
    return _routed(team, replace(s, held=(), latest=()), held, gated=True)


def abandoned(
    team: Team, s: Turns, why: str, *, by_agent: bool = False, others: Collection[str] = ()
) -> Turns:
    """The item under way was given up: what hats said since it was dispatched is about it, unless it names one of the `others`
    that are out. The board is looked at again, perhaps `by_agent`."""
    scanner = None if by_agent else next((h for h in team.hats if h.scan is not None and h.triggers), None)
    about_it = [e for turn in s.pending for e in turn.events if e.payload.strip() not in others]
    over = [e for e in about_it if e.n >= s.dispatched and not _from_outside(e)]
    # An aggregate's turn that was given back may hold events about other things too.
    left = (replace(turn, events=tuple(e for e in turn.events if e not in over)) for turn in s.pending)
    kept = tuple(turn for turn, was in zip(left, s.pending, strict=True) if turn.events or not was.events)
    told = tuple(Routed(event, (), f"dropped: {why}") for event in (*over, *s.held))
    s = replace(s, pending=kept, held=(), claim="", refused=(), latest=told, fruitless=0, lost="")
    return publish(team, s, Event(scanner.triggers[0] if scanner else RESUME, why))


def resumed(team: Team, s: Turns) -> Turns:
    """The cool-down of an idle loop is over."""
    return publish(team, _new_cycle(replace(s, latest=())), Event(RESUME))


def again(team: Team, s: Turns) -> Turns:
    """A person lets an ended loop go on."""
    s = replace(s, fruitless=0, lost="", cancelled="", latest=())
    return s if s.pending or s.held or s.idle or s.claim else publish(team, s, Event(RESUME))


def _declined(team: Team, s: Turns) -> Turns:
    """An agent dispatched only what is set aside. It is asked once for another item; then the board rests."""
    why = s.refused[-1].why.removeprefix("refused: ") if s.refused else ""
    if s.declined < MOST_DECLINED:
        return publish(team, s, Event(RESUME, why))
    return replace(s, idle=f"nothing else is to be done: {why}", fruitless=0, lost="")


def _spoken(team: Team, s: Turns, turn: Turn, hat: Hat | None, claim: bool, full: str) -> Turns:
    """A lived iteration: its events go out; without any, its claim or its default; without those, the coordinator."""
    if s.said:
        s = _set_aside(team, s, turn, f"it also emitted {_topics(s.said)}") if claim else s
        before, topic = len(s.pending), s.said[-1].topic
        new = {f"{event.topic} {event.payload}" for event in s.said} - s.known
        s = replace(_routed(team, s, s.said), known=s.known | new)
        if turn.hat or s.aside or s.held or any(turn.hat for turn in s.pending[before:]):
            return s
        if new:
            return replace(s, fruitless=0, lost="")
        return _fruitless(s, topic, f"no hat takes {shown_topic(topic)}")
    default = hat.default_publishes if hat and not s.aside else ""
    if not claim and default and not team.completes(default):
        return _routed(team, s, (_of(turn, s.serial, default),), note="by default: ")
    if claim or default:
        said_by = "" if claim else ", by default"
        return _complete(team, s, turn, f"{turn.hat or 'the coordinator'} says so{said_by}", full)
    if s.aside:
        return _complete(team, s, turn, s.earlier, full) if s.earlier else s
    lost = turn.events[-1].topic if turn.events else team.starting_event
    if turn.hat:
        why = f"{turn.hat} emitted nothing for {shown_topic(lost)} and has no default_publishes"
        return replace(s, pending=(*s.pending, Turn(COORDINATOR, turn.events, why)))
    s = _fruitless(s, lost, f"no event came of {shown_topic(lost)}")
    why = f"nothing came of {shown_topic(lost)} ({s.fruitless} of {MOST_FRUITLESS})"
    return replace(s, pending=(*s.pending, Turn(COORDINATOR, turn.events, why)))


def _complete(team: Team, s: Turns, turn: Turn, why: str, full: str) -> Turns:
    if s.pending:
        return _set_aside(team, s, turn, f"{_topics(event for t in s.pending for event in t.events)} waits")
    missing = [topic for topic in team.required_events if topic not in s.seen]
    if missing and (s.worked or not team.persistent):
        s = _set_aside(team, s, turn, f"{few(missing)} has not been seen")
        s = _fruitless(s, missing[0], f"completion needs {few(missing)}, which nobody published")
        return publish(team, s, Event(RESUME, f"not complete: {few(missing)} has not been seen"))
    if team.persistent and full:  # it rests, but no one is told that the board is empty
        told = f"not published: the board is not empty: {full}"
        s = logged(s, _of(turn, s.serial, team.promise), (), told)
        return replace(s, claimer=turn.hat, idle=f"{why}; {full}", fruitless=0, lost="")
    event = replace(_of(turn, s.serial, team.promise), n=s.count + 1, payload=s.promise)
    s = replace(s, count=event.n, claimer=turn.hat)
    if team.persistent:
        s = replace(s, idle=why, fruitless=0, lost="")
        return logged(s, event, (), f"idle: {why}; {RESUME} follows after the cool-down")
    hat = team.hat(turn.hat)
    if (
        hat is None or hat.scan is None
    ):  # a look is no work: to claim by it leads nowhere while the gates fail
        s = replace(s, fruitless=0, lost="")
    return logged(replace(s, claim=why), event, (), f"a claim: {why}")


def _routed(team: Team, s: Turns, events: Iterable[Event], *, gated: bool = False, note: str = "") -> Turns:
    events = tuple(events)
    if not gated and any(event.topic in team.gate_on for event in events):
        return replace(s, held=events)
    for event in events:
        s = publish(team, s, event, note=note)
    return s


def _fruitless(s: Turns, topic: str, why: str) -> Turns:
    return replace(s, fruitless=s.fruitless + 1, lost=topic, lost_why=why)


def _unless_only_looked_at(team: Team, s: Turns, topic: str) -> Turns:
    """Looks cost nothing and lead to no work: an event that is taken by nothing but them could go round forever."""
    hats = [team.hat(id) for routed in s.latest if routed.event.topic == topic for id in routed.triggered]
    if not hats or any(hat is None or hat.scan is None for hat in hats):
        return s
    return _fruitless(s, topic, f"nobody but a scanner takes {shown_topic(topic)}")


def _from_person(team: Team, s: Turns, event: Event) -> Turns:
    event = replace(event, hat=COORDINATOR)
    if why := refusal(team, None, event.topic):
        return _refuse(s, event, why)
    if team.cancellation_promise and event.topic == team.cancellation_promise:
        return _cancel(s, event)
    if event.topic == ASK:
        return s
    if team.completes(event.topic):
        return _refuse(s, event, "only an iteration can claim; `ralph stop` ends the loop")
    if len(s.pending) >= MOST_PENDING:
        return _refuse(s, event, f"more than {MOST_PENDING} events wait already")
    if s.claim:
        why = f"the claim is set aside: {shown_topic(event.topic)} came in"
        s = logged(replace(s, claim=""), Event(team.promise), (), why)
    return publish(team, _new_cycle(s) if s.idle else s, event)


def _from_outside(event: Event) -> bool:
    """A person's, or what the loop began with."""
    return not event.iteration and not event.hat and event.topic not in (RESUME, *TURNED_DOWN)


def _new_cycle(s: Turns) -> Turns:
    s = replace(s, idle="", cycle=s.cycle + 1, worked=False, seen=frozenset(), activations={})
    return replace(s, known=frozenset())


def _cancel(s: Turns, event: Event) -> Turns:
    why = f"{shown_topic(event.topic)} from {event.hat or 'outside any hat'}"
    return logged(replace(s, cancelled=why), event, (), "ends the loop")


def refused(s: Turns, event: Event, why: str) -> Turns:
    """Someone else has a reason why this event is not routed."""
    return _refuse(s, event, why)


def _refuse(s: Turns, event: Event, why: str) -> Turns:
    routed = Routed(event, (), f"refused: {why}")
    return replace(s, refused=(*s.refused, routed)[-MOST_PENDING:], latest=(*s.latest, routed))


def _set_aside(team: Team, s: Turns, turn: Turn, why: str) -> Turns:
    what = "idle" if team.persistent else "the claim"
    return logged(s, _of(turn, s.serial, team.promise), (), f"{what} is set aside: {why}")


def _of(turn: Turn, serial: int, topic: str) -> Event:
    return Event(topic, "", turn.hat, serial)


def _topics(events: Iterable[Event]) -> str:
    return few([shown_topic(event.topic) for event in events])
