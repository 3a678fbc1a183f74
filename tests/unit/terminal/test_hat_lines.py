"""Hats, events and boards on the terminal: one line for each thing that a person wants to know, and none for an idle hour."""

from __future__ import annotations

from datetime import UTC, datetime

from core_world import World, hat, policy, spike
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats.model import Scan, ScanBacklog, ScanFolder, Team
from ralph.core.loop import decide as d
from ralph.history.loops import Loop
from ralph.history.moments import At
from ralph.terminal.lines import lines
from ralph.terminal.loop_block import Now, render

WALL = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
BUILD = Team(
    hats=(
        hat("builder", "task.start", "fix", publishes=("build.done",), name="The Builder"),
        hat("reviewer", "build.done", publishes=("LOOP_COMPLETE", "fix"), name="The Reviewer"),
    ),
    enforce_scope=True,
)
SCAN = Scan(folders=(ScanFolder("work", "work.propose"), ScanFolder("proposed", "work.finish")))


def board(**more: object) -> Team:
    scanner = hat(
        "board_scanner", "board.scan", "board.rescan", "task.resume", scan=SCAN, name="Board Scanner"
    )
    return replace(spike(**more), hats=(scanner, *spike().hats[1:]))


class Told(World):
    """A loop whose lines are kept as they come, and which is looked at."""

    def __init__(self, team: Team, **more: object) -> None:
        self.shown: list[str] = []
        self.loop, self.clock = Loop(), 100.0
        super().__init__(policy(team=team, **({"gates": ()} | more)))

    def tell(self, *facts: f.Input) -> Told:
        for fact in facts:
            super().tell(fact)
            self.clock += 1
            if not isinstance(fact, f.Tick | f.Metered):
                self.shown += lines(fact, self.state)
                self.loop.note(fact, At(moment=self.clock), self.state)
        return self

    def new(self) -> list[str]:
        found, self.shown = self.shown, []
        return found

    def start(self) -> Told:
        op = self.wants()
        assert isinstance(op, d.RunAgent), op
        return self.tell(
            f.IterationStarted(
                serial=op.serial,
                n=op.n,
                prompt="p",
                prompt_chars=9,
                tree=self.state.workspace.tree,
                hat=op.hat,
                hat_why=op.hat_why,
                fresh=op.fresh,
            )
        )

    def end(self, said: str = "", tree: str = "") -> Told:
        serial, n = self.state.progress.serial, self.state.progress.iterations + 1
        tree = tree or self.state.workspace.tree
        return self.tell(
            f.IterationEnded(serial=serial, n=n, how="exited", code=0, seconds=2.0, tree=tree, said=said)
        )

    def look(self, topic: str = "", item: str = "", folder: str = "work", **more: object) -> Told:
        why = "" if topic else "no work"
        fact = f.BoardLooked(hat="board_scanner", topic=topic, item=item, folder=folder, why=why, **more)  # type: ignore[arg-type]
        return self.tell(fact)

    def rest(self) -> Told:
        op = self.wants()
        assert isinstance(op, d.Wait), op
        self.tell(
            f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds, until="2030-01-02T03:04:26+00:00")
        )
        return self.tell(f.WaitEnded(op=op.id, elapsed=True))

    def block(self, width: int = 100) -> str:
        return "\n".join(render(self.loop, width, 24, Now(self.clock, WALL)))


def event(topic: str, payload: str = "") -> str:
    return f'<event topic="{topic}">{payload}</event>'


# -- lines -----------------------------------------------------------------------------------------


def test_an_iteration_says_who_it_is_what_it_is_about_and_what_came_of_it() -> None:
    world = Told(BUILD)
    assert world.new()[-1] == "event task.start → The Builder"
    world.start().end(event("build.done", "part one"), "t1")
    assert world.new() == [
        "iteration 1/50 starts as The Builder: task.start (9 characters)",
        "iteration 1 ended: build.done part one → The Reviewer, 2.0 s",
    ]
    world.start()
    assert world.new() == ["iteration 2/50 starts as The Reviewer: build.done part one (9 characters)"]


