"""Which loops are meant: by name, by task, by run, or the newest. An error that a person understands when there is none."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from ralph.core import facts as f
from ralph.errors import RalphError
from ralph.git.repo import Repo
from ralph.history.history import LoopStart, Survey, build, survey
from ralph.history.loops import Loop
from ralph.history.runs import RunRecord, meant
from ralph.journal.read import history
from ralph.journal.record import Record
from ralph.text import few


class Selection(msgspec.Struct, frozen=True):
    """Loops, oldest first; and the run over a backlog, when that is meant."""

    ids: list[str]
    run: RunRecord | None = None
    earlier: str = ""  # the run over the backlog before that one


def choose(
    repo: Repo, *, loop: str = "", run: str = "", everything: bool = False, task: str = ""
) -> Selection:
    """Without a wish: the newest loop of this checkout, or the newest run over its backlog, whichever is newer."""
    known = survey(history(repo.state_dir))
    here = known.here(repo.root)
    if not here and loop not in known.starts:
        raise RalphError("there is no loop here yet", todo='Start one with `ralph run -p "..."`.')
    if loop:
        return Selection([_named(known, repo, loop)])
    if task:
        return Selection([_of_task(here, task)])
    if everything:
        return Selection([one.id for one in here])
    if run:
        return _of_run(known, repo, run)
    prompt = known.newest_prompt(repo.root)
    over = meant(known.runs.of(repo.root), known.worked.keys())
    if over is None or (prompt and known.newest[prompt] > over.at.seq):
        return Selection([prompt or here[-1].id])
    return _whole(known, repo, over)


def newest_loop(repo: Repo, wanted: str = "", task: str = "") -> str | None:
    """The newest loop of this checkout, or of its backlog, or of one task; or the one that is called so, in whatever
    workspace of the repository. None: there is no loop here."""
    known = survey(history(repo.state_dir))
    if wanted:
        return _named(known, repo, wanted)
    here = known.here(repo.root)
    if task:
        return _of_task(here, task)
    return here[-1].id if here else None


def loops_of_task(repo: Repo, task: str) -> set[str]:
    """Every loop of this task here."""
    here = survey(history(repo.state_dir)).here(repo.root)
    _of_task(here, task)
    return {one.id for one in here if one.task == task}


def load(repo: Repo, ids: Collection[str]) -> dict[str, Loop]:
    """These loops, from all files of the journal."""
    return build(history(repo.state_dir), ids)


def load_one(repo: Repo, wanted: str = "") -> Loop | None:
    found = newest_loop(repo, wanted)
    return load(repo, [found])[found] if found is not None else None


def records_of(repo: Repo, ids: Collection[str]) -> dict[str, list[Record]]:
    """For those who read records, not the history: `events` and `replay`."""
    found: dict[str, list[Record]] = {id: [] for id in ids}
    for record in history(repo.state_dir):
        if record.loop in found and record.kind in f.BY_KIND:
            found[record.loop].append(record)
    return found


def _named(known: Survey, repo: Repo, loop: str) -> str:
    if loop in known.starts:
        return loop
    here = [one.id for one in known.here(repo.root)]
    found = [id for id in here if id.startswith(loop)] or [id for id in known.starts if id.startswith(loop)]
    if len(found) > 1:
        raise RalphError(f"several loops begin with {loop!r}: {few(found)}", todo="Give more of the name.")
    if not found:
        raise _none(here, f"loop {loop!r}")
    return found[0]


def _of_task(here: list[LoopStart], task: str) -> str:
    found = [one.id for one in here if one.task == task]
    if found:
        return found[-1]
    worked = list(dict.fromkeys(one.task for one in here))
    todo = f"Worked on: {few(worked[::-1])}." if worked else "`ralph run` begins the first one."
    raise RalphError(f"no loop has worked on a task {task!r} here", todo=todo)


def _of_run(known: Survey, repo: Repo, run: str) -> Selection:
    over = next((x for x in known.runs.of(repo.root) if any(life.startswith(run) for life in x.lives)), None)
    if over is not None and (whole := _whole(known, repo, over)).ids:
        return whole
    lives = [life for life in known.worked if life.startswith(run)]
    if not (ids := known.loops_of(lives, repo.root)):
        raise _none([one.id for one in known.here(repo.root)], f"run {run!r} with a loop here")
    return Selection(ids, over, _earlier(known, repo.root, over) if over else "")


def _whole(known: Survey, repo: Repo, run: RunRecord) -> Selection:
    return Selection(known.loops_of(run.lives, repo.root), run, _earlier(known, repo.root, run))


def _earlier(known: Survey, root: Path, over: RunRecord) -> str:
    runs = [run for run in known.runs.of(root) if run.at.seq < over.at.seq]
    before = [run.id for run in runs if known.loops_of(run.lives, root)]
    return before[-1] if before else ""


def _none(here: list[str], what: str) -> RalphError:
    todo = (
        f"Loops here: {few(here[::-1])}. `ralph report --all` shows all."
        if here
        else "`ralph run` begins the first one."
    )
    return RalphError(f"there is no {what}", todo=todo)
