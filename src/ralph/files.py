"""The small files that agents and Ralph share: read with a bound, replaced as a whole, changed by one at a time."""

from __future__ import annotations

import errno
import os
import stat

from ralph.errors import RalphError
from ralph.fault_points import fault_point

TYPE_CHECKING = False
if TYPE_CHECKING:  # commands that agents call often import neither typing nor pathlib
    from pathlib import Path


LIMIT = 4 << 20  # bytes of a file that is read, and perhaps written anew, as a whole
_PATIENCE = 5.0  # seconds to wait for another who changes a file of the same folder


class NotAFile(FileNotFoundError):
    """A FIFO, a socket, a device or a folder is where a file is looked for: for whoever would read it there is none."""


def open_plain(path: str | Path, flags: int = os.O_RDONLY) -> int:
    """The one way to open what an agent may have made: never waits, and what is not a regular file is NotAFile."""
    try:
        fd = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY, 0o644)
    except OSError as error:
        if error.errno in (errno.ENXIO, errno.ENODEV):  # a socket, or a FIFO to write to that no one reads
            raise NotAFile(errno.ENOENT, "it is not a file", os.fspath(path)) from None
        raise
    mode = os.fstat(fd).st_mode
    if stat.S_ISREG(mode):
        return fd
    os.close(fd)
    what = errno.EISDIR if stat.S_ISDIR(mode) else errno.ENOENT
    raise NotAFile(what, os.strerror(what) if what == errno.EISDIR else "it is not a file", os.fspath(path))


def read_bytes(path: str | Path, most: int = -1) -> bytes:
    """The content of a file that an agent may have made, or its first bytes."""
    with open(open_plain(path), "rb") as file:
        return file.read(most)


def read(path: str) -> str:
    """Its text, "" if there is none. Never waits: what lies there may be a pipe that no one writes to."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        return ""
    try:
        found = os.fstat(fd)
        if not stat.S_ISREG(found.st_mode):
            raise RalphError("this is not a file", where=path, todo="Remove it and try again.")
        if found.st_size > LIMIT:
            raise RalphError(
                f"{found.st_size} bytes are too much; the limit is {LIMIT}",
                where=path,
                todo="Search it with a command of your own, or remove what is no longer needed.",
            )
        raw = b""
        while more := os.read(fd, LIMIT):
            raw += more
        return raw.decode("utf-8", "surrogateescape")  # what is not text goes back as it was
    finally:
        os.close(fd)


def replace(path: str, text: str) -> None:
    """The file has the old text or the new one, never a part."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    temporary = f"{path}.{os.getpid()}"
    try:
        with open(temporary, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
            file.write(text)
        fault_point("rename.before", writes=True)
        os.replace(temporary, path)
        fault_point("rename.after")
    except BaseException:
        try:
            os.unlink(temporary)
        except OSError:
            pass
        raise


def append(path: str, line: str) -> None:
    """One line more, at the end of whatever others write there meanwhile."""
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    fd = open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        fault_point("append.before", writes=True)
        os.write(fd, f"{line}\n".encode("utf-8", "surrogateescape"))
        fault_point("append.after")
    finally:
        os.close(fd)


def lock(fd: int, seconds: float = _PATIENCE) -> bool:
    """Hold the file or folder alone, until the descriptor is closed. False: another did all the time."""
    import fcntl
    import time

    until = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > until:
                return False
        time.sleep(0.005)


class Alone:
    """`with Alone(folder)`: no other server changes files of this folder meanwhile. Leaves no lock file behind."""

    def __init__(self, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self._folder = folder

    def __enter__(self) -> None:
        self._fd = os.open(self._folder, os.O_RDONLY | os.O_CLOEXEC)
        if not lock(self._fd):
            os.close(self._fd)
            raise RalphError("another process is changing it", where=self._folder, todo="Try again.")

    def __exit__(self, *_: object) -> None:
        os.close(self._fd)


def sync(path: Path) -> None:
    """Put a file or folder on the disk."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


Stamp = tuple[int, int, int, int]  # inode, size, mtime_ns, ctime_ns


def stamp(path: Path, *, follow: bool = True) -> Stamp | None:
    """Changes whenever the file is replaced or written; None when it is not there."""
    try:
        st = os.stat(path, follow_symlinks=follow)
    except OSError:
        return None
    return (st.st_ino, st.st_size, st.st_mtime_ns, st.st_ctime_ns)


MAX_BYTES = 1024 * 1024


def read_text(path: Path) -> str:
    """The text of `path`. The RalphError says only what is wrong with it; the caller knows where it was named."""
    try:
        data = read_bytes(path, MAX_BYTES + 1)
    except NotAFile:
        raise RalphError("is a folder, not a file" if os.path.isdir(path) else "is not a file")
    except FileNotFoundError:
        raise RalphError("does not exist")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise RalphError(f"cannot be read: {getattr(error, 'strerror', None) or error}")
    if len(data) > MAX_BYTES:
        raise RalphError("is larger than 1 MiB")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RalphError(f"is not a text file: byte 0x{data[error.start]:02x} on line {line} is not UTF-8")
    if "\0" in text:
        raise RalphError("is not a text file: it contains NUL bytes")
    return text


def located(text: str, folder: Path) -> Path:
    """A path that a person wrote, seen from `folder`."""
    return folder / os.path.expanduser(text)


def remove_tree(path: Path) -> None:
    """Remove a folder or file, if it is there. Links are removed, not followed."""
    import shutil
    from pathlib import Path

    if path.is_symlink() or not path.is_dir():
        try:
            path.unlink(missing_ok=True)
        except NotADirectoryError:  # of the folder that it would be in
            pass
        return

    def open_up(function: object, name: str, error: tuple[type, BaseException, object]) -> None:
        if isinstance(error[1], FileNotFoundError):  # another removed it, too
            return
        parent = Path(name).parent
        parent.chmod(stat.S_IRWXU)
        if Path(name).is_dir() and not Path(name).is_symlink():
            Path(name).chmod(stat.S_IRWXU)
            shutil.rmtree(name)
        else:
            Path(name).unlink(missing_ok=True)

    try:
        shutil.rmtree(path, onerror=open_up)
    except RecursionError:  # nested more deeply than Python goes
        import subprocess

        subprocess.run(["rm", "-rf", "--", path], stdin=subprocess.DEVNULL, capture_output=True)


def prune_empty(folder: Path, root: Path) -> None:
    """Remove the folder and those around it, up to `root`, as far as nothing is in them."""
    while folder != root:
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent
