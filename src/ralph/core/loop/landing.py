"""Who lands first. A task whose change has met a moved target in conflict again and again would pay for one more iteration
each time that a quicker one lands before it; so at last the others let it go first, for as long as it takes to try once more.
"""

from __future__ import annotations

from ralph.core.loop.state import LoopState

PATIENCE = 2  # conflicts with what others landed, after which the way is kept free


def lands_first(s: LoopState) -> bool:
    """From its last conflict on, through the iteration that resolves it and the gates, until it has landed or was turned
    down. Not while it waits for somebody: that may take hours."""
    waits = s.people.pause is not None or any(running.what == "wait" for running in s.progress.open.values())
    tries = bool(s.landing.conflicts) or s.judgement.claim is not None
    return (
        s.landing.conflicted >= PATIENCE
        and tries
        and not waits
        and s.landing.landed is None
        and s.judgement.ended is None
    )
