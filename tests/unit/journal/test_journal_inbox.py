"""The inbox: every message exactly once, whole, in order, whatever else lies in the folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from journal_parts import child

from ralph.journal import inbox


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_messages_come_in_the_order_they_were_put_and_stay_until_done(tmp_path: Path) -> None:
    box = str(tmp_path / "deep" / "inbox")
    put = [inbox.put(box, {"kind": "say", "n": n, "text": "ü\n"}) for n in range(5)]
    expected = [(name, {"kind": "say", "n": n, "text": "ü\n"}) for n, name in enumerate(put)]
    assert inbox.take(box) == (expected, [])
    assert inbox.take(box) == (expected, [])
    for name in put[:4]:
        inbox.done(box, name)
        inbox.done(box, name)
    assert inbox.take(box) == (expected[4:], [])


def test_an_inbox_that_is_not_there_is_empty(tmp_path: Path) -> None:
    assert inbox.take(str(tmp_path / "inbox")) == ([], [])
    assert not (tmp_path / "inbox").exists()


def test_a_repeat_by_name_is_reported_once_and_known_by_its_key_after_a_crash(tmp_path: Path) -> None:
    box = str(tmp_path)
    first = inbox.put(box, {"kind": "done"}, name="tool-call 1/ü")
    again = inbox.put(box, {"kind": "done"}, name="tool-call 1/ü")
    other = inbox.put(box, {"kind": "done"}, name="tool-call 1/u")
    assert [name for name, _ in inbox.take(box)[0]] == [first, other]
    assert names(tmp_path) == sorted([first, other])
    inbox.done(box, first)
    late = inbox.put(box, {"kind": "done"}, name="tool-call 1/ü")
    assert inbox.key_of(first) == inbox.key_of(again) == inbox.key_of(late) != inbox.key_of(other)


def test_without_a_name_two_equal_messages_are_two(tmp_path: Path) -> None:
    for _ in range(2):
        inbox.put(str(tmp_path), {"kind": "say"})
    assert len(inbox.take(str(tmp_path))[0]) == 2


@pytest.mark.parametrize(
    "name", ["../../x", "a" * 5000, "é" * 300, ".hidden", "tmp-x", "x\0y", "\udcff", "50%-25"]
)
def test_any_given_name_makes_one_file_in_the_inbox(tmp_path: Path, name: str) -> None:
    box = tmp_path / "inbox"
    first = inbox.put(str(box), {"kind": "x"}, name=name)
    second = inbox.put(str(box), {"kind": "x"}, name=name + "!")
    assert names(box) == sorted([first, second])
    assert names(tmp_path) == ["inbox"]
    assert [n for n, _ in inbox.take(str(box))[0]] == [first, second]


def test_files_put_by_hand_are_told_apart_by_their_whole_name(tmp_path: Path) -> None:
    for name in ("my-note-1.json", "your-note-1.json", "x.json"):
        (tmp_path / name).write_text('{"kind": "say"}')
    assert len(inbox.take(str(tmp_path))[0]) == 3


def test_temporary_files_are_ignored_until_they_are_a_day_old(tmp_path: Path) -> None:
    young, old = tmp_path / "tmp-1-1-a.json", tmp_path / "tmp-1-1-b.json"
    for path in (young, old):
        path.write_text('{"kind": "half')
    os.utime(old, (1, 1))
    (tmp_path / ".DS_Store").write_text("")
    assert inbox.take(str(tmp_path)) == ([], [])
    assert names(tmp_path) == [".DS_Store", young.name]


BAD = {
    "empty": b"",
    "half": b'{"kind": "x"',
    "binary": b"\xff\xfe\x00",
    "list": b"[1]",
    "no kind": b'{"text": "x"}',
    "kind not text": b'{"kind": 1}',
    "two objects": b'{"kind":"x"}{"kind":"x"}',
    "too large": b'{"kind":"x","text":"' + b"x" * inbox.LIMIT + b'"}',
    "too deep": b'{"kind":"x","a":' + b"[" * 500 + b"]" * 500 + b"}",
    "much too deep": b'{"kind":"x","a":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "surrogate": b'{"kind":"x","a":"\\ud800"}',
    "surrogate key": b'{"kind":"x","a":[{"\\ud800":1}]}',
    "not a number": b'{"kind":"x","a":NaN}',
    "infinite": b'{"kind":"x","a":1e999}',
    "endless number": b'{"kind":"x","a":' + b"9" * 5000 + b"}",
}


@pytest.mark.parametrize("content", BAD.values(), ids=BAD)
def test_what_is_no_message_is_put_aside_told_once_and_does_not_hold_up_the_rest(
    tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "0-1-bad.json").write_bytes(content)
    good = inbox.put(str(tmp_path), {"kind": "say"})
    assert inbox.take(str(tmp_path)) == ([(good, {"kind": "say"})], ["0-1-bad.json"])
    assert inbox.take(str(tmp_path)) == ([(good, {"kind": "say"})], [])
    assert (tmp_path / "bad" / "0-1-bad.json").read_bytes() == content


def test_pipes_links_folders_and_other_files_are_put_aside_unread(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text('{"kind": "say"}')
    box = tmp_path / "inbox"
    for _ in range(2):  # the second time their names are taken in bad/
        box.mkdir(exist_ok=True)
        os.mkfifo(box / "fifo.json")
        (box / "link.json").symlink_to(secret)
        (box / "folder.json").mkdir()
        (box / "folder.json" / "x").write_text("")
        (box / "text.txt").write_text('{"kind": "say"}')
        assert inbox.take(str(box)) == ([], ["fifo.json", "folder.json", "link.json", "text.txt"])
        assert names(box) == ["bad"]
    assert len(names(box / "bad")) == 8
    assert secret.exists()


def test_a_file_that_may_not_be_read_is_put_aside(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (tmp_path / "0-1-x.json").write_text('{"kind": "say"}')
    (tmp_path / "0-1-x.json").chmod(0)
    assert inbox.take(str(tmp_path)) == ([], ["0-1-x.json"])


def test_what_the_taker_would_refuse_cannot_be_put(tmp_path: Path) -> None:
    deep: object = 1
    for _ in range(100):
        deep = [deep]
    refused: tuple[dict[str, object], ...] = (
        {"text": "no kind"},
        {"kind": "x", "text": "x" * inbox.LIMIT},
        {"kind": "x", "deep": deep},
        {"kind": "x", "n": float("nan")},
    )
    for message in refused:
        with pytest.raises(ValueError):
            inbox.put(str(tmp_path), message)
    assert names(tmp_path) == []


def test_whatever_is_taken_can_be_stored_in_the_journal(tmp_path: Path) -> None:
    inbox.put(str(tmp_path), {"kind": "x", "bad bytes": "a\udcffb", "big": 2**200, "list": [None, True, 1.5]})
    ((_, message),), _ = inbox.take(str(tmp_path))
    assert message["bad bytes"] == "a?b"
    assert json.loads(msgspec.json.encode(message)) == message


def test_putting_where_it_cannot_be_is_an_oserror(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        inbox.put(str(tmp_path / "file" / "inbox"), {"kind": "x"})


PUT = """
import sys
from ralph.journal import inbox
print("ready", flush=True)
sys.stdin.readline()
for n in range(5):
    inbox.put(sys.argv[1], {"kind": "count", "who": sys.argv[2], "n": n, "text": "x" * 10_000})
    inbox.put(sys.argv[1], {"kind": "shared", "n": n}, name=f"shared-{n}")
