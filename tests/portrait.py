"""What a user has in a repository, by git itself and by the files: taken before and after, equal means untouched."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path
from typing import NamedTuple


class Worktree(NamedTuple):
    head: str
    index: str
    status: str
    files: dict[str, str]


class Portrait(NamedTuple):
    """`index` without stat data: what is staged, not how git remembers it."""

    head: str
    branches: dict[str, str]
    others: dict[str, str]  # tags, remotes, the stash: every ref that is no branch and not Ralph's
    stash: str
    index: str
    status: str
    files: dict[str, str]
    hooks: dict[str, str]
    config: dict[
        str, str
    ]  # the repository's own, of this checkout, excludes (not Ralph's lines) and attributes
    locks: tuple[str, ...]
    reflogs: dict[
        str, tuple[str, ...]
    ]  # of HEAD, branches and the stash, without what Ralph says that it did
    under_way: dict[str, str]  # ORIG_HEAD, MERGE_HEAD and the like
    worktrees: dict[str, Worktree]  # the other ones, by their way from this one

    def but(self, **changes: object) -> Portrait:
        return self._replace(**changes)  # type: ignore[arg-type]


def portrait(root: Path) -> Portrait:
    """Of one checkout and its repository. Ralph's own refs and files are not in it."""
    git_dir = Path(_git(root, "rev-parse", "--absolute-git-dir").strip())
    common = (root / _git(root, "rev-parse", "--git-common-dir").strip()).resolve()
    refs = {
        name: oid
        for oid, _, name in (
            line.partition(" ")
            for line in _git(root, "for-each-ref", "--format=%(objectname) %(refname)").splitlines()
        )
        if not name.startswith("refs/ralph/")
    }
    return Portrait(
        (git_dir / "HEAD").read_text(),
        {name: oid for name, oid in refs.items() if name.startswith("refs/heads/")},
        {name: oid for name, oid in refs.items() if not name.startswith("refs/heads/")},
        _git(root, "stash", "list", "--format=%H %gs"),
        _git(root, "ls-files", "-s", "-v"),
        _status(root),
        _files(root),
        {path.name: _digest(path) for path in sorted((common / "hooks").glob("*"))},
        {
            name: path.read_text(errors="replace").partition("# Ralph's")[0]
            for name, path in (
                ("config", common / "config"),
                ("config.worktree", git_dir / "config.worktree"),
                ("info/exclude", common / "info/exclude"),
                ("info/attributes", common / "info/attributes"),
            )
            if path.exists()
        },
        tuple(
            sorted(
                str(path.relative_to(common))
                for path in common.rglob("*")
                if (path.suffix == ".lock" or path.name.startswith("index.ralph"))
                and "ralph" not in path.relative_to(common).parts[:1]
            )
        ),
        _reflogs(git_dir, common),
        {path.name: path.read_text(errors="replace") for path in sorted(git_dir.glob("*_HEAD"))},
        _worktrees(root),
    )


def _reflogs(git_dir: Path, common: Path) -> dict[str, tuple[str, ...]]:
    found = {"HEAD": _said(git_dir / "logs/HEAD")}
    for path in sorted((common / "logs/refs").rglob("*")):
        name = str(path.relative_to(common / "logs"))
        if path.is_file() and not name.startswith("refs/ralph/"):
            found[name] = _said(path)
    return {name: lines for name, lines in found.items() if lines}


def _said(log: Path) -> tuple[str, ...]:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return tuple(line for line in lines if not line.partition("\t")[2].startswith("ralph"))


def _worktrees(root: Path) -> dict[str, Worktree]:
    listed = _git(root, "worktree", "list", "--porcelain", "-z").split("\0")
    places = [Path(line.removeprefix("worktree ")) for line in listed if line.startswith("worktree ")]
    return {
        os.path.relpath(place, root): Worktree(
            _git(place, "rev-parse", "--symbolic-full-name", "HEAD"),
            _git(place, "ls-files", "-s", "-v"),
            _status(place),
            _files(place),
        )
        for place in places
        if place.is_dir() and place.resolve() != root.resolve()
    }


def _status(root: Path) -> str:
    return _git(root, "status", "--porcelain=v1", "-z", "--untracked-files=all")


def _files(root: Path) -> dict[str, str]:
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git" and not (Path(folder) / name).is_symlink()]
        links = [path.name for path in Path(folder).iterdir() if path.is_symlink()]
        for name in {*names, *links}:
            path = Path(folder) / name
            shown = os.path.relpath(path, root)
            if name != ".git" and not shown.startswith((".ralph", "ralph.log", ".stop")):
                found[shown] = _digest(path)
    return found


def _digest(path: Path) -> str:
    if path.is_symlink():
        return f"-> {path.readlink()}"
    mode = "x" if os.access(path, os.X_OK) and path.stat().st_mode & 0o100 else "-"
    return f"{mode} {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def _git(root: Path, *arguments: str) -> str:
    settings = ("-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false")
    env = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    done = subprocess.run(["git", *settings, *arguments], cwd=root, env=env, capture_output=True, check=True)
    return os.fsdecode(done.stdout)
