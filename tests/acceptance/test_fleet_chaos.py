"""A fleet under fire: two server processes on one PostgreSQL, four workers and two landers behind an unreliable network. Each is
killed, and stopped for longer than a lease, in turn; PostgreSQL crashes. Every task lands all the same, once, and the history is
sound. `make test` has a few tasks, `make test-full` more; `make chaos` has 60, with ALL=1 200, under fire for up to an hour."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fleet_proxy import FATES, FleetProxy
from postgres import Cluster
from remote_project import FILES, RemoteProject
from seed import ALL, drawn
from serving import PATIENCE, RALPH, end, start

WORKERS, LANDERS = ("ann", "bob", "cem", "dan"), ("lea", "leo")
TARGETS = ("main", "next")
LEASE = 3  # seconds
HOUR = 3600.0
BY_FIRE = re.compile(r"\d workers died with it|failed alike: ")
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
        self.git("branch", TARGETS[1], TARGETS[0])
        self.done: Counter[str] = Counter()  # what was done to it
        self.ask("PUT", "/api/repositories/app", {"url": str(self.remote.path), "target": "main"})
        self.tokens = {
            name: self.ask("POST", "/api/tokens", {"name": name, "role": role})["secret"]
            for names, role in ((WORKERS, "worker"), (LANDERS, "lander"))
            for name in names
        }
        self.workers = {name: self.work(name) for name in (*WORKERS, *LANDERS)}

    def ask(self, method: str, path: str, body: object = None) -> dict[str, Any]:
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

    # -- the fire

    def everything(self) -> list[Callable[[], None]]:
        """What is done to it in one turn."""
        return [
            *(partial(self.kill_worker, name) for name in self.workers),
            *(partial(self.stop, self.workers, name) for name in self.workers),
            *(partial(self.kill_server, n) for n in range(len(self.servers))),
            *(partial(self.stop_server, n) for n in range(len(self.servers))),
            self.crash_database,
        ]

    def kill_worker(self, name: str) -> None:
        self.workers[name].kill()
        self.workers[name].wait()
        self.workers[name] = self.work(name)
        self.done["a worker or lander killed"] += 1

    def stop(self, processes: Mapping[str, subprocess.Popen[Any]], name: str) -> None:
        """Longer than its lease: others take its tasks, and what it sends afterwards changes nothing."""
        processes[name].send_signal(signal.SIGSTOP)
        time.sleep(LEASE + 1)
        processes[name].send_signal(signal.SIGCONT)
        self.done["a process stopped for longer than a lease"] += 1

    def stop_server(self, which: int) -> None:
        self.stop({"": self.servers[which].process}, "")

    def kill_server(self, which: int) -> None:
        served = self.servers[which]
        end(served.process)
        self.servers[which] = start(self.folder / f"api{which}", *self.db, port=served.port)
        self.done["a server killed"] += 1

    def crash_database(self) -> None:
        self.cluster.end()
        self.cluster.start()
        self.done["PostgreSQL crashed"] += 1

    # -- those who look after it

    def revive(self) -> None:
        """As a unit with Restart=always does: a worker that cannot register ends."""
        for name, worker in self.workers.items():
            if worker.poll() is not None:
                self.workers[name] = self.work(name)

    def unblock(self, ids: Iterable[str]) -> None:
        """A person tries what only the fire has blocked again."""
        for id in ids:
            task = self.ask("GET", f"/api/tasks/{id}")
            if task["status"] == "blocked":
                assert BY_FIRE.search(task["reason"]), f"{task}\n{self.words()}"
                self.ask("POST", f"/api/tasks/{id}/retry", {})
                self.done["a task tried again by a person"] += 1

    def git(self, *args: str) -> str:
        command = ["git", "-C", str(self.remote.path), *args]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    def landed(self, target: str) -> list[str]:
        """The tasks whose commits are on the target."""
        form = "--format=%(trailers:key=Ralph-Task,valueonly,separator=%x2C)"
        return sorted(line for line in self.git("log", form, target).splitlines() if line)

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


@pytest.mark.parametrize("tasks", [6, 24])
@pytest.mark.timeout(3000)
def test_every_task_lands_once_although_everything_dies(tmp_path: Path, cluster: Cluster, tasks: int) -> None:
    under_fire(tmp_path, cluster, tasks, turns=1)


@pytest.mark.slow
@pytest.mark.timeout(4 * HOUR)
def test_hundreds_of_tasks_land_once_under_fire_for_an_hour(tmp_path: Path, cluster: Cluster) -> None:
    under_fire(tmp_path, cluster, 200 if ALL else 60, turns=1000)


def under_fire(folder: Path, cluster: Cluster, tasks: int, turns: int) -> None:
    """`turns`: so often everything is done to it, but no longer than there is work, and for an hour."""
    dice = drawn("chaos", tasks)
    began = time.monotonic()
    fleet = FleetUnderFire(folder, cluster, dice)
    try:
        new = {"task": "Greet", "ralphPromise": "greeted", "repository": "app"}
        on = {
            fleet.ask("POST", "/api/tasks", {**new, "target": TARGETS[n % 2]})["id"]: TARGETS[n % 2]
            for n in range(tasks)
        }
        for act in _drawn(fleet, dice, turns):
            time.sleep(dice.uniform(0.2, 2))
            act()
            fleet.revive()
            if turns > 1 and not _left(fleet, on):
                break
            if time.monotonic() > began + HOUR:
                break
        burnt = time.monotonic() - began
        # a worker that could not begin it makes a task wait for minutes
        ends = time.monotonic() + 10 * PATIENCE + 10 * tasks
        while left := _left(fleet, on):
            assert time.monotonic() < ends, fleet.why_not(left) + fleet.words()
            fleet.revive()
            fleet.unblock(left)
            time.sleep(0.5)
        for target in TARGETS:
            assert fleet.landed(target) == sorted(id for id, where in on.items() if where == target)
        fates = sum((network.fates for network in fleet.networks), Counter())
        assert set(fates) == {"forwarded", *FATES}, "the network did its worst"
        print(f"{tasks} tasks: {burnt:.0f} s of fire, {time.monotonic() - began:.0f} s in all")
        print(*(f"{what}: {n}" for what, n in (fleet.done + fates).items()), sep="\n")
    finally:
        fleet.close()
    checked = subprocess.run(
        [RALPH, "server", "check", "--db", fleet.database], capture_output=True, text=True
    )
    print(checked.stdout)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.startswith(f"{tasks} tasks, ")


def _drawn(fleet: FleetUnderFire, dice: random.Random, turns: int) -> Iterator[Callable[[], None]]:
    for _ in range(turns):
        acts = fleet.everything()
        dice.shuffle(acts)
        yield from acts


def _left(fleet: FleetUnderFire, ids: Iterable[str]) -> list[str]:
    """Those that have not landed."""
    return [id for id in ids if fleet.ask("GET", f"/api/tasks/{id}")["status"] != "complete"]
