"""Which repository a command is about. Without one, the folder itself is the workspace."""

from __future__ import annotations

from pathlib import Path

from ralph.workspace import Repo, find, without_git


def here() -> Repo:
    folder = Path.cwd()
    return find(folder) or without_git(folder)
