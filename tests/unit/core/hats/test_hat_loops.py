"""Loops that wear hats, over real facts: what the core wants next when events, claims and gates come in."""

from __future__ import annotations

from core_world import Folders, World, hat, policy, spike
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats.model import Team
from ralph.core.loop import decide as d
from ralph.core.policy import LimitPolicy

TEAM = Team(
    hats=(
        hat("builder", "task.start", publishes=("build.done",)),
        hat("reviewer", "build.done", publishes=("LOOP_COMPLETE",)),
    )
)
DONE = '<event topic="build.done">x</event>'


def agent(world: World) -> d.RunAgent:
    op = world.wants()
    assert isinstance(op, d.RunAgent), op
    return op


def begin(world: World) -> d.RunAgent:
    op = agent(world)
    started = f.IterationStarted(
        serial=op.serial,
        n=op.n,
        prompt="p",
        prompt_chars=1,
        tree=world.state.workspace.tree,
        hat=op.hat,
        hat_why=op.hat_why,
    )
    world.tell(started)
    return op


def gates(world: World, passed: bool) -> World:
    while isinstance(world.wants(), d.RunGate):
        world.gate(passed)
    return world


def rested(world: World) -> World:
    op = world.wants()
    assert isinstance(op, d.Wait) and (op.what, op.seconds) == ("idle", 30.0)
    world.tell(f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds))
    return world.tell(f.WaitEnded(op=op.id, elapsed=True))


def test_the_spikes_board_is_worked_through_and_then_looked_at_for_as_long_as_it_takes() -> None:
    world = World(policy(team=spike(), gates=(), limits=LimitPolicy(max_iterations=100)))
    folders, worn, moves = Folders("item-1.txt", "item-2.txt", "item-3.txt"), [], 0
    looks = 0
    while looks < 12:
        if isinstance(world.wants(), d.Wait):
            looks += 1
            rested(world)
            continue
        (said,) = folders.act(world.state.hats.turns.pending[0])
        op = begin(world)
        worn.append(op.hat)
        topic, _, payload = said.partition(" ")
        last = f'<event topic="{topic}">{payload}</event>'
        if topic == "LOOP_COMPLETE":
            last = topic
        elif op.serial % 2:
            world.tell(f.EventReceived(name=f"e{op.serial}", topic=topic, payload=payload, serial=op.serial))
            last = ""
        moves += op.hat != "board_scanner"
        world.tell(
            f.IterationEnded(
                serial=op.serial,
                n=op.n,
                how="exited",
                code=0,
                seconds=1.0,
                tree=f"t{moves}",
                said=last,
                structured=True,
            )
        )
    assert folders.folders["done"] == ["item-1.txt", "item-2.txt", "item-3.txt"]
    assert worn[:12] == [*(["board_scanner", "proposal_writer"] * 3), *(["board_scanner", "finisher"] * 3)]
    assert worn[12:] == ["board_scanner"] * 12
    assert world.state.judgement.attempts == 0


def test_an_event_ends_an_idle_wait() -> None:
    world = World(policy(team=spike(), gates=())).iterate(said="LOOP_COMPLETE", structured=True)
    wait = world.wants()
    world.tell(f.WaitStarted(op=wait.id, what="idle", seconds=30.0))
    assert [type(op) for op in d.decide(world.state)] == [d.Continue]
    world.tell(f.EventReceived(name="p", topic="work.finish", payload="x"))
    assert d.decide(world.state) == () and d.cutoff(world.state, wait.id)
    world.tell(f.WaitEnded(op=wait.id, elapsed=False))
    assert agent(world).hat == "finisher"


def test_a_claim_that_the_gates_turn_down_goes_back_to_the_hat_that_made_the_tree() -> None:
    world = World(policy(team=TEAM)).base()
    assert agent(world).hat == "builder"
    world.iterate("t1", DONE, structured=True)
    assert agent(world).hat == "reviewer"
    gates(world.iterate("t1", "LOOP_COMPLETE", structured=True), passed=False)
    assert (agent(world).hat, world.state.judgement.attempts) == ("builder", 1)
    world.iterate("t2", DONE, structured=True)
    gates(world.iterate("t2", "LOOP_COMPLETE", structured=True), passed=True)
    world.tell(f.ClaimInspected(tree="t2", changed=1))
    end = world.wants()
    assert isinstance(end, d.Finish) and end.end == "completed-verified"


def test_a_claim_on_an_unchanged_tree_goes_on_with_the_coordinator() -> None:
    world = World(policy(team=TEAM)).base().iterate(said=DONE, structured=True)
    world.iterate(said="LOOP_COMPLETE", structured=True)
    assert (world.state.judgement.claim, agent(world).hat) == (None, "")
    assert "nothing has changed" in world.state.hats.turns.pending[0].events[0].payload


def test_a_claim_by_a_hat_that_does_not_publish_it_is_none() -> None:
    world = World(policy(team=TEAM)).base().iterate("t1", "LOOP_COMPLETE", structured=True)
    assert (world.state.judgement.claim, agent(world).hat) == (None, "")


def test_three_coordinations_without_an_event_end_with_no_route() -> None:
    world = World(policy(team=TEAM, gates=()))
    for n in range(4):
        world.iterate(f"t{n}", "hm", structured=True)
    end = world.wants()
    assert isinstance(end, d.Finish) and (end.end, end.code) == ("no-route", 11)
    assert "task.start" in end.reason
    world.tell(f.LoopEnded(end=end.end, reason=end.reason, code=end.code), f.LoopResumed(run="r"))
    assert agent(world).hat == ""


def test_a_crash_repeats_the_turn() -> None:
    world = World(policy(team=TEAM, gates=(), limits=LimitPolicy(crash_wait_seconds=0.0)))
    world.iterate(code=1)
    wait = world.wants()
    if isinstance(wait, d.Wait):
        world.tell(
            f.WaitStarted(op=wait.id, what=wait.what, seconds=0.0), f.WaitEnded(op=wait.id, elapsed=True)
        )
    assert agent(world).hat == "builder"


def test_the_cancellation_promise_cuts_the_iteration_off() -> None:
    world = World(policy(team=replace(TEAM, cancellation_promise="loop.cancel"), gates=()))
    begin(world)
    world.tell(f.EventReceived(name="c", topic="loop.cancel", serial=1))
    assert d.decide(world.state) == () and d.cutoff(world.state, "iteration:1") == "stop"
    world.tell(f.IterationEnded(serial=1, n=1, how="cut", code=-1, seconds=1.0, tree="base", cause="stop"))
    end = world.wants()
    assert isinstance(end, d.Finish) and end.end == "cancelled"
