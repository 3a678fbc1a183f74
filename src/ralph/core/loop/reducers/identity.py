"""Which loop this is. Everything but its limits and allowances is fixed when it starts. Pure."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop.step import Reducers, Step
from ralph.core.policy import Policy


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


def _moved(step: Step, x: f.LoopMoved) -> f.LoopStarted:
    identity = step.before.identity
    policy = _with_root(identity.policy, identity.root, x.root)
    return replace(identity, policy=policy, root=x.root, home=x.home, slot=x.slot)


def _with_root(policy: Policy, old: str, new: str) -> Policy:
    """Programs and scripts of the repository are named by where they are on the machine."""
    text, here, there = (msgspec.json.encode(one) for one in (policy, old, new))
    text = text.replace(here, there).replace(here[1:-1] + b"/", there[1:-1] + b"/")
    return msgspec.json.decode(text, type=Policy)


REDUCERS: Reducers = {f.LoopStarted: _started, f.LoopResumed: _resumed, f.LoopMoved: _moved}
