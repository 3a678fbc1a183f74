"""Someone who types at a server: logged in, with a home folder, perhaps with workers."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from remote_project import RemoteProject
from serving import PATIENCE, RALPH, Served


class Person:
    def __init__(self, served: Served, home: Path) -> None:
        self.served = served
        self.home = home
        self._workers: list[subprocess.Popen[bytes]] = []

    def ralph(
        self, *arguments: str, cwd: Path | None = None, **more: str
    ) -> subprocess.CompletedProcess[str]:
        environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], **more}
        return subprocess.run(
            [RALPH, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=3 * PATIENCE,
            cwd=cwd or self.home,
        )

    def says(self, *arguments: str, cwd: Path | None = None) -> str:
        """What is printed by a command about the server that must succeed."""
        done = self.ralph(*arguments, "--server", self.served.url, cwd=cwd)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def sends(self, remote: RemoteProject, *arguments: str) -> str:
        """The id of a task in this repository."""
        self.says("server", "register", "app", str(remote.path))
        return self.says("send", "Greet", "--promise", "greeted", "--repository", "app", *arguments).strip()

    def works(self, name: str = "box") -> subprocess.Popen[bytes]:
        secret = self.ralph("token", "add", name, "--role", "worker").stdout.strip()
        environment = {"HOME": str(self.home), "PATH": os.environ["PATH"], "RALPH_SERVER_TOKEN": secret}
        command = [str(RALPH), "worker", "--server", self.served.url, "--name", name]
        with open(self.home / f"{name}.log", "ab") as log:
            self._workers.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
        return self._workers[-1]

    def task(self, id: str) -> dict[str, Any]:
        return self.served.ask("GET", f"/api/tasks/{id}").json  # type: ignore[no-any-return]

    def heard(self, id: str, kind: str) -> bool:
        """Whether a fact of the loop names the message."""
        said = self.served.ask("GET", f"/api/tasks/{id}/messages").json["messages"]
        return any(one["kind"] == kind and one.get("taken_by") for one in said)

    def until(self, holds: Callable[[], object], what: str) -> None:
        ends = time.monotonic() + 3 * PATIENCE
        while not holds():
            assert time.monotonic() < ends, f"{what}; {self.words()}"
            time.sleep(0.05)

    def words(self) -> str:
        return "\n".join(log.read_text() for log in self.home.glob("*.log"))

    def leave(self) -> None:
        for worker in self._workers:
            if worker.poll() is None:
                worker.kill()
            worker.wait()
