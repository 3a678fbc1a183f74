"""A server for workers under test: the real rules on a real store, reached directly or, from other processes, by a socket."""

from __future__ import annotations

import os
import pickle
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ralph.core import facts as f
from ralph.core.fleet import leases
from ralph.core.fleet import requests as r
from ralph.core.fleet.model import FleetSettings, FleetTask, Repository, TaskSpec
from ralph.core.fleet.server import handle
from ralph.core.fleet.store import FleetStore
from ralph.core.fleet.worker import CallFailure, WorkerTiming
from ralph.server.stores.sqlite import SqliteStore
from ralph.worker.claim_runner import WorkerSettings
from ralph.worker.driver import Worker
from ralph.worker.transport import Unreachable


class StoreTransport:
    """In the same process as the store."""

    def __init__(self, store: FleetStore, settings: FleetSettings) -> None:
        self.store = store
        self.settings = settings

    def send(self, request: r.WorkerRequest) -> r.WorkerAnswer | CallFailure:
        answer: Any = self.store.run(lambda tx: handle(tx, request, self.settings))
        return answer

    def blob(self, hash: str) -> bytes | None:
        return self.store.read(lambda tx: tx.blob(hash))

    def repository(self, name: str) -> Repository | None:
        return self.store.read(lambda tx: tx.repository(name))

    def unmerged(self) -> Sequence[r.UnmergedTask]:
        tasks = self.store.read(lambda tx: tx.unmerged_tasks(100))
        return [
            r.UnmergedTask(one.id, one.spec.repository, one.spec.target, one.progress.commit) for one in tasks
        ]

    def report_merged(self, task: r.UnmergedTask) -> None:
        self.store.run(lambda tx: handle(tx, r.ReportMerged(task.task, task.commit), self.settings))

    def hurry(self) -> None:
        pass  # no claim waits


class SocketTransport:
    """To a TestServer in another process: pickled values, each behind its length."""

    def __init__(self, path: str) -> None:
        self._path = path

    def send(self, request: r.WorkerRequest) -> r.WorkerAnswer | CallFailure:
        try:
            return self._ask("send", request)
        except OSError:
            return CallFailure("unreachable")

    def blob(self, hash: str) -> bytes | None:
        return self._read("blob", hash)

    def repository(self, name: str) -> Repository | None:
        return self._read("repository", name)

    def unmerged(self) -> Sequence[r.UnmergedTask]:
        return self._read("unmerged")  # type: ignore[no-any-return]

    def report_merged(self, task: r.UnmergedTask) -> None:
        self._read("report_merged", task)

    def hurry(self) -> None:
        pass  # no claim waits

    def _read(self, what: str, *values: object) -> Any:
        try:
            return self._ask(what, *values)
        except OSError:
            raise Unreachable from None

    def _ask(self, what: str, *values: object) -> Any:
        with socket.socket(socket.AF_UNIX) as to:
            to.settimeout(30)
            to.connect(self._path)
            _put(to, (what, *values))
            return _got(to)


def _put(to: socket.socket, value: object) -> None:
    data = pickle.dumps(value)
    to.sendall(struct.pack("!Q", len(data)) + data)


def _got(come: socket.socket) -> Any:
    (size,) = struct.unpack("!Q", _exactly(come, 8))
    return pickle.loads(_exactly(come, size))


