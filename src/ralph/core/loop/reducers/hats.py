"""Which hat is worn, whose turn it is, what is known of the board. The last slice but the warnings: a claim that does not stand
any more is an event for the hats. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats import activation, turns
from ralph.core.hats import board as scanboard
from ralph.core.hats.board import Board
from ralph.core.hats.model import Team
from ralph.core.hats.steps import COOLDOWN
from ralph.core.loop.state import Hats, LoopState
from ralph.core.loop.step import Reducers, Step, read_signal


def _iteration_started(step: Step, x: f.IterationStarted) -> Hats:
    h = step.before.hats
    h = replace(h, hat=x.hat, wearing=activation.started(h.wearing, step.before, x.hat))
    return _turned(step, h)


def _iteration_ended(step: Step, x: f.IterationEnded) -> Hats:
    h = step.before.hats
    crashed = step.outcome.kind == "crashed"
    said = read_signal(step.before, x) if x.how == "exited" and not crashed else None
    signal = said.word if said and said.explicit else ""
    wearing = activation.ended(h.wearing, step.before, step.now, x, crashed=crashed, signal=signal)
    h = _turned(step, replace(h, wearing=wearing))
    if step.team is None:
        return h
    h = replace(h, item_tree=x.tree) if step.hat_step.dispatched else h
    return replace(h, board=_paid_for(step, x, h.board))


def _paid_for(step: Step, x: f.IterationEnded, board: Board) -> Board:
    """What the iteration took goes to the item that it was about."""
    turn = step.before.hats.turns.current
    hat = step.team.hat(turn.hat) if step.team and turn else None
    if hat is not None and hat.scanner:
        return board
    name = _worked_on(step.before.hats)
    board = scanboard.working_on(board, name)
    reason = x.fault_text or (f"{x.cause}: cut off" if x.cause else "")
    return scanboard.spent(
        board,
        cost_usd=x.usage.cost_usd,
        tokens=x.usage.tokens,
        seconds=x.seconds,
        reason=reason if x.how != "interrupted" else "",
        item=name,
    )


def _worked_on(h: Hats) -> str:
    """The item that the iteration under way was called for; not always the last that was dispatched."""
    events = h.turns.current.events if h.turns.current else ()
    names = [name for event in events for name in (event.payload, event.payload.partition(": ")[0])]
    return next((name for name in names if name in h.board.items), h.board.under_way)


def _board_looked(step: Step, x: f.BoardLooked) -> Hats:
    h = step.before.hats
    if x.topic:
        h = replace(h, item_tree=x.tree)
    hat = step.team.hat(x.hat) if step.team else None
    if hat is not None and hat.scan is not None:
        board = scanboard.accounted(hat.scan, h.board, x.there)
        return _turned(step, h, scanboard.taken(board, x.folder, x.item) if x.topic else board)
    return _turned(step, h)


def _item_given_up(step: Step, x: f.ItemGivenUp) -> Hats:
    h = step.before.hats
    return _turned(step, h, scanboard.gave_up(h.board, x.item, x.folder, x.reason, x.content))


def _wait_ended(step: Step, x: f.WaitEnded) -> Hats:
    h = step.before.hats
    if step.policy.team is not None and x.elapsed and x.op.startswith(COOLDOWN):
        h = replace(h, cooled=step.now.progress.serial + 1)
    return _turned(step, h)


def _others(step: Step, x: f.Input) -> Hats:
    return _turned(step, step.before.hats)


def _turned(step: Step, h: Hats, board: Board | None = None) -> Hats:
    """Whose turn it is by this fact; a claim, or an event that waited for the gates, and does not stand is routed as one more
    event."""
    if (team := step.team) is None:
        return h
    now = step.hat_step
    h = replace(h, turns=now.turns, board=now.board if board is None else board)
    if step.now.judgement.claim is not None or not (now.turns.claim or now.turns.held):
        return h
    return _rejected(step, team, h)


def _rejected(step: Step, team: Team, h: Hats) -> Hats:
    before, after = step.before, step.now
    why = _why(after, before, step.fact)
    by_gates = after.judgement.attempts > before.judgement.attempts
    down = turns.turned_down(team, h.turns, why, by_gates=by_gates)
    earlier = h.turns.latest if h.turns is not before.hats.turns else ()
    return replace(
        h,
        turns=replace(down, latest=(*earlier, *down.latest)),
        board=scanboard.spent(h.board, reason=why),
    )


def _why(after: LoopState, before: LoopState, fact: f.Input) -> str:
    """Why a claim that stood does not stand any more."""
    if after.judgement.attempts > before.judgement.attempts and after.judgement.history:
        last = after.judgement.history[-1]
        return f"{last.gate}: {last.headline}"
    if isinstance(fact, f.GateEnded):
        return f"{fact.gate}: {fact.headline or 'it says two things about one tree'}"
    if after.landing.conflicts:
        return f"merge conflicts: {', '.join(after.landing.conflicts[:5])}"
    return after.judgement.refusal or "the tree is not the one that was claimed"


REDUCERS: Reducers = {
    f.LoopStarted: _others,
    f.LoopResumed: _others,
    f.WorkspaceChanged: _others,
    f.WorkspaceMerged: _others,
    f.LandingReturned: _others,
    f.IterationStarted: _iteration_started,
    f.IterationEnded: _iteration_ended,
    f.GateEnded: _others,
    f.EventReceived: _others,
    f.WaitEnded: _wait_ended,
    f.TransitionPassed: _others,
    f.BoardLooked: _board_looked,
    f.ItemGivenUp: _item_given_up,
}
