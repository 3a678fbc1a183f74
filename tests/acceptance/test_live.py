"""How a run shows itself: the live view in a real terminal (tmux), plain lines, JSON, and ralph.log."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from project import RALPH, Project, Terminal, until

WAITING = "touch $HOME/up; while [ ! -e $HOME/go ]; do sleep 0.05; done; "
DONE = "echo 42 > answer; echo TASK_COMPLETE"
SIZES = [(80, 24), (200, 50)]


class Pane:
    """A shell in a terminal of its own, as a user has it in front of them."""

    def __init__(self, project: Project, columns: int, rows: int) -> None:
        self._project = project
        self._folder = tempfile.mkdtemp(prefix="ralph-tmux-")  # a short path: sockets have short names
        self._env = {"TMUX_TMPDIR": self._folder, "SHELL": "/bin/bash", "TERM": "screen-256color"}
        self._env |= project.env
        size = ("-x", str(columns), "-y", str(rows))
        self._tmux("-f", "/dev/null", "new-session", "-d", *size, "bash --norc --noprofile")
        self.type("PS1='ready> '; clear")
        until(lambda: self.lines()[:1] == ["ready>"], "the shell is there")

    def _tmux(self, *arguments: str) -> str:
        command = ["tmux", "-u", "-L", "ralph", *arguments]
        return subprocess.run(
            command, cwd=self._project.path, env=self._env, check=True, capture_output=True, text=True
        ).stdout

    def type(self, line: str) -> None:
        self._tmux("send-keys", "-l", line)
        self.press("Enter")

    def press(self, key: str) -> None:
        self._tmux("send-keys", key)

    def ralph(self, *arguments: str, env: str = "") -> None:
        self.type(f"env {env} {shlex.join([str(RALPH), *arguments])}")

    def lines(self, *options: str) -> list[str]:
        """The rows as they are seen; with `-S -`, also what has scrolled away."""
        return self._tmux("capture-pane", "-p", *options).rstrip("\n").split("\n")

    def text(self, *options: str) -> str:
        return "\n".join(self.lines(*options))

    def shows(self, *texts: str) -> str:
        try:
            return str(until(lambda: all(t in self.text() for t in texts) and self.text(), "", 30))
        except AssertionError:
            raise AssertionError(f"{texts} are not shown, but:\n{self.text()}") from None

    def resize(self, columns: int, rows: int) -> None:
        self._tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def record(self, path: Path) -> None:
        """From now on, every byte that is written to the terminal."""
        self._tmux("pipe-pane", f"cat >> {path}")

    def tell(self, what: str) -> str:
        return self._tmux("display-message", "-p", f"#{{{what}}}").strip()

    def usable(self) -> None:
        """The cursor is there, keys are echoed, the shell does what is typed."""
        until(lambda: self.lines()[-1] == "ready>", "the prompt is back")
        assert self.tell("cursor_flag") == "1"
        self.type("echo the shell is us''able; stty -a | grep -o -w -e '-\\?echo'")
        until(lambda: self.lines()[-3:] == ["the shell is usable", "echo", "ready>"], "the shell answers")

    def close(self) -> None:
        subprocess.run(["tmux", "-L", "ralph", "kill-server"], env=self._env, capture_output=True)
        shutil.rmtree(self._folder, ignore_errors=True)


Open = Callable[[int, int], Pane]


@pytest.fixture
def terminal(project: Project) -> Iterator[Open]:
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    panes: list[Pane] = []

    def open_pane(columns: int, rows: int) -> Pane:
        panes.append(Pane(project, columns, rows))
        return panes[-1]

    yield open_pane
    for pane in panes:
        pane.close()


def go(project: Project) -> None:
    (Path(project.env["HOME"]) / "go").touch()


def working(project: Project, body: str = "echo halfway there") -> None:
    """An agent that does this and then waits to be let go."""
    project.agent(f"{body}; {WAITING}{DONE}")
    project.commit()


def block(pane: Pane) -> list[str]:
    lines = pane.lines()
    starts = [number for number, line in enumerate(lines) if line.startswith("── ")]
    assert len(starts) == 1, "\n".join(lines)
    return lines[starts[0] :]


# -- on a terminal ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("columns", "rows"), SIZES)
def test_a_block_shows_the_work_and_gives_way_to_the_summary(
    project: Project, terminal: Open, columns: int, rows: int
) -> None:
    working(project)
    pane = terminal(columns, rows)
    pane.ralph("run")
    pane.shows("halfway there")
    shown = block(pane)
    assert re.fullmatch("── Write 42 into the file `answer`. ─+ Ctrl-C stops ──", shown[0])
    assert len(shown[0]) == columns - 1
    assert re.fullmatch(r"   agent       0:\d\d of 1:00:00   halfway there", shown[1])
    assert re.fullmatch(r"   iteration   1 of 8    ░+  0 used, 8 left", shown[2])
    assert shown[3] == "   attempt     1 of 5"
    assert re.fullmatch(r"   gates       tests   waiting             start red.*", shown[4])
    assert re.fullmatch(r"   time        0:\d\d of 8:00:00 active", shown[5])
    assert len(shown) == 6
    assert pane.tell("cursor_flag") == "0"
    go(project)
    pane.shows("completed-verified: proven: tests red→green")
    pane.usable()
    record = pane.text()
    assert "──" not in record and "0 used" not in record
    assert re.search(r"\d\d:\d\d:\d\d  gate tests on the starting tree: red, exit 1", record)
    assert re.search(r"\d\d:\d\d:\d\d  gate tests: green, exit 0", record)


def test_time_passes_while_nothing_is_said(project: Project, terminal: Open) -> None:
    working(project)
    pane = terminal(80, 24)
    pane.ralph("run")
    pane.shows("agent       0:01")
    pane.shows("agent       0:02")
    go(project)
    pane.usable()


def test_a_resize_leaves_one_whole_block(project: Project, terminal: Open) -> None:
    working(project)
    pane = terminal(200, 50)
    pane.ralph("run")
    pane.shows("halfway there")
    for columns, rows in ((80, 24), (200, 50), (60, 12), (100, 30)):
        pane.resize(columns, rows)
        wide = columns - 1
        until(lambda: len(max(pane.lines(), key=len)) == wide, "a new frame")  # noqa: B023
        assert [pane.text().count(text) for text in ("attempt ", "halfway there", "Ctrl-C stops")][:2] == [
            1,
            1,
        ]
        assert len(block(pane)) == 6
    pane.resize(20, 5)
    until(lambda: pane.lines()[-4:][0].startswith("agent 0:"), "the tiny block")
    assert [line.split()[0] for line in pane.lines()[-4:]] == ["agent", "iteration", "attempt", "gates"]
    pane.resize(80, 24)
    until(lambda: "Ctrl-C stops" in pane.text(), "room again")
    assert len(block(pane)) == 6
    go(project)
    pane.shows("completed-verified")
    pane.usable()


def test_no_colour_when_asked(project: Project, terminal: Open) -> None:
    working(project)
    pane = terminal(80, 24)
    pane.ralph("run", "-v", env="NO_COLOR=1")
    pane.shows("agent       0:")
    assert "\x1b[" not in pane.text("-e")
    go(project)
    pane.usable()
    assert "\x1b[" not in pane.text("-e", "-S", "-")


def test_colours_tell_proof_from_failure(project: Project, terminal: Open) -> None:
    pane = terminal(80, 24)
    pane.ralph("run")
    pane.shows("completed-verified")
    shown = pane.text("-e")
    assert re.search(r"\x1b\[31m(\x1b\[\d+m)*gate tests on the starting tree: red", shown)
    assert re.search(r"\x1b\[32m(\x1b\[\d+m)*gate tests: green", shown)


def test_a_repaint_writes_only_what_changed_and_never_clears_the_screen(
    project: Project, terminal: Open, tmp_path: Path
) -> None:
    working(project)
    pane = terminal(80, 24)
    pane.record(tmp_path / "all")
    pane.ralph("run")
    pane.shows("halfway there")
    pane.record(tmp_path / "quiet")  # ends the first recording
    pane._tmux("pipe-pane")
    pane.record(tmp_path / "quiet")
    frames = lambda: (tmp_path / "quiet").read_bytes().count(b"\x1b[?2026h")  # noqa: E731
    until(lambda: (tmp_path / "quiet").exists() and frames() >= 3, "a few frames")
    quiet = (tmp_path / "quiet").read_bytes()
    assert b"agent " in quiet and b"time " in quiet, "time passed"
    for unchanged in ("Write 42", "iteration", "attempt", "gates"):
        assert unchanged.encode() not in quiet
    go(project)
    pane.usable()
    everything = (tmp_path / "all").read_bytes() + (tmp_path / "quiet").read_bytes()
    for clearing in (b"\x1b[2J", b"\x1b[3J", b"\x1b[H", b"\x1bc", b"\x1b[?1049h"):
        assert clearing not in everything


def test_what_the_agent_prints_scrolls_by_above_the_block(project: Project, terminal: Open) -> None:
    working(project, 'for i in $(seq 100); do echo "line $i of many"; done')
    pane = terminal(80, 24)
    pane.ralph("run", "-v")
    pane.shows("agent| line 100 of many", "Ctrl-C stops")
    assert len(block(pane)) == 6
    seen = re.findall(r"^\d\d:\d\d:\d\d  agent\| line (\d+) of many$", pane.text("-S", "-"), re.MULTILINE)
    assert seen == [str(number) for number in range(1, 101)]
    go(project)
    pane.usable()
    assert "tests| FAILED: the answer is not 42" in pane.text("-S", "-")


@pytest.mark.parametrize("verbose", [True, False])
def test_an_agent_that_prints_without_end_is_shown_in_few_frames(
    project: Project, terminal: Open, tmp_path: Path, verbose: bool
) -> None:
    working(project, "seq -f 'line %.0f of a flood' 1 30000")
    pane = terminal(80, 24)
    pane.record(tmp_path / "bytes")
    pane.ralph("run", *(["-v"] if verbose else []))
    pane.shows("   line 30000 of a flood", "Ctrl-C stops")
    assert len(block(pane)) == 6
    assert (tmp_path / "bytes").read_bytes().count(b"\x1b[?2026h") < 300
    go(project)
    pane.usable()
    pane.shows("completed-verified")


def test_an_agent_that_speaks_json_is_shown_by_its_tools(project: Project, terminal: Open) -> None:
    call = {"type": "tool_use", "name": "Bash", "input": {"command": "npm test"}}
    said = {"type": "assistant", "message": {"content": [{"type": "text", "text": "Now I test."}, call]}}
    usage = {"type": "usage", "input_tokens": 1200, "output_tokens": 34, "cost_usd": 0.5}
    project.write("said", f"{json.dumps(said)}\n{json.dumps(usage)}\n")
    final = json.dumps({"type": "message", "role": "assistant", "text": "TASK_COMPLETE"})
    project.agent(f"cat said; {WAITING}echo 42 > answer; echo '{final}'")
    project.config(
        "cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin, output: jsonl}\n"
        "gates: [{name: tests, run: sh test.sh}]\nevent_loop: {max_cost_usd: 5}\n"
    )
    project.commit()
    pane = terminal(80, 24)
    pane.ralph("run", "-v")
    shown = pane.shows("   Bash npm test", "spent ")
    assert "   spent       1,234 tokens   0.50 USD of 5.00" in shown
    assert "agent| Now I test.\n" in shown
    go(project)
    pane.usable()


def test_hostile_words_cannot_drive_the_terminal(project: Project, terminal: Open) -> None:
    hostile = r"\033[2J\033]0;owned\007\r\033[31mred \033[1;1H漢字 e\314\201 \302\233 end"
    project.write("test.sh", f"printf 'FAILED: {hostile}\\n'; exit 1\n")
    working(project, f"printf '{hostile}\\n'")
    pane = terminal(80, 24)
    before = pane.tell("pane_title")
    pane.ralph("run", "-v")
    words = "�[2J�]0;owned���[31mred �[1;1H漢字 e\u0301 � end"
    pane.shows(f"agent| {words}", f"of 1:00:00   {words}")
    assert len(block(pane)) == 6
    assert pane.tell("pane_title") == before
    pane.press("C-c")
    pane.usable()


def test_ctrl_c_leaves_the_terminal_as_it_was(project: Project, terminal: Open) -> None:
    working(project)
    pane = terminal(80, 24)
    pane.ralph("run")
    pane.shows("halfway there")
    pane.press("C-c")
    pane.shows("stopping now: Ctrl-C", "Next: Continue with `ralph resume`.")
    pane.usable()
    assert "──" not in pane.text()


def test_a_second_ctrl_c_leaves_the_terminal_as_it_was_too(project: Project, terminal: Open) -> None:
    deaf = "trap '' TERM INT HUP; echo deaf; while :; do sleep 0.05; done"
    project.agent(deaf)
    project.config(
        "cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}\nevent_loop: {stop_grace: 1h}\n"
    )
    project.commit()
    pane = terminal(80, 24)
    pane.ralph("run")
    pane.shows("   deaf")
    pane.press("C-c")
    pane.shows("Ctrl-C again ends it at once", "stopping    now: Ctrl-C")
    pane.press("C-c")
    pane.shows("Ended at once.")
    pane.usable()
    assert "──" not in pane.text()


def test_a_suspended_run_gives_the_terminal_back_and_goes_on(project: Project, terminal: Open) -> None:
    working(project)
    pane = terminal(80, 24)
    pane.ralph("run")
    pane.shows("halfway there")
    pane.press("C-z")
    pane.shows("Stopped")
    pane.usable()
    pane.type("clear; fg")
    pane.shows("halfway there")
    assert len(block(pane)) == 6
    assert pane.tell("cursor_flag") == "0"
    go(project)
    pane.shows("completed-verified")
    pane.usable()


def test_a_run_in_the_background_draws_no_block(project: Project, terminal: Open) -> None:
    working(project)
    pane = terminal(80, 24)
    pane.type(f"{RALPH} run &")
    pane.shows("iteration 1/8 starts")
    assert "Ctrl-C stops" not in pane.text()
    assert pane.tell("cursor_flag") == "1"
    go(project)
    pane.shows("completed-verified")


@pytest.mark.parametrize(("arguments", "env"), [(["--no-tui"], ""), ([], "TERM=dumb")])
def test_plain_lines_on_a_terminal_when_asked(
    project: Project, terminal: Open, tmp_path: Path, arguments: list[str], env: str
) -> None:
    pane = terminal(80, 24)
    pane.type("PS1=")
    pane.record(tmp_path / "bytes")
    pane.ralph("run", *arguments, env=env)
    pane.shows("completed-verified")
    until(lambda: b"Next: " in (tmp_path / "bytes").read_bytes(), "it is recorded")
    shown = (tmp_path / "bytes").read_bytes().partition(b"run 2")[2]
    assert b"gate tests: green" in shown
    assert b"\x1b" not in shown.partition(b"Next: ")[0]


def test_a_terminal_that_takes_nothing_does_not_stop_the_run(project: Project) -> None:
    working(project)
    terminal = Terminal(project, "run", "-v")
    terminal.await_text("halfway there")
    terminal.press("\x13")  # Ctrl-S
    go(project)
    until(lambda: project.journaled("run.ended"), "the run ends")
    terminal.press("\x11")
    assert terminal.end() == 0, terminal.shown
    assert "gate tests: green" in terminal.shown
    assert "completed-verified: proven: tests red→green" in terminal.shown
    assert terminal.shown.rindex("\x1b[?25h") > terminal.shown.rindex("\x1b[?25l")


def test_an_error_in_the_middle_leaves_the_terminal_as_it_was(project: Project, terminal: Open) -> None:
    pane = terminal(80, 24)
    pane.ralph("run", env="RALPH_FAULT=ENOSPC@journal.append.before#8")
    pane.shows("when the cause is gone")
    pane.usable()


# -- in a pipe -------------------------------------------------------------------------------------


def test_a_pipe_gets_plain_timestamped_lines(project: Project) -> None:
    done = project.ralph("run", env={"TERM": "xterm-256color"})
    assert done.returncode == 0
    facts, _, end = done.stdout.partition("\n\n")
    assert all(re.match(r"\d\d:\d\d:\d\d  \S| {10}", line) or "  " in line for line in facts.splitlines())
    assert end.startswith("completed-verified: ")
    assert "\x1b" not in done.stdout


def test_json_is_the_journal_and_nothing_else(project: Project) -> None:
    project.ralph("run", "--max-iterations", "1", "--", "false")  # an earlier run is not told again
    project.git("checkout", "-q", ".")
    done = project.ralph("run", "--fresh", "--json", "-v", "--no-tui")
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout.splitlines()[0])["run"]
    assert done.stdout == project.ralph("events", "--json", "--run", run).stdout
    kinds = [json.loads(line)["kind"] for line in done.stdout.splitlines()]
    assert kinds[0] == "run.started" and kinds[-1] == "run.ended" and "gate.ended" in kinds
    assert "agent| TASK_COMPLETE" in done.stderr, "-v goes elsewhere"


def test_json_tells_an_end_that_a_dead_run_could_not_tell(project: Project) -> None:
    appended = "journal.append.before"
    project.ralph("run", env={"RALPH_FAULT": f"kill@{appended}#12"})
    assert (project.journaled("loop.ended"), project.journaled("run.ended")) == (1, 0)
    done = project.ralph("resume", "--json")
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [r["data"]["end"] for r in records if r["kind"] == "loop.ended"] == ["completed-verified"]


def test_a_reader_of_json_that_goes_away_ends_nothing(project: Project) -> None:
    done = project.shell(f"{RALPH} run --json | head -n 1")
    assert json.loads(done.stdout)["kind"] == "run.started"
    until(lambda: project.journaled("run.ended"), "the run ends in order")
    assert project.end()["end"] == "completed-verified"


# -- ralph.log -------------------------------------------------------------------------------------


def test_the_log_has_the_lines_of_every_run_with_their_dates(project: Project) -> None:
    first = project.ralph("run", "--max-iterations", "1", "--", "false")
    second = project.ralph("run", "--fresh", "--json")
    assert (first.returncode, second.returncode) == (8, 0)
    log = (project.path / "ralph.log").read_text().splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d  .", line) for line in log)
    texts = [line[21:] for line in log]
    shown = [line[10:] for line in first.stdout.partition("\n\n")[0].splitlines()]
    assert texts[: len(shown)] == shown
    assert len([t for t in texts if t.startswith("run ")]) == 2
    assert any(t.startswith("completed-verified: ") for t in texts)


def test_the_log_is_ralphs_own(project: Project) -> None:
    project.write(".gitignore", ".ralph*\n")
    project.commit()
    project.write("ralph.log", "x" * 5_000_001)
    assert project.ralph("run").returncode == 0, "it is no uncommitted change"
    assert (project.path / "ralph.log.1").stat().st_size == 5_000_001
    tree = project.facts("iteration.ended")[-1]["tree"]
    names = project.git("--git-dir=.git", "ls-tree", "-r", "--name-only", tree).splitlines()
    assert "answer" in names and "ralph.log" not in names and "ralph.log.1" not in names
    project.git("add", "answer")
    project.git("commit", "-qm", "answer")
    again = project.ralph("run", "--task-id", "again", "--max-iterations", "1")
    assert "uncommitted" not in again.stderr


def test_a_log_that_cannot_be_written_is_told_once_and_ends_nothing(project: Project) -> None:
    project.agent(f"rm ralph.log; ln -s $HOME/precious ralph.log; {DONE}")
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("warning: ralph.log cannot be written") == 1
    assert not project.mark("precious")
    (project.path / "ralph.log").unlink()
    (project.path / "answer").unlink()
    (project.path / "ralph.log").mkdir()
    quiet = project.ralph("run", "--json", "--task-id", "again")
    assert quiet.returncode == 0
    assert quiet.stderr.count("ralph.log cannot be written") == 1
    assert all(json.loads(line) for line in quiet.stdout.splitlines())


def test_a_refused_run_leaves_no_log(project: Project) -> None:
    project.write("mine", "uncommitted")
    assert project.ralph("run").returncode == 2
    assert not (project.path / "ralph.log").exists()
