"""An agent that another package brings works like one of Ralph's own. The package is the example of docs/extending.md, laid
out as pip would install it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs" / "extending.md"
PROGRAM = """#!/bin/sh
[ "$1" = --version ] && { echo "aide 1.2.3"; exit 0; }
echo "$@" > args; cat > prompt; env > env
echo '{"event": "tool"}'
echo 42 > answer
echo '{"event": "spent", "model": "gpt-5", "in": 100, "out": 23}'
echo '{"event": "said", "text": "TASK_COMPLETE"}'
"""
LOGGED_OUT = """#!/bin/sh
echo '{"event": "failed", "why": "401 Unauthorized"}'
exit 1
"""


class World:
    """A folder with the package on the path of modules and its program on the path of programs."""

    def __init__(self, path: Path) -> None:
        self.folder = path / "work"
        self.folder.mkdir()
        text = DOCS.read_text("utf-8").partition("## Adding an agent")[2]
        code = text.partition("```python\n")[2].partition("```")[0]
        toml = text.partition("```toml\n")[2].partition("```")[0]
        entry = toml.partition('[project.entry-points."ralph.agents"]\n')[2].strip().replace('"', "")
        assert code and entry
        site = path / "site"
        info = site / "ralph_aide-1.0.dist-info"
        info.mkdir(parents=True)
        (site / "ralph_aide.py").write_text(code)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ralph-aide\nVersion: 1.0\n")
        self._entries, self._lines = info / "entry_points.txt", ["[ralph.agents]", entry]
        self.brings()
        self._program = path / "bin" / "aide"
        self._program.parent.mkdir()
        self.program(PROGRAM)
        self.env = {
            "PYTHONPATH": str(site),
            "PATH": f"{self._program.parent}:/usr/bin:/bin",
            "HOME": str(path),
            "LANG": "C.UTF-8",
            "AIDE_KEY": "theirs",
            "CODEX_MINE": "not theirs",
        }

    def brings(self, *more: str) -> None:
        """The package's entry points: that of the documentation, and these."""
        self._lines += more
        self._entries.write_text("\n".join(self._lines) + "\n")

    def program(self, text: str) -> None:
        self._program.write_text(text)
        self._program.chmod(0o755)

    def config(self, text: str) -> None:
        (self.folder / "ralph.yml").write_text(text)

    def ralph(self, *arguments: str, python: tuple[str, ...] = ("-m", "ralph")) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, *python, *arguments],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert "Traceback" not in done.stdout
        return done.returncode, done.stdout


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_a_run_with_it(world: World) -> None:
    world.config("cli: {backend: aide, model: big, args: [--fast]}\ngates: none\n")
    assert world.ralph("validate")[0] == 0
    code, shown = world.ralph("run", "-p", "Write the answer.")
    assert code == 0, shown
    assert (world.folder / "args").read_text() == "--yes --model big --fast\n"
    assert "Write the answer." in (world.folder / "prompt").read_text()
    env = (world.folder / "env").read_text()
    assert "AIDE_KEY=theirs\n" in env and "CODEX_MINE" not in env, "it gets what it needs and no more"
    _, events = world.ralph("events", "--json")
    (ended,) = [fact for fact in map(json.loads, events.splitlines()) if "iteration.ended" in fact.values()]
    assert '"tokens":123' in json.dumps(ended, separators=(",", ":"))


def test_its_faults_are_known_and_its_login_hint_is_shown(world: World) -> None:
    world.config("cli: {backend: aide}\ngates: none\n")
    world.program(LOGGED_OUT)
    code, shown = world.ralph("run", "-p", "x")
    assert code == 10 and "401 Unauthorized" in shown
    assert "Log in with `aide login`, then `ralph resume`." in shown
    assert "Log in with `aide login`" in world.ralph("status")[1]


def test_validation_knows_it(world: World) -> None:
    world.config("cli: {backend: aids}\n")
    code, shown = world.ralph("validate")
    assert code == 2 and "(nearest valid: aide)" in shown
    world.config("cli: {backend: aide, output: jsonl}\ngates: none\n")
    assert "is used only with backend: custom" in world.ralph("validate")[1]
    hat = "hats: {solo: {triggers: [task.start], publishes: [x.done], allowed_tools: [Read], disallowed_tools: [Web]}}"
    world.config(f"cli: {{backend: aide}}\ngates: none\n{hat}\n")
    assert "can be held to it" not in world.ralph("validate")[1]
    world.ralph("run", "-p", "x", "--max-iterations", "1")
    assert (world.folder / "args").read_text() == "--yes --only=Read --without=Web\n"


def test_doctor_and_init_know_it(world: World) -> None:
    assert "aide 1.2.3" in world.ralph("doctor")[1]
    code, shown = world.ralph("init", "--yes")
    assert code == 0, shown
    assert "  backend: aide\n" in (world.folder / "ralph.yml").read_text()


def test_it_is_taken_when_no_other_agent_is_there(world: World) -> None:
    world.config("gates: none\n")
    code, shown = world.ralph("run", "-p", "x")
    assert code == 0 and "aide is taken, the first on PATH" in shown


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("broken = no_such_module:Adapter", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("broken = ralph_aide:AideReader", "TypeError: AideReader is not an Adapter"),
    ],
)
def test_one_that_cannot_be_loaded_names_its_package_and_harms_no_other(
    world: World, entry: str, why: str
) -> None:
    world.brings(entry)
    world.config("cli: {backend: broken}\nevent_loop: {max_cost_usd: 1}\ngates: none\n")
    code, shown = world.ralph("run", "-p", "x")
    assert code == 10 and why in shown and "ralph-aide" in shown
    assert why in world.ralph("validate")[1]
    assert why in (doctor := world.ralph("doctor")[1]) and "aide 1.2.3" in doctor
    world.config("cli: {backend: aide}\ngates: none\n")
    assert world.ralph("run", "-p", "x")[0] == 0


def test_the_names_of_built_in_agents_cannot_be_taken(world: World) -> None:
    world.brings("claude = ralph_aide:Aide")
    code = "from ralph.agents.registry import find; print(type(find('claude')).__name__)"
    assert world.ralph(python=("-c", code)) == (0, "ClaudeAdapter\n")


def test_a_command_line_needs_no_class(world: World) -> None:
    (Path(world.env["PYTHONPATH"]) / "ralph_line.py").write_text(
        "from ralph.agents.command import CommandLine\n"
        "LINE = CommandLine(('aide', '--yes'), '--model', login_hint='`aide login`')\n"
    )
    world.brings("line = ralph_line:LINE")
    world.config("cli: {backend: line, model: big}\ngates: none\nevent_loop: {max_cost_usd: 1}\n")
    assert "line does not report what it uses" in world.ralph("validate")[1]
    world.program('#!/bin/sh\necho "$@" > args\necho TASK_COMPLETE\necho 42 > answer\n')
    code, shown = world.ralph("run", "-p", "x")
    assert code == 0, shown
    assert (world.folder / "args").read_text() == "--yes --model big\n"
