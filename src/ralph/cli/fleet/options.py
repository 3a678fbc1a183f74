"""`--server` of commands that are also about this folder. Imports nothing of the server: most calls name none."""

from __future__ import annotations

import click

from ralph.errors import RalphError

at_server = click.option(
    "--server", default="", metavar="URL", help="Use a task of this server; see `ralph login`."
)
of_server = click.option("--server", default="", metavar="URL", help="The tasks of this server.")
task_there = click.option("--task", default="", metavar="ID", help="With --server: which task.")


def refuse_at_server(**flags: object) -> None:
    """Flags that mean something only where the run is."""
    for name, given in flags.items():
        if given:
            raise RalphError(
                f"--{name.replace('_', '-')} is for a run of this folder, not for a server's task",
                todo="Leave it out.",
            )


def refuse_without_server(**flags: object) -> None:
    for name, given in flags.items():
        if given:
            raise RalphError(
                f"--{name.replace('_', '-')} goes with --server", todo="Leave it out, or name the server."
            )
