"""What a worker keeps stays within bounds: what is old goes, what is used or young stays."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from fleet import FleetServer
from ralph.core.fleet.model import FleetTask, Repository, TaskSpec
from ralph.git import recovery
from ralph.worker.claim_folder import ClaimFolder
from ralph.worker.mirror import Mirror
from ralph.worker.retention import KEPT_DAYS, prune
from remote_project import RemoteProject

OLD = time.time() - (KEPT_DAYS + 1) * 86_400


@pytest.fixture
def mirror(remote: RemoteProject, tmp_path: Path) -> Mirror:
    made = Mirror(tmp_path / "mirrors", Repository("app", str(remote.path), "main"))
    with made.use():
        made.fetch()
    return made


def pruned(tmp_path: Path, *in_use: Path) -> list[str]:
    said: list[str] = []
    prune(tmp_path / "claims", tmp_path / "mirrors", in_use, said.append)
    return said


def keep(mirror: Mirror, loop: str, when: str) -> recovery.Saved:
    """A state of a workspace, with a file that no other has."""
    repo = mirror.repo
    blob = repo.git("hash-object", "-w", "--stdin", stdin=loop.encode()).decode().strip()
    tree = repo.git("mktree", stdin=f"100644 blob {blob}\tfile\n".encode()).decode().strip()
    return recovery.keep_tree(repo, tree, mirror.tip()[1], loop=loop, reason="left", when=when)


def is_there(mirror: Mirror, id: str) -> bool:
    looked = subprocess.run(["git", "cat-file", "-e", id], cwd=mirror.path, capture_output=True)
    return looked.returncode == 0


def test_old_recovery_refs_go_and_so_does_what_only_they_led_to(mirror: Mirror, tmp_path: Path) -> None:
    old = keep(mirror, "t1", "2020-01-01T00:00:00.000Z")
    young = keep(mirror, "t2", f"{time.gmtime().tm_year + 1}-01-01T00:00:00.000Z")
    for path in mirror.path.glob("objects/*/*"):
        os.utime(path, (OLD, OLD))
    assert pruned(tmp_path) == []
    assert [kept.ref for kept in recovery.saved(mirror.repo)] == [young.ref]
    assert (
        is_there(mirror, young.commit) and is_there(mirror, young.tree) and is_there(mirror, mirror.tip()[1])
    )
    assert not is_there(mirror, old.commit) and not is_there(mirror, old.tree)


def test_a_mirror_that_no_one_needed_for_a_month_goes(mirror: Mirror, tmp_path: Path) -> None:
    os.utime(mirror.path.with_suffix(".use"), (OLD, OLD))
    assert pruned(tmp_path) == [f"{mirror.path} is removed: no task has needed it for {KEPT_DAYS} days"]
    assert not mirror.path.exists()
    with mirror.use():
        mirror.fetch()
    assert mirror.tip()[0] == "main", "and is made anew when a task needs it"


def test_nothing_is_removed_from_a_mirror_that_is_used(mirror: Mirror, tmp_path: Path) -> None:
    old = keep(mirror, "t1", "2020-01-01T00:00:00.000Z")
    with mirror.use():
        os.utime(mirror.path.with_suffix(".use"), (OLD, OLD))
        assert pruned(tmp_path) == []
    assert is_there(mirror, old.commit) and recovery.saved(mirror.repo)


def test_a_folder_of_a_claim_goes_a_month_after_it_was_left(tmp_path: Path) -> None:
    left, used, young = (
        ClaimFolder.make(tmp_path / "claims", FleetTask(id=f"t{n}", spec=TaskSpec(task="x"), born=1))
        for n in range(3)
    )
    for folder in (left, used):
        os.utime(folder.path, (OLD, OLD))
    assert pruned(tmp_path, used.path) == [f"{left.path} is removed: it was left {KEPT_DAYS} days ago"]
    assert (left.path.exists(), used.path.exists(), young.path.exists()) == (False, True, True)


def test_a_worker_looks_at_what_it_keeps_when_it_starts(
    server: FleetServer, workers: Any, mirror: Mirror, tmp_path: Path
) -> None:
    (tmp_path / "ann").mkdir()
    (tmp_path / "mirrors").rename(tmp_path / "ann/mirrors")
    kept = tmp_path / "ann/mirrors/app.git"
    os.utime(kept.with_suffix(".use"), (OLD, OLD))
    workers()
    server.wait(lambda: not kept.exists())
    server.create()
    server.wait(lambda: server.task().phase == "land")
    assert kept.exists()
