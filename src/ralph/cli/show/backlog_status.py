"""How a run over a backlog stands: the tasks under way, what became of the others, what is left. `ralph status --json`
prints it. Reads only. Fields are only ever added: scripts depend on their names."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ralph.backlog.changes import Claimed
from ralph.backlog.jsonl import JsonlBacklog
from ralph.cli.output import clock, cut, seconds_since
from ralph.cli.show.status import StatusRow
from ralph.cli.show.status_model import Status, status_of
from ralph.cli.task.view import is_split, loose_end, split_into, unready
from ralph.core import facts as f
from ralph.core.exits import DONE, EXITS, STOPS_THE_RUN, shlex_quoted
from ralph.core.loop.end_advice import what_next
from ralph.core.loop.fold import fold_all
from ralph.core.loop.state import LoopState
from ralph.core.run import is_consensus, latest, together
from ralph.core.tasks.task import STATUSES
from ralph.git.repo import Repo
from ralph.history.loops import ended_loops
from ralph.history.runs import BacklogRun, loops_of
from ralph.journal.record import Record
from ralph.runner.backlog_writes import BacklogWriter, needs_a_person, waiting
from ralph.runner.unlanded_tasks import UnlandedTask, UnlandedTasks
from ralph.runner.unlanded_tasks import ready as free
from ralph.terminal.words import cost, said, spent
from ralph.text import duration, few

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


class BacklogStatus(msgspec.Struct, frozen=True):
    run: str
    began: str
    ended: str
    code: int | None
    state: str  # working, reviewing, paused, idle, ended, died
    under_way: list[Status]
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
    apart: list[UnlandedTask] = []  # done, and on a branch only: also of earlier runs
    unready: str = ""  # what is left and cannot be begun, and why


def backlog_status(run: BacklogRun, records: list[Record], repo: Repo, *, live: bool) -> BacklogStatus:
    loops = [
        (fold_all(f.decode(r.data) for r in own), own)
        for own in loops_of(records, run.runs, repo.root).values()
    ]
    under_way = [status_of(s, own, repo, live=live) for s, own in loops if s.judgement.ended is None]
    latest = {
        s.identity.task.id: s for s, _ in loops
    }  # a task that was reopened between two lives counts once
    backlog = _backlog(
        run, records, repo, [s.identity.task.id for s, _ in loops if s.judgement.ended is None]
    )
    elsewhere = UnlandedTasks(repo)
    outcomes = [_outcome(s, backlog, elsewhere) for s in latest.values() if s.judgement.ended is not None]
    apart = elsewhere.among(backlog.all()) if backlog else []
    told = {x.task for x in outcomes if not x.done}
    held = unready(backlog, apart, but=told) if backlog else ""
    parked = _parked(records, repo, backlog)
    ready = len(free(backlog, None, [one.task for one in apart])) if backlog else 0
    problems = len(backlog.problems()) if backlog else 0
    at_work = "working" if under_way else "reviewing" if run.reviewing else "paused" if run.paused else "idle"
    state = at_work if live else "ended" if run.ended else "died"
    return BacklogStatus(
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
            sum(s.progress.active_seconds for s, _ in loops) + sum(x.seconds for x in run.reviews), 1
        ),
        tokens=sum(s.progress.tokens for s, _ in loops) + sum(x.usage.tokens for x in run.reviews),
        cost_usd=sum(s.progress.cost_usd for s, _ in loops) + sum(x.usage.cost_usd for x in run.reviews),
        estimated=any(s.progress.estimated for s, _ in loops) or any(x.estimated for x in run.reviews),
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
    BacklogWriter(backlog, lambda fact: None).catch_up(records, repo, ended)
    for id in under_way:
        if (task := backlog.get(id)) and task.status == "pending":
            backlog.note(Claimed(id))
    return backlog


def _outcome(
    s: LoopState, backlog: JsonlBacklog | None = None, elsewhere: UnlandedTasks | None = None
) -> Outcome:
    return Outcome(
        task=s.identity.task.id,
        title=s.identity.task.title,
        loop=s.identity.loop,
        end=s.judgement.ended or "",
        reason=s.judgement.end_reason,
        done=s.judgement.ended in DONE,
        iterations=s.progress.iterations,
        attempts=s.judgement.attempts,
        active_seconds=round(s.progress.active_seconds, 1),
        tokens=s.progress.tokens,
        cost_usd=s.progress.cost_usd,
        estimated=s.progress.estimated,
        commit=s.landing.landed.commit if s.landing.landed else "",
        ref=s.landing.landed.ref if s.landing.landed else "",
        branch=s.judgement.end_branch,
        next=what_next(s.judgement.ended, s) if s.judgement.ended else "",
        url=s.landing.landed.url if s.landing.landed else "",
        split=split_into(s.identity.task.id, backlog) if backlog and is_split(s, backlog) else "",
        missing=loose_end(s, elsewhere) if elsewhere else "",
    )


def _parked(records: list[Record], repo: Repo, backlog: JsonlBacklog | None) -> list[Outcome]:
    """Not those that somebody has reopened, completed or cancelled since."""
    found = (one.state for one in waiting(records, repo).values())
    return [
        _outcome(s)
        for s in found
        if needs_a_person(s)
        and backlog
        and (task := backlog.get(s.identity.task.id))
        and task.status in _STILL
    ]


def _counted(backlog: JsonlBacklog | None) -> dict[str, int]:
    counts: dict[str, int] = dict.fromkeys(STATUSES, 0)
    for task in backlog.all() if backlog else ():
        if backlog and backlog.tasks.is_leaf(task.id):
            counts[backlog.status(task.id)] += 1
    return counts


def _next(
    state: str,
    under_way: list[Status],
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


_SHOWN = 8  # tasks under way
_TROUBLES = 5
_CUT_SHORT = {row.code: row.name for row in EXITS if row.requested}


def rows_of(x: BacklogStatus) -> list[StatusRow]:
    return [
        *_end(x),
        StatusRow("backlog", _counts(x)),
        *_under_way(x),
        StatusRow("this run", _this_run(x)),
        *_at_end(x),
        *_troubles([one for one in x.outcomes if not one.done and not one.split]),
        *_elsewhere(x),
        *_parked_rows(x),
        *(
            [StatusRow("not ready", x.unready.removeprefix("Not ready: "), whole=True)]
            if x.unready and not x.under_way
            else []
        ),
        StatusRow("next", x.next, "bold", whole=True),
    ]


def _end(x: BacklogStatus) -> list[StatusRow]:
    if x.state == "died":
        return [StatusRow("end", "none: the run died", "red")]
    if x.state == "ended":
        good = "green" if x.code == 0 else "yellow"
        how = f"{_CUT_SHORT[x.code]}, " if x.code in _CUT_SHORT else ""
        return [StatusRow("end", f"at {clock(x.ended)}, {how}exit code {x.code}", good)]
    return []


def _counts(x: BacklogStatus) -> str:
    left = x.counts["pending"] + x.counts["in_progress"]
    parts = [f"{x.counts['complete']} done", f"{x.counts['failed']} failed", f"{x.counts['blocked']} blocked"]
    parts.append(f"{left} left ({x.ready} ready)")
    if x.counts["cancelled"]:
        parts.append(f"{x.counts['cancelled']} cancelled")
    if x.problems:
        parts.append(f"{x.problems} bad lines")
    return ", ".join(parts)


def _under_way(x: BacklogStatus) -> list[StatusRow]:
    shown = x.under_way[:_SHOWN]
    table = [_cells(one) for one in shown]
    widths = [max((len(row[column]) for row in table), default=0) for column in range(4)]
    label = "now" if x.state == "working" else "cut short"
    rows = [
        StatusRow(
            label if not index else "",
            "  ".join(cell.ljust(width) for cell, width in zip(row, (*widths, 0), strict=True)).rstrip(),
            "cyan" if one.state == "working" else "yellow",
        )
        for index, (one, row) in enumerate(zip(shown, table, strict=True))
    ]
    if len(x.under_way) > len(shown):
        rows.append(
            StatusRow("", f"and {len(x.under_way) - len(shown)} more: `ralph status --json` has them all")
        )
    return rows


def _cells(x: Status) -> tuple[str, str, str, str, str]:
    at = f"{x.iteration or x.iterations}/{x.max_iterations}"
    paid = cost(x.cost_usd, estimated=x.estimated) if x.cost_usd else ""
    return (cut(x.task, 24), at, _does(x), paid, x.title)


def _does(x: Status) -> str:
    since = f"since {clock(x.started)}, {duration(seconds_since(x.started))}"
    if x.state == "died":
        return since
    asks = ""
    if x.waiting and x.waiting.what == "answer":
        asks = f"asks, until {clock(x.waiting.until)}: {cut(x.waiting.why, 60)}"
    elif x.question:
        asks = f"asks: {cut(x.question, 60)}"
    if x.state == "paused" and x.paused:
        runs_on = f"; {asks} (the time for it runs on)" if x.waiting and asks else f"; {asks}" if asks else ""
        return f"paused since {clock(x.paused.since)} by {x.paused.by}{runs_on}; {since}"
    if asks:
        return f"{asks}; {since}"
    if x.waiting:
        return f"waits for {x.waiting.what} until {clock(x.waiting.until)}; {since}"
    what = "agent" if x.iteration else x.operations[0].name if x.operations else "waits for its turn"
    took = f" for {duration(x.operations[0].seconds)}" if x.operations else ""
    stops = ", then stops" if x.state == "stopping" else ""
    return f"{what}{took}{stops}; {since}"


def _this_run(x: BacklogStatus) -> str:
    done = sum(one.done for one in x.outcomes)
    split = sum(bool(one.split) for one in x.outcomes)
    counted = f"{done} done, {len(x.outcomes) - done - split} not" + (f", {split} split" if split else "")
    parts = [counted, f"{duration(x.active_seconds)} active"]
    return ", ".join([*parts, *spent(x.tokens, x.cost_usd, estimated=x.estimated)])


def _at_end(x: BacklogStatus) -> list[StatusRow]:
    rows = (
        [StatusRow("at end", f"reviewer {x.reviewing} looks at the whole run", "cyan")] if x.reviewing else []
    )
    if x.consensus:
        good = "green" if is_consensus(x.reviews) else "yellow"
        rows.append(StatusRow("at end" if not rows else "", x.consensus, good, whole=True))
    for one in latest(x.reviews):
        more = f" and {len(one.findings) - 1} more" if len(one.findings) > 1 else ""
        if one.findings or not one.passed:
            rows.append(
                StatusRow("", f"{cut(one.gate, 24)}: {one.findings[0] if one.findings else said(one)}{more}")
            )
    return rows


def _troubles(found: list[Outcome]) -> list[StatusRow]:
    rows = [
        StatusRow(
            "not done" if not index else "",
            f"{cut(x.task, 24)}: {x.end}: {x.reason}" + (f"; kept on {x.branch}" if x.branch else ""),
            "red",
            whole=True,
        )
        for index, x in enumerate(found[-_TROUBLES:])
    ]
    if len(found) > _TROUBLES:
        rows.append(StatusRow("", f"and {len(found) - _TROUBLES} more: `ralph report` tells of all"))
    return rows


def _elsewhere(x: BacklogStatus) -> list[StatusRow]:
    """What was split, what has a pull request, and what is done and not where it was to be."""
    outcomes = {one.task for one in x.outcomes}
    earlier = [one for one in x.apart if one.task not in outcomes]
    groups = [
        ("split", "", [(one.task, one.split) for one in x.outcomes if one.split]),
        ("requests", "green", [(one.task, one.url) for one in x.outcomes if one.url]),
        (
            "to be done",
            "yellow",
            [(one.task, one.missing) for one in x.outcomes if one.missing]
            + [(one.task, f"{one.where}: {one.todo}") for one in earlier],
        ),
    ]
    rows = []
    for label, colour, found in groups:
        for index, (task, text) in enumerate(found[-_TROUBLES:]):
            rows.append(StatusRow(label if not index else "", f"{cut(task, 24)}: {text}", colour, whole=True))
        if len(found) > _TROUBLES:
            rows.append(
                StatusRow("", f"and {len(found) - _TROUBLES} more: `ralph status --json` has them all")
            )
    return rows


def _parked_rows(x: BacklogStatus) -> list[StatusRow]:
    """How each that waits for a person gets on, unless the last row of all says it of the only one."""
    if len(x.parked) == 1 and x.parked[0].next in x.next:
        return []
    rows = [
        StatusRow("needs you" if not index else "", f"{cut(one.task, 24)}: {one.next}", "yellow", whole=True)
        for index, one in enumerate(x.parked[:_TROUBLES])
    ]
    if len(x.parked) > _TROUBLES:
        rows.append(
            StatusRow("", f"and {len(x.parked) - _TROUBLES} more: `ralph status --json` has them all")
        )
    return rows
