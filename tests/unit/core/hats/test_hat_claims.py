"""Claims of hats that meet something else: a person's words, a tree that did not change, a hat that may not claim."""

from __future__ import annotations

from core_world import World, hat, policy

from ralph.core import facts as f
from ralph.core.hats.model import Team
from ralph.core.loop import decide as d
from ralph.core.policy import LimitPolicy

TEAM = Team(
    hats=(
        hat("builder", "task.start", publishes=("build.done",)),
        hat("reviewer", "build.done", publishes=("LOOP_COMPLETE", "build.again")),
        hat("fixer", "build.again", publishes=("build.done",)),
    )
)
DONE = '<event topic="build.done">x</event>'


def worn(world: World) -> str:
    op = world.wants()
    assert isinstance(op, d.RunAgent), op
    return op.hat


def claimed() -> World:
    """The reviewer claims, and a person says something before it has come to its end."""
    world = World(policy(team=TEAM, gates=())).iterate("t1", DONE, structured=True)
    op = world.wants()
    assert isinstance(op, d.RunAgent)
    world.tell(
        f.IterationStarted(serial=2, n=2, prompt="p", prompt_chars=1, tree="t1", hat="reviewer"),
        f.Said(name="s", text="mind the docs"),
        f.IterationEnded(
            serial=2, n=2, how="exited", code=0, seconds=1.0, tree="t1", said="LOOP_COMPLETE", structured=True
        ),
    )
    return world


def reads(world: World, said: str) -> World:
    op = world.wants()
    assert isinstance(op, d.RunAgent)
    started = f.IterationStarted(
        serial=op.serial, n=op.n, prompt="p", prompt_chars=1, tree="t1", hat=op.hat, heard=("s",)
    )
    ended = f.IterationEnded(
        serial=op.serial, n=op.n, how="exited", code=0, seconds=1.0, tree="t1", said=said, structured=True
    )
    return world.tell(started, ended)


def test_words_that_come_with_a_claim_are_read_by_the_hat_that_claims_and_its_claim_stands() -> None:
    world = claimed()
    assert worn(world) == "reviewer"
    end = reads(world, "Nothing to change.").wants()
    assert isinstance(end, d.Finish) and end.end == "completed-unverified"


def test_the_words_may_lead_to_more_work_instead() -> None:
    world = reads(claimed(), '<event topic="build.again">the docs</event>')
    assert (worn(world), world.state.judgement.claim) == ("fixer", None)


def test_a_claim_on_an_unchanged_tree_is_no_failed_gate() -> None:
    world = World(policy(team=TEAM)).base().iterate(said=DONE, structured=True)
    world.iterate(said="LOOP_COMPLETE", structured=True)
    (event,) = world.state.hats.turns.pending[0].events
    assert event.topic == "claim.refused" and "nothing has changed" in event.payload


def test_a_file_of_the_older_family_may_complete_without_a_change() -> None:
    world = World(policy(team=TEAM, gates=(), unverified_ok=True)).iterate(said=DONE, structured=True)
    end = world.iterate(said="LOOP_COMPLETE", structured=True).wants()
    assert isinstance(end, d.Finish) and (end.end, end.code) == ("completed-unverified", 0)


def test_a_hat_that_insists_on_claiming_without_leave_ends_the_loop_with_the_reason() -> None:
    team = Team(hats=(hat("worker", "task.start", "go.on", publishes=("go.on",), default_publishes="go.on"),))
    world = World(policy(team=team, gates=(), limits=LimitPolicy(max_iterations=100)))
    for n in range(3):
        assert worn(world) == "worker"
        world.iterate(f"t{n}", "LOOP_COMPLETE", structured=True)
    end = world.wants()
    assert isinstance(end, d.Finish) and end.end == "no-route"
    assert "worker says that it is complete, which its `publishes` do not allow" in end.reason


def test_what_was_said_with_a_completion_is_kept() -> None:
    world = World(policy(team=TEAM, gates=())).iterate("t1", DONE, structured=True)
    world.iterate("t1", '<event topic="LOOP_COMPLETE">shipped v2</event>', structured=True)
    (routed,) = [r for r in world.state.hats.turns.latest if r.event.topic == "LOOP_COMPLETE"]
    assert routed.event.payload == "shipped v2"
