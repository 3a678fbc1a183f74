"""What users of ralph-orchestrator type and have in their files works here: flags, layers of configuration, sources of hats."""

from __future__ import annotations

import json

import pytest
from project import Project, until

CONFIG = """\
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
gates: none
"""
HATS = """\
cli: {backend: gemini}
event_loop: {starting_event: build.start, max_iterations: 7}
hats:
  builder: {triggers: [build.start], publishes: [LOOP_COMPLETE], instructions: Build it.}
"""


@pytest.fixture
def ready(project: Project) -> Project:
    project.config(CONFIG)
    project.agent("echo x > made; echo ALL_DONE")
    project.commit()
    return project


def policy(project: Project) -> dict[str, object]:
    (started,) = project.facts("loop.started")
    found: dict[str, object] = started["policy"]
    return found


def test_a_promise_an_idle_timeout_and_keys_are_given_on_the_command_line(ready: Project) -> None:
    said = ("--completion-promise", "ALL_DONE", "--idle-timeout", "77", "-c", "core.scratchpad=notes/pad.md")
    done = ready.ralph("run", "-a", "-c", "event_loop.max_iterations=2", *said)
    assert done.returncode == 0, done.stdout + done.stderr
    assert ready.end()["end"] == "completed-unverified", "the word is the promise"
    found = policy(ready)
    assert found["limits"]["idle_seconds"] == 77 and found["limits"]["max_iterations"] == 2  # type: ignore[index]
    assert "notes/pad.md" in ready.prompt(0)


def test_quiet_prints_the_end_and_nothing_else(ready: Project) -> None:
    done = ready.ralph("run", "-q", "--completion-promise", "ALL_DONE")
    assert done.returncode == 0 and done.stdout.startswith("completed-unverified"), done.stdout
    assert "iteration 1" not in done.stdout
    assert ready.ralph("run", "-q", "-v").returncode == 2


def test_a_dry_run_says_what_would_be_done_and_begins_nothing(ready: Project) -> None:
    done = ready.ralph("run", "--dry-run", "-p", "Do it.", "-c", "event_loop.max_iterations=3")
    assert done.returncode == 0 and "3 iterations" in done.stdout and "Do it." in done.stdout, done.stdout
    assert ready.ralph("status").stdout.count("iteration") == 0
    assert not (ready.path / "made").exists()
    wrong = ready.ralph("run", "--dry-run", "-c", "event_loop.max_itrations=3")
    assert wrong.returncode == 2
    assert "-c event_loop.max_itrations: unknown key (nearest valid: max_iterations)" in wrong.stdout


def test_continue_goes_on_with_the_loop_that_was_begun(ready: Project) -> None:
    ready.agent("[ -e go ] && echo ALL_DONE; echo x >> made")
    ready.commit()
    assert ready.ralph("run", "-a", "--max-iterations", "1").returncode == 8
    ready.write("go", "")
    done = ready.ralph("run", "--continue", "-a", "--max-iterations", "3")
    assert ready.journaled("loop.resumed") == 1, done.stdout + done.stderr


def test_a_backend_replaces_the_agent_of_the_file_and_takes_the_arguments(ready: Project) -> None:
    told = ready.ralph("run", "--dry-run", "-b", "codex", "--", "--model", "x").stdout
    assert "agent   codex, with --model x" in told and "agent.sh" not in told, told
    wrong = ready.ralph("run", "--dry-run", "-b", "codx")
    assert wrong.returncode == 2 and "nearest valid: codex" in wrong.stdout


def test_hats_come_from_another_file_or_from_a_preset(ready: Project) -> None:
    ready.write("team.yml", HATS)
    told = ready.ralph("validate", "-H", "team.yml").stdout
    assert "builder: build.start" in told and "7 iterations" in told and "agent.sh" in told, told
    assert "only its hats, events and event_loop are used; not used: cli" in told
    told = ready.ralph("validate", "-H", "builtin:tdd").stdout
    assert "tester: task.start" in told and "agent.sh" in told, told
    missing = ready.ralph("validate", "-H", "builtin:tdt")
    assert missing.returncode == 2 and "Did you mean tdd?" in missing.stderr
    ready.agent("ralph emit LOOP_COMPLETE; echo x > made")
    assert ready.ralph("run", "-a", "--in-place", "-H", "team.yml").returncode == 0
    assert ready.facts("iteration.started")[0]["hat"] == "builder"


def test_a_file_for_all_projects_lies_below_and_a_variable_names_another(ready: Project) -> None:
    home = ready.path.parent / "home"
    (home / ".ralph").mkdir(parents=True, exist_ok=True)
    (home / ".ralph/config.yml").write_text(
        "event_loop: {max_iterations: 9, max_attempts: 4}\ncore: {guardrails: [Be kind.]}\n"
    )
    told = ready.ralph("validate", "-c", "event_loop.max_attempts=2").stdout
    assert "9 iterations, 2 attempts" in told, told
    ready.write("other.yml", CONFIG + "event_loop: {max_iterations: 6}\n")
    named = ready.ralph("validate", env={"RALPH_CONFIG": "other.yml"}).stdout
    assert "other.yml is valid" in named and "6 iterations" in named, named
    (home / ".ralph/config.yml").write_text("evnt_loop: {}\n")
    wrong = ready.ralph("run", "-a")
    assert wrong.returncode == 2 and "~/.ralph/config.yml:1: evnt_loop: unknown key" in wrong.stderr


def test_init_knows_the_other_names_of_its_options(project: Project) -> None:
    listed = project.ralph("init", "--list-presets").stdout
    assert listed == project.ralph("presets").stdout
    (project.path / "ralph.yml").unlink(missing_ok=True)
    assert project.ralph("init", "--yes", "--backend", "codex", "--no-gates").returncode == 0
    assert "backend: codex" in (project.path / "ralph.yml").read_text()


def test_a_runtime_is_time_by_the_clock_in_a_file_of_that_family(project: Project) -> None:
    project.config(
        "cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}\n"
        "event_loop: {prompt: Look., starting_event: look, persistent: true, max_runtime_seconds: 3}\n"
        "hats:\n  looker: {triggers: [look, task.resume], publishes: [LOOP_COMPLETE]}\n"
    )
    project.agent("ralph emit LOOP_COMPLETE")
    project.commit()
    running = project.start("run", "-a", "--cooldown", "600")
    try:
        until(lambda: running.poll() is not None, "an idle board ends with its time")
    finally:
        running.kill()
    assert running.returncode == 8
    assert project.end()["reason"].startswith("the run has reached max_run_seconds")


def test_a_hat_that_calls_waves_is_refused_with_the_reason(ready: Project) -> None:
    ready.config(
        CONFIG
        + HATS.partition("\n")[2].replace("Build it.", "Use `ralph wave emit part.todo --payloads a b`.")
    )
    done = ready.ralph("validate", "--json")
    assert done.returncode == 2
    (error,) = json.loads(done.stdout)["errors"]
    assert error["key"] == "hats.builder.instructions" and error["line"] > 0
    assert "hats of a loop work one after another" in error["what"] and "ralph emit" in error["what"]
