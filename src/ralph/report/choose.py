"""Which loops a report is about, by what the journal says. Only their records are held in memory."""

from __future__ import annotations

from ralph.core import facts as f
from ralph.core.text import few
from ralph.errors import RalphError
from ralph.journal.read import history
from ralph.journal.record import Record
from ralph.workspace import Repo


def records_of(repo: Repo, loop: str, run: str, everything: bool) -> list[list[Record]]:
    """The records of each loop that is meant, oldest loop first; an error that a person understands without any."""
    found: dict[str, list[Record]] = {}
    here: list[str] = []
    several = bool(loop or run or everything)
    for record in history(repo.state_dir):
        if record.kind == "loop.started":
            started = f.decode(record.data)
            assert isinstance(started, f.LoopStarted)
            if started.root == str(repo.root):
                if not several:
                    found.clear()  # a newer one: the older are not wanted
                here.append(started.loop)
            if (started.root == str(repo.root) and started.loop.startswith(loop)) or started.loop == loop:
                found[started.loop] = []
        if record.loop in found and record.kind in f.BY_KIND:
            found[record.loop].append(record)
    if run:
        found = {name: own for name, own in found.items() if any(r.run.startswith(run) for r in own)}
    return _checked(found, here, loop, run)


def _checked(found: dict[str, list[Record]], here: list[str], loop: str, run: str) -> list[list[Record]]:
    if loop in found:
        return [found[loop]]
    if loop and len(found) > 1:
        raise RalphError(
            f"several loops begin with {loop!r}: {few(list(found))}", todo="Give more of the name."
        )
    if found:
        return list(found.values())
    if not here:
        raise RalphError("there is no loop here yet", todo='Start one with `ralph run -p "..."`.')
    what = f"loop {loop!r}" if loop else f"run {run!r} with a loop here"
    raise RalphError(
        f"there is no {what}", todo=f"Loops here: {few(here[::-1])}. `ralph report --all` shows all."
    )
