"""The loops that a report is about: each as the history has it, with what git and the journal hold beside it."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from ralph.core.exits import End
from ralph.core.loop.state import LoopState, Progress
from ralph.core.policy import Policy, Task
from ralph.git.repo import Repo
from ralph.history.choose import choose, load
from ralph.history.gates import GateRun
from ralph.history.iterations import HatTurn, Iteration
from ralph.history.loops import Loop
from ralph.history.runs import RunRecord
from ralph.history.serialise import quality_warnings
from ralph.history.texts import JournalTexts
from ralph.journal.lock import holder
from ralph.report.sources import Changed, Changes, StoredTexts

ITERATIONS_SHOWN = 400  # in full; of a longer loop, the first and the last


class LoopReport(msgspec.Struct, frozen=True):
    loop: Loop  # as it stands: a snapshot
    texts: JournalTexts
    quality_warnings: tuple[str, ...] = ()
    changed: tuple[Changed, ...] | None = None  # None: the trees are not kept

    @property
    def state(self) -> LoopState:
        return self.loop.state

    @property
    def task(self) -> Task:
        return self.state.identity.task

    @property
    def policy(self) -> Policy:
        return self.state.identity.policy

    @property
    def progress(self) -> Progress:
        return self.state.progress

    @property
    def end(self) -> End | None:
        return self.state.judgement.ended

    @property
    def iterations(self) -> list[Iteration]:
        return list(self.loop.iterations.values())

    def worn(self) -> list[tuple[Iteration, HatTurn]]:
        """Of a loop that routes events: each iteration, with whose turn it was."""
        return [(it, it.turn) for it in self.loop.iterations.values() if it.turn is not None]

    def findings(self, run: GateRun) -> tuple[str, ...]:
        return self.texts.texts(run.findings)

    def left_out(self) -> frozenset[int]:
        """The iterations, by serial, that are too many to be shown in full."""
        more = len(self.loop.iterations) - ITERATIONS_SHOWN
        first = ITERATIONS_SHOWN // 4
        return frozenset(list(self.loop.iterations)[first : first + max(0, more)])


class Gathered(msgspec.Struct, frozen=True):
    """Loops, oldest first; and the run over a backlog that they were in, when it is that run that is meant."""

    stories: list[LoopReport]
    run: RunRecord | None = None
    earlier: str = ""  # the run over the backlog before that one


def gather(
    repo: Repo, changes: Changes, *, loop: str = "", run: str = "", everything: bool = False, task: str = ""
) -> Gathered:
    """The loops that are asked for."""
    holding = holder(repo.state_dir)
    working = str(holding.get("run", "")) if holding else ""
    kept, texts = StoredTexts(repo.state_dir), JournalTexts(repo.state_dir)
    chosen = choose(repo, loop=loop, run=run, everything=everything, task=task)
    stories = []
    for found in load(repo, chosen.ids).values():
        live = found.lives[-1] == working
        now = datetime.now(UTC).timestamp() if live else kept.last_beat(found.lives[-1])
        stands, s = found.snapshot(now, live=live), found.state
        changed = changes.files(s.workspace.base_tree, s.workspace.tree) if s.workspace.base_tree else ()
        stories.append(LoopReport(stands, texts, quality_warnings(stands, texts), changed))
    return Gathered(stories, chosen.run, chosen.earlier)
