"""`ralph resume` of one task of the backlog: which loop that is, and why it cannot go on where it cannot."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ralph.backlog import JsonlBacklog
from ralph.cli import backlogfile
from ralph.core import facts as f
from ralph.core.exits import DONE, OVER
from ralph.core.fold import fold_all
from ralph.core.next import what_next
from ralph.core.next_steps import resume_of, shlex_quoted
from ralph.core.schedule import Work
from ralph.core.state import LoopState
from ralph.core.text import few
from ralph.driver.backlog import BacklogRequest, Resume
from ralph.driver.loops import Begun, by_loop, needs_a_person, waiting
from ralph.driver.resume import is_unfinished, last_loop
from ralph.errors import RalphError
from ralph.journal.lock import holder
from ralph.journal.read import NAME, scan
from ralph.journal.record import Record
from ralph.journal.runs import file_of, newest_backlog_run
from ralph.workspace import Repo

_NAMED = 5  # tasks in one error


class Chosen(msgspec.Struct, frozen=True):
    """The loop to go on with, and the file that its task is in."""

    state: LoopState
    file: Path


def chosen(repo: Repo, task: str, *, says: bool) -> Chosen | None:
    """The loop of this task; without a name, the only one that waits. None: it is about a loop in place, or none.
    `says`: the person has an answer, which is for a loop that asked."""
    live = holder(repo.state_dir)
    if live is not None and not task:
        return None  # who takes the lock says so
    records = scan(repo.state_dir / NAME).records
    if live is not None:
        raise RalphError(
            f"a run is at work here (pid {live.get('pid')})",
            todo=f'`ralph answer --task {shlex_quoted(task)} "..."` tells it an answer; for all else, `ralph stop` first.',
        )
    if not task and _in_place_comes_first(records, repo):
        return None
    found = waiting(records, repo)
    one = _named(found, task, records, repo) if task else _only(found, says)
    if one is None:
        return None
    file = Path(file_of(records, one.records[0].run) or backlogfile.of_folder(repo, Path.cwd()))
    _check_line(file, repo, one.state)
    return Chosen(one.state, file)


def go_on(
    repo: Repo,
    one: Chosen,
    see: dict[str, bool],
    *,
    answer: str,
    allow: tuple[str, ...],
    raise_limits: dict[str, float],
) -> int:
    from ralph.cli.backlogrun import drive

    s = one.state
    request = BacklogRequest(
        folder=repo.root / s.folder,
        repo=repo,
        policy=s.policy,
        work=Work(only=s.task.id, most=1),
        resume=Resume(s.task.id, answer, allow, raise_limits),
    )
    return drive(request, JsonlBacklog(one.file, repo.state_dir), see)


def _in_place_comes_first(records: list[Record], repo: Repo) -> bool:
    """A loop here that was cut short; also one that ended, unless the backlog was worked on since."""
    newest = last_loop(records, repo.root)
    if newest is None:
        return False
    run = newest_backlog_run(records, repo.root)
    return is_unfinished(newest[0]) or run is None or run.seq < newest[1][-1].seq


def _only(found: dict[str, Begun], says: bool) -> Begun | None:
    parked = [one for one in found.values() if needs_a_person(one.state)]
    if len(parked) == 1 and (says or len(found) == 1):
        return parked[0]
    if len(found) == 1:
        return next(iter(found.values()))
    if not found:
        return None
    named = [f"{task} ({one.state.ended or 'its run died'})" for task, one in found.items()]
    first = (parked or list(found.values()))[0].state
    cut_short = [task for task, one in found.items() if not needs_a_person(one.state)]
    rest = f" `ralph run` goes on with {few(cut_short)} by itself." if cut_short else ""
    raise RalphError(
        f"{len(found)} tasks of the backlog can go on: {few(named, _NAMED)}",
        todo=f"Name one: `{resume_of(first)}`.{rest}",
    )


def _named(found: dict[str, Begun], task: str, records: list[Record], repo: Repo) -> Begun:
    if task in found:
        return found[task]
    again = f"`ralph task reopen {shlex_quoted(task)}`, then `ralph run`"
    last = _last_of(task, records, repo)
    if last is None:
        file = backlogfile.of_folder(repo, Path.cwd())
        JsonlBacklog(file, repo.state_dir).find(task)
        raise RalphError(
            f"{task} has no loop that could go on", todo=f"`ralph run --task {shlex_quoted(task)}` begins it."
        )
    if last.ended in DONE:
        raise RalphError(f"{task} is over: {last.ended}", todo=f"To do it once more: {again}.")
    if last.ended is not None and last.ended in OVER:
        raise RalphError(f"{task} is over: {last.ended}", todo=what_next(last.ended, last))
    raise RalphError(
        f"the workspace of {task} is gone",
        where=last.root,
        todo=f"To begin anew: {again}. `ralph recover` lists what was saved.",
    )


def _last_of(task: str, records: list[Record], repo: Repo) -> LoopState | None:
    for own in reversed(list(by_loop(records, repo).values())):
        started = f.decode(own[0].data)
        if isinstance(started, f.LoopStarted) and started.task.id == task:
            return fold_all(f.decode(r.data) for r in own)
    return None


def _check_line(file: Path, repo: Repo, s: LoopState) -> None:
    """What a person has said in the list since goes before."""
    task = JsonlBacklog(file, repo.state_dir).find(s.task.id)
    if task.archived or task.status in ("complete", "cancelled"):
        raise RalphError(
            f"{task.id} is {task.status}",
            where=str(file),
            todo=f"To go on with it all the same, `ralph task reopen {shlex_quoted(task.id)}` first.",
        )
