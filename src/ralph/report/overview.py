"""A run over a backlog at the top of its page: what became of each task, in a table, and the frame that folds one."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ralph.journal.runs import BacklogRun
from ralph.report.atend import in_html
from ralph.report.figures import cost, duration, tokens
from ralph.report.pieces import inline, scroll
from ralph.report.runsummary import lives, newest_of, totals
from ralph.report.sections import head_row, tone_of
from ralph.report.story import Story

TASK_END = "</details>"


def overview(stories: Sequence[Story], run: BacklogRun) -> str:
    x = totals(stories, run)
    rows = "".join(_row(s, number) for number, s in enumerate(stories, 1))
    rows += (
        f"<tr><td><b>In all</b></td><td>{x.done} done, {x.failed} failed</td><td></td>"
        f"{_counts(x.iterations, x.turned_down)}"
        f"{_figures(x.active_seconds, x.tokens, x.cost_usd, x.estimated)}</tr>"
    )
    head = head_row("Task", "End", "Where", "#Iterations", "#Turned down", "#Active", "#Tokens", "#Cost")
    table = scroll(f'<table class="tasks"><thead>{head}</thead><tbody>{rows}</tbody></table>', "Tasks")
    code = f" · exit code {run.code}" if run.code is not None else ""
    under = f"run {inline(run.id, 80)}{code} · {duration(x.wall_seconds)} in all{lives(run)}"
    return (
        f'<section class="index"><h1>Completed: {x.done}/{len(newest_of(stories))} tasks</h1>'
        f'<p class="muted">{under}</p>{table}</section>{in_html(run)}'
    )


def _row(s: Story, number: int) -> str:
    where = f"{s.landed_on} {s.landed_as[:12]}" if s.landed_as else s.kept_on
    why = f'<div class="note">{inline(_why(s), 160)}</div>' if _why(s) else ""
    return (
        f'<tr><td><a href="#l{number}-task">{inline(s.task.id, 80)}</a> {inline(s.task.title, 120)}</td>'
        f'<td><span class="pill {tone_of(s)}">{inline(s.end or s.standing, 60)}</span>{why}</td>'
        f"<td>{f'<code>{inline(where, 160)}</code>' if where else ''}</td>"
        f"{_counts(s.counted, s.turned_down)}"
        f"{_figures(s.active_seconds, s.tokens, s.cost_usd, s.estimated)}</tr>"
    )


def _why(s: Story) -> str:
    """Of a task that is not done: what turned it down, or why it ended."""
    if s.done:
        return ""
    return f"{s.last_gate}: {s.last_error}" if s.last_error else s.reason


def _counts(iterations: int, turned_down: int) -> str:
    return _number("iterations", str(iterations)) + _number("turned down", str(turned_down))


def _number(name: str, text: str) -> str:
    """Where the page is narrow there is no head above it: it is named beside the figure."""
    return f'<td class="num" data-name="{name}">{escape(text)}</td>'


def _figures(seconds: float, used: int, paid: float, estimated: bool) -> str:
    shown = {
        "active": duration(seconds),
        "tokens": tokens(used) if used else "",
        "cost": cost(paid, estimated=estimated) if paid else "",
    }
    return "".join(_number(name, text) for name, text in shown.items())


def task_start(story: Story, at: str) -> str:
    end = f'<span class="pill {tone_of(story)}">{inline(story.end or story.standing, 60)}</span>'
    name = f"{inline(story.task.id, 80)}: {inline(story.task.title, 120)}"
    return f'<details class="task" id="{at}task"><summary>{end} {name}</summary>'
