"""A user's repository in the state that landings must respect, and commits to land on it."""

from __future__ import annotations

import os
import subprocess
import traceback
from collections.abc import Callable
from pathlib import Path

from workspace_project import Sh

from ralph import fault_points
from ralph.git.landing.squash import Person, squash
from ralph.git.repo import Repo

ME = Person("U Ser", "user@example.org")
WHEN = "2026-01-02T03:04:05Z"
MAIN = "refs/heads/main"


def commit(
    repo: Repo, sh: Sh, parent: str, changes: dict[str, str | None], *, text: str = "landing\n"
) -> str:
    """A commit on `parent` with these files (None: removed), made without touching any checkout."""
    index = repo.state_dir / "test-index"
    index.parent.mkdir(parents=True, exist_ok=True)
    index.unlink(missing_ok=True)
    env = {**os.environ, "GIT_INDEX_FILE": str(index), "GIT_DIR": str(repo.common_dir)}

    def git(*args: str, stdin: str = "") -> str:
        done = subprocess.run(
            ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", *args],
            env=env,
            input=stdin.encode(),
            capture_output=True,
            cwd=repo.common_dir,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.decode().strip()

    git("read-tree", parent)
    for path, content in changes.items():
        if content is None:
            git("update-index", "--force-remove", "--", path)
        else:
            oid = git("hash-object", "-w", "--stdin", stdin=content)
            git("update-index", "--add", "--replace", "--cacheinfo", f"100644,{oid},{path}")
    tree = git("write-tree")
    index.unlink()
    return squash(repo, tree, parent, text, ME, WHEN)


def head_of(root: Path, sh: Sh) -> str:
    return sh(root, "rev-parse", "HEAD").strip()


def busy_user(root: Path, sh: Sh) -> None:
    """A stash, another branch, staged and unstaged edits, untracked and ignored files, and hooks that tell if they run."""
    (root / "other.txt").write_text("other\n")
    (root / "both.txt").write_text("both\n")
    sh(root, "add", "-A")
    sh(root, "commit", "-qm", "second")
    sh(root, "branch", "side", "HEAD~1")
    sh(root, "tag", "v1")
    (root / "other.txt").write_text("stashed\n")
    sh(root, "stash", "-q")
    for hook in (
        "pre-commit",
        "post-checkout",
        "post-merge",
        "post-index-change",
        "reference-transaction",
        "pre-push",
    ):
        path = root / ".git" / "hooks" / hook
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\necho {hook} >> '{root.parent}/hooks.log'\n")
        path.chmod(0o755)
    (root / "both.txt").write_text("staged\n")
    sh(root, "-c", "core.hooksPath=/dev/null", "add", "both.txt")
    (root / "both.txt").write_text("staged\nand not staged\n")
    (root / "untracked.txt").write_text("mine\n")
    (root / "debug.log").write_text("ignored\n")
    (root.parent / "hooks.log").unlink(missing_ok=True)


def no_hook_ran(root: Path) -> bool:
    return not (root.parent / "hooks.log").exists()


def killed(act: Callable[[], object], *, fault: str) -> int:
    """Do it in a process that meets this fault; its exit code. (A fork: a new interpreter each time would be slow.)"""
    pid = os.fork()
    if pid:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    try:
        fault_points._spec, fault_points._passed = fault, 0
        act()
        os._exit(0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def seams_of(act: Callable[[], object], *, into: Path) -> list[str]:
    """The seams that it passes, each with its turn, without those at which nothing was done since the one before."""
    assert killed(act, fault=f"count:{into}") == 0
    turns: dict[str, int] = {}
    found = []
    for line in into.read_text().splitlines():
        name = line.partition(" ")[0]
        turns[name] = turns.get(name, 0) + 1
        if not (name.startswith("git.") and name.endswith(".before")):
            found.append(f"{name}#{turns[name]}")
    into.unlink()
    return found
