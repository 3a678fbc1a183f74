"""The rules of claims and signals, one test for each: no process, no file, no clock."""

from __future__ import annotations

import pytest
from core_world import TASK, TESTS, World, limits, policy, world
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop import decide as d
from ralph.core.policy import GatePolicy, StuckPolicy

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
    assert w.state.judgement.ended == "completed-verified"


def test_a_claim_is_judged_on_the_tree_it_was_made_about() -> None:
    op = world().iterate("t1", "TASK_COMPLETE").wants()
    assert isinstance(op, d.RunGate)
    assert (op.purpose, op.tree) == ("claim", "t1")


def test_a_failed_gate_turns_the_claim_down_and_the_loop_goes_on() -> None:
    w = world().claim("t1", passed=False)
    assert w.state.judgement.attempts == 1
    assert isinstance(w.wants(), d.RunAgent)


def test_a_claim_on_the_unchanged_starting_tree_is_refused() -> None:
    w = world().iterate("base", "TASK_COMPLETE")
    assert "nothing has changed" in w.state.judgement.refusal
    assert isinstance(w.wants(), d.RunAgent)
    assert w.state.judgement.attempts == 0


def test_no_change_ok_allows_it() -> None:
    w = World(policy(), task=replace(TASK, no_change_ok=True)).base(True)
    assert isinstance(w.iterate("base", "TASK_COMPLETE").wants(), d.RunGate)


@pytest.mark.parametrize("trouble", [{"nested": ("vendor/x",)}, {"dirty_submodules": ("sub",)}])
def test_content_that_git_would_not_record_refuses_the_claim_by_name(trouble: dict[str, object]) -> None:
    w = world().iterate("t1", "TASK_COMPLETE", **trouble)
    assert next(iter(trouble.values()))[0] in w.state.judgement.refusal  # type: ignore[index]
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
    assert any("style" in warning for warning in w.state.warnings.lines)


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
    assert w.state.warnings.lines == ("new ignore rules keep files out of the snapshot: notes",)
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
    assert w.state.judgement.attempts == 0
    w.gate(True).tell(f.ClaimInspected(tree="t1", changed=1))
    assert "flaky" in w.finish().proof["tests"]
    assert w.state.judgement.attempts == 0


def test_a_failure_that_repeats_is_an_attempt_and_is_not_asked_again_the_next_time() -> None:
    w = (
        world()
        .iterate("t1", "TASK_COMPLETE")
        .gate(False, error_hash="bbbbbbbb")
        .gate(False, error_hash="bbbbbbbb")
    )
    assert w.state.judgement.attempts == 1
    w.iterate("t2", "TASK_COMPLETE").gate(False, error_hash="bbbbbbbb")
    assert w.state.judgement.attempts == 2


@pytest.mark.parametrize("more", [{"timed_out": "hard"}, {"wrote": ("a",)}])
def test_running_out_of_time_and_writing_are_no_whims(more: dict[str, object]) -> None:
    w = world().iterate("t1", "TASK_COMPLETE").gate(False, error_hash="bbbbbbbb", **more)
    assert w.state.judgement.attempts == 1


def test_a_flaky_gate_costs_no_attempt() -> None:
    w = world().claim("t1", passed=False).iterate("t1", "TASK_COMPLETE").gate(True).gate(False)
    assert w.state.judgement.attempts == 1
    assert any("flaky" in warning for warning in w.state.warnings.lines)
    assert [r.gate for r in w.state.red_now()] == ["tests"]
    assert isinstance(w.wants(), d.RunAgent)


def test_iteration_gates_run_after_each_iteration_and_serve_the_claim() -> None:
    w = world(gates=(replace(TESTS, every="iteration"),))
    w.iterate("t1").gate(False)
    assert w.state.judgement.attempts == 0
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
    assert w.state.workspace.edited_outside == ("a",)


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
    assert w.state.judgement.ended == "internal"


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
    assert w.state.judgement.refusal
    assert w.state.progress.soft_notes == ("soft-time",)


def test_an_answer_stays_for_all_later_iterations() -> None:
    w = world().tell(f.EventReceived(name="1", topic="human.interact", payload="Which one?"))
    w.finish()
    w.tell(f.LoopResumed(run="r2", answer="The first")).iterate("t1").iterate("t2")
    assert (w.state.people.asked, w.state.people.answer) == ("Which one?", "The first")


def test_warnings_of_one_kind_are_one_line() -> None:
    w = world()
    for number in range(1, 5):
        w.iterate(f"t{number}", stragglers=(f"{number} sleep",))
    assert len(w.state.warnings.lines) == 1
    assert "4 sleep" in w.state.warnings.lines[0]
    assert "the last of 4" in w.state.warnings.lines[0]


