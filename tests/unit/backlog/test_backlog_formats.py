"""Lists from elsewhere come in and go out again without loss, whatever they hold."""

from __future__ import annotations

import json
import string
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph.backlog.changes import Blocked, Claimed, Completed, Edited, Failed
from ralph.backlog.formats.dump import dump
from ralph.backlog.formats.load import FORMATS, detect, load
from ralph.backlog.json_line import fields_of
from ralph.backlog.jsonl import JsonlBacklog
from ralph.backlog.transfer import plan_import, tasks_to_export

few = settings(max_examples=25, deadline=None)


def opened(folder: Path, name: str = "tasks.jsonl") -> JsonlBacklog:
    return JsonlBacklog(folder / name, folder / "state")


def brought_in(backlog: JsonlBacklog, text: str, format: str) -> list[str]:
    incoming, problems = load(text, format, "list")
    assert not problems, problems
    found = plan_import(backlog, incoming, "2026-01-21")
    assert backlog.apply(found.added).conflicts == ()
    assert backlog.problems() == []
    return [str(change.fields["id"]) for change in found.added]


def there_and_back(text: str, format: str) -> str:
    with TemporaryDirectory() as folder:
        backlog = opened(Path(folder))
        brought_in(backlog, text, format)
        assert brought_in(backlog, text, format) == [], "a second import adds nothing"
        return dump(tasks_to_export(backlog), format)


words = st.text(string.printable + "äß✓>-<!", max_size=30)
titles = words.filter(str.strip)
plain_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
unknown = st.dictionaries(
    words.filter(lambda k: k not in ("ralph", "number", "url", "id")), plain_json, max_size=3
)


@st.composite
def prds(draw: st.DrawFn) -> Any:
    ids: list[str] = draw(
        st.lists(st.sampled_from(["US-001", "US-002", "1", "1.1", "a b", "2.5.1"]), unique=True, min_size=1)
    )
    stories = []
    for id in ids:
        story: dict[str, Any] = draw(unknown) | {"id": int(id) if id == "1" else id, "title": draw(titles)}
        more: dict[str, Any] = draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "description": words,
                    "acceptanceCriteria": st.lists(words, max_size=3),
                    "priority": st.integers(0, 9) | st.just("high"),
                    "passes": st.booleans(),
                    "notes": words,
                    "dependsOn": st.lists(st.sampled_from([*ids, "elsewhere"]), max_size=2),
                    "dependencies": st.lists(st.sampled_from(ids), max_size=2),
                },
            )
        )
        stories.append(story | more)
    frame = draw(
        st.none() | unknown.filter(lambda u: not {"userStories", "stories", "user_stories"} & u.keys())
    )
    return stories if frame is None else frame | {"userStories": stories}


def acyclic(stories: list[dict[str, Any]]) -> None:
    """A knot in the other tool's list is its own problem."""
    seen: list[object] = []
    for story in stories:
        for key in ("dependsOn", "dependencies"):
            if key in story:
                story[key] = [one for one in story[key] if one in seen or one == "elsewhere"]
        seen.append(story["id"])


@few
@given(prds())
def test_a_prd_comes_back_as_it_was(prd: Any) -> None:
    acyclic(prd if isinstance(prd, list) else prd["userStories"])
    assert json.loads(there_and_back(json.dumps(prd), "prd")) == prd


@st.composite
def issues(draw: st.DrawFn) -> list[Any]:
    numbers = draw(st.lists(st.integers(1, 10**6), unique=True, min_size=1, max_size=4))
    return [
        draw(unknown)
        | {"number": number, "title": draw(titles)}
        | draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "body": words,
                    "labels": st.lists(
                        st.fixed_dictionaries({"name": st.sampled_from(["bug", "P1", "priority: low", "x"])}),
                        max_size=3,
                    ),
                    "state": st.sampled_from(["OPEN", "CLOSED"]),
                    "stateReason": st.sampled_from(["", "NOT_PLANNED", "COMPLETED"]),
                    "url": st.just(f"https://example.org/o/r/issues/{number}"),
                    "closedAt": st.just("2025-12-24T10:00:00Z") | st.none(),
                },
            )
        )
        for number in numbers
    ]


