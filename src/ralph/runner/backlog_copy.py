"""What an agent's edits of its workspace's copy of the backlog amount to: claims and proposed tasks, nothing more."""

from __future__ import annotations

from collections.abc import Callable
from glob import escape
from itertools import groupby

import msgspec

from ralph.backlog import done_name
from ralph.core import facts as f
from ralph.core.loop.state import LoopState
from ralph.core.policy import Task
from ralph.core.tasks.task import BacklogTask, TaskProblem, read_line
from ralph.gates.protected_paths import restore
from ralph.git.recovery import Keep
from ralph.git.snapshots import Snapshots


class Proposals(msgspec.Struct, frozen=True):
    """`claims` are ids that the agent says are complete; `tasks` are new. `ignored` are other edits, in words: only the copy
    in the user's checkout counts."""

    claims: tuple[str, ...] = ()
    tasks: tuple[BacklogTask, ...] = ()
    ignored: tuple[str, ...] = ()
    problems: tuple[TaskProblem, ...] = ()


def proposals(before: str, after: str, archive: str = "") -> Proposals:
    """`before` is the file as the workspace got it, `after` as the agent left it. `archive` is the workspace's
    `tasks-done.jsonl`: an id there that was open before is a claim as well."""
    if before == after and not archive:
        return Proposals()
    old, _ = _read(before)
    new, problems = _read(after)
    done, _ = _read(archive)
    claims = [id for id, task in new.items() if id in old and _turned(old[id], task)]
    claims += [id for id in done if id in old and id not in new and old[id].status != "complete"]
    wanted = {id: task for id, task in new.items() if id not in old and id not in done}
    known = {"", *old, *done, *wanted}
    orphans = {id: task for id, task in wanted.items() if task.parent not in known}
    for id, task in orphans.items():
        what = f"{id}: there is no task {task.parent}, its parent"
        problems.append(TaskProblem(what, line=task.order + 1, id=id, kind="parent"))
    return Proposals(
        claims=tuple(claims),
        tasks=tuple(task for id, task in wanted.items() if id not in orphans),
        ignored=tuple(_ignored(old, new, claims, done)),
        problems=tuple(problems),
    )


def _turned(old: BacklogTask, new: BacklogTask) -> bool:
    return new.status == "complete" and old.status != "complete"


def _ignored(
    old: dict[str, BacklogTask], new: dict[str, BacklogTask], claims: list[str], done: dict[str, BacklogTask]
) -> list[str]:
    found = [f"{id}: removed" for id in old if id not in new and id not in done]
    for id, task in new.items():
        if id in old and id not in claims and msgspec.structs.replace(task, order=old[id].order) != old[id]:
            found.append(f"{id}: edited")
    return found


def _read(text: str) -> tuple[dict[str, BacklogTask], list[TaskProblem]]:
    tasks: dict[str, BacklogTask] = {}
    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        raw = line.strip().removeprefix("\ufeff").encode("utf-8", "replace")
        if not raw:
            continue
        try:
            task = read_line(raw, number - 1)
        except ValueError as error:
            problems.append(TaskProblem(str(error), line=number))
            continue
        if task.id in tasks:
            first = tasks[task.id].order + 1
            what = f"{task.id}: there is a task of this id on line {first}"
            problems.append(TaskProblem(what, line=number, id=task.id, kind="duplicate"))
            continue
        tasks[task.id] = task
    return tasks, problems


MOST = 100  # new tasks of one iteration
MOST_CHARS = 1 << 20  # by which a file may grow in one: to read millions of lines would hold up every loop


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
    if not s.identity.backlog or tree == s.workspace.base_tree:
        return tree, ()
    done = done_name(s.identity.backlog)
    lost: list[str] = []

    def take_up() -> None:
        found = _read_copy(snapshots, s, tree)
        for fact in _facts(found, s, serial):
            record(fact)
        if found.ignored or found.problems or set(found.claims) - {s.identity.task.id}:
            lost.extend((s.identity.backlog, done))
            keep(tree, "before undoing backlog edits")

    restored = restore(
        snapshots,
        before=s.workspace.base_tree,
        tree=tree,
        protect=(f"./{escape(s.identity.backlog)}", f"./{escape(done)}"),
        keep=take_up,
    )
    return restored.tree, tuple(path for path in restored.paths if path in lost)


def _read_copy(snapshots: Snapshots, s: LoopState, tree: str) -> Proposals:
    base, name, other = s.workspace.base_tree, s.identity.backlog, done_name(s.identity.backlog)
    done = _text(snapshots, tree, other)
    archived = _text(snapshots, base, other)
    before, after = _text(snapshots, base, name), _text(snapshots, tree, name)
    for path, old, new in ((name, before, after), (other, archived, done)):
        if len(new) - len(old) > MOST_CHARS:
            return Proposals(
                ignored=(f"{path}: it grew by {len(new) - len(old)} characters and was not read",)
            )
    return proposals(before, after, "" if done == archived else done)


def _text(snapshots: Snapshots, tree: str, name: str) -> str:
    return (snapshots.read(tree, name) or b"").decode("utf-8", "replace")


def _facts(found: Proposals, s: LoopState, serial: int) -> list[f.AnyFact]:
    name = f"{s.identity.loop}-{serial}-tasks"
    facts: list[f.AnyFact] = []
    if s.identity.task.id in found.claims:
        # Without words of its own: those that the iteration ended with say more.
        evidence = f"its line in {s.identity.backlog} says that it is complete"
        facts.append(f.ClaimMade(name=name, serial=serial, summary="", evidence=evidence))
    for parent, tasks in groupby(found.tasks[:MOST], key=lambda task: task.parent):
        wanted = tuple(Task(task.id, task.title, task.description, task.criteria) for task in tasks)
        facts.append(
            f.TaskProposed(
                name=f"{name}-{len(facts)}",
                serial=serial,
                how="split" if parent == s.identity.task.id else "add",
                tasks=wanted,
                parent=parent,
            )
        )
    return facts
