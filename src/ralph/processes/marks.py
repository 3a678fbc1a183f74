"""Finding and ending processes by the mark they carry, when the guard that held them is dead too.

Every started program has RALPH_RUN and RALPH_PROCESS in its environment, and what it starts inherits them.
Only processes of our own user are touched, never this process or its ancestors. Linux only: elsewhere
nothing can be found this way.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence

from ralph.errors import RalphError
from ralph.processes.keeper import cgroup, process_table, signal_all

RUN = "RALPH_RUN"
PROCESS = "RALPH_PROCESS"
_PATIENCE = 30.0


def residue(tier: str, run: str, keeper: int, places: str) -> str:
    """What to write down so that `sweep` can find the run's processes when Ralph is dead."""
    return f"{tier} {run} {_identity(keeper)} {places}"


def sweep(residue: str) -> list[str]:
    """Ends what a dead run left and returns it as "pid comm". Nothing left: an empty list, at once."""
    _, run, keeper, prefix = residue.split(" ", 3)
    places = [p for p in cgroup.places(prefix) if os.getpid() not in cgroup.members(p)]

    def left() -> list[process_table.Process]:
        return (
            _of_keeper(keeper)
            + [p for place in places for p in members_of_cgroup(place)]
            + marked_processes(RUN, run)
        )

    found = end_processes(left, places)
    for place in places:
        if not cgroup.remove(place):
            raise RalphError(
                f"the cgroup {place} cannot be removed", todo="Look at its cgroup.procs.", code=70
            )
    return found


def members_of_cgroup(place: str) -> list[process_table.Process]:
    """The living processes in a cgroup."""
    return process_table.living(
        [p for p in map(process_table.process, cgroup.members(place)) if p is not None]
    )


def adopted_by_keeper(keeper: int) -> list[process_table.Process]:
    """What the keeper got as its own when a guard was killed, until it has killed it."""
    of = process_table.table()
    orphans = {p.pid for p in of.values() if p.parent == keeper and not p.comm.startswith("ralph-")}
    return process_table.living([of[pid] for pid in orphans] + process_table.below(orphans, of))


def _identity(pid: int) -> str:
    p = process_table.process(pid)
    return f"{pid}.{p.started}" if p is not None else "0.0"


def _of_keeper(identity: str) -> list[process_table.Process]:
    """The keeper and its guards, should they still be there: they must not start what was asked for last."""
    pid, _, _ = identity.partition(".")
    of = process_table.table() if _identity(int(pid)) == identity else {}
    keeper = of.get(int(pid))
    return process_table.living([keeper, *process_table.below({keeper.pid}, of)]) if keeper else []


def marked_processes(name: str, value: str) -> list[process_table.Process]:
    """Living processes with name=value in their environment, and all below them, whatever theirs says."""
    if sys.platform != "linux":
        return []
    mark = f"\0{name}={value}\0".encode()
    uid = os.geteuid()
    of = process_table.table()
    roots = {pid for pid in of if mark in b"\0" + process_table.slurp(f"/proc/{pid}/environ")}
    spared = _line_of(os.getpid(), of)
    found = [of[pid] for pid in roots] + process_table.below(roots, of)
    return [p for p in process_table.living(found) if p.pid not in spared and _owner(p.pid) == uid]


def end_processes(
    left: Callable[[], list[process_table.Process]], places: Sequence[str], patience: float = _PATIENCE
) -> list[str]:
    """SIGKILL for all that `left` finds, until it finds nothing; RalphError if that does not happen."""
    seen: dict[tuple[int, int], str] = {}
    until = time.monotonic() + patience
    while found := left():
        if time.monotonic() > until:
            names = ", ".join(map(str, found[:5]))
            raise RalphError(
                f"processes survive SIGKILL: {names}",
                todo="The kernel holds them (a hung disk or network mount?). Resume when they are gone.",
                code=70,
            )
        for place in places:
            cgroup.kill(place)
        seen |= {(p.pid, p.started): str(p) for p in found}
        signal_all([p.pid for p in found], signal.SIGKILL)
        time.sleep(0.005)  # no one reports the end of processes that are not our children
    return list(seen.values())


def _line_of(pid: int, of: dict[int, process_table.Process]) -> set[int]:
    line = {pid}
    while (p := of.get(pid)) is not None and p.parent not in line:
        line.add(pid := p.parent)
    return line


def _owner(pid: int) -> int:
    try:
        return os.stat(f"/proc/{pid}").st_uid  # noqa: PTH116 - called for every process
    except OSError:
        return -1
