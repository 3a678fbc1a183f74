"""What claiming and completing a task costs with few and with many tasks: two synced facts in the journal, the order of
work in memory, and the files written back every few seconds. Reading the file at the start of a run is told apart."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import msgspec

from ralph.backlog.changes import Claimed, Completed
from ralph.backlog.jsonl import JsonlBacklog
from ralph.core import facts as f
from ralph.journal.append import Journal
from ralph.journal.lock import Lock

FEW, MANY = 100, 100_000
WRITE_BACK = 5.0  # seconds between two writings of the file
SAMPLE = 2_000  # tasks worked through; with few, in several backlogs one after the other
ROUNDS = 3


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="ralph-bench-") as folder:
        print("| what | measured | against | ratio or difference | aim |\n|---|---|---|---|---|")
        backlog(Path(folder))


def backlog(place: Path) -> None:
    pairs = [(_cost(place / f"few-{n}", FEW), _cost(place / f"many-{n}", MANY)) for n in range(ROUNDS)]
    few, many, load = (
        statistics.median(column) for column in zip(*((a[0], b[0], b[1]) for a, b in pairs), strict=True)
    )
    print(
        f"| claim + complete, {MANY} tasks | {many * 1000:.2f} ms | {FEW} tasks {few * 1000:.2f} ms "
        f"| {many / few:.1f}x | 2x |"
    )
    print(f"| reading {MANY} tasks, once | {load * 1000:.0f} ms | - | - | - |", flush=True)


def _cost(place: Path, tasks: int) -> tuple[float, float]:
    """Seconds for one task, and for reading the file."""
    place.mkdir(parents=True)
    lock = Lock.acquire(place / "state", "bench")
    journal = Journal.open(place / "state", "bench", lambda: "2026-01-21T10:30:00.000Z")
    spent = loading = 0.0
    done = 0
    while done < SAMPLE:
        path = place / f"tasks-{done}.jsonl"
        path.write_text("".join(_line(n) for n in range(tasks)))
        time.sleep(0.1)  # a file that was just written is read with care
        began = time.perf_counter()
        found = JsonlBacklog(path, place / "state")
        loading = max(loading, time.perf_counter() - began)
        began = written = time.perf_counter()
        for _ in range(min(tasks, SAMPLE)):
            task = found.ready(1)[0]
            for change in (Claimed(task.id), Completed(task.id, "0" * 40, verified=True)):
                fact = f.EventReceived(name=task.id, topic=type(change).__name__)
                journal.append("event.received", msgspec.json.encode(fact))
                journal.sync()
                found.note(change)
            done += 1
            if time.perf_counter() - written > WRITE_BACK:
                found.apply()
                written = time.perf_counter()
        found.apply()
        spent += time.perf_counter() - began
        if found.ready(1) and tasks <= SAMPLE:
            sys.exit("bench: tasks are left over")
    journal.close()
    lock.release()
    return spent / done, loading


def _line(n: int) -> str:
    fields = {"id": f"T{n}", "title": f"the task of number {n}", "status": "pending", "leaf": True}
    return json.dumps(fields, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    main()
