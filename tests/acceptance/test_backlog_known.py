"""What one loop of a backlog has proven, the next one builds on: its starting tree is not judged a second time."""

from __future__ import annotations

import json

from project import Project

CONFIG = (
    "cli: {command: ./agent.sh}\ngates: [{name: tests, run: sh test.sh}]\nevent_loop: {max_iterations: 3}\n"
)


def test_a_tree_that_this_run_has_landed_is_known_to_pass(project: Project) -> None:
    (project.path / "PROMPT.md").unlink()
    project.config(CONFIG)
    project.write("test.sh", "exit 0\n")
    project.agent("echo good > part-$RALPH_TASK; echo TASK_COMPLETE")
    tasks = ({"id": id, "title": f"Part {id}", "leaf": True} for id in "ABC")
    project.write("tasks.jsonl", "".join(json.dumps(task) + "\n" for task in tasks))
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    judged = [fact["purpose"] for fact in project.facts("gate.ended")]
    assert judged == ["base", "claim", "claim", "claim"]
    claims = [fact["seq"] for fact in project.facts("gate.ended") if fact["purpose"] == "claim"]
    known = [fact.get("known", []) for fact in project.facts("workspace.prepared")]
    assert [[gate["evidence"] for gate in gates] for gates in known] == [
        [],
        [f"journal seq {claims[0]}"],
        [f"journal seq {claims[1]}"],
    ]
    assert all(fact["proof"] == {"tests": "green→green"} for fact in project.facts("loop.ended"))
