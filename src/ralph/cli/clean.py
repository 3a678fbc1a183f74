"""`ralph clean`: remove what repositories left that are gone."""

from __future__ import annotations

import click

from ralph.cli.output import harmless
from ralph.text import count


@click.command()
@click.option("--all", "everything", is_flag=True, help="Also those in which work was left unfinished.")
def clean(everything: bool) -> int:
    """Remove workspaces of repositories that were deleted or moved. Those with unfinished work are kept, and named.

    \b
    Examples:
      ralph clean
      ralph clean --all
    """
    from ralph.git.workspaces.orphans import remove_orphans

    found = remove_orphans(all=everything)
    click.echo(f"removed: {count(len(found.removed), 'workspace')} of repositories that are gone")
    for one in found.kept:
        click.echo(harmless(f"kept: {one.path}: unfinished work on {one.branch} of {one.home}"))
    if found.kept:
        click.echo("`ralph clean --all` removes these too.")
    return 0
