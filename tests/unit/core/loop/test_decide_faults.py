"""The rules of crashes, faults, waits and escalation, one test for each."""

from __future__ import annotations

import pytest
from core_world import limits, world

from ralph.core import facts as f
from ralph.core.exits import CODES
from ralph.core.loop import decide as d
from ralph.core.policy import StuckPolicy

# -- crashes, faults and waits ---------------------------------------------------------------------


def test_a_crash_waits_and_counts() -> None:
    w = world().iterate("t1", "TASK_COMPLETE", code=1)
    op = w.wants()
    assert isinstance(op, d.Wait)
    assert (op.what, op.seconds, w.state.progress.iterations) == ("crash", 10.0, 1)


def test_five_crashes_in_a_row_make_the_agent_unusable() -> None:
    w = world()
    for _ in range(5):
        w.iterate(code=1)
        if isinstance(op := w.wants(), d.Wait):
            w.tell(f.WaitStarted(op=op.id, what=op.what, seconds=1), f.WaitEnded(op=op.id, elapsed=True))
    assert (w.finish().end, w.state.agents.crashes) == ("agent-unusable", 5)


def test_a_good_iteration_forgives_crashes() -> None:
    w = world(limits=limits(crash_wait_seconds=0.0)).iterate(code=1)
    op = w.wants()
    w.tell(f.WaitStarted(op=op.id, what="crash", seconds=0), f.WaitEnded(op=op.id, elapsed=True))
    assert w.iterate("t1").state.agents.crashes == 0


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
    refused = w.state.judgement.refusal
    assert refused
    assert w.iterate("t1", how="interrupted", cause="stop").state.judgement.refusal == refused
    assert w.iterate("t2").state.judgement.refusal == ""


def test_a_quota_with_a_reset_time_waits_and_is_no_iteration() -> None:
    w = world().iterate(fault="quota", retry_after=600.0, code=1)
    op = w.wants()
    assert isinstance(op, d.Wait)
    assert (op.what, op.seconds, w.state.progress.iterations) == ("quota", 600.0, 0)


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
    assert (w.state.people.asked, w.state.people.answer) == ("Which one?", "The first")


def test_a_resume_without_an_answer_leaves_the_question_open() -> None:
    w = world()
    w.tell(f.EventReceived(name="1", topic="human.interact", payload="Which one?"))
    w.finish()
    w.tell(f.LoopResumed(run="r2"))
    assert (w.finish().end, w.state.judgement.end_reason) == ("blocked-on-person", "Which one?")


# -- stuck and escalation --------------------------------------------------------------------------


def test_the_third_equal_error_shifts_the_strategy_the_fourth_expands_the_fifth_stops() -> None:
    w = world(limits=limits(max_attempts=9))
    levels = []
    for number in range(1, 6):
        w.claim(f"t{number}", passed=False)
        op = w.wants()
        levels.append((op.shift, op.expand) if isinstance(op, d.RunAgent) else op.id)
    assert levels == [(0, False), (0, False), (1, False), (2, True), "finish:stuck"]
    assert [a.shift for a in w.state.judgement.history] == [False, False, False, True, True]
    assert w.state.judgement.shifts == 2


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
    assert w.state.judgement.streak == 1
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
    assert w.state.progress.no_progress == 0
    w.iterate("t2")
    assert w.state.progress.no_progress == 1


def test_the_rule_can_be_turned_off() -> None:
    w = world(stuck=StuckPolicy(no_progress_stop=0))
    for _ in range(30):
        w.iterate()
    assert isinstance(w.wants(), d.RunAgent)
