"""What is in a snapshot and what is not, and what taking one leaves alone."""

from __future__ import annotations

import codecs
import fcntl
import os
import shutil
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from workspace_project import Sh, names, opened, settle, user_state

from ralph.errors import RalphError
from ralph.git.repo import Repo, own_files, without_git
from ralph.git.snapshots import Snapshots
from ralph.git.uncommitted_changes import uncommitted_paths


def test_clean_checkout_gives_the_tree_of_head(project: Path, either: Snapshots, sh: Sh) -> None:
    assert either.take().tree == sh(project, "rev-parse", "HEAD^{tree}").strip()


def test_untracked_files_are_in_ignored_ones_out(project: Path, either: Snapshots) -> None:
    (project / "new.txt").write_text("n")
    (project / "x.log").write_text("l")
    (project / "build").mkdir()
    (project / "build" / "out").write_text("o")
    (project / "a.txt").unlink()
    assert names(either, either.take().tree) == {".gitignore", "new.txt", "src/b.py"}


def test_own_files_are_out_at_the_root_and_in_the_folder_of_the_run(project: Path, repo: Repo) -> None:
    for folder in (project, project / "src"):
        (folder / ".ralph" / "agent").mkdir(parents=True)
        (folder / ".ralph" / "agent" / "scratchpad.md").write_text("s")
        for name in (".ralph_state.md", ".ralph.lock", ".stop", "ralph.log"):
            (folder / name).write_text("x")
    (project / "src" / "pad.md").write_text("p")
    (project / "src" / "mine.md").write_text("m")
    snapshots = Snapshots(repo, "x", own_files(repo, project / "src", ["pad.md"]))
    assert names(snapshots, snapshots.take().tree) == {".gitignore", "a.txt", "src/b.py", "src/mine.md"}


def test_own_files_that_the_user_tracks_stay_as_in_head(project: Path, sh: Sh) -> None:
    (project / ".ralph").mkdir()
    (project / ".ralph" / "kept.md").write_text("committed")
    (project / ".stop").write_text("committed")
    sh(project, "add", "-f", ".ralph", ".stop")
    sh(project, "commit", "-qm", "own")
    (project / ".ralph" / "kept.md").write_text("changed by the run")
    (project / ".stop").unlink()
    snapshots = Snapshots(opened(project), "x")
    tree = snapshots.take().tree
    assert tree == sh(project, "rev-parse", "HEAD^{tree}").strip()
    assert snapshots.read(tree, ".ralph/kept.md") == b"committed"


def test_untracked_caches_are_out_and_tracked_ones_in(project: Path, either: Snapshots, sh: Sh) -> None:
    for folder in ("__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis"):
        (project / "src" / folder).mkdir()
        (project / "src" / folder / "f").write_text("cache")
    (project / "src" / "b.pyc").write_text("cache")
    assert names(either, either.take().tree) == {".gitignore", "a.txt", "src/b.py"}
    sh(project, "add", "-f", "src/__pycache__/f")
    sh(project, "commit", "-qm", "cache")
    assert "src/__pycache__/f" in names(either, either.take().tree)
    (project / "src" / "__pycache__" / "f").write_text("more")
    assert either.read(either.take().tree, "src/__pycache__/f") == b"more"


def test_file_tracked_although_ignored_stays_in(project: Path, repo: Repo, sh: Sh) -> None:
    (project / "kept.log").write_text("1")
    sh(project, "add", "-f", "kept.log")
    sh(project, "commit", "-qm", "log")
    (project / "kept.log").write_text("2")
    snapshots = Snapshots(repo, "x")
    assert snapshots.read(snapshots.take().tree, "kept.log") == b"2"


def test_ignored_file_that_the_agent_stages_by_force_is_tracked_from_then_on(
    project: Path, either: Snapshots, sh: Sh
) -> None:
    (project / "forced.log").write_text("1")
    settle(project)
    assert "forced.log" not in names(either, either.take().tree)
    sh(project, "add", "-f", "forced.log")
    assert either.read(either.take().tree, "forced.log") == b"1"


def test_file_that_becomes_ignored_leaves_the_snapshot(project: Path, either: Snapshots) -> None:
    (project / "node_modules").mkdir()
    (project / "node_modules" / "x.js").write_text("x")
    assert "node_modules/x.js" in names(either, either.take().tree)
    (project / ".gitignore").write_text("*.log\nbuild/\nnode_modules\na.txt\n")
    found = names(either, either.take().tree)
    assert "node_modules/x.js" not in found
    assert "a.txt" in found  # tracked by the user


