"""One fact on its way through the slices, and what it means. Pure.

The end of an iteration means different things to several slices (was it a crash? does it claim?), so that it is read once, here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Literal

import msgspec

from ralph.core import facts as f
from ralph.core.hats import steps
from ralph.core.hats.model import Team
from ralph.core.hats.steps import HatStep
from ralph.core.loop import signals
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy

CANNOT_RUN = (126, 127)  # the shell could not run the program at all
NO_REASON = "the agent said TASK_STUCK without a reason"

Kind = Literal["interrupted", "fault", "timed-out", "context", "cut", "crashed", "stuck", "spoke"]


Reducers = Mapping[type, Callable[["Step", Any], Any]]  # kind of fact -> its slice after it


class IterationOutcome(msgspec.Struct, frozen=True):
    """How an iteration ended, as far as the loop is concerned."""

    kind: Kind
    said: signals.Signal | None = None  # of one that ended by itself

    @property
    def lived(self) -> bool:
        """It could make use of what its prompt said; otherwise the next one is given it again."""
        return self.kind not in ("interrupted", "fault", "crashed")


class Step:
    """`before` is the state before the fact; `now` the same with the slices that are reduced already."""

    def __init__(self, before: LoopState, fact: f.Input) -> None:
        self.before = before
        self.now = before
        self.fact = fact

    @property
    def policy(self) -> Policy:
        return self.now.identity.policy

    @property
    def team(self) -> Team | None:
        """The hats, where events are routed."""
        return self.policy.routing

    @cached_property
    def outcome(self) -> IterationOutcome:
        assert isinstance(self.fact, f.IterationEnded)
        return _outcome(self.before, self.fact)

    @cached_property
    def hat_step(self) -> HatStep:
        """Whose turn it is by this fact, and what hats said, before anything is judged."""
        assert self.team is not None
        fact = self.fact
        if not isinstance(fact, f.IterationEnded):
            return steps.turned(self.team, self.before, fact)
        if (said := self.outcome.said) is None or self.outcome.kind != "spoke":
            return steps.cut_short(self.team, self.before, fact)
        claims = signals.claims(said, fact.code, self.policy.claim)
        return steps.spoken(self.team, self.before, fact, claims=claims)

    @property
    def claims(self) -> bool:
        """An iteration that ended by itself claims, and hats allow it."""
        assert isinstance(self.fact, f.IterationEnded)
        said = self.outcome.said
        if self.outcome.kind != "spoke" or said is None:
            return False
        if self.team is not None:
            return bool(self.hat_step.turns.claim)
        return signals.claims(said, self.fact.code, self.policy.claim)


def _outcome(s: LoopState, x: f.IterationEnded) -> IterationOutcome:
    if x.how == "interrupted":
        return IterationOutcome("interrupted")
    if x.fault:
        return IterationOutcome("fault")
    if x.cause in ("iteration-time", "idle"):
        return IterationOutcome("timed-out")
    if x.cause == "context":
        return IterationOutcome("context")
    if x.how == "cut":
        return IterationOutcome("cut")
    said = read_signal(s, x)
    stuck = said.word == "TASK_STUCK"
    if _crashed(s.identity.policy, x, stuck=stuck):
        return IterationOutcome("crashed")
    return IterationOutcome("stuck" if stuck else "spoke", said)


def read_signal(s: LoopState, x: f.IterationEnded) -> signals.Signal:
    """What it says at last, with a claim by the tool."""
    said = signals.read(x.said, structured=x.structured, promise=s.identity.policy.completion_promise)
    return signals.with_tool(said) if s.judgement.promised == x.serial else said


def _crashed(policy: Policy, x: f.IterationEnded, *, stuck: bool) -> bool:
    """TASK_STUCK wins over an exit code that merely says "not done", and so does `claim: exit-zero`."""
    if x.code == 0:
        return False
    ran = x.code > 0 and x.code not in CANNOT_RUN
    return not (ran and (stuck or policy.claim == "exit-zero"))
