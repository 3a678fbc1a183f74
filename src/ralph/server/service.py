"""The server between HTTP and the store: rules in threads, long polls, the tick, the relay, the feed of events.

Rules and stores are synchronous; a request's rule runs in a thread, and an idle long poll or listener holds neither a thread
nor a connection.
"""

from __future__ import annotations

import asyncio
import secrets
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

from msgspec.structs import replace

from ralph.core.fleet import leases
from ralph.core.fleet import requests as r
from ralph.core.fleet.access import digest, is_live, is_over
from ralph.core.fleet.model import FleetEvent, FleetSettings, Role, ServerTick, Token
from ralph.core.fleet.server import Answer, handle
from ralph.core.fleet.store import FleetStore, FleetTransaction
from ralph.errors import RalphError
from ralph.server.feed import EventFeed, Waiters

T = TypeVar("T")
THREADS = 32
TICK = 5.0  # seconds
RELAY = 1.0  # seconds between two looks for what other processes committed
TOGETHER = 0.005  # seconds in which further commits are numbered by the same relay
LONGEST_WAIT = 30.0  # of a claim
TOKEN_SECONDS = 5.0  # a token that was revoked in another process works this long
PAGE = 1000  # events
KEPT_EVENTS = 1_000_000
SEEN_MS = 10_000  # between two notes that a worker was heard of
KEPT_ANSWERS_MS = 24 * 3_600_000
PRUNING = 3600.0  # seconds between two looks for blobs that no task uses
MOST_PRUNED = 1000  # blobs in one transaction


def new_secret(role: Role) -> str:
    """256 random bits; only their hash is kept."""
    return f"ralph_{role}_{secrets.token_urlsafe(32)}"