def test_users_info_exclude_is_obeyed_also_when_it_changes(project: Path, either: Snapshots) -> None:
    (project / "private").write_text("p")
    settle(project)
    assert "private" in names(either, either.take().tree)
    (project / ".git" / "info").mkdir(exist_ok=True)
    (project / ".git" / "info" / "exclude").write_text("private\n")
    assert "private" not in names(either, either.take().tree)


def test_assume_unchanged_is_not_believed(project: Path, repo: Repo, sh: Sh) -> None:
    sh(project, "update-index", "--assume-unchanged", "a.txt")
    (project / "a.txt").write_text("changed\n")
    snapshots = Snapshots(repo, "x")
    assert snapshots.read(snapshots.take().tree, "a.txt") == b"changed\n"


def test_sparse_checkout_does_not_look_like_deletions(project: Path, sh: Sh) -> None:
    (project / "other").mkdir()
    (project / "other" / "o").write_text("o")
    sh(project, "add", "-A")
    sh(project, "commit", "-qm", "other")
    sh(project, "sparse-checkout", "set", "src")
    assert not (project / "other").exists()
    snapshots = Snapshots(opened(project), "x")
    assert snapshots.take().tree == sh(project, "rev-parse", "HEAD^{tree}").strip()
    assert uncommitted_paths(opened(project)) == []
    (project / "other").mkdir()
    (project / "other" / "new").write_text("n")
    assert "other/new" in names(snapshots, snapshots.take().tree)


def test_split_index_of_the_user_is_understood(project: Path, repo: Repo, sh: Sh) -> None:
    sh(project, "update-index", "--split-index")
    (project / "staged").write_text("s")
    sh(project, "add", "staged")
    before = user_state(project, sh)
    snapshots = Snapshots(repo, "x")
    assert "staged" in names(snapshots, snapshots.take().tree)
    assert user_state(project, sh) == before


def test_damaged_user_index_does_not_matter(project: Path, repo: Repo, sh: Sh) -> None:
    (project / ".git" / "index").write_bytes(b"garbage")
    assert Snapshots(repo, "x").take().tree == sh(project, "rev-parse", "HEAD^{tree}").strip()
    (project / ".git" / "index").unlink()
    assert Snapshots(repo, "y").take().tree == sh(project, "rev-parse", "HEAD^{tree}").strip()


def test_symlinks_and_exec_bits_are_kept(project: Path, either: Snapshots) -> None:
    (project / "link").symlink_to("a.txt")
    (project / "dangling").symlink_to("/nowhere")
    (project / "run.sh").write_text("#!/bin/sh\n")
    (project / "run.sh").chmod(0o755)
    modes = {path: mode for mode, _, path in either.files(either.take().tree)}
    assert modes["link"] == modes["dangling"] == "120000"
    assert modes["run.sh"] == "100755"
    (project / "run.sh").chmod(0o644)
    assert {path: mode for mode, _, path in either.files(either.take().tree)}["run.sh"] == "100644"


ODD_NAMES = [
    "two\nlines",
    "-dash",
    'quo"te',
    "apo'strophe",
    "ünï",
    " space ",
    "tab\t",
    "*star",
    ":(top)x",
    "back\\slash",
]


def test_odd_names_are_taken(project: Path, either: Snapshots) -> None:
    for name in [*ODD_NAMES, os.fsdecode(b"not-utf8-\xff")]:
        (project / name).write_text(name, errors="surrogateescape")
    tree = either.take().tree
    for name in [*ODD_NAMES, os.fsdecode(b"not-utf8-\xff")]:
        assert either.read(tree, name) == os.fsencode(name)


def test_repository_without_a_commit(tmp_path: Path, sh: Sh) -> None:
    sh(tmp_path, "init", "-q", "r")
    snapshots = Snapshots(opened(tmp_path / "r"), "x")
    empty = snapshots.take().tree
    assert names(snapshots, empty) == set()
    (tmp_path / "r" / "f").write_text("f")
    sh(tmp_path / "r", "add", "f")
    assert names(snapshots, snapshots.take().tree) == {"f"}
    (tmp_path / "r" / "f").unlink()
    assert snapshots.take().tree == empty


