"""What a server process carries: claims and facts a second over HTTP against the same rules on the same store asked directly,
two processes on one database, listeners, memory, an idle worker.

`python bench/api.py` measures only this.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stores import CLAIMS, CLIENTS, databases, direct_rate, fill, row
from table import HERE, RALPH, Table, megabytes, ms, resident, seconds, variants

from ralph.core import facts as f
from ralph.core.fleet.chain import number

sys.path.insert(0, str(HERE / "tests"))
from fleet_proxy import FleetProxy
from serving import Served, end, start

TASKS = 100_000
LISTENERS = 1000
ROUNDS = 5
IDLE = 100.0  # seconds


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="ralph-bench-") as folder:
        api(Table(variants("", Path(folder))), Path(folder))


def api(table: Table, place: Path) -> None:
    """Of this checkout only."""
    with databases(place) as kinds:
        for kind, make in kinds.items():
            for clients in CLIENTS:
                _throughput(table, kind, make, place, clients)
        _two_processes(table, kinds["PostgreSQL"], place)
        for kind, make in kinds.items():
            _many_tasks(table, kind, make, place)
        _listeners(table, kinds["SQLite"], place)
        _idle_worker(table, kinds["SQLite"], place)


def _throughput(table: Table, kind: str, make: Callable[[], str], place: Path, clients: int) -> None:
    """In turns with the store asked directly, each time on a database of the same size."""
    turns = [(direct_rate(make(), clients), _http_rate(make(), clients, place, 1)) for _ in range(3)]
    direct, over_http = map(statistics.median, zip(*turns, strict=True))
    what = f"{kind}: claim and first fact over HTTP, {clients} clients"
    against = f"directly {direct:.0f}"
    row(table, what, over_http, "{:.0f} a second".format, against, f"{over_http / direct:.0%}", "20 %")


def _two_processes(table: Table, make: Callable[[], str], place: Path) -> None:
    clients = CLIENTS[-1]
    turns = [[_http_rate(make(), clients, place, processes) for processes in (1, 2)] for _ in range(3)]
    one, two = map(statistics.median, zip(*turns, strict=True))
    what = f"PostgreSQL: claim and first fact over HTTP, {clients} clients, 2 server processes"
    row(table, what, two, "{:.0f} a second".format, f"1 process {one:.0f}", f"{two / one:.2f}x", "0.9x")


def _http_rate(db: str, clients: int, place: Path, processes: int) -> float:
    """Claims with their first fact a second. The clients are one other process: each of theirs would cost more than it asks."""
    fill(db, CLAIMS * 21)
    servers = [start(place / f"home{n}", "--db", db) for n in range(processes)]
    token = next(served.token for served in servers if served.token)
    try:
        ports = [served.port for served in servers]
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            took = pool.apply(_ask_as_workers, (ports, token, clients, CLAIMS // clients))
    finally:
        for served in servers:
            end(served.process)
    return CLAIMS // clients * clients / took


def _ask_as_workers(ports: list[int], token: str, clients: int, each: int) -> float:
    async def all_of_them() -> float:
        made = [await Client.connect(ports[n % len(ports)], token) for n in range(clients)]
        began = time.perf_counter()
        await asyncio.gather(*(_work(client, f"w{n}", each) for n, client in enumerate(made)))
        return time.perf_counter() - began

    return asyncio.run(all_of_them())


async def _work(client: Client, name: str, each: int) -> None:
    for n in range(each):
        offer = {"offer": {"worker": name, "labels": ["gpu"]}, "key": f"{name}-{n}"}
        task = (await client.ask("POST", "/api/claims", offer))["task"]
        fact = number(f.EventReceived(name="e", topic="t"), 1, "", loop="l", at="2026-01-21T10:30:00.000Z")
        batch = {"epoch": task["epoch"], "worker": name, "facts": [_as_json(fact)]}
        await client.ask("POST", f"/api/tasks/{task['id']}/facts", batch)


def _as_json(fact: Any) -> Any:
    import msgspec

    return msgspec.to_builtins(fact)


class Client:
    """One kept connection, and nothing that costs more than what is measured."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, token: str) -> None:
        self._reader = reader
        self._writer = writer
        self._head = f"HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {token}\r\n"

    @classmethod
    async def connect(cls, port: int, token: str) -> Client:
        return cls(*await asyncio.open_connection("127.0.0.1", port), token)

    def send(self, method: str, path: str, body: Any = None) -> None:
        content = b"" if body is None else json.dumps(body).encode()
        lengths = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
        self._writer.write(f"{method} {path} {self._head}{lengths}\r\n".encode() + content)

    async def head(self) -> bytes:
        head = await self._reader.readuntil(b"\r\n\r\n")
        if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
            raise SystemExit(f"bench: {head.decode()}")
        return head.lower()

    async def ask(self, method: str, path: str, body: Any = None) -> Any:
        self.send(method, path, body)
        head = await self.head()
        length = int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        return json.loads(await self._reader.readexactly(length))

    async def until(self, text: bytes) -> None:
        await self._reader.readuntil(text)

    def close(self) -> None:
        self._writer.close()


