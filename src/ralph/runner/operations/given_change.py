"""An iteration that starts no agent: a change that was made elsewhere is brought into the workspace, to be judged like any
other claim. Nothing that is said about it counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ralph.core import facts as f
from ralph.core.loop.decide import RunAgent
from ralph.core.loop.state import LoopState
from ralph.gates.protected_paths import undo_protected
from ralph.git.repo import printable
from ralph.git.workspaces.pool import track
from ralph.runner.loop_context import LoopContext


def bring_in(b: LoopContext, op: RunAgent, s: LoopState, record: Callable[[f.AnyFact], None]) -> None:
    record(f.IterationStarted(serial=op.serial, n=op.n, prompt="", prompt_chars=0, tree=s.workspace.tree))
    b.run.journal.sync()
    b.snapshots.restore(b.run.given)
    taken, special = b.snapshots.take_left()
    gone = {one.path for one in b.snapshots.diff(b.run.given, taken.tree) if one.status == "D"}
    if gone:  # ignored files that belong to the change: nothing but the index says so
        track(b.repo, [one for one in b.snapshots.files(b.run.given) if one[2] in gone])
        taken, special = b.snapshots.take_left()
    undone = undo_protected(b.snapshots, s, taken.tree, partial(b.keep, s))
    record(
        f.IterationEnded(
            serial=op.serial,
            n=op.n,
            how="exited",
            code=0,
            seconds=0.0,
            tree=undone.tree,
            protected=tuple(printable(path) for path in undone.paths[:50]),
            nested=tuple(map(printable, taken.nested)),
            dirty_submodules=tuple(map(printable, taken.dirty_submodules)),
            too_large=tuple(map(printable, taken.too_large[:50])),
            special=special[:50],
        )
    )
