"""A cgroup (version 2, Linux only) that holds one process tree: all of it can be killed in one write."""

from __future__ import annotations

import os
import time

from . import process_table, signal_all


def own_place() -> str:
    """The directory of this process' own cgroup, in which it may be allowed to make others."""
    return find_place(_text("/proc/self/cgroup"), _text("/proc/self/mountinfo"))


def find_place(membership: str, mounts: str) -> str:
    """Version 2 may be mounted anywhere beside version 1, and the mount may show only a part of the hierarchy."""
    path = next((x[3:] for x in membership.splitlines() if x.startswith("0::")), "")
    if not path:
        raise OSError("no version 2 cgroup hierarchy")
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        if not after.startswith("cgroup2 "):
            continue
        root, mount = map(_plain, before.split()[3:5])
        inside = os.path.relpath(path, root)
        if inside != ".." and not inside.startswith("../"):
            return os.path.normpath(f"{mount}/{inside}")
    raise OSError(f"the cgroup {path} is not mounted here")


def _text(path: str) -> str:
    return os.fsdecode(process_table.slurp(path))


def _plain(escaped: str) -> str:
    """mountinfo writes blanks and backslashes in octal."""
    for octal, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        escaped = escaped.replace(octal, char)
    return escaped


def places(prefix: str) -> list[str]:
    """The cgroups whose path begins so."""
    folder = prefix.rpartition("/")[0]
    return [path for path in _below(folder) if path.startswith(prefix)] if folder else []


def enter(place: str) -> None:
    _write(f"{place}/cgroup.procs", b"0")


def populated(place: str) -> bool:
    return b"populated 1" in process_table.slurp(f"{place}/cgroup.events")


def members(place: str) -> list[int]:
    """The pids in it and in whatever cgroups were made in it."""
    if not place:
        return []
    found = [int(pid) for pid in process_table.slurp(f"{place}/cgroup.procs").split()]
    for sub in _below(place):
        found += members(sub)
    return found


def cpu_seconds(place: str) -> float | None:
    """What the tree has used so far, its dead members included; None when the cgroup is gone."""
    word, _, rest = process_table.slurp(f"{place}/cpu.stat").partition(b" ")
    return int(rest.split(maxsplit=1)[0]) / 1e6 if word == b"usage_usec" else None


def kill(place: str) -> None:
    try:
        kill_at_once(place)
    except OSError:  # Linux < 5.14, or the cgroup is gone
        kill_each(place)


def kill_at_once(place: str) -> None:
    _write(f"{place}/cgroup.kill", b"1")


def kill_each(place: str) -> None:
    """Frozen first, so that nothing can fork away from the loop; SIGKILL reaches what is frozen."""
    try:
        _write(f"{place}/cgroup.freeze", b"1")
    except OSError:
        pass  # Linux < 5.2: callers repeat until it is empty
    signal_all(members(place), 9)


def remove(place: str, seconds: float = 2.0) -> bool:
    """Removes it and what was made in it, once empty. A task that is just dying keeps it busy for a moment."""
    end = time.monotonic() + seconds
    while True:
        try:
            for sub in _below(place):
                remove(sub, 0.0)
            os.rmdir(place)  # noqa: PTH106 - importing pathlib would double the keeper's start-up
            return True
        except FileNotFoundError:
            return True
        except OSError:
            if time.monotonic() >= end or populated(place):
                return False
            time.sleep(0.001)


def _below(place: str) -> list[str]:
    try:
        return [entry.path for entry in os.scandir(place) if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _write(path: str, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(fd, data)
    finally:
        os.close(fd)
