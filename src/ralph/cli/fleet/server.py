"""`ralph server`: look after a server: its repositories, its database."""

from __future__ import annotations

from urllib.parse import quote

import click

from ralph.cli.fleet.client import PeopleClient, server_option
from ralph.errors import RalphError


@click.group()
def server() -> None:
    """Look after a server: its repositories, its database.

    \b
    Examples:
      ralph server register app https://git.example/app --target main
      ralph server check
    """


@server.command()
@click.argument("name")
@click.argument("url")
@click.option("--target", default="", help="The branch on which work lands. Without one nothing lands.")
@server_option
def register(name: str, url: str, target: str, server: str) -> int:
    """Make a repository known, so that tasks can name it. Again: with another address or target.

    \b
    Examples:
      ralph server register app /srv/git/app.git
    """
    made = PeopleClient(server).ask(
        "PUT", f"/api/repositories/{quote(name, safe='')}", {"url": url, "target": target}
    )
    lands = f", lands on {made['target']}" if made["target"] else ""
    click.echo(f"{made['name']}: {made['url']}{lands}")
    return 0


@server.command()
@click.option("--db", default="", help="postgresql://..., or a file of SQLite. Default: in your data folder.")
def check(db: str) -> int:
    """Prove that a server's history is sound: no fact lost, doubled or accepted under a stale epoch; every task where its
    facts put it. SQLite: while no server has it open.

    \b
    Examples:
      ralph server check
      ralph server check --db postgresql://ralph@db/ralph
    """
    from ralph.core.fleet.check import check as check_histories
    from ralph.core.fleet.check import read_histories

    try:
        from ralph.server.serve import default_db
        from ralph.server.stores import open_store
    except ImportError as error:
        raise RalphError(
            f"the server needs a package that is not installed: {error.name}",
            todo="Install Ralph with its extra `server`: pip install '.[server]'",
        )
    place = db or str(default_db())
    if not db and not default_db().exists():
        raise RalphError(
            "there is no database", where=place, todo="`ralph serve` makes one, or name it with --db."
        )
    store = open_store(place)
    try:
        histories, events = store.read(
            lambda tx: (list(read_histories(tx)), [event for _, event in tx.events()])
        )
    finally:
        store.close()
    problems = check_histories(histories, events)
    for problem in problems:
        click.echo(problem)
    facts = sum(len(one.facts) for one in histories)
    click.echo(
        f"{len(histories)} tasks, {facts} facts: {f'{len(problems)} problems' if problems else 'sound'}"
    )
    return 1 if problems else 0