def test_sha256_repository(tmp_path: Path, sh: Sh) -> None:
    root = tmp_path / "r"
    sh(tmp_path, "init", "-q", "--object-format=sha256", "r")
    (root / "f").write_text("f")
    sh(root, "add", "-A")
    sh(root, "commit", "-qm", "1")
    snapshots = Snapshots(opened(root), "x")
    first = snapshots.take().tree
    assert first == sh(root, "rev-parse", "HEAD^{tree}").strip() and len(first) == 64
    (root / "f").write_text("g")
    snapshots.take()
    assert snapshots.restore(first) == ["f"]
    assert (root / "f").read_text() == "f"


def test_linked_worktree(project: Path, tmp_path: Path, sh: Sh) -> None:
    linked = tmp_path / "linked"
    sh(project, "worktree", "add", "-q", str(linked), "-b", "topic")
    before = user_state(linked, sh), user_state(project, sh)
    snapshots = Snapshots(opened(linked), "x")
    first = snapshots.take().tree
    (linked / "new").write_text("n")
    assert "new" in names(snapshots, snapshots.take().tree)
    assert snapshots.restore(first) == ["new"]
    assert (user_state(linked, sh), user_state(project, sh)) == before


def test_same_name_in_another_work_tree_does_not_mix(project: Path, tmp_path: Path, sh: Sh) -> None:
    linked = tmp_path / "linked"
    sh(project, "worktree", "add", "-q", str(linked), "-b", "topic")
    (project / "only-here.log").write_text("x")
    sh(project, "add", "-f", "only-here.log")
    here, there = Snapshots(opened(project), "same"), Snapshots(opened(linked), "same")
    assert "only-here.log" in names(here, here.take().tree)
    assert "only-here.log" not in names(there, there.take().tree)


def test_folder_without_git_has_snapshots_too(tmp_path: Path) -> None:
    root = tmp_path / "plain"
    root.mkdir()
    (root / "f").write_text("1")
    (root / "__pycache__").mkdir()
    (root / "__pycache__" / "c").write_text("c")
    repo = without_git(root)
    assert not (root / ".ralph").exists()
    snapshots = Snapshots(repo, "x")
    first = snapshots.take().tree
    assert names(snapshots, first) == {"f"}
    (root / "f").write_text("2")
    (root / "g").write_text("3")
    second = snapshots.take().tree
    assert {(c.path, c.status) for c in snapshots.diff(first, second)} == {("f", "M"), ("g", "A")}
    assert snapshots.restore(first) == ["f", "g"]
    assert sorted(path.name for path in root.iterdir()) == [".ralph", "__pycache__", "f"]


def test_line_endings_follow_the_repository(project: Path, sh: Sh) -> None:
    sh(project, "config", "core.autocrlf", "input")
    sh(project, "config", "core.safecrlf", "true")  # would make git add refuse
    (project / "dos.txt").write_bytes(b"1\r\n2\r\n")
    snapshots = Snapshots(opened(project), "x")
    assert snapshots.read(snapshots.take().tree, "dos.txt") == b"1\n2\n"


# --- nothing of the repository's runs, nothing of the user's changes


