"""What changed between two recorded trees, by git plumbing. Nothing is written into the repository; no hook, filter,
driver or attribute of it takes part, so that no `.gitattributes` can hide a change."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from types import TracebackType

import msgspec

from ralph.errors import RalphError
from ralph.workspace import Repo, printable
from ralph.workspace.shadow import Shadow

BIG = 256 << 10  # bytes: a file larger than this is named, not shown
MOST_PATHS = 40  # of one change, that are shown
_PLAIN = ("-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index")


class Changed(msgspec.Struct, frozen=True):
    """One path; -1 and -1 lines for what is no text, or too large."""

    path: str
    added: int
    deleted: int


class Changes:
    """A private git directory over the repository's objects, and an empty work tree, for as long as it is open."""

    def __init__(self, repo: Repo) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ralph-report-", ignore_cleanup_errors=True)
        place = Path(self._folder.name)
        self._empty = place / "empty"
        self._empty.mkdir()
        self._shadow = Shadow(repo, place / "git")
        self._seen: dict[tuple[str, str], list[tuple[bytes, Changed]] | None] = {}

    def __enter__(self) -> Changes:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def files(self, before: str, after: str) -> tuple[Changed, ...] | None:
        """None when the trees are not kept any more."""
        found = self._files(before, after)
        return None if found is None else tuple(changed for _, changed in found)

    def patch(self, before: str, after: str) -> str | None:
        """The change as text. Of a change of very many files, the first; a line says how many more there are."""
        found = self._files(before, after)
        if not found:
            return None if found is None else ""
        paths = [os.fsdecode(b":(literal)" + path) for path, _ in found[:MOST_PATHS]]
        text = self._diff("-p", before, after, "--", *paths)
        if text is None:
            return None
        more = len(found) - MOST_PATHS
        left_out = f"\n[... {more} more files changed ...]\n" if more > 0 else ""
        return text.decode("utf-8", "replace") + left_out

    def _files(self, before: str, after: str) -> list[tuple[bytes, Changed]] | None:
        if not before or not after:
            return None
        if before == after:
            return []
        if (before, after) not in self._seen:
            listed = self._diff("--numstat", "-z", before, after)
            self._seen[before, after] = None if listed is None else _numbers(listed)
        return self._seen[before, after]

    def _diff(self, *arguments: str) -> bytes | None:
        try:
            return self._shadow.run(
                "-c", f"core.bigFileThreshold={BIG}", "diff-tree", *_PLAIN, *arguments, work_tree=self._empty
            )
        except RalphError:
            return None


def _numbers(listed: bytes) -> list[tuple[bytes, Changed]]:
    found = []
    for line in listed.split(b"\0")[:-1]:
        added, deleted, path = line.split(b"\t", 2)
        lines = (int(added), int(deleted)) if added != b"-" else (-1, -1)
        found.append((path, Changed(printable(os.fsdecode(path)), *lines)))
    return found
