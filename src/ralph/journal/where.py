"""Where the journal of the loop around here is, whether a run holds it, and what a file holds, in short. For commands that
agents call many times: standard library only, and little of it."""

from __future__ import annotations

import os


def state_dir() -> str:
    """Ralph's folder: told by the environment inside an iteration, else found like git finds its own."""
    told = os.environ.get("RALPH_STATE")
    if told:
        return told
    folder = os.getcwd()
    while True:
        git = f"{folder}/.git"
        if os.path.isdir(git):
            return f"{git}/ralph"
        if os.path.isfile(git):
            return _linked(git)
        if os.path.isdir(f"{folder}/.ralph/repository"):
            return f"{folder}/.ralph"
        parent = os.path.dirname(folder)
        if parent == folder:
            raise ValueError("there is no run here: not inside a repository that Ralph works on")
        folder = parent


def _linked(git: str) -> str:
    """A linked worktree: its .git file names its own folder, which names the common one."""
    with open(git, encoding="utf-8", errors="surrogateescape") as file:
        own = os.path.join(os.path.dirname(git), file.read().removeprefix("gitdir:").strip())
    try:
        with open(f"{own}/commondir", encoding="utf-8", errors="surrogateescape") as file:
            return os.path.join(own, file.read().strip(), "ralph")
    except FileNotFoundError:
        return f"{own}/ralph"


def require_run(folder: str) -> None:
    """A message that nobody awaits would speak to the next loop, which is about something else."""
    from pathlib import Path

    from ralph.journal.lock import holder

    if holder(Path(folder)) is None:
        raise ValueError("nothing runs here, so nobody would hear it")


def mark_of(path: str) -> str:
    """By it one sees later whether somebody wrote to the file."""
    import hashlib

    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read(1 << 20)).hexdigest()[:16]
    except OSError:
        return "none"
