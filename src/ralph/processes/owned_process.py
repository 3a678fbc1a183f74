"""A running process that Ralph owns with everything below it. Nothing here blocks except close().

The runner's loop: select on fds() and wants_write(), pump() when any is ready, close() once exited().
"""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable

import msgspec

from ralph.errors import GOES_ON, RalphError
from ralph.fault_points import fault_point
from ralph.processes import marks
from ralph.processes.capture import Line, Stream
from ralph.processes.keeper import cgroup, process_table, signal_all

_PATIENCE = 30.0  # for the guard to see everything dead
_BEFORE_FORCE = 1.0  # of these, until Ralph kills by itself, in case the guard is stopped or stuck
_LAST_READS = 64  # chunks read from each pipe after the end; only someone outside the tree could write more
_CREDENTIALS = struct.Struct("3i")  # pid, uid, gid


class Ended(msgspec.Struct, frozen=True):
    """How it ended, when nothing of it is left."""

    code: int  # exit code, or -signal
    stragglers: tuple[str, ...]  # "pid comm" of what was alive when the program had ended by itself
    cut: bool  # the transcript is not whole
    err_tail: str  # the last 64 KiB of stderr
    rest: tuple[Line, ...] = ()  # lines that pump() had not returned yet
    trouble: str = ""  # what went wrong on our side: a full disk, a guard that was killed


class StartFailed(Exception):
    """The guard's own words: which step failed, and how."""

    def __init__(self, step: str, number: int, what: str) -> None:
        super().__init__(what)
        self.step = step  # tier | cwd | exec
        self.number = number
        self.what = what