def _exactly(come: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        if not (part := come.recv(min(size - len(data), 1 << 20))):
            raise ConnectionError("the other side is gone")
        data += part
    return data


def start_worker(
    socket: str, folder: Path, name: str, home: Path, phase: str = "work", **more: str
) -> subprocess.Popen[bytes]:
    """In a process that knows nothing of this one but the socket. Its words go to a file beside its folder. `more`: of its
    environment."""
    kept = {key: os.environ[key] for key in ("PATH", "RALPH_TIER") if key in os.environ}
    for place in (home, home.with_name("tmp")):
        place.mkdir(exist_ok=True)
    env = {**kept, "HOME": str(home), "TMPDIR": str(home.with_name("tmp")), "LANG": "C.UTF-8", **more}
    with open(folder.with_name(f"{name}.log"), "ab") as log:
        return subprocess.Popen(
            [
                sys.executable,
                str(Path(__file__).with_name("worker_process.py")),
                socket,
                str(folder),
                name,
                phase,
            ],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )


class FleetServer:
    """With a clock that is real and numbers that are small."""

    def __init__(self, folder: Path, **settings: int) -> None:
        self.store = SqliteStore(folder / "fleet.db")
        self.settings = FleetSettings(**{"lease_ms": 120_000, **settings})
        self.transport = StoreTransport(self.store, self.settings)
        self.path = str(folder / "socket")
        self._socket: socket.socket | None = None
        self.down = False  # nobody who comes by the socket is answered
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._tick, daemon=True)]
        self._threads[0].start()

    def ask(self, request: Any) -> Any:
        return self.store.run(lambda tx: handle(tx, request, self.settings))

    def register(self, name: str, url: str, target: str = "main") -> None:
        self.store.run(lambda tx: tx.add_repository(Repository(name, url, target)))

    def create(self, id: str = "t1", **fields: Any) -> None:
        spec = {
            "task": "Make the test pass",
            "ralph_promise": "the test passes",
            "repository": "app",
            **fields,
        }
        answer = self.ask(r.CreateTask(id, TaskSpec(**spec)))
        assert not isinstance(answer, r.Refusal), answer

    def say(self, kind: str, body: str = "", id: str = "t1") -> None:
        answer = self.ask(r.SendMessage(id, kind, body, "pat"))  # type: ignore[arg-type]
        assert not isinstance(answer, r.Refusal), answer

    def task(self, id: str = "t1") -> FleetTask:
        task = self.store.read(lambda tx: tx.task(id))
        assert task is not None
        return task

    def facts(self, id: str = "t1") -> list[f.AnyFact]:
        return [f.decode(stored.fact.body) for stored in self.store.read(lambda tx: tx.facts(id))]

    def wait(self, until: Callable[[], bool], seconds: float = 120) -> None:
        """Far longer than it takes; a failure shows what there is."""
        end = time.monotonic() + seconds
        while not until():
            assert time.monotonic() < end, [self.task(), *map(f.kind_of, self.facts())]
            time.sleep(0.02)

    def _tick(self) -> None:
        while not self._over.wait(0.2):
            self.store.run(lambda tx: leases.tick(tx, self.settings))

    def listen(self) -> str:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(self.path)
        self._socket.listen(64)
        threading.Thread(target=self._serve, args=(self._socket,), daemon=True).start()
        return self.path

    def _serve(self, at: socket.socket) -> None:
        while True:
            try:
                client, _ = at.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(client,), daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            try:
                what, *values = _got(client)
                if self.down:
                    return
                _put(client, getattr(self.transport, what)(*values))
            except (OSError, sqlite3.ProgrammingError):
                pass  # it was killed meanwhile, or this one was closed

    def close(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        if self._socket is not None:
            self._socket.close()
        self.store.close()


QUICK = WorkerTiming(heartbeat=0.3, idle=0.05, backoff=0.05)


class WorkerThread:
    """A worker in this process; its engines are processes all the same."""

    def __init__(self, server: FleetServer, folder: Path, name: str = "ann", **settings: object) -> None:
        self.said: list[str] = []
        fields = {"timing": QUICK, **settings}
        self.worker = Worker(
            server.transport,
            WorkerSettings(folder, (r.Offer(name),), **fields),  # type: ignore[arg-type]
            self.said.append,
        )
        self._thread = threading.Thread(target=self.worker.run, daemon=True)
        self._thread.start()

    def stop(self, seconds: float = 0.0) -> None:
        self.worker.drain(seconds)
        self._thread.join(60)
        assert not self._thread.is_alive(), self.said
