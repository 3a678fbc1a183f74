"""How a run over a backlog stands: the tasks under way, what became of the others, what is left. `ralph status --json`
prints it. Reads only. Fields are only ever added: scripts depend on their names."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ralph.backlog import JsonlBacklog
from ralph.cli.standing import Standing, standing
from ralph.core import facts as f
from ralph.core.ends import DONE
from ralph.core.fold import fold_all
from ralph.core.schedule import STOPS_THE_RUN
from ralph.core.state import LoopState
from ralph.core.tasks import STATUSES
from ralph.core.text import few
from ralph.journal.record import Record
from ralph.journal.runs import BacklogRun, loops_of
from ralph.workspace import Repo


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


class BacklogStanding(msgspec.Struct, frozen=True):
    run: str
    began: str
    ended: str
    code: int | None
    state: str  # working, idle, ended, died
    under_way: list[Standing]
    outcomes: list[Outcome]
    counts: dict[str, int]  # of the tasks that are work, by status, in the file
    ready: int
    problems: int  # lines of the file that cannot be worked on
    active_seconds: float
    tokens: int
    cost_usd: float
    estimated: bool
    next: str


def backlog_standing(run: BacklogRun, records: list[Record], repo: Repo, *, live: bool) -> BacklogStanding:
    loops = [
        (fold_all(f.decode(r.data) for r in own), own)
        for own in loops_of(records, run.id, repo.root).values()
    ]
    under_way = [standing(s, own, repo, live=live) for s, own in loops if s.ended is None]
    outcomes = [_outcome(s) for s, _ in loops if s.ended is not None]
    counts, ready, problems = _counted(Path(run.file), repo)
    state = ("working" if under_way else "idle") if live else "ended" if run.ended else "died"
    return BacklogStanding(
        run=run.id,
        began=run.began,
        ended=run.ended,
        code=run.code,
        state=state,
        under_way=under_way,
        outcomes=outcomes,
        counts=counts,
        ready=ready,
        problems=problems,
        active_seconds=round(sum(s.active_seconds for s, _ in loops), 1),
        tokens=sum(s.tokens for s, _ in loops),
        cost_usd=sum(s.cost_usd for s, _ in loops),
        estimated=any(s.estimated for s, _ in loops),
        next=_next(state, under_way, outcomes, ready, problems),
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
    )


def _counted(file: Path, repo: Repo) -> tuple[dict[str, int], int, int]:
    counts: dict[str, int] = dict.fromkeys(STATUSES, 0)
    if not file.is_file():
        return counts, 0, 0
    backlog = JsonlBacklog(file, repo.state_dir)
    for task in backlog.all():
        if backlog.forest.is_leaf(task.id):
            counts[backlog.status(task.id)] += 1
    return counts, len(backlog.ready()), len(backlog.problems())


def _next(state: str, under_way: list[Standing], outcomes: list[Outcome], ready: int, problems: int) -> str:
    if state == "working":
        named = few([x.task for x in under_way], 3)
        first = under_way[0].task
        return (
            f"`ralph logs --task {first} --follow` shows what happens ({named}); "
            "`ralph stop` ends it after the iterations."
        )
    if state == "idle":
        return (
            "It waits for a task that is ready: `ralph task add`, `ralph task reopen`; `ralph stop` ends it."
        )
    if state == "died":
        return "The run died. `ralph run` goes on where it was."
    if kept := [x for x in outcomes if x.branch]:
        x = kept[-1]
        return f"Look at {x.branch} (`ralph report --task {x.task}`), then `ralph task reopen {x.task}` and `ralph run`."
    if any(x.end in STOPS_THE_RUN for x in outcomes):
        return "`ralph run` goes on where it was."
    if parked := [x for x in outcomes if not x.done]:
        x = parked[-1]
        return f"{x.task} needs you: `ralph report --task {x.task}` says why."
    if ready:
        return "`ralph run` goes on with what is ready."
    if problems:
        return "Lines that cannot be worked on: `ralph task list` names them."
    return "Nothing is ready. `ralph task list` shows all; `ralph report` tells of this run."
