"""fold(state, fact) -> state. Pure and total: each fact goes once through the slices that it concerns, in one fixed order.

The order says what a reducer may read: all of the state before the fact, and of the state after it the slices above its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop.reducers import (
    agents,
    hats,
    identity,
    judgement,
    landing,
    people,
    progress,
    warnings,
    workspace,
)
from ralph.core.loop.state import LoopState
from ralph.core.loop.step import Reducers, Step

SLICES: dict[str, Reducers] = {
    "identity": identity.REDUCERS,
    "progress": progress.REDUCERS,
    "workspace": workspace.REDUCERS,
    "agents": agents.REDUCERS,
    "landing": landing.REDUCERS,
    "judgement": judgement.REDUCERS,
    "people": people.REDUCERS,
    "hats": hats.REDUCERS,
    "warnings": warnings.REDUCERS,
}
# kind of fact -> the slices that it concerns, in order
_BY_FACT: dict[type, tuple[tuple[str, Callable[[Step, Any], Any]], ...]] = {
    kind: tuple((name, reducers[kind]) for name, reducers in SLICES.items() if kind in reducers)
    for kind in dict.fromkeys(kind for reducers in SLICES.values() for kind in reducers)
}


def _concerned(fact: f.Input) -> tuple[tuple[str, Callable[[Step, Any], Any]], ...]:
    concerned = _BY_FACT.get(type(fact), ())
    if isinstance(fact, f.GateStarted | f.GateEnded) and fact.purpose == "land":
        # A lander judges another tree than the loop's. The loop is told by `landing.returned`.
        return tuple(one for one in concerned if one[0] == "progress")
    return concerned


def fold(s: LoopState, fact: f.Input) -> LoopState:
    if not (concerned := _concerned(fact)):
        return s
    step = Step(s if type(fact) is not f.LoopStarted else LoopState(), fact)
    for name, reduce in concerned:
        step.now = replace(step.now, **{name: reduce(step, fact)})
    return step.now


def fold_all(facts: Iterable[f.Input], s: LoopState | None = None) -> LoopState:
    state = s or LoopState()
    for fact in facts:
        state = fold(state, fact)
    return state
