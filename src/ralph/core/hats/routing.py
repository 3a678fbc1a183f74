"""Who takes an event, and who may emit it. Pure, total and deterministic; every answer comes with its reason.

Topics are segments joined by dots. In a pattern `*` stands for one whole segment; alone it takes any topic. The most
specific hats win: those that name the topic, else those with a pattern, else those with `*`. No hat: the coordinator.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from ralph.core.hats.model import ASK, COORDINATOR, TURNED_DOWN, Event, Hat, Team
from ralph.core.loop.signals import fence_after
from ralph.text import few, one_line

MOST_CHARS = 200  # of a topic
SHOWN_CHARS = 60
ANY = "*"
EXACT, PATTERN, CATCH_ALL, NO_MATCH = range(4)  # the smaller the more specific
_TOPIC = r"[^\s.*<>\"'`\x00-\x1f\x7f]+(?:\.[^\s.*<>\"'`\x00-\x1f\x7f]+)*"
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
    return len(topic) <= MOST_CHARS and topic.isprintable() and re.fullmatch(_TOPIC, topic) is not None


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
    """`producer` is the last hat that changed the tree: a failed gate that no one asks for is its business."""
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


MOST_EVENTS = 50
MOST_PAYLOAD = 20_000  # characters
_TAG = (
    r"<event(?P<attributes>(?:\s+[A-Za-z_][\w-]{0,40}\s{0,5}=\s{0,5}(?:\"[^\"<>]{0,500}\"|'[^'<>]{0,500}')){1,8})"
    r"\s{0,20}(?P<empty>/?)>|(?P<close></event\s{0,20}>)"
)
_ATTRIBUTE = r"([A-Za-z_][\w-]{0,40})\s{0,5}=\s{0,5}(?:\"([^\"<>]*)\"|'([^'<>]*)')"
_ENTITY = r"&(?:lt|gt|quot|apos|amp|#39);"
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&#39;": "'", "&amp;": "&"}


def read(text: str) -> tuple[Event, ...]:
    """The events in the order in which they stand. Each carries topic and payload only."""
    tags = list(re.finditer(_TAG, text))
    ends = _ends(tags)
    found: list[Event] = []
    prose = _Prose(text)
    after = 0
    for index, tag in enumerate(tags):
        end = ends.get(index)
        if end is None or tag.start() < after or prose.in_code(tag.start()):
            continue
        after = tags[end].end()
        prose.skip_to(after)
        topic = _topic(tag["attributes"])
        if valid(topic):
            found.append(Event(topic, _payload(text[tag.end() : tags[end].start()]) if end != index else ""))
        if len(found) == MOST_EVENTS:
            break
    return tuple(found)


def _ends(tags: list[re.Match[str]]) -> dict[int, int]:
    """Opening tag -> the tag that closes it; an empty one closes itself."""
    ends: dict[int, int] = {}
    open_: list[int] = []
    for index, tag in enumerate(tags):
        if tag["close"]:
            if open_:
                ends[open_.pop()] = index
        elif tag["empty"]:
            ends[index] = index
        else:
            open_.append(index)
    return ends


class _Prose:
    """Where the text is code, asked from front to back; every character is looked at once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 0  # start of the line that has been reached
        self._at = 0  # and how far its backticks are counted
        self._ticks = 0
        self._fence = ""
        self._whole = True  # the line is seen from its beginning

    def skip_to(self, at: int) -> None:
        """What lies before is a payload: fences in it are its own."""
        self._line = self._at = at
        self._ticks, self._fence, self._whole = 0, "", False

    def in_code(self, at: int) -> bool:
        while (end := self._text.find("\n", self._line, at)) >= 0:
            if self._whole:
                self._fence = fence_after(self._fence, self._text[self._line : end].rstrip("\r"))
            self._line = self._at = end + 1
            self._ticks, self._whole = 0, True
        self._ticks += self._text.count("`", self._at, at)
        self._at = at
        return bool(self._fence) or self._ticks % 2 == 1


def _topic(attributes: str) -> str:
    values = {name: double or single for name, double, single in re.findall(_ATTRIBUTE, attributes)}
    return _plain(values.get("topic", "")).strip()


def _payload(text: str) -> str:
    return _plain(text.strip()[:MOST_PAYLOAD])


def _plain(text: str) -> str:
    return re.sub(_ENTITY, lambda found: _ENTITIES[found.group()], text)