@few
@given(issues())
def test_issues_of_github_come_back_as_they_were(found: list[Any]) -> None:
    assert json.loads(there_and_back(json.dumps(found), "github")) == found


@st.composite
def beads(draw: st.DrawFn) -> list[Any]:
    ids = ["bd-1", "bd-a3f8", "bd-a3f8.1", "bd-9.2"][: draw(st.integers(1, 4))]
    found = []
    for n, id in enumerate(ids):
        edges = [
            {"issue_id": id, "depends_on_id": other, "type": kind, "created_at": "2025-01-01T00:00:00Z"}
            for other, kind in draw(
                st.lists(
                    st.tuples(
                        st.sampled_from([*ids[:n], "bd-gone"]),
                        st.sampled_from(["blocks", "related", "discovered-from"]),
                    ),
                    max_size=2,
                )
            )
        ]
        if n == 1 and draw(st.booleans()):
            edges.append({"issue_id": id, "depends_on_id": "bd-1", "type": "parent-child"})
            edges = [e for e in edges if e["type"] != "blocks"]
        record = draw(unknown) | {"id": id, "title": draw(titles)}
        record |= draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "description": words,
                    "acceptance_criteria": st.sampled_from(["", "- one\n- [ ] two", "just this"]) | words,
                    "status": st.sampled_from(
                        ["open", "in_progress", "blocked", "closed", "deferred", "tombstone", "new-word"]
                    ),
                    "priority": st.integers(0, 4),
                    "issue_type": st.sampled_from(["bug", "epic", "task"]),
                    "closed_at": st.just("2025-02-03T00:00:00Z"),
                },
            )
        )
        found.append(record | ({"dependencies": edges} if edges else {}))
    below = {"bd-a3f8.1": ("bd-a3f8", "bd-1")}
    for record in found:  # a child that waits for its own parent would be a knot
        record["dependencies"] = [
            e for e in record.get("dependencies", []) if e["depends_on_id"] not in below.get(record["id"], ())
        ]
    return found


@few
@given(beads())
def test_beads_come_back_as_they_were(found: list[Any]) -> None:
    back = there_and_back("".join(json.dumps(one) + "\n" for one in found), "beads")
    assert [json.loads(line) for line in back.splitlines()] == found


CHECKLIST = """\
# Plan

Some words first.

- [ ] implement auth
  with a session store
  - [x] choose a library
  * [X] middleware

    more about it
- [x] write tests
```
- [ ] not an item
```
1. [ ] last   

the end"""


def test_a_checklist_comes_back_byte_for_byte() -> None:
    assert there_and_back(CHECKLIST, "markdown") == CHECKLIST


lines = st.sampled_from(
    [
        "- [ ] a",
        "  - [x] b",
        "    - [ ] c",
        "* [x] d",
        "text",
        "  text",
        "",
        "# head",
        "\t- [ ] e",
        "```",
        "- [ ] a",
    ]
)


@few
@given(st.lists(lines, min_size=1, max_size=12), st.booleans())
def test_any_checklist_comes_back_byte_for_byte(found: list[str], final: bool) -> None:
    text = "\n".join(["- [ ] first", *found]) + ("\n" if final else "")
    assert there_and_back(text, "markdown") == text


def test_a_checklist_becomes_a_tree(tmp_path: Path) -> None:
    backlog = opened(tmp_path)
    brought_in(backlog, CHECKLIST, "markdown")
    assert [
        (task.id, task.title, depth, backlog.status(task.id)) for task, depth in backlog.tasks.walk()
    ] == [
        ("A", "implement auth", 0, "complete"),
        ("A.1", "choose a library", 1, "complete"),
        ("A.2", "middleware", 1, "complete"),
        ("B", "write tests", 0, "complete"),
        ("C", "last", 0, "pending"),
    ]
    assert backlog.find("A").description == "with a session store"


