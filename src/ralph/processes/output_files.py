"""The files that what this process prints ends up in: by redirection, or through a reader of its pipe, such as `tee`.

Linux only: elsewhere a reader cannot be found. Nothing is opened or changed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_STREAMS = (1, 2)
_WRITES = os.O_WRONLY | os.O_RDWR


def output_files() -> list[Path]:
    found: dict[Path, None] = {}
    for fd in _STREAMS:
        try:
            mode = os.fstat(fd).st_mode
            target = Path(f"/proc/self/fd/{fd}").readlink()
        except OSError:
            continue
        if stat.S_ISREG(mode):
            found[target] = None
        elif stat.S_ISFIFO(mode):
            found |= dict.fromkeys(_written_by_readers(target))
    return list(found)


def is_piped() -> bool:
    """Whether someone reads what this process prints. A reader may still be starting."""
    try:
        return any(stat.S_ISFIFO(os.fstat(fd).st_mode) for fd in _STREAMS)
    except OSError:
        return False


def _written_by_readers(pipe: Path) -> list[Path]:
    """Regular files that those who read this pipe (`pipe:[inode]`) write."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        opened = _opened_by(process)
        if any(target == pipe and not writes for target, writes in opened):
            found += [target for target, writes in opened if writes and _is_regular(target)]
    return found


def _opened_by(process: Path) -> list[tuple[Path, bool]]:
    """What the process has open, and whether for writing. Nothing of one that is gone or another user's."""
    found = []
    try:
        for link in (process / "fd").iterdir():
            about = (process / "fdinfo" / link.name).read_text()
            flags = next((line.split()[1] for line in about.splitlines() if line.startswith("flags:")), "0")
            found.append((link.readlink(), bool(int(flags, 8) & _WRITES)))
    except (OSError, ValueError):
        return found
    return found


def _is_regular(target: Path) -> bool:
    try:
        return stat.S_ISREG(target.lstat().st_mode)
    except OSError:
        return False
