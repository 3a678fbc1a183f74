"""What a loop comes to and what a person says of the same task meanwhile: the person's word stays, a proof adds to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ralph.backlog.changes import Blocked, Cancelled, Change, Claimed, Completed, Failed, Reopened
from ralph.backlog.jsonl import JsonlBacklog

COMMIT = "a" * 40
RESULTS: list[Change] = [
    Completed("A", COMMIT, True, of_loop=True),
    Failed("A", "3 attempts used up", of_loop=True),
    Blocked("A", "needs-review: tests are weaker", of_loop=True),
    Cancelled("A", "ralph cancel", of_loop=True),
    Reopened("A", of_loop=True),
]


class Place:
    """The list as a run has it open, with A begun; and as a person opens it beside the run."""

    def __init__(self, folder: Path) -> None:
        self.file, self.done, self._state = (
            folder / "tasks.jsonl",
            folder / "tasks-done.jsonl",
            folder / "state",
        )
        self.file.write_text('{"id":"A","title":"a"}\n{"id":"B","title":"b","depends_on":["A"]}\n')
        self.run = self.open()
        self.run.apply([Claimed("A")])

    def open(self) -> JsonlBacklog:
        return JsonlBacklog(self.file, self._state)

    def by_hand(self, **fields: object) -> None:
        lines = [json.loads(line) for line in self.file.read_text().splitlines()]
        lines[0] |= fields
        self.file.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def line(self) -> dict[str, object]:
        return json.loads(self.file.read_text().splitlines()[0])  # type: ignore[no-any-return]

    def archive(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.done.read_text().splitlines()] if self.done.exists() else []


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("result", RESULTS, ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("seen", [True, False], ids=["seen", "unseen"])
def test_what_a_person_says_of_a_task_under_way_stays_whatever_its_loop_comes_to(
    place: Place, result: Change, seen: bool
) -> None:
    """`seen`: the run has read the edit before the loop ends, and must not take it for its own view."""
    place.open().apply([Blocked("A", "not now")])
    before = place.file.read_bytes()
    if seen:
        place.run.refresh()
    place.run.note(result)
    if seen:
        assert place.run.status("A") == "blocked" and not place.run.ready()
    (conflict,) = place.run.apply().conflicts
    assert (conflict.id, "was set to blocked by hand and stays so" in conflict.what) == ("A", True)
    assert place.file.read_bytes() == before and place.archive() == []
    assert place.run.status("A") == "blocked"


@pytest.mark.parametrize("result", RESULTS, ids=lambda x: type(x).__name__)
def test_an_editor_that_was_opened_before_and_puts_pending_back_changes_nothing(
    place: Place, result: Change
) -> None:
    place.by_hand(status="pending")
    place.run.refresh()
    assert place.run.apply([result]).conflicts == ()


def test_a_result_that_was_written_before_its_writer_died_is_no_conflict(place: Place) -> None:
    for result in RESULTS[1:4]:
        place.by_hand(status="in_progress")
        place.run.refresh()
        place.run.apply([result])
        before = place.file.read_bytes()
        again = place.open()
        assert again.apply([result]).conflicts == () and place.file.read_bytes() == before


def test_a_proof_adds_to_a_persons_completion(place: Place) -> None:
    place.open().apply([Completed("A", verified=False, evidence="I saw it")])
    place.run.refresh()
    result = Completed("A", COMMIT, True, "tests passed", of_loop=True)
    for backlog in (place.run, place.open()):  # and once more after a death adds nothing
        assert backlog.apply([result]).conflicts == ()
        assert [line.get("commit") for line in place.archive()] == [None, COMMIT]
    assert place.archive()[-1]["verified"] is True and place.archive()[-1]["evidence"] == "tests passed"
    for backlog in (place.run, place.open()):
        found = backlog.get("A")
        assert found and found.verified and found.commit == COMMIT
        assert [task.id for task in backlog.ready()] == ["B"] and backlog.problems() == []


def test_a_proof_adds_to_a_completion_that_comes_between_deciding_and_writing(place: Place) -> None:
    place.run.note(Completed("A", COMMIT, True, of_loop=True))
    place.open().apply([Completed("A")])
    assert place.run.apply().conflicts == ()
    assert (place.archive()[-1]["commit"], place.archive()[-1]["verified"]) == (COMMIT, True)


@pytest.mark.parametrize("result", RESULTS[1:], ids=lambda x: type(x).__name__)
def test_a_persons_completion_stays_when_the_loop_does_not_get_it_done(place: Place, result: Change) -> None:
    place.open().apply([Completed("A")])
    place.run.refresh()
    (conflict,) = place.run.apply([result]).conflicts
    assert "A was completed by hand and stays so" in conflict.what
    assert place.open().status("A") == "complete" and len(place.archive()) == 1


def test_reopening_forgets_where_it_landed(place: Place) -> None:
    place.run.apply([Completed("A", COMMIT, True, branch="task/A-a", target="main", of_loop=True)])
    (line,) = place.archive()
    assert (line["branch"], line["target"]) == ("task/A-a", "main")
    place.run.apply([Reopened("A")])
    found = place.open().get("A")
    assert found and (found.branch, found.target, found.commit) == ("", "", "")
