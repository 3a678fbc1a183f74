"""What is told of a loop, from real journals."""

from __future__ import annotations

import os
import shutil

import pytest
from msgspec.structs import replace
from report_world import BEGIN, GATES, World, long_night, proven, summary

from ralph.core import facts as f
from ralph.core.policy import GatePolicy, Task
from ralph.errors import RalphError
from ralph.history.serialise import loop_json, mark_text
from ralph.report import words


def test_a_proven_loop_is_told_with_its_evidence(world: World) -> None:
    proven(world)
    story = world.story()
    assert (story.loop.standing, story.end, story.loop.done, story.loop.code) == (
        "ended",
        "completed-verified",
        True,
        0,
    )
    assert story.loop.proof == {"tests": "red→green"}
    assert [(g.started.purpose, g.n, g.passed) for g in story.loop.gates] == [
        ("base", 0, False),
        ("claim", 1, False),
        ("claim", 2, True),
    ]
    assert [it.fate for it in story.iterations] == ["turned-down", "verified"]
    assert story.iterations[0].detail == "tests: FAILED test_answer: 41 != 42"
    assert [(c.path, c.added, c.deleted) for c in story.changed or ()] == [("answer.py", 2, 1)]
    assert story.loop.wall_seconds == pytest.approx(150.7, abs=0.1)
    assert story.progress.active_seconds == pytest.approx(150)
    assert "git diff" in story.loop.next_step


def test_no_fact_makes_a_loop_look_more_proven_than_its_gates_do(world: World) -> None:
    """The rules are the core's: an end that the evidence does not bear out is not shown as a success."""
    world.start()
    world.iteration()
    world.gate(False)
    world.gate(False, again=True)
    world.end("completed-verified", "trust me", proof={"tests": "red→green"})
    story = world.story()
    assert story.end == "internal" and not story.loop.done and story.loop.code == 70
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
        "### Task task-1: Make the answer right\n- Outcome: Done, and the gates prove it\n"
        "- End: completed-verified, exit code 0: tests red→green\n"
        "- Proof: tests red→green" in completed
    )
    assert "| tests (command) | the claim of iteration 2 | green | 0 | 10.0 s | pytest -q |" in completed
    assert "| 1 | claim rejected: tests: FAILED test_answer: 41 != 42 | 1 min 00 s |" in completed
    assert "Branch:" not in text


def test_costs_stand_in_the_table_of_iterations_reviews_included(world: World) -> None:
    world.start(gates=GATES)
    world.iteration(tokens=41_000, usd=0.30)
    world.gate(True)
    world.gate(False, "spec", usd=0.05, findings=("no Retry-After header",), headline="no Retry-After header")
    story = world.story()
    (it,) = story.iterations
    assert (it.result.usage.tokens, it.review_usage.tokens) == (41_000, 100)
    assert it.spent.cost_usd == pytest.approx(0.35)
    text = summary([story])
    assert "41100 | 0.35 USD |" in text
    assert "- spec, the claim of iteration 1:\n  - no Retry-After header" in text


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
    assert story.loop.lives == ["run-1", "run-2"]
    (pause,) = story.loop.pauses
    assert pause.began - BEGIN == pytest.approx(stopped, abs=0.01)
    assert pause.ended - pause.began == pytest.approx(3600, abs=0.01)
    assert "continued in run run-2, with the answer: use sqlite" in [mark_text(m) for m in story.loop.marks]
    assert story.loop.standing == "running" and story.end is None


def test_a_dead_run_is_told_as_dead_and_its_open_work_as_interrupted(world: World) -> None:
    world.start()
    world.begin_iteration()
    (world.store.run_dir / "beat").touch()
    os.utime(world.store.run_dir / "beat", (BEGIN + 90, BEGIN + 90))
    assert world.story().loop.standing == "running", "as long as its lock is held"
    world.close()
    story = world.story()
    assert story.loop.standing == "died" and not story.loop.done and story.loop.code is None
    assert "ralph resume" in story.loop.next_step
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
    (it,), (pause,) = story.iterations, story.loop.pauses
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
    assert all(run.flaky for run in story.loop.gates)
    assert story.state.judgement.attempts == 0


def test_a_result_known_from_an_earlier_loop_is_evidence(world: World) -> None:
    world.start()
    world.record(
        f.WorkspacePrepared(tree=world.tree(), known=(f.BaseResult("tests", True, "journal seq 41"),))
    )
    (run,) = world.story().loop.gates
    assert (run.how, run.passed, run.evidence) == ("known", True, "journal seq 41")


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
    assert [(g.how, g.passed) for g in world.story().loop.gates] == [("interrupted", None), ("exited", True)]


