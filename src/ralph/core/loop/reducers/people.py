"""What people tell a loop while it runs, and what it asks them: texts, pauses, stops, questions with a deadline. Pure.

A text waits until an iteration that lived has read it. A pause is a person's wish, so it has no end of its own; a question that
names a deadline is waited for until then, and no longer.
"""

from __future__ import annotations

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats.model import ASK
from ralph.core.loop.state import Pause, People, Say
from ralph.core.loop.steering import LONGEST_ASK, ask_id, question
from ralph.core.loop.step import NO_REASON, Reducers, Step

_STOP_RANK: dict[str, int] = {"graceful": 0, "now": 1, "interrupt": 2, "cancel": 3}


def _resumed(step: Step, x: f.LoopResumed) -> People:
    """A person lets the loop continue, so a pause is over; what was said and asked before is still open."""
    p = replace(step.before.people, stop=None, stop_by="", pause=None, replied=False)
    if x.answer:
        asked = p.question or p.stuck_reason or p.asked
        p = replace(p, question=None, asked=asked, answer=x.answer, late=False, ask_until="", defaulted=False)
    if step.before.judgement.ended is None:
        return p
    return replace(p, stuck_reason=None, question=None if step.before.awaits_gate else p.question)


def _stop(step: Step, x: f.StopRequested) -> People:
    p = step.before.people
    if p.stop is not None and _STOP_RANK[x.how] <= _STOP_RANK[p.stop]:
        return p
    return replace(p, stop=x.how, stop_by=x.by)


def _said(step: Step, x: f.Said) -> People:
    return _with_words(step.before.people, x)


def _with_words(p: People, x: f.Said) -> People:
    return replace(p, says=(*p.says, Say(x.name, x.text, x.hat, x.by)))


def _paused(step: Step, x: f.Paused) -> People:
    p = step.before.people
    if step.before.judgement.ended is not None:
        return p
    if p.pause is not None:
        return replace(p, pause=replace(p.pause, now=p.pause.now or x.now))
    return replace(p, pause=Pause(x.by, x.now), pauses=p.pauses + 1)


def _continued(step: Step, x: f.Continued) -> People:
    return replace(step.before.people, pause=None)


def _answered(step: Step, x: f.Answered) -> People:
    """The answer to what is open; or, come too late for that, to what was answered by default. Nothing is lost."""
    p = step.before.people
    if p.question is not None:
        over = step.before.judgement.ended is not None
        p = replace(p, question=None, asked=p.question, answer=x.text)
        return replace(p, late=False, ask_until="", defaulted=False, replied=over)
    if p.defaulted:
        return replace(p, answer=x.text, defaulted=False)
    return _with_words(p, f.Said(name=x.name, text=x.text, by=x.by))


def _iteration_started(step: Step, x: f.IterationStarted) -> People:
    """It has these people's words in its prompt."""
    p = step.before.people
    if not x.heard:
        return p
    read = tuple(replace(say, reader=x.serial) if say.name in x.heard else say for say in p.says)
    return replace(p, says=read)


def _iteration_ended(step: Step, x: f.IterationEnded) -> People:
    p, outcome = step.before.people, step.outcome
    if outcome.lived and p.says:
        p = replace(p, says=tuple(say for say in p.says if say.reader != x.serial))
    if outcome.kind == "stuck" and outcome.said is not None:
        p = replace(p, stuck_reason=outcome.said.reason or NO_REASON)
    if outcome.kind == "spoke" and step.team is not None:
        for payload in step.hat_step.questions:
            p = _asked(step, p, payload)
    return _unrunnable(step, p)


def _gate_ended(step: Step, x: f.GateEnded) -> People:
    return _unrunnable(step, step.before.people)


def _unrunnable(step: Step, p: People) -> People:
    """A gate that cannot be run is a question to a person."""
    why = step.now.judgement.unrunnable
    return replace(p, question=why) if why and why != step.before.judgement.unrunnable else p


def _event(step: Step, x: f.EventReceived) -> People:
    p = step.before.people
    return _asked(step, p, x.payload) if x.topic == ASK else p


def _asked(step: Step, p: People, payload: str) -> People:
    """How long the loop waits: as the policy says and the agent allows; without a word from either, not at all."""
    found = question(payload)
    most = step.policy.limits.human_timeout_seconds
    return replace(
        p,
        question=found.text,
        asks=p.asks + 1,
        default=found.default,
        ask_seconds=min(found.seconds or most, most or LONGEST_ASK),
        ask_until="",
        late=False,
    )


def _wait_started(step: Step, x: f.WaitStarted) -> People:
    p = step.before.people
    return replace(p, ask_until=x.until) if x.op == ask_id(step.before) else p


def _wait_ended(step: Step, x: f.WaitEnded) -> People:
    """No one answered in time: the agent's default holds, or the loop ends."""
    p = step.before.people
    if not x.elapsed or x.op != ask_id(step.before) or p.question is None:
        return p
    if p.default is None:
        return replace(p, late=True)
    return replace(p, question=None, asked=p.question, answer=p.default, defaulted=True, ask_until="")


def _item_given_up(step: Step, x: f.ItemGivenUp) -> People:
    p = step.before.people
    return replace(p, stuck_reason=None) if x.under_way else p


REDUCERS: Reducers = {
    f.LoopResumed: _resumed,
    f.StopRequested: _stop,
    f.Said: _said,
    f.Paused: _paused,
    f.Continued: _continued,
    f.Answered: _answered,
    f.IterationStarted: _iteration_started,
    f.IterationEnded: _iteration_ended,
    f.GateEnded: _gate_ended,
    f.BoardLooked: lambda step, x: _unrunnable(step, step.before.people),
    f.EventReceived: _event,
    f.WaitStarted: _wait_started,
    f.WaitEnded: _wait_ended,
    f.ItemGivenUp: _item_given_up,
}
