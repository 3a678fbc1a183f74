"""What people say to a loop, pauses and questions: what they do to whatever comes next."""

from __future__ import annotations

import json

import pytest
from core_world import World, policy

from ralph.core import facts as f
from ralph.core.loop import decide as d
from ralph.core.loop import steering
from ralph.core.policy import LimitPolicy, Policy
from ralph.core.run import EndRun, RunState, StartLoop, Work, fold_run, schedule


def world(**limits: object) -> World:
    return World(policy(limits=LimitPolicy(**limits))).base()  # type: ignore[arg-type]


def begin(w: World, heard: tuple[str, ...] | None = None) -> d.RunAgent:
    """An iteration starts, with what the core says that it is told."""
    op = w.wants()
    assert isinstance(op, d.RunAgent), op
    names = tuple(say.name for say in steering.heard(w.state, op.hat)) if heard is None else heard
    w.tell(
        f.IterationStarted(
            serial=op.serial,
            n=op.n,
            prompt="p",
            prompt_chars=1,
            tree=w.state.workspace.tree,
            hat=op.hat,
            heard=names,
        )
    )
    return op


def end(w: World, op: d.RunAgent, tree: str = "t1", **more: object) -> None:
    fields: dict[str, object] = {
        "serial": op.serial,
        "n": op.n,
        "how": "exited",
        "code": 0,
        "seconds": 1.0,
        "tree": tree,
    }
    w.tell(f.IterationEnded(**(fields | more)))  # type: ignore[arg-type]


def texts(w: World, hat: str = "") -> list[str]:
    return [say.text for say in steering.heard(w.state, hat)]


def asked(w: World, payload: object) -> World:
    """An iteration asks this and ends."""
    op = begin(w)
    text = payload if isinstance(payload, str) else json.dumps(payload)
    w.tell(f.EventReceived(name="q", topic="human.interact", payload=text, serial=op.serial))
    end(w, op)
    return w


# -- say -------------------------------------------------------------------------------------------------


def test_what_is_said_is_for_the_next_iteration_and_no_other() -> None:
    w = world().tell(f.Said(name="1", text="Mind the gap"))
    assert texts(w) == ["Mind the gap"]
    end(w, begin(w))
    assert texts(w) == []


def test_what_is_said_while_an_iteration_runs_is_for_the_one_after_it() -> None:
    w = world()
    op = begin(w)
    w.tell(f.Said(name="1", text="Later"))
    end(w, op)
    assert texts(w) == ["Later"]


@pytest.mark.parametrize(
    "how",
    [{"how": "interrupted", "cause": "stop"}, {"code": 1}, {"fault": "overload", "code": 1}],
    ids=["interrupted", "crashed", "overloaded"],
)
def test_an_iteration_that_did_not_live_to_read_it_leaves_it_to_the_next(how: dict[str, object]) -> None:
    w = world().tell(f.Said(name="1", text="Mind the gap"))
    end(w, begin(w), **how)  # type: ignore[arg-type]
    assert texts(w) == ["Mind the gap"]


def test_words_to_a_hat_wait_for_that_hat() -> None:
    w = world().tell(f.Said(name="1", text="Be strict", hat="critic"), f.Said(name="2", text="All"))
    assert texts(w) == ["All"]
    assert texts(w, "critic") == ["Be strict", "All"]
    end(w, begin(w))
    assert texts(w, "critic") == ["Be strict"]


def test_more_than_a_prompt_takes_is_read_in_several_iterations_the_oldest_first() -> None:
    long = "x" * (steering.READ_AT_ONCE - 10)
    w = world().tell(f.Said(name="1", text=long), f.Said(name="2", text="y" * 20), f.Said(name="3", text="z"))
    assert texts(w) == [long]
    end(w, begin(w))
    assert texts(w) == ["y" * 20, "z"]


def test_a_loop_does_not_complete_before_somebodys_words_were_read() -> None:
    w = world().iterate("t1", "TASK_COMPLETE")
    w.tell(f.Said(name="1", text="And the docs"))
    w.gate(True)
    w.tell(f.ClaimInspected(tree="t1", changed=1))
    op = begin(w)
    assert op.serial == 2
    end(w, op, "t2", said="TASK_COMPLETE")
    w.gate(True)
    w.tell(f.ClaimInspected(tree="t2", changed=1))
    assert w.finish().end == "completed-verified"


