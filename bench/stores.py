"""What the fleet's stores carry, asked directly: claims with a first fact a second, and how long a claim takes among many tasks
of which most have another label. On SQLite clients are threads of one process, on PostgreSQL processes.

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
from collections.abc import Callable
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

SIZES = (1_000, 100_000)
CLIENTS = (1, 8)
CLAIMS = 200  # of all clients together
SAMPLE = 50
SETTINGS = m.FleetSettings()
# So many copies of the two tasks that are there.
COPIES = """
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {many})
INSERT INTO tasks ({columns}) SELECT {values} FROM tasks JOIN numbers ON id = CASE WHEN n % 20 = 0 THEN 'gpu' ELSE 'other' END
"""


def main(*sizes: str) -> None:
    with tempfile.TemporaryDirectory(prefix="ralph-bench-") as folder:
        stores(Table(variants("", Path(folder))), Path(folder), tuple(map(int, sizes)) or SIZES)


def stores(table: Table, place: Path, sizes: tuple[int, ...] = SIZES) -> None:
    """Of this checkout only: an older revision has none."""
    place.mkdir(exist_ok=True)
    cluster = Cluster(durable=True)
    made = iter(range(1000))
    kinds: dict[str, Callable[[], str]] = {
        "SQLite": lambda: str(place / f"fleet-{next(made)}.db"),
        "PostgreSQL": cluster.create_database,
    }
    try:
        for kind, make in kinds.items():
            _throughput(table, kind, make)
            _latency(table, kind, make, sizes)
    finally:
        cluster.stop()


def _throughput(table: Table, kind: str, make: Callable[[], str]) -> None:
    alone = 0.0
    for clients in CLIENTS:
        db = make()
        _fill(db, CLAIMS * 21)
        each = CLAIMS // clients
        took = _threads(db, clients, each) if kind == "SQLite" else _processes(db, clients, each)
        rate = clients * each / took
        alone = alone or rate
        relation = "-" if clients == 1 else f"{rate / alone:.2f}x"
        _row(
            table,
            f"{kind}: claim and first fact, {clients} clients",
            rate,
            "{:.0f} a second".format,
            "1 client",
            relation,
        )


def _threads(db: str, clients: int, each: int) -> float:
    store = open_store(db)
    threads = [threading.Thread(target=_work, args=(store, f"w{n}", each)) for n in range(clients)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - began
    store.close()
    return took


def _processes(db: str, clients: int, each: int) -> float:
    """From the first beginning to the last end."""
    spawn = multiprocessing.get_context("spawn")
    with spawn.Manager() as manager, spawn.Pool(clients) as pool:
        ready = manager.Barrier(clients)
        times = pool.starmap(_client, [(db, f"w{n}", each, ready) for n in range(clients)], chunksize=1)
    return max(end for _, end in times) - min(begin for begin, _ in times)


def _client(db: str, name: str, each: int, ready: threading.Barrier) -> tuple[float, float]:
    store = open_store(db)
    store.read(lambda tx: tx.tick())
    ready.wait()
    began = time.monotonic()
    _work(store, name, each)
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


def _latency(table: Table, kind: str, make: Callable[[], str], sizes: tuple[int, ...]) -> None:
    few = 0.0
    for size in sizes:
        db = make()
        _fill(db, size)
        store = open_store(db)
        _claim(store, "w", "first")
        took = [seconds(partial(_claim, store, "w", f"k{n}")) for n in range(min(SAMPLE, size // 20 - 2))]
        store.close()
        median = statistics.median(took)
        few = few or median
        relation = "-" if size == sizes[0] else f"{median / few:.2f}x"
        what = f"{kind}: a claim among {size:,} tasks, 95 % of another label"
        _row(table, what, median, ms, f"{sizes[0]:,} tasks", relation, "1.5x")


def _fill(db: str, many: int) -> None:
    """So many ready tasks, one in twenty for the label gpu."""
    store = open_store(db)
    for label in ("gpu", "other"):
        spec = m.TaskSpec(task="x", ralph_promise="y", labels=(label,), repository="app")
        task = m.FleetTask(id=label, spec=spec, born=1, lane="app main")
        store.run(lambda tx, task=task: tx.add_task(task, ()))
    changed = {"id": "id || n", "born": "born + n"}
    values = ", ".join(changed.get(name, name) for name in COLUMNS)
    copies = COPIES.format(many=many, columns=", ".join(COLUMNS), values=values)
    store.close()
    if db.startswith("postgresql"):
        with psycopg.connect(db, autocommit=True) as connection:
            connection.execute(copies.encode())
            connection.execute("VACUUM ANALYZE tasks")
    else:
        with sqlite3.connect(db) as connection:
            connection.execute(copies)


def _row(
    table: Table,
    what: str,
    figure: float,
    show: Callable[[float], str],
    against: str,
    relation: str,
    aim: str = "-",
) -> None:
    older = [0.0] * (len(table.variants) - 1)
    table.row(what, [*older, figure], lambda value: show(value) if value else "-", against, relation, aim)


if __name__ == "__main__":
    main(*sys.argv[1:])
