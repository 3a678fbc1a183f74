"""What a fact means for the hats: which were worn when (wearing.py), and where events are routed, the steps of turns.py.
Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats import activation, routing, turns
from ralph.core.hats import board as scanboard
from ralph.core.hats.model import ASK, COMPLETE, Event, Team
from ralph.core.hats.turns import Routed, Turns
from ralph.core.loop import steering
from ralph.core.loop.attempts import warn

if TYPE_CHECKING:
    from ralph.core.loop.state import LoopState

IDLE = "idle:"  # the wait of an idle loop; its id goes on with the count of events
COOLDOWN = "cooldown:"  # the wait before an iteration; its id goes on with the serial of the one before


def folded(before: LoopState, after: LoopState, fact: f.Input) -> LoopState:
    """The state after a fact, with what was worn and whose turn it is."""
    after = _worn(before, after, fact)
    team = after.policy.routing
    return after if team is None else _turned(team, before, after, fact)


def _worn(before: LoopState, after: LoopState, fact: f.Input) -> LoopState:
    match fact:
        case f.IterationStarted():
            return replace(after, wearing=activation.started(after.wearing, before, fact.hat))
        case f.IterationEnded():
            now = activation.ended(after.wearing, before, after, fact, commits=fact.commits, files=fact.files)
            return replace(after, wearing=now)
    return after


def _turned(team: Team, before: LoopState, after: LoopState, fact: f.Input) -> LoopState:
    after = _accounted(team, before, after, fact)
    after = replace(after, turns=_step(team, before, after, fact))
    if after.claim is not None and not after.claim.held and not after.turns.claim:
        after = replace(after, claim=None, results=())  # something waits, or nobody who may has claimed
    if after.claim is None and isinstance(fact, f.IterationEnded | f.BoardLooked):
        after = _claimed(after, fact)
    if after.claim is None and (after.turns.claim or after.turns.held):
        why = _why(before, after, fact)
        board = scanboard.spent(after.board, reason=why)
        by_gates = after.attempts > before.attempts
        down = turns.turned_down(team, after.turns, why, by_gates=by_gates)
        down = replace(down, latest=(*routed(before, after), *down.latest))
        return replace(after, turns=down, board=board)
    return after


def routed(before: LoopState, after: LoopState) -> tuple[Routed, ...]:
    """What became of events by the fact that lies between these two states."""
    return after.turns.latest if after.turns is not before.turns else ()


def spoken(s: LoopState, x: f.IterationEnded, claims: bool, *, moved: bool) -> tuple[LoopState, bool]:
    """An iteration ended by itself: its events go out. Whether its claim, in whatever way it was made, stands."""
    team = s.policy.routing
    if team is None:
        return s, claims
    hat = team.hat(s.turns.current.hat) if s.turns.current else None
    tags, refused = routing.read(x.said), tuple[Routed, ...]()
    if hat is not None and hat.scanner:
        s, tags = _dispatched(s, x, tags)
        refused = s.turns.latest
        if refused and team.persistent and not (tags or s.turns.said):
            s = replace(s, turns=replace(s.turns, claimed=True))  # nothing else is to be done: that is idle
    now = turns.ended(team, s.turns, tags=tags, claimed=claims, moved=moved)
    now = replace(now, latest=(*refused, *now.latest))
    said = frozenset(
        f"{routed.event.topic} {routed.event.payload}" for routed in now.latest if routed.event.iteration
    )
    s = replace(s, turns=now)
    for question in [tag for tag in tags if tag.topic == ASK]:
        s = steering.asked(s, question.payload)
    if (
        now.idle or said - s.events
    ):  # an idle look is no iteration without progress; a new event is one with it
        s = replace(s, no_progress=0, same_tree=0, events=s.events | said)
    if now.idle:
        s = replace(s, unchecked=0)
    return s, bool(now.claim)


def board_looked(s: LoopState, x: f.BoardLooked) -> LoopState:
    """People put items onto a board while nobody works: that is no edit behind anybody's back. What was tried so far was
    about another item, or another phase."""
    s = replace(s, tree=x.tree, trees=s.trees | {x.tree}) if x.tree else s
    return _anew(replace(s, item_tree=x.tree)) if x.topic else s


def transition_passed(s: LoopState, x: f.TransitionPassed) -> LoopState:
    """What was tried so far was about this transition: the next one begins anew."""
    return _anew(replace(s, claim=None, results=(), unchecked=0))


def _anew(s: LoopState) -> LoopState:
    s = replace(s, attempts=0, history=(), streak=0, streak_hash="", under_shift=0)
    return replace(s, no_progress=0, same_tree=0)


def item_given_up(s: LoopState, x: f.ItemGivenUp) -> LoopState:
    board = scanboard.gave_up(s.board, x.item, x.folder, x.reason)
    if x.tree:
        s = replace(s, tree=x.tree, trees=s.trees | {x.tree})
    if x.under_way:
        s = _anew(
            replace(s, claim=None, results=(), unchecked=0, stuck_reason=None, no_progress=0, same_tree=0)
        )
    now = f"is in {x.to}/ now" if x.to else "is marked as failed"
    return warn(replace(s, board=board), f"item {x.item}", f"{x.item} {now}: {x.reason}")


def _step(team: Team, before: LoopState, after: LoopState, fact: f.Input) -> Turns:
    now = after.turns
    match fact:
        case f.LoopStarted():
            return turns.start(team)
        case f.LoopResumed() if before.ended is not None:
            return turns.again(team, now)
        case f.IterationStarted():
            return turns.began(team, now, fact.serial, fact.hat)
        case f.EventReceived():
            return turns.emitted(team, now, Event(fact.topic, fact.payload, iteration=fact.serial))
        case f.IterationEnded() if now.current is not None:  # not by itself, or it would have spoken
            how: turns.How = "interrupted" if fact.how == "interrupted" or fact.fault else "unfinished"
            return turns.ended(team, now, how, moved=fact.tree != before.tree)
        case f.WaitEnded(elapsed=True) if fact.op.startswith(IDLE) and now.idle:
            return turns.resumed(team, now)
        case f.TransitionPassed():
            return turns.passed(team, now)
        case f.ItemGivenUp(under_way=True):
            return turns.abandoned(team, now, f"{fact.item} was given up")
        case f.BoardLooked():
            return turns.looked(team, now, fact.topic or COMPLETE, fact.payload or fact.item, over=fact.over)
    return now


def _accounted(team: Team, before: LoopState, s: LoopState, fact: f.Input) -> LoopState:
    """What is known of the board's items; and that a cool-down has passed."""
    match fact:
        case f.WaitEnded(elapsed=True) if fact.op.startswith(COOLDOWN):
            return replace(s, cooled=s.serial + 1)
        case f.BoardLooked():
            hat = team.hat(fact.hat)
            if hat is None or hat.scan is None:
                return s
            board = scanboard.accounted(hat.scan, s.board, fact.there)
            if fact.topic:
                board = scanboard.taken(board, fact.folder, fact.item)
            return replace(s, board=board)
        case f.IterationEnded() if s.board.under_way:
            reason = fact.fault_text or (f"{fact.cause}: cut off" if fact.cause else "")
            board = scanboard.spent(
                s.board,
                cost_usd=fact.usage.cost_usd,
                tokens=fact.usage.tokens,
                seconds=fact.seconds,
                reason=reason if fact.how != "interrupted" else "",
                item=_worked_on(before),
            )
            return replace(s, board=board)
    return s


