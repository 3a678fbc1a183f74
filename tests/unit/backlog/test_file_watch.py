"""The kernel tells of every change that it can see, and where it cannot be asked that is known."""

from __future__ import annotations

import select
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ralph.backlog.file_watch import FileWatch

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify is Linux's")


def told(watching: FileWatch) -> bool:
    """What has happened shows at once: the kernel queues it before the writer's call returns."""
    poll = select.poll()
    for fd in watching.reads():
        poll.register(fd, select.POLLIN)
    return bool(poll.poll(0))


def append(path: Path) -> None:
    with path.open("a") as file:
        file.write("more\n")


def rename_over(path: Path) -> None:
    other = path.with_name("other")
    other.write_text("other\n")
    other.replace(path)


def by_a_new_file(path: Path) -> None:
    """As editors do that keep the old one."""
    path.rename(path.with_name("old"))
    path.write_text("new\n")


CHANGES: list[Callable[[Path], object]] = [
    append,
    rename_over,
    by_a_new_file,
    Path.unlink,
    lambda path: path.write_text("whole\n"),
    lambda path: path.chmod(0o600),
]


@linux
@pytest.mark.parametrize("change", CHANGES)
def test_every_way_of_changing_a_file_is_told_again_and_again(
    tmp_path: Path, change: Callable[[Path], object]
) -> None:
    path = tmp_path / "list"
    path.write_text("first\n")
    with FileWatch(path) as watching:
        assert watching.at_once and not told(watching)
        for _ in range(3):
            change(path)
            assert told(watching)
            watching.heed()
            assert not told(watching)
            if not path.exists():
                path.write_text("again\n")
                assert told(watching)
                watching.heed()
        append(path)  # whatever the path has become is watched
        assert told(watching)


@linux
def test_a_writer_that_keeps_the_file_open_is_told(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text("first\n")
    with FileWatch(path) as watching, path.open("ab", buffering=0) as file:
        for _ in range(2):
            watching.heed()
            file.write(b"more\n")
            assert told(watching)


@linux
def test_a_file_that_does_not_exist_yet_is_told_when_it_comes(tmp_path: Path) -> None:
    with FileWatch(tmp_path / "list") as watching:
        assert watching.at_once
        (tmp_path / "list").touch()
        assert told(watching)
        watching.heed()
        append(tmp_path / "list")
        assert told(watching)


@linux
def test_a_log_that_grows_beside_it_wakes_nobody(tmp_path: Path) -> None:
    (tmp_path / "list").touch()
    log = tmp_path / "ralph.log"
    log.touch()
    with FileWatch(tmp_path / "list") as watching:
        append(log)
        assert not told(watching)


@linux
def test_through_links_the_target_and_each_link_are_watched(tmp_path: Path) -> None:
    """A link to a link to a file in another folder; then one of the links leads elsewhere."""
    for name in ("one", "two", "three"):
        (tmp_path / name).mkdir()
    real, other = tmp_path / "three/real", tmp_path / "one/other"
    real.write_text("first\n")
    other.write_text("other\n")
    (tmp_path / "two/link").symlink_to("../three/real")
    (tmp_path / "list").symlink_to("two/link")
    with FileWatch(tmp_path / "list") as watching:
        rename_over(real)
        assert told(watching)
        watching.heed()
        append(real)
        assert told(watching)
        watching.heed()
        (tmp_path / "two/new").symlink_to("../one/other")
        (tmp_path / "two/new").rename(tmp_path / "two/link")
        assert told(watching)
        watching.heed()
        append(real)
        assert not told(watching)
        append(other)
        assert told(watching)


@linux
def test_a_folder_that_goes_is_known_and_is_watched_when_it_is_back(tmp_path: Path) -> None:
    folder = tmp_path / "lists"
    folder.mkdir()
    with FileWatch(folder / "list") as watching:
        shutil.rmtree(folder)
        assert told(watching)
        watching.heed()
        assert not watching.at_once
        folder.mkdir()
        watching.heed()
        assert watching.at_once
        (folder / "list").touch()
        assert told(watching)


def test_links_that_lead_in_a_circle_are_no_trap(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with FileWatch(tmp_path / "a") as watching:
        watching.heed()


@linux
def test_nothing_is_left_open(tmp_path: Path) -> None:
    before = sorted(Path("/proc/self/fd").iterdir())
    with FileWatch(tmp_path / "list"):
        pass
    assert sorted(Path("/proc/self/fd").iterdir()) == before


ASK = """
import sys; from pathlib import Path; from ralph.backlog.file_watch import FileWatch
with FileWatch(Path(sys.argv[1])) as watching:
    watching.heed(); print(watching.at_once, len(watching.reads()))
"""


@linux
@pytest.mark.parametrize(
    ("limit", "said"), [("max_inotify_watches", "False 1"), ("max_inotify_instances", "False 0")]
)
def test_where_the_kernel_has_no_room_for_it_that_is_known(tmp_path: Path, limit: str, said: str) -> None:
    """A user namespace has limits of its own, so that the machine's stay as they are."""
    line = f'echo 0 > /proc/sys/user/{limit} && exec "$@"'
    command = ["unshare", "-Ur", "sh", "-c", line, "sh"]
    if subprocess.run([*command, "true"], capture_output=True).returncode:
        pytest.skip("no user namespace with limits of its own can be made here")
    done = subprocess.run(
        [*command, sys.executable, "-c", ASK, str(tmp_path / "list")], capture_output=True, text=True
    )
    assert done.stdout.strip() == said, done.stderr
