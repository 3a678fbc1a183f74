"""`ralph run` over a backlog: which tasks, how many at once, and what is said of them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from glob import escape
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from ralph.backlog import BACKLOG_NAME, done_name
from ralph.backlog.jsonl import JsonlBacklog
from ralph.backlog.source import Backlog
from ralph.cli.context import hide_files_of, hide_own_files
from ralph.cli.run.view import shown
from ralph.cli.task.view import not_begun, outcome, unready
from ralph.core import facts as f
from ralph.core.exits import BY_NAME, FAILURES, STOPS_THE_RUN, shlex_quoted
from ralph.core.loop.end_advice import what_next
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy
from ralph.core.run import Work, together
from ralph.errors import RalphError
from ralph.git.landing.remote import NO_GH
from ralph.git.refs import target
from ralph.git.repo import Repo, printable
from ralph.git.workspaces.pool import refuse
from ralph.git.workspaces.shared_folders import leading_out, missing_of
from ralph.history.runs import runs_in
from ralph.journal.read import NAME as JOURNAL
from ralph.journal.read import scan
from ralph.runner.backlog_tasks import BacklogTasks, needs_a_person
from ralph.runner.run import run
from ralph.runner.run_request import RunRequest
from ralph.runner.unlanded_tasks import UnlandedTasks, ready
from ralph.terminal.words import one_line
from ralph.text import duration, few


def work_of(given: dict[str, Any], work: Work) -> Work:
    most = 1 if given["once"] else given["max_items"] or work.most
    for name in ("max_items", "parallel"):
        if given[name] is not None and given[name] < 1:
            raise RalphError(
                f"--{name.replace('_', '-')}: must be at least 1",
                todo="Give a higher number, or leave it out.",
            )
    return replace(
        work,
        parallel=given["parallel"] or work.parallel,
        most=most,
        watch=given["watch"],
        only=given["task"] or "",
    )


def go_through(
    folder: Path, repo: Repo, file: Path | None, policy: Policy, work: Work, see: dict[str, bool]
) -> int:
    """`file`: None for the one in its usual place."""
    backlog = _opened(repo, file or repo.root / BACKLOG_NAME, work)
    policy = landing(repo, _guarding(repo, backlog, policy), work)
    return drive(RunRequest(folder=folder, repo=repo, policy=policy, work=work), backlog, see)


def drive(request: RunRequest, backlog: Backlog, see: dict[str, bool]) -> int:
    told = TaskEnds()
    tasks = BacklogTasks(
        backlog,
        request.repo,
        request.policy.land,
        poll_seconds=request.work.poll_seconds,
        generations=request.work.generations,
    )
    with shown(request, see, told, partial(_left, backlog)) as view:
        code = run(request, tasks, view, begins=partial(hide_files_of, request))
        view.tell(told.summary(backlog, _reviews(request.repo), request))
    hide_own_files(request.repo, request.folder)  # the archive may be new
    return code


def _reviews(repo: Repo) -> tuple[f.RunReviewed, ...]:
    """What was said of the whole change, also in the lives of the run that were cut short."""
    run = runs_in(scan(repo.state_dir / JOURNAL).records).newest(repo.root)
    return run.state.reviews if run else ()


def _left(backlog: Backlog) -> int:
    """Tasks that no one has begun."""
    return sum(t.status == "pending" and backlog.tasks.is_leaf(t.id) for t in backlog.tasks)


def _opened(repo: Repo, file: Path, work: Work) -> JsonlBacklog:
    if not file.is_file() and not (work.watch and not work.only and file.parent.is_dir()):
        raise RalphError(
            f"there is no {file.name}, so there is no task to work on",
            where=str(file.parent),
            todo='Add one: `ralph task add "..."`. Or say what to do: `ralph run -p "..."`, or in a file PROMPT.md.',
        )
    backlog = JsonlBacklog(file, repo.state_dir)
    for problem in backlog.problems()[:10]:
        click.echo(f"warning: {one_line(str(problem))}", err=True)
    if work.only:
        backlog.find(work.only)
    return backlog


def _guarding(repo: Repo, backlog: JsonlBacklog, policy: Policy) -> Policy:
    """What an agent does to its copy of the list is put back in any case. Where a link leads to the list, the link and the
    archive beside it are not that copy, and are put back as protected files."""
    if not backlog.path.is_symlink():
        return policy
    list_ = backlog.path.resolve()
    known = {list_, Path(done_name(str(list_)))} if list_.is_relative_to(repo.root) else set()
    named = (path.parent.resolve() / path.name for path in (backlog.path, backlog.done_path))
    more = [path for path in named if path.is_relative_to(repo.root) and path not in known]
    return replace(
        policy, protect=(*policy.protect, *(f"/{escape(str(path.relative_to(repo.root)))}" for path in more))
    )


def landing(repo: Repo, policy: Policy, work: Work) -> Policy:
    """Where a task that has a workspace of its own goes."""
    if not repo.versioned:
        raise RalphError(
            "a workspace of its own needs git: the work lands as a commit",
            todo='Run `git init` and commit; or work in place: `ralph run -p "..." --in-place`.',
        )
    ref = target(repo, policy.land.target)
    if printable(ref) != ref:
        raise RalphError(
            f"the name of the branch {printable(ref.removeprefix('refs/heads/'))} is not UTF-8: the journal cannot hold it",
            where=str(repo.root),
            todo="Rename it with `git branch -m`, or name another branch with `land.target`.",
        )
    if why := refuse(repo, ref):
        raise RalphError(
            why, where=str(repo.root), todo='Work in place, on one task at a time: `ralph run -p "..."`.'
        )
    if policy.land.how == "pr" and shutil.which("gh") is None:
        click.echo(f"warning: {NO_GH}, so work stays on its branches", err=True)
    warn_of_missing(repo, work.share)
    if out := leading_out(repo.root, work.share):
        named = few([one_line(printable(path)) for path in out])
        click.echo(
            f"warning: share: {named} leads outside of the project; what an agent writes there is not undone",
            err=True,
        )
    return replace(policy, land=replace(policy.land, target=ref))


def warn_of_missing(repo: Repo, share: Sequence[str]) -> None:
    """RalphError when one of them is not ignored by git."""
    for name in missing_of(repo, share):
        click.echo(
            f"warning: share: {one_line(name)} is not here, so no workspace gets a copy of it", err=True
        )


class TaskEnds:
    """What became of each task, for the last words."""

    def __init__(self) -> None:
        self._ends: dict[str, LoopState] = {}
        self._reviews: list[f.RunReviewed] = []  # of this life
        self._began = datetime.now()

    def heard(self, fact: f.AnyFact) -> None:
        if isinstance(fact, f.RunReviewed):
            self._reviews.append(fact)

    def ended(self, s: LoopState) -> list[str]:
        self._ends[s.identity.task.id] = s
        return [_outcome(s), *_needs(s)]

    def summary(self, backlog: Backlog, reviews: tuple[f.RunReviewed, ...], request: RunRequest) -> list[str]:
        elsewhere = UnlandedTasks(request.repo)
        outcomes = [outcome(s, backlog, elsewhere) for s in self._ends.values()]
        done, split = [x for x in outcomes if x.done], [x for x in outcomes if x.split]
        rest = [x.state for x in outcomes if not x.done and not x.split]
        seconds = (datetime.now() - self._began).total_seconds()
        spent = sum(s.progress.cost_usd for s in self._ends.values())
        spent += sum(x.usage.cost_usd for x in self._reviews)
        cost = f", {spent:.2f} USD" if spent else ""
        also = f", {len(split)} split" if split else ""
        lines = ["", f"{len(done)} done, {len(rest)} not{also}, in {duration(seconds)}{cost}"]
        lines += [f"  {x.task}: {x.split}" for x in split]
        lines += [f"  {x.task}: {x.missing}" for x in done if x.missing]
        lines += [f"  {x.task}: pull request {x.url}" for x in done if x.url]
        for s in rest:
            lines += [f"  {s.identity.task.id}: {_outcome(s)}", *(f"    {text}" for text in _needs(s))]
        if any(x.state.judgement.ended == "completed-unverified" and not x.state.gates for x in done):
            lines += [BY_NAME["completed-unverified"].next] * (not request.policy.gates_declined)
        if said := together(reviews):
            lines.append(f"Reviewers of the whole run, {said}")
        lines += self._left_over(backlog, request)
        if any(s.judgement.ended in STOPS_THE_RUN for s in rest):
            lines.append("Next: `ralph run` continues where it was.")
        failed = [s for s in rest if s.judgement.ended in FAILURES]
        kept = [s for s in failed if s.judgement.end_branch]
        if failed:
            again = (
                f"`ralph task reopen {shlex_quoted((kept or failed)[0].identity.task.id)}` and `ralph run`"
            )
            lines.append(f"Look at a failure branch, then {again}." if kept else f"To try again: {again}.")
        if cancelled := [s for s in rest if s.judgement.ended == "cancelled"]:
            lines.append(f"Next: {what_next('cancelled', cancelled[0])}")
        return lines

    def _left_over(self, backlog: Backlog, request: RunRequest) -> list[str]:
        """What a further run would begin, or why there is nothing for it."""
        merges = request.policy.land.how == "merge"
        apart = UnlandedTasks(request.repo, request.policy.land.target).among(backlog.tasks) if merges else []
        if request.work.only and not self._ends:
            return [not_begun(request.work.only, backlog, apart)]
        left = [task.id for task in ready(backlog.tasks, 6, [one.task for one in apart])]
        held = unready(backlog, apart, but=self._ends)
        return [f"Left: {few(left)}"] * bool(left) + [held] * bool(held)


def _needs(s: LoopState) -> list[str]:
    """What a person can do for a task that waits for them."""
    return [what_next(s.judgement.ended, s)] if s.judgement.ended and needs_a_person(s) else []


def _outcome(s: LoopState) -> str:
    where = ""
    if s.landing.landed:
        where = f", {s.landing.landed.ref.removeprefix('refs/heads/')} {s.landing.landed.commit[:12]}"
        where += f" ({s.landing.landed.note})" if s.landing.landed.note else ""
        where += f", pull request {s.landing.landed.url}" if s.landing.landed.url else ""
    elif s.judgement.end_branch:
        where = f", kept on {s.judgement.end_branch}"
    elif s.judgement.ended in FAILURES:
        where = ", no change was made and nothing is kept"
    return f"{s.judgement.ended}: {s.judgement.end_reason}{where}"
