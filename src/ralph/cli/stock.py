"""What the journal says about this workspace, for commands that only read."""

from __future__ import annotations

from ralph.core.state import LoopState
from ralph.driver.resume import is_over, last_loop
from ralph.journal.read import NAME, scan
from ralph.workspace import Repo


def latest(repo: Repo) -> LoopState | None:
    found = last_loop(scan(repo.state_dir / NAME).records, repo.root)
    return found[0] if found else None


def resumable(repo: Repo) -> LoopState | None:
    """The loop that `ralph resume` would go on with."""
    state = latest(repo)
    return None if state is None or is_over(state) else state
