"""`prd.json`: user stories with `passes`, as the first loops of this kind used them."""

from __future__ import annotations

from ralph.backlog.changes import Fields
from ralph.backlog.formats import Record, name, number, text, texts

CONTAINERS = ("userStories", "user_stories", "stories")
_DEPENDS = ("dependsOn", "dependencies")


def read(record: Record) -> Fields:
    fields: Fields = {
        "id": name(record, "id"),
        "title": text(record, "title") or text(record, "description"),
        "status": "complete" if record.get("passes") is True else "pending",
        "leaf": True,
    }
    if text(record, "title") and text(record, "description"):
        fields["description"] = text(record, "description")
    if criteria := texts(record, "acceptanceCriteria"):
        fields["criteria"] = criteria
    if (priority := number(record, "priority")) is not None:
        fields["priority"] = priority
    if depends := list(dict.fromkeys(one for key in _DEPENDS for one in texts(record, key))):
        fields["depends_on"] = depends
    return fields


def plain(fields: Fields) -> Record:
    record: Record = {
        "id": fields.get("id", ""),
        "title": fields.get("title", ""),
        "description": fields.get("description") or "",
        "acceptanceCriteria": fields.get("criteria") or [],
    }
    if fields.get("priority") is not None:
        record["priority"] = fields["priority"]
    if fields.get("depends_on"):
        record["dependsOn"] = fields["depends_on"]
    return {**record, "passes": fields.get("status") == "complete"}
