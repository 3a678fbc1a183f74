"""`ralph resume`: which loop goes on, and whether it could."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec
from msgspec.structs import replace

from ralph.backlog.jsonl import JsonlBacklog
from ralph.cli import context
from ralph.cli.context import NO_RUN, here, refuse_inside
from ralph.cli.run import LIMITS, limit_options
from ralph.cli.run.command import drive_prompt
from ralph.cli.run.view import view_options
from ralph.config.agents import check_agents
from ralph.config.field_types import glob_problem
from ralph.core import facts as f
from ralph.core.exits import BY_NAME, DONE, FAILURES, OVER, of_task, resume_of, shlex_quoted
from ralph.core.loop.decide import Finish, decide
from ralph.core.loop.end_advice import what_next
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.run import Work
from ralph.errors import RalphError
from ralph.git.repo import Repo
from ralph.history.history import backlog_history, build, survey
from ralph.history.loop_records import is_over, is_unfinished, last_loop
from ralph.history.loops import Loop
from ralph.history.runs import file_of, runs_in
from ralph.journal.lock import Busy, holder
from ralph.journal.read import NAME, scan
from ralph.journal.record import Record
from ralph.runner.backlog_tasks import needs_a_person, waiting
from ralph.runner.run_request import Resume, RunRequest, raised
from ralph.text import few


@click.command()
@limit_options
@click.option(
    "--answer",
    default="",
    help="The answer to the question that the loop waits for, or what it needs to know.",
)
@click.option(
    "--allow",
    metavar="GLOB",
    multiple=True,
    help="After needs-review: files (or tests, as PATH::TEST) that may stay changed; may be repeated.",
)
@click.option("--accept", is_flag=True, help="After needs-review: accept all that the end names.")
@click.option("--task", default="", help="The task of the backlog, which waits for you or was cut short.")
@click.option("--max-items", type=int, hidden=True)  # only to say why not
@view_options
def resume(
    see: dict[str, bool],
    answer: str,
    allow: tuple[str, ...],
    accept: bool,
    task: str,
    max_items: int | None,
    **given: Any,
) -> int:
    """Continue an unfinished loop, perhaps with higher limits.

    After needs-review, --accept accepts all that the end names, --allow some of it; without, the agent has to do without.
    A task of the backlog goes on in its own workspace and lands as always; --task may be left out when only one waits.
    A board keeps its --max-items.

    \b
    Examples:
      ralph resume
      ralph resume --max-iterations 80
      ralph resume --answer "Use PostgreSQL"
      ralph resume --accept
      ralph resume --allow tests/test_dates.py
      ralph resume --task A.1 --answer "Use PostgreSQL"
    """
    if max_items is not None:
        raise RalphError(
            "a resumed loop keeps its --max-items",
            todo="Leave it out; or start over with `ralph run --fresh --max-items N`, which counts the items from then on.",
        )
    return go_on(see, answer, given, allow, task, accept=accept)


def go_on(
    see: dict[str, bool],
    answer: str,
    given: dict[str, Any],
    allow: tuple[str, ...] = (),
    task: str = "",
    *,
    accept: bool = False,
) -> int:
    """From wherever in the repository: the loop goes on in the folder in which it began."""
    repo = here()
    refuse_inside(repo, NO_RUN)
    limits = _raised(given)
    records = scan(repo.state_dir / NAME).records
    of_backlog = _of_backlog(repo, records, task, says=bool(answer or allow or accept))
    loop = of_backlog.state if of_backlog else _of_prompt(repo, records, task)
    s = loop.identity
    if not is_over(loop):
        check_agents(s.policy, Path(s.root) / s.folder, "loop")
        _check_allowed(loop, allow, accept)
        allow = (*allow, *loop.judgement.review_paths) if accept else allow
        _refuse_in_vain(loop, limits, answer, allow)
    request = RunRequest(
        folder=Path(s.home or s.root) / s.folder,
        repo=repo,
        policy=s.policy,
        work=Work(only=s.task.id, most=1),
        resume=Resume(s.loop, answer, allow, limits),
    )
    if of_backlog:
        from ralph.cli.run.backlog import drive

        return drive(request, JsonlBacklog(of_backlog.file, repo.state_dir), see)
    return drive_prompt(request, s.task, see)


# -- a prompt ------------------------------------------------------------------------------------------


def _of_prompt(repo: Repo, records: list[Record], task: str) -> LoopState:
    """The newest loop of a prompt here, or of this one; also one that is over: its run may have died before it said so."""
    if (live := holder(repo.state_dir)) is not None:
        raise Busy(repo.state_dir, live)
    found = last_loop(records, repo.root, task)
    if found is None:
        raise RalphError("there is nothing to resume here", todo='Start with `ralph run -p "..."`.')
    return found.state


def _refuse_in_vain(loop: LoopState, limits: dict[str, float], answer: str, allow: tuple[str, ...]) -> None:
    """A loop at its limit would end again at once: say what it needs instead."""
    if answer and loop.people.question is None and loop.judgement.ended != "stuck":
        raise RalphError(
            "no question waits for an answer here",
            todo=f'To send the next iteration a message: `{of_task("say", loop)} "..."`; then `{resume_of(loop)}`.',
        )
    higher = raised(loop.identity.policy.limits, limits)
    resumed = fold(loop, f.LoopResumed(run="", limits=higher, answer=answer, allow=allow))
    for op in decide(resumed) if not resumed.progress.open else ():
        if isinstance(op, Finish) and BY_NAME[op.end].raisable:
            from ralph.core.loop.end_advice import what_it_needs

            ended = replace(resumed.judgement, end_limit=op.limit)
            todo = what_it_needs(op.end, replace(resumed, judgement=ended))
            raise RalphError(f"it would end again at once: {op.reason}", todo=todo)


def _check_allowed(loop: LoopState, allow: tuple[str, ...], accept: bool) -> None:
    if (allow or accept) and loop.judgement.ended != "needs-review":
        flag = "--accept" if accept else "--allow"
        raise RalphError(
            f"{flag} is for a loop that needs review, and this one does not", todo="Leave it out."
        )
    for pattern in allow:
        if problem := glob_problem(pattern):
            raise RalphError(f"--allow {pattern!r} {problem}", todo="Name files as the end names them.")


def _raised(given: dict[str, Any]) -> dict[str, float]:
    names = {"max_runtime_seconds": "hard_seconds"}
    said = {key: given[key] for key in LIMITS if given.get(key) is not None}
    if bad := [f"--{key.replace('_', '-')}" for key, value in said.items() if not value > 0]:
        raise RalphError(f"{', '.join(bad)}: must be above 0", todo="Give a higher number, or leave it out.")
    return {names.get(key, key): value for key, value in said.items()}


# -- a task of the backlog --------------------------------------------------------------------------------

_NAMED = 5  # tasks in one error


class ChosenTask(msgspec.Struct, frozen=True):
    """The loop to continue with, and the file that its task is in."""

    state: LoopState
    file: Path


def _of_backlog(repo: Repo, records: list[Record], task: str, *, says: bool) -> ChosenTask | None:
    """The loop of this task; without a name, the only one that waits. None: it is about a prompt, or about nothing.
    `says`: the person has an answer, which is for a loop that asked."""
    live = holder(repo.state_dir)
    if live is not None and not task:
        return None
    if live is not None:
        raise RalphError(
            f"a run is at work here (pid {live.get('pid')})",
            todo=f'`ralph answer --task {shlex_quoted(task)} "..."` gives it an answer; for anything else, `ralph stop` first.',
        )
    if not task and _prompt_comes_first(records, repo):
        return None
    found = waiting(backlog_history(records, repo.root).loops.values(), repo)
    one = _named(found, task, records, repo) if task else _only(found, says)
    if one is None:
        return None
    file = Path(file_of(records, one.at.run) or context.of_folder(repo, Path.cwd()))
    _check_line(file, repo, one.state)
    return ChosenTask(one.state, file)


def _prompt_comes_first(records: list[Record], repo: Repo) -> bool:
    """A prompt's loop that was cut short; also one that ended, unless the backlog was worked on since."""
    newest = last_loop(records, repo.root)
    if newest is None:
        return False
    run = runs_in(records).newest(repo.root)
    return is_unfinished(newest.state) or run is None or run.at.seq < newest.records[-1].seq


