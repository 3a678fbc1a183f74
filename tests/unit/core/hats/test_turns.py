"""Hats take turns: the seed's board, completion and persistence, scope, coordination, gates; over made-up agents."""

from __future__ import annotations

import pytest
from core_world import Folders, HatWorld, hat, spike
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ralph.core.hats import turns as t
from ralph.core.hats.model import Aggregate, Event, Hat, Scan, ScanFolder, Team
from ralph.core.hats.turns import Turn, Turns

BUILD = Team(
    hats=(
        hat("planner", "task.start", "build.blocked", publishes=("build.task",)),
        hat("builder", "build.task", publishes=("build.done", "build.blocked")),
        hat("reviewer", "build.done", publishes=("build.task", "LOOP_COMPLETE")),
    )
)


def through_the_board(world: HatWorld, folders: Folders, looks: int = 1) -> None:
    """Until the scanner has found nothing `looks` times."""
    for _ in range(100):
        if isinstance(world.next, t.Rest):
            looks -= 1
            if not looks:
                return
            world.step(t.resumed(world.team, world.state))
        turn = world.turn
        if t.fresh(world.team, turn):
            folders.headers.append(f"{turn.hat} {turn.events[0].payload}")
        world.work(*folders.act(turn))
    raise AssertionError("the board never came to rest")


# -- the seed's board ------------------------------------------------------------------------------


def test_three_items_go_through_both_phases_and_only_then_is_the_board_idle() -> None:
    world, folders = HatWorld(spike()), Folders("item-1.txt", "item-2.txt", "item-3.txt")
    through_the_board(world, folders, looks=2)
    assert folders.folders == {
        "work": [],
        "proposed": [],
        "done": ["item-1.txt", "item-2.txt", "item-3.txt"],
    }
    assert world.worn == [
        *(["board_scanner", "proposal_writer"] * 3),
        *(["board_scanner", "finisher"] * 3),
        "board_scanner",
        "board_scanner",
    ]
    topics = world.topics()
    assert topics[:3] == ["board.scan", "work.propose", "board.rescan"]
    assert topics.index("LOOP_COMPLETE") == len(topics) - 3
    assert topics[-3:] == ["LOOP_COMPLETE", "task.resume", "LOOP_COMPLETE"]


def test_every_work_hat_is_followed_by_a_look_at_the_board() -> None:
    world, folders = HatWorld(spike()), Folders("a", "b")
    through_the_board(world, folders)
    for before, after in zip(world.topics(), world.topics()[1:], strict=False):
        if before in ("work.propose", "work.finish"):
            assert after == "board.rescan"


def test_each_phase_starts_fresh_and_the_scanner_does_not() -> None:
    world, folders = HatWorld(spike()), Folders("a", "b")
    through_the_board(world, folders)
    assert folders.headers == [
        "proposal_writer a",
        "proposal_writer b",
        "finisher a",
        "finisher b",
    ]


def test_what_a_hat_says_about_fresh_wins() -> None:
    turn = Turn("finisher", (Event("work.finish", hat="board_scanner"),), "")
    team = spike()
    assert t.fresh(team, turn)
    hats = tuple(replace(h, fresh=False) if h.id == "finisher" else h for h in team.hats)
    assert not t.fresh(replace(team, hats=hats), turn)
    assert not t.fresh(team, replace(turn, events=(Event("work.finish", hat="proposal_writer"),)))


def test_a_scanner_that_says_nothing_is_idle_and_looks_again_after_the_cool_down() -> None:
    world = HatWorld(spike()).work()
    assert world.next == t.Rest(30.0, "board_scanner says so, by default")
    world.step(t.resumed(world.team, world.state))
    assert (world.turn.hat, world.turn.events[0].topic) == ("board_scanner", "task.resume")


def test_a_work_hat_that_says_nothing_goes_back_to_the_scanner() -> None:
    world = HatWorld(spike()).work("work.propose a").work()
    assert (world.turn.hat, world.turn.events[0].topic) == ("board_scanner", "board.rescan")
    assert "by default" in world.turn.why


def test_the_cool_down_is_for_idle_looks_only_unless_always() -> None:
    world = HatWorld(spike()).work("work.propose a")
    assert isinstance(world.next, t.Wear) and world.next.after == 0.0
    world = HatWorld(spike(cooldown_always=True))
    assert isinstance(world.next, t.Wear) and world.next.after == 0.0
    world.work("work.propose a")
    assert isinstance(world.next, t.Wear) and world.next.after == 30.0


