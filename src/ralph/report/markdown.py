"""The summary at the end of an execution, in Markdown: what was completed, what needs a person, and the evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

import msgspec

from ralph.core.facts import RunReviewed, Tokens
from ralph.core.run import is_consensus, latest, together
from ralph.history.gates import proof_part
from ralph.history.iterations import Iteration
from ralph.history.runs import RunRecord
from ralph.report import sections, words
from ralph.report.html import inline, one_line, scroll, section
from ralph.report.sections import GOOD, UNSURE, head_row, tone_of
from ralph.report.stories import LoopReport
from ralph.report.words import tokens
from ralph.terminal.words import by_kind, cost, said, spent
from ralph.text import count, duration

HEADING = "# Ralph Loop Execution Summary"
MOST_ROWS = 400  # of a table; of a longer one, the first and the last
# Escaped by a backslash, and no more of it than must be: a bracket where it could make a link, a hash where it could
# make a heading or end one, an underscore at the edge of a word, where it would mean emphasis.
_ACTIVE = re.compile(r"[\\`*|~]|^\[|\](?=[(\[:])|^#|(?<=\s)#(?=#*$)|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_COMMAND = re.compile(r"`([^`]+)`")
_MARKUP = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}


def summary(stories: Sequence[LoopReport]) -> str:
    done = [s for s in stories if s.loop.done]
    under_way = [s for s in stories if s.loop.standing == "running"]
    failed = [s for s in stories if s not in done and s not in under_way]
    lines = [HEADING, "", f"## Completed: {len(done)}/{len(stories)} tasks", ""]
    for story in done:
        lines += [title(story), *_how(story), *_figures(story), *_tables(story)]
    if failed:
        lines += ["## Failed Tasks (require human attention):", ""]
    for story in failed:
        lines += [title(story), *trouble(story), *_how(story), *_figures(story), *_tables(story)]
    if under_way:
        lines += ["## Under way:", ""]
    for story in under_way:
        lines += [title(story), *_how(story), *_figures(story), *_tables(story)]
    return "\n".join(lines)


def safe(text: str, most: int = 300) -> str:
    """Hostile text as one piece of plain Markdown: it makes no markup, no HTML, no cell and no line of its own."""
    return _escaped(one_line(text, most))


def _escaped(line: str) -> str:
    return _ACTIVE.sub(lambda found: "\\" + found[0], line).translate(_MARKUP)


def title(story: LoopReport) -> str:
    return f"### Task {safe(story.task.id, 80)}: {safe(story.task.title)}"


def trouble(story: LoopReport) -> list[str]:
    """The lines that somebody looks for first when a task needs them."""
    most = story.policy.limits.max_attempts
    return [
        f"- Attempts: {story.state.judgement.attempts}/{most or 'unlimited'}",
        f"- Last gate: {safe(story.loop.last_gate, 80) or 'none'}",
        f"- Error: {safe(story.loop.last_error or story.loop.reason)}",
        f"- Stuck: {f'Yes ({safe(story.loop.stuck)})' if story.loop.stuck else 'No'}",
        f"- Quality warnings: {len(story.quality_warnings)}",
    ]


def _how(story: LoopReport) -> list[str]:
    agreed = f". {words.agreement(story)}" if words.agreement(story) else ""
    lines = [f"- Outcome: {words.meaning(story)}{safe(agreed)}"]
    if story.end:
        limit = f" ({story.state.judgement.end_limit})" if story.state.judgement.end_limit else ""
        lines.append(f"- End: {story.end}{limit}, exit code {story.loop.code}: {safe(story.loop.reason)}")
    if story.loop.proof:
        name = "Proof" if story.loop.proven else "Gates"
        lines.append(
            f"- {name}: {', '.join(safe(proof_part(g, p), 160) for g, p in story.loop.proof.items())}"
        )
    if landed := story.state.landing.landed:
        lines.append(f"- Landed: {safe(words.branch_of(landed), 160)} {landed.commit[:12]}")
    if story.state.judgement.end_branch:
        lines.append(f"- Branch: {safe(story.state.judgement.end_branch, 160)}")
    if story.loop.paths:
        lines.append(f"- To be looked at: {', '.join(safe(path) for path in story.loop.paths)}")
    lines.append(f"- Next: {safe_next(story.loop.next_step)}")
    return lines


def safe_next(text: str) -> str:
    """Advice, in which names from outside may stand: the commands in it stay marked as such."""
    parts = _COMMAND.split(one_line(text, 2000))
    return "".join(f"`{part}`" if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _figures(story: LoopReport) -> list[str]:
    used = [
        f"{duration(story.progress.active_seconds)} active",
        f"{duration(story.loop.wall_seconds)} in all",
    ]
    used += spent(story.progress.tokens, story.progress.cost_usd, estimated=story.progress.estimated)
    lines = [
        f"- Iterations: {story.progress.iterations}/{story.policy.limits.max_iterations}, "
        f"{story.state.judgement.attempts} turned down; {', '.join(used)}",
        *_agents(story),
        f"- Changed: {words.changed_files(story)}",
        f"- Loop: {safe(story.loop.id, 80)}, run {', '.join(safe(run, 80) for run in story.loop.lives)}",
    ]
    if story.loop.done:
        lines.append(f"- Quality warnings: {len(story.quality_warnings)}")
    lines += [f"  - {safe(text)}" for text in story.quality_warnings[:20]]
    lines += [f"- Warning: {safe(text)}" for text in story.state.warnings.lines]
    return [*lines, ""]


def _agents(story: LoopReport) -> list[str]:
    """What agents told of themselves, and what Ralph took around them."""
    kinds = by_kind(sum((it.result.usage.split for it in story.iterations), Tokens()))
    shown = (
        ("Model", ", ".join(story.loop.models)),
        ("Tokens", kinds),
        ("Commits of the agent", words.commits(story.iterations)),
        ("Ralph's own time", words.own_time(story)),
    )
    return [f"- {name}: {safe(text)}" for name, text in shown if text]


def _tables(story: LoopReport) -> list[str]:
    lines: list[str] = []
    if story.loop.gates:
        lines += ["#### Evidence", "", "| Gate | Looked at | Result | Exit | Time | Command | Tree |"]
        lines.append("|---|---|---|---:|---:|---|---|")
        rows = [
            f"| {safe(run.gate, 60)} ({words.what_it_is(run)}) | {words.looked_at(run)} | {words.result(run)} | "
            f"{'' if run.how in words.NOT_RUN else run.result.code} | {words.took(run)} | "
            f"{safe(run.command, 120)} | {safe(run.tree[:10], 10)} |"
            for run in story.loop.gates
        ]
        lines += [*bounded(rows, 7), ""]
        findings = [
            f"- {safe(run.gate, 60)}, {words.looked_at(run)}: {safe(text)}"
            for run in story.loop.gates
            if run.how != "remembered"
            for text in story.findings(run)
        ]
        lines += ["Findings of reviewers:", "", *findings[-50:], ""] if findings else []
    if story.iterations:
        lines += ["#### Iterations", "", "| # | Ended | Time | Tokens | Cost |", "|---:|---|---:|---:|---:|"]
        lines += [*bounded([_iteration(it) for it in story.iterations], 5), ""]
    return lines + _hats(story)


def _hats(story: LoopReport) -> list[str]:
    lines: list[str] = []
    if worn := story.worn():
        lines += ["#### Hats and events", "", "| # | Hat | Because of | What it said |", "|---:|---|---|---|"]
        rows = [
            "| " + " | ".join(safe(cell) for cell in sections.worn_row(it, turn)) + " |" for it, turn in worn
        ]
        lines += [*bounded(rows, 4), ""]
    if items := story.state.hats.board.items.values():
        lines += [
            "#### Board",
            "",
            f"| {' | '.join(sections.ITEM_HEAD)} |",
            "|---|---|---:|---:|---:|---:|---:|---|",
        ]
        rows = [
            "| "
            + " | ".join(
                safe(cell)
                for cell in sections.item_row(item, story.policy.team, estimated=story.progress.estimated)
            )
            + " |"
            for item in items
        ]
        lines += [*bounded(rows, 8), ""]
    return lines


def _iteration(it: Iteration) -> str:
    shift = f" (strategy shift {it.started.shift})" if it.started.shift else ""
    used, paid = it.spent.tokens, it.spent.cost_usd
    return (
        f"| {it.n}{shift} | {safe(words.ending(it))} | {duration(it.seconds)} | "
        f"{tokens(used) if used else ''} | {cost(paid, estimated=it.estimated) if paid else ''} |"
    )


def bounded(rows: list[str], columns: int) -> list[str]:
    more = len(rows) - MOST_ROWS
    if more <= 0:
        return rows
    half = MOST_ROWS // 2
    return [*rows[:half], f"| … {more} more " + "|" * columns, *rows[-half:]]


NAME = "At the end"


def in_markdown(run: RunRecord) -> list[str]:
    if not run.state.reviews:
        return []
    lines = [f"## {NAME}", "", f"Reviewers of the whole run, {safe(together(run.state.reviews))}", ""]
    for x in latest(run.state.reviews):
        lines.append(f"- {safe(x.gate, 80)}: {safe(said(x))} ({safe(_review_figures(x))})")
        lines += [f"  - {safe(text)}" for text in (*x.findings, *_review_warnings(x))]
    return [*lines, ""]


def in_html(run: RunRecord) -> str:
    if not run.state.reviews:
        return ""
    tone = GOOD if is_consensus(run.state.reviews) else UNSURE
    items = "".join(_item(x) for x in latest(run.state.reviews))
    pill = f'<p><span class="pill {tone}">{inline(together(run.state.reviews))}</span></p>'
    return section(NAME, f"{pill}<ul>{items}</ul>")


def _item(x: RunReviewed) -> str:
    listed = "".join(f"<li>{inline(text)}</li>" for text in (*x.findings, *_review_warnings(x)))
    return (
        f'<li><b>{inline(x.gate, 80)}</b>: {inline(said(x))} <span class="muted">({inline(_review_figures(x))})</span>'
        f"{f'<ul>{listed}</ul>' if listed else ''}</li>"
    )


def _review_warnings(x: RunReviewed) -> list[str]:
    found = [f"Warning: what it edited was undone: {', '.join(x.wrote[:5])}"] if x.wrote else []
    left = f"Warning: processes it left running were ended: {', '.join(x.stragglers[:5])}"
    return [*found, left] if x.stragglers else found


def _review_figures(x: RunReviewed) -> str:
    used = spent(x.usage.tokens, x.usage.cost_usd, estimated=x.estimated)
    return ", ".join([x.command, f"{x.base[:12]}..{x.tip[:12]}", duration(x.seconds), *used])


class Totals(msgspec.Struct, frozen=True):
    """Of all tasks of a run and the reviewers at its end. `wall_seconds` is from its start to its end, or to the newest
    record; the time between two lives of a run that was cut short does not count."""

    done: int
    failed: int
    under_way: int
    iterations: int
    turned_down: int
    active_seconds: float
    wall_seconds: float
    tokens: int
    cost_usd: float
    estimated: bool


def newest_of(stories: Sequence[LoopReport]) -> list[LoopReport]:
    """What became of each task in the end: one that was reopened has several loops in a run."""
    return list({s.task.id: s for s in stories}.values())


def totals(stories: Sequence[LoopReport], run: RunRecord) -> Totals:
    tasks = newest_of(stories)
    done = sum(s.loop.done for s in tasks)
    under_way = sum(s.loop.standing == "running" for s in tasks)
    ended = run.ended.moment if run.ended else max((s.loop.span.ended for s in stories), default=0.0)
    return Totals(
        done=done,
        failed=len(tasks) - done - under_way,
        under_way=under_way,
        iterations=sum(s.progress.iterations for s in stories),
        turned_down=sum(s.state.judgement.attempts for s in stories),
        active_seconds=sum(s.progress.active_seconds for s in stories)
        + sum(x.seconds for x in run.state.reviews),
        wall_seconds=run.before_seconds + max(0.0, ended - run.at.moment),
        tokens=sum(s.progress.tokens for s in stories) + sum(x.usage.tokens for x in run.state.reviews),
        cost_usd=sum(s.progress.cost_usd for s in stories) + sum(x.usage.cost_usd for x in run.state.reviews),
        estimated=any(s.progress.estimated for s in stories) or any(x.estimated for x in run.state.reviews),
    )


def run_summary(stories: Sequence[LoopReport], run: RunRecord, earlier: str = "") -> str:
    """`earlier`: the run before it, of which there is a report too."""
    tasks = newest_of(stories)
    done = [s for s in tasks if s.loop.done]
    under_way = [s for s in tasks if s.loop.standing == "running"]
    failed = [s for s in tasks if s not in done and s not in under_way]
    lines = [HEADING, "", f"## Completed: {len(done)}/{len(tasks)} tasks", ""]
    asked = [f"Asked for by {safe(run.command, 2000)}", ""] if run.command else []
    lines += [_run(stories, run), "", *asked, *_table(stories, run), "", *in_markdown(run)]
    for story in done:
        lines += [title(story), *_done(story), ""]
    if failed:
        lines += ["## Failed Tasks (require human attention):", ""]
    for story in failed:
        lines += [title(story), *_failed(story), ""]
    if under_way:
        lines += ["## Under way:", ""]
    for story in under_way:
        lines += [
            title(story),
            f"- Iterations: {story.progress.iterations}/{story.policy.limits.max_iterations}",
            "",
        ]
    lines.append("`ralph report --task ID` has the evidence and the iterations of one task.")
    if earlier:
        lines.append(f"The run before: `ralph report --run {safe(earlier, 80)}`.")
    return "\n".join(lines) + "\n"


def _run(stories: Sequence[LoopReport], run: RunRecord) -> str:
    x = totals(stories, run)
    used = [f"{duration(x.active_seconds)} active", f"{duration(x.wall_seconds)} in all"]
    used += spent(x.tokens, x.cost_usd, estimated=x.estimated)
    code = f", exit code {run.code}" if run.code is not None else ""
    code += f" ({safe(run.reason)})" if run.reason else ""
    return f"Run {safe(run.id, 80)}{code}: {', '.join(used)}{lives(run)}"


def lives(run: RunRecord) -> str:
    """Of a run that was cut short and went on."""
    return f"; cut short and gone on {count(len(run.lives) - 1, 'time')}" if len(run.lives) > 1 else ""


def _table(stories: Sequence[LoopReport], run: RunRecord) -> list[str]:
    x = totals(stories, run)
    rows = [
        f"| {safe(s.task.id, 80)} | {safe(s.end or s.loop.standing, 60)} | "
        f"{s.progress.iterations} | {s.state.judgement.attempts} | "
        f"{_run_figures(s.progress.active_seconds, s.progress.tokens, s.progress.cost_usd, s.progress.estimated)} |"
        for s in stories
    ]
    together = _run_figures(x.active_seconds, x.tokens, x.cost_usd, x.estimated)
    return [
        "| Task | End | Iterations | Turned down | Active | Tokens | Cost |",
        "|---|---|---:|---:|---:|---:|---:|",
        *bounded(rows, 7),
        f"| **In all** | {x.done} done, {x.failed} failed | {x.iterations} | {x.turned_down} | {together} |",
    ]


def _run_figures(seconds: float, used: int, paid: float, estimated: bool) -> str:
    return f"{duration(seconds)} | {tokens(used) if used else ''} | {cost(paid, estimated=estimated) if paid else ''}"


def _landed(story: LoopReport) -> list[str]:
    landed = story.state.landing.landed
    if landed is None:
        return []
    note = f" ({safe(landed.note)})" if landed.note else ""
    lines = [f"- Landed: {safe(words.branch_of(landed), 160)} {landed.commit[:12]}{note}"]
    return [*lines, f"- Pull request: {safe(landed.url)}"] if landed.url else lines


def _done(story: LoopReport) -> list[str]:
    lines = [f"- Outcome: {words.meaning(story)}", *_landed(story)]
    if story.loop.proof:
        lines.append(
            f"- Proof: {', '.join(safe(proof_part(g, p), 160) for g, p in story.loop.proof.items())}"
        )
    return [*lines, *_warnings(story)]


def _failed(story: LoopReport) -> list[str]:
    lines = trouble(story)
    if (last := story.loop.last_attempt) and last.error_hash:
        lines.append(f"- Error hash: {safe(last.error_hash, 80)}")
    lines += _landed(story) or [f"- Branch: {safe(story.state.judgement.end_branch, 160) or 'none'}"]
    limit = f" ({story.state.judgement.end_limit})" if story.state.judgement.end_limit else ""
    lines.append(f"- End: {story.end or story.loop.standing}{limit}: {safe(story.loop.reason)}")
    return [*lines, f"- Next: {safe_next(story.loop.next_step)}", *_warnings(story)]


def _warnings(story: LoopReport) -> list[str]:
    lines = [f"- Quality warnings: {len(story.quality_warnings)}"] if story.loop.done else []
    lines += [f"  - {safe(text)}" for text in story.quality_warnings[:20]]
    return [*lines, *(f"- Warning: {safe(text)}" for text in story.state.warnings.lines)]


TASK_END = "</details>"


def overview(stories: Sequence[LoopReport], run: RunRecord) -> str:
    x = totals(stories, run)
    rows = "".join(_row(s, number) for number, s in enumerate(stories, 1))
    rows += (
        f"<tr><td><b>In all</b></td><td>{x.done} done, {x.failed} failed</td><td></td>"
        f"{_counts(x.iterations, x.turned_down)}"
        f"{_page_figures(x.active_seconds, x.tokens, x.cost_usd, x.estimated)}</tr>"
    )
    head = head_row("Task", "End", "Where", "#Iterations", "#Turned down", "#Active", "#Tokens", "#Cost")
    table = scroll(f'<table class="tasks"><thead>{head}</thead><tbody>{rows}</tbody></table>', "Tasks")
    code = f" · exit code {run.code}" if run.code is not None else ""
    code += f" ({inline(run.reason)})" if run.reason else ""
    under = f"run {inline(run.id, 80)}{code} · {duration(x.wall_seconds)} in all{lives(run)}"
    under += f" · asked for by {inline(run.command, 2000)}" if run.command else ""
    return (
        f'<section class="index"><h1>Completed: {x.done}/{len(newest_of(stories))} tasks</h1>'
        f'<p class="muted">{under}</p>{table}</section>{in_html(run)}'
    )


def _row(s: LoopReport, number: int) -> str:
    landed = s.state.landing.landed
    where = f"{words.branch_of(landed)} {landed.commit[:12]}" if landed else s.state.judgement.end_branch
    why = f'<div class="note">{inline(_why(s), 160)}</div>' if _why(s) else ""
    return (
        f'<tr><td><a href="#l{number}-task">{inline(s.task.id, 80)}</a> {inline(s.task.title, 120)}</td>'
        f'<td><span class="pill {tone_of(s)}">{inline(s.end or s.loop.standing, 60)}</span>{why}</td>'
        f"<td>{f'<code>{inline(where, 160)}</code>' if where else ''}</td>"
        f"{_counts(s.progress.iterations, s.state.judgement.attempts)}"
        f"{_page_figures(s.progress.active_seconds, s.progress.tokens, s.progress.cost_usd, s.progress.estimated)}</tr>"
    )


def _why(s: LoopReport) -> str:
    """Of a task that is not done: what turned it down, or why it ended."""
    if s.loop.done:
        return ""
    return f"{s.loop.last_gate}: {s.loop.last_error}" if s.loop.last_error else s.loop.reason


def _counts(iterations: int, turned_down: int) -> str:
    return _number("iterations", str(iterations)) + _number("turned down", str(turned_down))


def _number(name: str, text: str) -> str:
    """Where the page is narrow there is no head above it: it is named beside the figure."""
    return f'<td class="num" data-name="{name}">{escape(text)}</td>'


def _page_figures(seconds: float, used: int, paid: float, estimated: bool) -> str:
    shown = {
        "active": duration(seconds),
        "tokens": tokens(used) if used else "",
        "cost": cost(paid, estimated=estimated) if paid else "",
    }
    return "".join(_number(name, text) for name, text in shown.items())


def task_start(story: LoopReport, at: str) -> str:
    end = f'<span class="pill {tone_of(story)}">{inline(story.end or story.loop.standing, 60)}</span>'
    name = f"{inline(story.task.id, 80)}: {inline(story.task.title, 120)}"
    return f'<details class="task" id="{at}task"><summary>{end} {name}</summary>'
