"""A failed test of TAP with the YAML block below it: its name, where it is, what was expected and what came.

Not a parser of YAML: the few shapes that test runners print, read without judgement of the rest.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

_NOT_OK = re.compile(r"^(?P<indent>\s*)not ok\b *\d* *(?:- )?(?P<name>.*?)(?: # (?P<directive>.*))?$")
_BLOCK_END = re.compile(r"^\s*\.\.\.\s*$")
_KEY = re.compile(r"^(?P<indent>\s+)(?P<key>[A-Za-z_][\w-]*):(?: (?P<value>.*))?$")
_BLOCK_SCALAR = re.compile(r"[|>][-+]?\d?$")
_PLACE = re.compile(r"(?P<path>[^\s()'\"]+?):(?P<line>\d+)(?::\d+)?\)?['\"]?$")
_SAYS_LITTLE = re.compile(r"(?:Expected (?:values|inputs?)|should be)\b.*|.*:$", re.IGNORECASE)
_DIFF_HEAD = re.compile(r"\+ actual - expected|(?:---|\+\+\+|@@)(?: |$)")
_MOST_LINES = 500  # of one block
_VALUE_CHARS = 60


class TapFailure(msgspec.Struct, frozen=True):
    name: str  # with file and line, where the block says so; empty: it was not expected to pass
    messages: tuple[str, ...]  # the telling one first
    end: int  # the line after the block


def tap_failure(lines: Sequence[str], at: int) -> TapFailure | None:
    """The failure that begins with this line; None: it is none, or has no block."""
    found = _NOT_OK.match(lines[at])
    if found is None:
        return None
    if at + 1 >= len(lines) or lines[at + 1].strip() != "---":
        return None
    end = _end(lines, at + 2)
    if end is None:
        return None
    if (found["directive"] or "").upper().startswith(("TODO", "SKIP")):
        return TapFailure("", (), end + 1)
    fields = _fields(lines[at + 2 : end])
    place = _place(fields)
    name = found["name"].strip() or "a test without a name"
    return TapFailure(f"{name} ({place})" if place else name, _messages(fields), end + 1)


def _end(lines: Sequence[str], at: int) -> int | None:
    return next((n for n in range(at, min(len(lines), at + _MOST_LINES)) if _BLOCK_END.match(lines[n])), None)


def _fields(block: Sequence[str]) -> dict[str, list[str]]:
    """Key -> its lines; what is nested below a key has the key before its own, with a dot."""
    fields: dict[str, list[str]] = {}
    own = next((len(found["indent"]) for line in block if (found := _KEY.match(line))), 0)
    key, scalar = "", False
    for line in block:
        found = _KEY.match(line)
        if found and len(found["indent"]) == own:
            key, value = found["key"], (found["value"] or "").strip()
            scalar = bool(_BLOCK_SCALAR.match(value))
            fields[key] = [] if scalar or not value else [value]
        elif found and key and not scalar:
            fields[f"{key}.{found['key']}"] = [(found["value"] or "").strip()]
        elif scalar and line.strip():
            fields[key].append(line.strip())
    return fields


def _place(fields: dict[str, list[str]]) -> str:
    file, line = _text(fields, "at.file", "file"), _text(fields, "at.line", "line")
    path = f"{file}:{line}" if file and line else _text(fields, "location", "at", "at.file")
    found = _PLACE.search(path)
    if found is None:
        return ""
    path = found["path"].removeprefix("file://")
    return f"{path.rpartition('/')[2] if path.startswith('/') else path}:{found['line']}"


def _messages(fields: dict[str, list[str]]) -> tuple[str, ...]:
    lines = next((fields[key] for key in ("error", "message", "diff") if fields.get(key)), [])
    said = [_unquoted(line) for line in lines if not _DIFF_HEAD.match(line)]
    expected, actual = _value(fields, "expected", "wanted"), _value(fields, "actual", "found")
    if not expected or not actual:
        return tuple(said)
    compared = f"expected {expected}, actual {actual}"
    own = said[0] if len(said) == 1 and not _SAYS_LITTLE.fullmatch(said[0]) else ""
    return (f"{own}: {compared}" if own else compared,)


def _value(fields: dict[str, list[str]], *keys: str) -> str:
    """On one line; quotation marks stay: they say that it is text. White space in it is part of it."""
    lines = next((fields[key] for key in keys if fields.get(key)), [])
    text = "\\n".join(lines)
    return text if len(text) <= _VALUE_CHARS else f"{text[: _VALUE_CHARS - 1]}…"


def _text(fields: dict[str, list[str]], *keys: str) -> str:
    return next((_unquoted(fields[key][0]) for key in keys if fields.get(key)), "")


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"" else value