def test_waits_notices_and_stops_are_told(world: World) -> None:
    world.start()
    world.iteration("", fault="overload", code=1, change=False)
    world.wait("overload", 12)
    world.record(f.Notified(occasion="wait", about="wait:1", target="command", ok=False, text="exit 1"))
    world.record(f.StopRequested(how="now", by="Ctrl-C"))
    story = world.story()
    (wait,), (notice,) = story.loop.waits, story.loop.notices
    assert (wait.started.what, wait.ended, wait.span.ended - wait.span.began) == (
        "overload",
        "elapsed",
        pytest.approx(12),
    )
    assert (notice.fact.ok, notice.fact.text) == (False, "exit 1")
    assert "Ctrl-C asked to stop at once" in [mark_text(m) for m in story.loop.marks]
    assert story.iterations[0].fate == "fault"


def test_the_newest_loop_is_meant_unless_another_is_named(world: World) -> None:
    proven(world)
    world.start(loop="other-2")
    assert world.story().loop.id == "other-2"
    assert [s.loop.id for s in world.stories(loop="loop")] == ["loop-1"], "its beginning is enough"
    assert [s.loop.id for s in world.stories(everything=True)] == ["loop-1", "other-2"]
    world.next_run("later")
    world.start(loop="loop-3")
    assert [s.loop.id for s in world.stories(run="later")] == ["loop-3"]
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
    assert [s.loop.id for s in world.stories(everything=True)] == ["loop-1", "loop-2"]
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
    assert all(it.span.ended >= it.span.began >= story.loop.span.began for it in story.iterations)
    assert story.loop.wall_seconds >= 0


def test_secrets_of_the_policy_are_not_told(world: World) -> None:
    world.start(env={"API_KEY": "sk-secret"})
    story = world.story()
    assert loop_json(story.loop, story.texts)["policy"].agent.env == {"API_KEY": "***"}
    assert "sk-secret" not in world.page()


def test_a_long_night_adds_up(world: World) -> None:
    long_night(world, 60)
    story = world.story()
    assert story.progress.cost_usd == pytest.approx(sum(it.spent.cost_usd for it in story.iterations))
    assert story.progress.iterations == sum(
        it.fate not in ("fault", "interrupted") for it in story.iterations
    )
    assert story.state.judgement.attempts == len(story.loop.turned_down)


# -- what exactly was shown ------------------------------------------------------------------------------


def passing(world: World, *, was_green: bool = True, gates: tuple[GatePolicy, ...] = GATES[:1]) -> None:
    """One claim that every gate lets pass."""
    world.start(gates=gates)
    proof = {}
    for gate in gates:
        if not gate.review:
            world.gate(was_green, gate.name, purpose="base")
    world.iteration()
    for gate in gates:
        world.gate(True, gate.name)
        before = "green" if was_green else "red"
        proof[gate.name] = ("PASS" if gate.review else f"{before}→green") + ("" if gate.hard else " (soft)")
    world.record(f.ClaimInspected(tree=world.tree(), changed=1))
    world.end("completed-verified", ", ".join(f"{g} {p}" for g, p in proof.items()), proof=proof)


def test_green_to_green_is_not_called_a_proof(world: World) -> None:
    passing(world)
    story = world.story()
    assert story.loop.done and not story.loop.proven
    assert story.iterations[0].fate == "passed"
    text = summary([story])
    assert (
        "- Outcome: Done, and nothing got worse; no gate was red before, so none shows the task itself\n"
        in text
    )
    assert "| 1 | claim passed: tests green→green |" in text
    assert "- Gates: tests green→green\n" in text
    assert "prove" not in text and "Proof" not in text
    page = world.page()
    assert '<header class="outcome calm">' in page
    assert words.NOTHING_WORSE in page and "prove it" not in page


def test_a_reviewers_pass_is_an_opinion(world: World) -> None:
    passing(world, gates=GATES)
    text = summary([world.story()])
    assert "none shows the task itself. The spec and quality reviewers agree.\n" in text
    assert (
        "| claim passed: tests green→green, the spec reviewer agrees, the quality reviewer agrees (soft) |"
        in text
    )
    page = world.page()
    assert '<li class="calm">the spec reviewer agrees</li>' in page
    assert '<p class="reason">The spec and quality reviewers agree.</p>' in page


def test_red_to_green_is_a_proof_also_beside_reviewers(world: World) -> None:
    passing(world, was_green=False, gates=GATES[:2])
    story = world.story()
    assert story.loop.proven
    text = summary([story])
    assert "- Outcome: Done, and the gates prove it. The spec reviewer agrees.\n" in text
    assert "- Proof: tests red→green, the spec reviewer agrees\n" in text
    assert "| claim proven: tests red→green, the spec reviewer agrees |" in text


