"""`ralph.log`: always appended to, never trusted, never the end of a run."""

import os
from datetime import datetime
from pathlib import Path

import pytest

from ralph.terminal.log_file import LogFile

WHEN = datetime(2030, 1, 2, 3, 4, 5)


def test_lines_are_appended_with_the_full_date(tmp_path: Path) -> None:
    (tmp_path / "ralph.log").write_text("earlier\n")
    log = LogFile(tmp_path)
    assert log.write(["one", "  two"], WHEN) == ""
    assert log.write([], WHEN) == ""
    text = "earlier\n2030-01-02 03:04:05  one\n2030-01-02 03:04:05    two\n"
    assert (tmp_path / "ralph.log").read_text() == text


def test_nothing_is_made_before_the_first_line(tmp_path: Path) -> None:
    LogFile(tmp_path).write([], WHEN)
    assert list(tmp_path.iterdir()) == []


def test_a_removed_file_is_begun_anew(tmp_path: Path) -> None:
    log = LogFile(tmp_path)
    log.write(["one"], WHEN)
    (tmp_path / "ralph.log").unlink()
    assert log.write(["two"], WHEN) == ""
    assert (tmp_path / "ralph.log").read_text() == "2030-01-02 03:04:05  two\n"


def test_a_large_file_is_put_aside_at_the_start_only(tmp_path: Path) -> None:
    (tmp_path / "ralph.log").write_text("x" * 101)
    (tmp_path / "ralph.log.1").write_text("older")
    log = LogFile(tmp_path, rotate_at=100)
    log.write(["y" * 200], WHEN)
    log.write(["z"], WHEN)
    assert (tmp_path / "ralph.log.1").read_text() == "x" * 101
    assert len((tmp_path / "ralph.log").read_text().splitlines()) == 2


def test_a_file_at_the_limit_stays(tmp_path: Path) -> None:
    (tmp_path / "ralph.log").write_text("x" * 100)
    LogFile(tmp_path, rotate_at=100).write(["y"], WHEN)
    assert not (tmp_path / "ralph.log.1").exists()


def _folder(path: Path) -> None:
    path.mkdir()


def _link(path: Path) -> None:
    path.symlink_to("precious")


def _hard_link(path: Path) -> None:
    path.hardlink_to(path.with_name("precious"))


def _pipe(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("replace", [_folder, _link, _hard_link, _pipe])
def test_what_is_no_file_of_its_own_is_not_written_to_and_told_once(tmp_path: Path, replace: object) -> None:
    (tmp_path / "precious").write_text("mine")
    assert callable(replace)
    replace(tmp_path / "ralph.log")
    log = LogFile(tmp_path)
    assert "ralph.log cannot be written" in log.write(["one"], WHEN)
    assert log.write(["two"], WHEN) == ""
    assert (tmp_path / "precious").read_text() == "mine"


def test_a_pipe_with_a_reader_gets_nothing(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "ralph.log")
    reader = os.open(tmp_path / "ralph.log", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert "not a plain file" in LogFile(tmp_path).write(["one"], WHEN)
        assert os.read(reader, 100) == b""
    finally:
        os.close(reader)


def test_a_folder_that_went_away_is_told(tmp_path: Path) -> None:
    assert "No such file" in LogFile(tmp_path / "gone").write(["one"], WHEN)
