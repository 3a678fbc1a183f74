"""A gate under way: a command or a reviewer of the orchestrator's on a recorded tree. What it writes is undone."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop.decide import RunGate
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy
from ralph.errors import DISK
from ralph.files import Stamp, remove_tree
from ralph.gates.command import shell, undeclared
from ralph.gates.kinds import Asked, GateFinding, Kind, Program, Ran, Surroundings, kind_of
from ralph.git.refs import HEADS
from ralph.git.repo import printable
from ralph.git.snapshots import Snapshots
from ralph.git.trees import patch
from ralph.git.uncommitted_changes import under
from ralph.journal.store import read_ends
from ralph.processes.owned_process import Ended
from ralph.prompt.compose import scratchpad_path
from ralph.runner.gate_surroundings import clear_surroundings
from ralph.runner.loop_context import (
    LoopContext,
    environment,
    gate_environment,
    keep_scratchpad,
    last_line,
    put_back_scratchpad,
    tools_for,
    unrecorded_of,
)
from ralph.runner.operations import ProcessOperation
from ralph.runner.sandboxing import confine
from ralph.text import few

if TYPE_CHECKING:
    from ralph.git.gate_checkouts import GateCheckout
    from ralph.runner.operations.gate_reports import GateReports, Tested


class StartedGate(msgspec.Struct, frozen=True):
    """A gate as it was started."""

    op: RunGate
    gate: GatePolicy
    before: str  # the tree as the gate found it
    swap: tuple[str, ...]  # paths that hold their original content meanwhile
    checkout: GateCheckout | None  # None: it runs in the folder
    transcript: Path
    stamps: dict[str, Stamp]
    scratchpad: str
    reports: GateReports | None  # None: of its kind none are known


MOST_LEFT_OUT = 20  # files and folders that a result names

Compose = Callable[[LoopState, GatePolicy, str], str]  # the gate, and the tree that it is asked about


class GateRunner:
    def __init__(
        self, bench: LoopContext, record: Callable[[f.AnyFact], None], compose: Compose | None = None
    ) -> None:
        """`compose`: a reviewer's prompt, where it is not about the claim of a loop."""
        self._b = bench
        self._record = record
        self._compose = compose or self._about_claim

    def start(self, op: RunGate, s: LoopState) -> ProcessOperation | None:
        b = self._b
        gate = s.gate(op.gate)
        assert gate is not None  # the core only asks for gates of its policy
        current = b.snapshots.take().tree
        if current != op.tree:
            paths = tuple(printable(c.path) for c in b.snapshots.diff(op.tree, current))
            if not s.progress.serial:  # it becomes the start, so it is saved like the start
                b.keep(s, current, "before the loop")
            self._record(f.WorkspaceChanged(tree=current, paths=paths[:50]))
            return None
        kind, by_agent = kind_of(gate), gate.kind.runs_agent
        program = self._program(kind, gate, op, s)
        scratchpad = keep_scratchpad(b.folder, s, b.run.store) if by_agent else ""
        if by_agent:
            b.look_at_refs()
        swap = changed_paths(b.snapshots, s.workspace.base_tree, op.tree, op.swap)
        before = self._tree(op, s, swap)
        clean = s.in_checkout(gate) and not op.in_folder and not b.snapshots.partial
        self._record(
            f.GateStarted(
                op=op.id,
                gate=op.gate,
                purpose=op.purpose,
                variant=op.variant,
                tree=op.tree,
                swapped=() if clean else op.swap,
                prompt=program.prompt,
                scratchpad=scratchpad,
                refs=b.run.store.put(b.refs.memory()) if by_agent else "",
            )
        )
        b.run.journal.sync()
        checkout = self._check_out(gate, before, s) if clean else None
        if swap and not clean:
            b.snapshots.restore(before, swap)
        transcript = b.run.store.transcript(s.identity.loop, op.id)
        where = checkout.root / s.identity.folder if checkout else b.folder
        gone = not where.is_dir()  # the agent removed it: the gate fails, the run goes on
        if gone:
            program = shell("echo 'the folder in which the gate runs is gone'; exit 127")
            where = checkout.root if checkout else b.repo.root
        stamps = unrecorded_of(s).stamps()
        env = gate_environment(b, s, gate, program.env, checkout.root if checkout else None)
        reports = None if gone else self._reports(op, gate, s, checkout)
        if reports is not None:
            asked = reports.ask(gate, env)
            program, env = shell(asked.command), {**env, **asked.env}
        try:
            confined = confine(
                b,
                s,
                op.id,
                self._argv(program, where),
                env,
                cwd=where,
                stdin=program.stdin,
                out=transcript,
                agent=s.agent_of(gate) if by_agent else None,
                prompt=program.prompt,
                workspace=checkout.root if checkout else None,
                merge=program.reader is None,
                reports=reports.folder if reports else None,
                writable=(Path(env["PYTHONPYCACHEPREFIX"]),) if checkout and not by_agent else (),
            )
        except OSError as error:
            if error.errno in DISK or not by_agent:
                raise
            if checkout:
                b.run.gate_checkouts().give_back(checkout)
            self._record(review_not_started(op, s, error))
            return None
        run = StartedGate(op, gate, before, swap, checkout, transcript, stamps, scratchpad, reports)
        close = partial(self._ended, run, s)
        return ProcessOperation(b, s, op.id, confined, reader=program.reader, who=gate.name, close=close)

    def _tree(self, op: RunGate, s: LoopState, swap: tuple[str, ...]) -> str:
        """What the gate is to find: the claim, the claim with its original judges, or the start with the new tests."""
        base, snapshots = s.workspace.base_tree, self._b.snapshots
        if op.variant == "new-tests":
            return snapshots.overlay(base, op.tree, swap)
        gate = s.gate(op.gate)
        assert gate is not None
        if gate.decides_doubts:
            return self._judges_only(s, op.tree)
        return with_originals(snapshots, s, gate, op.tree, swap)

    def _judges_only(self, s: LoopState, tree: str) -> str:
        """The start with what the claim did to its judges, and nothing else of it."""
        claim, base = s.judgement.claim, s.workspace.base_tree
        touched = (claim.touched or {}).values() if claim else ()
        names = {*(path for paths in touched for path in paths), *(claim.new_tests if claim else ())}
        paths = changed_paths(self._b.snapshots, base, tree, names)
        return self._b.snapshots.overlay(base, tree, paths) if paths else base

    def _reports(
        self, op: RunGate, gate: GatePolicy, s: LoopState, checkout: GateCheckout | None
    ) -> GateReports | None:
        from ralph.runner.operations.gate_reports import GateReports, reports_tests

        if not reports_tests(s, gate) or gate.name in self._b.run.unreported:
            return None
        return GateReports(self._b, s, op, checkout.root if checkout else self._b.repo.root)

    def _check_out(self, gate: GatePolicy, tree: str, s: LoopState) -> GateCheckout:
        from ralph.git.gate_checkouts import Judged

        b, branch = self._b, s.workspace.branch
        judged = Judged(
            tree=tree,
            commit=s.workspace.base_commit,
            branch=branch if branch.startswith(HEADS) and "\ufffd" not in branch else "",
            share=s.identity.policy.share,
        )
        checkout = b.run.gate_checkouts().take(b.snapshots, judged)
        if gate.hidden:
            checkout.bring(Path(gate.hidden), s.identity.folder)
        return checkout

    def _argv(self, program: Program, where: Path) -> tuple[str, ...]:
        """A reviewer's own program may be a file that git does not record."""
        first, *rest = program.argv
        if "/" in first and not (where / first).exists() and (self._b.folder / first).exists():
            return (str(self._b.folder / first), *rest)
        return program.argv

    def _program(self, kind: Kind, gate: GatePolicy, op: RunGate, s: LoopState) -> Program:
        b = self._b

        def put(text: str) -> tuple[str, Path]:
            name = b.run.store.put(text)
            return name, b.run.store.blobs / name

        asked = Asked(
            state=s,
            tree=op.tree,
            compose=lambda: self._compose(s, gate, op.tree),
            put=put,
            tools=lambda: tools_for(b, s, op.id),
        )
        return kind.program(gate, asked)

    def _about_claim(self, s: LoopState, gate: GatePolicy, tree: str) -> str:
        from ralph.prompt.review import CHANGE_CHARS, compose_review  # most gates are commands

        b = self._b
        tree = self._judges_only(s, tree) if gate.decides_doubts else tree
        paths = [printable(change.path) for change in b.snapshots.diff(s.workspace.base_tree, tree)]
        text, cut = first_of(patch(b.repo, s.workspace.base_tree, tree), CHANGE_CHARS)
        return compose_review(s, gate, paths, text, cut=cut)

    def _ended(
        self, run: StartedGate, s: LoopState, gating: ProcessOperation, ended: Ended, seconds: float
    ) -> list[f.AnyFact]:
        b, op, gate, words = self._b, run.op, run.gate, gating.words()
        outputs = {n for n, stamp in unrecorded_of(s).stamps().items() if run.stamps.get(n) != stamp}
        written = self._written(run, s)
        slow = "soft" if seconds > gate.soft_timeout else ""
        timed_out = "hard" if gating.cause == "gate-time" else slow
        kind, by_agent = kind_of(gate), gate.kind.runs_agent
        wrote = tuple(printable(path) for path in (written if by_agent else undeclared(gate, written)))
        if by_agent and put_back_scratchpad(b.folder, s, b.run.store, run.scratchpad):
            wrote = (*wrote, scratchpad_path(s))
        ran = Ran(
            code=ended.code,
            timed_out=timed_out,
            wrote=wrote,
            output=lambda: self._output(run),
            words=words,
            trouble=ended.trouble or last_line(ended.err_tail) or last_line(words.said),
            where=self._surroundings(s) if op.purpose == "base" else None,
        )
        found = kind.find(gate, ran)
        if gate.hidden:
            found = without_details(found)
        how: f.How = "interrupted" if gating.cause == "stop" else "exited"
        if run.reports and how == "exited" and run.reports.broke(run.transcript, passed=found.passed):
            b.run.unreported.add(gate.name)
            how = "interrupted"  # it is asked again, without
        tested = run.reports.read(run.transcript, passed=found.passed) if run.reports else None
        if tested is not None:
            found = against_start(found, tested, harmed=bool(wrote) or timed_out == "hard")
        left_out = self._left_out(run, s, found.passed)
        refused = gating.cause == "credentials"
        if run.checkout:
            self._give_back(s, run.checkout, start=op.purpose == "base")
        return [
            f.GateEnded(
                op=op.id,
                gate=op.gate,
                purpose=op.purpose,
                variant=op.variant,
                tree=op.tree,
                command=kind.evidence(gate, s),
                code=ended.code,
                seconds=round(seconds, 3),
                passed=found.passed,
                how=how,
                timed_out=cast("Literal['', 'soft', 'hard']", timed_out),
                hermetic=run.checkout is not None,
                in_folder=gate.hermetic and not op.in_folder and run.checkout is None,
                unrecorded=left_out,
                wrote=wrote[:50],
                outputs=tuple(sorted(outputs.difference(map(printable, written)))),
                excerpt=found.excerpt,
                output=b.run.store.relative(run.transcript),
                error_hash=found.error_hash,
                headline=(ended.trouble or found.headline) if not gate.hidden else found.headline,
                stragglers=ended.stragglers,
                empty=found.empty,
                tests=(tested.tests if tested else None) or found.tests,
                report=tested.report if tested else "",
                cut_short=tested is not None and tested.cut_short,
                account=tested.account if tested else None,
                new_tests=tested.new_tests if tested else 0,
                idle_tests=tested.idle_tests if tested else (),
                known_red=tested.known_red if tested and found.passed else 0,
                cannot_run=found.cannot_run,
                unclear=found.unclear,
                findings=found.findings,
                usage=words.usage,
                estimated=words.cost_from == "table",
                fault="credentials" if refused else words.fault,
                fault_text=f"its credentials are refused ({words.retry.words})"
                if refused and words.retry
                else words.fault_text,
                retry_after=words.retry_after,
                refs_moved=b.moved_refs(work=False) if by_agent else (),
            )
        ]

    def _give_back(self, s: LoopState, checkout: GateCheckout, *, start: bool) -> None:
        checkouts = self._b.run.gate_checkouts()
        try:
            clear_surroundings(s, checkout.root, start=start)
        except OSError:  # the gate left what no one can remove
            checkouts.discard(checkout)
        else:
            checkouts.give_back(checkout)

    def _written(self, run: StartedGate, s: LoopState) -> tuple[str, ...]:
        """What the gate changed of what git records. The folder is as it was, after this."""
        b = self._b
        if run.checkout is None:
            written = self._undo_writes(run, s)
            if run.swap:
                b.snapshots.restore(run.op.tree, run.swap)
            return written
        if run.gate.kind.runs_agent:
            return ()  # it gives an opinion, and its edits are gone
        changed = run.checkout.changed(b.snapshots)
        if run.gate.hidden:
            brought = os.path.normpath(Path(s.identity.folder, Path(run.gate.hidden).name))
            remove_tree(run.checkout.root / brought)
            changed = [path for path in changed if not under(path, (brought,))]
        return tuple(sorted(changed))

    def _output(self, run: StartedGate) -> tuple[bytes, bytes, int]:
        """Its ends, in which the place of a checkout is called by the folder's name: there the agent finds what is meant."""
        first, last, lines = read_ends(run.transcript)
        if run.checkout is None:
            return first, last, lines
        there, here = os.fsencode(run.checkout.root), os.fsencode(self._b.repo.root)
        return first.replace(there, here), last.replace(there, here), lines

    def _left_out(self, run: StartedGate, s: LoopState, passed: bool) -> tuple[str, ...]:
        """What the folder has and a clean checkout has not, where that may be why a gate failed: at the start all of it, later
        what has come since."""
        b, op = self._b, run.op
        if not run.gate.kind.measures or ((passed or run.checkout is None) and not op.in_folder):
            return ()
        shared = [os.path.normpath(name) for name in s.identity.policy.share]
        paths = b.snapshots.unrecorded()
        found = {printable(path) for path in paths if not under(path.rstrip("/"), shared)}
        if op.purpose == "base":
            named = s.workspace.unrecorded_inputs.get(op.gate, {})
            found |= {path for path in named if not path.startswith("/") and not under(path, shared)}
        elif s.workspace.left_out:
            found -= set(b.run.store.get(s.workspace.left_out).split("\0"))
        return tuple(sorted(found))[:MOST_LEFT_OUT]

    def _surroundings(self, s: LoopState) -> Surroundings:
        path = environment(self._b, s, {}).get("PATH", os.defpath)
        return Surroundings(self._b.folder, self._b.repo.root, path)

    def _undo_writes(self, run: StartedGate, s: LoopState) -> tuple[str, ...]:
        b, snapshots = self._b, self._b.snapshots
        after = snapshots.take().tree
        if after == run.before:
            return ()
        written = tuple(c.path for c in snapshots.diff(run.before, after))
        if undeclared(run.gate, written):
            # Someone else may have been at work while the gate ran: nothing is undone that is not safe elsewhere.
            b.keep(s, after, f"before undoing what gate {run.gate.name} wrote")
        snapshots.restore(run.before, written)
        return written


