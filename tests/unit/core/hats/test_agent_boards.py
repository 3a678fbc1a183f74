"""Boards that an agent scans: what it dispatches is an item, and one that nobody gets done is set aside; over real facts."""

from __future__ import annotations

from core_world import World, policy, spike
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats.model import Team
from ralph.core.loop import decide as d
from ralph.core.policy import LimitPolicy

BAD, GOOD = {"bad": "work/bad"}, {"good": "work/good"}
RESCAN = '<event topic="board.rescan"/>'


def board(team: Team | None = None) -> World:
    return World(policy(team=team or spike(), gates=(), limits=LimitPolicy(max_iterations=100)))


def scan(world: World, item: str, content: str = "1", **places: str) -> World:
    """The scanner dispatches this item; or says that there is nothing to do."""
    op = world.wants()
    assert isinstance(op, d.RunAgent) and op.hat == "board_scanner", op
    said = f'<event topic="work.propose">{item}</event>' if item else "LOOP_COMPLETE"
    return world.iterate(said=said, structured=True, places=places, contents=dict.fromkeys(places, content))


def work(world: World, said: str = RESCAN) -> World:
    op = world.wants()
    assert isinstance(op, d.RunAgent) and op.hat == "proposal_writer", op
    return world.iterate(said=said, structured=True)


def give_up(world: World) -> f.ItemGivenUp:
    op = world.wants()
    assert isinstance(op, d.Look) and op.give_up, op
    under_way = world.state.hats.board.under_way == op.item
    fact = f.ItemGivenUp(op.item, "work", "", op.give_up, under_way=under_way, stays=True, content="1")
    world.tell(fact)
    return fact


def topics(world: World) -> list[str]:
    return [routed.event.topic for routed in world.state.hats.turns.latest if routed.event.n]


def test_a_hat_that_is_stuck_ends_the_item_and_the_scanner_is_asked_for_another() -> None:
    world = work(scan(board(), "bad", **BAD), "TASK_STUCK: nobody knows how")
    fact = give_up(world)
    assert (fact.item, fact.reason, fact.under_way) == ("bad", "nobody knows how", True)
    turns = world.state.hats.turns
    assert [(event.topic, event.payload) for turn in turns.pending for event in turn.events] == [
        ("task.resume", "bad is set aside: take another item")
    ]
    work(scan(world, "good", **BAD, **GOOD))
    assert "bad is set aside: nobody knows how" in world.state.warnings.lines


def test_without_persistent_a_hat_that_is_stuck_ends_the_loop() -> None:
    world = work(scan(board(replace(spike(), persistent=False)), "bad", **BAD), "TASK_STUCK: no")
    end = world.wants()
    assert isinstance(end, d.Finish) and end.end == "stuck"


def test_a_scanner_that_is_stuck_ends_the_loop() -> None:
    world = work(scan(board(), "bad", **BAD))
    world.iterate(said="TASK_STUCK: there is no folder", structured=True)
    end = world.wants()
    assert isinstance(end, d.Finish) and end.end == "stuck"


def test_an_item_that_stays_after_three_tries_is_set_aside() -> None:
    world = board()
    for _ in range(3):
        work(scan(world, "bad", **BAD))
    scan(world, "bad", **BAD)
    fact = give_up(world)
    assert (
        fact.reason == "work.propose failed 3 times: it was still in work afterwards" and not fact.under_way
    )
    assert isinstance(world.wants(), d.RunAgent)


def test_a_scanner_that_knows_nothing_but_what_is_set_aside_is_asked_once_and_rests_without_a_completion() -> (
    None
):
    world = work(scan(board(), "bad", **BAD), "TASK_STUCK: no")
    give_up(world)
    scan(world, "bad", **BAD)
    assert topics(world) == ["task.resume"]
    for _ in range(2):
        scan(world, "bad", **BAD)
        wait = world.wants()
        assert isinstance(wait, d.Wait) and wait.what == "idle" and "bad is set aside" in wait.why
        assert topics(world) == []
        world.tell(
            f.WaitStarted(op=wait.id, what="idle", seconds=wait.seconds),
            f.WaitEnded(op=wait.id, elapsed=True),
        )


def test_no_completion_is_published_while_an_item_is_set_aside_on_the_board() -> None:
    world = work(scan(board(), "bad", **BAD), "TASK_STUCK: no")
    give_up(world)
    scan(world, "", **BAD)
    wait = world.wants()
    assert isinstance(wait, d.Wait) and wait.what == "idle" and "bad is set aside" in wait.why
    assert topics(world) == []
    (routed,) = world.state.hats.turns.latest
    assert routed.why == "not published: the board is not empty: bad is set aside"


def test_an_item_that_has_changed_is_tried_again() -> None:
    world = work(scan(board(), "bad", **BAD), "TASK_STUCK: no")
    give_up(world)
    work(scan(world, "bad", content="2", **BAD))
    assert not world.state.hats.board.items["bad"].failed


def test_of_two_items_dispatched_at_once_the_one_that_is_stuck_is_given_up_and_the_other_is_kept() -> None:
    world = board()
    both = '<event topic="work.propose">bad</event><event topic="work.propose">good</event>'
    world.iterate(said=both, structured=True, places={**BAD, **GOOD})
    work(world, "TASK_STUCK: no")
    assert give_up(world).item == "bad"
    op = world.wants()
    assert isinstance(op, d.RunAgent) and op.hat == "proposal_writer"
    assert world.state.hats.turns.pending[0].events[0].payload == "good"


def test_a_payload_that_is_no_file_is_an_item_too() -> None:
    world = work(scan(board(), "issue 12"), "TASK_STUCK: no")
    op = world.wants()
    assert isinstance(op, d.Look) and op.item == "issue 12"
    world.tell(f.ItemGivenUp("issue 12", "", "", "no", under_way=True, stays=True))
    scan(world, "issue 12")
    assert topics(world) == ["task.resume"], "it is refused"


def test_an_item_that_is_worked_on_after_its_scanner_has_looked_again_is_the_one_that_is_stuck() -> None:
    world = board()
    both = '<event topic="work.propose">issue 1</event><event topic="work.propose">issue 2</event>'
    world.iterate(said=both, structured=True)
    world.tell(f.EventReceived(name="e", topic="board.scan"))
    work(world)
    work(world, "TASK_STUCK: no")
    op = world.wants()
    assert isinstance(op, d.Look) and op.item == "issue 2"


def test_a_loop_that_completes_with_an_item_set_aside_exits_with_1() -> None:
    declined = policy(team=replace(spike(), persistent=False), gates=(), gates_declined=True)
    world = World(replace(declined, limits=LimitPolicy(max_iterations=100)))
    for n in range(3):
        scan(world, "bad", **BAD)
        world.iterate(f"t{n}", RESCAN, structured=True)
    scan(world, "bad", **BAD)
    give_up(world)
    scan(world, "", **BAD)
    end = world.wants()
    assert isinstance(end, d.Finish) and (end.end, end.code) == ("completed-unverified", 1)


def test_attempts_at_one_item_are_not_those_at_the_next() -> None:
    world = scan(board(), "bad", **BAD)
    world.iterate(cause="iteration-time", how="cut")
    assert world.state.judgement.attempts == 1
    scan(work(world), "good", **BAD, **GOOD)
    assert world.state.judgement.attempts == 0
