"""A scanner that is data over a backlog: tasks are dispatched in their order, without an agent; who fails is marked."""

from __future__ import annotations

import json

from project import Project

CONFIG = """\
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
event_loop: {starting_event: board.scan, max_iterations: 20}
hats:
  scanner:
    triggers: [board.scan, board.rescan]
    scan: {backlog: {tasks.jsonl: task.ready}}
  worker:
    triggers: [task.ready]
    publishes: [board.rescan]
    default_publishes: board.rescan
    instructions: Do the task.
"""
WORKS = """\
id=$(sed -n 's/^- `task.ready`: \\([^:]*\\):.*/\\1/p' "$HOME/prompt")
echo "$id" >> "$HOME/taken"
[ "$id" = B ] && exit 0
sed -i "/\\"id\\": *\\"$id\\"/s/pending/complete/" tasks.jsonl
"""


def test_tasks_are_dispatched_in_their_order_and_one_that_stays_is_marked_as_failed(project: Project) -> None:
    project.config(CONFIG)
    tasks = [
        {"id": "A", "title": "Second", "status": "pending", "leaf": True, "priority": 2},
        {"id": "B", "title": "Never done", "status": "pending", "leaf": True, "priority": 3},
        {"id": "C", "title": "First", "status": "pending", "leaf": True, "priority": 1},
    ]
    project.write("tasks.jsonl", "".join(json.dumps(task) + "\n" for task in tasks))
    project.write("agent.sh", f'#!/bin/sh\ncat > "$HOME/prompt"\n{WORKS}', executable=True)
    project.commit()
    done = project.ralph("run", "-P", "PROMPT.md")
    taken = (project.path.parent / "home/taken").read_text().split()
    assert taken == ["C", "A", "B", "B", "B"], done.stdout + done.stderr
    looked = [fact.get("payload") for fact in project.facts("board.looked") if fact.get("topic")]
    assert looked[0] == "C: First"
    (given_up,) = project.facts("item.failed")
    assert given_up["item"] == "B" and not given_up.get("to")
    lines = (project.path / "tasks.jsonl").read_text().splitlines()
    assert {json.loads(line)["id"]: json.loads(line)["status"] for line in lines}["B"] == "failed"
    assert "dispatching: task.ready C" in (project.path / "poll-log.txt").read_text()
    assert done.returncode == 1, done.stdout + done.stderr
