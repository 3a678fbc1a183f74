"""The live block as text: what it says in each state of a loop, at each size."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, timezone

import pytest
from core_world import World, policy

from loop_states import loop_state
from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop import decide as d
from ralph.core.policy import GatePolicy, LimitPolicy, Policy, Task
from ralph.history.loops import Loop
from ralph.history.moments import At
from ralph.terminal.loop_block import Now, clock, render
from ralph.terminal.screen import width_of

WALL = datetime(2030, 1, 2, 1, 56, 55, tzinfo=timezone(timedelta(hours=1)))
LINT = GatePolicy(name="lint", run="lint")
TESTS = GatePolicy(name="tests", run="sh test.sh")
STYLE = GatePolicy(name="style", run="style", hard=False)
TASK = Task(id="median", title="Make the tests pass")
LIMITS = LimitPolicy(max_iterations=8, hard_seconds=7200)


class Watched(World):
    """A world that is looked at: each fact takes a second."""

    def __init__(self, policy_: Policy | None = None, task: Task = TASK) -> None:
        self.loop = Loop()
        self.clock = 100.0
        super().__init__(policy_ or policy(gates=(LINT, TESTS, STYLE), limits=LIMITS), task, prepared=False)

    def tell(self, *facts: f.Input) -> Watched:
        for fact in facts:
            super().tell(fact)
            self.clock += 1
            if isinstance(fact, f.Tick | f.Metered):
                self.loop.state = self.state
            else:
                self.loop.note(fact, At(moment=self.clock), self.state)
        return self

    def prepare(self) -> Watched:
        return self.tell(f.WorkspacePrepared(tree="base"))

    def start(self) -> Watched:
        """The agent or gate that is wanted begins."""
        match self.wants():
            case d.RunAgent() as op:
                self.tell(
                    f.IterationStarted(
                        serial=op.serial,
                        n=op.n,
                        prompt="p",
                        prompt_chars=1,
                        tree=self.state.workspace.tree,
                        shift=op.shift,
                    )
                )
            case d.RunGate() as op:
                self.tell(
                    f.GateStarted(
                        op=op.id, gate=op.gate, purpose=op.purpose, variant=op.variant, tree=op.tree
                    )
                )
            case d.Wait() as op:
                self.tell(
                    f.WaitStarted(
                        op=op.id,
                        what=op.what,
                        seconds=op.seconds,
                        why=op.why,
                        until=(WALL + timedelta(seconds=op.seconds)).isoformat(),
                    )
                )
        return self  # fmt: skip

    def judged(self, *results: bool) -> Watched:
        for passed in results:
            self.gate(
                passed,
                seconds=12.13,
                headline="" if passed else "FAILED: 3 of 8",
                error_hash="" if passed else "e",
            )
        return self  # fmt: skip

    def turned_down(self, tree: str) -> Watched:
        self.iterate(tree, "TASK_COMPLETE")
        self.judged(True, False)
        if isinstance(op := self.wants(), d.RunGate) and op.id.endswith(":again"):
            self.judged(False)
        return self

    def shown(self, width: int = 80, height: int = 24, doing: str = "", after: float = 0.0) -> list[str]:
        return render(self.loop, width, height, Now(self.clock + after, WALL), doing=doing)


def text(lines: list[str]) -> str:
    return "\n" + "\n".join(lines) + "\n"


def test_before_a_loop_begins_and_after_it_ended_there_is_no_block() -> None:
    now = Now(0.0, WALL)
    assert render(Loop(), 80, 24, now) == []
    ended = Watched().tell(f.LoopEnded(end="stopped", reason="x", code=12))
    assert ended.shown() == []


def test_at_first_the_starting_tree_is_looked_at() -> None:
    assert (
        text(Watched().shown())
        == """
── median  Make the tests pass ──────────────────────────────── Ctrl-C stops ──
   ralph       looks at the starting tree
   iteration   0 of 8    ░░░░░░░░░░░░░░░░  0 used, 8 left
   attempt     1 of 5
   gates       lint    waiting
               tests   waiting
               style   waiting
   time        0:00 of 2:00:00 active
