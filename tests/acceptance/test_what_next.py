"""What Ralph says to do next can be done, and helps; and what is wrong with the set-up shows before money is spent on it."""

from __future__ import annotations

import os

import pytest
from project import Project, until

LOOP = "event_loop: {max_iterations: 8, crash_wait: 0}\n"
AGENT = "cli: {command: ./agent.sh}\n" + LOOP
GATE = "gates: [{name: tests, run: sh test.sh}]\n"


def weakened(project: Project) -> None:
    """The agent makes the test easier instead of doing the work, also when it is told that this does not count."""
    honest = "git checkout -q test.sh; echo 42 > answer"
    project.agent(
        f"[ $RALPH_ITERATION -le 2 ] && echo true > test.sh || {{ {honest}; }}; echo x > extra; echo TASK_COMPLETE"
    )
    project.config(AGENT + GATE)
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 7, done.stdout
    assert "`ralph resume --accept`" in done.stdout


def test_after_needs_review_allowing_the_change_completes_without_another_iteration(project: Project) -> None:
    weakened(project)
    done = project.ralph("resume", "--allow", "test.sh")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(project.facts("iteration.started")) == 2
    assert project.end()["end"] == "completed-verified"


def test_after_needs_review_one_word_accepts_all_that_is_named(project: Project) -> None:
    weakened(project)
    done = project.ralph("resume", "--accept")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(project.facts("iteration.started")) == 2
    assert project.end()["end"] == "completed-verified"


def test_after_needs_review_going_on_tells_the_agent_to_put_the_files_back(project: Project) -> None:
    weakened(project)
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "put these files back as they were" in project.prompt(2)
    assert project.end()["proof"] == {"tests": "red→green"}


def test_needs_review_does_not_stand_in_the_way_of_a_new_task(project: Project) -> None:
    weakened(project)
    project.git("checkout", "-q", "test.sh")
    (project.path / "extra").unlink()
    project.agent("echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run", "--task-id", "another").returncode == 0


def test_allowing_where_nothing_is_to_be_reviewed_is_refused(project: Project) -> None:
    project.agent("echo 41 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run", "--max-attempts", "1").returncode == 3
    done = project.ralph("resume", "--allow", "x", "--max-attempts", "3")
    assert done.returncode == 2 and "does not" in done.stderr


