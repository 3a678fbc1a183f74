"""The runs of a repository, built record by record: which lives belong together, what reviewers said of the whole, and
which run people mean. The rules are those of the core's fold. Reads only."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.run import RunState, fold_run
from ralph.history.moments import At, at_record, moment
from ralph.journal.record import Record

_OF_THE_RUN = frozenset(
    (
        *("run.started", "run.review.started", "run.reviewed", "run.ended"),
        *("landed", "loop.ended", "stop.requested", "paused", "continued"),
    )
)


class RunReview(msgspec.Struct, frozen=True):
    """A reviewer who is asked about the whole change of a run."""

    at: At
    started: f.RunReviewStarted
    ended: f.RunReviewed | None = None
    n: int = 0  # it looks at no iteration
    serial: int = 0

    @property
    def op(self) -> str:
        return f"at-end:{self.gate}"

    @property
    def gate(self) -> str:
        return self.started.gate

    @property
    def output(self) -> str:
        return (self.ended.output if self.ended else "") or self.started.output


class RunRecord(msgspec.Struct, frozen=True):
    """A run, together with those before it that were cut short and that it continued with: its lives."""

    at: At  # the start of the last life
    started: f.RunStarted
    state: RunState  # of all lives
    began: At  # the start of the first one
    ended: At | None = None  # the end of the last one
    code: int | None = None
    reason: str = ""  # why it ended
    before_seconds: float = 0.0  # that the lives before it lasted, as far as they recorded anything

    @property
    def id(self) -> str:
        return self.started.run

    @property
    def command(self) -> str:
        """What its last life was asked for, where and by whom; empty: the journal does not say."""
        x = self.started
        return f"{x.user} on {x.host}: {shlex.join(('ralph', *x.options))}" if x.host else ""

    @property
    def lives(self) -> tuple[str, ...]:
        """All of them, oldest first."""
        return self.state.runs


class Runs(msgspec.Struct):
    """Told record by record."""

    _runs: dict[str, list[RunRecord]] = {}  # checkout -> the runs over its backlog; empty: over prompts
    _checkout: dict[str, str] = {}  # run -> its checkout
    _last: dict[str, str] = {}  # run -> when it recorded something last
    _reviews: dict[str, list[RunReview]] = {}

    def of(self, root: Path | str) -> list[RunRecord]:
        """The runs over the backlog of this checkout, oldest first."""
        return self._runs.get(str(root), [])

    def newest(self, root: Path | str) -> RunRecord | None:
        found = self.of(root)
        return found[-1] if found else None

    def named(self, id: str) -> RunRecord | None:
        """The run with this life, which is its last."""
        newest = self.newest(self._checkout[id]) if id in self._checkout else None
        return newest if newest and newest.id == id else None

    def reviews(self, root: Path | str) -> list[RunReview]:
        """Those of the last run here that asked any, in the order of asking."""
        return self._reviews.get(str(root), [])

    def take(self, record: Record) -> None:
        if record.kind == "run.started":
            started = f.decode(record.data)
            assert isinstance(started, f.RunStarted)
            self._begin(started, record)
            return
        checkout = self._checkout.get(record.run)
        if checkout is None:
            return
        self._last[record.run] = record.at
        run = self._runs[checkout][-1]
        if record.kind not in _OF_THE_RUN or run.id != record.run:
            return
        fact = f.decode(record.data)
        run = replace(run, state=fold_run(run.state, fact))
        if isinstance(fact, f.RunEnded):
            run = replace(run, ended=at_record(record), code=fact.code, reason=fact.reason)
        self._runs[checkout][-1] = run
        self._review(fact, record, checkout)

    def _begin(self, x: f.RunStarted, record: Record) -> None:
        at = at_record(record)
        known = self._runs.setdefault(x.backlog, [])
        before = known[-1] if known else None
        state = fold_run(before.state if before else RunState(), x)
        run = RunRecord(at, x, state, began=at)
        if before is not None and len(state.runs) > 1:
            lasted = round(max(0.0, moment(self._last[before.id]) - before.at.moment), 3)
            run = replace(run, began=before.began, before_seconds=before.before_seconds + lasted)
            known.pop()
        known.append(run)
        self._checkout[x.run], self._last[x.run] = x.backlog, record.at

    def _review(self, fact: f.AnyFact, record: Record, checkout: str) -> None:
        found = self._reviews.setdefault(checkout, [])
        if isinstance(fact, f.RunReviewStarted):
            # A run that was cut short and the one that continues with it have the same base.
            if found and found[-1].started.base != fact.base:
                found.clear()
            found.append(RunReview(at_record(record), fact))
        elif isinstance(fact, f.RunReviewed) and found and found[-1].started.gate == fact.gate:
            found[-1] = replace(found[-1], ended=fact)


def runs_in(records: Iterable[Record]) -> Runs:
    found = Runs()
    for record in records:
        found.take(record)
    return found


def meant(runs: Sequence[RunRecord], worked: Collection[str], live: str = "") -> RunRecord | None:
    """Which run people mean when they name none: the one at work, else the last that worked on something. `runs`: oldest
    first; `worked`: ids of lives that did."""
    last = runs[-1] if runs else None
    if last is None or last.id == live:
        return last
    return next((run for run in reversed(runs) if any(life in worked for life in run.lives)), last)


def file_of(records: Iterable[Record], run: str) -> str:
    """The backlog's file that a run works through; empty where the journal does not say."""
    for record in records:
        if record.kind == "run.started" and record.run == run:
            started = f.decode(record.data)
            if isinstance(started, f.RunStarted):
                return started.file
    return ""
