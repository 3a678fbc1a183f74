"""The summary at the end of an execution, in Markdown: what was completed, what needs a person, and the evidence."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ralph.report import hats, words
from ralph.report.figures import cost, duration, spent, tokens
from ralph.report.harmless import one_line
from ralph.report.story import Iteration, Story

HEADING = "# Ralph Loop Execution Summary"
MOST_ROWS = 400  # of a table; of a longer one, the first and the last
# Escaped by a backslash, and no more of it than must be: a bracket where it could make a link, a hash where it could
# make a heading or end one, an underscore at the edge of a word, where it would mean emphasis.
_ACTIVE = re.compile(r"[\\`*|~]|^\[|\](?=[(\[:])|^#|(?<=\s)#(?=#*$)|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_COMMAND = re.compile(r"`([^`]+)`")
_MARKUP = {ord("&"): "&amp;", ord("<"): "&lt;", ord(">"): "&gt;"}


def summary(stories: Sequence[Story]) -> str:
    done = [s for s in stories if s.done]
    under_way = [s for s in stories if s.standing == "running"]
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


def title(story: Story) -> str:
    return f"### Task {safe(story.task.id, 80)}: {safe(story.task.title)}"


def trouble(story: Story) -> list[str]:
    """The lines that somebody looks for first when a task needs them."""
    most = story.policy.limits.max_attempts
    return [
        f"- Attempts: {story.turned_down}/{most or 'unlimited'}",
        f"- Last gate: {safe(story.last_gate, 80) or 'none'}",
        f"- Error: {safe(story.last_error or story.reason)}",
        f"- Stuck: {f'Yes ({safe(story.stuck)})' if story.stuck else 'No'}",
        f"- Quality warnings: {len(story.quality_warnings)}",
    ]


def _how(story: Story) -> list[str]:
    agreed = f". {words.agreement(story)}" if words.agreement(story) else ""
    lines = [f"- Outcome: {words.meaning(story)}{safe(agreed)}"]
    if story.end:
        limit = f" ({story.limit})" if story.limit else ""
        lines.append(f"- End: {story.end}{limit}, exit code {story.code}: {safe(story.reason)}")
    if story.proof:
        name = "Proof" if story.proven else "Gates"
        lines.append(f"- {name}: {', '.join(safe(words.said(g, p), 160) for g, p in story.proof.items())}")
    if story.landed_as:
        lines.append(f"- Landed: {safe(story.landed_on, 160)} {story.landed_as[:12]}")
    if story.kept_on:
        lines.append(f"- Branch: {safe(story.kept_on, 160)}")
    if story.paths:
        lines.append(f"- To be looked at: {', '.join(safe(path) for path in story.paths)}")
    lines.append(f"- Next: {safe_next(story.next)}")
    return lines


def safe_next(text: str) -> str:
    """Advice, in which names from outside may stand: the commands in it stay marked as such."""
    parts = _COMMAND.split(one_line(text, 2000))
    return "".join(f"`{part}`" if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _figures(story: Story) -> list[str]:
    used = [f"{duration(story.active_seconds)} active", f"{duration(story.wall_seconds)} in all"]
    used += spent(story.tokens, story.cost_usd, estimated=story.estimated)
    lines = [
        f"- Iterations: {story.counted}/{story.policy.limits.max_iterations}, "
        f"{story.turned_down} turned down; {', '.join(used)}",
        f"- Changed: {words.changed_files(story)}",
        f"- Loop: {safe(story.loop, 80)}, run {', '.join(safe(run, 80) for run in story.runs)}",
    ]
    if story.done:
        lines.append(f"- Quality warnings: {len(story.quality_warnings)}")
    lines += [f"  - {safe(text)}" for text in story.quality_warnings[:20]]
    lines += [f"- Warning: {safe(text)}" for text in story.warnings]
    return [*lines, ""]


def _tables(story: Story) -> list[str]:
    lines: list[str] = []
    if story.evidence:
        lines += ["#### Evidence", "", "| Gate | Looked at | Result | Exit | Time | Command | Tree |"]
        lines.append("|---|---|---|---:|---:|---|---|")
        rows = [
            f"| {safe(run.gate, 60)} ({words.what_it_is(run)}) | {words.looked_at(run)} | {words.result(run)} | "
            f"{'' if run.how in words.NOT_RUN else run.code} | {words.took(run)} | "
            f"{safe(run.command, 120)} | {safe(run.tree[:10], 10)} |"
            for run in story.evidence
        ]
        lines += [*bounded(rows, 7), ""]
        findings = [
            f"- {safe(run.gate, 60)}, {words.looked_at(run)}: {safe(text)}"
            for run in story.evidence
            if run.how != "remembered"
            for text in run.findings
        ]
        lines += ["Findings of reviewers:", "", *findings[-50:], ""] if findings else []
    if story.iterations:
        lines += ["#### Iterations", "", "| # | Ended | Time | Tokens | Cost |", "|---:|---|---:|---:|---:|"]
        lines += [*bounded([_iteration(it) for it in story.iterations], 5), ""]
    return lines + _hats(story)


def _hats(story: Story) -> list[str]:
    lines: list[str] = []
    if story.worn:
        lines += ["#### Hats and events", "", "| # | Hat | Because of | What it said |", "|---:|---|---|---|"]
        rows = ["| " + " | ".join(safe(cell) for cell in hats.worn_row(one)) + " |" for one in story.worn]
        lines += [*bounded(rows, 4), ""]
    if story.items:
        lines += [
            "#### Board",
            "",
            f"| {' | '.join(hats.ITEM_HEAD)} |",
            "|---|---|---:|---:|---:|---:|---:|---|",
        ]
        rows = [
            "| "
            + " | ".join(
                safe(cell) for cell in hats.item_row(item, story.policy.team, estimated=story.estimated)
            )
            + " |"
            for item in story.items
        ]
        lines += [*bounded(rows, 8), ""]
    return lines


def _iteration(it: Iteration) -> str:
    shift = f" (strategy shift {it.shift})" if it.shift else ""
    used, paid = it.tokens + it.review_tokens, it.cost_usd + it.review_cost_usd
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
