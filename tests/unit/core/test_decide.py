"""The rules of a loop, one test for each: no process, no file, no clock."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from worlds import TASK, TESTS, World, policy

from ralph.core import decide as d
from ralph.core import facts as f
from ralph.core.ends import CODES, NEXT, exit_code
from ralph.core.policy import GatePolicy, LimitPolicy, StuckPolicy


def world(**changes: object) -> World:
    return World(policy(**changes)).base()


def limits(**changes: object) -> LimitPolicy:
    return replace(LimitPolicy(), **changes)


# -- claims ----------------------------------------------------------------------------------------


def test_gates_look_at_the_starting_tree_first() -> None:
    op = World().wants()
    assert isinstance(op, d.RunGate)
    assert (op.purpose, op.tree) == ("base", "base")


def test_a_known_base_result_is_not_measured_again() -> None:
    w = World(prepared=False)
    w.tell(
        f.WorkspacePrepared(tree="base", known=(f.BaseResult(gate="tests", passed=True, evidence="seq 1"),))
    )
    assert isinstance(w.wants(), d.RunAgent)


@pytest.mark.parametrize(("before", "proof"), [(False, "red→green"), (True, "green→green")])
def test_passing_gates_after_a_claim_verify_it(before: bool, proof: str) -> None:
    w = World().base(before).claim("t1", passed=True)
    end = w.finish()
    assert (end.end, end.code, end.proof) == ("completed-verified", 0, {"tests": proof})
    assert w.state.ended == "completed-verified"


def test_a_claim_is_judged_on_the_tree_it_was_made_about() -> None:
    op = world().iterate("t1", "TASK_COMPLETE").wants()
    assert isinstance(op, d.RunGate)
    assert (op.purpose, op.tree) == ("claim", "t1")


def test_a_failed_gate_turns_the_claim_down_and_the_loop_goes_on() -> None:
    w = world().claim("t1", passed=False)
    assert w.state.attempts == 1
    assert isinstance(w.wants(), d.RunAgent)


def test_a_claim_on_the_unchanged_starting_tree_is_refused() -> None:
    w = world().iterate("base", "TASK_COMPLETE")
    assert "nothing has changed" in w.state.refusal
    assert isinstance(w.wants(), d.RunAgent)
    assert w.state.attempts == 0


def test_no_change_ok_allows_it() -> None:
    w = World(policy(), task=replace(TASK, no_change_ok=True)).base(True)
    assert isinstance(w.iterate("base", "TASK_COMPLETE").wants(), d.RunGate)


@pytest.mark.parametrize("trouble", [{"nested": ("vendor/x",)}, {"dirty_submodules": ("sub",)}])
def test_content_that_git_would_not_record_refuses_the_claim_by_name(trouble: dict[str, object]) -> None:
    w = world().iterate("t1", "TASK_COMPLETE", **trouble)
    assert next(iter(trouble.values()))[0] in w.state.refusal  # type: ignore[index]
    assert isinstance(w.wants(), d.RunAgent)


def test_what_git_could_not_record_already_at_the_start_is_not_held_against_the_agent() -> None:
    w = World(prepared=False).tell(f.WorkspacePrepared(tree="base", unrecorded=("vendor/x",))).base()
    assert isinstance(w.iterate("t1", "TASK_COMPLETE", nested=("vendor/x",)).wants(), d.RunGate)


def test_without_gates_the_end_is_unverified() -> None:
    w = World(policy(gates=()))
    end = w.iterate("t1", "TASK_COMPLETE").finish()
    assert (end.end, end.code) == ("completed-unverified", 6)


def test_declined_gates_make_an_unverified_end_a_success_unless_proof_is_required() -> None:
    declined = policy(gates=(), gates_declined=True)
    assert World(declined).iterate("t1", "TASK_COMPLETE").finish().code == 0
    assert World(replace(declined, require_verified=True)).iterate("t1", "TASK_COMPLETE").finish().code == 6


def test_only_soft_gates_prove_nothing() -> None:
    w = world(gates=(replace(TESTS, hard=False),)).claim("t1", passed=True)
    assert w.finish().end == "completed-unverified"


def test_a_failing_soft_gate_warns_and_does_not_block() -> None:
    w = world(gates=(TESTS, GatePolicy(name="style", run="x", hard=False)))
    w.iterate("t1", "TASK_COMPLETE").gate(True).gate(False)
    w.tell(f.ClaimInspected(tree="t1", changed=1))
    assert w.finish().end == "completed-verified"
    assert any("style" in warning for warning in w.state.warnings)


def test_the_first_failing_hard_gate_ends_the_judgement() -> None:
    w = world(gates=(TESTS, GatePolicy(name="spec", run="x")))
    w.iterate("t1", "TASK_COMPLETE").gate(False)
    assert isinstance(w.wants(), d.RunAgent)


def test_changed_gate_inputs_are_run_as_they_were() -> None:
    w = world().iterate("t1", "TASK_COMPLETE").gate(True)
    w.tell(f.ClaimInspected(tree="t1", changed=2, touched={"tests": ("test.sh",)}))
    op = w.wants()
    assert isinstance(op, d.RunGate)
    assert (op.variant, op.swap) == ("original", ("test.sh",))
    assert w.gate(True).finish().end == "completed-verified"


def test_a_pass_that_depends_on_changed_inputs_needs_review_and_names_them() -> None:
    w = world().iterate("t1", "TASK_COMPLETE").gate(True)
    w.tell(f.ClaimInspected(tree="t1", changed=2, touched={"tests": ("test.sh",)}))
    end = w.gate(False).finish()
    assert (end.end, end.code, end.paths) == ("needs-review", 7, ("test.sh",))
    assert "red with the original inputs" in end.proof["tests"]


@pytest.mark.parametrize("where", ["policy", "task"])
def test_allowed_input_changes_need_no_review(where: str) -> None:
    allow = ("test*",)
    w = World(
        policy(allow=allow if where == "policy" else ()),
        task=replace(TASK, allow=allow if where == "task" else ()),
    ).base()
    w.iterate("t1", "TASK_COMPLETE").gate(True)
    w.tell(f.ClaimInspected(tree="t1", changed=2, touched={"tests": ("test.sh",)}))
    assert w.finish().end == "completed-verified"


def test_a_gate_input_that_new_ignore_rules_hide_needs_review() -> None:
    hides = f.ClaimInspected(tree="t1", changed=1, hidden={"tests": ("conftest.py",)}, ignored=("notes",))
    w = world().iterate("t1", "TASK_COMPLETE").gate(True).tell(hides)
    assert w.state.warnings == ("new ignore rules keep files out of the snapshot: notes",)
    end = w.finish()
    assert (end.end, end.paths) == ("needs-review", ("conftest.py",))
    assert "that new ignore rules hide: conftest.py" in end.reason
    clean = (
        world(gates=(replace(TESTS, hermetic=True),)).iterate("t1", "TASK_COMPLETE").gate(True).tell(hides)
    )
    assert clean.finish().end == "completed-verified", "a clean checkout does not hold ignored files"
    allowed = world(allow=("conftest.py",)).iterate("t1", "TASK_COMPLETE").gate(True).tell(hides)
    assert allowed.finish().end == "completed-verified"


def test_fail_then_pass_on_one_tree_is_flaky_and_asked_once_more() -> None:
    w = world().claim("t1", passed=False).iterate("t1", "TASK_COMPLETE").gate(True)
    op = w.wants()
    assert isinstance(op, d.RunGate)
    assert op.id.endswith(":again")
    w.gate(True).tell(f.ClaimInspected(tree="t1", changed=1))
    assert "flaky" in w.finish().proof["tests"]


def test_a_failure_of_a_new_kind_is_asked_once_more_and_may_turn_out_flaky() -> None:
    w = world().iterate("t1", "TASK_COMPLETE").gate(False, error_hash="bbbbbbbb")
    op = w.wants()
    assert isinstance(op, d.RunGate)
    assert op.id.endswith(":again")
    assert w.state.attempts == 0
    w.gate(True).tell(f.ClaimInspected(tree="t1", changed=1))
    assert "flaky" in w.finish().proof["tests"]
    assert w.state.attempts == 0


def test_a_failure_that_repeats_is_an_attempt_and_is_not_asked_again_the_next_time() -> None:
    w = (
        world()
        .iterate("t1", "TASK_COMPLETE")
        .gate(False, error_hash="bbbbbbbb")
        .gate(False, error_hash="bbbbbbbb")
    )
    assert w.state.attempts == 1
    w.iterate("t2", "TASK_COMPLETE").gate(False, error_hash="bbbbbbbb")
    assert w.state.attempts == 2


@pytest.mark.parametrize("more", [{"timed_out": "hard"}, {"wrote": ("a",)}])
def test_running_out_of_time_and_writing_are_no_whims(more: dict[str, object]) -> None:
    w = world().iterate("t1", "TASK_COMPLETE").gate(False, error_hash="bbbbbbbb", **more)
    assert w.state.attempts == 1


def test_a_flaky_gate_costs_no_attempt() -> None:
    w = world().claim("t1", passed=False).iterate("t1", "TASK_COMPLETE").gate(True).gate(False)
    assert w.state.attempts == 1
    assert any("flaky" in warning for warning in w.state.warnings)
    assert [r.gate for r in w.state.red_now()] == ["tests"]
    assert isinstance(w.wants(), d.RunAgent)


def test_iteration_gates_run_after_each_iteration_and_serve_the_claim() -> None:
    w = world(gates=(replace(TESTS, every="iteration"),))
    w.iterate("t1").gate(False)
    assert w.state.attempts == 0
    assert isinstance(w.wants(), d.RunAgent)
    w.iterate("t2", "TASK_COMPLETE").gate(True)
    assert isinstance(w.wants(), d.InspectClaim)


def test_iteration_gates_do_not_run_again_on_the_same_tree() -> None:
    w = world(gates=(replace(TESTS, every="iteration"),))
    w.iterate("t1").gate(False).iterate("t1", scratchpad="x")
    assert isinstance(w.wants(), d.RunAgent)


def test_edits_from_outside_void_a_claim() -> None:
    w = world().iterate("t1", "TASK_COMPLETE").tell(f.WorkspaceChanged(tree="t2", paths=("a",)))
    assert isinstance(w.wants(), d.RunAgent)
    assert w.state.edited_outside == ("a",)


def test_an_edit_before_the_first_iteration_becomes_the_start() -> None:
    w = World().base().tell(f.WorkspaceChanged(tree="t1", paths=("a",)))
    op = w.wants()
    assert isinstance(op, d.RunGate)
    assert (op.purpose, op.tree) == ("base", "t1")


def test_a_tree_that_never_rests_blocks_on_a_person() -> None:
    w = World()
    for number in range(d.MOST_RESTLESS):
        assert isinstance(w.wants(), d.RunGate)
        w.tell(f.WorkspaceChanged(tree=f"t{number}", paths=("log.txt",)))
    end = w.finish()
    assert (end.end, "log.txt" in end.reason) == ("blocked-on-person", True)


def test_a_journal_that_says_verified_without_proof_is_not_believed() -> None:
    w = world().iterate("t1").tell(f.LoopEnded(end="completed-verified", reason="", code=0))
    assert w.state.ended == "internal"


# -- signals ---------------------------------------------------------------------------------------


def test_stuck_ends_at_once_with_its_reason() -> None:
    end = world().iterate("t1", "TASK_STUCK: no key").finish()
    assert (end.end, end.code, end.reason) == ("stuck", 4, "no key")


def test_stuck_with_an_exit_code_that_says_not_done_is_stuck_and_no_crash() -> None:
    assert world().iterate("t1", "TASK_STUCK: no key", code=1).finish().end == "stuck"
    assert isinstance(world().iterate("t1", "TASK_STUCK: no key", code=-9).wants(), d.Wait)


def test_what_the_iteration_gates_say_is_kept_for_the_next_iteration() -> None:
    w = world(gates=(replace(TESTS, every="iteration"),)).iterate("t1").gate(False, excerpt="LINT")
    assert [r.excerpt for r in w.state.red_now()] == ["LINT"]
    w.iterate("t2").gate(True)
    assert w.state.red_now() == ()


@pytest.mark.parametrize(
    "death", [{"fault": "overload", "code": 1}, {"code": 1}, {"how": "interrupted", "cause": "stop"}]
)
def test_what_an_iteration_that_died_was_told_is_told_again(death: dict[str, object]) -> None:
    w = world().iterate("base", "TASK_COMPLETE")
    w.tell(f.Checkpoint(what="soft-time"))
    w.iterate("base", **death)
    assert w.state.refusal
    assert w.state.soft_notes == ("soft-time",)


def test_an_answer_stays_for_all_later_iterations() -> None:
    w = world().tell(f.EventReceived(name="1", topic="human.interact", payload="Which one?"))
    w.finish()
    w.tell(f.LoopResumed(run="r2", answer="The first")).iterate("t1").iterate("t2")
    assert (w.state.asked, w.state.answer) == ("Which one?", "The first")


def test_warnings_of_one_kind_are_one_line() -> None:
    w = world()
    for number in range(1, 5):
        w.iterate(f"t{number}", stragglers=(f"{number} sleep",))
    assert len(w.state.warnings) == 1
    assert "4 sleep" in w.state.warnings[0]
    assert "the last of 4" in w.state.warnings[0]


def test_a_time_out_keeps_the_agents_last_words() -> None:
    w = world(limits=limits(iteration_hard_seconds=10.0))
    w.iterate("t1", "Still waiting for the server", how="cut", cause="iteration-time", code=-15)
    assert "Still waiting" in w.state.history[-1].excerpt


@pytest.mark.parametrize("end", ["failed", "stuck"])
def test_a_person_may_let_a_failed_or_stuck_loop_go_on(end: str) -> None:
    attempts = 5 if end == "failed" else 9
    w = world(limits=limits(max_attempts=attempts))
    for number in range(1, 6):
        w.claim(f"t{number}", passed=False)
    assert w.finish().end == end
    w.tell(f.LoopResumed(run="r2", limits=limits(max_attempts=12)))
    assert isinstance(w.wants(), d.RunAgent)


def test_contradicting_signals_warn() -> None:
    w = world().iterate("t1", "TASK_COMPLETE\nITERATION_DONE")
    assert w.state.warnings
    assert isinstance(w.wants(), d.RunAgent)


def test_exit_zero_claims_and_non_zero_is_no_crash_under_that_rule() -> None:
    w = world(claim="exit-zero").iterate("t1", code=1)
    assert w.state.crashes == 0
    assert isinstance(w.iterate("t2").wants(), d.RunGate)


# -- crashes, faults and waits ---------------------------------------------------------------------


def test_a_crash_waits_and_counts() -> None:
    w = world().iterate("t1", "TASK_COMPLETE", code=1)
    op = w.wants()
    assert isinstance(op, d.Wait)
    assert (op.what, op.seconds, w.state.iterations) == ("crash", 10.0, 1)


def test_five_crashes_in_a_row_make_the_agent_unusable() -> None:
    w = world()
    for _ in range(5):
        w.iterate(code=1)
        if isinstance(op := w.wants(), d.Wait):
            w.tell(f.WaitStarted(op=op.id, what=op.what, seconds=1), f.WaitEnded(op=op.id, elapsed=True))
    assert (w.finish().end, w.state.crashes) == ("agent-unusable", 5)


def test_a_good_iteration_forgives_crashes() -> None:
    w = world(limits=limits(crash_wait_seconds=0.0)).iterate(code=1)
    op = w.wants()
    w.tell(f.WaitStarted(op=op.id, what="crash", seconds=0), f.WaitEnded(op=op.id, elapsed=True))
    assert w.iterate("t1").state.crashes == 0


def test_a_death_in_between_forgives_no_crash_and_an_end_does() -> None:
    w = world(limits=limits(crash_wait_seconds=0.0, max_consecutive_failures=2))
    for _ in range(2):
        w.iterate(code=1).tell(f.LoopResumed(run="r2"))  # no end was recorded: the run died
        if isinstance(op := w.wants(), d.Wait):
            w.tell(f.WaitStarted(op=op.id, what="crash", seconds=0), f.WaitEnded(op=op.id, elapsed=True))
    assert w.finish().end == "agent-unusable"
    assert isinstance(w.tell(f.LoopResumed(run="r3")).wants(), d.RunAgent)


def test_an_interrupted_iteration_leaves_its_refusal_to_the_next() -> None:
    w = world().iterate("base", "TASK_COMPLETE")
    refused = w.state.refusal
    assert refused
    assert w.iterate("t1", how="interrupted", cause="stop").state.refusal == refused
    assert w.iterate("t2").state.refusal == ""


def test_a_quota_with_a_reset_time_waits_and_is_no_iteration() -> None:
    w = world().iterate(fault="quota", retry_after=600.0, code=1)
    op = w.wants()
    assert isinstance(op, d.Wait)
    assert (op.what, op.seconds, w.state.iterations) == ("quota", 600.0, 0)


def test_a_wait_keeps_its_end_over_a_restart() -> None:
    w = world().iterate(fault="quota", retry_after=600.0, code=1)
    op = w.wants()
    w.tell(f.WaitStarted(op=op.id, what="quota", seconds=600, until="2026-01-01T00:10:00+00:00"))
    w.tell(f.WaitEnded(op=op.id, elapsed=False), f.LoopResumed(run="r2"))
    again = w.wants()
    assert isinstance(again, d.Wait)
    assert again.until == "2026-01-01T00:10:00+00:00"


def test_a_wait_that_is_too_long_ends_as_quota() -> None:
    w = world(limits=limits(max_wait_seconds=60.0)).iterate(fault="quota", retry_after=600.0, code=1)
    assert (w.finish().end, CODES["quota"]) == ("quota", 9)


def test_overload_backs_off_longer_each_time_and_ends_bounded() -> None:
    w = world(limits=limits(max_wait_seconds=300.0))
    waits = []
    for _ in range(50):
        w.iterate(fault="overload", code=1)
        op = w.wants()
        if not isinstance(op, d.Wait):
            break
        waits.append(op.seconds)
        w.tell(f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds), f.WaitEnded(op=op.id, elapsed=True))
    assert waits[0] < waits[1] < waits[2]
    assert sum(waits) <= 300
    assert w.finish().end == "quota"


@pytest.mark.parametrize("retry_after", [0.0, 1.0, -1.0])
def test_a_quota_that_is_said_to_be_back_and_is_not_ends_bounded(retry_after: float) -> None:
    w = world(limits=limits(max_wait_seconds=3600.0))
    waited = 0.0
    for _ in range(50):
        w.iterate(fault="quota", retry_after=retry_after, code=1)
        op = w.wants()
        if not isinstance(op, d.Wait):
            break
        waited += op.seconds
        w.tell(f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds), f.WaitEnded(op=op.id, elapsed=True))
    assert waited <= 3600
    assert w.finish().end == "quota"


def test_bad_credentials_stop_the_loop() -> None:
    end = world().iterate(fault="credentials", fault_text="401: key not valid", code=1).finish()
    assert (end.end, end.reason) == ("agent-unusable", "401: key not valid")


def test_a_question_blocks_on_a_person_and_the_answer_goes_on() -> None:
    w = world()
    w.tell(f.EventReceived(name="1", topic="human.interact", payload="Which one?"))
    end = w.finish()
    assert (end.end, end.code, end.reason) == ("blocked-on-person", 5, "Which one?")
    w.tell(f.LoopResumed(run="r2", answer="The first"))
    assert isinstance(w.wants(), d.RunAgent)
    assert (w.state.asked, w.state.answer) == ("Which one?", "The first")


def test_a_resume_without_an_answer_leaves_the_question_open() -> None:
    w = world()
    w.tell(f.EventReceived(name="1", topic="human.interact", payload="Which one?"))
    w.finish()
    w.tell(f.LoopResumed(run="r2"))
    assert (w.finish().end, w.state.end_reason) == ("blocked-on-person", "Which one?")


# -- stuck and escalation --------------------------------------------------------------------------


def test_the_third_equal_error_shifts_the_strategy_the_fourth_expands_the_fifth_stops() -> None:
    w = world(limits=limits(max_attempts=9))
    levels = []
    for number in range(1, 6):
        w.claim(f"t{number}", passed=False)
        op = w.wants()
        levels.append((op.shift, op.expand) if isinstance(op, d.RunAgent) else op.id)
    assert levels == [(0, False), (0, False), (1, False), (2, True), "finish:stuck"]
    assert [a.shift for a in w.state.history] == [False, False, False, True, True]
    assert w.state.shifts == 2


def test_five_equal_errors_in_five_attempts_are_a_failure() -> None:
    w = world()
    for number in range(1, 6):
        w.claim(f"t{number}", passed=False)
    end = w.finish()
    assert (end.end, end.code) == ("failed", 3)
    assert "5 times the same error" in end.reason


def test_another_error_begins_anew() -> None:
    w = world(limits=limits(max_attempts=9))
    w.claim("t1", passed=False).claim("t2", passed=False).claim("t3", passed=False, error_hash="bbbbbbbb")
    assert w.state.streak == 1
    op = w.wants()
    assert isinstance(op, d.RunAgent)
    assert op.shift == 0


def test_nothing_happening_is_a_rule_of_its_own() -> None:
    w = world()
    for _ in range(5):
        w.iterate()
    assert w.finish().end == "stuck"


def test_a_changing_scratchpad_is_progress_but_not_for_ever() -> None:
    w = world(limits=limits(max_iterations=100))
    for number in range(9):
        w.iterate(scratchpad=str(number))
    assert isinstance(w.wants(), d.RunAgent)
    w.iterate(scratchpad="9")
    assert w.finish().end == "stuck"


def test_going_back_and_forth_between_trees_is_no_progress() -> None:
    w = world()
    for tree in ("t1", "t2", "t1", "t2", "t1", "t2", "t1"):
        w.iterate(tree)
    assert w.finish().end == "stuck"


def test_a_return_to_an_earlier_tree_right_after_a_shift_is_not_held_against_it() -> None:
    w = world(limits=limits(max_attempts=9))
    for tree in ("t1", "t2", "t3"):
        w.claim(tree, passed=False)
    w.iterate("t1")
    assert w.state.no_progress == 0
    w.iterate("t2")
    assert w.state.no_progress == 1


def test_the_rule_can_be_turned_off() -> None:
    w = world(stuck=StuckPolicy(no_progress_stop=0))
    for _ in range(30):
        w.iterate()
    assert isinstance(w.wants(), d.RunAgent)


# -- limits ----------------------------------------------------------------------------------------


def test_the_last_iteration_may_complete() -> None:
    w = world(limits=limits(max_iterations=1)).claim("t1", passed=True)
    assert w.finish().end == "completed-verified"


def test_iterations_are_limited() -> None:
    end = world(limits=limits(max_iterations=1)).iterate("t1").finish()
    assert (end.end, end.limit, end.code) == ("limit", "iterations", 8)


def test_a_raised_limit_goes_on() -> None:
    w = world(limits=limits(max_iterations=1)).iterate("t1")
    w.finish()
    w.tell(f.LoopResumed(run="r2", limits=limits(max_iterations=2)))
    assert isinstance(w.wants(), d.RunAgent)


@pytest.mark.parametrize(
    ("changes", "usage", "limit"),
    [
        ({"max_tokens": 100}, f.Usage(tokens=100), "tokens"),
        ({"max_cost_usd": 1.0}, f.Usage(cost_usd=1.0), "cost"),
    ],
)
def test_spending_is_cut_off_in_the_middle_of_an_iteration(
    changes: dict[str, object], usage: f.Usage, limit: f.Cause
) -> None:
    w = world(limits=limits(**changes))
    w.tell(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="base"))
    assert d.decide(w.state)
    w.tell(f.Metered(op="iteration:1", usage=usage))
    assert d.decide(w.state) == ()
    assert d.cutoff(w.state, "iteration:1") == limit
    w.tell(
        f.IterationEnded(serial=1, n=1, how="cut", cause=limit, code=-15, seconds=1, tree="t1", usage=usage)
    )
    end = w.finish()
    assert (end.end, end.limit) == ("limit", limit)


def test_active_time_is_limited_and_waiting_is_not_active() -> None:
    w = world(limits=limits(hard_seconds=100.0, soft_seconds=0.0))
    w.iterate("t1", seconds=60.0)
    assert isinstance(w.wants(), d.RunAgent)
    w.iterate("t2", seconds=60.0)
    assert w.finish().limit == "time"


def test_a_hard_iteration_time_out_is_an_attempt() -> None:
    w = world(limits=limits(iteration_hard_seconds=10.0))
    w.tell(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="base"))
    w.tell(f.Tick(op="iteration:1", seconds=10.0))
    assert d.cutoff(w.state, "iteration:1") == "iteration-time"
    w.tell(
        f.IterationEnded(serial=1, n=1, how="cut", cause="iteration-time", code=-15, seconds=10, tree="t1")
    )
    assert (w.state.attempts, w.state.iterations) == (1, 1)
    assert isinstance(w.wants(), d.RunAgent)


def test_idleness_is_cut_off() -> None:
    w = world(limits=limits(idle_seconds=30.0))
    w.tell(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="base"))
    w.tell(f.Tick(op="iteration:1", seconds=31.0, idle=30.0))
    assert d.cutoff(w.state, "iteration:1") == "idle"


def test_soft_limits_are_noted_once_and_told_to_the_next_iteration() -> None:
    w = world(limits=limits(soft_seconds=5.0, iteration_soft_seconds=3.0))
    w.tell(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="base"))
    w.tell(f.Tick(op="iteration:1", seconds=6.0))
    notes = [op for op in d.decide(w.state) if isinstance(op, d.Note)]
    assert {n.what for n in notes} == {"soft-time", "iteration-soft"}
    w.tell(*(f.Checkpoint(what=n.what, serial=n.serial, seconds=6) for n in notes))
    assert not [op for op in d.decide(w.state) if isinstance(op, d.Note)]
    w.tell(f.IterationEnded(serial=1, n=1, how="exited", code=0, seconds=6.0, tree="t1"))
    assert set(w.state.soft_notes) == {"soft-time", "iteration-soft"}
    w.iterate("t2")
    assert not w.state.soft_notes, "the second iteration was told; the third need not be"


def test_a_hard_gate_that_runs_out_of_time_is_a_failed_attempt() -> None:
    w = world().iterate("t1", "TASK_COMPLETE")
    op = w.wants()
    w.tell(f.GateStarted(op=op.id, gate="tests", purpose="claim", variant="as-is", tree="t1"))
    w.tell(f.Tick(op=op.id, seconds=TESTS.hard_timeout))
    assert d.cutoff(w.state, op.id) == "gate-time"
    w.tell(
        f.GateEnded(
            op=op.id, gate="tests", purpose="claim", variant="as-is", tree="t1", command="x", code=-15, seconds=1800,
            passed=False, timed_out="hard", error_hash="cccccccc",
        )
    )  # fmt: skip
    assert w.state.attempts == 1


def test_a_soft_gate_that_runs_out_of_time_is_a_warning() -> None:
    w = world(gates=(TESTS, GatePolicy(name="style", run="x", hard=False)))
    w.iterate("t1", "TASK_COMPLETE").gate(True).gate(False, timed_out="hard")
    assert w.state.attempts == 0
    assert any("style ran out of time" in warning for warning in w.state.warnings)


# -- stopping --------------------------------------------------------------------------------------


def test_a_graceful_stop_waits_for_the_iteration_and_its_claim() -> None:
    w = world()
    w.tell(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="base"))
    w.tell(f.StopRequested(how="graceful", by=".stop"))
    assert isinstance(w.wants(), d.Continue)
    w.tell(f.IterationEnded(serial=1, n=1, how="exited", code=0, seconds=1, tree="t1", said="TASK_COMPLETE"))
    w.gate(True).tell(f.ClaimInspected(tree="t1", changed=1))
    assert w.finish().end == "completed-verified"


def test_a_graceful_stop_without_a_claim_ends_as_stopped() -> None:
    w = world().tell(f.StopRequested(how="graceful", by=".stop"))
    end = w.finish()
    assert (end.end, end.code) == ("stopped", 12)


def test_a_graceful_stop_ends_a_wait() -> None:
    w = world().iterate(code=1)
    op = w.wants()
    w.tell(f.WaitStarted(op=op.id, what="crash", seconds=10), f.StopRequested(how="graceful", by="x"))
    assert d.decide(w.state) == ()
    w.tell(f.WaitEnded(op=op.id, elapsed=False))
    assert w.finish().end == "stopped"


@pytest.mark.parametrize(
    ("how", "end", "code"),
    [("interrupt", "interrupted", 130), ("now", "stopped", 12), ("cancel", "cancelled", 13)],
)
def test_stopping_at_once_cuts_off_and_gives_the_number_back(how: f.StopHow, end: str, code: int) -> None:
    w = world()
    w.tell(f.IterationStarted(serial=1, n=1, prompt="", prompt_chars=0, tree="base"))
    w.tell(f.StopRequested(how=how, by="x"))
    assert d.decide(w.state) == ()
    assert d.cutoff(w.state, "iteration:1") == "stop"
    w.tell(f.IterationEnded(serial=1, n=1, how="interrupted", code=-15, seconds=2, tree="t1", cause="stop"))
    found = w.finish()
    assert (found.end, found.code) == (end, code)
    assert (w.state.iterations, w.state.active_seconds) == (0, 3.0)


def test_an_interrupted_gate_is_no_attempt_and_runs_again() -> None:
    w = world().iterate("t1", "TASK_COMPLETE").gate(False, how="interrupted")
    assert w.state.attempts == 0
    assert isinstance(w.wants(), d.RunGate)


# -- ends ------------------------------------------------------------------------------------------


def test_every_end_has_one_code_and_one_next_step() -> None:
    assert set(CODES) == set(NEXT)
    assert exit_code("no-route") == 11
    assert exit_code("internal") == 70
    assert len(set(CODES.values())) == len(CODES)
