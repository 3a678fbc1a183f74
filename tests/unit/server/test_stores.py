"""What both stores do: schemas of later versions, indexes that claims use, texts from outside."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from msgspec.structs import replace
from store_process import SETTINGS, new_task

from ralph.core.fleet import model as m
from ralph.core.fleet import requests as r
from ralph.core.fleet.server import handle
from ralph.core.fleet.store import FleetStore, FleetTransaction
from ralph.errors import RalphError
from ralph.server.stores import open_store
from ralph.server.stores.queries import POSTGRESQL, SQLITE, migrations, statements
from ralph.server.stores.sqlite import SqliteStore


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "fleet.db") if request.param == "sqlite" else request.getfixturevalue("database")


@pytest.fixture
def store(db: str) -> Iterator[FleetStore]:
    found = open_store(db)
    yield found
    found.close()


def ask(db: str, statement: str) -> list[tuple[object, ...]]:
    """With the database's own means, beside the store."""
    if db.startswith("postgresql"):
        with psycopg.connect(db) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []
    connection = sqlite3.connect(db)
    with connection:
        found = connection.execute(statement).fetchall()
    connection.close()
    return found


def test_a_program_runs_on_the_schema_of_a_later_one_and_leaves_what_it_does_not_know(db: str) -> None:
    store = open_store(db)
    store.run(lambda tx: handle(tx, new_task("t"), SETTINGS))
    store.close()
    ask(db, "ALTER TABLE tasks ADD COLUMN later TEXT NOT NULL DEFAULT 'new'")
    ask(db, "INSERT INTO schema_versions (number, name) VALUES (9999, 'later')")
    ask(db, "UPDATE tasks SET later = 'kept'")
    store = open_store(db)
    claim = r.ClaimRequest(r.Offer("w"), "k")
    got = store.run(lambda tx: handle(tx, claim, SETTINGS))
    assert isinstance(got, r.ClaimGrant) and got.task is not None
    store.run(lambda tx: handle(tx, r.CancelTask("t"), SETTINGS))
    store.run(lambda tx: handle(tx, new_task("u"), SETTINGS))
    store.close()
    assert ask(db, "SELECT id, status, later FROM tasks ORDER BY id") == [
        ("t", "cancelled", "kept"),
        ("u", "pending", "new"),
    ]


def test_a_store_that_is_opened_again_is_as_it_was(db: str) -> None:
    for n in range(3):
        store = open_store(db)
        store.run(lambda tx, n=n: handle(tx, new_task(f"t{n}", labels=("a", "b")), SETTINGS))
        epochs = [store.run(lambda tx: tx.next_epoch()) for _ in range(2)]
        store.close()
    store = open_store(db)
    assert [task.id for task in store.read(lambda tx: tx.tasks_after("", 10))] == ["t0", "t1", "t2"]
    assert store.run(lambda tx: tx.next_epoch()) > max(epochs)
    store.close()
    assert ask(db, "SELECT count(*) FROM queues") == [(1,)]


def test_an_epoch_that_a_failed_rule_drew_is_not_drawn_again_even_after_a_restart(db: str) -> None:
    drawn: list[int] = []

    def fail(tx: FleetTransaction) -> None:
        drawn.append(tx.next_epoch())
        raise ValueError

    for _ in range(2):
        store = open_store(db)
        with pytest.raises(ValueError):
            store.run(fail)
        store.close()
    assert drawn[0] < drawn[1]


