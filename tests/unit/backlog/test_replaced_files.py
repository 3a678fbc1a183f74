"""Ralph replaces the list while a writer has it open: what that writer appends to the replaced file is not lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest

from ralph.backlog import replaced_files as replaced
from ralph.backlog import text_file
from ralph.backlog.changes import Added, Claimed, Completed
from ralph.backlog.jsonl import JsonlBacklog

LIST = "".join(f'{{"id":"{id}","title":"part {id}"}}\n' for id in "AB")


class Place:
    def __init__(self, folder: Path) -> None:
        self.file, self.state = folder / "tasks.jsonl", folder / "state"
        self.file.write_text(LIST)

    def open(self) -> JsonlBacklog:
        return JsonlBacklog(self.file, self.state)

    def ids(self) -> list[str]:
        return [json.loads(line)["id"] for line in self.file.read_text().splitlines()]

    def kept(self) -> list[Path]:
        folder = self.state / "replaced"
        return sorted(path for path in folder.iterdir() if path.suffix != ".json") if folder.is_dir() else []


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def line(id: str) -> str:
    return f'{{"id":"{id}","title":"by hand"}}\n'


@contextmanager
def held_open(place: Place) -> Iterator[IO[str]]:
    """A writer that opened the list before Ralph replaced it."""
    with open(place.file, "a") as writer:
        yield writer


def wrote(writer: IO[str], text: str) -> None:
    writer.write(text)
    writer.flush()


def test_the_running_ralph_takes_over_what_was_appended(place: Place) -> None:
    backlog = place.open()
    with held_open(place) as writer:
        backlog.apply([Claimed("A")])
        assert not backlog.refresh()
        wrote(writer, line("C"))
        assert backlog.refresh() and not backlog.refresh()
        assert backlog.get("C") is not None and place.ids() == ["A", "B", "C"]
        backlog.apply([Claimed("B")])
        wrote(writer, line("D"))
        backlog.apply([Completed("C", "c")])
    assert place.ids() == ["A", "B", "D"] and not backlog.problems()


def test_the_next_ralph_takes_over_what_was_appended_once(place: Place) -> None:
    with held_open(place) as writer:
        place.open().apply([Claimed("A")])
        place.open().apply([Claimed("B")])
        wrote(writer, line("C"))
    for _ in range(2):
        assert place.open().get("C") is not None
        assert place.ids() == ["A", "B", "C"]


def test_of_a_line_that_is_being_written_nothing_is_taken_until_it_is_whole(place: Place) -> None:
    backlog = place.open()
    with held_open(place) as writer:
        backlog.apply([Claimed("A")])
        wrote(writer, line("C")[:9])
        backlog.refresh()
        assert place.ids() == ["A", "B"]
        wrote(writer, line("C")[9:] + line("D").rstrip())
        backlog.refresh()
        assert place.ids() == ["A", "B", "C"]
    backlog.refresh()  # the writer has gone, and D ends without the end of a line
    assert place.ids() == ["A", "B", "C", "D"] and place.file.read_text().endswith("}\n")


def test_of_a_replaced_file_that_is_written_anew_the_new_tasks_are_taken(place: Place) -> None:
    with open(place.file, "r+") as writer:
        place.open().apply([Claimed("A"), Completed("B", "c")])
        writer.truncate()
        wrote(writer, LIST.replace("part", "another") + line("C"))
        place.open()
        assert place.ids() == ["A"], "perhaps it is not done yet"
    backlog = place.open()
    assert place.ids() == ["A", "C"] and not backlog.problems()
    assert backlog.find("A").title == "part A" and backlog.find("A").status == "in_progress"


def test_a_list_that_was_removed_is_made_again_for_what_comes(place: Place) -> None:
    with held_open(place) as writer:
        place.open().apply([Claimed("A")])
        place.file.unlink()
        wrote(writer, line("C"))
    assert place.open().get("C") is not None and place.ids() == ["C"]


def test_a_link_to_the_list_is_no_other_list(place: Place) -> None:
    link = place.file.with_name("link.jsonl")
    link.symlink_to(place.file)
    with held_open(place) as writer:
        JsonlBacklog(link, place.state).apply([Claimed("A")])
        wrote(writer, line("C"))
    assert place.open().get("C") is not None and place.ids() == ["A", "B", "C"]


def test_two_lists_of_one_repository_are_kept_apart(place: Place, tmp_path: Path) -> None:
    other = JsonlBacklog(tmp_path / "other.jsonl", place.state)
    other.apply([Added({"id": "X", "title": "x"})])
    with held_open(place) as writer:
        place.open().apply([Claimed("A")])
        other.apply([Claimed("X")])
        wrote(writer, line("C"))
    assert not other.refresh() and [task.id for task in other.all()] == ["X"]
    assert place.open().get("C") is not None


def test_where_two_files_cannot_change_places_nothing_is_lost_either(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_file, "exchange", lambda one, other: False)
    with held_open(place) as writer:
        place.open().apply([Claimed("A")])
        wrote(writer, line("C"))
    assert place.open().get("C") is not None and place.ids() == ["A", "B", "C"]


def test_a_replaced_file_is_kept_while_somebody_can_write_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaced, "GRACE_SECONDS", 0.0)
    backlog = place.open()
    with held_open(place):
        for number in range(3):
            backlog.apply([Added({"id": f"N{number}", "title": "n"})])
        assert len(place.kept()) == 2, "the one that is open, and the last one"
    backlog.apply([Claimed("A")])
    assert len(place.kept()) == 1


def test_where_the_system_does_not_say_who_writes_it_is_kept_for_a_time(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaced, "GRACE_SECONDS", 0.0)
    monkeypatch.setattr(replaced, "_is_open_for_writing", lambda path: None)
    backlog = place.open()
    for number in range(3):
        backlog.apply([Added({"id": f"N{number}", "title": "n"})])
    kept = place.kept()
    assert len(kept) == 3
    with kept[0].open("a") as writer:
        wrote(writer, line("C") + line("D")[:9])
    assert backlog.refresh() and backlog.get("C") is not None and not backlog.problems()
    monkeypatch.setattr(replaced, "UNKNOWN_SECONDS", 0.0)
    backlog.apply([Claimed("B")])
    assert len(place.kept()) == 2, "of the two writings just now"
    assert line("D")[:9] in place.file.read_text(), "nobody is taken to write it to its end any more"


def test_never_more_than_so_many_are_kept(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaced, "MOST", 3)
    backlog = place.open()
    with held_open(place) as writer:
        for number in range(6):
            backlog.apply([Added({"id": f"N{number}", "title": "n"})])
            if number == 3:
                wrote(writer, line("C"))
        assert len(place.kept()) == 4, "three, and the one that was just replaced"
    assert "C" in place.ids(), "before it went, what had been appended was taken over"


def test_a_file_that_nobody_replaced_leaves_nothing_behind(place: Place) -> None:
    place.file.unlink()
    place.open().apply([Added({"id": "A", "title": "a"})])
    assert [path.name for path in place.state.iterdir()] == ["backlog.lock"]


WRITES = """
import os, sys
from pathlib import Path
from ralph.backlog import replaced_files as replaced
from ralph.backlog.changes import Claimed, Completed
from ralph.backlog.jsonl import JsonlBacklog
replaced.GRACE_SECONDS = 0.0
place, writer = Path(sys.argv[1]), int(sys.argv[2])
backlog = JsonlBacklog(place / "tasks.jsonl", place / "state")
backlog.apply([Claimed("A")])
os.write(writer, b'{"id":"C","title":"by hand"}\\n')
backlog.apply([Claimed("B")])
os.write(writer, b'{"id":"D","title":"by hand"}\\n')
backlog.refresh()
backlog.apply([Completed("A", "c")])
"""


def test_after_a_death_at_any_point_every_line_is_there_once(tmp_path: Path) -> None:
    log = tmp_path / "seams"
    _died(tmp_path / "count", f"count:{log}", 0)
    count = len(log.read_text().splitlines())
    assert count >= 15 and {"rename.after", "keep.after", "index.after", "drop.after"} <= {
        name.split()[0] for name in log.read_text().splitlines()
    }
    for n in range(1, count + 1):
        _died(tmp_path / str(n), f"kill@{n}", -9)


@pytest.mark.parametrize("first", ["rename.before#2", "rename.after#2", "keep.after#2"])
def test_nor_does_a_second_death_while_the_first_is_mended_change_that(tmp_path: Path, first: str) -> None:
    log = tmp_path / "seams"
    _died(tmp_path / "count", f"kill@{first}", -9, f"count:{log}")
    for n in range(1, len(log.read_text().splitlines()) + 1):
        _died(tmp_path / str(n), f"kill@{first}", -9, f"kill@{n}")


MENDS = """
import sys
from pathlib import Path
from ralph.backlog.jsonl import JsonlBacklog
place = Path(sys.argv[1])
JsonlBacklog(place / "tasks.jsonl", place / "state")
"""


def _died(folder: Path, fault: str, code: int, then: str = "") -> None:
    folder.mkdir()
    place = Place(folder)
    with held_open(place) as writer:
        done = subprocess.run(
            [sys.executable, "-c", WRITES, str(folder), str(writer.fileno())],
            env=os.environ | {"RALPH_FAULT": fault},
            pass_fds=[writer.fileno()],
        )
        assert done.returncode == code
        if then:
            again = [sys.executable, "-c", MENDS, str(folder)]
            mended = subprocess.run(again, env=os.environ | {"RALPH_FAULT": then})
            assert mended.returncode == (-9 if then.startswith("kill") else 0)
        wrote(writer, line("E"))
        expected = sorted({"A", "B", "E"} | {id for id in "CD" if f'"{id}"' in _text(writer)})
    for _ in range(2):
        backlog = place.open()
        assert sorted(task.id for task in backlog.all()) == expected, fault
        assert not [problem for problem in backlog.problems() if problem.id != "A"], fault
    backlog.apply([Claimed("B"), Completed("A", "c")])
    assert sorted(place.ids()) == sorted({*expected} - {"A"}), fault
    assert not list(place.state.glob("*.tmp"))


def _text(writer: IO[str]) -> str:
    """Of the file that it has open, whatever its name is by now."""
    return Path(f"/proc/self/fd/{writer.fileno()}").read_text()
