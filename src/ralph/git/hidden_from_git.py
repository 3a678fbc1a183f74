"""What hides a change from the user's own git: marks in the index, and attributes that are in no tree. A snapshot sees through
both, so that it would hold work that a commit of the user's does not."""

from __future__ import annotations

import os
from collections.abc import Collection

from ralph.files import read_bytes
from ralph.git.repo import Repo

_MARKS = {"h": "assume-unchanged", "s": "assume-unchanged and skip-worktree", "S": "skip-worktree"}


def marked(repo: Repo, paths: Collection[str]) -> dict[str, str]:
    """path -> the mark by which git takes it for unchanged."""
    if not repo.versioned or not paths:
        return {}
    wanted, found = set(paths), {}
    for entry in os.fsdecode(repo.git_inside("ls-files", "-v", "-z")).split("\0"):
        tag, _, path = entry.partition(" ")
        if path in wanted and tag in _MARKS:
            found[path] = _MARKS[tag]
    return found


def own_attributes(repo: Repo) -> str:
    """The rules of `info/attributes`, which no tree holds."""
    try:
        return read_bytes(repo.common_dir / "info/attributes").decode("utf-8", "surrogateescape")
    except OSError:
        return ""
