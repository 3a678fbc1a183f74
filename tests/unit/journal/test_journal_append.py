"""The writer: format, order, durability, and what happens when the disk fails."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import zlib
from pathlib import Path

import msgspec
import pytest
from journal_parts import AT, child, data, write, writer

from ralph.journal import append
from ralph.journal.append import Journal, Unwritable
from ralph.journal.read import history, scan


def test_a_line_is_plain_json_with_the_documented_keys_in_order(tmp_path: Path) -> None:
    with writer(tmp_path) as journal:
        returned = journal.append("iteration.started", data(n=1, who="ünï"), loop="l1")
    line = json.loads((tmp_path / "journal.jsonl").read_bytes())
    crc = line.pop("crc")
    assert list(line) == ["seq", "at", "run", "loop", "kind", "data"]
    assert line == {
        "seq": 1,
        "at": AT,
        "run": "r1",
        "loop": "l1",
        "kind": "iteration.started",
        "data": {"n": 1, "who": "ünï"},
    }
    assert len(crc) == 8
    assert returned == scan(tmp_path / "journal.jsonl").records[0]


def test_the_checksum_is_crc32_of_the_line_before_the_key_chained_on_the_one_before(tmp_path: Path) -> None:
    crc = 0
    for line in write(tmp_path, 5).splitlines():
        body, _, written = line.rpartition(b',"crc":"')
        crc = zlib.crc32(body, crc)
        assert written == b'%08x"}' % crc


def test_what_is_appended_is_seen_by_another_process_before_any_sync(tmp_path: Path) -> None:
    with writer(tmp_path) as journal:
        journal.append("a", b"{}")
        seen = subprocess.run(["cat", str(journal.path)], capture_output=True, check=True).stdout
    assert json.loads(seen)["kind"] == "a"


def test_reopening_continues_numbers_and_chain_and_gives_the_records_read(tmp_path: Path) -> None:
    with writer(tmp_path, "r1") as journal:
        first = journal.append("a", b"{}")
    with writer(tmp_path, "r2") as journal:
        assert journal.records == [first]
        assert journal.repaired == 0
        second = journal.append("b", b"{}")
        assert journal.records == [first]  # what open read, not a growing copy of the file
    assert (second.seq, second.run) == (2, "r2")
    assert scan(tmp_path / "journal.jsonl").records == [first, second]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\u2028 \u0085 \r\n \x00 \x1f \x7f",
        "日本語 🎈 \U0010ffff",
        '"}\n{"seq":1,"crc":"00000000"}',
        "y" * (1 << 20),
    ],
)
def test_any_text_comes_back_as_it_was(tmp_path: Path, text: str) -> None:
    with writer(tmp_path, run=text[:100]) as journal:
        journal.append(text[:100], msgspec.json.encode({"text": text}), loop=text[:100])
        journal.append("after", b"{}")
    first, after = scan(tmp_path / "journal.jsonl").records
    assert msgspec.json.decode(first.data) == {"text": text}
    assert (first.run, first.loop, first.kind) == (text[:100],) * 3
    assert after.kind == "after"


@pytest.mark.parametrize("wrong", [b"", b"[]", b"1", b'{"a":1}\n', b'{"a":\n1}', b'{"a":}', b"{]}", b"{}x{}"])
def test_what_is_not_one_object_on_one_line_is_refused_and_nothing_is_written(
    tmp_path: Path, wrong: bytes
) -> None:
    with writer(tmp_path) as journal:
        journal.append("a", b"{}")
        with pytest.raises(ValueError):
            journal.append("b", wrong)
        assert journal.append("c", b"{}").seq == 2
    assert [r.kind for r in scan(tmp_path / "journal.jsonl").records] == ["a", "c"]


def test_ten_thousand_records_are_appended_and_read_back_in_order(tmp_path: Path) -> None:
    with writer(tmp_path) as journal:
        for n in range(10_000):
            journal.append("n", b'{"n":%d}' % n)
    records = scan(tmp_path / "journal.jsonl").records
    assert [r.seq for r in records] == list(range(1, 10_001))
    assert bytes(records[-1].data) == b'{"n":9999}'


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each time that the journal's file really goes to the disk."""
    made: list[int] = []
    really = append._datasync

    def note(fd: int) -> None:
        really(fd)
        made.append(fd)

    monkeypatch.setattr(append, "_datasync", note)
    return made


def test_sync_goes_to_the_disk_only_when_there_is_something_new(tmp_path: Path, syncs: list[int]) -> None:
    with writer(tmp_path) as journal:
        journal.sync()
        assert syncs == []
        journal.append("a", b"{}")
        journal.append("b", b"{}")
        journal.sync()
        journal.sync()
        assert len(syncs) == 1


