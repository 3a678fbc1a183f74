"""What runs, what it took, and whether it led anywhere. What counts as progress is decided here. Pure."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop.state import Progress, Running, with_newest
from ralph.core.loop.step import Reducers, Step, is_promise, new_note


def _resumed(step: Step, x: f.LoopResumed) -> Progress:
    """A person wants it to continue after an end: what led to that is forgiven."""
    p = step.before.progress
    return p if step.before.judgement.ended is None else replace(p, no_progress=0, same_tree=0, split=())


def _prepared(step: Step, x: f.WorkspacePrepared) -> Progress:
    return replace(step.before.progress, trees={x.tree: None})


def _tree_changed(step: Step, x: f.WorkspaceChanged) -> Progress:
    return _seen(step.before.progress, x.tree)


def _merged(step: Step, x: f.WorkspaceMerged) -> Progress:
    p = step.before.progress
    counts = step.before.judgement.claim is not None or step.before.landing.returned
    return _seen(p, x.tree) if counts else p


def _seen(p: Progress, tree: str) -> Progress:
    return replace(p, trees=with_newest(p.trees, {tree: None})) if tree else p


def _iteration_started(step: Step, x: f.IterationStarted) -> Progress:
    p = step.before.progress
    op = f"iteration:{x.serial}"
    return replace(
        p,
        serial=max(p.serial, x.serial),
        open={**p.open, op: Running(op=op, what="iteration", tree=x.tree)},
        news=False,
        told=len(p.soft_notes),
        token=x.token,
        scratchpad=x.scratchpad if x.fresh else p.scratchpad,
    )


def _iteration_ended(step: Step, x: f.IterationEnded) -> Progress:
    outcome = step.outcome
    p = _spent(_closed(step.before.progress, f"iteration:{x.serial}"), x)
    p = replace(
        p,
        serial=max(p.serial, x.serial),
        last_how="interrupted" if x.how == "interrupted" else x.cause,
        silent=False,
        stragglers=x.stragglers,
    )
    if outcome.lived:
        p = replace(p, soft_notes=p.soft_notes[p.told :])
    match outcome.kind:
        case "interrupted" | "fault":
            return p
        case "crashed":
            p = _seen(p, x.tree)
            return replace(p, iterations=p.iterations + 1, last_how=f"exit {x.code}")
    p = _moved(step, replace(p, iterations=p.iterations + 1), x)
    if outcome.said is None:
        return p
    p = replace(p, silent=not outcome.said.explicit and step.policy.claim == "signal")
    return _with_events(step, p) if outcome.kind == "spoke" and step.team is not None else p


def _moved(step: Step, p: Progress, x: f.IterationEnded) -> Progress:
    """Progress is a tree or a scratchpad that was not there before, or a new event. A tree that was there before counts
    in the first iteration of a new strategy."""
    moved = x.tree != step.before.workspace.tree
    returned = step.before.judgement.shifted and moved and x.tree in p.trees
    progress = x.tree not in p.trees or returned or p.news or x.scratchpad != p.scratchpad
    return replace(
        p,
        trees=with_newest(p.trees, {x.tree: None}),
        scratchpad=x.scratchpad,
        news=False,
        no_progress=0 if progress else p.no_progress + 1,
        same_tree=0 if moved else p.same_tree + 1,
    )


def _with_events(step: Step, p: Progress) -> Progress:
    """An idle look is no iteration without progress; a new event is one with it."""
    hats = step.hat_step
    if hats.dispatched:
        p = _anew(p)
    if hats.turns.idle or hats.said - p.events.keys():
        return replace(
            p, no_progress=0, same_tree=0, events=with_newest(p.events, dict.fromkeys(sorted(hats.said)))
        )
    return p


def _proposed(step: Step, x: f.TaskProposed) -> Progress:
    """A split of its own task: its parts are worked on in place of it, where there is a list that can hold them."""
    p, identity = step.before.progress, step.before.identity
    if not (x.at_once and x.how == "split" and x.parent == identity.task.id and identity.of_backlog):
        return p
    return replace(p, split=tuple(dict.fromkeys((*p.split, *(task.title for task in x.tasks)))))


def _gate_started(step: Step, x: f.GateStarted) -> Progress:
    p = step.before.progress
    running = Running(op=x.op, what="gate", gate=x.gate, tree=x.tree, swapped=x.swapped)
    return replace(p, open={**p.open, x.op: running})


def _gate_ended(step: Step, x: f.GateEnded) -> Progress:
    return _spent(_closed(step.before.progress, x.op), x)


def _spent(p: Progress, x: f.IterationEnded | f.GateEnded) -> Progress:
    return replace(
        p,
        active_seconds=p.active_seconds + max(0.0, x.seconds),
        tokens=p.tokens + max(0, x.usage.tokens),
        cost_usd=p.cost_usd + max(0.0, x.usage.cost_usd),
        estimated=p.estimated or x.estimated,
    )


def _closed(p: Progress, op: str) -> Progress:
    return replace(p, open={other: r for other, r in p.open.items() if other != op})


def _wait_started(step: Step, x: f.WaitStarted) -> Progress:
    p = step.before.progress
    return replace(p, open={**p.open, x.op: Running(op=x.op, what="wait")})


def _wait_ended(step: Step, x: f.WaitEnded) -> Progress:
    return _closed(step.before.progress, x.op)


def _checkpoint(step: Step, x: f.Checkpoint) -> Progress:
    p = step.before.progress
    if not (key := new_note(p, x)):
        return p
    running = p.open.get(f"iteration:{x.serial}")
    if x.what == "precompact" and running is not None:
        p = replace(p, open={**p.open, running.op: replace(running, full_at=x.seconds)})
    return replace(p, noted=p.noted | {key}, soft_notes=(*p.soft_notes, x.what))


def _event(step: Step, x: f.EventReceived) -> Progress:
    p = step.before.progress
    if is_promise(step, x):
        return p
    said = f"{x.topic} {x.payload}"
    return replace(p, events=with_newest(p.events, {said: None}), news=p.news or said not in p.events)


def _transition_passed(step: Step, x: f.TransitionPassed) -> Progress:
    return _anew(step.before.progress)


def _board_looked(step: Step, x: f.BoardLooked) -> Progress:
    """People put items onto a board while no iteration runs. What was tried so far was about another item."""
    p = _seen(step.before.progress, x.tree)
    return _anew(p) if x.topic else p


def _item_given_up(step: Step, x: f.ItemGivenUp) -> Progress:
    p = _seen(step.before.progress, x.tree)
    return _anew(p) if x.under_way else p


def _anew(p: Progress) -> Progress:
    return replace(p, no_progress=0, same_tree=0)


def _loop_ended(step: Step, x: f.LoopEnded) -> Progress:
    return replace(step.before.progress, open={})


def _tick(step: Step, x: f.Tick) -> Progress:
    return _felt(step.before.progress, x.op, seconds=x.seconds, idle=x.idle)


def _metered(step: Step, x: f.Metered) -> Progress:
    return _felt(step.before.progress, x.op, usage=x.usage)


def _retries(step: Step, x: f.AgentRetries) -> Progress:
    return _felt(step.before.progress, x.op, retry=x.retry)


def _loop_moved(step: Step, x: f.LoopMoved) -> Progress:
    """What an interrupted iteration had edited is lost with its workspace."""
    p, stays = step.before.progress, x.root == step.before.identity.root
    return replace(p, last_how="moved") if p.last_how == "interrupted" and not stays else p


def _felt(p: Progress, op: str, **changes: Any) -> Progress:
    running = p.open.get(op)
    return p if running is None else replace(p, open={**p.open, op: replace(running, **changes)})


REDUCERS: Reducers = {
    f.LoopResumed: _resumed,
    f.LoopMoved: _loop_moved,
    f.WorkspacePrepared: _prepared,
    f.WorkspaceChanged: _tree_changed,
    f.WorkspaceMerged: _merged,
    f.IterationStarted: _iteration_started,
    f.IterationEnded: _iteration_ended,
    f.TaskProposed: _proposed,
    f.GateStarted: _gate_started,
    f.GateEnded: _gate_ended,
    f.WaitStarted: _wait_started,
    f.WaitEnded: _wait_ended,
    f.Checkpoint: _checkpoint,
    f.AgentRetries: _retries,
    f.EventReceived: _event,
    f.TransitionPassed: _transition_passed,
    f.BoardLooked: _board_looked,
    f.ItemGivenUp: _item_given_up,
    f.LoopEnded: _loop_ended,
    f.Tick: _tick,
    f.Metered: _metered,
}
