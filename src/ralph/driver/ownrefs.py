"""Refs that a run over a backlog moves by itself, or lets other loops work on: what watches an agent does not tell of them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ralph.core import facts as f
from ralph.journal.record import Record
from ralph.workspace import Repo
from ralph.workspace.ledger import Made

HEADS = "refs/heads/"


class OwnRefs(msgspec.Struct, frozen=True):
    """Of runs before this one. `made`: what they did or were about to; `branches`: those of loops and of failures."""

    made: tuple[Made, ...] = ()
    branches: frozenset[str] = frozenset()


def at_work(home: Repo) -> frozenset[str]:
    """The branches of the worktrees in which loops work now."""
    from ralph.workspace.slots import slots

    return frozenset(HEADS + workspace.branch for workspace in slots(home))


def of_runs(records: Iterable[Record], home: Repo) -> OwnRefs:
    from ralph.workspace.names import branch_name

    made, branches = [], set()
    for record in records:
        if record.kind not in ("loop.started", "loop.ended", "landing.intended"):
            continue
        match f.decode(record.data):
            case f.LoopStarted(home=root, task=task) if root == str(home.root):
                branches.add(HEADS + branch_name(task.id, task.title))
            case f.LoopEnded(branch=branch) if branch:
                branches.add(HEADS + branch)
            case f.LandingIntended(how="merge") as x:
                made.append(Made(x.ref, x.tip, x.commit))
            case f.LandingIntended() as x:
                branches.add(x.ref)
    return OwnRefs(tuple(made), frozenset(branches))
