"""`ralph task push`: the tasks of a file onto a server."""

from __future__ import annotations

import click

from ralph.cli.task import view
from ralph.terminal.words import one_line

_SHOWN = 20


@click.command()
@click.option("--server", required=True, metavar="URL", help="Onto this server.")
@click.option("--repository", default="", help="In which they are done; one that the server knows.")
@click.option("--target", default="", help="The branch on which they land.")
@click.option("--label", "labels", multiple=True, help="That a worker must have.")
@click.option("--agent", default="", help="Only this one, such as claude or codex.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def push(
    server: str, repository: str, target: str, labels: tuple[str, ...], agent: str, as_json: bool
) -> None:
    """Put the tasks of tasks.jsonl that are left to do onto a server, with their ids, parents and dependencies.

    What is there already is left as it is, so a list can be pushed again. The file here does not change.

    \b
    Examples:
      ralph task push --server http://127.0.0.1:3013 --repository app
    """
    from ralph.cli.fleet.client import PeopleClient
    from ralph.cli.fleet.server_backlog import all_tasks, plan_push
    from ralph.cli.fleet.server_backlog import push as push_to

    client = PeopleClient(server)
    backlog = view.opened()
    defaults = {"repository": repository, "target": target, "labels": list(labels), "agent": agent}
    plan = plan_push(backlog, {task["id"]: task["title"] for task in all_tasks(client)}, defaults)
    push_to(client, plan)
    ids = [str(task["id"]) for task in plan.new]
    if as_json:
        view.echo_json({"pushed": ids, "known": plan.known, "left": plan.left})
        return
    known = f"; {len(plan.known)} were there already" if plan.known else ""
    click.echo(f"{len(ids)} tasks pushed to {client.url}{known}.")
    for id, why in list(plan.left.items())[:_SHOWN]:
        click.echo(one_line(f"{id} is not pushed: {why}."))
    view.warn(backlog)
