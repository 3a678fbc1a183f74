"""A clean checkout: the real files of a tree in a folder of their own, without a `.git`, for hermetic gates."""

from __future__ import annotations

from pathlib import Path

from ralph.errors import RalphError
from ralph.workspace.snapshot import Snapshots


def checkout(snapshots: Snapshots, tree: str, into: Path) -> None:
    """Write every file of `tree` into the empty (or absent) folder `into`. Submodules are empty folders."""
    try:
        into.mkdir(parents=True, exist_ok=True)
        occupied = any(into.iterdir())
    except OSError as error:
        raise RalphError(
            f"cannot use the folder for a clean checkout: {error.strerror}", where=str(into), code=70
        )
    if occupied:
        raise RalphError("a clean checkout needs an empty folder", where=str(into), code=70)
    snapshots.write_out(tree, into)
