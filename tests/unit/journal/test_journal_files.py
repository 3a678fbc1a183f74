"""Rotation into segments, the history over all of them, and following a journal that grows."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from journal_parts import child, data, wait_until, write, writer

from ralph.journal import read as reading
from ralph.journal.append import Journal
from ralph.journal.read import follow, history, scan, segments
from ralph.journal.record import Damage, Record

NAME = "journal.jsonl"


def rotated(state_dir: Path, files: int = 3, each: int = 2) -> None:
    """`files` segments and a current file, with `each` records besides the one that ties them."""
    with writer(state_dir) as journal:
        for _ in range(files):
            fill(journal, each)
            assert journal.rotate_if_large(1)
        fill(journal, each)


def fill(journal: Journal, count: int) -> None:
    for _ in range(count):
        journal.append("n", data(after=journal.seq))


def seqs(records: list[Record]) -> list[int]:
    return [r.seq for r in records]


def test_a_file_below_the_limit_is_not_rotated(tmp_path: Path) -> None:
    with writer(tmp_path) as journal:
        assert not journal.rotate_if_large(0)
        journal.append("a", b"{}")
        assert not journal.rotate_if_large()
        assert not journal.rotate_if_large(journal.path.stat().st_size + 1)
        assert journal.rotate_if_large(journal.path.stat().st_size)
    assert len(segments(tmp_path)) == 1


def test_rotation_continues_numbers_and_chain_and_ties_the_files(tmp_path: Path) -> None:
    with writer(tmp_path) as journal:
        fill(journal, 3)
        last_line = journal.path.read_bytes().splitlines()[-1]
        assert journal.rotate_if_large(1)
        after = journal.append("after", b"{}")
    (segment,) = segments(tmp_path)
    assert segment.name == "journal-000000001.jsonl"
    tie, second = scan(tmp_path / NAME).records
    assert (tie.seq, tie.kind) == (4, "journal.rotated")
    assert msgspec.json.decode(tie.data) == {
        "previous": segment.name,
        "last_seq": 3,
        "last_crc": last_line[-10:-2].decode(),
    }
    assert second == after
    assert seqs(scan(segment).records) == [1, 2, 3]


def test_history_yields_every_record_of_all_files_once_in_order(tmp_path: Path) -> None:
    rotated(tmp_path)
    records = list(history(tmp_path))
    assert seqs(records) == list(range(1, 12))
    assert [r.kind for r in records].count("journal.rotated") == 3
    assert [p.name for p in segments(tmp_path)] == [f"journal-{n:09d}.jsonl" for n in (1, 3, 6)]


def test_a_rotated_journal_is_reopened_and_rotated_again(tmp_path: Path) -> None:
    rotated(tmp_path, files=1)
    with writer(tmp_path) as journal:
        assert seqs(journal.records) == [3, 4, 5]
        fill(journal, 1)
        assert journal.rotate_if_large(1)
    assert seqs(list(history(tmp_path))) == list(range(1, 8))


def test_without_any_journal_history_is_empty(tmp_path: Path) -> None:
    assert list(history(tmp_path)) == []
    assert list(history(tmp_path / "nowhere")) == []


@pytest.mark.parametrize("left", [None, b"", b'{"seq":3,"at"'], ids=["missing", "empty", "torn"])
def test_a_crash_during_rotation_is_finished_at_the_next_open(tmp_path: Path, left: bytes | None) -> None:
    rotated(tmp_path, files=1)
    current = tmp_path / NAME
    current.unlink()
    if left is not None:
        current.write_bytes(left)
    with writer(tmp_path) as journal:
        assert journal.records == []
        assert journal.repaired == len(left or b"")
        assert journal.append("go on", b"{}").seq == 4
    assert [r.kind for r in history(tmp_path)] == ["n", "n", "journal.rotated", "go on"]


def test_only_the_oldest_files_may_be_missing_from_history(tmp_path: Path) -> None:
    rotated(tmp_path)
    first, second, _ = segments(tmp_path)
    first.unlink()
    assert seqs(list(history(tmp_path))) == list(range(3, 12))
    first.write_bytes(b"")
    with pytest.raises(Damage, match="ends before its last record"):
        list(history(tmp_path))
    first.unlink()
    second.rename(first)
    whole = first.read_bytes()
    first.write_bytes(whole[: whole.rstrip().rfind(b"\n") + 1])  # one record lost at a segment's end
    with pytest.raises(Damage, match="does not continue record 4"):
        list(history(tmp_path))


def test_a_missing_file_in_the_middle_is_damage_to_history(tmp_path: Path) -> None:
    rotated(tmp_path)
    segments(tmp_path)[1].unlink()
    with pytest.raises(Damage, match="does not continue record 2"):
        list(history(tmp_path))


def test_a_missing_newest_segment_is_damage_to_history(tmp_path: Path) -> None:
    rotated(tmp_path)
    segments(tmp_path)[2].unlink()
    with pytest.raises(Damage, match="does not continue record 5"):
        list(history(tmp_path))


def test_a_damaged_segment_is_named_when_the_journal_has_to_go_on_from_it(tmp_path: Path) -> None:
    rotated(tmp_path, files=1)
    (tmp_path / NAME).unlink()
    (segment,) = segments(tmp_path)
    cut = segment.read_bytes()[:-5]
    segment.write_bytes(cut)
    with pytest.raises(Damage) as found, writer(tmp_path):
        pass
    assert found.value.where == str(segment)
    assert segment.read_bytes() == cut
    assert not (tmp_path / NAME).exists()


def test_a_changed_tie_is_damage(tmp_path: Path) -> None:
    rotated(tmp_path, files=1)
    path = tmp_path / NAME
    path.write_bytes(path.read_bytes().replace(b'"last_seq":2', b'"last_seq":1'))
    with pytest.raises(Damage):
        scan(path)


def test_history_read_during_a_rotation_misses_nothing(tmp_path: Path) -> None:
    with writer(tmp_path) as journal:
        fill(journal, 3)
        under_way = history(tmp_path)
        seen = [next(under_way)]
        for _ in range(3):
            journal.rotate_if_large(1)
            fill(journal, 2)
        seen += under_way
        # The file under way when reading began is read to its end; what came later, too.
        assert seqs(seen)[:3] == [1, 2, 3]
        assert seqs(seen) == list(range(1, len(seen) + 1))
        assert seqs(list(history(tmp_path))) == list(range(1, 13))


def test_history_finds_a_file_rotated_between_looking_and_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rotated(tmp_path, files=1)
    look = reading._segment_after
    with writer(tmp_path) as journal:

        def look_then_rotate(state_dir: Path, end: tuple[int, int] | None) -> Path | None:
            found = look(state_dir, end)
            if found is None and len(segments(tmp_path)) < 3:
                fill(journal, 1)
                journal.rotate_if_large(1)
            return found

        monkeypatch.setattr(reading, "_segment_after", look_then_rotate)
        assert seqs(list(history(tmp_path))) == list(range(1, journal.seq + 1))


def test_a_follower_sees_each_record_once_and_never_half_a_line(tmp_path: Path) -> None:
    content = write(tmp_path, 2)
    path = tmp_path / NAME
    path.unlink()
    follower = follow(path, 1)
    assert follower.poll() == []
    seen: list[Record] = []
    with open(path, "wb", buffering=0) as file:
        for at in range(len(content)):
            file.write(content[at : at + 1])
            new = follower.poll()
            seen += new
            assert bool(new) == (content[at : at + 1] == b"\n")
    follower.close()
    assert seqs(seen) == [1, 2]
    assert follow(path, 2).poll() == seen[1:]
    assert follow(path, 3).poll() == []


@pytest.mark.parametrize("start", [1, 2, 3, 5, 6, 8, 11, 12, 40])
def test_following_starts_in_the_file_that_holds_the_record(tmp_path: Path, start: int) -> None:
    rotated(tmp_path)
    assert seqs(follow(tmp_path / NAME, start).poll()) == list(range(start, 12))


def test_a_follower_goes_over_several_rotations_between_two_polls(tmp_path: Path) -> None:
    with writer(tmp_path) as journal:
        fill(journal, 2)
        follower = follow(journal.path, 1)
        seen = follower.poll()
        for _ in range(3):
            fill(journal, 1)
            journal.rotate_if_large(1)
        fill(journal, 1)
        seen += follower.poll()
        assert seqs(seen) == list(range(1, journal.seq + 1))
        assert follower.poll() == []
        fill(journal, 1)
        assert seqs(follower.poll()) == [journal.seq]


def test_a_follower_waits_over_a_torn_tail_until_it_is_repaired(tmp_path: Path) -> None:
    good = write(tmp_path, 2)
    path = tmp_path / NAME
    path.write_bytes(good + b'{"seq":3, torn\n')
    follower = follow(path, 1)
    assert seqs(follower.poll()) == [1, 2]
    assert follower.poll() == []
    with writer(tmp_path) as journal:
        fill(journal, 2)
        assert seqs(follower.poll()) == [3, 4]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda c: c.replace(b'"n": 1', b'"n": 7'),
        lambda c: b"x" + c[1:],
        lambda c: c.replace(b'"seq":2', b'"seq":5'),
    ],
)
def test_a_follower_reports_damage_by_line(tmp_path: Path, spoil: Callable[[bytes], bytes]) -> None:
    path = tmp_path / NAME
    path.write_bytes(spoil(write(tmp_path, 3)))
    with pytest.raises(Damage):
        follow(path, 1).poll()


def test_a_follower_reports_a_segment_that_is_cut_short(tmp_path: Path) -> None:
    rotated(tmp_path, files=1)
    (segment,) = segments(tmp_path)
    segment.write_bytes(segment.read_bytes()[:-5])
    with pytest.raises(Damage, match="ends before"):
        follow(tmp_path / NAME, 1).poll()


@pytest.mark.parametrize("replace", ["moved away", "cut to nothing"])
def test_a_follower_begins_anew_with_a_new_journal(tmp_path: Path, replace: str) -> None:
    write(tmp_path, 5)
    path = tmp_path / NAME
    follower = follow(path, 3)
    assert seqs(follower.poll()) == [3, 4, 5]
    if replace == "moved away":
        path.rename(tmp_path / "damaged")
        assert follower.poll() == []
    else:
        os.truncate(path, 0)
    write(tmp_path, 2)
    assert seqs(follower.poll()) == [1, 2]


WRITING = """
import sys
from pathlib import Path
from ralph.journal.append import Journal
from ralph.journal.lock import Lock
state_dir = Path(sys.argv[1])
lock = Lock.acquire(state_dir, "r1")
journal = Journal.open(state_dir, "r1", lambda: "now")
while journal.seq < 2000:
    journal.append("n", b'{"n":%d,"text":"%s"}' % (journal.seq, b"x" * (journal.seq % 900)))
    journal.rotate_if_large(200_000)
