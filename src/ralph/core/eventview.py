"""How routed events are shown: one record a line for `.ralph/events-*.jsonl`, one sentence for `ralph events --why`."""

from __future__ import annotations

from collections.abc import Iterable

from ralph.core.queue import Routed
from ralph.core.routing import shown_topic
from ralph.core.text import one_line

PAYLOAD_CHARS = 80


def record(routed: Routed, ts: str) -> dict[str, object]:
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


def why(log: Iterable[Routed], n: int) -> str:
    """What became of event `n`, in one sentence; empty when there is no such event. What happened to it later counts too:
    it may have been routed to a scanner and found stale."""
    found = [routed for routed in log if routed.event.n == n]
    if not found:
        return ""
    event = found[0].event
    sender = (
        f"{event.hat or 'the coordinator'} in iteration {event.iteration}"
        if event.iteration
        else "Ralph or a person"
    )
    payload = f" ({one_line(event.payload, PAYLOAD_CHARS)})" if event.payload else ""
    became = "; later ".join(routed.why for routed in found)
    return f"#{n} {shown_topic(event.topic)}{payload}, from {sender}: {became}"
