"""What a pull request says: the evidence, for a person who has to decide. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ralph.core.fleet.model import FleetTask
from ralph.core.loop.evidence import TABLE, notes, rows
from ralph.core.proof import DEGREES, Evidence
from ralph.text import count


def pull_request_body(task: FleetTask, summary: str, evidence: Evidence | None, tip: str) -> str:
    """In Markdown: what was asked for, what was done, what proves it, what it cost."""
    criteria = [one for one in (task.spec.ralph_promise, *task.spec.criteria) if one]
    parts = [summary or task.spec.heading]
    if criteria:
        parts.append("\n".join(("**Wanted**", "", *(f"- {_plain(one)}" for one in criteria))))
    parts.append(_proof(evidence, tip))
    p = task.progress
    spent = f"{count(p.ralph_iterations, 'iteration')}, {count(p.tokens, 'token')}, {p.cost_usd:.2f} USD"
    parts.append(f"**Cost**: {spent}")
    parts.append(f"Task `{task.id}`")
    return "\n\n".join(parts) + "\n"


def _proof(evidence: Evidence | None, tip: str) -> str:
    where = (
        f"judged on top of {tip[:12]}, by the gates of that commit" if tip else "judged before it was pushed"
    )
    if evidence is None or not evidence.gates:
        return f"**Evidence**: none; it was {where}"
    head = [title.lstrip("#") for title in TABLE]
    lines = [f"**Evidence**: {DEGREES[evidence.degree]}; {where}", "", _row(head), _row(["---"] * len(head))]
    lines += [_row(row) for row in rows(evidence)]
    lines += ["", *(f"- {_plain(note)}" for note in notes(evidence))]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(_plain(cell) for cell in cells)} |"


def _plain(text: str) -> str:
    """On one line, in one cell."""
    return " ".join(text.split()).replace("|", "\\|")
