"""The summary of a run over a backlog, in Markdown: one table for all tasks, then what each of them came to."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ralph.journal.runs import BacklogRun
from ralph.report import words
from ralph.report.atend import in_markdown
from ralph.report.figures import cost, count, duration, spent, tokens
from ralph.report.markdown import HEADING, bounded, safe, safe_next, title, trouble
from ralph.report.story import Story


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


def newest_of(stories: Sequence[Story]) -> list[Story]:
    """What became of each task in the end: one that was reopened has several loops in a run."""
    return list({s.task.id: s for s in stories}.values())


def totals(stories: Sequence[Story], run: BacklogRun) -> Totals:
    from ralph.report.gather import moment

    tasks = newest_of(stories)
    done = sum(s.done for s in tasks)
    under_way = sum(s.standing == "running" for s in tasks)
    ended = moment(run.ended) if run.ended else max((s.span.ended for s in stories), default=0.0)
    return Totals(
        done=done,
        failed=len(tasks) - done - under_way,
        under_way=under_way,
        iterations=sum(s.counted for s in stories),
        turned_down=sum(s.turned_down for s in stories),
        active_seconds=sum(s.active_seconds for s in stories) + sum(x.seconds for x in run.reviews),
        wall_seconds=run.before_seconds + max(0.0, ended - moment(run.since or run.began)),
        tokens=sum(s.tokens for s in stories) + sum(x.usage.tokens for x in run.reviews),
        cost_usd=sum(s.cost_usd for s in stories) + sum(x.usage.cost_usd for x in run.reviews),
        estimated=any(s.estimated for s in stories) or any(x.estimated for x in run.reviews),
    )


def run_summary(stories: Sequence[Story], run: BacklogRun, earlier: str = "") -> str:
    """`earlier`: the run before it, of which there is a report too."""
    tasks = newest_of(stories)
    done = [s for s in tasks if s.done]
    under_way = [s for s in tasks if s.standing == "running"]
    failed = [s for s in tasks if s not in done and s not in under_way]
    lines = [HEADING, "", f"## Completed: {len(done)}/{len(tasks)} tasks", ""]
    lines += [_run(stories, run), "", *_table(stories, run), "", *in_markdown(run)]
    for story in done:
        lines += [title(story), *_done(story), ""]
    if failed:
        lines += ["## Failed Tasks (require human attention):", ""]
    for story in failed:
        lines += [title(story), *_failed(story), ""]
    if under_way:
        lines += ["## Under way:", ""]
    for story in under_way:
        lines += [title(story), f"- Iterations: {story.counted}/{story.policy.limits.max_iterations}", ""]
    lines.append("`ralph report --task ID` has the evidence and the iterations of one task.")
    if earlier:
        lines.append(f"The run before: `ralph report --run {safe(earlier, 80)}`.")
    return "\n".join(lines) + "\n"


def _run(stories: Sequence[Story], run: BacklogRun) -> str:
    x = totals(stories, run)
    used = [f"{duration(x.active_seconds)} active", f"{duration(x.wall_seconds)} in all"]
    used += spent(x.tokens, x.cost_usd, estimated=x.estimated)
    code = f", exit code {run.code}" if run.code is not None else ""
    return f"Run {safe(run.id, 80)}{code}: {', '.join(used)}{lives(run)}"


def lives(run: BacklogRun) -> str:
    """Of a run that was cut short and went on."""
    return f"; cut short and gone on {count(len(run.runs) - 1, 'time')}" if len(run.runs) > 1 else ""


def _table(stories: Sequence[Story], run: BacklogRun) -> list[str]:
    x = totals(stories, run)
    rows = [
        f"| {safe(s.task.id, 80)} | {safe(s.end or s.standing, 60)} | {s.counted} | {s.turned_down} | "
        f"{_figures(s.active_seconds, s.tokens, s.cost_usd, s.estimated)} |"
        for s in stories
    ]
    together = _figures(x.active_seconds, x.tokens, x.cost_usd, x.estimated)
    return [
        "| Task | End | Iterations | Turned down | Active | Tokens | Cost |",
        "|---|---|---:|---:|---:|---:|---:|",
        *bounded(rows, 7),
        f"| **In all** | {x.done} done, {x.failed} failed | {x.iterations} | {x.turned_down} | {together} |",
    ]


def _figures(seconds: float, used: int, paid: float, estimated: bool) -> str:
    return f"{duration(seconds)} | {tokens(used) if used else ''} | {cost(paid, estimated=estimated) if paid else ''}"


def _landed(story: Story) -> list[str]:
    lines = []
    if story.landed_as:
        note = f" ({safe(story.landed_note)})" if story.landed_note else ""
        lines.append(f"- Landed: {safe(story.landed_on, 160)} {story.landed_as[:12]}{note}")
    if story.url:
        lines.append(f"- Pull request: {safe(story.url)}")
    return lines


def _done(story: Story) -> list[str]:
    lines = [f"- Outcome: {words.meaning(story)}", *_landed(story)]
    if story.proof:
        lines.append(f"- Proof: {', '.join(safe(words.said(g, p), 160) for g, p in story.proof.items())}")
    return [*lines, *_warnings(story)]


def _failed(story: Story) -> list[str]:
    lines = trouble(story)
    if story.error_hash:
        lines.append(f"- Error hash: {safe(story.error_hash, 80)}")
    lines += _landed(story) or [f"- Branch: {safe(story.kept_on, 160) or 'none'}"]
    limit = f" ({story.limit})" if story.limit else ""
    lines.append(f"- End: {story.end or story.standing}{limit}: {safe(story.reason)}")
    return [*lines, f"- Next: {safe_next(story.next)}", *_warnings(story)]


def _warnings(story: Story) -> list[str]:
    lines = [f"- Quality warnings: {len(story.quality_warnings)}"] if story.done else []
    lines += [f"  - {safe(text)}" for text in story.quality_warnings[:20]]
    return [*lines, *(f"- Warning: {safe(text)}" for text in story.warnings)]