def test_words_hold_nothing_up_when_no_iteration_is_left_to_read_them() -> None:
    w = world(max_iterations=1).iterate("t1", "TASK_COMPLETE")
    w.tell(f.Said(name="1", text="And the docs")).gate(True)
    w.tell(f.ClaimInspected(tree="t1", changed=1))
    assert w.finish().end == "completed-verified"


def test_words_to_a_hat_hold_nothing_up_because_it_may_never_be_worn() -> None:
    w = world().iterate("t1", "TASK_COMPLETE")
    w.tell(f.Said(name="1", text="x", hat="critic")).gate(True)
    w.tell(f.ClaimInspected(tree="t1", changed=1))
    assert w.finish().end == "completed-verified"


# -- pause -----------------------------------------------------------------------------------------------


def pause_of(w: World) -> d.Wait:
    op = w.wants()
    assert isinstance(op, d.Wait) and op.what == "pause", op
    return op


def sit(w: World, op: d.Wait) -> None:
    w.tell(f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds, why=op.why))


def test_a_pause_begins_after_the_iteration_and_lasts_until_somebody_continues() -> None:
    w = world()
    op = begin(w)
    w.tell(f.Paused(name="1", by="Ann"))
    assert [type(x) for x in d.decide(w.state)] == [d.Continue], "the iteration goes on"
    end(w, op)
    wait = pause_of(w)
    assert "Ann" in wait.why
    sit(w, wait)
    assert d.decide(w.state) == (d.Continue(id=wait.id),)
    w.tell(f.Continued(name="2", by="Ann"))
    assert d.decide(w.state) == () and d.cutoff(w.state, wait.id) == "stop"
    w.tell(f.WaitEnded(op=wait.id, elapsed=False))
    assert isinstance(w.wants(), d.RunAgent)


def test_a_pause_at_once_cuts_the_iteration_which_does_not_count() -> None:
    w = world()
    op = begin(w)
    w.tell(f.Paused(name="1", now=True))
    assert d.cutoff(w.state, op.id) == "stop"
    end(w, op, how="interrupted", cause="stop")
    pause_of(w)
    assert w.state.progress.iterations == 0


def test_a_pause_at_once_cuts_a_gate_which_is_asked_anew() -> None:
    w = world().iterate("t1", "TASK_COMPLETE")
    gate = w.wants()
    assert isinstance(gate, d.RunGate)
    start = f.GateStarted(op=gate.id, gate="tests", purpose="claim", variant="as-is", tree="t1")
    w.tell(start, f.Paused(name="1", now=True))
    assert d.cutoff(w.state, gate.id) == "stop"
    w.tell(
        f.GateEnded(
            op=gate.id,
            gate="tests",
            purpose="claim",
            variant="as-is",
            tree="t1",
            command="x",
            code=-9,
            seconds=1.0,
            passed=False,
            how="interrupted",
        )
    )
    pause_of(w)
    w.tell(f.Continued(name="2"))
    assert w.wants() == gate and w.state.judgement.attempts == 0


@pytest.mark.parametrize("how", ["graceful", "now", "interrupt", "cancel"])
def test_a_paused_loop_can_be_ended_in_every_way(how: f.StopHow) -> None:
    w = world().tell(f.Paused(name="1"))
    wait = pause_of(w)
    sit(w, wait)
    w.tell(f.StopRequested(how=how, by="x"))
    assert d.cutoff(w.state, wait.id) == "stop"
    w.tell(f.WaitEnded(op=wait.id, elapsed=False))
    ends = {"graceful": "stopped", "now": "stopped", "interrupt": "interrupted", "cancel": "cancelled"}
    assert w.finish().end == ends[how]


def test_a_resume_is_a_persons_wish_to_go_on() -> None:
    w = world().tell(f.Paused(name="1"))
    wait = pause_of(w)
    sit(w, wait)
    w.tell(f.WaitEnded(op=wait.id, elapsed=False), f.LoopResumed(run="r2"))
    assert isinstance(w.wants(), d.RunAgent)