def _worked_on(s: LoopState) -> str:
    """The item that the iteration under way was called for; not always the last that was dispatched."""
    events = s.turns.current.events if s.turns.current else ()
    names = [name for event in events for name in (event.payload, event.payload.partition(": ")[0])]
    return next((name for name in names if name in s.board.items), s.board.under_way)


def _claimed(s: LoopState, fact: f.IterationEnded | f.BoardLooked) -> LoopState:
    """An event waits for the gates, or Ralph itself found that there is nothing left to do."""
    from ralph.core.loop.gate_results import judged
    from ralph.core.loop.state import Claim

    if s.turns.held:
        return judged(replace(s, claim=Claim(serial=s.serial, tree=s.tree, held=True), results=()))
    if s.turns.claim and isinstance(fact, f.BoardLooked):
        return judged(replace(s, claim=Claim(serial=s.serial, tree=s.tree, summary=fact.why), results=()))
    return s


def _dispatched(
    s: LoopState, x: f.IterationEnded, tags: tuple[Event, ...]
) -> tuple[LoopState, tuple[Event, ...]]:
    """An agent looks for work: the same again and again, with nothing moved, is refused."""
    kept: list[Event] = []
    said = list(s.turns.said)
    known = {(event.topic, event.payload) for event in said}
    tags = tuple(tag for tag in dict.fromkeys(tags) if (tag.topic, tag.payload) not in known)  # said once
    s = replace(s, turns=replace(s.turns, latest=()))
    for event in (*said, *tags):
        repeats = scanboard.dispatched(s.repeats, event, x.places.get(event.payload, ""))
        s = replace(s, repeats=repeats)
        why = scanboard.repeat_refusal(repeats)
        if not why:
            kept.append(event)
            continue
        s = warn(s, f"repeats {event.topic}", why)
        s = replace(s, turns=turns.refused(s.turns, event, why))
    return replace(s, turns=replace(s.turns, said=tuple(e for e in said if e in kept))), tuple(
        e for e in tags if e in kept
    )


def _why(before: LoopState, after: LoopState, fact: f.Input) -> str:
    """Why a claim that stood does not stand any more."""
    if after.attempts > before.attempts and after.history:
        last = after.history[-1]
        return f"{last.gate}: {last.headline}"
    if isinstance(fact, f.GateEnded):
        return f"{fact.gate}: {fact.headline or 'it says two things about one tree'}"
    if after.conflicts:
        return f"merge conflicts: {', '.join(after.conflicts[:5])}"
    return after.refusal or "the tree is not the one that was claimed"
