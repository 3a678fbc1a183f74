"""The live view of a run over a backlog, on a real terminal: lines scroll away above a line for the run and one for each loop."""

from __future__ import annotations

import fcntl
import json
import re
import struct
import termios
from pathlib import Path

import pytest
from project import Project, Terminal, until

CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 6, crash_wait: 0}
"""
HOSTILE = "Part \x1b]0;owned\x07\x1b[2J of A"


@pytest.fixture
def backlog(project: Project) -> Project:
    """Agents that say what they do and wait to be let go."""
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("test.sh", "exit 0\n")
    project.agent(
        'echo "halfway with $RALPH_TASK"; touch $HOME/up-$RALPH_TASK; until test -e $HOME/go; do sleep 0.05; done\n'
        "echo good > part-$RALPH_TASK; echo TASK_COMPLETE"
    )
    tasks = [{"id": "A", "title": HOSTILE}, {"id": "B", "title": "Two"}, {"id": "C", "title": "Three"}]
    project.write("tasks.jsonl", "".join(json.dumps({**task, "leaf": True}) + "\n" for task in tasks))
    project.commit()
    return project


def size(terminal: Terminal, columns: int, rows: int) -> None:
    fcntl.ioctl(terminal._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def frames(terminal: Terminal) -> list[str]:
    """Every frame as text, without what positions and colours it."""
    whole = terminal.shown.split("\x1b[?2026h")[1:]
    return [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", frame) for frame in whole]


def _drawn(terminal: Terminal, line: str) -> bool:
    """What is read of a terminal may end in the middle of a frame."""
    terminal._read()
    return re.search(line, "\n".join(frames(terminal)), re.MULTILINE) is not None


def go(project: Project) -> None:
    (Path(project.env["HOME"]) / "go").touch()


def test_every_loop_has_a_line_and_the_run_has_one(backlog: Project) -> None:
    terminal = Terminal(backlog, "run", "--parallel", "2")
    terminal.await_text("halfway with A")
    terminal.await_text("halfway with B")
    for line in (
        r"── 0 done, 0 not done, 1 queued   0:\d\d .*Ctrl-C stops ──",
        r"[\r\n] B  Two .* 1/6  agent +0:\d\d   halfway with B",
    ):
        until(lambda line=line: _drawn(terminal, line), f"a frame with {line}")
    drawn = "\n".join(frames(terminal))
    assert "Part �]0;owned��[2J of A" in drawn and "\x1b]0;owned" not in terminal.shown
    go(backlog)
    assert terminal.end() == 0
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.shown)
    assert re.search(r"\d\d:\d\d:\d\d  C  completed-verified: ", lines), "it scrolls away as a line"
    assert "3 done, 0 not done, in " in lines.rpartition("Ctrl-C stops")[2], (
        "the last words stand below the block"
    )
    assert terminal.shown.rindex("\x1b[?25h") > terminal.shown.rindex("\x1b[?25l"), "the cursor is back"


def test_no_line_is_wider_than_a_terminal_that_has_become_narrow(backlog: Project) -> None:
    terminal = Terminal(backlog, "run", "--parallel", "2")
    terminal.await_text("halfway with B")
    before = len(frames(terminal))
    size(terminal, 40, 10)
    until(lambda: terminal._read() and len(frames(terminal)) > before + 1, "it is drawn anew")
    narrow = frames(terminal)[before + 1 :]
    assert any("B" in frame for frame in narrow)
    assert max(len(line) for frame in narrow for line in frame.splitlines()) < 40
    go(backlog)
    assert terminal.end() == 0


def test_without_colour_and_without_a_terminal_there_are_none(backlog: Project) -> None:
    backlog.env["NO_COLOR"] = "1"
    go(backlog)
    terminal = Terminal(backlog, "run", "--parallel", "2")
    assert terminal.end() == 0
    assert frames(terminal) and not re.search(r"\x1b\[[0-9;]*m", terminal.shown)
    backlog.write("tasks.jsonl", json.dumps({"id": "D", "title": "Four", "leaf": True}) + "\n")
    plain = backlog.ralph("run")
    assert plain.returncode == 0, plain.stderr
    assert "\x1b" not in plain.stdout and re.search(
        r"^\d\d:\d\d:\d\d  D  task D: Four$", plain.stdout, re.MULTILINE
    )


def test_what_agents_print_says_for_which_task(backlog: Project) -> None:
    go(backlog)
    done = backlog.ralph("run", "-v", "--max-items", "1")
    assert done.returncode == 0, done.stderr
    assert re.search(r"A  agent\| halfway with A$", done.stdout, re.MULTILINE)
