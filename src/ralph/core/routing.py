"""Who takes an event, and who may emit it. Pure, total and deterministic; every answer comes with its reason.

Topics are segments joined by dots. In a pattern `*` stands for one whole segment; alone it takes any topic. The most
specific hats win: those that name the topic, else those with a pattern, else those with `*`. No hat: the coordinator.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from ralph.core.hats import ASK, COORDINATOR, TURNED_DOWN, Event, Hat, Team
from ralph.core.text import few, one_line

MOST_CHARS = 200  # of a topic
SHOWN_CHARS = 60
ANY = "*"
EXACT, PATTERN, CATCH_ALL, NO_MATCH = range(4)  # the smaller the more specific
_TOPIC = re.compile(r"[^\s.*<>\"'`\x00-\x1f\x7f]+(?:\.[^\s.*<>\"'`\x00-\x1f\x7f]+)*")
_HOW = {EXACT: "names {topic}", PATTERN: "takes {pattern}", CATCH_ALL: "takes what nobody else does"}


class Wanted(msgspec.Struct, frozen=True):
    """A hat that takes the event, and why it does."""

    hat: str
    why: str


class Route(msgspec.Struct, frozen=True):
    """`hats` get one iteration each, in this order; none of them: the coordinator gets one."""

    hats: tuple[Wanted, ...]
    why: str


def valid(topic: str) -> bool:
    """Whether this can be a topic: no space, quotation mark, `*` or empty segment in it."""
    return len(topic) <= MOST_CHARS and topic.isprintable() and _TOPIC.fullmatch(topic) is not None


def rank(pattern: str, topic: str) -> int:
    """How specifically the pattern takes the topic: EXACT, PATTERN, CATCH_ALL or NO_MATCH."""
    if pattern == topic:
        return EXACT
    if pattern == ANY:
        return CATCH_ALL
    wanted, given = pattern.split("."), topic.split(".")
    if ANY not in wanted or len(wanted) != len(given):
        return NO_MATCH
    fits = all(one in (ANY, other) for one, other in zip(wanted, given, strict=True))
    return PATTERN if fits else NO_MATCH


def matches(pattern: str, topic: str) -> bool:
    return rank(pattern, topic) != NO_MATCH


def overlap(one: str, other: str) -> bool:
    """Whether there can be a topic that both patterns take."""
    if ANY in (one, other):
        return True
    left, right = one.split("."), other.split(".")
    return len(left) == len(right) and all(a == b or ANY in (a, b) for a, b in zip(left, right, strict=True))


def route(hats: Sequence[Hat], event: Event, *, producer: str = COORDINATOR) -> Route:
    """`producer` is the last hat that changed the tree: a failed gate that nobody asks for is its business."""
    ranked = [(*_best(hat, event.topic), hat) for hat in hats]
    best = min((place for place, _, _ in ranked), default=NO_MATCH)
    shown = shown_topic(event.topic)
    if best != NO_MATCH:
        wanted = tuple(
            Wanted(hat.id, f"{hat.id} {_HOW[best].format(topic=shown, pattern=pattern)}")
            for place, pattern, hat in ranked
            if place == best
        )
        passed_over = [hat.id for place, _, hat in ranked if best < place < NO_MATCH]
        return Route(wanted, _why(wanted, passed_over))
    if event.topic in TURNED_DOWN and any(hat.id == producer for hat in hats):
        why = f"no hat takes {event.topic}; {producer} was the last to change the tree"
        return Route((Wanted(producer, why),), why)
    return Route((), f"no hat takes {shown}: the coordinator does")


def refusal(team: Team, hat: Hat | None, topic: str) -> str:
    """Why a hat may not emit this; empty when it may. Completion must be declared by name, whatever else is enforced."""
    if not valid(topic):
        return f"{shown_topic(topic)} is no topic: write words joined by dots, such as build.done"
    if hat is None or topic == ASK:
        return ""
    may = few(hat.declared) if hat.declared else "nothing"
    if team.completes(topic):
        return (
            "" if team.may_complete(hat) else f"{hat.id} may not publish {shown_topic(topic)}; it may: {may}"
        )
    if team.enforce_scope and not any(matches(pattern, topic) for pattern in hat.declared):
        return f"{hat.id} may not publish {shown_topic(topic)}; it may: {may}"
    return ""


def shown_topic(topic: str) -> str:
    return one_line(topic, SHOWN_CHARS) or "(nothing)"


def _best(hat: Hat, topic: str) -> tuple[int, str]:
    return min(((rank(pattern, topic), pattern) for pattern in hat.triggers), default=(NO_MATCH, ""))


def _why(wanted: Sequence[Wanted], passed_over: Sequence[str]) -> str:
    said = "; then ".join(one.why for one in wanted)
    return f"{said} (more specific than {few(passed_over)})" if passed_over else said
