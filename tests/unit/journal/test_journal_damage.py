"""Torn tails are repaired, damage is refused, and the two are told apart."""

from __future__ import annotations

from pathlib import Path

import pytest
from journal_parts import data, write, writer

from ralph.errors import RalphError
from ralph.journal.append import Journal
from ralph.journal.lock import Lock
from ralph.journal.read import scan
from ralph.journal.record import Chain, Damage

NAME = "journal.jsonl"


def refuse(state_dir: Path, content: bytes) -> Damage:
    """Every way to read this is refused, and no byte of the folder changes."""
    path = state_dir / NAME
    path.write_bytes(content)
    with pytest.raises(Damage) as found:
        scan(path)
    lock = Lock.acquire(state_dir, "r2")
    try:
        with pytest.raises(Damage):
            Journal.open(state_dir, "r2", lambda: "now")
    finally:
        lock.release()
    assert path.read_bytes() == content
    assert sorted(p.name for p in state_dir.iterdir()) == [NAME, "lock"]
    return found.value


def lines_of(content: bytes) -> list[bytes]:
    return [line + b"\n" for line in content.split(b"\n")[:-1]]


def test_a_tail_torn_at_any_byte_is_put_aside_and_the_journal_goes_on(tmp_path: Path) -> None:
    state_dir = tmp_path / "s"
    content = write(state_dir, 3)
    good = content[: content.rstrip(b"\n").rfind(b"\n") + 1]
    for cut in range(len(good), len(content)):
        path = state_dir / NAME
        path.write_bytes(content[:cut])
        torn = content[len(good) : cut]
        found = scan(path)
        assert (len(found.records), found.good_bytes, found.torn) == (2, len(good), bool(torn))
        with writer(state_dir, "r2") as journal:
            assert journal.repaired == len(torn)
            assert path.read_bytes() == good
            assert journal.append("next", data(cut=cut)).seq == 3
        assert [r.seq for r in scan(path).records] == [1, 2, 3]
        aside = [p.read_bytes() for p in state_dir.glob("journal.torn-3*")]
        assert aside == ([torn] if torn else [])
        for kept in state_dir.glob("journal.torn-*"):
            kept.unlink()


def test_two_different_tails_torn_at_one_place_are_both_kept_and_the_same_one_once(tmp_path: Path) -> None:
    good = write(tmp_path, 1)
    for tail in (b"first", b"second", b"first"):
        (tmp_path / NAME).write_bytes(good + tail)
        with writer(tmp_path) as journal:
            assert journal.repaired == len(tail)
    assert sorted(p.read_bytes() for p in tmp_path.glob("journal.torn-2*")) == [b"first", b"second"]


@pytest.mark.parametrize(
    "tail",
    [
        b"\0" * 4096,
        b'{"seq":3,"at":' + b"\0" * 100,
        b"\0" * 50 + b"\n",
        b"\xff\xfe garbage\nand more\n",
        b"\n",
        b"\r\n\r",
        b"\n\n\n",
        b'{"seq":3,"at":"","run":"","loop":"","kind":"k","data":{"seq":9,"at":"","run":"","loop":"",'
        b'"kind":"k","data":{},"crc":"00000000"}',
    ],
    ids=["nul", "partly-nul", "nul-line", "garbage", "newline", "cr", "newlines", "cut-after-nested-record"],
)
def test_whatever_a_crash_leaves_after_the_last_record_is_a_torn_tail(tmp_path: Path, tail: bytes) -> None:
    good = write(tmp_path, 2)
    (tmp_path / NAME).write_bytes(good + tail)
    assert len(scan(tmp_path / NAME).records) == 2
    with writer(tmp_path) as journal:
        assert journal.repaired == len(tail)
        journal.append("next", b"{}")
    assert not scan(tmp_path / NAME).torn


def test_a_last_line_that_fails_its_checksum_is_a_torn_tail(tmp_path: Path) -> None:
    content = write(tmp_path, 3)
    spoilt = content[:-30] + b"X" + content[-29:]
    (tmp_path / NAME).write_bytes(spoilt)
    found = scan(tmp_path / NAME)
    assert (len(found.records), found.torn) == (2, True)