NATIVE = [
    {"id": "A", "title": "implement auth", "status": "pending", "leaf": False, "owner": {"name": "x"}},
    {
        "id": "A.1",
        "title": "sto\nre -->",
        "status": "failed",
        "leaf": True,
        "reason": "tests: 3 > 2",
        "extra": [1.5],
    },
    {
        "id": "A.2",
        "title": "login",
        "criteria": ["a", "b"],
        "priority": 0,
        "depends_on": ["A.1"],
        "type": "bug",
    },
    {
        "id": "B",
        "title": "tests",
        "status": "blocked",
        "description": "one\n\n  two\n- [ ] three",
        "leaf": True,
    },
]


@pytest.mark.parametrize("format", FORMATS)
def test_tasks_go_to_every_form_and_back_without_loss(tmp_path: Path, format: str) -> None:
    backlog = opened(tmp_path)
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(one) + "\n" for one in NATIVE))
    backlog.refresh()
    text = dump(tasks_to_export(backlog), format)
    assert detect(text) == format
    incoming, problems = load(text, format, "list")
    assert not problems and plan_import(backlog, incoming, "2026-01-21").added == [], "they are known here"
    (tmp_path / "other").mkdir()
    other = opened(tmp_path / "other")
    brought_in(other, text, format)
    for line in NATIVE:
        back = fields_of(other.raw(str(line["id"])))
        for key, value in line.items():
            assert back.get(key) == value, (format, key)


@pytest.mark.parametrize("format", ["prd", "github", "beads", "markdown"])
def test_what_was_done_here_goes_back_with_it(tmp_path: Path, format: str) -> None:
    given = {
        "prd": '{"project": "p", "userStories": [{"id": "S1", "title": "one"}, {"id": "S2", "title": "two", "notes": "n"}]}',
        "github": '[{"number": 7, "title": "one", "labels": [{"name": "bug"}]}, {"number": 8, "title": "two"}]',
        "beads": '{"id": "bd-1", "title": "one", "status": "open"}\n{"id": "bd-2", "title": "two", "status": "deferred"}\n',
        "markdown": "- [ ] one\n- [ ] two\n",
    }[format]
    backlog = opened(tmp_path)
    first, second = brought_in(backlog, given, format)
    backlog.apply([Completed(first, commit="abc", verified=True), Failed(second, "no luck")])
    text = dump(tasks_to_export(backlog), format)
    (tmp_path / "other").mkdir()
    other = opened(tmp_path / "other")
    brought_in(other, text, format)
    done, failed = list(other.tasks.walk())
    assert (done[0].status, done[0].commit, done[0].verified) == ("complete", "abc", True)
    assert (failed[0].status, failed[0].reason) == ("failed", "no luck")
    shown = {
        "prd": '"passes": true',
        "github": '"state": "CLOSED"',
        "beads": '"status": "closed"',
        "markdown": "- [x] one",
    }[format]
    assert shown in text


def test_an_id_that_is_taken_gets_another_and_goes_back_under_its_own(tmp_path: Path) -> None:
    backlog = opened(tmp_path)
    (tmp_path / "tasks.jsonl").write_text('{"id":"S1","title":"mine"}\n')
    backlog.refresh()
    given = (
        '[{"id": "S1", "title": "theirs", "passes": false}, {"id": "S2", "title": "b", "dependsOn": ["S1"]}]'
    )
    assert brought_in(backlog, given, "prd") == ["S1-2", "S2"]
    assert backlog.find("S2").depends_on == ("S1-2",)
    assert json.loads(dump(tasks_to_export(backlog), "prd"))[:2] == json.loads(given)


