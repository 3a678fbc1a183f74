"""What a work tree holds that is not committed, read from a copy of the user's index; nothing is refreshed or locked."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from ralph.errors import RalphError
from ralph.workspace import git
from ralph.workspace.repo import OWN, Repo, find, head
from ralph.workspace.shadow import Shadow, excludes

GITLINK = "160000"


def dirty(repo: Repo, own: Sequence[str] = ()) -> list[str]:
    """Paths with staged, unstaged or untracked changes and changed submodules, without ignored and Ralph's own files."""
    if not repo.versioned:
        return []
    with tempfile.TemporaryDirectory(prefix="ralph-status-") as folder:
        shadow = Shadow(repo, Path(folder) / "shadow")
        shadow.open()
        shadow.set_head(head(repo))
        shadow.copy_user_index(shadow.index)
        status = shadow.run(
            *(
                "status",
                "--porcelain=v1",
                "-z",
                "--untracked-files=all",
                "--no-renames",
                "--ignore-submodules=all",
            ),
            *excludes((*OWN, *own)),
        )
        listed = shadow.run("ls-files", "-s", "-z")
    found = {os.fsdecode(line[3:]).rstrip("/") for line in status.split(b"\0")[:-1]}
    for path, commit in gitlinks(listed).items():
        submodule = open_submodule(repo, path)
        if submodule is not None and (head(submodule) != commit or dirty(submodule)):
            found.add(path)
    return sorted(found)


def committed(repo: Repo, path: str) -> bytes:
    """The file's content in HEAD; nothing where it is not there."""
    try:
        return git.run(("cat-file", "blob", f"HEAD:{path}"), cwd=repo.root)
    except git.GitFailed:
        return b""


def gitlinks(listed: bytes) -> dict[str, str]:
    """Path and commit of every submodule in the output of `git ls-files -s -z`."""
    found = {}
    for line in listed.split(b"\0")[:-1]:
        if line.startswith(b"160000 "):
            facts, _, path = line.partition(b"\t")
            found[os.fsdecode(path)] = facts.split()[1].decode()
    return found


def open_submodule(repo: Repo, path: str) -> Repo | None:
    """The repository checked out at `path`; None when there is none (a submodule that was not initialised)."""
    folder = repo.root / path
    if not is_repository(folder):
        return None
    try:
        submodule = find(folder)
    except RalphError:  # its `.git` leads nowhere
        return None
    return submodule if submodule is not None and submodule.root == folder.resolve() else None


def is_repository(folder: Path) -> bool:
    """Whether the folder has a usable `.git` of its own, as a folder or as a file that points elsewhere."""
    marker = folder / ".git"
    try:
        return (marker / "HEAD").is_file() or marker.read_bytes().startswith(b"gitdir:")
    except OSError:
        return False


def declared_submodules(repo: Repo) -> set[str]:
    """The paths that the work tree's `.gitmodules` declares."""
    try:
        listed = git.run(
            ("config", "--file", ".gitmodules", "-z", "--get-regexp", r"^submodule\..*\.path$"), cwd=repo.root
        )
    except git.GitFailed:  # none, or unreadable: then it declares nothing
        return set()
    return {os.fsdecode(item.partition(b"\n")[2]) for item in listed.split(b"\0")[:-1]}


def under(path: str, roots: Iterable[str]) -> bool:
    """Whether `path` is one of `roots` or below one."""
    return any(path == root or path.startswith(f"{root}/") for root in roots)
