"""The live view: finished facts scroll away as lines, and below them a block shows what goes on now.

Nothing here waits and nothing here can end a run: a frame that the terminal does not take is painted later.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from ralph.core import facts as f
from ralph.core.loop.state import LoopState
from ralph.terminal.loop_block import LiveLoop, Now, render
from ralph.terminal.outlet import left_out
from ralph.terminal.screen import Screen, Style, TextSpan, styled
from ralph.terminal.transcript import LiveTranscripts, Row
from ralph.terminal.transcript import lines as row_lines
from ralph.terminal.words import colour_of, one_line

FRAME_SECONDS = 0.1  # a frame, on average; while something runs there is one each second at least
BURST = 5  # frames that may follow one another at once: facts come in groups
MOST_WAITING = 5000  # lines that wait for the terminal; more are left out


class Subject(Protocol):
    """What the block is about, and what is remembered of it."""

    def fact(self, fact: f.AnyFact, s: LoopState, clock: float) -> None: ...

    def heard(self, task: str, text: str) -> None: ...

    def felt(self, s: LoopState) -> None:
        """Time has passed; the state may have more usage."""

    def block(self, width: int, height: int, now: Now, *, colour: bool) -> list[str]: ...

    def until_next_second(self, now: Now) -> float:
        """Until what is shown of the time changes."""


class OneLoop:
    """The block of a run of one loop."""

    def __init__(self) -> None:
        self._live = LiveLoop()

    def fact(self, fact: f.AnyFact, s: LoopState, clock: float) -> None:
        self._live.fact(fact, s, clock)

    def heard(self, task: str, text: str) -> None:
        self._live.heard(text)

    def felt(self, s: LoopState) -> None:
        self._live.loop.state = s

    def block(self, width: int, height: int, now: Now, *, colour: bool) -> list[str]:
        return render(self._live.loop, width, height, now, doing=self._live.doing(), colour=colour)

    def until_next_second(self, now: Now) -> float:
        loop = self._live.loop
        began = loop.began(next(iter(loop.state.progress.open), ""))
        passed = now.wall.microsecond / 1e6 if began is None else (now.clock - began.moment) % 1.0
        return 1.0 - passed + 0.002


class LiveView:
    def __init__(self, screen: Screen, subject: Subject, *, colour: bool, verbose: bool) -> None:
        self._screen = screen
        self._subject = subject
        self._colour = colour
        self._transcripts = LiveTranscripts(self._show_rows) if verbose else None
        self._above: list[str] = []
        self._left_out = 0
        self._several = False  # tasks are worked on at once
        self._news = False  # something happened that no frame shows yet
        self._frames = float(BURST)  # how many may be painted now
        self._looked = time.monotonic()
        self._next_second = 0.0

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        self._subject.fact(fact, s, time.monotonic())
        if self._transcripts:
            self._transcripts.fact(fact, s.identity.task.id)
        self._news = True
        self._paint_if_allowed()
        if isinstance(fact, f.RunEnded):
            self._screen.rest()

    def say(self, lines: Sequence[str], whose: str = "") -> None:
        """Lines of the record; shown with the next frame. `whose`: what comes before each."""
        if self._has_room(len(lines)):
            self._above += [_record(f"{whose}{line}", _style(line), self._colour) for line in lines]

    def last(self, lines: Sequence[str]) -> None:
        """The summary: warnings, the end, the figures, what to do. The cursor is the user's again."""
        *warnings, end, figures, todo = lines
        told: list[TextSpan] = [TextSpan(line, _style(line)) for line in ("", *warnings)]
        told.append(TextSpan(end, "green" if end.startswith("completed-verified") else "yellow"))
        told += [TextSpan(figures), TextSpan(todo, "bold")]
        self._above += [styled(line, self._colour) for line in told]
        self._news = True
        self._paint_if_allowed()
        self._screen.rest()

    def heard(self, who: str, text: str, task: str, *, several: bool = False) -> None:
        """A line of the agent or of a gate of this task; `several`: it may be one of many."""
        self._subject.heard(task if several else "", text)
        self._news = True
        self._several = several
        if self._transcripts and self._has_room(1):
            self._transcripts.heard(who, text, task, time.time())

    def _show_rows(self, task: str, who: str, rows: list[Row]) -> None:
        by = f"{one_line(task)}  {who}| " if self._several else f"{who}| "
        for row in rows:
            self._above += [_record(by, "dim", self._colour, spans) for spans in row_lines(row)]

    def pulse(self, s: LoopState) -> float:
        """Time passes. In how many seconds to call again, at the latest."""
        self._subject.felt(s)
        if self._news or time.monotonic() >= self._next_second:
            self._paint_if_allowed()
        if self._screen.pending() and not self._screen.flush():
            return FRAME_SECONDS / 4
        if self._news:
            return FRAME_SECONDS
        return max(0.01, self._next_second - time.monotonic())

    def close(self) -> None:
        """What is left of the record is shown; the block is gone and the terminal as it was."""
        self._note_left_out()
        self._screen.close(self._above)
        self._above = []

    def _paint_if_allowed(self) -> None:
        now = time.monotonic()
        self._frames = min(float(BURST), self._frames + (now - self._looked) / FRAME_SECONDS)
        self._looked = now
        if self._frames < 1:
            self._news = True  # it is due, and comes with the next pulse
            return
        self._note_left_out()
        width, height = self._screen.size()
        moment = Now(now, datetime.now().astimezone())
        block = self._subject.block(width, height, moment, colour=self._colour)
        self._frames -= 1
        if self._screen.paint(self._above, block):
            self._above = []
            self._news = False
        self._next_second = now + self._subject.until_next_second(moment)

    def _has_room(self, lines: int) -> bool:
        if len(self._above) < MOST_WAITING:
            return True
        self._left_out += lines
        return False

    def _note_left_out(self) -> None:
        if self._left_out:
            left = left_out(self._left_out)
            self._above.append(_record(left, "yellow", self._colour))
            self._left_out = 0


def _record(line: str, style: Style, colour: bool, more: Sequence[TextSpan] = ()) -> str:
    """`more`: words of an agent, which are made harmless."""
    spans = [TextSpan(f"{datetime.now():%H:%M:%S}  ", "dim"), TextSpan(line, style)]
    spans += [TextSpan(one_line(text), own) for text, own in more]
    return "".join(styled(span, colour) for span in spans)


_VERDICT = re.compile(r".*: (?P<word>green|red|PASS|FAIL|no verdict|could not run)\b")


def _style(line: str) -> Style:
    """Few colours: what proves, what does not, what to look at."""
    if line.startswith(("gate ", "reviewer ")):
        found = _VERDICT.match(line)
        style = colour_of(found["word"]) if found else ""
        return "yellow" if style == "red" and "(soft)" in line else style
    if line.startswith(("completed-verified: ", "completed-unverified: ")):
        return "green"
    return "yellow" if line.startswith(("warning: ", "strategy shift ")) else ""
