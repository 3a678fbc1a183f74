"""`ralph server`: look after a server: its repositories, its database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import click

from ralph.cli.fleet.client import PeopleClient, server_option
from ralph.errors import RalphError
from ralph.text import count


@click.group()
def server() -> None:
    """Look after a server: its repositories, its database.

    \b
    Examples:
      ralph server register app https://git.example/app --target main
      ralph server check
      ralph server adopt
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


db_option = click.option(
    "--db", default="", help="postgresql://..., or a file of SQLite. Default: in your data folder."
)


@server.command()
@db_option
def check(db: str) -> int:
    """Prove that a server's history is sound: no fact lost, doubled or accepted under a stale epoch; every task where its
    facts put it. Servers may be at work meanwhile.

    \b
    Examples:
      ralph server check
      ralph server check --db postgresql://ralph@db/ralph
    """
    from ralph.core.fleet.check import check as check_histories
    from ralph.core.fleet.check import read_histories

    with _server_packages():
        from ralph.server.stores import open_reader
    reader = open_reader(_place(db))
    try:
        histories, events = reader.read(
            lambda tx: (list(read_histories(tx)), [event for _, event in tx.events()])
        )
    finally:
        reader.close()
    problems = check_histories(histories, events)
    for problem in problems:
        click.echo(problem)
    facts = sum(len(one.facts) for one in histories)
    verdict = count(len(problems), "problem") if problems else "sound"
    click.echo(f"{count(len(histories), 'task')}, {count(facts, 'fact')}: {verdict}")
    return 1 if problems else 0


@server.command()
@db_option
def adopt(db: str) -> int:
    """Take over a database that was restored from a back-up, before a server is started on it.

    Whatever workers held when the back-up was made, or claimed since, is over: each task continues from its last savepoint, and
    what comes late from before is refused.

    \b
    Examples:
      ralph server adopt --db postgresql://ralph@db/ralph
    """
    from ralph.core.fleet.leases import adopt as adopt_tasks
    from ralph.core.fleet.model import FleetSettings

    with _server_packages():
        from ralph.server.stores import open_store
    store = open_store(_place(db))
    try:
        silent, wanted = store.read(lambda tx: tx.now() - tx.tick().at), FleetSettings().tick_gap_ms
        if 0 <= silent < wanted:
            raise RalphError(
                f"a server was at work on this database {silent // 1000} s ago",
                where=_place(db),
                todo=f"Stop every server, wait {wanted // 1000} s, and try again.",
            )
        given_back = store.run(adopt_tasks)
        store.relay()
    finally:
        store.close()
    click.echo(f"Adopted: {given_back} claims are over. Servers may be started.")
    return 0


@contextmanager
def _server_packages() -> Iterator[None]:
    try:
        yield
    except ImportError as error:
        raise RalphError(
            f"the server needs a package that is not installed: {error.name}",
            todo="Install Ralph with its extra `server`: pip install '.[server]'",
        )


def _place(db: str) -> str:
    """Of a database that is there."""
    with _server_packages():
        from ralph.server.stores import default_db, is_postgresql
    place = db or str(default_db())
    if not is_postgresql(place) and not Path(place).exists():
        raise RalphError(
            "there is no database", where=place, todo="`ralph serve` makes one, or name it with --db."
        )
    return place
