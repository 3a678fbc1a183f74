"""`ralph status`: what runs here, since when, what it waits for and what to do, on one screen. Also of a live run."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ralph.cli.context import BY_INIT, here
from ralph.cli.fleet.options import at_server, refuse_without_server, task_there
from ralph.cli.output import clock, cut, seconds_since, seconds_until
from ralph.cli.show.loop_status import (
    GateStanding,
    gate_standings,
    idle_wait,
    is_live,
    item_text,
    iteration_under_way,
    last_words,
    next_step,
    pause_of,
    queue_text,
    state_of,
    status_json,
    under_way,
    waiting_for,
    worn_text,
)
from ralph.cli.show.operation_words import name_of
from ralph.core.exits import BY_NAME
from ralph.git.repo import Repo
from ralph.history.history import Survey
from ralph.history.loops import Loop, Message
from ralph.history.runs import meant
from ralph.history.saved import CurrentHistory
from ralph.journal.lock import holder
from ralph.terminal.screen import cut as fitted
from ralph.terminal.screen import width_of
from ralph.terminal.words import colour_of, fault_words, one_line, spent
from ralph.text import duration

if TYPE_CHECKING:
    from ralph.cli.show.backlog_status import BacklogStatus

_GATES_SHOWN = 6
_WARNINGS_SHOWN = 3
_TOLD_SHOWN = 3
_ITEMS_SHOWN = 8
_ALL = "`ralph status --json` has them all"
COLOURS = {"good": "green", "unsure": "yellow", "bad": "red"}


class StatusRow(msgspec.Struct, frozen=True):
    label: str
    text: str
    colour: str = ""
    whole: bool = False  # broken over lines rather than cut


def listed(
    label: str, shown: Iterable[tuple[str, str]], more: int = 0, *, where: str = _ALL, whole: bool = False
) -> list[StatusRow]:
    """A row for each text and its colour, the label beside the first. `more`: how many others are not shown, but `where`."""
    rows = [StatusRow("" if n else label, text, colour, whole) for n, (text, colour) in enumerate(shown)]
    return [*rows, StatusRow("", f"and {more} more: {where}")] if more > 0 else rows


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@at_server
@task_there
def status(as_json: bool, server: str, task: str) -> None:
    """What runs here, since when, what it waits for, and what to do next.

    \b
    Examples:
      ralph status
      ralph status --json
      ralph status --server http://127.0.0.1:3013
    """
    if server:
        from ralph.cli.fleet.server_status import show

        show(server, task, as_json=as_json)
        return
    refuse_without_server(task=task)
    repo = here()
    place = look(repo)
    if as_json:
        import json

        click.echo(json.dumps(msgspec.to_builtins(place.as_json(repo.state_dir))))
        return
    print_rows(_rows(place, repo.state_dir))


def print_rows(rows: list[StatusRow]) -> None:
    for line in _screen(rows):
        click.echo(line)


class StatusPlace(msgspec.Struct, frozen=True):
    """This workspace: the run that holds its repository, if one does, and its newest loop, if there was one."""

    live: dict[str, object] | None
    elsewhere: str = ""  # the root of the other workspace in which the live run works
    loop: Loop | None = None
    backlog: BacklogStatus | None = None  # when the newest run here works through one

    def as_json(self, state_dir: Path) -> dict[str, Any]:
        found: dict[str, Any] = {"running": self.live is not None}
        if self.live:
            found |= {key: self.live.get(key) for key in ("pid", "since", "run")}
        if self.elsewhere:
            found["elsewhere"] = self.elsewhere
        if self.backlog:
            from ralph.cli.show.backlog_status import backlog_json

            return found | {"backlog": backlog_json(self.backlog, state_dir), "next": self.backlog.next}
        return found | (status_json(self.loop, state_dir) if self.loop else {})


def look(repo: Repo) -> StatusPlace:
    live = holder(repo.state_dir)
    live = None if live and live.get("run") == BY_INIT else live
    journal = CurrentHistory(repo.state_dir)
    known = journal.survey
    elsewhere = _elsewhere(known, live, repo) if live else ""
    working = str(live.get("run", "")) if live else ""
    run = meant(known.runs.of(repo.root), known.worked.keys(), working)
    newest = known.newest_prompt(repo.root)
    if run and (not newest or known.newest[newest] < run.at.seq):
        from ralph.cli.show.backlog_status import backlog_status

        return StatusPlace(live, elsewhere, backlog=backlog_status(run, journal, repo, working))
    if not newest:
        return StatusPlace(live, elsewhere)
    loop = journal.loops([newest])[newest]
    return StatusPlace(live, elsewhere, loop.stand(live=live is not None and not elsewhere))


def _elsewhere(known: Survey, live: dict[str, object], repo: Repo) -> str:
    """It holds the journal of the whole repository, but may work in another work tree than this."""
    worked = known.worked.get(str(live.get("run")), {})
    loop = max(worked, key=lambda id: known.newest[id], default="")
    where = known.starts[loop].checkout if loop else ""
    return where if where != str(repo.root) else ""


def _rows(place: StatusPlace, state_dir: Path) -> list[StatusRow]:
    if place.backlog is not None:
        from ralph.cli.show.backlog_status import rows_of

        return [_head(place), *rows_of(place.backlog)]
    x = place.loop
    if x is None:
        begin = StatusRow("", 'No loop yet. Start with `ralph run -p "..."`.', whole=True)
        return [_head(place), *(() if place.live else (begin,))]
    return [_head(place), *loop_rows(x, state_dir), StatusRow("next", next_step(x), "bold", whole=True)]


def loop_rows(x: Loop, state_dir: Path) -> list[StatusRow]:
    """Its task, how it stands, and what it has come to."""
    said = last_words(x, state_dir)
    return [
        StatusRow("task", f"{x.state.identity.task.id}: {x.state.identity.task.title}"),
        *_end_rows(x),
        *_now_rows(x),
        *_hat_rows(x),
        *_gate_rows(x),
        *_figure_rows(x),
        *_message_rows(x),
        *([StatusRow("said", f"in iteration {said.iteration}: {said.text}")] if said else []),
        *_warning_rows(x),
    ]


def _head(place: StatusPlace) -> StatusRow:
    if place.live is None:
        return StatusRow("", "not running", "bold")
    since = str(place.live.get("since") or "")
    how_long = f", since {clock(since)}, {duration(seconds_since(since))}" if since else ""
    where = f" in {place.elsewhere}" if place.elsewhere else ""
    return StatusRow("", f"running (pid {place.live.get('pid')}{how_long}){where}", "green")


def _end_rows(x: Loop) -> list[StatusRow]:
    s = x.state
    if x.standing == "died":
        return [StatusRow("end", "none: the run died", "red")]
    if not s.judgement.ended:
        return []
    limit = f" ({s.judgement.end_limit})" if s.judgement.end_limit else ""
    colour = COLOURS[BY_NAME[s.judgement.ended].tone]
    rows = [StatusRow("end", f"{s.judgement.ended}{limit}: {x.reason}", colour, whole=True)]
    if s.people.question and s.people.question not in x.reason:
        rows.append(StatusRow("question", s.people.question, whole=True))
    return rows


def _now_rows(x: Loop) -> list[StatusRow]:
    s, waits, pause = x.state, waiting_for(x), pause_of(x)
    rows = [
        StatusRow("now", f"{name_of(op)}, for {duration(seconds_since(op.at.time))}", "cyan")
        for op in under_way(x)
    ]
    retries = [running.retry.words for running in s.progress.open.values() if running.retry]
    if is_live(x):
        rows += [
            StatusRow("trouble", f"no answer from the model, {words}", "yellow", whole=True)
            for words in retries
        ]
    if waits:
        left = duration(seconds_until(waits.until)) if waits.until else ""
        runs_on = ", also while it is paused" if pause and waits.what == "answer" else ""
        when = (
            f"until {clock(waits.until)} (in {left}{runs_on})"
            if waits.until
            else f"since {clock(waits.since)}"
        )
        text = f"{fault_words(waits.what)} {when}: {waits.why}"
        rows.append(StatusRow("waiting", text, "yellow", whole=True))
    elif s.people.question and not s.judgement.ended:
        rows.append(StatusRow("question", s.people.question, "yellow", whole=True))
    if pause:
        since = f"since {clock(pause.since)}, {duration(seconds_since(pause.since))}"
        rows.append(StatusRow("paused", f"{since if pause.since else 'after this'}, by {pause.by}", "yellow"))
    if state_of(x) == "stopping":
        when = "after this iteration" if s.people.stop == "graceful" else "at once"
        rows.append(StatusRow("stopping", when, "yellow"))
    return rows


def _hat_rows(x: Loop) -> list[StatusRow]:
    """Whose turn it is, what waits, and the items of a board: those that are not through come first."""
    s, idle = x.state, idle_wait(x)
    if s.identity.policy.routing is None:
        return []
    rows = [StatusRow("hat", worn_text(x), "cyan")] if worn_text(x) else []
    if idle and x.idle:
        since = f"since {clock(x.idle.time)}, {duration(seconds_since(x.idle.time))}"
        until = idle.started.until
        left = f"; looks again in {duration(seconds_until(until))}" if until else ""
        rows.append(StatusRow("idle", since + left, "yellow"))
    rows += [StatusRow("queue", queue_text(s))] if s.hats.turns.pending else []
    order = sorted(s.hats.board.items.values(), key=lambda item: (item.done and not item.failed, item.failed))
    items = [
        (f"{cut(item.name, 40)}  {item_text(item, s)}", "yellow" if item.failed else "") for item in order
    ]
    return rows + listed("items", items[:_ITEMS_SHOWN], len(items) - _ITEMS_SHOWN)


def _message_rows(x: Loop) -> list[StatusRow]:
    """What people said: what no one has read yet, and the last that someone has."""
    messages = list(x.messages.values())
    unread = [one for one in messages if one.iteration is None]
    shown = unread[-_TOLD_SHOWN:] or messages[-1:]
    rows = listed("told", [(_told(one), "" if one.iteration else "yellow") for one in shown])
    more = len(unread) - _TOLD_SHOWN
    return [*rows, StatusRow("", f"and {more} more not read yet")] if more > 0 else rows


def _told(one: Message) -> str:
    read = f"read by iteration {one.iteration}" if one.iteration else "not read yet"
    return f"{read}{f' (for {one.said.hat})' if one.said.hat else ''}: {cut(one.said.text, 200)}"


def _gate_rows(x: Loop) -> list[StatusRow]:
    gates = gate_standings(x)
    if not gates:
        return (
            [] if x.state.judgement.ended else [StatusRow("gates", "none: nothing will be proven", "yellow")]
        )
    # What is wrong or under way comes first, should there be more gates than room.
    order = sorted(gates, key=lambda one: (colour_of(one.verdict) in ("", "green"), not one.running))
    shown = gates if len(gates) <= _GATES_SHOWN else order[: _GATES_SHOWN - 1]
    names = [cut(one.gate.name, 20) + ("" if one.gate.hard else " (soft)") for one in shown]
    verdicts = [_verdict(one, x.state.judgement.proof) for one in shown]
    wide, wider = max(map(len, names)), max(map(len, verdicts))
    rows = listed(
        "gates",
        [
            (
                f"{name:<{wide}}  {word:<{wider}}  {_about(one)}",
                "cyan" if one.running else colour_of(one.verdict),
            )
            for name, word, one in zip(names, verdicts, shown, strict=True)
        ],
    )
    if len(shown) < len(gates):
        rest = order[len(shown) :]
        green = sum(colour_of(one.verdict) == "green" for one in rest)
        rows.append(StatusRow("", f"and {len(rest)} more, {green} of them green"))
    return rows


def _verdict(one: GateStanding, proof: dict[str, str]) -> str:
    return "running" if one.running else proof.get(one.gate.name) or one.verdict or "not run yet"


def _about(one: GateStanding) -> str:
    if one.running:
        return f"for {duration(seconds_since(one.running.at.time))}"
    took = f"{duration(one.last.seconds)}  " if one.last else ""
    headline = f": {one.headline}" if one.headline else ""
    return f"{took}{one.about}{headline}"


def _figure_rows(x: Loop) -> list[StatusRow]:
    s, limits, number = x.state, x.state.identity.policy.limits, iteration_under_way(x)
    now = f", number {number} under way" if number else ""
    most = f" of {duration(limits.hard_seconds)}" if limits.hard_seconds else ""
    rows = [
        StatusRow("iterations", f"{s.progress.iterations} of {limits.max_iterations}{now}"),
        StatusRow("attempts", f"{s.judgement.attempts} of {limits.max_attempts} rejected"),
        StatusRow("active", f"{duration(round(s.progress.active_seconds, 1))}{most}"),
    ]
    if told := spent(s.progress.tokens, s.progress.cost_usd, estimated=s.progress.estimated):
        rows.append(StatusRow("spent", ", ".join(told)))
    if x.models:
        rows.append(StatusRow("model", x.models[-1]))
    return rows


def _warning_rows(x: Loop) -> list[StatusRow]:
    warnings = x.state.warnings.lines
    rows = [StatusRow("warning", text, "yellow") for text in warnings[-_WARNINGS_SHOWN:]]
    return rows + listed("", (), len(warnings) - _WARNINGS_SHOWN)


# -- on the screen -------------------------------------------------------------------------------------


def _screen(rows: list[StatusRow]) -> list[str]:
    """On a terminal no line is wider than it, and colours unless they are unwanted; else plain and whole."""
    terminal = sys.stdout.isatty()
    width = max(40, shutil.get_terminal_size().columns) if terminal else 0
    coloured = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    labelled = any(row.label for row in rows)
    shown: list[str] = []
    for index, row in enumerate(rows):
        margin = f"{row.label:<12}" if labelled and index else ""
        for text in _fitted(one_line(row.text), width - len(margin) if width else 0, row.whole):
            line = margin + (_style(text, row.colour) if coloured and row.colour else text)
            shown.append(line.rstrip())
            margin = " " * len(margin)
    return shown


def _fitted(text: str, width: int, whole: bool) -> list[str]:
    if not width or width_of(text) <= width:
        return [text]
    return textwrap.wrap(text, width, max_lines=4, placeholder=" …") if whole else [fitted(text, width)]


def _style(text: str, colour: str) -> str:
    return click.style(text, bold=True) if colour == "bold" else click.style(text, fg=colour)
