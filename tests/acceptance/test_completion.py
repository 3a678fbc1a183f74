"""Completion in the real shells: a line is typed, TAB is pressed, and what was completed is run."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import subprocess
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
from project import Project, until

from ralph.setup.project import known_agents

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], 'eval "$(ralph completion bash)"'),
    "zsh": (
        ["zsh", "-f", "-i"],
        'autoload -Uz compinit && compinit -u -D; eval "$(ralph completion zsh)"',
    ),
    "fish": (["fish", "--no-config", "-i"], "ralph completion fish | source"),
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Project:
    place = tmp_path_factory.mktemp("finished")
    project = Project(place / "project", place / "home")
    project.config(
        "cli: {command: ./agent.sh}\n"
        "gates: [{name: tests, run: sh test.sh}, {name: lint-it, run: 'echo linted'}]\n"
    )
    project.agent("expr 40 + $RALPH_ITERATION > answer; echo did $RALPH_ITERATION; echo TASK_COMPLETE")
    project.commit()
    assert project.ralph("run").returncode == 0
    return project


class Shell:
    """A shell on a terminal, with completion set up as its help says."""

    def __init__(self, project: Project, name: str) -> None:
        argv, setup = SHELLS[name]
        self._fd, theirs = pty.openpty()
        self.shown = ""
        self.process = subprocess.Popen(
            argv,
            cwd=project.path,
            env=project.env | {"TERM": "vt100", "PS1": "$ ", "HISTFILE": "/dev/null"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        os.set_blocking(self._fd, False)
        self.type(f"{setup}; echo re''ady\n")
        self.awaits("ready")

    def type(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def awaits(self, text: str) -> None:
        until(lambda: text in self.read(), f"the shell shows {text!r}")

    def read(self) -> str:
        try:
            while data := os.read(self._fd, 65536):
                self.shown += data.decode("utf-8", "replace")
                if "\033[c" in self.shown:  # fish asks the terminal what it is
                    self.shown = self.shown.replace("\033[c", "")
                    os.write(self._fd, b"\033[?1;2c")
        except OSError:
            pass
        return self.shown

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._fd)


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, finished: Project) -> Iterator[Shell]:
    if not shutil.which(request.param):
        pytest.skip(f"{request.param} is not installed")
    found = Shell(finished, request.param)
    yield found
    found.end()


def test_tab_completes_a_command_and_values_in_a_real_shell(shell: Shell) -> None:
    shell.type("ralph stat\t\n")
    shell.awaits("completed-verified")
    shell.type("ralph logs 2 --gate lin\t\n")
    shell.awaits("linted")
    shell.type("ralph logs --seri\t1\n")
    shell.awaits("did 1")


# -- what is offered, asked as the shells ask ----------------------------------------------------------


def offered(project: Project, line: str, cwd: Path | None = None) -> list[str]:
    """As bash's function does it, for the last word of the line."""
    words = line.split(" ")
    env = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_RALPH_COMPLETE": "bash_complete"}
    done = project.ralph(env=env, cwd=cwd)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def plain(project: Project, line: str) -> set[str]:
    return {item.removeprefix("plain,") for item in offered(project, line)}


def test_commands_and_options_are_offered(finished: Project) -> None:
    assert {"run", "resume", "recover", "report"} <= plain(finished, "ralph r")
    assert plain(finished, "ralph doc") == {"doctor"}
    assert {"--prompt", "--prompt-file"} <= plain(finished, "ralph run --p")
    assert plain(finished, "ralph completion ") == {"bash", "zsh", "fish"}


def test_values_are_offered(finished: Project) -> None:
    loop = finished.facts("loop.started")[0]["loop"]
    run = finished.facts("run.started")[0]["run"]
    assert plain(finished, "ralph logs ") == {"0", "1", "2"}
    assert plain(finished, "ralph logs 1 --gate ") == {"tests"}
    assert plain(finished, "ralph logs 2 --gate ") == {"tests", "lint-it"}
    assert plain(finished, "ralph logs 2 --serial ") == {"2"}
    assert plain(finished, "ralph logs --loop ") == {loop}
    assert plain(finished, "ralph logs --loop 1") == set()
    assert plain(finished, f"ralph report {loop[:4]}") == {loop}
    assert plain(finished, "ralph events --loop ") == {loop}
    assert plain(finished, "ralph events --run ") == {run}
    assert plain(finished, "ralph events --kind gate.") == {"gate.started", "gate.ended"}
    assert {"gated", "micro"} <= plain(finished, "ralph init --preset ")
    assert {"gated", "micro"} <= plain(finished, "ralph presets ")
    assert plain(finished, "ralph init --agent ") == {agent.name for agent in known_agents()}
    assert plain(finished, "ralph init --agent c") == {"claude", "codex", "copilot"}


@pytest.mark.parametrize("shell", SHELLS)
def test_the_lines_of_the_help_install_it_in_a_fresh_home(project: Project, shell: str) -> None:
    shown = project.ralph("completion", "--help").stdout.partition("Examples:\n")[2].partition("\n\n")[0]
    lines = [line.strip() for line in shown.splitlines()]
    at = next(n for n, line in enumerate(lines) if line.startswith(f"ralph completion {shell} > ~/"))
    done = project.shell(f"set -e; {lines[at - 1]}; {lines[at]}")
    assert (done.returncode, done.stderr) == (0, "")
    place = Path(lines[at].rpartition("> ~/")[2])
    assert "_RALPH_COMPLETE" in (project.env["HOME"] / place).read_text()


def test_files_are_left_to_the_shell(finished: Project) -> None:
    assert offered(finished, "ralph run --config ra") == ["file,ra"]
    assert offered(finished, "ralph run -- ./ag") == ["file,./ag"]


@pytest.mark.parametrize("line", ["ralph nosuch ", "ralph run --nosuch ", "ralph logs x y z "])
def test_a_line_that_makes_no_sense_is_not_disturbed_by_an_error(finished: Project, line: str) -> None:
    offered(finished, line)


def test_an_unknown_loop_has_no_gates(finished: Project) -> None:
    assert offered(finished, "ralph logs --loop x --gate ") == []


def test_trouble_offers_nothing_and_says_nothing(project: Project, tmp_path: Path) -> None:
    assert offered(project, "ralph logs ") == []
    (project.path / ".git/ralph").mkdir()
    (project.path / ".git/ralph/journal.jsonl").write_text("not a journal\nat all\n{\n")
    assert offered(project, "ralph logs ") == []
    (tmp_path / "bare").mkdir()
    project.git("init", "-q", "--bare", str(tmp_path / "bare"))
    assert offered(project, "ralph logs ", cwd=tmp_path / "bare") == []


def test_looking_for_completions_writes_nothing(project: Project) -> None:
    offered(project, "ralph logs ")
    offered(project, "ralph recover ")
    assert not (project.path / ".git/ralph").exists()


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_shows_what_the_values_mean(finished: Project) -> None:
    asked = "ralph completion fish | source; complete -C 'ralph logs 2 --gate '"
    done = subprocess.run(
        ["fish", "--no-config", "-c", asked],
        cwd=finished.path,
        env=finished.env,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "tests\tgreen; exit 0" in done.stdout.splitlines()


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_valid_for_its_shell(project: Project, shell: str) -> None:
    script = project.ralph("completion", shell)
    assert script.returncode == 0 and "_RALPH_COMPLETE" in script.stdout
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n"], input=script.stdout, text=True, check=True, env=project.env)


def test_an_unknown_shell_is_refused(project: Project) -> None:
    done = project.ralph("completion", "csh")
    assert done.returncode == 2 and "bash" in done.stderr