@pytest.mark.parametrize("phase", ["work", "land"])
def test_a_claim_reads_the_heads_of_queues_from_the_index(db: str, store: FleetStore, phase: str) -> None:
    def fill(tx: FleetTransaction) -> None:
        for n in range(2000):
            spec = m.TaskSpec(task="x", labels=("other",) if n % 20 else ("gpu",))
            task = m.FleetTask(id=f"{n}", spec=spec, born=n, lane=f"l{n % 3}", phase=phase)  # type: ignore[arg-type]
            tx.add_task(task, ())

    store.run(fill)
    ask(db, "ANALYZE")
    if isinstance(store, SqliteStore):
        values = {"phase": phase, "protocol": 1, "queues": "[1, 2]"}
        connection = sqlite3.connect(db)
        plan = [
            row[3] for row in connection.execute("EXPLAIN QUERY PLAN " + statements("sqlite")["head"], values)
        ]
        connection.close()
        assert any("INDEX ready" in line for line in plan), plan
    else:
        values = {"phase": phase, "protocol": 1, "queues": [1, 2], "most": 16}
        claim = {"worker": "w", "key": "k", "lease": 1}
        with psycopg.connect(db) as connection:
            explain = f"EXPLAIN {statements('postgresql')['claim']}".encode()
            plan = [row[0] for row in connection.execute(explain, values | claim)]
        assert any("using ready" in line for line in plan), "\n".join(plan)
    assert not any("Seq Scan on tasks" in line or line.startswith("SCAN tasks") for line in plan), "\n".join(
        plan
    )


def test_no_index_holds_what_a_heartbeat_writes(db: str, store: FleetStore) -> None:
    table = (
        "pg_indexes WHERE schemaname = 'public'"
        if db.startswith("postgresql")
        else "sqlite_master WHERE type = 'index'"
    )
    column = "indexdef" if db.startswith("postgresql") else "coalesce(sql, '')"
    made = [str(row[0]) for row in ask(db, f"SELECT {column} FROM {table}")]
    assert any("not_before" in index for index in made)
    assert not [index for index in made if "lease_until" in index or "vitals" in index]


def test_a_nul_in_what_a_worker_says_does_not_keep_the_task_from_being_saved(store: FleetStore) -> None:
    store.run(lambda tx: handle(tx, new_task("t"), SETTINGS))
    claim = r.ClaimRequest(r.Offer("w\0"), "k\0")
    got = store.run(lambda tx: handle(tx, claim, SETTINGS))
    assert isinstance(got, r.ClaimGrant) and got.task is not None
    release = r.Release("t", got.task.epoch, got.task.holder, text="no\0good")
    assert isinstance(store.run(lambda tx: handle(tx, release, SETTINGS)), r.Accepted)
    task = store.read(lambda tx: tx.task("t"))
    assert task is not None and not task.holder and task.reason == "no\N{REPLACEMENT CHARACTER}good"


def test_labels_may_be_longer_than_what_an_index_takes(store: FleetStore) -> None:
    labels = tuple(f"label-{n:04}-{'x' * 40}" for n in range(500))
    store.run(lambda tx: handle(tx, new_task("t", labels=labels), SETTINGS))
    short, long = r.Offer("w", labels=labels[1:]), r.Offer("w", labels=labels)
    assert store.run(lambda tx: tx.claim_ready(short, "a", 1000)) is None
    assert store.run(lambda tx: tx.claim_ready(long, "b", 1000)) is not None


def test_a_new_queue_of_a_rule_that_failed_is_not_mistaken_for_the_next(store: FleetStore) -> None:
    def fail(tx: FleetTransaction) -> None:
        handle(tx, new_task("t", labels=("first",)), SETTINGS)
        tx.claim_ready(r.Offer("w"), "k", 1000)
        raise ValueError

    with pytest.raises(ValueError):
        store.run(fail)
    store.run(lambda tx: handle(tx, new_task("t", labels=("second",)), SETTINGS))
    first, second = r.Offer("w", labels=("first",)), r.Offer("w", labels=("second",))
    assert store.run(lambda tx: tx.claim_ready(first, "a", 1000)) is None
    assert store.run(lambda tx: tx.claim_ready(second, "b", 1000)) is not None


def test_a_task_whose_labels_change_is_claimed_by_others(store: FleetStore) -> None:
    store.run(lambda tx: handle(tx, new_task("t", labels=("a",)), SETTINGS))

    def relabel(tx: FleetTransaction) -> None:
        task = tx.lock_task("t")
        assert task is not None
        tx.save_task(replace(task, spec=replace(task.spec, labels=("b",))))

    store.run(relabel)
    assert store.run(lambda tx: tx.claim_ready(r.Offer("w", labels=("a",)), "a", 1000)) is None
    assert store.run(lambda tx: tx.claim_ready(r.Offer("w", labels=("b",)), "b", 1000)) is not None


