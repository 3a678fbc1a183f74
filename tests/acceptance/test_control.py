"""What people do to a run: start a second one, stop, interrupt or kill it, start anew over an unfinished loop."""

from __future__ import annotations

import json
import os
import signal
import subprocess

import pytest
from project import RALPH, Project, Terminal, processes_with, until

CLAIM = "echo 42 > answer; echo TASK_COMPLETE"
GO = "touch $HOME/up; until [ -e $HOME/go ]; do sleep 0.05; done"
LIMITS = """\
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
gates: [{name: tests, run: sh test.sh}]
"""


def ready(
    project: Project, agent: str, event_loop: str = "max_iterations: 8", *, in_folder: bool = False
) -> None:
    text = LIMITS.replace("test.sh}", "test.sh, hermetic: false}") if in_folder else LIMITS
    project.config(f"{text}event_loop: {{{event_loop}}}\n")
    project.agent(agent)
    project.commit()


def started(project: Project, *arguments: str) -> subprocess.Popen[str]:
    """A run whose agent is at work."""
    run = project.start(*(arguments or ("run",)))
    until(lambda: project.mark("up"), "the agent works")
    return run


def let_go(project: Project) -> None:
    (project.path.parent / "home/go").touch()


def nothing_left(project: Project) -> None:
    until(lambda: not processes_with(str(project.path)), "every process of the run is gone")


def first_then(first: str, then: str = CLAIM) -> str:
    """Decided by a mark, since an interrupted iteration gives its number back."""
    return f"if [ ! -e $HOME/up ]; then\n{first}\nelse\n{then}\nfi"


# -- one run at a time -----------------------------------------------------------------------------


def test_a_live_holder_blocks_a_second_run_and_is_named(project: Project) -> None:
    ready(project, f"{GO}; {CLAIM}")
    run = started(project)
    assert (project.path / ".ralph.lock").read_text() == f"{run.pid}\n"
    before = project.journaled("run.started")
    for command in (("run",), ("run", "--fresh", "--in-place"), ("resume",)):
        second = project.ralph(*command)
        assert second.returncode == 2, second.stdout
        assert f"pid {run.pid}" in second.stderr
        assert "ralph stop" in second.stderr
    assert project.journaled("run.started") == before
    let_go(project)
    assert run.wait(60) == 0
    assert not (project.path / ".ralph.lock").exists()


def test_the_lock_of_another_live_program_blocks_and_a_dead_ones_is_taken_over(project: Project) -> None:
    lock = project.path / ".ralph.lock"
    lock.write_text(f"{os.getpid()}\n")
    done = project.ralph("run")
    assert done.returncode == 2
    assert f"pid {os.getpid()}" in done.stderr and ".ralph.lock" in done.stderr
    assert lock.read_text() == f"{os.getpid()}\n"
    assert project.facts("run.started") == []

    gone = subprocess.Popen(["true"])
    gone.wait()
    lock.write_text(f"{gone.pid}\n")
    assert project.ralph("run").returncode == 0
    assert not lock.exists()


def test_a_killed_run_leaves_nothing_and_blocks_nobody(project: Project) -> None:
    ready(project, first_then(f"echo part > work; setsid sleep 600 & {GO}"))
    run = started(project)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    nothing_left(project)
    assert (project.path / ".ralph.lock").read_text() == f"{run.pid}\n"
    assert "The run died. Continue with `ralph resume`." in project.ralph("status").stdout
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout
    assert [(i["how"], i["n"]) for i in project.facts("iteration.ended")] == [
        ("interrupted", 1),
        ("exited", 1),
    ]
    assert (project.path / "work").read_text() == "part\n"
    assert not (project.path / ".ralph.lock").exists()


# -- stop --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", [".stop", "ralph stop"])
def test_a_stop_lets_the_iteration_end_and_a_resume_goes_on(project: Project, how: str) -> None:
    ready(project, first_then(f"{GO}; echo whole > work"))
    run = started(project)
    if how == ".stop":
        (project.path / ".stop").touch()
    else:
        said = project.ralph("stop")
        assert said.returncode == 0
        assert f"The run (pid {run.pid}) stops after its iteration." in said.stdout
    until(lambda: project.journaled("stop.requested"), "the stop is heard while the agent works")
    let_go(project)
    assert run.wait(60) == 12, project.shown()
    assert (project.path / "work").read_text() == "whole\n"
    assert [i["how"] for i in project.facts("iteration.ended")] == ["exited"]
    assert (project.end()["end"], project.end()["reason"]) == ("stopped", f"{how} asked for it")
    assert not (project.path / ".stop").exists()

    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout
    assert [i["n"] for i in project.facts("iteration.started")] == [1, 2]


