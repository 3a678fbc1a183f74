"""The server is another backlog: `ralph task` with --server, push and export."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from person import Person

TASKS = """\
{"id":"A","title":"Alpha","leaf":false,"priority":1}
{"id":"A.1","title":"One","description":"first\\nof all","criteria":["it reads","it writes"],"type":"bug"}
{"id":"A.2","title":"Two","depends_on":["A.1"]}
{"id":"B","title":"Bee","depends_on":["A"]}
{"id":"C","title":"Cee","status":"blocked","reason":"later"}
{"id":"D","title":"Dee","depends_on":["C"]}
{"id":"E#1","title":"Eee"}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=made, check=True)
    (made / "tasks.jsonl").write_text(TASKS)
    return made


def test_a_file_is_pushed_once_and_exported_again(person: Person, folder: Path) -> None:
    person.served.ask("PUT", "/api/repositories/app", {"url": "/srv/app.git"})
    pushed = person.says("task", "push", "--repository", "app", "--label", "linux", cwd=folder)
    assert pushed.splitlines() == [
        f"3 tasks pushed to {person.served.url}.",
        "C is not pushed: it is blocked.",
        "E#1 is not pushed: its id has characters that a server's does not.",
        "D is not pushed: it waits for C.",
    ]
    one, bee = person.task("A.1"), person.task("B")
    assert (one["task"], one["title"], one["parent"]) == ("One\n\nfirst\nof all", "One", "A")
    assert (one["criteria"], one["ralphPromise"]) == (["it reads", "it writes"], "it reads; it writes")
    assert (one["repository"], one["labels"], one["priority"]) == ("app", ["linux"], 1.0)
    assert bee["dependencies"] == ["A.1", "A.2"], "who waits for a container waits for its parts"
    again = person.says("task", "push", "--json", cwd=folder)
    assert json.loads(again)["known"] == ["A.1", "A.2", "B"]
    assert json.loads(again)["pushed"] == []
    exported = [json.loads(line) for line in person.says("task", "export", "jsonl").splitlines()]
    assert [line["id"] for line in exported] == ["A", "A.1", "A.2", "B"]
    assert exported[0] == {"id": "A", "title": "A", "status": "pending", "leaf": False}
    was = {
        "title": "One",
        "description": "first\nof all",
        "criteria": ["it reads", "it writes"],
        "type": "bug",
    }
    assert was.items() <= exported[1].items()
    assert exported[2]["depends_on"] == ["A.1"]
    assert "  - [ ] One" in person.says("task", "export", "markdown")


def test_a_list_that_was_exported_can_be_pushed_elsewhere(
    person: Person, folder: Path, tmp_path: Path
) -> None:
    person.says("task", "push", cwd=folder)
    for id in ("B", "A.2", "A.1"):
        person.says("task", "edit", id, "--status", "cancelled")
    other = tmp_path / "other"
    other.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=other, check=True)
    text = person.says("task", "export", "jsonl").replace('"A', '"X').replace('"B"', '"Y"')
    (other / "tasks.jsonl").write_text(text.replace('"cancelled"', '"pending"'))
    pushed = json.loads(person.says("task", "push", "--json", cwd=other))
    assert sorted(pushed["pushed"]) == ["X.1", "X.2", "Y"]
    assert person.task("Y")["dependencies"] == ["X.1", "X.2"]


def test_another_task_of_the_same_id_is_left_alone(person: Person, folder: Path) -> None:
    person.says("task", "add", "Something else", "--id", "A.1")
    pushed = json.loads(person.says("task", "push", "--json", cwd=folder))
    assert (pushed["pushed"], pushed["known"]) == ([], [])
    assert pushed["left"]["A.1"] == "the server has another task of this id: Something else"
    assert pushed["left"]["A.2"] == "it waits for A.1"
    assert person.task("A.1")["title"] == "Something else"


def test_tasks_are_added_listed_shown_changed_and_cancelled(person: Person) -> None:
    person.says("task", "add", "Alpha", "--id", "A", "--criteria", "it is there", "--priority", "0")
    person.says("task", "add", "Below", "--id", "A.1", "--depends-on", "A", "-d", "more of it")
    listed = person.says("task", "list").splitlines()
    assert listed == [
        "A    pending      Alpha",
        "A.1  pending      Below",
        "2 tasks: 0 complete, 1 ready",
    ]
    shown = person.says("task", "show", "A.1")
    assert "waits for   A" in shown
    assert f"where       {person.served.url}" in shown
    assert json.loads(person.says("task", "next", "--json"))["id"] == "A"
    person.says("task", "edit", "A.1", "--title", "Beneath", "--criteria", "c", "--priority", "3")
    task = person.task("A.1")
    assert (task["title"], task["task"], task["ralphPromise"]) == ("Beneath", "Beneath\n\nmore of it", "c")
    assert (task["priority"], task["criteria"]) == (3.0, ["c"])
    person.says("task", "edit", "A", "--status", "cancelled")
    assert person.task("A")["status"] == "cancelled"
    blocked = person.says("task", "list", "--status", "blocked")
    assert "A.1" in blocked
    assert "A did not complete" in blocked or "A" in person.task("A.1")["reason"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("task", "show", "nothing"), "there is no task 'nothing'"),
        (("task", "edit", "A", "--status", "complete"), "completing is more than an edit"),
        (("task", "edit", "A", "--status", "failed"), "becomes failed by its facts"),
        (("task", "add", "x", "--id", "a b"), "id does not have the right form"),
        (("task", "reopen", "A"), "cannot be tried again"),
        (("say", "x"), "which task?"),
        (("say", "x", "--hat", "h", "--task", "A"), "--hat is for a run of this folder"),
        (("stop", "--now", "--task", "A"), "--now is for a run of this folder"),
        (("status", "--task", "zzz"), "there is no task zzz"),
    ],
)
def test_what_is_wrong_is_said(person: Person, arguments: tuple[str, ...], words: str) -> None:
    person.says("task", "add", "Alpha", "--id", "A")
    done = person.ralph(*arguments, "--server", person.served.url)
    assert done.returncode == 2, done.stdout
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_flags_of_a_server_need_one(person: Person) -> None:
    for arguments in (
        ("stop", "--task", "A"),
        ("retry", "--fresh"),
        ("task", "add", "x", "--repository", "r"),
    ):
        done = person.ralph(*arguments)
        assert done.returncode == 2
        assert "goes with --server" in done.stderr
