"""The state file `.ralph_state.md`: a view for people and for the next iteration. The system writes it, never an agent."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from ralph.core import facts as f
from ralph.core.exits import DONE
from ralph.core.hats.event_log import EventOutcomes, event_record
from ralph.core.hats.turns import Routed
from ralph.core.loop.state import LoopState, history_table
from ralph.errors import DISK
from ralph.fault_points import fault_point
from ralph.git.repo import printable, safe_name
from ralph.git.snapshots import Snapshots
from ralph.journal.record import Record
from ralph.journal.store import remove_file, write_atomically
from ralph.prompt.compose import scratchpad_path
from ralph.runner.loop_workspace import straight
from ralph.text import fenced

NAME = ".ralph_state.md"
TEMPORARY = f"{NAME}.tmp"
FILES_SHOWN = 100


def render(s: LoopState, *, timestamp: str, files_modified: Sequence[str]) -> str:
    """Header, the outputs of the last attempts, the whole history."""
    last = s.judgement.history[-1] if s.judgement.history else None
    header = {
        "task_id": _scalar(s.identity.task.id),
        "iteration": s.progress.iterations,
        "max_iterations": s.identity.policy.limits.max_iterations,
        "attempts": s.judgement.attempts,
        "max_attempts": s.identity.policy.limits.max_attempts,
        "agent_runs": s.progress.serial,
        "last_gate": _scalar(last.gate) if last else "none",
        "exit_code": last.code if last else 0,
        "error_hash": _scalar(last.error_hash) if last else "none",
        "timestamp": timestamp,
        "stuck_count": s.judgement.streak if s.judgement.streak > 1 else 0,
        "strategy_shifts": s.judgement.shifts,
    }
    lines = ["---", *(f"{key}: {value}" for key, value in header.items())]
    lines += _files_modified(files_modified)
    lines += ["---", ""]
    if s.judgement.refusal:
        lines += ["## Claim refused", s.judgement.refusal, ""]
    for attempt in s.judgement.history:
        if attempt.excerpt:
            lines += [
                f"## Attempt {attempt.number}: {attempt.gate} output (verbatim)",
                fenced(attempt.excerpt),
                "",
            ]
    for result in s.red_now():
        lines += [f"## Gate {result.gate} on the tree as it is (verbatim)", fenced(result.excerpt), ""]
    lines += ["## Attempt History", history_table(s.judgement.history)]
    if s.judgement.ended:
        from ralph.core.loop.end_advice import why_it_ended

        lines += ["", "## End", f"{s.judgement.ended}: {why_it_ended(s)}", ""]
    return "\n".join(lines)


def _files_modified(paths: Sequence[str]) -> list[str]:
    if not paths:
        return ["files_modified: []"]
    more = [f"  # and {len(paths) - FILES_SHOWN} more"] if len(paths) > FILES_SHOWN else []
    return ["files_modified:", *(f"  - {_scalar(path)}" for path in paths[:FILES_SHOWN]), *more]


def _scalar(value: str) -> str:
    """Plain where YAML reads it back as the same text, quoted otherwise."""
    plain = value and all(c.isalnum() or c in "._/-+@" for c in value) and value[0].isalpha()
    if plain and value.lower() not in ("true", "false", "yes", "no", "on", "off", "null", "y", "n"):
        return value
    return json.dumps(value)


FOLDER = ".ralph"
POINTER = "current-events"  # names the file of the loop that began last
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class EventsFile:
    def __init__(self, folder: Path, journal: Callable[[], Iterable[Record]]) -> None:
        """`journal`: all records that there are by now; read only when the file has to be made anew."""
        self._folder = folder / FOLDER
        self._journal = journal
        self._teller = EventOutcomes()
        self._name = ""
        self._size = -1  # bytes, as it was left; -1: there is none of this loop yet

    def take(self, fact: f.AnyFact, s: LoopState, at: str) -> None:
        """`s` is the state after the fact, `at` the moment that its record bears."""
        if isinstance(fact, f.LoopStarted):
            self._name = name_of(at)
        told = self._teller.take(fact, s)
        lines = b"".join(_line(one.routed, at) for one in told if one.counts)
        if lines and self._name:
            self._harmlessly(lambda: self._append(lines, s), s)

    def rebuild(self, records: Iterable[Record], s: LoopState) -> None:
        """From the records of a loop that is taken up again; `s` is what they add up to."""
        from ralph.history.loops import Loop  # only a loop that is taken up again has a past

        loop, lines, self._name = Loop(), b"", ""
        for one in records:
            self._name = self._name or name_of(one.at)
            loop.forget_past()
            lines += b"".join(_line(each.routed, one.at) for each in loop.take(one) if each.counts)
        self._teller = loop.events
        self._teller.stand(s)
        if lines:
            self._harmlessly(lambda: self._write(lines), s)

    def _harmlessly(self, write: Callable[[], None], s: LoopState) -> None:
        if not self._folder.parent.is_dir() or not straight(self._folder, s):
            return  # an agent's doing; the journal has everything
        try:
            self._folder.mkdir(exist_ok=True)
            write()
        except OSError as error:
            if error.errno in DISK:
                raise

    def _append(self, lines: bytes, s: LoopState) -> None:
        if self._size < 0:
            self._write(lines)
            return
        fd = self._open()
        if fd < 0:
            self.rebuild([one for one in self._journal() if one.loop == s.identity.loop], s)
            return
        try:
            os.write(fd, lines)
            self._size += len(lines)
        finally:
            os.close(fd)

    def _open(self) -> int:
        """The file, if it is the plain one that was left; else -1."""
        try:
            fd = os.open(self._folder / self._name, _FLAGS)
        except OSError:
            return -1
        found = os.fstat(fd)
        if stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and found.st_size == self._size:
            return fd
        os.close(fd)
        return -1

    def _write(self, lines: bytes) -> None:
        path = self._folder / self._name
        self._size = 0
        write_atomically(path, lines)
        self._size = len(lines)
        write_atomically(self._folder / POINTER, f"{FOLDER}/{self._name}".encode())


def name_of(at: str) -> str:
    """By when the loop began, in UTC."""
    return f"events-{datetime.fromisoformat(at).astimezone(UTC):%Y%m%d-%H%M%S}.jsonl"


def _line(routed: Routed, at: str) -> bytes:
    return msgspec.json.encode(event_record(routed, at)) + b"\n"


CHECKPOINTS = ("precompact", "stop", "manual")


class Views:
    def __init__(self, folder: Path, snapshots: Snapshots, now: Callable[[], str]) -> None:
        self._folder = folder
        self._snapshots = snapshots
        self._now = now
        self._shown: tuple[object, ...] = ()

    def write(self, s: LoopState) -> None:
        """The state file is kept until the task is done; then it goes, and the scratchpad, which the record keeps."""
        if s.judgement.ended in DONE:
            remove_state_file(self._folder)
            remove_scratchpad(self._folder, s)
        elif (self._folder / NAME).is_dir() or not self._usable(s):
            return  # an agent's doing; the view is lost, the journal has everything
        elif s.judgement.ended is not None or s.judgement.history or s.judgement.refusal or s.red_now():
            self._write_state_file(s)

    def _usable(self, s: LoopState) -> bool:
        return self._folder.is_dir() and straight(self._folder, s)

    def _write_state_file(self, s: LoopState) -> None:
        shown = (
            s.judgement.attempts,
            s.judgement.refusal,
            s.progress.serial,
            s.judgement.ended,
            tuple(r.op for r in s.red_now()),
        )
        if shown == self._shown:
            return
        self._shown = shown
        changes = (
            self._snapshots.diff(s.workspace.base_tree, s.workspace.tree) if s.workspace.base_tree else []
        )
        text = render(s, timestamp=self._now(), files_modified=[printable(c.path) for c in changes])
        write_atomically(self._folder / NAME, text.encode(), self._folder / TEMPORARY)

    def checkpoint(self, x: f.Checkpoint, s: LoopState) -> None:
        """The file of seed 001, for whoever watches it. Soft limits of time have none."""
        if x.what not in CHECKPOINTS or not self._usable(s):
            return
        keys = {
            "taskId": s.identity.task.id,
            "iteration": s.progress.iterations + 1,
            "contextFull": x.what == "precompact",
            "timestamp": self._now(),
            "checkpointReason": x.what,
        }
        path = checkpoint_path(self._folder, s)
        if self._folder in path.parents and not straight(path.parent, s):
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, json.dumps(keys, indent=2).encode())
        except OSError as error:
            if error.errno in DISK:
                raise  # else an agent's doing, or a folder of the user's that is not there


def checkpoint_path(folder: Path, s: LoopState) -> Path:
    named = os.environ.get("RALPH_STATE_DIR")
    place = Path(named) if named else folder / ".ralph" / "checkpoints"
    return place / f"{safe_name(s.identity.task.id)}.checkpoint.json"


def remove_checkpoint(folder: Path, s: LoopState) -> None:
    """What an earlier loop left speaks of another context."""
    path = checkpoint_path(folder, s)
    if path.is_file():
        remove_file(path)


def remove_state_file(folder: Path) -> None:
    if (folder / NAME).is_dir():
        return
    fault_point("remove.before", writes=True)
    (folder / NAME).unlink(missing_ok=True)
    (folder / TEMPORARY).unlink(missing_ok=True)
    fault_point("remove.after")


def remove_scratchpad(folder: Path, s: LoopState) -> None:
    path = folder / scratchpad_path(s)
    if path.is_file() and straight(path.parent, s):
        remove_file(path)
