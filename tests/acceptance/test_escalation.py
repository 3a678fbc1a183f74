"""Stuck and escalation with the real program; and the scratchpad, which carries what an iteration learnt."""

from __future__ import annotations

import re

from project import Project, processes_with, until

KEEP_PROMPT = '#!/bin/sh\nmkdir -p .ralph\ncat > ".ralph/prompt-$RALPH_ITERATION"\n'
CONFIG = "cli: {{command: ./agent.sh}}\ngates: [{{name: tests, run: {run}}}]\nevent_loop: {{max_attempts: {attempts}}}\n"


def keeping_prompts(project: Project, body: str) -> None:
    """Like Project.agent, and every prompt is kept in .ralph/prompt-N."""
    project.write("agent.sh", f"{KEEP_PROMPT}{body}\n", executable=True)


def prompt(project: Project, n: int) -> str:
    return (project.path / f".ralph/prompt-{n}").read_text()


def always_wrong(project: Project, attempts: int) -> None:
    """Something changes in every iteration, and the error is always the same, but for noise."""
    project.write(
        "test.sh", 'echo "took 0.0$(date +%N) s"; echo "FAILED test_answer: expected 42, got 41"; exit 1\n'
    )
    project.config(CONFIG.format(run="sh test.sh", attempts=attempts))
    keeping_prompts(project, "echo $RALPH_ITERATION > step; echo TASK_COMPLETE")
    project.commit()


def test_the_same_error_shifts_the_strategy_twice_and_then_ends_the_loop(project: Project) -> None:
    always_wrong(project, attempts=9)
    done = project.ralph("run")
    assert done.returncode == 4, done.stdout
    assert "stuck: the same error 5 times, despite strategy shifts: tests: " in done.stdout
    starts = project.facts("iteration.started")
    assert [(s.get("shift", 0), s.get("expand", False)) for s in starts] == [
        *[(0, False), (0, False), (0, False), (1, False), (2, True)]
    ]
    for n in (1, 2, 3):
        assert "Strategy shift required" not in prompt(project, n)
    for n, times in ((4, 3), (5, 4)):
        text = prompt(project, n)
        assert f"The same error has come {times} times; its output is above" in text
        assert "fundamentally different" in text
        assert "Do not repeat the approach that led to it: " in text
        assert text.count("expected 42, got 41") >= 2, "the error, and what it forbids"
    rows = re.findall(r"^\| \d \| tests \| ([0-9a-f]{8}) \| (no|yes) \|$", prompt(project, 5), re.MULTILINE)
    assert len({hash_ for hash_, _ in rows}) == 1
    assert [shift for _, shift in rows] == ["no", "no", "no", "yes"]
    state = (project.path / ".ralph_state.md").read_text()
    assert "stuck_count: 5\nstrategy_shifts: 2\n" in state


def test_within_five_attempts_the_hard_stop_is_failed(project: Project) -> None:
    always_wrong(project, attempts=5)
    done = project.ralph("run")
    assert done.returncode == 3, done.stdout
    assert "failed: 5 attempts used up, 5 times the same error; last: tests: " in done.stdout
    assert "strategy shift 1" in done.stdout and "strategy shift 2" in done.stdout


