"""The live block of a run over a backlog: one line for the run, one for each loop. Pure: what was seen, a size and a time in.

Text of agents and gates comes last in its row, so that nothing is aligned after it.
"""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import msgspec

from ralph.core.decide import Land, Operation, Prepare, RunGate, decide
from ralph.core.state import LoopState, Running
from ralph.ui.block import GAP, ROOMY, WIDE, clock
from ralph.ui.columns import Span, Style, cut, draw, pad, width_of
from ralph.ui.seen import Now
from ralph.ui.spending import cost
from ralph.ui.terminal import one_line

LONGEST_ID = 16
SHORTEST_WHAT, LONGEST_WHAT = 12, 24
SHORTEST_TITLE, LONGEST_TITLE = 8, 40


class Member(msgspec.Struct, frozen=True):
    """A loop of the run that is not over."""

    state: LoopState
    since: float  # when what it does now began, by the clock
    hat: str = ""
    doing: str = ""  # the last tool or line


class Tally(msgspec.Struct, frozen=True):
    """The run as a whole."""

    began: float
    done: int = 0
    failed: int = 0
    left: int = 0
    cost_usd: float = 0.0  # of loops that are over
    tokens: int = 0
    estimated: bool = False
    reviewer: str = ""  # who looks at the whole run, once every task is over
    reviewing: float = 0.0  # since when, by the clock


class _Cells(NamedTuple):
    name: str
    title: str
    iteration: str
    what: str
    style: Style
    seconds: str
    spent: str
    doing: str


