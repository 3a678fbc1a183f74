"""`ralph status`: what runs here, since when, what it waits for and what to do, on one screen. Also of a live run."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap

import click
import msgspec

from ralph.cli.context import here
from ralph.cli.output import clock, cut, seconds_since, seconds_until
from ralph.cli.show.status_model import GateStatus, NotificationStatus, Status, StatusPlace, look
from ralph.core.exits import BY_NAME
from ralph.terminal.words import colour_of, one_line, spent
from ralph.text import duration

_GATES_SHOWN = 6
_WARNINGS_SHOWN = 3
_TOLD_SHOWN = 3
_ITEMS_SHOWN = 8
COLOURS = {"good": "green", "unsure": "yellow", "bad": "red"}


class StatusRow(msgspec.Struct, frozen=True):
    label: str
    text: str
    colour: str = ""
    whole: bool = False  # broken over lines rather than cut


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def status(as_json: bool) -> None:
    """What runs here, since when, what it waits for, and what to do next.

    \b
    Examples:
      ralph status
      ralph status --json
    """
    place = look(here())
    if as_json:
        import json

        click.echo(json.dumps(place.as_json()))
        return
    for line in _screen(_rows(place)):
        click.echo(line)


def _rows(place: StatusPlace) -> list[StatusRow]:
    if place.backlog is not None:
        from ralph.cli.show.backlog_status import rows_of

        return [_head(place), *rows_of(place.backlog)]
    x = place.loop
    if x is None:
        begin = StatusRow("", 'No loop yet. Start with `ralph run -p "..."`.', whole=True)
        return [_head(place), *(() if place.live else (begin,))]
    return [
        _head(place),
        StatusRow("task", f"{x.task}: {x.title}"),
        *_end_rows(x),
        *_now_rows(x),
        *_hat_rows(x),
        *_gate_rows(x),
        *_figure_rows(x),
        *_told_rows(x),
        *([StatusRow("said", f"in iteration {x.said.iteration}: {x.said.text}")] if x.said else []),
        *_warning_rows(x),
        StatusRow("next", x.next, "bold", whole=True),
    ]


def _head(place: StatusPlace) -> StatusRow:
    if place.live is None:
        return StatusRow("", "not running", "bold")
    since = str(place.live.get("since") or "")
    how_long = f", since {clock(since)}, {duration(seconds_since(since))}" if since else ""
    where = f" in {place.elsewhere}" if place.elsewhere else ""
    return StatusRow("", f"running (pid {place.live.get('pid')}{how_long}){where}", "green")


def _end_rows(x: Status) -> list[StatusRow]:
    if x.state == "died":
        return [StatusRow("end", "none: the run died", "red")]
    if not x.end:
        return []
    limit = f" ({x.limit})" if x.limit else ""
    colour = COLOURS[BY_NAME[x.end].tone]
    rows = [StatusRow("end", f"{x.end}{limit}: {x.reason}", colour, whole=True)]
    if x.question and x.end and x.question not in x.reason:
        rows.append(StatusRow("question", x.question, whole=True))
    return rows


def _now_rows(x: Status) -> list[StatusRow]:
    rows = [StatusRow("now", f"{op.name}, for {duration(op.seconds)}", "cyan") for op in x.operations]
    if x.waiting:
        until = f"{x.waiting.what} until {clock(x.waiting.until)}"
        left = duration(seconds_until(x.waiting.until))
        runs_on = ", also while it is paused" if x.paused and x.waiting.what == "answer" else ""
        rows.append(
            StatusRow("waiting", f"{until} (in {left}{runs_on}): {x.waiting.why}", "yellow", whole=True)
        )
    elif x.question and not x.end:
        rows.append(StatusRow("question", x.question, "yellow", whole=True))
    if x.paused:
        since = f"since {clock(x.paused.since)}, {duration(seconds_since(x.paused.since))}"
        rows.append(
            StatusRow("paused", f"{since if x.paused.since else 'after this'}, by {x.paused.by}", "yellow")
        )
    if x.state == "stopping":
        when = "after this iteration" if x.stopping == "graceful" else "at once"
        rows.append(StatusRow("stopping", when, "yellow"))
    return rows


def _hat_rows(x: Status) -> list[StatusRow]:
    """Whose turn it is, what waits, and the items of a board: those that are not through come first."""
    if x.hats is None:
        return []
    from ralph.cli.show.status_model import item_text, queue_text, worn_text

    rows = [StatusRow("hat", worn_text(x.hats), "cyan")] if worn_text(x.hats) else []
    if x.hats.idle_since:
        since = f"since {clock(x.hats.idle_since)}, {duration(seconds_since(x.hats.idle_since))}"
        left = f"; looks again in {duration(seconds_until(x.hats.idle_until))}" if x.hats.idle_until else ""
        rows.append(StatusRow("idle", since + left, "yellow"))
    rows += [StatusRow("queue", queue_text(x.hats))] if x.hats.queue else []
    order = sorted(x.hats.items, key=lambda item: (item.state == "through", item.state == "given up"))
    for index, item in enumerate(order[:_ITEMS_SHOWN]):
        text = f"{cut(item.name, 40)}  {item_text(item, estimated=x.estimated)}"
        rows.append(StatusRow("" if index else "items", text, "yellow" if item.state == "given up" else ""))
    if (more := len(order) - _ITEMS_SHOWN) > 0:
        rows.append(StatusRow("", f"and {more} more: `ralph status --json` has them all"))
    return rows


def _told_rows(x: Status) -> list[StatusRow]:
    """What people said: what nobody has read yet, and the last that somebody has."""
    unread = [one for one in x.told if one.iteration is None]
    shown = unread[-_TOLD_SHOWN:] or x.told[-1:]
    rows = [
        StatusRow(
            "told" if not index else "",
            f"{_read(one)}{f' (for {one.hat})' if one.hat else ''}: {cut(one.text, 200)}",
            "" if one.iteration else "yellow",
        )
        for index, one in enumerate(shown)
    ]
    more = len(unread) - _TOLD_SHOWN
    return [*rows, StatusRow("", f"and {more} more not read yet")] if more > 0 else rows


def _read(one: NotificationStatus) -> str:
    return f"read by iteration {one.iteration}" if one.iteration else "not read yet"


def _gate_rows(x: Status) -> list[StatusRow]:
    if not x.gates:
        return [] if x.end else [StatusRow("gates", "none: nothing will be proven", "yellow")]
    # What is wrong or under way comes first, should there be more gates than room.
    order = sorted(
        x.gates, key=lambda gate: (colour_of(gate.verdict) in ("", "green"), not gate.running_since)
    )
    shown = x.gates if len(x.gates) <= _GATES_SHOWN else order[: _GATES_SHOWN - 1]
    names = [cut(gate.name, 20) + ("" if gate.hard else " (soft)") for gate in shown]
    verdicts = [_verdict(gate, x.proof) for gate in shown]
    rows = [
        StatusRow(
            "" if index else "gates",
            f"{names[index]:<{max(map(len, names))}}  {verdicts[index]:<{max(map(len, verdicts))}}  {_about(gate)}",
            "cyan" if gate.running_since else colour_of(gate.verdict),
        )
        for index, gate in enumerate(shown)
    ]
    if len(shown) < len(x.gates):
        rest = order[len(shown) :]
        green = sum(colour_of(gate.verdict) == "green" for gate in rest)
        rows.append(StatusRow("", f"and {len(rest)} more, {green} of them green"))
    return rows


def _verdict(gate: GateStatus, proof: dict[str, str]) -> str:
    return "running" if gate.running_since else proof.get(gate.name) or gate.verdict or "not run yet"


def _about(gate: GateStatus) -> str:
    if gate.running_since:
        return f"for {duration(seconds_since(gate.running_since))}"
    took = f"{duration(gate.seconds)}  " if gate.seconds is not None else ""
    headline = f": {gate.headline}" if gate.headline else ""
    return f"{took}{gate.about}{headline}"


def _figure_rows(x: Status) -> list[StatusRow]:
    now = f", number {x.iteration} under way" if x.iteration else ""
    most = f" of {duration(x.max_seconds)}" if x.max_seconds else ""
    rows = [
        StatusRow("iterations", f"{x.iterations} of {x.max_iterations}{now}"),
        StatusRow("attempts", f"{x.attempts} of {x.max_attempts} turned down"),
        StatusRow("active", f"{duration(x.active_seconds)}{most}"),
    ]
    if told := spent(x.tokens, x.cost_usd, estimated=x.estimated):
        rows.append(StatusRow("spent", ", ".join(told)))
    return rows


def _warning_rows(x: Status) -> list[StatusRow]:
    rows = [StatusRow("warning", text, "yellow") for text in x.warnings[-_WARNINGS_SHOWN:]]
    if (more := len(x.warnings) - _WARNINGS_SHOWN) > 0:
        rows.append(StatusRow("", f"and {more} more: `ralph status --json` has them all"))
    return rows


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
    if not width or _cells(text) <= width:
        return [text]
    if whole:
        return textwrap.wrap(text, width, max_lines=4, placeholder=" …") or [""]
    kept, room = 0, width - 1
    while room >= _cells(text[kept]):
        room -= _cells(text[kept])
        kept += 1
    return [text[:kept] + "…"]


def _cells(text: str) -> int:
    """How many columns of a terminal it takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def _style(text: str, colour: str) -> str:
    return click.style(text, bold=True) if colour == "bold" else click.style(text, fg=colour)
