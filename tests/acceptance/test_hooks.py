"""What agent CLIs call back into, called by hand: checkpoints, the time to wrap up, the question before the end."""

from __future__ import annotations

import json
import os

import pytest
from project import Project, until

LIMITS = "event_loop: {max_iterations: 2, crash_wait: 0, stop_grace: 0.2, wrap_up_seconds: %s}\n"
CONFIG = "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\n"
PRE = """echo '{"hook_event_name": "PreCompact", "trigger": "auto"}' | ralph hook pre-compact"""
AFTER = """echo '{"hook_event_name": "SessionStart", "source": "compact"}' | ralph hook pre-compact"""


def stop(**said: object) -> str:
    return f"echo '{json.dumps({'hook_event_name': 'Stop', **said})}' | ralph hook stop"


def checkpoint(project: Project, folder: str = ".ralph/checkpoints") -> dict[str, object]:
    (path,) = (project.path / folder).glob("*.checkpoint.json")
    found: dict[str, object] = json.loads(path.read_text())
    return found


def test_a_full_context_ends_the_iteration_and_a_fresh_one_is_told_why(project: Project) -> None:
    project.config(CONFIG + LIMITS % 0.2)
    hang = "n=0; while [ $n -lt 600 ]; do n=$((n+1)); sleep 0.05; done"
    project.agent(
        f'if [ "$RALPH_ITERATION" = 1 ]; then echo x > part; {PRE}; {hang}; fi; echo 42 > answer; echo TASK_COMPLETE'
    )
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = project.facts("iteration.ended")
    assert (first["cause"], first["n"], second["n"]) == ("context", 1, 2)
    assert "because its context was full" in project.prompt(1)
    assert "the agent's context was full" in done.stdout
    assert (project.path / "part").exists()
    assert project.facts("loop.ended")[-1]["end"] == "completed-verified"


