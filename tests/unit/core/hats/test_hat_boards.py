"""Loops with a board that Ralph scans itself, gates on transitions, cool-downs and limits of a hat; over real facts."""

from __future__ import annotations

from core_world import World, hat, policy
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.hats.model import Scan, ScanFolder, Team
from ralph.core.loop import decide as d
from ralph.core.policy import LimitPolicy

SCAN = Scan((ScanFolder("work", "work.propose"), ScanFolder("proposed", "work.finish")))
BOARD = Team(
    hats=(
        hat("scanner", "board.scan", "board.rescan", "task.resume", scan=SCAN),
        hat("writer", "work.propose", publishes=("board.rescan",), default_publishes="board.rescan"),
        hat("finisher", "work.finish", publishes=("board.rescan",), default_publishes="board.rescan"),
    ),
    starting_event="board.scan",
    persistent=True,
    cooldown=30.0,
)


def looks(world: World, topic: str = "", item: str = "", **more: object) -> World:
    op = world.wants()
    assert isinstance(op, d.Look), op
    return world.tell(f.BoardLooked(hat=op.hat, topic=topic, item=item, **more))  # type: ignore[arg-type]


def begins(world: World, hat_: str) -> World:
    op = world.wants()
    assert isinstance(op, d.RunAgent) and op.hat == hat_, op
    return world


def test_a_board_is_looked_at_without_an_agent_and_its_items_are_dispatched_afresh() -> None:
    world = World(policy(team=BOARD, gates=()))
    looks(world, "work.propose", "a.txt", folder="work", tree="seen")
    assert world.state.workspace.tree == "seen"
    op = begins(world, "writer").wants()
    assert isinstance(op, d.RunAgent) and op.fresh
    world.iterate("t1")
    looks(world, "work.finish", "a.txt", folder="proposed", there=("proposed",), tree="t1")
    begins(world, "finisher").iterate("t2")
    looks(world, why="no work", there=())
    wait = world.wants()
    assert isinstance(wait, d.Wait) and (wait.what, wait.seconds) == ("idle", 30.0)
    assert world.state.hats.board.finished == 1 and world.state.hats.board.items["a.txt"].done
    world.tell(f.WaitStarted(op=wait.id, what="idle", seconds=30.0), f.WaitEnded(op=wait.id, elapsed=True))
    assert isinstance(world.wants(), d.Look)
    assert world.state.progress.iterations == 2


def test_what_iterations_cost_is_put_down_to_the_item_under_way() -> None:
    world = looks(World(policy(team=BOARD, gates=())), "work.propose", "a.txt", folder="work")
    world.iterate("t1", usage=f.Usage(tokens=70, cost_usd=0.5))
    looks(world, "work.finish", "a.txt", folder="proposed", there=("proposed",))
    world.iterate("t2", usage=f.Usage(tokens=30, cost_usd=0.25))
    item = world.state.hats.board.items["a.txt"]
    assert (item.tokens, item.cost_usd, item.dispatches) == (100, 0.75, 2)


def test_an_item_that_stays_where_it_is_has_failed_its_phase_and_its_reason_is_kept() -> None:
    world = World(policy(team=BOARD, gates=()))
    for _ in range(3):
        looks(
            world,
            "work.propose",
            "a.txt",
            folder="work",
            there=(world.state.hats.board.under_way and ("work",)) or (),
        )
        world.iterate(f"t{world.state.progress.serial}", cause="context", how="cut", code=-1)
        # A turn that did not end by itself is taken again; here it says nothing more.
        world.iterate(f"u{world.state.progress.serial}")
    assert world.state.hats.board.items["a.txt"].failures == 2  # the third is seen at the next look
    world.tell(f.ItemGivenUp(item="a.txt", folder="work", to="failed", reason="work.propose failed 3 times"))
    item = world.state.hats.board.items["a.txt"]
    assert item.failed and item.done and world.state.hats.board.finished == 1
    assert any("a.txt is in failed/ now" in text for text in world.state.warnings.lines)


