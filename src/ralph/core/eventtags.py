"""Events in an agent's last words: `<event topic="build.done">all green</event>`. Pure, and linear in the text's length.

Not counted: tags in code fences or inline code, escaped ones, and tags that are never closed. A tag inside an event's
payload is part of the payload.
"""

from __future__ import annotations

import re

from ralph.core.hats import Event
from ralph.core.routing import valid
from ralph.core.signals import fence_after

MOST_EVENTS = 50
MOST_PAYLOAD = 20_000  # characters
_TAG = re.compile(
    r"<event(?P<attributes>(?:\s+[A-Za-z_][\w-]{0,40}\s{0,5}=\s{0,5}(?:\"[^\"<>]{0,500}\"|'[^'<>]{0,500}')){1,8})"
    r"\s{0,20}(?P<empty>/?)>|(?P<close></event\s{0,20}>)"
)
_ATTRIBUTE = re.compile(r"([A-Za-z_][\w-]{0,40})\s{0,5}=\s{0,5}(?:\"([^\"<>]*)\"|'([^'<>]*)')")
_ENTITY = re.compile(r"&(?:lt|gt|quot|apos|amp|#39);")
_ENTITIES = {"&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'", "&#39;": "'", "&amp;": "&"}


def read(text: str) -> tuple[Event, ...]:
    """The events in the order in which they stand. Each carries topic and payload only."""
    tags = list(_TAG.finditer(text))
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
    values = {name: double or single for name, double, single in _ATTRIBUTE.findall(attributes)}
    return _plain(values.get("topic", "")).strip()


def _payload(text: str) -> str:
    return _plain(text.strip()[:MOST_PAYLOAD])


def _plain(text: str) -> str:
    return _ENTITY.sub(lambda found: _ENTITIES[found.group()], text)
