"""schedule(run state, ready tasks) -> which loops are wanted now, or how the run ends. Pure and total."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import CODES, DONE, SOME_TASKS_FAILED, STOPS_THE_RUN, USAGE_ERROR, End
from ralph.core.facts import RunReviewed
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy
from ralph.text import count, few


class RunState(msgspec.Struct, frozen=True):
    """The tasks of one run, in order, and how far each has come."""

    tasks: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    ended: dict[str, tuple[End, int]] = {}
    stopping: bool = False
    at_once: bool = False  # not after what is under way
    cancelled: bool = False
    paused: bool = False  # by a person: nothing new begins
    limit: str = ""  # of the run, that was reached
    finished: bool = False
    # The change as a whole: of this run and of those before it that were cut short and that it continues with.
    runs: tuple[str, ...] = ()
    target: str = ""
    base: str = ""  # the target's tip before them
    tip: str = ""  # the last commit that they landed on it; empty: nothing
    reviews: tuple[f.RunReviewed, ...] = ()  # what was said of the change up to that tip
    reviewing: str = ""  # who looks at it now
    ending: bool = False  # reviewers are being asked: no further task is begun


class StartLoop(msgspec.Struct, frozen=True):
    task: str


class ReviewRun(msgspec.Struct, frozen=True):
    """Ask this reviewer about the whole change of the run."""

    gate: str


class StopRun(msgspec.Struct, frozen=True):
    """A limit of the run is reached: what is under way is ended, and nothing more is begun."""

    limit: str


class EndRun(msgspec.Struct, frozen=True):
    code: int


Step = StartLoop | ReviewRun | StopRun | EndRun


class RunSpent(msgspec.Struct, frozen=True):
    """What this life of a run has used up, also by what is still under way."""

    seconds: float = 0.0
    cost_usd: float = 0.0
    tokens: int = 0


class Work(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a run goes through a backlog."""

    parallel: int = 1
    most: int = 0  # tasks to begin; 0: as many as there are
    watch: bool = False  # when nothing is left to do, wait for more
    only: str = ""  # this task, or those below it
    poll_seconds: float = 1.0  # between two looks at the backlog when nothing happens
    gates_at_once: int = 1
    share: tuple[str, ...] = ()  # ignored folders of the checkout that every workspace gets a copy of
    at_end: tuple[GatePolicy, ...] = ()  # reviewers who look at the whole change once every task is over
    # What the whole run may use up; 0: no limit.
    max_run_seconds: float = 0.0
    max_run_cost_usd: float = 0.0
    max_run_tokens: int = 0
    generations: int = 1  # of tasks that agents propose; those beyond wait until a person accepts them


def fold_run(s: RunState, fact: f.Input, task: str = "") -> RunState:
    """`task` says whose loop the fact belongs to."""
    match fact:
        case f.RunStarted():
            return _begun(s, fact)
        case f.LoopStarted():
            return _began(s, fact.task.id)
        case f.LoopResumed():
            return _began(s, task)
        case f.LoopEnded():
            return replace(
                s,
                running=tuple(t for t in s.running if t != task),
                ended={**s.ended, task: (fact.end, fact.code)},
                stopping=s.stopping or fact.end in STOPS_THE_RUN,
            )
        case f.StopRequested():
            return replace(
                s,
                stopping=True,
                at_once=s.at_once or fact.how != "graceful",
                cancelled=s.cancelled or fact.how == "cancel",
                limit=s.limit or (fact.by if fact.by in RUN_LIMITS else ""),
            )
        case f.Answered():  # a loop that waited for it goes on
            return replace(s, ended={t: e for t, e in s.ended.items() if t != task})
        case f.Paused(task="") | f.Continued(task=""):
            return replace(s, paused=isinstance(fact, f.Paused))
        case f.Landed():
            # What was said is about another change now.
            return replace(s, tip=fact.commit, reviews=()) if fact.how == "merge" else s
        case f.RunReviewStarted():
            return replace(s, reviewing=fact.gate, ending=True)
        case f.RunReviewed():
            return replace(s, reviewing="", reviews=(*s.reviews, fact))
        case f.RunEnded():
            return replace(s, finished=True)
    return s


def _begun(s: RunState, x: f.RunStarted) -> RunState:
    """A run continues with the one before when that died or was stopped: what both land is looked at as one change."""
    if x.target and x.target == s.target and (s.stopping or not s.finished):
        whole = RunState(runs=s.runs, target=s.target, base=s.base, tip=s.tip, reviews=s.reviews)
    else:
        whole = RunState(target=x.target, base=x.tip)
    return replace(whole, tasks=x.tasks, runs=(*whole.runs, x.run))


def _began(s: RunState, task: str) -> RunState:
    return replace(
        s,
        tasks=s.tasks if task in s.tasks else (*s.tasks, task),
        running=(*(t for t in s.running if t != task), task),
        ended={t: e for t, e in s.ended.items() if t != task},
    )


NOTHING_BEGUN = USAGE_ERROR


RUN_LIMITS = ("max_run_seconds", "max_run_cost_usd", "max_run_tokens")
_NOTHING = RunSpent()


def reached(work: Work, spent: RunSpent) -> str:
    """The first limit of the run that is used up; empty: none is."""
    used = (spent.seconds, spent.cost_usd, spent.tokens)
    most = (work.max_run_seconds, work.max_run_cost_usd, work.max_run_tokens)
    return next((name for name, u, m in zip(RUN_LIMITS, used, most, strict=True) if m and u >= m), "")


