"""`ralph presets`: whole configurations to begin with."""

from __future__ import annotations

import click
import msgspec


@click.command()
@click.argument("name", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON, with the text of each.")
def presets(name: str | None, as_json: bool) -> None:
    """List the presets, or print the one that is named.

    `ralph init --preset NAME` writes it with your agent and your tests filled in.

    \b
    Examples:
      ralph presets
      ralph presets board
    """
    from ralph.init import presets as stock

    found = (stock.preset(name),) if name else stock.presets()
    if as_json:
        click.echo(msgspec.json.encode(found[0] if name else found).decode())
    elif name:
        click.echo(found[0].text, nl=False)
    else:
        width = max(len(one.name) for one in found)
        for one in found:
            click.echo(f"{one.name:<{width}}  {one.about}")
