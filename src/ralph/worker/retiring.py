"""What a claim that was lost left in its workspace is kept in a recovery ref of the mirror: no one else has it."""

from __future__ import annotations

from pathlib import Path

from ralph.git import recovery
from ralph.git.landing.squash import bring_history, bring_tree
from ralph.git.program import GitFailed
from ralph.git.repo import find, head
from ralph.git.snapshots import Snapshots
from ralph.journal.record import now
from ralph.worker.claim_folder import ClaimFolder
from ralph.worker.mirror import Mirror
from ralph.worker.savepoints import REF


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