def test_changes_after_an_import_are_what_goes_out(tmp_path: Path) -> None:
    backlog = opened(tmp_path)
    given = '{"id":"bd-1","title":"one","status":"deferred","acceptance_criteria":"- a\\n- b"}\n'
    brought_in(backlog, given, "beads")
    backlog.apply([Edited("bd-1", {"title": "other", "criteria": ["c"], "status": "pending"})])
    back = json.loads(dump(tasks_to_export(backlog), "beads"))
    assert back == {"id": "bd-1", "title": "other", "acceptance_criteria": "c", "status": "open"}


def test_a_child_of_an_epic_waits_for_what_the_epic_waits_for(tmp_path: Path) -> None:
    backlog = opened(tmp_path)
    edge = '"dependencies":[{"issue_id":"bd-2","depends_on_id":"%s","type":"%s"}]'
    given = (
        '{"id":"bd-1","title":"epic","issue_type":"epic",' + edge % ("bd-3", "blocks") + "}\n"
        '{"id":"bd-2","title":"child",' + edge % ("bd-1", "parent-child") + "}\n"
        '{"id":"bd-3","title":"first","status":"open"}\n'
    )
    brought_in(backlog, given, "beads")
    assert [task.id for task in backlog.ready()] == ["bd-3"]
    backlog.note(Completed("bd-3"))
    assert [task.id for task in backlog.ready()] == ["bd-2"]
    backlog.note(Claimed("bd-2"), Blocked("bd-2", "x"))
    assert backlog.status("bd-1") == "blocked"


@pytest.mark.parametrize(
    "text, format, line, what",
    [
        ('{"userStories": [\n{"id": "a", "title": "x"},\n{"id": "b"}]}', "prd", 3, "title"),
        ('{"userStories": [\n{"id": "a"\n', "prd", 3, "not JSON"),
        ('[{"number": 1, "title": "a"},\n {"title": "b"}]', "github", 2, "id"),
        ('{"id":"bd-1","title":"a","issue_type":"bug"}\nnonsense\n', "beads", 2, "not a JSON object"),
        ('{"id":"a","title":"b"}\n{"id":"c","title":"d","status":"dnoe"}\n', "jsonl", 2, "unknown status"),
        ("no list", "markdown", 1, "no checklist"),
        ('[{"id": "a", "title": "x"},\n{"id": "a", "title": "y"}]', "prd", 2, "line 1 already"),
    ],
)
def test_what_is_wrong_in_a_list_is_told_with_its_line(text: str, format: str, line: int, what: str) -> None:
    _, problems = load(text, format, "list")
    assert [(p.line, p.file) for p in problems] == [(line, "list")] and what in problems[0].what


@pytest.mark.parametrize(
    "text, format",
    [
        ('{"userStories": []}', "prd"),
        ('[{"id": 1, "title": "a", "passes": false}]', "prd"),
        ('[{"number": 1, "title": "a"}]', "github"),
        ('{"id":"A","title":"a"}', "jsonl"),
        ('{"id":"A","title":"a","status":"open"}\n', "beads"),
        ("# x\n\n* [x] a\n", "markdown"),
        ("nothing of the kind", ""),
        ("", ""),
    ],
)
def test_the_form_is_recognised(text: str, format: str) -> None:
    assert detect(text) == format


def test_a_plans_headings_and_prose_stay_when_its_items_are_done(tmp_path: Path) -> None:
    backlog = opened(tmp_path)
    plan = "# Plan\n\nWords first.\n\n- [ ] one\n\n## Later\n\nWhy.\n\n- [ ] two\n  with care\n\nThe end.\n"
    one, two = brought_in(backlog, plan, "markdown")
    backlog.apply([Completed(one, "abc", True, "tests red→green"), Completed(two, "def", True)])
    text = dump(tasks_to_export(backlog), "markdown")
    assert text.startswith("# Plan\n\nWords first.\n\n- [x] one")
    assert "\n\n## Later\n\nWhy.\n\n- [x] two" in text and text.endswith("  with care\n\nThe end.\n")
