"""The JSONL of beads: issues with typed dependencies, one a line."""

from __future__ import annotations

import re

from ralph.backlog.changes import Fields
from ralph.backlog.formats import Record, name, number, text
from ralph.core.tasks.task import parent_of

MARKS = ("issue_type", "created_at", "acceptance_criteria", "close_reason")
STATUSES = {
    "open": "pending",
    "in_progress": "in_progress",
    "hooked": "in_progress",
    "blocked": "blocked",
    "deferred": "blocked",
    "pinned": "blocked",
    "closed": "complete",
    "tombstone": "cancelled",
}
_BACK = {
    "pending": "open",
    "in_progress": "in_progress",
    "blocked": "blocked",
    "failed": "blocked",
    "complete": "closed",
    "cancelled": "closed",
}


def read(record: Record) -> Fields:
    id = name(record, "id")
    parents = _targets(record, "parent-child")
    fields: Fields = {
        "id": id,
        "title": text(record, "title"),
        "status": STATUSES.get(text(record, "status") or "open", "pending"),
    }
    if parents and parents[0] != parent_of(id):
        fields["parent"] = parents[0]
    if text(record, "description"):
        fields["description"] = text(record, "description")
    if criteria := _criteria(text(record, "acceptance_criteria")):
        fields["criteria"] = criteria
    if (priority := number(record, "priority")) is not None:
        fields["priority"] = priority
    if text(record, "issue_type"):
        fields["type"] = text(record, "issue_type")
    if depends := _targets(record, "blocks"):
        fields["depends_on"] = depends
    return fields


def plain(fields: Fields) -> Record:
    id = fields.get("id", "")
    criteria, depends, parent = fields.get("criteria"), fields.get("depends_on"), fields.get("parent")
    record: Record = {"id": id, "title": fields.get("title", "")}
    if fields.get("description"):
        record["description"] = fields["description"]
    if isinstance(criteria, list) and criteria:
        record["acceptance_criteria"] = "\n".join(str(one) for one in criteria)
    record["status"] = _BACK.get(str(fields.get("status", "pending")), "open")
    if fields.get("priority") is not None:
        record["priority"] = fields["priority"]
    record["issue_type"] = fields.get("type") or "task"
    edges = [("parent-child", parent)] if parent and parent != parent_of(str(id)) else []
    edges += [("blocks", one) for one in depends] if isinstance(depends, list) else []
    if edges:
        record["dependencies"] = [
            {"issue_id": id, "depends_on_id": other, "type": kind} for kind, other in edges
        ]
    return record


def _targets(record: Record, kind: str) -> list[str]:
    found = record.get("dependencies")
    edges = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return list(
        dict.fromkeys(
            str(one["depends_on_id"])
            for one in edges
            if one.get("type", "blocks") == kind and isinstance(one.get("depends_on_id"), str)
        )
    )


def _criteria(told: str) -> list[str]:
    """One for each line, without the marks of a list."""
    lines = [re.sub(r"^\s*(?:[-*+]\s+)?(?:\[[ xX]\]\s+)?", "", line).strip() for line in told.splitlines()]
    return [line for line in lines if line]
