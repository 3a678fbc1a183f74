"""Protected paths are put back as they were, whatever an iteration did to them, and nothing else is touched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ralph.core.globs import matches
from ralph.core.policy import PROTECTED
from ralph.core.policy import put_back as told
from ralph.gates.protected_paths import Restored, restore
from ralph.git.repo import find as find_repo
from ralph.git.snapshots import Snapshots

CI = ".github/workflows/ci.yml"


def git(where: Path, *args: str) -> str:
    env = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.org")
    return subprocess.run(
        ["git", *identity, *args], cwd=where, env=env, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".github/workflows").mkdir(parents=True)
    (root / CI).write_text("on: push\n")
    (root / "ralph.yml").write_text("gates: [{run: pytest}]\n")
    (root / "work.py").write_text("a = 1\n")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "first")
    return root


def snapshots_of(root: Path) -> Snapshots:
    repo = find_repo(root)
    assert repo is not None
    return Snapshots(repo, "test")


def put_back(root: Path, snapshots: Snapshots, before: str, *, allow: tuple[str, ...] = ()) -> Restored:
    tree = snapshots.take().tree
    kept: list[str] = []
    restored = restore(
        snapshots,
        before=before,
        tree=tree,
        protect=PROTECTED,
        allow=allow,
        keep=lambda: kept.append((root / "work.py").read_text()),
    )
    assert bool(kept) == bool(restored.paths), "saved exactly when something is to be lost"
    assert snapshots.take().tree == restored.tree
    return restored


def test_changed_deleted_and_new_protected_files_are_put_back_and_the_rest_stays(root: Path) -> None:
    snapshots = snapshots_of(root)
    before = snapshots.take().tree
    status = git(root, "status", "--porcelain")
    (root / CI).write_text("on: never\n")
    (root / "ralph.yml").unlink()
    (root / ".gitlab-ci.yml").write_text("mine: {}\n")
    (root / "sub").mkdir()
    (root / "sub/Jenkinsfile").write_text("x")
    restored = put_back(root, snapshots, before)
    assert restored.paths == (CI, ".gitlab-ci.yml", "ralph.yml", "sub/Jenkinsfile")
    assert restored.tree == before
    assert git(root, "status", "--porcelain") == status
    (root / "work.py").write_text("a = 2\n")
    (root / CI).chmod(0o755)
    restored = put_back(root, snapshots, before)
    assert restored.paths == (CI,)
    assert [c.path for c in snapshots.diff(before, restored.tree)] == ["work.py"]
    assert (root / "work.py").read_text() == "a = 2\n"
    assert (root / CI).stat().st_mode & 0o100 == 0


def test_doing_it_again_changes_nothing(root: Path) -> None:
    snapshots = snapshots_of(root)
    before = snapshots.take().tree
    (root / CI).write_text("on: never\n")
    first = put_back(root, snapshots, before)
    assert first.paths
    assert put_back(root, snapshots, before) == Restored(first.tree)


def test_what_the_task_allows_stays(root: Path) -> None:
    snapshots = snapshots_of(root)
    before = snapshots.take().tree
    (root / CI).write_text("on: never\n")
    (root / "ralph.yml").write_text("")
    assert put_back(root, snapshots, before, allow=(".github/**",)).paths == ("ralph.yml",)
    assert (root / CI).read_text() == "on: never\n"


def test_what_was_changed_before_the_iteration_is_not_its_doing(root: Path) -> None:
    (root / "ralph.yml").write_text("# the user is at work here\n")
    (root / ".travis.yml").write_text("not committed yet\n")
    snapshots = snapshots_of(root)
    before = snapshots.take().tree
    (root / "work.py").write_text("a = 2\n")
    assert put_back(root, snapshots, before).paths == ()
    assert (root / "ralph.yml").read_text() == "# the user is at work here\n"
    (root / "ralph.yml").write_text("")
    assert put_back(root, snapshots, before).paths == ("ralph.yml",)
    assert (root / "ralph.yml").read_text() == "# the user is at work here\n"


@pytest.mark.parametrize("place", [".github", ".github/workflows"])
def test_a_link_or_file_in_the_place_of_a_folder_goes(root: Path, place: str) -> None:
    snapshots = snapshots_of(root)
    before = snapshots.take().tree
    (root / CI).unlink()
    (root / ".github/workflows").rmdir()
    if place == ".github":
        (root / ".github").rmdir()
    (root / "mine").mkdir()
    (root / "mine/ci.yml").write_text("on: never\n")
    (root / place).symlink_to(root / "mine")
    restored = put_back(root, snapshots, before)
    assert (root / CI).read_text() == "on: push\n"
    assert not (root / place).is_symlink()
    assert [c.path for c in snapshots.diff(before, restored.tree)] == ["mine/ci.yml"]


@pytest.mark.parametrize("point", ["protect.before", "restore.before", "restore.between", "protect.after"])
def test_a_death_at_any_point_is_mended_by_doing_it_again(root: Path, point: str) -> None:
    snapshots = snapshots_of(root)
    before = snapshots.take().tree
    (root / CI).unlink()
    (root / "ralph.yml").write_text("")
    (root / ".travis.yml").write_text("x")
    (root / "work.py").write_text("a = 2\n")
    script = (
        "import sys\nfrom pathlib import Path\nfrom ralph.core.policy import PROTECTED\n"
        "from ralph.gates.protected_paths import restore\n"
        "from ralph.git.repo import find\nfrom ralph.git.snapshots import Snapshots\n"
        "s = Snapshots(find(Path('.')), 'test')\n"
        "restore(s, before=sys.argv[1], tree=s.take().tree, protect=PROTECTED, keep=lambda: None)\n"
    )
    env = {**os.environ, "RALPH_FAULT": f"kill@{point}#1"}
    died = subprocess.run([sys.executable, "-c", script, before], cwd=root, env=env, check=False)
    assert died.returncode == -signal.SIGKILL
    restored = put_back(root, snapshots, before)
    assert [c.path for c in snapshots.diff(before, restored.tree)] == ["work.py"]


def test_the_files_of_ci_services_are_protected_where_services_look() -> None:
    for path in (
        "ralph.yml",
        ".github/workflows/deep/ci.yml",
        ".gitlab-ci.yml",
        ".circleci/config.yml",
        "Jenkinsfile",
        "azure-pipelines.yml",
        ".travis.yml",
        "bitbucket-pipelines.yml",
        ".buildkite/pipeline.yml",
    ):
        assert matches(path, PROTECTED), path
    for path in (
        "src/workflows/ci.py",
        "docs/.github/workflows/a.yml",
        ".github/ISSUE_TEMPLATE/bug.md",
        "ralph.py",
    ):
        assert not matches(path, PROTECTED), path


def test_what_was_put_back_is_told_with_the_way_out() -> None:
    text = told(["ralph.yml", CI])
    assert text.startswith("changes to protected files were undone: ralph.yml, .github/workflows/ci.yml")
    assert "`allow`" in text
