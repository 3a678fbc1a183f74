"""The board without an agent: one item at a time, what fails is put aside, and the log says so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.core.hats.board import (
    MOST_FAILURES,
    Board,
    BoardItem,
    Dispatch,
    GiveUp,
    Idle,
    any_failed,
    dispatched,
    found_in,
    gave_up,
    look,
    looking,
    nothing_left,
    overdue,
    phase_header,
    poll_lines,
    reason_text,
    seen,
    spent,
    why_overdue,
)
from ralph.core.hats.model import Event, Scan, ScanFolder

SCAN = Scan(folders=(ScanFolder("work", "work.propose"), ScanFolder("proposed", "work.finish")))
NEXT = {"work": "proposed", "proposed": "done"}


class Files:
    def __init__(self, **folders: list[str]) -> None:
        self.folders = {"work": [], "proposed": [], "done": [], "failed": [], **folders}

    def move(self, name: str, source: str, to: str) -> None:
        self.folders[source].remove(name)
        self.folders[to].append(name)


def test_items_are_dispatched_by_folder_and_then_by_name() -> None:
    files = Files(work=["b", "a"], proposed=["0"])
    board, seen = Board(), []
    for _ in range(20):
        board, found = look(SCAN, board, files.folders)
        if not isinstance(found, Dispatch):
            break
        seen.append(f"{found.topic} {found.item}")
        files.move(found.item, found.folder, NEXT[found.folder])
    assert found == Idle()
    assert seen == [
        "work.propose a",
        "work.propose b",
        "work.finish 0",
        "work.finish a",
        "work.finish b",
    ]
    assert board.finished == 3
    assert {name: item.dispatches for name, item in board.items.items()} == {"a": 2, "b": 2, "0": 1}


def test_hidden_files_and_other_folders_are_no_items() -> None:
    assert look(SCAN, Board(), {"work": [".gitkeep"], "done": ["a"]})[1] == Idle()
    assert look(SCAN, Board(), {})[1] == Idle()


def test_an_item_that_fails_its_phase_three_times_is_given_up_with_its_reason() -> None:
    files, board = Files(work=["a", "b"]), Board()
    for _ in range(MOST_FAILURES):
        board, found = look(SCAN, board, files.folders)
        assert found == Dispatch("work.propose", "work", "a")
        board = spent(board, cost_usd=0.5, tokens=10, seconds=2, reason="tests: 2 failed")
    board, found = look(SCAN, board, files.folders)
    assert found == GiveUp("a", "work", "failed", "work.propose failed 3 times: tests: 2 failed")
    files.move("a", "work", "failed")
    board = gave_up(board, "a", "work", found.reason)
    board, found = look(SCAN, board, files.folders)
    assert found == Dispatch("work.propose", "work", "b")
    item = board.items["a"]
    assert (item.failed, item.cost_usd, item.tokens, item.seconds) == (True, 1.5, 30, 6)
    assert reason_text("a", item.reason) == "a: work.propose failed 3 times: tests: 2 failed\n"


def test_failures_are_of_one_phase_and_a_name_that_comes_back_is_a_new_item() -> None:
    files, board = Files(work=["a"]), Board()
    for _ in range(2):
        board, _ = look(SCAN, board, files.folders)
    board, _ = look(SCAN, board, files.folders)
    files.move("a", "work", "proposed")
    board, found = look(SCAN, board, files.folders)
    assert (found, board.items["a"].failures) == (Dispatch("work.finish", "proposed", "a"), 0)
    files.move("a", "proposed", "done")
    assert look(SCAN, board, files.folders)[1] == Idle()
    for _ in range(MOST_FAILURES):
        files.folders["work"] = ["a"]
        board, found = look(SCAN, board, files.folders)
        assert isinstance(found, Dispatch)
    board, found = look(SCAN, board, files.folders)
    assert isinstance(found, GiveUp)
    board = gave_up(board, "a", "work", found.reason)
    assert isinstance(look(SCAN, board, files.folders)[1], Dispatch)


def test_looking_at_an_idle_board_changes_nothing() -> None:
    board, found = look(
        SCAN, Board(items={"a": BoardItem("a", "work", done=True)}, finished=1), {"done": ["a"]}
    )
    assert look(SCAN, board, {"done": ["a"]}) == (board, found)


def test_no_more_items_than_wanted() -> None:
    files, board = Files(work=["a", "b"]), Board()
    board, _ = look(SCAN, board, files.folders, max_items=1)
    files.move("a", "work", "proposed")
    board, _ = look(SCAN, board, {"work": [], "proposed": ["a"]}, max_items=1)
    board, found = look(SCAN, board, {"work": ["b"]}, max_items=1)
    assert found == Idle("1 of 1 items: 1 done")


def test_an_item_that_was_given_up_is_not_counted_as_done() -> None:
    board, _ = look(SCAN, Board(), {"work": ["a", "b"]}, max_items=2)
    board, _ = look(SCAN, gave_up(board, "a", "work", "no"), {"work": ["b"]}, max_items=2)
    board, found = look(SCAN, board, {}, max_items=2)
    assert found == Idle("2 of 2 items: 1 done, 1 failed")


def test_an_item_that_is_given_up_while_it_is_out_has_failed_once_more() -> None:
    """The look that gives it up is not recorded before that, and its reason counts it."""
    out = Board(items={"a": BoardItem("a", "work", failures=2)}, under_way="a")
    assert gave_up(out, "a", "work", "failed 3 times").items["a"].failures == 3
    back = Board(items={"a": BoardItem("a", "work", failures=3)})
    assert gave_up(back, "a", "work", "failed 3 times").items["a"].failures == 3


def test_what_is_spent_before_any_item_belongs_to_none() -> None:
    assert spent(Board(), cost_usd=1.0) == Board()


def test_the_log_has_the_seeds_form() -> None:
    when = "2026-02-17T10:00:05Z"
    assert poll_lines(when, Dispatch("work.propose", "work", "item-1.txt")) == (
        "2026-02-17T10:00:05Z — board.scan — START\n"
        "2026-02-17T10:00:05Z — board.scan — dispatching: work.propose item-1.txt\n"
        "2026-02-17T10:00:05Z — board.scan — END\n"
    )
    assert poll_lines(when, Idle()).splitlines()[1] == "2026-02-17T10:00:05Z — board.scan — idle (no work)"
    assert "giving up: a (why)" in poll_lines(when, GiveUp("a", "work", "failed", "why"))


def test_a_name_cannot_write_lines_of_its_own_into_the_log() -> None:
    said = poll_lines("now", Dispatch("t", "work", "a\nnow — board.scan — idle\x1b[2J"))
    assert said.count("\n") == 3 and "\x1b" not in said


@pytest.mark.parametrize(
    ("event", "header"),
    [
        (Event("work.propose", "item-1.txt"), "# Phase: propose — item-1.txt\nStarting fresh.\n"),
        (Event("work.finish", "item-1.txt\nmore"), "# Phase: finish — item-1.txt\nStarting fresh.\n"),
        (Event("go"), "# Phase: go\nStarting fresh.\n"),
    ],
)
def test_a_cleared_scratchpad_begins_with_the_seeds_line(event: Event, header: str) -> None:
    assert phase_header(event) == header


def by_agent(board: Board, event: Event, folder: str = "work") -> tuple[Board, str]:
    return dispatched(looking(board, "scanner"), "scanner", event, folder)


def test_an_item_that_an_agent_dispatches_gets_as_many_tries_as_one_that_ralph_finds() -> None:
    board, event = Board(), Event("work.propose", "a")
    for refused in (False, False, False, True):
        assert overdue(board) is None
        board, why = by_agent(board, event)
        assert bool(why) is refused
    late = overdue(board)
    assert (
        late is not None
        and why_overdue(late) == "work.propose failed 3 times: it was still in work afterwards"
    )


def test_a_result_that_was_begun_elsewhere_does_not_move_the_item() -> None:
    board = Board()
    for folder in ("work", "done, work", "done, work", "done, work"):
        board, why = by_agent(board, Event("work.propose", "a"), folder)
    assert why == "a is still in work after 3 tries: take another item"


def test_the_tries_of_an_item_are_counted_though_another_comes_in_between() -> None:
    board = Board()
    for _ in range(3):
        for name in ("a", "b"):
            board, why = by_agent(board, Event("work.propose", name))
            assert not why
    assert by_agent(board, Event("work.propose", "a"))[1] and by_agent(board, Event("work.propose", "b"))[1]


def test_an_item_that_is_found_nowhere_is_not_known_to_be_unmoved() -> None:
    board = Board()
    for _ in range(5):
        board, why = by_agent(board, Event("work.propose", "a"), "")
        assert not why


@pytest.mark.parametrize(("topic", "folder"), [("work.finish", "work"), ("work.propose", "proposed")])
def test_another_phase_begins_the_count_anew(topic: str, folder: str) -> None:
    board = Board()
    for _ in range(3):
        board, _ = by_agent(board, Event("work.propose", "a"))
    board = seen(board, "scanner", {"a": f"{folder}/a"}, {})
    board, why = by_agent(board, Event(topic, "a"), folder)
    assert not why and board.items["a"].failures == 0


def test_a_scanner_that_finds_nothing_to_do_says_that_nothing_has_failed() -> None:
    board = Board()
    for _ in range(9):
        board, why = by_agent(board, Event("work.check", "notes.md"), ".")
        assert not why
        board = nothing_left(board, "scanner")


@pytest.mark.parametrize(
    ("places", "contents", "dispatchable"),
    [
        ({"a": "work/a"}, {"a": "1"}, False),
        ({"a": "work/a"}, {"a": "2"}, True),
        ({"a": "later/a"}, {"a": "1"}, True),
    ],
)
def test_an_item_that_was_set_aside_is_dispatched_again_once_it_has_changed(
    places: dict[str, str], contents: dict[str, str], dispatchable: bool
) -> None:
    board, _ = by_agent(Board(), Event("work.propose", "a"))
    board = gave_up(board, "a", "work", "nobody knows how", "1")
    assert any_failed(board)
    board = seen(board, "scanner", places, contents)
    assert any_failed(board) is not dispatchable
    board, why = by_agent(board, Event("work.propose", "a"), found_in(places["a"]))
    assert ("nobody knows how" in why) is not dispatchable and bool(why) is not dispatchable


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(("work", "proposed", "done")), st.lists(st.sampled_from("abc.x"), max_size=4)
        ),
        max_size=12,
    )
)
def test_whatever_is_in_the_folders_one_item_that_is_there_is_chosen(
    listings: list[dict[str, list[str]]],
) -> None:
    board = Board()
    for listing in listings:
        board, found = look(SCAN, board, listing)
        there = [(f, n) for f in ("work", "proposed") for n in sorted(listing.get(f, ())) if n[0] != "."]
        if isinstance(found, Idle):
            assert not there
        else:
            assert (found.folder, found.item) == there[0]
        if isinstance(found, GiveUp):
            board = gave_up(board, found.item, found.folder, found.reason)
