"""Savepoints: made in one workspace, restored in a fresh clone elsewhere."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.fleet.model import Repository, Savepoint
from ralph.core.loop.fold import fold_all
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy, Task
from ralph.errors import RalphError
from ralph.git.repo import Repo, find
from ralph.git.workspaces import clone
from ralph.runner.loop_workspace import snapshots_of
from ralph.worker import savepoints
from ralph.worker.mirror import Mirror
from ralph.worker.savepoints import Savepoints, blob_name, restore
from remote_project import RemoteProject


class Machine:
    """A mirror, and a clone of it in which a loop works."""

    def __init__(self, folder: Path, remote: RemoteProject) -> None:
        mirror = Mirror(folder / "mirrors", Repository("app", str(remote.path), "main"))
        mirror.fetch()
        self.base = mirror.tip()[1]
        clone.prepare(mirror.repo, folder / "work", self.base, "task/t1", "main")
        repo = find(folder / "work")
        assert repo is not None
        self.repo: Repo = repo
        self.root = repo.root

    def state(self) -> LoopState:
        """The loop with the tree as it is now."""
        started = f.LoopStarted("l", Task("t1", "t"), Policy(agent=AgentPolicy()), root=str(self.root))
        tree = snapshots_of(self.repo, fold_all([started])).take().tree
        return fold_all([started, f.WorkspacePrepared(tree=tree, commit=self.base)])

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def git(self, *args: str) -> str:
        who = ("-c", "user.name=A", "-c", "user.email=a@localhost")
        done = subprocess.run(["git", *who, *args], cwd=self.root, capture_output=True, text=True, check=True)
        return done.stdout.strip()


class Blobs(dict[str, bytes]):
    def keep(self, name: str, content: bytes) -> None:
        assert name == blob_name(content)
        self[name] = content


@pytest.fixture
def there(tmp_path: Path, remote: RemoteProject) -> Machine:
    return Machine(tmp_path / "ann", remote)


@pytest.fixture
def here(tmp_path: Path, remote: RemoteProject) -> Machine:
    return Machine(tmp_path / "bob", remote)


def test_tree_notes_rules_and_commits_are_the_same_elsewhere(there: Machine, here: Machine) -> None:
    blobs = Blobs()
    made = Savepoints(there.repo, blobs.keep, None)
    made.make(there.state())
    there.write("greeting", "hello, world\n")
    there.git("commit", "-qam", "greet")
    there.write("new/file", "more\n")
    (there.root / "test.sh").chmod(0o755)
    (there.root / "agent.yml").unlink()
    there.write(".ralph/agent/scratchpad.md", "what is next\n")
    there.write(".ralph/agent/memories.md", "what was learnt\n")
    there.write(".git/info/exclude", "*.tmp\n")
    there.write("left.tmp", "ignored\n")
    s = there.state()
    point = made.make(s).point
    restore(
        here.repo, replace(s, identity=replace(s.identity, root=str(here.root))), point, blobs.__getitem__
    )
    assert here.state().workspace.tree == s.workspace.tree
    assert here.git("log", "-1", "--format=%s") == "greet"
    assert here.git("status", "--short").split() == there.git("status", "--short").split()
    for name in (".ralph/agent/scratchpad.md", ".ralph/agent/memories.md", ".git/info/exclude"):
        assert (here.root / name).read_text() == (there.root / name).read_text()
    assert not (here.root / "left.tmp").exists()


def test_savepoints_are_chained_each_with_its_own_objects_only(there: Machine) -> None:
    blobs = Blobs()
    made = Savepoints(there.repo, blobs.keep, None)
    there.write("large", "".join(f"{n} line\n" for n in range(20_000)))
    first = made.make(there.state())
    there.write("greeting", "hello, world\n")
    second = made.make(there.state())
    assert there.git("rev-parse", f"{second.point.commit}^") == first.point.commit
    assert there.git("rev-parse", f"{first.point.commit}^") == there.base
    assert sum(len(blobs[name]) for name in second.new) < 2000 < sum(len(blobs[name]) for name in first.new)
    unchanged = made.make(there.state())
    assert len(unchanged.new) == 1  # the commit


def test_many_bundles_become_one(there: Machine, here: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(savepoints, "MOST_BUNDLES", 3)
    blobs, counts = Blobs(), []
    made = Savepoints(there.repo, blobs.keep, None)
    for n in range(6):
        there.write(f"file-{n}", f"{n}\n")
        s = there.state()
        point = made.make(s).point
        counts.append(sum(path.startswith("bundles/") for path in point.blobs))
    assert counts == [1, 2, 3, 1, 2, 3]
    restore(
        here.repo, replace(s, identity=replace(s.identity, root=str(here.root))), point, blobs.__getitem__
    )
    assert here.state().workspace.tree == s.workspace.tree


@pytest.mark.parametrize(
    "path", ["../out", ".git/config", "/tmp/out", "greeting", ".ralph/../../out", "link/x"]
)
def test_a_manifest_reaches_nothing_but_ralphs_own_files(there: Machine, here: Machine, path: str) -> None:
    blobs = Blobs()
    there.write("greeting", "hello, world\n")
    (there.root / "link").symlink_to("/tmp")
    s = there.state()
    point = Savepoints(there.repo, blobs.keep, None).make(s).point
    blobs.keep(blob_name(b"evil"), b"evil")
    forged = Savepoint(point.commit, {**point.blobs, f"files/{path}": blob_name(b"evil")})
    moved = replace(s, identity=replace(s.identity, root=str(here.root)))
    with pytest.raises(RalphError, match="the savepoint names"):
        restore(here.repo, moved, forged, blobs.__getitem__)
    assert (here.root / "greeting").read_text() == "hello, world\n"


def test_nothing_is_written_through_a_link_that_is_in_the_tree(
    there: Machine, here: Machine, tmp_path: Path
) -> None:
    blobs = Blobs()
    there.write(".ralph/agent/memories.md", "what was learnt\n")
    s = there.state()
    point = Savepoints(there.repo, blobs.keep, None).make(s).point
    (here.root / ".ralph").symlink_to(tmp_path)
    with pytest.raises(RalphError, match="leads out"):
        restore(
            here.repo, replace(s, identity=replace(s.identity, root=str(here.root))), point, blobs.__getitem__
        )
    assert not (tmp_path / "agent").exists()


def test_a_mirror_keeps_its_own_refs_and_follows_the_remote(
    there: Machine, tmp_path: Path, remote: RemoteProject
) -> None:
    mirror = Mirror(tmp_path / "ann/mirrors", Repository("app", str(remote.path)))
    mirror.repo.git("update-ref", "refs/ralph/recovery/x/1", there.base)
    new = remote.commit({"greeting": "hello, all\n"})
    mirror.fetch()
    assert mirror.tip() == ("main", new)
    assert mirror.holds(there.base) and mirror.repo.git("rev-parse", "refs/ralph/recovery/x/1")
    with pytest.raises(RalphError, match="no branch nowhere"):
        mirror.tip("nowhere")


@pytest.mark.parametrize("url", ["--upload-pack=touch /tmp/evil", "ext::sh -c true"])
def test_an_address_that_would_run_a_program_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(RalphError):
        Mirror(tmp_path / "mirrors", Repository("app", url)).fetch()
