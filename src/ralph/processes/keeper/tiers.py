"""How a guard holds the tree that it started, one class per tier: who is in it, signal all, kill all, is it empty.

A hold is made by the guard, in the guard, before there is a program.
"""

from __future__ import annotations

import os
import sys

from . import cgroup, process_table, signal_all

if sys.platform == "linux":
    from . import linux

KILL, TERM, CONT = 9, 15, 18 if sys.platform == "linux" else 19  # the signal module costs 6 ms to import


class Reaper:
    """A subreaper: orphans become the guard's children, however often they fork and whatever session they make."""

    def __init__(self, place: str) -> None:
        if process_table.process(os.getpid()) is None:
            raise OSError("/proc is not mounted")
        linux.become_subreaper()

    def members(self, main: int) -> list[process_table.Process]:
        """The living ones, without the guard."""
        return process_table.living(process_table.below({os.getpid()}, process_table.table()))

    def signal(self, main: int, number: int) -> None:
        signal_all([p.pid for p in self.members(main)], number)

    def kill(self, main: int) -> None:
        self.signal(main, KILL)

    def empty(self, main: int, childless: bool) -> bool:
        return childless


class Namespace(Reaper):
    """The guard is pid 1 of a pid namespace: the kernel kills the rest when it ends, for whatever reason."""

    def __init__(self, place: str) -> None:
        linux.mount_proc()

    def members(self, main: int) -> list[process_table.Process]:
        return process_table.living([p for p in process_table.table().values() if p.pid != os.getpid()])

    def signal(self, main: int, number: int) -> None:
        signal_all([-1], number)


class Cgroup(Reaper):
    """Also a cgroup, with the guard in it, so that whatever it starts is born there: moving a process into one
    waits for all processors, 17 ms. Killing is one atomic write, which ends the guard too; the keeper tidies up."""

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self.place = place
        if os.getpid() not in cgroup.members(place):  # a kernel that cannot fork into a cgroup
            cgroup.enter(place)

    def members(self, main: int) -> list[process_table.Process]:
        """Also what has moved to another cgroup, as root or in a delegated tree it can: it is below the guard still."""
        inside = [pid for pid in cgroup.members(self.place) if pid != os.getpid()]  # parents before children
        held = process_table.living([p for p in map(process_table.process, inside) if p is not None])
        return held + [p for p in super().members(main) if p.pid not in inside]

    def kill(self, main: int) -> None:
        inside = set(cgroup.members(self.place))
        signal_all([p.pid for p in super().members(main) if p.pid not in inside], KILL)
        try:
            cgroup.kill_at_once(self.place)
        except OSError:  # Linux < 5.14
            super().kill(main)

    def empty(self, main: int, childless: bool) -> bool:
        return childless and cgroup.members(self.place) == [os.getpid()]


class Group:
    """A plain process group, for systems that have nothing better. What makes its own session escapes it."""

    def __init__(self, place: str) -> None:
        pass

    def members(self, main: int) -> list[process_table.Process]:
        import subprocess

        try:
            listing = subprocess.run(
                ["ps", "-A", "-o", "pid=,pgid=,stat=,comm="], capture_output=True, text=True, errors="replace"
            )
        except OSError:
            return []
        found = []
        for line in listing.stdout.splitlines():
            pid, group, state, comm = (*line.split(None, 3), "")[:4]  # a process may call itself nothing
            if int(group) == main and state[0] not in process_table.DEAD:
                found.append(process_table.Process(int(pid), 0, state[0], comm, 0, 0))
        return found

    def signal(self, main: int, number: int) -> None:
        signal_all([-main], number)

    def kill(self, main: int) -> None:
        self.signal(main, KILL)

    def empty(self, main: int, childless: bool) -> bool:
        try:
            os.killpg(main, 0)
        except ProcessLookupError:
            return childless
        except PermissionError:
            pass  # macOS says so of a group of zombies
        return childless and not self.members(main)


Hold = Reaper | Group

HOLDS: dict[str, type[Reaper] | type[Group]] = {
    "cgroup": Cgroup,
    "pidns": Namespace,
    "reaper": Reaper,
    "group": Group,
}