def test_another_error_begins_the_count_anew(project: Project) -> None:
    project.write(
        "test.sh", 'echo "FAILED test_$(( $(cat step 2>/dev/null || echo 0) / 3 )): wrong"; exit 1\n'
    )
    project.config(CONFIG.format(run="sh test.sh", attempts=6))
    keeping_prompts(project, "echo $RALPH_ITERATION > step; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 3, done.stdout
    shifts = [s.get("shift", 0) for s in project.facts("iteration.started")]
    assert shifts == [0, 0, 0, 0, 0, 1], "steps 1-2, 3-5, 6: only the second error came three times"


def test_an_information_gap_is_filled_with_the_files_of_the_trace(project: Project) -> None:
    project.write("app/__init__.py", "")
    project.write(
        "app/billing.py", "def compute_total(items):\n    return sum(items)  # the only function here\n"
    )
    project.write("tests/__init__.py", "")
    project.write(
        "tests/test_billing.py",
        "import unittest\nfrom app.billing import invoice_total\n\n\nclass T(unittest.TestCase):\n    def test_it(self):\n"
        "        self.assertEqual(invoice_total([1]), 1)\n",
    )
    project.config(CONFIG.format(run="python3 -B -m unittest -q tests.test_billing", attempts=9))
    keeping_prompts(project, "echo $RALPH_ITERATION > step; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 4, done.stdout
    assert "What the error is about" not in prompt(project, 4)
    text = prompt(project, 5)
    about = text[text.index("## What the error is about") :]
    assert "invoice_total" in about.splitlines()[1]
    assert "app/billing.py" in about
    assert "the only function here" in about, "the file's content"
    assert "tests/test_billing.py" in about


def test_a_return_to_an_earlier_tree_after_a_shift_is_not_held_against_the_agent(project: Project) -> None:
    """The fourth iteration goes back to where it began to take another way; the no-progress rule stays quiet."""
    project.write("test.sh", "test -e solved || { echo FAILED: unsolved; exit 1; }\n")
    project.config(
        CONFIG.format(run="sh test.sh", attempts=9) + "stuck: {no_progress_stop: 1, no_progress_nudge: 1}\n"
    )
    project.agent(
        "case $RALPH_ITERATION in\n[123]) echo $RALPH_ITERATION > step; echo TASK_COMPLETE;;\n"
        "4) rm step; echo ITERATION_DONE;;\n5) touch solved; echo TASK_COMPLETE;;\nesac"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout


def test_nothing_happening_is_told_and_then_ends_the_loop(project: Project) -> None:
    keeping_prompts(project, "echo ITERATION_DONE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 4, done.stdout
    assert "stuck: 5 iterations in a row changed nothing" in done.stdout
    assert "iterations changed nothing" not in prompt(project, 3)
    assert "The last 3 iterations changed nothing." in prompt(project, 4)


# -- the scratchpad ------------------------------------------------------------------------------------

WRITE = (
    "ralph scratchpad --done 'parsed dates' --test-status '12 pass' --next-step 'leap years' --blockers none"
)
PAD = """# Iteration {n} Scratchpad

## Done this iteration
parsed dates

## Test status
12 pass

## Next step
leap years

## Blockers
none
"""


def test_the_scratchpad_is_as_in_the_seed_and_goes_to_the_next_iteration(project: Project) -> None:
    keeping_prompts(
        project,
        f"[ $RALPH_ITERATION = 3 ] && {{ echo 42 > answer; echo TASK_COMPLETE; exit; }}\n{WRITE}\n"
        "cp .ralph/agent/scratchpad.md .ralph/pad-$RALPH_ITERATION\necho ITERATION_DONE",
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    for n in (1, 2):
        assert (project.path / f".ralph/pad-{n}").read_text() == PAD.format(n=n)
        assert PAD.format(n=n).strip() in prompt(project, n + 1)
    assert "First iteration: there is no earlier work." in prompt(project, 1)
    assert "Iteration 1 of 8" in prompt(project, 1)
    assert not (project.path / ".ralph/agent/scratchpad.md").exists(), "the finished task needs it no more"
    kept = project.facts("iteration.ended")[-1]["scratchpad"]
    assert (project.path / ".git/ralph/blobs" / kept).read_text() == PAD.format(n=2)


def test_what_an_unfinished_task_left_does_not_speak_to_a_new_one(project: Project) -> None:
    project.agent(f"{WRITE}; echo TASK_STUCK: enough")
    project.commit()
    assert project.ralph("run").returncode == 4
    assert (project.path / ".ralph/agent/scratchpad.md").exists()
    keeping_prompts(project, "echo 42 > answer; echo TASK_COMPLETE")
    assert project.ralph("run", "--in-place", "-p", "Another task").returncode == 0
    assert "parsed dates" not in prompt(project, 1)


def test_nor_does_what_a_killed_run_left(project: Project) -> None:
    project.agent(f"{WRITE}; touch .ralph/ready; exec sleep 600")
    project.commit()
    running = project.start("run")
    until(lambda: (project.path / ".ralph/ready").exists(), "the agent wrote its scratchpad")
    running.kill()
    running.wait()
    keeping_prompts(project, "echo 42 > answer; echo TASK_COMPLETE")
    done = project.ralph("run", "--in-place", "--fresh", "-p", "Another task")
    assert done.returncode == 0, done.stdout
    assert "parsed dates" not in prompt(project, 1)
    assert processes_with(str(project.path)) == []


def test_notes_that_the_user_wrote_for_the_first_iteration_are_shown(project: Project) -> None:
    project.write(".ralph/agent/scratchpad.md", "Mind the leap years.\n")
    keeping_prompts(project, "echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == 0
    assert "Mind the leap years." in prompt(project, 1)


def test_the_scratchpad_may_have_a_place_of_its_own_for_each_task(project: Project) -> None:
    """Written from another folder: it is found all the same."""
    project.config(
        "cli: {command: ./agent.sh}\ncore: {scratchpad: 'notes/{taskId}.md'}\ngates: [{name: tests, run: sh test.sh}]\n"
    )
    keeping_prompts(
        project,
        f"[ $RALPH_ITERATION = 1 ] && cd .ralph && {WRITE} && exit\ntest -e notes/t1.md && echo 42 > answer; echo TASK_COMPLETE",
    )
    project.commit()
    done = project.ralph("run", "--task-id", "t1")
    assert done.returncode == 0, done.stdout
    assert PAD.format(n=1).strip() in prompt(project, 2)
    assert project.git("ls-tree", "-r", "--name-only", project.end()["tree"]).count("notes/") == 0
