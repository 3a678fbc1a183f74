"""How a claim that passes its gates is doubted, proven and told: one test for each rule of claims.py and evidence.py."""

from __future__ import annotations

from typing import Any

import pytest
from core_world import GAMING, TASK, TESTS, World, limits, policy
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.failures.test_counts import Counts
from ralph.core.loop import decide as d
from ralph.core.loop.claims import QUICK, QUICK_PASSES
from ralph.core.policy import GatePolicy, Task
from ralph.core.proof import Account, Contradiction

CLEAN = replace(TESTS, hermetic=True)
BUG = replace(TASK, type="bug")
OLD = Contradiction("test_calc.py::test_add", "assert add(1, 2) == 3")


def judged(*, red: bool = True, task: Task = TASK, **changes: object) -> World:
    """A loop under today's rules; gates are asked once, unless the test says otherwise."""
    rules = {"gates": (CLEAN,), "rules": 2, "flaky_passes": 1, **changes}
    return World(policy(**rules), task=task).base(not red)


def claimed(
    w: World, tree: str = "t1", *, run: dict[str, object] | None = None, **inspected: object
) -> World:
    w.iterate(tree, "TASK_COMPLETE").gate(True, **(run or {}))
    return w.tell(f.ClaimInspected(tree=tree, changed=1, **inspected))  # type: ignore[arg-type]


def ran(w: World, passed: bool, **more: object) -> World:
    """The gate runs, once more if a failure of a new kind is asked for again."""
    w.gate(passed, **more)
    if isinstance(op := w.wants(), d.RunGate) and op.id.endswith(":again"):
        w.gate(passed, **more)
    return w


TOUCHED = {"touched": {"tests": ("test_calc.py",)}}


# -- doubts ------------------------------------------------------------------------------------------


def test_a_doubt_goes_back_to_the_agent_once_and_then_to_a_person() -> None:
    w = claimed(judged(), findings=(GAMING,))
    assert isinstance(w.wants(), d.RunAgent)
    w = claimed(w, "t2", findings=(GAMING,))
    assert "calc.py:1: it ends the process" in w.finish().reason
    assert w.state.judgement.ended == "needs-review"
    assert w.state.judgement.review_paths == () or "calc.py::exit" in w.state.judgement.review_paths


def test_the_next_iteration_is_told_what_is_doubted() -> None:
    w = claimed(judged(), findings=(GAMING,)).iterate("t2", "ITERATION_DONE")
    assert w.state.judgement.refusal == "" and "gaming" in w.state.judgement.returned
    assert w.state.judgement.attempts == 0


def test_a_doubt_costs_no_attempt_but_ends_the_loop_when_no_iteration_is_left() -> None:
    w = claimed(judged(limits=limits(max_iterations=1)), findings=(GAMING,))
    assert w.finish().end == "needs-review"


def test_doubts_of_an_older_policy_end_the_loop_at_once() -> None:
    w = claimed(judged(rules=1), findings=(GAMING,))
    assert w.finish().end == "needs-review"


def test_what_games_its_judge_is_allowed_by_name_only() -> None:
    assert isinstance(claimed(judged(allow=("**",)), findings=(GAMING,)).wants(), d.RunAgent)
    w = claimed(judged(allow=("calc.py::exit",)), findings=(GAMING,))
    assert w.finish().end == "completed-verified"


def test_a_runner_that_never_came_to_its_end_is_not_believed() -> None:
    w = claimed(judged(limits=limits(max_iterations=1)), run={"cut_short": True, "report": "r"})
    assert "did not come to its end" in w.finish().reason


# -- coverage -----------------------------------------------------------------------------------------

COVERAGE = replace(CLEAN, run="node scripts/coverage.js")
MORE_TESTS = {"touched": {"tests": ("test_calc.py",)}, "new_tests": ("test_calc.py",)}


def _reaching_more(gate: GatePolicy = COVERAGE, **inspected: object) -> World:
    w = claimed(judged(gates=(gate,), limits=limits(max_iterations=1)), **{**MORE_TESTS, **inspected})
    w = ran(w, False, account=Account(passed=1), report="r")
    return w.gate(False) if isinstance(w.wants(), d.RunGate) else w


