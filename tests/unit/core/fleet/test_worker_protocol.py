"""The worker's side of the protocol: answers and time in, calls and notices out."""

from __future__ import annotations

from typing import Any

import pytest
from fleet_server import ENDED, ITERATION, STARTED, Server, end

from ralph.core.fleet import requests as r
from ralph.core.fleet import worker as w
from ralph.core.fleet.model import Savepoint


class Driver:
    """A worker with a wire to the server that tests cut and mend."""

    def __init__(self, server: Server, name: str = "ann", run: str = "ann.1", **fields: Any) -> None:
        self.server = server
        self.now = 1000.0
        self.protocol = w.WorkerProtocol((r.Offer(name),), run, self.now, **fields)
        self.notices: list[w.Notice] = []
        self.sent: list[r.WorkerRequest] = []
        self.failure: w.CallFailure | None = None

    def go(self, seconds: float = 0.0) -> list[w.Notice]:
        """Time passes, in steps of five seconds; the new notices."""
        before, end = len(self.notices), self.now + seconds
        while True:
            self._exchange()
            if self.now >= end:
                return self.notices[before:]
            self.now = min(end, self.now + 5)
            if self.protocol.claims:
                for task in list(self.protocol.claims):
                    self.protocol.turn(task, self.now)

    def _exchange(self) -> None:
        self.notices += self.protocol.tick(self.now)
        while calls := self.protocol.calls(self.now):
            for call in calls:
                self.sent.append(call.request)
                answer = self.failure or self.server.ask(call.request)
                self.notices += self.protocol.answer(call.id, answer, self.now)

    def record(self, *facts: Any, sync: bool = True, **fields: Any) -> None:
        for fact in facts:
            entry = self.protocol.record("t", fact, loop="l", at="now", **fields)
        if sync:
            self.protocol.sync("t", entry.fact.n)

    def kinds(self, kind: type) -> list[Any]:
        return [request for request in self.sent if isinstance(request, kind)]


@pytest.fixture
def driver() -> Driver:
    server = Server()
    server.create()
    driver = Driver(server)
    driver.go()
    return driver


def test_a_lost_answer_to_a_claim_is_asked_for_with_the_same_key() -> None:
    server = Server()
    server.create()
    driver = Driver(server)
    call = driver.protocol.calls(driver.now)[0]
    granted = server.ask(call.request).task
    driver.protocol.answer(call.id, w.CallFailure("unreachable"), driver.now)
    notices = driver.go(5)
    assert isinstance(notices[0], w.TaskGranted) and notices[0].task.epoch == granted.epoch


def test_a_fact_goes_out_when_it_is_synced_and_its_blobs_are_stored(driver: Driver) -> None:
    driver.record(STARTED, sync=False)
    driver.go()
    assert not driver.kinds(r.FactBatch)
    import hashlib

    body = b"notes"
    hash = hashlib.sha256(body).hexdigest()
    driver.record(ITERATION, blobs={hash: body}, savepoint=Savepoint("s1", {"notes": hash}))
    driver.go()
    kinds = [type(request) for request in driver.sent if isinstance(request, r.BlobUpload | r.FactBatch)]
    assert kinds.index(r.BlobUpload) < len(kinds) - 1 and kinds[-1] is r.FactBatch
    assert driver.server.task().facts == 2 and driver.server.task().savepoint is not None


def test_heartbeats_go_out_and_stop_with_a_hung_main_loop(driver: Driver) -> None:
    driver.go(60)
    assert 4 <= len(driver.kinds(r.Heartbeat)) <= 6
    beats = len(driver.kinds(r.Heartbeat))
    driver.protocol.turn("t", driver.now - 31)
    driver.now += 40
    driver._exchange()
    assert len(driver.kinds(r.Heartbeat)) == beats
    driver.protocol.turn("t", driver.now - 31, inside_until=driver.now + 60)
    driver._exchange()
    assert len(driver.kinds(r.Heartbeat)) == beats + 1


def test_the_agent_is_cut_without_an_accepted_call_and_goes_on_when_the_claim_is_still_good(
    driver: Driver,
) -> None:
    driver.failure = w.CallFailure("unreachable")
    assert [type(n) for n in driver.go(100)] == [w.AgentCut]
    driver.failure = None
    assert [type(n) for n in driver.go(60)] == [w.AgentAllowed]


def test_a_refused_call_stops_the_agent_now(driver: Driver) -> None:
    driver.server.ask(r.CancelTask("t"))
    assert [type(n) for n in driver.go(20)] == [w.TaskLost]
    assert driver.protocol.is_idle or not driver.protocol.claims


