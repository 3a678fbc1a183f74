"""Another agent goes on when the first cannot, and the first again when it can."""

from __future__ import annotations

from core_world import TESTS, World, policy

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop import decide as d

TWO = policy(gates=(TESTS,), fallback=(AgentPolicy(command=("second",)),))
SOON, LATER = "2026-01-01T00:01:00+00:00", "2026-01-01T09:00:00+00:00"


def out(world: World, back_at: str = SOON, seconds: float = 60.0) -> World:
    return world.iterate(fault="quota", fault_text="limit reached", retry_after=seconds, back_at=back_at)


def test_the_next_agent_goes_on_at_once_and_the_failed_start_does_not_count() -> None:
    world = out(World(TWO).base())
    op = world.wants()
    assert isinstance(op, d.RunAgent) and (op.agent, op.n) == (1, 1)
    assert world.state.worker.command == ("second",)


def test_the_first_works_again_when_its_quota_is_back() -> None:
    world = out(World(TWO).base()).iterate("t1", "ITERATION_DONE")
    assert world.state.agents.agent == 1
    world.tell(f.AgentBack(agent=0))
    op = world.wants()
    assert isinstance(op, d.RunAgent) and op.agent == 0 and world.state.agents.away == {}


def test_when_all_are_out_the_first_to_be_back_is_waited_for() -> None:
    world = out(out(World(TWO).base(), LATER, 9000.0), SOON, 60.0)
    wait = world.wants()
    assert isinstance(wait, d.Wait) and (wait.until, wait.seconds) == (SOON, 60.0)
    assert "every agent is out of quota" in wait.why
    world.tell(
        f.WaitStarted(op=wait.id, what="quota", seconds=60.0, until=SOON),
        f.WaitEnded(op=wait.id, elapsed=True),
    )
    world.tell(f.AgentBack(agent=1))
    op = world.wants()
    assert isinstance(op, d.RunAgent) and op.agent == 1


def test_an_agent_without_credentials_is_not_tried_again() -> None:
    world = World(TWO).base().iterate(fault="credentials", fault_text="401")
    assert isinstance(op := world.wants(), d.RunAgent) and op.agent == 1
    assert world.state.agents.away[0].until == ""
    world.iterate(fault="credentials", fault_text="401 as well")
    assert world.finish().end == "agent-unusable"


def test_an_agent_that_crashes_too_often_gives_way() -> None:
    world = World(policy(fallback=TWO.fallback, limits=TWO.limits)).base()
    for _ in range(TWO.limits.max_consecutive_failures):
        if isinstance(wait := world.wants(), d.Wait):
            world.tell(
                f.WaitStarted(op=wait.id, what="crash", seconds=1.0), f.WaitEnded(op=wait.id, elapsed=True)
            )
        world.iterate(code=1, fault_text="boom")
    op = world.wants()
    assert isinstance(op, d.RunAgent) and op.agent == 1 and world.state.agents.crashes == 0


def test_an_overload_is_waited_for_and_moves_nobody() -> None:
    world = World(TWO).base().iterate(fault="overload")
    assert isinstance(world.wants(), d.Wait) and world.state.agents.agent == 0


def test_agents_that_say_that_they_are_back_and_are_not_end_the_loop() -> None:
    world = World(TWO).base()
    for _ in range(500):
        op = world.wants()
        if isinstance(op, d.Finish):
            break
        if isinstance(op, d.Wait):
            world.tell(
                f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds), f.WaitEnded(op=op.id, elapsed=True)
            )
            for n in list(world.state.agents.away):
                world.tell(f.AgentBack(agent=n))
        else:
            out(world, SOON, 0.0)
    assert isinstance(op, d.Finish) and op.end == "quota"


def test_going_on_after_an_end_begins_with_the_first_agent() -> None:
    world = World(TWO).base().iterate(fault="credentials").iterate(fault="credentials")
    world.finish()
    world.tell(f.LoopResumed(run="r2"))
    assert isinstance(op := world.wants(), d.RunAgent) and op.agent == 0
