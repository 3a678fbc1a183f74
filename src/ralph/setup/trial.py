"""One run of a proposed gate: does it pass today, how long does it take, and does it write into the workspace?

The process is owned, so nothing of it stays. What it wrote is undone, after the state before the undoing was saved.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import msgspec

from ralph.core.failures.excerpt import plain_lines
from ralph.core.failures.signature import headline
from ralph.core.failures.test_counts import ran_nothing
from ralph.core.secrets.environment import allowed_environment
from ralph.git.recovery import save
from ralph.git.repo import Repo, own_files, printable
from ralph.git.snapshots import Snapshots
from ralph.processes.ownership import Ownership, choose_tier
from ralph.text import duration

SECONDS = 120.0
_NAME = "init"
_GRACE = 3.0  # between asking a gate to end and killing it
_KEPT_LINES = 2000
_OUTPUT_BYTES = 4 << 20
_NOT_RUNNABLE = (126, 127)  # what a shell says of a program that it cannot start
_MOST_PATHS = 5  # in `may_write`, before whole folders are named

How = Literal["green", "red", "out of time", "not runnable"]


class Trial(msgspec.Struct, frozen=True):
    how: How
    seconds: float
    headline: str = ""  # what failed, in one line
    wrote: tuple[str, ...] = ()  # paths from the root that this run changed; undone
    may_write: tuple[str, ...] = ()  # patterns for what every run writes
    empty: bool = False  # it passed, and says that there was no test to run

    @property
    def verdict(self) -> str:
        """For people, in half a line."""
        took = duration(self.seconds)
        why = f": {self.headline}" if self.headline else ""
        match self.how:
            case "green":
                return f"passes today, but ran no test, {took}" if self.empty else f"passes today, {took}"
            case "red":
                return f"fails today, {took}{why}"
            case "out of time":
                return f"did not end within {self.seconds:.0f} s"
            case "not runnable":
                return f"cannot be run{why}"


class Trials:
    """Runs gates one after another in `folder`. Its end, also by exception, ends every process and undoes every write.
    `heeding` surrounds the waiting for a gate: only there may a signal become an exception."""

    def __init__(
        self,
        repo: Repo,
        folder: Path,
        seconds: float = SECONDS,
        heeding: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._repo = repo
        self._folder = folder
        self._seconds = seconds
        self._heeding = heeding
        self._snapshots = Snapshots(repo, _NAME, own_files(repo, folder))

    def __enter__(self) -> Trials:
        return self

    def __exit__(self, *_: object) -> None:
        """Its private index is of no further use."""
        place = self._repo.state_dir / "shadow"
        shutil.rmtree(place / _NAME, ignore_errors=True)
        for folder in (place, self._repo.state_dir):
            with suppress(OSError):
                folder.rmdir()

    def run(self, command: str) -> Trial:
        trial = self._once(command)
        if not trial.wrote or trial.how == "out of time":
            return trial
        # It was undone; only what is written again is written on every run.
        again = self._once(command)
        return msgspec.structs.replace(trial, may_write=patterns(set(trial.wrote) & set(again.wrote)))

    def _once(self, command: str) -> Trial:
        before = self._snapshots.take().tree
        wrote: tuple[str, ...] = ()
        try:
            trial = self._measure(command)
        finally:
            wrote = self._undo(before, command)
        return msgspec.structs.replace(trial, wrote=wrote)

    def _measure(self, command: str) -> Trial:
        began = time.monotonic()
        lines: list[str] = []
        run = f"init-{os.getpid()}-{os.urandom(2).hex()}"
        with (
            tempfile.TemporaryDirectory(prefix="ralph-init-") as scratch,
            Ownership(choose_tier(os.environ.get("RALPH_TIER", "")), run) as ownership,
        ):
            try:
                owned = ownership.start(
                    "trial",
                    ("/bin/sh", "-c", command),
                    cwd=self._folder,
                    env=_environment(),
                    stdin=None,
                    out=Path(scratch, "output"),
                    cap_bytes=_OUTPUT_BYTES,
                    merge=True,
                )
            except OSError as error:
                return Trial("not runnable", 0.0, headline=error.strerror or str(error))
            deadline, late = began + self._seconds, False
            while not owned.exited():
                with self._heeding():
                    owned.wait(max(0.0, deadline - time.monotonic()))
                _keep(lines, (line.text for line in owned.pump()))
                if time.monotonic() >= deadline:
                    if late:
                        owned.kill()
                        break
                    late = True
                    owned.ask()
                    deadline = time.monotonic() + _GRACE
            seconds = round(time.monotonic() - began, 3)
            ended = owned.close()
            _keep(lines, (line.text for line in ended.rest))
        if late:
            return Trial("out of time", self._seconds)
        text = "\n".join(plain_lines("\n".join(lines)))
        if ended.code == 0:
            return Trial("green", seconds, empty=ran_nothing(text))
        how: How = "not runnable" if ended.code in _NOT_RUNNABLE else "red"
        return Trial(how, seconds, headline=headline(text) or f"exit code {ended.code}")

    def _undo(self, before: str, command: str) -> tuple[str, ...]:
        after = self._snapshots.take().tree
        if after == before:
            return ()
        written = tuple(change.path for change in self._snapshots.diff(before, after))
        # Someone else may have been at work meanwhile: nothing is undone that is not safe elsewhere.
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        reason = f"before undoing what the trial of `{command[:80]}` wrote"
        save(self._repo, self._snapshots, after, loop=_NAME, reason=reason, when=now)
        self._snapshots.restore(before, written)
        return tuple(printable(path) for path in written)


def patterns(paths: Iterable[str]) -> tuple[str, ...]:
    """Patterns for `may_write` that mean these paths; folders, when there are many in them."""
    found = sorted(paths)
    depth = max((path.count("/") for path in found), default=0)
    while len(found) > _MOST_PATHS and depth > 0:
        found = sorted({_folder_at(path, depth) for path in found})
        depth -= 1
    return tuple("".join(c if c.isprintable() and c not in "*?[]" else "?" for c in path) for path in found)


def _folder_at(path: str, depth: int) -> str:
    """The folder of a path that lies this deep; others stay as they are."""
    parts = path.rstrip("/").split("/")
    return "/".join(parts[:depth]) + "/" if len(parts) > depth else path


def _environment() -> dict[str, str]:
    """As a gate of a run has it."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("RALPH_")}
    return allowed_environment(own, ())


def _keep(lines: list[str], more: Iterable[str]) -> None:
    """The last of them, each bounded: what a gate prints has no bound."""
    lines.extend(line[:1000] for line in more)
    del lines[:-_KEPT_LINES]
