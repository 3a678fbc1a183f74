"""How a run over a backlog stands: the tasks under way, what became of the others, what is left. `ralph status --json`
prints it. Reads only. Fields are only ever added: scripts depend on their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from ralph.backlog.changes import Claimed
from ralph.backlog.jsonl import JsonlBacklog
from ralph.cli.output import clock, cut, seconds_since
from ralph.cli.show.loop_status import (
    iteration_under_way,
    pause_of,
    state_of,
    status_json,
    under_way,
    waiting_for,
)
from ralph.cli.show.operation_words import name_of
from ralph.cli.show.status import StatusRow, listed
from ralph.cli.task.view import TaskOutcome, outcome, unready
from ralph.core import facts as f
from ralph.core.exits import EXITS, STOPS_THE_RUN, shlex_quoted
from ralph.core.policy import LandPolicy
from ralph.core.run import is_consensus, latest, together
from ralph.core.tasks.task import STATUSES
from ralph.git.repo import Repo
from ralph.history.loops import Loop
from ralph.history.runs import RunRecord
from ralph.history.saved import CurrentHistory
from ralph.history.serialise import fields
from ralph.runner.backlog_tasks import BacklogTasks, needs_a_person, waiting
from ralph.runner.unlanded_tasks import UnlandedTask, UnlandedTasks
from ralph.runner.unlanded_tasks import ready as free
from ralph.terminal.words import cost, said, spent
from ralph.text import duration, few

_NOWHERE = f.Landed(op="", how="none", ref="", commit="")
_STILL = ("blocked", "in_progress")  # the second: its run died before it could write


class BacklogStatus(msgspec.Struct, frozen=True):
    """A run, as the history has it, beside its backlog."""

    run: RunRecord
    loops: list[Loop]
    state: str  # working, reviewing, paused, idle, ended, died
    outcomes: list[TaskOutcome]
    counts: dict[str, int]  # of the tasks that are work, by status, also what the file is still to be told
    ready: int
    problems: int  # lines of the file that cannot be worked on
    parked: list[TaskOutcome]  # what waits for a person, also of earlier runs
    next: str
    apart: list[UnlandedTask] = []  # done, and on a branch only: also of earlier runs
    unready: str = ""  # what is left and cannot be begun, and why

    @property
    def under_way(self) -> list[Loop]:
        return [loop for loop in self.loops if loop.state.judgement.ended is None]

    @property
    def reviewing(self) -> str:
        """Who looks at the whole run now."""
        return self.run.state.reviewing if self.state not in ("ended", "died") else ""

    @property
    def active_seconds(self) -> float:
        reviews = sum(x.seconds for x in self.run.state.reviews)
        return round(sum(loop.state.progress.active_seconds for loop in self.loops) + reviews, 1)

    @property
    def spent(self) -> f.Usage:
        reviews = [x.usage for x in self.run.state.reviews]
        return f.Usage(
            sum(loop.state.progress.tokens for loop in self.loops) + sum(x.tokens for x in reviews),
            sum(loop.state.progress.cost_usd for loop in self.loops) + sum(x.cost_usd for x in reviews),
        )

    @property
    def estimated(self) -> bool:
        reviews = self.run.state.reviews
        return any(loop.state.progress.estimated for loop in self.loops) or any(x.estimated for x in reviews)


def backlog_status(run: RunRecord, journal: CurrentHistory, repo: Repo, working: str) -> BacklogStatus:
    """`working`: the run that is at work now."""
    known = journal.survey
    loops = [
        loop.stand(live=working == run.id)
        for loop in journal.loops(known.loops_of(run.lives, repo.root)).values()
    ]
    everything = list(journal.loops(known.of_backlog(repo.root)).values())
    under_way = [loop for loop in loops if loop.state.judgement.ended is None]
    latest = {
        loop.state.identity.task.id: loop.state for loop in loops
    }  # a task that was reopened counts once
    backlog = _backlog(
        run, everything, known.written, repo, [loop.state.identity.task.id for loop in under_way]
    )
    elsewhere = UnlandedTasks(repo)
    outcomes = [outcome(s, backlog, elsewhere) for s in latest.values() if s.judgement.ended is not None]
    apart = elsewhere.among(backlog.all()) if backlog else []
    told = {x.task for x in outcomes if not x.done}
    held = unready(backlog, apart, but=told) if backlog else ""
    parked = _parked(everything, repo, backlog)
    ready = len(free(backlog.tasks, None, [one.task for one in apart])) if backlog else 0
    problems = len(backlog.problems()) if backlog else 0
    whole = run.state
    at_work = (
        "working" if under_way else "reviewing" if whole.reviewing else "paused" if whole.paused else "idle"
    )
    state = at_work if working == run.id else "ended" if run.ended else "died"
    return BacklogStatus(
        run=run,
        loops=loops,
        state=state,
        outcomes=outcomes,
        counts=_counted(backlog),
        ready=ready,
        problems=problems,
        parked=parked,
        next=_next(state, under_way, outcomes, parked, ready, problems, held),
        apart=apart,
        unready=held,
    )


def backlog_json(x: BacklogStatus, state_dir: Path) -> dict[str, Any]:
    return {
        "run": x.run.id,
        "began": x.run.began.time,
        "ended": x.run.ended.time if x.run.ended else "",
        **fields(x.run, "code reason"),
        **fields(x.run.started, "host user options"),
        "under_way": [status_json(loop, state_dir) for loop in x.under_way],
        "outcomes": [_outcome_json(one) for one in x.outcomes],
        "parked": [_outcome_json(one) for one in x.parked],
        **fields(x, "state counts ready problems active_seconds estimated reviewing next apart unready"),
        **fields(x.spent, "tokens cost_usd"),
        "reviews": x.run.state.reviews,
        "consensus": together(x.run.state.reviews),
    }


def _outcome_json(x: TaskOutcome) -> dict[str, Any]:
    s = x.state
    return {
        **fields(x, "task done next split missing"),
        "title": s.identity.task.title,
        "loop": s.identity.loop,
        "end": s.judgement.ended or "",
        "reason": s.judgement.end_reason,
        "branch": s.judgement.end_branch,
        "attempts": s.judgement.attempts,
        **fields(s.progress, "iterations tokens cost_usd estimated"),
        "active_seconds": round(s.progress.active_seconds, 1),
        **fields(s.landing.landed or _NOWHERE, "commit ref url"),
    }


def _backlog(
    run: RunRecord, loops: list[Loop], written: int, repo: Repo, under_way: list[str]
) -> JsonlBacklog | None:
    """As the file will be: with what the journal knows and no one has written into it yet. Nothing is written here."""
    if not Path(run.started.file).is_file():
        return None
    backlog = JsonlBacklog(Path(run.started.file), repo.state_dir)
    BacklogTasks(backlog, repo, LandPolicy()).catch_up(loops, written)
    for id in under_way:
        if (task := backlog.get(id)) and task.status == "pending":
            backlog.note(Claimed(id))
    return backlog


def _parked(loops: list[Loop], repo: Repo, backlog: JsonlBacklog | None) -> list[TaskOutcome]:
    """Not those that someone has reopened, completed or cancelled since."""
    found = (one.state for one in waiting(loops, repo).values())
    return [
        TaskOutcome(s)
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
    under_way: list[Loop],
    outcomes: list[TaskOutcome],
    parked: list[TaskOutcome],
    ready: int,
    problems: int,
    held: str,
) -> str:
    if state == "working" and (asking := [x for x in under_way if x.state.people.question]):
        paused = " Paused: `ralph continue` resumes it." if any(pause_of(x) for x in asking) else ""
        first = asking[0].state.identity.task.id
        return f'{first} asks: `ralph answer --task {shlex_quoted(first)} "..."`.{paused}'
    if state == "working" and any(state_of(x) != "paused" for x in under_way):
        named = few([x.state.identity.task.id for x in under_way], 3)
        first = under_way[0].state.identity.task.id
        return (
            f"`ralph logs --task {first} --follow` shows what happens ({named}); "
            "`ralph stop` ends it after the iterations."
        )
    if state == "reviewing":
        return "Reviewers look at the whole run, then it ends; `ralph stop --now` ends it without them."
    if state == "paused" or state == "working":
        return "Paused: `ralph continue` resumes it; `ralph stop` ends it."
    if state == "idle":
        return (
            "It waits for a task that is ready: `ralph task add`, `ralph task reopen`; `ralph stop` ends it."
        )
    if state == "died":
        return "The run died. `ralph run` continues where it was."
    if any(x.state.judgement.ended in STOPS_THE_RUN for x in outcomes):
        return "`ralph run` continues where it was."
    if parked:
        return _answer(parked)
    if kept := [x for x in outcomes if x.state.judgement.end_branch and not x.split]:
        task, branch = kept[-1].task, kept[-1].state.judgement.end_branch
        return f"Look at {branch} (`ralph report --task {task}`), then `ralph task reopen {task}` and `ralph run`."
    if rest := [x for x in outcomes if not x.done and not x.split]:
        return f"{rest[-1].task}: {rest[-1].next}"
    if missing := [x for x in outcomes if x.missing]:
        return f"{missing[-1].task}: {missing[-1].next}"
    if ready:
        return "`ralph run` continues with what is ready."
    if problems:
        return "Lines that cannot be worked on: `ralph task list` names them."
    if held:
        return "Nothing is ready, see above. `ralph task list` shows all; `ralph report` covers this run."
    return "Nothing is left. `ralph task list --all` shows all; `ralph report` covers this run."


def _answer(parked: list[TaskOutcome]) -> str:
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
        *([StatusRow("asked by", x.run.command)] if x.run.command else []),
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
        code, ended = x.run.code, x.run.ended.time if x.run.ended else ""
        how = f"{_CUT_SHORT[code]}, " if code in _CUT_SHORT else ""
        why = f": {x.run.reason}" if x.run.reason and not how else ""
        text = f"at {clock(ended)}, {how}exit code {code}{why}"
        return [StatusRow("end", text, "green" if code == 0 else "yellow")]
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
        (
            "  ".join(cell.ljust(width) for cell, width in zip(row, (*widths, 0), strict=True)).rstrip(),
            "cyan" if state_of(one) == "working" else "yellow",
        )
        for one, row in zip(shown, table, strict=True)
    ]
    return listed(label, rows, len(x.under_way) - len(shown))


def _cells(x: Loop) -> tuple[str, str, str, str, str]:
    s = x.state
    at = f"{iteration_under_way(x) or s.progress.iterations}/{s.identity.policy.limits.max_iterations}"
    paid = cost(s.progress.cost_usd, estimated=s.progress.estimated) if s.progress.cost_usd else ""
    return (cut(s.identity.task.id, 24), at, _does(x), paid, s.identity.task.title)


def _does(x: Loop) -> str:
    since = f"since {clock(x.at.time)}, {duration(seconds_since(x.at.time))}"
    state, waits, pause, running = state_of(x), waiting_for(x), pause_of(x), under_way(x)
    if state == "died":
        return since
    asks = ""
    if waits and waits.what == "answer":
        asks = f"asks, until {clock(waits.until)}: {cut(waits.why, 60)}"
    elif x.state.people.question:
        asks = f"asks: {cut(x.state.people.question, 60)}"
    if state == "paused" and pause:
        runs_on = f"; {asks} (the time for it runs on)" if waits and asks else f"; {asks}" if asks else ""
        return f"paused since {clock(pause.since)} by {pause.by}{runs_on}; {since}"
    if asks:
        return f"{asks}; {since}"
    if waits and waits.what == "landing":
        return f"waits to land {waits.why}, since {clock(waits.since)}; {since}"
    if waits:
        return f"waits for {waits.what} until {clock(waits.until)}; {since}"
    what = "agent" if iteration_under_way(x) else name_of(running[0]) if running else "waits for its turn"
    took = f" for {duration(seconds_since(running[0].at.time))}" if running else ""
    stops = ", then stops" if state == "stopping" else ""
    return f"{what}{took}{stops}; {since}"


def _this_run(x: BacklogStatus) -> str:
    done = sum(one.done for one in x.outcomes)
    split = sum(bool(one.split) for one in x.outcomes)
    counted = f"{done} done, {len(x.outcomes) - done - split} not done" + (
        f", {split} split" if split else ""
    )
    parts = [counted, f"{duration(x.active_seconds)} active"]
    return ", ".join([*parts, *spent(x.spent.tokens, x.spent.cost_usd, estimated=x.estimated)])


def _at_end(x: BacklogStatus) -> list[StatusRow]:
    rows = (
        [StatusRow("at end", f"reviewer {x.reviewing} looks at the whole run", "cyan")] if x.reviewing else []
    )
    reviews = x.run.state.reviews
    if reviews:
        good = "green" if is_consensus(reviews) else "yellow"
        rows.append(StatusRow("at end" if not rows else "", together(reviews), good, whole=True))
    for one in latest(reviews):
        more = f" and {len(one.findings) - 1} more" if len(one.findings) > 1 else ""
        if one.findings or not one.passed:
            rows.append(
                StatusRow("", f"{cut(one.gate, 24)}: {one.findings[0] if one.findings else said(one)}{more}")
            )
    return rows


def _troubles(found: list[TaskOutcome]) -> list[StatusRow]:
    told = [
        f"{cut(x.task, 24)}: {x.state.judgement.ended}: {x.state.judgement.end_reason}"
        + (f"; kept on {x.state.judgement.end_branch}" if x.state.judgement.end_branch else "")
        for x in found[-_TROUBLES:]
    ]
    more, where = len(found) - _TROUBLES, "`ralph report` covers all"
    return listed("not done", [(text, "red") for text in told], more, where=where, whole=True)


def _elsewhere(x: BacklogStatus) -> list[StatusRow]:
    """What was split, what has a pull request, and what is done and not where it was to be."""
    outcomes = {one.task for one in x.outcomes}
    earlier = [one for one in x.apart if one.task not in outcomes]
    missing = [(one.task, one.missing) for one in x.outcomes if one.missing]
    missing += [(one.task, f"{one.where}: {one.todo}") for one in earlier]
    return [
        *_of_tasks("split", "", [(one.task, one.split) for one in x.outcomes if one.split]),
        *_of_tasks("requests", "green", [(one.task, one.url) for one in x.outcomes if one.url]),
        *_of_tasks("to be done", "yellow", missing),
    ]


def _parked_rows(x: BacklogStatus) -> list[StatusRow]:
    """How each that waits for a person gets on, unless the last row of all says it of the only one."""
    if len(x.parked) == 1 and x.parked[0].next in x.next:
        return []
    shown = [(f"{cut(one.task, 24)}: {one.next}", "yellow") for one in x.parked[:_TROUBLES]]
    return listed("needs you", shown, len(x.parked) - _TROUBLES, whole=True)


def _of_tasks(label: str, colour: str, found: list[tuple[str, str]]) -> list[StatusRow]:
    shown = [(f"{cut(task, 24)}: {text}", colour) for task, text in found[-_TROUBLES:]]
    return listed(label, shown, len(found) - _TROUBLES, whole=True)
