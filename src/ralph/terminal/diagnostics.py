"""`.ralph/diagnostics/`: what happens in a run as JSON lines, in the files that users of this family know. A view of the
history; it never ends a run."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from ralph.core import facts as f
from ralph.core.hats.board import phase_header
from ralph.core.hats.event_log import EventOutcome
from ralph.core.loop.state import LoopState
from ralph.files import open_plain
from ralph.history.iterations import Iteration
from ralph.history.loops import Loop
from ralph.history.moments import At
from ralph.terminal.activity import Piece
from ralph.terminal.transcript import Conversation

FOLDER = ".ralph/diagnostics"
FILES = ("agent-output", "orchestration", "performance", "trace")
LOGS_KEPT = 10
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND
TEXT_CHARS = 20_000  # of one piece of output


class Diagnostics:
    def __init__(self, folder: Path, when: datetime) -> None:
        self.trouble = ""
        self._loops: dict[str, Loop] = {}
        self._conversations: dict[str, Conversation] = {}  # of each task's agent
        self._files: dict[str, BinaryIO] = {}
        place = folder / FOLDER
        try:
            own = _free(place, f"{when:%Y-%m-%dT%H-%M-%S}")
            self._files = {name: open(open_plain(own / f"{name}.jsonl", _APPEND), "ab") for name in FILES}
            logs = place / "logs"
            logs.mkdir(exist_ok=True)
            self._files["log"] = open(open_plain(logs / f"ralph-{own.name}.log", _APPEND), "ab")
            for old in sorted(logs.glob("ralph-*.log"))[:-LOGS_KEPT]:
                old.unlink(missing_ok=True)
        except OSError as error:
            self._end(error)

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        """`s` is the state after it."""
        if not self._files:
            return
        loop = self._loops.setdefault(s.identity.loop, Loop())
        loop.forget_past()
        told = loop.note(fact, At(), s)
        if s.judgement.ended is not None:
            del self._loops[s.identity.loop]
        number = fact.n if isinstance(fact, f.IterationStarted | f.IterationEnded) else s.progress.iterations
        hat = s.hats.hat
        task = s.identity.task.id
        if isinstance(fact, f.IterationStarted):
            self._conversations[task] = Conversation()
        elif isinstance(fact, f.IterationEnded):
            spoke = self._conversations.pop(task, Conversation())
            self._heard(spoke.end(), number, hat)
            self._write("agent-output", {"ts": _now(), "iteration": number, "hat": hat, **_complete(fact)})
        for event in _orchestrated(fact, s, told):
            self._note("orchestration", number, hat, event=event)
        for metric in _measured(fact):
            self._note("performance", number, hat, metric=metric)
        fields = msgspec.json.decode(f.encode(fact))
        kind = fields.pop("kind", f.kind_of(fact))
        self._note(
            "trace",
            number,
            hat,
            level="INFO",
            target=f"ralph::{kind}",
            loop=s.identity.loop or None,
            fields=fields,
        )

    def heard(self, who: str, line: str, task: str) -> None:
        """A line that an agent printed."""
        if not self._files or who != "agent":
            return
        running = [
            it.started
            for loop in self._loops.values()
            for it in loop.under_way()
            if isinstance(it, Iteration) and loop.state.identity.task.id == task
        ]
        number, hat = (running[0].n, running[0].hat) if running else (0, "")
        conversation = self._conversations.setdefault(task, Conversation())
        self._heard(conversation.feed(line, time.time()), number, hat)

    def _heard(self, found: Sequence[Piece], number: int, hat: str) -> None:
        for piece in found:
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
        self.trouble = f"diagnostics cannot be written: {error.strerror}; the run continues without them"
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


def _orchestrated(fact: f.AnyFact, s: LoopState, told: Sequence[EventOutcome]) -> Iterator[dict[str, Any]]:
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
    for one in (outcome.routed for outcome in told):
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
            return {"type": "tool_call", "name": piece.name, "id": piece.id, "input": piece.given}
        case "result":
            how = {"ok": piece.ok, "duration_ms": round(piece.seconds * 1000) if piece.seconds >= 0 else None}
            given = {"name": piece.name, "output": piece.text[:TEXT_CHARS]}
            return {"type": "tool_result", "id": piece.id, **given, **how}
        case "error" | "retry" | "notice":
            return {"type": piece.kind, "message": piece.text[:TEXT_CHARS]}
    return {"type": piece.kind, "text": piece.text[:TEXT_CHARS]}


def _complete(fact: f.IterationEnded) -> dict[str, Any]:
    return {"type": "complete", **msgspec.to_builtins(fact.usage), "code": fact.code}
