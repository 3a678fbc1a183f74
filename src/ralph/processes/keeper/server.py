"""The keeper: one per run. It always has a guard ready for the next program, which is many times quicker than
starting an interpreter for each, and ends what a guard leaves that was itself killed. It ends with Ralph.
"""

from __future__ import annotations

import gc
import os
import select
import sys
import time

from . import cgroup, guard, process_table, signal_all, tiers

if sys.platform == "linux":
    from . import linux

RALPH = 0  # our end of the socket on which requests come


def main() -> None:
    gc.disable()  # a collection would touch, and so copy, every page shared with the guards
    _name("ralph-keeper")
    if sys.platform == "linux":
        linux.become_subreaper()
    _Keeper(tier=sys.argv[2], places=sys.argv[3]).serve()
    os._exit(0)


def _name(name: str) -> None:
    """What ps shows."""
    try:
        with open("/proc/self/comm", "w") as f:
            f.write(name)
    except OSError:
        pass


def _fork_at_last() -> int:
    """When the machine is out of processes for a moment, the keeper must not be what ends."""
    while True:
        try:
            return os.fork()
        except OSError:
            time.sleep(0.05)


class _Keeper:
    def __init__(self, tier: str, places: str) -> None:
        self.tier = tier
        self.places = places  # how the paths of the guards' cgroups begin
        self.made = 0
        self.guards: dict[int, str] = {}  # pid: its cgroup, or ""
        self.waiting = -1  # ends when the guard that waits for a request takes one, or dies
        self.emptying: list[str] = []  # cgroups whose guard has ended
        self.wakeup = guard.Wakeup()

    def serve(self) -> None:
        while self._wait():
            self.wakeup.clear()
            if self._reap():
                self._kill_orphans()
        while self.guards or self.emptying:  # they have seen the same end, each on its own socket
            signal_all([*self.guards], tiers.CONT)  # unless their programs have stopped them
            if self._reap():
                self._kill_orphans()
            time.sleep(0.001)

    def _wait(self) -> bool:
        """For anything to do; False when Ralph has gone."""
        if self.waiting < 0:
            self._prepare_guard()
        poll = select.poll()
        poll.register(RALPH, 0)  # only its end: the waiting guard reads from it
        poll.register(self.waiting, select.POLLIN)
        poll.register(self.wakeup.fd, select.POLLIN)
        ready = {fd for fd, _ in poll.poll(5 if self.emptying else None)}
        if self.waiting in ready:
            os.close(self.waiting)
            self.waiting = -1
        return RALPH not in ready

    def _prepare_guard(self) -> None:
        """Never two at a time: they would share one socket."""
        self.waiting, take = os.pipe()
        place = trouble = ""
        try:
            match self.tier:
                case "cgroup":
                    place = self._make_place()
                    pid = linux.fork_into(place)
                case "pidns":
                    pid = self._fork_into_namespace(take)
                case _:
                    pid = os.fork()
        except OSError as e:
            trouble = "" if place else e.strerror or str(e)  # with a place, the guard can still move there
            pid = _fork_at_last()
        if pid == 0:
            self._be_guard(place, trouble, take)
        os.close(take)
        self.guards[pid] = place

    def _make_place(self) -> str:
        while True:
            self.made += 1
            place = f"{self.places}{self.made}"
            try:
                os.mkdir(place)  # noqa: PTH102 - no pathlib here
                return place
            except FileExistsError:
                pass  # made by a keeper that was killed, and which we replace

    def _fork_into_namespace(self, take: int) -> int:
        """Only a child of the process that unshared is in the new namespace. That process then ends, and as we are
        a subreaper, its child becomes ours."""
        read, write = os.pipe()
        midwife = os.fork()
        if midwife == 0:
            trouble = ""
            try:
                linux.unshare_pids()
            except OSError as e:
                trouble = e.strerror or str(e)
            pid = os.fork()
            if pid == 0:
                os.close(write)
                self._be_guard("", trouble, take)
            os.write(write, b"%d" % pid)
            os._exit(0)
        os.close(write)
        said = os.read(read, 32)
        os.close(read)
        os.waitpid(midwife, 0)
        if not said:
            raise OSError("no process can be started")
        return int(said)

    def _be_guard(self, place: str, trouble: str, take: int) -> None:
        status = 1
        try:
            os.close(self.waiting)
            _name("ralph-guard")
            guard.run(self.tier, place, trouble, RALPH, take)
            status = 0
        finally:
            os._exit(status)

    def _reap(self) -> bool:
        """True when a guard was killed and may have left something that only we can find."""
        lost = False
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if pid == 0:
                break
            place = self.guards.pop(pid, None)
            if place:
                self.emptying.append(place)
            lost = lost or (place is not None and status != 0)
        self.emptying = [place for place in self.emptying if not self._emptied(place)]
        return lost

    def _emptied(self, place: str) -> bool:
        if cgroup.populated(place):
            cgroup.kill(place)
            return False
        return cgroup.remove(place)

    def _kill_orphans(self) -> None:
        """Every child that is no guard goes, and what is below it."""
        end = time.monotonic() + 5.0
        while sys.platform == "linux" and time.monotonic() < end:
            of = process_table.table()
            mine = {p.pid for p in of.values() if p.parent == os.getpid()} - self.guards.keys()
            if not mine:
                return
            signal_all([*(p.pid for p in process_table.below(mine, of)), *mine], 9)
            for pid in mine:
                try:
                    os.waitpid(pid, os.WNOHANG)
                except ChildProcessError:
                    pass
            time.sleep(0.002)
