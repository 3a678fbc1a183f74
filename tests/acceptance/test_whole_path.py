"""The main job, as a user meets it."""

from __future__ import annotations

from project import Project


def test_a_claim_that_the_gate_confirms_is_verified(project: Project) -> None:
    before = project.user_state()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "completed-verified: proven: tests red→green" in done.stdout
    assert project.end()["proof"] == {"tests": "red→green"}
    assert project.user_state() == before
    assert project.git("status", "--porcelain") == "?? answer"


def test_an_agent_that_lies_never_completes(project: Project) -> None:
    project.agent("echo $RALPH_ITERATION > answer; echo TASK_COMPLETE")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 3, done.stdout
    assert len([g for g in project.facts("gate.ended") if g["purpose"] == "claim"]) == 5


def test_the_demo_is_proven_red_to_green(project: Project) -> None:
    done = project.ralph("demo")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "strategy shift 1" in done.stdout
    assert "attempt 3/5 rejected, the same error 3 times" in done.stdout
    assert "completed-verified: proven: tests red→green" in done.stdout
