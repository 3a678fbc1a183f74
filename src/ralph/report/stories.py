"""The loops that a report is about: each as the history has it, with what git and the journal hold beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

import msgspec

from ralph.core.exits import End
from ralph.core.loop.state import LoopState, Progress
from ralph.core.policy import Policy, Task
from ralph.core.secrets import masked
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

_REVIEWS_SHOWN = 20
ITERATIONS_SHOWN = 400  # in full; of a longer loop, the first and the last

NumberedRuns = list[tuple[int, GateRun]]  # each with its place among all runs of gates


class LoopReport(msgspec.Struct, frozen=True):
    loop: Loop  # as it stands: a snapshot
    texts: JournalTexts
    quality_warnings: tuple[str, ...] = ()
    changed: tuple[Changed, ...] | None = None  # None: the trees are not kept
    to_review: str | None = None  # the whole change, where a person has to look at it

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
    def became(self) -> Literal["done", "under way", "failed"]:
        if self.loop.done:
            return "done"
        return "under way" if self.loop.standing == "running" else "failed"

    @property
    def iterations(self) -> list[Iteration]:
        return list(self.loop.iterations.values())

    def worn(self) -> list[tuple[Iteration, HatTurn]]:
        """Of a loop that routes events: each iteration, with whose turn it was."""
        return [(it, it.turn) for it in self.loop.iterations.values() if it.turn is not None]

    def findings(self, run: GateRun) -> tuple[str, ...]:
        return self.texts.texts(run.findings)

    def all_findings(self) -> list[tuple[GateRun, tuple[str, ...]]]:
        """Of the last reviews, with each review that found any; a remembered verdict only repeats them."""
        ran = [run for run in self.loop.gates if run.how != "remembered"]
        found = [(run, texts) for run in ran if (texts := self.findings(run))]
        return found[-_REVIEWS_SHOWN:]

    def evidence(self) -> tuple[NumberedRuns, NumberedRuns]:
        """The runs of gates with their places: first those that decide, which are the start and the last claim."""
        last = {max((run.serial for run in self.loop.gates if run.started.purpose == "claim"), default=-1)}
        if self.loop.turned_down and not self.loop.done:
            last.add(self.loop.turned_down[-1].serial)
        deciding: NumberedRuns = []
        rest: NumberedRuns = []
        for number, run in enumerate(self.loop.gates):
            decides = run.started.purpose == "base" or run.serial in last
            (deciding if decides else rest).append((number, run))
        return (deciding, rest) if deciding else (rest[-5:], [])

    def gates_by_iteration(self) -> dict[int, NumberedRuns]:
        """By serial; 0 is the starting tree."""
        found: dict[int, NumberedRuns] = {}
        for number, run in enumerate(self.loop.gates):
            found.setdefault(run.serial, []).append((number, run))
        return found

    def policy_text(self) -> str:
        return msgspec.json.format(msgspec.json.encode(masked.policy(self.policy)), indent=2).decode()

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
        trees = (s.workspace.base_tree, s.workspace.tree)
        patch = changes.patch(*trees) if s.judgement.ended == "needs-review" else None
        stories.append(LoopReport(stands, texts, quality_warnings(stands, texts), changed, patch))
    return Gathered(stories, chosen.run, chosen.earlier)


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
    """Of each task its last loop: one that was reopened has several in a run."""
    return list({s.task.id: s for s in stories}.values())


def totals(stories: Sequence[LoopReport], run: RunRecord) -> Totals:
    became, reviews = Counter(s.became for s in newest_of(stories)), run.state.reviews
    ended = run.ended.moment if run.ended else max((s.loop.span.ended for s in stories), default=0.0)
    return Totals(
        done=became["done"],
        failed=became["failed"],
        under_way=became["under way"],
        iterations=sum(s.progress.iterations for s in stories),
        turned_down=sum(s.state.judgement.attempts for s in stories),
        active_seconds=sum(s.progress.active_seconds for s in stories) + sum(x.seconds for x in reviews),
        wall_seconds=run.before_seconds + max(0.0, ended - run.at.moment),
        tokens=sum(s.progress.tokens for s in stories) + sum(x.usage.tokens for x in reviews),
        cost_usd=sum(s.progress.cost_usd for s in stories) + sum(x.usage.cost_usd for x in reviews),
        estimated=any(s.progress.estimated for s in stories) or any(x.estimated for x in reviews),
    )