def test_a_stuck_agent_is_given_what_it_lacks(project: Project) -> None:
    project.agent(
        '[ $RALPH_ITERATION = 1 ] && { echo "TASK_STUCK: which number?"; exit; }; echo 42 > answer; echo TASK_COMPLETE'
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 4 and '`ralph answer "..."`' in done.stdout
    done = project.ralph("resume", "--answer", "It is 42.")
    assert done.returncode == 0, done.stdout + done.stderr
    assert 'A person answered the question "which number?": It is 42.' in project.prompt(1)


def test_a_misspelt_gate_stops_the_loop_before_the_first_iteration(project: Project) -> None:
    project.config(AGENT + "gates: [{name: tests, run: sleeep 0}]\n")
    project.agent("date +%N > answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 5, done.stdout
    assert project.facts("iteration.started") == []
    why = "gate tests cannot be run: there is no program `sleeep` on PATH; did you mean `sleep`?"
    assert project.end()["reason"] == why
    assert why in done.stdout
    assert "Correct the gate's command and start over: `ralph run --fresh`" in done.stdout


def test_a_gate_that_could_not_be_run_is_asked_again_on_resume_or_left_to_the_agent(project: Project) -> None:
    (tools := project.path.parent / "tools").mkdir()
    env = {"PATH": f"{tools}:{os.environ['PATH']}"}
    project.config(AGENT + "gates: [{name: tests, run: zzqxv-checker}]\n")
    project.commit()
    assert project.ralph("run", env=env).returncode == 5
    assert project.ralph("resume", env=env).returncode == 5
    assert project.facts("iteration.started") == []
    (tools / "zzqxv-checker").write_text('#!/bin/sh\ntest "$(cat answer)" = 42\n')
    (tools / "zzqxv-checker").chmod(0o755)
    done = project.ralph("resume", env=env)
    assert done.returncode == 0, done.stdout
    assert "tests red→green" in done.stdout


def test_a_person_may_say_that_the_agent_brings_what_a_gate_lacks(project: Project) -> None:
    project.config(AGENT + "gates: [{name: tests, run: zzqxv-checker}]\n")
    project.commit()
    assert project.ralph("run").returncode == 5
    done = project.ralph("resume", "--answer", "go on")
    assert done.returncode == 5, done.stdout
    assert len(project.facts("iteration.started")) == 1
    assert "Is its command right?" in project.end()["reason"]


def test_a_gate_whose_script_is_the_work_may_be_missing_at_first(project: Project) -> None:
    project.config(AGENT + "gates: [{name: tests, run: ./check.sh}]\n")
    project.agent('printf "#!/bin/sh\\nexit 0\\n" > check.sh; chmod +x check.sh; echo TASK_COMPLETE')
    project.commit()
    done = project.ralph("run", "--allow", "check.sh")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("hermetic", [True, False])
def test_a_gate_that_writes_says_how_to_let_it(project: Project, hermetic: bool) -> None:
    """What it changes in the folder may be somebody's; in a clean checkout it is nobody's."""
    where = f"hermetic: {str(hermetic).lower()}"
    project.config(AGENT + f"gates: [{{name: tests, run: sh test.sh, {where}}}]\n")
    project.write("coverage.xml", "")
    project.write("test.sh", 'date +%N > coverage.xml; test "$(cat answer 2>/dev/null)" = 42\n')
    project.commit()
    done = project.ralph("run", "--max-attempts", "1")
    assert done.returncode == 3
    assert "coverage.xml (undone; `may_write` lets it)" in done.stdout
    assert ("`ralph recover` has them" in done.stdout) == (not hermetic)


def test_caches_that_somebody_committed_may_be_written(project: Project) -> None:
    project.write("__pycache__/a.pyc", "old")
    project.write("test.sh", 'date +%N > __pycache__/a.pyc; test "$(cat answer 2>/dev/null)" = 42\n')
    project.git("add", "-f", "__pycache__/a.pyc")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout


def test_a_gate_that_ran_no_test_is_named(project: Project) -> None:
    project.write("test.sh", "echo; echo 'Ran 0 tests in 0.000s'; echo OK\n")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0
    assert "warning: gate tests passes, but it ran no test" in done.stdout


def test_more_to_do_is_no_claim_even_where_exit_zero_is_one(project: Project) -> None:
    project.config(AGENT.replace("crash_wait", "claim: exit-zero, crash_wait") + GATE)
    project.agent(
        "echo $RALPH_ITERATION > step; [ $RALPH_ITERATION = 3 ] && echo 42 > answer || echo ITERATION_DONE"
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    judged = [g["op"] for g in project.facts("gate.ended") if g["purpose"] == "claim"]
    assert judged == [f"claim:{n}:tests:as-is" for n in (1, 2, 3)]
    assert done.stdout.count("it claims completion") == 1


def test_an_iteration_without_a_signal_is_told_to_the_next(project: Project) -> None:
    project.agent(
        "echo $RALPH_ITERATION > step; [ $RALPH_ITERATION = 2 ] && { echo 42 > answer; echo TASK_COMPLETE; }; true"
    )
    project.commit()
    assert project.ralph("run").returncode == 0
    assert "gave no signal" not in project.prompt(0)
    assert "The iteration before gave no signal. End yours with one." in project.prompt(1)


def test_a_cap_that_cannot_act_is_named(project: Project) -> None:
    project.commit("as it is") if project.git("status", "--porcelain") else None
    done = project.ralph("run", "--max-cost", "1")
    assert done.returncode == 0
    assert "a limit on cost is set, but the agent does not say what it costs" in done.stdout


def test_when_the_agent_committed_the_next_step_shows_the_whole_change(project: Project) -> None:
    start = project.git("rev-parse", "HEAD")
    project.agent("echo 42 > answer; git add answer; git commit -qm mine; echo TASK_COMPLETE")
    start = project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout
    assert f"`git diff {start[:12]}`" in done.stdout


def test_why_an_agent_is_unusable_is_in_the_end(project: Project) -> None:
    project.agent("echo 'Invalid API key. Please run /login' >&2; exit 1")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 10
    assert "Invalid API key. Please run /login" in project.end()["reason"]


def test_the_flag_for_a_limit_is_the_right_one_and_says_that_it_counts_from_the_start(
    project: Project,
) -> None:
    project.agent("date +%N > step; echo ITERATION_DONE")
    project.commit()
    done = project.ralph("run", "--max-iterations", "1")
    assert "`ralph resume --max-iterations N` (N counts from the start)" in done.stdout
    done = project.ralph("resume", "--max-iterations", "1")
    assert done.returncode == 2 and "--max-iterations N" in done.stderr


def test_refs_that_a_killed_iteration_moved_are_told_on_resume(project: Project) -> None:
    project.agent(
        "test -e ../moved || { git branch -q mine; touch ../moved; sleep 60; }; echo 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    run = project.start("run")
    until(lambda: (project.path.parent / "moved").exists(), "the agent has made a branch")
    run.kill()
    run.wait()
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout
    assert "refs moved since iteration 1 began, which was interrupted: refs/heads/mine" in done.stdout
