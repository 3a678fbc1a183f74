"""Which events a view tells of, fact by fact, and under which iteration."""

from __future__ import annotations

from core_world import World, hat, policy

from ralph.core import facts as f
from ralph.core.hats.event_log import NO_HATS, EventOutcome, EventOutcomes, event_line, named, why_routed
from ralph.core.hats.model import Event, Scan, ScanFolder, Team
from ralph.core.hats.turns import Routed
from ralph.core.loop import decide as d
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState

TEAM = Team(
    hats=(
        hat("builder", "task.start", "fix", publishes=("build.done",)),
        hat("reviewer", "build.done", publishes=("LOOP_COMPLETE", "fix")),
    ),
    enforce_scope=True,
    cancellation_promise="stop.all",
)


def told(facts: list[f.AnyFact]) -> list[EventOutcome]:
    teller, s, found = EventOutcomes(), LoopState(), []
    for fact in facts:
        s = fold(s, fact)
        found += teller.take(fact, s)
    return found


def counted(facts: list[f.AnyFact]) -> list[str]:
    return [event_line(one.routed) for one in told(facts) if one.counts]


def event(topic: str, payload: str = "") -> str:
    return f'<event topic="{topic}">{payload}</event>'


def hats(**more: object) -> World:
    return World(policy(team=TEAM, gates=(), **more))


def test_each_event_is_told_once_and_what_is_refused_is_told_apart() -> None:
    world = hats().iterate("t1", event("build.done", "x") + event("other"))
    assert counted(world.facts) == ["#1 task.start → builder", "#2 build.done (x) → reviewer"]
    (refused,) = [one.routed for one in told(world.facts) if not one.counts]
    assert event_line(refused) == "other: refused: builder may not publish other; it may: build.done"


def test_a_claim_that_was_set_aside_is_no_event_of_the_loop() -> None:
    world = hats().iterate("t1", event("build.done")).iterate("t2", event("fix") + "\nLOOP_COMPLETE")
    assert [text.split(" ")[1] for text in counted(world.facts)] == ["task.start", "build.done", "fix"]
    assert any("set aside" in one.routed.why for one in told(world.facts) if not one.counts)


def test_what_cancels_the_loop_is_told() -> None:
    world = World(policy(team=TEAM, gates=()))
    world.tell(f.EventReceived(name="e", topic="stop.all", payload="enough"))
    assert counted(world.facts)[-1] == "stop.all (enough): ends the loop"


def test_events_carry_the_number_of_the_iteration_and_not_of_its_process() -> None:
    world = hats()
    op = world.wants()
    assert isinstance(op, d.RunAgent)
    world.tell(f.IterationStarted(serial=1, n=1, prompt="p", prompt_chars=1, tree="base", hat="builder"))
    world.tell(f.IterationEnded(serial=1, n=1, how="interrupted", code=-9, seconds=1.0, tree="base"))
    world.iterate("t1", event("build.done"))
    last = [one.routed.event for one in told(world.facts) if one.counts][-1]
    assert (last.topic, last.hat, last.iteration) == ("build.done", "builder", 1)
    assert world.state.progress.serial == 2


def test_what_ralph_itself_finds_on_a_board_is_of_no_iteration() -> None:
    scan = Scan(folders=(ScanFolder("work", "work.do"),))
    team = Team(
        hats=(
            hat("scanner", "task.start", "again", scan=scan),
            hat("worker", "work.do", publishes=("again",)),
        )
    )
    world = World(policy(team=team, gates=()))
    for item in ("a", "b"):
        world.tell(f.BoardLooked(hat="scanner", topic="work.do", folder="work", item=item, tree="base"))
        world.iterate(f"t{item}", event("again"))
    found = [one.routed for one in told(world.facts)]
    assert [(r.event.topic, r.event.hat, r.event.iteration) for r in found] == [
        ("task.start", "", 0),
        ("work.do", "scanner", 0),
        ("again", "worker", 1),
        ("work.do", "scanner", 0),
        ("again", "worker", 2),
    ]
    assert why_routed(found, 4) == "#4 work.do (b), from scanner: worker names work.do"


def test_without_hats_what_was_emitted_is_told_and_goes_nowhere() -> None:
    world = World().base()
    world.tell(f.IterationStarted(serial=1, n=1, prompt="p", prompt_chars=1, tree="base"))
    world.tell(f.EventReceived(name="e", topic="note", payload="x", serial=1))
    world.tell(f.EventReceived(name="f", topic="note", payload="by hand"))
    found = [one.routed for one in told(world.facts) if one.counts]
    assert found == [
        Routed(Event("note", "x", "", 1, 1), (), NO_HATS),
        Routed(Event("note", "by hand", "", 0, 2), (), NO_HATS),
    ]
    assert why_routed(found, 2) == f"#2 note (by hand), from Ralph or a person: {NO_HATS}"


def test_who_goes_on_from_a_state_does_not_tell_again_what_led_to_it() -> None:
    """After a resume, the state that goes on was folded by somebody else: equal, but not the same."""
    world, teller, own = hats().iterate("t1", event("build.done")), EventOutcomes(), LoopState()
    for fact in world.facts:
        own = fold(own, fact)
        teller.take(fact, own)
    teller.stand(world.state)
    stop = f.StopRequested(how="graceful", by="x")
    assert teller.take(stop, fold(world.state, stop)) == ()


def test_a_hostile_topic_is_one_harmless_line() -> None:
    bad = Event("a\x1b[2J\nb" + "c" * 500, "\x07\n" * 300)
    assert named(bad).isprintable() and len(named(bad)) < 200
    assert event_line(Routed(bad, ("h",), "w")).isprintable()
