"""An agent whose model never answers, and one whose context is full: neither is what the agent did."""

from __future__ import annotations

from project import Project

BEGUN = """printf '%s\\n' '{"type":"thread.started","thread_id":"a"}' '{"type":"turn.started"}'"""
SAID = """printf '%s\\n' '{"type":"item.completed","item":{"type":"agent_message","text":"I begin."}}'"""
FULL = """printf '%s\\n' '{"type":"turn.failed","error":{"message":"Codex ran out of room in the context window."}}'"""
BUSY = "while :; do :; done"
LIMITS = "max_wait: 0.5, crash_wait: 30, stop_grace: 1"


def configure(project: Project, limits: str) -> None:
    gates = "gates: [{name: tests, run: sh test.sh}]"
    project.config(f"cli: {{command: ./agent.sh}}\n{gates}\nevent_loop: {{{LIMITS}, {limits}}}\n")
    project.commit()


def test_an_agent_that_never_says_a_word_has_no_answer_from_its_model_however_busy_it_is(
    project: Project,
) -> None:
    project.agent(f"{BEGUN}; {BUSY}")
    configure(project, "max_iterations: 1, idle_timeout: 4")
    done = project.ralph("run")
    assert done.returncode == 9, done.stdout
    (ended,) = project.facts("iteration.ended")
    assert (ended["how"], ended["cause"], ended["fault"]) == ("cut", "idle", "overload")
    assert "the model did not answer" in done.stdout


def test_after_its_first_word_an_agent_that_computes_is_not_idle(project: Project) -> None:
    project.agent(f"{BEGUN}; {SAID}; {BUSY}")
    configure(project, "max_iterations: 1, idle_timeout: 4, iteration_timeout: 9")
    done = project.ralph("run")
    assert done.returncode == 8, done.stdout
    (ended,) = project.facts("iteration.ended")
    assert (ended["cause"], ended.get("fault", "")) == ("iteration-time", "")


def test_a_full_context_ends_the_iteration_and_is_no_crash(project: Project) -> None:
    project.agent(f"{BEGUN}; {SAID}; echo $RALPH_ITERATION > done-$RALPH_ITERATION; {FULL}; exit 1")
    configure(project, "max_iterations: 6, max_consecutive_failures: 2")
    done = project.ralph("run")
    assert done.returncode == 8, done.stdout
    assert {ended["cause"] for ended in project.facts("iteration.ended")} == {"context"}
    assert project.facts("wait.started") == []
    assert (project.path / "done-6").exists()
