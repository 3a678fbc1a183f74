"""Reading, comparing and composing trees of the object store. The work tree and every index in use stay as they are."""

from __future__ import annotations

import os
import posixpath
import re
import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ralph.errors import RalphError
from ralph.git import program
from ralph.git.private_index import PrivateIndex
from ralph.git.repo import Repo
from ralph.git.uncommitted_changes import under

Status = Literal["A", "M", "D", "T"]


class Change(msgspec.Struct, frozen=True):
    """One path that differs between two trees: added, modified, deleted, or of another type."""

    path: str
    status: Status


class Difference(msgspec.Struct, frozen=True):
    """A Change with the file modes on both sides."""

    path: str
    status: Status
    old_mode: str
    new_mode: str


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
_HASH = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_remembered = _Remembered(8_000_000)  # bytes


class Trees:
    """The trees that a shadow can reach."""

    def __init__(self, shadow: PrivateIndex) -> None:
        self._shadow = shadow

    def diff(self, a: str, b: str) -> list[Change]:
        return [Change(d.path, d.status) for d in self.differences(a, b)]

    def patch_id(self, a: str, b: str) -> str:
        """The same for the same change, wherever in a file it stands."""
        if a == b:
            return ""
        options = ("-p", "--binary", "--full-index", "--no-ext-diff", "--no-textconv")
        patch = self._shadow.run(*_COMPARE, *options, a, b)
        return self._shadow.run("patch-id", "--stable", stdin=patch).decode().partition(" ")[0]

    def differences(self, a: str, b: str) -> list[Difference]:
        if a == b:
            return []
        command = (*_COMPARE, "-z", "--raw")
        fields = os.fsdecode(_remembered.ask(self._shadow, command, a, b)).split("\0")
        found = []
        for facts, path in zip(fields[:-1:2], fields[1::2], strict=True):
            old_mode, new_mode, _, _, status = facts[1:].split(" ")
            assert status in ("A", "M", "D", "T"), facts
            found.append(Difference(path, status, old_mode, new_mode))  # type: ignore[arg-type]
        return found

    def files(self, tree: str) -> list[tuple[str, str, str]]:
        """(mode, object, path) of every file, symbolic link and submodule in the tree."""
        found = []
        command = ("ls-tree", "-r", "-z", "--full-tree")
        for line in os.fsdecode(_remembered.ask(self._shadow, command, tree)).split("\0")[:-1]:
            facts, _, path = line.partition("\t")
            mode, _, oid = facts.split(" ")
            found.append((mode, oid, path))
        return found

    def read(self, tree: str, path: str) -> bytes | None:
        """A file's content (for a symbolic link, its target); None when the tree has no such file."""
        try:
            return self._shadow.run("cat-file", "blob", f"{tree}:{posixpath.normpath(path)}")
        except program.GitFailed:
            self._shadow.run(
                "cat-file", "-e", f"{tree}^{{tree}}"
            )  # no such tree is an error, no such file is not
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
            self._shadow.run(
                "update-index",
                "--add",
                "--replace",
                "-z",
                "--index-info",
                stdin=os.fsencode(lines),
                index=index,
            )
            return self._write_tree(index)

    def _write_tree(self, index: Path) -> str:
        missing = ("--missing-ok",) if self._shadow.partial else ()
        return self._shadow.run("write-tree", *missing, index=index).decode().strip()

    def require(self, tree: str) -> None:
        """Fail clearly when the object store does not hold this tree."""
        try:
            self._shadow.run("cat-file", "-e", f"{tree}^{{tree}}")
        except program.GitFailed:
            raise RalphError(f"the snapshot {tree} is not in the object store any more", code=70) from None


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
        place = Path(folder)
        env = _private(repo, place, sha256=len(a or b) == 64)
        empty = "" if a and b else _empty_tree(place, env)
        settings = ("-c", f"core.bigFileThreshold={LARGEST}", "-c", "core.attributesFile=/dev/null")
        yield from program.stream(
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
    made = program.run(("hash-object", "-t", "tree", "--stdin"), cwd=place, env=env, stdin=b"")
    return made.decode().strip()
