"""The server as another backlog: its tasks as lines of a tasks.jsonl, which `ralph task` shows and exports like any other; and
the tasks of a tasks.jsonl put onto a server."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from ralph.backlog import BACKLOG_NAME, done_name
from ralph.backlog.json_line import fields_of, line_of
from ralph.backlog.jsonl import JsonlBacklog
from ralph.cli.fleet.client import PeopleClient
from ralph.core.fleet.access import TASK_ID
from ralph.core.tasks.task import PRIORITY, BacklogTask, bad_id, parent_of
from ralph.text import few

_PAGE = 500
_BATCH = 1000
_TYPE = "type:"  # of a tag: what a backlog calls the type of a task
_OWN = ("repository", "target", "agent", "labels")  # of a server's task, and of a line that came from one


class ServerBacklog(JsonlBacklog):
    """As it was when the command looked. It is not written."""

    def __init__(self, url: str, folder: Path, tasks: Sequence[dict[str, Any]]) -> None:
        lines = [*_containers(tasks), *map(line_fields, tasks)]
        path = folder / BACKLOG_NAME
        done = [line for line in lines if line["status"] == "complete"]
        _write(path, [line for line in lines if line["status"] != "complete"])
        _write(Path(done_name(str(path))), done)
        super().__init__(path, folder)
        self.url = url

    def place(self, id: str) -> dict[str, object]:
        return {"server": self.url}


def opened_at(server: str) -> ServerBacklog:
    client = PeopleClient(server)
    folder = click.get_current_context().with_resource(tempfile.TemporaryDirectory(prefix="ralph-tasks-"))
    return ServerBacklog(client.url, Path(folder), list(all_tasks(client)))


def all_tasks(client: PeopleClient) -> Iterator[dict[str, Any]]:
    """The oldest first."""
    pages, after = [], ""
    while True:
        page = client.ask("GET", f"/api/tasks?limit={_PAGE}" + (f"&after={after}" if after else ""))
        pages.append(page["tasks"])
        if not (after := page["next"]):
            break
    for tasks in reversed(pages):
        yield from reversed(tasks)


def _write(path: Path, lines: Sequence[dict[str, object]]) -> None:
    path.write_bytes(b"".join(line_of(line) + b"\n" for line in lines))


def _containers(tasks: Sequence[dict[str, Any]]) -> list[dict[str, object]]:
    """Parents that are no tasks of the server: only their names are known there."""
    known = {task["id"] for task in tasks}
    named: dict[str, None] = {}
    for task in tasks:
        parent = task["parent"] or ""
        while parent and parent not in known and not bad_id(parent):
            named[parent] = None
            parent = parent_of(parent)
    return [
        {"id": id, "title": id, "status": "pending", "leaf": False}
        for id in sorted(named, key=lambda id: (id.count("."), id))
    ]


def line_fields(task: dict[str, Any]) -> dict[str, object]:
    """A task of the server as a line. Its text is title and description; its promise is a criterion."""
    title, result = task["title"], task["result"]
    description = task["task"].strip().removeprefix(title).strip()
    criteria = list(task["criteria"])
    promise = task["ralphPromise"] or ""
    if promise and promise not in (promise_of(title, criteria), title):
        criteria.insert(0, promise)
    tags = [tag for tag in task["tags"] if not tag.startswith(_TYPE)]
    types = [tag.removeprefix(_TYPE) for tag in task["tags"] if tag.startswith(_TYPE)]
    priority = task["priority"]
    fields: dict[str, object] = {"id": task["id"], "title": title, "status": task["status"], "leaf": True}
    if (task["parent"] or "") != parent_of(task["id"]):
        fields["parent"] = task["parent"] or ""
    more = {
        "description": description,
        "criteria": criteria,
        "priority": (int(priority) if priority == int(priority) else priority)
        if priority != PRIORITY
        else "",
        "type": types[0] if types else "",
        "depends_on": list(task["dependencies"]),
        "reason": task["reason"] or (result.get("reason", "") if task["status"] == "failed" else ""),
        "proposed_by": task["proposedBy"],
        "tags": tags,
        **{name: task[name] for name in _OWN},
    }
    if task["status"] == "complete":
        more["completed"] = (task["endedAt"] or task["createdAt"])[:10]
        more["commit"] = result.get("commit", "")
        fields["verified"] = result.get("end") == "completed-verified"
    return fields | {name: value for name, value in more.items() if value not in ("", None, [])}


def promise_of(title: str, criteria: Sequence[str]) -> str:
    """By what a task of a backlog is known to be complete."""
    return "; ".join(criteria) or title


def new_task(
    title: str, description: str, criteria: Sequence[str], type: str, **fields: object
) -> dict[str, Any]:
    """As the API takes it."""
    body = {
        "title": title,
        "task": "\n\n".join(filter(None, (title, description.strip()))),
        "ralphPromise": promise_of(title, criteria),
        "criteria": list(criteria),
        "tags": [f"{_TYPE}{type}"] if type else [],
        **fields,
    }
    return {name: value for name, value in body.items() if value not in ("", None, [])}


# -- push ----------------------------------------------------------------------------------------------


class PushPlan(msgspec.Struct):
    new: list[dict[str, Any]] = []  # each after those it depends on
    known: list[str] = []  # there already
    left: dict[str, str] = {}  # id -> why it is not pushed


def plan_push(backlog: JsonlBacklog, there: dict[str, str], defaults: dict[str, Any]) -> PushPlan:
    """`there`: the server's ids, with titles. Only what could be worked on is pushed; containers give their names."""
    plan = PushPlan()
    waiting: dict[str, tuple[BacklogTask, list[str]]] = {}
    for task in backlog.all():
        if task.archived or not backlog.tasks.is_leaf(task.id) or backlog.status(task.id) == "complete":
            continue
        if there.get(task.id) == task.title:
            plan.known.append(task.id)
        elif task.id in there:
            plan.left[task.id] = f"the server has another task of this id: {there[task.id]}"
        elif why := _why_not(task):
            plan.left[task.id] = why
        else:
            waiting[task.id] = task, _needs(backlog, task)
    gone = {*there} - plan.left.keys()
    while free := [id for id, (_, needs) in waiting.items() if all(need in gone for need in needs)]:
        for id in free:
            task, needs = waiting.pop(id)
            plan.new.append(_as_new(backlog, task, needs, defaults))
            gone.add(id)
    for id, (_, needs) in waiting.items():
        plan.left[id] = f"it waits for {few([need for need in needs if need not in gone], 3)}"
    return plan


