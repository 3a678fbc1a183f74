"""`ralph schema`: which keys ralph.yml may have, for editors."""

from __future__ import annotations

import json
from pathlib import Path

import click

from ralph.errors import RalphError
from ralph.terminal.words import one_line


@click.command()
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write it into this file.")
def schema(output: Path | None) -> None:
    """The JSON Schema of ralph.yml, by which editors complete, explain and check its keys.

    \b
    Examples:
      ralph schema
      ralph schema -o ralph.schema.json
    Then make this the first line of ralph.yml:
      # yaml-language-server: $schema=ralph.schema.json
    """
    from ralph.config.json_schema import schema as made

    text = json.dumps(made(), indent=2, ensure_ascii=False)
    if output is None:
        click.echo(text)
        return
    try:
        output.write_text(f"{text}\n", encoding="utf-8")
    except OSError as error:
        raise RalphError(f"cannot be written: {error.strerror}", where=str(output), todo="Name another file.")
    click.echo(f"{one_line(str(output))} is written.")
