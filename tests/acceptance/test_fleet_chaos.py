"""A fleet under fire: two server processes on one PostgreSQL, three workers and two landers behind an unreliable network; each is
killed or stopped in turn, PostgreSQL crashes once. Every task lands all the same, once, and the history is sound."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from fleet_proxy import FATES, FleetProxy
from postgres import Cluster
from remote_project import FILES, RemoteProject
from serving import PATIENCE, RALPH, end, start

TASKS, WORKERS, LANDERS = 8, ("ann", "bob", "cem"), ("lea", "leo")
LEASE = 3  # seconds
ROUNDS = 10
AGENT = """\
iterations:
  - - run: sleep 0.5; echo half > done-$RALPH_TASK
    - say: TASK_COMPLETE
  - - run: sleep 0.5; echo done > done-$RALPH_TASK
    - say: TASK_COMPLETE
"""
GATE = """\
ls done-* >/dev/null 2>&1 || { echo 'FAILED: nothing is done'; exit 1; }
if grep half done-*; then echo 'FAILED: only half of it'; exit 1; fi
"""


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    found = Cluster(durable=True)  # what it committed outlives its crash
    yield found
    found.stop()


class FleetUnderFire:
    def __init__(self, folder: Path, cluster: Cluster, dice: random.Random) -> None:
        self.folder = folder
        self.cluster = cluster
        self.database = cluster.create_database()
        self.db = ("--db", self.database, "--lease-seconds", str(LEASE))
        self.servers = [start(folder / f"api{n}", *self.db) for n in range(2)]
        self.networks = [FleetProxy(served.port, dice) for served in self.servers]
        self.admin = self.servers[0].token or self.servers[1].token
        self.remote = RemoteProject(folder / "remote.git", {**FILES, "agent.yml": AGENT, "test.sh": GATE})
        self.ask("PUT", "/api/repositories/app", {"url": str(self.remote.path), "target": "main"})
        self.tokens = {
            name: self.ask("POST", "/api/tokens", {"name": name, "role": role})["secret"]
            for names, role in ((WORKERS, "worker"), (LANDERS, "lander"))
            for name in names
        }
        self.workers = {name: self.work(name) for name in (*WORKERS, *LANDERS)}

    def ask(self, method: str, path: str, body: object = None) -> dict[str, str]:
        """Of a server, not by the network of the workers. Without its database it says so, and is asked again."""
        ends = time.monotonic() + PATIENCE
        while (answer := self.servers[0].ask(method, path, body, token=self.admin)).status == 503:
            assert time.monotonic() < ends, answer.body
            time.sleep(0.2)
        assert answer.status < 300, answer.body
        return answer.json  # type: ignore[no-any-return]

    def work(self, name: str) -> subprocess.Popen[bytes]:
        """It knows one of the servers: what that one misses while it is dead waits."""
        home = self.folder / name
        home.mkdir(exist_ok=True)
        url = self.networks[(*WORKERS, *LANDERS).index(name) % 2].url
        how = ("--land",) if name in LANDERS else ("--concurrency", "2")
        environment = {"HOME": str(home), "PATH": os.environ["PATH"], "RALPH_SERVER_TOKEN": self.tokens[name]}
        with open(self.folder / f"{name}.log", "ab") as log:
            return subprocess.Popen(
                [RALPH, "worker", "--server", url, "--name", name, *how],
                env=environment,
                stdout=log,
                stderr=log,
            )

    def kill_worker(self, name: str) -> None:
        self.workers[name].kill()
        self.workers[name].wait()
        self.workers[name] = self.work(name)

    def stop_worker(self, name: str) -> None:
        """Longer than its lease: others take its tasks, and what it sends afterwards changes nothing."""
        self.workers[name].send_signal(signal.SIGSTOP)
        time.sleep(LEASE + 1)
        self.workers[name].send_signal(signal.SIGCONT)

    def kill_server(self, which: int) -> None:
        served = self.servers[which]
        end(served.process)
        self.servers[which] = start(self.folder / f"api{which}", *self.db, port=served.port)

    def landed(self) -> list[str]:
        """The tasks whose commits are on the target."""
        form = "--format=%(trailers:key=Ralph-Task,valueonly,separator=%x2C)"
        command = ["git", "-C", str(self.remote.path), "log", form, "main"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        return [line for line in said.splitlines() if line]

    def crash_database(self) -> None:
        self.cluster.end()
        self.cluster.start()

    def revive(self) -> None:
        """As a unit with Restart=always does: a worker that cannot register ends."""
        for name, worker in self.workers.items():
            if worker.poll() is not None:
                self.workers[name] = self.work(name)

    def close(self) -> None:
        for worker in self.workers.values():
            worker.kill()
            worker.wait()
        for network in self.networks:
            network.close()
        for served in self.servers:
            end(served.process)

    def why_not(self, ids: list[str]) -> str:
        return "".join(f"{id}: {self.ask('GET', f'/api/tasks/{id}/why')}\n" for id in ids)

    def words(self) -> str:
        return "\n".join(f"{log.name}: {log.read_text()[-3000:]}" for log in self.folder.glob("*.log"))


def statuses(fleet: FleetUnderFire, ids: list[str]) -> list[str]:
    return [fleet.ask("GET", f"/api/tasks/{id}")["status"] for id in ids]


@pytest.mark.timeout(900)
def test_every_task_lands_once_although_everything_dies(tmp_path: Path, cluster: Cluster) -> None:
    dice = random.Random(7)
    fleet = FleetUnderFire(tmp_path, cluster, random.Random(8))
    try:
        new = {"task": "Greet", "ralphPromise": "greeted", "repository": "app"}
        ids = [fleet.ask("POST", "/api/tasks", new)["id"] for _ in range(TASKS)]
        for n in range(ROUNDS):
            time.sleep(dice.uniform(0.2, 2))
            name = dice.choice((*WORKERS, *LANDERS))
            if n == ROUNDS // 2:
                fleet.crash_database()
            elif n % 3 == 0:
                fleet.kill_worker(name)
            elif n % 3 == 1:
                fleet.kill_server(dice.randrange(2))
            else:
                fleet.stop_worker(name)
        ends = (
            time.monotonic() + 10 * PATIENCE
        )  # a worker that could not begin it makes a task wait for minutes
        while set(found := statuses(fleet, ids)) & {"pending", "in_progress"}:
            assert time.monotonic() < ends, fleet.why_not(ids) + fleet.words()
            fleet.revive()
            time.sleep(0.5)
        assert set(found) == {"complete"}, fleet.words()
        assert sorted(fleet.landed()) == sorted(ids)
        fates = sum((network.fates for network in fleet.networks), Counter())
        assert set(fates) == {"forwarded", *FATES}, "the network did its worst"
    finally:
        fleet.close()
    checked = subprocess.run(
        [RALPH, "server", "check", "--db", fleet.database], capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"{TASKS} tasks" in checked.stdout
