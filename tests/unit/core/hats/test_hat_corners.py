"""Corners of loops with hats that arbitrary worlds have shown: each of these was once wrong."""

from __future__ import annotations

from core_world import World, hat, policy, spike
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats.model import Aggregate, Scan, ScanFolder, Team
from ralph.core.loop import decide as d
from ralph.core.policy import LimitPolicy

BUILD = Team(
    hats=(
        hat("builder", "task.start", publishes=("build.done",)),
        hat("reviewer", "build.done", publishes=("LOOP_COMPLETE",)),
    )
)
DONE = '<event topic="build.done">x</event>'


def claimed(team: Team = BUILD, **more: object) -> World:
    """The reviewer has claimed, on a tree that the builder made: the gate's turn."""
    world = World(policy(team=team, **more)).base().iterate("t1", DONE, structured=True)
    world.iterate("t1", "LOOP_COMPLETE", structured=True)
    assert isinstance(world.wants(), d.RunGate)
    return world


def worn(world: World) -> str:
    op = world.wants()
    assert isinstance(op, d.RunAgent), op
    return op.hat


def looks(world: World, topic: str = "", item: str = "", **more: object) -> World:
    op = world.wants()
    assert isinstance(op, d.Look), op
    return world.tell(f.BoardLooked(hat=op.hat, topic=topic, item=item, **more))  # type: ignore[arg-type]


def gated(world: World, passed: bool) -> World:
    while isinstance(world.wants(), d.RunGate):
        world.gate(passed)
    return world


# -- claims ----------------------------------------------------------------------------------------


def test_what_a_person_emits_while_the_gates_judge_a_claim_is_worked_on_before_the_loop_ends() -> None:
    world = claimed().tell(f.EventReceived(name="p", topic="task.start", payload="one more"))
    assert world.state.judgement.claim is None
    assert worn(world) == "builder"
    told = [routed.why for routed in world.state.hats.turns.latest]
    assert told == ["the claim is set aside: task.start came in", "builder names task.start"]


def test_a_claim_that_a_stop_left_open_is_turned_down_after_the_resume_as_ever() -> None:
    world = claimed().tell(f.StopRequested(how="now", by="p"))
    world.finish()
    world.tell(f.LoopResumed(run="r2"))
    assert worn(gated(world, False)) == "builder"
    (event,) = world.state.hats.turns.pending[0].events
    assert (event.topic, event.payload) == ("gate.failed", "tests: it fails")


def test_a_full_context_claims_only_by_a_hat_that_may_and_never_for_an_event_that_waits_for_the_gates() -> (
    None
):
    team = replace(BUILD, gate_on=("build.done",))
    world = World(policy(team=team, claim="every-iteration")).base()
    op = world.wants()
    assert isinstance(op, d.RunAgent)
    started = f.IterationStarted(
        serial=1, n=1, prompt="p", prompt_chars=1, tree="base", hat=op.hat, hat_why=op.hat_why
    )
    world.tell(started, f.EventReceived(name="e", topic="build.done", serial=1))
    end = f.IterationEnded(serial=1, n=1, how="cut", cause="context", code=-1, seconds=1.0, tree="t1")
    world.tell(end)
    assert world.state.judgement.claim is not None and world.state.judgement.claim.held
    gated(world, True).tell(f.ClaimInspected(tree="t1", changed=1))
    assert isinstance(world.wants(), d.PassOn)


def test_an_iteration_that_runs_out_of_time_with_an_event_handed_over_is_one_attempt() -> None:
    team = replace(BUILD, gate_on=("build.done",))
    world = World(policy(team=team, limits=LimitPolicy(max_attempts=1))).base()
    started = f.IterationStarted(serial=1, n=1, prompt="p", prompt_chars=1, tree="base", hat="builder")
    world.tell(started, f.EventReceived(name="e", topic="build.done", serial=1))
    world.tell(
        f.IterationEnded(serial=1, n=1, how="cut", cause="iteration-time", code=-1, seconds=1.0, tree="t1")
    )
    assert world.state.judgement.attempts == 0, "the gates look at what it handed over"
    end = gated(world, False).finish()
    assert (end.end, world.state.judgement.attempts) == ("failed", 1)


def test_a_gate_that_contradicts_itself_is_named_to_the_hat_that_gets_its_failure() -> None:
    world = claimed()
    world.gate(False, error_hash="new", headline="")
    world.gate(True)  # asked again, it says something else
    world.tell(f.ClaimInspected(tree="t1", changed=1))
    assert isinstance(world.wants(), d.Finish)
    world.tell(f.EventReceived(name="p", topic="build.done"))
    world.iterate("t1", "LOOP_COMPLETE", structured=True).gate(False, error_hash="new", headline="")
    world.gate(False, error_hash="new", headline="")
    assert worn(world) == "builder" and world.state.judgement.attempts == 0
    assert world.state.hats.turns.pending[0].events[0].payload == "tests: it says two things about one tree"


# -- what agents say -------------------------------------------------------------------------------


def test_a_question_in_the_last_words_parks_the_loop_and_the_answer_goes_to_the_hat_that_asked() -> None:
    world = World(policy(team=BUILD, gates=()))
    world.iterate("t1", '<event topic="human.interact">Which port?</event>', structured=True)
    end = world.finish()
    assert (end.end, end.reason) == ("blocked-on-person", "Which port?")
    world.tell(f.LoopResumed(run="r2", answer="8080"))
    assert worn(world) == "builder"


