"""Text in columns of a terminal: how wide it is, cut so that it never wraps, and in few styles. Pure."""

from __future__ import annotations

import os
import select
import signal
import termios
import time
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from types import FrameType
from typing import Any, Literal, NamedTuple

from ralph.terminal.outlet import PATIENCE

Style = Literal["", "bold", "dim", "green", "red", "yellow"]
CODES: dict[Style, str] = {"": "", "bold": "1", "dim": "2", "green": "32", "red": "31", "yellow": "33"}
ELLIPSIS = "…"


class TextSpan(NamedTuple):
    text: str
    style: Style = ""


@lru_cache(4096)
def _columns(character: str) -> int:
    if (
        character == "\ufe0f"
    ):  # asks for the wide form of the character before it: rather too wide than wrapped
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width_of(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_columns, text))


def cut(text: str, width: int) -> str:
    """At most `width` columns; what does not fit gives way to an ellipsis."""
    if width_of(text) <= width:
        return text
    if width <= 0:
        return ""
    kept, room = "", width - 1
    for character in text:
        room -= _columns(character)
        if room < 0:
            break
        kept += character
    return kept.rstrip() + ELLIPSIS


def pad(text: str, width: int) -> str:
    return cut(text, width) + " " * (width - width_of(cut(text, width)))


def draw(spans: Iterable[TextSpan], width: int, colour: bool) -> str:
    """The spans as one line of at most `width` columns, without spaces at its end."""
    shown, room = [], width
    for text, style in _without_end_spaces(spans):
        fitting = cut(text, room)
        shown.append(styled(TextSpan(fitting, style), colour))
        room -= width_of(fitting)
        if fitting != text:
            break
    return "".join(shown)


def _without_end_spaces(spans: Iterable[TextSpan]) -> list[TextSpan]:
    left = [TextSpan(span.text.expandtabs(4), span.style) for span in spans]
    while left and not left[-1].text.strip():
        left.pop()
    return [*left[:-1], TextSpan(left[-1].text.rstrip(), left[-1].style)] if left else []


def styled(span: TextSpan, colour: bool) -> str:
    return (
        f"\x1b[{CODES[span.style]}m{span.text}\x1b[0m" if colour and span.style and span.text else span.text
    )


_FRAME, _FRAME_END = "\x1b[?2026h", "\x1b[?2026l"  # shown at once, by terminals that know it
_HIDE, _SHOW = "\x1b[?25l", "\x1b[?25h"
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"
_TO_END_OF_LINE, _TO_END_OF_SCREEN = "\x1b[K", "\x1b[J"
_PATIENCE = 0.02  # seconds in which a terminal that reads takes what is written; no one waits longer
_CHUNK = 256  # a terminal that says it takes some takes at least these

_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LEAVING = (signal.SIGTSTP, signal.SIGQUIT)

Handler = Callable[[int, FrameType | None], Any] | int | None


