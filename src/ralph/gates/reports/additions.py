"""What Ralph adds to a gate's run so that its runners report: parts of variables that the user may set too. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec


class GateCommand(msgspec.Struct, frozen=True):
    """What is known of a gate before it runs."""

    command: str
    said: str  # the command, and what it names in package.json and Makefile
    checkout: Path
    folder: str
    reports: Path
    env: Mapping[str, str]


class Addition(msgspec.Struct, frozen=True):
    """Ours comes first: where an option counts once, the user's does."""

    ours: str
    separator: str
    users: str = ""

    @property
    def value(self) -> str:
        return f"{self.ours}{self.separator}{self.users}" if self.users else self.ours


def extend(command: str, additions: Mapping[str, Addition]) -> str:
    """The command where it sets such a variable itself (`PYTHONPATH=src pytest`): with ours in front, by reference."""
    for name, addition in additions.items():

        def put(found: re.Match[str], name: str = name, separator: str = addition.separator) -> str:
            if found.string.count('"', 0, found.start()) % 2:
                return found[0]  # inside of quotes: whose, only a shell knows
            follows = separator if found[1] else ""
            return f'{name}="${{{reference(name)}}}{follows}"'

        command = re.sub(rf"(?<![\w-]){name}=(?=([^\s;&|)])?)", put, command)
    return command


def reference(name: str) -> str:
    return f"RALPH_GATE_{name}"
