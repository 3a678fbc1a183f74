"""The live block of a run over a backlog: one line for the run, one for each loop. Pure: what was seen, a size and a time in.

Text of agents and gates comes last in its row, so that nothing is aligned after it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import DONE
from ralph.core.loop.decide import Land, Operation, Prepare, RunGate, decide
from ralph.core.loop.state import LoopState, Running
from ralph.terminal.loop_block import GAP, ROOMY, WIDE, LiveLoop, Now, clock
from ralph.terminal.screen import Style, TextSpan, cut, draw, pad, width_of
from ralph.terminal.words import cost, one_line

LONGEST_ID = 16
SHORTEST_WHAT, LONGEST_WHAT = 12, 24
SHORTEST_TITLE, LONGEST_TITLE = 8, 40


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
    members: list[LiveLoop], tally: Tally, width: int, height: int, now: Now, *, colour: bool = False
) -> list[str]:
    """At most height - 1 lines of at most width - 1 columns."""
    width -= 1
    room = max(1, min(height - 1, max(8, height * 2 // 3))) - 1
    shown = members if len(members) <= room else members[: max(0, room - 1)]
    rows = [_cells(member, now, width) for member in shown]
    lines = [_run(members, tally, width, now, colour), *_table(rows, width, colour)]
    if room and len(shown) < len(members):
        lines.append(draw((TextSpan(f" and {len(members) - len(shown)} more", "dim"),), width, colour))
    return lines


def _run(members: list[LiveLoop], tally: Tally, width: int, now: Now, colour: bool) -> str:
    stops = {m.loop.state.people.stop for m in members if m.loop.state.people.stop}
    hint = "Ctrl-C again ends it at once" if "interrupt" in stops else "Ctrl-C stops"
    end = f" {hint} ──" if width >= ROOMY else ""
    room = width - len(end) - 2
    spent = [m.loop.state.spent() for m in members]
    usd, tokens = tally.cost_usd + sum(s.cost_usd for s in spent), tally.tokens + sum(s.tokens for s in spent)
    estimated = tally.estimated or any(m.loop.state.progress.estimated for m in members)
    left = [
        TextSpan("── ", "dim"),
        TextSpan(f"{tally.done} done", "green" if tally.done else ""),
        TextSpan(", "),
        TextSpan(f"{tally.failed} not", "yellow" if tally.failed else ""),
        TextSpan(f", {tally.left} left"),
        TextSpan(f"{GAP}{clock(now.clock - tally.began)}", "bold"),
    ]
    if usd or tokens:
        left.append(TextSpan(GAP + (cost(usd, estimated=estimated) if usd else f"{tokens:,} tokens")))
    if stops:
        left.append(TextSpan(f"{GAP}stopping", "yellow"))
    if tally.reviewer:
        left.append(
            TextSpan(f"{GAP}{one_line(tally.reviewer)} reviews the run {clock(now.clock - tally.reviewing)}")
        )
    elif not members:
        left.append(TextSpan(f"{GAP}waits for a task", "dim"))
    rule = "─" * (room - width_of(draw(left, room, False)) + 1)
    return draw(left, room, colour) + draw((TextSpan(f" {rule}{end}", "dim"),), width, colour)


# -- one loop --------------------------------------------------------------------------------------


def _cells(m: LiveLoop, now: Now, width: int) -> _Cells:
    s, running = m.loop.state, next(iter(m.loop.state.progress.open.values()), None)
    number = s.progress.iterations + any(r.what == "iteration" for r in s.progress.open.values())
    most = s.identity.policy.limits.max_iterations
    what, style = _what(m, running)
    spent = s.spent()
    told = [cost(spent.cost_usd, estimated=s.progress.estimated)] if spent.cost_usd else []
    if spent.tokens and (width >= WIDE or not told):
        told.insert(0, f"{spent.tokens:,} tokens")
    return _Cells(
        name=one_line(s.identity.task.id),
        title=one_line(s.identity.task.title),
        iteration=f"{number}/{most}" if most > 0 else str(number),
        what=one_line(what),
        style=style,
        seconds=_seconds(m, running, now),
        spent=GAP.join(told),
        doing=one_line(m.doing()) if running is not None and running.what != "wait" else "",
    )


def _what(m: LiveLoop, running: Running | None) -> tuple[str, Style]:
    if running is None:
        wanted = next(iter(decide(m.loop.state)), None)
        return _WANTED.get(type(wanted), "goes on") + _gate_of(wanted), "dim"
    if running.what == "iteration":
        it = m.loop.iterations.get(m.loop.state.progress.serial)
        hat = it.started.hat if it else ""
        return f"agent as {hat}" if hat else "agent", ""
    if running.what == "gate":
        return f"gate {running.gate}", ""
    due = m.loop.state.agents.wait_due
    return f"waits: {due.what}" if due else "waits", "yellow"


_WANTED: dict[type, str] = {Prepare: "begins", RunGate: "waits for gate", Land: "waits to land"}


def _gate_of(wanted: Operation | None) -> str:
    return f" {wanted.gate}" if isinstance(wanted, RunGate) else ""


def _seconds(m: LiveLoop, running: Running | None, now: Now) -> str:
    due = m.loop.state.agents.wait_due
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
                TextSpan(f" {pad(r.name, names)}  ", "bold"),
                TextSpan(f"{pad(r.title, titles)}  "),
                TextSpan(f"{r.iteration:>{numbers}}  "),
                TextSpan(pad(r.what, whats), r.style),
                TextSpan(f" {r.seconds:>{clocks}}"),
                TextSpan(f"{GAP}{pad(r.spent, spents)}" if spents else ""),
                TextSpan(f"{GAP}{r.doing}" if r.doing else "", "dim"),
            ),
            width,
            colour,
        )
        for r in rows
    ]


def _narrow(r: _Cells, names: int, numbers: int, width: int, colour: bool) -> str:
    """What it does comes before what it is called."""
    spans = (
        TextSpan(f"{pad(r.name, min(names, 8))} ", "bold"),
        TextSpan(f"{r.iteration:>{numbers}} "),
        TextSpan(f"{cut(r.what, 16)} ", r.style),
        TextSpan(f"{r.seconds} "),
        TextSpan(r.title, "dim"),
    )
    return draw(spans, width, colour)


class RunSubject:
    """`left` counts the tasks that nobody has begun; it is asked when a loop begins or ends, not for every frame."""

    def __init__(self, left: Callable[[], int], clock: float) -> None:
        self._left = left
        self._tally = Tally(began=clock)
        self._live: dict[str, LiveLoop] = {}  # of loops that are not over, by task
        self._ended: dict[str, bool] = {}  # task -> whether it is done
        self._running = False

    def fact(self, fact: f.AnyFact, s: LoopState, clock: float) -> None:
        if isinstance(fact, f.RunStarted | f.RunEnded):
            self._running = isinstance(fact, f.RunStarted)
        if isinstance(fact, f.RunStarted | f.BacklogWritten):
            self._tally = replace(self._tally, left=self._left())
        if isinstance(fact, f.RunReviewStarted | f.RunReviewed):
            reviewer = fact.gate if isinstance(fact, f.RunReviewStarted) else ""
            self._tally = replace(self._tally, reviewer=reviewer, reviewing=clock)
        if not s.started:
            return
        task = s.identity.task.id
        if isinstance(fact, f.LoopEnded):
            self._over(s)
        elif s.judgement.ended is None:
            self._live.setdefault(task, LiveLoop()).fact(fact, s, clock)
            if isinstance(fact, f.LoopStarted | f.LoopResumed):
                self._ended.pop(task, None)
                self._count()

    def _over(self, s: LoopState) -> None:
        self._live.pop(s.identity.task.id, None)
        self._ended[s.identity.task.id] = s.judgement.ended in DONE
        self._tally = replace(
            self._tally,
            cost_usd=self._tally.cost_usd + s.progress.cost_usd,
            tokens=self._tally.tokens + s.progress.tokens,
            estimated=self._tally.estimated or s.progress.estimated,
        )
        self._count()

    def _count(self) -> None:
        done = sum(self._ended.values())
        self._tally = replace(self._tally, done=done, failed=len(self._ended) - done, left=self._left())

    def heard(self, task: str, text: str) -> None:
        if task in self._live:
            self._live[task].heard(text)

    def felt(self, s: LoopState) -> None:
        """Usage and ticks, which are no facts."""
        if s.identity.task.id in self._live:
            self._live[s.identity.task.id].loop.state = s

    def block(self, width: int, height: int, now: Now, *, colour: bool) -> list[str]:
        if not self._running:
            return []
        return render(list(self._live.values()), self._tally, width, height, now, colour=colour)

    def until_next_second(self, now: Now) -> float:
        return 1.0 - (now.clock - self._tally.began) % 1.0 + 0.002