def test_an_idle_loop_without_a_cool_down_does_not_spin() -> None:
    world = HatWorld(replace(spike(), cooldown=0.0)).work()
    assert isinstance(world.next, t.Rest) and world.next.seconds > 0


def test_an_event_from_outside_wakes_an_idle_loop_in_a_new_cycle() -> None:
    world = HatWorld(spike()).work().emit("work.finish", "urgent", serial=0)
    assert (world.turn.hat, world.state.cycle) == ("finisher", 2)


def test_stale_events_never_reach_a_scanner() -> None:
    world = HatWorld(spike())
    world.began()
    world.emit("work.propose", "a").end()
    world.emit("board.rescan", serial=0).emit("board.rescan", "twice", serial=0)
    world.work("board.rescan")  # the writer
    turn = world.began()
    assert turn.hat == "board_scanner" and len(turn.events) == 1
    assert [r.why for r in world.state.latest] == ["stale: board_scanner looks at everything at once"] * 2
    world.emit("work.finish", "a").end()
    assert [turn.hat for turn in world.state.pending] == ["finisher"]


def test_an_event_of_an_iteration_that_is_over_is_refused() -> None:
    world = HatWorld(spike()).work("work.propose a")
    world.began()
    world.emit("work.finish", "late", serial=1)
    assert world.state.said == () and "iteration 1 is over" in world.state.refused[0].why
    world.end().emit("work.finish", "later", serial=2)
    assert [turn.hat for turn in world.state.pending] == ["board_scanner"]


def test_a_scanner_that_is_data_dispatches_without_an_iteration() -> None:
    scan = Scan(folders=(ScanFolder("work", "work.propose"),))
    team = spike()
    team = replace(team, hats=(hat("scanner", "board.scan", "board.rescan", scan=scan), *team.hats[1:]))
    world = HatWorld(team)
    world.step(t.looked(team, world.state, "work.propose", "a"))
    assert (world.turn.hat, world.turn.events[0].payload, world.serial) == ("proposal_writer", "a", 0)
    assert t.fresh(team, world.turn)
    world.work("board.rescan").step(t.looked(team, world.state, "LOOP_COMPLETE"))
    assert isinstance(world.next, t.Rest)


# -- order -----------------------------------------------------------------------------------------


def test_several_hats_on_one_topic_run_in_declared_order_one_iteration_each() -> None:
    team = Team(hats=(hat("b", "go"), hat("a", "go"), hat("c", "*")), starting_event="go")
    world = HatWorld(team).work("x.y 1")
    assert [turn.hat for turn in world.state.pending] == ["a", "c"]
    assert world.work("x.y 2").worn == ["b", "a"]
    assert [turn.events[0].payload for turn in world.state.pending] == ["1", "2"]


def test_said_twice_is_said_once() -> None:
    world = HatWorld(BUILD)
    world.began()
    world.emit("build.task", "a").emit("build.task", "b")
    world.end(tags=[Event("build.task", "a"), Event("build.task", "c")])
    assert [turn.events[0].payload for turn in world.state.pending] == ["a", "b", "c"]


def test_an_aggregate_waits_for_the_others_and_takes_all_its_events_at_once() -> None:
    team = Team(
        hats=(
            hat("sum", "found", publishes=("LOOP_COMPLETE",), aggregate=Aggregate()),
            hat("worker", "piece", publishes=("found",)),
            hat("lead", "task.start", publishes=("piece",)),
        )
    )
    world = HatWorld(team).work("piece 1", "piece 2", "piece 3")
    world.work("found 1").work("found 2").work("found 3")
    assert world.worn == ["lead", "worker", "worker", "worker"]
    assert [event.payload for event in world.began().events] == ["1", "2", "3"]
    assert world.end(claimed=True).state.claim == "sum says so"


# -- an iteration that did not live ----------------------------------------------------------------


def test_an_interrupted_iteration_is_repeated_and_what_it_emitted_is_forgotten() -> None:
    world = HatWorld(BUILD)
    world.began()
    world.emit("build.task", "a").end("interrupted")
    assert (world.turn.hat, len(world.state.pending)) == ("planner", 1)


def test_an_unfinished_iteration_is_repeated_unless_it_had_spoken() -> None:
    world = HatWorld(spike()).work("work.propose a")
    world.began()
    world.end("unfinished")
    assert (world.turn.hat, world.turn.events[0].payload) == ("proposal_writer", "a")
    world.began()
    world.emit("board.rescan").end("unfinished")
    assert (world.turn.hat, len(world.state.pending)) == ("board_scanner", 1)


