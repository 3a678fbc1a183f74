"""How a run shows itself: live on a terminal, as plain lines, or as JSON; and always in `ralph.log`."""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop.state import LoopState
from ralph.journal.read import NAME, Follower, follow, scan
from ralph.journal.record import Record
from ralph.processes.capture import Line
from ralph.terminal.lines import lines, summary
from ralph.terminal.log_file import LogFile
from ralph.terminal.outlet import has_room, install
from ralph.terminal.words import one_line

if TYPE_CHECKING:
    from ralph.cli.run.backlog import TaskEnds
    from ralph.runner.run_request import RunRequest
    from ralph.terminal.diagnostics import Diagnostics
    from ralph.terminal.live import LiveView
    from ralph.terminal.transcript import LiveTranscripts, Row

Decorated = Callable[..., Any]
_BEHIND_SECONDS = 0.2  # after which a reader that had stopped is looked at again


def view_options(command: Decorated) -> Decorated:
    """How a run shows itself; the chosen options come as one value, `see`."""

    @functools.wraps(command)
    def with_view(
        verbose: bool, quiet: bool, no_tui: bool, as_json: bool, diagnostics: bool, **given: Any
    ) -> Any:
        if quiet and (verbose or as_json):
            raise click.UsageError(f"-q and {'-v' if verbose else '--json'} contradict each other.")
        see = {"verbose": verbose, "no_tui": no_tui, "as_json": as_json, "diagnostics": diagnostics}
        return command(see={**see, "quiet": quiet}, **given)

    decorated: Decorated = with_view
    for option in (
        click.option(
            "--json",
            "as_json",
            is_flag=True,
            help="Print one JSON object per fact, as `ralph events --json` does.",
        ),
        click.option(
            "--diagnostics",
            is_flag=True,
            help="Write what happens as JSON lines to .ralph/diagnostics/; so does RALPH_DIAGNOSTICS=1.",
        ),
        click.option(
            "--no-tui", "-a", "--autonomous", is_flag=True, help="Print plain lines, also on a terminal."
        ),
        click.option("-q", "--quiet", is_flag=True, help="Print only how it ended."),
        click.option("-v", "--verbose", is_flag=True, help="Show what the agent and the gates print."),
    ):
        decorated = option(decorated)
    return decorated


class View:
    """Shows nothing: what a view does not care for, it leaves as it is here."""

    def say(self, lines: Sequence[str], whose: str = "") -> None:
        """Lines of the record; `whose` comes before each."""

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        """`s` is the state after it."""

    def heard(self, who: str, text: str, task: str, *, several: bool = False) -> None:
        """A line that the agent or a gate printed for this task; `several`: it may be one of many."""

    def pulse(self, s: LoopState) -> float:
        """Time passes; in how many seconds to call again, at the latest."""
        return float("inf")

    def close(self) -> None:
        """Nothing follows."""

    def last(self, lines: Sequence[str]) -> None:
        """The summary; only a word about who is still being told may follow it."""