class FleetService:
    def __init__(self, store: FleetStore, settings: FleetSettings | None = None) -> None:
        self.store = store
        self.settings = settings or FleetSettings()
        self.feed = EventFeed()
        self.waiters = Waiters()
        self.refusals: Counter[str] = Counter()
        self.expiries = 0
        self._threads = ThreadPoolExecutor(THREADS, "rule")
        self._hint = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._tokens: dict[str, tuple[float, Token | None]] = {}
        self._lent: dict[str, Token] = {}
        self._prune_at = 0.0

    # -- its life

    async def start(self) -> None:
        _, last = await self.read(lambda tx: tx.event_range())
        self.feed.begin(last)
        await self._tick()
        self._tasks = [asyncio.create_task(work()) for work in (self._ticking, self._reading)]

    def end_waits(self) -> None:
        """Long polls and listeners are answered: the server is about to end."""
        self.waiters.close()
        self.feed.close()

    async def stop(self) -> None:
        self.end_waits()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._threads.shutdown()

    # -- rules

    async def write(self, rule: Callable[[FleetTransaction], T]) -> T:
        result = await self._in_thread(lambda: self.store.run(rule))
        self._hint.set()
        return result

    async def read(self, rule: Callable[[FleetTransaction], T]) -> T:
        return await self._in_thread(lambda: self.store.read(rule))

    async def handle(self, request: r.WorkerRequest | r.PersonRequest) -> Answer:
        answer = await self.write(lambda tx: handle(tx, request, self.settings))
        self.note(answer)
        return answer

    def note(self, answer: object) -> None:
        """For /metrics."""
        if isinstance(answer, r.Refusal):
            self.refusals[answer.kind] += 1

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    # -- claims that wait

    async def claim(
        self, request: r.ClaimRequest, wait: float, is_gone: Callable[[], Awaitable[bool]]
    ) -> r.ClaimGrant | r.Refusal:
        """The first task that comes within this time. `is_gone`: who asked has hung up."""
        ends = time.monotonic() + min(wait, LONGEST_WAIT)
        until = 0
        while True:
            heard = self.waiters.heard
            answer = await self.write(lambda tx: self._claim(tx, request))
            self.note(answer)
            if isinstance(answer, r.Refusal) or answer.task is not None or answer.drain:
                return answer
            if until:  # it woke for nothing: the news may be for another
                self.waiters.wake(until)
            left = ends - time.monotonic()
            until = await self.waiters.wait(left, heard) if left > 0 else 0
            if not until:
                return answer
            if await is_gone():
                self.waiters.wake(until)
                return answer

    def _claim(self, tx: FleetTransaction, request: r.ClaimRequest) -> r.ClaimGrant | r.Refusal:
        orders = self._heard_of(tx, request.offer.worker)
        if orders and not request.task:
            return r.ClaimGrant(drain=orders == "drain")
        answer = handle(tx, request, self.settings)
        assert isinstance(answer, r.ClaimGrant | r.Refusal)
        return answer

    async def beat(self, request: r.Heartbeat) -> r.Accepted | r.Refusal:
        def rule(tx: FleetTransaction) -> r.Accepted | r.Refusal:
            orders = self._heard_of(tx, request.worker)
            answer = handle(tx, request, self.settings)
            assert isinstance(answer, r.Accepted | r.Refusal)
            drain = orders == "drain" and isinstance(answer, r.Accepted)
            return replace(answer, drain=True) if drain else answer

        answer = await self.write(rule)
        self.note(answer)
        return answer

    def _heard_of(self, tx: FleetTransaction, name: str) -> str:
        """What this worker is told to do."""
        worker = tx.worker(name)
        if worker is None:
            return ""
        if tx.now() - worker.seen_at > SEEN_MS:
            tx.save_worker(replace(worker, seen_at=tx.now()))
        return worker.orders

    # -- tokens

    async def token(self, secret: str) -> Token | None:
        """Who this is; None: no one, or not any more."""
        hash = digest(secret)
        if hash in self._lent:
            return self._lent[hash]
        known = self._tokens.get(hash)
        if known is None or known[0] < time.monotonic():
            if len(self._tokens) > 10_000:
                self._tokens.clear()
            found = await self.read(lambda tx: (tx.token_with(hash), tx.now()))
            token = found[0] if found[0] is not None and is_live(found[0], found[1]) else None
            known = self._tokens[hash] = time.monotonic() + TOKEN_SECONDS, token
        return known[1]

    def lend_token(self, name: str, role: Role) -> str:
        """The secret of a token that this process alone knows: it is stored nowhere, and ends with the process."""
        secret = new_secret(role)
        self._lent[digest(secret)] = Token(id=str(uuid.uuid4()), name=name, role=role)
        return secret

    def forget_tokens(self) -> None:
        """One was revoked here: at once."""
        self._tokens.clear()

    # -- what goes on by itself

    async def _ticking(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            try:
                await self._tick()
            except RalphError:
                continue  # the database is away; /ready says so
            self.waiters.wake()  # a lease may have run out, which no event tells
            if time.monotonic() >= self._prune_at:
                self._prune_at = time.monotonic() + PRUNING
                await self.prune()

    async def _tick(self) -> None:
        await self.write(self._tick_rule)

    def _tick_rule(self, tx: FleetTransaction) -> ServerTick:
        leases.tick(tx, self.settings)
        tx.forget_answers(tx.now() - KEPT_ANSWERS_MS)
        forget_run_tokens(tx)
        tx.forget_events(tx.event_range()[1] - KEPT_EVENTS)
        tx.compact_counts()
        return tx.tick()

    async def prune(self) -> None:
        """Blobs that no fact and no savepoint names, after a while: what is on its way to a fact is stored first."""

        def rule(tx: FleetTransaction) -> int:
            return tx.forget_blobs(tx.now() - self.settings.kept_blob_ms, MOST_PRUNED)

        with suppress(RalphError):  # the database is away
            while await self.write(rule) == MOST_PRUNED:
                pass

    async def _reading(self) -> None:
        while True:
            try:
                await asyncio.wait_for(self._hint.wait(), RELAY)
                await asyncio.sleep(TOGETHER)
            except TimeoutError:
                pass
            self._hint.clear()
            try:
                await self._publish_news()
            except RalphError:
                await asyncio.sleep(RELAY)

    async def _publish_news(self) -> None:
        await self._in_thread(self.store.relay)
        while events := await self.read(lambda tx: tx.events(self.feed.last, PAGE)):
            self.expiries += sum(_is_expiry(event) for _, event in events)
            self.feed.publish(events)
            self.waiters.news(events)


def forget_run_tokens(tx: FleetTransaction) -> None:
    """Those of claims that are over: each claim may have made one."""
    for token in tx.tokens():
        if token.role == "run" and is_over(token, tx.task(token.task)):
            tx.forget_token(token.id)


def _is_expiry(event: FleetEvent) -> bool:
    return event.kind == "died" or (event.kind == "released" and "not heard of" in event.text)