def review_not_started(op: RunGate, s: LoopState, error: OSError) -> f.GateEnded:
    text = f"{error.filename or 'the reviewer'}: {error.strerror or error}"
    if error.errno == errno.E2BIG:
        text = "the prompt is too long for an argument; set `prompt_mode: stdin` for this reviewer"
    return f.GateEnded(
        op=op.id,
        gate=op.gate,
        purpose=op.purpose,
        variant=op.variant,
        tree=op.tree,
        command=kind_of(gate).evidence(gate, s) if (gate := s.gate(op.gate)) else "",
        code=127,
        seconds=0.0,
        passed=False,
        headline=text,
        unclear=True,
        fault="unusable",
        fault_text=text,
    )


def first_of(parts: Iterator[bytes], most: int) -> tuple[str, bool]:
    """The beginning of what may be endless, in whole lines; and whether there is more."""
    data = b""
    for part in parts:
        data += part
        if len(data) > most:
            return data[:most].decode("utf-8", "replace").rpartition("\n")[0], True
    return data.decode("utf-8", "replace"), False


def against_start(found: GateFinding, tested: Tested, *, harmed: bool) -> GateFinding:
    """Where a red start is allowed: it passes with the failures of the start, and a new one is named as such."""
    if found.passed or harmed:
        return found
    if tested.known_red:
        return replace(found, passed=True, error_hash="", headline="")
    if not tested.new_red:
        return found
    return replace(found, headline=f"new, not failing at the start: {few(tested.new_red)}")


