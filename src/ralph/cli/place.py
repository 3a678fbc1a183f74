"""Which repository a command is about. Without one, the folder itself is the workspace."""

from __future__ import annotations

from pathlib import Path

from ralph.workspace import Repo, find, without_git

BY_INIT = "init"  # in place of a run's id, while `ralph init` tries the gates


def here() -> Repo:
    folder = Path.cwd()
    return find(folder) or without_git(folder)
