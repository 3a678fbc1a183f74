"""A reader that stops reading freezes nothing: a run keeps its limits, hears its people and ends, whoever shows it.

Each test runs the real `ralph` with output that no one reads. The exit code and the journal say that the run went on; what the
reader finds when it reads again says what is missing.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from project import RALPH, Project, Terminal, until

LINE = "a line that is long enough to fill the buffers of everyone who does not read it"
CHATTY = f"yes '{LINE}'"
FLOOD = f"{CHATTY} | head -n 60000"  # several megabytes: more than the pipe and Ralph's own buffer hold
DONE = "echo 42 > answer; echo TASK_COMPLETE"
LINES, JSON = ["--no-tui", "-v"], ["--json", "-v"]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", tmp_path / "home")


class Unread(NamedTuple):
    """A pipe of which no one reads until the test does."""

    reader: int
    writer: int

    def is_full(self) -> bool:
        return not select.select([], [self.writer], [], 0)[1]

    def read_to_the_end(self) -> str:
        os.close(self.writer)
        with open(os.dup(self.reader), "rb") as file:
            return file.read().decode()


@pytest.fixture
def unread() -> Iterator[Unread]:
    pipe = Unread(*os.pipe())
    yield pipe
    os.close(pipe.reader)


def start(project: Project, unread: Unread, agent: str, *arguments: str) -> subprocess.Popen[bytes]:
    project.agent(agent)
    project.commit()
    return subprocess.Popen(
        [RALPH, "run", *arguments],
        cwd=project.path,
        env=project.env,
        stdin=subprocess.DEVNULL,
        stdout=unread.writer,
        stderr=unread.writer,
        start_new_session=True,
    )


@pytest.mark.parametrize("view", [LINES, JSON], ids=["lines", "json"])
def test_a_limit_of_time_holds(project: Project, unread: Unread, view: list[str]) -> None:
    process = start(project, unread, CHATTY, *view, "--max-runtime-seconds", "3")
    assert process.wait(60) == 8
    assert project.end()["end"] == "limit"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_is_heard(project: Project, unread: Unread, number: int) -> None:
    process = start(project, unread, CHATTY, *LINES)
    until(unread.is_full, "nothing more fits into the pipe")
    process.send_signal(number)
    assert process.wait(60) == 130
    assert project.end()["end"] == "interrupted"


def test_a_second_signal_ends_it_at_once(project: Project, unread: Unread) -> None:
    process = start(project, unread, "trap '' TERM INT HUP; while :; do " + FLOOD + "; done", *LINES)
    until(unread.is_full, "nothing more fits into the pipe")
    process.send_signal(signal.SIGINT)
    until(lambda: project.journaled("stop.requested"), "the first is recorded")
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130


def test_a_cancel_is_heard(project: Project, unread: Unread) -> None:
    process = start(project, unread, CHATTY, *LINES)
    until(unread.is_full, "nothing more fits into the pipe")
    assert project.ralph("cancel").returncode == 0
    process.wait(60)
    assert project.end()["end"] == "cancelled"


def test_the_work_is_done_and_proven(project: Project, unread: Unread) -> None:
    process = start(project, unread, f"{FLOOD}; {DONE}", *LINES)
    assert process.wait(60) == 0
    assert project.end()["end"] == "completed-verified"


def test_who_reads_again_is_told_what_is_missing_and_sees_the_rest(project: Project, unread: Unread) -> None:
    agent = f'{FLOOD}; touch "$HOME/flooded"; until test -e "$HOME/reads"; do sleep 0.1; done; {DONE}'
    process = start(project, unread, agent, *LINES)
    until(lambda: project.mark("flooded"), "the agent has printed everything")
    until(unread.is_full, "nothing more fits into the pipe")
    (Path(project.env["HOME"]) / "reads").touch()
    shown = unread.read_to_the_end().splitlines()
    assert process.wait(60) == 0
    missing = [int(line.split()[0].replace(",", "")) for line in shown if "lines left out here" in line]
    printed = sum(LINE in line for line in shown)
    assert missing and printed + sum(missing) >= 60_000
    assert any(line.startswith("completed-verified") for line in shown)


def test_a_reader_that_is_gone_is_no_trouble(project: Project) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = start(project, Unread(reader, writer), f"{FLOOD}; {DONE}", *LINES)
    os.close(writer)
    assert process.wait(60) == 0
    assert project.end()["end"] == "completed-verified"


def test_a_terminal_that_shows_nothing_any_more_is_no_trouble(project: Project) -> None:
    project.agent(f"{FLOOD}; {DONE}")
    project.commit()
    terminal = Terminal(project, "run", "-v")  # and it is not looked at
    assert terminal.process.wait(60) == 0
    assert project.end()["end"] == "completed-verified"
    terminal.hang_up()


def test_the_pipe_that_others_write_to_as_well_stays_as_it_was(project: Project, unread: Unread) -> None:
    before = fcntl.fcntl(unread.writer, fcntl.F_GETFL)
    process = start(project, unread, CHATTY, *LINES)
    until(unread.is_full, "nothing more fits into the pipe")
    assert fcntl.fcntl(unread.writer, fcntl.F_GETFL) == before
    process.send_signal(signal.SIGKILL)
    process.wait(60)
