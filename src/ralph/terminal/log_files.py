"""`ralph.log` in the working folder: the lines that a run shows, with their dates. A view; it never ends a run.

The agent may remove, replace or forge the file, so it is opened anew each time, and only a plain file is written to.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from ralph.core import facts as f
from ralph.core.hats.board import phase_header
from ralph.core.hats.steps import routed
from ralph.core.loop.state import LoopState

if TYPE_CHECKING:
    from ralph.terminal.activity import Piece

NAME = "ralph.log"
OLD = "ralph.log.1"
ROTATE_AT = 5_000_000
_FLAGS = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class LogFile:
    """Nothing is touched before the first line: a run that is refused leaves no file."""

    def __init__(self, folder: Path, rotate_at: int = ROTATE_AT) -> None:
        self._path = folder / NAME
        self._rotate_at = rotate_at
        self._begun = False
        self._complained = False

    def write(self, lines: Sequence[str], when: datetime) -> str:
        """Append; the first time that this fails, what to tell the user about it."""
        if not lines:
            return ""
        text = "".join(f"{when:%Y-%m-%d %H:%M:%S}  {line}".rstrip() + "\n" for line in lines)
        try:
            if not self._begun:
                self._begun = True
                self._rotate()
            self._append(text.encode("utf-8", "backslashreplace"))
        except OSError as error:
            said, self._complained = self._complained, True
            return "" if said else f"{NAME} cannot be written: {error.strerror}; the run goes on without it"
        return ""

    def _append(self, data: bytes) -> None:
        fd = os.open(self._path, _FLAGS, 0o644)
        try:
            found = os.fstat(fd)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                raise OSError(0, "it is not a plain file of its own")
            os.write(fd, data)
        finally:
            os.close(fd)

    def _rotate(self) -> None:
        try:
            found = self._path.lstat()
            if stat.S_ISREG(found.st_mode) and found.st_size > self._rotate_at:
                self._path.replace(self._path.with_name(OLD))
        except OSError:
            pass  # then it goes on growing


FOLDER = ".ralph/diagnostics"
FILES = ("agent-output", "orchestration", "performance", "trace")
LOGS_KEPT = 10
TEXT_CHARS = 20_000  # of one piece of output


class Diagnostics:
    def __init__(self, folder: Path, when: datetime) -> None:
        self.trouble = ""
        self._states: dict[str, LoopState] = {}
        self._open: dict[str, tuple[int, str]] = {}  # loop -> iteration and hat under way
        self._files: dict[str, BinaryIO] = {}
        place = folder / FOLDER
        try:
            own = _free(place, f"{when:%Y-%m-%dT%H-%M-%S}")
            self._files = {name: open(own / f"{name}.jsonl", "ab") for name in FILES}
            logs = place / "logs"
            logs.mkdir(exist_ok=True)
            self._files["log"] = open(logs / f"ralph-{own.name}.log", "ab")
            for old in sorted(logs.glob("ralph-*.log"))[:-LOGS_KEPT]:
                old.unlink(missing_ok=True)
        except OSError as error:
            self._end(error)

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        """`s` is the state after it."""
        if not self._files:
            return
        before = self._states.get(s.identity.loop, LoopState())
        if s.identity.loop:
            self._states[s.identity.loop] = s
        number, hat = _whose(fact, s)
        if isinstance(fact, f.IterationStarted):
            self._open[s.identity.loop] = (fact.n, fact.hat)
        elif isinstance(fact, f.IterationEnded):
            self._open.pop(s.identity.loop, None)
            self._write("agent-output", {"ts": _now(), "iteration": number, "hat": hat, **_complete(fact)})
        for event in _orchestrated(fact, before, s):
            self._note("orchestration", number, hat, event=event)
        for metric in _measured(fact):
            self._note("performance", number, hat, metric=metric)
        told = msgspec.json.decode(f.encode(fact))
        kind = told.pop("kind", f.kind_of(fact))
        self._note(
            "trace",
            number,
            hat,
            level="INFO",
            target=f"ralph::{kind}",
            loop=s.identity.loop or None,
            fields=told,
        )

    def heard(self, who: str, line: str) -> None:
        """A line that an agent printed. Of several at once nobody can say whose it is."""
        if not self._files or who != "agent":
            return
        from ralph.terminal.activity import pieces

        number, hat = next(iter(self._open.values())) if len(self._open) == 1 else (0, "")
        for piece in pieces(line):
            self._write("agent-output", {"ts": _now(), "iteration": number, "hat": hat, **_output(piece)})

    def say(self, lines: Sequence[str]) -> None:
        if "log" in self._files:
            self._put("log", "".join(f"{_now()}  {line}\n" for line in lines).encode("utf-8", "replace"))

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        self._files = {}

    def _note(self, name: str, number: int, hat: str, **more: Any) -> None:
        self._write(name, {"timestamp": _now(), "iteration": number, "hat": hat, **more})

    def _write(self, name: str, entry: dict[str, Any]) -> None:
        self._put(name, msgspec.json.encode(entry) + b"\n")

    def _put(self, name: str, data: bytes) -> None:
        try:
            if name in self._files:
                self._files[name].write(data)
                self._files[name].flush()
        except OSError as error:
            self._end(error)

    def _end(self, error: OSError) -> None:
        self.trouble = f"diagnostics cannot be written: {error.strerror}; the run goes on without them"
        files, self._files = self._files, {}
        for file in files.values():
            try:
                file.close()
            except OSError:
                pass  # what it still held cannot be written either


def _free(place: Path, name: str) -> Path:
    """A folder of this run's own, also when two begin within a second."""
    place.mkdir(parents=True, exist_ok=True)
    for n in range(1, 1000):
        path = place / (name if n == 1 else f"{name}-{n}")
        try:
            path.mkdir()
            return path
        except FileExistsError:
            continue
    raise OSError(0, f"too many folders {name}")


