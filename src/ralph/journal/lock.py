"""Who may write. `Lock` makes a process the journal's one writer; `WorkLock` is `.ralph.lock`, one run per folder.

Both are held by flock, which the kernel gives back when the process dies: a dead holder never blocks.
The content of the files says who holds them; in `.ralph.lock`, also what other tools hold it.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shlex
import stat
import time
from collections.abc import Mapping
from pathlib import Path

from ralph.errors import GOES_ON, RalphError
from ralph.fault_points import fault_point

NAME = "lock"
_TRIES = 20
_PATIENCE = 100
_PAUSE = 0.005
_NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)
_CLOCK_SLACK = 2.0  # seconds: file times are coarse, and the clock may have been set a little since

_held: set[str] = set()


class Busy(RalphError):
    def __init__(self, path: Path, note: Mapping[str, object]) -> None:
        """`note`: what the holder says of itself."""
        pid, folder = _pid_of(note), str(note.get("folder", ""))
        who = [f"pid {pid}" if pid else "a process that has not said which"]
        who += [f"{name} {note[name]}" for name in ("task", "run", "since") if note.get(name)]
        elsewhere = folder and not Path.cwd().is_relative_to(str(note.get("root") or folder))
        stop = f"cd {shlex.quote(folder)} && ralph stop" if elsewhere else "ralph stop"
        super().__init__(
            f"another run is under way {f'in {folder}' if elsewhere else 'here'}: {', '.join(who)}",
            where=str(path),
            todo=f"Wait for it to end, or end it with `{stop}`.",
        )
        self.pid = pid


class Lock:
    """The right to write the journal of one state directory, from `acquire` to `release` or death. Another `name` is another
    right: a database has its own."""

    def __init__(self, path: Path, fd: int) -> None:
        self._key = os.path.realpath(path)
        self._fd = fd
        _held.add(self._key)

    @classmethod
    def acquire(
        cls, state_dir: Path, run: str, name: str = NAME, about: Mapping[str, str] | None = None
    ) -> Lock:
        """`about`: what else is reported about the holder: the `folder` and `root` of its checkout, its `task`."""
        path = state_dir / name
        try:
            state_dir.mkdir(parents=True, exist_ok=True)
            fd = _grab_patiently(path)
        except OSError as error:
            raise _unusable(path, error)
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        note = {"pid": os.getpid(), "run": run, "since": since, "host": os.uname().nodename, **(about or {})}
        try:
            fault_point("lock.before", writes=True)
            _rewrite(fd, json.dumps(note).encode() + b"\n")
        except OSError as error:
            os.close(fd)
            raise _unusable(path, error)
        return cls(path, fd)

    def release(self) -> None:
        if self._fd < 0:
            return
        _held.discard(self._key)
        fault_point("lock.release")
        try:
            os.ftruncate(self._fd, 0)  # a note that names a live process shall mean that it holds the lock
        except OSError:
            pass
        os.close(self._fd)  # the file stays: removing it would let two processes lock two files of one name
        self._fd = -1


def held_here(state_dir: Path) -> bool:
    """Whether this process holds the lock."""
    return os.path.realpath(state_dir / NAME) in _held


def holder(state_dir: Path) -> dict[str, object] | None:
    """What the live holder says of itself (pid, run, since, host; a run also its place and task), or None if no one holds it."""
    path = state_dir / NAME
    note: dict[str, object] = {}
    for _ in range(_TRIES):
        if not _is_locked(path):
            return None
        note = _note(path)
        if _names_the_living(note):
            break
        time.sleep(_PAUSE)  # a new holder is about to write its note over a dead one's
    return note


class WorkLock:
    """The visible lock in the folder where the user works. It holds one pid and nothing else, because scripts say
    `kill -0 "$(cat .ralph.lock)"`. Another tool that writes its pid there without a flock is respected too."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._fd = -1

    def take(self) -> None:
        """Take it, or raise Busy. A dead process's is taken over."""
        try:
            fd = _grab(self._path, 0o644)
        except OSError as error:
            raise _unusable(self._path, error)
        if fd is None:
            raise Busy(self._path, {"pid": _await_pid(self._path)})
        try:
            pid = self._stated(fd)
            if pid and pid != os.getpid() and _alive(pid, by=os.fstat(fd).st_mtime):
                raise Busy(self._path, {"pid": pid})  # it does not hold by flock: another tool of this family
            fault_point("worklock.before", writes=True)
            _rewrite(fd, f"{os.getpid()}\n".encode())
            fault_point("worklock.after")
        except OSError as error:
            os.close(fd)
            raise _unusable(self._path, error)
        except BaseException:
            os.close(fd)
            raise
        self._fd = fd

    def release(self) -> None:
        """Remove the file if it is still this process's."""
        if self._fd < 0:
            return
        try:
            if _is_at(self._fd, self._path) and _pid_in(os.pread(self._fd, 4096, 0)) == os.getpid():
                fault_point("worklock.remove.before")
                self._path.unlink()
                fault_point("worklock.remove.after")
        except OSError:
            pass  # a leftover names a dead pid and is taken over by the next run
        os.close(self._fd)
        self._fd = -1

    def _stated(self, fd: int) -> int:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise self._foreign()
        text = os.pread(fd, 4096, 0)
        pid = _pid_in(text)
        if text.strip() and not pid:
            raise self._foreign()
        return pid

    def _foreign(self) -> RalphError:
        return RalphError(
            "this is not a lock: it holds no process id",
            where=str(self._path),
            todo="Nothing was changed. Remove or rename it.",
        )


