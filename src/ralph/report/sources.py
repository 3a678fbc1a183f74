"""What Ralph keeps outside the journal: prompts by hash, transcripts by operation. Read in parts, in bounded memory."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from pathlib import Path

import msgspec

from ralph.errors import RalphError
from ralph.git.private_index import PrivateIndex
from ralph.git.repo import Repo, printable
from ralph.history.serialise import without_secrets

_HASH = re.compile(r"[0-9a-f]{64}")


class Part(msgspec.Struct, frozen=True):
    """A file's beginning and its end; `cut` bytes between them were left out."""

    first: str
    last: str = ""
    cut: int = 0
    size: int = 0


class StoredTexts:
    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir

    def prompt(self, name: str) -> Path | None:
        """Where the text with this hash is kept."""
        return self._state_dir / "blobs" / name if _HASH.fullmatch(name) else None

    def transcript(self, name: str) -> Path | None:
        """Where a fact says that an output is: always inside the state folder, whatever the fact says."""
        if not name:
            return None
        path = Path(os.path.normpath(self._state_dir / name))
        return path if path.is_relative_to(self._state_dir) else None

    def last_beat(self, run: str) -> float:
        """When the run was last seen alive, in seconds since 1970; 0 when it left no trace."""
        try:
            return (self._state_dir / "runs" / run / "beat").stat().st_mtime
        except OSError:
            return 0.0


def read_part(path: Path, most: int) -> Part | None:
    """At most so many bytes of a file; None when it is not kept. Nothing but plain files is opened."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            return None
        size = status.st_size
        if size <= most:
            return Part(_text(os.pread(fd, most, 0)), size=size)
        first = _whole_lines(os.pread(fd, most // 2, 0), at_end=True)
        last = _whole_lines(os.pread(fd, most // 2, size - most // 2), at_end=False)
    except OSError:
        return None
    finally:
        os.close(fd)
    return Part(_text(first), _text(last), cut=size - len(first) - len(last), size=size)


def cut_text(text: str, most: int) -> Part:
    """The same for text at hand."""
    data = text.encode("utf-8", "surrogateescape")
    if len(data) <= most:
        return Part(without_secrets(text), size=len(data))
    first = _whole_lines(data[: most // 2], at_end=True)
    last = _whole_lines(data[len(data) - most // 2 :], at_end=False)
    return Part(_text(first), _text(last), cut=len(data) - len(first) - len(last), size=len(data))


def _whole_lines(data: bytes, *, at_end: bool) -> bytes:
    """Without the line that the cut went through, unless that would cost more than half."""
    if at_end:
        end = data.rfind(b"\n") + 1
        return data[:end] if end > len(data) // 2 else data
    start = data.find(b"\n") + 1
    return data[start:] if 0 < start <= len(data) // 2 else data


def _text(data: bytes) -> str:
    return without_secrets(data.decode("utf-8", "replace"))


BIG = 256 << 10  # bytes: a file larger than this is named, not shown
MOST_PATHS = 40  # of one change, that are shown
_PLAIN = ("-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--full-index")


class Changed(msgspec.Struct, frozen=True):
    """One path; -1 and -1 lines for what is not valid UTF-8, or too large."""

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
        self._shadow = PrivateIndex(repo, place / "git")
        self._seen: dict[tuple[str, str], list[tuple[bytes, Changed]] | None] = {}

    def __enter__(self) -> Changes:
        return self

    def __exit__(self, *_: object) -> None:
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