def _only(found: dict[str, Loop], says: bool) -> Loop | None:
    parked = [one for one in found.values() if needs_a_person(one.state)]
    if len(parked) == 1 and (says or len(found) == 1):
        return parked[0]
    if len(found) == 1:
        return next(iter(found.values()))
    if not found:
        return None
    named = [f"{task} ({one.state.judgement.ended or 'its run died'})" for task, one in found.items()]
    first = (parked or list(found.values()))[0].state
    cut_short = [task for task, one in found.items() if not needs_a_person(one.state)]
    rest = f" `ralph run` continues with {few(cut_short)} by itself." if cut_short else ""
    raise RalphError(
        f"{len(found)} tasks of the backlog can continue: {few(named, _NAMED)}",
        todo=f"Name one: `{resume_of(first)}`.{rest}",
    )


def _named(found: dict[str, Loop], task: str, records: list[Record], repo: Repo) -> Loop | None:
    if task in found:
        return found[task]
    again = f"`ralph task reopen {shlex_quoted(task)}`, then `ralph run`"
    last = _last_of(task, records, repo)
    if last is None:
        if last_loop(records, repo.root, task):
            return None
        file = context.of_folder(repo, Path.cwd())
        JsonlBacklog(file, repo.state_dir).find(task)
        raise RalphError(
            f"{task} has no loop that can continue",
            todo=f"`ralph run --task {shlex_quoted(task)}` begins it.",
        )
    end = last.state.judgement.ended
    if end in FAILURES:
        return last
    if end in DONE:
        raise RalphError(f"{task} is over: {end}", todo=f"To do it once more: {again}.")
    if end is not None and end in OVER:
        raise RalphError(f"{task} is over: {end}", todo=what_next(end, last.state))
    raise RalphError(
        f"the workspace of {task} is gone",
        where=last.state.identity.root,
        todo=f"To start over: {again}. `ralph recover` lists what was saved.",
    )


def _last_of(task: str, records: list[Record], repo: Repo) -> Loop | None:
    here = survey(records).here(repo.root)
    last = next((one.id for one in reversed(here) if one.of_backlog and one.task == task), None)
    return build(records, [last])[last] if last else None


def _check_line(file: Path, repo: Repo, s: LoopState) -> None:
    """What a person has said in the list since goes before."""
    task = JsonlBacklog(file, repo.state_dir).find(s.identity.task.id)
    if task.archived or task.status in ("complete", "cancelled"):
        raise RalphError(
            f"{task.id} is {task.status}",
            where=str(file),
            todo=f"To work on it anyway, `ralph task reopen {shlex_quoted(task.id)}` first.",
        )
