"""Reading, comparing and composing trees of the object store. The work tree and every index in use stay as they are."""

from __future__ import annotations

import os
import posixpath
import re
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ralph.errors import RalphError
from ralph.git import program
from ralph.git.private_index import PrivateIndex
from ralph.git.repo import Repo, configuration, make_git_dir, object_id
from ralph.git.uncommitted_changes import Entry, tree_entries, under

Status = Literal["A", "M", "D", "T"]


class Change(msgspec.Struct, frozen=True):
    """One path that differs between two trees: added, modified, deleted, or of another type. The object ids are empty
    where it is not there."""

    path: str
    status: Status
    old_mode: str = ""
    new_mode: str = ""
    old: str = ""
    new: str = ""


class _Remembered:
    """What git last said of trees, in all workspaces. They are called by their content, so it stays true."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._said: dict[tuple[str, ...], bytes] = {}

    def ask(self, shadow: PrivateIndex, command: tuple[str, ...], *trees: str) -> bytes:
        if not all(map(_HASH.fullmatch, trees)):  # a ref may stand elsewhere tomorrow
            return shadow.run(*command, *trees)
        query = (*command, *trees)
        said = self._said.pop(query, None)
        if said is None:
            said = shadow.run(*query)
            self._size += len(said)
        self._said[query] = said
        while self._size > self._most:
            self._size -= len(self._said.pop(next(iter(self._said))))
        return said


# Without the last of these, `.gitmodules` could say that a submodule's commits are not to be seen.
_COMPARE = ("diff-tree", "-r", "--no-renames", "--ignore-submodules=none")
RAW_DIFF = (*_COMPARE, "-z", "--raw", "--no-abbrev")
_HASH = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_remembered = _Remembered(8_000_000)  # bytes


class Trees:
    """The trees that a shadow can reach."""

    def __init__(self, shadow: PrivateIndex) -> None:
        self._shadow = shadow

    def diff(self, a: str, b: str) -> list[Change]:
        return [] if a == b else parse_changes(_remembered.ask(self._shadow, RAW_DIFF, a, b))

    def patch_id(self, a: str, b: str) -> str:
        """The same for the same change, wherever in a file it stands."""
        if a == b:
            return ""
        options = ("-p", "--binary", "--full-index", "--no-ext-diff", "--no-textconv")
        patch = self._shadow.run(*_COMPARE, *options, a, b)
        return self._shadow.run("patch-id", "--stable", stdin=patch).decode().partition(" ")[0]

    def files(self, tree: str) -> list[Entry]:
        """(mode, object, path) of every file, symbolic link and submodule in the tree."""
        return tree_entries(_remembered.ask(self._shadow, ("ls-tree", "-r", "-z", "--full-tree"), tree))

    def read(self, tree: str, path: str) -> bytes | None:
        """A file's content (for a symbolic link, its target); None when the tree has no such file."""
        try:
            return self._shadow.run("cat-file", "blob", f"{tree}:{posixpath.normpath(path)}")
        except program.GitFailed:
            # No such tree is an error, no such file is not.
            self._shadow.run("cat-file", "-e", f"{tree}^{{tree}}")
            return None

    def grep(self, tree: str, pattern: str) -> set[str]:
        """The files of the tree that have a line like this (an extended regular expression), whatever else is in them."""
        try:
            out = self._shadow.run("grep", "-l", "-z", "-a", "-E", "-e", pattern, tree)
        except program.GitFailed as failed:
            if failed.status != 1:
                raise
            return set()
        return {name.partition(":")[2] for name in os.fsdecode(out).split("\0")[:-1]}

    def overlay(self, tree: str, base: str, paths: Sequence[str]) -> str:
        """`tree` with `paths` (files, or folders with all that is in them) as they are in `base`."""
        kept = [entry for entry in self.files(tree) if not under(entry[2], paths)]
        taken = [entry for entry in self.files(base) if under(entry[2], paths)]
        # Last wins: with --replace a file of `base` takes the place of a folder of `tree`, and the reverse.
        lines = "".join(f"{mode} {oid}\t{path}\0" for mode, oid, path in (*kept, *taken))
        with self._shadow.scratch_index() as index:
            command = ("update-index", "--add", "--replace", "-z", "--index-info")
            self._shadow.run(*command, stdin=os.fsencode(lines), index=index)
            return self._write_tree(index)

    def rewritten(self, tree: str, made: Mapping[str, bytes]) -> str:
        """`tree` with this content in these files; one that it has not is added."""
        modes = {path: mode for mode, _, path in self.files(tree) if path in made}
        oids = {
            path: self._shadow.run("hash-object", "-w", "--stdin", stdin=content).decode().strip()
            for path, content in made.items()
        }
        lines = "".join(f"{modes.get(path, '100644')} {oid}\t{path}\0" for path, oid in oids.items())
        with self._shadow.scratch_index() as index:
            self._shadow.run("read-tree", tree, index=index)
            self._shadow.run("update-index", "-z", "--index-info", stdin=os.fsencode(lines), index=index)
            return self._write_tree(index)

    def _write_tree(self, index: Path) -> str:
        missing = ("--missing-ok",) if self._shadow.partial else ()
        return self._shadow.run("write-tree", *missing, index=index).decode().strip()

    def holds(self, tree: str) -> bool:
        """Whether the object store has this tree. Snapshots in place are in the user's repository, where a gc prunes them."""
        try:
            self._shadow.run("cat-file", "-e", f"{tree}^{{tree}}")
        except program.GitFailed:
            return False
        return True

    def require(self, tree: str) -> None:
        """Fail clearly when the object store does not hold this tree."""
        if not self.holds(tree):
            raise RalphError(f"the snapshot {tree} is no longer in the object store", code=70)


