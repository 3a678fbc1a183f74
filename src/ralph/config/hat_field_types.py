"""The kinds of value that keys of hats and events have, beside those of ralph.config.field_types: topics, free text, notes."""

from __future__ import annotations

import re

from ralph.config.field_types import (
    IN_FOLDER,
    INSIDE,
    ONE_LINE,
    FieldType,
    attempt,
    boolean_of,
    inside,
    line_of,
    list_of,
    matching,
    pairs_of,
    text_of,
)
from ralph.config.problems import Spot, quoted
from ralph.config.yaml_lines import Mapping, Node, Scalar, described
from ralph.core.hats import routing

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")  # of a hat: as roles are named
OFF = False  # the value of a scratchpad that is turned off
_SHOWN = (
    "^\\s.*<>\"'`\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u200b-\\u200f\\u2028-\\u202f\\u2060-\\u206f\\ufeff"
)
_SEGMENT = f"[{_SHOWN}]+"
_ANY_SEGMENT = f"[{_SHOWN.replace('.*', '.')}]+"
_NOT_TOO_LONG = rf"(?!\s*\S{{{routing.MOST_CHARS + 1},}})"
_TOPIC_PATTERN = rf"{_NOT_TOO_LONG}\s*{_SEGMENT}(?:\.{_SEGMENT})*\s*"
_TOPIC_SCHEMA = matching(f"^{_TOPIC_PATTERN}$", "must be a topic such as build.done")
_TOPICS_SCHEMA = matching(
    rf"^{_NOT_TOO_LONG}\s*{_ANY_SEGMENT}(?:\.{_ANY_SEGMENT})*\s*$",
    "must be a topic such as build.done, or a pattern such as build.*",
)
_PROSE_SCHEMA = matching(r"^[^\u0000]*$", "must not contain a NUL character")


def topic_problem(topic: str, *, pattern: bool = False) -> str:
    """Patterns are topics in which `*` stands for a whole segment; what else `*` may mean is for the check of hats."""
    plain = topic.replace(routing.ANY, "x") if pattern else topic
    if routing.valid(plain):
        return ""
    example = "such as build.done or build.*" if pattern else "such as build.done"
    return f"must be a topic {example}: words joined by dots, without blanks or quotation marks, not {quoted(topic)}"


def topic(node: Node, spot: Spot, *, pattern: bool = False) -> str:
    found = line_of(node, spot)
    spot.refuse_if(topic_problem(found, pattern=pattern))
    return found


def _topic_or_none(node: Node, spot: Spot) -> str:
    return "" if isinstance(node, Scalar) and node.means == "text" and not node.text else topic(node, spot)


def _prose(node: Node, spot: Spot) -> str:
    """A person's text, as long or short as it is."""
    if isinstance(node, Scalar) and node.means == "text" and not node.text.strip() and "\0" not in node.text:
        return ""
    return text_of(node, spot)


def _title(node: Node, spot: Spot) -> str:
    """A hat's name as people write it, with signs that join others: what cannot be shown is left out."""
    return " ".join("".join(c if c.isprintable() else " " for c in _prose(node, spot)).split())


def _notes(node: Node, spot: Spot) -> str | bool | None:
    """The path, or the older family's mapping of `enabled` and `path`; OFF where it is turned off; None: nothing is said."""
    assert INSIDE.read is not None
    if not isinstance(node, Mapping):
        found: str = INSIDE.read(node, spot)
        return found
    path, on = None, True
    for key, value, at in pairs_of(node, spot):
        if key.text == "path":
            path = attempt(INSIDE.read, value, at)
        elif key.text == "enabled":
            on = attempt(boolean_of, value, at) is not False
        else:
            at.wrong("unknown key", key.text, among=("enabled", "path"))
    return path if on else OFF


def _kept_notes(node: Node, spot: Spot) -> str | bool | None:
    """The loop's own: they are how one iteration hands over to the next, so they cannot be turned off."""
    found = _notes(node, spot)
    if found is OFF:
        spot.warn("is not turned off: each iteration hands over by it. A hat may have none.")
        return None
    return found


def _sources(node: Node, spot: Spot) -> tuple[tuple[str, str], ...]:
    """Folders or files, in the order in which they are looked at, each with its event."""
    if not isinstance(node, Mapping) or not node.pairs:
        raise spot.refused(f"must be a mapping of paths to topics, not {described(node)}")
    found = [(attempt(inside, key, at), attempt(topic, value, at)) for key, value, at in pairs_of(node, spot)]
    return tuple((path, event) for path, event in found if path and event)


_PATH_PATTERN = f"^{IN_FOLDER}{ONE_LINE}$"
_NOTES_SCHEMA = {
    **INSIDE.schema,
    "type": ["string", "object"],
    "properties": {
        "enabled": {"type": "boolean", "deprecated": True},
        "path": {**INSIDE.schema, "deprecated": True},
    },
    "additionalProperties": False,
}
_SOURCES_SCHEMA = {
    "type": "object",
    "minProperties": 1,
    "propertyNames": {"pattern": _PATH_PATTERN},
    "additionalProperties": _TOPIC_SCHEMA,
}

TOPIC = FieldType("topic", topic, _TOPIC_SCHEMA)
TOPIC_OR_NONE = FieldType(
    "topic", _topic_or_none, matching(f"^(?:|{_TOPIC_PATTERN})$", "must be a topic such as build.done")
)
TOPICS = list_of("topics", lambda node, spot: topic(node, spot, pattern=True), _TOPICS_SCHEMA)
EVENTS = list_of("topics without patterns", topic, _TOPIC_SCHEMA)
PROSE = FieldType("text", _prose, _PROSE_SCHEMA)
PROSES = list_of("texts", _prose, _PROSE_SCHEMA)
TITLE = FieldType("text", _title, _PROSE_SCHEMA)
TOOLS = list_of("tools", line_of, matching(f"^{ONE_LINE}$", "must be one line of printable text"))
NOTES = FieldType("path inside the workspace", _notes, _NOTES_SCHEMA)
KEPT_NOTES = FieldType("path inside the workspace", _kept_notes, _NOTES_SCHEMA)
FOLDER_EVENTS = FieldType("mapping of folders to topics", _sources, _SOURCES_SCHEMA)
INSIDE_PATH = FieldType(
    "path inside the workspace",
    inside,
    matching(_PATH_PATTERN, "must be a path inside the workspace"),
)
