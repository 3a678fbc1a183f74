"""Which file a command names, asked before anything is started, and in plain words why it cannot be executed."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping
from pathlib import Path


def find(name: str, cwd: Path, env: Mapping[str, str]) -> str:
    """As a shell in `cwd` with this environment would find it. FileNotFoundError or PermissionError if it would not."""
    if "/" in name:
        folders = [""]
    else:
        folders = env.get("PATH", os.defpath).split(os.pathsep)
    candidates = [os.fspath(cwd / folder / name) for folder in folders] if name else []
    there = [c for c in candidates if os.path.exists(c)]  # noqa: PTH110 - Path.exists() fails in closed folders
    for c in there:
        if os.path.isfile(c) and os.access(c, os.X_OK):  # noqa: PTH113
            return c
    if there:
        what = "a directory, not a program" if os.path.isdir(there[0]) else "not executable"  # noqa: PTH112
        raise PermissionError(errno.EACCES, what, there[0])
    raise FileNotFoundError(errno.ENOENT, "no such program", name)


def why_not(program: str, number: int, what: str) -> str:
    """execve says "No such file" of a script whose interpreter is missing, and little of one that names none."""
    if number not in (errno.ENOENT, errno.ENOEXEC, errno.EACCES):
        return what
    try:
        with open(program, "rb") as f:
            first = f.readline(256)
    except OSError:
        return what
    if first.startswith(b"#!"):
        return f"its interpreter cannot be executed: {first.decode('utf-8', 'replace').strip()}"
    if number == errno.ENOEXEC:
        return "neither a binary for this machine nor a script with a #! line"
    return what
