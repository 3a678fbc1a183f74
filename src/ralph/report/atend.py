"""What reviewers say of a run over a backlog as a whole, in its report: as Markdown and as a section of the page."""

from __future__ import annotations

from ralph.core.consensus import is_consensus, latest, together
from ralph.core.facts import RunReviewed
from ralph.journal.runs import BacklogRun
from ralph.report.figures import duration, spent
from ralph.report.markdown import safe
from ralph.report.pieces import inline, section
from ralph.report.sections import GOOD, UNSURE
from ralph.ui.runreview import said

NAME = "At the end"


def in_markdown(run: BacklogRun) -> list[str]:
    if not run.reviews:
        return []
    lines = [f"## {NAME}", "", f"Reviewers of the whole run, {safe(together(run.reviews))}", ""]
    for x in latest(run.reviews):
        lines.append(f"- {safe(x.gate, 80)}: {safe(said(x))} ({safe(_figures(x))})")
        lines += [f"  - {safe(text)}" for text in (*x.findings, *_warnings(x))]
    return [*lines, ""]


def in_html(run: BacklogRun) -> str:
    if not run.reviews:
        return ""
    tone = GOOD if is_consensus(run.reviews) else UNSURE
    items = "".join(_item(x) for x in latest(run.reviews))
    pill = f'<p><span class="pill {tone}">{inline(together(run.reviews))}</span></p>'
    return section(NAME, f"{pill}<ul>{items}</ul>")


def _item(x: RunReviewed) -> str:
    listed = "".join(f"<li>{inline(text)}</li>" for text in (*x.findings, *_warnings(x)))
    return (
        f'<li><b>{inline(x.gate, 80)}</b>: {inline(said(x))} <span class="muted">({inline(_figures(x))})</span>'
        f"{f'<ul>{listed}</ul>' if listed else ''}</li>"
    )


def _warnings(x: RunReviewed) -> list[str]:
    found = [f"Warning: what it edited was undone: {', '.join(x.wrote[:5])}"] if x.wrote else []
    left = f"Warning: processes it left running were ended: {', '.join(x.stragglers[:5])}"
    return [*found, left] if x.stragglers else found


def _figures(x: RunReviewed) -> str:
    used = spent(x.usage.tokens, x.usage.cost_usd, estimated=x.estimated)
    return ", ".join([x.command, f"{x.base[:12]}..{x.tip[:12]}", duration(x.seconds), *used])