def test_a_token_that_is_refused_stops_agents_and_calls(driver: Driver) -> None:
    driver.failure = w.CallFailure("unauthorised")
    assert [type(n) for n in driver.go(20)] == [w.AgentCut]
    sent = len(driver.sent)
    driver.go(30)
    assert len(driver.sent) == sent
    driver.failure = None
    assert [type(n) for n in driver.go(60)] == [w.AgentAllowed]


def test_after_a_long_sleep_it_asks_before_it_sends_anything(driver: Driver) -> None:
    driver.record(STARTED)
    driver.now += 100
    calls = driver.protocol.tick(driver.now) and driver.protocol.calls(driver.now)
    driver.protocol.turn("t", driver.now)
    calls = calls or driver.protocol.calls(driver.now)
    assert [type(call.request) for call in calls] == [r.Heartbeat]


def test_the_end_of_a_loop_gives_the_task_back(driver: Driver) -> None:
    driver.record(STARTED, end("failed"))
    assert [type(n) for n in driver.go()] == [w.TaskGivenBack]
    assert driver.server.task().status == "failed"


def test_a_restart_sends_the_tail_and_claims_anew(driver: Driver) -> None:
    granted = driver.notices[0]
    assert isinstance(granted, w.TaskGranted)
    driver.record(STARTED)
    driver.go()
    driver.record(ITERATION, ENDED, sync=False)
    entries = tuple(driver.protocol.claims["t"].outbox.entries)
    record = w.ClaimRecord("t", granted.task.epoch, 0, "", entries=(*_first(driver), *entries))
    again = Driver(driver.server, run="ann.2", recovered=(record,))
    notices = again.go()
    assert driver.server.task().facts == 3
    new = next(n for n in notices if isinstance(n, w.TaskGranted))
    assert new.task.epoch > granted.task.epoch and len(new.facts) == 3


def _first(driver: Driver) -> tuple[w.OutboxEntry, ...]:
    page = driver.server.ask(r.FactsRequest("t"))
    return tuple(w.OutboxEntry(fact) for fact in page.facts)


def test_a_tail_that_comes_too_late_stays_here_as_superseded(driver: Driver) -> None:
    granted = driver.notices[0]
    assert isinstance(granted, w.TaskGranted)
    driver.record(STARTED, sync=False)
    entries = tuple(driver.protocol.claims["t"].outbox.entries)
    driver.server.wait(130)
    driver.server.send(driver.server.claim("bob").task, STARTED, ITERATION)
    record = w.ClaimRecord("t", granted.task.epoch, 0, "", entries=entries)
    again = Driver(driver.server, run="ann.2", recovered=(record,))
    assert [type(n) for n in again.go()] == [w.TaskLost]
    assert driver.server.task().holder == "bob"


def test_a_long_wait_is_parked_after_everything_is_accepted(driver: Driver) -> None:
    driver.record(STARTED, sync=False)
    driver.protocol.park("t", 300, "quota")
    driver.go()
    assert driver.server.task().holder
    driver.protocol.sync("t", 1)
    assert w.TaskGivenBack("t", driver.server.task().epoch) in driver.go()
    task = driver.server.task()
    assert task.status == "pending" and task.not_before == driver.server.clock + 300_000


def test_a_draining_worker_claims_nothing_more_and_gives_back_what_comes_late(driver: Driver) -> None:
    assert driver.protocol.drain(driver.now, 60) == [w.StopWanted("t", at_once=False)]
    driver.record(STARTED, end("stopped"))
    driver.go(30)
    assert driver.protocol.is_idle and driver.server.task().status == "pending"
    late = Driver(driver.server, "bob", "bob.1")
    call = late.protocol.calls(late.now)[0]
    late.protocol.drain(late.now, 0)
    late.protocol.answer(call.id, driver.server.ask(call.request), late.now)
    late.go()
    assert late.protocol.is_idle and not driver.server.task().holder


def test_a_fact_that_the_server_refuses_ends_the_loop_as_internal(driver: Driver) -> None:
    driver.server.settings = w.msgspec.structs.replace(driver.server.settings, largest_fact=300)
    driver.record(STARTED)
    driver.go()
    huge = w.f.Said(name="x", text="y" * 1000)
    driver.record(huge, ITERATION)
    broken = next(n for n in driver.go() if isinstance(n, w.LoopBroken))
    driver.protocol.sync("t", broken.entry.fact.n)
    driver.go()
    assert driver.server.task().progress.end == "internal" and driver.server.task().facts == 2


def test_messages_are_handed_over_once(driver: Driver) -> None:
    driver.server.ask(r.SendMessage("t", "say", "hello"))
    came = [n for n in driver.go(60) if isinstance(n, w.MessagesCame)]
    assert len(came) == 1 and came[0].messages[0].body == "hello"
