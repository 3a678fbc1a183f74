"""What the live block says of hats: who is worn and why, what waits, and how the board stands. Pure."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from ralph.core import facts as f
from ralph.core.hats.event_log import about, title
from ralph.core.hats.steps import COOLDOWN, IDLE
from ralph.core.loop import steering
from ralph.core.loop.decide import shift_level
from ralph.core.loop.state import LoopState, Running
from ralph.core.policy import GatePolicy
from ralph.core.proof import run_words
from ralph.history.gates import GateRun
from ralph.history.loops import Loop
from ralph.history.moments import At
from ralph.terminal.activity import LONGEST_READ, activity
from ralph.terminal.lines import own_name
from ralph.terminal.screen import Style, TextSpan, draw, pad, width_of
from ralph.terminal.words import ESTIMATE, colour_of, cost, fault_words, one_line, verdict
from ralph.text import few

GAP = "   "


def worn(s: LoopState) -> tuple[TextSpan, ...]:
    """The hat of the iteration under way, or whose turn is next; nothing without hats, or while no one has a turn."""
    turn = s.hats.turns.current or next(iter(s.hats.turns.pending), None)
    if s.identity.policy.routing is None or turn is None:
        return ()
    waits = len(s.hats.turns.pending) - (turn in s.hats.turns.pending)
    more = f"{GAP}{waits} more wait" if waits else ""
    name = one_line(title(s, turn.hat))
    on = TextSpan(name, "bold") if s.hats.turns.current else TextSpan(f"next: {name}")
    return (on, TextSpan(f"{GAP}{about(turn.events)}" if turn.events else ""), TextSpan(more, "dim"))


def board(s: LoopState) -> tuple[TextSpan, ...]:
    """How many items are where, and what they cost; nothing without a board that Ralph scans."""
    items = s.hats.board.items.values()
    if not items:
        return ()
    left = (item for item in items if not item.done)
    there = Counter(f"in {one_line(item.folder)}/" if item.folder else "dispatched" for item in left)
    through = sum(item.done and not item.failed for item in items)
    failed = sum(item.failed for item in items)
    told = [f"{through} through"] if through else []
    told += [f"{count} {where}" for where, count in there.items()]
    spent = sum(item.cost_usd for item in items)
    spans = [TextSpan(few(told, 4))]
    if failed:
        spans.append(TextSpan(f"{', ' if told else ''}{failed} given up", "yellow"))
    if spent:
        spans.append(TextSpan(f"{GAP}{cost(spent, estimated=s.progress.estimated)}", "dim"))
    return tuple(spans)


class Now(NamedTuple):
    """`clock` only ever grows and measures, and a live loop's moments are by it; `wall` is what people call the time."""

    clock: float
    wall: datetime


LINES_KEPT = 20  # of the last ones heard, to find in them what is being done


class LiveLoop:
    """The history of a loop as far as it is shown live: moments are by the clock, and what is over is forgotten."""

    def __init__(self) -> None:
        self.loop = Loop()
        self.since = 0.0  # when what it does now began
        self._recent: deque[str] = deque(maxlen=LINES_KEPT)

    def fact(self, fact: f.AnyFact, s: LoopState, clock: float) -> None:
        began = isinstance(fact, f.IterationStarted | f.GateStarted | f.WaitStarted)
        if began:
            self._recent.clear()
        if began or self.loop.state.progress.open.keys() != s.progress.open.keys():
            self.since = clock
        if isinstance(fact, f.LoopStarted | f.LoopResumed):
            self.loop, self.since = Loop(), clock
        elif isinstance(fact, f.IterationStarted):
            self.loop.forget_past()
        if s.started:
            self.loop.note(fact, At(moment=clock), s)

    def heard(self, text: str) -> None:
        self._recent.append(text[: LONGEST_READ + 1])

    def doing(self) -> str:
        """Found only now: of ten thousand lines a second most are never looked at."""
        return next((told for line in reversed(self._recent) if (told := activity(line))), "")


ROOMY = 60  # columns from which labels stand in a column of their own
WIDE = 99  # columns from which there is room for figures of the starting tree and a longer bar
QUIET_AFTER = 10.0  # seconds without output that are worth a word
LABELS = 10  # columns of the longest
HEADER = 5  # its rank


class BlockRow(NamedTuple):
    rank: int  # of what there is room for, the lowest are shown
    label: str
    spans: tuple[TextSpan, ...]
    style: Style = "dim"  # of the label