class Screen:
    """The terminal behind a descriptor. Whatever ends the program, the cursor and the keyboard's echo come back."""

    def __init__(self, fd: int, encoding: str = "utf-8") -> None:
        self._theirs = fd
        self._encoding = encoding
        self._fd, self._own = _open_again(fd)
        self._gone = False
        self._live = False  # the cursor is hidden, keys are not echoed
        self._drawn: list[str] = []
        self._size = (0, 0)
        self._pending = b""
        self._writing = False
        self._stuck = False
        self._epoch = 0  # grows when a signal has taken the block away
        self._mode: list[Any] | None = None
        self._before: dict[int, Handler] = {}

    def size(self) -> tuple[int, int]:
        """Columns and rows; of a terminal that does not know, the usual ones."""
        try:
            columns, rows = os.get_terminal_size(self._fd)
        except OSError:
            columns, rows = 0, 0
        return columns or 80, rows or 24

    def paint(self, above: Sequence[str], block: Sequence[str]) -> bool:
        """Let `above` scroll away and show `block` below it. False: not now; nothing of it was taken."""
        if self._gone:
            return True
        if not self.flush():
            return False
        if not self._in_front():
            # In the background the terminal is someone else's: lines only.
            self._drawn = []
            self._write("".join(f"{line}\r\n" for line in above))
            return True
        epoch, size = self._epoch, self.size()
        frame = self._frame(above, list(block), moved=size != self._size)
        if not frame:
            return True
        begin = "" if self._live else self._begin()
        self._write(f"{_FRAME}{begin}{frame}{_FRAME_END}")
        self._drawn = list(block) if epoch == self._epoch else []
        self._size = size
        return True

    def pending(self) -> bool:
        return bool(self._pending)

    def flush(self) -> bool:
        """Write what an earlier frame has left; whether nothing is left."""
        return self._write("")

    def rest(self) -> None:
        """No block is wanted for now: the cursor and the echo are the user's again."""
        self._step_aside()

    def close(self, above: Sequence[str] = ()) -> None:
        """Take the block away, write what is left to say, leave the terminal as it was. Now it may take some time, but
        a terminal that takes nothing (Ctrl-S) does not keep the program."""
        end = (f"\r{_TO_END_OF_SCREEN}" if self._drawn else "") + "".join(f"{line}\r\n" for line in above)
        end += _WRAP + _SHOW if self._live else ""
        self._write(end, PATIENCE)
        self._pending, self._drawn = b"", []
        self._give_back()
        for number, handler in self._before.items():
            if getattr(signal.getsignal(number), "__self__", None) is self:
                signal.signal(number, handler)
        self._before = {}
        if self._own:
            os.close(self._fd)
            self._fd, self._own = self._theirs, False

    # -- frames ------------------------------------------------------------------------------------

    def _frame(self, above: Sequence[str], block: list[str], *, moved: bool) -> str:
        """From the block that is there to the one that is wanted; begins and ends at the block's first column."""
        if above or moved or not self._drawn:
            if not (above or block or self._drawn):
                return ""
            lines = "".join(f"{line}\r\n" for line in above)
            rows = f"{_TO_END_OF_LINE}\r\n".join(block)
            body = f"{_NO_WRAP}{rows}{_TO_END_OF_LINE}{_WRAP}{_up(len(block) - 1)}\r" if block else ""
            return f"\r{_TO_END_OF_SCREEN}{lines}{body}"
        at, frame = 0, ""
        for row, text in enumerate(block):
            if row < len(self._drawn) and text == self._drawn[row]:
                continue
            reached = min(row, len(self._drawn) - 1) if at < len(self._drawn) else at
            frame += _down(reached - at) + "\r\n" * (row - reached) + "\r" + text + _TO_END_OF_LINE
            at = row
        if len(block) < len(self._drawn):
            frame += _down(len(block) - at) + "\r" + _TO_END_OF_SCREEN
            at = len(block)
        return f"{_NO_WRAP}{frame}{_WRAP}{_up(at)}\r" if frame else ""

    def _write(self, text: str, last: float = 0.0) -> bool:
        """As much as the terminal takes; the rest is kept. Whether nothing is left. `last`: seconds without anything taken
        after which to give up, when nothing follows."""
        self._pending += text.encode(self._encoding, "replace")
        self._writing = True
        patience = time.monotonic() + _PATIENCE
        try:
            while self._pending and not self._gone:
                if not _takes(self._fd, last or (0.0 if self._stuck else patience - time.monotonic())):
                    self._stuck = True  # no more patience until it has taken something
                    break
                part = self._pending if self._own else self._pending[:_CHUNK]
                self._pending = self._pending[os.write(self._fd, part) :]
                self._stuck = False
        except BlockingIOError:
            pass
        except OSError:  # no one is there any more; the journal has everything
            self._gone = True
        finally:
            self._writing = False
        if self._gone:
            self._pending = b""
        return not self._pending

    # -- the terminal's own state ------------------------------------------------------------------

    def _begin(self) -> str:
        self._live = True
        try:
            if self._mode is None:
                self._mode = termios.tcgetattr(self._fd)
            quiet = list(self._mode)
            quiet[3] &= ~termios.ECHO  # a key pressed meanwhile would be drawn into the block
            termios.tcsetattr(self._fd, termios.TCSANOW, quiet)
        except termios.error:
            pass
        if not self._before:
            self._listen()
        return _HIDE

    def _give_back(self) -> None:
        self._live = False
        if self._mode is not None and self._in_front():
            try:
                termios.tcsetattr(self._fd, termios.TCSANOW, self._mode)
            except termios.error:
                pass

    def _in_front(self) -> bool:
        try:
            return os.tcgetpgrp(self._fd) == os.getpgrp()
        except OSError:  # not our session's terminal: no one competes for it
            return True

    def _listen(self) -> None:
        for number in _STOPPING:
            if callable(handler := signal.getsignal(number)):
                self._before[number] = handler
                signal.signal(number, self._on_stop)
        for number in _LEAVING:
            if signal.getsignal(number) == signal.SIG_DFL:
                self._before[number] = signal.signal(number, self._on_leave)
        self._before[signal.SIGCONT] = signal.signal(signal.SIGCONT, self._on_return)
        # Only that it has a handler wakes the runner, who then has a frame painted.
        self._before[signal.SIGWINCH] = signal.signal(signal.SIGWINCH, self._on_resize)

    def _on_stop(self, number: int, frame: FrameType | None) -> None:
        """What follows may be the last: leave everything in order. If it goes on, the next frame starts over."""
        self._step_aside()
        handler = self._before[number]
        assert callable(handler)
        handler(number, frame)

    def _on_leave(self, number: int, frame: FrameType | None) -> None:
        self._step_aside()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._on_leave)  # continued

    def _on_return(self, number: int, frame: FrameType | None) -> None:
        """Stopped for a while: the shell had the terminal, and may have set it otherwise."""
        self._forget()
        self._live, self._mode = False, None

    def _on_resize(self, number: int, frame: FrameType | None) -> None:
        pass

    def _step_aside(self) -> None:
        if not self._live:
            return
        last = f"{_FRAME_END}{_WRAP}\r{_TO_END_OF_SCREEN}{_SHOW}"
        if not self._writing:
            self._write(last)
        elif _takes(self._fd):  # a signal in the middle of a frame: past it, now or never
            try:
                os.write(self._fd, last.encode())
            except OSError:
                pass
        self._forget()
        self._give_back()

    def _forget(self) -> None:
        """What is on the screen is not what was drawn: the next frame draws everything."""
        self._epoch += 1
        self._drawn = []


def _open_again(fd: int) -> tuple[int, bool]:
    """A description of our own of the same terminal: not to wait on it must not make the shell's own not wait."""
    try:
        flags = os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC
        return os.open(os.ttyname(fd), flags), True
    except OSError:
        return fd, False


def _takes(fd: int, seconds: float = 0.0) -> bool:
    poll = select.poll()
    poll.register(fd, select.POLLOUT)
    return bool(poll.poll(max(0.0, seconds) * 1000))


def _up(rows: int) -> str:
    return f"\x1b[{rows}A" if rows > 0 else ""


def _down(rows: int) -> str:
    return f"\x1b[{rows}B" if rows > 0 else ""
