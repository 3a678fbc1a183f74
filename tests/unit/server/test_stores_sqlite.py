"""One process, one writer, shared commits, and what a death leaves."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ralph.core.fleet import model as m
from ralph.core.fleet.store import FleetTransaction
from ralph.errors import RalphError
from ralph.server.stores.sqlite import SqliteStore

PROCESS = Path(__file__).with_name("store_process.py")
PATIENCE = 120.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    found = SqliteStore(tmp_path / "fleet.db")
    yield found
    found.close()


class Held:
    """The writer is busy until the block ends; what is asked meanwhile waits."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.go = threading.Event()
        self.begun = threading.Event()
        self.threads = [threading.Thread(target=store.run, args=(self._wait,))]

    def _wait(self, tx: FleetTransaction) -> None:
        tx.put_blob("held", b"x")
        self.begun.set()
        assert self.go.wait(PATIENCE)

    def ask(self, work: Callable[[], object]) -> None:
        waiting = len(self.store._waiting)
        self.threads.append(threading.Thread(target=work))
        self.threads[-1].start()
        while len(self.store._waiting) == waiting:
            self.threads[-1].join(0.001)

    def __enter__(self) -> Held:
        self.threads[0].start()
        assert self.begun.wait(PATIENCE)
        return self

    def __exit__(self, *_: object) -> None:
        self.go.set()
        for thread in self.threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()


def put(name: str) -> Callable[[FleetTransaction], None]:
    return lambda tx: tx.put_blob(name, name.encode())


def test_requests_that_wait_share_one_commit(store: SqliteStore) -> None:
    done: list[str] = []
    store._writer.set_trace_callback(done.append)
    with Held(store) as held:
        for n in range(8):
            held.ask(lambda n=n: store.run(put(f"b{n}")))
    assert done.count("COMMIT") == 2
    assert store.read(lambda tx: tx.missing_blobs([f"b{n}" for n in range(8)], 0)) == ()


def test_a_request_that_fails_does_not_spoil_those_it_shares_a_commit_with(store: SqliteStore) -> None:
    failed: list[Exception] = []

    def fail() -> None:
        def rule(tx: FleetTransaction) -> None:
            put("undone")(tx)
            tx.emit(m.FleetEvent("t", "created"))
            raise ValueError("no")

        try:
            store.run(rule)
        except ValueError as error:
            failed.append(error)

    with Held(store) as held:
        held.ask(lambda: store.run(put("before")))
        held.ask(fail)
        held.ask(lambda: store.run(put("after")))
    assert len(failed) == 1
    assert store.read(lambda tx: tx.missing_blobs(["before", "undone", "after"], 0)) == ("undone",)
    assert store.read(lambda tx: tx.events()) == ()


def test_a_thread_that_is_interrupted_leaves_the_others_their_work(store: SqliteStore) -> None:
    interrupted: list[str] = []

    def run(name: str) -> None:
        def rule(tx: FleetTransaction) -> None:
            put(name)(tx)
            if name == "b1" and not interrupted:  # in whichever thread does the work
                raise KeyboardInterrupt

        try:
            store.run(rule)
        except KeyboardInterrupt:
            interrupted.append(name)

    with Held(store) as held:
        for n in range(4):
            held.ask(lambda n=n: run(f"b{n}"))
    assert len(interrupted) == 1
    assert store.read(lambda tx: tx.missing_blobs([f"b{n}" for n in range(4)], 0)) == tuple(interrupted)


def test_what_ends_a_thread_ends_the_one_whose_rule_raised_it(store: SqliteStore) -> None:
    ended: list[str] = []

    def run(name: str) -> None:
        def rule(tx: FleetTransaction) -> None:
            put(name)(tx)
            if name == "b1":
                raise SystemExit

        try:
            store.run(rule)
        except SystemExit:
            ended.append(name)

    with Held(store) as held:
        for n in range(3):
            held.ask(lambda n=n: run(f"b{n}"))
    assert ended == ["b1"]
    assert store.read(lambda tx: tx.missing_blobs(["b0", "b1", "b2"], 0)) == ("b1",)


def test_readers_do_not_wait_for_the_writer_and_see_the_last_commit(store: SqliteStore) -> None:
    store.run(put("committed"))
    with Held(store):
        assert store.read(lambda tx: tx.missing_blobs(["committed", "held"], 0)) == ("held",)
    assert store.read(lambda tx: tx.missing_blobs(["committed", "held"], 0)) == ()


def test_a_commit_is_on_the_disk_before_it_is_answered(store: SqliteStore) -> None:
    assert store._writer.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL
    assert store._writer.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_the_file_is_for_its_owner_alone(store: SqliteStore) -> None:
    store.run(put("x"))
    files = list(store.path.parent.glob("fleet.db*"))
    assert len(files) >= 3
    assert {oct(file.stat().st_mode & 0o077) for file in files} == {"0o0"}


def started(do: str, path: Path) -> subprocess.Popen[str]:
    """A process that has the file open, and does one thing after the other."""
    process = subprocess.Popen(
        [sys.executable, PROCESS, do, path, "t"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()
    return process


def test_a_second_server_on_the_file_is_refused_and_told_which_process_has_it(tmp_path: Path) -> None:
    path = tmp_path / "fleet.db"
    first = SqliteStore(path)
    (tmp_path / "link.db").symlink_to(path)
    for name in (path, tmp_path / "link.db"):
        with pytest.raises(RalphError) as told:
            SqliteStore(name)
        assert f"pid {os.getpid()}" in told.value.what
        assert "--db" in told.value.todo
    first.run(put("still there"))
    with started("create", path) as other:
        assert other.wait(PATIENCE) != 0
    first.close()
    SqliteStore(path).close()


def test_a_killed_server_leaves_a_whole_file_and_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "fleet.db"
    with started("create", path) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        told = [process.stdout.readline().strip() for _ in range(30)]
        with pytest.raises(RalphError, match=f"pid {process.pid}"):
            SqliteStore(path)
        process.send_signal(signal.SIGKILL)
        told += process.stdout.read().split("\n")[:-1]
    store = SqliteStore(path)
    tasks = store.read(lambda tx: tx.tasks_after("", 10**6))
    ids = {task.id for task in tasks}
    assert set(told) <= ids  # what was answered is there
    for id in ids:  # each with all that was written with it
        assert store.read(lambda tx, id=id: (len(tx.facts(id)), tx.blob(id))) == (1, id.encode() * 100)
    events = store.read(lambda tx: tx.events())
    assert [number for number, _ in events] == list(range(1, len(ids) + 1))
    assert {event.task for _, event in events} == ids
    store.close()
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)
