"""The copy of the backlog that an agent finds in its workspace: the current list and its archive, made anew for each iteration.

It is one of Ralph's own files there, so no snapshot holds it and nothing of it lands. What an agent writes into it amounts
to claims and proposed tasks, nothing more.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from itertools import groupby
from pathlib import Path

import msgspec

from ralph.backlog import done_name
from ralph.core import facts as f
from ralph.core.loop.state import LoopState
from ralph.core.policy import Task
from ralph.core.tasks.task import BacklogTask, TaskProblem, read_line
from ralph.fault_points import fault_point
from ralph.files import NotAFile, open_plain, remove_tree
from ralph.git.uncommitted_changes import is_plain_path
from ralph.journal.store import write_atomically
from ralph.runner.loop_context import LoopContext
from ralph.text import few

MOST = 100  # new tasks of one iteration
MOST_BYTES = 1 << 20  # by which a file may grow in one: to read millions of lines would hold up every loop


class Proposals(msgspec.Struct, frozen=True):
    """`claims` are ids that the agent says are complete; `tasks` are new, without an id where theirs is taken. `ignored` are
    other edits, in words: only the list in the user's checkout counts."""

    claims: tuple[str, ...] = ()
    tasks: tuple[BacklogTask, ...] = ()
    ignored: tuple[str, ...] = ()
    problems: tuple[TaskProblem, ...] = ()


def proposals(
    before: str, after: str, archived: str = "", archive: str = "", own: Collection[str] = ()
) -> Proposals:
    """`before` is the list as the workspace got it, `after` as the agent left it; `archived` and `archive` are the same of
    its archive: an id there that was open before is a claim as well. `own`: the task that the agent works on."""
    if (before, archived) == (after, archive):
        return Proposals()
    old, _, _ = _read(before)
    new, problems, taken = _read(after)
    known, _, _ = _read(archived)
    done, _, _ = _read(archive)
    claims = [id for id, task in new.items() if id in old and _turned(old[id], task)]
    claims += [id for id in done if id in old and id not in new and old[id].status != "complete"]
    wanted = [task for id, task in new.items() if id not in old and id not in done]
    # One that has the id of another task is meant as a new one where it says something else.
    wanted += [_renamed(task) for id, task in new.items() if id not in old and _is_other(task, known)]
    wanted += [_renamed(task) for task in taken if _is_other(task, new, old, known)]
    wanted.sort(key=lambda task: task.order)
    parents = {task.parent for task in wanted}
    return Proposals(
        claims=tuple(claims),
        tasks=tuple(wanted),
        ignored=tuple(_ignored(old, new, {*claims, *(id for id in own if id in parents)}, done)),
        problems=tuple(problems),
    )


def _turned(old: BacklogTask, new: BacklogTask) -> bool:
    return new.status == "complete" and old.status != "complete"


def _is_other(task: BacklogTask, *known: dict[str, BacklogTask]) -> bool:
    """Whether tasks of this id are known, and all of them are about something else."""
    named = [tasks[task.id].title.split() for tasks in known if task.id in tasks]
    return bool(named) and task.title.split() not in named


def _renamed(task: BacklogTask) -> BacklogTask:
    return msgspec.structs.replace(task, id="")


def _ignored(
    old: dict[str, BacklogTask],
    new: dict[str, BacklogTask],
    heeded: Collection[str],
    done: dict[str, BacklogTask],
) -> list[str]:
    found = [f"{id}: removed" for id in old if id not in new and id not in done]
    for id, task in new.items():
        if id in old and id not in heeded and msgspec.structs.replace(task, order=old[id].order) != old[id]:
            found.append(f"{id}: edited")
    return found


def _read(text: str) -> tuple[dict[str, BacklogTask], list[TaskProblem], list[BacklogTask]]:
    """The tasks, what is no task, and the tasks of ids that had come before."""
    tasks: dict[str, BacklogTask] = {}
    problems, again = [], []
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
            again.append(task)
        else:
            tasks[task.id] = task
    return tasks, problems, again


# -- the files -----------------------------------------------------------------------------------------


def give_copy(b: LoopContext, s: LoopState) -> None:
    """Before an iteration starts. What it was given is kept out of its reach, to be compared with what it leaves."""
    texts = b.run.tasks.texts()
    for kept, path, text in zip(_given(b), _paths(s), texts, strict=True):
        kept.parent.mkdir(exist_ok=True)
        write_atomically(kept, text)
        place = b.repo.root / path
        if not is_plain_path(b.repo.root, path):
            continue  # an agent has made its folder lead elsewhere
        if place.is_dir() and not place.is_symlink():
            remove_tree(place)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(place, text)


def take_copy(
    b: LoopContext, s: LoopState, serial: int, record: Callable[[f.AnyFact], None]
) -> tuple[str, ...]:
    """After an iteration: what it made of its copy is recorded. Returns what is to be said to the agent about it. After a death
    the same is recorded once more, which changes nothing."""
    if not s.identity.backlog:
        return ()
    found = _read_copy(b, s)
    if isinstance(found, str):
        return (found,)
    facts = _facts(found, s, serial)
    for fact in facts:
        record(fact)
    if facts:
        b.run.journal.sync()
        fault_point("backlog.taken")
    return tuple(_unheeded(found, s))


def _paths(s: LoopState) -> tuple[str, str]:
    return s.identity.backlog, done_name(s.identity.backlog)


def _given(b: LoopContext) -> tuple[Path, Path]:
    """One workspace has one iteration at a time."""
    assert b.workspace is not None
    kept = b.run.store.state_dir / "copies" / f"slot-{b.workspace.slot}.jsonl"
    return kept, Path(done_name(str(kept)))


def _read_copy(b: LoopContext, s: LoopState) -> Proposals | str:
    texts = []
    for kept, path in zip(_given(b), _paths(s), strict=True):
        committed = b.snapshots.read(s.workspace.base_tree, path) or b""
        given = kept.read_bytes() if kept.exists() else committed
        left = _left(b.repo.root, path, len(given) + MOST_BYTES + 1)
        if len(left) > len(given) + MOST_BYTES:
            return f"{path} had grown by more than {MOST_BYTES} bytes and was not read"
        # as git has it: the agent has put away all its changes
        texts += [given, given if left == committed else left]
    before, after, archived, archive = (text.decode("utf-8", "replace") for text in texts)
    return proposals(before, after, archived, archive, (s.identity.task.id,))


def _left(root: Path, path: str, most: int) -> bytes:
    """Not through a link: what is at its other end is not this list."""
    if not is_plain_path(root, path):
        return b""
    try:
        with open(open_plain(root / path, os.O_RDONLY | os.O_NOFOLLOW), "rb") as file:
            return file.read(most)
    except (NotAFile, OSError):
        return b""


def _unheeded(found: Proposals, s: LoopState) -> list[str]:
    said = [f"{s.identity.backlog} line {x.line}: {x.what}; it was not read" for x in found.problems[:5]]
    others = [id for id in found.claims if id != s.identity.task.id]
    if others:
        said.append(f"{few(others)}: only its own loop completes a task")
    if found.ignored:
        said.append(f"these edits do not count: {few(found.ignored)}")
    if len(found.tasks) > MOST:
        said.append(f"of {len(found.tasks)} new tasks the first {MOST} were read")
    return said


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
                at_once=True,
            )
        )
    return facts
