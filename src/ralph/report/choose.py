"""Which loops a report is about, by what the journal says. Only their records are held in memory."""

from __future__ import annotations

import msgspec

from ralph.core import facts as f
from ralph.core.text import few
from ralph.errors import RalphError
from ralph.journal.read import history
from ralph.journal.record import Record
from ralph.journal.runs import BacklogRun, BacklogRuns, meant
from ralph.workspace import Repo


class Chosen(msgspec.Struct, frozen=True):
    """The records of each loop that is meant, oldest loop first; and the run over a backlog, when that is meant."""

    loops: list[list[Record]]
    run: BacklogRun | None = None
    earlier: str = ""  # the run over the backlog before that one


class _Known(msgspec.Struct):
    """What there is, without the records themselves."""

    here: dict[str, f.LoopStarted] = {}  # loops of this workspace and of its backlog
    elsewhere: set[str] = set()
    runs: dict[str, set[str]] = {}  # run -> the loops of here that it worked on
    last: dict[str, int] = {}  # loop of here -> its newest record
    backlog: list[BacklogRun] = []  # runs over the backlog of this checkout, oldest first

    def loops_of(self, run: BacklogRun) -> list[str]:
        touched = {loop for life in run.runs for loop in self.runs.get(life, ())}
        return [name for name in self.here if name in touched]


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
        over = next((x for x in known.backlog if any(life.startswith(run) for life in x.runs)), None)
        wanted = known.loops_of(over) if over else []
        wanted = wanted or _of_run(known, run)
    else:
        in_place = [name for name, started in known.here.items() if not started.home][-1:]
        over = _newest_run(known, in_place)
        wanted = known.loops_of(over) if over else in_place or list(known.here)[-1:]
    return Chosen(_records(repo, wanted), over, _earlier(known, over) if over else "")


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
        else:
            runs.add(record)
        if record.loop in known.here:
            known.runs.setdefault(record.run, set()).add(record.loop)
            known.last[record.loop] = record.seq
    known.backlog = runs.all
    return known


def _newest_run(known: _Known, in_place: list[str]) -> BacklogRun | None:
    """The run over the backlog that is meant, which `ralph status` shows too; None when a loop in place is newer."""
    over = meant(known.backlog, known.runs.keys())
    newer = over is not None and any(known.last[name] > over.seq for name in in_place)
    return None if newer else over


def _earlier(known: _Known, over: BacklogRun) -> str:
    before = [run.id for run in known.backlog if run.seq < over.seq and known.loops_of(run)]
    return before[-1] if before else ""


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
