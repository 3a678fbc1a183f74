"""`ralph task` as people and agents use it, beside files that are edited by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from project import Project, contents

from ralph.backlog.formats.load import FORMATS


def told(project: Project, *arguments: str) -> Any:
    done = project.ralph("task", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def backlog(project: Project) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project.path / "tasks.jsonl").read_text().splitlines()]


def archive(project: Project) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (project.path / "tasks-done.jsonl").read_text().splitlines()]


def test_a_backlog_from_nothing_to_done(project: Project) -> None:
    assert "There are no tasks" in project.ralph("task", "list").stdout
    assert told(project, "next") is None and not (project.path / ".git/ralph").exists()
    assert project.ralph("task", "add", "implement auth").stdout == "A  implement auth\n"
    more = (
        "--criteria",
        "it works",
        "--criteria",
        "✓",
        "--priority",
        "1",
        "--type",
        "bug",
        "-d",
        "at length",
    )
    assert told(project, "add", "login", "--parent", "A", *more)["tasks"][0]["id"] == "A.1"
    told(project, "add", "logout", "--parent", "A", "--depends-on", "A.1")
    told(project, "add", "docs", "--id", "docs", "--priority", "high")
    assert backlog(project)[1] == {
        "id": "A.1",
        "title": "login",
        "status": "pending",
        "leaf": True,
        "description": "at length",
        "criteria": ["it works", "✓"],
        "priority": 1,
        "type": "bug",
    }
    assert backlog(project)[0]["leaf"] is False, "a parent is no leaf"
    assert told(project, "next")["id"] == "A.1"
    assert told(project, "show", "A.2")["waits_for"] == ["A.1"]
    assert [one["id"] for one in told(project, "split", "A.2", "one", "two")["tasks"]] == [
        "A.2",
        "A.2.1",
        "A.2.2",
    ]
    tree = project.ralph("task", "list").stdout.splitlines()
    assert [line.split()[0] for line in tree[:-1]] == ["A", "A.1", "A.2", "A.2.1", "A.2.2", "docs"]
    assert tree[3].startswith("    A.2.1") and tree[-1] == "4 tasks: 0 complete, 2 ready"
    done = project.ralph("task", "complete", "A.1", "--commit", "abc")
    assert done.stdout == "A.1 is complete, unverified\n"
    assert archive(project)[0]["verified"] is False and archive(project)[0]["commit"] == "abc"
    project.ralph("task", "block", "A.2.1", "needs a key")
    assert told(project, "show", "A")["status"] == "blocked"
    assert [one["id"] for one in told(project, "list", "--status", "blocked")["tasks"]] == [
        "A",
        "A.2",
        "A.2.1",
    ]
    project.ralph("task", "reopen", "A.2.1")
    for id in ("A.2.1", "A.2.2"):
        assert project.ralph("task", "complete", id).returncode == 0
    assert [line["id"] for line in archive(project)] == ["A.1", "A.2.1", "A.2.2", "A.2", "A"]
    assert [one["id"] for one in told(project, "list")["tasks"]] == ["docs"]
    assert len(told(project, "list", "--all")["tasks"]) == 6
    assert told(project, "reopen", "A.1")["tasks"][0]["status"] == "pending"
    told(
        project,
        "edit",
        "A.1",
        "--title",
        "log in",
        "--priority",
        "0",
        "--description",
        "",
        "--status",
        "failed",
    )
    edited = backlog(project)[-1]
    assert (edited["title"], edited["priority"], edited["status"]) == ("log in", 0, "failed")
    assert "description" not in edited and edited["criteria"] == ["it works", "✓"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("show", "A.11"), "tasks.jsonl: there is no task 'A.11'\nThe nearest is A.1."),
        (("complete", "zzz"), "`ralph task list` shows all"),
        (("complete", "A"), "Complete them: A.1"),
        (("complete", "D"), "tasks-done.jsonl:1: D is complete already"),
        (("split", "D", "x"), "`ralph task reopen D`"),
        (("add", "x", "--parent", "a"), "The nearest is A."),
        (("add", "x", "--depends-on", "B1"), "there is no task 'B1'"),
        (("add", "x", "--id", "A.1"), "tasks.jsonl:2: there is a task A.1 already\nThe next free id is"),
        (("add", "x", "--id", "X.1"), "there is no task X, the parent of X.1"),
        (("add", "x", "--id", "A 1"), "has a space"),
        (("add", " "), "the title is empty"),
        (("add", "x", "--priority", "soon"), "--priority: unknown priority 'soon'"),
        (("edit", "A.1"), "there is nothing to change"),
        (("edit", "A.1", "--status", "complet"), "The nearest is complete."),
        (("edit", "A.1", "--status", "done"), "Use `ralph task complete A.1`"),
        (("edit", "A.1", "--depends-on", "A"), "waits for itself"),
        (("list", "--status", "pendign"), "The nearest is pending."),
        (("import", "gone.json"), "gone.json: cannot be read"),
        (("import", "ralph.yml"), "not a list of tasks in a known form"),
        (("import", "bad.json"), "bad.json:3: "),
        (("frobnicate",), "No such command"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_is_wrong_is_told_and_changes_nothing(
    project: Project, arguments: tuple[str, ...], message: str
) -> None:
    project.write("tasks.jsonl", '{"id":"A","title":"a"}\n{"id":"A.1","title":"b"}\n')
    project.write("tasks-done.jsonl", '{"id":"D","title":"d","completed":"2024-01-21","commit":"abc"}\n')
    project.write("bad.json", '{"userStories": [\n{"id": "a", "title": "x"},\n{"id": "b"}]}')
    before = contents(project.path)
    done = project.ralph("task", *arguments)
    assert done.returncode == 2
    assert message in done.stderr, done.stderr
    assert contents(project.path) == before


def test_bad_lines_are_named_and_the_rest_works(project: Project) -> None:
    project.write(
        "tasks.jsonl", 'nonsense\n{"id":"A","title":"a\\u001b[31m"}\n{"id":"B.1","title":"orphan"}\n'
    )
    done = project.ralph("task", "list")
    assert done.returncode == 0 and "\033" not in done.stdout + done.stderr
    assert done.stderr.splitlines() == [
        "tasks.jsonl:1: this is not a JSON object on one line",
        "tasks.jsonl:3: B.1: there is no task B, its parent",
    ]
    assert [(p["line"], p["kind"]) for p in told(project, "list")["problems"]] == [(1, "line"), (3, "parent")]
    assert told(project, "next")["id"] == "A"
    assert "\033" not in project.ralph("task", "show", "A").stdout
    assert project.ralph("task", "complete", "A").returncode == 0
    assert (project.path / "tasks.jsonl").read_text() == 'nonsense\n{"id":"B.1","title":"orphan"}\n'


def test_it_is_the_file_at_the_top_of_the_repository(project: Project) -> None:
    (project.path / "sub").mkdir()
    assert project.ralph("task", "add", "x", cwd=project.path / "sub").returncode == 0
    assert [path.name for path in project.path.glob("tasks*")] == ["tasks.jsonl"]
    assert [path.name for path in (project.path / ".git/ralph").iterdir()] == ["backlog.lock"]


def test_it_works_without_a_repository(tmp_path: Path, project: Project) -> None:
    (tmp_path / "plain").mkdir()
    assert project.ralph("task", "add", "x", cwd=tmp_path / "plain").returncode == 0
    assert project.ralph("task", "next", cwd=tmp_path / "plain").stdout.startswith("A  x\n")


PRD = {
    "project": "p",
    "branchName": "ralph/x",
    "userStories": [
        {
            "id": "US-001",
            "title": "one",
            "acceptanceCriteria": ["c"],
            "priority": 2,
            "passes": True,
            "notes": "",
        },
        {
            "id": "US-002",
            "title": "two",
            "acceptanceCriteria": [],
            "priority": 1,
            "passes": False,
            "notes": "n",
        },
    ],
}


def test_a_list_is_imported_once_worked_on_and_given_back(project: Project) -> None:
    project.write("prd.json", json.dumps(PRD))
    assert told(project, "import", "prd.json") == {
        "format": "prd",
        "added": ["US-001", "US-002"],
        "known": 0,
        "renamed": {},
    }
    again = project.ralph("task", "import", "prd.json")
    assert again.stdout == "0 tasks added from prd; 2 were here already.\n"
    assert json.loads(project.ralph("task", "export", "prd").stdout) == PRD
    project.ralph("task", "complete", "US-002", "--commit", "abc")
    assert project.ralph("task", "export", "prd", "-o", "prd.json").returncode == 0
    back = json.loads((project.path / "prd.json").read_text())
    assert back["userStories"][0] == PRD["userStories"][0]
    assert back["userStories"][1]["passes"] is True and back["userStories"][1]["ralph"]["commit"] == "abc"


def test_a_list_may_come_from_a_pipe_and_its_form_may_be_named(project: Project) -> None:
    done = project.shell("printf -- '- [ ] a\\n  - [x] b\\n' | ralph task import - --from markdown --json")
    assert json.loads(done.stdout)["added"] == ["A", "A.1"], done.stderr
    told_wrong = project.ralph("task", "import", "ralph.yml", "--from", "markdown")
    assert told_wrong.returncode == 2 and "ralph.yml:1: there is no checklist" in told_wrong.stderr


@pytest.mark.parametrize("format", FORMATS)
def test_every_form_can_be_exported(project: Project, format: str) -> None:
    project.write("tasks.jsonl", '{"id":"A","title":"first","x":1}\n')
    done = told(project, "export", format)
    assert done["format"] == format and done["tasks"] == 1 and "first" in done["text"]


def test_the_tab_key_offers_ids(project: Project) -> None:
    project.write("tasks.jsonl", '{"id":"A.1","title":"a","parent":""}\n{"id":"B","title":"b"}\n')
    project.write("tasks-done.jsonl", '{"id":"A.2","title":"c"}\n')
    for words, offered in (("ralph task show ", {"A.1", "B"}), ("ralph task reopen A", {"A.1", "A.2"})):
        env = {"_RALPH_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "3"}
        shown = project.ralph(env=env).stdout.splitlines()
        assert {line.split(",")[1] for line in shown} == offered


# -- agents ------------------------------------------------------------------------------------------------


def test_an_agents_completion_is_a_claim_and_its_tasks_are_proposals(project: Project) -> None:
    project.write("tasks.jsonl", '{"id":"A","title":"a"}\n')
    project.agent(
        "ralph task add 'found this' --criteria c > $HOME/said 2>&1\n"
        "ralph task split answer 'one' 'two' --json >> $HOME/said 2>&1\n"
        "ralph task list --json > $HOME/list 2>&1\n"
        "for c in 'block A' 'reopen A' 'edit A --title x' 'import tasks.jsonl' 'complete A' 'add x --type bug'; do\n"
        "  ralph task $c >> $HOME/refused 2>&1 && touch $HOME/passed; done\n"
        "echo 42 > answer; ralph task complete answer --summary 'wrote the answer' >> $HOME/said; echo TASK_COMPLETE"
    )
    home = Path(project.env["HOME"])  # the gate has one of its own
    project.config(
        "cli: {command: ./agent.sh}\n"
        f"gates: [{{name: tests, run: 'sh test.sh && ! ralph task add by-a-gate 2> {home}/gate'}}]\n"
    )
    project.commit()
    done = project.ralph("run", "--task-id", "answer")
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (home / "passed").exists(), (home / "refused").read_text()
    said = (home / "said").read_text()
    assert (
        "B: Proposed" in said
        and '{"proposed": ["answer.1", "answer.2"]}' in said
        and "Your claim is recorded" in said
    )
    assert "for a person to decide" in (home / "refused").read_text()
    assert "not the task of this loop" in (home / "refused").read_text()
    assert "a gate or a reviewer does not" in (home / "gate").read_text()
    assert [one["id"] for one in json.loads((home / "list").read_text())["tasks"]] == ["A"]
    proposed = project.facts("task.proposed")
    assert [(fact["how"], [task["id"] for task in fact["tasks"]]) for fact in proposed] == [
        ("add", ["B"]),
        ("split", ["answer.1", "answer.2"]),
    ]
    assert project.facts("claim.made")[0]["summary"] == "wrote the answer"
    first, second = (project.path / "tasks.jsonl").read_text().splitlines()
    assert first == '{"id":"A","title":"a"}'
    waits = json.loads(second)
    assert (waits["title"], waits["status"], waits["proposed_by"]) == ("found this", "blocked", "answer")
