"""What reviewers said of a whole run, `at_end:`, as operations that `ralph logs` can show."""

from __future__ import annotations

from pathlib import Path

from ralph.cli.operations import Operation, blob, gate_ended, sized
from ralph.core import facts as f
from ralph.errors import RalphError
from ralph.journal.read import history
from ralph.journal.record import Record
from ralph.workspace import Repo


def run_reviews(repo: Repo, gate: str | None = None) -> list[Operation]:
    """Of the last run here that asked any, in the order of asking; all, or those of one reviewer."""
    found: list[Operation] = []
    here, base = False, ""
    for record in history(repo.state_dir):
        match f.decode(record.data) if record.kind.startswith("run.") else None:
            case f.RunStarted() as x:
                here = x.backlog == str(repo.root)
            case f.RunReviewStarted() as x if here:
                # A run that was cut short and the one that goes on with it have the same base.
                found = [*(found if x.base == base else ()), _begun(x, record, repo.state_dir)]
                base = x.base
            case f.RunReviewed() as x if here and found and found[-1].gate == x.gate:
                found[-1] = gate_ended(found[-1], x, repo.state_dir, reviewer=True)
    if not found:
        raise RalphError(
            "nobody has been asked about a whole run here",
            todo="`at_end:` in ralph.yml names who is, after a backlog's run: see docs/backlog.md.",
        )
    chosen = [one for one in found if gate in (None, one.gate)]
    if not chosen:
        names = ", ".join(dict.fromkeys(one.gate for one in found))
        raise RalphError(f"no reviewer {gate!r} was asked at the end of the run", todo=f"Asked: {names}.")
    return [sized(one) for one in chosen]


def _begun(x: f.RunReviewStarted, record: Record, state_dir: Path) -> Operation:
    return Operation(
        what="gate",
        op=f"at-end:{x.gate}",
        n=0,
        serial=0,
        at=record.at,
        run=record.run,
        output=str(state_dir / x.output),
        seq=record.seq,
        gate=x.gate,
        purpose="at-end",
        variant="as-is",
        prompt=blob(state_dir, x.prompt),
    )