def _why_not(task: BacklogTask) -> str:
    if task.status != "pending":
        return f"it is {task.status}"
    if len(task.id) > 120 or not re.match(TASK_ID, task.id):
        return "its id has characters that a server's does not"
    return "a server has no `allow` and no `no_change_ok`" if task.allow or task.no_change_ok else ""


def _needs(backlog: JsonlBacklog, task: BacklogTask) -> list[str]:
    """What it waits for, also through its parents: leaves that are not complete."""
    found: dict[str, None] = {}
    one: BacklogTask | None = task
    while one is not None:
        for need in one.depends_on:
            found |= dict.fromkeys(_leaves(backlog, need))
        one = backlog.get(one.parent)
    return list(found)


def _leaves(backlog: JsonlBacklog, id: str) -> Iterator[str]:
    if id not in backlog.tasks:
        yield id  # it says itself that it is missing
    elif backlog.status(id) != "complete":
        if backlog.tasks.is_leaf(id):
            yield id
        for child in backlog.tasks.children(id):
            yield from _leaves(backlog, child.id)


def _as_new(
    backlog: JsonlBacklog, task: BacklogTask, needs: list[str], defaults: dict[str, Any]
) -> dict[str, Any]:
    own = {name: value for name, value in fields_of(backlog.raw(task.id)).items() if name in _OWN}
    return new_task(
        task.title,
        task.description,
        task.criteria,
        task.type,
        id=task.id,
        parent=task.parent,
        dependencies=needs,
        priority=_priority(backlog, task),
        **(defaults | own),
    )


def _priority(backlog: JsonlBacklog, task: BacklogTask) -> float | None:
    """Its own, else that of the nearest parent that says one."""
    one: BacklogTask | None = task
    while one is not None and one.priority is None:
        one = backlog.get(one.parent)
    return one.priority if one is not None else None


def push(client: PeopleClient, plan: PushPlan) -> None:
    for start in range(0, len(plan.new), _BATCH):
        client.ask("POST", "/api/tasks/batch", {"tasks": plan.new[start : start + _BATCH]})
