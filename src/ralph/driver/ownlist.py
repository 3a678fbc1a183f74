"""A workspace's copy of the backlog: what an iteration did to it becomes a claim or proposals, and the copy is put back.

Only the copy in the user's checkout counts, and only Ralph and people write it.
"""

from __future__ import annotations

from collections.abc import Callable
from glob import escape
from itertools import groupby

from ralph.backlog import Proposals, done_name, proposals
from ralph.core import facts as f
from ralph.core.policy import Task
from ralph.core.state import LoopState
from ralph.driver.keeping import Keep
from ralph.gates.protect import restore
from ralph.workspace import Snapshots

MOST = 100  # new tasks of one iteration


def put_back_backlog(
    snapshots: Snapshots,
    s: LoopState,
    tree: str,
    serial: int,
    record: Callable[[f.AnyFact], None],
    keep: Keep,
) -> tuple[str, tuple[str, ...]]:
    """The tree without its edits, and the paths of which some could not be taken up. What they amount to is recorded
    before the copy is put back; after a death in between the same is recorded once more, which changes nothing."""
    if not s.backlog or tree == s.base_tree:
        return tree, ()
    done = done_name(s.backlog)
    lost: list[str] = []

    def take_up() -> None:
        found = _read(snapshots, s, tree)
        for fact in _facts(found, s, serial):
            record(fact)
        if found.ignored or found.problems or set(found.claims) - {s.task.id}:
            lost.extend((s.backlog, done))
            keep(tree, "before undoing backlog edits")

    restored = restore(
        snapshots,
        before=s.base_tree,
        tip=s.base_tree,
        tree=tree,
        protect=(f"./{escape(s.backlog)}", f"./{escape(done)}"),
        keep=take_up,
    )
    return restored.tree, tuple(path for path in restored.paths if path in lost)


def _read(snapshots: Snapshots, s: LoopState, tree: str) -> Proposals:
    base, name, other = s.base_tree, s.backlog, done_name(s.backlog)
    done = _text(snapshots, tree, other)
    archive = "" if done == _text(snapshots, base, other) else done
    return proposals(_text(snapshots, base, name), _text(snapshots, tree, name), archive)


def _text(snapshots: Snapshots, tree: str, name: str) -> str:
    return (snapshots.read(tree, name) or b"").decode("utf-8", "replace")


def _facts(found: Proposals, s: LoopState, serial: int) -> list[f.AnyFact]:
    name = f"{s.loop}-{serial}-tasks"
    facts: list[f.AnyFact] = []
    if s.task.id in found.claims:
        # Without words of its own: those that the iteration ended with say more.
        evidence = f"its line in {s.backlog} says that it is complete"
        facts.append(f.ClaimMade(name=name, serial=serial, summary="", evidence=evidence))
    for parent, tasks in groupby(found.tasks[:MOST], key=lambda task: task.parent):
        wanted = tuple(Task(task.id, task.title, task.description, task.criteria) for task in tasks)
        facts.append(
            f.TaskProposed(
                name=f"{name}-{len(facts)}",
                serial=serial,
                how="split" if parent == s.task.id else "add",
                tasks=wanted,
                parent=parent,
            )
        )
    return facts