"""
    )


def test_a_gate_runs_on_the_starting_tree() -> None:
    world = Watched().prepare().judged(True).start()
    assert (
        text(world.shown(doing="..F", after=2))
        == """
── median  Make the tests pass ──────────────────────────────── Ctrl-C stops ──
   gate        0:02 of 30:00   tests, the starting tree   ..F
   iteration   0 of 8    ░░░░░░░░░░░░░░░░  0 used, 8 left
   attempt     1 of 5
   gates       lint    waiting             start green
               tests   running     2.0 s
               style   waiting
   time        0:14 of 2:00:00 active
"""
    )


def test_the_agent_works() -> None:
    world = Watched().prepare().judged(True, False, False).start()
    assert (
        text(world.shown(doing="tool: Bash npm test", after=42))
        == """
── median  Make the tests pass ──────────────────────────────── Ctrl-C stops ──
   agent       0:42 of 1:00:00   tool: Bash npm test
   iteration   1 of 8    ░░░░░░░░░░░░░░░░  0 used, 8 left
   attempt     1 of 5
   gates       lint    waiting             start green
               tests   waiting             start red
               style   waiting             start red
   time        1:18 of 2:00:00 active
"""
    )


def test_a_claim_is_judged() -> None:
    world = Watched().prepare().judged(True, False, False).iterate("t1", "TASK_COMPLETE")
    assert isinstance(world, Watched)
    world.judged(True, True).start()
    assert (
        text(world.shown())
        == """
── median  Make the tests pass ──────────────────────────────── Ctrl-C stops ──
   gate        0:00 of 30:00   style
   iteration   1 of 8    ██░░░░░░░░░░░░░░  1 used, 7 left
   attempt     1 of 5
   gates       lint    green      12.1 s   start green
               tests   green      12.1 s   start red
               style   running     0.0 s   start red
   time        1:01 of 2:00:00 active
"""
    )


def test_a_soft_failure_is_told_apart_and_warned_of() -> None:
    world = Watched().prepare().judged(True, False, False).iterate("t1", "TASK_COMPLETE")
    assert isinstance(world, Watched)
    world.judged(True, True, False)
    shown = world.shown()
    assert shown[1] == "   ralph       weighs the claim"
    assert "               style   soft       12.1 s   start red     FAILED: 3 of 8" in shown
    assert shown[-1] == "   warnings    1   gate style (soft) failed: FAILED: 3 of 8"


def test_what_was_said_of_an_earlier_tree_is_told_as_past() -> None:
    world = Watched().prepare().judged(True, False, False).turned_down("t1").start()
    assert (
        text(world.shown())
        == """
── median  Make the tests pass ──────────────────────────────── Ctrl-C stops ──
   agent       0:00 of 1:00:00
   iteration   2 of 8    ██░░░░░░░░░░░░░░  1 used, 7 left
   attempt     2 of 5    1 rejected
   gates       lint    was green  12.1 s   start green
               tests   was red    12.1 s   start red     FAILED: 3 of 8
               style   waiting             start red
   time        1:01 of 2:00:00 active
