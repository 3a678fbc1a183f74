"""What agents call, for the list of commands and its help; the calls are served before this is imported."""

from __future__ import annotations

from collections.abc import Callable

import click

from ralph.agent_tools import commands, hooks
from ralph.agent_tools import commands as notes
from ralph.agent_tools import emit as quick
from ralph.agent_tools import mcp_server as server


def _command(name: str, text: str, serve: Callable[[list[str]], int]) -> click.Command:
    @click.command(name, help=text, add_help_option=False, context_settings={"ignore_unknown_options": True})
    @click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
    def command(arguments: tuple[str, ...]) -> int:
        return serve(list(arguments))

    return command


emit = _command("emit", quick.EMIT_HELP, lambda arguments: quick.serve(["emit", *arguments]))
scratchpad = _command(
    "scratchpad", quick.SCRATCHPAD_HELP, lambda arguments: quick.serve(["scratchpad", *arguments])
)
tools = _command("tools", commands.help_text(), notes.serve)
mcp = _command("mcp", server.HELP, server.serve)
hook = _command("hook", hooks.HOOK_HELP, lambda arguments: hooks.serve(["hook", *arguments]))
checkpoint = _command(
    "checkpoint", hooks.CHECKPOINT_HELP, lambda arguments: hooks.serve(["checkpoint", *arguments])
)