def test_every_field_of_a_task_has_its_column(db: str, store: FleetStore) -> None:
    """The statements are made from the fields; the migrations are written by hand."""
    spec = m.TaskSpec(task="x")
    store.run(lambda tx: tx.add_task(m.FleetTask(id="t", spec=spec, born=1), ()))
    assert store.read(lambda tx: tx.task("t")) == m.FleetTask(id="t", spec=spec, born=1)


def test_a_file_that_is_no_database_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("mine\n" * 1000)
    with pytest.raises(RalphError, match="cannot be used"):
        open_store(str(file))
    assert file.read_text() == "mine\n" * 1000


def test_migrations_are_numbered_one_after_the_other_and_alike_for_both() -> None:
    found = [[(step.number, step.name) for step in migrations(dialect)] for dialect in (SQLITE, POSTGRESQL)]
    assert found[0] == found[1]
    assert [number for number, _ in found[0]] == list(range(1, len(found[0]) + 1))


@pytest.mark.parametrize(
    "db", ["postgresql://me:secret@127.0.0.1:1/fleet", "postgresql://me:secret@[", "/proc/fleet.db", "/"]
)
def test_a_database_that_cannot_be_opened_is_named_without_its_password(db: str) -> None:
    with pytest.raises(RalphError) as told:
        open_store(db)
    assert "secret" not in str(told.value)
    assert told.value.todo


def put(store: FleetStore, *tasks: m.FleetTask) -> None:
    store.run(lambda tx: [tx.add_task(task, ()) for task in tasks])


def claim_all(store: FleetStore, offer: r.Offer) -> list[str]:
    """Ids in the order of claims."""
    found: list[str] = []
    while (task := store.run(lambda tx: tx.claim_ready(offer, f"{offer}{len(found)}", 60_000))) is not None:
        found.append(task.id)
    return found


def landing(id: str, lane: str, **fields: object) -> m.FleetTask:
    spec = m.TaskSpec(task="x", repository="app")
    return m.FleetTask(id=id, spec=spec, born=1, lane=lane, phase="land", **fields)  # type: ignore[arg-type]


def test_within_a_queue_what_was_sent_back_twice_is_first_then_priority_then_age_then_id(
    store: FleetStore,
) -> None:
    late = m.TaskProgress(attempts=2)
    urgent = m.TaskSpec(task="x", repository="app", priority=0)
    others = (replace(landing(f"later-{n}", "a"), spec=urgent) for n in range(20))
    put(store, landing("first", "a", progress=late), *others)
    assert claim_all(store, r.Offer("w", phase="land")) == ["first"]
    work = [
        m.FleetTask(id="old", spec=m.TaskSpec(task="x"), born=1),
        m.FleetTask(id="older", spec=m.TaskSpec(task="x"), born=0),
        m.FleetTask(id="Old", spec=m.TaskSpec(task="x"), born=1),
        m.FleetTask(id="young", spec=m.TaskSpec(task="x", priority=1.5), born=9, progress=late),
    ]
    put(store, *work)
    assert claim_all(store, r.Offer("w")) == ["young", "older", "Old", "old"]


def test_many_that_wait_for_a_lane_do_not_stand_in_the_way_of_another_lane(store: FleetStore) -> None:
    put(store, *(landing(f"a{n:02}", "app main") for n in range(40)), landing("b", "app next"))
    assert claim_all(store, r.Offer("w", phase="land")) == ["a00", "b"]


def test_many_that_a_worker_does_not_understand_do_not_stand_in_the_way_of_others(store: FleetStore) -> None:
    new = [m.FleetTask(id=f"a{n:02}", spec=m.TaskSpec(task="x"), born=1, protocol=2) for n in range(40)]
    put(store, *new, m.FleetTask(id="b", spec=m.TaskSpec(task="x"), born=2))
    assert claim_all(store, r.Offer("w", protocol=1)) == ["b"]
    assert len(claim_all(store, r.Offer("w", protocol=2))) == 40
