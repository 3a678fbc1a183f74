"""Where a moment stands in a picture. Waits and pauses are drawn shorter than they were when they would push the work
aside; everything else is to scale."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from html import escape

import msgspec

from ralph.history.gates import GateRun
from ralph.history.iterations import Iteration
from ralph.history.moments import TimeSpan
from ralph.history.serialise import mark_text
from ralph.report import words
from ralph.report.html import one_line
from ralph.report.stories import LoopReport
from ralph.report.words import tokens
from ralph.terminal.words import cost
from ralph.text import count, duration

LONGEST_IDLE = 0.08  # of the time worked: how long one wait or pause is drawn at most
_STEPS = (
    0.01,
    0.02,
    0.05,
    0.1,
    0.2,
    0.5,
    1,
    2,
    5,
    10,
    15,
    30,
    60,
    120,
    300,
    600,
    900,
    1800,
    3600,
    7200,
    14400,
    43200,
    86400,
)


class AxisTick(msgspec.Struct, frozen=True):
    x: float
    seconds: float  # since the beginning


class Axis:
    """Moments from `whole.began` to `whole.ended` on a line from `left` to `right`."""

    def __init__(self, whole: TimeSpan, idle: Sequence[TimeSpan], left: float, right: float) -> None:
        self.left, self.right = left, right
        self._began = whole.began
        gaps = _merged(idle, whole)
        worked = max(whole.ended - whole.began - sum(g.ended - g.began for g in gaps), 0.0)
        drawn = [min(g.ended - g.began, LONGEST_IDLE * worked if worked else 1.0) for g in gaps]
        if sum(drawn) > worked > 0:  # many waits: together they take no more room than the work
            drawn = [length * worked / sum(drawn) for length in drawn]
        self.shortened = [g for g, d in zip(gaps, drawn, strict=True) if d < (g.ended - g.began) * 0.999]
        self._moments, self._places = [whole.began], [0.0]
        for gap, length in zip(gaps, drawn, strict=True):
            self._knot(gap.began, self._places[-1] + gap.began - self._moments[-1])
            self._knot(gap.ended, self._places[-1] + length)
        self._knot(whole.ended, self._places[-1] + whole.ended - self._moments[-1])
        self.drawn_seconds = self._places[-1]

    def _knot(self, moment: float, place: float) -> None:
        self._moments.append(moment)
        self._places.append(place)

    def x(self, moment: float) -> float:
        """Never outside the line; on an axis without length everything is at its beginning."""
        if moment <= self._moments[0] or self.drawn_seconds <= 0:
            return self.left
        if moment >= self._moments[-1]:
            return self.right
        at = bisect_right(self._moments, moment)
        (m0, m1), (p0, p1) = self._moments[at - 1 : at + 1], self._places[at - 1 : at + 1]
        place = p0 + (p1 - p0) * (moment - m0) / (m1 - m0) if m1 > m0 else p0
        return self.left + (self.right - self.left) * place / self.drawn_seconds

    def ticks(self, about: int = 7, apart: float = 60.0) -> list[AxisTick]:
        """At round times, where the line is to scale, and not closer than a label is wide."""
        if self.drawn_seconds <= 0:
            return [AxisTick(self.left, 0.0)]
        step = next((s for s in _STEPS if self.drawn_seconds / s <= about), 0.0) or _days(
            self.drawn_seconds, about
        )
        found: list[AxisTick] = []
        hidden = {(g.began, g.ended) for g in self.shortened}
        for m0, m1 in zip(self._moments, self._moments[1:], strict=False):
            if (m0, m1) in hidden:
                continue
            number = -(-(m0 - self._began) // step)
            while (seconds := number * step) <= m1 - self._began + 1e-9:
                tick = AxisTick(self.x(self._began + seconds), seconds)
                if not found or tick.x - found[-1].x >= apart:
                    found.append(tick)
                number += 1
        return found


def _days(seconds: float, about: int) -> float:
    return 86400.0 * (int(seconds / 86400 / about) + 1)


def _merged(spans: Sequence[TimeSpan], whole: TimeSpan) -> list[TimeSpan]:
    """In order, inside the whole, without overlaps."""
    found: list[TimeSpan] = []
    for span in sorted(spans, key=lambda s: s.began):
        began = max(span.began, found[-1].ended if found else whole.began)
        ended = min(span.ended, whole.ended)
        if ended > began:
            found.append(TimeSpan(began, ended))
    return found


WIDTH = 1000.0
_LEFT, _RIGHT = 118.0, 988.0
_LANE = 26.0
_MOST_LANES = 8  # of gates; more of them share one
GAVE_NUMBER_BACK = ("interrupted", "fault")  # what became of an iteration that did not count
_MARK_SIGNS = {
    "shift": "◆",
    "checkpoint": "◷",
    "event": "✉",
    "edited": "✎",
    "resumed": "▶",
    "stop": "■",
    "refused": "✕",
}


def timeline(story: LoopReport, at: str) -> str:
    """One lane for what happened, one for iterations, one for each gate, one for waits. `at` makes ids unique."""
    idle = [*(w.span for w in story.loop.waits), *story.loop.pauses]
    axis = Axis(story.loop.span, idle, _LEFT, _RIGHT)
    lanes = _gate_lanes(story.loop.gates)
    waits = bool(idle)
    marks = _marks(story, axis)
    first = 44.0 if marks else 16.0
    bottom = first + _LANE * (1 + len(lanes) + waits)
    parts = [_ticks(axis, first - 12, bottom), marks, _label("iterations", first)]
    left_out = story.left_out()
    for it in story.iterations:
        drawn = _iteration(it, axis, first)
        linked = it.serial not in left_out
        parts.append(
            f'<a href="#{at}i{it.serial}" tabindex="-1">{drawn}</a>' if linked else f"<g>{drawn}</g>"
        )
    parts += [_claim(it, axis, first) for it in story.iterations if it.claimed]
    for number, (name, runs) in enumerate(lanes, 1):
        top = first + _LANE * number
        parts += [_label(name, top), *(_gate(run, axis, top) for run in runs)]
    if waits:
        parts += _waits(story, axis, bottom - _LANE)
    return _svg(f"{at}timeline", "Timeline", _described(story), bottom + 24, parts)


def bars(story: LoopReport, at: str) -> tuple[str, str]:
    """What is shown (cost, else tokens, else time), and the picture; both empty without iterations."""
    if not story.iterations:
        return "", ""
    kind = (
        "Cost" if any(it.result.usage.cost_usd or it.review_usage.cost_usd for it in story.iterations)
        else "Tokens" if any(it.result.usage.tokens or it.review_usage.tokens for it in story.iterations)
        else "Time"
    )  # fmt: skip
    worth = [_worth(it, kind) for it in story.iterations]
    top = _round_up(max(own + review for own, review in worth), count=kind == "Tokens")
    show: Callable[[float], str] = {"Cost": cost, "Tokens": lambda n: tokens(round(n)), "Time": duration}[
        kind
    ]
    scale = {"Cost": _sum, "Tokens": show, "Time": duration}[kind]
    base, height = 132.0, 112.0
    parts = []
    for part in (0.0, 0.5, 1.0):
        y = base - height * part
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(
            f'<text class="tick" x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{escape(scale(top * part))}</text>'
        )
    slot = (_RIGHT - _LEFT) / len(worth)
    wide = min(slot * 0.82, 46.0)
    every = next((n for n in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500) if n * slot >= 28), 1000)
    for number, (it, (own, review)) in enumerate(zip(story.iterations, worth, strict=True)):
        x = _LEFT + slot * number + (slot - wide) / 2
        tall, more = height * own / top, height * review / top
        given_back = it.fate in GAVE_NUMBER_BACK
        how = f" ({words.FATES[it.fate]})" if given_back else ""
        tip = f"iteration {it.n}{how}: {show(own)}" + (f", reviews {show(review)}" if review else "")
        parts.append(
            f"<g><title>{escape(tip)}</title>"
            + _rect(x, base - height, wide, height, "hit")
            + _rect(x, base - tall, wide, tall, "cost-own")
            + (_rect(x, base - tall - more, wide, more, "cost-review") if more else "")
            + "</g>"
        )
        # Every bar has its number where there is room; between many, one that gave its number back has none.
        if every == 1 or ((it.n % every == 0 or it.n == 1) and not given_back):
            name = f"{it.n}*" if given_back else str(it.n)
            parts.append(
                f'<text class="tick" x="{x + wide / 2:.1f}" y="{base + 16}" text-anchor="middle">{name}</text>'
            )
    total = sum(own + review for own, review in worth)
    described = f"{count(len(worth), 'iteration')}, {show(total)} in all, the largest {show(max(o + r for o, r in worth))}"
    return f"{kind} by iteration", _svg(f"{at}bars", f"{kind} by iteration", described, base + 24, parts)


def _sum(usd: float) -> str:
    """On a scale, exactly."""
    return f"{usd:.6f}".rstrip("0").rstrip(".") + " USD"


def _worth(it: Iteration, kind: str) -> tuple[float, float]:
    if kind == "Cost":
        return it.result.usage.cost_usd, it.review_usage.cost_usd
    return (
        (it.result.usage.tokens, it.review_usage.tokens) if kind == "Tokens" else (max(0.0, it.seconds), 0.0)
    )


def _round_up(most: float, *, count: bool = False) -> float:
    """A round number not below it; never 0, which nothing could be divided by."""
    if most <= 0:
        return 2.0 if count else 1.0
    size = 10.0 ** math.floor(math.log10(most))
    return next(
        step * size for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 20) if step * size >= most * 0.999999
    )


def _gate_lanes(evidence: Sequence[GateRun]) -> list[tuple[str, list[GateRun]]]:
    lanes: dict[str, list[GateRun]] = {}
    for run in evidence:
        if run.how not in words.NO_OUTPUT:
            lanes.setdefault(run.gate, []).append(run)
    if len(lanes) > _MOST_LANES:
        return [("gates", [run for runs in lanes.values() for run in runs])]
    return list(lanes.items())


def _iteration(it: Iteration, axis: Axis, top: float) -> str:
    tip = f"iteration {it.n}: {words.ending(it)}, {duration(it.seconds)}"
    x, wide = _extent(axis, it.span)
    number = (
        f'<text class="n" x="{x + wide / 2:.1f}" y="{top + 15}" text-anchor="middle">{it.n}</text>'
        if wide > 20
        else ""
    )
    shift = (
        f'<rect class="shifted" x="{x:.2f}" y="{top + 21}" width="{wide:.2f}" height="2.5"/>'
        if it.started.shift
        else ""
    )
    drawn = _rect(x, top + 1, wide, 19, f"it {it.fate}")
    return f"<title>{_tip(tip)}</title>{drawn}{number}{shift}"


def _claim(it: Iteration, axis: Axis, top: float) -> str:
    x = axis.x(it.span.ended)
    tip = _tip(f"iteration {it.n} claims completion")
    return f'<path class="claim {it.fate}" d="M{x - 3.5:.1f} {top - 8}h7l-3.5 6z"><title>{tip}</title></path>'


def _gate(run: GateRun, axis: Axis, top: float) -> str:
    tip = f"{run.gate} on {words.looked_at(run)}: {words.result(run)}, {duration(run.seconds)}"
    kind = "open" if run.passed is None else "green" if run.passed else "red"
    # Not by colour alone: what failed stands higher.
    tall = {"green": 9.0, "red": 17.0, "open": 5.0}[kind]
    return _bar(axis, run.span, top + 20 - tall, tall, f"gate {kind}{'' if run.hard else ' soft'}", tip)


def _waits(story: LoopReport, axis: Axis, top: float) -> list[str]:
    drawn = [_label("waits", top)]
    for wait in story.loop.waits:
        tip = f"{wait.started.what}: {wait.started.why}, {duration(wait.span.ended - wait.span.began)}, {wait.ended}"
        drawn.append(_bar(axis, wait.span, top + 5, 12, "wait", tip))
    for pause in story.loop.pauses:
        tip = f"nothing ran for {duration(pause.ended - pause.began)}"
        drawn.append(_bar(axis, pause, top + 5, 12, "pause", tip))
    return [*drawn, *(_break(axis, gap, top + 5) for gap in axis.shortened)]


def _marks(story: LoopReport, axis: Axis) -> str:
    shown = [mark for mark in story.loop.marks if mark.kind in _MARK_SIGNS]
    if not shown:
        return ""
    # Where signs would lie on one another, one stands for all of them.
    groups: list[tuple[float, str, list[str]]] = []
    for mark in shown:
        x = axis.x(mark.at.moment)
        if groups and x - groups[-1][0] < 11 and len(groups[-1][2]) < 20:
            groups[-1][2].append(mark_text(mark))
            if mark.kind == "shift":
                groups[-1] = (groups[-1][0], "shift", groups[-1][2])
        else:
            groups.append((x, mark.kind, [mark_text(mark)]))
    drawn = "".join(
        f'<text class="mark {kind}" x="{x:.1f}" y="24" text-anchor="middle">{_MARK_SIGNS[kind]}'
        f"<title>{_tip(chr(10).join(one_line(text, 120) for text in texts))}</title></text>"
        for x, kind, texts in groups
    )
    return _label("events", 10.0) + drawn


def _ticks(axis: Axis, top: float, bottom: float) -> str:
    drawn = []
    for tick in axis.ticks():
        x = f"{tick.x:.1f}"
        side = "end" if tick.x > _RIGHT - 40 else "middle"  # the last one must not stick out
        drawn.append(f'<line class="grid" x1="{x}" x2="{x}" y1="{top}" y2="{bottom}"/>')
        drawn.append(
            f'<text class="tick" x="{x}" y="{bottom + 16}" text-anchor="{side}">{_short(tick.seconds)}</text>'
        )
    return "".join(drawn)


def _short(seconds: float) -> str:
    return "0" if not seconds else f"{seconds:g} s" if seconds < 10 else duration(seconds)


def _label(name: str, top: float) -> str:
    shown = one_line(name, 60)
    short = shown if len(shown) <= 15 else shown[:14] + "…"
    tip = f"<title>{escape(shown)}</title>" if short != shown else ""
    return f'<text class="lane" x="{_LEFT - 10}" y="{top + 15}" text-anchor="end">{escape(short)}{tip}</text>'


def _break(axis: Axis, gap: TimeSpan, top: float) -> str:
    """Two strokes through what is drawn shorter than it was."""
    x = (axis.x(gap.began) + axis.x(gap.ended)) / 2
    return f'<path class="break" d="M{x - 4:.1f} {top + 14}l4 -16M{x:.1f} {top + 14}l4 -16"/>'


def _bar(axis: Axis, span: TimeSpan, top: float, tall: float, kind: str, tip: str) -> str:
    x, wide = _extent(axis, span)
    return f"<g><title>{_tip(tip)}</title>{_rect(x, top, wide, tall, kind)}</g>"


def _extent(axis: Axis, span: TimeSpan) -> tuple[float, float]:
    """Wide enough to be seen, and inside the picture."""
    x = axis.x(span.began)
    wide = max(axis.x(span.ended) - x - 0.6, 1.6)
    return min(x, _RIGHT - wide), wide


def _rect(x: float, y: float, wide: float, tall: float, kind: str) -> str:
    corner = ' rx="2.5"' if wide > 7 and tall > 7 else ""
    return f'<rect class="{kind}" x="{x:.2f}" y="{y:.2f}" width="{wide:.2f}" height="{max(tall, 0):.2f}"{corner}/>'


def _tip(text: str) -> str:
    return escape("\n".join(one_line(line, 200) for line in text.split("\n")))


def _described(story: LoopReport) -> str:
    ran = [run for run in story.loop.gates if run.how not in words.NO_OUTPUT]
    red = sum(run.passed is False for run in ran)
    return (
        f"{count(len(story.iterations), 'iteration')}, {count(len(ran), 'gate run')} of which {red} red, "
        f"{count(len(story.loop.waits), 'wait')}, over {duration(story.loop.wall_seconds)}."
    )


def _svg(name: str, title: str, described: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {height:.0f}" role="img" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">{escape(title)}</title><desc id="{name}-d">{escape(described)}</desc>{"".join(parts)}</svg>'
    )