def test_a_persistent_board_ends_when_as_many_items_as_were_wanted_are_through() -> None:
    world = World(policy(team=replace(BOARD, max_items=1), gates=()))
    looks(world, "work.propose", "a.txt", folder="work", tree="t0")
    world.iterate("t1")
    looks(world, over=True, why="1 of 1 items are through", tree="t1")
    end = world.wants()
    assert isinstance(end, d.Finish) and end.end == "completed-unverified"


def test_a_board_that_is_not_persistent_ends_when_it_is_empty() -> None:
    world = looks(World(policy(team=replace(BOARD, persistent=False), gates=())), why="no work", tree="base")
    end = world.wants()
    assert isinstance(end, d.Finish) and end.end == "completed-unverified"


GATED = Team(
    hats=(
        hat("builder", "task.start", publishes=("build.done",)),
        hat("reviewer", "build.done", publishes=("LOOP_COMPLETE",)),
    ),
    gate_on=("build.done",),
)
DONE = '<event topic="build.done">x</event>'


def gated(world: World, passed: bool) -> World:
    while isinstance(world.wants(), d.RunGate):
        world.gate(passed)
    if isinstance(op := world.wants(), d.InspectClaim):
        world.tell(f.ClaimInspected(tree=op.tree, changed=1))
    return world


def test_an_event_under_gate_on_reaches_its_hat_only_after_the_gates_have_passed() -> None:
    world = World(policy(team=GATED)).base().iterate("t1", DONE, structured=True)
    gated(world, False)
    assert (world.state.judgement.attempts, begins(world, "builder").state.hats.turns.held) == (1, ())
    gated(world.iterate("t2", DONE, structured=True), True)
    op = world.wants()
    assert isinstance(op, d.PassOn) and op.tree == "t2"
    world.tell(f.TransitionPassed(serial=op.serial, tree=op.tree))
    assert (world.state.judgement.attempts, world.state.judgement.history, world.state.judgement.claim) == (
        0,
        (),
        None,
    )
    begins(world, "reviewer").iterate("t2", "LOOP_COMPLETE", structured=True)
    gated(world, True)
    end = world.wants()
    assert isinstance(end, d.Finish) and end.end == "completed-verified"


def test_gate_on_a_tree_equal_to_the_start_is_put_to_the_gates_all_the_same() -> None:
    world = World(policy(team=GATED)).base(passed=True).iterate("base", DONE, structured=True)
    assert isinstance(gated(world, True).wants(), d.PassOn)


def test_attempts_at_a_transition_are_bounded() -> None:
    limits = LimitPolicy(max_attempts=2)
    world = World(policy(team=GATED, limits=limits)).base()
    for tree in ("t1", "t2"):
        gated(world.iterate(tree, DONE, structured=True), False)
    end = world.wants()
    assert isinstance(end, d.Finish) and end.end == "failed"


def test_cooldown_always_is_waited_for_once_before_each_iteration_that_an_event_calls() -> None:
    team = replace(GATED, gate_on=(), cooldown=5.0, cooldown_always=True)
    world = World(policy(team=team, gates=()))
    begins(world, "builder").iterate("t1", DONE, structured=True)
    wait = world.wants()
    assert isinstance(wait, d.Wait) and (wait.what, wait.seconds) == ("cooldown", 5.0)
    world.tell(f.WaitStarted(op=wait.id, what=wait.what, seconds=5.0), f.WaitEnded(op=wait.id, elapsed=True))
    begins(world, "reviewer")


