"""How routed events are shown: one record a line for `.ralph/events-*.jsonl`, one sentence for `ralph events --why`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats.model import Event
from ralph.core.hats.routing import shown_topic
from ralph.core.hats.steps import routed as routed_by
from ralph.core.hats.turns import Routed
from ralph.text import few, one_line

if TYPE_CHECKING:
    from ralph.core.loop.state import LoopState

PAYLOAD_CHARS = 80
NO_HATS = "the loop has no hats: it is noted, and routed to nobody"


class EventOutcome(msgspec.Struct, frozen=True):
    """What a fact made of an event. `counts`: it is an event of the loop's, told for the first time; not: it was refused
    or set aside, or this is what became of it later."""

    routed: Routed
    counts: bool


class EventOutcomes(msgspec.Struct):
    """Goes along with the facts of one loop. Events carry the number of their iteration, as people know it, and not that
    of its process."""

    before: Any = None  # the state before the next fact
    numbers: dict[int, int] = {}  # process -> iteration
    last: int = 0  # event

    def stand(self, state: LoopState) -> None:
        """What was told so far led to this state, by whoever folded it."""
        self.before = state

    def take(self, fact: f.AnyFact, after: LoopState) -> tuple[EventOutcome, ...]:
        before, self.before = self.before, after
        if isinstance(fact, f.IterationStarted):
            self.numbers[fact.serial] = fact.n
        if after.identity.policy.routing is None:
            return self._without_hats(fact, after)
        found = after.hats.turns.latest if before is None else routed_by(before, after)
        return tuple(self._told(routed, fact, after) for routed in found)

    def _told(self, routed: Routed, fact: f.AnyFact, s: LoopState) -> EventOutcome:
        event, team = routed.event, s.identity.policy.team
        cancels = (
            bool(s.hats.turns.cancelled) and team is not None and event.topic == team.cancellation_promise
        )
        counts = event.n > self.last or (cancels and not event.n)
        self.last = max(self.last, event.n)
        serial = 0 if isinstance(fact, f.BoardLooked) else event.iteration  # Ralph looked, and no iteration
        return EventOutcome(
            replace(routed, event=replace(event, iteration=self.numbers.get(serial, serial))), counts
        )

    def _without_hats(self, fact: f.AnyFact, s: LoopState) -> tuple[EventOutcome, ...]:
        if not isinstance(fact, f.EventReceived):
            return ()
        self.last += 1
        hat = s.hats.hat if fact.serial == s.progress.serial else ""
        number = self.numbers.get(fact.serial, fact.serial)
        return (
            EventOutcome(Routed(Event(fact.topic, fact.payload, hat, number, self.last), (), NO_HATS), True),
        )


def event_record(routed: Routed, ts: str) -> dict[str, object]:
    """The family's fields; several hats are named in the order in which they are worn."""
    event = routed.event
    return {
        "ts": ts,
        "iteration": event.iteration,
        "hat": event.hat or None,
        "topic": event.topic,
        "triggered": ", ".join(routed.triggered) or None,
        "payload": event.payload or None,
    }


def why_routed(log: Iterable[Routed], n: int) -> str:
    """What became of event `n`, in one sentence; empty when there is no such event. What happened to it later counts too:
    it may have been routed to a scanner and found stale."""
    found = [routed for routed in log if routed.event.n == n]
    if not found:
        return ""
    event = found[0].event
    if event.iteration:
        sender = f"{event.hat or 'the coordinator'} in iteration {event.iteration}"
    else:
        sender = event.hat or "Ralph or a person"
    became = "; later ".join(routed.why for routed in found)
    return f"#{n} {named(event)}, from {sender}: {became}"


def named(event: Event) -> str:
    """Topic and payload, on one line."""
    payload = f" ({one_line(event.payload, PAYLOAD_CHARS)})" if event.payload else ""
    return f"{shown_topic(event.topic)}{payload}"


def event_line(routed: Routed) -> str:
    """What became of an event, as in "#3 work.propose (item-1.txt) → proposal_writer"."""
    number = f"#{routed.event.n} " if routed.event.n else ""
    if routed.triggered:
        return f"{number}{named(routed.event)} → {', '.join(routed.triggered)}"
    return f"{number}{named(routed.event)}: {routed.why}"


def title(s: LoopState, hat: str) -> str:
    """A hat's name for people; the coordinator has none."""
    found = s.identity.policy.team.hat(hat) if s.identity.policy.team is not None else None
    return found.title if found else hat or "coordinator"


def about(events: tuple[Event, ...]) -> str:
    """What an iteration is about, as in "work.propose item-1.txt"."""
    return few([f"{shown_topic(e.topic)} {one_line(e.payload, PAYLOAD_CHARS)}".rstrip() for e in events], 3)


def spoke(x: f.IterationEnded, s: LoopState) -> str:
    """What an iteration under hats said, in place of a signal."""
    if s.hats.turns.idle:
        return f"idle ({shown_topic(s.identity.policy.completion_promise)})"
    events = [routed for routed in accepted(s) if routed.event.iteration == x.serial]
    return about(s.hats.turns.held) or few([led(s, routed) for routed in events], 3) or "no event"


def accepted(s: LoopState) -> list[Routed]:
    return [routed for routed in s.hats.turns.latest if is_first_news(routed)]


def is_first_news(routed: Routed) -> bool:
    """It is an event of the loop's, and this is not what became of it later."""
    return routed.event.n > 0 and not routed.why.startswith("stale: ")


def completes(s: LoopState, event: Event) -> bool:
    return s.identity.policy.team is not None and s.identity.policy.team.completes(event.topic)


def led(s: LoopState, routed: Routed) -> str:
    if routed.triggered:
        return f"{about((routed.event,))} → {', '.join(title(s, hat) for hat in routed.triggered)}"
    if completes(s, routed.event):
        return shown_topic(routed.event.topic)
    return f"{about((routed.event,))} → coordinator"
