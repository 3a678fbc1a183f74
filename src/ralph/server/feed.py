"""What happens, to everyone who listens, and the waiters of long polls: one reader of events for each server process.

Events are numbered after their commits, so whoever has seen number n has seen all before it. A listener that is too slow is
dropped, and comes back with the number of the last event it saw.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Sequence

from ralph.core.fleet.model import EventKind, FleetEvent

Numbered = tuple[int, FleetEvent]
MOST_BEHIND = 1000  # events that a listener may be late
RECENT = 10_000  # events that are kept here, so that who comes back soon costs the store nothing
# What can make a task ready for some worker.
READY_MAKERS: frozenset[EventKind] = frozenset(
    {"created", "updated", "facts", "released", "unblocked", "retried", "message", "merged", "died"}
)


class EventListener:
    """Events from a number on. `lost`: it was too slow, and has to begin again at the last one it got."""

    def __init__(self) -> None:
        self._events: deque[Numbered] = deque()
        self._news = asyncio.Event()
        self.lost = False

    def push(self, events: Sequence[Numbered]) -> None:
        if len(self._events) + len(events) > MOST_BEHIND:
            self.lost = True
        else:
            self._events.extend(events)
        self._news.set()

    async def wait(self, seconds: float) -> list[Numbered]:
        """What has come; empty after this time, or when it is lost or the server ends."""
        try:
            await asyncio.wait_for(self._news.wait(), seconds)
        except TimeoutError:
            return []
        self._news.clear()
        found = list(self._events)
        self._events.clear()
        return found

    def wake(self) -> None:
        self._news.set()


class EventFeed:
    def __init__(self) -> None:
        self.last = 0
        self._recent: deque[Numbered] = deque(maxlen=RECENT)
        self._listeners: set[EventListener] = set()
        self.closing = False

    @property
    def listeners(self) -> int:
        return len(self._listeners)

    def begin(self, last: int) -> None:
        """Events up to this one are in the store, and not here."""
        self.last = last

    def publish(self, events: Sequence[Numbered]) -> None:
        if not events:
            return
        self.last = events[-1][0]
        self._recent.extend(events)
        for listener in self._listeners:
            listener.push(events)

    def recent(self, after: int) -> list[Numbered] | None:
        """Those after a number; None: they reach further back than what is kept here."""
        if after >= self.last:
            return []
        if not self._recent or self._recent[0][0] > after + 1:
            return None
        return [numbered for numbered in self._recent if numbered[0] > after]

    def listen(self) -> EventListener:
        listener = EventListener()
        self._listeners.add(listener)
        return listener

    def leave(self, listener: EventListener) -> None:
        self._listeners.discard(listener)

    def close(self) -> None:
        self.closing = True
        for listener in self._listeners:
            listener.wake()


class Waiters:
    """Claims that found nothing. News wakes the one that waits longest; if that one finds nothing either, it passes the news
    on to the next that waited when it came. So one new task costs one claim, not one for each idle worker."""

    def __init__(self) -> None:
        self._waiting: OrderedDict[int, asyncio.Future[int]] = OrderedDict()
        self._next = 0
        self.heard = 0  # news so far
        self.closing = False

    def __len__(self) -> int:
        return len(self._waiting)

    async def wait(self, seconds: float, heard: int) -> int:
        """Woken by news: the number of the last waiter who may pass it on. 0: the time is over. `heard` is what it was before
        the claim found nothing: news that came since is not missed."""
        if self.closing or self.heard != heard:
            return 0 if self.closing else self._next
        self._next += 1
        number, future = self._next, asyncio.get_running_loop().create_future()
        self._waiting[number] = future
        try:
            return await asyncio.wait_for(future, seconds)
        except TimeoutError:
            return 0
        finally:
            self._waiting.pop(number, None)

    def wake(self, until: int | None = None) -> None:
        """The first of those who wait; with `until` only if it began to wait no later than that one."""
        number, future = next(iter(self._waiting.items()), (0, None))
        until = self._next if until is None else until
        if future is not None and number <= until:
            del self._waiting[number]
            if not future.done():
                future.set_result(until)

    def news(self, events: Sequence[Numbered]) -> None:
        makers = sum(event.kind in READY_MAKERS for _, event in events)
        self.heard += makers
        for _ in range(min(len(self._waiting), makers)):
            self.wake()

    def close(self) -> None:
        self.closing = True
        for future in self._waiting.values():
            if not future.done():
                future.set_result(0)
        self._waiting.clear()
