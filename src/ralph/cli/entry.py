"""Where `ralph` begins. Commands that agents call many times are served before any framework is imported."""

from __future__ import annotations

import sys


def main() -> int:
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        from ralph import __version__

        print(f"ralph {__version__}")
        return 0
    if arguments and arguments[0] in ("emit", "scratchpad"):
        from ralph.cli.quick import serve

        return serve(arguments)
    from ralph.cli.app import run_app

    return run_app(arguments)