def test_a_hat_put_on_by_a_condition_takes_no_turn_away() -> None:
    world = HatWorld(BUILD)
    world.began("critic")
    world.end()
    assert (world.turn.hat, world.state.fruitless) == ("planner", 0)
    world.began("critic")
    world.emit("build.task", "from the critic").end()
    assert [turn.hat for turn in world.state.pending] == ["planner", "builder"]


def test_a_condition_does_not_wake_an_idle_loop() -> None:
    world = HatWorld(spike()).work()
    world.step(t.began(world.team, world.state, 2, "critic")).end()
    assert isinstance(world.next, t.Rest)


# -- scope -----------------------------------------------------------------------------------------


def test_with_scope_enforced_other_events_are_refused_and_told() -> None:
    world = HatWorld(replace(BUILD, enforce_scope=True)).work("deploy.now", "build.task a")
    assert world.turn.hat == "builder"
    assert [r.why for r in world.state.refused] == [
        "refused: planner may not publish deploy.now; it may: build.task"
    ]
    world.began()
    assert world.state.refused == ()


def test_without_it_any_event_is_routed() -> None:
    assert HatWorld(BUILD).work("build.done").turn.hat == "reviewer"


@pytest.mark.parametrize("enforced", [True, False])
@pytest.mark.parametrize("by_event", [True, False])
def test_completion_always_has_to_be_declared(enforced: bool, by_event: bool) -> None:
    world = HatWorld(replace(BUILD, enforce_scope=enforced))
    world.work(*(["LOOP_COMPLETE"] if by_event else []), claimed=not by_event)
    assert world.turn.hat == ""  # nothing was said that counts: the coordinator goes on
    assert "planner may not publish LOOP_COMPLETE" in world.state.refused[0].why
    assert world.work(claimed=True).state.claim == "the coordinator says so"


def test_a_refused_completion_is_told_by_the_word_of_the_configuration() -> None:
    world = HatWorld(replace(BUILD, completion_promise="ALL_DONE"))
    world.work(claimed=True)
    assert [r.event.topic for r in world.state.refused] == ["ALL_DONE"]
    assert "planner may not publish ALL_DONE" in world.state.refused[0].why


def test_completion_is_not_granted_by_a_pattern() -> None:
    team = Team(hats=(hat("all", "task.start", publishes=("*",)),))
    assert isinstance(HatWorld(team).work("LOOP_COMPLETE").next, t.Wear)


def test_a_promise_of_ones_own_is_a_topic_like_loop_complete() -> None:
    team = Team(
        hats=(hat("a", "task.start", publishes=("review.complete",)),), completion_promise="review.complete"
    )
    assert HatWorld(team).work("review.complete").state.claim == "a says so"


def test_a_question_to_a_person_is_never_out_of_scope_and_routed_to_nobody() -> None:
    team = Team(hats=(hat("a", "task.start"), hat("b", "*")), enforce_scope=True)
    world = HatWorld(team).work("human.interact which one?")
    assert world.state.refused == () and "human.interact" not in world.topics()


def test_a_hat_that_asks_a_person_keeps_its_turn_for_the_answer() -> None:
    world = HatWorld(spike()).work("work.propose a").work("human.interact which one?")
    assert (world.turn.hat, world.turn.events[0].payload) == ("proposal_writer", "a")
    assert world.work().turn.hat == "board_scanner"
    world = HatWorld(BUILD).work("human.interact which one?", "build.task a")
    assert world.turn.hat == "builder"


# -- completion ------------------------------------------------------------------------------------


def test_an_event_and_a_completion_in_one_turn_route_the_event_and_set_the_claim_aside() -> None:
    world = HatWorld(BUILD).work("build.task a").work("build.done a")
    world.work("LOOP_COMPLETE", "build.task b", claimed=True)
    assert (world.turn.hat, world.turn.events[0].payload) == ("builder", "b")
    assert "the claim is set aside: it also emitted build.task" in [r.why for r in world.log]


def test_a_completion_waits_for_those_who_have_a_turn() -> None:
    team = Team(hats=(hat("a", "task.start", publishes=("LOOP_COMPLETE",)), hat("b", "task.start")))
    world = HatWorld(team).work(claimed=True)
    assert world.turn.hat == "b"
    assert world.log[-1].why == "the claim is set aside: task.start waits"