def test_a_stop_file_at_the_start_is_honoured_then_removed(project: Project) -> None:
    (project.path / ".stop").touch()
    done = project.ralph("run")
    assert done.returncode == 12, done.stdout
    assert project.facts("loop.started") == []
    assert not (project.path / ".stop").exists()
    assert project.ralph("run").returncode == 0


def test_a_stop_does_not_keep_a_true_claim_from_completing(project: Project) -> None:
    ready(project, f"{GO}; {CLAIM}")
    run = started(project)
    assert project.ralph("stop").returncode == 0
    until(lambda: project.journaled("stop.requested"), "the stop is heard")
    let_go(project)
    assert run.wait(60) == 0
    assert project.end()["end"] == "completed-verified"


def test_stop_now_cuts_the_iteration_and_its_number_is_given_back(project: Project) -> None:
    ready(project, first_then(f"echo part > work; {GO}"))
    run = started(project)
    assert "stops now" in project.ralph("stop", "--now").stdout
    assert run.wait(60) == 12, project.shown()
    nothing_left(project)
    assert [i["how"] for i in project.facts("iteration.ended")] == ["interrupted"]
    assert (project.path / "work").read_text() == "part\n"
    assert project.ralph("resume").returncode == 0
    assert [i["n"] for i in project.facts("iteration.started")] == [1, 1]


def test_a_stop_for_a_run_that_is_over_does_not_stop_the_next(project: Project) -> None:
    ready(project, first_then(GO))
    run = started(project)
    os.kill(run.pid, signal.SIGSTOP)  # it cannot hear
    assert project.ralph("stop").returncode == 0
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout
    assert "which is over" in done.stdout


def test_a_stop_that_comes_before_the_run_can_listen_is_not_lost_and_does_no_harm(project: Project) -> None:
    unfinished(project)
    terminal = Terminal(project, "run", "--in-place")
    terminal.await_text("Resume or fresh?")
    assert "nothing runs here" in project.ralph("stop").stderr
    (project.path / ".stop").touch()
    terminal.press("fresh\n")
    assert terminal.end() == 12, terminal.shown
    assert len(project.facts("loop.started")) == 1


def test_a_cancelled_loop_is_over_and_its_edits_stay(project: Project) -> None:
    ready(project, first_then(f"echo part > work; {GO}"))
    run = started(project)
    assert f"The run (pid {run.pid}) is being cancelled." in project.ralph("cancel").stdout
    assert run.wait(60) == 13, project.shown()
    nothing_left(project)
    assert project.end()["end"] == "cancelled"
    assert (project.path / "work").read_text() == "part\n"
    done = project.ralph("resume")
    assert done.returncode == 2 and "nothing to resume" in done.stderr
    assert project.ralph("run", "--in-place").returncode == 0, "a new loop needs no --fresh"


# -- Ctrl-C ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_stops_the_agent_politely_and_keeps_everything(project: Project, number: int) -> None:
    polite = "trap 'echo cleaned > work; exit 0' TERM; touch $HOME/up; while :; do sleep 0.05; done"
    lie = "touch $HOME/lied; echo 1 > answer; echo TASK_COMPLETE"
    ready(project, f"if [ ! -e $HOME/lied ]; then {lie}; else\n{first_then(polite)}\nfi")
    run = started(project)
    state_file = (project.path / ".ralph_state.md").read_bytes()
    os.killpg(run.pid, number)
    assert run.wait(60) == 130, project.shown()
    nothing_left(project)
    assert (project.path / "work").read_text() == "cleaned\n", "it was asked before it was killed"
    assert (project.path / ".ralph_state.md").read_bytes() == state_file
    assert project.facts("iteration.ended")[-1]["how"] == "interrupted"
    assert project.end()["end"] == "interrupted"
    assert project.facts("run.ended")[-1]["code"] == 130
    assert not (project.path / ".ralph.lock").exists()

    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout
    assert [(i["serial"], i["n"]) for i in project.facts("iteration.started")] == [(1, 1), (2, 2), (3, 2)]
    assert "cut off by an interruption; its edits are still here" in project.prompt()
    assert "1 attempt rejected" in done.stdout


