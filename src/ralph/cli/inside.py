"""A run does not begin inside another one's work: an agent or a gate that calls `ralph run` where it works would begin
the task anew, and so on without an end. Anywhere else it may: a project's own tests may well run Ralph."""

from __future__ import annotations

import os
from pathlib import Path

from ralph.driver.judging import is_gate_checkout
from ralph.errors import RalphError
from ralph.workspace import Repo
from ralph.workspace.slots import is_slot_of

_INSIDE = ("RALPH_TOKEN", "RALPH_GATE", "RALPH_LOOP")


def refuse_inside(repo: Repo) -> None:
    if not any(os.environ.get(name) for name in _INSIDE) or not _is_its_own(repo):
        return
    who = "a gate or a reviewer" if os.environ.get("RALPH_GATE") else "an iteration"
    task = os.environ.get("RALPH_TASK", "")
    raise RalphError(
        f"{who} of a run works here{f', on {task}' if task else ''}: no other run begins inside it",
        where=str(repo.root),
        todo="Do the work of the task yourself; in tests, run Ralph in a repository of their own.",
    )


def _is_its_own(repo: Repo) -> bool:
    """Whether the repository is that of the loop around, one of its workspaces, or a worktree of either."""
    told = os.environ.get("RALPH_STATE", "")
    if not told:
        return False
    state = Path(told).resolve()
    gate = not repo.versioned and is_gate_checkout(repo.root, os.environ.get("RALPH_LOOP", ""))
    if gate or repo.state_dir.resolve() == state:
        return True
    return any(is_slot_of(state.parent, place) for place in (repo.root, repo.common_dir.parent))