def test_required_events_come_before_a_completion() -> None:
    team = replace(BUILD, required_events=("build.done", "docs.done"))
    world = HatWorld(team).work("build.task").work("build.done").work(claimed=True)
    assert (world.turn.hat, world.turn.events[0].payload) == ("", "not complete: docs.done has not been seen")
    world.work("build.task").work("docs.done")
    assert world.turn.hat == ""
    assert world.work(claimed=True).state.claim == "the coordinator says so"


def test_a_claim_without_required_events_three_times_ends_the_loop_and_names_what_is_missing() -> None:
    world = HatWorld(replace(BUILD, required_events=("docs.done",))).work("build.task").work("build.done")
    world.work(claimed=True).work(claimed=True).work(claimed=True)
    found = world.next
    assert isinstance(found, t.NoRoute) and found.topic == "docs.done"


def test_required_events_are_asked_for_in_each_cycle_with_work_and_in_no_other() -> None:
    world = HatWorld(spike(required_events=("proposal.read",))).work()
    assert isinstance(world.next, t.Rest)  # an empty board has nothing to show
    world.step(t.resumed(world.team, world.state)).work("work.propose a", "proposal.read")
    world.work("board.rescan").work("board.rescan").work("LOOP_COMPLETE")
    assert world.worn[-3:] == ["proposal_writer", "", "board_scanner"]
    assert isinstance(world.next, t.Rest)
    world.step(t.resumed(world.team, world.state)).work("work.propose b").work("board.rescan").work(
        "LOOP_COMPLETE"
    )
    assert world.turn.events[0].payload == "not complete: proposal.read has not been seen"


def test_being_called_again_by_ralph_itself_does_not_count_as_a_way_out() -> None:
    world = HatWorld(spike(required_events=("docs.done",))).work("work.propose a").work("board.rescan")
    world.work("LOOP_COMPLETE").work("LOOP_COMPLETE").work("LOOP_COMPLETE")
    assert world.worn[-3:] == ["board_scanner"] * 3
    assert isinstance(world.next, t.NoRoute)


def test_the_cancellation_promise_ends_the_loop_at_once() -> None:
    world = HatWorld(replace(BUILD, cancellation_promise="loop.cancel"))
    world.began()
    world.emit("loop.cancel", "no longer wanted")
    assert world.state.cancelled == "loop.cancel from planner"
    assert not HatWorld(BUILD).work("loop.cancel").state.cancelled
    outside = HatWorld(replace(BUILD, cancellation_promise="loop.cancel")).emit("loop.cancel", serial=0)
    assert outside.state.cancelled


def test_a_person_cannot_claim() -> None:
    world = HatWorld(BUILD).emit("LOOP_COMPLETE", serial=0)
    assert world.turn.hat == "planner" and "only an iteration can claim" in world.state.refused[0].why


def test_an_event_that_comes_while_a_claim_is_judged_sets_it_aside() -> None:
    world = HatWorld(BUILD).work("build.task").work("build.done").work(claimed=True)
    assert world.emit("build.task", "one more", serial=0).turn.hat == "builder"


# -- coordination ----------------------------------------------------------------------------------


def test_an_event_that_no_hat_takes_goes_to_the_coordinator() -> None:
    world = HatWorld(BUILD).work("build.finished")
    assert (world.turn.hat, world.turn.why) == ("", "no hat takes build.finished: the coordinator does")


def test_a_silent_hat_without_a_default_goes_to_the_coordinator() -> None:
    world = HatWorld(BUILD).work()
    assert world.turn.hat == ""
    assert world.turn.why == "planner emitted nothing for task.start and has no default_publishes"


def test_three_coordinations_without_an_event_end_the_loop_and_name_the_topic() -> None:
    world = HatWorld(BUILD).work("build.finished").work().work()
    assert world.turn.hat == ""
    found = world.work().next
    assert isinstance(found, t.NoRoute)
    assert found == t.NoRoute("build.finished", "no event came of build.finished, 3 times in a row")


def test_events_that_nobody_takes_do_not_count_as_a_way_out() -> None:
    world = HatWorld(BUILD).work("a.a").work("b.b").work("c.c").work("d.d")
    assert isinstance(world.next, t.Wear)  # each of them is something new
    found = world.work("a.a").work("d.d").work("d.d").next
    assert isinstance(found, t.NoRoute) and found.topic == "d.d"


def test_an_event_for_a_hat_forgives_the_coordinator() -> None:
    world = HatWorld(BUILD).work("a.a").work().work().work("build.task")
    assert (world.turn.hat, world.state.fruitless) == ("builder", 0)


