"""The table of all endpoints, with those about the server itself: events, health, figures."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from starlette.responses import StreamingResponse

from ralph import __version__
from ralph.core.fleet.access import sees
from ralph.core.fleet.model import FleetEvent
from ralph.core.fleet.store import FleetTransaction
from ralph.server.feed import Numbered
from ralph.server.http.endpoint import Call, Endpoint, RawResponse
from ralph.server.http.manage import MANAGE
from ralph.server.http.problems import HttpProblem
from ralph.server.http.tasks import TASKS, Name
from ralph.server.http.workers import WORKERS

KEEP_ALIVE = 15.0  # seconds
PAGE = 1000


class EventsQuery(msgspec.Struct, forbid_unknown_fields=True):
    after: Annotated[int, Meta(ge=-1, le=2**53, description="The last event seen; -1: from now on")] = -1
    task: Name = ""


class Health(msgspec.Struct, frozen=True):
    status: str
    version: str


async def health(call: Call) -> Health:
    return Health("up", __version__)


async def ready(call: Call) -> Health:
    await call.service.read(lambda tx: tx.tick())
    if call.service.feed.closing:
        raise HttpProblem(503, "the server is about to end")
    return Health("ready", __version__)


# -- events ----------------------------------------------------------------------------------------------------


async def events(call: Call) -> Any:
    """From the event after `after` or Last-Event-ID on; without either, from now on."""
    last = call.request.headers.get("last-event-id", "")
    after = int(last) if last.isascii() and last.isdigit() and len(last) < 16 else call.query.after
    stream = _stream(call, after, call.query.task)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    raise RawResponse(StreamingResponse(stream, 200, headers, "text/event-stream"))


async def _stream(call: Call, after: int, task: str) -> AsyncIterator[str]:
    feed = call.service.feed
    listener = feed.listen()
    try:
        seen = feed.last if after < 0 else after
        yield f": from {seen}\n\n"
        async for chunk, number in _missed(call, seen, task):
            seen = number
            yield chunk
        while not feed.closing and not listener.lost:
            news = [numbered for numbered in await listener.wait(KEEP_ALIVE) if numbered[0] > seen]
            seen = news[-1][0] if news else seen
            wanted = await _wanted(call, news, task)
            yield "".join(map(_chunk, wanted)) or ": here\n\n"
    finally:
        feed.leave(listener)


async def _missed(call: Call, after: int, task: str) -> AsyncIterator[tuple[str, int]]:
    """What happened since, from memory or the store. Older than what is kept: the listener has to read everything anew."""
    feed = call.service.feed
    first, newest = await call.service.read(lambda tx: tx.event_range())
    if after + 1 < first or after > max(newest, feed.last):
        yield f"event: reset\nid: {feed.last}\ndata: {{}}\n\n", feed.last
        return
    while (page := feed.recent(after)) is None:
        page = list(await call.service.read(partial(_page, after)))
        if not page:
            return
        after = page[-1][0]
        yield "".join(map(_chunk, await _wanted(call, page, task))), after
    if page:
        yield "".join(map(_chunk, await _wanted(call, page, task))), page[-1][0]


def _page(after: int, tx: FleetTransaction) -> tuple[Numbered, ...]:
    return tx.events(after, PAGE)


async def _wanted(call: Call, page: list[Numbered], task: str) -> list[Numbered]:
    """Of this task, and only of those that the token may see."""
    page = [numbered for numbered in page if not task or numbered[1].task == task]
    if not page or (call.token.repositories is None and call.token.role != "run"):
        return page

    def rule(tx: FleetTransaction) -> set[str]:
        found = (tx.task(id) for id in {numbered[1].task for numbered in page})
        return {one.id for one in found if one is not None and sees(call.token, one)}

    seen = await call.service.read(rule)
    return [numbered for numbered in page if numbered[1].task in seen]


def _chunk(numbered: Numbered) -> str:
    number, event = numbered
    return f"id: {number}\nevent: {event.kind}\ndata: {_encoded(event)}\n\n"


def _encoded(event: FleetEvent) -> str:
    return msgspec.json.encode(event).decode()


# -- figures ---------------------------------------------------------------------------------------------------


async def metrics(call: Call) -> bytes:
    """Prometheus' text format."""
    service = call.service
    figures, now, workers = await service.read(lambda tx: (tx.figures(), tx.now(), tx.workers()))
    versions: dict[str, int] = {}
    for worker in workers:
        versions[worker.version] = versions.get(worker.version, 0) + 1
    oldest = (now - figures.oldest_ready_ms) / 1000 if figures.oldest_ready_ms else 0.0
    outbox = (now - figures.outbox_ms) / 1000 if figures.outbox_ms else 0.0
    rows: list[tuple[str, str, str, list[tuple[dict[str, str], float]]]] = [
        (
            "ralph_tasks",
            "gauge",
            "Tasks by status and phase.",
            [({"status": status, "phase": phase}, n) for (status, phase), n in sorted(figures.tasks.items())],
        ),
        ("ralph_oldest_ready_seconds", "gauge", "Age of the longest waiting ready task.", [({}, oldest)]),
        ("ralph_parked_tasks", "gauge", "Tasks that wait for a time or a message.", [({}, figures.parked)]),
        (
            "ralph_lane_length",
            "gauge",
            "Tasks that are to land, by repository and target.",
            [({"lane": lane}, n) for lane, n in sorted(figures.lanes.items())],
        ),
        ("ralph_deaths", "gauge", "Deaths that count against tasks at present.", [({}, figures.deaths)]),
        ("ralph_outbox_age_seconds", "gauge", "Age of the oldest event without a number.", [({}, outbox)]),
        ("ralph_expiries_total", "counter", "Workers that were given up.", [({}, service.expiries)]),
        (
            "ralph_refusals_total",
            "counter",
            "Requests that the rules refused, by kind.",
            [({"kind": kind}, n) for kind, n in sorted(service.refusals.items())],
        ),
        ("ralph_waiting_claims", "gauge", "Long polls under way.", [({}, len(service.waiters))]),
        ("ralph_listeners", "gauge", "Listeners to events.", [({}, service.feed.listeners)]),
        ("ralph_server_info", "gauge", "Version of this server.", [({"version": __version__}, 1)]),
        (
            "ralph_workers",
            "gauge",
            "Registered workers by version.",
            [({"version": version}, n) for version, n in sorted(versions.items())],
        ),
    ]
    lines = []
    for name, kind, about, values in rows:
        lines += [f"# HELP {name} {about}", f"# TYPE {name} {kind}"]
        lines += [f"{name}{_labels(labels)} {value:g}" for labels, value in values]
    return ("\n".join(lines) + "\n").encode()


def _labels(labels: dict[str, str]) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n"}
    shown = (f'{name}="{"".join(escapes.get(c, c) for c in value)}"' for name, value in labels.items())
    return f"{{{','.join(shown)}}}" if labels else ""


def endpoint(**row: Any) -> Endpoint:
    return Endpoint(group="server", method="GET", **row)


SERVER = (
    endpoint(path="/health", does=health, summary="Whether the process answers", answer=Health),
    endpoint(
        path="/ready", does=ready, summary="Whether the database answers too", answer=Health, errors=(503,)
    ),
    endpoint(
        path="/metrics",
        does=metrics,
        summary="Figures for Prometheus",
        action="read",
        media="text/plain; version=0.0.4; charset=utf-8",
    ),
    endpoint(
        path="/api/events",
        does=events,
        summary="What changes, as server-sent events",
        action="read",
        query=EventsQuery,
        media="text/event-stream",
        streams=True,
    ),
)
ENDPOINTS: tuple[Endpoint, ...] = (*TASKS, *WORKERS, *MANAGE, *SERVER)
