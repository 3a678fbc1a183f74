"""Which loops a report is about, by what the journal says. Only their records are held in memory."""

from __future__ import annotations

import msgspec

from ralph.core import facts as f
from ralph.core.text import few
from ralph.errors import RalphError
from ralph.journal.read import history
from ralph.journal.record import Record
from ralph.journal.runs import BacklogRun, BacklogRuns
from ralph.workspace import Repo


class Chosen(msgspec.Struct, frozen=True):
    """The records of each loop that is meant, oldest loop first; and the run over a backlog, when that is meant."""

    loops: list[list[Record]]
    run: BacklogRun | None = None


class _Known(msgspec.Struct):
    """What there is, without the records themselves."""

    here: dict[str, f.LoopStarted] = {}  # loops of this workspace and of its backlog
    elsewhere: set[str] = set()
    runs: dict[str, set[str]] = {}  # run -> the loops of here that it worked on
    backlog: dict[str, BacklogRun] = {}  # runs over the backlog of this checkout


def choose(repo: Repo, *, loop: str = "", run: str = "", everything: bool = False, task: str = "") -> Chosen:
    """An error that a person understands when there is none."""
    known = _survey(repo)
    if not known.here and loop not in known.elsewhere:
        raise RalphError("there is no loop here yet", todo='Start one with `ralph run -p "..."`.')
    over: BacklogRun | None = None
    if loop:
        wanted = [_named(known, loop)]
    elif task:
        wanted = [_of_task(known, task)]
    elif everything:
        wanted = list(known.here)
    elif run:
        wanted = _of_run(known, run)
        over = next((x for name, x in known.backlog.items() if name.startswith(run)), None)
    else:
        newest = list(known.here)[-1]
        over = _newest_run(known, newest)
        wanted = [name for name in known.here if name in known.runs[over.id]] if over else [newest]
    return Chosen(_records(repo, wanted), over)


def _survey(repo: Repo) -> _Known:
    known, runs = _Known(), BacklogRuns(repo.root)
    for record in history(repo.state_dir):
        if record.kind == "loop.started":
            started = f.decode(record.data)
            assert isinstance(started, f.LoopStarted)
            if (started.home or started.root) == str(repo.root):
                known.here[started.loop] = started
            else:
                known.elsewhere.add(started.loop)
        elif runs.add(record) and runs.newest:
            known.backlog[runs.newest.id] = runs.newest
            if record.kind == "run.reviewed":  # it is about all the runs that this one goes on with
                for name in runs.state.runs:
                    known.backlog[name] = msgspec.structs.replace(
                        known.backlog[name], reviews=runs.newest.reviews
                    )
        if record.loop in known.here:
            known.runs.setdefault(record.run, set()).add(record.loop)
    return known


def _newest_run(known: _Known, newest: str) -> BacklogRun | None:
    """The last run over the backlog that worked on something; None when the newest loop was none of a backlog."""
    if not known.here[newest].home:
        return None
    worked = [run for name, run in known.backlog.items() if known.runs.get(name)]
    return worked[-1] if worked else None


def _named(known: _Known, loop: str) -> str:
    if loop in known.here or loop in known.elsewhere:
        return loop
    found = [name for name in known.here if name.startswith(loop)]
    if len(found) > 1:
        raise RalphError(f"several loops begin with {loop!r}: {few(found)}", todo="Give more of the name.")
    if not found:
        raise _none(known, f"loop {loop!r}")
    return found[0]


def _of_task(known: _Known, task: str) -> str:
    found = [name for name, started in known.here.items() if started.task.id == task]
    if not found:
        worked = list(dict.fromkeys(started.task.id for started in known.here.values()))
        raise RalphError(
            f"no loop has worked on a task {task!r} here", todo=f"Worked on: {few(worked[::-1])}."
        )
    return found[-1]


def _of_run(known: _Known, run: str) -> list[str]:
    loops = {loop for name, own in known.runs.items() if name.startswith(run) for loop in own}
    if not loops:
        raise _none(known, f"run {run!r} with a loop here")
    return [name for name in known.here if name in loops]


def _none(known: _Known, what: str) -> RalphError:
    names = few(list(known.here)[::-1])
    return RalphError(f"there is no {what}", todo=f"Loops here: {names}. `ralph report --all` shows all.")


def _records(repo: Repo, wanted: list[str]) -> list[list[Record]]:
    found: dict[str, list[Record]] = {name: [] for name in wanted}
    for record in history(repo.state_dir):
        if record.loop in found and record.kind in f.BY_KIND:
            found[record.loop].append(record)
    return list(found.values())
