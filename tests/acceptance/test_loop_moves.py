"""A loop moves: its worker is killed again and again, another one continues, and it comes to what it would have come to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from fleet import FleetServer, start_worker
from ralph.core import facts as f
from remote_project import FILES, RemoteProject

HOLD = (
    "if test -e {place}/hold/{what}; then rm {place}/hold/{what}; touch {place}/begun/{what}; sleep 600; fi"
)
GATE = 'test "$(cat count 2>/dev/null)" = 7 || { echo "FAILED: not 7"; exit 1; }'
# Each iteration remembers and notes something, waits to be killed where the test says so, and some claim too early.
ITERATION = """\
  - - run: {python} -m ralph tools memory add "iteration {n} was here"
    - scratchpad: {{done: "count {n}", testStatus: red, nextStep: "count {next}", blockers: none}}
    - write: {{path: half-{n}, text: "half"}}
    - run: {hold}
    - delete: half-{n}
    - write: {{path: count, text: "{n}\\n"}}
    - run: cat .ralph/agent/scratchpad.md .ralph/agent/memories.md > {place}/seen/{n}
    - say: {word}
"""
ITERATIONS = 7
CLAIMS = (2, 5, 7)


def files_in(place: Path) -> dict[str, str]:
    steps = "".join(
        ITERATION.format(
            n=n,
            next=n + 1,
            python=sys.executable,
            place=place,
            hold=HOLD.format(place=place, what=n),
            word="TASK_COMPLETE" if n in CLAIMS else "ITERATION_DONE",
        )
        for n in range(1, ITERATIONS + 1)
    )
    gate = f"{HOLD.format(place=place, what='gate-$(cat count)')}\n{GATE}\n"
    return {**FILES, "test.sh": gate, "agent.yml": f"iterations:\n{steps}"}


class Outcome(NamedTuple):
    """What must be the same whatever happened on the way."""

    end: str
    tree: str
    proof: dict[str, str]
    iterations: list[tuple[int, str]]  # and their trees
    gates: list[tuple[str, str, str, bool]]  # what was said of which tree
    notes: dict[str, list[str]]
    counted: int


class Fleet:
    def __init__(self, folder: Path, lease_ms: int) -> None:
        self.folder = folder
        self.hold, self.begun, self.seen = (folder / name for name in ("hold", "begun", "seen"))
        for place in (self.hold, self.begun, self.seen):
            place.mkdir(parents=True)
        self.remote = RemoteProject(folder / "remote.git", files_in(folder))
        self.server = FleetServer(folder, lease_ms=lease_ms)
        self.server.register("app", str(self.remote.path))
        self.socket = self.server.listen()
        self._workers: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str) -> None:
        self._workers[name] = start_worker(self.socket, self.folder / name, name, self.folder / "home")

    def kill_holder(self) -> str:
        """As a power cut would: its engine and agent go with it."""
        name = self.server.task().holder
        process = self._workers.pop(name)
        process.kill()
        process.wait()
        return name

    def close(self) -> None:
        for process in self._workers.values():
            process.terminate()
        for process in self._workers.values():
            process.wait(60)
        self.server.close()

    def outcome(self) -> Outcome:
        facts = self.server.facts()
        ended = facts[-1]
        assert isinstance(ended, f.LoopEnded)
        gates = (x for x in facts if isinstance(x, f.GateEnded) and x.how != "interrupted")
        whole = (x for x in facts if isinstance(x, f.IterationEnded) and x.how != "interrupted")
        return Outcome(
            ended.end,
            ended.tree,
            ended.proof,
            [(x.n, x.tree) for x in whole],
            [(x.gate, x.variant, x.tree, x.passed) for x in gates],
            self._notes(),
            self.server.task().progress.ralph_iterations,
        )

    def _notes(self) -> dict[str, list[str]]:
        """The scratchpad and the memories as each iteration saw them; the id and the date of a memory are its own."""
        texts = {path.name: path.read_text().splitlines() for path in self.seen.iterdir()}
        return {
            n: [line for line in lines if not line.startswith(("###", "<!--"))] for n, lines in texts.items()
        }


@pytest.mark.timeout(900)
def test_killed_five_times_a_loop_comes_to_what_it_would_have_come_to(tmp_path: Path) -> None:
    calm = Fleet(tmp_path / "fleet", 120_000)
    try:
        calm.start("ann")
        calm.server.create()
        calm.server.wait(lambda: calm.server.task().phase == "land")
        undisturbed = calm.outcome()
    finally:
        calm.close()
    calm.folder.rename(tmp_path / "calm")  # in the other run, everything has the same name

    hard, killed = Fleet(tmp_path / "fleet", 2_000), []
    try:
        for what in (moments := ("1", "3", "4", "gate-5", "7")):
            (hard.hold / what).touch()
        hard.start("ann")
        hard.start("bob")
        hard.server.create()
        for what in moments:
            hard.server.wait((hard.begun / what).exists)
            killed.append(hard.kill_holder())
            hard.server.wait(lambda: hard.server.task().holder not in ("", killed[-1]))
            hard.start(killed[-1])  # its machine is back; the task is another's by now
        hard.server.wait(lambda: hard.server.task().phase == "land")
        facts = hard.server.facts()
        assert hard.outcome() == undisturbed
    finally:
        hard.close()
    assert undisturbed.end == "completed-verified" and undisturbed.counted == ITERATIONS
    assert set(killed) == {"ann", "bob"}
    assert sum(isinstance(x, f.LoopMoved) for x in facts) == len(killed)
    cut = [x for x in facts if isinstance(x, f.IterationEnded | f.GateEnded) and x.how == "interrupted"]
    assert [x.n if isinstance(x, f.IterationEnded) else x.op for x in cut] == [
        1,
        3,
        4,
        "claim:8:tests:as-is",
        7,
    ]