def _grab_patiently(path: Path) -> int:
    """As `_grab`, but over those who only ask for the holder: they keep it for an instant and leave no note."""
    note: dict[str, object] = {}
    for attempt in range(_PATIENCE):
        fd = _grab(path, 0o600)
        if fd is not None:
            return fd
        note = _note(path)
        if attempt > 2 and _names_the_living(note):
            break
        time.sleep(_PAUSE)
    raise Busy(path, note)


def _grab(path: Path, mode: int) -> int | None:
    """A descriptor that holds the exclusive lock on the file of this name, or None if another does."""
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, mode)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(fd, path):
                return fd
            os.close(fd)  # released and removed between open and flock
        except BlockingIOError:
            os.close(fd)
            return None
        except BaseException:
            os.close(fd)
            raise


def _is_locked(path: Path) -> bool:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        # Shared and for an instant: two askers do not see each other, and a starting run tries again over it.
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise  # else no one can hold it
    finally:
        os.close(fd)
    return False


def _is_at(fd: int, path: Path) -> bool:
    try:
        there = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(fd), there)


def _rewrite(fd: int, text: bytes) -> None:
    """In one write, then cut: a reader of the first line never finds it empty or half."""
    os.pwrite(fd, text, 0)
    os.ftruncate(fd, len(text))


def _note(path: Path) -> dict[str, object]:
    try:
        found = json.loads(path.read_bytes().partition(b"\n")[0])
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _names_the_living(note: dict[str, object]) -> bool:
    pid = _pid_of(note)
    return pid > 0 and (note.get("host") != os.uname().nodename or _alive(pid))


def _await_pid(path: Path) -> int:
    pid = 0
    for _ in range(_TRIES):
        try:
            pid, written = _pid_in(path.read_bytes()[:4096]), path.stat().st_mtime
        except OSError:
            return 0
        if pid and _alive(pid, by=written):
            break
        time.sleep(_PAUSE)
    return pid


def _pid_of(note: Mapping[str, object]) -> int:
    pid = note.get("pid")
    return pid if isinstance(pid, int) else 0


def _pid_in(text: bytes) -> int:
    pid = text.decode("ascii", "replace").strip()
    return int(pid) if pid.isascii() and pid.isdigit() and len(pid) < 11 else 0


def _alive(pid: int, by: float | None = None) -> bool:
    """Whether the process runs and, where that is known, ran already at that time: a later one has a reused pid."""
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    state, started = _state_and_start(pid)
    return state not in ("Z", "X") and (by is None or started <= by + _CLOCK_SLACK)


def _state_and_start(pid: int) -> tuple[str, float]:
    """State, and start time as files have it. Linux only; elsewhere unknown: "" and 0."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].decode().split()
    except OSError:
        return "", 0.0
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
    return fields[0], time.time() - age


def _unusable(path: Path, error: OSError) -> RalphError:
    todo = GOES_ON
    if error.errno in _NO_LOCKS:
        todo = "This file system has no locks, as some network drives. Work in a clone on a local disk."
    denied = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ELOOP, errno.EISDIR, errno.ENOTDIR)
    return RalphError(
        f"the lock cannot be taken: {error.strerror}",
        where=str(path),
        todo="Make it a file that you may write; `ralph doctor` checks the place." if denied else todo,
        code=2 if denied else 70,
    )