"""
    )


def test_an_escalation_is_shown() -> None:
    world = Watched().prepare().judged(True, False, False)
    for tree in ("t1", "t2", "t3"):
        world.turned_down(tree)
    line = "   attempt     4 of 5    strategy shift 1   3 rejected, same error 3 times"
    assert line in world.shown()
    assert line in world.start().shown()


def test_tokens_and_cost_are_held_against_their_caps() -> None:
    limits = LimitPolicy(max_iterations=8, max_cost_usd=5.0, max_tokens=2_000_000)
    world = Watched(policy(limits=limits)).prepare().judged(True).start()
    world.tell(f.Metered(op="iteration:1", usage=f.Usage(tokens=123_456, cost_usd=1.234)))
    assert world.shown()[-1] == "   spent       123,456 tokens of 2,000,000   1.23 USD of 5.00"
    free = Watched().prepare().judged(True, True, True).start()
    assert not any("spent" in line for line in free.shown())
    free.tell(f.Metered(op="iteration:1", usage=f.Usage(tokens=7)))
    assert free.shown()[-1] == "   spent       7 tokens"


@pytest.mark.parametrize(
    ("retry_after", "line"),
    [
        (
            7985.0,
            "   waiting     quota until 04:10, 2:13:05 left   the limit is used up",
        ),
        (
            86400.0,
            "   waiting     quota until Thu 01:56, 24:00:00 left   the limit is used up",
        ),
        (12.2, "   waiting     quota, 0:13 left   the limit is used up"),
    ],
)
def test_a_wait_counts_down(retry_after: float, line: str) -> None:
    world = Watched(policy(limits=LimitPolicy(max_wait_seconds=1e6))).prepare().judged(True)
    world.iterate("", "", fault="quota", fault_text="the limit is used up", retry_after=retry_after, code=1)
    shown = world.start().shown()[1]
    assert shown.startswith(f"{line}   `") and len(shown) < 80


def test_a_quiet_agent_is_noticed() -> None:
    world = Watched().prepare().judged(True, True, True).start()
    world.tell(f.Tick(op="iteration:1", seconds=99.0, idle=75.0))
    assert world.shown(doing="the last line")[1].endswith("quiet for 1:15   the last line")


def test_a_stop_is_shown_and_what_the_key_does_then() -> None:
    world = Watched().prepare().judged(True, True, True).start()
    world.tell(f.StopRequested(how="graceful", by="ralph stop"))
    assert world.shown()[1] == "   stopping    after this iteration: ralph stop"
    world.tell(f.StopRequested(how="interrupt", by="Ctrl-C"))
    assert world.shown()[1] == "   stopping    now: Ctrl-C"
    assert world.shown()[0].endswith(" Ctrl-C again ends it at once ──")


def test_a_second_look_at_a_gate_says_so() -> None:
    world = Watched(policy(gates=(TESTS,))).prepare().judged(True).iterate("t1", "TASK_COMPLETE")
    assert isinstance(world, Watched)
    world.judged(False).start()
    assert world.shown()[1] == "   gate        0:00 of 30:00   tests, asked again"


def test_without_gates_the_block_says_that_nothing_proves_the_work() -> None:
    assert "   gates       none: nothing proves the work" in Watched(policy(gates=())).prepare().shown()


def test_an_id_that_repeats_the_title_is_left_out() -> None:
    shown = Watched(task=Task(id="make-the-te", title="Make the Tests pass")).shown()
    assert shown[0].startswith("── Make the Tests pass ──")


def test_a_wide_terminal_gets_the_figures_of_the_start_and_all_of_the_words() -> None:
    world = Watched().prepare().judged(True, False, False).turned_down("t1").start()
    words = "FAILED: " + "why " * 20
    shown = world.shown(200, 50, doing=words)
    assert width_of(shown[0]) == 199
    assert shown[1] == f"   agent       0:00 of 1:00:00   {words.rstrip()}"
    assert shown[2] == f"   iteration   2 of 8    {'█' * 4}{'░' * 28}  1 used, 7 left"
    assert shown[5] == "               tests   was red    12.1 s   start red 12.1 s     FAILED: 3 of 8"


def test_a_tiny_terminal_gets_what_matters_most() -> None:
    world = Watched().prepare().judged(True, False, False).turned_down("t1").start()
    assert (
        text(world.shown(20, 5, doing="tool: Bash npm test"))
        == """
agent 0:00 of 1:00…
iteration 2 of 8
attempt 2 of 5    …
gates 1 was green,…
"""
    )


def test_a_narrow_terminal_has_no_column_of_labels() -> None:
    world = Watched().prepare().judged(True, False, False).start()
    assert (
        text(world.shown(40, 24))
        == """
── median  Make the tests pass ────────
agent 0:00 of 1:00:00
iteration 1 of 8
attempt 1 of 5
gates lint    waiting             star…
      tests   waiting             star…
      style   waiting             star…
