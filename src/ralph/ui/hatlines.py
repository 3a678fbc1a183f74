"""Hats, events and boards as plain lines, for the terminal and the log. Pure: facts and the state after them in, text out."""

from __future__ import annotations

from ralph.core import facts as f
from ralph.core.eventview import line
from ralph.core.figures import duration
from ralph.core.hatfold import COOLDOWN, IDLE
from ralph.core.hats import ASK, TURNED_DOWN, Event, Team
from ralph.core.queue import Routed
from ralph.core.routing import shown_topic
from ralph.core.state import LoopState
from ralph.core.text import few, one_line

_SHOWN = 10  # events of one fact
_REFUSED, _ASIDE, _STALE = "refused: ", "the claim is set aside: ", "stale: "
_PAYLOAD = 80


def title(s: LoopState, hat: str) -> str:
    """A hat's name for people; the coordinator has none."""
    found = s.policy.team.hat(hat) if s.policy.team is not None else None
    return found.title if found else hat or "coordinator"


def about(events: tuple[Event, ...]) -> str:
    """What an iteration is about, as in "work.propose item-1.txt"."""
    return few([f"{shown_topic(e.topic)} {one_line(e.payload, _PAYLOAD)}".rstrip() for e in events], 3)


def worn(x: f.IterationStarted, s: LoopState) -> tuple[str, list[str]]:
    """How the line of an iteration's start goes on, and lines below it."""
    turn = s.turns.current
    if s.policy.routing is None or turn is None:
        why = [f"  {x.hat}: {x.hat_why.removeprefix(f'{x.hat}: ')}"] if x.hat_why else []
        return (f" as {x.hat}" if x.hat else ""), why
    told = f" as {title(s, x.hat)}" + (f": {about(turn.events)}" if turn.events else "")
    if x.fresh:
        told += ", notes cleared"
    plain = x.hat and not s.turns.aside  # that a hat names the event goes without saying
    return told, [] if plain or not x.hat_why else [f"  {x.hat_why}"]


def spoke(x: f.IterationEnded, s: LoopState) -> str:
    """What an iteration under hats said, in place of a signal."""
    if s.turns.idle:
        return f"idle ({shown_topic(_promise(s))})"
    events = [routed for routed in _accepted(s) if routed.event.iteration == x.serial]
    return about(s.turns.held) or few([_led(s, routed) for routed in events], 3) or "no event"


def after(fact: f.AnyFact, s: LoopState) -> list[str]:
    """What besides became of events by this fact: refused, set aside, published by Ralph itself."""
    match fact:
        case (
            f.LoopStarted() | f.IterationStarted() | f.IterationEnded() | f.EventReceived() | f.BoardLooked()
        ):
            latest = s.turns.latest
        case f.GateEnded() | f.WorkspaceMerged() if s.claim is None:
            latest = tuple(r for r in s.turns.latest if r.event.topic in TURNED_DOWN)
        case _:
            return []
    shown = [warned for routed in latest if (warned := _warning(routed))]
    if isinstance(fact, f.IterationEnded | f.BoardLooked):  # whose own events are in its line
        looked = fact.hat if isinstance(fact, f.BoardLooked) else None
        latest = tuple(r for r in latest if not r.event.iteration and r.event.hat != looked)
    shown += [f"event {_led(s, r)}" for r in latest if _went(r) and not _completes(s, r.event)][:_SHOWN]
    return shown


def received(x: f.EventReceived, s: LoopState) -> list[str]:
    """With hats it is told of when it is routed: an agent's at the end of its iteration, a person's at once."""
    if s.policy.routing is None or x.topic == ASK:
        return [f"event {x.topic} {x.payload}".rstrip()[:200]]
    return []


def board_looked(x: f.BoardLooked, s: LoopState) -> list[str]:
    """An idle board is told of once, however often it is looked at."""
    if x.topic:
        where = f"(in {place(s, x.folder)})"
        return [f"board: {shown_topic(x.topic)} {one_line(x.item, _PAYLOAD)} {where}"]
    if x.over or not s.turns.idle:
        return [f"board: {x.why}"]
    pause = s.policy.team.cooldown if s.policy.team else 0.0
    return [f"board: {x.why}; idle, looks again every {duration(max(pause, 1.0))}"] if first_idle(s) else []


def first_idle(s: LoopState) -> bool:
    """Whether somebody has worked since the loop was idle before."""
    return s.turns.worked or s.turns.cycle == 1


def rests(x: f.WaitStarted) -> bool:
    """It waits as hats do, for want of work or to cool down."""
    return x.op.startswith((IDLE, COOLDOWN))


def rest(x: f.WaitStarted, s: LoopState) -> list[str]:
    if x.op.startswith(COOLDOWN):
        return [f"cool-down of {duration(x.seconds)}"]
    scans = s.policy.team is not None and any(hat.scan for hat in s.policy.team.hats)
    return [] if scans else [f"idle, looks again in {duration(x.seconds)}"]


def given_up(x: f.ItemGivenUp, s: LoopState) -> list[str]:
    how = f"is in {x.to}/ now" if x.to else f"is marked as failed in {place(s, x.folder)}"
    kept = [f"what was made of it is undone and saved: {x.saved}"] if x.saved else []
    return [f"warning: {x.item} {how}: {x.reason}", *kept]


def place(s: LoopState, folder: str) -> str:
    """Where an item of a board is: a folder, or the file of a backlog."""
    return one_line(folder, _PAYLOAD) + ("" if of_backlog(s.policy.team, folder) else "/")


def of_backlog(team: Team | None, folder: str) -> bool:
    """Whether items that were found there are tasks of a backlog."""
    backlogs = [hat.scan.backlog for hat in team.hats if hat.scan is not None] if team is not None else []
    return any(backlog is not None and backlog.file == folder for backlog in backlogs)


def passed_on(x: f.TransitionPassed, s: LoopState) -> list[str]:
    went = few([_led(s, routed) for routed in _accepted(s)], 3)
    return [f"gates passed: {went}" if went else "gates passed"]


def _accepted(s: LoopState) -> list[Routed]:
    return [routed for routed in s.turns.latest if _went(routed)]


def _went(routed: Routed) -> bool:
    """It is an event of the loop's, and this is not what became of it later."""
    return routed.event.n > 0 and not routed.why.startswith(_STALE)


def _completes(s: LoopState, event: Event) -> bool:
    return s.policy.team is not None and s.policy.team.completes(event.topic)


def _led(s: LoopState, routed: Routed) -> str:
    if routed.triggered:
        return f"{about((routed.event,))} → {', '.join(title(s, hat) for hat in routed.triggered)}"
    if _completes(s, routed.event):
        return shown_topic(routed.event.topic)
    return f"{about((routed.event,))} → coordinator"


def _warning(routed: Routed) -> str:
    if routed.why.startswith((_REFUSED, _ASIDE)):
        return f"warning: {line(routed)}"
    return ""


def _promise(s: LoopState) -> str:
    return s.policy.team.completion_promise if s.policy.team else s.policy.completion_promise
