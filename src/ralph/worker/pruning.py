"""Keeps what a worker keeps within bounds: mirrors that no one has used for a month, recovery refs and claims of that age, and
what no ref of a mirror leads to any more. It never touches a mirror that a claim uses."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from ralph.errors import RalphError
from ralph.files import remove_tree
from ralph.git import recovery
from ralph.git.repo import Repo
from ralph.worker.claim_folder import folders
from ralph.worker.mirror import Mirror

KEPT_DAYS = 30
MOST_PACKS = 50
MOST_LOOSE = 10_000  # objects
_DAY = 86_400.0


def prune(claims: Path, mirrors: Path, in_use: Collection[Path], say: Callable[[str], None]) -> None:
    """`in_use`: folders of claims that are under way or have something to send."""
    before = time.time() - KEPT_DAYS * _DAY
    for folder in folders(claims):
        with suppress(FileNotFoundError):  # it has just been retired
            if folder.path not in in_use and folder.path.stat().st_mtime < before:
                say(f"{folder.path} is removed: it was left {KEPT_DAYS} days ago")
                folder.remove()
    for path in sorted(mirrors.glob("*.git")):
        try:
            with Mirror.found(path).unused() as mirror:
                if mirror is not None:
                    _prune_mirror(mirror, before, say)
        except (RalphError, OSError) as error:
            say(f"{path} cannot be pruned: {error}")


def _prune_mirror(mirror: Mirror, before: float, say: Callable[[str], None]) -> None:
    if mirror.used_at < before:
        say(f"{mirror.path} is removed: no task has needed it for {KEPT_DAYS} days")
        remove_tree(mirror.path)
        return
    repo = mirror.repo
    oldest = f"{datetime.fromtimestamp(before, UTC):%Y-%m-%dT%H:%M:%S}"
    old = [kept.ref for kept in recovery.saved(repo) if kept.when < oldest]
    for ref in old:
        recovery.drop(repo, ref)
    if old or _is_scattered(repo):
        repo.git("gc", "--quiet", f"--prune={oldest}Z")


def _is_scattered(repo: Repo) -> bool:
    lines = repo.git("count-objects", "-v").decode().splitlines()
    counts = {
        name: int(value) for name, _, value in (line.partition(": ") for line in lines) if value.isdigit()
    }
    return counts.get("packs", 0) > MOST_PACKS or counts.get("count", 0) > MOST_LOOSE
