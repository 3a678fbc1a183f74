"""The architecture page: its worked example is run and compared, and every function that it names exists."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ralph
from ralph.core import facts as f
from ralph.core import loop
from ralph.core.loop.decide import RunAgent, decide
from ralph.core.loop.fold import SLICES, fold, fold_all
from ralph.core.loop.state import LoopState
from ralph.core.run import RunState, Work, fold_run, schedule

PACKAGE = Path(ralph.__file__).parent
PAGE = (Path(__file__).parents[3] / "docs/architecture.md").read_text()
THEORY = loop.__doc__ or ""
ROW = re.compile(r"^\| (\d+) \| `([a-z.]+)` \| `(\{.*?\})`[^|]* \| .* \| `?([^|`]+)`? \|$", re.MULTILINE)


class Run:
    """`ralph` in a repository with the files of the example."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.folder.mkdir()
        ours = {name: os.environ[name] for name in ("PATH", "RALPH_TIER") if name in os.environ}
        self.env = ours | {"HOME": str(folder), "LANG": "C.UTF-8"}
        for name, text in re.findall(r"^```\w*\n# ([\w.]+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL):
            (self.folder / name).write_text(text)
        author = ("-c", "user.name=User", "-c", "user.email=user@localhost")
        self.do("git", "init", "-q", "-b", "main")
        self.do("git", "add", "-A")
        self.do("git", *author, "commit", "-qm", "begin")
        self.code = self.ralph("run", "-p", "Make the failing test pass").returncode
        self.records = [json.loads(line) for line in self.ralph("events", "--json").stdout.splitlines()]
        self.facts = [f.decode(json.dumps(record["data"]).encode()) for record in self.records]

    def ralph(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.do(sys.executable, "-m", "ralph", *arguments, check=False)

    def do(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=check,
            timeout=120,
        )

    def answers(self) -> list[str]:
        """What the core wants after each fact: of the run, or of its loop."""
        found, of_run, of_loop = [], RunState(), LoopState()
        for fact in self.facts:
            of_loop = fold(of_loop, fact)
            of_run = fold_run(of_run, fact, of_loop.identity.task.id)
            wanted = [f"{type(op).__name__} {op.id}" for op in decide(of_loop)]
            wanted += [type(step).__name__ for step in schedule(of_run, of_run.tasks, Work(most=1))]
            found.append(", ".join(wanted) or "nothing")
        return found


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return Run(tmp_path_factory.mktemp("example"))


def test_the_example_leaves_these_facts_in_this_order(example: Run) -> None:
    said = [(int(number), kind) for number, kind, _, _ in ROW.findall(PAGE)]
    assert said == [(record["seq"], record["kind"]) for record in example.records]
    assert example.code == 0 and "`ralph` exits with 0" in PAGE


def test_the_facts_of_the_example_say_what_the_page_shows(example: Run) -> None:
    for (number, kind, shown, _), record in zip(ROW.findall(PAGE), example.records, strict=True):
        fields = json.loads(shown)
        assert fields == {name: record["data"].get(name) for name in fields}, f"{number} {kind}"


def test_the_core_wants_what_the_page_says_after_each_fact(example: Run) -> None:
    assert [wanted for *_, wanted in ROW.findall(PAGE)] == example.answers()


def test_killed_during_the_first_iteration_it_would_begin_another(example: Run) -> None:
    died = fold_all(example.facts[:6])
    cut = f.IterationEnded(
        serial=1, n=1, how="interrupted", code=-9, seconds=0.1, tree=died.workspace.tree, cause="stop"
    )
    (wanted,) = decide(fold_all([cut, f.LoopResumed(run="next")], died))
    assert isinstance(wanted, RunAgent) and f"wants `RunAgent {wanted.id}`" in PAGE


@pytest.mark.parametrize("named", sorted(set(re.findall(r"`([\w/]+\.py:[\w.]+)`", PAGE))))
def test_every_function_that_the_page_names_exists(named: str) -> None:
    file, _, name = named.partition(":")
    found: object = importlib.import_module(f"ralph.{file.removesuffix('.py').replace('/', '.')}")
    for part in name.split("."):
        found = getattr(found, part)


def test_the_page_names_functions_of_the_whole_path() -> None:
    rooms = {named.partition("/")[0] for named in re.findall(r"`([\w/]+)\.py:[\w.]+`", PAGE)}
    assert rooms >= {"cli", "config", "runner", "core", "journal", "prompt", "agents", "gates", "git"}


def test_every_file_that_the_theory_of_operation_names_exists() -> None:
    near = PACKAGE / "core" / "loop"
    files = set(re.findall(r"[\w/]+\.py\b", THEORY))
    missing = [
        file
        for file in files
        if not any((base / file).exists() for base in (near, PACKAGE, PACKAGE.parents[1]))
    ]
    assert len(files) > 8 and missing == []


def test_the_theory_of_operation_has_the_slices_in_order() -> None:
    table = THEORY.partition("Slices, and")[2].partition("From a claim")[0]
    assert re.findall(r"^ {4}(\w+) {2,}\w", table, re.MULTILINE) == list(SLICES)
