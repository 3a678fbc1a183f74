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
    found = proposals(BEFORE, lines[0] + lines[2], '{"id":"B","title":"b","completed":"2024-01-21"}\n')
    assert found.claims == ("B",) and found.ignored == ()


def test_new_lines_are_proposed_whatever_they_say_of_themselves() -> None:
    new = (
        '{"id":"A.1","title":"part","status":"complete","verified":true,"x":1}\n'
        '{"id":"A.1.1","title":"smaller","leaf":true}\n'
    )
    found = proposals(BEFORE, BEFORE + new)
    assert [task.id for task in found.tasks] == ["A.1", "A.1.1"] and found.claims == ()


def test_what_cannot_be_taken_is_named_by_line() -> None:
    new = 'nonsense\n{"id":"A","title":"again"}\n{"id":"Z.1","title":"orphan"}\n{"id":"D","title":"good"}\n'
    found = proposals(BEFORE, BEFORE + new)
    assert [task.id for task in found.tasks] == ["D"]
    assert sorted((p.line, p.kind) for p in found.problems) == [(4, "line"), (5, "duplicate"), (6, "parent")]


def test_other_edits_are_ignored_and_said() -> None:
    lines = BEFORE.splitlines(keepends=True)
    found = proposals(BEFORE, lines[0].replace("pending", "cancelled") + lines[1])
    assert found.ignored == ("C: removed", "A: edited") and found.claims == () == found.tasks