def _many_tasks(table: Table, kind: str, make: Callable[[], str], place: Path) -> None:
    """Lists, searches, figures and claims in a large store, and what that left in the process."""
    db = make()
    fill(db, TASKS)
    served = start(place / "home", "--db", db)
    try:
        few = statistics.median(seconds(lambda: served.ask("GET", "/health")) for _ in range(ROUNDS))
        for path in ("/api/tasks?limit=500", "/api/tasks?search=nothing+like+it", "/metrics"):
            took = statistics.median(seconds(lambda p=path: _expect(served, p)) for _ in range(ROUNDS))
            what = f"{kind}: GET {path.partition('?')[0]}{' (search)' * ('search' in path)}, {TASKS:,} tasks"
            row(table, what, took, ms, f"/health {ms(few)}", f"{took / few:.1f}x")
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            pool.apply(_ask_as_workers, ([served.port], served.token, 64, 8))
        row(
            table,
            f"{kind}: memory of a server process, {TASKS:,} tasks",
            resident(served.process.pid),
            megabytes,
            "-",
            "-",
            "150 MB",
        )
    finally:
        end(served.process)


def _expect(served: Served, path: str) -> None:
    if (answer := served.ask("GET", path)).status != 200:
        sys.exit(f"bench: {path}: {answer.body!r}")


def _listeners(table: Table, make: Callable[[], str], place: Path) -> None:
    """From the moment a task is created to the moment at which the last listener has it."""
    served = start(place / "home", "--db", make())
    try:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            alone, many = pool.apply(_listen, (served.port, served.token, LISTENERS))
        what = f"a new task, until the last of {LISTENERS:,} listeners knows"
        row(table, what, many, ms, f"1 listener {ms(alone)}", f"{many / alone:.1f}x")
        what = f"memory of a server process with {LISTENERS:,} listeners"
        row(table, what, resident(served.process.pid), megabytes, "-", "-", "150 MB")
    finally:
        end(served.process)


def _listen(port: int, token: str, number_of: int) -> tuple[float, float]:
    async def listener() -> Client:
        client = await Client.connect(port, token)
        client.send("GET", "/api/events")
        await client.head()
        await client.until(b": from ")
        return client

    async def until_all_know(author: Client, listening: list[Client]) -> float:
        began = time.perf_counter()
        await author.ask("POST", "/api/tasks", {"task": "x", "ralphPromise": "y"})
        await asyncio.gather(*(one.until(b"event: created") for one in listening))
        return time.perf_counter() - began

    async def measured() -> tuple[float, float]:
        author = await Client.connect(port, token)
        first = await listener()
        alone = statistics.median([await until_all_know(author, [first]) for _ in range(ROUNDS)])
        others = [await listener() for _ in range(number_of - 1)]
        all_of_them = [first, *others]
        author.close()
        author = await Client.connect(port, token)  # the server closes one that was silent for so long
        many = statistics.median([await until_all_know(author, all_of_them) for _ in range(ROUNDS)])
        for one in all_of_them:
            one.close()
        return alone, many

    return asyncio.run(measured())


def _idle_worker(table: Table, make: Callable[[], str], place: Path) -> None:
    """A real one, for some minutes; what registers it does not count."""
    served = start(place / "home", "--db", make(), "--no-auth")
    proxy = FleetProxy(served.port)
    command = [RALPH, "worker", "--server", proxy.url, "--name", "idle", "--state", str(place / "idle")]
    try:
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as worker:
            while not proxy.fates["forwarded"]:
                time.sleep(0.1)
            before = proxy.fates["forwarded"]
            time.sleep(IDLE)
            asked = proxy.fates["forwarded"] - before
            worker.kill()
    finally:
        end(served.process)
        proxy.close()
    row(
        table, "an idle worker, seconds for each request", IDLE / max(asked, 1), "{:.0f} s".format, aim="25 s"
    )


if __name__ == "__main__":
    main()
