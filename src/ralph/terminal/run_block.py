"""The live block of a run over a backlog: one line for the run, one for each loop. Pure: what was seen, a size and a time in.

Text of agents and gates comes last in its row, so that nothing is aligned after it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from ralph.core import facts as f
from ralph.core.exits import DONE
from ralph.core.loop.decide import Land, Operation, Prepare, RunGate, decide
from ralph.core.loop.state import LoopState, Running
from ralph.terminal.loop_block import GAP, ROOMY, WIDE, LiveLoop, Now, clock, ruled
from ralph.terminal.screen import Style, TextSpan, cut, draw, pad, width_of
from ralph.terminal.words import cost, one_line

LONGEST_ID = 16
SHORTEST_WHAT, LONGEST_WHAT = 12, 24
SHORTEST_TITLE, LONGEST_TITLE = 8, 40


class _Cells(NamedTuple):
    name: str
    title: str
    iteration: str
    what: str
    style: Style
    seconds: str
    spent: str
    doing: str


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
    """`left` counts the tasks that no one has begun; it is asked when a loop begins or ends, not for every frame."""

    def __init__(self, left: Callable[[], int], clock: float) -> None:
        self._left = left
        self._queued = 0  # what it said last
        self._began = clock
        self._live: dict[str, LiveLoop] = {}  # of loops that are not over, by task
        self._ended: dict[str, bool] = {}  # task -> whether it is done
        self._tokens, self._cost_usd, self._estimated = 0, 0.0, False  # of loops that are over
        self._reviewer, self._reviewing = "", 0.0  # who looks at the whole run, and since when
        self._running = False

    def fact(self, fact: f.AnyFact, s: LoopState, clock: float) -> None:
        if isinstance(fact, f.RunStarted | f.RunEnded):
            self._running = isinstance(fact, f.RunStarted)
        if isinstance(fact, f.RunReviewStarted | f.RunReviewed):
            self._reviewer = fact.gate if isinstance(fact, f.RunReviewStarted) else ""
            self._reviewing = clock
        if s.started:
            self._of_loop(fact, s, clock)
        if isinstance(fact, f.RunStarted | f.BacklogWritten | f.LoopStarted | f.LoopResumed | f.LoopEnded):
            self._queued = self._left()

    def _of_loop(self, fact: f.AnyFact, s: LoopState, clock: float) -> None:
        task = s.identity.task.id
        if isinstance(fact, f.LoopEnded):
            self._live.pop(task, None)
            self._ended[task] = s.judgement.ended in DONE
            self._tokens += s.progress.tokens
            self._cost_usd += s.progress.cost_usd
            self._estimated |= s.progress.estimated
        elif s.judgement.ended is None:
            self._live.setdefault(task, LiveLoop()).fact(fact, s, clock)
            if isinstance(fact, f.LoopStarted | f.LoopResumed):
                self._ended.pop(task, None)

    def heard(self, task: str, text: str) -> None:
        if task in self._live:
            self._live[task].heard(text)

    def felt(self, s: LoopState) -> None:
        """Usage and ticks, which are no facts."""
        if s.identity.task.id in self._live:
            self._live[s.identity.task.id].loop.state = s

    def block(self, width: int, height: int, now: Now, *, colour: bool) -> list[str]:
        """At most height - 1 lines of at most width - 1 columns."""
        if not self._running:
            return []
        width -= 1
        members = list(self._live.values())
        room = max(1, min(height - 1, max(8, height * 2 // 3))) - 1
        shown = members if len(members) <= room else members[: max(0, room - 1)]
        rows = [_cells(member, now, width) for member in shown]
        lines = [self._head(members, width, now, colour), *_table(rows, width, colour)]
        if room and len(shown) < len(members):
            lines.append(draw((TextSpan(f" and {len(members) - len(shown)} more", "dim"),), width, colour))
        return lines

    def until_next_second(self, now: Now) -> float:
        return 1.0 - (now.clock - self._began) % 1.0 + 0.002

    def _head(self, members: list[LiveLoop], width: int, now: Now, colour: bool) -> str:
        """The run as a whole."""
        states = [m.loop.state for m in members]
        stops = {s.people.stop for s in states if s.people.stop}
        spent = [s.spent() for s in states]
        usd, tokens = (
            self._cost_usd + sum(x.cost_usd for x in spent),
            self._tokens + sum(x.tokens for x in spent),
        )
        estimated = self._estimated or any(s.progress.estimated for s in states)
        done = sum(self._ended.values())
        failed = len(self._ended) - done
        left = [
            TextSpan("── ", "dim"),
            TextSpan(f"{done} done", "green" if done else ""),
            TextSpan(", "),
            TextSpan(f"{failed} not done", "yellow" if failed else ""),
            TextSpan(f", {self._queued} queued"),
            TextSpan(f"{GAP}{clock(now.clock - self._began)}", "bold"),
        ]
        if usd or tokens:
            left.append(TextSpan(GAP + (cost(usd, estimated=estimated) if usd else f"{tokens:,} tokens")))
        if stops:
            left.append(TextSpan(f"{GAP}stopping", "yellow"))
        if self._reviewer:
            since = clock(now.clock - self._reviewing)
            left.append(TextSpan(f"{GAP}{one_line(self._reviewer)} reviews the run {since}"))
        elif not members:
            left.append(TextSpan(f"{GAP}waits for a task", "dim"))
        return ruled(left, width, colour, interrupted="interrupt" in stops)
