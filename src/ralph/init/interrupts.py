"""Signals that end a process, held back until what was begun is undone. Then the process ends as the signal wants."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts:
    """Within it, the first signal is only noted, unless it comes where somebody heeds it: there it raises
    KeyboardInterrupt. Later ones change nothing."""

    def __init__(self) -> None:
        self._came = 0
        self._heeding = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Interrupts:
        for number in _ENDING:
            if signal.getsignal(number) != signal.SIG_IGN:  # `nohup ralph init` means what it says
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._came and not (kind is KeyboardInterrupt and self._came == signal.SIGINT):
            signal.raise_signal(self._came)

    @contextmanager
    def heeded(self) -> Iterator[None]:
        """Here nothing is half done that could not be undone."""
        self._heeding = True
        try:
            if self._came:
                raise KeyboardInterrupt
            yield
        finally:
            self._heeding = False

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        first, self._came = not self._came, self._came or number
        if first and self._heeding:
            raise KeyboardInterrupt
