"""What an agent wrote into its copy of the backlog: claims and proposals, checked."""

from __future__ import annotations

from ralph.runner.backlog_copy import proposals

BEFORE = (
    '{"id":"A","title":"a","status":"pending","leaf":true}\n'
    '{"id":"B","title":"b","status":"in_progress","leaf":true}\n'
    '{"id":"C","title":"c"}\n'
)


def test_nothing_edited_is_nothing_proposed() -> None:
    found = proposals(BEFORE, BEFORE)
    assert (found.claims, found.tasks, found.ignored, found.problems) == ((), (), (), ())


def test_complete_written_into_the_copy_is_a_claim() -> None:
    assert proposals(BEFORE, BEFORE.replace("in_progress", "complete")).claims == ("B",)
    assert proposals(BEFORE, BEFORE.replace("in_progress", "done")).claims == ("B",)


def test_moving_a_line_to_the_archive_is_a_claim_too() -> None:
    lines = BEFORE.splitlines(keepends=True)
    before = '{"id":"Z","title":"z"}\n'
    after = before + '{"id":"B","title":"b","completed":"2024-01-21"}\n'
    found = proposals(BEFORE, lines[0] + lines[2], before, after)
    assert found.claims == ("B",) and found.ignored == ()


def test_new_lines_are_proposed_whatever_they_say_of_themselves() -> None:
    new = (
        '{"id":"A.1","title":"part","status":"complete","verified":true,"x":1}\n'
        '{"id":"A.1.1","title":"smaller","leaf":true}\n'
    )
    found = proposals(BEFORE, BEFORE + new)
    assert [task.id for task in found.tasks] == ["A.1", "A.1.1"] and found.claims == ()


def test_a_taken_id_is_no_reason_to_lose_a_task_and_no_task_is_named_by_line() -> None:
    new = 'nonsense\n{"id":"A","title":"again"}\n{"id":"Z.1","title":"orphan"}\n{"id":"D","title":"good"}\n'
    found = proposals(BEFORE, BEFORE + new)
    assert [(task.id, task.title) for task in found.tasks] == [
        ("", "again"),
        ("Z.1", "orphan"),
        ("D", "good"),
    ]
    assert [(p.line, p.kind) for p in found.problems] == [(4, "line")]


def test_the_same_line_twice_is_one_task() -> None:
    assert proposals(BEFORE, BEFORE + BEFORE).tasks == ()


def test_an_id_of_the_archive_is_taken() -> None:
    archive = '{"id":"Z","title":"z"}\n'
    new = '{"id":"Z","title":"another"}\n{"id":"Z","title":"z"}\n'
    found = proposals(BEFORE, BEFORE + new, archive, archive)
    assert [(task.id, task.title) for task in found.tasks] == [("", "another")]


def test_to_make_its_own_task_a_container_belongs_to_its_split() -> None:
    parts = '{"id":"A.1","title":"first","leaf":true}\n{"id":"A.2","title":"second","leaf":true}\n'
    edited = BEFORE.replace('"status":"pending","leaf":true', '"status":"pending","leaf":false')
    found = proposals(BEFORE, edited + parts, own=("A",))
    assert [(task.id, task.parent) for task in found.tasks] == [("A.1", "A"), ("A.2", "A")]
    assert found.ignored == ()
    assert proposals(BEFORE, edited, own=("A",)).ignored == ("A: edited",)


def test_other_edits_are_ignored_and_said() -> None:
    lines = BEFORE.splitlines(keepends=True)
    found = proposals(BEFORE, lines[0].replace("pending", "cancelled") + lines[1])
    assert found.ignored == ("C: removed", "A: edited") and found.claims == () == found.tasks
