"""One agent process of a loop: its facts, what became of it, and whose turn it was."""

from __future__ import annotations

import sys
from typing import Literal

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats.event_log import EventOutcome, about, event_line, spoke, title
from ralph.core.loop import signals
from ralph.core.loop.state import LoopState
from ralph.history.moments import At, TimeSpan
from ralph.history.texts import TextRef, text_ref

# What became of an iteration, in one word.
Fate = Literal[
    "verified", "passed", "accepted", "review", "refused", "turned-down", "flaky", "stuck", "worked", "crashed", "fault", "cut",
    "interrupted", "running",
]  # fmt: skip


class HatTurn(msgspec.Struct, frozen=True):
    """Of a loop that routes events: who the iteration was, because of what, and what came of it."""

    title: str
    event: str  # topic and payload; empty: a condition put the hat on
    said: tuple[str, ...] = ()  # its events, and where each went
    refused: tuple[str, ...] = ()  # and those that went nowhere

    def heard(self, told: tuple[EventOutcome, ...]) -> HatTurn:
        said = [event_line(one.routed) for one in told if one.counts and one.routed.event.iteration]
        refused = [event_line(one.routed) for one in told if not one.routed.event.n and not one.counts]
        return replace(self, said=(*self.said, *said), refused=(*self.refused, *refused))


class Iteration(msgspec.Struct, frozen=True):
    at: At
    started: f.IterationStarted
    until: float  # when it ended; while it runs, when that was last known
    output: str  # the transcript, relative to the state folder
    ended: f.IterationEnded | None = None  # without what was said
    said: TextRef | None = None
    fate: Fate = "running"
    detail: str = ""  # why, in a few words
    claimed: bool = False
    signal: str = ""
    review_usage: f.Usage = f.Usage()  # of the reviewers who looked at its work
    review_estimated: bool = False
    turn: HatTurn | None = None

    @property
    def op(self) -> str:
        return f"iteration:{self.started.serial}"

    @property
    def gate(self) -> str:
        """It is no gate's."""
        return ""

    @property
    def serial(self) -> int:
        return self.started.serial

    @property
    def n(self) -> int:
        return self.started.n

    @property
    def span(self) -> TimeSpan:
        return TimeSpan(self.at.moment, self.until)

    @property
    def seconds(self) -> float:
        return self.ended.seconds if self.ended else round(self.until - self.at.moment, 3)

    @property
    def result(self) -> f.IterationEnded:
        """What it ended with; a blank result while it runs."""
        return self.ended or _BLANK

    @property
    def how(self) -> f.How | Literal["running"]:
        if self.ended is None:
            return "interrupted" if self.fate == "interrupted" else "running"
        return self.ended.how

    @property
    def spent(self) -> f.Usage:
        """With its reviewers."""
        own, review = self.result.usage, self.review_usage
        return f.Usage(own.tokens + review.tokens, own.cost_usd + review.cost_usd)

    @property
    def estimated(self) -> bool:
        """Some of the cost is from a table of prices, of the agent or of a reviewer."""
        return self.review_estimated or self.result.estimated

    def end(self, x: f.IterationEnded, at: At, s: LoopState) -> Iteration:
        """`s` is the state after it."""
        said = signals.read(x.said, structured=x.structured, promise=s.identity.policy.completion_promise)
        fate, detail = _fate(x, said, s)
        return replace(
            self,
            ended=replace(
                x, said="", tree=sys.intern(x.tree), usage=replace(x.usage, model=sys.intern(x.usage.model))
            ),
            said=text_ref(at.seq, "said", x.said),
            until=lasted_until(self.at, x.seconds, at),
            output=x.output or self.output,
            fate=fate,
            detail=detail,
            claimed=s.judgement.claim is not None or fate == "refused",
            signal=said.word if said.explicit and x.how == "exited" else "",
        )

    def closed(self, now: float, *, live: bool) -> Iteration:
        """As it stands now, where it has not ended."""
        if self.ended:
            return self
        still = replace(self, until=now)
        return still if live else replace(still, fate="interrupted", detail="the run died")


_BLANK = f.IterationEnded(serial=0, n=0, how="exited", code=0, seconds=0.0, tree="")


def begun(x: f.IterationStarted, at: At, output: str, s: LoopState) -> Iteration:
    turn = None
    if s.identity.policy.routing is not None:
        events = s.hats.turns.current.events if s.hats.turns.current else ()
        turn = HatTurn(title(s, x.hat), about(events))
    return Iteration(at, replace(x, tree=sys.intern(x.tree)), at.moment, output, turn=turn)


def lasted_until(began: At, seconds: float, at: At) -> float:
    """A resume closes what a dead run left long after it stopped: how long it lasted is in the fact."""
    return min(at.moment, began.moment + seconds) if seconds >= 0 else at.moment


def _fate(x: f.IterationEnded, said: signals.Signal, s: LoopState) -> tuple[Fate, str]:
    if x.how == "interrupted":
        return "interrupted", "interrupted"
    if x.how == "cut" and x.cause != "credentials":
        return "cut", f"cut off: {_CUT.get(x.cause, x.cause)}"
    if x.fault:
        return "fault", f"{x.fault}: {x.fault_text}"
    if s.agents.wait_due is not None and s.agents.wait_due.what == "crash":
        return "crashed", f"exit {x.code}" + (f": {x.fault_text}" if x.fault_text else "")
    if s.people.stuck_reason is not None:
        return "stuck", s.people.stuck_reason
    if s.judgement.refusal:
        return "refused", f"claim refused: {s.judgement.refusal}"
    if s.judgement.claim is not None:
        return "worked", "claims completion"
    if s.identity.policy.routing is not None:
        return "worked", spoke(x, s)
    return "worked", said.warning or ("" if said.explicit else "no signal")


_CUT = {
    "iteration-time": "it hit its hard time limit",
    "idle": "it was idle for too long",
    "context": "its context was full",
    "time": "the loop's time was used up",
    "cost": "the loop's budget was used up",
    "tokens": "the loop's tokens were used up",
    "stop": "a stop was asked for",
}
