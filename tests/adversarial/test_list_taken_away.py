"""Promise: nothing that happens to the list of tasks during a run costs the work of a loop that is under way.

People, editors and agents move, replace and lock `tasks.jsonl` while a run works. The loops under way end and land as they would;
the run says what is wrong with the list, begins nothing new meanwhile, and the next run writes what they came to.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from project import Project, until

HOLD = 'touch "$HOME/at-$RALPH_TASK"; until test -e "$HOME/go"; do sleep 0.1; done'
DONE = "echo 42 > answer; echo done > $RALPH_TASK.txt; echo TASK_COMPLETE"
LISTS = ("tasks.jsonl", "tasks-done.jsonl")
TAKEN = {
    "a FIFO": "mv {0} ../kept; mkfifo {0}",
    "a folder": "mv {0} ../kept; mkdir {0}",
    "a link to a device": "mv {0} ../kept; ln -s /dev/zero {0}",
}


@pytest.fixture
def working(project: Project) -> Project:
    (project.path / "PROMPT.md").unlink()
    tasks = [{"id": name, "title": name} for name in ("a", "b", "later")]
    project.write("tasks.jsonl", "".join(json.dumps(task) + "\n" for task in tasks))
    project.agent(f"{HOLD}\n{DONE}")
    project.commit()
    return project


def ended(project: Project, taken: str) -> tuple[int, str]:
    """A run with two loops at work when this happens to its list."""
    run = project.start("run", "--parallel", "2")
    until(lambda: project.mark("at-a") and project.mark("at-b"), "two agents are at work")
    assert project.shell(taken).returncode == 0
    Path(project.env["HOME"], "go").touch()
    return run.wait(120), project.shown()


def landed(project: Project) -> list[str]:
    return sorted(line.split()[-1] for line in project.git("log", "--format=%s").splitlines() if "[" in line)


@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("taken", TAKEN.values(), ids=TAKEN)
def test_what_is_put_in_its_place_ends_no_loop(working: Project, taken: str, name: str) -> None:
    code, shown = ended(working, f"touch {name}; {taken.format(name)}")
    assert landed(working) == ["a", "b"], shown
    assert code == 70 and "is not a file" in shown and "Traceback" not in shown
    assert "2 done" in shown and "the next `ralph run` writes it" in shown
    working.shell(f"rm -r {name}; mv ../kept {name}")
    again = working.ralph("run")
    assert again.returncode == 0, again.stdout + again.stderr
    assert landed(working) == ["a", "b", "later"], "and nothing was done twice"
    done = (working.path / "tasks-done.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["id"] for line in done) == ["a", "b", "later"]


@pytest.mark.parametrize("name", LISTS)
def test_a_copy_that_an_agent_fills_with_millions_of_lines_holds_nothing_up(
    working: Project, name: str
) -> None:
    flood = f"yes '{{}}' | head -c 100000000 > {name}"
    working.agent(f'case "$RALPH_TASK" in a) {flood};; esac\n{DONE}')
    working.commit()
    done = working.ralph("run", "--task", "a", timeout=90)  # it was minutes
    assert done.returncode == 0, done.stdout + done.stderr
    assert landed(working) == ["a"]
    lines = [line for file in LISTS for line in (working.path / file).read_text().splitlines()]
    assert sorted(json.loads(line)["id"] for line in lines) == ["a", "b", "later"], "the copy is only a copy"


def test_a_list_that_no_one_may_write_ends_no_loop(working: Project) -> None:
    probe = working.path.parent / "probe"
    probe.touch()
    if shutil.which("chattr") is None or subprocess.run(["chattr", "+i", probe]).returncode:
        pytest.skip("needs the right to make a file immutable")
    subprocess.run(["chattr", "-i", probe], check=True)
    try:
        code, shown = ended(working, "chattr +i tasks.jsonl")
    finally:
        subprocess.run(["chattr", "-i", working.path / "tasks.jsonl"], check=True)
    assert code == 70 and "cannot be written" in shown, shown
    assert landed(working)[:2] == ["a", "b"], (
        shown
    )  # a third may have begun before anything had to be written
    again = working.ralph("run")
    assert again.returncode == 0, again.stdout + again.stderr
    assert landed(working) == ["a", "b", "later"]
