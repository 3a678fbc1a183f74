"""One process of a fleet's server, as tests start several: `store_process.py DO DB NAME [NUMBER]`.

It opens the store when a line comes on its standard input, and prints a line for each thing it has done.
"""

from __future__ import annotations

import sys
import time

from ralph.core.fleet import model as m
from ralph.core.fleet import requests as r
from ralph.core.fleet.server import handle
from ralph.core.fleet.store import FleetStore, FleetTransaction
from ralph.server.stores import open_store

SETTINGS = m.FleetSettings()


class Undo(Exception):
    pass


def new_task(id: str, **spec: object) -> r.CreateTask:
    return r.CreateTask(id, m.TaskSpec(task="do it", ralph_promise="it is done", **spec))  # type: ignore[arg-type]


def migrate(store: FleetStore, name: str, number: int) -> None:
    print(name, flush=True)


def claim(store: FleetStore, name: str, number: int) -> None:
    """Until nothing is left."""
    for n in range(number):
        wish = r.ClaimRequest(r.Offer(name, labels=("gpu",)), f"{name}-{n}")
        got = store.run(lambda tx, wish=wish: handle(tx, wish, SETTINGS))
        if not isinstance(got, r.ClaimGrant) or got.task is None:
            return
        print(got.task.id, got.task.epoch, flush=True)


def write(store: FleetStore, name: str, number: int) -> None:
    """Events, some of them undone."""
    for n in range(number):

        def rule(tx: FleetTransaction, n: int = n) -> None:
            tx.emit(m.FleetEvent(name, "updated", n, text="done" if n % 5 else "undone"))
            if n % 5 == 0:
                raise Undo
            tx.emit(m.FleetEvent(name, "updated", n, text="also"))

        try:
            store.run(rule)
        except Undo:
            pass
    print(name, flush=True)


def relay(store: FleetStore, name: str, number: int) -> None:
    """As often as there is something, until so many events are numbered."""
    while not (last := store.read(lambda tx: tx.events(number - 1, 1))):
        if not store.relay():
            time.sleep(0.001)
    print(last[0][0], flush=True)


def create(store: FleetStore, name: str, number: int) -> None:
    """For ever: a task with its event, its fact and its blob, printed when it is committed."""
    n = 0
    while True:
        n += 1
        id = f"{name}-{n}"

        def rule(tx: FleetTransaction, id: str = id) -> None:
            handle(tx, new_task(id), SETTINGS)
            tx.put_blob(id, id.encode() * 100)
            tx.add_facts(id, [m.StoredFact(1, m.SentFact(1, "l", "k", "at", b"{}", "c"))])

        store.run(rule)
        print(id, flush=True)


def main() -> None:
    do, db, name, *number = sys.argv[1:]
    print("ready", flush=True)
    sys.stdin.readline()
    store = open_store(db)
    {"migrate": migrate, "claim": claim, "write": write, "relay": relay, "create": create}[do](
        store, name, int(number[0]) if number else 0
    )
    store.close()


if __name__ == "__main__":
    main()