def test_tests_that_were_only_added_to_prove_a_coverage_gate_by_themselves() -> None:
    end = _reaching_more().finish()
    assert end.end == "completed-verified"
    assert end.reason.startswith("proven by its own tests only")


@pytest.mark.parametrize(
    ("gate", "inspected"),
    [
        (CLEAN, {}),  # it counts nothing
        (COVERAGE, {"touched": {"tests": ("coverage.json", "test_calc.py")}}),
        (COVERAGE, {"weakened": {"test_calc.py": ("an assertion is gone",)}}),
    ],
)
def test_a_gate_that_is_green_only_with_other_judges_is_doubted(
    gate: GatePolicy, inspected: dict[str, object]
) -> None:
    end = _reaching_more(gate, **inspected).finish()
    assert end.end == "needs-review"
    assert "green only with changed gate inputs" in end.reason


# -- with the original judges, test by test --------------------------------------------------------------


def test_original_tests_that_pass_prove_the_claim() -> None:
    w = claimed(judged(), **TOUCHED).gate(True, account=Account(passed=2), report="r")
    end = w.finish()
    assert end.end == "completed-verified"
    assert end.reason == "proven: tests red→green (originals: 2 passed)"


def test_obsolete_tests_do_not_stand_against_it_although_their_run_is_red() -> None:
    account = Account(passed=1, obsolete=("test_calc.py::test_plus",))
    w = ran(claimed(judged(), **TOUCHED), False, account=account, report="r")
    assert w.finish().reason == "proven: tests red→green (originals: 1 passed, 1 obsolete)"


@pytest.mark.parametrize(
    ("account", "kind", "word"),
    [
        (Account(passed=1, contradicted=(OLD,)), "contradicted", "assert add(1, 2) == 3"),
        (Account(passed=1, missing=("test_calc.py::test_add",)), "missing", "did not run"),
    ],
)
def test_a_test_that_disagrees_or_is_gone_goes_back_and_then_to_a_person(
    account: Account, kind: str, word: str
) -> None:
    w = ran(claimed(judged(), **TOUCHED), False, account=account, report="r")
    assert isinstance(w.wants(), d.RunAgent)
    w = ran(claimed(w, "t2", **TOUCHED), False, account=account, report="r")
    assert kind in w.state.judgement.returned
    end = w.finish()
    assert (end.end, end.paths) == ("needs-review", ("test_calc.py::test_add",))
    assert word in end.reason


@pytest.mark.parametrize("allow", ["test_calc.py::test_add", "test_calc.py", "*.py"])
def test_allow_names_a_test_or_its_file(allow: str) -> None:
    account = Account(passed=1, missing=("test_calc.py::test_add",))
    w = claimed(judged(allow=(allow,)), run={"account": account, "report": "r"})
    assert w.finish().end == "completed-verified"


def test_a_test_that_does_not_run_any_more_is_missed_although_no_judge_was_changed() -> None:
    account = Account(passed=1, missing=("test_calc.py::test_add",))
    w = claimed(judged(limits=limits(max_iterations=1)), run={"account": account, "report": "r"})
    assert w.finish().end == "needs-review"


def test_accepting_what_was_doubted_completes_it() -> None:
    w = claimed(judged(limits=limits(max_iterations=1)), findings=(GAMING,))
    end = w.finish()
    w.tell(f.LoopEnded(end=end.end, reason="", code=7, paths=end.paths))
    w.tell(f.LoopResumed(run="r2", allow=end.paths))
    assert w.finish().end == "completed-verified"


# -- how strong it is ------------------------------------------------------------------------------------


def test_a_green_start_is_never_called_proven() -> None:
    assert claimed(judged(red=False)).finish().reason == "no regression: tests green→green"


def test_tests_that_all_came_with_the_change_prove_only_themselves() -> None:
    w = claimed(judged(), run={"account": Account(), "tests": Counts(run=2), "report": "r"})
    assert w.finish().reason == "proven by its own tests only: tests red→green"


def test_a_gate_that_came_with_the_change_has_no_second_verdict() -> None:
    added = {"touched": {"tests": ("test.sh",)}, "added": {"tests": ("test.sh",)}}
    w = ran(claimed(judged(), **added), False)
    assert w.finish().reason == "proven by its own tests only: tests red→green"