def render(
    members: list[Member], tally: Tally, width: int, height: int, now: Now, *, colour: bool = False
) -> list[str]:
    """At most height - 1 lines of at most width - 1 columns."""
    width -= 1
    room = max(1, min(height - 1, max(8, height * 2 // 3))) - 1
    shown = members if len(members) <= room else members[: max(0, room - 1)]
    rows = [_cells(member, now, width) for member in shown]
    lines = [_run(members, tally, width, now, colour), *_table(rows, width, colour)]
    if room and len(shown) < len(members):
        lines.append(draw((Span(f" and {len(members) - len(shown)} more", "dim"),), width, colour))
    return lines


def _run(members: list[Member], tally: Tally, width: int, now: Now, colour: bool) -> str:
    stops = {m.state.stop for m in members if m.state.stop}
    hint = "Ctrl-C again ends it at once" if "interrupt" in stops else "Ctrl-C stops"
    end = f" {hint} ──" if width >= ROOMY else ""
    room = width - len(end) - 2
    spent = [m.state.spent() for m in members]
    usd, tokens = tally.cost_usd + sum(s.cost_usd for s in spent), tally.tokens + sum(s.tokens for s in spent)
    estimated = tally.estimated or any(m.state.estimated for m in members)
    left = [
        Span("── ", "dim"),
        Span(f"{tally.done} done", "green" if tally.done else ""),
        Span(", "),
        Span(f"{tally.failed} not", "yellow" if tally.failed else ""),
        Span(f", {tally.left} left"),
        Span(f"{GAP}{clock(now.clock - tally.began)}", "bold"),
    ]
    if usd or tokens:
        left.append(Span(GAP + (cost(usd, estimated=estimated) if usd else f"{tokens:,} tokens")))
    if stops:
        left.append(Span(f"{GAP}stopping", "yellow"))
    if tally.reviewer:
        left.append(
            Span(f"{GAP}{one_line(tally.reviewer)} reviews the run {clock(now.clock - tally.reviewing)}")
        )
    elif not members:
        left.append(Span(f"{GAP}waits for a task", "dim"))
    rule = "─" * (room - width_of(draw(left, room, False)) + 1)
    return draw(left, room, colour) + draw((Span(f" {rule}{end}", "dim"),), width, colour)


# -- one loop --------------------------------------------------------------------------------------


def _cells(m: Member, now: Now, width: int) -> _Cells:
    s, running = m.state, next(iter(m.state.open.values()), None)
    number = s.iterations + any(r.what == "iteration" for r in s.open.values())
    most = s.policy.limits.max_iterations
    what, style = _what(m, running)
    spent = s.spent()
    told = [cost(spent.cost_usd, estimated=s.estimated)] if spent.cost_usd else []
    if spent.tokens and (width >= WIDE or not told):
        told.insert(0, f"{spent.tokens:,} tokens")
    return _Cells(
        name=one_line(s.task.id),
        title=one_line(s.task.title),
        iteration=f"{number}/{most}" if most > 0 else str(number),
        what=one_line(what),
        style=style,
        seconds=_seconds(m, running, now),
        spent=GAP.join(told),
        doing=one_line(m.doing) if running is not None and running.what != "wait" else "",
    )


def _what(m: Member, running: Running | None) -> tuple[str, Style]:
    if running is None:
        wanted = next(iter(decide(m.state)), None)
        return _WANTED.get(type(wanted), "goes on") + _gate_of(wanted), "dim"
    if running.what == "iteration":
        return f"agent as {m.hat}" if m.hat else "agent", ""
    if running.what == "gate":
        return f"gate {running.gate}", ""
    due = m.state.wait_due
    return f"waits: {due.what}" if due else "waits", "yellow"


_WANTED: dict[type, str] = {Prepare: "begins", RunGate: "waits for gate", Land: "waits to land"}


def _gate_of(wanted: Operation | None) -> str:
    return f" {wanted.gate}" if isinstance(wanted, RunGate) else ""


def _seconds(m: Member, running: Running | None, now: Now) -> str:
    due = m.state.wait_due
    if running is not None and running.what == "wait" and due is not None and due.until:
        return f"-{clock(max(0.0, (datetime.fromisoformat(due.until) - now.wall).total_seconds()))}"
    return clock(max(0.0, now.clock - m.since))


# -- columns ---------------------------------------------------------------------------------------


def _table(rows: list[_Cells], width: int, colour: bool) -> list[str]:
    if not rows:
        return []
    names = min(LONGEST_ID, max(width_of(r.name) for r in rows))
    numbers = max(len(r.iteration) for r in rows)
    whats = min(LONGEST_WHAT, max(SHORTEST_WHAT, *(width_of(r.what) for r in rows)))
    clocks = max(len(r.seconds) for r in rows)
    if width < ROOMY:
        return [_narrow(r, names, numbers, width, colour) for r in rows]
    spents = max(width_of(r.spent) for r in rows)
    taken = 1 + names + 2 + 2 + numbers + 2 + whats + 1 + clocks + (len(GAP) + spents if spents else 0)
    longest = min(LONGEST_TITLE, max(width_of(r.title) for r in rows))
    titles = max(SHORTEST_TITLE, min(longest, width - taken))
    return [
        draw(
            (
                Span(f" {pad(r.name, names)}  ", "bold"),
                Span(f"{pad(r.title, titles)}  "),
                Span(f"{r.iteration:>{numbers}}  "),
                Span(pad(r.what, whats), r.style),
                Span(f" {r.seconds:>{clocks}}"),
                Span(f"{GAP}{pad(r.spent, spents)}" if spents else ""),
                Span(f"{GAP}{r.doing}" if r.doing else "", "dim"),
            ),
            width,
            colour,
        )
        for r in rows
    ]


def _narrow(r: _Cells, names: int, numbers: int, width: int, colour: bool) -> str:
    """What it does comes before what it is called."""
    spans = (
        Span(f"{pad(r.name, min(names, 8))} ", "bold"),
        Span(f"{r.iteration:>{numbers}} "),
        Span(f"{cut(r.what, 16)} ", r.style),
        Span(f"{r.seconds} "),
        Span(r.title, "dim"),
    )
    return draw(spans, width, colour)
