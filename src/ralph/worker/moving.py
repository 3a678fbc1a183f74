"""A loop comes from another machine: the server's facts become a journal here, what was open is closed, and `loop.moved` says
where it continues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.fleet.model import FleetTask, SentFact
from ralph.core.loop.fold import fold, fold_all
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy
from ralph.core.secrets import masked
from ralph.git.ignored_files import own_excludes
from ralph.git.landing.squash import merge
from ralph.git.recovery import tree_of
from ralph.git.repo import Repo
from ralph.git.workspaces import clone
from ralph.git.workspaces.pool import track
from ralph.history.loop_records import Begun, begun
from ralph.journal.append import Journal
from ralph.journal.lock import Lock
from ralph.journal.record import IMPORTED, now
from ralph.journal.store import Store
from ralph.runner.loop_context import unrecorded_of
from ralph.runner.loop_workspace import snapshots_of
from ralph.runner.operations import Stopwatch
from ralph.runner.resume import close_unseen

Tell = Callable[[f.AnyFact, LoopState], None]


def continued(task: FleetTask, facts: Sequence[SentFact]) -> str:
    """The loop that continues; empty: a new one begins."""
    if task.retry is not None and task.retry.fresh:
        return ""
    newest = next((fact.loop for fact in reversed(facts) if fact.kind == "loop.started"), "")
    s = loop_in(facts, newest)
    refused = (
        s.judgement.ended is not None and not s.workspace.prepared
    )  # by what a person may have corrected
    return "" if refused else newest


def loop_in(facts: Sequence[SentFact], loop: str) -> LoopState:
    return fold_all(f.decode(fact.body) for fact in facts if loop and fact.loop == loop)


def import_loop(
    state_dir: Path, facts: Sequence[SentFact], loop: str, run: str, own: Callable[[], Policy]
) -> Begun:
    """Into a journal that has nothing yet, as records that were made elsewhere. `own`: the policy by this machine's look at the
    commit on which the loop was begun."""
    state_dir.mkdir(parents=True, exist_ok=True)
    lock = Lock.acquire(state_dir, run)
    try:
        at = ""
        journal = Journal.open(state_dir, IMPORTED, lambda: at)
        records = []
        for fact in facts:
            if fact.loop == loop:
                at = fact.at
                records.append(journal.append(fact.kind, _whole(fact, own), loop))
        journal.sync()
        journal.close()
    finally:
        lock.release()
    found = begun(records, loop)
    assert found is not None
    return found


def _whole(fact: SentFact, own: Callable[[], Policy]) -> bytes:
    if fact.kind != "loop.started" or not masked.is_masked(fact.body):
        return fact.body
    started = f.decode(fact.body)
    assert isinstance(started, f.LoopStarted)
    return f.encode(replace(started, policy=masked.filled(started.policy, own())))


def moved_to(found: Begun, repo: Repo) -> LoopState:
    """The loop as it will be here."""
    return replace(found.state, identity=replace(found.state.identity, root=str(repo.root), home="", slot=0))


def rewound(target: str, base: str) -> str:
    """Why a loop cannot be continued, for the person who has to decide."""
    return (
        f"{target} was rewound: {base[:12]}, on which the loop was begun, is on the remote no more. "
        "Try the task again from the start, or put that commit back"
    )


def move(found: Begun, repo: Repo, task: FleetTask, run: str, tell: Tell, tip: str = "") -> LoopState:
    """Records that the loop continues here. The workspace is as the savepoint says; what came back from its landing is brought
    on top of the target's `tip`."""
    lock = Lock.acquire(repo.state_dir, run)
    try:
        journal = Journal.open(repo.state_dir, run, now)
        store, s = Store(repo.state_dir, run), found.state

        def record(fact: f.AnyFact) -> None:
            nonlocal s
            journal.append(f.kind_of(fact), f.encode(fact), s.identity.loop)
            s = fold(s, fact)
            tell(fact, s)

        close_unseen(s, found.records, task.vitals, record)
        here = moved_to(found, repo)
        inputs = {}
        if here.workspace.prepared:
            snapshots = snapshots_of(repo, here)
            ignored = snapshots.ignored_files() if any(gate.judges for gate in here.gates) else []
            inputs = unrecorded_of(here).now(snapshots.files(here.workspace.tree), ignored)
        moved = f.LoopMoved(
            run=run,
            epoch=task.epoch,
            root=str(repo.root),
            excludes=store.put(own_excludes(repo)),
            unrecorded_inputs=inputs,
        )
        record(moved)
        if s.landing.returned and tip:
            record(_brought_onto(repo, s, tip))
        journal.sync()
        journal.close()
        return s
    finally:
        lock.release()


def _brought_onto(repo: Repo, s: LoopState, tip: str) -> f.WorkspaceMerged:
    """The change with what landed before it, and git's marks where the two conflict. A death in the middle does no harm: whoever
    is next begins with the savepoint again."""
    watch, snapshots = Stopwatch(), snapshots_of(repo, s)
    merged = merge(repo, s.workspace.base_commit, tip, s.workspace.tree)
    snapshots.restore(merged.tree)
    branch = repo.git_inside("symbolic-ref", "--short", "HEAD").decode().strip()
    clone.point(repo, branch, tip)
    snapshots.rebase(tip)
    taken = snapshots.take().tree
    lost = {change.path for change in snapshots.diff(merged.tree, taken) if change.status == "D"}
    if lost:  # ignored files that belong to the change
        track(repo, [one for one in snapshots.files(merged.tree) if one[2] in lost])
        taken = snapshots.take().tree
    return f.WorkspaceMerged(
        op=f.BY_A_LANDER,
        commit=tip,
        base_tree=tree_of(repo, tip) or "",
        tree=taken,
        conflicts=merged.conflicts,
        text=merged.text,
        seconds=watch.seconds(),
    )
