"""tasks.jsonl and tasks-done.jsonl: what is not touched stays byte for byte, and people's edits go before Ralph's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph.backlog.changes import (
    Added,
    Blocked,
    Cancelled,
    Claimed,
    Completed,
    Edited,
    Failed,
    Reopened,
    Split,
)
from ralph.backlog.json_line import fields_of, patched
from ralph.backlog.jsonl import JsonlBacklog
from ralph.errors import RalphError

SEED = """\
{"id":"A","title":"implement auth","status":"pending","leaf":false}
{"id":"A.1","title":"setup session store","status":"pending","leaf":false}
{"id":"A.1.1","title":"choose session library","status":"active","leaf":true}
{"id":"A.1.2","title":"implement middleware","status":"pending","leaf":true}
{"id":"A.2","title":"add login endpoint","status":"pending","leaf":true}
{"id":"B","title":"write tests","status":"pending","leaf":true}
"""


class Place:
    def __init__(self, folder: Path) -> None:
        self.file, self.done, self.state = (
            folder / "tasks.jsonl",
            folder / "tasks-done.jsonl",
            folder / "state",
        )

    def write(self, text: str | bytes) -> JsonlBacklog:
        self.file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self.open()

    def open(self) -> JsonlBacklog:
        return JsonlBacklog(self.file, self.state)

    def lines(self) -> list[bytes]:
        return self.file.read_bytes().splitlines(keepends=True)

    def archive(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.done.read_bytes().splitlines()]


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def ids(backlog: JsonlBacklog) -> list[str]:
    return [task.id for task in backlog.ready()]


def test_the_seeds_file_is_read(place: Place) -> None:
    backlog = place.write(SEED)
    assert ids(backlog) == ["A.1.2", "A.2", "B"]
    assert backlog.status("A.1.1") == "in_progress" == backlog.status("A.1") == backlog.status("A")
    assert backlog.problems() == []


def test_completion_moves_the_line_to_the_archive_with_date_and_commit(place: Place) -> None:
    backlog = place.write(SEED)
    done = Completed("A.1.1", commit="abc123", verified=True, evidence="tests red→green", when="2024-01-21")
    assert backlog.apply([done]).conflicts == ()
    assert place.file.read_text() == SEED.replace(SEED.splitlines(keepends=True)[2], "")
    assert place.archive() == [
        {
            "id": "A.1.1",
            "title": "choose session library",
            "status": "complete",
            "leaf": True,
            "completed": "2024-01-21",
            "commit": "abc123",
            "verified": True,
            "evidence": "tests red→green",
        }
    ]
    assert backlog.find("A.1.1").archived and place.open().status("A.1.1") == "complete"


def test_a_parent_goes_to_the_archive_with_its_last_child(place: Place) -> None:
    backlog = place.write(SEED)
    backlog.apply([Completed("A.1.1", "c1", True), Completed("A.2", "c2", False)])
    assert [line["id"] for line in place.archive()] == ["A.1.1", "A.2"]
    backlog.apply([Completed("A.1.2", "c3", True)])
    assert [(line["id"], line["verified"]) for line in place.archive()[2:]] == [
        ("A.1.2", True),
        ("A.1", True),
        ("A", False),
    ]
    assert ids(place.open()) == ["B"]


STRANGE = (
    b'\xef\xbb\xbf{"id":"A","title":"first"}\r\n'
    b"\r\n"
    b"# a comment\r\n"
    b'  { "id" : "B", "x": 1.50, "y":{"b":1,"a":[2 ,3]}, "title" : "se\\u0063ond\\/", "x": 2e5 }  \r\n'
    b"\xff\xfe\r\n"
    b'{"title":"t","id":"C","depends_on":["A"]}'
)


def test_untouched_lines_and_fields_stay_byte_for_byte(place: Place) -> None:
    backlog = place.write(STRANGE)
    assert [(p.line, p.kind) for p in backlog.problems()] == [(3, "line"), (5, "line")]
    backlog.apply([Claimed("B")])
    before = STRANGE.split(b"\n")
    after = place.file.read_bytes().split(b"\n")
    assert after[:3] + after[4:] == before[:3] + before[4:]
    assert after[3] == before[3].replace(b"2e5 }", b'2e5, "status": "in_progress" }')
    backlog.apply([Completed("B", "c")])
    assert place.file.read_bytes().split(b"\n") == before[:3] + before[4:]
    assert place.done.read_bytes().startswith(before[3].strip()[:40])
    backlog.apply([Completed("A", "c")])
    assert place.file.read_bytes() == b"\n".join(before[1:3] + before[4:])
    assert place.archive()[1]["id"] == "A" and ids(backlog) == ["C"]
    backlog.apply([Added({"id": "D", "title": "new"})])
    assert place.file.read_bytes().endswith(before[5] + b'\r\n{"id":"D","title":"new"}\r\n')


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(st.text(max_size=5), json_values, max_size=5),
    st.dictionaries(st.text(max_size=5), json_values, max_size=3),
    st.sampled_from([(",", ":"), (", ", ": "), (" ,  ", " : ")]),
    st.booleans(),
)
def test_a_patch_changes_what_it_names_and_nothing_else(
    line: dict[str, object], changes: dict[str, object], manner: tuple[str, str], ascii: bool
) -> None:
    raw = json.dumps(line, separators=manner, ensure_ascii=ascii).encode("utf-8", "replace")
    expected = {**fields_of(raw), **changes}
    expected = {k: v for k, v in expected.items() if k not in changes or v is not None}
    changes = json.loads(json.dumps(changes).encode("utf-8", "replace"))
    assert fields_of(patched(raw, changes)) == json.loads(json.dumps(expected))
    assert patched(raw, {}) == raw


def test_bad_lines_are_named_by_number_and_the_rest_works(place: Place) -> None:
    backlog = place.write(
        '{"id":"A","title":"a"}\n'
        "not json\n"
        '{"id":"A","title":"again"}\n'
        '{"id":"X.1","title":"orphan"}\n'
        '{"id":"B","title":"b","depends_on":["C"]}\n'
        '{"id":"C","title":"c","depends_on":["B"]}\n'
        '{"id":"D","title":"d","depends_on":["Aa"]}\n'
        '{"id":"E","title":"e"}\n'
    )
    assert ids(backlog) == ["A", "E"]
    told = backlog.problems()
    assert [(p.line, p.kind) for p in told] == [
        (2, "line"),
        (3, "duplicate"),
        (4, "parent"),
        (5, "cycle"),
        (7, "dependency"),
    ]
    assert "line 1" in told[1].what and "The nearest is A." in told[4].what
    backlog.apply([Completed("A", "c")])
    assert b"not json\n" in place.file.read_bytes() and b"again" in place.file.read_bytes()


def test_changes_are_known_at_once_and_written_together(place: Place) -> None:
    backlog = place.write(SEED)
    backlog.note(Claimed("A.1.2"), Claimed("A.2"))
    assert ids(backlog) == ["B"] and place.file.read_text() == SEED
    backlog.note(Completed("A.1.2", "c1", True), Failed("A.2", "tests fail"))
    backlog.apply([Blocked("B", "why")])
    text = place.file.read_text()
    assert '"status":"failed","leaf":true,"reason":"tests fail"' in text
    assert '"status":"blocked","leaf":true,"reason":"why"' in text and "A.1.2" not in text
    assert backlog.status("A") == "blocked"
    backlog.apply([Reopened("A.2"), Cancelled("B")])
    assert '"id":"A.2","title":"add login endpoint","status":"pending","leaf":true}' in place.file.read_text()
    assert place.open().status("B") == "cancelled"


def test_the_same_completion_twice_counts_once(place: Place) -> None:
    backlog = place.write(SEED)
    for _ in range(2):
        backlog.apply([Completed("B", "abc", True)])
        backlog = place.open()
    assert [line["id"] for line in place.archive()] == ["B"]


KILLED = """
import sys
from pathlib import Path
from ralph.backlog.changes import Claimed, Completed
from ralph.backlog.jsonl import JsonlBacklog
place = Path(sys.argv[1])
backlog = JsonlBacklog(place / "tasks.jsonl", place / "state")
backlog.apply([Claimed("B")])
backlog.apply([Completed("B", "abc", True), Completed("A.2", "def", True)])
"""


def seams(place: Place) -> int:
    """How many points there are at which it can die."""
    log = place.state.parent / "seams"
    env = os.environ | {"RALPH_FAULT": f"count:{log}"}
    subprocess.run([sys.executable, "-c", KILLED, str(place.file.parent)], env=env, check=True)
    return len(log.read_text().splitlines())


def test_death_at_any_point_is_mended_by_the_same_change_again(tmp_path: Path) -> None:
    (tmp_path / "count").mkdir()
    place = Place(tmp_path / "count")
    place.file.write_text(SEED)
    count = seams(place)
    whole = (place.file.read_bytes(), place.done.read_bytes())
    assert count >= 6
    for n in range(1, count + 1):
        (tmp_path / str(n)).mkdir()
        place = Place(tmp_path / str(n))
        place.file.write_text(SEED)
        env = os.environ | {"RALPH_FAULT": f"kill@{n}"}
        died = subprocess.run([sys.executable, "-c", KILLED, str(place.file.parent)], env=env)
        assert died.returncode == -9
        backlog = place.open()
        archived = place.done.exists() and bool(place.archive())
        assert (backlog.status("B") == "complete") == archived, "what the archive has is complete"
        assert "B" not in ids(backlog) or not archived
        backlog.apply([Completed("B", "abc", True), Completed("A.2", "def", True)])
        assert place.done.read_bytes() == whole[1]
        assert place.file.read_bytes() == whole[0]
        assert place.open().problems() == []


def test_an_archive_line_that_was_only_begun_is_written_whole(place: Place) -> None:
    place.write(SEED).apply([Completed("A.2", "c1"), Completed("B", "c2")])
    whole = place.done.read_bytes()
    place.file.write_text(SEED)
    place.done.write_bytes(whole[:-30])
    backlog = place.open()
    assert [(p.file, p.line) for p in backlog.problems()][-1] == ("tasks-done.jsonl", 2)
    backlog.apply([Completed("A.2", "c1"), Completed("B", "c2")])
    assert place.done.read_bytes() == whole and backlog.problems() == []


def test_an_archive_that_somebody_left_without_a_last_newline_is_continued(place: Place) -> None:
    place.done.write_bytes(b'{"id":"X","title":"x"}')
    place.write(SEED).apply([Completed("B", "c2")])
    assert [line["id"] for line in place.archive()] == ["X", "B"]


@pytest.mark.parametrize("fault", ["ENOSPC", "EIO"])
def test_a_full_disk_leaves_the_file_whole_and_is_told(place: Place, fault: str) -> None:
    place.file.write_text(SEED)
    env = os.environ | {"RALPH_FAULT": f"{fault}@rename.before#1"}
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(place.file.parent)], env=env, capture_output=True, text=True
    )
    assert done.returncode and "cannot be written" in done.stderr
    assert place.file.read_text() == SEED
    assert sorted(path.name for path in place.state.iterdir()) == ["backlog.lock"]


# -- edits by hand -----------------------------------------------------------------------------------------


def test_edits_by_hand_are_seen_and_kept(place: Place) -> None:
    backlog = place.write(SEED)
    assert not backlog.refresh()
    place.file.write_text(SEED.replace("write tests", "write more tests") + '{"id":"C","title":"mine"}\n')
    assert backlog.refresh() and not backlog.refresh()
    assert backlog.find("B").title == "write more tests" and "C" in ids(backlog)


def test_an_edit_between_decision_and_writing_is_merged(place: Place) -> None:
    backlog = place.write(SEED)
    backlog.note(Completed("B", "abc", True))
    place.file.write_text("# mine\n" + SEED.replace("write tests", "write more tests"))
    assert backlog.apply().conflicts == ()
    assert place.lines()[0] == b"# mine\n" and place.archive()[0]["title"] == "write more tests"


@pytest.mark.parametrize(
    "edit, kept",
    [
        (lambda text: text.replace(text.splitlines(keepends=True)[5], ""), None),
        (lambda text: text.replace('tests","status":"pending"', 'tests","status":"cancelled"'), "cancelled"),
    ],
    ids=["removed", "cancelled"],
)
def test_a_persons_edit_goes_before_a_change_and_is_reported(place: Place, edit, kept) -> None:  # type: ignore[no-untyped-def]
    backlog = place.write(SEED)
    backlog.note(Claimed("B"), Claimed("A.2"))
    place.file.write_text(edit(SEED))
    backlog.refresh()
    backlog.note(Completed("B", "abc", True)) if kept else None
    conflicts = backlog.apply().conflicts
    assert [conflict.id for conflict in conflicts] == ["B"], conflicts
    assert not place.done.exists()
    assert place.file.read_text() == edit(SEED).replace(
        'endpoint","status":"pending"', 'endpoint","status":"in_progress"'
    )
    assert (backlog.status("B") if backlog.get("B") else None) == kept


def test_a_field_that_was_edited_meanwhile_stays(place: Place) -> None:
    backlog = place.write(SEED)
    backlog.note(Edited("B", {"title": "mine", "priority": 0}))
    place.file.write_text(SEED.replace("write tests", "theirs"))
    assert "title was changed by hand" in backlog.apply().conflicts[0].what
    assert backlog.find("B").title == "theirs" and backlog.find("B").priority is None


def test_a_writer_without_a_lock_loses_nothing(place: Place) -> None:
    """Somebody appends while Ralph rewrites the file all the time."""
    backlog = place.write("".join(f'{{"id":"T{n}","title":"t"}}\n' for n in range(300)))
    over = threading.Event()

    def append() -> None:
        for n in range(60):
            with open(place.file, "a") as file:
                file.write(f'{{"id":"H{n}","title":"by hand"}}\n')
            over.wait(0.002)
        over.set()

    writer = threading.Thread(target=append)
    writer.start()
    n = 0
    while n < 25 or not over.is_set():
        backlog.apply([Completed(f"T{n}", "c")])
        n += 1
    writer.join()
    backlog.refresh()
    kept = [task.id for task in backlog.all()]
    assert sorted(id for id in kept if id[0] == "H") == sorted(f"H{i}" for i in range(60))
    assert len(place.archive()) == n and not backlog.problems()


def test_two_processes_change_it_at_the_same_time(place: Place) -> None:
    place.write("".join(f'{{"id":"T{n}","title":"t"}}\n' for n in range(40)))
    script = (
        "import sys\nfrom pathlib import Path\n"
        "from ralph.backlog.changes import Completed\nfrom ralph.backlog.jsonl import JsonlBacklog\n"
        "p = Path(sys.argv[1])\nb = JsonlBacklog(p / 'tasks.jsonl', p / 'state')\n"
        "for n in range(int(sys.argv[2]), 40, 2): assert not b.apply([Completed(f'T{n}', 'c')]).conflicts\n"
    )
    both = [subprocess.Popen([sys.executable, "-c", script, str(place.file.parent), n]) for n in "01"]
    assert [one.wait(120) for one in both] == [0, 0]
    assert place.file.read_bytes() == b""
    assert sorted(str(line["id"]) for line in place.archive()) == sorted(f"T{n}" for n in range(40))


def test_mode_and_link_stay(place: Place) -> None:
    real = place.file.with_name("real.jsonl")
    real.write_text(SEED)
    real.chmod(0o640)
    place.file.symlink_to(real)
    place.open().apply([Claimed("B")])
    assert place.file.is_symlink() and real.stat().st_mode & 0o777 == 0o640
    assert '"in_progress"' in real.read_text()


# -- adding, splitting, reopening --------------------------------------------------------------------------


def test_new_tasks_stand_with_their_parent_which_is_no_leaf_any_more(place: Place) -> None:
    backlog = place.write(SEED)
    backlog.apply(
        [Split("A.1.2", ({"id": "A.1.2.1", "title": "x", "leaf": True},)), Added({"id": "A.3", "title": "y"})]
    )
    assert [json.loads(line)["id"] for line in place.lines()] == [
        "A",
        "A.1",
        "A.1.1",
        "A.1.2",
        "A.1.2.1",
        "A.2",
        "A.3",
        "B",
    ]
    assert json.loads(place.lines()[3])["leaf"] is False
    assert ids(backlog) == ["A.1.2.1", "A.2", "A.3", "B"]


def test_a_reopened_task_comes_back_and_the_archive_keeps_its_first_end(place: Place) -> None:
    backlog = place.write(SEED)
    backlog.apply([Completed("B", "c1", True)])
    backlog.apply([Reopened("B")])
    assert backlog.status("B") == "pending" and "B" in ids(place.open())
    assert json.loads(place.lines()[-1]) == {
        "id": "B",
        "title": "write tests",
        "status": "pending",
        "leaf": True,
        "reopened": 1,
    }
    backlog.apply([Completed("B", "c2", True)])
    assert [line["commit"] for line in place.archive()] == ["c1", "c2"]
    assert place.open().find("B").commit == "c2" and place.open().problems() == []


def test_an_id_of_the_archive_that_is_used_again_is_named(place: Place) -> None:
    backlog = place.write(SEED)
    backlog.apply([Completed("B", "c1", True)])
    place.file.write_text(SEED)
    backlog.refresh()
    assert [(p.line, p.kind) for p in backlog.problems()] == [(6, "duplicate")]
    assert "tasks-done.jsonl line 1" in backlog.problems()[0].what and "B" not in ids(backlog)


def test_what_cannot_be_is_refused_and_changes_nothing(place: Place) -> None:
    backlog = place.write(SEED)
    with pytest.raises(RalphError, match="unknown status"):
        backlog.apply([Edited("B", {"status": "dnoe"})])
    assert place.file.read_text() == SEED
    backlog = place.open()
    told = backlog.apply([Claimed("nobody"), Added({"id": "B", "title": "again"}), Claimed("A.2")]).conflicts
    assert sorted(conflict.id for conflict in told) == ["B", "nobody"]
    assert backlog.find("A.2").status == "in_progress"
    with pytest.raises(RalphError) as error:
        backlog.find("A.1.9")
    assert "The nearest is A.1." in str(error.value)


def test_without_a_file_there_are_no_tasks_and_nothing_is_made(place: Place) -> None:
    backlog = place.open()
    assert backlog.all() == [] == backlog.ready() and not place.state.exists()
    backlog.apply([Added({"id": "A", "title": "first"})])
    assert place.file.read_text() == '{"id":"A","title":"first"}\n'


def test_what_is_no_file_is_told(place: Place) -> None:
    place.file.mkdir()
    with pytest.raises(RalphError, match="not a file"):
        place.open()


def test_the_same_result_whether_in_one_go_or_one_by_one(tmp_path: Path) -> None:
    changes = [
        Claimed("A.1.2"),
        Completed("A.1.1", "c", True, when="2024-01-21"),
        Failed("A.1.2", "x"),
        Reopened("A.1.2"),
        Completed("A.1.2", "d", True, when="2024-01-21"),
        Edited("B", {"priority": 1, "title": "other"}),
        Added({"id": "B.1", "title": "part"}),
        Claimed("B.1"),
    ]
    found = []
    for name, batches in (("one", [changes]), ("many", [[change] for change in changes])):
        (tmp_path / name).mkdir()
        place = Place(tmp_path / name)
        backlog = place.write(SEED)
        for batch in batches:
            assert backlog.apply(batch).conflicts == ()
        fresh = place.open()
        assert ids(backlog) == ids(fresh)
        assert {t.id: backlog.status(t.id) for t in backlog.all()} == {
            t.id: fresh.status(t.id) for t in fresh.all()
        }
        found.append((place.file.read_bytes(), sorted(place.done.read_bytes().splitlines())))
    assert found[0] == found[1]
