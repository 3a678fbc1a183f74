"""The process table as /proc shows it (Linux only). Reads, never signals; what vanishes while being read is skipped."""

from __future__ import annotations

import os

DEAD = "ZX"


class Process:
    """One line of the table."""

    __slots__ = ("comm", "parent", "pid", "started", "state", "ticks")

    def __init__(self, pid: int, parent: int, state: str, comm: str, ticks: int, started: int) -> None:
        self.pid = pid
        self.parent = parent
        self.state = state
        self.comm = comm
        self.ticks = ticks  # CPU of itself and of the children it has reaped
        self.started = started  # with the pid, an identity that survives the reuse of pids

    def __str__(self) -> str:
        return f"{self.pid} {self.comm}"


def slurp(path: str) -> bytes:
    """The file's bytes, or none if it cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        parts = []
        while part := os.read(fd, 65536):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return b""
    finally:
        os.close(fd)


def process(pid: int) -> Process | None:
    head, found, rest = slurp(f"/proc/{pid}/stat").rpartition(b") ")
    if not found:
        return None
    comm = head.partition(b"(")[2].decode("utf-8", "replace")
    comm = "".join(c if c.isprintable() else "?" for c in comm)
    f = rest.split()
    ticks = sum(int(t) for t in f[11:15])
    return Process(pid, int(f[1]), f[0].decode(), comm, ticks, int(f[19]))


def pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208 - no pathlib here
    except OSError:
        return []


def table() -> dict[int, Process]:
    return {p.pid: p for p in map(process, pids()) if p is not None}


def below(roots: set[int], of: dict[int, Process]) -> list[Process]:
    """Every descendant of the roots, zombies included, parents before children; not the roots themselves."""
    children: dict[int, list[Process]] = {}
    for p in of.values():
        children.setdefault(p.parent, []).append(p)
    found: list[Process] = []
    seen = set(roots)
    queue = list(roots)
    while queue:
        for child in children.get(queue.pop(0), ()):
            if child.pid not in seen:
                seen.add(child.pid)
                found.append(child)
                queue.append(child.pid)
    return found


def living(of: list[Process]) -> list[Process]:
    return [p for p in of if p.state not in DEAD]