def test_a_time_out_keeps_the_agents_last_words() -> None:
    w = world(limits=limits(iteration_hard_seconds=10.0))
    w.iterate("t1", "Still waiting for the server", how="cut", cause="iteration-time", code=-15)
    assert "Still waiting" in w.state.judgement.history[-1].excerpt


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
    assert w.state.warnings.lines
    assert isinstance(w.wants(), d.RunAgent)


def test_exit_zero_puts_an_iteration_that_says_not_done_to_the_gates_and_counts_a_red_one() -> None:
    w = world(claim="exit-zero").iterate("t1", code=1)
    assert w.state.agents.crashes == 0
    op = w.wants()
    assert isinstance(op, d.RunGate) and op.id == "claim:1:tests:as-is"
    w.gate(False)
    assert w.state.judgement.attempts == 1
    assert isinstance(w.wants(), d.RunAgent)


def test_exit_zero_never_completes_what_says_not_done_however_green_it_is() -> None:
    w = world(claim="exit-zero").iterate("t1", code=1).gate(True)
    assert (w.state.judgement.attempts, w.state.judgement.claim) == (0, None)
    w.iterate("t1").gate(True).tell(f.ClaimInspected(tree="t1", changed=1))
    assert w.finish().end == "completed-verified"


def test_exit_zero_looks_at_an_unchanged_tree_too_and_at_one_that_says_iteration_done() -> None:
    for w in (
        world(claim="exit-zero").iterate("base", code=1),
        world(claim="exit-zero").iterate("t1", "ITERATION_DONE"),
    ):
        assert w.gate(False).state.judgement.attempts == 1
        assert not w.state.judgement.refusal


def test_exit_zero_ends_an_agent_that_never_gets_it_right_when_its_attempts_are_used_up() -> None:
    w = world(claim="exit-zero", stuck=StuckPolicy(same_error_stop=0))
    for number in range(5):
        w.iterate(f"t{number}", code=1).gate(False)
    assert w.finish().end == "failed"


def test_exit_zero_leaves_soft_gates_out_of_what_says_not_done() -> None:
    soft = GatePolicy(name="lint", run="x", hard=False)
    assert isinstance(world(claim="exit-zero", gates=(soft,)).iterate("t1", code=1).wants(), d.RunAgent)
    assert isinstance(world(claim="exit-zero", gates=()).iterate("t1", code=1).wants(), d.RunAgent)


def test_every_iteration_also_one_that_exits_1_is_a_claim_under_that_rule() -> None:
    w = world(claim="every-iteration").iterate("t1", code=1)
    assert w.state.agents.crashes == 0
    w.gate(True).tell(f.ClaimInspected(tree="t1", changed=1))
    assert w.finish().end == "completed-verified"


@pytest.mark.parametrize("rule", ["exit-zero", "every-iteration"])
@pytest.mark.parametrize("code", [-9, 126, 127, 137])
def test_a_signal_and_a_failure_to_start_are_crashes_under_every_rule(rule: str, code: int) -> None:
    w = world(claim=rule).iterate("t1", code=code)
    assert w.state.agents.crashes == 1
    assert w.state.judgement.claim is None


# -- gates that cannot be run ----------------------------------------------------------------------


def test_a_gate_that_lacks_its_program_asks_a_person_before_the_first_iteration() -> None:
    w = World().gate(False, code=127, cannot_run="there is no program `x`")
    end = w.finish()
    assert (end.end, end.reason) == ("blocked-on-person", "gate tests cannot be run: there is no program `x`")


def test_a_gate_that_lacks_its_program_is_asked_again_on_resume_unless_a_person_says_go_on() -> None:
    w = World().gate(False, code=127, cannot_run="no x")
    w.finish()
    again = World()
    again.state = w.state
    assert isinstance(again.tell(f.LoopResumed(run="r")).wants(), d.RunGate)
    assert isinstance(again.gate(False).wants(), d.RunAgent)
    assert isinstance(w.tell(f.LoopResumed(run="r", answer="go on")).wants(), d.RunAgent)


def test_a_soft_gate_that_lacks_its_program_only_warns() -> None:
    w = World(policy(gates=(replace(TESTS, hard=False),))).gate(False, code=127, cannot_run="no x")
    assert isinstance(w.wants(), d.RunAgent)
    assert "gate tests cannot be run on the starting tree: no x" in w.state.warnings.lines