def test_cleared_notes_are_told() -> None:
    world = Told(board())
    world.look("work.propose", "item-1.txt").new()
    world.start()
    assert world.new() == [
        "iteration 1/50 starts as Proposal Writer: work.propose item-1.txt, notes cleared (9 characters)"
    ]


def test_silence_is_no_missing_signal_and_the_coordinator_says_why_it_is_there() -> None:
    world = Told(BUILD).start().end(tree="t1")
    assert "signal" not in " ".join(world.new())
    world.start()
    assert world.new() == [
        "iteration 2/50 starts as coordinator: task.start (9 characters)",
        "  builder emitted nothing for task.start and has no default_publishes",
    ]
    world.end(tree="t2")
    assert world.new() == ["iteration 2 ended: no event, 2.0 s"]


def test_refused_events_are_warnings() -> None:
    world = Told(BUILD).start()
    world.new()
    world.tell(f.EventReceived(name="e", topic="deploy", serial=1))
    refused = "refused: builder may not publish {}; it may: build.done"
    assert world.new() == [f"warning: deploy: {refused.format('deploy')}"]
    world.end(event("build.done") + event("release", "now"), "t1")
    assert world.new()[1:] == [f"warning: release (now): {refused.format('release')}"]


def test_an_event_of_an_agent_is_told_when_it_is_routed_and_that_of_a_person_at_once() -> None:
    world = Told(BUILD).start()
    world.new()
    world.tell(f.EventReceived(name="e", topic="build.done", payload="x", serial=1))
    assert world.new() == []
    world.tell(f.EventReceived(name="p", topic="fix", payload="the door"))
    assert world.new() == ["event fix the door → The Builder"]
    world.tell(f.EventReceived(name="q", topic="no.such"))
    assert world.new() == ["event no.such → coordinator"]


def test_completion_under_persistent_says_idle() -> None:
    world = Told(spike()).start().end("LOOP_COMPLETE")
    assert world.new()[-1] == "iteration 1 ended: idle (LOOP_COMPLETE), 2.0 s"
    world.rest()
    assert world.new() == ["idle, looks again in 30.0 s"]


def test_a_claim_that_is_set_aside_is_a_warning() -> None:
    world = Told(BUILD).start().end(event("build.done"), "t1").start()
    world.new()
    world.end(event("fix") + "\nLOOP_COMPLETE", "t2")
    assert world.new() == [
        "iteration 2 ended: fix → The Builder, 2.0 s",
        "warning: LOOP_COMPLETE: the claim is set aside: it also emitted fix",
    ]


def test_a_board_tells_what_it_dispatches_and_once_that_it_is_idle() -> None:
    world = Told(board())
    world.new()
    world.look("work.propose", "item-1.txt")
    assert world.new() == ["board: work.propose item-1.txt (in work/)"]
    world.start().end("done", "t1").new()
    world.look()
    assert world.new() == ["board: no work; idle, looks again every 30.0 s"]
    for _ in range(120):  # an hour
        world.rest().look()
    assert world.new() == []
    world.rest().look("work.propose", "item-2.txt").start().end("done", "t2").new()
    world.look()
    assert world.new() == ["board: no work; idle, looks again every 30.0 s"]


def test_an_item_that_was_given_up_is_a_warning() -> None:
    world = Told(board())
    world.new()
    world.tell(
        f.ItemGivenUp(item="a.txt", folder="work", to="failed", reason="work.propose failed 3 times: x")
    )
    assert world.new() == ["warning: a.txt is in failed/ now: work.propose failed 3 times: x"]


def test_a_task_of_a_backlog_is_in_a_file_and_stays_there() -> None:
    scan = Scan(backlog=ScanBacklog("tasks.jsonl", "go"))
    world = Told(Team(hats=(hat("scan", "task.start", scan=scan), hat("doer", "go"))))
    world.new()
    world.tell(f.BoardLooked(hat="scan", topic="go", folder="tasks.jsonl", item="A"))
    assert world.new()[0] == "board: go A (in tasks.jsonl)"
    world.tell(f.ItemGivenUp(item="A", folder="tasks.jsonl", to="", reason="go failed 3 times"))
    assert world.new() == ["warning: A is marked as failed in tasks.jsonl: go failed 3 times"]


