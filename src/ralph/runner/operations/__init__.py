"""Operations under way, one file for each kind: what the reconciling loop sees of one, and what all owned processes share."""

from __future__ import annotations

import math
import shutil
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Protocol

from ralph.agents.adapter import ErrorReader, Reader, Words
from ralph.core import facts as f
from ralph.core.loop.state import LoopState
from ralph.processes.capture import Line
from ralph.processes.owned_process import Ended
from ralph.runner.loop_context import LoopContext
from ralph.runner.sandboxing import Confined, released

MOST_RETRIES = 200  # of one agent process that are recorded
BEAT_SECONDS = 1.0  # how often a long operation is looked at when nothing happens by itself
TRACE = 0.05  # of one core: a program that hangs still wakes up now and then; Codex takes 3 % to wait for its model


class RunningOperation(Protocol):
    """Started by the runner, watched by its file descriptors, concluded into facts."""

    id: str

    def reads(self) -> list[int]:
        return []

    def writes(self) -> list[int]:
        return []

    def wake_at(self) -> float:
        """The monotonic time at which it wants to be looked at, at the latest."""

    def advance(self) -> list[f.Tick | f.Metered | f.AgentRetries]:
        """Do what can be done without waiting; tell what was felt."""
        return []

    def done(self) -> bool: ...

    def conclude(self) -> list[f.AnyFact]: ...

    def cut(self, cause: str) -> None: ...

    def kill(self) -> None: ...


# What an operation came to, once nothing of it is left; it was under way for so many seconds.
Close = Callable[["ProcessOperation", Ended, float], list[f.AnyFact]]


class ProcessOperation(RunningOperation):
    """One program of an agent or a gate: hears what it says and spends, feels time and idleness, asks it to end and then makes
    it."""

    def __init__(
        self,
        b: LoopContext,
        s: LoopState,
        id: str,
        confined: Confined,
        *,
        reader: Reader | None,
        who: str,
        close: Close,
    ) -> None:
        """`reader`: of what an agent says."""
        self.id = id
        self.cause = ""
        self._b = b
        self._confined = confined
        self._owned = confined.owned
        self._private = b.run.store.private(s.identity.loop, id)
        self._reader = reader
        self._who = who
        self._close = close
        self._usage = f.Usage()
        self._retry: f.Retry | None = None
        self._retries = 0
        self._grace = s.identity.policy.limits.stop_grace_seconds
        self._began = time.monotonic()
        self._kill_at = float("inf")
        self._next_beat = self._began + BEAT_SECONDS
        self._deadline = float("inf")
        self._activity: tuple[int, float] = (0, 0.0)
        self._active_at = self._looked_at = self._heard_at = self._began

    def words(self) -> Words:
        return self._reader.words() if self._reader else Words()

    def reads(self) -> list[int]:
        return self._owned.fds()

    def writes(self) -> list[int]:
        fd = self._owned.wants_write()
        return [] if fd is None else [fd]

    def look_again_after(self, seconds: float) -> None:
        """A rule wants to know when the operation is this old. Once it is cut off, none does."""
        self._deadline = float("inf") if self.cause else self._began + seconds

    def wake_at(self) -> float:
        return min(self._next_beat, self._kill_at, max(self._deadline, time.monotonic()))

    def seconds(self) -> float:
        return time.monotonic() - self._began

    def advance(self) -> list[f.Tick | f.Metered | f.AgentRetries]:
        for line in self._owned.pump():
            self._hear(line)
        felt: list[f.Tick | f.Metered | f.AgentRetries] = []
        now = time.monotonic()
        if now >= self._kill_at:
            self._kill_at = float("inf")
            self._owned.kill()
        if now >= self._next_beat or now >= self._deadline:
            self._next_beat = now + BEAT_SECONDS
            felt.append(f.Tick(op=self.id, seconds=now - self._began, idle=self._idle(now)))
        words = self.words()
        if words.retry != self._retry and self._retries < MOST_RETRIES:
            self._retry = words.retry
            self._retries += words.retry is not None
            felt.append(f.AgentRetries(op=self.id, retry=words.retry))
        usage = words.usage
        if usage != self._usage:
            self._usage = usage
            felt.append(f.Metered(op=self.id, usage=usage))
        return felt

    def _hear(self, line: Line) -> None:
        self._heard_at = time.monotonic()
        if self._reader and line.stream == "out":
            self._reader.feed(line.text)
        elif isinstance(self._reader, ErrorReader):
            self._reader.feed_error(line.text)
        self._b.show(self._who, line)

    def _idle(self, now: float) -> float:
        """Seconds without output and with no more than a trace of CPU time."""
        output, cpu = self._owned.activity()
        before, since = self._activity, now - self._looked_at
        if output != before[0] or cpu - before[1] > TRACE * max(since, BEAT_SECONDS):
            self._active_at = now
        self._activity, self._looked_at = (output, cpu), now
        return now - self._active_at

    def done(self) -> bool:
        return self._owned.exited()

    def conclude(self) -> list[f.AnyFact]:
        """After exit: nothing of it is left when the facts are made, and its last words have been heard."""
        seconds = self.seconds()
        ended = self._owned.close()
        for line in ended.rest:
            self._hear(line)
        ended = released(self._b, self._confined, ended)
        if self._reader:
            self._reader.ended(ended.code)
        shutil.rmtree(self._private, ignore_errors=True)  # it may hold the token
        return self._close(self, ended, seconds)

    def cut(self, cause: str) -> None:
        if self.cause:
            return
        self.cause = cause
        self._owned.ask()
        self._kill_at = time.monotonic() + self._grace

    def kill(self) -> None:
        self._owned.kill()


class WaitOperation(RunningOperation):
    """Over when the wall clock says so, and never after more than `most` seconds (0: no matter) or later than the clock said
    at first: it may be set back."""

    def __init__(self, id: str, until: str, most: float) -> None:
        self.id = id
        self._until = datetime.fromisoformat(until).timestamp() if until else math.inf
        self._latest = time.monotonic() + max(0.0, min(self._until - time.time(), most or math.inf))
        self._cut = False

    def wake_at(self) -> float:
        if self._cut:
            return time.monotonic()
        # The wall clock may be set meanwhile, and a stop file has no signal: look every second.
        return time.monotonic() + min(1.0, max(0.0, self._until - time.time()))

    def done(self) -> bool:
        return self._cut or time.time() >= self._until or time.monotonic() >= self._latest

    def conclude(self) -> list[f.AnyFact]:
        return [f.WaitEnded(op=self.id, elapsed=not self._cut)]

    def cut(self, cause: str) -> None:
        self._cut = True

    def kill(self) -> None:
        self._cut = True


class Stopwatch:
    """How long something took, in seconds."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def seconds(self) -> float:
        return round(time.monotonic() - self._began, 3)


def is_past(moment: str) -> bool:
    return datetime.fromisoformat(moment).timestamp() <= time.time()


def moment_in(seconds: float) -> str:
    return datetime.fromtimestamp(time.time() + seconds, UTC).isoformat()
