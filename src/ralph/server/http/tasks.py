"""Endpoints for people: tasks and what is said to them."""

from __future__ import annotations

import uuid
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import asdict, replace

from ralph.core.fleet import people
from ralph.core.fleet import requests as r
from ralph.core.fleet.access import END, TASK_ID, is_over, sees
from ralph.core.fleet.model import (
    LONGEST_TYPE,
    MOST_ITERATIONS,
    AuditRecord,
    FleetTask,
    PersonMessage,
    Phase,
    TaskQuery,
    TaskSpec,
)
from ralph.core.fleet.readiness import serves, why_not_running
from ralph.core.fleet.server import handle
from ralph.core.fleet.store import FleetTransaction
from ralph.core.tasks.task import PRIORITY, Status
from ralph.server.http.endpoint import MB, Call, Endpoint, once
from ralph.server.http.problems import HttpProblem
from ralph.server.task_view import TaskView, view

LONGEST_NAME = 200
NOT_BLANK = r"\S"
PLACE = r"^([0-9]{1,15}\.[!-~]+)?" + END
INSIDE = r"^(?![/~])(?!.*(^|/)\.\.(/|$))[^\\\x00]*" + END
Id = Annotated[str, Meta(pattern=TASK_ID, max_length=120)]
Name = Annotated[str, Meta(max_length=LONGEST_NAME)]
Names = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)], ...], Meta(max_length=100)
]
LONGEST_TASK = 200_000  # characters
Criteria = Annotated[tuple[Annotated[str, Meta(max_length=10_000)], ...], Meta(max_length=100)]
Iterations = Annotated[int, Meta(ge=1, le=MOST_ITERATIONS)]
Priority = Annotated[float, Meta(ge=-1e9, le=1e9, description="0 is the most urgent")]
Dependencies = Annotated[tuple[Id, ...], Meta(max_length=1000, extra_json_schema={"uniqueItems": True})]
PlanPath = Annotated[
    str,
    Meta(pattern=INSIDE, max_length=1000, description="A plan inside the repository, relative to its root"),
]