def schedule(
    s: RunState,
    ready: Sequence[str],
    work: Work,
    whole: Collection[str] = (),
    spent: RunSpent = _NOTHING,
) -> tuple[Step, ...]:
    """What to begin now, of the tasks that could be worked on, the most urgent first. Nothing: wait, for a loop or for
    someone to add a task. `whole`: tasks that are done without a loop that says so: split in place of failing, with every
    part done; or done by a run that died before it could write so."""
    if s.finished:
        return ()
    if not s.stopping and (limit := reached(work, spent)):
        return (StopRun(limit),)
    if s.reviewing:
        return ()
    left = max(0, work.most - len(s.tasks)) if work.most else len(ready)
    free = 0 if s.stopping or s.ending else work.parallel - len(s.running)
    wanted = [t for t in ready if t not in s.running and t not in s.ended]
    again = [t for t in wanted if t in s.tasks]  # begun already: it waited for a person
    begin = [*again, *[t for t in wanted if t not in s.tasks][:left]][: max(0, free)]
    if begin and s.paused:
        return ()
    if begin:
        return tuple(StartLoop(task=t) for t in begin)
    used_up = s.stopping or (work.most and len(s.tasks) >= work.most)
    if s.running or (work.watch and not used_up):
        return ()
    if s.tip and not s.stopping and (gate := next_of(work.at_end, s.reviews)):
        return (ReviewRun(gate=gate),)
    return (EndRun(code=_code(s, work, whole)),)


def _code(s: RunState, work: Work, whole: Collection[str]) -> int:
    """A task that was asked for by name speaks for itself; one that could not be begun was asked for in error. Several: 0
    when all are well, 1 when some failed, the stop's own code when cut short."""
    if s.limit:
        return CODES["limit"]
    if work.only and len(s.tasks) == 1 and s.tasks[0] in s.ended:
        return s.ended[s.tasks[0]][1]
    if s.cancelled:
        return CODES["cancelled"]
    if work.only and not s.tasks and not s.stopping and not any(is_under(t, work.only) for t in whole):
        return NOTHING_BEGUN
    cut_short = [code for end, code in s.ended.values() if end in STOPS_THE_RUN]
    if cut_short:
        return cut_short[-1]
    if s.stopping:
        return CODES["stopped"]
    codes = (code for task, (_, code) in s.ended.items() if task not in whole)
    return SOME_TASKS_FAILED if any(codes) else 0


def is_under(task: str, only: str) -> bool:
    return task == only or task.startswith(f"{only}.")


def why_over(s: RunState, work: Work, ready: Sequence[str]) -> str:
    """Why a run ends that has nothing left to do: the end of its only loop, where it is about one task."""
    ends = [end for end, _ in s.ended.values()]
    if s.limit:
        return f"limit: {s.limit}"
    if work.only and len(s.tasks) == 1 and ends:
        return ends[0]
    if s.cancelled:
        return "cancelled"
    if cut_short := [end for end in ends if end in STOPS_THE_RUN]:
        return cut_short[-1]
    if s.stopping:
        return "stopped"
    if not s.tasks:
        return "nothing is ready"
    done = sum(end in DONE for end in ends)
    came_to = f"{done} done" + (f", {len(ends) - done} not" if len(ends) > done else "")
    if work.most and len(s.tasks) >= work.most and any(task not in s.ended for task in ready):
        return f"limit of {count(work.most, 'task')}: {came_to}"
    return f"nothing more is ready: {came_to}"


def latest(reviews: Sequence[RunReviewed]) -> tuple[RunReviewed, ...]:
    """The last word of each reviewer: one who was interrupted is asked again by the run that goes on."""
    return tuple({review.gate: review for review in reviews}.values())


def next_of(reviewers: Sequence[GatePolicy], reviews: Sequence[RunReviewed]) -> str:
    """The first who has not been heard to the end. No verdict, and no time left, are answers too: no one is asked twice."""
    heard = {review.gate for review in reviews if review.how == "exited"}
    return next((reviewer.name for reviewer in reviewers if reviewer.name not in heard), "")


def is_consensus(reviews: Sequence[RunReviewed]) -> bool:
    """Everyone who was to be asked says PASS."""
    said = latest(reviews)
    return bool(said) and all(r.passed for r in said) and set(said[-1].asked) <= {r.gate for r in said}


def together(reviews: Sequence[RunReviewed]) -> str:
    """In a line; empty when no one has said anything."""
    said = latest(reviews)
    if not said:
        return ""
    if is_consensus(said):
        return f"consensus: {few([r.gate for r in said])} {'says' if len(said) == 1 else 'say'} PASS"
    heard = {r.gate for r in said}
    parts = [
        (sorted(r.gate for r in said if r.passed), "PASS"),
        (sorted(r.gate for r in said if not r.passed and not r.unclear), "FAIL"),
        (sorted(r.gate for r in said if r.unclear), "no verdict"),
        (sorted(set(said[-1].asked) - heard), "not asked"),
    ]
    return "no consensus: " + "; ".join(f"{few(names)}: {word}" for names, word in parts if names)


def red_start(x: f.GateEnded, s: LoopState, ready: int) -> str:
    """What to say of a gate that is red before any work, where several tasks are to be judged by it: each would have to make
    all of it green. Empty: nothing."""
    gate, policy = s.gate(x.gate), s.identity.policy
    if x.purpose != "base" or x.passed or x.cannot_run or ready < 2 or gate is None or not gate.hard:
        return ""
    if s.identity.task.gates or policy.baseline != "green":
        return ""
    return (
        f"gate {x.gate} is red before any work, and {ready} tasks are ready: each of them has to make all of it green. "
        'Give each task its own check (`"gates": ["pytest tests/test_a.py"]` in its line), or set '
        "`baseline: allow-red` in ralph.yml: then only new failures count"
    )
