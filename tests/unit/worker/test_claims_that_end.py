"""Claims that do not end by themselves: lost, cut off, given back, and those of a worker that starts again."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from fleet import FleetServer, StoreTransport, WorkerThread, start_worker
from ralph.core import facts as f
from ralph.core.fleet import requests as r
from ralph.core.fleet.outbox import Outbox
from ralph.core.fleet.worker import CallFailure, WorkerTiming
from ralph.worker.claim_folder import ClaimFolder, folders
from remote_project import RemoteProject

HELD = """\
iterations:
  - - write: {{path: half, text: "half a greeting\\n"}}
    - run: echo $$ >> {place}/begun; while ! test -e {place}/go; do sleep 0.05; done
    - write: {{path: greeting, text: "hello, world\\n"}}
    - say: TASK_COMPLETE
"""
TWICE = """\
iterations:
  - - run: touch {place}/begun; while ! test -e {place}/go; do sleep 0.05; done
    - say: ITERATION_DONE
  - - run: while ! test -e {place}/more; do sleep 0.05; done
    - write: {{path: greeting, text: "hello, world\\n"}}
    - say: TASK_COMPLETE
"""


def alive(pids: Path) -> list[int]:
    return [int(pid) for pid in pids.read_text().split() if Path(f"/proc/{pid}").exists()]


def test_cancelled_its_agent_ends_at_once_and_its_edits_are_in_a_recovery_ref(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    remote.commit({"agent.yml": HELD.format(place=tmp_path)})
    server.create()
    worker = workers()
    server.wait((tmp_path / "begun").exists)
    server.wait(lambda: server.task().vitals.op == "iteration:1" and server.task().vitals.seconds > 0)
    server.ask(r.CancelTask("t1", "pat"))
    server.wait(lambda: not alive(tmp_path / "begun"))
    assert server.task().status == "cancelled"
    mirror = tmp_path / "ann/mirrors/app.git"

    def kept() -> str:
        git = ["git", "-C", str(mirror), "for-each-ref", "--format=%(refname)", "refs/ralph/recovery"]
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()

    server.wait(lambda: bool(kept()) and not folders(tmp_path / "ann/claims"))
    shown = subprocess.run(
        ["git", "-C", str(mirror), "show", f"{kept()}:half"], capture_output=True, text=True, check=True
    )
    assert shown.stdout == "half a greeting\n"
    assert "lost" in " ".join(worker.said)


class Cut(StoreTransport):
    """A network that is down when the test says so."""

    down = False

    def send(self, request: r.WorkerRequest) -> r.WorkerAnswer | CallFailure:
        return CallFailure("unreachable") if self.down else super().send(request)


def test_without_the_server_the_agent_is_stopped_and_begins_again_when_it_is_back(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    remote.commit({"agent.yml": HELD.format(place=tmp_path)})
    server.transport = network = Cut(server.store, server.settings)
    server.create()
    workers(timing=WorkerTiming(heartbeat=0.2, cut=1.5, idle=0.05, backoff=0.05, longest_backoff=0.2))
    server.wait((tmp_path / "begun").exists)
    network.down = True
    server.wait(lambda: not alive(tmp_path / "begun"))
    assert server.task().is_held
    (tmp_path / "go").touch()
    network.down = False
    server.wait(lambda: server.task().phase == "land")
    kinds = [x for x in server.facts() if isinstance(x, f.Paused | f.Continued)]
    assert [type(x) for x in kinds] == [f.Paused, f.Continued]
    assert not any(isinstance(x, f.LoopMoved) for x in server.facts())


def test_a_worker_that_starts_again_sends_what_it_had_and_continues_under_a_new_epoch(
    server: FleetServer, remote: RemoteProject, tmp_path: Path
) -> None:
    """The life before died when facts were on its disk that it had not sent."""
    remote.commit({"agent.yml": TWICE.format(place=tmp_path)})
    server.listen()
    server.create()
    first = start_worker(server.path, tmp_path / "ann", "ann", tmp_path / "home")
    server.wait((tmp_path / "begun").exists)
    server.wait(lambda: any(isinstance(x, f.IterationStarted) for x in server.facts()))
    server.down = True
    (tmp_path / "go").touch()
    (folder,) = folders(tmp_path / "ann/claims")
    sent, epoch = server.task().facts, server.task().epoch

    def unsent() -> int:
        record = folder.as_record()
        return record.facts + len(record.entries) - sent if record else 0

    server.wait(lambda: unsent() >= 1)
    first.kill()
    first.wait()
    server.down = False
    (tmp_path / "more").touch()
    second = start_worker(server.path, tmp_path / "ann", "ann", tmp_path / "home")
    try:
        server.wait(lambda: server.task().phase == "land")
        server.wait(lambda: not folders(tmp_path / "ann/claims"))
    finally:
        second.terminate()
        second.wait(60)
    assert server.task().epoch > epoch
    ended = [x for x in server.facts() if isinstance(x, f.IterationEnded)]
    assert [(x.n, x.how) for x in ended if x.how != "interrupted"] == [(1, "exited"), (2, "exited")]
    moved = next(n for n, x in enumerate(server.facts()) if isinstance(x, f.LoopMoved))
    assert ended[0].how == "exited" and server.facts().index(ended[0]) < moved


def test_a_repository_that_cannot_be_fetched_is_the_workers_fault(
    server: FleetServer, workers: Any, tmp_path: Path
) -> None:
    server.register("gone", str(tmp_path / "nowhere.git"))
    server.create("t2", repository="gone")
    worker = workers()
    server.wait(lambda: bool(server.task("t2").faults))
    assert server.task("t2").faults[0].kind == "clone"
    assert server.task("t2").status == "pending" and not server.task("t2").is_held
    assert "nowhere.git" in " ".join(worker.said)


def test_what_was_written_half_into_a_claims_journal_is_as_if_it_had_not_been(
    server: FleetServer, tmp_path: Path
) -> None:
    server.create()
    folder = ClaimFolder.make(tmp_path / "claims", server.task())
    whole = Outbox(0, "").record(f.StopRequested(how="now", by="pat"), loop="l", at="now")
    folder.record((whole,))
    with open(folder.path / "claim.jsonl", "ab") as file:
        file.write(b'{"fact":{"n":2,"loop":"l"')
    record = folder.as_record()
    assert record is not None and record.entries == (whole,)


def test_a_fact_that_the_server_refuses_ends_the_loop_with_a_small_one(
    tmp_path: Path, remote: RemoteProject
) -> None:
    (tmp_path / "strict").mkdir()
    server = FleetServer(tmp_path / "strict", largest_fact=400)
    server.register("app", str(remote.path))
    server.create()
    worker = WorkerThread(server, tmp_path / "ann")
    try:
        server.wait(lambda: bool(server.task().faults) and not server.task().is_held)
        server.wait(lambda: not folders(tmp_path / "ann/claims"))
        (ended,) = server.facts()
        assert isinstance(ended, f.LoopEnded) and ended.end == "internal"
        assert "more than 400 bytes" in ended.reason and server.task().faults[0].kind == "internal"
    finally:
        worker.stop()
        server.close()
