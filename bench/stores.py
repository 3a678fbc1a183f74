"""What the fleet's stores carry, asked directly: claims with a first fact a second, and how long a claim takes among many tasks,
also when most have another label. On SQLite clients are threads of one process, on PostgreSQL threads of up to four.

`python bench/stores.py 1000 20000` takes other numbers of tasks.
"""

from __future__ import annotations

import multiprocessing
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psycopg
from table import HERE, Table, ms, seconds, variants

from ralph.core import facts as f
from ralph.core.fleet import model as m
from ralph.core.fleet import requests as r
from ralph.core.fleet.chain import number
from ralph.core.fleet.server import handle
from ralph.core.fleet.store import FleetStore
from ralph.server.stores import open_store
from ralph.server.stores.rows import COLUMNS

sys.path.insert(0, str(HERE / "tests"))
from postgres import Cluster

SIZES = (1_000, 100_000, 1_000_000)
CLIENTS = (1, 8, 64)
CLAIMS = 512  # of all clients together
PROCESSES = 4  # each with a pool of connections
SAMPLE = 50
SETTINGS = m.FleetSettings()
# So many copies of the two tasks that are there.
COPIES = """
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {many})
INSERT INTO tasks ({columns}) SELECT {values} FROM tasks JOIN numbers
  ON id = CASE WHEN n * 37 % 100 >= {others} THEN 'gpu' ELSE 'other' END
"""


def main(*sizes: str) -> None:
    with tempfile.TemporaryDirectory(prefix="ralph-bench-") as folder:
        stores(Table(variants("", Path(folder))), Path(folder), tuple(map(int, sizes)) or SIZES)


def stores(table: Table, place: Path, sizes: tuple[int, ...] = SIZES) -> None:
    """Of this checkout only: an older revision has none."""
    with databases(place) as kinds:
        for kind, make in kinds.items():
            _throughput(table, kind, make)
            for others in (0, 95):
                _latency(table, kind, make, sizes, others)


@contextmanager
def databases(place: Path) -> Iterator[dict[str, Callable[[], str]]]:
    """Of each kind, what makes a new one."""
    place.mkdir(exist_ok=True)
    cluster = Cluster(durable=True)
    made = iter(range(1000))
    try:
        yield {
            "SQLite": lambda: str(place / f"fleet-{next(made)}.db"),
            "PostgreSQL": cluster.create_database,
        }
    finally:
        cluster.stop()


def _throughput(table: Table, kind: str, make: Callable[[], str]) -> None:
    alone = 0.0
    for clients in CLIENTS:
        rate = direct_rate(make(), clients)
        alone = alone or rate
        relation = "-" if clients == 1 else f"{rate / alone:.2f}x"
        what = f"{kind}: claim and first fact, {clients} clients"
        row(table, what, rate, "{:.0f} a second".format, "1 client", relation)


def direct_rate(db: str, clients: int, claims: int = CLAIMS) -> float:
    """Claims with their first fact a second, by so many clients of the store."""
    fill(db, claims * 21)
    each = claims // clients
    processes = min(clients, PROCESSES) if db.startswith("postgresql") else 1
    spawn = multiprocessing.get_context("spawn")
    with spawn.Manager() as manager, spawn.Pool(processes) as pool:
        ready = manager.Barrier(processes)
        asked = [(db, f"w{n}", clients // processes, each, ready) for n in range(processes)]
        times = pool.starmap(_client, asked, chunksize=1)
    return clients * each / (max(end for _, end in times) - min(begin for begin, _ in times))


def _client(db: str, name: str, threads: int, each: int, ready: threading.Barrier) -> tuple[float, float]:
    """From its beginning to its end, by the machine's clock."""
    store = open_store(db)
    store.read(lambda tx: tx.tick())
    workers = [threading.Thread(target=_work, args=(store, f"{name}.{n}", each)) for n in range(threads)]
    ready.wait()
    began = time.monotonic()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    ended = time.monotonic()
    store.close()
    return began, ended


def _work(store: FleetStore, name: str, each: int) -> None:
    for n in range(each):
        task = _claim(store, name, f"{name}-{n}")
        fact = number(f.EventReceived(name="e", topic="t"), 1, "", loop="l", at="2026-01-21T10:30:00.000Z")
        batch = r.FactBatch(task.id, task.epoch, name, (fact,))
        answer = store.run(lambda tx, batch=batch: handle(tx, batch, SETTINGS))
        if not isinstance(answer, r.Accepted):
            sys.exit(f"bench: {answer}")


def _claim(store: FleetStore, worker: str, key: str) -> m.FleetTask:
    wish = r.ClaimRequest(r.Offer(worker, labels=("gpu",)), key)
    got = store.run(lambda tx: handle(tx, wish, SETTINGS))
    if not isinstance(got, r.ClaimGrant) or got.task is None:
        sys.exit(f"bench: no task was claimed: {got}")
    return got.task


def _latency(table: Table, kind: str, make: Callable[[], str], sizes: tuple[int, ...], others: int) -> None:
    few = 0.0
    for size in sizes:
        db = make()
        fill(db, size, others)
        store = open_store(db)
        _claim(store, "w", "first")
        took = [seconds(partial(_claim, store, "w", f"k{n}")) for n in range(min(SAMPLE, size // 20 - 2))]
        store.close()
        few = few or min(took)  # sizes are compared by their quickest: load only adds
        relation = "-" if size == sizes[0] else f"{min(took) / few:.2f}x"
        what = f"{kind}: a claim among {size:,} tasks" + (f", {others} % of another label" if others else "")
        row(table, what, statistics.median(took), ms, f"{sizes[0]:,} tasks", relation, "1.5x")


def fill(db: str, many: int, others: int = 95) -> None:
    """So many ready tasks, of which so many in a hundred are for another label than gpu."""
    store = open_store(db)
    for label in ("gpu", "other"):
        spec = m.TaskSpec(task="x", ralph_promise="y", labels=(label,), repository="app")
        task = m.FleetTask(id=label, spec=spec, born=1, lane="app main")
        store.run(lambda tx, task=task: tx.add_task(task, ()))
    changed = {"id": "id || n", "born": "born + n"}
    values = ", ".join(changed.get(name, name) for name in COLUMNS)
    copies = COPIES.format(many=many, columns=", ".join(COLUMNS), values=values, others=others)
    store.close()
    if db.startswith("postgresql"):
        with psycopg.connect(db, autocommit=True) as connection:
            connection.execute(copies.encode())
            connection.execute("VACUUM ANALYZE tasks")
    else:
        with sqlite3.connect(db) as connection:
            connection.execute(copies)


def row(
    table: Table,
    what: str,
    figure: float,
    show: Callable[[float], str],
    against: str = "-",
    relation: str = "-",
    aim: str = "-",
) -> None:
    older = [0.0] * (len(table.variants) - 1)
    table.row(what, [*older, figure], lambda value: show(value) if value else "-", against, relation, aim)


if __name__ == "__main__":
    main(*sys.argv[1:])
