"""What the journal says about this workspace, for commands that only read."""

from __future__ import annotations

from ralph.core.ends import RESUMABLE
from ralph.core.state import LoopState
from ralph.driver.resume import last_loop
from ralph.journal.read import NAME, scan
from ralph.workspace import Repo


def latest(repo: Repo) -> LoopState | None:
    found = last_loop(scan(repo.state_dir / NAME).records, repo.root)
    return found[0] if found else None


def unfinished(repo: Repo) -> LoopState | None:
    state = latest(repo)
    if state is None or (state.ended is not None and state.ended not in RESUMABLE):
        return None
    return state
