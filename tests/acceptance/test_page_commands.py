"""The blocks of commands in the docs, typed: each page in its own world, in the order of the page, with stand-ins for models
and test runners. docs/operation.md and docs/fleet.md have test_operation_docs.py, README.md has test_newcomer.py,
docs/commands.md is made from help, whose examples tests/unit/cli/test_cli_help.py parses."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from project import RALPH, Project, until

ROOT = Path(__file__).parents[2]
SAMPLES = Path(__file__).parent / "newcomer"
ELSEWHERE = {"architecture.md", "commands.md", "fleet.md", "operation.md"}
INSTALL = re.compile(r"<!-- newcomer: install -->\s*```sh\n.*?```", re.DOTALL)


def commands(page: str) -> list[str]:
    """The commands of its blocks, as a person would type them; a here-document is part of its command."""
    text = INSTALL.sub("", (ROOT / "docs" / page).read_text())
    found: list[str] = []
    for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
        open_document = False
        for line in block.splitlines():
            if open_document:
                found[-1] += f"\n{line}"
                open_document = line != "END"
            elif line.strip() and not line.startswith("#"):
                found.append(line)
                open_document = "<<'END'" in line
    return found


class Reader:
    """Someone who types what a page shows. The folder is remembered from command to command, nothing else is."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.folder = project.path
        self.home = Path(project.env["HOME"])
        self.programs = self.home / "bin"
        self.programs.mkdir()
        self.env = project.env | {"PATH": f"{self.programs}:{project.env['PATH']}"}
        for name, value in (("user.name", "User"), ("user.email", "user@localhost")):
            subprocess.run(["git", "config", "--global", name, value], env=self.env, check=True)
        self.before: dict[str, Callable[[], None]] = {}  # a part of a command -> what is done first
        self.inside = False  # an agent types
        self.followers: list[subprocess.Popen[str]] = []

    def program(self, name: str, body: str) -> None:
        path = self.programs / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)

    def types(self, line: str) -> str:
        for part, prepare in self.before.items():
            if part in line:
                prepare()
        if self.inside:
            return self.types_in_an_iteration(line)
        if "--follow" in line or "--watch" in line:
            return self.starts(line)
        where = self.home / ".where"
        done = subprocess.run(
            ["bash", "-c", f'{line}\ncode=$?; pwd >"$HOME/.where"; exit $code'],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=240,
        )
        assert done.returncode == 0, f"$ {line}\n{done.stdout}\n[exit {done.returncode}]"
        self.folder = Path(where.read_text().rstrip("\n"))
        return done.stdout

    def starts(self, line: str) -> str:
        """What goes on until something ends it."""
        process = subprocess.Popen(["bash", "-c", line], cwd=self.folder, env=self.env, text=True)
        self.followers.append(process)
        if "--watch" in line:
            ended = self.project.journaled("loop.ended")
            until(lambda: self.project.journaled("loop.ended") >= ended + 2, "both tasks are done")
            self.ralph("stop")
            assert process.wait(timeout=120) == 12
        return ""

    def types_in_an_iteration(self, line: str) -> str:
        self.project.agent(f"{line} && touch $HOME/typed; echo ITERATION_DONE")
        self.commit()
        run = self.project.start("run", "--fresh", "-p", line, env=self.env)
        until(lambda: self.project.mark("typed"), line)
        until(lambda: run.poll() is not None or self.project.journaled("wait.started"), "it asks")
        self.ralph("stop", "--now")
        assert run.wait(timeout=120) in (5, 12)
        (self.home / "typed").unlink()
        return ""

    def ralph(self, *arguments: str) -> str:
        done = subprocess.run(
            [RALPH, *arguments], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=240
        )
        return done.stdout + done.stderr

    def commit(self) -> None:
        self.project.git("add", "-A")
        self.project.git("commit", "-qm", "more", "--allow-empty")

    def leave(self) -> None:
        for follower in self.followers:
            follower.wait(timeout=120)


@pytest.fixture
def reader(project: Project) -> Iterator[Reader]:
    found = Reader(project)
    yield found
    for follower in found.followers:
        follower.kill()


# -- worlds: what is there before a page is typed ------------------------------------------------------------


def first_use(reader: Reader) -> None:
    """~/my-project with a failing test, and Claude Code on the PATH."""
    sample = SAMPLES / "python"
    shutil.copytree(sample / "repository", reader.home / "my-project")
    shutil.copytree(sample / "work", reader.programs / "work")
    shutil.copy(SAMPLES / "claude", reader.programs)
    (reader.programs / "task").write_text("Make the failing test pass")
    reader.folder = reader.home
    reader.types("cd my-project && git init -q -b main && git add -A && git commit -qm begin && cd ..")


def new_folder(reader: Reader) -> None:
    reader.folder = reader.home


def one_folder(reader: Reader) -> None:
    """Prompts come one after another; what one has made is committed before the next."""
    project = reader.project
    (project.path / "PROMPT.md").unlink()
    project.agent(
        'if [ -e "$HOME/slow" ]; then until [ -e "$HOME/over" ]; do sleep 0.1; done; fi\n'
        "echo 42 > answer; date +%s%N > made; echo TASK_COMPLETE"
    )
    for name in ("pytest", "ruff"):
        reader.program(name, "exit 0")
    reader.before["ralph run"] = reader.commit
    reader.before["ralph status"] = lambda: _under_way(reader)
    reader.before["ralph stop"] = (reader.home / "over").touch


