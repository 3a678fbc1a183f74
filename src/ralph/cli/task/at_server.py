"""`ralph task` on a server: add, edit, accept, reopen. What only reads uses the commands of a file."""

from __future__ import annotations

from typing import Any

import click

from ralph.cli.fleet import people
from ralph.cli.fleet.client import PeopleClient
from ralph.cli.fleet.server_backlog import line_fields, new_task, promise_of
from ralph.cli.fleet.task_journal import find_task
from ralph.cli.task import view
from ralph.errors import RalphError
from ralph.terminal.words import one_line


def add(server: str, fields: dict[str, Any], *, as_json: bool) -> None:
    made = PeopleClient(server).ask("POST", "/api/tasks", new_task(**fields))
    _told(made, f"{made['id']}  {made['title']}", as_json)


def edit(server: str, id: str, fields: dict[str, Any], *, as_json: bool) -> None:
    client = PeopleClient(server)
    now = find_task(client, id)
    status = fields.pop("status", None)
    if status is not None:
        _move(client, now, status)
    if fields:
        client.ask("PATCH", people.path_of(now["id"]), _changes(now, fields))
    changed = client.ask("GET", people.path_of(now["id"]))
    _told(changed, f"{now['id']} is changed", as_json)


def _move(client: PeopleClient, task: dict[str, Any], status: str) -> None:
    if status not in ("cancelled", "pending"):
        raise RalphError(
            f"a server's task becomes {status} by its facts", todo="A person can say cancelled, or pending."
        )
    if status == "cancelled":
        client.ask("POST", f"{people.path_of(task['id'])}/cancel", {})
    elif task["status"] != "pending":
        client.ask("POST", f"{people.path_of(task['id'])}/retry", {})


def _changes(task: dict[str, Any], fields: dict[str, Any]) -> dict[str, Any]:
    """As the API takes them: title and description are one text there, and criteria make the promise."""
    line = line_fields(task)
    title = fields.get("title") or task["title"]
    criteria: Any = fields.get("criteria") if "criteria" in fields else line.get("criteria", [])
    description = fields.get("description") if "description" in fields else line.get("description", "")
    kind = fields.get("type") if "type" in fields else line.get("type", "")
    body = new_task(title, str(description or ""), list(criteria or []), str(kind or ""))
    names = {
        "title": ("title", "task"),
        "description": ("task",),
        "criteria": ("criteria", "ralphPromise"),
        "type": ("tags",),
    }
    found = {name: body.get(name, []) for one in fields for name in names.get(one, ())}
    if (
        "title" in fields
        and "criteria" not in fields
        and task["ralphPromise"] == promise_of(task["title"], task["criteria"])
    ):
        found["ralphPromise"] = body["ralphPromise"]
    if "depends_on" in fields:
        found["dependencies"] = fields["depends_on"] or []
    if "priority" in fields:
        found["priority"] = fields["priority"]
    return found


def accept(server: str, ids: tuple[str, ...], *, as_json: bool) -> None:
    for id in ids:
        shown = people.say_to(server, id, "accept")
        _told(shown, f"{shown['id']} is {shown['status']}", as_json)


def reopen(server: str, id: str, *, as_json: bool) -> None:
    again = people.retry(server, id, fresh=False, limits={})
    _told(again, f"{again['id']} is {again['status']}", as_json)


def _told(task: dict[str, Any], text: str, as_json: bool) -> None:
    if as_json:
        view.echo_json({"tasks": [task]})
    else:
        click.echo(one_line(text))
