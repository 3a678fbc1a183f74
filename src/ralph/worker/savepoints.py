"""Savepoints: from where a loop continues on another machine. A commit chained to the savepoint before, as a thin bundle; and
the files that are in no tree, as blobs by the paths at which they belong."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from ralph.core.fleet.model import Savepoint
from ralph.core.loop.state import LoopState
from ralph.errors import RalphError
from ralph.files import NotAFile, read_bytes
from ralph.git.program import GitFailed
from ralph.git.repo import OWN, Repo, printable, readable_head
from ralph.git.workspaces import clone
from ralph.journal.store import write_atomically
from ralph.runner.loop_workspace import folder_of, own_paths, snapshots_of

REF = "refs/ralph/savepoint"
LARGEST = 4 << 20  # bytes of a file that moves
MOST_FILES = 500
MOST_BUNDLES = 16  # then they become one
_BUNDLE, _FILE, _RULES = "bundles/", "files/", "git/info/"
_RULE_FILES = ("exclude", "attributes")  # of git, and in no tree
_HEAD = "Ralph-Head: "

Get = Callable[[str], bytes]


def blob_name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class MadeSavepoint(msgspec.Struct, frozen=True):
    point: Savepoint
    new: tuple[str, ...]  # blobs that the one before did not have


class Savepoints:
    """Those of one loop in one workspace. `keep` stores a blob durably before it returns. A loop that does not move has all that
    it needs where it is: only the commits are made."""

    def __init__(
        self, repo: Repo, keep: Callable[[str, bytes], None], last: Savepoint | None, moves: bool = True
    ) -> None:
        self._moves = moves
        self._repo = repo
        self._keep = keep
        self.last = last

    def make(self, s: LoopState) -> MadeSavepoint:
        """Of the loop's tree and of its own files as they are now: no agent runs."""
        before = self.last.commit if self.last else ""
        commit = self._commit(s, before or s.workspace.base_commit)
        if not self._moves:
            self.last = Savepoint(commit)
            return MadeSavepoint(self.last, ())
        known = set(self.last.blobs.values()) if self.last else set()
        blobs = self._bundles(s, commit, before)
        for path, content in _own_content(self._repo, s):
            blobs[path] = blob_name(content)
            if blobs[path] not in known:
                self._keep(blobs[path], content)
        self.last = Savepoint(commit, blobs)
        return MadeSavepoint(self.last, tuple(dict.fromkeys(x for x in blobs.values() if x not in known)))

    def _commit(self, s: LoopState, parent: str) -> str:
        head = readable_head(self._repo) or ""
        parents = list(dict.fromkeys(one for one in (parent, head) if one))
        text = f"ralph: savepoint of {s.identity.task.id}\n\nRalph-Loop: {s.identity.loop}\n{_HEAD}{head}\n"
        links = [part for one in parents for part in ("-p", one)]
        made = self._repo.git("commit-tree", s.workspace.tree, *links, stdin=text.encode("utf-8", "replace"))
        commit = made.decode().strip()
        self._repo.git("update-ref", REF, commit)
        return commit

    def _bundles(self, s: LoopState, commit: str, before: str) -> dict[str, str]:
        """What the remote does not have: those there are and one more, or one in their place."""
        there = [path for path in self.last.blobs if path.startswith(_BUNDLE)] if self.last else []
        whole = len(there) >= MOST_BUNDLES
        base = s.workspace.base_commit
        known = [base] if whole or not before else [before]
        bundle = self._repo.git("bundle", "create", "--quiet", "-", REF, *(f"^{one}" for one in known if one))
        name = blob_name(bundle)
        self._keep(name, bundle)
        earlier = {} if whole or self.last is None else {path: self.last.blobs[path] for path in there}
        return {**earlier, f"{_BUNDLE}{len(earlier):06d}": name}


def unbundle(repo: Repo, point: Savepoint, get: Get) -> str:
    """The savepoint's objects into a repository that has the commit on which its loop was begun. Its tree. RalphError: it is not
    whole."""
    with tempfile.TemporaryDirectory(prefix="ralph-bundle-") as folder:
        for path in sorted(path for path in point.blobs if path.startswith(_BUNDLE)):
            file = Path(folder, "bundle")
            file.write_bytes(get(point.blobs[path]))
            repo.git("bundle", "unbundle", str(file))
    try:
        return repo.git("rev-parse", "--verify", "--quiet", f"{point.commit}^{{tree}}").decode().strip()
    except GitFailed:
        raise RalphError(f"the savepoint {point.commit} is not in its bundles") from None


def restore(repo: Repo, s: LoopState, point: Savepoint, get: Get) -> None:
    """The workspace of `s`, a fresh clone at the loop's base, becomes what it was. RalphError: it cannot."""
    tree = unbundle(repo, point, get)
    said = repo.git("cat-file", "commit", point.commit).decode("utf-8", "replace")
    head = next((line.removeprefix(_HEAD) for line in said.splitlines() if line.startswith(_HEAD)), "")
    repo.git("update-ref", REF, point.commit)
    for path, name in point.blobs.items():
        if path.startswith(_RULES) and path.removeprefix(_RULES) in _RULE_FILES:
            write_atomically(repo.git_dir / "info" / path.removeprefix(_RULES), get(name))
    if head and head != readable_head(repo):
        branch = repo.git_inside("symbolic-ref", "--short", "HEAD").decode().strip()
        clone.point(repo, branch, head)
    snapshots_of(repo, s).restore(tree)
    for path, name in point.blobs.items():
        if path.startswith(_FILE):
            _put(repo.root, path.removeprefix(_FILE), get(name), s)


def _own_content(repo: Repo, s: LoopState) -> Iterator[tuple[str, bytes]]:
    paths = sorted({path for path in _own_paths(repo.root, s) if path == printable(path)})
    for path in paths[:MOST_FILES]:
        content = _read(repo.root, path)
        if content is not None:
            yield f"{_FILE}{path}", content
    for name in _RULE_FILES:
        content = _read(repo.git_dir / "info", name)
        if content is not None:
            yield f"{_RULES}{name}", content


def _own_paths(root: Path, s: LoopState) -> Iterator[str]:
    folder = folder_of(s)
    for path in own_paths(s):
        yield _relative(root, folder / path)
    for top, _, names in os.walk(folder / OWN[0]):
        yield from (_relative(root, f"{top}/{name}") for name in names)


def _read(root: Path, path: str) -> bytes | None:
    """A regular file inside, to which no link leads, and that is not too large."""
    file = root / path
    try:
        if not _is_inside(root, path) or not file.is_file() or file.stat().st_size > LARGEST:
            return None
        return read_bytes(file, LARGEST)
    except (OSError, NotAFile):
        return None


def _put(root: Path, path: str, content: bytes, s: LoopState) -> None:
    """Only what is Ralph's own, and nowhere else than in the workspace: whoever wrote the manifest may be a stranger."""
    of_ralph, *others = (_relative(root, folder_of(s) / one) for one in (OWN[0], *own_paths(s)))
    if path != os.path.normpath(path) or not (path.startswith(f"{of_ralph}/") or path in others):
        raise RalphError(f"the savepoint names {path}, which is no file of Ralph's own")
    if not _is_inside(root, path):
        raise RalphError(f"the savepoint names {path}, which leads out of the workspace")
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(file, content)


def _is_inside(root: Path, path: str) -> bool:
    return not path.startswith("/") and (root / path).resolve() == root.resolve() / path


def _relative(root: Path, path: str | Path) -> str:
    return os.path.relpath(os.path.normpath(path), root)