"""


def test_a_follower_sees_two_thousand_records_of_a_live_writer_exactly_once(tmp_path: Path) -> None:
    process = child(WRITING, tmp_path)
    follower = follow(tmp_path / NAME, 1)
    seen: list[Record] = []
    polls = 0

    def all_seen() -> bool:
        nonlocal polls
        polls += 1
        seen.extend(follower.poll())
        # A reader of the whole must never be disturbed by the writer either.
        if polls % 20 == 0:
            whole = seqs(list(history(tmp_path)))
            assert whole == list(range(1, len(whole) + 1))
        return len(seen) >= 2000 or process.poll() not in (None, 0)

    wait_until(all_seen)
    assert process.wait() == 0
    assert seqs(seen) == list(range(1, 2001))
    assert follower.poll() == []
    assert len(segments(tmp_path)) > 2
    assert seen == list(history(tmp_path))


def test_following_costs_no_descriptors_once_closed(tmp_path: Path) -> None:
    if not Path("/proc/self/fd").exists():
        pytest.skip("no /proc here")
    rotated(tmp_path)
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        follower = follow(tmp_path / NAME, 1)
        follower.poll()
        follower.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_every_line_is_readable_by_jq(tmp_path: Path) -> None:
    rotated(tmp_path)
    try:
        told = subprocess.run(
            ["jq", "-c", "[.seq, .kind]", str(tmp_path / NAME)], capture_output=True, text=True, check=True
        )
    except FileNotFoundError:
        pytest.skip("jq is not installed")
    assert told.stdout.splitlines() == ['[9,"journal.rotated"]', '[10,"n"]', '[11,"n"]']