class Shown:
    """A run's view and its log. Neither can end the run: a view that fails gives way to plain lines. `many`: of a run over
    many tasks, in which each line names its task and an end is a line among others."""

    def __init__(
        self, folder: Path, view: View | LiveView, many: TaskEnds | None = None, *, diagnostics: bool = False
    ) -> None:
        self._many = many
        self._view: View | LiveView = view
        self._plain = Plain(verbose=False, err=isinstance(view, Json))
        self._log = LogFile(folder)
        self._diagnostics: Diagnostics | None = None
        if diagnostics:
            from ralph.terminal.diagnostics import Diagnostics

            self._diagnostics = Diagnostics(folder, datetime.now(UTC))

    def __enter__(self) -> Shown:
        return self

    def __exit__(self, *_: object) -> None:
        self._view.close()
        if self._diagnostics is not None:
            self._diagnostics.close()

    def tell(self, told: Sequence[str], whose: str = "") -> None:
        """Lines about the run as a whole, or about the end of one task in it."""
        told, whose = [one_line(line) for line in told], one_line(whose)
        self._log.write([f"{whose}{line}" for line in told], datetime.now())
        self._for_people.say(told, whose)

    @property
    def _for_people(self) -> View | LiveView:
        """JSON is for programs: beside it, words go to standard error."""
        return self._plain if isinstance(self._view, Json) else self._view

    def _whose(self, s: LoopState) -> str:
        return one_line(f"{s.identity.task.id}  ") if self._many and s.identity.task.id else ""

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        if self._many:
            self._many.heard(fact)
        told, whose = [one_line(line) for line in lines(fact, s)], self._whose(s)
        logged = [f"{whose}{line}" for line in told]
        trouble = self._log.write(logged, datetime.now()) or self._diagnose(fact, s, logged)
        try:
            self._view.say(told, whose)
            if trouble:
                self._for_people.say([f"warning: {trouble}"])
            self._view.fact(fact, s)
        except Exception as error:
            self._give_up(error)

    def _diagnose(self, fact: f.AnyFact, s: LoopState, told: Sequence[str]) -> str:
        if self._diagnostics is None:
            return ""
        self._diagnostics.say(told)
        self._diagnostics.fact(fact, s)
        trouble, self._diagnostics.trouble = self._diagnostics.trouble, ""
        return trouble

    def heard(self, task: str, who: str, line: Line) -> None:
        if self._diagnostics is not None:
            self._diagnostics.heard(who, line.text, task)
        try:
            self._view.heard(who, line.text, task, several=self._many is not None)
        except Exception as error:
            self._give_up(error)

    def pulse(self, s: LoopState) -> float:
        try:
            return self._view.pulse(s)
        except Exception as error:
            self._give_up(error)
            return float("inf")

    def end(self, s: LoopState) -> None:
        if self._many:
            self.tell(self._many.ended(s), self._whose(s))
            return
        told = [one_line(line) for line in summary(s)]
        self._log.write(told, datetime.now())
        try:
            self._view.last(told)
        except Exception as error:
            self._give_up(error)
            self._view.last(told)

    def note(self, text: str) -> None:
        self._for_people.say([one_line(text)])

    def _give_up(self, error: Exception) -> None:
        failed, self._view = self._view, self._plain
        what = one_line(f"{type(error).__name__}: {error}")
        try:
            failed.close()
        finally:
            self._view.say([f"warning: the view failed ({what}); plain lines from here on"])


def shown(
    request: RunRequest,
    see: dict[str, bool],
    many: TaskEnds | None = None,
    left: Callable[[], int] | None = None,
) -> Shown:
    """`see`: what the options say. `left`: how many tasks no one has begun, of a run over many."""
    # By the option, or by the variable that users of this family know.
    diagnostics = see.get("diagnostics") or os.environ.get("RALPH_DIAGNOSTICS", "") not in ("", "0", "false")
    install()
    view: View | LiveView
    if see["as_json"]:
        view = Json(request.repo.state_dir, verbose=see["verbose"])
    elif see.get("quiet"):
        view = Quiet()
    elif see["no_tui"] or not _can_paint():
        view = Plain(verbose=see["verbose"])
    else:
        view = _live(see["verbose"], left)
    return Shown(request.folder, view, many, diagnostics=diagnostics)


def _live(verbose: bool, left: Callable[[], int] | None) -> LiveView:
    from ralph.terminal.live import LiveView, OneLoop, Subject
    from ralph.terminal.screen import Screen

    subject: Subject = OneLoop()
    if left is not None:
        from ralph.terminal.run_block import RunSubject

        subject = RunSubject(left, time.monotonic())
    screen = Screen(sys.stdout.fileno(), sys.stdout.encoding)
    return LiveView(screen, subject, colour=not os.environ.get("NO_COLOR"), verbose=verbose)


