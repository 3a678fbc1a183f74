"""Reading, comparing and composing trees of the object store. The work tree and every index in use stay as they are."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from ralph.errors import RalphError
from ralph.workspace import git
from ralph.workspace.shadow import Shadow
from ralph.workspace.uncommitted import under

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


class Trees:
    """The trees that a shadow can reach."""

    def __init__(self, shadow: Shadow) -> None:
        self._shadow = shadow

    def diff(self, a: str, b: str) -> list[Change]:
        return [Change(d.path, d.status) for d in self.differences(a, b)]

    def patch_id(self, a: str, b: str) -> str:
        """The same for the same change, wherever in a file it stands."""
        if a == b:
            return ""
        options = ("-r", "-p", "--binary", "--full-index", "--no-renames", "--no-ext-diff", "--no-textconv")
        patch = self._shadow.run("diff-tree", *options, a, b)
        return self._shadow.run("patch-id", "--stable", stdin=patch).decode().partition(" ")[0]

    def differences(self, a: str, b: str) -> list[Difference]:
        if a == b:
            return []
        fields = os.fsdecode(self._shadow.run("diff-tree", "-r", "-z", "--raw", "--no-renames", a, b)).split(
            "\0"
        )
        found = []
        for facts, path in zip(fields[:-1:2], fields[1::2], strict=True):
            old_mode, new_mode, _, _, status = facts[1:].split(" ")
            assert status in ("A", "M", "D", "T"), facts
            found.append(Difference(path, status, old_mode, new_mode))  # type: ignore[arg-type]
        return found

    def files(self, tree: str) -> list[tuple[str, str, str]]:
        """(mode, object, path) of every file, symbolic link and submodule in the tree."""
        found = []
        for line in os.fsdecode(self._shadow.run("ls-tree", "-r", "-z", "--full-tree", tree)).split("\0")[
            :-1
        ]:
            facts, _, path = line.partition("\t")
            mode, _, oid = facts.split(" ")
            found.append((mode, oid, path))
        return found

    def read(self, tree: str, path: str) -> bytes | None:
        """A file's content (for a symbolic link, its target); None when the tree has no such file."""
        try:
            return self._shadow.run("cat-file", "blob", f"{tree}:{posixpath.normpath(path)}")
        except git.GitFailed:
            self._shadow.run(
                "cat-file", "-e", f"{tree}^{{tree}}"
            )  # no such tree is an error, no such file is not
            return None

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
        except git.GitFailed:
            raise RalphError(f"the snapshot {tree} is not in the object store any more", code=70) from None