def changes_between(repo: Repo, old: str, new: str) -> list[Change]:
    """Every path that differs between two commits or trees, asked without a shadow."""
    return parse_changes(repo.git(*RAW_DIFF, old, new))


def parse_changes(raw: bytes) -> list[Change]:
    """What `RAW_DIFF` says."""
    fields = os.fsdecode(raw).split("\0")
    found = []
    for facts, path in zip(fields[:-1:2], fields[1::2], strict=True):
        old_mode, new_mode, old, new, status = facts[1:].split(" ")
        assert status in ("A", "M", "D", "T"), facts
        ids = (oid if oid.strip("0") else "" for oid in (old, new))
        found.append(Change(path, status, old_mode, new_mode, *ids))  # type: ignore[arg-type]
    return found


_FILES = ("100644", "100755")  # not symbolic links and submodules


def contents(trees: Trees, tree: str, paths: Collection[str], *, largest: int) -> dict[str, bytes | None]:
    """Path -> content, for those of `paths` that are files of the tree; None where it is larger than `largest`."""
    wanted = set(paths)
    objects = {path: oid for mode, oid, path in trees.files(tree) if path in wanted and mode in _FILES}
    if not objects:
        return {}
    shadow = trees._shadow
    listed = "".join(f"{oid}\n" for oid in sorted(set(objects.values())))
    checked = shadow.run("cat-file", "--batch-check", stdin=listed.encode()).decode().splitlines()
    told = [line.split(" ") for line in checked if line.count(" ") == 2]  # a missing object has two words
    sizes = {oid: int(size) for oid, _, size in told if int(size) <= largest}
    small = "".join(f"{oid}\n" for oid in sizes)
    out = shadow.run("cat-file", "--batch", stdin=small.encode()) if small else b""
    found, at = {}, 0
    for oid, size in sizes.items():
        at = out.index(b"\n", at) + 1  # "<object> blob <size>"
        found[oid] = out[at : at + size]
        at += size + 1
    return {path: found.get(oid) for path, oid in objects.items()}


LARGEST = "1m"  # a larger file is only said to differ
_HOW = ("--no-ext-diff", "--no-textconv", "--no-color", "--full-index", "--find-renames", "-l200")


def patch(repo: Repo, a: str, b: str) -> Iterator[bytes]:
    """As `git diff` prints it. An empty `a` or `b` stands for the empty tree."""
    with tempfile.TemporaryDirectory(prefix="ralph-patch-", ignore_cleanup_errors=True) as folder:
        # A git directory of nothing but the repository's objects, over a work tree of nothing at all.
        private, nothing = Path(folder, "git"), Path(folder, "nothing")
        make_git_dir(private, configuration(repo.object_format, {}))
        nothing.mkdir()
        env = {
            "GIT_DIR": str(private),
            "GIT_WORK_TREE": str(nothing),
            "GIT_OBJECT_DIRECTORY": str(repo.objects),
            "GIT_ATTR_NOSYSTEM": "1",
        }
        empty = object_id("tree", b"", repo.object_format)
        settings = ("-c", f"core.bigFileThreshold={LARGEST}", "-c", "core.attributesFile=/dev/null")
        yield from program.stream(
            (*settings, "diff-tree", "-r", "-p", *_HOW, a or empty, b or empty), cwd=nothing, env=env
        )
