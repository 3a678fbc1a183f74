"""Finds what a change hides: files that are ignored now and would not have been under the rules of the start.

They are in no snapshot, and yet a gate in the work tree sees them. Nothing is changed here.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from ralph.workspace import git
from ralph.workspace.fingerprint import is_cache
from ralph.workspace.repo import Repo
from ralph.workspace.snapshot import Snapshots
from ralph.workspace.trees import Change

_RULES = ".gitignore"


def own_excludes(repo: Repo) -> str:
    """The ignore rules that the repository keeps outside its tree, as they are now."""
    try:
        return os.fsdecode((repo.common_dir / "info" / "exclude").read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return ""


def newly_ignored(
    snapshots: Snapshots, base: str, excludes: str, changes: Iterable[Change]
) -> tuple[str, ...]:
    """Files that the rules of the tree `base` and of `excludes` do not ignore, and the present ones do. Without a
    change of the rules there are none. Whole folders that are ignored (dependencies, builds) are passed over."""
    changed = any(change.path.rpartition("/")[2] == _RULES for change in changes)
    if not changed and own_excludes(snapshots.repo) == excludes:
        return ()
    ignored = [path for path in snapshots.ignored_files() if not is_cache(path)]
    before = _ignored_under(snapshots, base, excludes, ignored) if ignored else set()
    return tuple(path for path in ignored if path not in before)


def _ignored_under(snapshots: Snapshots, base: str, excludes: str, paths: list[str]) -> set[str]:
    """Asks git about these paths in a folder that holds nothing but the rules of `base`."""
    with tempfile.TemporaryDirectory(prefix="ralph-rules-") as folder:
        tree, git_dir = Path(folder, "tree"), Path(folder, "git")
        for empty in (tree, git_dir / "objects", git_dir / "refs", git_dir / "info"):
            empty.mkdir(parents=True)
        (git_dir / "HEAD").write_text("ref: refs/heads/ralph\n")
        (git_dir / "config").write_bytes(snapshots.settings())
        (git_dir / "info" / "exclude").write_bytes(os.fsencode(excludes))
        for _, _, path in snapshots.files(base):
            if path.rpartition("/")[2] == _RULES:
                rules = tree / path
                rules.parent.mkdir(parents=True, exist_ok=True)
                rules.write_bytes(snapshots.read(base, path) or b"")
        # With `./`, since a name that begins with a colon would be a pathspec with magic.
        asked = os.fsencode("".join(f"./{path}\0" for path in paths))
        env = {"GIT_DIR": str(git_dir), "GIT_WORK_TREE": str(tree)}
        try:
            out = git.run(("check-ignore", "--no-index", "-z", "--stdin"), cwd=tree, env=env, stdin=asked)
        except git.GitFailed as failed:
            if failed.status == 1:  # none of them
                return set()
            raise
    return {path.removeprefix("./") for path in os.fsdecode(out).split("\0")[:-1]}