def test_gates_on_a_transition_come_before_the_event_and_pass_it_on() -> None:
    gated = replace(BUILD, gate_on=("build.done",))
    world = Told(gated, gates=policy().gates)
    world.base().new()
    world.start().end(event("build.done", "one"), "t1")
    assert world.new()[1:] == ["iteration 1 ended: build.done one, 2.0 s", "the gates come first"]
    world.gate(False)
    assert world.new()[-1] == "event gate.failed tests: it fails → The Builder"
    world.start().end(event("build.done", "two"), "t2").gate(True)
    if isinstance(op := world.wants(), d.InspectClaim):
        world.tell(f.ClaimInspected(tree=op.tree, changed=1))
    op = world.wants()
    assert isinstance(op, d.PassOn)
    world.new()
    world.tell(f.TransitionPassed(serial=op.serial, tree=op.tree))
    assert world.new() == ["gates passed: build.done two → The Reviewer"]


def test_without_hats_everything_is_told_as_ever() -> None:
    plain = World(policy(gates=()))
    plain.tell(f.EventReceived(name="e", topic="build.done", payload="x")).iterate("t1", event("build.done"))
    shown = [line for fact in plain.facts for line in lines(fact, plain.state)]
    assert "event build.done x" in shown and "iteration 1 ended: no signal, 1.0 s" in shown
    loop = Loop()
    for fact in plain.facts:
        loop.note(fact, At())
    assert "hat " not in "\n".join(render(loop, 100, 24, Now(1.0, WALL)))


# -- the live block --------------------------------------------------------------------------------


def test_the_block_shows_the_hat_its_event_and_how_much_waits() -> None:
    world = Told(BUILD).start()
    assert "hat         The Builder   task.start" in world.block()
    world.tell(f.EventReceived(name="p", topic="fix", payload="it"))
    assert "The Builder   task.start   1 more wait" in world.block()
    world.end(event("build.done", "x"), "t1")
    assert "hat         next: The Builder   fix it   1 more wait" in world.block()


def test_the_block_shows_how_long_nobody_has_found_work() -> None:
    world = Told(board()).look("work.propose", "a.txt").start().end("done", "t1").look()
    op = world.wants()
    assert isinstance(op, d.Wait)
    started = f.WaitStarted(op=op.id, what="idle", seconds=30.0, until="2030-01-02T03:04:26+00:00")
    world.tell(started)
    since = world.clock
    world.tell(f.WaitEnded(op=op.id, elapsed=True)).look()
    again = world.wants()
    world.tell(f.WaitStarted(op=again.id, what="idle", seconds=30.0, until="2030-01-02T03:04:26+00:00"))
    world.clock = since + 65
    assert "idle        for 1:05, looks again in 0:21" in world.block()
    assert "board       1 through" in world.block() and "   hat " not in world.block()
    world.tell(f.WaitEnded(op=again.id, elapsed=True)).look("work.finish", "b.txt", "proposed").start()
    assert world.loop.idle is None and "1 through, 1 in proposed/" in world.block()


def test_a_hats_own_time_limit_is_the_one_that_is_shown() -> None:
    quick = replace(BUILD, hats=(replace(BUILD.hats[0], timeout=90.0), BUILD.hats[1]))
    assert " of 1:30" in Told(quick).start().block()


def test_hostile_names_never_reach_the_terminal() -> None:
    bad = "\x1b[2J\nx"
    team = Team(hats=(hat("a", "task.start", publishes=("b",), name=bad), hat("c", "b", name=bad)))
    world = Told(team).start()
    assert "\x1b" not in world.block() and "\x1b" not in "".join(world.block(50))


def test_what_a_scanner_need_not_hear_any_more_is_no_line() -> None:
    world = Told(spike())
    world.tell(f.EventReceived(name="p", topic="board.rescan"))
    world.new()
    world.start()
    assert world.new() == ["iteration 1/50 starts as Board Scanner: board.scan (9 characters)"]