# -- new tests on the starting code ---------------------------------------------------------------------

NEW = {"new_tests": ("test_new.py",)}
REPORTED: dict[str, object] = {"report": "r"}


def test_new_tests_are_run_on_the_starting_code() -> None:
    w = claimed(judged(reproduce="auto"), run=REPORTED, **NEW)
    op = w.wants()
    assert isinstance(op, d.RunGate) and (op.variant, op.swap) == ("new-tests", ("test_new.py",))
    w.gate(False, new_tests=2)
    assert w.finish().reason == "proven: tests red→green (2 new tests, failing on the old code)"


def test_a_new_test_that_passes_on_the_starting_code_is_said_to_prove_nothing() -> None:
    w = claimed(judged(reproduce="auto"), run=REPORTED, **NEW).gate(
        True, new_tests=1, idle_tests=("test_new.py::test_x",)
    )
    assert "1 new test, all passing on the old code" in w.finish().reason


@pytest.mark.parametrize(("new", "word"), [(NEW, "every new test passes"), ({}, "there is no new test")])
def test_a_bug_is_only_fixed_when_a_test_shows_it(new: dict[str, object], word: str) -> None:
    w = claimed(judged(red=False, task=BUG, reproduce="auto"), run=REPORTED, **new)
    if new:
        w.gate(True, new_tests=1, idle_tests=("test_new.py::test_x",))
    assert w.state.judgement.attempts == 1
    assert word in w.state.judgement.history[-1].headline


def test_a_bug_with_a_test_that_fails_on_the_starting_code_is_fixed() -> None:
    w = claimed(judged(red=False, task=BUG, reproduce="auto"), run=REPORTED, **NEW).gate(False, new_tests=1)
    assert w.finish().end == "completed-verified"


def test_a_bug_whose_test_was_red_at_the_start_needs_no_other() -> None:
    assert claimed(judged(task=BUG, reproduce="require"), run=REPORTED).finish().end == "completed-verified"


def test_without_reports_nothing_is_required_of_new_tests() -> None:
    assert claimed(judged(red=False, reproduce="require"), **NEW).finish().end == "completed-verified"


# -- chance ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("seconds", "passes"), [(QUICK - 1, QUICK_PASSES), (QUICK, 3)])
def test_red_to_green_must_pass_several_times(seconds: float, passes: int) -> None:
    w = claimed(judged(flaky_passes=0), run={"seconds": seconds})
    for _ in range(passes - 1):
        w.gate(True)
    assert w.finish().reason == f"proven: tests red→green ({passes} passes)"


def test_green_to_green_is_asked_once() -> None:
    assert claimed(judged(red=False, flaky_passes=0)).finish().end == "completed-verified"


def test_a_pass_by_chance_is_an_attempt() -> None:
    w = claimed(judged(flaky_passes=3)).gate(True).gate(False)
    assert w.state.judgement.attempts == 1
    assert w.state.judgement.history[-1].headline == "passed 2 times on this tree, then failed: it fails"


def test_what_was_merged_is_not_asked_for_chance_again() -> None:
    w = claimed(judged(flaky_passes=2)).gate(True)
    w.tell(f.WorkspaceMerged(op="land:1", commit="c", base_tree="base2", tree="m1"))
    w.gate(True).tell(f.ClaimInspected(tree="m1", changed=1))
    assert w.finish().end == "completed-verified"


def test_gates_of_an_older_policy_are_asked_once() -> None:
    assert claimed(World(policy()).base()).finish().reason == "tests red→green"


def test_the_evidence_is_recorded_with_the_end() -> None:
    end = claimed(judged(), run={"hermetic": True}).finish()
    assert end.evidence is not None and end.evidence.degree == "proven"
    (gate,) = end.evidence.gates
    assert (gate.gate, gate.start, gate.claim, gate.where) == (TESTS.name, "red", "green", "checkout")


# -- a reviewer of judges ------------------------------------------------------------------------------------

REFEREE = GatePolicy(name="referee", review="judges")


