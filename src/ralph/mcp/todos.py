"""The agent's own list, `.ralph/agent/tasks.jsonl`: one JSON object a line, in the form its users know."""

from __future__ import annotations

import json
import os
import time

from ralph.mcp import files

NAME = "tasks.jsonl"


def add(folder: str, title: str, *, description: str, priority: int, blocked_by: list[str], loop: str) -> str:
    """Append a todo; its id is returned. An open one with the same title and description is not doubled."""
    path = f"{folder}/{NAME}"
    with files.Alone(folder):
        text = files.read(path)
        for known in parse(text)[0]:
            same = (known.get("title"), known.get("description", "")) == (title, description)
            if same and known.get("status") in ("open", "in_progress"):
                return str(known["id"])
        todo: dict[str, object] = {"id": _new_id(text), "title": title}
        if description:
            todo["description"] = description
        todo |= {"status": "open", "priority": priority, "blocked_by": blocked_by, "loop_id": loop}
        todo["created"] = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime())
        line = json.dumps(todo, ensure_ascii=False, separators=(",", ":"))
        files.append(path, line if text.endswith("\n") or not text else f"\n{line}")
        return str(todo["id"])


def parse(text: str) -> tuple[list[dict[str, object]], int]:
    """The entries that have an id, and how many lines are none."""
    found, strange = [], 0
    for line in text.split("\n"):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            entry = None
        if isinstance(entry, dict) and isinstance(entry.get("id"), str):
            found.append(entry)
        else:
            strange += 1
    return found, strange


def _new_id(text: str) -> str:
    while True:
        name = f"task-{int(time.time())}-{os.urandom(2).hex()}"
        if name not in text:
            return name