def test_a_run_under_nohup_survives_its_terminal(project: Project) -> None:
    ready(project, f"{GO}; {CLAIM}")
    run = subprocess.Popen(
        ["nohup", RALPH, "run"],
        cwd=project.path,
        env=project.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until(lambda: project.mark("up"), "the agent works")
    os.kill(run.pid, signal.SIGHUP)
    let_go(project)
    assert run.wait(60) == 0


def test_a_terminal_that_goes_away_ends_the_run_in_order(project: Project) -> None:
    ready(project, first_then(GO))
    terminal = Terminal(project, "run")
    until(lambda: project.mark("up"), "the agent works")
    terminal.hang_up()
    assert terminal.process.wait(60) == 130
    nothing_left(project)
    assert (project.end()["end"], project.end()["reason"]) == (
        "interrupted",
        "the closing terminal asked for it",
    )
    assert project.ralph("resume").returncode == 0


def test_an_agent_that_ignores_the_request_is_killed_after_the_grace(project: Project) -> None:
    deaf = "trap '' TERM INT HUP; setsid sh -c \"trap '' TERM; while :; do sleep 600; done\" &"
    ready(project, first_then(f"{deaf} touch $HOME/up; while :; do sleep 600; done"), "stop_grace: 0.3")
    run = started(project)
    os.killpg(run.pid, signal.SIGINT)
    assert run.wait(60) == 130, project.shown()
    assert processes_with(str(project.path)) == []
    assert project.facts("iteration.ended")[-1]["code"] == -9
    assert project.ralph("resume").returncode == 0


def test_a_second_interrupt_ends_everything_at_once(project: Project) -> None:
    deaf = "trap '' TERM INT HUP; touch $HOME/up; while :; do sleep 600; done"
    ready(project, first_then(f"echo part > work; {deaf}"), "stop_grace: 1h")
    run = started(project)
    os.killpg(run.pid, signal.SIGINT)
    until(lambda: project.journaled("stop.requested"), "the first is heard")
    assert run.poll() is None
    os.killpg(run.pid, signal.SIGINT)
    assert run.wait(60) == 130
    nothing_left(project)
    assert "Go on with `ralph resume`" in project.shown()
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout
    assert (project.path / "work").read_text() == "part\n"
    assert [i["n"] for i in project.facts("iteration.started")] == [1, 1]


def test_an_interrupted_gate_is_run_again_and_costs_no_attempt(project: Project) -> None:
    up = f"{project.env['HOME']}/up"  # the gate has a HOME of its own
    wait = f"[ -e {up} ] || {{ touch {up}; sleep 600; }}"
    project.write("test.sh", f'test "$(cat answer)" = 42 || exit 1\n{wait}\n')
    project.commit()
    run = started(project)
    os.killpg(run.pid, signal.SIGINT)
    assert run.wait(60) == 130, project.shown()
    nothing_left(project)
    done = project.ralph("resume")
    assert done.returncode == 0, done.stdout
    assert len(project.facts("iteration.started")) == 1, "the claim still stood"
    assert "0 attempts rejected" in done.stdout


def test_ctrl_c_on_a_terminal_reaches_the_agent_only_through_ralph(project: Project) -> None:
    ready(
        project,
        first_then(
            "trap 'echo int > work' INT; trap 'exit 0' TERM; touch $HOME/up; while :; do sleep 0.05; done"
        ),
    )
    terminal = Terminal(project, "run")
    until(lambda: project.mark("up"), "the agent works")
    terminal.press("\x03")
    assert terminal.end() == 130, terminal.shown
    assert "interrupted: Ctrl-C asked for it" in terminal.shown
    assert not (project.path / "work").exists()
    nothing_left(project)


# -- over an unfinished loop -------------------------------------------------------------------------


def unfinished(project: Project) -> None:
    """A loop of which one iteration is done, and then its limit was reached."""
    ready(project, f"[ $RALPH_ITERATION = 1 ] && {{ echo 1 > answer; exit; }}\n{CLAIM}", "max_iterations: 1")
    assert project.ralph("run").returncode == 8


def test_without_a_terminal_the_choice_must_be_said(project: Project) -> None:
    unfinished(project)
    before = len(project.facts())
    done = project.ralph("run")
    assert done.returncode == 2
    assert "An unfinished loop is here" in done.stderr and "limit" in done.stderr
    assert "--resume" in done.stderr and "--fresh" in done.stderr
    assert len(project.facts()) == before
    assert project.ralph("run", "--resume", "--max-iterations", "2").returncode == 0
    assert len(project.facts("loop.started")) == 1


def test_a_fresh_start_needs_leave_for_what_the_old_loop_left(project: Project) -> None:
    unfinished(project)
    refused = project.ralph("run", "--fresh")
    assert refused.returncode == 2 and "--in-place" in refused.stderr
    assert project.ralph("run", "--fresh", "--in-place").returncode == 8
    assert len(project.facts("loop.started")) == 2
    assert project.facts("iteration.started")[-1]["n"] == 1
    assert project.facts("workspace.prepared")[-1]["recovery"]


def test_on_a_terminal_it_asks_resume_or_fresh(project: Project) -> None:
    unfinished(project)
    terminal = Terminal(project, "run")
    terminal.await_text("Resume or fresh?")
    terminal.press("\x03")
    assert terminal.end() == 130
    assert len(project.facts("run.started")) == 1
    assert not (project.path / ".ralph.lock").exists()

    terminal = Terminal(project, "run", "--max-iterations", "2")
    terminal.await_text("Resume or fresh?")
    terminal.press("fresh\n")
    terminal.await_text("uncommitted changes: answer")
    terminal.press("y\n")
    assert terminal.end() == 0, terminal.shown
    assert len(project.facts("loop.started")) == 2

    project.commit()
    terminal = Terminal(project, "run", "--task-id", "second")
    until(lambda: project.journaled("loop.started") == 3, "a finished loop needs no question")
    assert terminal.end() != 0, "there is nothing left to change"


def test_on_a_terminal_the_answer_resume_goes_on(project: Project) -> None:
    ready(project, first_then(GO))
    run = started(project)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    terminal = Terminal(project, "run")
    terminal.await_text("Resume or fresh?")
    terminal.press("\n")
    assert terminal.end() == 0, terminal.shown
    assert len(project.facts("loop.started")) == 1


def test_a_fresh_start_closes_the_loop_that_a_dead_run_left(project: Project) -> None:
    ready(project, first_then(f"echo part > work; {GO}"))
    run = started(project)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    old = project.facts("loop.started")[0]["loop"]
    done = project.ralph("run", "--fresh", "--in-place")
    assert done.returncode == 0, done.stdout
    lines = project.ralph("events", "--json", "--loop", old).stdout.splitlines()
    closing = [json.loads(line) for line in lines][-2:]
    assert [r["kind"] for r in closing] == ["iteration.ended", "loop.ended"]
    assert closing[0]["data"]["how"] == "interrupted"
    assert (closing[1]["data"]["end"], closing[1]["data"]["reason"]) == (
        "cancelled",
        "set aside for a fresh start",
    )
    assert project.facts("run.ended")[-1]["code"] == 0
    assert [r["how"] for r in project.facts("iteration.ended")] == ["interrupted", "exited"]
    assert project.ralph("resume").returncode == 2


def test_a_fresh_start_puts_back_the_gate_inputs_that_a_killed_gate_had_swapped(project: Project) -> None:
    # With the originals the gate hangs; it is then that the run is killed.
    project.write("test.sh", "[ -e answer ] || exit 1; touch $HOME/up; sleep 600\n")
    ready(project, "echo exit 0 > test.sh; echo 1 > answer; echo TASK_COMPLETE", in_folder=True)
    run = started(project)
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    nothing_left(project)
    assert "sleep 600" in (project.path / "test.sh").read_text(), (
        "the kill came while the original was in place"
    )
    project.agent("echo TASK_STUCK: enough")
    done = project.ralph("run", "--fresh", "--in-place")
    assert done.returncode == 4, done.stdout
    tree = project.facts("workspace.prepared")[-1]["tree"]
    assert project.git("cat-file", "blob", f"{tree}:test.sh") == "exit 0", "the agent's version is back"


# -- uncommitted work --------------------------------------------------------------------------------


def test_uncommitted_work_is_touched_only_with_leave_and_can_be_had_back(project: Project) -> None:
    project.write("notes", "first\n")
    project.agent(f"echo ruined > notes; {CLAIM}")
    project.commit()
    project.write("notes", "precious\n")
    project.write("new", "untracked\n")
    refused = project.ralph("run")
    assert refused.returncode == 2
    assert "new, notes" in refused.stderr and "--in-place" in refused.stderr
    assert project.facts() == []

    done = project.ralph("run", "--in-place")
    assert done.returncode == 0, done.stdout
    assert (project.path / "notes").read_text() == "ruined\n"
    ref = project.facts("workspace.prepared")[0]["recovery"]
    listed = project.ralph("recover").stdout
    assert ref in listed and "before the loop" in listed
    before = project.user_state()
    restored = project.ralph("recover", "1")
    assert restored.returncode == 0, restored.stderr
    assert (project.path / "notes").read_text() == "precious\n"
    assert (project.path / "new").read_text() == "untracked\n"
    assert not (project.path / "answer").exists()
    assert project.user_state() == before

    assert "before restoring" in project.ralph("recover").stdout
    assert project.ralph("recover", "2").returncode == 0
    assert (project.path / "notes").read_text() == "ruined\n", (
        "what was there before the restoring is kept too"
    )


def test_the_files_that_describe_the_run_need_not_be_committed(project: Project) -> None:
    project.config(
        "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\n"
        "event_loop: {prompt_file: task.md}\n"
    )
    project.write("task.md", "Write the answer.\n")
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    (project.path / "answer").unlink()
    refused = project.ralph("run", "-p", "Write the answer.")
    assert refused.returncode == 2, "here it does not describe the run"
    assert "uncommitted changes: task.md" in refused.stderr


def test_on_a_terminal_it_asks_before_working_on_uncommitted_changes(project: Project) -> None:
    project.write("notes", "precious\n")
    terminal = Terminal(project, "run")
    terminal.await_text("uncommitted changes: notes")
    terminal.press("n\n")
    assert terminal.end() == 2
    assert "nothing was changed" in terminal.shown
    assert project.facts() == []
    terminal = Terminal(project, "run")
    terminal.await_text("Work here?")
    terminal.press("y\n")
    assert terminal.end() == 0, terminal.shown
    assert "your uncommitted changes are saved" in terminal.shown


# -- looking on --------------------------------------------------------------------------------------


def test_status_and_events_read_a_live_run_and_a_finished_one(project: Project) -> None:
    ready(project, f"{GO}; {CLAIM}")
    assert "No loop yet" in project.ralph("status").stdout
    run = started(project)
    live = json.loads(project.ralph("status", "--json").stdout)
    assert (live["running"], live["pid"], live["under_way"]) == (True, run.pid, ["iteration:1"])
    assert f"running (pid {run.pid}" in project.ralph("status").stdout

    out = project.path.parent / "followed"
    with open(out, "w") as file:
        follower = subprocess.Popen(
            [RALPH, "events", "--follow", "--json"], cwd=project.path, env=project.env, stdout=file
        )
    until(lambda: '"iteration.started"' in out.read_text(), "what was before is shown")
    let_go(project)
    assert run.wait(60) == 0
    until(lambda: '"run.ended"' in out.read_text(), "what comes is shown")
    os.kill(follower.pid, signal.SIGINT)
    assert follower.wait(60) == 0
    followed = [json.loads(line) for line in out.read_text().splitlines()]
    assert [r["seq"] for r in followed] == list(range(1, len(followed) + 1))
    assert followed == [json.loads(line) for line in project.ralph("events", "--json").stdout.splitlines()]

    over = json.loads(project.ralph("status", "--json").stdout)
    assert (over["running"], over["end"], over["under_way"]) == (False, "completed-verified", [])
    assert "completed-verified: proven: tests red→green" in project.ralph("status").stdout
