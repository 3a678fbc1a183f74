"""A server and its workers, as real processes: tasks are worked on, workers die, loops continue."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from remote_project import RemoteProject
from serving import PATIENCE, RALPH, Served, serving

# The second iteration waits until a file says that it may continue.
WAITING = """\
iterations:
  - - write: {{path: greeting, text: "hello, everyone\\n"}}
    - say: TASK_COMPLETE
  - - run: touch {begun}; while ! test -e {go}; do sleep 0.05; done
    - write: {{path: greeting, text: "hello, world\\n"}}
    - say: TASK_COMPLETE
"""


class Fleet:
    def __init__(self, served: Served, folder: Path, remote: RemoteProject) -> None:
        self.served = served
        self.folder = folder
        self.remote = remote
        self.workers: list[subprocess.Popen[bytes]] = []
        made = served.ask("PUT", "/api/repositories/app", {"url": str(remote.path)})
        assert made.status == 200, made.body

    def create(self, **fields: Any) -> str:
        body = {"task": "Greet the world", "ralphPromise": "it is greeted", "repository": "app", **fields}
        made = self.served.ask("POST", "/api/tasks", body)
        assert made.status == 201, made.body
        return str(made.json["id"])

    def token(self, name: str) -> str:
        made = self.served.ask("POST", "/api/tokens", {"name": name, "role": "worker"})
        return str(made.json["secret"])

    def work(self, name: str, *arguments: str) -> subprocess.Popen[bytes]:
        home = self.folder / name
        home.mkdir(exist_ok=True)
        environment = {"HOME": str(home), "PATH": os.environ["PATH"], "RALPH_SERVER_TOKEN": self.token(name)}
        with open(self.folder / f"{name}.log", "ab") as log:
            worker = subprocess.Popen(
                [RALPH, "worker", "--server", self.served.url, "--name", name, *arguments],
                env=environment,
                stdout=log,
                stderr=log,
            )
        self.workers.append(worker)
        return worker

    def task(self, id: str) -> dict[str, Any]:
        return self.served.ask("GET", f"/api/tasks/{id}").json  # type: ignore[no-any-return]

    def until(self, holds: Callable[[], object], what: str) -> None:
        ends = time.monotonic() + 3 * PATIENCE
        while not holds():
            assert time.monotonic() < ends, f"{what}; {self.words()}"
            time.sleep(0.05)

    def words(self) -> str:
        return "\n".join(log.read_text() for log in self.folder.glob("*.log"))

    def close(self) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                worker.kill()
            worker.wait()


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    remote = RemoteProject(tmp_path / "remote.git")
    with serving(tmp_path / "home", "--lease-seconds", "3") as served:
        found = Fleet(served, tmp_path, remote)
        try:
            yield found
        finally:
            found.close()


def test_a_worker_takes_a_task_and_proves_it(fleet: Fleet) -> None:
    worker = fleet.work("ann", "--once")
    id = fleet.create()
    fleet.until(lambda: fleet.task(id)["status"] == "complete", "it is complete")
    task = fleet.task(id)
    assert task["result"] == {"end": "completed-verified", "reason": "proven: tests red→green"}
    assert task["ralphIterations"] == 2
    assert task["worker"] is None
    assert worker.wait(PATIENCE) == 0, fleet.words()


def test_another_worker_continues_where_a_killed_one_was(fleet: Fleet, tmp_path: Path) -> None:
    begun, go = tmp_path / "begun", tmp_path / "go"
    fleet.remote.commit({"agent.yml": WAITING.format(begun=begun, go=go)})
    id = fleet.create()
    first = fleet.work("ann")
    fleet.until(begun.exists, "the second iteration has begun")
    first.send_signal(signal.SIGKILL)
    epoch = fleet.task(id)["epoch"]
    go.touch()
    fleet.work("bob")
    fleet.until(lambda: fleet.task(id)["status"] == "complete", "the other completes it")
    task = fleet.task(id)
    assert task["epoch"] > epoch
    assert task["ralphIterations"] == 2, "the first is not repeated, and the interrupted one not counted"
    assert task["result"]["end"] == "completed-verified"


def test_a_cancelled_task_is_stopped_at_once(fleet: Fleet, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    fleet.remote.commit({"agent.yml": WAITING.format(begun=begun, go=tmp_path / "never")})
    id = fleet.create()
    fleet.work("ann")
    fleet.until(begun.exists, "the second iteration has begun")
    assert fleet.served.ask("POST", f"/api/tasks/{id}/cancel").json["status"] == "cancelled"
    fleet.until(lambda: f"{id} is lost" in fleet.words(), "the worker stops")
    other = fleet.create(title="another")
    fleet.until(lambda: fleet.task(other)["worker"] == "ann", "and takes another")


def test_a_worker_that_is_told_to_end_gives_its_task_back(fleet: Fleet, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    fleet.remote.commit({"agent.yml": WAITING.format(begun=begun, go=tmp_path / "never")})
    id = fleet.create()
    worker = fleet.work("ann", "--drain-seconds", "600")
    fleet.until(begun.exists, "the second iteration has begun")
    worker.terminate()
    fleet.until(lambda: "may take 600 s" in fleet.words(), "it waits for its iteration")
    worker.terminate()
    assert worker.wait(PATIENCE) == 0, fleet.words()
    task = fleet.task(id)
    assert (task["status"], task["worker"], task["ralphIterations"]) == ("pending", None, 1)


def test_an_iteration_that_takes_longer_than_a_drain_is_stopped_and_given_back(
    fleet: Fleet, tmp_path: Path
) -> None:
    begun = tmp_path / "begun"
    fleet.remote.commit({"agent.yml": WAITING.format(begun=begun, go=tmp_path / "never")})
    id = fleet.create()
    worker = fleet.work("ann", "--drain-seconds", "1")
    fleet.until(begun.exists, "the second iteration has begun")
    worker.terminate()
    assert worker.wait(3 * PATIENCE) == 0, fleet.words()
    task = fleet.task(id)
    assert (task["status"], task["worker"], task["ralphIterations"]) == ("pending", None, 1)


def test_no_agent_sees_the_token_of_its_worker(fleet: Fleet, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    look = f"env > {seen}; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline >> {seen} 2>/dev/null; true"
    script = f"iterations:\n  - - run: {look}\n    - write: {{path: greeting, text: 'hello, world'}}\n    - say: TASK_COMPLETE\n"
    fleet.remote.commit({"agent.yml": script})
    id = fleet.create()
    worker = fleet.work("ann", "--once")
    fleet.until(lambda: fleet.task(id)["status"] == "complete", "it is complete")
    worker.wait(PATIENCE)
    assert b"PATH=" in seen.read_bytes()
    assert b"ralph_worker_" not in seen.read_bytes()


def test_a_worker_without_a_valid_token_is_refused(fleet: Fleet) -> None:
    environment = {"HOME": str(fleet.folder), "PATH": os.environ["PATH"], "RALPH_SERVER_TOKEN": "wrong"}
    command = [RALPH, "worker", "--server", fleet.served.url]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 2
    assert "the server refuses this worker: a valid token is needed" in done.stderr


def test_a_server_that_is_not_there_is_said(tmp_path: Path) -> None:
    command = [RALPH, "worker", "--server", "http://127.0.0.1:1"]
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"]}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 70
    assert "the server does not answer" in done.stderr
    assert sys.executable not in done.stderr


def test_one_command_serves_a_laptop_and_the_seeds_task_is_done_in_place(tmp_path: Path) -> None:
    """Without a repository: in the folder in which the server was started. Ctrl-C ends both."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "ralph.yml").write_text(
        "cli: {backend: scripted, script: agent.yml}\ngates: [{name: runs, run: 'sh hello.sh | grep Hello'}]\n"
    )
    (work / "agent.yml").write_text(
        'iterations:\n  - - write: {path: hello.sh, text: "echo Hello World\\n"}\n    - say: TASK_COMPLETE\n'
    )
    subprocess.run(["git", "init", "-q"], cwd=work, check=True)
    who = ("-c", "user.name=U", "-c", "user.email=u@localhost")
    subprocess.run(["git", "add", "ralph.yml", "agent.yml"], cwd=work, check=True)
    subprocess.run(["git", *who, "commit", "-qm", "begin"], cwd=work, check=True)
    with serving(tmp_path / "home", "--no-auth", "--worker", cwd=work) as served:
        body = {"task": "Create hello.sh", "taskType": "ralph", "ralphPromise": "it outputs Hello World"}
        id = served.ask("POST", "/api/tasks", body).json["id"]
        ends = time.monotonic() + 3 * PATIENCE
        while (task := served.ask("GET", f"/api/tasks/{id}").json)["status"] in ("pending", "in_progress"):
            assert time.monotonic() < ends, task
            time.sleep(0.1)
        assert (task["status"], task["result"]["end"], task["reason"]) == (
            "complete",
            "completed-verified",
            "",
        )
        assert (work / "hello.sh").read_text() == "echo Hello World\n"
        assert served.ask("GET", "/api/workers/local").json["status"] == "idle"
        assert served.stop(signal.SIGINT) == 0


def test_one_command_also_lands_what_a_repository_of_the_laptop_gets(tmp_path: Path) -> None:
    remote = RemoteProject(tmp_path / "remote.git")
    with serving(tmp_path / "home", "--no-auth", "--worker", cwd=tmp_path) as served:
        made = served.ask("PUT", "/api/repositories/app", {"url": str(remote.path), "target": "main"})
        assert made.status == 200, made.body
        body = {"task": "Greet the world", "ralphPromise": "it is greeted", "repository": "app"}
        id = served.ask("POST", "/api/tasks", body).json["id"]
        ends = time.monotonic() + 3 * PATIENCE
        while (task := served.ask("GET", f"/api/tasks/{id}").json)["status"] in ("pending", "in_progress"):
            assert time.monotonic() < ends, task
            time.sleep(0.1)
        assert (task["status"], task["reason"]) == ("complete", "")
        assert task["result"]["reason"] == "landed on main; proven: tests red→green"
        assert served.ask("GET", "/api/workers/local-lander").json["status"] == "idle"
        show = ["git", "-C", str(remote.path), "show", "main:greeting"]
        assert subprocess.run(show, capture_output=True, text=True).stdout == "hello, world\n"
        assert served.stop(signal.SIGINT) == 0