def test_a_hat_has_its_own_time_limit_and_its_own_agent() -> None:
    mine = AgentPolicy(backend="codex")
    team = Team(hats=(hat("builder", "task.start", timeout=7.0, agent=mine),))
    world = World(policy(team=team, gates=()))
    assert world.state.worker.command == ("agent",)
    op = world.wants()
    assert isinstance(op, d.RunAgent)
    world.tell(
        f.IterationStarted(serial=1, n=1, prompt="p", prompt_chars=1, tree="base", hat=op.hat),
        f.Tick(op="iteration:1", seconds=6.9),
    )
    assert (world.state.worker, d.cutoff(world.state, "iteration:1")) == (mine, "")
    assert d.next_deadline(world.state, "iteration:1") == 7.0
    world.tell(f.Tick(op="iteration:1", seconds=7.1))
    assert d.cutoff(world.state, "iteration:1") == "iteration-time"


def test_new_events_are_progress_though_the_tree_stays_and_the_same_again_is_not() -> None:
    team = Team(
        hats=(hat("a", "task.start", "go.b", publishes=("go.a",)), hat("b", "go.a", publishes=("go.b",)))
    )
    world = World(policy(team=team, gates=(), limits=LimitPolicy(max_iterations=100)))
    for n in range(30):
        world.iterate(said=f'<event topic="go.{"ab"[n % 2]}">{n}</event>', structured=True)
    assert isinstance(world.wants(), d.RunAgent)
    for n in range(30, 50):
        if isinstance(world.wants(), d.Finish):
            break
        world.iterate(said=f'<event topic="go.{"ab"[n % 2]}">same</event>', structured=True)
    end = world.wants()
    assert isinstance(end, d.Finish) and end.end == "stuck"


ITEMS = replace(
    BOARD,
    gate_on=("item.done",),
    hats=(
        hat("scanner", "board.scan", "board.rescan", "item.done", "task.resume", scan=SCAN),
        hat("writer", "work.propose", publishes=("item.done", "board.rescan"), default_publishes="item.done"),
    ),
)


def test_attempts_are_counted_for_each_item() -> None:
    limits = LimitPolicy(max_attempts=2, max_iterations=100)
    world = World(policy(team=ITEMS, limits=limits)).base(passed=True)
    for n, item in enumerate(("a", "b", "c")):
        looks(world, "work.propose", item, folder="work", tree=f"i{n}", there=("work",) if n else ())
        gated(begins(world, "writer").iterate(f"x{n}"), False)
        begins(world, "writer").iterate(f"i{n}", '<event topic="board.rescan"/>', structured=True)
    assert isinstance(world.wants(), d.Look)


def test_an_item_that_uses_up_its_attempts_is_given_up_and_the_next_one_comes() -> None:
    world = World(policy(team=ITEMS, limits=LimitPolicy(max_attempts=2))).base(passed=True)
    looks(world, "work.propose", "a", folder="work", tree="i0")
    for n in range(2):
        gated(begins(world, "writer").iterate(f"x{n}"), False)
    op = world.wants()
    assert isinstance(op, d.Look) and "2 attempts used up" in op.give_up
    given_up = f.ItemGivenUp(
        item="a", folder="work", to="failed", reason=op.give_up, under_way=True, tree="u"
    )
    world.tell(given_up)
    assert (world.state.judgement.attempts, world.state.hats.board.under_way, world.state.workspace.tree) == (
        0,
        "",
        "u",
    )
    looks(world, "work.propose", "b", folder="work", tree="i1")
    begins(world, "writer")


def test_an_item_whose_hat_is_stuck_is_given_up_and_not_the_board() -> None:
    world = World(policy(team=BOARD, gates=()))
    looks(world, "work.propose", "a", folder="work", tree="i0")
    begins(world, "writer").iterate("t1", "TASK_STUCK: nobody knows how", structured=True)
    op = world.wants()
    assert isinstance(op, d.Look) and op.give_up == "nobody knows how"
    world.tell(f.ItemGivenUp(item="a", folder="work", to="failed", reason=op.give_up, under_way=True))
    again = world.wants()
    assert isinstance(again, d.Look) and not again.give_up
