"""How a run shows itself: live on a terminal, as plain lines, or as JSON; and always in `ralph.log`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click
import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.state import LoopState
from ralph.journal.read import NAME, Follower, follow, scan
from ralph.journal.record import looks_like_record
from ralph.ui import masked
from ralph.ui.activity import readable
from ralph.ui.lines import lines, summary
from ralph.ui.logfile import LogFile
from ralph.ui.terminal import one_line

if TYPE_CHECKING:
    from ralph.ui.columns import Style

_TAIL = 1 << 16


class View(Protocol):
    def say(self, lines: Sequence[str]) -> None:
        """Lines of the record."""

    def fact(self, fact: f.AnyFact, s: LoopState) -> None: ...

    def heard(self, who: str, text: str) -> None:
        """A line that the agent or a gate printed."""

    def pulse(self, s: LoopState) -> float:
        """Time passes; in how many seconds to call again, at the latest."""

    def close(self) -> None: ...

    def last(self, lines: Sequence[str]) -> None:
        """The summary; only a word about who is still being told may follow it."""


class Shown:
    """A run's view and its log. Neither can end the run: a view that fails gives way to plain lines."""

    def __init__(self, folder: Path, view: View) -> None:
        self._view = view
        self._plain = Plain(verbose=False, err=isinstance(view, Json))
        self._log = LogFile(folder)

    def __enter__(self) -> Shown:
        return self

    def __exit__(self, *_: object) -> None:
        self._view.close()

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        self.say(fact, s)

    def tell(self, told: Sequence[str]) -> None:
        """Lines about the run as a whole."""
        told = [one_line(line) for line in told]
        self._log.write(told, datetime.now())
        (self._plain if isinstance(self._view, Json) else self._view).say(told)

    def say(self, fact: f.AnyFact, s: LoopState, whose: str = "") -> None:
        told = [one_line(f"{whose}{line}") for line in lines(fact, s)]
        trouble = self._log.write(told, datetime.now())
        try:
            self._view.say(told)
            if trouble:
                (self._plain if isinstance(self._view, Json) else self._view).say([f"warning: {trouble}"])
            self._view.fact(fact, s)
        except Exception as error:
            self._give_up(error)

    def heard(self, who: str, text: str) -> None:
        try:
            self._view.heard(who, text)
        except Exception as error:
            self._give_up(error)

    def pulse(self, s: LoopState) -> float:
        try:
            return self._view.pulse(s)
        except Exception as error:
            self._give_up(error)
            return float("inf")

    def end(self, s: LoopState) -> None:
        told = [one_line(line) for line in summary(s)]
        self._log.write(told, datetime.now())
        try:
            self._view.last(told)
        except Exception as error:
            self._give_up(error)
            self._view.last(told)

    def note(self, text: str) -> None:
        (self._plain if isinstance(self._view, Json) else self._view).say([one_line(text)])

    def _give_up(self, error: Exception) -> None:
        failed, self._view = self._view, self._plain
        what = one_line(f"{type(error).__name__}: {error}")
        try:
            failed.close()
        finally:
            self._view.say([f"warning: the view failed ({what}); plain lines from here on"])


def choose(state_dir: Path, *, verbose: bool, no_tui: bool, as_json: bool) -> View:
    if as_json:
        return Json(state_dir, verbose=verbose)
    if no_tui or not _can_paint():
        return Plain(verbose=verbose)
    return _Terminal(verbose=verbose)


def _can_paint() -> bool:
    """A terminal that understands where to move, and that is ours: in the background, lines are enough."""
    if os.environ.get("TERM", "dumb") in ("", "dumb") or not sys.stdout.isatty():
        return False
    try:
        return os.tcgetpgrp(sys.stdout.fileno()) == os.getpgrp()
    except OSError:
        return True


class Plain:
    """Timestamped lines on standard output, or on standard error where that is taken."""

    def __init__(self, *, verbose: bool, err: bool = False) -> None:
        self._verbose = verbose
        self._err = err

    def say(self, lines: Sequence[str]) -> None:
        for line in lines:
            echo(f"{datetime.now():%H:%M:%S}  {line}", err=self._err)

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        pass

    def heard(self, who: str, text: str) -> None:
        if self._verbose:
            self.say([f"{who}| {one_line(line)}" for line in readable(text)])

    def pulse(self, s: LoopState) -> float:
        return float("inf")

    def close(self) -> None:
        pass

    def last(self, lines: Sequence[str]) -> None:
        for line in ("", *lines):
            echo(line, err=self._err)


class _Terminal:
    """The live view; its summary is plain text below all that was shown."""

    def __init__(self, *, verbose: bool) -> None:
        from ralph.ui.live import Live
        from ralph.ui.screen import Screen

        screen = Screen(sys.stdout.fileno(), sys.stdout.encoding)
        live = Live(screen, colour=not os.environ.get("NO_COLOR"), verbose=verbose)
        self.say, self.fact, self.heard = live.say, live.fact, live.heard
        self.pulse, self.close = live.pulse, live.close
        self._last = live.last

    def last(self, lines: Sequence[str]) -> None:
        from ralph.ui.columns import Span

        spans = [Span("")]
        end = len(lines) - 3  # then come the figures, and what to do
        for n, line in enumerate(lines):
            style: Style = "yellow" if line.startswith("warning:") else ""
            if n == end:
                style = "green" if line.startswith("completed-verified") else "yellow"
            elif n == end + 2:
                style = "bold"
            spans.append(Span(line, style))
        self._last(spans)


class Json:
    """The journal's records of this run, as `ralph events --json` prints them, and nothing else on standard output.
    What the agent prints (-v) goes to standard error."""

    def __init__(self, state_dir: Path, *, verbose: bool) -> None:
        self._journal = state_dir / NAME
        self._verbose = verbose
        self._follower: Follower | None = None

    def say(self, lines: Sequence[str]) -> None:
        pass

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        if self._follower is None:
            self._follower = follow(self._journal, _last_seq(self._journal))
        records = self._follower.poll()
        kind = f.kind_of(fact)
        if not any(record.kind == kind for record in records):
            # Of a run before: it died between this and its own end.
            records += [r for r in scan(self._journal).records if r.kind == kind and r.loop == s.loop][-1:]
        for record in records:
            shown = replace(record, data=masked.fact(record.kind, record.data))
            echo(msgspec.json.encode(shown).decode())

    def heard(self, who: str, text: str) -> None:
        if self._verbose:
            echo(f"{who}| {one_line(text)}", err=True)

    def pulse(self, s: LoopState) -> float:
        return float("inf")

    def close(self) -> None:
        if self._follower:
            self._follower.close()

    def last(self, lines: Sequence[str]) -> None:
        """Only facts."""


def _last_seq(journal: Path) -> int:
    """The number of the record that was just written; the run's first."""
    with open(journal, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        last = file.read().splitlines(keepends=True)[-1]
    record = looks_like_record(last)
    return record.seq if record else 1


def echo(text: str, *, err: bool = False) -> None:
    """A reader that went away (`| head`, a closed terminal) does not end the run: the journal has everything."""
    try:
        click.echo(text, err=err)
    except OSError:
        stream = open(os.devnull, "w")
        if err:
            sys.stderr = stream
        else:
            sys.stdout = stream
