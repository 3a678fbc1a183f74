"""One writer for a journal, one run for a folder: refused while the holder lives, free when it is dead."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from journal_parts import child, wait_until

from ralph.errors import RalphError
from ralph.journal.lock import Busy, Lock, WorkLock, held_here, holder

HOLD = """
import sys
from pathlib import Path
from ralph.journal.lock import Lock, WorkLock
if sys.argv[2] == "state":
    lock = Lock.acquire(Path(sys.argv[1]), "run-7")
else:
    lock = WorkLock(Path(sys.argv[1]))
    lock.take()
print("held", flush=True)
sys.stdin.read()
"""


def hold(path: Path, what: str) -> subprocess.Popen[str]:
    process = child(HOLD, path, what, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_second_writer_is_refused_with_pid_run_and_since(tmp_path: Path) -> None:
    process = hold(tmp_path, "state")
    try:
        with pytest.raises(Busy) as busy:
            Lock.acquire(tmp_path, "r2")
        told = holder(tmp_path)
        assert told is not None
        assert told["pid"] == process.pid == busy.value.pid
        assert told["run"] == "run-7"
        assert told["host"] == os.uname().nodename
        assert busy.value.code == 2
        for part in (f"pid {process.pid}", "run run-7", f"since {told['since']}", "ralph stop"):
            assert part in str(busy.value)
        assert not held_here(tmp_path)
    finally:
        kill(process)


def test_kill_9_of_the_holder_frees_the_lock(tmp_path: Path) -> None:
    kill(hold(tmp_path, "state"))
    assert holder(tmp_path) is None
    Lock.acquire(tmp_path, "r2").release()


def test_the_same_process_cannot_hold_it_twice_and_can_again_after_release(tmp_path: Path) -> None:
    lock = Lock.acquire(tmp_path, "r1")
    with pytest.raises(Busy) as busy:
        Lock.acquire(tmp_path, "r2")
    assert busy.value.pid == os.getpid()
    assert held_here(tmp_path)
    lock.release()
    lock.release()
    assert not held_here(tmp_path)
    Lock.acquire(tmp_path, "r2").release()


def test_a_child_of_the_holder_does_not_keep_the_lock(tmp_path: Path) -> None:
    lock = Lock.acquire(tmp_path, "r1")
    outliving = subprocess.Popen(["sleep", "600"], close_fds=False)
    try:
        lock.release()
        Lock.acquire(tmp_path, "r2").release()
    finally:
        outliving.kill()
        outliving.wait()


def test_the_note_of_a_new_holder_replaces_a_longer_one_whole(tmp_path: Path) -> None:
    (tmp_path / "lock").write_text(json.dumps({"pid": dead_pid(), "run": "r" * 500}))
    lock = Lock.acquire(tmp_path, "short")
    assert json.loads((tmp_path / "lock").read_bytes())["run"] == "short"
    lock.release()


def test_a_locked_file_with_an_unreadable_note_is_still_refused(tmp_path: Path) -> None:
    lock = Lock.acquire(tmp_path, "r1")
    for note in (b"\xff\xfe", b'{"pid":"x"}'):
        (tmp_path / "lock").write_bytes(note)
        with pytest.raises(Busy):
            Lock.acquire(tmp_path, "r2")
        assert holder(tmp_path) is not None
    lock.release()


def test_asking_for_the_holder_makes_nothing_and_finds_nobody(tmp_path: Path) -> None:
    assert holder(tmp_path) is None
    assert list(tmp_path.iterdir()) == []
    Lock.acquire(tmp_path, "r1").release()
    assert holder(tmp_path) is None


def test_acquiring_waits_over_someone_who_asks_at_that_very_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Lock.acquire(tmp_path, "r1").release()
    asking = open(tmp_path / "lock", "rb")
    fcntl.flock(asking, fcntl.LOCK_SH)
    pauses = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 5:
            asking.close()

    monkeypatch.setattr("ralph.journal.lock.time.sleep", pause)
    Lock.acquire(tmp_path, "r2").release()
    assert len(pauses) == 5


ASK = """
import sys
from pathlib import Path
from ralph.journal.lock import holder
print("asking", flush=True)
while True:
    holder(Path(sys.argv[1]))
