"""What is told of a loop, from real journals."""

from __future__ import annotations

import os
import shutil

import pytest
from report_world import BEGIN, GATES, World, long_night, proven

from ralph.core import facts as f
from ralph.core.policy import GatePolicy, NotifyPolicy, Policy, Task
from ralph.errors import RalphError
from ralph.report.gather import _without_secrets
from ralph.report.markdown import summary


def test_a_proven_loop_is_told_with_its_evidence(world: World) -> None:
    proven(world)
    story = world.story()
    assert (story.standing, story.end, story.done, story.code) == ("ended", "completed-verified", True, 0)
    assert story.proof == {"tests": "red→green"}
    assert [(g.purpose, g.n, g.passed) for g in story.evidence] == [
        ("base", 0, False),
        ("claim", 1, False),
        ("claim", 2, True),
    ]
    assert [it.fate for it in story.iterations] == ["turned-down", "verified"]
    assert story.iterations[0].detail == "tests: FAILED test_answer: 41 != 42"
    assert [(c.path, c.added, c.deleted) for c in story.changed or ()] == [("answer.py", 2, 1)]
    assert story.wall_seconds == pytest.approx(150.7, abs=0.1)
    assert story.active_seconds == pytest.approx(150)
    assert "git diff" in story.next


def test_no_fact_makes_a_loop_look_more_proven_than_its_gates_do(world: World) -> None:
    """The rules are the core's: an end that the evidence does not bear out is not shown as a success."""
    world.start()
    world.iteration()
    world.gate(False)
    world.gate(False, again=True)
    world.end("completed-verified", "trust me", proof={"tests": "red→green"})
    story = world.story()
    assert story.end == "internal" and not story.done and story.code == 70
    assert story.iterations[0].fate == "turned-down"


def test_the_summary_has_the_headings_and_lines_of_its_family(world: World) -> None:
    proven(world)
    world.start(loop="loop-2", task=Task(id="3", title="Add authentication"), gates=GATES)
    world.gate(False, purpose="base")
    for number in range(3):
        world.iteration()
        world.gate(False, headline="Missing password reset flow")
        if number == 0:
            world.gate(False, headline="Missing password reset flow", again=True)
        world.gate(False, "quality", headline="long function", findings=("login() is long", "no docstring"))
    world.record(f.IterationStarted(serial=4, n=4, prompt="", prompt_chars=0, tree=world.tree(), shift=1))
    world.end("failed", "attempts used up")
    text = summary(world.stories(everything=True))
    assert text.startswith("# Ralph Loop Execution Summary\n\n## Completed: 1/2 tasks\n")
    failed = text.partition("## Failed Tasks (require human attention):")[2]
    assert failed.startswith(
        "\n\n### Task 3: Add authentication\n- Attempts: 3/5\n- Last gate: tests\n"
        "- Error: Missing password reset flow\n- Stuck: Yes (same error 3x, strategy shift failed)\n- Quality warnings: 2\n"
    )
    completed = text.partition("## Failed")[0]
    assert (
        "### Task task-1: Make the answer right\n- End: completed-verified, exit code 0: tests red→green\n"
        "- Proof: tests red→green" in completed
    )
    assert "| tests (command) | the claim of iteration 2 | green | 0 | 10 s | pytest -q |" in completed
    assert "| 1 | claim turned down: tests: FAILED test_answer: 41 \\!= 42 | 1 min |" in completed
    assert "Branch:" not in text


def test_costs_stand_in_the_table_of_iterations_reviews_included(world: World) -> None:
    world.start(gates=GATES)
    world.iteration(tokens=41_000, usd=0.30)
    world.gate(True)
    world.gate(False, "spec", usd=0.05, findings=("no Retry-After header",), headline="no Retry-After header")
    story = world.story()
    (it,) = story.iterations
    assert (it.tokens, it.review_tokens) == (41_000, 100)
    assert it.cost_usd + it.review_cost_usd == pytest.approx(0.35)
    text = summary([story])
    assert "41.1k | $0.35 |" in text
    assert "- spec, the claim of iteration 1: no Retry-After header" in text