def _now() -> str:
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"


def _whose(fact: f.AnyFact, s: LoopState) -> tuple[int, str]:
    if isinstance(fact, f.IterationStarted | f.IterationEnded):
        return fact.n, s.hats.hat
    return s.progress.iterations, s.hats.hat


def _orchestrated(fact: f.AnyFact, before: LoopState, s: LoopState) -> Iterator[dict[str, Any]]:
    match fact:
        case f.IterationStarted():
            yield {"type": "iteration_started"}
            yield {"type": "hat_selected", "hat": fact.hat or "ralph", "reason": fact.hat_why}
            turn = s.hats.turns.current
            if fact.fresh and turn is not None and turn.events:
                header = phase_header(turn.events[0]).splitlines()[0]
                yield {"type": "scratchpad_cleared", "header": header, "scratchpad": fact.scratchpad}
        case f.GateEnded(passed=False):
            yield {"type": "backpressure_triggered", "reason": f"{fact.gate}: {fact.headline}"}
        case f.ItemGivenUp():
            yield {"type": "task_abandoned", "reason": f"{fact.item}: {fact.reason}"}
        case f.LoopEnded():
            yield {"type": "loop_terminated", "reason": fact.end, "detail": fact.reason}
        case f.EventReceived() if s.identity.policy.routing is None:
            yield {"type": "event_published", "topic": fact.topic, "payload": fact.payload}
    for one in routed(before, s):
        published = {"topic": one.event.topic, "payload": one.event.payload, "from": one.event.hat}
        yield {"type": "event_published", **published, "triggered": list(one.triggered), "reason": one.why}


def _measured(fact: f.AnyFact) -> Iterator[dict[str, Any]]:
    match fact:
        case f.IterationEnded():
            yield {"type": "iteration_duration", "duration_ms": round(fact.seconds * 1000)}
            yield {"type": "agent_latency", "duration_ms": round(fact.seconds * 1000), "code": fact.code}
            usage = fact.usage
            if usage.tokens or usage.cost_usd:
                yield {"type": "token_count", **msgspec.to_builtins(usage)}
        case f.GateEnded():
            yield {
                "type": "gate_duration",
                "gate": fact.gate,
                "duration_ms": round(fact.seconds * 1000),
                "passed": fact.passed,
            }


def _output(piece: Piece) -> dict[str, Any]:
    match piece.kind:
        case "call":
            return {"type": "tool_call", "name": piece.name or "shell", "id": piece.id, "input": piece.given}
        case "result":
            return {"type": "tool_result", "id": piece.id, "output": piece.text[:TEXT_CHARS]}
        case "error":
            return {"type": "error", "message": piece.text[:TEXT_CHARS]}
    return {"type": "text", "text": piece.text[:TEXT_CHARS]}


def _complete(fact: f.IterationEnded) -> dict[str, Any]:
    return {"type": "complete", **msgspec.to_builtins(fact.usage), "code": fact.code}
