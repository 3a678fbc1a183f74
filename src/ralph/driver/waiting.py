"""A wait until a moment that was fixed when it began, so that a restart does not make it longer; without a moment, until
it is cut off."""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime

from ralph.core import facts as f


class Waiting:
    def __init__(self, id: str, until: str) -> None:
        self.id = id
        self._until = datetime.fromisoformat(until).timestamp() if until else math.inf
        self._cut = False

    def reads(self) -> list[int]:
        return []

    def writes(self) -> list[int]:
        return []

    def wake_at(self) -> float:
        if self._cut:
            return time.monotonic()
        # The wall clock may be set meanwhile, and a stop file has no signal: look every second.
        return time.monotonic() + min(1.0, max(0.0, self._until - time.time()))

    def advance(self) -> list[f.Tick | f.Metered]:
        return []

    def done(self) -> bool:
        return self._cut or time.time() >= self._until

    def conclude(self) -> list[f.AnyFact]:
        return [f.WaitEnded(op=self.id, elapsed=not self._cut)]

    def cut(self, cause: str) -> None:
        self._cut = True

    def kill(self) -> None:
        self._cut = True


def is_past(moment: str) -> bool:
    return datetime.fromisoformat(moment).timestamp() <= time.time()


def moment_in(seconds: float) -> str:
    return datetime.fromtimestamp(time.time() + seconds, UTC).isoformat()