def test_every_table_row_has_as_many_cells_as_its_head_whatever_is_in_it(world: World) -> None:
    nasty = "a|b\\|c\n| d | `e` <b>"
    world.start(task=Task(id=nasty, title=nasty), gates=(GatePolicy(name=nasty, run=nasty),))
    world.iteration()
    world.gate(False, nasty, headline=nasty, findings=(nasty,))
    lines = [line for line in summary(world.stories()).splitlines() if line.startswith("|")]
    assert len(lines) == 6
    for line in lines:
        cells = line.replace("\\\\", "").replace("\\|", "").count("|")
        assert cells in (6, 8), line


def test_a_resume_is_told_with_the_pause_before_it(world: World) -> None:
    world.start()
    world.iteration("ITERATION_DONE")
    world.end("stopped", "ralph stop asked for it")
    stopped = world.t
    world.t += 3600
    world.next_run("run-2")
    world.record(f.LoopResumed(run="run-2", answer="use sqlite"))
    world.iteration("ITERATION_DONE")
    story = world.story()
    assert story.runs == ("run-1", "run-2")
    (pause,) = story.pauses
    assert pause.began - BEGIN == pytest.approx(stopped, abs=0.01)
    assert pause.ended - pause.began == pytest.approx(3600, abs=0.01)
    assert "went on in run run-2, with the answer: use sqlite" in [m.text for m in story.marks]
    assert story.standing == "running" and story.end == ""


def test_a_dead_run_is_told_as_dead_and_its_open_work_as_interrupted(world: World) -> None:
    world.start()
    world.begin_iteration()
    (world.store.run_dir / "beat").touch()
    os.utime(world.store.run_dir / "beat", (BEGIN + 90, BEGIN + 90))
    assert world.story().standing == "running", "as long as its lock is held"
    world.close()
    story = world.story()
    assert story.standing == "died" and not story.done and story.code is None
    assert "ralph resume" in story.next
    (it,) = story.iterations
    assert (it.fate, it.how, it.seconds) == ("interrupted", "interrupted", 90)
    assert "## Failed Tasks" in summary([story]) and "the run died" in summary([story])
    world.reopen("run-2")


def test_an_interrupted_iteration_lasts_as_long_as_it_lived_not_until_the_resume(world: World) -> None:
    world.start()
    world.begin_iteration()
    world.t += 7200
    world.next_run("run-2")
    world.record(
        f.IterationEnded(
            serial=1, n=1, how="interrupted", code=-9, seconds=30, tree=world.tree(), cause="stop"
        )
    )
    world.record(f.LoopResumed(run="run-2"))
    story = world.story()
    (it,), (pause,) = story.iterations, story.pauses
    assert it.span.ended - it.span.began == pytest.approx(30)
    assert pause.began == pytest.approx(it.span.ended) and pause.ended - pause.began == pytest.approx(7170)


def test_a_reviewer_that_knows_the_tree_already_turns_a_claim_down_at_once(world: World) -> None:
    world.start(gates=GATES[1:2])
    world.iteration()
    world.gate(False, "spec", headline="no Retry-After header", findings=("no Retry-After header",))
    world.iteration("TASK_COMPLETE", change=False)
    first, second = world.story().iterations
    assert [(it.fate, it.claimed) for it in (first, second)] == [("turned-down", True)] * 2


def test_a_flaky_gate_is_told_as_such(world: World) -> None:
    world.start()
    world.iteration()
    world.gate(False)
    world.gate(True, again=True)
    story = world.story()
    assert all(run.flaky for run in story.evidence)
    assert story.turned_down == 0


def test_a_result_known_from_an_earlier_loop_is_evidence(world: World) -> None:
    world.start()
    world.record(
        f.WorkspacePrepared(tree=world.tree(), known=(f.BaseResult("tests", True, "journal seq 41"),))
    )
    (run,) = world.story().evidence
    assert (run.how, run.passed, run.known) == ("known", True, "journal seq 41")


def test_the_same_gate_asked_again_after_an_interruption_is_evidence_twice(world: World) -> None:
    world.start()
    world.iteration()
    world.record(f.GateStarted("claim:1:tests:as-is", "tests", "claim", "as-is", world.tree()))
    world.next_run("run-2")
    world.record(
        f.GateEnded(
            "claim:1:tests:as-is",
            "tests",
            "claim",
            "as-is",
            world.tree(),
            "",
            -9,
            5,
            False,
            how="interrupted",
        )
    )
    world.record(f.LoopResumed(run="run-2"))
    world.gate(True)
    assert [(g.how, g.passed) for g in world.story().evidence] == [("interrupted", None), ("exited", True)]