time 0:36 of 2:00:00 active
"""
    )


def test_of_many_gates_those_that_matter_now_are_shown() -> None:
    gates = tuple(GatePolicy(name=f"gate{n:02}", run="x") for n in range(40))
    world = Watched(policy(gates=gates)).prepare()
    while world.state.progress.serial == 0 and not isinstance(world.wants(), d.RunAgent):
        world.judged(True)
    world.iterate("t1", "TASK_COMPLETE")
    world.judged(*[True] * 30).start()
    shown = world.shown(80, 24)
    assert len(shown) == 16
    assert any(re.search(r"gate30 +running", line) for line in shown)
    assert any(line.endswith("and 30 more: 30 green") for line in shown), text(shown)
    assert world.shown(80, 8)[4] == "   gates       gate30   running     0.0 s   start green"


def states() -> list[Callable[[], Watched]]:
    def begun() -> Watched:
        return Watched().prepare()

    return [
        Watched,
        lambda: begun().judged(True).start(),
        lambda: begun().judged(True, False, False).start(),
        lambda: begun().judged(True, False, False).turned_down("t1").start(),
        lambda: begun().judged(True, False, False).start().tell(f.StopRequested(how="interrupt", by="\x1b[2J")),
    ]  # fmt: skip


@pytest.mark.parametrize("size", [(80, 24), (200, 50), (60, 15), (59, 10), (40, 8), (20, 5), (5, 3), (1, 1)])
@pytest.mark.parametrize("state", states())
def test_no_line_is_as_wide_as_the_terminal_and_no_block_as_high(
    state: Callable[[], Watched], size: tuple[int, int]
) -> None:
    world = state()
    hostile = "\x1b]0;owned\x07 漢字漢字漢字漢字漢字漢字漢字 \r\t e\u0301\u0301 \u202e" * 9
    shown = world.shown(*size, doing=hostile)
    assert shown
    assert len(shown) <= max(1, size[1] - 1)
    assert all(width_of(line) < size[0] for line in shown), shown
    assert not any("\x1b" in line or "\r" in line or "\t" in line for line in shown)


def test_colours_change_nothing_but_colour() -> None:
    world = Watched().prepare().judged(True, False, False).iterate("t1", "TASK_COMPLETE")
    assert isinstance(world, Watched)
    world.judged(True, False)
    coloured = render(world.loop, 80, 24, Now(world.clock, WALL), colour=True)
    assert [re.sub(r"\x1b\[\d*m", "", line) for line in coloured] == world.shown()
    assert any("\x1b[32mgreen" in line for line in coloured) and any(
        "\x1b[31mred" in line for line in coloured
    )


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0:00"), (61.9, "1:01"), (3600, "1:00:00"), (90061, "25:01:01")]
)
def test_times_read_like_a_clock(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


def test_a_reviewer_s_verdict_is_shown_in_its_own_words() -> None:
    gates = (
        GatePolicy(name="spec", review="spec"),
        GatePolicy(name="quality", review="quality", hard=False),
        GatePolicy(name="other", review="other"),
    )
    said: dict[str, dict[str, object]] = {
        "spec": {"passed": True},
        "quality": {"passed": False, "headline": "no", "unclear": True},
        "other": {"passed": False, "headline": "limit reached", "unclear": True, "fault": "quota"},
    }
    state = loop_state(loop="l", prepared=True, policy=Policy(agent=AgentPolicy(), gates=gates))
    loop = Loop()
    for name, more in said.items():
        fields = {"command": "", "code": 0, "seconds": 1.0} | more
        loop.note(f.GateEnded(name, name, "claim", "as-is", "t", **fields), At(), state)  # type: ignore[arg-type]
    shown = "\n".join(render(loop, 100, 30, Now(0.0, WALL)))
    assert re.search(r"spec +was PASS ", shown)
    assert re.search(r"quality +was no verdict ", shown)
    assert re.search(r"other +was could not run ", shown)
