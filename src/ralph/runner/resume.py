"""Taking up a loop that a dead or stopped run left: its processes are proven gone, what was open is closed as interrupted."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import msgspec

from ralph.agents.registry import adapter
from ralph.backlog.changes import Blocked, Cancelled, Change, Completed, Failed, Reopened
from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.exits import BY_NAME, OVER, RESUMABLE, SETTLED
from ralph.core.loop.fold import fold_all
from ralph.core.loop.state import LoopState, Running
from ralph.gates.kinds import evidence_of
from ralph.gates.protected_paths import undo_protected
from ralph.git.recovery import Keep
from ralph.git.ref_watch import RefWatch
from ralph.git.repo import Repo, printable
from ralph.git.snapshots import Snapshots
from ralph.git.workspaces.pool import slots
from ralph.journal.record import Record
from ralph.journal.store import Store, last_sign_of_life
from ralph.processes.marks import sweep
from ralph.prompt.compose import scratchpad_path
from ralph.runner.loop_context import put_back_scratchpad, read_scratchpad
from ralph.runner.operations.gate import changed_paths
from ralph.runner.operations.landing import landed_apart
from ralph.runner.workplace import OwnRefs

ABANDONED = 86400.0  # seconds
NOTICED_LATE = 5.0  # seconds: a run leaves a sign of life about every second, later on a busy machine

_NONE = OwnRefs()


def last_loop(records: list[Record], root: Path) -> tuple[LoopState, list[Record]] | None:
    """The newest loop in this workspace, with its records."""
    for record in reversed(records):
        if record.kind == "loop.started":
            fact = f.decode(record.data)
            if isinstance(fact, f.LoopStarted) and fact.root == str(root):
                own = [r for r in records if r.loop == fact.loop]
                return fold_all(f.decode(r.data) for r in own), own
    return None


def is_over(s: LoopState) -> bool:
    """It ended in a way from which nothing goes on."""
    return s.ended is not None and s.ended not in RESUMABLE


def unfinished_elsewhere(records: list[Record], root: Path) -> bool:
    """Whether a workspace other than this one, and not removed since, has a loop that can go on."""
    newest: dict[str, str] = {}
    over: set[str] = set()
    for record in records:
        if record.kind not in ("loop.started", "loop.resumed", "loop.ended"):
            continue
        match f.decode(record.data):
            case f.LoopStarted() as started:
                newest[started.root] = started.loop
            case f.LoopResumed():
                over.discard(record.loop)
            case f.LoopEnded() as ended if ended.end not in RESUMABLE:
                over.add(record.loop)
    return any(
        loop not in over and other != str(root) and Path(other).is_dir() for other, loop in newest.items()
    )


def is_unfinished(s: LoopState) -> bool:
    """It was cut short, so that a new run must say whether to go on with it."""
    return not is_over(s) and s.ended not in SETTLED


def died_after(loop: list[Record], records: list[Record]) -> bool:
    """Whether the last run that worked on this loop died."""
    return loop[-1].run in {dead.run for dead in dead_runs(records)}


def how_it_ended(loop: list[Record]) -> f.LoopEnded:
    return next(fact for r in reversed(loop) if isinstance(fact := f.decode(r.data), f.LoopEnded))


def ended_by(loop: list[Record]) -> str:
    """The run in which it ended."""
    return next(r.run for r in reversed(loop) if r.kind == "loop.ended")


def dead_runs(records: list[Record]) -> list[f.RunStarted]:
    """Runs that began and neither ended nor were swept: they died."""
    begun: dict[str, f.RunStarted] = {}
    for record in records:
        if record.kind in ("run.started", "run.ended", "run.swept"):
            fact = f.decode(record.data)
            if isinstance(fact, f.RunStarted):
                begun[fact.run] = fact
            elif isinstance(fact, f.RunEnded | f.RunSwept):
                begun.pop(fact.run, None)
    return list(begun.values())


_BY_INBOX = frozenset(  # facts that name the message they came by
    (
        *("event.received", "stop.requested", "claim.made", "task.proposed", "checkpoint"),
        *("said", "paused", "continued", "answered"),
    )
)


def seen_in(records: list[Record]) -> set[str]:
    """Inbox messages that the journal has already: delivering them again would be a repeat."""
    seen = set()
    for record in records:
        if record.kind in _BY_INBOX:
            seen.add(getattr(f.decode(record.data), "name", ""))
    return seen - {""}


def sweep_dead(records: list[Record], record: Callable[[f.AnyFact], None]) -> None:
    """End whatever a dead run left running, before anything looks at the tree."""
    _drop_abandoned()
    for dead in dead_runs(records):
        found = sweep(dead.residue) if dead.residue else []
        for left in Path(tempfile.gettempdir()).glob(f"ralph-gate-{dead.run}-*"):
            shutil.rmtree(left, ignore_errors=True)
        record(f.RunSwept(run=dead.run, found=tuple(found)))


def _drop_abandoned() -> None:
    """Temporary folders that are used for an instant and bear no run's name: a day old, they are a dead process's."""
    for pattern in ("ralph-status-*", "ralph-rules-*", "ralph-probe-*", "ralph-patch-*"):
        for left in Path(tempfile.gettempdir()).glob(pattern):
            with suppress(FileNotFoundError):
                if left.lstat().st_mtime < time.time() - ABANDONED:
                    shutil.rmtree(left, ignore_errors=True)


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
    for running in s.open.values():
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


def note_outside_edits(s: LoopState, snapshots: Snapshots, record: Callable[[f.AnyFact], None]) -> None:
    """While Ralph was away, somebody may have worked on the tree."""
    if not s.prepared:
        return
    tree = snapshots.take().tree
    if tree != s.tree:
        paths = tuple(printable(c.path) for c in snapshots.diff(s.tree, tree)) if s.tree else ()
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
    n = fact.n if isinstance(fact, f.IterationStarted) else s.iterations + 1
    serial = fact.serial if isinstance(fact, f.IterationStarted) else s.serial
    transcript = store.transcript_of(started.run if started else "", s.loop, running.op)
    snapshot = snapshots.take()
    died = last_sign_of_life(store.state_dir, started.run) + NOTICED_LATE if started else 0.0
    tree = snapshot.tree
    edited: tuple[str, ...] = ()
    if s.backlog:
        from ralph.runner.backlog_copy import put_back_backlog

        tree, edited = put_back_backlog(snapshots, s, tree, serial, record, keep)
    undone = undo_protected(
        snapshots,
        s,
        tree,
        keep,
        lambda path: _changed_at(snapshots.repo.root / path) <= died,  # somebody may have edited it since
    )
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
        scratchpad=store.put(read_scratchpad(Path(s.root) / s.folder, s)),
        usage=_usage(s.worker, transcript),
        refs_moved=_moved(store, fact.refs, snapshots.repo, own_refs)
        if isinstance(fact, f.IterationStarted)
        else (),
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


def _moved(store: Store, memory: str, repo: Repo, own_refs: OwnRefs, *, work: bool = True) -> tuple[str, ...]:
    """The refs that are not as they were when the operation began."""
    if not memory:
        return ()
    refs = RefWatch(repo)
    refs.recall(store.get(memory), own_refs.made, own_refs.branches)
    return refs.moved(work=work)


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
    transcript = store.transcript_of(started.run if started else "", s.loop, running.op)
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
        refs_moved=_moved(store, fact.refs, repo, own_refs, work=False)
        if isinstance(fact, f.GateStarted)
        else (),
    )


def _swap_back(s: LoopState, running: Running, snapshots: Snapshots) -> None:
    """Put the changed gate inputs back where a gate was running with the originals; leave what somebody edited since."""
    if not running.swapped:
        return
    paths = changed_paths(snapshots, s.base_tree, running.tree, running.swapped)
    swapped = snapshots.overlay(running.tree, s.base_tree, paths)
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
    gate, folder = s.gate(running.gate), Path(s.root) / s.folder
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


GONE = "its workspace is gone"  # with what was made there: the task begins anew


class Begun(msgspec.Struct):
    """A loop that is not over: its state, its records."""

    state: LoopState
    records: list[Record]


def changes(s: LoopState) -> Iterator[Change]:
    """What the end of a loop means for its task. An end that says nothing about the work leaves it as it is."""
    match BY_NAME[s.ended].task if s.ended else "in_progress":
        case "complete":
            proof = ", ".join(f"{gate} {what}" for gate, what in s.proof.items())
            commit = s.landed.commit if s.landed else ""
            verified = s.ended == "completed-verified"
            branch, target = landed_apart(s)
            yield Completed(s.task.id, commit, verified, proof, branch=branch, target=target, of_loop=True)
        case "failed":
            yield Failed(s.task.id, s.end_reason, of_loop=True)
        case "blocked":
            yield Blocked(s.task.id, f"{s.ended}: {s.end_reason}", of_loop=True)
        case "cancelled" if s.end_reason == GONE:
            yield Reopened(s.task.id, of_loop=True)
        case "cancelled":
            yield Cancelled(s.task.id, s.end_reason, of_loop=True)


def unfinished(records: list[Record], home: Repo) -> dict[str, Begun]:
    """Loops of this repository's backlog that go on by themselves, by task."""
    found: dict[str, Begun] = {}
    for loop, own in by_loop(records, home).items():
        s = fold_all(f.decode(r.data) for r in own)
        if s.ended is None or s.steer.replied or (s.ended not in OVER and not list(changes(s))):
            found[s.task.id] = Begun(s, own)
        elif s.task.id in found and found[s.task.id].state.loop < loop:
            del found[s.task.id]
    return found


