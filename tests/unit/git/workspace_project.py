"""What the workspace tests ask of a repository."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from ralph.git.private_index import RACY_NS
from ralph.git.repo import Repo, find
from ralph.git.snapshots import Snapshots

Sh = Callable[..., str]


def opened(root: Path) -> Repo:
    repo = find(root)
    assert repo is not None
    return repo


def names(snapshots: Snapshots, tree: str) -> set[str]:
    return {path for _, _, path in snapshots.files(tree)}


def user_state(root: Path, sh: Sh) -> tuple[object, ...]:
    """Everything of the user's that Ralph must not touch."""
    refs = [line for line in sh(root, "for-each-ref").splitlines() if "refs/ralph/" not in line]
    git_dir = Path(sh(root, "rev-parse", "--absolute-git-dir").strip())
    present = [name for name in ("index", "HEAD", "config", "logs/HEAD") if (git_dir / name).exists()]
    kept = {name: (git_dir / name).read_bytes() for name in present}
    locks = sorted(str(path) for path in git_dir.rglob("*.lock") if "ralph" not in path.parts)
    hooks = sorted(path.name for path in (git_dir / "hooks").glob("*"))
    return (refs, kept, sh(root, "stash", "list"), locks, hooks)


def settle(project: Path) -> None:
    """Wait until every file is older than the doubt about young time stamps."""
    newest = max(path.lstat().st_ctime_ns for path in project.rglob("*") if ".git" not in path.parts)
    while time.time_ns() <= newest + RACY_NS:
        time.sleep(0.005)
