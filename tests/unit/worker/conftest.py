from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fleet import FleetServer, WorkerThread
from remote_project import RemoteProject


@pytest.fixture
def remote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RemoteProject:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    return RemoteProject(tmp_path / "remote.git")


@pytest.fixture
def server(tmp_path: Path, remote: RemoteProject) -> Iterator[FleetServer]:
    server = FleetServer(tmp_path)
    server.register("app", str(remote.path))
    yield server
    server.close()


@pytest.fixture
def workers(server: FleetServer, tmp_path: Path) -> Iterator[type]:
    begun: list[WorkerThread] = []

    def start(name: str = "ann", **settings: object) -> WorkerThread:
        begun.append(WorkerThread(server, tmp_path / name, name, **settings))
        return begun[-1]

    yield start  # type: ignore[misc]
    for one in begun:
        one.stop()
