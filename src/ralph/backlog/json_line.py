"""Edits fields of a JSON object on one line and leaves every other byte of the line as it was."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class _Member(NamedTuple):
    key: str
    start: int  # of the key
    value: int  # where the value begins
    end: int  # behind the value


def line_of(fields: Mapping[str, object]) -> bytes:
    """A new line, without its end, in the form that grep is used to."""
    return json.dumps(fields, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def fields_of(raw: bytes) -> dict[str, object]:
    """All fields of a line, the unknown ones too, in their order."""
    found = json.loads(raw.decode("utf-8-sig"))
    if not isinstance(found, dict):
        raise ValueError("this is not a JSON object")
    return found


def patched(raw: bytes, changes: Mapping[str, object]) -> bytes:
    """The line with these fields set; None takes a field away. Its end of line stays. ValueError if it is no object."""
    text = raw.decode("utf-8")
    for key, value in changes.items():
        text = _removed(text, key) if value is None else _set(text, key, value)
    return text.encode("utf-8")


def _set(text: str, key: str, value: object) -> str:
    members, brace = _scan(text)
    colon, comma = _manner(text, members)
    shown = json.dumps(value, ensure_ascii=False, separators=(f",{comma}", f":{colon}"))
    if same := [member for member in members if member.key == key]:
        return text[: same[-1].value] + shown + text[same[-1].end :]  # of two, readers take the last
    last = members[-1].end if members else brace
    before = f",{comma}" if members else ""
    return f"{text[:last]}{before}{json.dumps(key, ensure_ascii=False)}:{colon}{shown}{text[last:]}"


def _removed(text: str, key: str) -> str:
    members, _ = _scan(text)
    for n in reversed(range(len(members))):
        if members[n].key != key:
            continue
        if n + 1 < len(members):
            text = text[: members[n].start] + text[members[n + 1].start :]
        elif n:
            text = text[: members[n - 1].end] + text[members[n].end :]
        else:
            text = text[: members[n].start] + text[members[n].end :]
        return _removed(text, key)
    return text


def _scan(text: str) -> tuple[list[_Member], int]:
    """The members of the object, and where its closing brace is."""
    found: list[_Member] = []
    at = text.find("{") + 1
    try:
        while True:
            at = _skip(text, at)
            if text[at] == "}":
                return found, at
            if text[at] == ",":
                at = _skip(text, at + 1)
            start = at
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, at)
            value = _skip(text, at + 1)  # behind the colon
            _, at = _DECODER.raw_decode(text, value)
            found.append(_Member(key, start, value, at))
    except (IndexError, RecursionError):
        raise ValueError("this is not a JSON object on one line") from None


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _manner(text: str, members: list[_Member]) -> tuple[str, str]:
    """The spaces that this line has behind its colons and commas."""
    colon = comma = ""
    if members:
        first = members[0]
        colon = " " if text[first.value - 1] == " " else ""
        comma = colon
    if len(members) > 1:
        comma = " " if text[members[1].start - 1] == " " else ""
    return colon, comma
