"""What stands where in the pictures of a report; its templates draw them. Waits and pauses are drawn shorter than they
were when they would push the work aside; everything else is to scale."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import msgspec

from ralph.history.gates import GateRun
from ralph.history.iterations import Iteration
from ralph.history.moments import TimeSpan
from ralph.history.serialise import mark_text
from ralph.report import words
from ralph.report.escape import one_line
from ralph.report.stories import LoopReport
from ralph.terminal.words import cost
from ralph.text import count, duration

LONGEST_IDLE = 0.08  # of the time worked: how long one wait or pause is drawn at most
_STEPS = (
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400,
)  # fmt: skip


class AxisTick(msgspec.Struct, frozen=True):
    x: float
    seconds: float  # since the beginning

    @property
    def text(self) -> str:
        if not self.seconds:
            return "0"
        return f"{self.seconds:g} s" if self.seconds < 10 else duration(self.seconds)


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
LEFT, RIGHT = 118.0, 988.0
_LANE = 26.0
_MOST_TASKS = 60  # of a run that are drawn
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


class Box(msgspec.Struct, frozen=True):
    """Its place, its class, and what it says when it is pointed at."""

    x: float
    y: float
    wide: float
    tall: float
    kind: str
    tip: str = ""


class Lane(msgspec.Struct, frozen=True):
    name: str
    top: float
    boxes: list[Box] = []


class Sign(msgspec.Struct):
    """For one event, or for several that would lie on one another."""

    x: float
    kind: str
    tips: list[str]

    @property
    def sign(self) -> str:
        return _MARK_SIGNS[self.kind]


class Timeline:
    """One lane for what happened, one for iterations, one for each gate, one for waits."""

    def __init__(self, story: LoopReport) -> None:
        idle = [*(wait.span for wait in story.loop.waits), *story.loop.pauses]
        self._axis = Axis(story.loop.span, idle, LEFT, RIGHT)
        self._story = story
        self.described = _described(story)
        self.signs = self._signs()
        self.top = 44.0 if self.signs else 16.0
        gates = _gate_lanes(story.loop.gates)
        self.lanes = [
            self._gate_lane(name, runs, self.top + _LANE * n) for n, (name, runs) in enumerate(gates, 1)
        ]
        if idle:
            self.lanes.append(self._waits(self.top + _LANE * (1 + len(gates))))
        self.bottom = self.top + _LANE * (1 + len(self.lanes))
        self.ticks = self._axis.ticks()
        self.breaks = [(self._axis.x(g.began) + self._axis.x(g.ended)) / 2 for g in self._axis.shortened]

    def iterations(self) -> Iterator[tuple[Iteration, Box, float]]:
        """Each with its box and with where it ended."""
        for it in self._story.iterations:
            tip = f"iteration {it.n}: {words.ending(it)}, {duration(it.seconds)}"
            yield it, self._box(it.span, self.top + 1, 19, f"it {it.fate}", tip), self._axis.x(it.span.ended)

    def _signs(self) -> list[Sign]:
        found: list[Sign] = []
        for mark in self._story.loop.marks:
            if mark.kind not in _MARK_SIGNS:
                continue
            x, tip = self._axis.x(mark.at.moment), one_line(mark_text(mark), 120)
            if found and x - found[-1].x < 11 and len(found[-1].tips) < 20:
                found[-1].tips.append(tip)
                if mark.kind == "shift":
                    found[-1].kind = "shift"
            else:
                found.append(Sign(x, mark.kind, [tip]))
        return found

    def _gate_lane(self, name: str, runs: Sequence[GateRun], top: float) -> Lane:
        boxes = []
        for run in runs:
            tip = f"{run.gate} on {words.looked_at(run)}: {words.result(run)}, {duration(run.seconds)}"
            kind = "open" if run.passed is None else "green" if run.passed else "red"
            tall = {"green": 9.0, "red": 17.0, "open": 5.0}[kind]  # not by colour alone
            soft = "" if run.hard else " soft"
            boxes.append(self._box(run.span, top + 20 - tall, tall, f"gate {kind}{soft}", tip))
        return Lane(name, top, boxes)

    def _waits(self, top: float) -> Lane:
        boxes = []
        for wait in self._story.loop.waits:
            took = duration(wait.span.ended - wait.span.began)
            tip = f"{wait.started.what}: {wait.started.why}, {took}, {wait.ended}"
            boxes.append(self._box(wait.span, top + 5, 12, "wait", tip))
        for pause in self._story.loop.pauses:
            tip = f"nothing ran for {duration(pause.ended - pause.began)}"
            boxes.append(self._box(pause, top + 5, 12, "pause", tip))
        return Lane("waits", top, boxes)

    def _box(self, span: TimeSpan, y: float, tall: float, kind: str, tip: str) -> Box:
        return _box_on(self._axis, span, y, tall, kind, tip)


class RunTimeline:
    """One lane for each task of a run, in the order in which they began: its iterations, and what it took around them."""

    def __init__(self, stories: Sequence[LoopReport]) -> None:
        shown = sorted(stories, key=lambda story: story.loop.span.began)[:_MOST_TASKS]
        self.left_out = len(stories) - len(shown)
        spans = [story.loop.span for story in shown]
        whole = TimeSpan(min(span.began for span in spans), max(span.ended for span in spans))
        worked = _merged(spans, whole)
        idle = [TimeSpan(a.ended, b.began) for a, b in pairwise(worked)]
        self._axis = Axis(whole, [gap for gap in idle if gap.ended > gap.began], LEFT, RIGHT)
        self.top = 16.0
        self.lanes = [self._lane(story, self.top + _LANE * n) for n, story in enumerate(shown)]
        self.bottom = self.top + _LANE * len(self.lanes)
        self.ticks = self._axis.ticks()
        self.breaks = [(self._axis.x(g.began) + self._axis.x(g.ended)) / 2 for g in self._axis.shortened]
        self.described = "; ".join(f"{story.task.id} {words.end_of(story)}" for story in shown)

    def _lane(self, story: LoopReport, top: float) -> Lane:
        of = f"{story.task.id}: {words.end_of(story)}, {duration(story.loop.wall_seconds)}"
        boxes = [self._box(story.loop.span, top + 8, 5, f"whole {words.tone(story)}", of)]
        for it in story.iterations:
            tip = f"{story.task.id}, iteration {it.n}: {words.ending(it)}, {duration(it.seconds)}"
            boxes.append(self._box(it.span, top + 2, 17, f"it {it.fate}", tip))
        return Lane(story.task.id, top, boxes)

    def _box(self, span: TimeSpan, y: float, tall: float, kind: str, tip: str) -> Box:
        return _box_on(self._axis, span, y, tall, kind, tip)


def _box_on(axis: Axis, span: TimeSpan, y: float, tall: float, kind: str, tip: str) -> Box:
    """Wide enough to be seen, and inside the picture."""
    x = axis.x(span.began)
    wide = max(axis.x(span.ended) - x - 0.6, 1.6)
    return Box(min(x, RIGHT - wide), y, wide, tall, kind, one_line(tip, 200))


class Bars:
    """What each iteration took: cost if it is known, else tokens, else time. Not for a loop without iterations."""

    base, height = 132.0, 112.0

    def __init__(self, iterations: Sequence[Iteration]) -> None:
        self.kind, measure, self._show, scale = _measure(iterations)
        self.reviewed = any(it.review_usage.cost_usd or it.review_usage.tokens for it in iterations)
        self.given_back = any(it.fate in GAVE_NUMBER_BACK for it in iterations)
        worth = [(it, *measure(it)) for it in iterations]
        sums = [own + review for _, own, review in worth]
        self._worth, self._top = worth, _round_up(max(sums), count=self.kind == "Tokens")
        self.scale = [(self.base - self.height * part, scale(self._top * part)) for part in (0.0, 0.5, 1.0)]
        self.described = f"{count(len(worth), 'iteration')}, {self._show(sum(sums))} in all, the largest {self._show(max(sums))}"

    def boxes(self) -> Iterator[tuple[list[Box], str]]:
        """For each iteration, and the number below it."""
        slot = (RIGHT - LEFT) / len(self._worth)
        wide = min(slot * 0.82, 46.0)
        every = next((n for n in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500) if n * slot >= 28), 1000)
        for number, (it, own, review) in enumerate(self._worth):
            x = LEFT + slot * number + (slot - wide) / 2
            tall, more = (self.height * part / self._top for part in (own, review))
            given_back = it.fate in GAVE_NUMBER_BACK
            how = f" ({words.FATES[it.fate]})" if given_back else ""
            tip = f"iteration {it.n}{how}: {self._show(own)}"
            tip += f", reviews {self._show(review)}" if review else ""
            boxes = [
                Box(x, self.base - self.height, wide, self.height, "hit", tip),
                Box(x, self.base - tall, wide, max(tall, 0.0), "cost-own"),
                *([Box(x, self.base - tall - more, wide, more, "cost-review")] if more else []),
            ]
            # Every bar has its number where there is room; between many, one that gave its number back has none.
            named = every == 1 or ((it.n % every == 0 or it.n == 1) and not given_back)
            yield boxes, f"{it.n}{'*' if given_back else ''}" if named else ""


_Show = Callable[[float], str]


def _measure(
    iterations: Sequence[Iteration],
) -> tuple[str, Callable[[Iteration], tuple[float, float]], _Show, _Show]:
    """Its name, how much of it an iteration and its reviews took, and how that is shown, also on a scale."""
    if any(it.spent.cost_usd for it in iterations):
        return "Cost", lambda it: (it.result.usage.cost_usd, it.review_usage.cost_usd), cost, _exact_cost
    if any(it.spent.tokens for it in iterations):
        return "Tokens", lambda it: (it.result.usage.tokens, it.review_usage.tokens), _whole, _whole
    return "Time", lambda it: (max(0.0, it.seconds), 0.0), duration, duration


def _whole(number: float) -> str:
    return str(round(number))


def _exact_cost(usd: float) -> str:
    return f"{usd:.6f}".rstrip("0").rstrip(".") + " USD"


def _round_up(most: float, *, count: bool = False) -> float:
    """A round number not below it; never 0, which nothing could be divided by."""
    if most <= 0:
        return 2.0 if count else 1.0
    size = 10.0 ** math.floor(math.log10(most))
    steps = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 20)
    return next(step * size for step in steps if step * size >= most * 0.999999)


def _gate_lanes(evidence: Sequence[GateRun]) -> list[tuple[str, list[GateRun]]]:
    lanes: dict[str, list[GateRun]] = {}
    for run in evidence:
        if run.how not in words.NO_OUTPUT:
            lanes.setdefault(run.gate, []).append(run)
    if len(lanes) > _MOST_LANES:
        return [("gates", [run for runs in lanes.values() for run in runs])]
    return list(lanes.items())


def _described(story: LoopReport) -> str:
    ran = [run for run in story.loop.gates if run.how not in words.NO_OUTPUT]
    red = sum(run.passed is False for run in ran)
    return (
        f"{count(len(story.iterations), 'iteration')}, {count(len(ran), 'gate run')} of which {red} red, "
        f"{count(len(story.loop.waits), 'wait')}, over {duration(story.loop.wall_seconds)}."
    )
