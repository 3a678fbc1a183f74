"""Resuming a loop that a dead or stopped run left: its processes are proven gone (`past_runs`), what was open is closed as
interrupted. Imported only where there is such a loop."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from ralph.agents.registry import adapter
from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import End, exit_code
from ralph.core.fleet.model import Vitals
from ralph.core.globs import matches
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState, Running
from ralph.gates.kinds import evidence_of
from ralph.gates.protected_paths import Restored, unattributed, undo_protected
from ralph.git.ref_watch import RefWatch
from ralph.git.repo import printable
from ralph.git.snapshots import Snapshots
from ralph.history.loop_records import Begun
from ralph.journal.record import Record
from ralph.journal.store import last_sign_of_life
from ralph.prompt.compose import scratchpad_path
from ralph.runner.loop_context import LoopContext, put_back_scratchpad, read_scratchpad
from ralph.runner.loop_workspace import OwnRefs
from ralph.runner.operations.gate import changed_paths, with_originals
from ralph.runner.operations.iteration import list_notes

NOTICED_LATE = 5.0  # seconds: a run leaves a sign of life about every second, later on a busy machine

_Record = Callable[[f.AnyFact], None]


def close_open(
    b: LoopContext, s: LoopState, records: list[Record], record: _Record, own_refs: OwnRefs | None = None
) -> None:
    """Close every operation that was under way. Edits stay where they are; the next agent is told."""
    for running in s.progress.open.values():
        match running.what:
            case "iteration":
                record(_Interrupted(b, s, running, records, own_refs).iteration_ended(record))
            case "gate":
                record(_Interrupted(b, s, running, records, own_refs).gate_ended())
            case "wait":
                record(f.WaitEnded(op=running.op, elapsed=False))


def close_unseen(s: LoopState, records: list[Record], vitals: Vitals, record: _Record) -> None:
    """The same on another machine: nothing of it is here but what its worker last said of itself. Edits are lost."""
    for running in s.progress.open.values():
        known = vitals if vitals.op == running.op else Vitals()
        match running.what:
            case "iteration":
                started = _started(records, running)[1]
                assert isinstance(started, f.IterationStarted)
                ended = f.IterationEnded(
                    serial=started.serial,
                    n=started.n,
                    how="interrupted",
                    code=-9,
                    seconds=known.seconds,
                    tree=s.workspace.tree,
                    cause="stop",
                    scratchpad=s.progress.scratchpad,
                    usage=known.usage,
                )
                record(ended)
            case "gate":
                record(_interrupted_gate(s, running, records, known.seconds, known.usage))
            case "wait":
                record(f.WaitEnded(op=running.op, elapsed=False))


def _interrupted_gate(
    s: LoopState, running: Running, records: list[Record], seconds: float, usage: f.Usage
) -> f.GateEnded:
    started = _started(records, running)[1]
    gate = s.gate(running.gate)
    assert isinstance(started, f.GateStarted) and gate is not None
    return f.GateEnded(
        op=running.op,
        gate=running.gate,
        purpose=started.purpose,
        variant=started.variant,
        tree=running.tree,
        command=evidence_of(gate, s),
        usage=usage if gate.kind.runs_agent else f.Usage(),
        code=-9,
        seconds=seconds,
        passed=False,
        how="interrupted",
    )


def set_aside(found: Begun, b: LoopContext, *, for_good: bool) -> None:
    """Close what a dead run left, in favour of a fresh start or of another prompt."""
    s, loop = found.state, found.state.identity.loop

    def record(fact: f.AnyFact) -> None:
        nonlocal s
        b.run.journal.append(f.kind_of(fact), f.encode(fact), loop)
        s = fold(s, fact)
        b.run.view.fact(fact, s)

    close_open(b, found.state, found.records, record)
    end: End = "cancelled" if for_good else "interrupted"
    reason = "set aside for a fresh start" if for_good else "set aside for another prompt"
    record(f.LoopEnded(end=end, reason=reason, code=exit_code(end), tree=s.workspace.tree))
    b.run.journal.sync()


def note_outside_edits(s: LoopState, snapshots: Snapshots, record: _Record) -> None:
    """While Ralph was away, someone may have worked on the tree."""
    if not s.workspace.prepared:
        return
    tree = snapshots.take().tree
    if tree != s.workspace.tree:
        paths = (
            tuple(printable(c.path) for c in snapshots.diff(s.workspace.tree, tree))
            if s.workspace.tree and snapshots.holds(s.workspace.tree)
            else ()
        )
        record(f.WorkspaceChanged(tree=tree, paths=paths[:50]))


class _Interrupted:
    """An operation whose run died while it was under way: what it left, and the fact that closes it."""

    def __init__(
        self,
        b: LoopContext,
        s: LoopState,
        running: Running,
        records: list[Record],
        own_refs: OwnRefs | None,
    ) -> None:
        self._b, self._s, self._running, self._records = b, s, running, records
        self._record, self._started = _started(records, running)
        self._transcript = b.run.store.transcript_of(self._record.run, s.identity.loop, running.op)
        self._alive = last_sign_of_life(b.run.store.state_dir, self._record.run)
        self._refs = RefWatch(b.repo)
        if self._started.refs:  # as they were when it began
            own_refs = own_refs or OwnRefs()
            self._refs.recall(b.run.store.get(self._started.refs), own_refs.made, own_refs.branches)

    def iteration_ended(self, record: _Record) -> f.IterationEnded:
        b, s, started = self._b, self._s, self._started
        assert isinstance(started, f.IterationStarted)
        snapshot = b.snapshots.take()
        tree, keep = snapshot.tree, partial(b.keep, s)
        notes = list_notes(b, s, started.serial, record)
        apart = b.workspace is not None
        known = not apart and b.snapshots.holds(
            s.workspace.tree
        )  # else someone has pruned what it began with
        kept = unattributed(b.snapshots, s, tree) if known else ()
        undone = undo_protected(b.snapshots, s, tree, keep) if apart else Restored(tree)
        return f.IterationEnded(
            serial=started.serial,
            n=started.n,
            how="interrupted",
            code=-9,
            seconds=self._lasted(),
            tree=undone.tree,
            protected=tuple(printable(path) for path in undone.paths[:50]),
            list_notes=notes,
            unattributed=tuple(map(printable, kept[:50])),
            cause="stop",
            output=b.run.store.relative(self._transcript) if self._transcript.exists() else "",
            scratchpad=b.run.store.put(read_scratchpad(b.folder, s)),
            usage=self._usage(s.worker),
            refs_moved=self._refs.moved() if started.refs else (),
            new_commits=self._refs.new_commits() if started.refs else {},
            nested=tuple(map(printable, snapshot.nested)),
            dirty_submodules=tuple(map(printable, snapshot.dirty_submodules)),
            too_large=tuple(map(printable, snapshot.too_large[:50])),
        )

    def gate_ended(self) -> f.GateEnded:
        s, running, started = self._s, self._running, self._started
        gate = s.gate(running.gate)
        assert isinstance(started, f.GateStarted) and gate is not None
        self._swap_back()
        in_folder = running.op.endswith(":folder") or not s.in_checkout(gate)
        wrote = self._undo_writes() if in_folder else []
        if gate.kind.runs_agent:
            wrote += self._undo_notes(started)
        usage = self._usage(s.agent_of(gate)) if gate.kind.runs_agent else f.Usage()
        return replace(
            _interrupted_gate(s, running, self._records, self._lasted(), usage),
            wrote=tuple(printable(path) for path in wrote[:50]),
            refs_moved=self._refs.moved(work=False) if started.refs else (),
        )

    def _lasted(self) -> float:
        began = datetime.fromisoformat(self._record.at).timestamp()
        return round(max(0.0, self._alive - began), 3)

    def _usage(self, policy: AgentPolicy) -> f.Usage:
        """What the interrupted agent had spent, as far as its transcript tells."""
        reader = adapter(policy).reader(policy)
        try:
            with open(self._transcript, encoding="utf-8", errors="replace") as file:
                for line in file:
                    reader.feed(line.rstrip("\n"))
        except FileNotFoundError:
            return f.Usage()
        return reader.words().usage

    def _swap_back(self) -> None:
        """Put the changed gate inputs back where a gate was running with the originals; leave what someone edited since."""
        running, snapshots, base = self._running, self._b.snapshots, self._s.workspace.base_tree
        if not running.swapped:
            return
        paths = changed_paths(snapshots, base, running.tree, running.swapped)
        gate = self._s.gate(running.gate)
        assert gate is not None
        swapped = with_originals(snapshots, self._s, gate, running.tree, paths)
        edited = {c.path for c in snapshots.diff(swapped, snapshots.take().tree)}
        snapshots.restore(running.tree, [path for path in paths if path not in edited])

    def _undo_writes(self) -> list[str]:
        """As after a gate that ends by itself: what it wrote goes. What someone changed after the death stays; should the
        time stamps be wrong, a recovery ref has what was here."""
        b, running = self._b, self._running
        now = b.snapshots.take().tree
        if now == running.tree or not b.snapshots.holds(
            running.tree
        ):  # or pruned since: nothing could be put back
            return []
        changed = [c.path for c in b.snapshots.diff(running.tree, now)]
        wrote = [path for path in changed if self._is_its(path)]
        if wrote:
            b.keep(self._s, now, f"before undoing what the interrupted gate {running.gate} wrote")
            b.snapshots.restore(running.tree, wrote)
        return wrote

    def _undo_notes(self, started: f.GateStarted) -> list[str]:
        """A reviewer's edits of the scratchpad, unless someone has edited it since."""
        b, path = self._b, scratchpad_path(self._s)
        if self._is_later(b.folder / path):
            return []
        return [path] if put_back_scratchpad(b.folder, self._s, b.run.store, started.scratchpad) else []

    def _is_its(self, path: str) -> bool:
        """Whether the gate may have changed the file of this path, not someone after it. Where only Ralph's own work, it was
        the gate; of the user's protected files no one is asked to believe that."""
        if self._b.workspace is None and matches(path, self._s.identity.policy.protect):
            return False
        return self._b.workspace is not None or not self._is_later(self._b.repo.root / path)

    def _is_later(self, path: Path) -> bool:
        """By the kernel's time stamp; for a file that is gone, that of the folder that it was in."""
        while True:
            try:
                return path.lstat().st_ctime > self._alive + NOTICED_LATE
            except (FileNotFoundError, NotADirectoryError):
                path = path.parent


def _started(records: list[Record], running: Running) -> tuple[Record, f.IterationStarted | f.GateStarted]:
    return next((record, fact) for record in reversed(records) if (fact := _start_of(record, running)))


def _start_of(record: Record, running: Running) -> f.IterationStarted | f.GateStarted | None:
    if not record.kind.endswith(".started"):
        return None
    match fact := f.decode(record.data):
        case f.IterationStarted() if running.op == f"iteration:{fact.serial}":
            return fact
        case f.GateStarted() if running.op == fact.op:
            return fact
    return None