def test_a_dispatch_by_command_and_by_tag_is_one_dispatch() -> None:
    world = World(policy(team=spike(), gates=(), limits=LimitPolicy(max_iterations=100)))
    tag = '<event topic="work.propose">item-1.txt</event>'
    places = {"item-1.txt": "work/item-1.txt"}
    for n in range(3):
        op = world.wants()
        assert isinstance(op, d.RunAgent) and op.hat == "board_scanner"
        world.tell(
            f.IterationStarted(
                serial=op.serial, n=op.n, prompt="p", prompt_chars=1, tree=f"t{n}", hat=op.hat
            ),
            f.EventReceived(name=f"e{n}", topic="work.propose", payload="item-1.txt", serial=op.serial),
            f.IterationEnded(
                serial=op.serial,
                n=op.n,
                how="exited",
                code=0,
                seconds=1.0,
                tree=f"t{n}",
                said=f"{tag}\n{tag}",
                structured=True,
                places=places,
            ),
        )
        assert worn(world) == "proposal_writer", "three dispatches are not four"
        world.iterate(f"t{n + 1}", '<event topic="board.rescan"/>', structured=True)
    world.iterate(said=tag, structured=True, places=places)
    assert world.state.warnings.lines


# -- boards ----------------------------------------------------------------------------------------

BUGS = Scan((ScanFolder("bugs", "bug.fix"),))
WISHES = Scan((ScanFolder("wishes", "wish.build"),))
TWO_BOARDS = Team(
    hats=(
        hat("bug_scanner", "board.scan", "task.resume", scan=BUGS),
        hat("wish_scanner", "board.scan", "task.resume", scan=WISHES),
        hat("fixer", "bug.fix", default_publishes="board.scan"),
        hat("builder", "wish.build", default_publishes="board.scan"),
    ),
    starting_event="board.scan",
    persistent=True,
)


def both(world: World, *, again: bool = True) -> World:
    """Each scanner finds its item where it was."""
    looks(world, "bug.fix", "b1", folder="bugs", there=("bugs",) if again else ())
    return looks(world, "wish.build", "w1", folder="wishes", there=("wishes",) if again else ())


def test_each_scanner_looks_after_its_own_items() -> None:
    world = both(World(policy(team=TWO_BOARDS, gates=())), again=False)
    for n in range(2):
        assert worn(world) == "fixer"
        world.iterate(f"b{n}", usage=f.Usage(tokens=10))
        assert worn(world) == "builder"
        both(world.iterate(f"w{n}", usage=f.Usage(tokens=1)))
    bug, wish = world.state.hats.board.items["b1"], world.state.hats.board.items["w1"]
    assert (bug.failures, bug.dispatches, bug.tokens) == (2, 3, 20)
    assert (wish.failures, wish.dispatches, wish.tokens) == (2, 3, 2)
    assert world.state.hats.board.finished == 0


def test_an_item_that_nobody_but_scanners_take_ends_the_loop_and_stays_where_it_is() -> None:
    team = Team(
        hats=(
            hat("one", "a.look", "task.start", scan=Scan((ScanFolder("a", "b.look"),))),
            hat("two", "b.look", scan=Scan((ScanFolder("b", "a.look"),))),
        ),
        persistent=True,
    )
    world = World(policy(team=team, gates=()))
    for n in range(3):
        folder = "ab"[n % 2]
        looks(world, f"{'ba'[n % 2]}.look", f"{folder}1", folder=folder, there=(folder,) if n > 1 else ())
    end = world.wants()
    assert isinstance(end, d.Finish) and end.end == "no-route"
    assert end.reason == "nobody but a scanner takes b.look, 3 times in a row"
    assert world.state.hats.board.finished == 0


def test_a_gate_that_nobody_but_a_scanner_hears_of_ends_the_loop() -> None:
    team = Team(hats=(hat("scanner", "*", scan=BUGS),))
    world = World(policy(team=team, limits=LimitPolicy(max_attempts=0))).base()
    for _ in range(3):
        gated(looks(world, why="no work", tree="base"), False)
    end = world.wants()
    assert isinstance(end, d.Finish) and "nobody but a scanner takes gate.failed" in end.reason


def test_a_gate_on_a_dispatch_does_not_make_the_scanner_the_producer_of_the_tree() -> None:
    team = Team(
        hats=(
            hat("builder", "task.start", "bug.fix", default_publishes="board.scan"),
            hat("scanner", "board.scan", scan=BUGS),
        ),
        gate_on=("bug.fix",),
    )
    world = World(policy(team=team)).base().iterate("t1")
    gated(looks(world, "bug.fix", "b1", folder="bugs", tree="t1"), False)
    assert worn(world) == "builder"


def test_giving_up_an_item_leaves_what_people_and_earlier_items_wait_for() -> None:
    team = Team(
        hats=(
            hat("scanner", "board.scan", scan=BUGS),
            hat("fixer", "bug.fix", publishes=("bug.fixed", "board.scan")),
            hat("reporter", "bug.fixed", aggregate=Aggregate()),
            hat("helper", "help.me"),
        ),
        starting_event="board.scan",
    )
    world = looks(World(policy(team=team, gates=())), "bug.fix", "b1", folder="bugs")
    world.iterate("t1", '<event topic="bug.fixed">b1</event><event topic="board.scan"/>', structured=True)
    looks(world, "bug.fix", "b2", folder="bugs", there=())
    world.tell(f.EventReceived(name="p", topic="help.me", payload="please"))
    world.iterate("t2", "TASK_STUCK: no idea", structured=True)
    op = world.wants()
    assert isinstance(op, d.Look) and op.give_up == "no idea"
    world.tell(f.ItemGivenUp(item="b2", folder="bugs", to="failed", reason="no idea", under_way=True))
    assert worn(world) == "helper"
    looks(world.iterate("t3", '<event topic="board.scan"/>', structured=True), there=(), why="no work")
    assert worn(world) == "reporter"