def _can_paint() -> bool:
    """A terminal that understands where to move, and that is ours: in the background, lines are enough."""
    if os.environ.get("TERM", "dumb") in ("", "dumb") or not sys.stdout.isatty():
        return False
    try:
        return os.tcgetpgrp(sys.stdout.fileno()) == os.getpgrp()
    except OSError:
        return True


class Plain(View):
    """Timestamped lines on standard output, or on standard error where that is taken."""

    def __init__(self, *, verbose: bool, err: bool = False) -> None:
        self._err = err
        self._several = False
        self._transcripts: LiveTranscripts | None = None
        if verbose:
            from ralph.terminal.transcript import LiveTranscripts

            self._transcripts = LiveTranscripts(self._show_rows)

    def say(self, lines: Sequence[str], whose: str = "") -> None:
        for line in lines:
            echo(f"{datetime.now():%H:%M:%S}  {whose}{line}", err=self._err)

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        if self._transcripts:
            self._transcripts.fact(fact, s.identity.task.id)

    def heard(self, who: str, text: str, task: str, *, several: bool = False) -> None:
        self._several = several
        if self._transcripts:
            self._transcripts.heard(who, text, task, time.time())

    def _show_rows(self, task: str, who: str, rows: list[Row]) -> None:
        from ralph.terminal.transcript import lines as row_lines

        by = _of(who, task if self._several else "")
        for row in rows:
            told = ("".join(span.text for span in spans) for spans in row_lines(row))
            self.say([f"{by}| {one_line(line)}" for line in told])

    def last(self, lines: Sequence[str]) -> None:
        for line in ("", *lines):
            echo(line, err=self._err)


class Quiet(View):
    """Nothing but the summary."""

    def last(self, lines: Sequence[str]) -> None:
        for line in lines:
            echo(line)


class Json(View):
    """The journal's records of this run, as `ralph events --json` prints them, and nothing else on standard output.
    What the agent prints (-v) goes to standard error."""

    def __init__(self, state_dir: Path, *, verbose: bool) -> None:
        self._journal = state_dir / NAME
        self._verbose = verbose
        self._follower: Follower | None = None
        self._behind = False  # the journal has records that were not printed, since no one reads

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        if self._follower is None:
            first = scan(self._journal).seq  # it was just written
            self._follower = follow(self._journal, first)
        if self._is_behind():
            return
        records = self._follower.poll()
        kind = f.kind_of(fact)
        if not any(record.kind == kind for record in records):
            # Of a run before: it died between this and its own end.
            records += [
                r for r in scan(self._journal).records if r.kind == kind and r.loop == s.identity.loop
            ][-1:]
        self._print(records)

    def pulse(self, s: LoopState) -> float:
        if self._behind and self._follower is not None and not self._is_behind():
            self._print(self._follower.poll())
        return _BEHIND_SECONDS if self._behind else float("inf")

    def _is_behind(self) -> bool:
        """Nothing is left out of this stream while the reader is slow: the journal keeps what comes."""
        self._behind = not has_room(sys.stdout)
        return self._behind

    def _print(self, records: Sequence[Record]) -> None:
        from ralph.core.secrets import masked

        for record in records:
            shown = replace(record, data=masked.fact(record.kind, record.data))
            echo(msgspec.json.encode(shown).decode())

    def heard(self, who: str, text: str, task: str, *, several: bool = False) -> None:
        if self._verbose:
            echo(f"{_of(who, task if several else '')}| {one_line(text)}", err=True)

    def close(self) -> None:
        if self._follower:
            if self._behind and (left := self._follower.poll()):
                echo(
                    f"{len(left)} records left out: no one read them in time; `ralph events --json` has them",
                    err=True,
                )
            self._follower.close()


def _of(who: str, task: str) -> str:
    return f"{one_line(task)}  {who}" if task else who


def echo(text: str, *, err: bool = False) -> None:
    click.echo(text, err=err)