def test_waits_notices_and_stops_are_told(world: World) -> None:
    world.start()
    world.iteration("", fault="overload", code=1, change=False)
    world.wait("overload", 12)
    world.record(f.Notified(occasion="wait", about="wait:1", target="command", ok=False, text="exit 1"))
    world.record(f.StopRequested(how="now", by="Ctrl-C"))
    story = world.story()
    (wait,), (notice,) = story.waits, story.notices
    assert (wait.what, wait.ended, wait.span.ended - wait.span.began) == (
        "overload",
        "elapsed",
        pytest.approx(12),
    )
    assert (notice.ok, notice.text) == (False, "exit 1")
    assert "Ctrl-C asked to stop at once" in [m.text for m in story.marks]
    assert story.iterations[0].fate == "fault"


def test_the_newest_loop_is_meant_unless_another_is_named(world: World) -> None:
    proven(world)
    world.start(loop="other-2")
    assert world.story().loop == "other-2"
    assert [s.loop for s in world.stories(loop="loop")] == ["loop-1"], "its beginning is enough"
    assert [s.loop for s in world.stories(everything=True)] == ["loop-1", "other-2"]
    world.next_run("later")
    world.start(loop="loop-3")
    assert [s.loop for s in world.stories(run="later")] == ["loop-3"]
    with pytest.raises(RalphError, match="several loops begin with 'loop'"):
        world.stories(loop="loop")
    with pytest.raises(RalphError, match="no loop 'nope'") as caught:
        world.stories(loop="nope")
    assert "loop-3" in caught.value.todo
    with pytest.raises(RalphError, match="no run 'nope'"):
        world.stories(run="nope")


def test_without_a_loop_the_next_command_is_named(world: World) -> None:
    with pytest.raises(RalphError) as caught:
        world.stories()
    assert "ralph run" in caught.value.todo


def test_loops_of_rotated_files_are_found(world: World) -> None:
    proven(world)
    assert world.journal.rotate_if_large(limit=100)
    assert list(world.repo.state_dir.glob("journal-*.jsonl"))
    world.start(loop="loop-2")
    assert [s.loop for s in world.stories(everything=True)] == ["loop-1", "loop-2"]
    assert [s.end for s in world.stories(loop="loop-1")] == ["completed-verified"]


def test_trees_that_are_not_kept_are_no_error(world: World) -> None:
    proven(world)
    shutil.rmtree(world.repo.objects)
    world.repo.objects.mkdir()
    assert world.story().changed is None
    assert "- Changed: not kept" in summary([world.story()])


def test_a_set_back_clock_turns_nothing_around(world: World) -> None:
    world.start()
    world.iteration("ITERATION_DONE")
    world.t -= 1000
    world.iteration("ITERATION_DONE")
    story = world.story()
    assert all(it.span.ended >= it.span.began >= story.span.began for it in story.iterations)
    assert story.wall_seconds >= 0


def test_secrets_of_the_policy_are_not_told() -> None:
    from ralph.core.policy import AgentPolicy

    agent = AgentPolicy(command=("agent",), env={"API_KEY": "sk-secret"})
    policy = Policy(
        agent=agent,
        gates=(GatePolicy(name="spec", review="spec", agent=agent),),
        notify=(NotifyPolicy(url="tgram://sk-secret/chat"),),
    )
    shown = _without_secrets(policy)
    assert "sk-secret" not in repr(shown)
    assert shown.agent.env == {"API_KEY": "…"} and shown.notify[0].url == "tgram:…"


def test_a_long_night_adds_up(world: World) -> None:
    long_night(world, 60)
    story = world.story()
    assert story.cost_usd == pytest.approx(sum(it.cost_usd + it.review_cost_usd for it in story.iterations))
    assert story.counted == sum(it.fate not in ("fault", "interrupted") for it in story.iterations)
    assert story.turned_down == len(story.attempts)