def test_a_pause_interrupts_another_wait_which_goes_on_until_its_own_moment() -> None:
    w = world().iterate(fault="quota", retry_after=60.0, code=1)
    quota = w.wants()
    assert isinstance(quota, d.Wait) and quota.what == "quota"
    w.tell(f.WaitStarted(op=quota.id, what="quota", seconds=60.0, until="2030-01-01T00:00:00+00:00"))
    w.tell(f.Paused(name="1"))
    assert d.cutoff(w.state, quota.id) == "stop"
    w.tell(f.WaitEnded(op=quota.id, elapsed=False))
    pause = pause_of(w)
    sit(w, pause)
    w.tell(f.Continued(name="2"), f.WaitEnded(op=pause.id, elapsed=False))
    again = w.wants()
    assert isinstance(again, d.Wait) and again.until == "2030-01-01T00:00:00+00:00"


def test_a_loop_with_nothing_left_to_do_ends_although_it_is_to_wait() -> None:
    w = world().claim("t1", passed=True).tell(f.Paused(name="1"))
    assert w.finish().end == "completed-verified"


def test_a_paused_run_begins_no_task_and_a_pause_of_one_task_leaves_the_run_alone() -> None:
    s = fold_run(RunState(), f.RunStarted(run="r", pid=1, version="", tier=""))
    paused = fold_run(s, f.Paused(name="1"))
    assert schedule(paused, ["a"], Work()) == ()
    assert schedule(fold_run(paused, f.Continued(name="2")), ["a"], Work()) == (StartLoop("a"),)
    assert schedule(fold_run(s, f.Paused(name="1", task="b"), "b"), ["a"], Work()) == (StartLoop("a"),)
    stopping = fold_run(paused, f.StopRequested(how="graceful", by="x"))
    assert isinstance(schedule(stopping, ["a"], Work())[0], EndRun)


# -- questions -------------------------------------------------------------------------------------------

Q = steering.Question


@pytest.mark.parametrize(
    ("payload", "found"),
    [
        ("Which one?", Q("Which one?")),
        ("", Q("(no question given)")),
        ('{"question": "Port?", "default": "80", "deadline_seconds": 60}', Q("Port?", "80", 60.0)),
        ('{"question": "Port?", "default": 80, "timeout": "60"}', Q("Port?", "80", 60.0)),
        ('{"question": "Port?", "timeout_seconds": 60}', Q("Port?", None, 60.0)),
        ('{"question": "Port?", "deadline_seconds": -1}', Q("Port?")),
        ('{"question": "Port?", "deadline_seconds": "soon"}', Q("Port?")),
        (
            '{"question": "Port?", "deadline_seconds": 1e999}',
            Q('{"question": "Port?", "deadline_seconds": 1e999}'),
        ),
        ('{"question": " "}', Q('{"question": " "}')),
        ("{not json", Q("{not json")),
        ("[" * 5000, Q("[" * 5000)),
        ("{" * 5000, Q("{" * 5000)),
    ],
)
def test_a_question_is_text_or_an_object(payload: str, found: steering.Question) -> None:
    assert steering.question(payload) == found


FULL = {"question": "Which port?", "default": "8080", "deadline_seconds": 60}


def wait_of(w: World) -> d.Wait:
    op = w.wants()
    assert isinstance(op, d.Wait) and op.what == "answer", op
    return op


def wait_for(w: World) -> d.Wait:
    op = wait_of(w)
    w.tell(f.WaitStarted(op=op.id, what=op.what, seconds=op.seconds, until="2030-01-01T00:00:00+00:00"))
    return op


def test_without_a_deadline_a_question_ends_the_loop_at_once() -> None:
    assert asked(world(), {"question": "Which?", "default": "a"}).finish().end == "blocked-on-person"


def test_an_answer_in_time_goes_to_the_next_iteration() -> None:
    w = asked(world(), FULL)
    op = wait_for(w)
    assert (op.seconds, op.why) == (60.0, "Which port?")
    w.tell(f.Answered(name="a", text="9090"))
    assert d.cutoff(w.state, op.id) == "stop"
    w.tell(f.WaitEnded(op=op.id, elapsed=False))
    assert isinstance(w.wants(), d.RunAgent)
    assert (w.state.people.asked, w.state.people.answer, w.state.people.defaulted) == (
        "Which port?",
        "9090",
        False,
    )