class OwnedProcess:
    """Made by Ownership.start()."""

    def __init__(
        self,
        control: socket.socket,
        stdin: int,
        prompt: bytes,
        streams: list[Stream],
        mark: str,
        keeper: int,
        forget: Callable[[OwnedProcess], None],
    ) -> None:
        self.pid = 0
        self._guard = 0
        self._guard_started = 0
        self._control = control
        self._heard = b""
        self._running = False
        self._code: int | None = None
        self._stragglers: list[str] = []
        self._gone = False  # the guard has seen everything dead
        self._killed = False
        self._hung_up = False  # the guard itself has ended
        self._stdin = stdin
        self._unwritten = memoryview(prompt)
        self._streams = streams
        self._unread: list[Line] = []
        self._place = ""  # its cgroup
        self._mark = mark
        self._keeper = keeper
        self._cpu = 0.0
        self._cpu_seen = 0.0
        self._ended: Ended | None = None
        self._forget = forget
        control.setblocking(False)
        if (
            sys.platform == "linux"
        ):  # the kernel then reports pids as we see them, also from inside a namespace
            control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self._feed()  # most prompts fit into the pipe: the program finds them there

    # -- while it runs

    def fds(self) -> list[int]:
        """To be watched for reading. Ask again after each pump(): what has ended is no longer in it."""
        control = [] if self._hung_up else [self._control.fileno()]
        return control + [s.fd for s in self._streams if s.fd >= 0]

    def wants_write(self) -> int | None:
        return self._stdin if self._stdin >= 0 else None

    def pump(self) -> list[Line]:
        """Takes and gives what is ready, at most 64 KiB from each stream. Raises OSError once when the transcript
        cannot be written; lines are not lost by that, and reading continues without a transcript."""
        self._feed()
        self._hear()
        troubled = [s.trouble for s in self._streams]
        for stream in self._streams:
            stream.read(self._unread)
        for before, stream in zip(troubled, self._streams, strict=True):
            if stream.trouble is not None and before is None:
                raise stream.trouble
        lines, self._unread = self._unread, []
        return lines

    def wait(self, seconds: float | None = None) -> None:
        """Until there is something to pump(). For callers that have nothing else to do."""
        poll = select.poll()
        for fd in self.fds():
            poll.register(fd, select.POLLIN)
        if self._stdin >= 0:
            poll.register(self._stdin, select.POLLOUT)
        poll.poll(None if seconds is None else max(0.0, seconds) * 1000)

    def exited(self) -> bool:
        """The main process has ended, whoever still holds its pipes; after ask(), all below it too."""
        self._hear()
        return self._code is not None or self._hung_up

    def ask(self) -> None:
        """SIGTERM for the whole tree, and SIGCONT so that stopped processes can obey."""
        self._say(b"ask\n")

    def kill(self) -> None:
        """SIGKILL for the whole tree."""
        self._killed = True
        self._say(b"kill\n")

    def activity(self) -> tuple[int, float]:
        """Bytes of output and CPU seconds of the tree so far; both only grow."""
        now = self._cpu_now()
        self._cpu += max(0.0, now - self._cpu_seen)  # children that no one waits for take their CPU with them
        self._cpu_seen = now
        return sum(s.bytes for s in self._streams), self._cpu

    # -- its end

    def close(self) -> Ended:
        """Ends what is left of it, proves that nothing is, and lets go of every descriptor."""
        if self._ended is None:
            try:
                self._end_tree()
            finally:
                self._ended = self._let_go()
        return self._ended

    def wait_running(self) -> None:
        """Until the program has been executed; StartFailed if it could not be."""
        end = time.monotonic() + _PATIENCE
        while not self._running:
            if not self._await_control(end - time.monotonic()):
                raise StartFailed("tier", 0, "the keeper does not answer")
            self._hear()
            if self._hung_up and not self._running:
                raise StartFailed("keeper", 0, "the keeper died")

    def abandon(self) -> None:
        """Lets go of what never ran; to its guard, if there is one, that means kill."""
        self._close_stdin()
        self._control.close()
        self._hung_up = True
        for stream in self._streams:
            stream.finish([])

    def _end_tree(self) -> None:
        self._hear()
        if self._code is None and not self._hung_up:
            self.kill()
        end = time.monotonic() + _PATIENCE
        force_at = time.monotonic() + _BEFORE_FORCE
        while not self._gone and time.monotonic() < force_at:
            if not self._hung_up:
                self._await_control(force_at - time.monotonic())
                self._hear()
            elif self._place and not cgroup.populated(self._place):
                self._gone = True  # the guard went with the rest, and the kernel says that no one is left
            elif self._place:
                time.sleep(0.001)
            else:
                break
        if not self._gone:
            marks.end_processes(self._left, [self._place] if self._place else [], end - time.monotonic())

    def _left(self) -> list[process_table.Process]:
        """What is still there, found without the guard's help; with the guard, which must not stay either."""
        found = (
            marks.members_of_cgroup(self._place)
            + marks.marked_processes(marks.PROCESS, self._mark)
            + marks.adopted_by_keeper(self._keeper)
        )
        guard = process_table.process(self._guard)
        if guard is not None and guard.started == self._guard_started:
            found += process_table.living([guard, *process_table.below({self._guard}, process_table.table())])
        return found

    def _let_go(self) -> Ended:
        self._hear()
        for stream in self._streams:
            for _ in range(_LAST_READS):
                if not stream.read(self._unread):
                    break
            stream.finish(self._unread)
        self._close_stdin()
        self._control.close()
        self._hung_up = True
        self._forget(self)
        err = self._streams[1].tail() if len(self._streams) > 1 else ""
        trouble = [str(s.trouble) for s in self._streams if s.trouble is not None]
        if self._code is None and not self._killed:
            trouble.append("its guard was killed")
        rest, self._unread = tuple(self._unread), []
        return Ended(
            code=-signal.SIGKILL if self._code is None else self._code,
            stragglers=tuple(self._stragglers),
            cut=any(s.cut for s in self._streams),
            err_tail=err,
            rest=rest,
            trouble="; ".join(trouble),
        )

    # -- stdin

    def _feed(self) -> None:
        while self._stdin >= 0:
            if not self._unwritten:
                self._close_stdin()
                return
            try:
                written = os.write(self._stdin, self._unwritten[: 1 << 20])
            except BlockingIOError:
                return
            except OSError:  # it reads no further, which is its right
                self._close_stdin()
                return
            self._unwritten = self._unwritten[written:]

    def _close_stdin(self) -> None:
        if self._stdin >= 0:
            os.close(self._stdin)
            self._stdin = -1
            self._unwritten = memoryview(b"")

    # -- the guard

    def _say(self, word: bytes) -> None:
        if not self._hung_up:
            self._wake_guard()
            try:
                self._control.send(word)
            except OSError:
                pass  # it has ended; _hear() will report it

    def _wake_guard(self) -> None:
        """Its program may have stopped it, and a stopped guard obeys no one."""
        guard = process_table.process(self._guard) if self._guard else None
        if guard is not None and guard.started == self._guard_started:
            signal_all([self._guard], signal.SIGCONT)

    def _await_control(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._control.fileno(), select.POLLIN)
        return bool(poll.poll(max(0.0, seconds) * 1000))

    def _hear(self) -> None:
        while not self._hung_up:
            try:
                data, extra, _, _ = self._control.recvmsg(4096, socket.CMSG_SPACE(_CREDENTIALS.size))
            except BlockingIOError:
                return
            except OSError:
                data, extra = b"", []
            if not data:
                self._hung_up = True
                return
            sender = next((_CREDENTIALS.unpack(x)[0] for _, _, x in extra if len(x) == _CREDENTIALS.size), 0)
            *lines, self._heard = (self._heard + data).split(b"\n")
            for line in lines:
                self._understand(line.decode("utf-8", "replace"), sender)

    def _understand(self, line: str, sender: int) -> None:
        word, _, rest = line.partition(" ")
        match word:
            case "main":
                self.pid = int(rest) or sender
            case "running":
                pid, _, self._place = rest.partition(" ")
                self._guard = int(pid) or sender
                p = process_table.process(self._guard)
                self._guard_started = p.started if p is not None else 0
                self._running = True
            case "error":
                step, number, what = rest.split(" ", 2)
                raise StartFailed(step, int(number), what)
            case "straggler":
                self._stragglers.append(rest)
            case "exit":
                if self._code is None:
                    fault_point("process.exit")
                self._code = int(rest)
            case "gone":
                self._gone = True
            case _:
                raise RalphError(f"the guard of process {self.pid} says {line!r}", todo=GOES_ON, code=70)

    def _cpu_now(self) -> float:
        if self._ended is not None or self._hung_up:
            return self._cpu_seen
        if self._place:
            used = cgroup.cpu_seconds(self._place)
            return self._cpu_seen if used is None else used
        of = process_table.table() if sys.platform == "linux" else {}
        members = [of[self._guard], *process_table.below({self._guard}, of)] if self._guard in of else []
        return sum(p.ticks for p in members) / os.sysconf("SC_CLK_TCK")