def plant(path: Path, canary: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch '{canary}'\ncat\nexit 0\n")
    path.chmod(0o755)


def test_planted_filters_hooks_and_fsmonitor_do_not_run(project: Path, tmp_path: Path, sh: Sh) -> None:
    canary, program = tmp_path / "canary", tmp_path / "evil.sh"
    plant(program, canary)
    for key in ("filter.x.clean", "filter.x.smudge", "diff.x.command", "diff.x.textconv", "core.fsmonitor"):
        sh(project, "config", key, str(program))
    sh(project, "config", "filter.x.required", "true")
    sh(project, "config", "core.hooksPath", str(tmp_path / "hooks"))
    for hook in ("post-index-change", "reference-transaction", "post-checkout", "pre-commit", "post-commit"):
        plant(tmp_path / "hooks" / hook, canary)
        plant(project / ".git" / "hooks" / hook, canary)
    (project / ".gitattributes").write_text("* filter=x diff=x\n")
    (project / "f").write_text("1\n")
    from ralph.git.recovery import drop, save, saved

    repo = opened(project)
    snapshots = Snapshots(repo, "x")
    first = snapshots.take().tree
    (project / "f").write_text("2\n")
    second = snapshots.take().tree
    uncommitted_paths(repo)
    snapshots.overlay(second, first, ["f"])
    save(repo, snapshots, second, loop="l", reason="r", when="2024-01-01T00:00:00Z")
    snapshots.restore(first)
    snapshots.check_out(first, tmp_path / "out", tmp_path / "index")
    drop(repo, saved(repo)[0].ref)
    assert (project / "f").read_text() == "1\n"
    assert not canary.exists()
    # the bait works: git itself, asked in the project, takes it
    subprocess.run(["git", "status"], cwd=project, capture_output=True, check=False)
    assert canary.exists()


def test_fsmonitor_does_not_run_although_the_user_configured_it(
    project: Path, tmp_path: Path, sh: Sh
) -> None:
    canary, program = tmp_path / "canary", tmp_path / "monitor.sh"
    plant(program, canary)
    sh(project, "config", "--global", "core.fsmonitor", str(program))
    snapshots = Snapshots(opened(project), "x")
    snapshots.take()
    (project / "n").write_text("n")
    snapshots.take()
    assert not canary.exists()


def test_filter_of_the_users_own_configuration_stays_in_force(project: Path, sh: Sh) -> None:
    sh(project, "config", "--global", "filter.up.clean", "tr a-z A-Z")
    sh(project, "config", "--global", "filter.up.smudge", "tr A-Z a-z")
    (project / ".gitattributes").write_text("*.up filter=up\n")
    (project / "f.up").write_text("word")
    snapshots = Snapshots(opened(project), "x")
    tree = snapshots.take().tree
    assert snapshots.read(tree, "f.up") == b"WORD"
    (project / "f.up").unlink()
    snapshots.take()
    snapshots.restore(tree)
    assert (project / "f.up").read_text() == "word"


def test_index_head_branches_and_stash_stay_byte_identical(project: Path, repo: Repo, sh: Sh) -> None:
    from ralph.git.recovery import save
    from ralph.git.uncommitted_changes import uncommitted_paths

    (project / "a.txt").write_text("stashed\n")
    sh(project, "stash")
    sh(project, "branch", "other")
    (project / "a.txt").write_text("staged\n")
    sh(project, "add", "a.txt")
    (project / "a.txt").write_text("unstaged\n")
    (project / "u").write_text("untracked")
    sh(project, "status")
    before = user_state(project, sh)
    snapshots = Snapshots(repo, "x")
    start = snapshots.take().tree
    uncommitted_paths(repo)
    save(repo, snapshots, start, loop="l", reason="start", when="2024-01-01T00:00:00Z")
    (project / "a.txt").unlink()
    (project / "n").write_text("n")
    snapshots.take()
    snapshots.restore(start)
    assert user_state(project, sh) == before
    assert (project / "a.txt").read_text() == "unstaged\n"


# --- failures


# Linux: root without these capabilities meets permissions like anybody else
_PLAIN = ("setpriv", "--bounding-set", "-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
_TRY = """
import sys
from pathlib import Path
from ralph.errors import RalphError
from ralph.git.repo import find
from ralph.git.snapshots import Snapshots
try:
    print(Snapshots(find(Path(sys.argv[1])), "x", max_walk=int(sys.argv[2])).take().tree)
except RalphError as error:
    print(error)
"""


def try_as_plain_user(project: Path, max_walk: int) -> str:
    argv = [*_PLAIN, sys.executable, "-c", _TRY, str(project), str(max_walk)]
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout


@pytest.mark.skipif(bool(_PLAIN) and shutil.which("setpriv") is None, reason="root reads everything")
@pytest.mark.parametrize("max_walk", [3000, 0])
@pytest.mark.parametrize("what", ["file", "folder", "tracked-folder"])
def test_what_cannot_be_read_is_told_and_not_left_out(
    project: Path, repo: Repo, what: str, max_walk: int
) -> None:
    path = {"file": project / "secret", "folder": project / "new", "tracked-folder": project / "src"}[what]
    if what == "file":
        path.write_text("s")
    elif what == "folder":
        path.mkdir()
        (path / "f").write_text("f")
    (project / "ralph.log").write_text("ignored and own at once")
    path.chmod(0)
    try:
        said = try_as_plain_user(project, max_walk)
    finally:
        path.chmod(0o755)
    assert "cannot take a snapshot" in said and path.name in said and "Permission denied" in said
    assert "Make it readable" in said


@pytest.mark.skipif(bool(_PLAIN) and shutil.which("setpriv") is None, reason="root reads everything")
def test_unreadable_folder_that_is_ignored_does_not_matter(project: Path, sh: Sh) -> None:
    (project / "build").mkdir(mode=0)
    try:
        assert try_as_plain_user(project, 3000).strip() == sh(project, "rev-parse", "HEAD^{tree}").strip()
    finally:
        (project / "build").chmod(0o755)


def test_stale_lock_of_a_killed_git_is_removed_and_the_users_is_not(project: Path, repo: Repo) -> None:
    first = Snapshots(repo, "x")
    first.take()
    (repo.state_dir / "shadow" / "x" / "index.lock").write_text("half")
    (project / ".git" / "index.lock").write_text("theirs")
    (project / "n").write_text("n")
    again = Snapshots(repo, "x")
    assert "n" in names(again, again.take().tree)
    assert (project / ".git" / "index.lock").read_text() == "theirs"


_TAKE = """
import sys
from pathlib import Path
from ralph.git.repo import find
from ralph.git.snapshots import Snapshots
Snapshots(find(Path(sys.argv[1])), "x").take()
"""


def test_git_child_that_outlived_a_killed_ralph_still_holds_the_lock(
    project: Path, repo: Repo, tmp_path: Path, sh: Sh
) -> None:
    reached, gate, program = tmp_path / "reached", tmp_path / "gate", tmp_path / "slow.sh"
    os.mkfifo(gate)
    program.write_text(
        f"#!/bin/sh\nif mkdir '{reached}' 2>/dev/null; then cat '{gate}' >/dev/null; fi\ncat\n"
    )
    program.chmod(0o755)
    sh(project, "config", "--global", "filter.slow.clean", str(program))
    (project / ".gitattributes").write_text("slow filter=slow\n")
    (project / "slow").write_text("s")
    ralph = subprocess.Popen([sys.executable, "-c", _TAKE, str(project)])
    while not reached.exists():  # git add is under way; the suite's time limit is the deadline
        assert ralph.poll() is None
        time.sleep(0.005)
    ralph.kill()
    ralph.wait()
    with (repo.state_dir / "shadow" / "x" / "lock").open() as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    gate.write_text("go on")
    snapshots = Snapshots(repo, "x")
    assert "slow" in names(snapshots, snapshots.take().tree)


def test_pruned_objects_are_written_again(project: Path, either: Snapshots, sh: Sh) -> None:
    (project / "n").write_text("only in the snapshot")
    (project / "m").write_text("also")
    first = either.take().tree
    sh(project, "prune", "--expire=now")
    (project / "m").write_text("changed")
    tree = either.take().tree
    assert tree != first
    assert either.read(tree, "n") == b"only in the snapshot"


def test_removed_shadow_is_made_again(project: Path, either: Snapshots, repo: Repo) -> None:
    either.take()
    shutil.rmtree(repo.state_dir)
    (project / "n").write_text("n")
    assert "n" in names(either, either.take().tree)


def test_damaged_private_index_is_rebuilt(project: Path, repo: Repo, sh: Sh) -> None:
    Snapshots(repo, "x").take()
    (repo.state_dir / "shadow" / "x" / "index").write_bytes(b"DIRC garbage")
    assert Snapshots(repo, "x").take().tree == sh(project, "rev-parse", "HEAD^{tree}").strip()


def test_state_that_cannot_be_written_is_told(project: Path, repo: Repo) -> None:
    repo.state_dir.write_text("a file where the folder should be")
    with pytest.raises(RalphError, match="cannot write Ralph's state"):
        Snapshots(repo, "x").take()


def test_fifo_and_socket_are_no_trouble(project: Path, either: Snapshots) -> None:
    os.mkfifo(project / "pipe")
    assert stat.S_ISFIFO((project / "pipe").stat().st_mode)
    assert "pipe" not in names(either, either.take().tree)


def test_ten_thousand_files(project: Path, repo: Repo) -> None:
    for number in range(10_000):
        folder = project / "many" / str(number // 500)
        if number % 500 == 0:
            folder.mkdir(parents=True)
        (folder / str(number)).touch()
    snapshots = Snapshots(repo, "x")
    first = snapshots.take()
    assert len(snapshots.files(first.tree)) == 10_003
    assert snapshots.take() == first
    (project / "many" / "7" / "3500").write_text("x")
    second = snapshots.take()
    assert [change.path for change in snapshots.diff(first.tree, second.tree)] == ["many/7/3500"]


def test_the_first_rule_of_an_exclude_file_with_a_byte_order_mark_counts(project: Path, repo: Repo) -> None:
    (project / ".git/info/exclude").write_bytes(codecs.BOM_UTF8 + b"secret\nother\n")
    for name in ("secret", "other", "mine"):
        (project / name).write_text(name)
    snapshots = Snapshots(repo, "loop-1")
    assert names(snapshots, snapshots.take().tree) == {".gitignore", "a.txt", "mine", "src/b.py"}
