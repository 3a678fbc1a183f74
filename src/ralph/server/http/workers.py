"""Endpoints for workers: claim, heartbeat, facts, blobs, release; and what people see of workers and tell them."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from ralph.core.fleet import requests as r
from ralph.core.fleet.access import END, NAME, digest, limited, sees, speaks_for
from ralph.core.fleet.leases import is_stale, stale
from ralph.core.fleet.model import Orders, Phase, Token, WorkerRecord
from ralph.core.fleet.server import Answer
from ralph.core.fleet.store import FleetTransaction
from ralph.server.http.endpoint import MB, Call, Endpoint
from ralph.server.http.problems import HttpProblem
from ralph.server.http.tasks import ALIVE_MS, OF_TASK, Name, Names, noted, visible
from ralph.server.service import new_secret
from ralph.server.task_view import TaskView, iso, view

LARGEST_BATCH = 32 * MB
LARGEST_BLOB = 256 * MB
BIG = 2**53
MOST_UNMERGED = 1000
WorkerName = Annotated[str, Meta(pattern=NAME)]


class WaitQuery(msgspec.Struct, forbid_unknown_fields=True):
    wait: Annotated[float, Meta(ge=0, le=60, description="Seconds to wait for a task")] = 0.0


class AfterQuery(msgspec.Struct, forbid_unknown_fields=True):
    after: Annotated[int, Meta(ge=0, le=BIG)] = 0


class FenceQuery(msgspec.Struct, forbid_unknown_fields=True):
    epoch: Annotated[int, Meta(ge=0, le=BIG)]
    worker: WorkerName


class Registration(msgspec.Struct, rename="camel", kw_only=True, forbid_unknown_fields=True):
    name: WorkerName
    version: Name = ""
    phases: tuple[Phase, ...] = ("work",)
    labels: Names = ()
    repositories: Names | None = None
    concurrency: Annotated[int, Meta(ge=1, le=1000)] = 1
    note: Annotated[str, Meta(max_length=1000)] = ""


class WorkerView(msgspec.Struct, frozen=True, rename="camel", kw_only=True):
    name: str
    status: str  # idle, busy, or gone: not heard of for two minutes
    orders: Orders
    version: str
    phases: tuple[Phase, ...]
    labels: tuple[str, ...]
    repositories: tuple[str, ...] | None
    concurrency: int
    tasks: tuple[str, ...]  # that it holds
    note: str
    registered_at: str
    seen_at: str


class Registered(msgspec.Struct, frozen=True, rename="camel"):
    worker: WorkerView
    lease_seconds: float  # heartbeats come more often


class Workers(msgspec.Struct, frozen=True):
    workers: tuple[WorkerView, ...]


class WorkerTask(msgspec.Struct, frozen=True):
    task: TaskView | None


class NewOrders(msgspec.Struct, forbid_unknown_fields=True):
    """cordon: no new task. drain: and it ends when it has none. Empty: as before."""

    orders: Orders


class RunToken(msgspec.Struct, frozen=True):
    token: str


class MergedCommit(msgspec.Struct, forbid_unknown_fields=True):
    commit: Annotated[str, Meta(pattern=r"^[0-9a-f]{40,64}" + END)]


# -- the protocol ----------------------------------------------------------------------------------------------


def told(call: Call, answer: Answer) -> Any:
    if isinstance(answer, r.Refusal):
        raise HttpProblem.of(answer)
    return answer


def is_own(call: Call, worker: str) -> None:
    if not speaks_for(call.token, worker):
        raise HttpProblem(403, f"this token does not speak for the worker {worker}", field="worker")


async def claim(call: Call) -> r.ClaimGrant:
    request: r.ClaimRequest = call.body
    offer = limited(call.token, request.offer)
    if isinstance(offer, str):
        raise HttpProblem(403, offer, field="offer")
    if not request.key or len(request.key) > 500:
        raise HttpProblem(422, "a key of 1 to 500 characters", field="key")
    wait = 0.0 if request.task else call.query.wait
    answer = await call.service.claim(replace(request, offer=offer), wait, call.request.is_disconnected)
    return told(call, answer)  # type: ignore[no-any-return]


async def beat(call: Call) -> r.Accepted:
    is_own(call, call.body.worker)
    return told(call, await call.service.beat(call.body))  # type: ignore[no-any-return]


async def forward(call: Call) -> Any:
    """Facts and releases: as the rules say."""
    is_own(call, call.body.worker)
    return told(call, await call.service.handle(call.body))


async def facts(call: Call) -> r.FactsPage:
    await call.service.read(lambda tx: visible(tx, call))
    return told(call, await call.service.handle(r.FactsRequest(call.path["id"], call.query.after)))  # type: ignore[no-any-return]


async def upload(call: Call) -> r.Accepted:
    fence: FenceQuery = call.query
    is_own(call, fence.worker)
    blob = r.BlobUpload(call.path["id"], fence.epoch, fence.worker, call.path["hash"], call.body)
    return told(call, await call.service.handle(blob))  # type: ignore[no-any-return]


async def download(call: Call) -> bytes:
    """Who knows the hash has seen the content, or a fact that names it."""
    body = await call.service.read(lambda tx: tx.blob(call.path["hash"]))
    if body is None:
        raise HttpProblem(404, "there is no such blob")
    return body


async def run_token(call: Call) -> RunToken:
    """For the agent of a claim. It dies with the claim."""
    fence: FenceQuery = call.query
    is_own(call, fence.worker)
    secret = new_secret("run")

    def rule(tx: FleetTransaction) -> RunToken:
        task = visible(tx, call)
        if is_stale(task, fence.epoch, fence.worker):
            raise HttpProblem.of(stale(task))
        tx.save_token(
            Token(
                id=str(uuid.uuid4()),
                name=f"run of {task.id}",
                role="run",
                hash=digest(secret),
                created_at=tx.now(),
                task=task.id,
                epoch=task.epoch,
            )
        )
        return RunToken(secret)

    return await call.service.write(rule)


async def unmerged(call: Call) -> r.UnmergedTasks:
    def rule(tx: FleetTransaction) -> r.UnmergedTasks:
        found = (task for task in tx.unmerged_tasks(MOST_UNMERGED) if sees(call.token, task))
        return r.UnmergedTasks(
            tuple(
                r.UnmergedTask(task.id, task.spec.repository, task.spec.target, task.progress.commit)
                for task in found
            )
        )

    return await call.service.read(rule)


async def merged(call: Call) -> TaskView:
    def check(tx: FleetTransaction) -> None:
        visible(tx, call)

    await call.service.read(check)
    answer = await call.service.handle(r.ReportMerged(call.path["id"], call.body.commit))
    return view(told(call, answer).task)


# -- workers as people see them --------------------------------------------------------------------------------


async def register(call: Call) -> Registered:
    new: Registration = call.body
    is_own(call, new.name)

    def rule(tx: FleetTransaction) -> Registered:
        old = tx.worker(new.name)
        record = WorkerRecord(
            **msgspec.structs.asdict(new),
            registered_at=tx.now(),
            seen_at=tx.now(),
            orders="cordon" if old is not None and old.orders == "cordon" else "",
        )
        tx.save_worker(record)
        return Registered(_shown(tx, record), call.service.settings.lease_ms / 1000)

    return await call.service.write(rule)


def _shown(tx: FleetTransaction, record: WorkerRecord) -> WorkerView:
    held = tuple(task.id for task in tx.held_by(record.name))
    gone = tx.now() - record.seen_at > ALIVE_MS
    return WorkerView(
        name=record.name,
        status="busy" if held and not gone else "gone" if gone else "idle",
        orders=record.orders,
        version=record.version,
        phases=record.phases,
        labels=record.labels,
        repositories=record.repositories,
        concurrency=record.concurrency,
        tasks=held,
        note=record.note,
        registered_at=iso(record.registered_at),
        seen_at=iso(record.seen_at),
    )


def known(tx: FleetTransaction, call: Call) -> WorkerRecord:
    record = tx.worker(call.path["name"])
    if record is None:
        raise HttpProblem(404, f"there is no worker {call.path['name']}")
    return record


async def list_workers(call: Call) -> Workers:
    def rule(tx: FleetTransaction) -> Workers:
        return Workers(tuple(_shown(tx, record) for record in tx.workers()))

    return await call.service.read(rule)


async def show_worker(call: Call) -> WorkerView:
    return await call.service.read(lambda tx: _shown(tx, known(tx, call)))


async def worker_task(call: Call) -> WorkerTask:
    def rule(tx: FleetTransaction) -> WorkerTask:
        held = tx.held_by(known(tx, call).name)
        return WorkerTask(view(held[0]) if held else None)

    return await call.service.read(rule)


async def order(call: Call) -> WorkerView:
    wish: NewOrders = call.body

    def rule(tx: FleetTransaction) -> WorkerView:
        record = replace(known(tx, call), orders=wish.orders)
        tx.save_worker(record)
        noted(tx, call, wish.orders or "uncordon", record.name)
        return _shown(tx, record)

    return await call.service.write(rule)


def endpoint(**row: Any) -> Endpoint:
    return Endpoint(group="workers", **row)


WORKERS = (
    endpoint(
        method="POST",
        path="/api/claims",
        does=claim,
        summary="Claim a task; waits for one",
        action="work",
        query=WaitQuery,
        body=r.ClaimRequest,
        answer=r.ClaimGrant,
        errors=(404, 409),
    ),
    endpoint(
        method="POST",
        path=f"{OF_TASK}/heartbeat",
        does=beat,
        summary="Renew the lease of a claim",
        action="work",
        body=r.Heartbeat,
        of_task=True,
        answer=r.Accepted,
        errors=(404, 409),
    ),
    endpoint(
        method="POST",
        path=f"{OF_TASK}/facts",
        does=forward,
        summary="Send the next facts of a claim",
        action="work",
        body=r.FactBatch,
        of_task=True,
        answer=r.Accepted,
        errors=(404, 409),
        largest=LARGEST_BATCH,
    ),
    endpoint(
        method="GET",
        path=f"{OF_TASK}/facts",
        does=facts,
        summary="The accepted facts of a task",
        action="read",
        query=AfterQuery,
        answer=r.FactsPage,
        errors=(404,),
    ),
    endpoint(
        method="PUT",
        path=f"{OF_TASK}/blobs/{{hash}}",
        does=upload,
        summary="Store content under its hash",
        action="work",
        query=FenceQuery,
        body=bytes,
        answer=r.Accepted,
        errors=(404, 409),
        largest=LARGEST_BLOB,
    ),
    endpoint(
        method="GET",
        path="/api/blobs/{hash}",
        does=download,
        summary="Stored content",
        action="read",
        media="application/octet-stream",
        errors=(404,),
    ),
    endpoint(
        method="POST",
        path=f"{OF_TASK}/release",
        does=forward,
        summary="Give a task back",
        action="work",
        body=r.Release,
        of_task=True,
        answer=r.Accepted,
        errors=(404, 409),
    ),
    endpoint(
        method="POST",
        path=f"{OF_TASK}/run-token",
        does=run_token,
        summary="A token for the agent of a claim",
        action="work",
        query=FenceQuery,
        answer=RunToken,
        errors=(404, 409),
    ),
    endpoint(
        method="GET",
        path="/api/pull-requests",
        does=unmerged,
        summary="The tasks whose pull requests are not merged yet, the oldest first",
        action="land",
        answer=r.UnmergedTasks,
    ),
    endpoint(
        method="POST",
        path=f"{OF_TASK}/merged",
        does=merged,
        summary="The pull request of a task is merged",
        action="land",
        body=MergedCommit,
        answer=TaskView,
        errors=(404, 409),
    ),
    endpoint(
        method="POST",
        path="/api/workers",
        does=register,
        summary="Register a worker, or update what it can do",
        action="work",
        body=Registration,
        answer=Registered,
    ),
    endpoint(
        method="GET",
        path="/api/workers",
        does=list_workers,
        summary="List workers",
        action="read",
        answer=Workers,
    ),
    endpoint(
        method="GET",
        path="/api/workers/{name}",
        does=show_worker,
        summary="Show a worker",
        action="read",
        answer=WorkerView,
        errors=(404,),
    ),
    endpoint(
        method="GET",
        path="/api/workers/{name}/task",
        does=worker_task,
        summary="What a worker works on",
        action="read",
        answer=WorkerTask,
        errors=(404,),
    ),
    endpoint(
        method="POST",
        path="/api/workers/{name}/orders",
        does=order,
        summary="Cordon or drain a worker",
        action="manage",
        body=NewOrders,
        answer=WorkerView,
        errors=(404,),
    ),
)
