"""The live block of several loops as text: what each row says, at each size, and what is counted."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone

import pytest
from core_world import World, policy

from ralph.core import facts as f
from ralph.core.loop import decide as d
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy, LimitPolicy, Task
from ralph.terminal.loop_block import Now
from ralph.terminal.run_block import RunSubject
from ralph.terminal.screen import width_of

WALL = datetime(2030, 1, 2, 1, 56, 55, tzinfo=timezone(timedelta(hours=1)))
GATES = (GatePolicy(name="tests", run="sh test.sh"),)


class Worked(World):
    """A loop of a run that is looked at."""

    def __init__(self, crew: RunSubject, id: str, title: str = "Make it so", clock: float = 0.0) -> None:
        self.crew, self.clock = crew, clock
        rules = policy(gates=GATES, limits=LimitPolicy(max_iterations=8))
        super().__init__(rules, Task(id=id, title=title), prepared=False)

    def tell(self, *facts: f.Input) -> Worked:
        for fact in facts:
            super().tell(fact)
            if isinstance(fact, f.Tick | f.Metered):
                self.crew.felt(self.state)
            else:
                self.crew.fact(fact, self.state, self.clock)
        return self

    def prepare(self) -> Worked:
        return self.tell(f.WorkspacePrepared(tree="base"))

    def agent(self, hat: str = "") -> Worked:
        op = self.wants()
        assert isinstance(op, d.RunAgent)
        tree = self.state.workspace.tree
        started = f.IterationStarted(serial=op.serial, n=op.n, prompt="p", prompt_chars=1, tree=tree, hat=hat)
        return self.tell(started)

    def gate_starts(self) -> Worked:
        op = self.wants()
        assert isinstance(op, d.RunGate)
        return self.tell(
            f.GateStarted(op=op.id, gate=op.gate, purpose=op.purpose, variant=op.variant, tree=op.tree)
        )


@pytest.fixture
def crew() -> RunSubject:
    crew = RunSubject(lambda: 7, clock=0.0)
    crew.fact(f.RunStarted(run="r", pid=1, version="0", tier="group"), LoopState(), 0.0)
    return crew


def shown(
    crew: RunSubject, width: int = 100, height: int = 24, clock: float = 65.0, colour: bool = False
) -> list[str]:
    return crew.block(width, height, Now(clock, WALL), colour=colour)


def row(crew: RunSubject, task: str, **more: int) -> str:
    return next(line for line in shown(crew, **more) if re.match(rf" ?{task} ", line))  # type: ignore[arg-type]


def judged(w: Worked) -> Worked:
    """On the starting tree."""
    w.base()
    return w


def test_a_row_says_task_iteration_what_it_does_how_long_and_what_was_spent(crew: RunSubject) -> None:
    w = judged(Worked(crew, "A.1").prepare())
    w.clock = 60.0
    w.agent(hat="tester").tell(f.Metered("iteration:1", f.Usage(tokens=1500, cost_usd=0.4)))
    crew.heard("A.1", "reads the tests")
    assert row(crew, "A.1") == (
        " A.1  Make it so  1/8  agent as tester 0:05   1,500 tokens   0.40 USD   reads the tests"
    )


def test_loops_are_told_apart_by_what_they_do(crew: RunSubject) -> None:
    Worked(crew, "A")
    Worked(crew, "B").prepare()
    Worked(crew, "C").prepare().gate_starts()
    judged(Worked(crew, "D").prepare()).iterate("new", "TASK_COMPLETE")
    words = {line.split()[0]: line for line in shown(crew)[1:]}
    assert "begins" in words["A"] and "waits for gate tests" in words["B"] and " gate tests " in words["C"]
    assert "waits for gate tests" in words["D"] and " 1/8 " in words["D"]


def test_the_line_of_the_run_counts_ends_and_adds_up_what_all_have_spent(crew: RunSubject) -> None:
    usage = f.Usage(tokens=10, cost_usd=1.0)
    good = judged(Worked(crew, "A").prepare()).iterate("new", "TASK_COMPLETE", usage=usage)
    assert "1.00 USD" in row(crew, "A")
    good.gate(True).tell(f.ClaimInspected(tree="new", changed=1))
    good.tell(
        f.LoopEnded(end="completed-verified", reason="", code=0, tree="new", proof={"tests": "red→green"})
    )
    bad = judged(Worked(crew, "B").prepare()).iterate("new", "ITERATION_DONE", usage=usage)
    bad.tell(f.LoopEnded(end="failed", reason="", code=3))
    (line,) = shown(crew)
    assert re.match(
        r"── 1 done, 1 not done, 7 queued   1:05   2\.00 USD   waits for a task ─+ Ctrl-C stops ──$", line
    )


@pytest.mark.parametrize("width", [20, 40, 59, 60, 80, 200])
@pytest.mark.parametrize("height", [2, 5, 24])
def test_it_fits_at_every_size(crew: RunSubject, width: int, height: int) -> None:
    for n in range(30):
        Worked(crew, f"T{n}", title="a long title, " * 20).prepare().gate_starts()
    crew.heard("T1", "漢字" * 200)
    lines = shown(crew, width, height)
    assert len(lines) <= height - 1
    assert max(map(width_of, lines)) <= width - 1
    if height > 2:
        assert re.match(r" and \d+ more$", lines[-1])


def test_hostile_text_stays_text(crew: RunSubject) -> None:
    w = judged(Worked(crew, "A\x1b[2J", title="\x1b]0;owned\x07\ntwo").prepare())
    w.agent(hat="\x1b[31m")
    crew.heard("A\x1b[2J", "\x1b[?1049h\rover")
    whole = "\n".join(shown(crew))
    assert "\x1b" not in whole and "\x07" not in whole and "\r" not in whole and len(shown(crew)) == 2


def test_colour_only_where_it_is_wanted(crew: RunSubject) -> None:
    Worked(crew, "A").prepare().gate_starts()
    assert "\x1b[1m" in "".join(shown(crew, colour=True)) and "\x1b" not in "".join(shown(crew))


def test_who_reviews_the_whole_run_is_named(crew: RunSubject) -> None:
    crew.fact(f.RunReviewStarted(gate="architect\x1b[2J", base="a", tip="b"), LoopState(), 60.0)
    (line,) = shown(crew)
    assert "architect�[2J reviews the run 0:05" in line and "waits for a task" not in line


def test_after_the_run_there_is_no_block(crew: RunSubject) -> None:
    crew.fact(f.RunEnded(run="r", code=0), LoopState(), 1.0)
    assert shown(crew) == []
