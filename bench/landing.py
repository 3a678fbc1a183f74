"""What a landing costs beside the gates, with 1k, 10k and 50k files: squash, move and following checkout, three changed
files each. Prints a Markdown table: the quickest and the middle of several rounds, and the least processor time, which a busy
machine disturbs less.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ralph.git.landing.squash import Person, message, squash
from ralph.git.landing.target import LandResult, land
from ralph.git.refs import tip
from ralph.git.repo import Repo, find
from ralph.git.snapshots import Snapshots
from ralph.git.workspaces.pool import as_repo, bring_home, discard, prepare, release

ROUNDS = 9
MAIN = "refs/heads/main"
ME = Person("Bench", "bench@localhost")
WHEN = "2026-01-01T00:00:00Z"


def main() -> None:
    print("| what | files | quickest | middle | processor |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="ralph-bench-") as folder:
        os.environ["RALPH_WORKSPACES"] = f"{folder}/slots"
        empty = [
            seconds(lambda: subprocess.run(["git", "version"], stdout=subprocess.DEVNULL)) for _ in range(20)
        ]
        row("one `git version`, for comparison", 0, empty)
        for files in (1_000, 10_000, 50_000):
            measure(repository(Path(folder) / str(files), files), files)


def measure(repo: Repo, files: int) -> None:
    base = tip(repo, MAIN)
    timings: dict[str, list[tuple[float, float]]] = {}

    def timed(what: str, act: Callable[[], object]) -> None:
        timings.setdefault(what, []).append(seconds(act))

    for turn in range(ROUNDS):
        loop, at = f"loop-{turn}", tip(repo, MAIN)
        new = turn == 0
        timed(
            "prepare a new clone" if new else "prepare a used clone",
            lambda loop=loop, at=at: prepare(
                repo, "clone", slot=1, loop=loop, base=at, branch="task/A-x", when=WHEN, target="main"
            ),
        )
        there = prepare(
            repo, "clone", slot=1, loop=loop, base=at, branch="task/A-x", when=WHEN, target="main"
        )
        for name in ("d0/f0", "d1/f1", f"d2/new-{turn}"):
            (there.path / name).write_text(f"{turn}\n")
        tree = Snapshots(as_repo(repo, there), "bench").take().tree
        timed("bring the objects home", lambda there=there, tree=tree: bring_home(repo, there, tree))
        made: list[str] = []
        timed(
            "squash",
            lambda tree=tree, at=at, made=made: made.append(
                squash(repo, tree, at, message("A", "t", ""), ME, WHEN)
            ),
        )
        for state in ("with a checkout that follows", "no checkout on the target"):
            git(repo, "symbolic-ref", "HEAD", MAIN if "with" in state else "refs/heads/other")
            git(repo, "update-ref", MAIN, at)
            timed(f"move the target, {state}", lambda at=at, made=made: _landed(repo, made[0], at))
            if "with" in state:
                git(repo, "read-tree", "-m", "-u", made[0], at)
        git(repo, "symbolic-ref", "HEAD", MAIN)
        git(repo, "read-tree", "-m", "-u", at, made[0])
        release(repo, there)
    discard(repo, 1)
    assert base != tip(repo, MAIN)
    for what, took in timings.items():
        row(what, files, took)


def _landed(repo: Repo, new: str, old: str) -> None:
    assert isinstance(land(repo, MAIN, new, old), LandResult)


def repository(root: Path, files: int) -> Repo:
    for number in range(files):
        path = root / f"d{number // 100}" / f"f{number % 100}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{number}\n")
    (root / "d2").mkdir(exist_ok=True)
    subprocess.run(["git", "init", "-q", "-b", "main"], cwd=root, check=True)
    repo = find(root)
    assert repo is not None
    git(repo, "add", "-A")
    git(repo, "-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "first")
    git(repo, "branch", "other")
    return repo


def git(repo: Repo, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=repo.root, check=True)


def seconds(act: Callable[[], object]) -> tuple[float, float]:
    began, used = time.perf_counter(), processor()
    act()
    return time.perf_counter() - began, processor() - used


def processor() -> float:
    both = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def row(what: str, files: int, took: list[tuple[float, float]]) -> None:
    shown = f"{files:,}" if files else "-"
    wall, used = zip(*took, strict=True)
    figures = (min(wall), statistics.median(wall), min(used))
    print(f"| {what} | {shown} | {' | '.join(f'{figure * 1e3:.1f} ms' for figure in figures)} |", flush=True)


if __name__ == "__main__":
    main()
