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
from ralph.core.hats.model import COMPLETE_WORDS, Team
from ralph.core.hats.steps import HatStep
from ralph.core.loop import signals
from ralph.core.loop.state import SOFT_LIMITS, LoopState, Progress, failure_key
from ralph.core.policy import Policy

CANNOT_RUN = (126, 127)  # the shell could not run the program at all
KILLED = range(129, 193)  # a shell's word for a program that a signal ended
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

    @property
    def unfinished(self) -> bool:
        """It ended by itself, says that it is not done, and is put to the gates all the same."""
        ended = self.outcome.kind == "spoke" and self.team is None
        return ended and self.policy.claim == "exit-zero" and not self.claims


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
    """TASK_STUCK wins over an exit code. Where no signal is awaited, a code of the program's own says "not done"."""
    if x.code == 0:
        return False
    if x.code < 0 or x.code in CANNOT_RUN:
        return True
    return not stuck and (policy.claim == "signal" or x.code in KILLED)


# -- rules that more than one slice follows -------------------------------------------------------------------------


def gives_no_answer(step: Step, x: f.GateEnded) -> bool:
    """A hard reviewer fails to answer, twice. That is not the agent's fault, and asking about another tree would not help."""
    mute_before = failure_key(x.gate, x.error_hash) in step.before.judgement.failures
    again = x.op.endswith(":again") and x.timed_out != "hard"
    return x.unclear and bool(x.code or mute_before) and again


def is_promise(step: Step, x: f.EventReceived) -> bool:
    """An iteration claims by `ralph emit`, where no hats route events."""
    words = (*COMPLETE_WORDS, step.policy.completion_promise)
    return bool(x.serial) and step.team is None and x.topic in words


def new_note(p: Progress, x: f.Checkpoint) -> str:
    """The key of a soft limit that was not recorded yet; else empty."""
    key = f"{x.what}:{x.serial}" if x.serial else x.what
    return key if x.what in SOFT_LIMITS and key not in p.noted else ""
