"""The driver with real engines: a task of a server is worked on as a prompt is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from fleet import QUICK, FleetServer
from ralph.core import facts as f
from ralph.core.fleet import requests as r
from ralph.core.fleet.worker import CallFailure
from remote_project import RemoteProject


def test_a_task_is_claimed_worked_on_and_leaves_phase_work_proven(server: FleetServer, workers: Any) -> None:
    server.create()
    worker = workers()
    server.wait(lambda: server.task().phase == "land")
    task = server.task()
    assert (task.status, task.holder, task.progress.end) == ("pending", "", "completed-verified")
    assert task.progress.ralph_iterations == 2
    ended = server.facts()[-1]
    assert isinstance(ended, f.LoopEnded) and ended.proof == {"tests": "red→green"}
    assert not worker.said


def test_two_tasks_are_worked_on_side_by_side_where_there_are_two_slots(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    """Each waits for the other."""
    meet = (
        f"touch {tmp_path}/$RALPH_TASK; while ! test -e {tmp_path}/t1 || ! test -e {tmp_path}/t2; "
        "do sleep 0.05; done"
    )
    steps = f'  - - run: "{meet}"\n    - write: {{path: greeting, text: "hello, world\\n"}}\n    - say: TASK_COMPLETE\n'
    remote.commit({"agent.yml": f"iterations:\n{steps}"})
    server.create("t1")
    server.create("t2")
    workers(slots=2)
    server.wait(lambda: server.task("t1").phase == server.task("t2").phase == "land")


def test_a_task_without_a_repository_is_worked_on_where_the_worker_says(
    server: FleetServer, remote: RemoteProject, workers: Any
) -> None:
    server.create(repository="")
    other = workers("bob")
    worker = workers(workdir=remote.work)
    server.wait(lambda: server.task().status == "complete")
    assert (remote.work / "greeting").read_text() == "hello, world\n"
    assert server.task().assigned == "ann" and not worker.said + other.said


def test_below_its_limit_of_free_disk_a_worker_claims_nothing(server: FleetServer, workers: Any) -> None:
    server.create()
    full = workers(free_bytes=1 << 62)
    server.wait(lambda: bool(full.said))
    assert "free" in full.said[0] and not server.task().epoch
    workers("bob")
    server.wait(lambda: server.task().phase == "land")
    assert len(full.said) == 1


class CutTransport:
    """The server's, while the network is not down."""

    def __init__(self, server: FleetServer) -> None:
        self.down = False
        self._inner = server.transport

    def send(self, request: r.WorkerRequest) -> r.WorkerAnswer | CallFailure:
        return CallFailure("unreachable") if self.down else self._inner.send(request)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def test_a_loop_whose_server_is_out_of_reach_is_held_and_continues_when_it_is_back(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    begun, go = tmp_path / "begun", tmp_path / "go"
    wait = f"echo >> {begun}; while ! test -e {go}; do sleep 0.05; done"
    steps = f'  - - run: "{wait}"\n    - write: {{path: greeting, text: "hello, world\\n"}}\n    - say: TASK_COMPLETE\n'
    remote.commit({"agent.yml": f"iterations:\n{steps}"})
    network = CutTransport(server)
    server.transport = network  # type: ignore[assignment]
    server.create()
    worker = workers(timing=replace(QUICK, cut=2.0))
    server.wait(begun.exists)
    network.down = True
    server.wait(lambda: worker.worker.protocol.claims["t1"].cut)
    network.down = False
    server.wait(lambda: len(begun.read_text()) == 2)
    go.touch()
    server.wait(lambda: server.task().phase == "land")
    assert server.task().progress.ralph_iterations == 1, "the one that was cut off does not count"
