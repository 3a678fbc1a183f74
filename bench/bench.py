"""`make bench`: what Ralph costs, as ratios measured in one run, because absolute times on a busy machine mean little.

Prints a Markdown table. Aims are those of the project; nothing here passes or fails. With a revision as argument
(`make bench OLD=...`) its figures stand beside, measured in turns with those of this checkout.
"""

from __future__ import annotations

import os
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from api import api
from fingerprints import fingerprints
from parallel import parallel
from status import TASKS, backlog_journal, prompt_journal
from stores import stores
from table import HERE, RALPH, Table, Variant, megabytes, ms, resident, seconds, variants

ITERATIONS = 20
ROUNDS = 5
TIERS = ("cgroup", "pidns", "reaper")
PROMPT_RUN = ["run", "-p", "Do nothing.", "--fresh", "--max-iterations", "1"]
# What the agent of a PROMPT_RUN does first: it says that it has started, or keeps what `python -v` has told so far.
STARTED = (
    "[ -f .git/imports ] && cp .git/imports .git/imports-at-start || echo > .git/started; echo ITERATION_DONE"
)


def main(old: str = "") -> None:
    with tempfile.TemporaryDirectory(prefix="ralph-bench-") as folder:
        place = Path(folder)
        table = Table(variants(old, place))
        start_up(table, place)
        iterations(table, place)
        claims(table, place)
        syncs(table, place)
        prompts(table, place)
        backlog(table)
        long_journals(table, place)
        parallel(table, place / "parallel")
        fingerprints(table, place)
        stores(table, place / "stores")
        api(table, place / "api")
        memory(table, place)


def start_up(table: Table, place: Path) -> None:
    project = repository(place / "start", 10, STARTED)
    inside = {
        "RALPH_LOOP": "bench",
        "RALPH_STATE": str(project / ".git/ralph"),
    }  # as an agent calls `ralph emit`

    def bare() -> float:
        return seconds(lambda: run([sys.executable, "-c", "pass"], project))

    for command, aim in (
        ("--version", "5x"),
        ("emit topic payload", "2.5x"),
        ("tools task ready", "3x"),
        ("tools memory search dates", "3x"),
        ("status", "8x"),
    ):
        arguments = [RALPH, *command.split()]
        table.ratio(
            f"`ralph {command}`",
            lambda v, a=arguments: seconds(lambda: run(a, project, v, **inside)),
            bare,
            15,
            aim,
        )
    table.ratio("`ralph mcp`, first answer", lambda v: first_answer(v, project), bare, 15, "3x")
    table.ratio("`ralph run -p`, to the agent's start", lambda v: agent_start(v, project), bare, 15, "10x")
    counts = [modules_at_start(v, project) for v in table.variants]
    table.row("`ralph run -p`, modules of ours at the agent's start", counts, str, aim="130")


