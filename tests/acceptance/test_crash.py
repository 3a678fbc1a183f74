"""Crash-exact: whatever point of a run Ralph dies at, taking it up again gives the same end, proven anew, with nothing lost."""

from __future__ import annotations

from pathlib import Path

from crash import template
from project import Project

SMALL_CONFIG = """\
cli: {backend: scripted, script: agent.yml}
gates: [{name: tests, run: sh "$SEEN" tests sh test.sh}]
event_loop: {max_iterations: 8, crash_wait: 0, stop_grace: 1}
"""
SMALL_SCRIPT = """\
iterations:
  - - write: {path: src/part, text: "4"}
    - emit: {topic: part.written, payload: "one"}
    - run: &note echo agent >> "$GATE_LOG"
    - say: ITERATION_DONE
  - - write: {path: answer, text: "41"}
    - run: *note
    - say: TASK_COMPLETE
  - - write: {path: answer, text: "42"}
    - write: {path: test.sh, text: "# as the agent likes it\\ntest \\"$(cat answer)\\" = 42\\n"}
    - run: *note
    - say: TASK_COMPLETE
"""
SMALL_FILES = {"test.sh": 'test "$(cat answer 2>/dev/null)" = 42 || { echo "FAILED: the answer is wrong"; exit 1; }\n'}


def small(folder: Path) -> Project:
    """Something written, a claim that fails, and one that also changes what judges it: the gate runs with both."""
    return template(folder, SMALL_CONFIG, SMALL_SCRIPT, SMALL_FILES)
