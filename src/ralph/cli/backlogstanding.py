"""How a run over a backlog stands: the tasks under way, what became of the others, what is left. `ralph status --json`
prints it. Reads only. Fields are only ever added: scripts depend on their names."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ralph.backlog import JsonlBacklog
from ralph.cli.standing import Standing, standing
from ralph.core import facts as f
from ralph.core.consensus import together
from ralph.core.ends import DONE
from ralph.core.fold import fold_all
from ralph.core.next import what_next
from ralph.core.schedule import STOPS_THE_RUN
from ralph.core.state import LoopState
from ralph.core.tasks import STATUSES
from ralph.core.text import few
from ralph.driver.loops import needs_a_person, waiting
from ralph.journal.record import Record
from ralph.journal.runs import BacklogRun, loops_of
from ralph.workspace import Repo

_STILL = ("blocked", "in_progress")  # the second: its run died before it could write


class Outcome(msgspec.Struct, frozen=True):
    """A loop of the run that is over, or parked."""

    task: str
    title: str
    loop: str
    end: str
    reason: str
    done: bool
    iterations: int
    attempts: int
    active_seconds: float
    tokens: int
    cost_usd: float
    estimated: bool
    commit: str  # that it landed as
    ref: str  # and where
    branch: str  # that keeps what was not proven
    next: str  # what a person can do for it


class BacklogStanding(msgspec.Struct, frozen=True):
    run: str
    began: str
    ended: str
    code: int | None
    state: str  # working, reviewing, paused, idle, ended, died
    under_way: list[Standing]
    outcomes: list[Outcome]
    counts: dict[str, int]  # of the tasks that are work, by status, in the file
    ready: int
    problems: int  # lines of the file that cannot be worked on
    active_seconds: float
    tokens: int
    cost_usd: float
    estimated: bool
    parked: list[Outcome]  # what waits for a person, also of earlier runs
    reviewing: str  # who looks at the whole run now
    reviews: tuple[f.RunReviewed, ...]  # and what was said of it
    consensus: str  # all of that in a line; empty when nothing was said
    next: str


def backlog_standing(run: BacklogRun, records: list[Record], repo: Repo, *, live: bool) -> BacklogStanding:
    loops = [
        (fold_all(f.decode(r.data) for r in own), own)
        for own in loops_of(records, run.id, repo.root).values()
    ]
    under_way = [standing(s, own, repo, live=live) for s, own in loops if s.ended is None]
    outcomes = [_outcome(s) for s, _ in loops if s.ended is not None]
    backlog = JsonlBacklog(Path(run.file), repo.state_dir) if Path(run.file).is_file() else None
    parked = _parked(records, repo, backlog)
    ready = len(backlog.ready()) if backlog else 0
    problems = len(backlog.problems()) if backlog else 0
    at_work = "working" if under_way else "reviewing" if run.reviewing else "paused" if run.paused else "idle"
    state = at_work if live else "ended" if run.ended else "died"
    return BacklogStanding(
        run=run.id,
        began=run.began,
        ended=run.ended,
        code=run.code,
        state=state,
        under_way=under_way,
        outcomes=outcomes,
        counts=_counted(backlog),
        ready=ready,
        problems=problems,
        active_seconds=round(
            sum(s.active_seconds for s, _ in loops) + sum(x.seconds for x in run.reviews), 1
        ),
        tokens=sum(s.tokens for s, _ in loops) + sum(x.usage.tokens for x in run.reviews),
        cost_usd=sum(s.cost_usd for s, _ in loops) + sum(x.usage.cost_usd for x in run.reviews),
        estimated=any(s.estimated for s, _ in loops) or any(x.estimated for x in run.reviews),
        reviewing=run.reviewing if live else "",
        reviews=run.reviews,
        consensus=together(run.reviews),
        parked=parked,
        next=_next(state, under_way, outcomes, parked, ready, problems),
    )


def _outcome(s: LoopState) -> Outcome:
    return Outcome(
        task=s.task.id,
        title=s.task.title,
        loop=s.loop,
        end=s.ended or "",
        reason=s.end_reason,
        done=s.ended in DONE,
        iterations=s.iterations,
        attempts=s.attempts,
        active_seconds=round(s.active_seconds, 1),
        tokens=s.tokens,
        cost_usd=s.cost_usd,
        estimated=s.estimated,
        commit=s.landed.commit if s.landed else "",
        ref=s.landed.ref if s.landed else "",
        branch=s.end_branch,
        next=what_next(s.ended, s) if s.ended else "",
    )


def _parked(records: list[Record], repo: Repo, backlog: JsonlBacklog | None) -> list[Outcome]:
    """Not those that somebody has reopened, completed or cancelled since."""
    found = (one.state for one in waiting(records, repo).values())
    return [
        _outcome(s)
        for s in found
        if needs_a_person(s) and backlog and (task := backlog.get(s.task.id)) and task.status in _STILL
    ]


def _counted(backlog: JsonlBacklog | None) -> dict[str, int]:
    counts: dict[str, int] = dict.fromkeys(STATUSES, 0)
    for task in backlog.all() if backlog else ():
        if backlog and backlog.forest.is_leaf(task.id):
            counts[backlog.status(task.id)] += 1
    return counts


def _next(
    state: str,
    under_way: list[Standing],
    outcomes: list[Outcome],
    parked: list[Outcome],
    ready: int,
    problems: int,
) -> str:
    if state == "working" and any(x.state != "paused" for x in under_way):
        named = few([x.task for x in under_way], 3)
        first = under_way[0].task
        return (
            f"`ralph logs --task {first} --follow` shows what happens ({named}); "
            "`ralph stop` ends it after the iterations."
        )
    if state == "reviewing":
        return "Reviewers look at the whole run, then it ends; `ralph stop --now` ends it without them."
    if state == "paused" or (state == "working" and all(x.state == "paused" for x in under_way)):
        return "Paused: `ralph continue` lets it go on; `ralph stop` ends it."
    if state == "idle":
        return (
            "It waits for a task that is ready: `ralph task add`, `ralph task reopen`; `ralph stop` ends it."
        )
    if state == "died":
        return "The run died. `ralph run` goes on where it was."
    if any(x.end in STOPS_THE_RUN for x in outcomes):
        return "`ralph run` goes on where it was."
    if parked:
        return _answer(parked)
    if kept := [x for x in outcomes if x.branch]:
        x = kept[-1]
        return f"Look at {x.branch} (`ralph report --task {x.task}`), then `ralph task reopen {x.task}` and `ralph run`."
    if rest := [x for x in outcomes if not x.done]:
        return f"{rest[-1].task}: {rest[-1].next}"
    if ready:
        return "`ralph run` goes on with what is ready."
    if problems:
        return "Lines that cannot be worked on: `ralph task list` names them."
    return "Nothing is ready. `ralph task list` shows all; `ralph report` tells of this run."


def _answer(parked: list[Outcome]) -> str:
    first, *rest = parked
    also = f" So does {rest[0].task}." if len(rest) == 1 else f" So do {few([x.task for x in rest])}."
    return f"{first.task} needs you. {first.next}{also if rest else ''}"