def without_details(found: GateFinding) -> GateFinding:
    """Of a hidden gate, as far as an agent may know it: whether it passed, and a count. People find the rest in its output."""
    if found.passed:
        return replace(found, excerpt="", findings=())
    counted = found.tests
    how_many = f": {counted.failed} of {counted.run} tests" if counted and counted.failed else ""
    text = f"the hidden checks failed{how_many}; what they are is not shown"
    return replace(found, excerpt=text, headline=text, findings=())


def with_originals(
    snapshots: Snapshots, s: LoopState, gate: GatePolicy, tree: str, swap: Collection[str]
) -> str:
    """The tree that a gate judges with the originals of these paths in it."""
    if not swap:
        return tree
    from ralph.gates.integrity.changed_judges import originals_tree
    from ralph.gates.integrity.followed_renames import follow_renames

    place = {"folder": s.identity.folder, "root": s.identity.root}
    judge, base = replace(gate, run=kind_of(gate).command(gate, s)), s.workspace.base_tree
    originals = originals_tree(snapshots, base, tree, judge, swap, **place)
    return follow_renames(snapshots, base, tree, originals, swap)


def changed_paths(snapshots: Snapshots, base: str, tree: str, names: Iterable[str]) -> tuple[str, ...]:
    """The paths, among those that differ between the trees, that facts call by these names: a fact is text, a path is
    bytes. With the new tests, which are left out where the originals judge: they may need what is not the original's."""
    wanted = set(names)
    if not wanted:
        return ()
    from ralph.gates.integrity.changed_judges import new_tests

    changes = snapshots.diff(base, tree)
    named = [change.path for change in changes if printable(change.path) in wanted]
    return tuple(dict.fromkeys((*named, *new_tests(changes))))
