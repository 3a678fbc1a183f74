"""`ralph status --server`: one task with its loop, or all that a server's workers do."""

from __future__ import annotations

from typing import Any

from ralph.cli.fleet.client import PeopleClient
from ralph.cli.fleet.people import command, echo_json, path_of
from ralph.cli.fleet.task_journal import find_task, journal_at
from ralph.cli.show.loop_status import status_json
from ralph.cli.show.status import StatusRow, loop_rows, print_rows
from ralph.history.loops import Loop
from ralph.history.saved import CurrentHistory

_SHOWN = 10
_COLOURS = {"in_progress": "green", "complete": "green", "failed": "red", "blocked": "yellow"}


def show(server: str, task: str, *, as_json: bool) -> None:
    if task:
        _show_task(server, task, as_json=as_json)
    else:
        _show_server(PeopleClient(server), as_json=as_json)


# -- one task ------------------------------------------------------------------------------------------


def _show_task(server: str, task: str, *, as_json: bool) -> None:
    client = PeopleClient(server)
    shown = find_task(client, task)
    repo, id = journal_at(server, shown["id"])
    loop = _newest(CurrentHistory(repo.state_dir))
    if as_json:
        found = status_json(loop, repo.state_dir) | {"next": _next(shown, client.url, loop)} if loop else None
        echo_json({"task": shown, "loop": found})
        return
    why = client.ask("GET", f"{path_of(id)}/why")["reasons"] if shown["status"] == "pending" else ()
    about = [StatusRow("task", f"{id}: {shown['title']}")]
    rows = loop_rows(loop, repo.state_dir) if loop else about
    reason = (
        [StatusRow("reason", shown["reason"], "yellow", whole=True)] if shown["reason"] and not why else []
    )
    waits = [StatusRow("waiting" if n == 0 else "", text, "yellow", whole=True) for n, text in enumerate(why)]
    todo = StatusRow("next", _next(shown, client.url, loop), "bold", whole=True)
    print_rows([_head(shown, client.url), *rows, *reason, *waits, todo])


def advice(server: str, task: str, loop: Loop) -> str:
    """What a person can do for it now."""
    client = PeopleClient(server)
    return _next(find_task(client, task), client.url, loop)


def _newest(journal: CurrentHistory) -> Loop | None:
    """What waits on a server is not dead: another worker continues it."""
    newest = next(reversed(journal.survey.starts), "")
    return journal.loops([newest])[newest].stand(live=True) if newest else None


def _head(task: dict[str, Any], url: str) -> StatusRow:
    who = f" on {task['worker']}" if task["worker"] else ""
    phase = ", to land" if task["phase"] == "land" and task["status"] in ("pending", "in_progress") else ""
    return StatusRow("", f"{task['status']}{who}{phase}, at {url}", _COLOURS.get(task["status"], "bold"))


def _next(task: dict[str, Any], url: str, loop: Loop | None) -> str:
    match task["status"]:
        case "in_progress":
            return f"{command('logs --follow', task, url)} shows what happens; {command('stop', task, url)} ends it."
        case "blocked" if loop is not None and loop.state.people.question is not None:
            return "Answer it: " + command('answer "..."', task, url) + "."
        case "blocked" if loop is not None and loop.state.judgement.ended == "needs-review":
            accept = f"`ralph task accept {task['id']} --server {url}`"
            return f"Look at it ({command('report', task, url)}); {accept} accepts it."
        case "failed" | "blocked":
            return f"{command('retry', task, url)} tries it again; {command('report', task, url)} says more."
        case "pending" if task["reason"] and not task["notBefore"]:
            return f"{command('continue', task, url)} lets it continue; {command('cancel', task, url)} cancels it."
        case "pending":
            return f"A worker takes it by itself; {command('cancel', task, url)} cancels it."
    return f"{command('report', task, url)} shows what happened."


# -- all of it -----------------------------------------------------------------------------------------


def _show_server(client: PeopleClient, *, as_json: bool) -> None:
    found = {status: _some(client, status) for status in ("in_progress", "blocked", "failed", "pending")}
    workers = client.ask("GET", "/api/workers")["workers"]
    if as_json:
        echo_json({**{status: page["tasks"] for status, page in found.items()}, "workers": workers})
        return
    rows = [StatusRow("", client.url, "bold")]
    for status, page in found.items():
        rows += _task_rows(status, page)
    for n, one in enumerate(workers):
        doing = f": {', '.join(one['tasks'])}" if one["tasks"] else ""
        note = f" ({one['note']})" if one["note"] else ""
        rows.append(StatusRow("" if n else "workers", f"{one['name']} is {one['status']}{doing}{note}"))
    if not workers:
        rows.append(StatusRow("workers", f"none: `ralph worker --server {client.url}` starts one", "yellow"))
    todo = f"`ralph status --task ID --server {client.url}` shows one; `ralph task list --server {client.url}` all."
    print_rows([*rows, StatusRow("next", todo, "bold", whole=True)])


def _some(client: PeopleClient, status: str) -> dict[str, Any]:
    return client.ask("GET", f"/api/tasks?status={status}&limit={_SHOWN}")  # type: ignore[no-any-return]


def _task_rows(status: str, page: dict[str, Any]) -> list[StatusRow]:
    rows = []
    for n, task in enumerate(page["tasks"]):
        who = f" on {task['worker']}" if task["worker"] else ""
        reason = f" ({task['reason']})" if task["reason"] else ""
        rows.append(
            StatusRow(
                "" if n else status, f"{task['id']}{who}: {task['title']}{reason}", _COLOURS.get(status, "")
            )
        )
    return [*rows, StatusRow("", "and more")] if page["next"] else rows