def test_an_empty_or_missing_file_is_an_empty_journal(tmp_path: Path) -> None:
    missing = scan(tmp_path / NAME)
    (tmp_path / NAME).write_bytes(b"")
    assert missing == scan(tmp_path / NAME)
    assert (missing.records, missing.good_bytes, missing.torn) == ([], 0, False)


def test_a_journal_that_is_only_a_torn_first_record_begins_at_one(tmp_path: Path) -> None:
    tmp_path.joinpath(NAME).write_bytes(b'{"seq":1,"at')
    with writer(tmp_path) as journal:
        assert journal.append("a", b"{}").seq == 1


def test_a_byte_changed_anywhere_before_the_last_line_is_refused_and_nothing_changes(tmp_path: Path) -> None:
    content = write(tmp_path, 3)
    last = content.rstrip(b"\n").rfind(b"\n") + 1
    for at in range(last):
        for flip in (0x01, 0x20, 0x80):
            spoilt = bytearray(content)
            spoilt[at] ^= flip
            path = tmp_path / NAME
            path.write_bytes(spoilt)
            with pytest.raises(Damage):
                scan(path)
    for at in range(0, last, 17):
        refuse(tmp_path, content[:at] + b"\0" + content[at + 1 :])


def test_a_byte_inserted_or_removed_before_the_last_line_is_refused(tmp_path: Path) -> None:
    content = write(tmp_path, 3)
    last = content.rstrip(b"\n").rfind(b"\n") + 1
    for at in range(last):
        for spoilt in (content[:at] + content[at + 1 :], content[:at] + b"\n" + content[at:]):
            (tmp_path / NAME).write_bytes(spoilt)
            with pytest.raises(Damage):
                scan(tmp_path / NAME)


@pytest.mark.parametrize(
    ("order", "wrong"),
    [
        ([0, 2, 3], 2),
        ([1, 2, 3], 1),
        ([0, 2], 2),  # the missing one is next to the last
        ([3], 1),
        ([0, 1, 1, 2, 3], 3),
        ([0, 1, 2, 3, 3], 5),
        ([0, 2, 1, 3], 2),
        ([0, 1, 3, 2], 3),
        ([0, 0], 2),
    ],
)
def test_missing_doubled_and_moved_lines_are_refused(tmp_path: Path, order: list[int], wrong: int) -> None:
    lines = lines_of(write(tmp_path, 4))
    damage = refuse(tmp_path, b"".join(lines[n] for n in order))
    assert f"damaged at line {wrong} " in damage.what


def test_a_line_whose_checksum_was_made_to_fit_it_alone_is_refused(tmp_path: Path) -> None:
    lines = lines_of(write(tmp_path / "a", 3))
    other = tmp_path / "b"
    with writer(other) as journal:
        journal.append("another", data(n=0))
        journal.append("another", data(n=1))
    forged = lines_of((other / NAME).read_bytes())
    (tmp_path / "c").mkdir()
    refuse(tmp_path / "c", lines[0] + forged[1] + lines[2])


def test_a_wrong_number_under_a_right_checksum_is_refused(tmp_path: Path) -> None:
    chain = Chain(0, 0)
    lines = [chain.line("now", "r1", "", "a", b"{}")]
    chain.accept(lines[0])
    chain.seq = 4
    lines.append(chain.line("now", "r1", "", "b", b"{}"))
    assert "damaged at line 2 " in refuse(tmp_path, b"".join(lines)).what


def test_damage_says_file_line_byte_what_is_wrong_and_what_to_do(tmp_path: Path) -> None:
    lines = lines_of(write(tmp_path, 3))
    damage = refuse(tmp_path, lines[0] + lines[2])
    assert damage.code == 70
    text = str(damage)
    assert str(tmp_path / NAME) in text
    assert f"line 2 (byte {len(lines[0])}): record 2 is expected here, and this is record 3" in text
    assert "Nothing was changed" in text
    assert "move the file away" in text
    assert "ralph recover" in text
    assert len(text.splitlines()) == 3
    checksum = refuse(tmp_path, lines[0].replace(b"counted", b"CounteD") + lines[1])
    assert "line 1 (byte 0): its checksum does not match" in str(checksum)


def test_a_journal_that_is_a_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(RalphError, match="cannot be read") as found:
        scan(tmp_path / NAME)
    assert found.value.code == 70