class NewTask(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """A task to be created. A ralph task needs its promise."""

    task: Annotated[str, Meta(pattern=NOT_BLANK, max_length=LONGEST_TASK, description="What to do")]
    id: Id | None = None  # a UUID where none is given
    title: Name = ""
    task_type: Annotated[
        str,
        Meta(
            pattern=NOT_BLANK,
            max_length=LONGEST_TYPE,
            description="ralph: a loop of iterations. Any other: one iteration, then the gates",
        ),
    ] = "ralph"
    ralph_promise: Annotated[
        str, Meta(max_length=100_000, description="By what it is known that the task is complete")
    ] = ""
    ralph_max_iterations: Iterations = 50
    ralph_plan_path: PlanPath = ""
    criteria: Criteria = ()
    priority: Priority = PRIORITY
    tags: Names = ()
    labels: Names = ()
    dependencies: Dependencies = ()
    parent: Name = ""
    repository: Name = ""
    target: Name = ""
    agent: Name = ""
    assign_to: Name = ""

    def request(self) -> r.CreateTask:
        fields = asdict(self)
        return r.CreateTask(fields.pop("id") or str(uuid.uuid4()), TaskSpec(**fields))


class NewTasks(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """All of them are created, or none. With ids of their own they may depend on each other."""

    tasks: Annotated[tuple[NewTask, ...], Meta(min_length=1, max_length=1000)]


class TaskChanges(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """What is given changes. docs/fleet-protocol.md has the table of which fields may change when."""

    task: Annotated[str, Meta(pattern=NOT_BLANK, max_length=LONGEST_TASK)] | msgspec.UnsetType = msgspec.UNSET
    title: Name | msgspec.UnsetType = msgspec.UNSET
    task_type: Annotated[str, Meta(pattern=NOT_BLANK, max_length=LONGEST_TYPE)] | msgspec.UnsetType = (
        msgspec.UNSET
    )
    ralph_promise: Annotated[str, Meta(pattern=NOT_BLANK, max_length=100_000)] | msgspec.UnsetType = (
        msgspec.UNSET
    )
    ralph_max_iterations: Iterations | msgspec.UnsetType = msgspec.UNSET
    ralph_plan_path: PlanPath | msgspec.UnsetType = msgspec.UNSET
    criteria: Criteria | msgspec.UnsetType = msgspec.UNSET
    priority: Priority | msgspec.UnsetType = msgspec.UNSET
    tags: Names | msgspec.UnsetType = msgspec.UNSET
    labels: Names | msgspec.UnsetType = msgspec.UNSET
    dependencies: Dependencies | msgspec.UnsetType = msgspec.UNSET
    parent: Name | msgspec.UnsetType = msgspec.UNSET
    agent: Name | msgspec.UnsetType = msgspec.UNSET
    assign_to: Name | msgspec.UnsetType = msgspec.UNSET


class ListQuery(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    status: tuple[Status, ...] = ()
    phase: Phase | Literal[""] = ""
    task_type: Annotated[str, Meta(max_length=LONGEST_TYPE)] = ""
    repository: Name = ""
    worker: Name = ""
    assign_to: Name = ""
    parent: Name = ""
    tag: Name = ""
    label: Name = ""
    search: Annotated[
        str, Meta(max_length=LONGEST_NAME, description="In title and task, or the beginning of an id")
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=500)] = 100
    after: Annotated[str, Meta(pattern=PLACE, max_length=200, description="`next` of the page before")] = ""


class TaskPage(msgspec.Struct, frozen=True):
    tasks: tuple[TaskView, ...]
    next: str | None  # gives the next page
    cursor: int  # of /api/events: what changed after this page was read


class Messages(msgspec.Struct, frozen=True):
    messages: tuple[PersonMessage, ...]


Sendable = Literal["say", "pause", "continue", "answer", "accept", "stop"]


class NewMessage(msgspec.Struct, forbid_unknown_fields=True):
    kind: Sendable
    text: Annotated[str, Meta(max_length=100_000)] = ""


class RetryLimits(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    """What is given takes the place of the loop's own."""

    max_iterations: Iterations | None = None
    max_attempts: Iterations | None = None
    max_runtime_seconds: Annotated[float, Meta(gt=0, le=1e8, description="Active time")] | None = None
    max_cost_usd: Annotated[float, Meta(gt=0, le=1e9)] | None = None
    max_tokens: Annotated[int, Meta(ge=1, le=10**15)] | None = None

    @property
    def given(self) -> dict[str, float]:
        names = {"max_runtime_seconds": "hard_seconds"}
        return {names.get(name, name): one for name, one in asdict(self).items() if one is not None}


class RetryWish(msgspec.Struct, rename={"start": "from"}, forbid_unknown_fields=True):
    """`from: last` continues the same loop; `from: start` starts over."""

    start: Literal["last", "start"] = "last"
    limits: RetryLimits | None = None


class Why(msgspec.Struct, frozen=True):
    """Why is this task not running?"""

    ready: bool  # a worker may have it now
    reasons: tuple[str, ...]


# -- what they do ----------------------------------------------------------------------------------------------


def visible(tx: FleetTransaction, call: Call, id: str | None = None) -> FleetTask:
    task = tx.task(id or call.path["id"])
    if is_over(call.token, tx.task(call.token.task) if call.token.task else None):
        raise HttpProblem(401, "the claim of this token is over")
    if task is None or not sees(call.token, task):
        raise HttpProblem(404, f"there is no task {id or call.path['id']}")
    return task


def noted(tx: FleetTransaction, call: Call, action: str, subject: str = "", text: str = "") -> None:
    """In the audit log, with what it is about."""
    token = call.token
    tx.add_audit(AuditRecord(tx.now(), token.id, token.name, action, subject, text[:500]))


def ask(tx: FleetTransaction, call: Call, request: r.PersonRequest) -> r.TaskAnswer:
    """What the rules answer; a refusal ends the request, and nothing of it stays."""
    answer = handle(tx, request, call.service.settings)
    if isinstance(answer, r.Refusal):
        call.service.note(answer)
        raise HttpProblem.of(answer)
    if isinstance(answer, tuple):
        return answer[0]
    assert isinstance(answer, r.TaskAnswer)
    return answer


async def create(call: Call) -> TaskView:
    def rule(tx: FleetTransaction) -> TaskView:
        return _created(tx, call, (call.body,))[0]

    return await once(call, rule, TaskView)  # type: ignore[no-any-return]


async def create_many(call: Call) -> tuple[TaskView, ...]:
    def rule(tx: FleetTransaction) -> tuple[TaskView, ...]:
        return _created(tx, call, call.body.tasks)

    return await once(call, rule, tuple[TaskView, ...])  # type: ignore[no-any-return]


def _created(tx: FleetTransaction, call: Call, new: tuple[NewTask, ...]) -> tuple[TaskView, ...]:
    answer = people.create(tx, [one.request() for one in new])
    if isinstance(answer, r.Refusal):
        call.service.note(answer)
        raise HttpProblem.of(answer)
    for made in answer:
        noted(tx, call, "create", made.task.id, made.task.spec.heading)
    return tuple(view(made.task) for made in answer)


async def find(call: Call) -> TaskPage:
    asked: ListQuery = call.query
    fields = {name: getattr(asked, name) for name in _SAME}
    query = TaskQuery(
        statuses=asked.status,
        phase=asked.phase,
        before=_place(asked.after),
        repositories=call.token.repositories,
        most=asked.limit + 1,
        **fields,
    )

    def rule(tx: FleetTransaction) -> tuple[tuple[FleetTask, ...], int]:
        if call.token.role == "run":
            return (visible(tx, call, call.token.task),), tx.event_range()[1]
        return tx.find_tasks(query), tx.event_range()[1]

    found, cursor = await call.service.read(rule)
    page = found[: asked.limit]
    last = page[-1] if len(found) > asked.limit else None
    return TaskPage(tuple(map(view, page)), None if last is None else _after(last), cursor)


_SAME = ("task_type", "repository", "worker", "assign_to", "parent", "tag", "label", "search")


def _after(task: FleetTask) -> str:
    return f"{task.born}.{task.id}"


def _place(after: str) -> tuple[int, str] | None:
    born, _, id = after.partition(".")
    return (int(born), id) if after else None


async def show(call: Call) -> TaskView:
    return view(await call.service.read(lambda tx: visible(tx, call)))


async def update(call: Call) -> TaskView:
    given = {name: value for name, value in asdict(call.body).items() if value is not msgspec.UNSET}

    def rule(tx: FleetTransaction) -> TaskView:
        task = visible(tx, call)
        answer = ask(tx, call, r.UpdateTask(task.id, replace(task.spec, **given)))
        noted(tx, call, "update", task.id, ", ".join(given))
        return view(answer.task)

    return await call.service.write(rule)


async def cancel(call: Call) -> TaskView:
    def rule(tx: FleetTransaction) -> TaskView | r.Refusal:
        task = visible(tx, call)
        answer = handle(tx, r.CancelTask(task.id, call.author), call.service.settings)
        noted(tx, call, "cancel", task.id)
        if isinstance(answer, r.Refusal):  # the wish may have been kept: this commits
            return answer
        assert isinstance(answer, r.TaskAnswer)
        return view(answer.task)

    answer = await call.service.write(rule)
    if isinstance(answer, r.Refusal):
        call.service.note(answer)
        raise HttpProblem.of(answer)
    return answer


async def retry(call: Call) -> TaskView:
    wish: RetryWish = call.body

    def rule(tx: FleetTransaction) -> TaskView:
        task = visible(tx, call)
        limits = wish.limits.given if wish.limits else {}
        request = r.RetryTask(task.id, wish.start == "start", limits, call.author)
        after = ask(tx, call, request).task
        noted(tx, call, "retry", task.id, wish.start)
        return view(after)

    return await once(call, rule, TaskView)  # type: ignore[no-any-return]


async def send(call: Call) -> TaskView:
    message: NewMessage = call.body

    def rule(tx: FleetTransaction) -> TaskView:
        task = visible(tx, call)
        noted(tx, call, message.kind, task.id, message.text)
        request = r.SendMessage(task.id, message.kind, message.text, call.author)
        return view(ask(tx, call, request).task)

    return await once(call, rule, TaskView)  # type: ignore[no-any-return]


async def messages(call: Call) -> Messages:
    def rule(tx: FleetTransaction) -> tuple[PersonMessage, ...]:
        return tx.messages(visible(tx, call).id, taken=True)

    return Messages(await call.service.read(rule))


async def why(call: Call) -> Why:
    def rule(tx: FleetTransaction) -> Why:
        task = visible(tx, call)
        text = why_not_running(task, lane_held=bool(task.lane) and tx.is_landing(task.lane))
        if text:
            return Why(False, (text,))
        return Why(True, tuple(_no_worker(tx, task)))

    return await call.service.read(rule)


def _no_worker(tx: FleetTransaction, task: FleetTask) -> list[str]:
    """Who could have it, and does not."""
    alive = [w for w in tx.workers() if tx.now() - w.seen_at < ALIVE_MS]
    able = [
        w
        for w in alive
        if task.phase in w.phases
        and serves(r.Offer(w.name, task.phase, w.labels, w.repositories), task.queue)
    ]
    if not alive:
        return ["no worker was heard of in the last two minutes"]
    if not able:
        needs = [f"label {name}" for name in task.queue.labels]
        needs += [f"repository {task.spec.repository}"] if task.spec.repository else []
        needs += [f"worker {task.assigned}"] if task.assigned else []
        needs += ["a lander"] if task.phase == "land" else []
        return [f"no worker serves it ({', '.join(needs) or 'phase work'}); there are {len(alive)}"]
    reasons = []
    for w in able:
        held = len(tx.held_by(w.name))
        if w.orders:
            reasons.append(f"{w.name}: {w.orders}")
        elif held >= w.concurrency:
            reasons.append(f"{w.name}: busy with {held}")
        else:
            reasons.append(f"{w.name}: idle" + (f" ({w.note})" if w.note else ", takes it next"))
    return reasons


ALIVE_MS = 120_000


def endpoint(**row: Any) -> Endpoint:
    return Endpoint(group="tasks", **row)


OF_TASK = "/api/tasks/{id}"
TASKS = (
    endpoint(
        method="POST",
        path="/api/tasks",
        does=create,
        summary="Create a task",
        action="write",
        body=NewTask,
        answer=TaskView,
        status=201,
        errors=(404, 409),
        repeatable=True,
        largest=8 * MB,
    ),
    endpoint(
        method="POST",
        path="/api/tasks/batch",
        does=create_many,
        summary="Create many tasks, or none",
        action="write",
        body=NewTasks,
        answer=tuple[TaskView, ...],
        status=201,
        errors=(404, 409),
        repeatable=True,
        largest=32 * MB,
    ),
    endpoint(
        method="GET",
        path="/api/tasks",
        does=find,
        summary="List tasks, the newest first",
        action="read",
        query=ListQuery,
        answer=TaskPage,
    ),
    endpoint(
        method="GET",
        path=OF_TASK,
        does=show,
        summary="Show a task",
        action="read",
        answer=TaskView,
        errors=(404,),
    ),
    endpoint(
        method="PATCH",
        path=OF_TASK,
        does=update,
        summary="Change a task",
        action="write",
        body=TaskChanges,
        answer=TaskView,
        errors=(404, 409),
        largest=8 * MB,
    ),
    endpoint(
        method="POST",
        path=f"{OF_TASK}/cancel",
        does=cancel,
        summary="Cancel a task",
        action="write",
        answer=TaskView,
        errors=(404, 409),
    ),
    endpoint(
        method="POST",
        path=f"{OF_TASK}/retry",
        does=retry,
        summary="Try a task again",
        action="write",
        body=RetryWish,
        answer=TaskView,
        errors=(404, 409),
        repeatable=True,
    ),
    endpoint(
        method="POST",
        path=f"{OF_TASK}/messages",
        does=send,
        summary="Say something to a task: say, pause, continue, answer, accept, stop",
        action="write",
        body=NewMessage,
        answer=TaskView,
        errors=(404, 409),
        repeatable=True,
    ),
    endpoint(
        method="GET",
        path=f"{OF_TASK}/messages",
        does=messages,
        summary="What was said to a task",
        action="read",
        answer=Messages,
        errors=(404,),
    ),
    endpoint(
        method="GET",
        path=f"{OF_TASK}/why",
        does=why,
        summary="Why a task is not running",
        action="read",
        answer=Why,
        errors=(404,),
    ),
)
