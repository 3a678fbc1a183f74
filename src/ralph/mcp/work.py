"""What an iteration tells the driver, claims, events and proposed tasks, and what it may ask: which tasks there are."""

from __future__ import annotations

import json
import os
import re

from ralph.errors import RalphError
from ralph.journal import scope
from ralph.mcp import files, todos
from ralph.mcp.arguments import number, objects, text, texts
from ralph.mcp.caller import Caller, digest

Arguments = dict[str, object]
ASKS = "human.interact"  # the topic by which an iteration asks a person
_LISTED = 100
_SHOWN = 300  # characters of one task in the list


def complete(caller: Caller, arguments: Arguments) -> str:
    _own(caller, text(arguments, "taskId"))
    artifacts = [caller.find(name) for name in texts(arguments, "artifactPaths")]
    claim: dict[str, object] = {
        "kind": "claim",
        "summary": text(arguments, "summary"),
        "evidence": text(arguments, "promiseEvidence"),
        "artifacts": artifacts,
    }
    caller.tell(claim, f"claim-{digest(claim)}")
    return (
        "Your claim is recorded. It completes nothing by itself: Ralph's gates decide once this iteration has ended. "
        "Change nothing more and end with TASK_COMPLETE; ITERATION_DONE or TASK_STUCK would take the claim back."
    )


def emit(caller: Caller, arguments: Arguments) -> str:
    topic = text(arguments, "topic").strip()
    if any(c.isspace() for c in topic):
        raise RalphError(
            f"{topic!r} is no topic", todo="A topic is one word, such as build.done; the rest is the payload."
        )
    if why := scope.refusal(topic, caller.env):
        raise RalphError(why, todo="Emit one of those, or nothing.")
    caller.tell({"kind": "event", "topic": topic, "payload": text(arguments, "payload")})
    return f"The event {topic} is handed to the loop."


def ask(caller: Caller, arguments: Arguments) -> str:
    payload = text(arguments, "question").strip()
    default, deadline = text(arguments, "default").strip(), number(arguments, "deadlineSeconds", 0)
    if default or deadline:
        asked = {"question": payload, "default": default or None, "deadline_seconds": deadline}
        payload = json.dumps({name: value for name, value in asked.items() if value}, ensure_ascii=False)
    caller.tell({"kind": "event", "topic": ASKS, "payload": payload})
    late = ", or with your default when nobody answers in time" if default and deadline else ""
    return (
        "The question is recorded. No answer comes in this iteration: the loop stops when it has ended and goes on "
        f"with a person's answer{late}. Write the scratchpad now, and end."
    )


def add(caller: Caller, arguments: Arguments) -> str:
    return _propose(caller, "add", "", [arguments])


def split(caller: Caller, arguments: Arguments) -> str:
    parent = text(arguments, "taskId")
    _own(caller, parent)
    return _propose(caller, "split", parent, objects(arguments, "tasks"))


def tasks(caller: Caller, arguments: Arguments) -> str:
    at = f", iteration {caller.iteration} of loop {caller.loop}" if caller.inside else ""
    head = f"Current task: {caller.task}{at}." if caller.task else "No loop runs here."
    if not caller.backlog:
        return f"{head}\nThe list of tasks is kept outside of the workspace."
    path = f"{caller.root}/{caller.backlog}"
    if not os.path.exists(path):
        return f"{head}\nThe workspace has no {caller.backlog}."
    found, strange = todos.parse(files.read(path))
    counts: dict[str, int] = {}
    for task in found:
        counts[_status(task)] = counts.get(_status(task), 0) + 1
    counted = ", ".join(f"{n} {status}" for status, n in sorted(counts.items())) or "empty"
    wanted = [task for task in found if _wanted(task, text(arguments, "status"), text(arguments, "under"))]
    lines = [head, f"{caller.backlog}: {counted}" + (f"; {strange} lines are no tasks" if strange else "")]
    lines += [_line(task) for task in wanted[:_LISTED]]
    if len(wanted) > _LISTED:
        lines.append(f"[{len(wanted) - _LISTED} more; narrow it by `status` or `under`]")
    return "\n".join(lines)


def _own(caller: Caller, task: str) -> None:
    caller.require()
    if task != caller.task:
        raise RalphError(
            f"refused: {task!r} is not the task of this loop", todo=f"Call it with taskId {caller.task!r}."
        )


def _propose(caller: Caller, how: str, parent: str, wanted: list[Arguments]) -> str:
    caller.require()
    proposed: list[dict[str, object]] = []
    for task in wanted:
        title, description = text(task, "title").strip(), text(task, "description")
        proposed.append({"title": title, "description": description, "criteria": texts(task, "criteria")})
    name = f"{how}-{digest(proposed)}"
    for task, id in zip(
        proposed, caller.proposed.get(name) or _new_ids(caller, parent, proposed), strict=True
    ):
        task["id"] = id
    caller.tell({"kind": "task", "how": how, "parent": parent, "tasks": proposed}, name)
    caller.proposed[name] = [str(task["id"]) for task in proposed]
    listed = "\n".join(f"- {task['id']}: {task['title']}" for task in proposed)
    return (
        "Proposed. Ids may become others, should these be taken; whether and when they are worked on is not yours "
        f"to decide. Go on with {caller.task}.\n{listed}"
    )


def _new_ids(caller: Caller, parent: str, proposed: list[Arguments]) -> list[str]:
    listed = files.read(f"{caller.root}/{caller.backlog}") if caller.backlog else ""
    known = {str(task["id"]) for task in todos.parse(listed)[0]}
    known.update(id for ids in caller.proposed.values() for id in ids)
    found = []
    for task in proposed:
        found.append(_child(parent, known) if parent else _slug(str(task["title"]), known))
        known.add(found[-1])
    return found


def _child(parent: str, known: set[str]) -> str:
    n = 1
    while f"{parent}.{n}" in known:
        n += 1
    return f"{parent}.{n}"


def _slug(title: str, known: set[str]) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:48].rstrip("-") or "task"
    name, n = slug, 1
    while name in known:
        n += 1
        name = f"{slug}-{n}"
    return name


_ALIASES = {"active": "in_progress", "completed": "complete"}


def _status(task: Arguments) -> str:
    status = task.get("status", "pending")
    return _ALIASES.get(status, status) if isinstance(status, str) else "pending"


def _wanted(task: Arguments, status: str, under: str) -> bool:
    inside = not under or str(task["id"]).startswith(f"{under.rstrip('.')}.")
    return inside and (not status or _status(task) == _ALIASES.get(status, status))


def _line(task: Arguments) -> str:
    shown = {name: task[name] for name in ("id", "title", "status", "leaf") if name in task}
    line = json.dumps(shown, ensure_ascii=False)
    return line if len(line) <= _SHOWN else line[:_SHOWN] + " [cut]"
