"""What is measured, this checkout or an older revision beside it, and the Markdown table of the figures."""

from __future__ import annotations

import io
import os
import statistics
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent.parent
RALPH = str(Path(sys.executable).parent / "ralph")


class Variant(NamedTuple):
    """One checkout. All are run by the same script and packages: PYTHONPATH alone chooses the code."""

    root: Path

    @property
    def env(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(self.root / "src")}


def variants(old: str, place: Path) -> list[Variant]:
    """The older revision, if one is named, and this checkout; both compiled."""
    found = [Variant(HERE)]
    if old:
        packed = subprocess.run(["git", "archive", old], cwd=HERE, stdout=subprocess.PIPE, check=True).stdout
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(place / "old", filter="data")
        found.insert(0, Variant(place / "old"))
    for variant in found:
        subprocess.run([sys.executable, "-m", "compileall", "-q", variant.root / "src"], check=True)
    return found


class Table:
    def __init__(self, measured: list[Variant]) -> None:
        self.variants = measured
        columns = ["measured"] if len(measured) == 1 else ["old", "new", "new/old"]
        cells = ["what", *columns, "against", "ratio or difference", "aim"]
        print(f"| {' | '.join(cells)} |\n|{'---|' * len(cells)}", flush=True)

    def row(
        self,
        what: str,
        figures: Sequence[float],
        show: Callable[[float], str],
        against: str = "-",
        relation: str = "-",
        aim: str = "-",
        compared: Sequence[float] = (),
    ) -> None:
        """`figures` has one for each variant; `relation` is that of the last to what it is held `against`. `compared`: what is
        divided for new/old, if not the figures."""
        shown = [show(figure) for figure in figures]
        if len(figures) > 1:
            old, new = compared or figures
            shown.append(f"{new / old:.2f}x" if old else "-")
        print(f"| {' | '.join([what, *shown, against, relation, aim])} |", flush=True)

    def ratio(
        self,
        what: str,
        work: Callable[[Variant], float],
        base: Callable[[], float],
        rounds: int,
        aim: str = "-",
    ) -> None:
        """Seconds, as a multiple of the bare interpreter's. Old and new are compared by their quickest: load only adds."""
        turns = self.turns(work, base, rounds)
        bare, *figures = map(statistics.median, turns)
        quickest = [min(column) for column in turns[1:]]
        relation = f"{figures[-1] / bare:.1f}x"
        self.row(what, figures, ms, f"bare interpreter {ms(bare)}", relation, aim, quickest)

    def turns(
        self, work: Callable[[Variant], float], base: Callable[[], float], rounds: int
    ) -> list[tuple[float, ...]]:
        """The base's figures, then each variant's. In turns, because the load changes; one turn more warms the caches."""
        turns = [(base(), *map(work, self.variants)) for _ in range(rounds + 1)][1:]
        return list(zip(*turns, strict=True))


def seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def ms(figure: float) -> str:
    return f"{figure * 1000:.1f} ms"


def megabytes(figure: float) -> str:
    return f"{figure:.0f} MB"


def resident(pid: int) -> float:
    """The highest so far, in MB."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0