def first_answer(variant: Variant, folder: Path) -> float:
    """Seconds from the start of the server to its answer to the first request."""
    began = time.perf_counter()
    with subprocess.Popen(
        [RALPH, "mcp"], cwd=folder, env=variant.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdin and server.stdout
        server.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
        server.stdin.flush()
        if not server.stdout.readline():
            sys.exit("ralph mcp: no answer")
        return time.perf_counter() - began


def agent_start(variant: Variant, project: Path) -> float:
    """Seconds from the start of `ralph run -p` to the first instruction of its agent, which opens a pipe."""
    pipe = project / ".git/started"
    if not pipe.exists():
        os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    began = time.perf_counter()
    with subprocess.Popen(
        [RALPH, *PROMPT_RUN],
        cwd=project,
        env=variant.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    ):
        opened, _, _ = select.select([reader], [], [], 60)
        took = time.perf_counter() - began
    os.close(reader)
    if not opened:
        sys.exit("ralph run -p: the agent was not started")
    return took


def modules_at_start(variant: Variant, project: Path) -> int:
    """How many modules of Ralph are imported when the agent starts: `python -v` names each on the standard error."""
    with open(project / ".git/imports", "w") as errors:
        subprocess.run(
            [sys.executable, "-v", RALPH, *PROMPT_RUN],
            cwd=project,
            env=variant.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
    return (project / ".git/imports-at-start").read_text().count("\nimport 'ralph")


def iterations(table: Table, place: Path) -> None:
    """The cost of one more iteration: the slope between short and long runs, so that starting up does not count."""
    for files, tiers in ((10, TIERS), (1_000, ("",)), (10_000, ("",))):
        project = repository(place / f"files-{files}", files)
        for kind, body in (
            ("changes nothing", "echo ITERATION_DONE"),
            ("changes a file", "date +%N > file-1"),
        ):
            agent(project, body)
            for tier in tiers:
                turns = table.turns(
                    lambda v, p=project, t=tier: slope(lambda n: loop(v, p, n, t)),
                    lambda p=project: slope(lambda n: bash_loop(p, n)),
                    ROUNDS,
                )
                bash, *costs = map(statistics.median, turns)
                name = f"an iteration, {files} files, {tier or 'best tier'}, agent {kind}"
                aim = "5 ms" if files == 10 and tier == TIERS[0] and kind == "changes nothing" else "-"
                more = f"+{(costs[-1] - bash) * 1000:.1f} ms"
                table.row(name, costs, ms, f"bash loop {ms(bash)}", more, aim)


def claims(table: Table, place: Path) -> None:
    """What a claim costs: a gate that does nothing, in a clean checkout of a tree in which one file has changed. The slope
    between short and long runs, so that the first checkout does not count."""
    for files in (1_000, 10_000, 50_000):
        project = repository(place / f"claims-{files}", files)
        (project / "ralph.yml").write_text(
            "cli: {backend: custom, command: ./agent.sh}\ngates: [{name: tests, run: exit 1}]\n"
            "event_loop: {max_attempts: 1000}\nstuck: {same_error_shift: 1000, same_error_stop: 1000}\n"
        )

        def each(says: str, variant: Variant, project: Path = project) -> float:
            agent(project, f"date +%N > file-1; echo {says}")
            return slope(lambda n: loop(variant, project, n, ""))

        turns = table.turns(
            lambda v, e=each: e("TASK_COMPLETE", v),
            lambda e=each: e("ITERATION_DONE", table.variants[-1]),
            ROUNDS,
        )
        without, *costs = map(statistics.median, turns)
        more = f"+{(costs[-1] - without) * 1000:.1f} ms"
        table.row(f"an iteration with a claim, {files} files", costs, ms, f"without {ms(without)}", more)


def syncs(table: Table, place: Path) -> None:
    project = repository(place / "syncs", 10)
    agent(project, "date +%N > file-1")

    def each(count: Callable[[Variant, int], int]) -> list[float]:
        return [(count(v, 25) - count(v, 5)) / 20 for v in table.variants]

    def passed(variant: Variant, n: int) -> int:
        log = place / "seams"
        log.unlink(missing_ok=True)
        loop(variant, project, n, "", RALPH_FAULT=f"count:{log}")
        return log.read_text().count("journal.sync.before")

    table.row("fsyncs an iteration, of the journal only", each(passed), "{:.1f}".format)
    what = "fsyncs an iteration, of all processes (strace)"
    if shutil.which("strace"):
        traced = each(lambda v, n: fsyncs_traced(v, project, place / "trace", n))
        table.row(what, traced, "{:.1f}".format, aim="4")
    else:
        table.row(what, [0.0] * len(table.variants), lambda _: "not installed", aim="4")


def fsyncs_traced(variant: Variant, project: Path, log: Path, n: int) -> int:
    trace = ["strace", "-f", "-o", str(log), "-e", "trace=fsync,fdatasync,syncfs,sync_file_range"]
    command = [RALPH, "run", "--fresh", "--in-place", "--max-iterations", str(n)]
    run([*trace, *command], project, variant, expect=8)
    return sum("sync" in line and "(" in line for line in log.read_text().splitlines())


def prompts(table: Table, place: Path) -> None:
    """How much of a prompt is as in the first iteration, from its beginning on: what a provider's cache can hold."""
    project = repository(place / "prompts", 10)
    (project / "ralph.yml").write_text(
        "cli: {backend: custom, command: ./agent.sh}\ngates: [{name: tests, run: 'echo FAILED: no; exit 1'}]\n"
    )
    notes = 'mkdir -p .ralph/agent; date +"# Scratchpad %N" > .ralph/agent/scratchpad.md'
    agent(project, f"cat > ../prompt-$RALPH_ITERATION; {notes}; date +%N > file-1; echo TASK_COMPLETE")
    found = []
    for variant in table.variants:
        loop(variant, project, 4, "")
        seen = [(place / f"prompt-{number}").read_text() for number in (1, 2, 3, 4)]
        columns = enumerate(zip(*seen, strict=False))
        found.append((next(n for n, column in columns if len(set(column)) > 1), len(seen[-1])))
    same, all_ = found[-1]
    table.row(
        "prompt, as in every iteration",
        [figures[0] for figures in found],
        lambda n: f"{n} characters",
        f"of {all_} in the fourth",
        f"{same / all_:.0%}",
    )


def backlog(table: Table) -> None:
    """By the script of each checkout, which imports its own modules and prints rows as they are without an older one."""
    printed = []
    for variant in table.variants:
        script = [sys.executable, str(variant.root / "bench/backlog.py")]
        done = subprocess.run(script, env=variant.env, stdout=subprocess.PIPE, text=True, check=True)
        printed.append([line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:]])
    for rows in zip(*printed, strict=True):
        what, _, against, relation, aim = rows[-1]
        figures = [float(row[1].removesuffix(" ms")) / 1000 for row in rows]
        table.row(what, figures, lambda figure: f"{figure * 1000:.2f} ms", against, relation, aim)


def long_journals(table: Table, place: Path) -> None:
    """With the history that a run has saved, but for its last records."""
    empty = repository(place / "no-journal", 10)
    for name, write in (("a prompt", prompt_journal), (f"a backlog of {TASKS} tasks", backlog_journal)):
        project = repository(place / f"journal-of-{name}", 10)
        write(project)
        turns = table.turns(
            lambda v, p=project: seconds(lambda: run([RALPH, "status"], p, v)),
            lambda: seconds(lambda: run([RALPH, "status"], empty)),
            15,
        )
        base, *figures = map(statistics.median, turns)
        relation = f"{figures[-1] / base:.1f}x"
        what = f"`ralph status` over 100,000 facts, {name}"
        table.row(what, figures, ms, f"no journal {ms(base)}", relation, "2x")


def memory(table: Table, place: Path) -> None:
    """The highest resident memory of Ralph's own processes over a run with much output."""
    project = repository(place / "memory", 1_000)
    agent(project, "head -c 20000000 /dev/zero | tr '\\0' x; echo ITERATION_DONE")
    ours, largest = zip(*(highest(variant, project) for variant in table.variants), strict=True)
    table.row("memory: Ralph", ours, megabytes, aim="60 MB")
    table.row("memory: its largest child", largest, megabytes, aim="60 MB")


def highest(variant: Variant, project: Path) -> tuple[float, float]:
    """Of Ralph, and of its largest child."""
    process = subprocess.Popen(
        [RALPH, "run", "--fresh", "--in-place", "--max-iterations", "5"],
        cwd=project,
        env=variant.env,
        stdout=subprocess.DEVNULL,
    )
    seen: dict[int, float] = {}
    while process.poll() is None:
        for pid in (process.pid, *children(process.pid)):
            seen[pid] = max(seen.get(pid, 0), resident(pid))
        time.sleep(0.005)
    return seen.pop(process.pid), max(seen.values(), default=0)


# -- parts -----------------------------------------------------------------------------------------


def repository(path: Path, files: int, does: str = "echo ITERATION_DONE") -> Path:
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
    (path / ".gitignore").write_text(".ralph/\n.ralph_state.md\n.ralph.lock\nralph.log\n")
    agent(path, does)
    git = ["git", "-c", "user.name=b", "-c", "user.email=b@localhost", "-c", "gc.auto=0"]
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "begin"]):
        subprocess.run([*git, *command], cwd=path, check=True)
    return path


def agent(path: Path, body: str) -> None:
    (path / "agent.sh").write_text(f"#!/bin/sh\n{body}\n")
    (path / "agent.sh").chmod(0o755)


def loop(variant: Variant, project: Path, n: int, tier: str, **env: str) -> None:
    command = [RALPH, "run", "--fresh", "--in-place", "--max-iterations", str(n)]
    run(command, project, variant, expect=8, RALPH_TIER=tier, **env)


def bash_loop(project: Path, n: int) -> None:
    run(["sh", "-c", f"for i in $(seq {n}); do ./agent.sh < PROMPT.md; done"], project)


def run(
    command: list[str], folder: Path, variant: Variant | None = None, expect: int = 0, **env: str
) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env=(variant or Variant(HERE)).env | env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    if done.returncode != expect:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")


def slope(work: Callable[[int], None]) -> float:
    """Seconds for one more: (long run - short run) / difference."""
    short, long = seconds(lambda: work(1)), seconds(lambda: work(1 + ITERATIONS))
    return (long - short) / ITERATIONS


def children(pid: int) -> list[int]:
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


if __name__ == "__main__":
    main(*sys.argv[1:])
