"""What people do with tasks: create, update, cancel, retry, say. Each function is one transaction of the server."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from ralph.core.fleet.dependants import find_cycle, save, update_needs, with_needs
from ralph.core.fleet.leases import unknown
from ralph.core.fleet.model import (
    FOREVER,
    HOLDING,
    LONGEST_TYPE,
    MOST_ITERATIONS,
    FleetEvent,
    FleetTask,
    PersonMessage,
    TaskSpec,
)
from ralph.core.fleet.moves import FINAL, editable, possible
from ralph.core.fleet.requests import (
    CancelTask,
    CreateTask,
    Refusal,
    ReportMerged,
    RetryTask,
    SendMessage,
    TaskAnswer,
    UpdateTask,
)
from ralph.core.fleet.store import FleetTransaction
from ralph.core.tasks.task import bad_id

WIRE_NAMES: dict[str, str] = {field.name: field.encode_name for field in msgspec.structs.fields(TaskSpec)}


def invalid(field: str, text: str) -> Refusal:
    return Refusal("invalid", text, field=WIRE_NAMES.get(field, field))


def impossible(task: FleetTask, wish: str) -> Refusal:
    return Refusal(
        "move", f"a task that is {task.status} cannot be {wish}; possible: {possible(task.status)}"
    )


def check_spec(spec: TaskSpec) -> Refusal | None:
    """What is wrong with it, whatever the server holds."""
    path = spec.ralph_plan_path
    checks = (
        (not spec.task.strip(), "task", "it says nothing"),
        (not spec.task_type.strip(), "task_type", "it is empty"),
        (len(spec.task_type) > LONGEST_TYPE, "task_type", f"at most {LONGEST_TYPE} characters"),
        (
            spec.task_type == "ralph" and not spec.ralph_promise.strip(),
            "ralph_promise",
            "a ralph task needs the promise by which it is known to be complete",
        ),
        (
            not 1 <= spec.ralph_max_iterations <= MOST_ITERATIONS,
            "ralph_max_iterations",
            f"a number from 1 to {MOST_ITERATIONS}",
        ),
        (
            path.startswith(("/", "~")) or "\\" in path or "\0" in path or ".." in path.split("/"),
            "ralph_plan_path",
            "a path inside the repository, relative to its root",
        ),
        (not math.isfinite(spec.priority), "priority", "a number; 0 is the most urgent"),
        (bool(spec.target) and not spec.repository, "target", "only a repository has a target"),
        (len(set(spec.dependencies)) < len(spec.dependencies), "dependencies", "one is named twice"),
    )
    return next((invalid(field, text) for wrong, field, text in checks if wrong), None)


# -- create and update -----------------------------------------------------------------------------------------


def create(tx: FleetTransaction, tasks: Sequence[CreateTask]) -> tuple[TaskAnswer, ...] | Refusal:
    """All of them or none. They may depend on each other. The same again is answered as the first time."""
    known = [tx.task(new.id) for new in tasks]
    if all(task is not None and task.spec == new.spec for task, new in zip(known, tasks, strict=True)):
        return tuple(TaskAnswer(task) for task in known if task is not None)
    if any(task is not None for task in known):
        return Refusal("used", "there is another task with this id", field="id")
    tx.lock_needs()
    if wrong := _check_new(tx, tasks):
        return wrong
    for new in _in_order(tasks):
        _create(tx, new)
    return tuple(TaskAnswer(task) for new in tasks if (task := tx.task(new.id)) is not None)


def _check_new(tx: FleetTransaction, tasks: Sequence[CreateTask]) -> Refusal | None:
    ids = {new.id for new in tasks}
    for new in tasks:
        if (why := bad_id(new.id)) or len(ids) < len(tasks):
            return invalid("id", why or "one id is given twice")
        if wrong := check_spec(new.spec) or _check_references(tx, new.spec, ids):
            return wrong
    if len(_in_order(tasks)) < len(tasks):
        return invalid("dependencies", "these tasks wait for each other")
    return None


def _check_references(tx: FleetTransaction, spec: TaskSpec, also: set[str]) -> Refusal | None:
    if spec.repository and tx.repository(spec.repository) is None:
        return _nowhere("repository", spec.repository)
    for need in spec.dependencies:
        if need not in also and tx.task(need) is None:
            return _nowhere("dependencies", need)
    return None


def _nowhere(field: str, name: str) -> Refusal:
    what = "repository" if field == "repository" else "task"
    return Refusal("unknown", f"there is no {what} {name}", field=field)


def _in_order(tasks: Sequence[CreateTask]) -> list[CreateTask]:
    """Each after those it depends on; those in a cycle are left out."""
    left = {new.id: new for new in tasks}
    ordered: list[CreateTask] = []
    while free := [new for new in left.values() if not any(need in left for need in new.spec.dependencies)]:
        ordered += free
        for new in free:
            del left[new.id]
    return ordered


def _create(tx: FleetTransaction, new: CreateTask) -> None:
    spec = new.spec
    needs = [
        tx.lock_task(id) for id in sorted(spec.dependencies)
    ]  # none completes before this one is counted
    repository = tx.repository(spec.repository) if spec.repository else None
    target = spec.target or (repository.target if repository is not None else "")
    task = FleetTask(
        id=new.id,
        spec=spec,
        born=tx.now(),
        lane=f"{spec.repository} {target}" if target else "",
        assigned=spec.assign_to,
    )
    tx.add_task(with_needs(task, [need for need in needs if need is not None]), spec.dependencies)
    tx.emit(FleetEvent(new.id, "created"))


def update(tx: FleetTransaction, request: UpdateTask) -> TaskAnswer | Refusal:
    tx.lock_needs()
    task = tx.lock_task(request.task)
    if task is None:
        return unknown(request.task)
    changed = {n for n in WIRE_NAMES if getattr(task.spec, n) != getattr(request.spec, n)}
    allowed = editable(task.status, begun=task.facts > 0, held=task.is_held)
    if refused := sorted(changed - allowed):
        names = ", ".join(sorted(WIRE_NAMES[name] for name in allowed))
        return Refusal(
            "move",
            f"{WIRE_NAMES[refused[0]]} cannot change while the task is {task.status}; possible: {names}",
            field=WIRE_NAMES[refused[0]],
        )
    if wrong := check_spec(request.spec) or _check_references(tx, request.spec, set()):
        return wrong
    if ring := find_cycle(tx, task.id, request.spec.dependencies):
        return invalid("dependencies", f"it would wait for itself: {' → '.join(ring)}")
    assigned = request.spec.assign_to if "assign_to" in changed else task.assigned
    after = save(tx, task, replace(task, spec=request.spec, assigned=assigned), "message", "updated")
    if "dependencies" in changed:
        for id in sorted(request.spec.dependencies):
            tx.lock_task(id)
        tx.replace_needs(task.id, request.spec.dependencies)
        update_needs(tx, task.id)
    return _now(tx, after)


# -- cancel, retry, messages -----------------------------------------------------------------------------------


def cancel(tx: FleetTransaction, request: CancelTask) -> TaskAnswer | Refusal:
    """Final at once, and fenced by a new epoch; unless a landing is open: no one knows yet whether it happened."""
    task = tx.lock_task(request.task)
    if task is None:
        return unknown(request.task)
    if task.status == "cancelled":
        return TaskAnswer(task)
    if task.status in FINAL:
        return impossible(task, "cancelled")
    if task.progress.landed:
        return Refusal("landing", "it has landed")
    if is_landing_open(task):
        return _cancel_later(tx, task, request)
    after = replace(
        task,
        status="cancelled",
        epoch=tx.next_epoch(),
        holder="",
        reason="cancelled by a person",
        not_before=0,
    )
    return TaskAnswer(save(tx, task, after, "cancel", "cancelled", request.author))


def is_landing_open(task: FleetTask) -> bool:
    return task.progress.intent is not None


def _cancel_later(tx: FleetTransaction, task: FleetTask, request: CancelTask) -> Refusal:
    """The wish is kept: a lander finds out what happened, and obeys it if nothing landed."""
    after = replace(task, cancel_wanted=True)
    if not task.is_held:
        after = replace(after, status="pending", phase="land", not_before=0)
    if not task.cancel_wanted:
        tx.add_message(PersonMessage(0, task.id, "cancel", author=request.author))
    save(tx, task, after, "cancel", "message", "cancel")
    return Refusal("landing", "it is landing; it is cancelled if that fails")


def retry(tx: FleetTransaction, request: RetryTask) -> TaskAnswer | Refusal:
    task = tx.lock_task(request.task)
    if task is None:
        return unknown(request.task)
    if task.is_held:
        return Refusal("held", f"{task.holder} works on it")
    if task.status not in ("failed", "blocked"):
        return impossible(task, "tried again")
    if task.failed_needs:
        return Refusal("move", f"first try {', '.join(task.failed_needs)} again: it depends on that")
    if request.fresh and task.progress.landed:
        return Refusal("move", "it has landed: only `from: last` is possible")
    if request.fresh and is_landing_open(task):
        return Refusal("landing", "a landing is open: only `from: last` finds out whether it happened")
    after = replace(task, status="pending", reason="", not_before=0, deaths=0, faults=(), retry=request.retry)
    if request.fresh:
        after = replace(after, phase="work", savepoint=None)
    if most := int(request.limits.get("max_iterations", 0)):
        after = replace(after, spec=replace(task.spec, ralph_max_iterations=most))
    return TaskAnswer(save(tx, task, after, "retry", "retried", request.author))


WAKES = frozenset({"answer", "accept"})  # a task that is blocked on a person


def send(tx: FleetTransaction, request: SendMessage) -> TaskAnswer | Refusal:
    """Kept until a fact names it. It also wakes what waits for a person, and holds back what no worker has yet."""
    if request.kind == "cancel":
        return cancel(tx, CancelTask(request.task, request.author))
    task = tx.lock_task(request.task)
    if task is None:
        return unknown(request.task)
    if task.status in FINAL:
        return impossible(task, "told anything")
    tx.add_message(PersonMessage(0, task.id, request.kind, request.body, request.author))
    after = task
    if request.kind in WAKES and task.status == "blocked" and not task.failed_needs:
        after = replace(task, status="pending", reason="", not_before=0)
    elif not task.is_held and task.status == "pending" and request.kind in HOLDING:
        after = replace(task, not_before=FOREVER, reason=f"{request.kind}: {request.author or 'a person'}")
    elif task.not_before == FOREVER and request.kind not in HOLDING:
        after = replace(task, not_before=0, reason="" if task.status == "pending" else task.reason)
    return TaskAnswer(save(tx, task, after, "message", "message", request.kind))


def report_merged(tx: FleetTransaction, request: ReportMerged) -> TaskAnswer | Refusal:
    """The pull request is merged: what depends on the task need not wait any more."""
    task = tx.lock_task(request.task)
    if task is None:
        return unknown(request.task)
    if task.progress.landed != "pr" or task.progress.commit != request.commit:
        return Refusal("move", "the task did not land as a pull request of this commit", field="commit")
    if task.merged:
        return TaskAnswer(task)
    return TaskAnswer(save(tx, task, replace(task, merged=True), "facts", "merged"))


def _now(tx: FleetTransaction, task: FleetTask) -> TaskAnswer:
    return TaskAnswer(tx.task(task.id) or task)
