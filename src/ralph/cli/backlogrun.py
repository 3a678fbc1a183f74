"""`ralph run` over a backlog: which tasks, how many at once, and what is said of them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from ralph.backlog import NAME, JsonlBacklog
from ralph.cli.seeing import Json, Plain, Shown
from ralph.core.ends import DONE
from ralph.core.figures import duration
from ralph.core.policy import LandPolicy, Policy
from ralph.core.schedule import Work
from ralph.core.state import LoopState
from ralph.core.text import few
from ralph.driver.backlog import BacklogRequest, run_backlog
from ralph.driver.life import Seeing
from ralph.errors import RalphError
from ralph.ui.terminal import one_line
from ralph.workspace import Repo
from ralph.workspace.landing import target
from ralph.workspace.refusals import refuse

FLAGS = ("task", "max_items", "parallel", "watch", "once")


def wanted(repo: Repo, given: dict[str, Any]) -> bool:
    """Whether the command line, or what is there, speaks of a backlog."""
    if any(given.get(name) for name in FLAGS):
        return True
    return not given.get("prompt") and not given.get("prompt_file") and (repo.root / NAME).exists()


def work_of(given: dict[str, Any], work: Work) -> Work:
    most = 1 if given["once"] else given["max_items"] or 0
    for name in ("max_items", "parallel"):
        if given[name] is not None and given[name] < 1:
            raise RalphError(f"--{name.replace('_', '-')}: must be at least 1")
    return replace(
        work,
        parallel=given["parallel"] or work.parallel,
        most=most,
        watch=given["watch"],
        only=given["task"] or "",
    )


def go_through(folder: Path, repo: Repo, policy: Policy, work: Work, see: dict[str, bool]) -> int:
    backlog = _opened(repo, work)
    request = BacklogRequest(folder=folder, repo=repo, policy=_landing(repo, policy), work=work)
    view = Json(repo.state_dir, verbose=see["verbose"]) if see["as_json"] else Plain(verbose=see["verbose"])
    told = _Told()
    with Shown(folder, view) as shown:
        code = run_backlog(
            request,
            backlog,
            Seeing(
                fact=lambda fact, s: shown.say(fact, s, f"{s.task.id}  " if s.task.id else ""),
                line=lambda who, line: shown.heard(who, line.text),
                resume_or_fresh=lambda s: "resume",
                end=lambda s: shown.tell(told.ended(s)),
                note=shown.note,
            ),
        )
        shown.tell(told.summary(backlog))
    return code


def _opened(repo: Repo, work: Work) -> JsonlBacklog:
    if not (repo.root / NAME).exists():
        raise RalphError(
            f"there is no {NAME}, so there is no task to work on",
            where=str(repo.root),
            todo='Add one: `ralph task add "..."`.',
        )
    backlog = JsonlBacklog(repo.root / NAME, repo.state_dir)
    for problem in backlog.problems()[:10]:
        click.echo(f"warning: {one_line(str(problem))}", err=True)
    if work.only:
        backlog.find(work.only)
    return backlog


def _landing(repo: Repo, policy: Policy) -> Policy:
    """Where each task is worked on and where it goes."""
    if not repo.versioned:
        raise RalphError(
            "a backlog needs git: each task lands as a commit", todo="Run `git init` and commit."
        )
    land = policy.land if policy.land.how != "none" else LandPolicy(how="merge", push=policy.land.push)
    kind = policy.workspace if policy.workspace != "in-place" else "clone"
    ref = target(repo, policy.land.target)
    if why := refuse(repo, ref):
        raise RalphError(why, where=str(repo.root))
    return replace(policy, workspace=kind, land=replace(land, target=ref))


class _Told:
    """What became of each task, for the last words."""

    def __init__(self) -> None:
        self._ends: dict[str, LoopState] = {}
        self._began = datetime.now()

    def ended(self, s: LoopState) -> list[str]:
        self._ends[s.task.id] = s
        return [f"{s.task.id}  {_outcome(s)}"]

    def summary(self, backlog: JsonlBacklog) -> list[str]:
        done = [s for s in self._ends.values() if s.ended in DONE]
        rest = [s for s in self._ends.values() if s.ended not in DONE]
        seconds = (datetime.now() - self._began).total_seconds()
        spent = sum(s.cost_usd for s in self._ends.values())
        cost = f", {spent:.2f} USD" if spent else ""
        lines = ["", f"{len(done)} done, {len(rest)} not, in {duration(seconds)}{cost}"]
        lines += [f"  {s.task.id}: {_outcome(s)}" for s in rest]
        left = [task.id for task in backlog.ready(6)]
        if left:
            lines.append(f"Left: {few(left)}")
        failed = [s.task.id for s in rest if s.end_branch]
        if failed:
            lines.append(f"Look at a failure branch, then `ralph task reopen {failed[0]}` and `ralph run`.")
        return lines


def _outcome(s: LoopState) -> str:
    where = ""
    if s.landed:
        where = f", {s.landed.ref.removeprefix('refs/heads/')} {s.landed.commit[:12]}"
        where += f" ({s.landed.note})" if s.landed.note else ""
    elif s.end_branch:
        where = f", kept on {s.end_branch}"
    return f"{s.ended}: {s.end_reason}{where}"
