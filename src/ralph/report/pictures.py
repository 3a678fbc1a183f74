"""The pictures of a page, as SVG: the timeline, and what each iteration cost. Colours come from the page's style."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from ralph.report import words
from ralph.report.axis import Axis
from ralph.report.figures import cost, count, duration, tokens
from ralph.report.harmless import one_line
from ralph.report.story import GateRun, Iteration, Span, Story

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


def timeline(story: Story, at: str) -> str:
    """One lane for what happened, one for iterations, one for each gate, one for waits. `at` makes ids unique."""
    idle = [*(w.span for w in story.waits), *story.pauses]
    axis = Axis(story.span, idle, _LEFT, _RIGHT)
    lanes = _gate_lanes(story.evidence)
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


def bars(story: Story, at: str) -> tuple[str, str]:
    """What is shown (cost, else tokens, else time), and the picture; both empty without iterations."""
    if not story.iterations:
        return "", ""
    kind = (
        "Cost" if any(it.cost_usd or it.review_cost_usd for it in story.iterations)
        else "Tokens" if any(it.tokens or it.review_tokens for it in story.iterations)
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
        return it.cost_usd, it.review_cost_usd
    return (it.tokens, it.review_tokens) if kind == "Tokens" else (max(0.0, it.seconds), 0.0)


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
        if it.shift
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


def _waits(story: Story, axis: Axis, top: float) -> list[str]:
    drawn = [_label("waits", top)]
    for wait in story.waits:
        tip = f"{wait.what}: {wait.why}, {duration(wait.span.ended - wait.span.began)}, {wait.ended}"
        drawn.append(_bar(axis, wait.span, top + 5, 12, "wait", tip))
    for pause in story.pauses:
        tip = f"nothing ran for {duration(pause.ended - pause.began)}"
        drawn.append(_bar(axis, pause, top + 5, 12, "pause", tip))
    return [*drawn, *(_break(axis, gap, top + 5) for gap in axis.shortened)]


def _marks(story: Story, axis: Axis) -> str:
    shown = [mark for mark in story.marks if mark.kind in _MARK_SIGNS]
    if not shown:
        return ""
    # Where signs would lie on one another, one stands for all of them.
    groups: list[tuple[float, str, list[str]]] = []
    for mark in shown:
        x = axis.x(mark.at)
        if groups and x - groups[-1][0] < 11 and len(groups[-1][2]) < 20:
            groups[-1][2].append(mark.text)
            if mark.kind == "shift":
                groups[-1] = (groups[-1][0], "shift", groups[-1][2])
        else:
            groups.append((x, mark.kind, [mark.text]))
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


def _break(axis: Axis, gap: Span, top: float) -> str:
    """Two strokes through what is drawn shorter than it was."""
    x = (axis.x(gap.began) + axis.x(gap.ended)) / 2
    return f'<path class="break" d="M{x - 4:.1f} {top + 14}l4 -16M{x:.1f} {top + 14}l4 -16"/>'


def _bar(axis: Axis, span: Span, top: float, tall: float, kind: str, tip: str) -> str:
    x, wide = _extent(axis, span)
    return f"<g><title>{_tip(tip)}</title>{_rect(x, top, wide, tall, kind)}</g>"


def _extent(axis: Axis, span: Span) -> tuple[float, float]:
    """Wide enough to be seen, and inside the picture."""
    x = axis.x(span.began)
    wide = max(axis.x(span.ended) - x - 0.6, 1.6)
    return min(x, _RIGHT - wide), wide


def _rect(x: float, y: float, wide: float, tall: float, kind: str) -> str:
    corner = ' rx="2.5"' if wide > 7 and tall > 7 else ""
    return f'<rect class="{kind}" x="{x:.2f}" y="{y:.2f}" width="{wide:.2f}" height="{max(tall, 0):.2f}"{corner}/>'


def _tip(text: str) -> str:
    return escape("\n".join(one_line(line, 200) for line in text.split("\n")))


def _described(story: Story) -> str:
    ran = [run for run in story.evidence if run.how not in words.NO_OUTPUT]
    red = sum(run.passed is False for run in ran)
    return (
        f"{count(len(story.iterations), 'iteration')}, {count(len(ran), 'gate run')} of which {red} red, "
        f"{count(len(story.waits), 'wait')}, over {duration(story.wall_seconds)}."
    )


def _svg(name: str, title: str, described: str, height: float, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH:.0f} {height:.0f}" role="img" aria-labelledby="{name}-t {name}-d">'
        f'<title id="{name}-t">{escape(title)}</title><desc id="{name}-d">{escape(described)}</desc>{"".join(parts)}</svg>'
    )