@pytest.mark.parametrize(
    ("proof", "meaning"),
    [
        ({"spec": "PASS"}, words.OPINION),
        ({"lint": "red→green (soft)", "spec": "PASS"}, words.OPINION),
        ({"tests": "unknown→green"}, words.UNSURE),
        ({"tests": "red→green (flaky)"}, words.UNSURE),
        ({"tests": "green→green", "lint": "green→red (soft)"}, words.NOTHING_WORSE),
        ({"tests": "green→green", "more": "red→green"}, "Done, and the gates prove it"),
    ],
)
def test_the_outcome_says_no_more_than_the_gates_do(
    world: World, proof: dict[str, str], meaning: str
) -> None:
    passing(world)
    shown = world.story()
    judged = replace(shown.state.judgement, proof=proof)
    shown.loop.state = replace(shown.state, judgement=judged)
    assert words.meaning(shown) == meaning


def test_a_gate_that_ran_no_test_shows_nothing(world: World) -> None:
    world.start()
    world.gate(False, purpose="base")
    world.iteration()
    op, tree = "claim:1:tests:as-is", world.tree()
    world.record(f.GateEnded(op, "tests", "claim", "as-is", tree, "pytest -q", 0, 1, True, empty=True))
    world.verified()
    story = world.story()
    assert story.loop.proof == {"tests": "red→green"} and not story.loop.proven
    assert words.meaning(story) == words.UNSURE and story.iterations[0].fate == "passed"
    assert "it passes, but ran no test" in world.page()


def test_the_verdict_that_decided_is_shown_also_when_it_was_remembered(world: World) -> None:
    world.start(gates=GATES[:2])
    world.gate(False, purpose="base")
    world.iteration()
    world.gate(True)
    world.gate(False, "spec", headline="no header", findings=("no header",), prompt="Review this.")
    world.iteration(change=False)
    world.gate(True)  # and the reviewer has seen this tree
    world.end("failed", "attempts used up")
    story = world.story()
    assert story.state.judgement.attempts == 2
    last = story.loop.gates[-1]
    assert (last.gate, last.n, last.passed, last.how, last.before) == ("spec", 2, False, "remembered", 1)
    text = summary([story])
    assert "| spec (reviewer) | the claim of iteration 2 | FAIL, as before |  |  |" in text
    assert text.count("no header\n") == 2, "the error, and once as a finding"
    page = world.page()
    table = page[page.index("<h2>Evidence") : page.index("Every other gate run")]
    assert "FAIL, as before" in table and "it said so after iteration 1, and the tree is the same" in table


def test_a_claim_that_a_remembered_verdict_turns_down_at_once_shows_it(world: World) -> None:
    world.start(gates=GATES[1:2])
    for number in range(3):
        world.iteration(change=number == 0)
        if number == 0:
            world.gate(False, "spec", headline="no header")
    story = world.story()
    assert [(run.n, run.how, run.before) for run in story.loop.gates] == [
        (1, "exited", 0),
        (2, "remembered", 1),
        (3, "remembered", 1),
    ]


def test_a_remembered_pass_stands_beside_the_other_evidence_of_the_end(world: World) -> None:
    world.start(gates=(GATES[1], GATES[0]))
    world.gate(False, purpose="base")
    world.iteration()
    world.gate(True, "spec")
    world.gate(False)
    world.iteration(change=False)
    world.gate(True)
    world.gate(True, again=True)  # it contradicts itself: asked once more
    world.record(f.ClaimInspected(tree=world.tree(), changed=1))
    world.end("completed-verified", "so", proof={"spec": "PASS", "tests": "red→green (flaky)"})
    last = world.story().loop.gates[-1]
    assert (last.gate, last.n, last.passed, last.how) == ("spec", 2, True, "remembered")


def test_a_gate_that_ran_out_of_time_after_an_iteration_is_shown_as_what_decided(world: World) -> None:
    world.start(gates=(replace(GATES[0], every="iteration"),))
    world.iteration()
    world.gate(False)
    world.gate(False, again=True)
    world.iteration("ITERATION_DONE")
    op = "iteration:2:tests"
    tree = world.tree()
    world.record(f.GateStarted(op, "tests", "iteration", "as-is", tree))
    late = f.GateEnded(
        op,
        "tests",
        "iteration",
        "as-is",
        tree,
        "pytest -q",
        124,
        600,
        False,
        timed_out="hard",
        headline="too slow",
    )
    world.record(late)
    world.end("failed", "attempts used up")
    page = world.page()
    table = page[page.index("<h2>Evidence") :].partition("Every other gate run")[0]
    assert "red, out of time" in table


def test_an_answer_without_a_verdict_is_not_remembered(world: World) -> None:
    world.start(gates=GATES[:2])
    world.iteration()
    world.gate(True)
    world.gate(False, "spec", headline="no header")
    op = "claim:1:spec:as-is:again"
    unclear = f.GateEnded(
        op, "spec", "claim", "as-is", world.tree(), "", 0, 1, False, unclear=True, headline="well"
    )
    world.record(unclear)
    world.iteration(change=False)
    world.gate(True)
    last = world.story().loop.gates[-1]
    assert (last.how, last.n, last.result.unclear, last.result.headline) == (
        "remembered",
        2,
        False,
        "no header",
    )
