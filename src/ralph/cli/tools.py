"""`ralph tools task ...` and `ralph tools memory ...`: the agent's todos and memories, by the names that ralph.yml files use.

Called by agents many times, so only the standard library, and little of it. Todos are never tasks of the backlog.
"""

from __future__ import annotations

import os
import sys

from ralph.cli.tooltable import COMMANDS, ELSEWHERE, READING, command_help, help_text
from ralph.cli.toolwords import Given, nearest, read
from ralph.core.lines import harmless
from ralph.errors import RalphError
from ralph.mcp.caller import Caller

_GROUPS = ["task", "memory"]


def serve(arguments: list[str]) -> int:
    """`arguments` come after `ralph tools`. What is wrong is said in a line or two, and nothing is changed then."""
    name = " ".join(arguments[:2])
    try:
        return _serve(arguments)
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    except (RalphError, ValueError) as error:
        what = str(error)
    said = f"ralph tools {name}: {what}" if name in COMMANDS else f"ralph tools: {what}"
    print("\n".join(harmless(line) for line in said.split("\n")), file=sys.stderr)
    return 2


def _serve(arguments: list[str]) -> int:
    words = _names_first([word.encode("utf-8", "replace").decode() for word in arguments])
    asked = any(word in ("--help", "-h") for word in (words[: words.index("--")] if "--" in words else words))
    group = words[0] if words and words[0] not in ("--help", "-h") else ""
    name = " ".join(words[:2])
    if name in COMMANDS and asked:
        print(command_help(COMMANDS[name]), end="")
        return 0
    if name in COMMANDS:
        return _do(name, read(COMMANDS[name], words[2:]))
    if group and group not in _GROUPS:
        hint = f"; {ELSEWHERE[group]}" if group in ELSEWHERE else nearest(group, _GROUPS)
        raise ValueError(f"there is no tool {group!r}{hint}")
    if asked or len(words) < 2:
        print(help_text(group), end="", file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    known = [known.partition(" ")[2] for known in COMMANDS if known.startswith(f"{group} ")]
    raise ValueError(f"{group} has no command {words[1]!r}{nearest(words[1], known)}")


def _do(name: str, given: Given) -> int:
    if "RALPH_GATE" in os.environ and name not in READING:
        raise RalphError(
            "a gate keeps no notes", todo="Only agents in an iteration and people can; go on without it."
        )
    caller = Caller(os.environ, os.getcwd())  # noqa: PTH109 - no pathlib here
    group, _, command = name.partition(" ")
    own = caller.notes if group == "task" else caller.memories
    folder = f"{given.text('root')}/.ralph/agent" if given.flag("root") else own
    if group == "task":
        from ralph.cli import todotools

        print(todotools.DO[command](folder, given, caller.loop))
    else:
        from ralph.cli import memorytools

        print(memorytools.DO[command](folder, given), end="")
    return 0


def _names_first(words: list[str]) -> list[str]:
    """`--root DIR` may also stand before the command's name."""
    names: list[str] = []
    moved: list[str] = []
    rest = list(words)
    while rest and len(names) < 2:
        word = rest.pop(0)
        if word == "--root" and rest:
            moved += [word, rest.pop(0)]
        elif word.startswith("--root="):
            moved.append(word)
        else:
            names.append(word)
    return names + moved + rest
