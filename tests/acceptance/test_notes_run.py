"""Todos and memories in a run: what one iteration notes by `ralph tools`, the prompt of the next one shows."""

from __future__ import annotations

from project import RALPH, Project

AGENT = f"""#!/bin/sh
cat > ../prompt-$RALPH_ITERATION
mkdir -p src && cd src
if [ $RALPH_ITERATION = 1 ]; then
  {RALPH} tools task add "Write 42" -p 1
  {RALPH} tools memory add "The answer goes into one file" -t decision --tags answer
  echo ITERATION_DONE
else
  {RALPH} tools task close "$({RALPH} tools task ready --format quiet)"
  echo 42 > ../answer
  echo TASK_COMPLETE
fi
"""


def test_what_an_iteration_notes_the_next_one_reads(project: Project) -> None:
    project.write("agent.sh", AGENT, executable=True)
    project.commit()
    done = project.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    first, second = ((project.path.parent / f"prompt-{n}").read_text() for n in (1, 2))
    assert "Write 42 into the file" in first
    assert "<ready-tasks>" not in first
    assert "# Memories" not in first
    assert "- [ ] [P1] Write 42 (task-" in second
    assert "> The answer goes into one file\n<!-- tags: answer | created: " in second
    notes = project.path / ".ralph/agent"
    assert '"status":"closed"' in (notes / "tasks.jsonl").read_text()
    assert not (project.path / "src/.ralph").exists()
