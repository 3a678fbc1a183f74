"""Where `ralph` begins. Commands that agents call many times are served before any framework is imported."""

from __future__ import annotations

import gc
import os
import sys

# name -> (module that defines it, one line of help), as in app.py
AGENT_COMMANDS = {
    "emit": ("ralph.agent_tools.emit", "Publish an event to the loop."),
    "scratchpad": ("ralph.agent_tools.emit", "Write the scratchpad for the next iteration."),
    "tools": ("ralph.agent_tools.commands", "Keep todos and memories."),
    "mcp": ("ralph.agent_tools.mcp_server", "Serve Ralph's tools over MCP."),
    "hook": ("ralph.agent_tools.hooks", "Answer an agent CLI's hook."),
    "checkpoint": ("ralph.agent_tools.hooks", "Record a checkpoint of the iteration under way."),
}


def main() -> int:
    _mend_streams()
    return _told(_serve(sys.argv[1:]))


def _serve(arguments: list[str]) -> int:
    if arguments == ["--version"]:
        from ralph import __version__

        print(f"ralph {__version__}")
        return 0
    if arguments and arguments[0] in AGENT_COMMANDS:
        from importlib import import_module

        from ralph.agent_tools.commands import serve

        import_module(AGENT_COMMANDS[arguments[0]][0])
        return serve(arguments)
    gc.disable()  # until the command is imported, which makes many objects and no garbage
    from ralph.cli.app import run_app

    return run_app(arguments)


def _mend_streams() -> None:
    """A closed descriptor 0, 1 or 2 would be given to the next file that is opened, a journal perhaps. And a terminal
    that lacks a character gets an escape in its place."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            stream = open(os.devnull, "r" if name == "stdin" else "w")
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def _told(code: int) -> int:
    """Whether everything was written shows only now. A reader that went away (`| head`) is no error."""
    for name in ("stdout", "stderr"):
        try:
            getattr(sys, name).flush()
        except OSError as error:
            setattr(sys, name, open(os.devnull, "w"))
            if code == 0 and not isinstance(error, BrokenPipeError):
                print(f"ralph: the output cannot be written: {error.strerror}", file=sys.stderr)
                code = 70
    return code
