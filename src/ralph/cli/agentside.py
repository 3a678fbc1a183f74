"""`emit` and `scratchpad` for the list of commands and its help; calls are served by quick.py before this is imported."""

from __future__ import annotations

import click

from ralph.cli import quick


def _command(name: str, text: str) -> click.Command:
    @click.command(name, help=text, add_help_option=False, context_settings={"ignore_unknown_options": True})
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def command(arguments: tuple[str, ...]) -> int:
        return quick.serve([name, *arguments])

    return command


emit = _command("emit", quick.EMIT_HELP)
scratchpad = _command("scratchpad", quick.SCRATCHPAD_HELP)
