"""`ralph status` in every situation: before, while it works, waits or stops, after an end, a question or a death."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
from pathlib import Path
from typing import Any

import pytest
from project import RALPH, Project, contents, until

HOLD = "touch $HOME/begun; until [ -e $HOME/go ]; do sleep 0.02; done"


def told(project: Project, **at: Path) -> dict[str, Any]:
    done = project.ralph("status", "--json", **at)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def rows(project: Project) -> dict[str, str]:
    """label -> text, of the lines that have a label."""
    lines = project.ralph("status").stdout.splitlines()
    return {line[:12].strip(): line[12:] for line in lines[1:] if line[:12].strip()}


def let_go(project: Project) -> None:
    (Path(project.env["HOME"]) / "go").touch()


def on_a_terminal(project: Project, *arguments: str, columns: int = 80, **env: str) -> str:
    """What a terminal of this width is sent."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = project.env | {"TERM": "xterm"} | env
    process = subprocess.Popen(
        [RALPH, *arguments], cwd=project.path, env=environment, stdout=theirs, stderr=theirs, stdin=theirs
    )
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    assert process.wait(60) == 0
    return shown.decode().replace("\r\n", "\n")


def test_a_long_run_saves_its_history_and_status_shows_the_same_without_it(project: Project) -> None:
    project.config(
        "cli: {command: ./agent.sh}\ngates: none\nstuck: {no_progress_stop: 0}\nevent_loop: {max_iterations: 130}\n"
    )
    project.agent("echo ITERATION_DONE")
    project.commit()
    assert project.ralph("run").returncode == 8
    cache = project.path / ".git/ralph/history.cache"
    assert cache.is_file()
    with_it = told(project)
    cache.unlink()
    assert told(project) == with_it and with_it["iterations"] == 130
    assert cache.is_file(), "whoever had to read so much saves it"


# -- while it runs -------------------------------------------------------------------------------------


def test_what_runs_since_when_and_what_was_said_is_shown(project: Project) -> None:
    project.agent(
        f'echo "looking at iteration $RALPH_ITERATION"; [ $RALPH_ITERATION = 1 ] || {{ {HOLD}; }}\n'
        "expr 40 + $RALPH_ITERATION > answer; echo TASK_COMPLETE"
    )
    project.commit()
    run = project.start("run")
    until(lambda: project.mark("begun"), "the second iteration works")
    shown = rows(project)
    assert re.match(r"iteration 2, for \d", shown["now"])
    assert re.search(r"tests +red .* on the claim of iteration 1: FAILED: the answer", shown["gates"])
    assert shown["iterations"] == "1 of 8, number 2 under way"
    assert shown["attempts"] == "1 of 5 rejected"
    assert shown["said"] == "in iteration 2: looking at iteration 2"
    assert "ralph logs --follow" in shown["next"]
    assert re.search(rf"running \(pid {run.pid}, since .*\d s\)", project.ralph("status").stdout)
    found = told(project)
    assert (found["state"], found["iteration"], found["end"]) == ("working", 2, None)
    (op,) = found["operations"]
    assert (op["op"], op["name"]) == ("iteration:2", "iteration 2") and op["since"]
    (gate,) = found["gates"]
    assert (gate["name"], gate["verdict"], gate["running_since"]) == ("tests", "red", "")
    assert found["said"] == {"iteration": 2, "text": "looking at iteration 2", "final": False}
    assert project.ralph("stop").returncode == 0
    until(lambda: told(project)["state"] == "stopping", "the stop is in the journal")
    assert rows(project)["stopping"] == "after this iteration"
    let_go(project)
    assert run.wait(60) in (0, 12)


def test_a_gate_that_runs_is_shown(project: Project) -> None:
    held = HOLD.replace("$HOME", project.env["HOME"])  # a gate has another one
    project.write("test.sh", f"{held}; test -e answer\n")
    project.commit()
    run = project.start("run")
    until(lambda: project.mark("begun"), "the gate works")
    shown = rows(project)
    assert shown["now"].startswith("gate tests on the starting tree, for ")
    assert re.match(r"tests +running +for ", shown["gates"])
    let_go(project)
    assert run.wait(60) == 0


def test_what_it_waits_for_and_until_when_is_shown(project: Project) -> None:
    project.agent(
        """echo '{"type":"error","kind":"quota","text":"5-hour limit reached","retry_after":1800}'; exit 1"""
    )
    project.config("cli: {command: ./agent.sh, output: jsonl}\ngates: [{name: tests, run: sh test.sh}]\n")
    project.commit()
    run = project.start("run")
    until(lambda: project.journaled("wait.started"), "it waits")
    shown = rows(project)
    assert re.match(r"quota until .*\(in (29|30) min .*\): 5-hour limit reached", shown["waiting"])
    assert "continues by itself" in shown["next"]
    found = told(project)
    assert found["state"] == "waiting"
    assert {"for", "why", "until", "since"} == found["waiting"].keys()
    assert project.ralph("stop").returncode == 0
    assert run.wait(60) == 12


# -- when nothing runs ---------------------------------------------------------------------------------


def test_a_question_is_shown_with_how_to_answer_it(project: Project) -> None:
    project.agent('ralph emit human.interact "Which database shall I use?"; echo ITERATION_DONE')
    project.commit()
    assert project.ralph("run").returncode == 5
    text = project.ralph("status").stdout
    assert "Which database shall I use?" in text and 'ralph answer "..."' in text
    found = told(project)
    assert (found["state"], found["question"]) == ("blocked", "Which database shall I use?")


