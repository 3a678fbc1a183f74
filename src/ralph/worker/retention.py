"""What a worker keeps of claims that are over. What a lost claim left in its workspace goes into a recovery ref of the mirror,
for no one else has it; mirrors, refs and claims that no one has used for a month go. A mirror in use is never touched."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from ralph.errors import RalphError
from ralph.files import remove_tree
from ralph.git import recovery
from ralph.git.landing.squash import bring_history, bring_tree
from ralph.git.program import GitFailed
from ralph.git.repo import Repo, find, head
from ralph.git.snapshots import Snapshots
from ralph.journal.record import now
from ralph.worker.claim_folder import ClaimFolder, folders
from ralph.worker.mirror import Mirror
from ralph.worker.savepoints import REF

KEPT_DAYS = 30
MOST_PACKS = 50
MOST_LOOSE = 10_000  # objects
_DAY = 86_400.0


def retire(folder: ClaimFolder, mirrors: Path) -> recovery.Saved | None:
    """None: it changed nothing since its last savepoint, which the server has."""
    if not (folder.work / ".git" / "HEAD").exists():
        return None
    repo, order = find(folder.work), folder.order()
    assert repo is not None
    tree = Snapshots(repo, "left").take_left()[0].tree
    commit = head(repo) or ""
    try:
        saved = repo.git("rev-parse", "--verify", "--quiet", f"{REF}^{{tree}}").decode().strip()
    except GitFailed:
        saved = recovery.tree_of(repo, commit) or ""
    if tree == saved or not commit or order.repository is None:
        return None
    copy = Mirror(mirrors, order.repository)
    with copy.use():
        mirror = copy.repo
        bring_history(mirror, repo.objects, commit)
        bring_tree(mirror, repo.objects, tree, commit)
        what = f"left by epoch {order.task.epoch} of {order.task.id}"
        return recovery.keep_tree(mirror, tree, commit, loop=order.task.id, reason=what, when=now())


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
