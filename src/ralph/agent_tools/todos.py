"""The agent's own list, `.ralph/agent/tasks.jsonl`: one JSON object a line, in the form that its users know.

A change rewrites one line; all others, also those that are not todos, stay as they are, byte for byte.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence

from ralph import files
from ralph.core.todos import Todo, entry_of, unfinished
from ralph.core.todos import parse as parse

NAME = "tasks.jsonl"


def read(folder: str) -> list[Todo]:
    return parse(files.read(f"{folder}/{NAME}"))[0]


def add(
    folder: str,
    title: str,
    *,
    key: str = "",
    description: str,
    priority: int,
    blocked_by: Sequence[str],
    loop: str,
) -> tuple[Todo, bool]:
    """The todo, and whether it is new. The one of the same key gets the new words and keeps its status; without a key, an
    open one with the same title and description is not doubled."""
    told: Todo = {"title": title, "priority": priority}
    told |= {"description": description} if description else {}
    told |= {"blocked_by": list(blocked_by)} if blocked_by else {}

    def same(todo: Todo) -> bool:
        if key:
            return todo.get("key") == key
        is_it = (todo.get("title"), todo.get("description", "")) == (title, description)
        return is_it and unfinished(todo)

    with files.Alone(folder):
        text = files.read(f"{folder}/{NAME}")
        known = _change(folder, text, same, lambda todo: todo.update(told if key else {}))
        if known is not None:
            return known, False
        new: Todo = {"id": _new_id(text), "title": title}
        new |= {"description": description} if description else {}
        new |= {"key": key} if key else {}
        new |= {"status": "open", "priority": priority, "blocked_by": list(blocked_by)}
        new |= {"loop_id": loop} if loop else {}
        new["created"] = _now()
        line = _line(new)
        files.append(f"{folder}/{NAME}", line if text.endswith("\n") or not text else f"\n{line}")
    return new, True


def set_status(folder: str, id: str, status: str) -> Todo | None:
    """The todo as it is then; None: there is none of this id."""

    def change(todo: Todo) -> None:
        todo["status"] = status
        if status == "in_progress":
            todo.setdefault("started", _now())
        if status in ("closed", "failed"):
            todo["closed"] = _now()
        else:
            todo.pop("closed", None)

    if not os.path.lexists(f"{folder}/{NAME}"):
        return None
    with files.Alone(folder):
        return _change(folder, files.read(f"{folder}/{NAME}"), lambda todo: todo["id"] == id, change)


def _change(
    folder: str, text: str, wanted: Callable[[Todo], bool], change: Callable[[Todo], None]
) -> Todo | None:
    lines = text.split("\n")
    for n, line in enumerate(lines):
        todo = entry_of(line)
        if todo is not None and wanted(todo):
            before = dict(todo)
            change(todo)
            if todo != before:
                lines[n] = _line(todo, ascii=line.isascii())
                files.replace(f"{folder}/{NAME}", "\n".join(lines))
            return todo
    return None


def _line(todo: Todo, *, ascii: bool = False) -> str:
    """JSON may spell what is no character; such a line stays in that spelling."""
    line = json.dumps(todo, ensure_ascii=ascii, separators=(",", ":"))
    try:
        line.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        line = json.dumps(todo, separators=(",", ":"))
    return line


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())


def _new_id(text: str) -> str:
    while True:
        name = f"task-{int(time.time())}-{os.urandom(2).hex()}"
        if name not in text:
            return name
