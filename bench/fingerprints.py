"""What it costs to fingerprint a shared folder, beside a plain walk that stats each of its files."""

from __future__ import annotations

import os
import statistics
from functools import partial
from pathlib import Path

from table import Table, ms, seconds

from ralph.core.policy import GatePolicy
from ralph.gates.fingerprints import Fingerprints, take

SIZES = (1_000, 10_000, 50_000)
IN_A_FOLDER = 20


def fingerprints(table: Table, place: Path) -> None:
    """Of this checkout only: an older revision may have none."""
    for size in SIZES:
        root = place / f"shared-{size}"
        _fill(root / "node_modules", size)
        turns = [(seconds(partial(_walk, root)), seconds(partial(_take, root))) for _ in range(6)][1:]
        plain, taken = map(statistics.median, zip(*turns, strict=True))
        table.row(
            f"fingerprints, {size:,} shared files",
            [0.0] * (len(table.variants) - 1) + [taken],
            lambda figure: ms(figure) if figure else "-",
            f"plain walk {ms(plain)}",
            f"{taken / plain:.1f}x",
            "2x",
        )


def _take(root: Path) -> Fingerprints:
    gates = [GatePolicy("tests", run="npm test")]
    env = {"PATH": "/nowhere", "HOME": str(root)}
    return take(gates, root=str(root), folder=".", share=("node_modules",), env=env, home=str(root))


def _walk(root: Path) -> None:
    waiting = [str(root)]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    entry.stat(follow_symlinks=False)


def _fill(folder: Path, size: int) -> None:
    for number in range(size // IN_A_FOLDER):
        package = folder / f"package-{number}"
        package.mkdir(parents=True)
        for name in range(IN_A_FOLDER):
            (package / f"file-{name}.js").touch()
