"""Which tests a gate ran: its runner is asked for a report before it starts, and the report is compared after it has ended."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ralph.core.failures.test_counts import Counts
from ralph.core.loop.decide import RunGate
from ralph.core.loop.state import LoopState
from ralph.core.policy import COMMAND, GatePolicy
from ralph.core.proof import Account
from ralph.files import remove_tree
from ralph.gates.command import command_line
from ralph.gates.reports.report import TestReport
from ralph.gates.reports.runners import Instrumented, broke, instrument, read
from ralph.runner.loop_context import LoopContext

if TYPE_CHECKING:
    from ralph.gates.integrity.renames import Renames

OUTPUT_BYTES = 16 << 20  # of what a gate printed, in which tests are looked for by name
MOST_NAMED = 500  # tests in one fact


class Tested(msgspec.Struct, frozen=True):
    """What a run of a gate says of its tests: fields of `gate.ended`."""

    report: str = ""
    tests: Counts | None = None
    cut_short: bool = False
    account: Account | None = None
    new_tests: int = 0
    idle_tests: tuple[str, ...] = ()
    known_red: int = 0  # tests that fail as at the start, where no other does
    new_red: tuple[str, ...] = ()  # those that do not


class GateReports:
    """The reports of one run of a gate."""

    def __init__(self, b: LoopContext, s: LoopState, op: RunGate, root: Path) -> None:
        """`root`: of the checkout or folder that it runs in."""
        self._b, self._s, self._op, self._root = b, s, op, root
        self._folder = b.run.store.reports(s.identity.loop, op.id)

    @property
    def folder(self) -> Path:
        return self._folder

    def ask(self, gate: GatePolicy, env: dict[str, str]) -> Instrumented:
        remove_tree(self._folder)
        self._folder.mkdir(parents=True)
        return instrument(
            command_line(gate),
            checkout=self._root,
            folder=self._s.identity.folder,
            reports=self._folder,
            env=env,
            keep_going=self._op.purpose == "base" or self._op.variant != "as-is" or self._allows_red,
        )

    def broke(self, transcript: Path, *, passed: bool) -> bool:
        """Whether the gate failed by being asked."""
        return not passed and broke(_text(transcript))

    def read(self, transcript: Path, *, passed: bool) -> Tested:
        found = read(self._folder, root=self._root, output=_text(transcript))
        remove_tree(self._folder)
        s, op = self._s, self._op
        start = self._stored(s.judgement.base_reports.get(op.gate, ""))
        if op.purpose == "base":
            return self._kept(found)
        if op.variant == "new-tests":
            return self._on_old_code(start, found)
        as_is = found if op.variant == "as-is" else self._as_is()
        if start is None and (found is None or not found.runners):
            return Tested()
        # a claim is rarer than a start
        from ralph.gates.accounts import account
        from ralph.gates.integrity.followed_renames import removed_names, under_new_places

        at_start = {path for _, _, path in self._b.snapshots.files(s.workspace.base_tree)}
        renames = self._renames()
        removed = removed_names(renames) if renames else frozenset[str]()
        start = under_new_places(start, renames) if start and renames else start
        told = account(start, found, as_is, removed_names=removed, at_start=at_start)
        kept = self._kept(found)
        cut_short = passed and found is not None and (not found.complete or self._hides_failures(found))
        kept = msgspec.structs.replace(kept, account=_bounded(told), cut_short=cut_short)
        return self._compared(kept, start, found) if self._allows_red and not passed else kept

    @property
    def _allows_red(self) -> bool:
        """Compared is only what was red at the start, test by test."""
        s = self._s
        return s.identity.policy.baseline == "allow-red" and s.judgement.base.get(self._op.gate) is False

    def _compared(self, kept: Tested, start: TestReport | None, found: TestReport | None) -> Tested:
        """A runner that named no test, did not reach its end or could not load what it could before tells too little."""
        if start is None or found is None or not found.complete or found.unnamed:
            return kept
        failed = [id for id, outcome in found.tests.items() if outcome == "failed"]
        new = tuple(id for id in failed if start.tests.get(id) != "failed")
        if new or not failed or found.trouble not in ("", start.trouble):
            return msgspec.structs.replace(kept, new_red=new[:MOST_NAMED])
        return msgspec.structs.replace(kept, known_red=len(failed))

    def _hides_failures(self, found: TestReport) -> bool:
        """A gate that was red passes although tests failed: something has come between its runner and its exit code."""
        was_red = self._s.judgement.base.get(self._op.gate) is False
        return was_red and self._op.variant == "as-is" and "failed" in found.tests.values()

    def _kept(self, found: TestReport | None) -> Tested:
        if found is None or not found.runners:
            return Tested()
        outcomes = list(found.tests.values())
        failed, skipped = outcomes.count("failed"), outcomes.count("skipped")
        tests = Counts(run=len(outcomes) - skipped, skipped=skipped, failed=failed)
        return Tested(self._b.run.store.put(msgspec.json.encode(found).decode()), tests)

    def _on_old_code(self, start: TestReport | None, found: TestReport | None) -> Tested:
        as_is = self._as_is()
        if as_is is None or found is None:
            return Tested()
        from ralph.gates.accounts import new_tests, proves_nothing

        at_start = {path for _, _, path in self._b.snapshots.files(self._s.workspace.base_tree)}
        new = new_tests(start, as_is, at_start=at_start)
        idle = proves_nothing(new, found)
        return Tested(new_tests=len(new), idle_tests=idle[:MOST_NAMED])

    def _as_is(self) -> TestReport | None:
        """Of the claim at hand."""
        op = self._op
        runs = (r for r in reversed(self._s.judgement.results) if (r.gate, r.tree) == (op.gate, op.tree))
        return next((self._stored(r.report) for r in runs if r.variant == "as-is" and r.report), None)

    def _renames(self) -> Renames | None:
        """What tests of the start may miss: only with the originals does any."""
        if self._op.variant != "original":
            return None
        from ralph.gates.integrity.followed_renames import renames_between

        return renames_between(self._b.snapshots, self._s.workspace.base_tree, self._op.tree)

    def _stored(self, name: str) -> TestReport | None:
        return msgspec.json.decode(self._b.run.store.get(name), type=TestReport) if name else None


def reports_tests(s: LoopState, gate: GatePolicy) -> bool:
    return s.identity.policy.rules > 1 and gate.kind == COMMAND


def _text(transcript: Path) -> str:
    try:
        with open(os.open(transcript, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read(OUTPUT_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _bounded(told: Account) -> Account:
    return msgspec.structs.replace(
        told,
        obsolete=told.obsolete[:MOST_NAMED],
        contradicted=told.contradicted[:MOST_NAMED],
        missing=told.missing[:MOST_NAMED],
        skipped=told.skipped[:MOST_NAMED],
    )
