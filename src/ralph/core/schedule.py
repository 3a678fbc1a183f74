"""schedule(run state) -> which loops are wanted now, or how the run ends. Pure and total."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.ends import CODES, RESUMABLE, SOME_TASKS_FAILED, End


class RunState(msgspec.Struct, frozen=True):
    """The tasks of one run, in order, and how far each has come."""

    tasks: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    ended: dict[str, tuple[End, int]] = {}
    stopping: bool = False
    finished: bool = False


class StartLoop(msgspec.Struct, frozen=True):
    task: str


class EndRun(msgspec.Struct, frozen=True):
    code: int


def fold_run(s: RunState, fact: f.Input, task: str = "") -> RunState:
    """`task` says whose loop the fact belongs to."""
    match fact:
        case f.RunStarted():
            return RunState(tasks=fact.tasks)
        case f.LoopStarted():
            return replace(s, running=(*(t for t in s.running if t != fact.task.id), fact.task.id))
        case f.LoopResumed():
            return replace(
                s,
                running=(*(t for t in s.running if t != task), task),
                ended={t: e for t, e in s.ended.items() if t != task},
            )
        case f.LoopEnded():
            return replace(
                s,
                running=tuple(t for t in s.running if t != task),
                ended={**s.ended, task: (fact.end, fact.code)},
                stopping=s.stopping or fact.end in STOPS_THE_RUN,
            )
        case f.StopRequested():
            return replace(s, stopping=True)
        case f.RunEnded():
            return replace(s, finished=True)
    return s


# Ends that say nothing about the one task: the next task would meet the same.
STOPS_THE_RUN: frozenset[End] = frozenset({"interrupted", "stopped", "quota", "agent-unusable", "internal"})


def schedule(s: RunState) -> tuple[StartLoop | EndRun, ...]:
    if s.finished:
        return ()
    if s.running:
        return ()  # one at a time
    waiting = [t for t in s.tasks if t not in s.ended]
    if waiting and not s.stopping:
        return (StartLoop(task=waiting[0]),)
    return (EndRun(code=_code(s)),)


def _code(s: RunState) -> int:
    """One task: its own code. Several: 0 when all are well, 1 when some failed, the stop's own code when cut short."""
    ends = [s.ended[t] for t in s.tasks if t in s.ended]
    if len(s.tasks) == 1 and ends:
        return ends[0][1]
    cut_short = [code for end, code in ends if end in STOPS_THE_RUN and end in RESUMABLE]
    if cut_short:
        return cut_short[-1]
    if s.stopping and len(ends) < len(s.tasks):
        return CODES["stopped"]
    return SOME_TASKS_FAILED if any(code for _, code in ends) else 0
