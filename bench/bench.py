"""`make bench`: what Ralph costs, as ratios measured in one run, because absolute times on a busy machine mean little.

Prints a Markdown table. Aims are those of the project; nothing here passes or fails.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from backlog import backlog
from parallel import parallel

BIN = Path(sys.executable).parent
RALPH = str(BIN / "ralph")
ITERATIONS = 20
ROUNDS = 5
TIERS = ("cgroup", "pidns", "reaper")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="ralph-bench-") as folder:
        place = Path(folder)
        print("| what | measured | against | ratio or difference | aim |\n|---|---|---|---|---|")
        start_up(place)
        iterations(place)
        syncs(place)
        prompts(place)
        backlog(place / "backlog")
        parallel(place / "parallel")
        memory(place)


def start_up(place: Path) -> None:
    project = repository(place / "start", 10)
    bare = timed(lambda: run([sys.executable, "-c", "pass"], project), 15)
    inside = {
        "RALPH_LOOP": "bench",
        "RALPH_STATE": str(project / ".git/ralph"),
    }  # as an agent calls `ralph emit`
    for name, command, aim in (
        ("`ralph --version`", [RALPH, "--version"], "5x"),
        ("`ralph emit`", [RALPH, "emit", "topic", "payload"], "2.5x"),
        ("`ralph tools task ready`", [RALPH, "tools", "task", "ready"], "3x"),
        ("`ralph tools memory search`", [RALPH, "tools", "memory", "search", "dates"], "3x"),
        ("`ralph status`", [RALPH, "status"], "-"),
    ):
        took = timed(lambda command=command: run(command, project, **inside), 15)
        row(name, took, f"bare interpreter {ms(bare)}", f"{took / bare:.1f}x", aim)
    # in turns, because the machine's load changes
    turns = [
        (_seconds(lambda: run([sys.executable, "-c", "pass"], project)), first_answer(project))
        for _ in range(15)
    ]
    bare, took = (statistics.median(column) for column in zip(*turns, strict=True))
    row("`ralph mcp`, first answer", took, f"bare interpreter {ms(bare)}", f"{took / bare:.1f}x", "3x")


def first_answer(folder: Path) -> float:
    """Seconds from the start of the server to its answer to the first request."""
    began = time.perf_counter()
    with subprocess.Popen(
        [RALPH, "mcp"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin and server.stdout
        server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
        server.stdin.flush()
        if not server.stdout.readline():
            sys.exit("ralph mcp: no answer")
        return time.perf_counter() - began


def iterations(place: Path) -> None:
    """The cost of one more iteration: the slope between short and long runs, so that starting up does not count."""
    for files, tiers in ((10, TIERS), (1_000, ("",)), (10_000, ("",))):
        project = repository(place / f"files-{files}", files)
        for kind, body in (
            ("changes nothing", "echo ITERATION_DONE"),
            ("changes a file", "date +%N > file-1"),
        ):
            agent(project, body)
            bash = slope(
                lambda n, p=project: run(
                    ["sh", "-c", f"for i in $(seq {n}); do ./agent.sh < PROMPT.md; done"], p
                )
            )
            for tier in tiers:
                cost = slope(lambda n, p=project, t=tier: loop(p, n, t))
                name = f"an iteration, {files} files, {tier or 'best tier'}, agent {kind}"
                aim = "5 ms" if files == 10 and tier == TIERS[0] and kind == "changes nothing" else "-"
                row(name, cost, f"bash loop {ms(bash)}", f"+{(cost - bash) * 1000:.1f} ms", aim)


def syncs(place: Path) -> None:
    project = repository(place / "syncs", 10)
    agent(project, "date +%N > file-1")
    counts = {}
    for n in (5, 25):
        log = place / f"seams-{n}"
        loop(project, n, "", RALPH_FAULT=f"count:{log}")
        counts[n] = log.read_text().count("journal.sync.before")
    print(f"| fsyncs an iteration, of the journal only | {(counts[25] - counts[5]) / 20:.1f} | - | - | - |")
    if not shutil.which("strace"):
        print("| fsyncs an iteration, of all processes | not measured: strace is not installed | - | - | 4 |")
    else:
        traced = {n: fsyncs_traced(project, place / f"trace-{n}", n) for n in (5, 25)}
        print(
            f"| fsyncs an iteration, of all processes (strace) | {(traced[25] - traced[5]) / 20:.1f} | - | - | 4 |"
        )


def fsyncs_traced(project: Path, log: Path, n: int) -> int:
    trace = ["strace", "-f", "-o", str(log), "-e", "trace=fsync,fdatasync,syncfs,sync_file_range"]
    run([*trace, RALPH, "run", "--fresh", "--in-place", "--max-iterations", str(n)], project, expect=8)
    return sum("sync" in line and "(" in line for line in log.read_text().splitlines())


def prompts(place: Path) -> None:
    """How much of a prompt is as in the first iteration, from its beginning on: what a provider's cache can hold."""
    project = repository(place / "prompts", 10)
    (project / "ralph.yml").write_text(
        "cli: {backend: custom, command: ./agent.sh}\ngates: [{name: tests, run: 'echo FAILED: no; exit 1'}]\n"
    )
    notes = 'mkdir -p .ralph/agent; date +"# Scratchpad %N" > .ralph/agent/scratchpad.md'
    agent(project, f"cat > ../prompt-$RALPH_ITERATION; {notes}; date +%N > file-1; echo TASK_COMPLETE")
    loop(project, 4, "")
    seen = [(place / f"prompt-{number}").read_text() for number in (1, 2, 3, 4)]
    columns = enumerate(zip(*seen, strict=False))
    same, all_ = next(number for number, column in columns if len(set(column)) > 1), len(seen[-1])
    print(
        f"| prompt, as in every iteration | {same} characters | of {all_} in the fourth | {same / all_:.0%} | - |"
    )


