"""The one line that says what to do after an end."""

from __future__ import annotations

from ralph.core.ends import NEXT, End
from ralph.core.state import LoopState


def what_next(end: End, s: LoopState) -> str:
    """Without git there is nothing to diff or to commit."""
    without_git = s.prepared and not s.base_commit and not s.branch
    if end == "completed-verified" and without_git:
        return "Look at the change; `ralph recover` shows how it was before."
    if end == "completed-unverified" and s.policy.gates_declined:
        return "Look at the change yourself: no gate did."
    return NEXT[end]
