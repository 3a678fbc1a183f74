"""What several loops side by side come to: a backlog of tasks whose agent takes one second, from the start of `ralph run`
to its end, against tasks / loops seconds; its processor time for a task, which a busy machine disturbs less; and the memory
of Ralph's own processes meanwhile."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from table import RALPH, Table, Variant, megabytes, ms, variants

TASKS = 16
SIDE_BY_SIDE = (1, 2, 4, 8)
AGENT_SECONDS = 1.0
ROUNDS = 3
# A task's file is its own, so that nothing conflicts; the gate is next to nothing.
AGENT = f"""#!/bin/sh
cat > /dev/null
sleep {AGENT_SECONDS:g}
echo done > "part-$RALPH_TASK"
echo TASK_COMPLETE
"""
CONFIG = "cli: {backend: custom, command: ./agent.sh}\ngates: [{name: nothing, run: 'true'}]\n"


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="ralph-bench-") as folder:
        parallel(Table(variants("", Path(folder))), Path(folder))


def parallel(table: Table, place: Path) -> None:
    place.mkdir(exist_ok=True)
    for loops in SIDE_BY_SIDE:
        ideal = TASKS / loops * AGENT_SECONDS
        turns = [
            [_run(v, place / f"parallel-{loops}-{turn}-{n}", loops) for n, v in enumerate(table.variants)]
            for turn in range(ROUNDS)
        ]
        costs = list(zip(*turns, strict=True))  # for each variant
        took = [min(cost.seconds for cost in of) for of in costs]
        used = [min(cost.processor for cost in of) / TASKS for of in costs]
        what = f"{TASKS} tasks of {AGENT_SECONDS:g} s, --parallel {loops}, the quickest of {ROUNDS}"
        table.row(what, took, "{:.2f} s".format, f"ideal {ideal:.2f} s", f"{took[-1] / ideal:.2f}x")
        table.row(f"processor a task, --parallel {loops}", used, ms)
    what = f"memory: Ralph and what guards its agents, {SIDE_BY_SIDE[-1]} loops"
    table.row(what, [max(cost.megabytes for cost in of) for of in costs], megabytes, aim="100 MB")


class Cost(NamedTuple):
    seconds: float
    processor: float
    megabytes: float  # the most at any moment


def _run(variant: Variant, path: Path, loops: int) -> Cost:
    _repository(path)
    env = {**variant.env, "RALPH_WORKSPACES": f"{path}-workspaces"}
    began, used = time.perf_counter(), _processor()
    with open(f"{path}.out", "w") as out:
        process = subprocess.Popen(
            [RALPH, "run", "--parallel", str(loops)],
            cwd=path,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
    highest = 0.0
    while process.poll() is None:
        if loops == SIDE_BY_SIDE[-1]:
            highest = max(highest, sum(map(_megabytes, _own(process.pid))))
        time.sleep(0.05)
    seconds, used = time.perf_counter() - began, _processor() - used
    if process.returncode:
        sys.exit(f"--parallel {loops}: exit {process.returncode}\n{Path(f'{path}.out').read_text()}")
    return Cost(seconds, used, highest)


def _repository(path: Path) -> None:
    path.mkdir()
    (path / "agent.sh").write_text(AGENT)
    (path / "agent.sh").chmod(0o755)
    (path / "ralph.yml").write_text(CONFIG)
    (path / ".gitignore").write_text(".ralph/\n.ralph_state.md\n.ralph.lock\nralph.log\n")
    tasks = ({"id": f"T{n}", "title": f"Part {n}", "leaf": True} for n in range(TASKS))
    (path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    git = ["git", "-c", "user.name=b", "-c", "user.email=b@localhost", "-c", "gc.auto=0"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "begin"]):
        subprocess.run([*git, *command], cwd=path, check=True)


def _processor() -> float:
    """Of all children that are over: Ralph, what it waited for, and the little that the agents use."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _own(ralph: int) -> list[int]:
    """Ralph, and every Python below it: the agent of this benchmark is a shell, a gate `true`."""
    found, look = [], [ralph]
    while look:
        pid = look.pop()
        try:
            below = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            if "python" in Path(f"/proc/{pid}/exe").readlink().name:
                found.append(pid)
        except OSError:
            continue
        look += map(int, below)
    return found


def _megabytes(pid: int) -> float:
    """What it has for itself and its part of what it shares: added up, nothing counts twice."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass  # it is over
    return 0.0


if __name__ == "__main__":
    main()
