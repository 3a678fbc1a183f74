"""What an agent's edits of its workspace's copy of the backlog amount to: claims and proposed tasks, nothing more."""

from __future__ import annotations

import msgspec

from ralph.backlog.patch import fields_of
from ralph.core.tasks import BacklogTask, Problem, next_child, read_line


class Proposals(msgspec.Struct, frozen=True):
    """`claims` are ids that the agent says are complete; `tasks` are new; `leafless` are parents that become containers.
    `ignored` are other edits, in words: only the copy in the user's checkout counts."""

    claims: tuple[str, ...] = ()
    tasks: tuple[BacklogTask, ...] = ()
    fields: tuple[dict[str, object], ...] = ()  # of the new tasks, as the agent wrote them
    leafless: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def proposals(before: str, after: str, archive: str = "", name: str = "tasks.jsonl") -> Proposals:
    """`before` is the file as the workspace got it, `after` as the agent left it. `archive` is the workspace's
    `tasks-done.jsonl`: an id there that was open before is a claim as well."""
    if before == after and not archive:
        return Proposals()
    old, _, _ = _read(before, name)
    new, raws, problems = _read(after, name)
    done, _, _ = _read(archive, name)
    claims = [id for id, task in new.items() if id in old and _turned(old[id], task)]
    claims += [id for id in done if id in old and id not in new and old[id].status != "complete"]
    wanted = {id: task for id, task in new.items() if id not in old and id not in done}
    good: dict[str, BacklogTask] = {}
    for id, task in wanted.items():
        if task.parent and task.parent not in old and task.parent not in done and task.parent not in wanted:
            what = f"{id}: there is no task {task.parent}, its parent; the next free id is {_free(old, good)}"
            problems.append(Problem(what, name, task.order + 1, id, "parent"))
        else:
            good[id] = task
    return Proposals(
        claims=tuple(claims),
        tasks=tuple(good.values()),
        fields=tuple(_fit(raws[id], good) for id in good),
        leafless=tuple(dict.fromkeys(task.parent for task in good.values() if task.parent in old)),
        ignored=tuple(_ignored(old, new, claims, done)),
        problems=tuple(problems),
    )


def _turned(old: BacklogTask, new: BacklogTask) -> bool:
    return new.status == "complete" and old.status != "complete"


def _fit(raw: bytes, good: dict[str, BacklogTask]) -> dict[str, object]:
    """A new task begins as pending, whatever the agent says, and a parent of new tasks is no leaf."""
    fields = fields_of(raw)
    parents = {task.parent for task in good.values()}
    fields |= {"status": "pending", "leaf": fields.get("id") not in parents}
    for name in ("completed", "commit", "verified", "evidence", "reopened"):
        fields.pop(name, None)
    return fields


def _free(old: dict[str, BacklogTask], good: dict[str, BacklogTask]) -> str:
    top = next((id for id in reversed(old) if "." not in id), "A")
    return next_child(top, [*old, *good])


def _ignored(
    old: dict[str, BacklogTask], new: dict[str, BacklogTask], claims: list[str], done: dict[str, BacklogTask]
) -> list[str]:
    found = [f"{id}: removed" for id in old if id not in new and id not in done]
    for id, task in new.items():
        if id in old and id not in claims and msgspec.structs.replace(task, order=old[id].order) != old[id]:
            found.append(f"{id}: edited")
    return found


def _read(text: str, name: str) -> tuple[dict[str, BacklogTask], dict[str, bytes], list[Problem]]:
    tasks: dict[str, BacklogTask] = {}
    raws: dict[str, bytes] = {}
    problems = []
    for number, line in enumerate(text.split("\n"), 1):
        raw = line.strip().removeprefix("\ufeff").encode("utf-8", "replace")
        if not raw:
            continue
        try:
            task = read_line(raw, number - 1)
        except ValueError as error:
            problems.append(Problem(str(error), name, number))
            continue
        if task.id in tasks:
            first = tasks[task.id].order + 1
            what = f"{task.id}: there is a task of this id on line {first}"
            problems.append(Problem(what, name, number, task.id, "duplicate"))
            continue
        tasks[task.id], raws[task.id] = task, raw
    return tasks, raws, problems