def render(
    loop: Loop, width: int, height: int, now: Now, *, doing: str = "", colour: bool = False
) -> list[str]:
    """At most height - 1 lines of at most width - 1 columns; none before the loop begins and after it has ended. `doing`:
    the last tool or line of what is under way."""
    s = loop.state
    if not s.started or s.judgement.ended is not None:
        return []
    width -= 1
    most = max(1, min(height - 1, max(8, height * 2 // 3)))
    rows = [
        BlockRow(HEADER, "", ()),
        *_stopping(s),
        _under_way(loop, doing, now),
        *_hats(s),
        _iteration(s, width),
        _attempt(s),
        _time(loop, now),
        *_spent(s),
        *_warnings(s),
    ]
    gates = _gates(loop, now, width, max(1, most - len(rows)))
    place = next(i for i, row in enumerate(rows) if row.label == "time")
    rows[place:place] = gates
    kept = sorted(sorted(range(len(rows)), key=lambda i: (rows[i].rank, i))[:most])
    return [_drawn(rows[i], s, width, colour) for i in kept]


def _drawn(row: BlockRow, s: LoopState, width: int, colour: bool) -> str:
    if row.rank == HEADER:
        left = (TextSpan("── ", "dim"), *_task(s))
        return ruled(left, width, colour, interrupted=s.people.stop == "interrupt")
    label = f"   {pad(row.label, LABELS)}  " if width >= ROOMY else f"{row.label or ' ' * 5} "
    return draw((TextSpan(label, row.style), *row.spans), width, colour)


def ruled(left: Sequence[TextSpan], width: int, colour: bool, *, interrupted: bool) -> str:
    """The first line: what all this is, and at the end of a rule what to do."""
    hint = "Ctrl-C again ends it at once" if interrupted else "Ctrl-C stops"
    end = f" {hint} ──" if width >= ROOMY else ""
    room = width - len(end) - 2
    rule = "─" * (room - width_of(draw(left, room, False)) + 1)
    return draw(left, room, colour) + draw((TextSpan(f" {rule}{end}", "dim"),), width, colour)


def _task(s: LoopState) -> tuple[TextSpan, ...]:
    name, title = own_name(s.identity.task), one_line(s.identity.task.title)
    if not name:
        return (TextSpan(title, "bold"),)
    return (TextSpan(one_line(name), "bold"), TextSpan(f"  {title}"))


# -- rows ------------------------------------------------------------------------------------------


def _stopping(s: LoopState) -> list[BlockRow]:
    pause, paused = s.people.pause, any(op.startswith(steering.PAUSE) for op in s.progress.open)
    if s.people.stop is not None:
        label, by = "stopping", s.people.stop_by
        when = "after this iteration" if s.people.stop == "graceful" else "now"
    elif pause and not paused:
        label, by, when = "pausing", pause.by, "now" if pause.now else "after what is under way"
    else:
        return []
    return [BlockRow(0, label, (TextSpan(f"{when}: {one_line(by)}", "yellow"),), "yellow")]


def _under_way(loop: Loop, doing: str, now: Now) -> BlockRow:
    s = loop.state
    running = next(iter(s.progress.open.values()), None)
    if running is None:
        what = "weighs the claim" if s.judgement.claim else "goes on"
        what = what if s.workspace.prepared else "looks at the starting tree"
        return BlockRow(1, "ralph", (TextSpan(what, "dim"),))
    if running.op.startswith((IDLE, COOLDOWN)):
        return _resting(running, loop, now)
    if running.what == "wait":
        return _paused(s, _age(running, loop, now)) if s.people.pause else _waiting(s, now)
    seconds = _age(running, loop, now)
    if running.what == "gate":
        gate = s.gate(running.gate)
        limit, run = gate.hard_timeout if gate else 0.0, loop.gate_run(running.op)
        of = ", ".join(filter(None, (running.gate, _looked_at(run) if run else "")))
        spans = [TextSpan(_of(seconds, limit)), TextSpan(f"{GAP}{one_line(of)}")]
        label = "gate"
    else:
        own = s.worn.timeout if s.worn else 0.0
        spans = [TextSpan(_of(seconds, own or s.identity.policy.limits.iteration_hard_seconds))]
        label = "agent"
    if running.retry:
        spans.append(TextSpan(f"{GAP}{one_line(running.retry.words)}", "yellow"))
        return BlockRow(1, label, tuple(spans))
    if running.idle >= QUIET_AFTER:
        spans.append(TextSpan(f"{GAP}quiet for {clock(running.idle)}", "yellow"))
    spans.append(TextSpan(f"{GAP}{one_line(doing)}" if doing else "", "dim" if label == "gate" else ""))
    return BlockRow(1, label, tuple(spans))


def _looked_at(run: GateRun) -> str:
    how = run_words(run.op, run.started.variant)
    if run.started.purpose == "base":
        return f"the starting tree, {how}" if how else "the starting tree"
    return how


def _resting(running: Running, loop: Loop, now: Now) -> BlockRow:
    """Idle, or cooling down between two hats."""
    left, wait = 0.0, loop.wait(running.op)
    if wait and wait.started.until:
        until = datetime.fromisoformat(wait.started.until).astimezone(now.wall.tzinfo)
        left = max(0.0, (until - now.wall).total_seconds())
    if running.op.startswith(COOLDOWN):
        return BlockRow(1, "cool-down", (TextSpan(f"{clock(math.ceil(left))} left"),))
    since = f"for {clock(now.clock - loop.idle.moment)}, " if loop.idle else ""
    return BlockRow(1, "idle", (TextSpan(f"{since}looks again in {clock(math.ceil(left))}"),))


def _hats(s: LoopState) -> list[BlockRow]:
    rows = (BlockRow(2, "hat", worn(s)), BlockRow(7, "board", board(s)))
    return [row for row in rows if row.spans]


def _paused(s: LoopState, seconds: float) -> BlockRow:
    by = s.people.pause.by if s.people.pause else ""
    spans = (
        TextSpan(f"for {clock(seconds)}, by {one_line(by)}"),
        TextSpan(f"{GAP}`ralph continue` resumes it", "dim"),
    )
    return BlockRow(1, "paused", spans, "yellow")


def _waiting(s: LoopState, now: Now) -> BlockRow:
    due = s.agents.wait_due
    what, why, ends = (due.what, due.why, due.until) if due else ("", "", "")
    if steering.asks(s) and s.people.ask_until:
        what, why, ends = "answer", s.people.question or "", s.people.ask_until
    if not ends:
        return BlockRow(1, "waiting", (TextSpan("for a moment"),))
    until = datetime.fromisoformat(ends).astimezone(now.wall.tzinfo)
    left = max(0.0, (until - now.wall).total_seconds())
    day = "" if until.date() == now.wall.date() else f"{until:%a} "
    when = (f" until {day}{until:%H:%M}" if left >= 60 else "") + f", {clock(math.ceil(left))} left"
    what = {"crash": "after a crash", "answer": "for an answer"}.get(what, fault_words(what))
    hint = TextSpan(f"{GAP}`ralph retry` tries now" if due and not steering.asks(s) else "", "dim")
    return BlockRow(
        1, "waiting", (TextSpan(f"{what}{when}"), TextSpan(f"{GAP}{one_line(why)}", "dim"), hint), "yellow"
    )


def _iteration(s: LoopState, width: int) -> BlockRow:
    most = s.identity.policy.limits.max_iterations
    number = s.progress.iterations + any(r.what == "iteration" for r in s.progress.open.values())
    cells = 32 if width >= WIDE else 16
    spans = [TextSpan(pad(f"{number} of {most}", 10), "bold")]
    if width >= ROOMY and most > 0:
        used = min(cells, s.progress.iterations * cells // most)
        spans += [TextSpan("█" * used), TextSpan("░" * (cells - used), "dim")]
        spans.append(
            TextSpan(f"  {s.progress.iterations} used, {max(0, most - s.progress.iterations)} left", "dim")
        )
    return BlockRow(2, "iteration", tuple(spans))


def _attempt(s: LoopState) -> BlockRow:
    most = s.identity.policy.limits.max_attempts
    number = min(s.judgement.attempts + 1, most) if most > 0 else s.judgement.attempts + 1
    spans = [TextSpan(pad(f"{number} of {most}" if most > 0 else str(number), 10))]
    works = any(r.what == "iteration" for r in s.progress.open.values())
    if level := s.judgement.under_shift if works else shift_level(s):
        spans.append(TextSpan(f"strategy shift {level}{GAP}", "yellow"))
    told = [f"{s.judgement.attempts} rejected"] if s.judgement.attempts else []
    told += [f"same error {s.judgement.streak} times"] if s.judgement.streak > 1 else []
    return BlockRow(4, "attempt", (*spans, TextSpan(", ".join(told))))


def _time(loop: Loop, now: Now) -> BlockRow:
    s = loop.state
    under_way = sum(_age(r, loop, now) for r in s.progress.open.values() if r.what != "wait")
    active = _of(s.progress.active_seconds + under_way, s.identity.policy.limits.hard_seconds)
    return BlockRow(6, "time", (TextSpan(active), TextSpan(" active", "dim")))


def _spent(s: LoopState) -> list[BlockRow]:
    spent, limits = s.spent(), s.identity.policy.limits
    told = []
    if spent.tokens or limits.max_tokens:
        told.append(f"{spent.tokens:,} tokens" + (f" of {limits.max_tokens:,}" if limits.max_tokens else ""))
    if spent.cost_usd or limits.max_cost_usd:
        of = f" of {limits.max_cost_usd:.2f}" if limits.max_cost_usd else ""
        told.append(f"{spent.cost_usd:.2f} USD{of}" + (f" ({ESTIMATE})" if s.progress.estimated else ""))
    return [BlockRow(7, "spent", (TextSpan(GAP.join(told)),))] if told else []


def _warnings(s: LoopState) -> list[BlockRow]:
    if not s.warnings.by_kind:
        return []
    count = sum(times for times, _ in s.warnings.by_kind.values())
    last = list(s.warnings.by_kind.values())[-1][1]
    return [BlockRow(8, "warnings", (TextSpan(f"{count}{GAP}", "yellow"), TextSpan(one_line(last), "dim")))]


# -- gates -----------------------------------------------------------------------------------------


class _Gate(NamedTuple):
    name: str
    state: str
    style: Style
    seconds: str
    start: str
    note: str
    urgency: int


def _gates(loop: Loop, now: Now, width: int, room: int) -> list[BlockRow]:
    """One row for each gate; where there is no room, those that matter now and a count of the others."""
    if not loop.state.gates:
        team = loop.state.identity.policy.routing
        what = "what hats hand over is not checked" if team and team.persistent else "nothing proves the work"
        return [BlockRow(3, "gates", (TextSpan(f"none: {what}", "dim"),))]
    gates = [_gate(loop, now, gate, width >= WIDE) for gate in loop.state.gates]
    shown = gates
    if len(gates) > room:
        urgent = sorted(gates, key=lambda g: g.urgency)[: room - 1]
        shown = [g for g in gates if g in urgent]
    names = min(24, max((width_of(g.name) for g in shown), default=0))
    states = max((9, *(width_of(g.state) for g in shown)))
    starts = max((width_of(g.start) for g in shown), default=0)
    rows = [_gate_row(g, names, states, starts) for g in shown]
    if rest := [g for g in gates if g not in shown]:
        more = f"and {len(rest)} more: " if shown else ""
        counts = Counter(g.state for g in rest)
        rows.append((TextSpan(more + ", ".join(f"{n} {state}" for state, n in counts.items()), "dim"),))
    return [BlockRow(3, "gates" if not i else "", spans) for i, spans in enumerate(rows)]


def _gate_row(g: _Gate, names: int, states: int, starts: int) -> tuple[TextSpan, ...]:
    return (
        TextSpan(f"{pad(g.name, names)}{GAP}"),
        TextSpan(pad(g.state, states), g.style),
        TextSpan(f"{g.seconds:>8}{GAP}", "dim" if g.style == "dim" else ""),
        TextSpan(f"{pad(g.start, starts)}{GAP}" if starts else "", "dim"),
        TextSpan(g.note, "dim"),
    )


def _gate(loop: Loop, now: Now, gate: GatePolicy, wide: bool) -> _Gate:
    s, name, last = loop.state, one_line(gate.name), loop.results.get(gate.name)
    said = last.ended if last and last.started.purpose != "base" else None
    start = _start(loop, gate.name, wide)
    if running := next((r for r in s.progress.open.values() if r.gate == gate.name), None):
        return _Gate(name, "running", "bold", _duration(_age(running, loop, now)), start, "", 0)
    result = next((r for r in reversed(s.judgement.results) if r.gate == gate.name), None)
    if result is None and (said is None or s.judgement.claim is not None):
        return _Gate(name, "waiting", "dim", "", start, "", 2)
    seconds = _duration(said.seconds) if said else ""
    if result:
        word, style = _verdict(gate, result.passed, result.unclear)
        note = "" if result.passed else one_line(result.headline)
        return _Gate(name, word, style, seconds, start, note, 3 if result.passed else 1)
    # While the next iteration works, the last verdict is about a tree that is no more.
    assert said is not None
    word, _ = _verdict(gate, said.passed, said.unclear, said.fault)
    return _Gate(
        name, f"was {word}", "dim", seconds, start, "" if said.passed else one_line(said.headline), 2
    )


def _verdict(gate: GatePolicy, passed: bool, unclear: bool, fault: str = "") -> tuple[str, Style]:
    word = verdict(reviewer=gate.kind.asked_once, passed=passed, unclear=unclear, fault=fault)
    if passed or gate.hard:
        return word, colour_of(word)
    return "soft" if word == "red" else word, "yellow"


def _start(loop: Loop, gate: str, wide: bool) -> str:
    """What it said on the starting tree."""
    if gate not in loop.state.judgement.base:
        return ""
    run = loop.base_results.get(gate)
    took = f" {_duration(run.seconds)}" if wide and run else ""
    return f"start {'green' if loop.state.judgement.base[gate] else 'red'}{took}"


# -- figures ---------------------------------------------------------------------------------------


def _age(running: Running, loop: Loop, now: Now) -> float:
    began = loop.began(running.op)
    return running.seconds if began is None else max(0.0, now.clock - began.moment)


def _of(seconds: float, limit: float) -> str:
    return f"{clock(seconds)} of {clock(limit)}" if limit > 0 else clock(seconds)


def clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _duration(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else clock(seconds)
