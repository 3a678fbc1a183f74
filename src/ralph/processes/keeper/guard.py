"""The guard: the parent of one program. It starts it, reports to Ralph how it ended and what it left behind, and
leaves only when every descendant is dead. Closing its control socket, as Ralph's death does, means kill.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # signal and socket would double the start-up
import _socket
import os
import select
import struct
import sys

from . import FDS, HEADER, Request, say, tiers, unpack

_NAMED_STRAGGLERS = 50
_INT = 4  # bytes of a C int, in which descriptors are passed
_SCM_CREDENTIALS = 2  # Linux
_IGNORED_BY_PYTHON = (_signal.SIGPIPE, _signal.SIGXFSZ)


class Wakeup:
    """A descriptor that becomes readable when a child ends. Signals meant for Ralph do not end this process."""

    def __init__(self) -> None:
        self.fd, write = os.pipe()
        os.set_blocking(self.fd, False)
        os.set_blocking(write, False)
        _signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        for number in (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP):
            if _signal.getsignal(number) != _signal.SIG_IGN:  # a program under nohup stays under nohup
                _signal.signal(number, _nothing)
        _signal.signal(_signal.SIGCHLD, _nothing)

    def clear(self) -> None:
        try:
            while os.read(self.fd, 512):
                pass
        except BlockingIOError:
            pass


def _nothing(number: int, frame: object) -> None:
    """A handler, unlike SIG_IGN, is not inherited by the program."""


def run(tier: str, place: str, trouble: str, requests: int, take: int) -> None:
    """The whole life of a guard; its process ends after it. `trouble` is why the tier cannot work."""
    wakeup = Wakeup()
    hold: tiers.Hold | None = None
    if not trouble:
        try:
            hold = tiers.HOLDS[tier](place)
        except OSError as e:
            trouble = e.strerror or str(e)
    received = _receive(requests)
    if received is None:
        return
    os.close(take)
    os.dup2(os.open(os.devnull, os.O_RDWR), requests, inheritable=False)
    request, (control, *standard) = received
    if hold is None:
        say(control, f"error tier 0 {trouble}")
        return
    main = _spawn(request, control, standard) if not _hung_up(control) else 0
    for fd in standard:
        os.close(fd)
    if main:
        _introduce(control, main, place, explicitly=tier == "pidns")
        _Watch(hold, main, control, wakeup).until_gone()


def _receive(requests: int) -> tuple[Request, list[int]] | None:
    """The next request; None when Ralph has gone instead."""
    ralph = _socket.socket(fileno=os.dup(requests))
    try:
        head, passed, _, _ = ralph.recvmsg(HEADER, _socket.CMSG_SPACE(FDS * _INT), _socket.MSG_WAITALL)
        body = _exactly(ralph, int.from_bytes(head, "big"))
    except OSError:
        return None
    finally:
        ralph.close()
    fds = [
        int.from_bytes(data[i : i + _INT], sys.byteorder)
        for _, _, data in passed
        for i in range(0, len(data), _INT)
    ]
    for fd in fds:
        os.set_inheritable(fd, False)
    return (unpack(body), fds) if body and len(fds) == FDS else None


def _exactly(ralph: _socket.socket, size: int) -> bytes:
    parts = []
    while size and (part := ralph.recv(min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts) if not size else b""


def _hung_up(control: int) -> bool:
    poll = select.poll()
    poll.register(control, 0)
    return bool(poll.poll(0))


def _spawn(request: Request, control: int, standard: list[int]) -> int:
    """The pid of the running program; 0 if it could not be started, which has then been reported to Ralph."""
    cwd, program, argv, env = request
    step = "cwd"
    try:
        os.chdir(cwd)
        step = "exec"
        return os.posix_spawn(  # vfork: nothing of this process is copied, and the program gets the processor
            program,
            argv,
            env,
            file_actions=[(os.POSIX_SPAWN_DUP2, fd, number) for number, fd in enumerate(standard)],
            setsid=True,
            setsigmask=(),
            setsigdef=_IGNORED_BY_PYTHON,
        )
    except (OSError, ValueError) as e:
        number = e.errno or 0 if isinstance(e, OSError) else 0
        say(control, f"error {step} {number} {getattr(e, 'strerror', None) or e}")
        return 0
    finally:
        os.chdir("/")  # the program's directory is not kept busy by us


def _introduce(control: int, main: int, place: str, explicitly: bool) -> None:
    """Which pids these are. From inside a namespace they mean nothing: there the kernel translates them."""
    if explicitly:
        ralph = _socket.socket(fileno=os.dup(control))
        who = struct.pack("3i", main, os.geteuid(), os.getegid())
        try:
            ralph.sendmsg([b"main 0\n"], [(_socket.SOL_SOCKET, _SCM_CREDENTIALS, who)])
        except OSError:
            pass  # Ralph has gone
        ralph.close()
        say(control, f"running 0 {place}")
    else:
        say(control, f"main {main}\nrunning {os.getpid()} {place}")


class _Watch:
    """From a running program to an empty tree."""

    def __init__(self, hold: tiers.Hold, main: int, control: int, wakeup: Wakeup) -> None:
        self.hold = hold
        self.main = main
        self.control = control
        self.wakeup = wakeup
        self.code: int | None = None
        self.asked = False
        self.killed = False

    def until_gone(self) -> None:
        while not self._ended():
            self._hear(None)
        if not self.killed and not self._empty():
            self._tell_of_stragglers()
        self._kill_all()
        say(self.control, f"exit {self.code}\ngone")

    def _ended(self) -> bool:
        """By itself: with the program. When asked to: with its whole tree, which may still be tidying up."""
        empty = self._empty()
        return self.killed or (self.code is not None and (empty or not self.asked))

    def _hear(self, milliseconds: int | None) -> None:
        poll = select.poll()
        poll.register(self.wakeup.fd, select.POLLIN)
        if not self.killed:
            poll.register(self.control, select.POLLIN)
        ready = {fd for fd, _ in poll.poll(milliseconds)}
        self.wakeup.clear()
        if self.control in ready:
            self._obey()

    def _obey(self) -> None:
        try:
            words = os.read(self.control, 4096).split()
        except OSError:
            words = []
        if not words or b"kill" in words:
            self.killed = True
        elif not self.asked:
            self.asked = True
            self.hold.signal(self.main, tiers.TERM)
            self.hold.signal(self.main, tiers.CONT)  # what is stopped cannot end

    def _empty(self) -> bool:
        return self.hold.empty(self.main, self._reap())

    def _reap(self) -> bool:
        """True when no child is left. Only the guard may wait for any child: all its children are the tree."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            if pid == self.main:
                self.code = os.waitstatus_to_exitcode(status)

    def _tell_of_stragglers(self) -> None:
        found = self.hold.members(self.main)
        words = [f"straggler {p}" for p in found[:_NAMED_STRAGGLERS]]
        if len(found) > _NAMED_STRAGGLERS:
            words.append(f"straggler and {len(found) - _NAMED_STRAGGLERS} more")
        say(self.control, "\n".join([*words, f"exit {self.code}"]))

    def _kill_all(self) -> None:
        """Until nothing is left, however long the kernel takes; Ralph's patience is bounded, not ours."""
        wait = 1
        while not self._empty():
            self.hold.kill(self.main)
            if self._empty():
                return
            self._hear(wait)
            wait = min(2 * wait, 64)
