"""Symbolic refs as git's files hold them. Reads only, and starts no git: it is asked at every look at the refs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

_REF = "ref:"
_DEPTH = 5  # as deep as git follows them


def said(path: Path) -> str:
    """What a ref's file says: an object id, or `ref: <name>`, also where it is a symbolic link. Empty: not there."""
    try:
        if path.is_symlink() and (to := str(path.readlink())).startswith("refs/"):
            return f"{_REF} {to}"
        text = os.fsdecode(path.read_bytes().strip())  # of bytes: a name may end in a space that is not ASCII
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""
    return f"{_REF} {text.removeprefix(_REF).lstrip()}" if text.startswith(_REF) else text


def named(text: str) -> str:
    """The ref that such a text leads to; empty where it is none of ours to read."""
    name = text.removeprefix(f"{_REF} ") if text.startswith(f"{_REF} ") else ""
    return name if name.startswith("refs/") and ".." not in name else ""


def chain(text: str, ask: Callable[[str], str]) -> list[str]:
    """The refs that a text leads to, each by the one before it; the last is the one that a commit moves. `ask` tells what
    a ref says."""
    found: list[str] = []
    while len(found) < _DEPTH and (name := named(text)):
        found.append(name)
        text = ask(name)
    return found
