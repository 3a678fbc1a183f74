"""Which loop this is. Everything but its limits and allowances is fixed when it starts. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop.step import Reducers, Step


def _started(step: Step, x: f.LoopStarted) -> f.LoopStarted:
    """The fact itself is the slice."""
    return x


def _resumed(step: Step, x: f.LoopResumed) -> f.LoopStarted:
    identity = step.before.identity
    policy = identity.policy
    policy = replace(policy, limits=x.limits or policy.limits, allow=(*policy.allow, *x.allow))
    if x.root:
        identity = replace(identity, root=x.root, slot=x.slot)
    return replace(identity, policy=policy)


REDUCERS: Reducers = {f.LoopStarted: _started, f.LoopResumed: _resumed}