def memory(place: Path) -> None:
    """The highest resident memory of Ralph's own processes over a run with much output."""
    project = repository(place / "memory", 1_000)
    agent(project, "head -c 20000000 /dev/zero | tr '\\0' x; echo ITERATION_DONE")
    process = subprocess.Popen(
        [RALPH, "run", "--fresh", "--in-place", "--max-iterations", "5"],
        cwd=project,
        stdout=subprocess.DEVNULL,
    )
    highest: dict[int, int] = {}
    while process.poll() is None:
        for pid in (process.pid, *children(process.pid)):
            highest[pid] = max(highest.get(pid, 0), resident(pid))
        time.sleep(0.005)
    ours = [
        highest[process.pid],
        *sorted((v for p, v in highest.items() if p != process.pid), reverse=True)[:1],
    ]
    print(
        f"| memory: Ralph, and its largest child | {ours[0]:.0f} MB, {ours[1] if len(ours) > 1 else 0:.0f} MB | - | - | 60 MB |"
    )


# -- parts -----------------------------------------------------------------------------------------


def repository(path: Path, files: int) -> Path:
    path.mkdir()
    for number in range(files):
        file = (
            path / f"folder-{number // 100}" / f"file-{number}" if number >= 10 else path / f"file-{number}"
        )
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"{number}\n" * 20)
    (path / "PROMPT.md").write_text("Do nothing.\n")
    (path / "ralph.yml").write_text(
        "cli: {backend: custom, command: ./agent.sh}\ngates: none\nstuck: {no_progress_stop: 0}\n"
    )
    (path / ".gitignore").write_text(".ralph/\n.ralph_state.md\n.ralph.lock\n")
    agent(path, "echo ITERATION_DONE")
    git = ["git", "-c", "user.name=b", "-c", "user.email=b@localhost", "-c", "gc.auto=0"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "begin"]):
        subprocess.run([*git, *command], cwd=path, check=True)
    return path


def agent(path: Path, body: str) -> None:
    (path / "agent.sh").write_text(f"#!/bin/sh\n{body}\n")
    (path / "agent.sh").chmod(0o755)


def loop(project: Path, n: int, tier: str, **env: str) -> None:
    run(
        [RALPH, "run", "--fresh", "--in-place", "--max-iterations", str(n)],
        project,
        expect=8,
        RALPH_TIER=tier,
        **env,
    )


def run(command: list[str], folder: Path, expect: int = 0, **env: str) -> None:
    done = subprocess.run(
        command, cwd=folder, env=os.environ | env, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode != expect:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")


def timed(work: Callable[[], None], rounds: int) -> float:
    work()  # once to warm the caches
    return statistics.median(_seconds(work) for _ in range(rounds))


def slope(work: Callable[[int], None]) -> float:
    """Seconds for one more: (long run - short run) / difference, the median of several pairs."""
    work(1)
    found = []
    for _ in range(ROUNDS):
        short, long = _seconds(lambda: work(1)), _seconds(lambda: work(1 + ITERATIONS))
        found.append((long - short) / ITERATIONS)
    return statistics.median(found)


def _seconds(work: Callable[[], None]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def children(pid: int) -> list[int]:
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def resident(pid: int) -> float:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def row(name: str, seconds: float, against: str, ratio: str, aim: str) -> None:
    print(f"| {name} | {ms(seconds)} | {against} | {ratio} | {aim} |", flush=True)


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


if __name__ == "__main__":
    main()