def contradicted_twice(gates: tuple[GatePolicy, ...]) -> World:
    account = Account(passed=1, contradicted=(OLD,))
    w = ran(claimed(judged(gates=gates), **TOUCHED), False, account=account, report="r")
    return ran(claimed(w, "t2", **TOUCHED), False, account=account, report="r")


def test_a_reviewer_of_judges_is_asked_only_about_doubts_that_the_agent_insists_on() -> None:
    assert claimed(judged(gates=(TESTS, REFEREE))).finish().proof == {"tests": "red→green"}
    op = contradicted_twice((TESTS, REFEREE)).wants()
    assert isinstance(op, d.RunGate) and op.gate == "referee"


@pytest.mark.parametrize(("passed", "end"), [(True, "completed-verified"), (False, "needs-review")])
def test_a_reviewer_of_judges_decides_a_contradiction(passed: bool, end: str) -> None:
    w = contradicted_twice((TESTS, REFEREE)).gate(passed)
    assert w.finish().end == end


def test_a_reviewer_of_judges_is_never_asked_about_code_that_games() -> None:
    w = claimed(claimed(judged(gates=(TESTS, REFEREE)), findings=(GAMING,)), "t2", findings=(GAMING,))
    assert w.finish().end == "needs-review"


def test_a_reviewer_of_judges_alone_proves_nothing() -> None:
    assert claimed_without_gates().finish().end == "completed-unverified"


def claimed_without_gates() -> World:
    w = World(policy(rules=2, flaky_passes=1, gates=(REFEREE,))).iterate("t1", "TASK_COMPLETE")
    return w.tell(f.ClaimInspected(tree="t1", changed=1))


# -- a red start ----------------------------------------------------------------------------------------------------


def test_a_red_start_is_asked_once_more() -> None:
    w = World(policy(rules=2, flaky_passes=0)).gate(False)
    op = w.wants()
    assert isinstance(op, d.RunGate)
    assert (op.id, op.purpose) == ("base:tests:again", "base")
    assert isinstance(w.gate(False).wants(), d.RunAgent)


def test_a_start_that_contradicts_itself_is_flaky_and_never_red() -> None:
    w = World(policy(rules=2, flaky_passes=0)).gate(False).gate(True)
    assert any("gate tests is flaky" in line for line in w.state.warnings.lines)
    w.claim("t1", passed=True)
    end = w.finish()
    assert (end.end, end.proof) == ("completed-verified", {"tests": "flaky→green"})
    assert end.evidence is not None
    assert (end.evidence.degree, end.evidence.gates[0].start) == ("no-regression", "flaky")


@pytest.mark.parametrize(
    "first",
    [
        {"passed": True},
        {"passed": False, "code": 127},
        {"passed": False, "timed_out": "hard"},
        {"passed": False, "wrote": ("x",)},
    ],
)
def test_a_start_on_which_chance_has_no_part_is_not_asked_twice(first: dict[str, Any]) -> None:
    assert isinstance(World(policy(rules=2, flaky_passes=0)).gate(**first).wants(), d.RunAgent)


def test_the_rules_of_earlier_journals_ask_once() -> None:
    assert isinstance(World(policy(rules=1)).gate(False).wants(), d.RunAgent)


def test_a_changed_start_is_asked_from_the_beginning() -> None:
    w = World(policy(rules=2, flaky_passes=0)).gate(False).tell(f.WorkspaceChanged(tree="t0"))
    op = w.wants()
    assert isinstance(op, d.RunGate)
    assert (op.id, op.tree) == ("base:tests", "t0")


def test_new_tests_that_hang_on_the_starting_code_are_cut_off_early() -> None:
    w = claimed(judged(reproduce="auto"), run=REPORTED, **NEW)
    op = w.wants()
    assert isinstance(op, d.RunGate)
    w.tell(f.GateStarted(op=op.id, gate=op.gate, purpose=op.purpose, variant=op.variant, tree=op.tree))
    assert d.next_deadline(w.state, op.id) == d.NEW_TESTS_SECONDS
    w.tell(f.Tick(op=op.id, seconds=d.NEW_TESTS_SECONDS, idle=0.0))
    assert d.cutoff(w.state, op.id) == "gate-time"
