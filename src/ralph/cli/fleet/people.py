"""What a person says to a server's task, in the words of the local commands."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import click
import msgspec

from ralph.cli.fleet.client import PeopleClient
from ralph.cli.fleet.task_journal import find_task
from ralph.core.exits import shlex_quoted
from ralph.terminal.words import one_line


def say_to(server: str, task: str, kind: str, text: str = "") -> dict[str, Any]:
    """The task as it is then."""
    client = PeopleClient(server)
    id = find_task(client, task)["id"]
    return client.ask("POST", f"{path_of(id)}/messages", {"kind": kind, "text": text})  # type: ignore[no-any-return]


def tell(server: str, task: str, kind: str, text: str = "") -> None:
    """And says who will hear it."""
    shown = say_to(server, task, kind, text)
    click.echo(one_line(f"{_DONE[kind]} {_who_hears(shown)}"))


_DONE = {
    "say": "Said.",
    "answer": "Answered.",
    "accept": "Accepted.",
    "pause": "It is to pause after what is under way.",
    "continue": "It may continue.",
    "stop": "It is to stop after its iteration.",
}


def _who_hears(task: dict[str, Any]) -> str:
    if task["worker"]:
        return f"{task['worker']} hears it with its next sign of life."
    return f"No worker has the task ({task['status']}): the next one hears it."


def cancel(server: str, task: str) -> None:
    client = PeopleClient(server)
    shown = client.ask("POST", f"{path_of(find_task(client, task)['id'])}/cancel", {})
    click.echo(one_line(f"{shown['id']} is {shown['status']}."))


def retry(server: str, task: str, *, fresh: bool, limits: dict[str, float]) -> dict[str, Any]:
    client = PeopleClient(server)
    wish: dict[str, Any] = {"from": "start" if fresh else "last"}
    if limits:
        wish["limits"] = {_CAMEL[name]: value for name, value in limits.items()}
    id = find_task(client, task)["id"]
    return client.ask("POST", f"{path_of(id)}/retry", wish)  # type: ignore[no-any-return]


_CAMEL = {
    "max_iterations": "maxIterations",
    "max_attempts": "maxAttempts",
    "max_runtime_seconds": "maxRuntimeSeconds",
    "max_cost_usd": "maxCostUsd",
    "max_tokens": "maxTokens",
}


def path_of(id: str) -> str:
    return f"/api/tasks/{quote(id, safe='')}"


def command(words: str, task: dict[str, Any], url: str) -> str:
    """As a person types it, for a message."""
    return f"`ralph {words} --task {shlex_quoted(task['id'])} --server {url}`"


def echo_json(value: object) -> None:
    click.echo(msgspec.json.encode(value).decode())
