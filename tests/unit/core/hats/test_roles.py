"""Roles: which one an iteration wears, over loops made of real facts."""

from __future__ import annotations

import pytest
from core_world import (
    POLICIES,
    TASK,
    TESTS,
    RoleWorld,
    answer,
    close,
    fold_both,
    of_file,
    policy,
    roles,
    worn_next,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from test_conditions import NODES, reads, written

from loop_states import changed
from ralph.core import facts as f
from ralph.core.hats.activation import Wearing, choose, values, why_now
from ralph.core.hats.activation import reads as names_read
from ralph.core.hats.conditions import NAMES
from ralph.core.hats.model import Hat
from ralph.core.loop import decide as d
from ralph.core.loop.state import LoopState
from ralph.core.policy import LimitPolicy, Policy, StuckPolicy, Task

PATIENT = policy(
    limits=LimitPolicy(max_iterations=100, max_attempts=50),
    stuck=StuckPolicy(same_error_stop=0, no_progress_stop=0, same_error_shift=0),
)


def world(
    given: tuple[Hat, ...] | None = None, title: str = "Add a parser", policy_: Policy = PATIENT
) -> RoleWorld:
    found = RoleWorld(given or of_file(), policy_, task=replace(TASK, title=title))
    found.base()
    return found


# -- the five conditions of the file ---------------------------------------------------------------


def test_a_review_is_due_after_five_commits_and_again_after_five_more() -> None:
    w = world().work(10)
    assert w.worn == [""] * 5 + ["reviewer"] + [""] * 4
    assert w.work(2).worn[-2:] == ["documenter", "reviewer"]


def test_iterations_that_change_nothing_make_no_commit() -> None:
    w = world().work(4)
    w.idle().idle()
    assert w.next_role() == ""
    assert w.work().next_role() == "reviewer"


def test_several_commits_in_one_iteration_count_as_several() -> None:
    w = world()
    w.commits = 5
    assert w.work().next_role() == "reviewer"


def test_a_task_about_refactoring_is_begun_by_the_architect_and_not_kept_by_it() -> None:
    w = world(title="Refactor the parser").work(4)
    assert w.worn == ["architect", "", "", ""]
    assert world().next_role() == ""


def crash(w: RoleWorld) -> None:
    w.iterate("", "", code=1)
    w.tell(f.WaitEnded(op="wait", elapsed=True))


def time_out(w: RoleWorld) -> None:
    w.iterate("late", "", how="cut", cause="iteration-time", code=-15)


def refuse(w: RoleWorld) -> None:
    w.iterate("base", "TASK_COMPLETE")


def turn_down(w: RoleWorld) -> None:
    w.claim(f"tree {w.state.progress.serial}", passed=False)


@pytest.mark.parametrize("fail", [crash, time_out, refuse, turn_down])
def test_a_failure_calls_the_debugger_and_success_sends_it_away(fail: object) -> None:
    w = world()
    fail(w)  # type: ignore[operator]
    assert w.next_role() == "debugger"
    w.work()
    assert w.next_role() == ""


def test_what_the_debugger_itself_gets_wrong_is_first_looked_at_without_it() -> None:
    w = world()
    turn_down(w)
    turn_down(w)
    turn_down(w)
    assert w.worn == ["", "debugger", ""]
    assert w.next_role() == "debugger"


def test_an_interruption_or_a_quota_does_not_make_a_failure_forgotten() -> None:
    w = world()
    turn_down(w)
    w.iterate("", "", how="interrupted")
    assert w.next_role() == "debugger"
    w.iterate("", "", fault="quota", retry_after=1.0, code=1)
    w.tell(f.WaitEnded(op="wait", elapsed=True))
    assert w.next_role() == "debugger"


def test_the_documenter_is_due_every_ten_iterations() -> None:
    w = world()
    for _ in range(24):
        w.idle()
    assert [n for n, role in enumerate(w.worn, 1) if role] == [11, 22]
    assert set(w.worn) == {"", "documenter"}


def test_a_claim_that_would_complete_the_task_is_reviewed_once_for_each_tree() -> None:
    w = world().claim("t1", passed=True)
    assert w.next_role() == "reviewer"  # type: ignore[attr-defined]
    w.iterate("t1", "ITERATION_DONE")
    w.claim("t2", passed=True)
    assert w.next_role() == "reviewer"  # type: ignore[attr-defined]
    w.claim("t2", passed=True)
    assert w.next_role() == ""  # type: ignore[attr-defined]
    assert w.finish().end == "completed-verified"


@pytest.mark.parametrize("left", ["t1", "t2"])
def test_a_tree_that_was_reviewed_is_not_reviewed_again_whatever_the_reviewer_left(left: str) -> None:
    w = world().claim("t1", passed=True)
    w.iterate(left, "ITERATION_DONE")
    w.claim("t1", passed=True)
    assert w.worn == ["", "reviewer", ""]  # type: ignore[attr-defined]
    assert w.finish().end == "completed-verified"


def test_the_tree_that_the_reviewer_leaves_is_reviewed() -> None:
    w = world().claim("t1", passed=True)
    w.claim("t2", passed=True)
    assert w.worn == ["", "reviewer"]  # type: ignore[attr-defined]
    assert w.finish().end == "completed-verified"


def test_a_claim_that_gates_turn_down_is_not_reviewed() -> None:
    w = world()
    turn_down(w)
    assert w.next_role() == "debugger"


def test_nothing_but_a_role_that_waits_for_a_claim_comes_between_a_claim_and_its_end() -> None:
    w = world(roles(("task_title contains 'parser' or iterations >= 1", "architect")))
    w.iterate("t1", "ITERATION_DONE").claim("t2", passed=True)
    assert w.state.judgement.claim is not None
    assert w.finish().end == "completed-verified"


def test_a_review_that_was_cut_off_is_still_due() -> None:
    w = world().claim("t1", passed=True)
    w.iterate("t1", "", how="interrupted")
    w.claim("t1", passed=True)
    assert w.next_role() == "reviewer"  # type: ignore[attr-defined]


def test_a_role_whose_agent_crashed_is_worn_again_for_what_it_counted() -> None:
    w = world(roles(("branch_commits >= 2", "reviewer"))).work(2)
    crash(w)
    assert w.next_role() == "reviewer"


def test_at_the_last_iteration_a_proven_claim_completes_without_a_review() -> None:
    tight = replace(PATIENT, limits=LimitPolicy(max_iterations=1))
    w = world(policy_=tight).claim("t1", passed=True)
    assert w.finish().end == "completed-verified"


def test_a_whole_loop_with_the_file_as_it_stands_finishes() -> None:
    """Work, failures, silence and claims for long enough that every role of the file is called more than once."""
    w = world(title="refactor the parser")
    for number in range(40):
        if number % 9 == 4:
            turn_down(w)
        elif number % 7 == 3:
            w.idle()
        else:
            w.work()
    while w.state.judgement.ended is None:
        if isinstance(w.wants(), d.Finish):
            w.finish()
        else:
            w.claim(w.state.workspace.tree, passed=True)
    assert w.state.judgement.ended == "completed-verified"
    assert w.worn.count("reviewer") >= 3
    assert w.worn.count("debugger") >= 3
    assert w.worn.count("documenter") >= 2
    assert w.worn.count("architect") == 1
    assert not any(one and one == two for one, two in zip(w.worn, w.worn[1:], strict=False))


# -- the other names -------------------------------------------------------------------------------


def now(w: RoleWorld, role: str = "r", *others: str) -> dict[str, object]:
    return dict(values(w.state, w.wearing, role, others))


def test_every_name_has_a_value_of_its_type_and_no_other_is_given() -> None:
    types = {"number": (int, float), "text": (str,), "truth": (bool,)}
    for w in (world(), world().work(3)):
        found = now(w, "r", "documenter")
        assert {name.partition("(")[0] for name in found} == set(NAMES)
        for name, value in found.items():
            assert type(value) in types[NAMES[name.partition("(")[0]].kind], name


def test_what_happened_in_the_iteration_before() -> None:
    w = world()
    assert now(w)["first_iteration"] is True
    w.claim("t1", passed=False)
    found = now(w)
    assert found["first_iteration"] is False
    assert (found["failed_gate"], found["last_error"]) == ("tests", "it fails")
    assert (found["last_signal"], found["last_role"], found["timed_out"]) == ("TASK_COMPLETE", "", False)
    time_out(w)
    found = now(w)
    assert (found["timed_out"], found["failed_gate"], found["last_signal"]) == (True, "", "")
    assert now(w, "debugger")["timed_out"] is False  # it was its own
    assert found["last_role"] == "debugger"
    assert now(w.work())["last_error"] == ""


def test_counts() -> None:
    w = world(roles(("same_error >= 2", "debugger")))
    w.files = 3
    w.claim("t1", passed=False).claim("t2", passed=False)
    w.iterate("t2", "ITERATION_DONE", usage=f.Usage(tokens=10, cost_usd=0.5))
    crash(w)
    found = now(w)
    expected = {"iterations": 4, "attempts": 2, "same_error": 2, "crashes": 1, "branch_commits": 2}
    assert {name: found[name] for name in expected} == expected
    assert (found["tokens"], found["cost_usd"], found["files_changed"]) == (10, 0.5, 12)
    assert found["seconds"] == 4 + 1 + 2  # iterations, the gate at the start, the gate about two claims
    assert w.worn == ["", "", "debugger", ""]
    since = now(w, "debugger")
    assert (since["iterations"], since["attempts"], since["same_error"], since["tokens"]) == (1, 0, 0, 0)


def test_what_gates_find_about_a_roles_own_claim_does_not_call_it() -> None:
    w = world(roles(("attempts >= 1", "debugger")))
    turn_down(w)
    turn_down(w)
    assert w.worn == ["", "debugger"]
    assert w.next_role() == ""
    turn_down(w)
    assert w.next_role() == "debugger"


def test_what_gates_find_about_a_roles_own_claim_is_not_counted_for_it_later_either() -> None:
    w = world(roles(("attempts >= 2", "debugger")))
    for _ in range(4):
        turn_down(w)
    assert w.worn == ["", "", "debugger", ""]
    assert w.next_role() == ""
    turn_down(w)
    assert w.next_role() == "debugger"


def test_no_progress_and_strategy_shifts() -> None:
    shifting = replace(PATIENT, stuck=StuckPolicy(same_error_shift=2, same_error_stop=0, no_progress_stop=0))
    w = world(roles(("no_progress >= 2", "architect")), policy_=shifting)
    w.idle().idle()
    assert now(w)["no_progress"] == 2
    assert w.next_role() == "architect"
    assert w.idle().next_role() == ""
    turn_down(w)
    turn_down(w)
    turn_down(w)
    assert now(w)["strategy_shifts"] == 1


def test_red_gates_are_those_that_fail_on_the_tree_as_it_is() -> None:
    checked = replace(PATIENT, gates=(replace(TESTS, every="iteration"),))
    w = world(roles(("red_gates >= 1", "debugger")), policy_=checked)
    w.iterate("t1", "ITERATION_DONE").gate(False)
    assert w.next_role() == "debugger"


def test_since_another_role_counts_from_either() -> None:
    w = world(
        roles(("iterations_since_role('documenter') >= 2", "reviewer"), ("last_role == 'x'", "documenter"))
    )
    for _ in range(7):
        w.idle()
    assert w.worn == ["", "", "reviewer", "", "", "reviewer", ""]


def test_the_first_trigger_wins_and_the_other_is_not_lost() -> None:
    w = world(roles(("iterations >= 2", "one"), ("iterations >= 2", "two")))
    for _ in range(6):
        w.idle()
    assert w.worn == ["", "", "one", "two", "", "one"]


def test_names_of_the_task() -> None:
    task = Task(id="A.1", title="t", description="long", criteria=("x", "y"))
    w = RoleWorld(of_file(), PATIENT, task=task)
    found = now(w)
    assert (found["task_id"], found["task_description"], found["task_criteria"]) == ("A.1", "long", 2)


def test_a_condition_of_another_version_never_calls_and_breaks_nothing() -> None:
    w = world(roles(("moon_is_full", "wolf"), ("iterations >= 0", "one")))
    assert w.next_role() == "one"


def test_why_says_the_condition_and_what_it_read() -> None:
    w = world(roles(("task_title contains 'x'  or iterations\n>= 2 and not last_iteration_failed", "one")))
    w.state = changed(w.state, task=replace(TASK, title="\x1b[31m" + "y" * 60))
    w.idle().idle()
    hat = choose(w.roles, w.state, w.wearing)
    assert hat
    assert why_now(hat, w.state, w.wearing) == (
        "one: task_title contains 'x' or iterations >= 2 and not last_iteration_failed "
        f"(task_title is ' [31m{'y' * 32}...', iterations is 2, last_iteration_failed is false)"
    )


def test_only_what_some_condition_reads_has_to_be_found_out() -> None:
    assert names_read(roles(("files_changed > 3 or attempts > 1", "one"))) == {"files_changed", "attempts"}


# -- any loop, any conditions ----------------------------------------------------------------------

CONDITIONS = NODES.filter(reads).map(written)
TEAMS = st.lists(
    st.tuples(CONDITIONS, st.sampled_from(["reviewer", "documenter", "x"])), min_size=1, max_size=4
).map(lambda triggers: roles(*triggers))


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(POLICIES, TEAMS, st.data())
def test_every_loop_ends_and_no_role_that_was_worn_is_worn_again_at_once(
    policy_: Policy, team: tuple[Hat, ...], data: st.DataObject
) -> None:
    begin = f.LoopStarted(loop="l", task=TASK, policy=policy_, root="/r")
    s, w = fold_both(LoopState(), Wearing(), begin, "")
    happened: list[tuple[f.Input, str]] = [(begin, "")]
    for _ in range(1500):
        if s.judgement.ended is not None:
            break
        wanted = d.decide(s)
        unwanted = [op for op in s.progress.open if op not in {one.id for one in wanted}]
        called = worn_next(team, s, w)
        hat = called.id if called else ""
        if unwanted:
            facts = close(unwanted[0], s, data.draw, d.cutoff(s, unwanted[0]) or "stop")
        elif called and isinstance(wanted[-1], d.Finish):
            facts = [
                f.IterationStarted(
                    serial=s.progress.serial + 1, n=1, prompt="", prompt_chars=0, tree=s.workspace.tree
                )
            ]
        else:
            facts = answer(wanted[-1], s, data.draw)
        for fact in facts:
            if isinstance(fact, f.IterationStarted) and hat and w.lived:
                assert hat != w.last
            happened.append((fact, hat))
            s, w = fold_both(s, w, fact, hat)
    assert s.judgement.ended is not None

    again = LoopState(), Wearing()
    for fact, hat in happened:
        again = fold_both(*again, fact, hat)
    assert again == (s, w)
