"""Resuming a loop that a dead or stopped run left: its processes are proven gone (`dead_runs`), what was open is closed as
interrupted. Imported only where there is such a loop."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path

from ralph.agents.registry import adapter
from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import End, exit_code
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState, Running
from ralph.gates.kinds import evidence_of
from ralph.gates.protected_paths import undo_protected
from ralph.git.recovery import Keep
from ralph.git.ref_watch import RefWatch
from ralph.git.repo import Repo, printable
from ralph.git.snapshots import Snapshots
from ralph.history.loop_records import Begun
from ralph.journal.record import Record
from ralph.journal.store import Store, last_sign_of_life
from ralph.prompt.compose import scratchpad_path
from ralph.runner.loop_context import RunContext, put_back_scratchpad, read_scratchpad
from ralph.runner.loop_workspace import LoopWorkspace, OwnRefs
from ralph.runner.operations.gate import changed_paths

NOTICED_LATE = 5.0  # seconds: a run leaves a sign of life about every second, later on a busy machine

_NONE = OwnRefs()


def close_open(
    s: LoopState,
    records: list[Record],
    snapshots: Snapshots,
    store: Store,
    record: Callable[[f.AnyFact], None],
    keep: Keep,
    own_refs: OwnRefs = _NONE,
) -> None:
    """Close every operation that was under way. Edits stay where they are; the next agent is told."""
    for running in s.progress.open.values():
        started = next(
            (r for r in reversed(records) if r.kind.endswith(".started") and _is(r, running)), None
        )
        match running.what:
            case "iteration":
                record(_interrupted_iteration(s, running, started, snapshots, store, record, keep, own_refs))
            case "gate":
                _swap_back(s, running, snapshots)
                wrote = _undo_writes(s, running, started, snapshots, store, keep)
                wrote += _undo_notes(s, running, started, store)
                record(_interrupted_gate(s, running, started, store, wrote, snapshots.repo, own_refs))
            case "wait":
                record(f.WaitEnded(op=running.op, elapsed=False))


def set_aside(found: Begun, place: LoopWorkspace, run: RunContext, *, for_good: bool) -> None:
    """Close what a dead run left, in favour of a fresh start or of another prompt."""
    s, loop = found.state, found.state.identity.loop

    def record(fact: f.AnyFact) -> None:
        nonlocal s
        run.journal.append(f.kind_of(fact), f.encode(fact), loop)
        s = fold(s, fact)
        run.view.fact(fact, s)

    keep = partial(run.of_loop(place, RefWatch(place.repo)).keep, s)
    close_open(found.state, found.records, place.snapshots, run.store, record, keep)
    end: End = "cancelled" if for_good else "interrupted"
    reason = "set aside for a fresh start" if for_good else "set aside for another prompt"
    record(f.LoopEnded(end=end, reason=reason, code=exit_code(end), tree=s.workspace.tree))
    run.journal.sync()


def note_outside_edits(s: LoopState, snapshots: Snapshots, record: Callable[[f.AnyFact], None]) -> None:
    """While Ralph was away, somebody may have worked on the tree."""
    if not s.workspace.prepared:
        return
    tree = snapshots.take().tree
    if tree != s.workspace.tree:
        paths = (
            tuple(printable(c.path) for c in snapshots.diff(s.workspace.tree, tree))
            if s.workspace.tree
            else ()
        )
        record(f.WorkspaceChanged(tree=tree, paths=paths[:50]))


def _is(record: Record, running: Running) -> bool:
    fact = f.decode(record.data)
    match fact:
        case f.IterationStarted():
            return running.op == f"iteration:{fact.serial}"
        case f.GateStarted() | f.WaitStarted():
            return running.op == fact.op
    return False


def _lasted(started: Record | None, state_dir: Path) -> float:
    if started is None:
        return 0.0
    began = datetime.fromisoformat(started.at).timestamp()
    return round(max(0.0, last_sign_of_life(state_dir, started.run) - began), 3)


def _interrupted_iteration(
    s: LoopState,
    running: Running,
    started: Record | None,
    snapshots: Snapshots,
    store: Store,
    record: Callable[[f.AnyFact], None],
    keep: Keep,
    own_refs: OwnRefs,
) -> f.IterationEnded:
    fact = f.decode(started.data) if started else None
    n = fact.n if isinstance(fact, f.IterationStarted) else s.progress.iterations + 1
    serial = fact.serial if isinstance(fact, f.IterationStarted) else s.progress.serial
    transcript = store.transcript_of(started.run if started else "", s.identity.loop, running.op)
    snapshot = snapshots.take()
    died = last_sign_of_life(store.state_dir, started.run) + NOTICED_LATE if started else 0.0
    tree = snapshot.tree
    edited: tuple[str, ...] = ()
    if s.identity.backlog:
        from ralph.runner.backlog_copy import put_back_backlog

        tree, edited = put_back_backlog(snapshots, s, tree, serial, record, keep)
    undone = undo_protected(
        snapshots,
        s,
        tree,
        keep,
        lambda path: _changed_at(snapshots.repo.root / path) <= died,  # somebody may have edited it since
    )
    refs = _refs(store, fact.refs, snapshots.repo, own_refs) if isinstance(fact, f.IterationStarted) else None
    return f.IterationEnded(
        serial=serial,
        n=n,
        how="interrupted",
        code=-9,
        seconds=_lasted(started, store.state_dir),
        tree=undone.tree,
        protected=tuple(printable(path) for path in (*edited, *undone.paths)[:50]),
        cause="stop",
        output=store.relative(transcript) if transcript.exists() else "",
        scratchpad=store.put(read_scratchpad(Path(s.identity.root) / s.identity.folder, s)),
        usage=_usage(s.worker, transcript),
        refs_moved=refs.moved() if refs else (),
        new_commits=refs.new_commits() if refs else {},
        nested=tuple(map(printable, snapshot.nested)),
        dirty_submodules=tuple(map(printable, snapshot.dirty_submodules)),
    )


def _usage(policy: AgentPolicy, transcript: Path) -> f.Usage:
    """What the interrupted agent had spent, as far as its transcript tells."""
    reader = adapter(policy).reader(policy)
    try:
        with open(transcript, encoding="utf-8", errors="replace") as file:
            for line in file:
                reader.feed(line.rstrip("\n"))
    except FileNotFoundError:
        return f.Usage()
    return reader.words().usage


def _refs(store: Store, memory: str, repo: Repo, own_refs: OwnRefs) -> RefWatch | None:
    """As they were when the operation began; None: nobody remembers."""
    if not memory:
        return None
    refs = RefWatch(repo)
    refs.recall(store.get(memory), own_refs.made, own_refs.branches)
    return refs


def _interrupted_gate(
    s: LoopState,
    running: Running,
    started: Record | None,
    store: Store,
    wrote: list[str],
    repo: Repo,
    own_refs: OwnRefs,
) -> f.GateEnded:
    fact = f.decode(started.data) if started else None
    gate = s.gate(running.gate)
    refs = _refs(store, fact.refs, repo, own_refs) if isinstance(fact, f.GateStarted) else None
    transcript = store.transcript_of(started.run if started else "", s.identity.loop, running.op)
    return f.GateEnded(
        op=running.op,
        gate=running.gate,
        purpose=fact.purpose if isinstance(fact, f.GateStarted) else "claim",
        variant=fact.variant if isinstance(fact, f.GateStarted) else "as-is",
        tree=running.tree,
        command=evidence_of(gate, s) if gate else "",
        usage=_usage(s.agent_of(gate), transcript) if gate and gate.kind.runs_agent else f.Usage(),
        code=-9,
        seconds=_lasted(started, store.state_dir),
        passed=False,
        how="interrupted",
        wrote=tuple(printable(path) for path in wrote[:50]),
        refs_moved=refs.moved(work=False) if refs else (),
    )


def _swap_back(s: LoopState, running: Running, snapshots: Snapshots) -> None:
    """Put the changed gate inputs back where a gate was running with the originals; leave what somebody edited since."""
    if not running.swapped:
        return
    paths = changed_paths(snapshots, s.workspace.base_tree, running.tree, running.swapped)
    swapped = snapshots.overlay(running.tree, s.workspace.base_tree, paths)
    now = snapshots.take().tree
    edited = {c.path for c in snapshots.diff(swapped, now)}
    snapshots.restore(running.tree, [path for path in paths if path not in edited])


def _undo_writes(
    s: LoopState, running: Running, started: Record | None, snapshots: Snapshots, store: Store, keep: Keep
) -> list[str]:
    """As after a gate that ends by itself: what it wrote goes. What somebody changed after the death stays; the kernel's
    time stamp tells them apart, and should it be wrong, a recovery ref has what was here."""
    gate = s.gate(running.gate)
    now = snapshots.take().tree
    if started is None or gate is None or gate.hermetic or now == running.tree:
        return []
    died = last_sign_of_life(store.state_dir, started.run) + NOTICED_LATE
    changed = [c.path for c in snapshots.diff(running.tree, now)]
    wrote = [path for path in changed if _changed_at(snapshots.repo.root / path) <= died]
    if wrote:
        keep(now, f"before undoing what the interrupted gate {running.gate} wrote")
        snapshots.restore(running.tree, wrote)
    return wrote


def _undo_notes(s: LoopState, running: Running, started: Record | None, store: Store) -> list[str]:
    """A reviewer's edits of the scratchpad, unless somebody has edited it since."""
    gate, folder = s.gate(running.gate), Path(s.identity.root) / s.identity.folder
    if started is None or gate is None or not gate.kind.runs_agent:
        return []
    died = last_sign_of_life(store.state_dir, started.run) + NOTICED_LATE
    if _changed_at(folder / scratchpad_path(s)) > died:
        return []
    fact = f.decode(started.data)
    before = fact.scratchpad if isinstance(fact, f.GateStarted) else ""
    return [scratchpad_path(s)] if put_back_scratchpad(folder, s, store, before) else []


def _changed_at(path: Path) -> float:
    """When the file was last changed; for one that is gone, when the folder was that it was in."""
    while True:
        try:
            return path.lstat().st_ctime
        except (FileNotFoundError, NotADirectoryError):
            path = path.parent