def _under_way(reader: Reader) -> None:
    reader.commit()
    (reader.home / "slow").touch()
    known = reader.project.journaled("iteration.started")
    reader.project.start("run", "-p", "One that takes its time", env=reader.env)
    until(lambda: reader.project.journaled("iteration.started") > known, "an iteration has begun")


def night(reader: Reader) -> None:
    """No list yet; every task succeeds."""
    tasks(reader)
    reader.before["ralph status"] = lambda: until(
        lambda: reader.project.journaled("run.ended") >= 2, "the night is over"
    )


SUCCEEDS = 'echo "ANSWER = 42" > dates.py; date +%s%N > "made-$RALPH_TASK"; echo TASK_COMPLETE'
CONFIG = """\
cli: {command: ./agent.sh}
gates: [{name: dates, run: PYTHONPATH=. python3 tests/test_dates.py}]
at_end: [{review: spec, agent: {command: ./review.sh}}]
event_loop: {max_iterations: %d, crash_wait: 0}
flaky_passes: 1
"""


def tasks(reader: Reader, *lines: str, agent: str = SUCCEEDS, most: int = 8) -> None:
    """A backlog of these lines, none of which was ever begun."""
    project = reader.project
    (project.path / "PROMPT.md").unlink(missing_ok=True)
    project.agent(agent)
    project.config(CONFIG % most)
    project.write("review.sh", "#!/bin/sh\ncat > /dev/null\necho PASS\n", executable=True)
    project.write("tests/test_dates.py", "import dates\nassert dates.ANSWER == 42\n")
    for name in ("tasks.jsonl", "tasks-done.jsonl"):
        (project.path / name).unlink(missing_ok=True)
    if lines:
        project.write("tasks.jsonl", "".join(f"{line}\n" for line in lines))
    reader.commit()


TASKS = (
    '{"id":"A","title":"All","leaf":false}',
    '{"id":"A.1","title":"A part"}',
    '{"id":"B","title":"More"}',
)
ASKS = f'if [ $RALPH_ITERATION = 1 ]; then ralph emit human.interact "Which?"; echo ITERATION_DONE; exit; fi; {SUCCEEDS}'
CHEATS = "echo ANSWER = 43 > dates.py; sed -i s/42/43/ tests/test_dates.py; echo TASK_COMPLETE"
TAKES_TWO = f"if [ $RALPH_ITERATION = 1 ]; then echo > dates.py; echo ITERATION_DONE; exit; fi; {SUCCEEDS}"


def backlog(reader: Reader) -> None:
    """Before each way to run: tasks that nobody has begun. Before each way to resume: a task that waits for that."""

    def waits(agent: str, most: int = 8) -> None:
        tasks(reader, *TASKS, agent=agent, most=most)
        reader.ralph("run", "--task", "A.1")

    def example() -> None:
        """The list that the page itself shows."""
        shown = re.search(r"```jsonl\n(.*?)```", (ROOT / "docs/backlog.md").read_text(), re.DOTALL)
        assert shown
        tasks(reader, *shown[1].splitlines())

    def finished() -> None:
        tasks(reader, *TASKS)
        reader.ralph("run")

    reader.before = {
        "ralph run": lambda: tasks(reader, *TASKS),
        "--answer": lambda: waits(ASKS),
        "--allow": lambda: waits(CHEATS),
        "--max-iterations 80": lambda: waits(TAKES_TWO, most=1),
        "ralph status": finished,
        'task add "Write': example,
    }


def hats(reader: Reader) -> None:
    """The first example of the page has run, with one rejection."""
    shown = re.search(r"```yaml\n(.*?)```", (ROOT / "docs/hats.md").read_text(), re.DOTALL)
    assert shown
    agent = "cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}\n"
    reader.project.config(
        re.sub(r"cli:\n  backend: claude\n", agent, shown[1]).replace("make test", "sh test.sh")
    )
    reader.project.agent(
        "echo 42 > answer\n"
        'case $RALPH_ITERATION in 1 | 3) ralph emit build.done ;; 2) ralph emit review.rejected "again" ;; '
        "*) echo LOOP_COMPLETE ;; esac"
    )
    reader.commit()
    assert "completed-verified" in reader.ralph("run")


def within_an_iteration(reader: Reader) -> None:
    """An agent types it. That a loop asks is seen by how it ends, or waits."""
    reader.inside = True


def notes(reader: Reader) -> None:
    todo = '{"id":"task-1737372000-a1b2","title":"First","status":"open","priority":3,"created":"2026-01-01T00:00:00Z"}'
    reader.project.write(".ralph/agent/tasks.jsonl", f"{todo}\n")


PAGES: dict[str, Callable[[Reader], None]] = {
    "quickstart-claude.md": first_use,
    "quickstart-custom.md": new_folder,
    "one-task.md": one_folder,
    "overnight.md": night,
    "backlog.md": backlog,
    "hats.md": hats,
    "steering.md": within_an_iteration,
    "notes.md": notes,
    "mcp.md": new_folder,
}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.timeout(600)
def test_the_commands_of_a_page_work(reader: Reader, page: str) -> None:
    PAGES[page](reader)
    for line in commands(page):
        reader.types(line)
    reader.leave()


def test_every_page_with_commands_is_typed() -> None:
    with_commands = {page.name for page in (ROOT / "docs").glob("*.md") if commands(page.name)}
    assert with_commands == PAGES.keys() | ELSEWHERE


def test_the_quick_start_installs_as_the_readme_does() -> None:
    (shown,) = INSTALL.findall((ROOT / "docs/quickstart-claude.md").read_text())
    assert shown in (ROOT / "README.md").read_text()
