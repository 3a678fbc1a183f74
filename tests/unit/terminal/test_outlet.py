"""The buffer between a run and who reads it: bounded, and it never waits."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ralph.cli.run import view
from ralph.core import facts as f
from ralph.core.loop.state import LoopState
from ralph.journal.append import Journal
from ralph.journal.lock import Lock
from ralph.journal.record import now
from ralph.terminal import outlet
from ralph.terminal.outlet import Outlet

LINE = b"x" * 99 + b"\n"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outlet, "MOST_BYTES", 100_000)
    monkeypatch.setattr(outlet, "PATIENCE", 0.05)


def test_what_is_read_at_once_comes_whole_and_in_order(tmp_path: Path) -> None:
    with open(tmp_path / "out", "wb") as file:
        one = Outlet(file.fileno())
        for n in range(500):
            one.write(b"%d\n" % n)
        one.drain()
    assert (tmp_path / "out").read_text().split() == [str(n) for n in range(500)]


def test_what_does_not_fit_is_counted_where_it_is_missing() -> None:
    ours, theirs = os.pipe()
    one = Outlet(theirs)
    for _ in range(5000):
        one.write(LINE)
    one.drain()  # nobody reads: it gives up
    read = b""
    while b"left out" not in read:
        read += os.read(ours, 1 << 16)
    one.write(b"the end\n")
    while not read.endswith(b"the end\n"):
        read += os.read(ours, 1 << 16)
    *shown, end = read.splitlines()
    notes = [line for line in shown if b"lines left out here" in line]
    missing = sum(int(note.split()[0].replace(b",", b"")) for note in notes)
    assert missing > 0 and shown.count(LINE.strip()) + missing == 5000
    assert end == b"the end" and len(shown) == 5000 - missing + len(notes)
    os.close(ours)


def test_a_reader_that_is_gone_takes_everything() -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    one = Outlet(theirs)
    for _ in range(5000):
        one.write(LINE)
    one.drain()
    assert one.has_room


def test_the_json_stream_leaves_nothing_out_the_journal_keeps_what_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reads = False
    monkeypatch.setattr(view, "has_room", lambda stream: reads)
    lock = Lock.acquire(tmp_path, "run")
    journal, json = Journal.open(tmp_path, "run", now), view.Json(tmp_path, verbose=False)
    for number in range(3):
        fact = f.JournalRepaired(bytes=number)
        journal.append(f.kind_of(fact), f.encode(fact))
        json.fact(fact, LoopState())
    assert json.pulse(LoopState()) < 1 and capsys.readouterr().out == ""
    reads = True
    assert json.pulse(LoopState()) == float("inf")
    assert capsys.readouterr().out.count("\n") == 3
    lock.release()
