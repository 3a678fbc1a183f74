"""Listeners and waiters, without a server."""

from __future__ import annotations

import asyncio

from ralph.core.fleet.model import FleetEvent
from ralph.server.feed import MOST_BEHIND, EventFeed, Numbered, Waiters


def events(first: int, last: int) -> list[Numbered]:
    return [(n, FleetEvent(f"t{n}", "created")) for n in range(first, last + 1)]


def test_what_was_published_lately_is_given_again_from_any_number_on() -> None:
    feed = EventFeed()
    feed.begin(4)
    assert feed.recent(4) == []
    assert feed.recent(3) is None, "older than this process"
    feed.publish(events(5, 8))
    assert [n for n, _ in feed.recent(6) or ()] == [7, 8]
    assert feed.recent(4) is not None
    assert feed.recent(8) == []


def test_a_listener_that_is_too_slow_is_dropped_and_the_others_are_not() -> None:
    async def play() -> None:
        feed = EventFeed()
        slow, quick = feed.listen(), feed.listen()
        feed.publish(events(1, MOST_BEHIND))
        assert len(await quick.wait(1)) == MOST_BEHIND
        feed.publish(events(MOST_BEHIND + 1, MOST_BEHIND + 1))
        assert slow.lost and not quick.lost
        assert [n for n, _ in await quick.wait(1)] == [MOST_BEHIND + 1]

    asyncio.run(play())


def test_news_wakes_one_waiter_and_passes_on_only_to_who_waited_then() -> None:
    async def play() -> list[str]:
        waiters, woken = Waiters(), []

        async def wait(name: str, *, finds: bool) -> None:
            until = await waiters.wait(5, waiters.heard)
            woken.append(name)
            if until and not finds:
                waiters.wake(until)

        tasks = [asyncio.create_task(wait("a", finds=False)), asyncio.create_task(wait("b", finds=True))]
        await asyncio.sleep(0)
        waiters.news(events(1, 1))
        late = asyncio.create_task(wait("late", finds=True))
        await asyncio.gather(*tasks)
        assert woken == ["a", "b"]
        assert not late.done()
        waiters.close()
        await late
        return woken

    assert asyncio.run(play()) == ["a", "b", "late"]


def test_news_that_came_while_a_claim_looked_is_not_missed() -> None:
    async def play() -> int:
        waiters = Waiters()
        before = waiters.heard
        waiters.news(events(1, 1))
        return await waiters.wait(60, before)

    asyncio.run(asyncio.wait_for(play(), 30))


def test_what_makes_no_task_ready_wakes_no_one() -> None:
    waiters = Waiters()
    waiters.news([(1, FleetEvent("t", "claimed")), (2, FleetEvent("t", "blocked"))])
    assert waiters.heard == 0