def waiting(records: list[Record], home: Repo) -> dict[str, Begun]:
    """Loops that are not over and whose workspace is still there, by task: also those that wait for a person."""
    there = {workspace.loop for workspace in slots(home) if (workspace.path / ".git").exists()}
    found: dict[str, Begun] = {}
    for loop, own in by_loop(records, home).items() if there else ():
        if loop in there:
            s = fold_all(f.decode(r.data) for r in own)
            if s.ended not in OVER:
                found[s.task.id] = Begun(s, own)
    return found


def needs_a_person(s: LoopState) -> bool:
    """Whether it ended in a way that only somebody's word gets it out of; its workspace is kept for that."""
    return (
        s.ended is not None and s.ended not in OVER and not s.steer.replied and any(True for _ in changes(s))
    )


def ended_loops(records: list[Record], home: Repo) -> Iterator[tuple[LoopState, int]]:
    """Every loop of the backlog that ended, with the number of the record that says so."""
    for own in by_loop(records, home).values():
        last = max((r.seq for r in own if r.kind == "loop.ended"), default=0)
        if last:
            s = fold_all(f.decode(r.data) for r in own)
            if s.ended is not None:
                yield s, last


def by_loop(records: list[Record], home: Repo) -> dict[str, list[Record]]:
    found: dict[str, list[Record]] = {}
    for record in records:
        if record.kind == "loop.started":
            started = f.decode(record.data)
            if isinstance(started, f.LoopStarted) and started.home == str(home.root):
                found[started.loop] = []
        if record.loop in found:
            found[record.loop].append(record)
    return found
