"""The store beside the journal: long texts by their hash, transcripts of operations, private files of an iteration.

Facts name a transcript once its operation has ended; until then its path follows from the operation's name.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from ralph.core.failures.excerpt import FIRST_WINDOW, LAST_WINDOW
from ralph.fault_points import fault_point


def file_name(op: str) -> str:
    """How files and folders of an operation are called."""
    return op.replace(":", "-").replace("/", "_")


def transcript_name(run: str, loop: str, op: str) -> str:
    return f"runs/{run}/{loop}/{file_name(op)}.out"


class Store:
    def __init__(self, state_dir: Path, run: str) -> None:
        self.state_dir = state_dir
        self.blobs = state_dir / "blobs"
        self.run_dir = state_dir / "runs" / run
        self.blobs.mkdir(parents=True, exist_ok=True)
        self.run_dir.mkdir(parents=True, exist_ok=True)
        self._beat = self.run_dir / "beat"
        self._part = self.blobs / ".part"  # there is one writer, so one name is enough
        self._part.unlink(missing_ok=True)

    def put(self, text: str) -> str:
        """Store text under its hash; storing it again does nothing."""
        if not text:
            return ""
        data = text.encode("utf-8", "surrogateescape")
        name = hashlib.sha256(data).hexdigest()
        path = self.blobs / name
        if not path.exists():
            write_atomically(path, data, self._part)
        return name

    def has(self, text: str) -> bool:
        name = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
        return (self.blobs / name).exists()

    def get(self, name: str) -> str:
        """What was put, also where that is no UTF-8: names of refs and rules are compared with those of now."""
        return (self.blobs / name).read_bytes().decode("utf-8", "surrogateescape")

    def transcript(self, loop: str, op: str) -> Path:
        """Where the output of an operation of this run goes."""
        path = self.transcript_of(self.run_dir.name, loop, op)
        path.parent.mkdir(exist_ok=True)
        return path

    def transcript_of(self, run: str, loop: str, op: str) -> Path:
        return self.state_dir / transcript_name(run, loop, op)

    def private(self, loop: str, op: str) -> Path:
        """A folder for what only this operation's processes should read; made by who needs it."""
        return self.transcript_of(self.run_dir.name, loop, op).with_suffix(".private")

    def reports(self, loop: str, op: str) -> Path:
        """A folder into which the test runners of this gate report; made by who needs it."""
        return self.transcript_of(self.run_dir.name, loop, op).with_suffix(".reports")

    def relative(self, path: Path) -> str:
        return str(path.relative_to(self.state_dir))

    def beat(self) -> None:
        """Leave a mark of being alive, so that a resume knows how long an interrupted operation ran."""
        try:
            os.utime(self._beat)
        except FileNotFoundError:
            self._beat.touch()


def last_sign_of_life(state_dir: Path, run: str) -> float:
    """When a dead run was last seen working; 0 when it left no trace."""
    folder = state_dir / "runs" / run
    times = [p.stat().st_mtime for p in folder.rglob("*") if p.is_file()] if folder.is_dir() else []
    return max(times, default=0.0)


def write_atomically(path: Path, data: bytes, temporary: Path | None = None) -> None:
    """By rename: a reader sees the old content or the new, never a part. What a death leaves is written over."""
    temporary = temporary or path.with_name(f"{path.name}.part")
    try:
        temporary.unlink(missing_ok=True)
        with open(temporary, "xb") as file:  # never through a link that someone put there
            file.write(data)
        fault_point("rename.before", writes=True)
        temporary.replace(path)
        fault_point("rename.after")
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def remove_file(path: Path) -> None:
    fault_point("remove.before", writes=True)
    path.unlink(missing_ok=True)
    fault_point("remove.after")


def read_ends(path: Path) -> tuple[bytes, bytes, int]:
    """The first and the last bytes of an output file, which do not overlap, and how many lines it has. A file that
    fits is all in the first part."""
    try:
        with open(path, "rb") as file:
            first = file.read(FIRST_WINDOW + LAST_WINDOW)
            lines, last, ends = first.count(b"\n"), b"", first
            while part := file.read(1 << 20):
                lines += part.count(b"\n")
                last = (last + part)[-LAST_WINDOW:]
                ends = part
    except FileNotFoundError:
        return b"", b"", 0
    lines += not ends.endswith(b"\n")
    return (first[:FIRST_WINDOW], (first + last)[-LAST_WINDOW:], lines) if last else (first, b"", lines)
