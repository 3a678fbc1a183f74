"""How a run over a backlog stands: the tasks under way, what became of the others, what is left. `ralph status --json`
prints it. Reads only. Fields are only ever added: scripts depend on their names."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ralph.backlog import Claimed, JsonlBacklog
from ralph.backlog.apart import ready as free
from ralph.cli.backlogwords import is_split, loose_end, split_into, unready
from ralph.cli.standing import Standing, standing
from ralph.core import facts as f
from ralph.core.consensus import together
from ralph.core.exits import DONE, STOPS_THE_RUN
from ralph.core.fold import fold_all
from ralph.core.next import what_next
from ralph.core.next_steps import shlex_quoted
from ralph.core.state import LoopState
from ralph.core.tasks import STATUSES
from ralph.core.text import few
from ralph.driver.elsewhere import Apart, Elsewhere
from ralph.driver.loops import ended_loops, needs_a_person, waiting
from ralph.driver.writeback import WriteBack
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
    url: str = ""  # of its pull request
    split: str = ""  # into which parts, in place of failing
    missing: str = ""  # it is done, and not where it was to be


class BacklogStanding(msgspec.Struct, frozen=True):
    run: str
    began: str
    ended: str
    code: int | None
    state: str  # working, reviewing, paused, idle, ended, died
    under_way: list[Standing]
    outcomes: list[Outcome]
    counts: dict[str, int]  # of the tasks that are work, by status, also what the file is still to be told
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
    apart: list[Apart] = []  # done, and on a branch only: also of earlier runs
    unready: str = ""  # what is left and cannot be begun, and why


def backlog_standing(run: BacklogRun, records: list[Record], repo: Repo, *, live: bool) -> BacklogStanding:
    loops = [
        (fold_all(f.decode(r.data) for r in own), own)
        for own in loops_of(records, run.runs, repo.root).values()
    ]
    under_way = [standing(s, own, repo, live=live) for s, own in loops if s.ended is None]
    latest = {s.task.id: s for s, _ in loops}  # a task that was reopened between two lives counts once
    backlog = _backlog(run, records, repo, [s.task.id for s, _ in loops if s.ended is None])
    elsewhere = Elsewhere(repo)
    outcomes = [_outcome(s, backlog, elsewhere) for s in latest.values() if s.ended is not None]
    apart = elsewhere.among(backlog.all()) if backlog else []
    told = {x.task for x in outcomes if not x.done}
    held = unready(backlog, apart, but=told) if backlog else ""
    parked = _parked(records, repo, backlog)
    ready = len(free(backlog, None, [one.task for one in apart])) if backlog else 0
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
        next=_next(state, under_way, outcomes, parked, ready, problems, held),
        apart=apart,
        unready=held,
    )


def _backlog(run: BacklogRun, records: list[Record], repo: Repo, under_way: list[str]) -> JsonlBacklog | None:
    """As the file will be: with what the journal knows and nobody has written into it yet. Nothing is written here."""
    if not Path(run.file).is_file():
        return None
    backlog = JsonlBacklog(Path(run.file), repo.state_dir)
    ended = {last: s for s, last in ended_loops(records, repo)}
    WriteBack(backlog, lambda fact: None).catch_up(records, repo, ended)
    for id in under_way:
        if (task := backlog.get(id)) and task.status == "pending":
            backlog.note(Claimed(id))
    return backlog


def _outcome(
    s: LoopState, backlog: JsonlBacklog | None = None, elsewhere: Elsewhere | None = None
) -> Outcome:
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
        url=s.landed.url if s.landed else "",
        split=split_into(s.task.id, backlog) if backlog and is_split(s, backlog) else "",
        missing=loose_end(s, elsewhere) if elsewhere else "",
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
        if backlog and backlog.tasks.is_leaf(task.id):
            counts[backlog.status(task.id)] += 1
    return counts


def _next(
    state: str,
    under_way: list[Standing],
    outcomes: list[Outcome],
    parked: list[Outcome],
    ready: int,
    problems: int,
    held: str,
) -> str:
    if state == "working" and (asking := [x for x in under_way if x.question]):
        paused = " Paused: `ralph continue` lets it go on." if any(x.paused for x in asking) else ""
        return f'{asking[0].task} asks: `ralph answer --task {shlex_quoted(asking[0].task)} "..."`.{paused}'
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
    if kept := [x for x in outcomes if x.branch and not x.split]:
        x = kept[-1]
        return f"Look at {x.branch} (`ralph report --task {x.task}`), then `ralph task reopen {x.task}` and `ralph run`."
    if rest := [x for x in outcomes if not x.done and not x.split]:
        return f"{rest[-1].task}: {rest[-1].next}"
    if missing := [x for x in outcomes if x.missing]:
        return f"{missing[-1].task}: {missing[-1].next}"
    if ready:
        return "`ralph run` goes on with what is ready."
    if problems:
        return "Lines that cannot be worked on: `ralph task list` names them."
    if held:
        return "Nothing is ready, see above. `ralph task list` shows all; `ralph report` tells of this run."
    return "Nothing is left. `ralph task list --all` shows all; `ralph report` tells of this run."


def _answer(parked: list[Outcome]) -> str:
    first, *rest = parked
    also = f" So does {rest[0].task}." if len(rest) == 1 else f" So do {few([x.task for x in rest])}."
    return f"{first.task} needs you. {first.next}{also if rest else ''}"
