"""A backlog that is not a file: loops over tasks in memory, with real git and real agents' processes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from project import Project

CONFIG = """\
cli: {backend: scripted, script: agent.yml}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 2, crash_wait: 0}
"""
AGENT = """\
iterations:
  - - run: 'mkdir -p parts; echo "$RALPH_TASK" > "parts/$RALPH_TASK"'
    - say: TASK_COMPLETE
"""


def test_tasks_of_a_source_in_memory_are_worked_on_and_landed(project: Project) -> None:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("agent.yml", AGENT)
    project.write("test.sh", "test ! -e parts/bad\n")
    project.commit()
    script = Path(__file__).with_name("memory_backlog.py")
    run = subprocess.run(
        [sys.executable, script, project.path],
        cwd=project.path,
        env=project.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    tasks = found["tasks"]
    assert {id: task["status"] for id, task in tasks.items()} == {
        "A": "complete",
        "B": "complete",
        "bad": "failed",
        "late": "complete",
    }
    assert [change for change in found["written"] if change.startswith("Completed")] == [
        "Completed A",
        "Completed B",
        "Completed late",
    ]
    landed = project.git("ls-tree", "--name-only", "main", "parts/").split()
    assert landed == ["parts/A", "parts/B", "parts/late"]
    assert project.git("rev-parse", "main") == tasks["late"]["commit"]
    assert project.facts("run.started")[0]["file"] == "memory"
    assert {fact.get("backlog", "") for fact in project.facts("loop.started")} == {""}
    assert found["code"] == 12 and not list(project.path.glob("tasks*"))
