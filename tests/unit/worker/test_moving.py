"""A loop is taken up by another worker: what a claim left is continued from what the server has."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from fleet import FleetServer
from ralph.core import facts as f
from remote_project import RemoteProject

# The second iteration waits until a file says that it may continue.
WAITING = """\
iterations:
  - - write: {{path: greeting, text: "hello, everyone\\n"}}
    - scratchpad: {{done: a greeting, testStatus: red, nextStep: name the world, blockers: none}}
    - run: {python} -m ralph tools memory add "the world wants a name"
    - say: TASK_COMPLETE
  - - write: {{path: half, text: "half\\n"}}
    - run: cat .ralph/agent/scratchpad.md .ralph/agent/memories.md > {seen}
    - run: touch {begun}; while ! test -e {go}; do sleep 0.05; done
    - write: {{path: greeting, text: "hello, world\\n"}}
    - delete: half
    - say: TASK_COMPLETE
"""


def test_a_drained_worker_gives_the_loop_to_another_that_continues_it(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    begun, go, seen = (tmp_path / name for name in ("begun", "go", "seen"))
    remote.commit({"agent.yml": WAITING.format(begun=begun, go=go, seen=seen, python=sys.executable)})
    server.create()
    first = workers("ann")
    server.wait(begun.exists)
    first.stop()
    assert server.task().holder == "" and server.task().status == "pending"
    assert server.task().progress.end == "stopped"
    go.touch()
    workers("bob")
    server.wait(lambda: server.task().phase == "land")
    facts = server.facts()
    moved = [x for x in facts if isinstance(x, f.LoopMoved)]
    roots = [x.root for x in facts if isinstance(x, f.LoopStarted | f.LoopMoved)]
    assert len(moved) == 1 and "/ann/" in roots[0] and "/bob/" in roots[1]
    assert server.task().progress.ralph_iterations == 2
    stored = server.store.read(lambda tx: tx.facts("t1"))
    elsewhere = [one.fact for one in stored if one.fact.kind not in ("loop.started", "loop.moved")]
    assert not [fact for fact in elsewhere if str(tmp_path / "ann").encode() in fact.body]
    said = seen.read_text()
    assert "name the world" in said and "the world wants a name" in said