def test_the_checkpoint_has_the_keys_that_its_readers_know(project: Project) -> None:
    seen = "cp .ralph/checkpoints/*.checkpoint.json seen.json"
    wait = "n=0; while [ $n -lt 200 ] && ! ls .ralph/checkpoints/*.json >/dev/null 2>&1; do n=$((n+1)); sleep 0.05; done"
    project.agent(f"{PRE}; {wait}; {seen}; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == 0
    found = json.loads((project.path / "seen.json").read_text())
    assert set(found) == {"taskId", "iteration", "contextFull", "timestamp", "checkpointReason"}
    assert (found["iteration"], found["contextFull"], found["checkpointReason"]) == (1, True, "precompact")


def test_the_last_checkpoint_is_that_of_the_end_and_lies_where_it_is_wanted(project: Project) -> None:
    place = project.path.parent / "states"
    project.agent(f"{PRE}; {stop()}; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run", env={"RALPH_STATE_DIR": str(place)}).returncode == 0
    found = checkpoint(project, str(place))
    assert (found["checkpointReason"], found["contextFull"]) == ("stop", False)
    assert not (project.path / ".ralph/checkpoints").exists()


def test_a_checkpoint_of_an_earlier_loop_is_gone_when_a_new_one_starts(project: Project) -> None:
    project.agent(f"{stop()}; echo TASK_STUCK: no")
    project.commit()
    assert project.ralph("run").returncode == 4
    checkpoint(project)
    project.agent("ls .ralph/checkpoints > listed 2>&1; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run", "--fresh").returncode == 0
    assert (project.path / "listed").read_text() == ""


def test_a_hook_called_many_times_counts_once(project: Project) -> None:
    project.agent(f"{PRE}; {PRE}; {PRE}; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == 0
    assert [c["what"] for c in project.facts("checkpoint")] == ["precompact"]


def test_after_its_context_was_compacted_the_agent_is_told_to_wrap_up(project: Project) -> None:
    project.agent(f"{AFTER} > told.json; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == 0
    told = json.loads((project.path / "told.json").read_text())["hookSpecificOutput"]
    assert told["hookEventName"] == "SessionStart"
    assert "in 300 s" in told["additionalContext"]
    assert "scratchpad.md" in told["additionalContext"]
    assert project.facts("checkpoint") == []


WRITE = "ralph scratchpad --done a --test-status b --next-step c --blockers d"


@pytest.mark.parametrize(
    ("before", "said", "asked"),
    [
        ("true", {"last_assistant_message": "That is all."}, True),
        ("true", {"last_assistant_message": "Half.\n\nITERATION_DONE"}, False),
        (WRITE, {"last_assistant_message": "That is all."}, False),
        ("true", {"last_assistant_message": "That is all.", "stop_hook_active": True}, False),
        ("true", {}, False),
    ],
)
def test_an_agent_is_asked_once_for_signal_and_scratchpad_when_both_are_missing(
    project: Project, before: str, said: dict[str, object], asked: bool
) -> None:
    project.agent(f"{before}; {stop(**said)} > told.json; echo 42 > answer; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == 0
    told = (project.path / "told.json").read_text()
    assert bool(told) is asked
    assert len(project.facts("checkpoint")) == (0 if asked else 1)
    if asked:
        answer = json.loads(told)
        assert answer["decision"] == "block"
        assert "scratchpad.md" in answer["reason"]
        assert "TASK_STUCK" in answer["reason"]


def test_where_no_signal_is_awaited_nobody_is_asked_for_one(project: Project) -> None:
    project.config(CONFIG + "event_loop: {claim: exit-zero, max_iterations: 1}\n")
    project.agent(f"{stop(last_assistant_message='That is all.')} > told.json; echo 42 > answer")
    project.commit()
    assert project.ralph("run").returncode == 0
    assert (project.path / "told.json").read_text() == ""


def test_garbage_on_standard_input_does_not_hold_an_agent_up(project: Project) -> None:
    for garbage in ("", "[]", "{", "\\377"):
        both = f"printf '{garbage}' | ralph hook stop && printf '{garbage}' | ralph hook pre-compact"
        project.agent(f"{both} && echo 42 > answer; echo TASK_COMPLETE")
        project.commit()
        done = project.ralph("run")
        assert done.returncode == 0, done.stdout + done.stderr
        (project.path / "answer").unlink()


def test_outside_an_iteration_a_hook_says_so_and_never_blocks(project: Project) -> None:
    done = project.ralph("hook", "stop")
    assert (done.returncode, done.stderr) == (
        1,
        "ralph hook: no iteration runs here; agent CLIs call this inside one\n",
    )
    assert project.ralph("hook", "elsewhere").returncode == 2
    assert "pre-compact" in project.ralph("hook", "--help").stdout


def test_a_checkpoint_by_hand(project: Project) -> None:
    assert "nothing runs here" in project.ralph("checkpoint").stderr
    project.agent(
        "n=0; while [ ! -e go ] && [ $n -lt 600 ]; do n=$((n+1)); sleep 0.05; done\n"
        "echo 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    run = project.start("run")
    try:
        until(lambda: project.facts("iteration.started"), "the iteration")
        assert project.ralph("checkpoint").returncode == 0
        until(lambda: project.facts("checkpoint"), "the checkpoint")
        found = checkpoint(project)
        assert (found["checkpointReason"], found["contextFull"], found["iteration"]) == ("manual", False, 1)
        project.write("go", "")
        assert run.wait(60) == 0
    finally:
        if run.poll() is None:
            os.killpg(run.pid, 9)
            run.wait()
    assert project.ralph("checkpoint", "now").returncode == 2


def test_only_an_iteration_can_say_that_its_context_is_full(project: Project) -> None:
    project.agent(
        "RALPH_TOKEN=guessed ralph hook pre-compact </dev/null; echo 42 > answer; echo TASK_COMPLETE"
    )
    project.commit()
    assert project.ralph("run").returncode == 0
    assert project.facts("checkpoint") == []
    assert [r["why"] for r in project.facts("inbox.refused")] == ["from an iteration that is over"]
