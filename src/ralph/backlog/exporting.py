"""All tasks, the archived ones too, as they go into another form: parents before their children."""

from __future__ import annotations

from ralph.backlog.formats.dumping import Outgoing
from ralph.backlog.jsonl import JsonlBacklog
from ralph.backlog.patch import fields_of


def outgoing(backlog: JsonlBacklog) -> list[Outgoing]:
    forest = backlog.tasks
    return [
        Outgoing(
            fields_of(backlog.raw(task.id))
            | ({"status": "complete"} if task.archived and forest.is_leaf(task.id) else {}),
            forest.status(task.id) == "complete",
            depth,
        )
        for task, depth in forest.walk()
    ]
