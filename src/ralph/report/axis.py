"""Where a moment stands in a picture. Waits and pauses are drawn shorter than they were when they would push the work
aside; everything else is to scale."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import msgspec

from ralph.report.story import Span

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


class Tick(msgspec.Struct, frozen=True):
    x: float
    seconds: float  # since the beginning


class Axis:
    """Moments from `whole.began` to `whole.ended` on a line from `left` to `right`."""

    def __init__(self, whole: Span, idle: Sequence[Span], left: float, right: float) -> None:
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

    def ticks(self, about: int = 7, apart: float = 60.0) -> list[Tick]:
        """At round times, where the line is to scale, and not closer than a label is wide."""
        if self.drawn_seconds <= 0:
            return [Tick(self.left, 0.0)]
        step = next((s for s in _STEPS if self.drawn_seconds / s <= about), 0.0) or _days(
            self.drawn_seconds, about
        )
        found: list[Tick] = []
        hidden = {(g.began, g.ended) for g in self.shortened}
        for m0, m1 in zip(self._moments, self._moments[1:], strict=False):
            if (m0, m1) in hidden:
                continue
            number = -(-(m0 - self._began) // step)
            while (seconds := number * step) <= m1 - self._began + 1e-9:
                tick = Tick(self.x(self._began + seconds), seconds)
                if not found or tick.x - found[-1].x >= apart:
                    found.append(tick)
                number += 1
        return found


def _days(seconds: float, about: int) -> float:
    return 86400.0 * (int(seconds / 86400 / about) + 1)


def _merged(spans: Sequence[Span], whole: Span) -> list[Span]:
    """In order, inside the whole, without overlaps."""
    found: list[Span] = []
    for span in sorted(spans, key=lambda s: s.began):
        began = max(span.began, found[-1].ended if found else whole.began)
        ended = min(span.ended, whole.ended)
        if ended > began:
            found.append(Span(began, ended))
    return found
