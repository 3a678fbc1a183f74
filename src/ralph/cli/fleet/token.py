"""`ralph login` and `ralph token`: who may do what on a server."""

from __future__ import annotations

import os
import re
from urllib.parse import quote

import click
import msgspec

from ralph.cli.fleet.client import Logins, PeopleClient, read_logins, server_option, write_logins
from ralph.errors import RalphError


@click.command()
@click.argument("url")
def login(url: str) -> int:
    """Keep a server's address and your token for it.

    The token is read from RALPH_SERVER_TOKEN, or asked for.

    \b
    Examples:
      ralph login http://127.0.0.1:3013
    """
    url = url.rstrip("/")
    token = os.environ.get("RALPH_SERVER_TOKEN") or click.prompt(
        "Token", hide_input=True, default="", show_default=False
    )
    os.environ["RALPH_SERVER_TOKEN"] = token
    PeopleClient(url).ask("GET", "/api/tasks?limit=1")
    logins = read_logins()
    write_logins(Logins(url, {**logins.tokens, url: token}))
    click.echo(f"Logged in to {url}.")
    return 0


@click.group()
def token() -> None:
    """Tokens of a server: add, list, revoke.

    \b
    Examples:
      ralph token add build --role worker
      ralph token list
    """


@token.command()
@click.argument("name")
@click.option("--role", type=click.Choice(["admin", "worker", "lander", "read"]), required=True)
@click.option(
    "--days",
    default=90.0,
    show_default=True,
    type=click.FloatRange(0, 3650),
    help="Days until it expires; 0: never.",
)
@click.option("--labels", default="", help="For a worker: the only labels it may have.")
@click.option("--repositories", default="", help="The only repositories it may see.")
@server_option
def add(name: str, role: str, days: float, labels: str, repositories: str, server: str) -> int:
    """Make a token. It is shown once.

    The name of a worker's token is that of the worker, or the beginning of it: `build` speaks for build and build.anything.

    \b
    Examples:
      ralph token add build --role worker --labels linux,gpu --days 30
    """
    wish = {"name": name, "role": role, "days": days}
    limits = {"labels": _words(labels), "repositories": _words(repositories)}
    made = PeopleClient(server).ask("POST", "/api/tokens", wish | {k: v for k, v in limits.items() if v})
    click.echo(made["secret"])
    click.echo(f"A {role} token for {name}, {_until(made['token'])}. It is not shown again.", err=True)
    return 0


@token.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@server_option
def list_tokens(as_json: bool, server: str) -> int:
    """Which tokens there are. Their secrets are kept nowhere.

    \b
    Examples:
      ralph token list --json
    """
    tokens = PeopleClient(server).ask("GET", "/api/tokens")["tokens"]
    if as_json:
        click.echo(msgspec.json.encode(tokens).decode())
        return 0
    for one in tokens:
        click.echo(f"{one['id']}  {one['role']:<6}  {one['name']:<20}  {_until(one)}")
    return 0


@token.command()
@click.argument("id")
@server_option
def revoke(id: str, server: str) -> int:
    """Make a token worthless, by its id or name.

    \b
    Examples:
      ralph token revoke build
    """
    client = PeopleClient(server)
    live = [one for one in client.ask("GET", "/api/tokens")["tokens"] if one["live"]]
    found = [one for one in live if id in (one["id"], one["name"])]
    if len(found) != 1:
        what = (
            f"{len(found)} tokens are called {id}; name one by its id"
            if found
            else f"there is no live token {id}"
        )
        raise RalphError(what, todo="`ralph token list` shows them.")
    client.ask("DELETE", f"/api/tokens/{quote(found[0]['id'])}")
    click.echo(f"Revoked {found[0]['role']} {found[0]['name']}.")
    return 0


def _until(one: dict[str, str | None]) -> str:
    if one["revokedAt"]:
        return f"revoked {one['revokedAt']}"
    return f"until {one['expiresAt']}" if one["expiresAt"] else "does not expire"


def _words(text: str) -> list[str]:
    return [word for word in re.split(r"[,\s]+", text) if word]