def test_a_person_may_let_it_go_on_after_no_route() -> None:
    world = HatWorld(BUILD).work("a.a").work().work().work()
    assert isinstance(world.step(t.again(BUILD, world.state)).next, t.Wear)


def test_the_start_goes_to_the_coordinator_when_no_hat_takes_it() -> None:
    assert HatWorld(replace(BUILD, starting_event="go")).turn.hat == ""


# -- max_activations -------------------------------------------------------------------------------


def test_one_activation_too_many_is_published_as_exhausted() -> None:
    team = Team(
        hats=(
            hat("a", "task.start", "again", publishes=("again",), max_activations=2),
            hat("b", "a.exhausted"),
        )
    )
    world = HatWorld(team).work("again").work("again")
    assert world.worn == ["a", "a"]
    assert (world.turn.hat, world.turn.events[0].topic) == ("b", "a.exhausted")


def test_a_hat_that_takes_its_own_exhaustion_goes_round_in_no_circle() -> None:
    team = Team(hats=(hat("a", "*", publishes=("again",), max_activations=1),))
    world = HatWorld(team).work("again")
    assert world.turn.hat == ""


def test_events_that_are_taken_together_are_one_activation() -> None:
    team = Team(
        hats=(
            hat("sum", "found", aggregate=Aggregate(), max_activations=1),
            hat("lead", "task.start", publishes=("found",)),
        )
    )
    world = HatWorld(team).work("found 1", "found 2", "found 3")
    assert [event.payload for event in world.turn.events] == ["1", "2", "3"]
    assert "sum.exhausted" not in world.topics()


def test_activations_are_counted_by_turns_and_anew_in_each_cycle() -> None:
    team = spike()
    team = replace(team, hats=(team.hats[0], replace(team.hats[1], max_activations=1), team.hats[2]))
    world = HatWorld(team).work("work.propose a")
    world.began()
    world.end("interrupted").work("board.rescan").work("work.propose b")
    assert world.turn.events[0].topic == "proposal_writer.exhausted"
    world.work("LOOP_COMPLETE").step(t.resumed(team, world.state)).work("work.propose b")
    assert world.turn.hat == "proposal_writer"


# -- gates -----------------------------------------------------------------------------------------


def test_a_failed_gate_goes_to_the_last_hat_that_changed_the_tree() -> None:
    world = HatWorld(BUILD).work("build.task").work("build.done", moved=True).work(claimed=True)
    world.step(t.turned_down(BUILD, world.state, "tests: 2 failed"))
    assert (world.turn.hat, world.turn.events[0].payload) == ("builder", "tests: 2 failed")
    assert world.turn.why == "no hat takes gate.failed; builder was the last to change the tree"


def test_a_failed_gate_goes_to_the_hat_that_asks_for_it() -> None:
    team = replace(BUILD, hats=(*BUILD.hats, hat("fixer", "gate.failed", publishes=("build.done",))))
    world = HatWorld(team).work("build.task").work("build.done", moved=True).work(claimed=True)
    assert world.step(t.turned_down(team, world.state, "x")).turn.hat == "fixer"


def test_a_scanner_that_writes_its_log_has_not_produced_the_tree() -> None:
    world = HatWorld(spike()).work("work.propose a").work("board.rescan", moved=True)
    world.work("work.finish a", moved=True)
    assert world.state.producer == "proposal_writer"


def test_gates_on_a_topic_hold_it_back_until_they_have_passed() -> None:
    team = replace(BUILD, gate_on=("build.done",))
    world = HatWorld(team).work("build.task").work("build.done a", "build.blocked b")
    assert world.state.held[0].topic == "build.done"
    failed = t.turned_down(team, world.state, "tests: red")
    assert [(turn.hat, turn.events[0].topic) for turn in failed.pending] == [("builder", "gate.failed")]
    passed = t.passed(team, world.state)
    assert [turn.hat for turn in passed.pending] == ["reviewer", "planner"]


# -- whatever happens ------------------------------------------------------------------------------

