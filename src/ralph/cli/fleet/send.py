"""`ralph send`: a task for a server's workers."""

from __future__ import annotations

import time
from typing import Any

import click
import msgspec

from ralph.cli.fleet.client import PeopleClient, server_option

LOOK = 2.0  # seconds between two looks at a task that is waited for
DONE = {"complete": 0, "failed": 1, "blocked": 5, "cancelled": 13}


@click.command()
@click.argument("task")
@click.option("--promise", default="", help="How to recognise that the task is complete.")
@click.option(
    "--type",
    "task_type",
    default="ralph",
    show_default=True,
    help="`ralph` loops; any other type runs one iteration, then the gates.",
)
@click.option("--repository", default="", help="The repository; one that the server knows.")
@click.option("--target", default="", help="The branch on which it lands.")
@click.option("--max-iterations", default=50, show_default=True, type=click.IntRange(1, 1000))
@click.option("--plan", default="", help="A plan in the repository, relative to its root.")
@click.option("--priority", default=2.0, show_default=True, help="0 is the most urgent.")
@click.option("--label", "labels", multiple=True, help="A label that a worker must have.")
@click.option("--tag", "tags", multiple=True, help="A tag, for finding it again; may be repeated.")
@click.option("--after", "dependencies", multiple=True, help="The id of a task that must be complete first.")
@click.option("--agent", default="", help="Only this agent, such as claude or codex.")
@click.option("--assign-to", default="", help="The only worker that may claim it.")
@click.option("--wait", is_flag=True, help="Wait until it is complete, failed, blocked or cancelled.")
@click.option("--json", "as_json", is_flag=True, help="Print the task as JSON, as the server has it.")
@server_option
def send(task: str, promise: str, wait: bool, as_json: bool, server: str, **fields: Any) -> int:
    """Send a task to a server. Prints its id.

    \b
    Examples:
      ralph send "Make the tests pass" --promise "all tests pass" --repository app
      ralph send "Fix the typo" --promise "no typo" --repository app --wait
    """
    names = {"max_iterations": "ralphMaxIterations", "plan": "ralphPlanPath", "task_type": "taskType"}
    names["assign_to"] = "assignTo"
    body = {names.get(name, name): value for name, value in fields.items() if value not in ("", ())}
    client = PeopleClient(server)
    made = client.ask(
        "POST", "/api/tasks", {"task": task, **body, **({"ralphPromise": promise} if promise else {})}
    )
    if not wait:
        click.echo(msgspec.json.encode(made).decode() if as_json else made["id"])
        return 0
    if not as_json:
        click.echo(f"{made['id']}  {made['title']}")
    return _waited(client, made["id"], as_json=as_json)


def _waited(client: PeopleClient, id: str, *, as_json: bool) -> int:
    said = ""
    while True:
        task = client.ask("GET", f"/api/tasks/{id}")
        worker = f" by {task['worker']}" if task["worker"] else ""
        now = f"{task['status']}{worker}, phase {task['phase']}, iteration {task['ralphIterations']}"
        if task["status"] in DONE:
            break
        if now != said and not as_json:
            click.echo(f"  {now}")
        said = now
        time.sleep(LOOK)
    if as_json:
        click.echo(msgspec.json.encode(task).decode())
    else:
        reason = task["reason"] or task["result"].get("reason", "")
        click.echo(f"  {task['status']}" + (f": {reason}" if reason else ""))
    return DONE[task["status"]]