def test_a_death_is_shown_and_nothing_is_said_to_be_under_way(project: Project) -> None:
    project.agent(HOLD)
    project.commit()
    run = project.start("run")
    until(lambda: project.mark("begun"), "the agent works")
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    shown = rows(project)
    assert shown["end"] == "none: the run died"
    assert shown["next"] == "The run died. Continue with `ralph resume`."
    assert "now" not in shown
    found = told(project)
    assert (found["state"], found["under_way"], found["operations"]) == ("died", [], [])


def test_a_run_in_another_work_tree_is_not_taken_for_this_one(project: Project, tmp_path: Path) -> None:
    assert project.ralph("run").returncode == 0
    project.git("worktree", "add", "-q", str(tmp_path / "other"), "HEAD")
    other = Project.__new__(Project)
    other.path, other.env = tmp_path / "other", project.env
    other.agent(HOLD)
    run = other.start("run", "--in-place")
    until(lambda: project.mark("begun"), "the agent works")
    text = project.ralph("status").stdout
    assert f"in {tmp_path / 'other'}" in text.splitlines()[0]
    assert "completed-verified" in text, "this folder's own loop is over"
    found = told(project)
    assert (found["running"], found["elsewhere"], found["state"]) == (True, str(tmp_path / "other"), "ended")
    assert told(other, cwd=other.path)["state"] == "working"
    let_go(project)
    run.wait(60)


def test_status_changes_nothing(project: Project) -> None:
    assert project.ralph("run").returncode == 0
    before = contents(project.path)
    assert project.ralph("status").returncode == 0
    assert contents(project.path) == before


# -- on a terminal -------------------------------------------------------------------------------------


@pytest.fixture
def crowded(project: Project) -> Project:
    """Many gates, many warnings, long and hostile words."""
    gates = "".join(f"  - {{name: gate-{n}, run: 'true', hard: {n % 2 == 0}}}\n".lower() for n in range(12))
    red = "  - {name: judge, run: 'echo \"FAILED: " + "very long words " * 20 + "\"; exit 1'}\n"
    project.config(f"cli: {{command: ./agent.sh}}\ngates:\n{gates}{red}event_loop: {{max_attempts: 1}}\n")
    project.write("PROMPT.md", "Do " + "漢字" * 100 + " now\n")
    project.agent(
        r"echo x$RALPH_ITERATION > answer; printf '\033]0;owned\007\033[2Jhi\n'; echo TASK_COMPLETE"
    )
    project.commit()
    assert project.ralph("run").returncode == 3
    return project


def test_it_fits_a_small_terminal(crowded: Project) -> None:
    from unicodedata import east_asian_width

    shown = on_a_terminal(crowded, "status", NO_COLOR="1")
    lines = shown.rstrip("\n").split("\n")
    assert len(lines) <= 23
    for line in lines:
        assert sum(2 if east_asian_width(c) in "WF" else 1 for c in line) <= 80, line
    assert "judge" in shown, "what is red is never left out"
    assert re.search(r"and \d more, \d+ of them green", shown)
    assert "next        Read .ralph_state.md" in shown


def test_colours_only_where_they_are_wanted(crowded: Project) -> None:
    assert "\033[31m" in on_a_terminal(crowded, "status")
    assert "\033" not in on_a_terminal(crowded, "status", NO_COLOR="1")
    assert "\033" not in on_a_terminal(crowded, "status", TERM="dumb")
    piped = crowded.ralph("status").stdout
    assert "\033" not in piped and "very long words " * 6 in piped, "a pipe gets the lines whole"


def test_what_agents_say_cannot_control_the_terminal(crowded: Project) -> None:
    shown = on_a_terminal(crowded, "status")
    assert "owned\007" not in shown and "\033[2J" not in shown and "\033]" not in shown


# -- reviewers -----------------------------------------------------------------------------------------

FAULT = """echo '{"type":"error","kind":"quota","text":"limit reached","retry_after":7200}'; exit 1"""
ANSWER = """echo '{"type":"message","role":"assistant","text":"%s"}'"""


@pytest.mark.parametrize(
    ("review", "word", "how"),
    [
        (ANSWER % "PASS", "PASS", "PASS"),
        (ANSWER % "- wrong\\\\nFAIL", "FAIL", "FAIL"),
        (ANSWER % "hm", "no verdict", "no verdict"),
        (FAULT, "could not run", "could not run (quota)"),
    ],
)
def test_what_a_reviewer_said_is_called_by_its_name(
    project: Project, review: str, word: str, how: str
) -> None:
    project.write("review.sh", f"#!/bin/sh\ncat > /dev/null\n{review}\n", executable=True)
    project.config(
        "cli: {command: ./agent.sh}\nevent_loop: {max_attempts: 1, max_wait: 0}\n"
        "gates: [{name: spec, review: spec, agent: {command: ./review.sh, output: jsonl}}]\n"
    )
    project.commit()
    project.ralph("run")
    (gate,) = told(project)["gates"]
    assert gate["verdict"] == word
    assert re.search(rf"^spec +{re.escape(word)} ", rows(project)["gates"])
    listed = [line for line in project.ralph("logs").stdout.splitlines() if "gate spec" in line]
    assert listed and all(how in line and "red" not in line for line in listed)