def test_an_answer_while_the_iteration_still_runs_needs_no_wait() -> None:
    w = world()
    op = begin(w)
    w.tell(
        f.EventReceived(name="q", topic="human.interact", payload="Which?"), f.Answered(name="a", text="b")
    )
    end(w, op)
    assert isinstance(w.wants(), d.RunAgent) and w.state.people.answer == "b"


def test_after_the_deadline_the_default_holds_and_an_answer_still_counts() -> None:
    w = asked(world(), FULL)
    op = wait_for(w)
    w.tell(f.WaitEnded(op=op.id, elapsed=True))
    assert isinstance(w.wants(), d.RunAgent)
    assert (w.state.people.question, w.state.people.answer, w.state.people.defaulted) == (None, "8080", True)
    w.tell(f.Answered(name="a", text="9090"))
    assert (w.state.people.answer, w.state.people.defaulted) == ("9090", False)


def test_after_the_deadline_without_a_default_the_loop_ends_blocked() -> None:
    w = asked(world(), {"question": "Which port?", "deadline_seconds": 60})
    w.tell(f.WaitEnded(op=wait_for(w).id, elapsed=True))
    assert w.finish().reason == "Which port?"
    w.tell(f.LoopResumed(run="r2"))
    assert w.finish().end == "blocked-on-person", "nobody has answered yet"
    w.tell(f.LoopResumed(run="r3", answer="80"))
    assert isinstance(w.wants(), d.RunAgent)


def test_a_wait_that_was_cut_short_by_a_death_keeps_its_moment() -> None:
    w = asked(world(), FULL)
    op = wait_for(w)
    w.tell(f.WaitEnded(op=op.id, elapsed=False), f.LoopResumed(run="r2"))
    again = wait_of(w)
    assert (again.id, again.until) == (op.id, "2030-01-01T00:00:00+00:00")


def test_a_stop_while_it_waits_for_an_answer_leaves_the_question_open() -> None:
    w = asked(world(), FULL)
    op = wait_for(w)
    w.tell(f.StopRequested(how="graceful", by="x"), f.WaitEnded(op=op.id, elapsed=False))
    assert w.finish().end == "stopped"
    w.tell(f.LoopResumed(run="r2"))
    wait_of(w)


@pytest.mark.parametrize(
    ("most", "deadline", "seconds"),
    [(0, 60, 60), (30, 60, 30), (90, 60, 60), (90, 0, 90), (0, 10**9, steering.LONGEST_ASK)],
)
def test_how_long_an_answer_is_waited_for(most: float, deadline: float, seconds: float) -> None:
    w = asked(world(human_timeout_seconds=float(most)), {"question": "?", "deadline_seconds": deadline})
    assert wait_of(w).seconds == seconds


def test_a_loop_that_could_not_use_an_answer_does_not_wait_for_one() -> None:
    assert asked(world(max_iterations=1), FULL).finish().end == "limit"


def test_an_answer_that_nobody_asked_for_is_said_instead() -> None:
    w = world().tell(f.Answered(name="a", text="42"))
    assert texts(w) == ["42"]


def test_an_answer_after_the_end_makes_a_loop_of_a_backlog_go_on() -> None:
    w = asked(world(), "Which?")
    w.finish()
    assert not w.state.people.replied
    w.tell(f.Answered(name="a", text="this"))
    assert w.state.people.replied and w.state.judgement.ended == "blocked-on-person"
    w.tell(f.LoopResumed(run="r2"))
    assert (
        not w.state.people.replied and isinstance(w.wants(), d.RunAgent) and w.state.people.answer == "this"
    )
    s = fold_run(
        RunState(tasks=("a",), ended={"a": ("blocked-on-person", 5)}), f.Answered(name="a", text="x"), "a"
    )
    assert schedule(s, ["a"], Work(most=1)) == (StartLoop("a"),)


def test_a_policy_says_nothing_by_default() -> None:
    assert Policy(agent=policy().agent).limits.human_timeout_seconds == 0.0
