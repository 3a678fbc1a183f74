"""An agent's CLI that tries its model again: seen while it happens; refused credentials are not waited for. And a person
who ends a wait."""

from __future__ import annotations

import pytest
from core_world import World

from ralph.core import facts as f
from ralph.core.loop import decide as d
from ralph.core.loop.decide import cutoff, decide


def begun() -> World:
    world = World().base()
    (op,) = decide(world.state)
    assert isinstance(op, d.RunAgent)
    started = f.IterationStarted(
        serial=op.serial, n=op.n, prompt="p", prompt_chars=1, tree=world.state.workspace.tree
    )
    world.tell(started)
    return world


def retries(world: World, attempt: int, status: int, why: str = "") -> str:
    world.tell(f.AgentRetries(op="iteration:1", retry=f.Retry(attempt, 10, status, why)))
    return cutoff(world.state, "iteration:1")


@pytest.mark.parametrize("status", [401, 403])
def test_credentials_that_are_refused_twice_cut_the_iteration_off(status: int) -> None:
    world = begun()
    assert retries(world, 1, status) == "", "its CLI may renew a token"
    assert retries(world, 2, status) == "credentials"
    assert decide(world.state) == ()


@pytest.mark.parametrize("status", [0, 429, 500, 529])
def test_what_may_pass_is_waited_for(status: int) -> None:
    world = begun()
    assert [retries(world, n, status) for n in range(1, 11)] == [""] * 10


def test_an_answer_ends_the_trouble_and_so_does_the_end_of_the_iteration() -> None:
    world = begun()
    retries(world, 2, 401)
    world.tell(f.AgentRetries(op="iteration:1"))
    assert world.state.progress.open["iteration:1"].retry is None and cutoff(world.state, "iteration:1") == ""
    retries(world, 1, 500)
    world.tell(f.IterationEnded(serial=1, n=1, how="exited", code=0, seconds=1.0, tree="t"))
    retries(world, 3, 401)
    assert not world.state.progress.open


def test_cut_off_for_its_credentials_it_is_unusable() -> None:
    world = begun()
    retries(world, 2, 401)
    ended = f.IterationEnded(
        serial=1, n=1, how="cut", cause="credentials", code=-15, seconds=3.0, tree=world.state.workspace.tree,
        fault="credentials", fault_text="retry 2/10: 401",
    )  # fmt: skip
    world.tell(ended)
    (op,) = decide(world.state)
    assert isinstance(op, d.Finish) and op.end == "agent-unusable" and "401" in op.reason
    assert world.state.progress.iterations == 0, "it was not the work that failed"


def test_a_retry_in_words() -> None:
    assert f.Retry(3, 10, 401, "authentication failed").words == "retry 3/10: 401 authentication failed"
    assert f.Retry(1, 5, 401, "status 401 Unauthorized").words == "retry 1/5: status 401 Unauthorized"
    assert (f.Retry(2).words, f.Retry(2, 0, 503).words) == ("retry 2", "retry 2: 503")


def waiting(fault: f.Fault) -> World:
    world = World().base().iterate(fault=fault, fault_text="busy", code=1, retry_after=600.0)
    (op,) = decide(world.state)
    assert isinstance(op, d.Wait) and op.what == fault and op.seconds >= 600
    world.tell(
        f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds, why=op.why, until="2026-01-01T00:00:00Z")
    )
    return world


@pytest.mark.parametrize("fault", ["quota", "rate-limit", "overload"])
def test_a_person_ends_a_wait_and_the_agent_is_tried_at_once(fault: f.Fault) -> None:
    world = waiting(fault)
    (op,) = world.state.progress.open
    assert cutoff(world.state, op) == ""
    world.tell(f.Continued(name="x", by="me"))
    assert cutoff(world.state, op) == "stop" and decide(world.state) == ()
    world.tell(f.WaitEnded(op=op, elapsed=False))
    (wanted,) = decide(world.state)
    assert isinstance(wanted, d.RunAgent)
    assert world.state.agents.waited == 0.0, "the time that was not waited counts for nothing"


def test_a_pause_is_ended_first_and_the_wait_continues() -> None:
    world = waiting("rate-limit")
    (op,) = world.state.progress.open
    world.tell(f.Paused(name="a", by="me"), f.WaitEnded(op=op, elapsed=False), f.Continued(name="b", by="me"))
    (wanted,) = decide(world.state)
    assert isinstance(wanted, d.Wait) and wanted.what == "rate-limit"


def test_a_rate_limit_moves_no_agent_and_backs_off() -> None:
    world = World().base().iterate(fault="rate-limit", code=1)
    (first,) = decide(world.state)
    assert isinstance(first, d.Wait) and 0 < first.seconds < 10
