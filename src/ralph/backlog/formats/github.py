"""What `gh issue list --json number,title,body,labels,state,url` prints."""

from __future__ import annotations

import re

from ralph.backlog.changes import Fields
from ralph.backlog.formats import Record, number, text

_TYPES = {
    "bug": "bug",
    "enhancement": "feature",
    "feature": "feature",
    "documentation": "docs",
    "chore": "chore",
}
_PRIORITIES = {"critical": 0, "urgent": 0, "high": 1, "medium": 2, "low": 3}


def read(record: Record) -> Fields:
    fields: Fields = {
        "id": issue_id(record),
        "title": text(record, "title"),
        "status": _status(record),
        "leaf": True,
    }
    if text(record, "body"):
        fields["description"] = text(record, "body")
    labels = _labels(record)
    if types := [_TYPES[label] for label in labels if label in _TYPES]:
        fields["type"] = types[0]
    if priorities := [n for label in labels if (n := _priority(label)) is not None]:
        fields["priority"] = min(priorities)
    return fields


def plain(fields: Fields) -> Record:
    found = re.fullmatch(r"gh-([0-9]{1,15})", str(fields.get("id", "")))
    status = fields.get("status", "pending")
    record: Record = {"number": int(found[1])} if found else {}
    record |= {
        "title": fields.get("title", ""),
        "body": fields.get("description") or "",
        "state": "CLOSED" if status in ("complete", "cancelled") else "OPEN",
    }
    if status == "cancelled":
        record["stateReason"] = "NOT_PLANNED"
    return record


def issue_id(record: Record) -> str:
    found = number(record, "number")
    return f"gh-{found}" if isinstance(found, int) and found >= 0 else ""


def _status(record: Record) -> str:
    if text(record, "state").upper() != "CLOSED" and record.get("closed") is not True:
        return "pending"
    return "cancelled" if text(record, "stateReason").upper() == "NOT_PLANNED" else "complete"


def _labels(record: Record) -> list[str]:
    found = record.get("labels")
    names = (
        [one.get("name") if isinstance(one, dict) else one for one in found]
        if isinstance(found, list)
        else []
    )
    return [one.lower() for one in names if isinstance(one, str)]


def _priority(label: str) -> int | None:
    found = re.fullmatch(r"(?:priority[:/ -]*)?p?([0-4])", label)
    if found and label != found[1]:
        return int(found[1])
    word = re.fullmatch(r"priority[:/ -]*([a-z]+)", label)
    return _PRIORITIES.get(word[1]) if word else None
