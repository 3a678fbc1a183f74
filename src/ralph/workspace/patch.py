"""The difference of two trees as a patch, in bounded memory.

No hook, filter, text conversion or external diff runs; and no attribute is looked at, neither of the tree nor of the
repository: a change cannot hide itself by calling its files binary.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from ralph.workspace import git
from ralph.workspace.repo import Repo

LARGEST = "1m"  # a larger file is only said to differ
_HOW = ("--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "--find-renames", "-l200")


def patch(repo: Repo, a: str, b: str) -> Iterator[bytes]:
    """As `git diff` prints it. An empty `a` or `b` stands for the empty tree."""
    with tempfile.TemporaryDirectory(prefix="ralph-patch-", ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        env = _private(repo, place, sha256=len(a or b) == 64)
        empty = "" if a and b else _empty_tree(place, env)
        settings = ("-c", f"core.bigFileThreshold={LARGEST}", "-c", "core.attributesFile=/dev/null")
        yield from git.stream(
            (*settings, "diff-tree", "-r", "-p", *_HOW, a or empty, b or empty), cwd=place, env=env
        )


def _private(repo: Repo, place: Path, *, sha256: bool) -> dict[str, str]:
    """A git directory of nothing but the repository's objects, over a work tree of nothing at all."""
    private, nothing = place / "git", place / "nothing"
    for folder in (private / "refs", nothing):
        folder.mkdir(parents=True)
    (private / "HEAD").write_text("ref: refs/heads/none\n")
    version, extension = (1, "[extensions]\n\tobjectFormat = sha256\n") if sha256 else (0, "")
    (private / "config").write_text(f"[core]\n\trepositoryFormatVersion = {version}\n{extension}")
    return {
        "GIT_DIR": str(private),
        "GIT_WORK_TREE": str(nothing),
        "GIT_OBJECT_DIRECTORY": str(repo.objects),
        "GIT_ATTR_NOSYSTEM": "1",
    }


def _empty_tree(place: Path, env: dict[str, str]) -> str:
    made = git.run(("hash-object", "-t", "tree", "--stdin"), cwd=place, env=env, stdin=b"")
    return made.decode().strip()