"""


def test_fifty_writers_at_once_and_each_message_is_taken_exactly_once(tmp_path: Path) -> None:
    box = str(tmp_path / "inbox")
    writers = [child(PUT, box, who, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for who in range(50)]
    for process in writers:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    for process in writers:
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
    seen: set[str] = set()
    got: list[tuple[object, ...]] = []
    running = True
    while running or inbox.take(box)[0]:
        running = any(process.poll() is None for process in writers)
        messages, bad = inbox.take(box)
        assert bad == []
        for name, message in messages:
            if inbox.key_of(name) not in seen:  # as the driver does, from the journal
                seen.add(inbox.key_of(name))
                got.append((message["kind"], message.get("who", ""), message["n"]))
            inbox.done(box, name)
    for process in writers:
        process.communicate()
        assert process.returncode == 0
    expected = [("count", str(who), n) for who in range(50) for n in range(5)]
    expected += [("shared", "", n) for n in range(5)]
    assert sorted(got, key=str) == sorted(expected, key=str)
    assert names(tmp_path / "inbox") == []


PUT_ONE = "import sys; from ralph.journal import inbox; inbox.put(sys.argv[1], {'kind': 'x'})"


def test_a_writer_killed_before_the_rename_leaves_no_message_and_after_it_a_whole_one(tmp_path: Path) -> None:
    for at, count in ((1, 0), (2, 1)):
        box = tmp_path / str(at)
        assert child(PUT_ONE, box, fault=f"kill@{at}").wait() == -signal.SIGKILL
        messages, bad = inbox.take(str(box))
        assert (len(messages), bad) == (count, [])


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    process = child(PUT_ONE, tmp_path, fault="ENOSPC@1", stderr=subprocess.PIPE)
    assert "No space left" in process.communicate()[1]
    assert names(tmp_path) == []


def test_importing_the_inbox_imports_nothing_slow() -> None:
    code = (
        "import sys; before = set(sys.modules); import ralph.journal.inbox; print(*set(sys.modules) - before)"
    )
    told = subprocess.run(
        [sys.executable, "-S", "-c", code], env={"PYTHONPATH": _source()}, capture_output=True
    )
    loaded = set(told.stdout.decode().split())
    assert "ralph.journal.inbox" in loaded
    assert not loaded & {
        "msgspec",
        "pathlib",
        "typing",
        "subprocess",
        "hashlib",
        "click",
        "tempfile",
        "logging",
    }


def _source() -> str:
    import ralph

    assert ralph.__file__
    return str(Path(ralph.__file__).parent.parent)
