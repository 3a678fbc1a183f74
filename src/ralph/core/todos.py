"""Todos as `.ralph/agent/tasks.jsonl` holds them, one JSON object a line: read, ordered, and which of them can be begun.

Pure; and without msgspec, because commands that agents call many times read them too.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

Todo = dict[str, object]
STATUSES = ("in_progress", "open", "closed", "failed")  # in the order in which they are listed
USUAL = 3  # the priority of a todo that has none
_OVER = ("closed", "failed")


def parse(text: str) -> tuple[list[Todo], int]:
    """The entries that have an id, and how many lines are none."""
    found, strange = [], 0
    for line in text.split("\n"):
        if line.strip():
            if (entry := entry_of(line)) is None:
                strange += 1
            else:
                found.append(entry)
    return found, strange


def entry_of(line: str) -> Todo | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) and isinstance(entry.get("id"), str) else None


def ready(todos: Sequence[Todo]) -> list[Todo]:
    """Begun, or open with nothing in their way that is not closed."""
    closed = {todo["id"] for todo in todos if status_of(todo) == "closed"}
    return [
        todo
        for todo in todos
        if status_of(todo) == "in_progress"
        or (status_of(todo) == "open" and all(id in closed for id in blockers(todo)))
    ]


def ordered(todos: Iterable[Todo]) -> list[Todo]:
    """What is begun first, then by priority, then the oldest first."""
    return sorted(todos, key=lambda t: (_rank(status_of(t)), priority_of(t), text_of(t, "created")))


def of_loop(todos: Iterable[Todo], loop: str) -> list[Todo]:
    """Those of this loop, and those that belong to none; without a loop, all."""
    return [todo for todo in todos if not loop or text_of(todo, "loop_id") in ("", loop)]


def unfinished(todo: Todo) -> bool:
    return status_of(todo) not in _OVER


def status_of(todo: Todo) -> str:
    return text_of(todo, "status") or "open"


def priority_of(todo: Todo) -> int:
    """From 1, the highest, to 5."""
    priority = todo.get("priority")
    return min(5, max(1, priority)) if type(priority) is int else USUAL


def blockers(todo: Todo) -> list[str]:
    found = todo.get("blocked_by")
    return [id for id in found if isinstance(id, str)] if isinstance(found, list) else []


def text_of(todo: Todo, name: str) -> str:
    value = todo.get(name)
    return value if isinstance(value, str) else ""


def _rank(status: str) -> int:
    return STATUSES.index(status) if status in STATUSES else len(STATUSES)
