"""What was open on a machine that is gone is closed with what its worker last said of itself."""

from __future__ import annotations

import msgspec

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.fleet.model import Vitals
from ralph.core.loop.fold import fold, fold_all
from ralph.core.policy import GatePolicy, Policy, Task
from ralph.journal.record import IMPORTED, Record
from ralph.runner.resume import close_unseen

STARTED = f.LoopStarted(
    "l",
    Task("t", "t"),
    Policy(agent=AgentPolicy(), gates=(GatePolicy("tests", run="sh test.sh"),)),
    root="/w",
)
PREPARED = f.WorkspacePrepared(tree="base")
ITERATION = f.IterationStarted(serial=3, n=2, prompt="p", prompt_chars=1, tree="base")
GATE = f.GateStarted(op="base:tests", gate="tests", purpose="base", variant="as-is", tree="base")
SPENT = Vitals("iteration:3", 41.5, f.Usage(tokens=700, cost_usd=0.25))


def closed(vitals: Vitals, *facts: f.AnyFact) -> list[f.AnyFact]:
    records = [
        Record(n, "", IMPORTED, "l", f.kind_of(x), msgspec.Raw(f.encode(x))) for n, x in enumerate(facts, 1)
    ]
    found: list[f.AnyFact] = []
    close_unseen(fold_all(facts), records, vitals, found.append)
    return found


def test_an_iteration_costs_what_the_last_heartbeat_said_and_leaves_the_tree_of_the_savepoint() -> None:
    (ended,) = closed(SPENT, STARTED, PREPARED, ITERATION)
    assert isinstance(ended, f.IterationEnded)
    assert (ended.serial, ended.n, ended.how, ended.tree) == (3, 2, "interrupted", "base")
    assert (ended.seconds, ended.usage) == (41.5, SPENT.usage)
    after = fold(fold_all([STARTED, PREPARED, ITERATION]), ended)
    assert after.progress.cost_usd == 0.25 and after.progress.iterations == 0 and not after.progress.open


def test_figures_of_another_operation_are_not_counted_twice() -> None:
    (ended,) = closed(Vitals("iteration:2", 9.0, f.Usage(tokens=5)), STARTED, PREPARED, ITERATION)
    assert isinstance(ended, f.IterationEnded) and ended.usage == f.Usage() and ended.seconds == 0.0


def test_a_gate_is_closed_without_a_verdict() -> None:
    (ended,) = closed(Vitals("base:tests", 2.0), STARTED, PREPARED, GATE)
    assert isinstance(ended, f.GateEnded)
    assert (ended.op, ended.how, ended.passed, ended.seconds) == ("base:tests", "interrupted", False, 2.0)
    assert (ended.purpose, ended.variant, ended.tree) == ("base", "as-is", "base")


def test_a_wait_is_closed_as_not_over() -> None:
    wait = f.WaitStarted(op="quota:1", what="quota", seconds=900)
    assert closed(Vitals(), STARTED, PREPARED, wait) == [f.WaitEnded(op="quota:1", elapsed=False)]


def test_nothing_open_is_nothing_to_close() -> None:
    assert closed(SPENT, STARTED, PREPARED) == []
