"""The kinds of value that keys of hats and events have, beside those of ralph.config.field_types: topics, free text, notes."""

from __future__ import annotations

import re

from ralph.config.field_types import (
    IN_FOLDER,
    INSIDE,
    ONE_LINE,
    FieldType,
    boolean_of,
    items_of,
    line_of,
    list_of,
    matching,
    text_of,
)
from ralph.config.problems import Spot, quoted
from ralph.config.yaml_lines import Mapping, Node, Scalar, described, entries, shown_key
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


def topic(node: Node, spot: Spot) -> str | None:
    return _topic(node, spot)


def _topic(node: Node, spot: Spot, *, pattern: bool = False) -> str | None:
    found = line_of(node, spot)
    if found is not None and (problem := topic_problem(found, pattern=pattern)):
        spot.wrong(problem)
        return None
    return found


def _topic_or_none(node: Node, spot: Spot) -> str | None:
    return "" if isinstance(node, Scalar) and node.means == "text" and not node.text else topic(node, spot)


def _prose(node: Node, spot: Spot) -> str | None:
    """A person's text, as long or short as it is."""
    if isinstance(node, Scalar) and node.means == "text" and not node.text.strip() and "\0" not in node.text:
        return ""
    return text_of(node, spot)


def _title(node: Node, spot: Spot) -> str | None:
    """A hat's name as people write it, with signs that join others: what cannot be shown is left out."""
    found = _prose(node, spot)
    return found and " ".join("".join(c if c.isprintable() else " " for c in found).split())


def _notes(node: Node, spot: Spot) -> str | bool | None:
    """The path, or the older family's mapping of `enabled` and `path`; OFF where it is turned off."""
    assert INSIDE.read is not None
    if not isinstance(node, Mapping):
        found: str | None = INSIDE.read(node, spot)
        return found
    path, on = None, True
    for key, value in entries(node, spot):
        at = spot.key(shown_key(key.text), key.line)
        if key.text == "path":
            path = INSIDE.read(value, at)
        elif key.text == "enabled":
            on = boolean_of(value, at) is not False
        else:
            at.wrong("unknown key", key.text, among=("enabled", "path"))
    return path if on else OFF


def _kept_notes(node: Node, spot: Spot) -> str | None:
    """The loop's own: they are how one iteration hands over to the next, so they cannot be turned off."""
    found = _notes(node, spot)
    if found is OFF:
        spot.warn("is not turned off: each iteration hands over by it. A hat may have none.")
        return None
    return found if isinstance(found, str) else None


def _sources(node: Node, spot: Spot) -> tuple[tuple[str, str], ...] | None:
    """Folders or files, in the order in which they are looked at, each with its event."""
    if not isinstance(node, Mapping) or not node.pairs:
        spot.wrong(f"must be a mapping of paths to topics, not {described(node)}")
        return None
    found = []
    for key, value in entries(node, spot):
        at = spot.key(shown_key(key.text), key.line)
        path, event = inside(key, at), topic(value, at)
        if path and event:
            found.append((path, event))
    return tuple(found)


def inside(node: Node, spot: Spot) -> str | None:
    """A file or folder of the workspace."""
    path = line_of(node, spot)
    parts = [part for part in (path or "").split("/") if part not in ("", ".")]
    if path is None:
        return None
    if path.startswith(("/", "~")) or ".." in parts or not parts or parts[0].lower() == ".git":
        spot.wrong(f"must be a path inside the workspace, not {quoted(path)}")
        return None
    return "/".join(parts)


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
TOPICS = FieldType(
    "list of topics",
    lambda node, spot: items_of(node, spot, lambda item, at: _topic(item, at, pattern=True)),
    list_of(_TOPICS_SCHEMA),
)
EVENTS = FieldType(
    "list of topics without patterns",
    lambda node, spot: items_of(node, spot, topic),
    list_of(_TOPIC_SCHEMA),
)
PROSE = FieldType("text", _prose, _PROSE_SCHEMA)
PROSES = FieldType("list of texts", lambda node, spot: items_of(node, spot, _prose), list_of(_PROSE_SCHEMA))
TITLE = FieldType("text", _title, _PROSE_SCHEMA)
TOOLS = FieldType(
    "list of tools",
    lambda node, spot: items_of(node, spot, line_of),
    list_of(matching(f"^{ONE_LINE}$", "must be one line of printable text")),
)
NOTES = FieldType("path inside the workspace", _notes, _NOTES_SCHEMA)
KEPT_NOTES = FieldType("path inside the workspace", _kept_notes, _NOTES_SCHEMA)
FOLDER_EVENTS = FieldType("mapping of folders to topics", _sources, _SOURCES_SCHEMA)
INSIDE_PATH = FieldType(
    "path inside the workspace",
    inside,
    matching(_PATH_PATTERN, "must be a path inside the workspace"),
)