TOPICS = st.sampled_from(
    (
        "go",
        "a.b",
        "a.c",
        "x.y.z",
        "task.start",
        "task.resume",
        "gate.failed",
        "LOOP_COMPLETE",
        "stop.it",
        "h0.exhausted",
    )
)
PATTERNS = TOPICS | st.sampled_from(("*", "a.*", "*.b", "x.*.z"))
HATS = st.lists(
    st.builds(
        Hat,
        id=st.sampled_from(("h0", "h1", "h2")),
        triggers=st.lists(PATTERNS, max_size=3).map(tuple),
        publishes=st.lists(PATTERNS, max_size=3).map(tuple),
        default_publishes=st.just("") | TOPICS,
        max_activations=st.integers(0, 2),
        aggregate=st.none() | st.just(Aggregate()),
        fresh=st.none() | st.booleans(),
    ),
    max_size=3,
    unique_by=lambda h: h.id,
).map(tuple)
TEAMS = st.builds(
    Team,
    hats=HATS,
    starting_event=TOPICS,
    cancellation_promise=st.sampled_from(("", "stop.it")),
    required_events=st.lists(TOPICS, max_size=2).map(tuple),
    persistent=st.booleans(),
    enforce_scope=st.booleans(),
    cooldown=st.sampled_from((0.0, 5.0)),
    cooldown_always=st.booleans(),
    gate_on=st.lists(TOPICS, max_size=1).map(tuple),
)
STEPS = st.lists(
    st.tuples(
        st.lists(TOPICS | st.text(max_size=5), max_size=3),
        st.sampled_from(("lived", "lived", "unfinished", "interrupted")),
        st.booleans(),
        st.booleans(),
    ),
    max_size=25,
)


def played(team: Team, steps: list[tuple[list[str], t.How, bool, bool]]) -> tuple[list[str], Turns]:
    """What was decided, step by step."""
    world = HatWorld(team)
    said: list[str] = []
    for topics, how, claimed, moved in steps:
        found = world.next
        said.append(f"claim: {world.state.claim}" if world.state.claim else repr(found))
        if world.state.cancelled:
            world.step(t.again(team, world.state))
            continue
        if world.state.held:
            step = t.passed(team, world.state) if claimed else t.turned_down(team, world.state, "red")
            world.step(step)
            continue
        if world.state.claim:
            world.step(t.turned_down(team, world.state, "red"))
            continue
        match found:
            case t.Wear():
                world.began()
                for topic in topics:
                    world.emit(topic, "p", serial=0 if moved and claimed else None)
                world.end(how, claimed=claimed, moved=moved)
            case t.Rest():
                world.step(t.resumed(team, world.state))
            case t.NoRoute():
                world.step(t.again(team, world.state))
        assert all(routed.why for routed in world.state.latest)
        assert len(world.state.pending) <= (t.MOST_PENDING + 1) * 3
    return said, world.state


@given(TEAMS, STEPS)
def test_whatever_agents_do_there_is_a_next_turn_and_it_is_always_the_same(
    team: Team, steps: list[tuple[list[str], t.How, bool, bool]]
) -> None:
    first = played(team, steps)
    assert first == played(team, steps)
    assert isinstance(t.next_turn(team, first[1]), t.Next)


def over(world: HatWorld) -> bool:
    s = world.state
    return bool(s.cancelled or s.held or s.claim) or not isinstance(world.next, t.Wear)


@given(TEAMS, STEPS)
def test_agents_that_fall_silent_come_to_an_end(
    team: Team, steps: list[tuple[list[str], t.How, bool, bool]]
) -> None:
    """Without defaults nothing is published for them, so that the queue runs dry and three coordinations follow."""
    team = replace(team, hats=tuple(replace(h, default_publishes="") for h in team.hats), gate_on=())
    _, state = played(team, steps)
    world = HatWorld(team, state)
    world.serial = 1000
    for _ in range(len(state.pending) * 2 + 10):
        if over(world):
            break
        world.work()
    assert over(world)


@given(TEAMS, STEPS)
def test_a_claim_stands_only_when_nothing_waits_and_a_persistent_loop_never_claims(
    team: Team, steps: list[tuple[list[str], t.How, bool, bool]]
) -> None:
    said, state = played(team, steps)
    if state.claim:
        assert not state.pending and not team.persistent
    if team.persistent:
        assert not any(one.startswith("claim: ") for one in said)


def test_a_given_up_item_takes_only_its_own_events_out_of_a_turn_that_holds_others() -> None:
    older, own = Event("a.done", "x", "planner", 1, n=4), Event("b.done", "y", "planner", 2, n=5)
    s = Turns(count=5, pending=(Turn("sum", (older, own), "given back"),), dispatched=5)
    found = t.abandoned(BUILD, s, "item-1 was given up")
    assert found.pending[0].events == (older,)
    assert [routed.event for routed in found.latest if routed.why.startswith("dropped: ")] == [own]