def test_records_of_a_dead_writer_are_synced_before_they_are_depended_on(
    tmp_path: Path, syncs: list[int]
) -> None:
    write(tmp_path, 1)
    syncs.clear()
    with writer(tmp_path) as journal:
        journal.sync()
        assert len(syncs) == 1


def test_the_journal_is_for_the_owner_only_and_does_not_reach_children(tmp_path: Path) -> None:
    with writer(tmp_path) as journal:
        assert journal.path.stat().st_mode & 0o777 == 0o600
        listed = subprocess.run(
            ["sh", "-c", "ls -l /proc/self/fd"], capture_output=True, text=True, close_fds=False
        ).stdout
        if not listed:
            pytest.skip("no /proc here")
        assert "journal.jsonl" not in listed
        assert str(tmp_path / "lock") not in listed


def test_opening_without_the_lock_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        Journal.open(tmp_path, "r1", lambda: AT)
    assert not (tmp_path / "journal.jsonl").exists()


def test_a_closed_journal_takes_nothing(tmp_path: Path) -> None:
    with writer(tmp_path) as journal:
        pass
    with pytest.raises(Unwritable):
        journal.append("a", b"{}")


def test_a_full_disk_stops_the_writer_and_leaves_only_whole_records(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount")
    if (
        mount is None
        or subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)], capture_output=True
        ).returncode
    ):
        pytest.skip("mounting needs root")
    try:
        filler = disk / "filler"
        filler.write_bytes(bytes(16384))
        with writer(disk) as journal:
            written = 0
            with pytest.raises(Unwritable) as failed:
                for n in range(1000):
                    journal.append("n", data(n=n, text="x" * 1000))
                    written += 1
            assert failed.value.code == 70
            assert "No space left" in str(failed.value)
            assert written > 10
            filler.unlink()  # there is room again: it stays unusable all the same
            for act in (lambda: journal.append("more", b"{}"), journal.sync, journal.rotate_if_large):
                with pytest.raises(Unwritable):
                    act()
        whole = scan(disk / "journal.jsonl")
        assert len(whole.records) == written
        assert not whole.torn
        with writer(disk) as journal:
            assert journal.repaired == 0
            assert journal.append("again", b"{}").seq == written + 1
    finally:
        subprocess.run(["umount", str(disk)], check=True)


FAULTY = """
import sys
from pathlib import Path
from ralph.journal.append import Journal, Unwritable
from ralph.journal.lock import Lock
state_dir = Path(sys.argv[1])
lock = Lock.acquire(state_dir, "r1")
refused = 0
try:
    journal = Journal.open(state_dir, "r1", lambda: "now")
    for n in range(3):
        journal.append("n", b'{"n":%d}' % n)
        journal.sync()
        print("synced", journal.seq, flush=True)
    journal.rotate_if_large(1)
    print("synced", journal.seq, flush=True)
except Unwritable:
    for act in (lambda: journal.append("later", b"{}"), journal.sync):
        try:
            act()
        except Unwritable:
            refused += 1
    print("refused", refused)
"""
SEAMS = [
    "lock.before w",
    *["journal.append.before w", "journal.append.after", "journal.sync.before w", "journal.sync.after"] * 3,
    *["rename.before w", "rename.after"],
    *["journal.append.before w", "journal.append.after", "journal.sync.before w", "journal.sync.after"],
]


def test_the_seams_passed_are_those_that_the_fault_tests_count_on(tmp_path: Path) -> None:
    seams = tmp_path / "seams"
    assert child(FAULTY, tmp_path / "s", fault=f"count:{seams}", stdout=subprocess.PIPE).wait() == 0
    assert seams.read_text().splitlines() == SEAMS


@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("at", range(2, sum(s.endswith(" w") for s in SEAMS) + 1))
def test_after_any_failed_write_nothing_more_is_taken_and_what_was_synced_is_kept(
    tmp_path: Path, error: str, at: int
) -> None:
    process = child(FAULTY, tmp_path, fault=f"{error}@{at}", stdout=subprocess.PIPE)
    *synced, refused = process.communicate()[0].splitlines()
    assert refused == "refused 2"
    _continues(tmp_path, synced)


@pytest.mark.parametrize("at", range(1, len(SEAMS) + 1))
def test_a_writer_killed_at_any_seam_loses_nothing_that_was_synced(tmp_path: Path, at: int) -> None:
    process = child(FAULTY, tmp_path, fault=f"kill@{at}", stdout=subprocess.PIPE)
    synced = process.communicate()[0].splitlines()
    assert process.returncode == -signal.SIGKILL
    _continues(tmp_path, synced)


def _continues(state_dir: Path, synced: list[str]) -> None:
    last = int(synced[-1].split()[1]) if synced else 0
    with writer(state_dir) as journal:
        appended = journal.append("again", b"{}")
    seqs = [r.seq for r in history(state_dir)]
    assert seqs == list(range(1, appended.seq + 1))
    assert appended.seq > last