"""


def test_someone_asking_all_the_time_never_makes_acquiring_fail(tmp_path: Path) -> None:
    Lock.acquire(tmp_path, "r0").release()
    askers = [child(ASK, tmp_path, stdout=subprocess.PIPE) for _ in range(2)]
    try:
        for asker in askers:
            assert asker.stdout is not None
            asker.stdout.readline()
        for n in range(100):
            Lock.acquire(tmp_path, f"r{n}").release()
    finally:
        for asker in askers:
            kill(asker)


FAILING = """
import sys
from pathlib import Path
from ralph.errors import RalphError
from ralph.journal.lock import Lock, WorkLock, held_here
state_dir = Path(sys.argv[1])
try:
    Lock.acquire(state_dir, "r1") if sys.argv[2] == "state" else WorkLock(state_dir / ".ralph.lock").take()
except RalphError as error:
    print(error.code, "No space left" in str(error), held_here(state_dir), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("what", ["state", "work"])
def test_a_disk_too_full_for_the_note_is_told_and_leaves_the_lock_free(tmp_path: Path, what: str) -> None:
    process = child(FAILING, tmp_path, what, fault="ENOSPC@1", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "70 True False\n"
        Lock.acquire(tmp_path, "r2").release()  # while the one that failed still lives
        lock = WorkLock(tmp_path / ".ralph.lock")
        lock.take()
        lock.release()
    finally:
        process.communicate()


def test_a_state_directory_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RalphError, match="the lock cannot be taken") as found:
        Lock.acquire(tmp_path / "file" / "ralph", "r1")
    assert found.value.code == 2


def test_the_work_lock_holds_the_pid_alone_and_goes_when_released(tmp_path: Path) -> None:
    path = tmp_path / ".ralph.lock"
    lock = WorkLock(path)
    lock.take()
    assert path.read_text() == f"{os.getpid()}\n"
    subprocess.run(["sh", "-c", 'kill -0 "$(cat "$0")"', path], check=True)  # as scripts ask for the holder
    lock.release()
    assert not path.exists()
    lock.release()
    assert list(tmp_path.iterdir()) == []


def test_a_live_holder_of_the_folder_blocks_with_its_pid(tmp_path: Path) -> None:
    path = tmp_path / ".ralph.lock"
    process = hold(path, "work")
    try:
        content = path.read_bytes()
        with pytest.raises(Busy) as busy:
            WorkLock(path).take()
        assert busy.value.pid == process.pid
        assert f"pid {process.pid}" in str(busy.value)
        assert path.read_bytes() == content
    finally:
        kill(process)
    assert path.read_bytes() == content  # it is left behind, and its holder is dead
    lock = WorkLock(path)
    lock.take()
    lock.release()


def test_another_tool_that_wrote_only_its_pid_blocks_while_it_lives(tmp_path: Path) -> None:
    path = tmp_path / ".ralph.lock"
    other = subprocess.Popen(["sleep", "600"])
    path.write_text(f"{other.pid}\n")
    try:
        with pytest.raises(Busy) as busy:
            WorkLock(path).take()
        assert busy.value.pid == other.pid
        assert path.read_text() == f"{other.pid}\n"
    finally:
        other.kill()
        wait_until(lambda: _is_zombie(other.pid))
    lock = WorkLock(path)
    lock.take()  # a zombie is dead, though its pid still answers
    lock.release()
    other.wait()


def _is_zombie(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        pytest.skip("no /proc here")
    return stat.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize("text", ["{pid}", "{pid}\n", " {pid} \n\n"])
def test_a_dead_pid_is_taken_over(tmp_path: Path, text: str) -> None:
    path = tmp_path / ".ralph.lock"
    path.write_text(text.format(pid=dead_pid()))
    lock = WorkLock(path)
    lock.take()
    assert path.read_text() == f"{os.getpid()}\n"
    lock.release()


def test_a_reused_pid_is_not_the_holder(tmp_path: Path) -> None:
    if not Path("/proc/self/stat").exists():
        pytest.skip("start times need /proc")
    path = tmp_path / ".ralph.lock"
    other = subprocess.Popen(["sleep", "600"])
    try:
        path.write_text(f"{other.pid}\n")
        hour_ago = time.time() - 3600
        os.utime(path, (hour_ago, hour_ago))  # the pid lives, but whoever wrote it then is another process
        lock = WorkLock(path)
        lock.take()
        assert path.read_text() == f"{os.getpid()}\n"
        lock.release()
    finally:
        other.kill()
        other.wait()


@pytest.mark.parametrize("text", ["", "\n", "  \n\n"])
def test_an_empty_lock_left_by_a_crash_is_taken(tmp_path: Path, text: str) -> None:
    path = tmp_path / ".ralph.lock"
    path.write_text(text)
    lock = WorkLock(path)
    lock.take()
    lock.release()


@pytest.mark.parametrize("text", ["my notes\n", "7\n8\n", "-1\n", "12x\n", "99999999999999999999\n", "\0\0"])
def test_a_file_that_holds_no_pid_is_not_overwritten(tmp_path: Path, text: str) -> None:
    path = tmp_path / ".ralph.lock"
    path.write_text(text)
    with pytest.raises(RalphError, match="not a lock"):
        WorkLock(path).take()
    assert path.read_text() == text


def test_a_link_or_folder_of_that_name_is_a_clear_error_and_stays(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("1")
    (tmp_path / "link").symlink_to(tmp_path / "precious")
    (tmp_path / "folder").mkdir()
    for name in ("link", "folder"):
        with pytest.raises(RalphError):
            WorkLock(tmp_path / name).take()
    assert (tmp_path / "precious").read_text() == "1"


def test_release_leaves_a_lock_that_is_no_longer_ours(tmp_path: Path) -> None:
    path = tmp_path / ".ralph.lock"
    overwritten, replaced, removed = WorkLock(path), WorkLock(path), WorkLock(path)
    overwritten.take()
    path.write_text("1\n")
    overwritten.release()
    assert path.read_text() == "1\n"
    path.unlink()
    replaced.take()
    path.unlink()
    path.write_text(f"{os.getpid()}\n")
    replaced.release()
    assert path.exists()
    path.unlink()
    removed.take()
    path.unlink()
    removed.release()
    assert not path.exists()


RACE = """
import sys
from pathlib import Path
from ralph.journal.lock import Busy, WorkLock
lock = WorkLock(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
try:
    lock.take()
    print("won", flush=True)
except Busy as busy:
    print(busy.pid, flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("stale", [False, True], ids=["no lock", "a dead one's lock"])
def test_of_twenty_that_start_at_once_exactly_one_wins_and_the_others_name_it(
    tmp_path: Path, stale: bool
) -> None:
    path = tmp_path / ".ralph.lock"
    if stale:
        path.write_text(f"{dead_pid()}\n")
    racers = [child(RACE, path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(20)]
    try:
        for racer in racers:
            assert racer.stdout is not None
            assert racer.stdout.readline() == "ready\n"
        for racer in racers:
            assert racer.stdin is not None
            racer.stdin.write("go\n")
            racer.stdin.flush()
        told = [racer.stdout.readline().strip() for racer in racers if racer.stdout is not None]
    finally:
        for racer in racers:
            racer.communicate()
    assert told.count("won") == 1
    winner = racers[told.index("won")].pid
    assert set(told) - {"won"} == {str(winner)}


def test_a_lock_removed_by_its_holder_between_opening_and_locking_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / ".ralph.lock"
    flock = fcntl.flock

    def remove_first(fd: int, operation: int) -> None:
        monkeypatch.undo()
        path.unlink()
        flock(fd, operation)

    monkeypatch.setattr("ralph.journal.lock.fcntl.flock", remove_first)
    lock = WorkLock(path)
    lock.take()
    with pytest.raises(Busy):
        WorkLock(path).take()
    lock.release()


TURNS = """
import os, sys
from pathlib import Path
from ralph.journal.lock import Busy, WorkLock
path, inside = Path(sys.argv[1]), Path(sys.argv[2])
turns = 0
while turns < 100:
    lock = WorkLock(path)
    try:
        lock.take()
    except Busy:
        continue
    os.close(os.open(inside, os.O_CREAT | os.O_EXCL))  # fails if another is inside
    inside.unlink()
    lock.release()
    turns += 1
"""


def test_many_that_take_and_release_in_turn_are_never_two_at_once(tmp_path: Path) -> None:
    path = tmp_path / ".ralph.lock"
    takers = [child(TURNS, path, tmp_path / "inside", stderr=subprocess.PIPE) for _ in range(4)]
    assert [taker.communicate()[1] for taker in takers] == [""] * 4
    assert not path.exists()
