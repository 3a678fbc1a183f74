"""What each tool does, to real files and a real inbox, and what it refuses."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import jsonschema
import pytest
from mcp_world import TASK, World

from ralph.agent_tools import memories
from ralph.agent_tools.mcp_tools import TOOLS

CALLS: dict[str, dict[str, object]] = {
    "write_scratchpad": {"done": "a", "testStatus": "b", "nextStep": "c", "blockers": "none"},
    "ralph-complete": {
        "taskId": TASK,
        "summary": "tidied it all up",
        "promiseEvidence": "make test: 12 passed",
    },
    "emit_event": {"topic": "build.done", "payload": "p"},
    "ask_human": {"question": "Which one?"},
    "add_task": {"title": "Later"},
    "split_task": {"taskId": TASK, "tasks": [{"title": "One"}, {"title": "Two"}]},
    "list_tasks": {},
    "add_todo": {"title": "t"},
    "add_memory": {"content": "m"},
    "search_memories": {"query": "m"},
}
WRITING = [name for name, tool in TOOLS.items() if not tool.reads]
FROM = {"loop": "loop-1", "token": "secret"}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_every_tool_is_tried_here() -> None:
    assert list(CALLS) == list(TOOLS)


@pytest.mark.parametrize("name", TOOLS)
def test_every_schema_is_valid_and_says_what_a_model_needs(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(TOOLS[name].schema)
    jsonschema.validate(CALLS[name], TOOLS[name].schema)
    assert TOOLS[name].about.endswith(".")
    assert re.fullmatch(r"[A-Za-z0-9_.-]{1,64}", name)


def test_the_scratchpad_tool_takes_the_four_parts_and_needs_them_all() -> None:
    schema = TOOLS["write_scratchpad"].schema
    assert schema["required"] == ["done", "testStatus", "nextStep", "blockers"]
    assert list(schema["properties"]) == schema["required"]  # type: ignore[call-overload]


# -- who may call ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WRITING)
@pytest.mark.parametrize("lacking", ["RALPH_TOKEN", "RALPH_LOOP", "RALPH_STATE", "RALPH_TASK"])
def test_nothing_is_written_without_an_iteration(world: World, name: str, lacking: str) -> None:
    said = world.without(lacking).refused(name, **CALLS[name])
    assert "no iteration runs here" in said
    assert not world.state.exists()
    assert not world.notes.exists()


@pytest.mark.parametrize("name", WRITING)
def test_a_gate_may_write_nothing_even_with_a_token(world: World, name: str) -> None:
    world.env["RALPH_GATE"] = "tests"
    assert "no iteration runs here" in world.refused(name, **CALLS[name])
    assert not world.state.exists()


def test_reading_needs_no_iteration(world: World) -> None:
    world.call("add_memory", content="Use tabs")
    world.env.clear()
    assert "Use tabs" in world.call("search_memories", query="tabs")
    assert world.call("list_tasks").startswith("No loop runs here.")


@pytest.mark.parametrize("name", TOOLS)
def test_what_is_not_on_the_list_is_neither_offered_nor_done(world: World, name: str) -> None:
    others = [other for other in TOOLS if other != name]
    world.env["RALPH_TOOLS"] = ", ".join(others)
    assert [tool["name"] for tool in world.session().tools.listed()] == others
    assert f"refused: {name} is not among the tools" in world.refused(name, **CALLS[name])
    assert not world.state.exists()
    assert not world.notes.exists()


def test_an_empty_list_offers_nothing(world: World) -> None:
    world.env["RALPH_TOOLS"] = ""
    assert world.session().tools.listed() == []


def test_who_may_not_ask_a_person_may_not_do_it_by_an_event(world: World) -> None:
    world.env["RALPH_TOOLS"] = "emit_event"
    assert "refused: ask_human" in world.refused("emit_event", topic=" human.interact ", payload="Why?")
    world.call("emit_event", topic="build.done")
    assert [message["topic"] for message in world.messages()] == ["build.done"]


# -- arguments -------------------------------------------------------------------------------------

BAD: list[tuple[str, dict[str, object], str]] = [
    ("write_scratchpad", {"done": "a", "testStatus": "b", "nextStep": "c"}, "`blockers` is missing"),
    ("write_scratchpad", CALLS["write_scratchpad"] | {"blockers": "  "}, "`blockers` must not be empty"),
    (
        "write_scratchpad",
        CALLS["write_scratchpad"] | {"nextstep": "x"},
        "`nextstep` is unknown (nearest: `nextStep`)",
    ),
    ("write_scratchpad", CALLS["write_scratchpad"] | {"done": 5}, "`done` must be text"),
    ("write_scratchpad", CALLS["write_scratchpad"] | {"done": None}, "`done` must be text"),
    ("write_scratchpad", CALLS["write_scratchpad"] | {"done": "x" * 100_001}, "at most 100000"),
    (
        "ralph-complete",
        CALLS["ralph-complete"] | {"summary": "too short"},
        "`summary` needs at least 10 characters",
    ),
    (
        "ralph-complete",
        CALLS["ralph-complete"] | {"promiseEvidence": " " * 20},
        "`promiseEvidence` needs at least 10",
    ),
    ("ralph-complete", CALLS["ralph-complete"] | {"artifactPaths": "a.py"}, "`artifactPaths` must be a list"),
    ("ralph-complete", CALLS["ralph-complete"] | {"artifactPaths": [1]}, "`artifactPaths[0]` must be text"),
    ("emit_event", {"topic": ""}, "`topic` must not be empty"),
    ("emit_event", {"topic": "two words"}, "is no topic"),
    ("ask_human", {}, "`question` is missing"),
    ("split_task", {"taskId": TASK, "tasks": [{"title": "a"}]}, "`tasks` needs at least 2 entries"),
    ("split_task", {"taskId": TASK, "tasks": [{"title": "a"}, {}]}, "`tasks[1].title` is missing"),
    ("split_task", {"taskId": TASK, "tasks": [{"title": "a"}, "b"]}, "`tasks[1]` must be an object"),
    ("split_task", {"taskId": TASK, "tasks": [{"title": "a"}] * 51}, "at most 50"),
    ("add_todo", {"title": "a", "priority": 0}, "`priority` must be from 1 to 5"),
    ("add_todo", {"title": "a", "priority": True}, "`priority` must be a whole number"),
    (
        "add_memory",
        {"content": "a", "type": "Pattern"},
        "`type` must be one of pattern, decision, fix, context",
    ),
    ("add_memory", {"content": "a", "tags": ["x,y"]}, "is no tag"),
    ("add_memory", {"content": "a", "tags": ["--> x"]}, "is no tag"),
    ("add_memory", {"content": "a", "tags": ["x\ny"]}, "is no tag"),
    ("search_memories", {"limit": 51}, "`limit` must be from 1 to 50"),
    ("list_tasks", {"state": "pending"}, "`state` is unknown (nearest: `status`)"),
]


@pytest.mark.parametrize(("name", "arguments", "said"), BAD)
def test_bad_arguments_are_named_and_change_nothing(
    world: World, name: str, arguments: dict[str, object], said: str
) -> None:
    assert said in world.refused(name, **arguments)
    assert not world.state.exists()
    assert not (world.notes / "scratchpad.md").exists()
    assert not (world.notes / "memories.md").exists()


# -- write_scratchpad ------------------------------------------------------------------------------


def test_the_scratchpad_has_the_known_form_and_this_iteration(world: World) -> None:
    world.call("write_scratchpad", done="wrote {a}", testStatus="1 passed", nextStep="b\nc", blockers="none")
    assert (world.notes / "scratchpad.md").read_text() == (
        "# Iteration 3 Scratchpad\n\n## Done this iteration\nwrote {a}\n\n## Test status\n1 passed\n\n"
        "## Next step\nb\nc\n\n## Blockers\nnone\n"
    )
    world.call("write_scratchpad", **CALLS["write_scratchpad"])
    assert "wrote {a}" not in (world.notes / "scratchpad.md").read_text()
    assert names(world.notes) == ["scratchpad.md"]


def test_a_scratchpad_that_cannot_be_written_is_an_error_the_model_sees(world: World) -> None:
    (world.notes / "scratchpad.md").mkdir(parents=True)
    said = world.refused("write_scratchpad", **CALLS["write_scratchpad"])
    assert "scratchpad.md" in said
    assert "Is a directory" in said
    assert names(world.notes) == ["scratchpad.md"]


# -- ralph-complete --------------------------------------------------------------------------------


def claim(world: World, *artifacts: str, refused: bool = False) -> str:
    arguments = CALLS["ralph-complete"] | {"artifactPaths": list(artifacts)}
    return (
        world.refused("ralph-complete", **arguments) if refused else world.call("ralph-complete", **arguments)
    )


def test_a_claim_reaches_the_driver_and_the_answer_says_that_gates_decide(world: World) -> None:
    (world.root / "src").mkdir()
    (world.root / "src/a.py").write_text("")
    assert "gates decide" in claim(world, "src/a.py", str(world.root / "src"))
    assert world.messages() == [
        {
            "kind": "claim",
            "summary": "tidied it all up",
            "evidence": "make test: 12 passed",
            "artifacts": ["src/a.py", "src"],
        }
        | FROM
    ]


def test_the_same_claim_twice_is_one(world: World) -> None:
    claim(world)
    claim(world)
    assert len(world.messages()) == 1
    world.env["RALPH_TOKEN"] = "of the next iteration"
    claim(world)
    assert len(world.messages()) == 2


def test_a_claim_for_another_task_is_refused_and_names_the_right_one(world: World) -> None:
    said = world.refused("ralph-complete", **CALLS["ralph-complete"] | {"taskId": "other"})
    assert "'other' is not the task of this loop" in said
    assert repr(TASK) in said
    assert world.messages() == []


def test_artifacts_must_exist_inside_the_workspace(world: World) -> None:
    outside = world.root.parent / "outside.txt"
    outside.write_text("")
    (world.root / "link").symlink_to(outside)
    (world.root / "dangling").symlink_to("nowhere")
    for path in ("missing.py", "../outside.txt", str(outside), "link", "dangling", ".", "a\0b", "x" * 5000):
        assert claim(world, path, refused=True), path
    assert world.messages() == []


def test_artifacts_are_found_from_where_the_agent_works_and_from_the_root(world: World) -> None:
    """The folder of the loop may lie below the repository's root."""
    below = world.root / "part"
    below.mkdir()
    (below / "a.py").write_text("")
    (world.root / "b.py").write_text("")
    arguments = CALLS["ralph-complete"] | {"artifactPaths": ["a.py", "b.py", "../b.py"]}
    assert world.result("ralph-complete", arguments, world.session(cwd=below))[1] is False
    assert world.messages()[0]["artifacts"] == ["part/a.py", "b.py", "b.py"]


# -- events and questions --------------------------------------------------------------------------


def test_an_event_reaches_the_driver_each_time(world: World) -> None:
    world.call("emit_event", topic="build.done", payload="all green")
    world.call("emit_event", topic="build.done", payload="all green")
    assert world.messages() == [{"kind": "event", "topic": "build.done", "payload": "all green"} | FROM] * 2


def test_a_question_is_the_event_that_asks_a_person(world: World) -> None:
    assert "No answer comes in this iteration" in world.call("ask_human", question=" Which one? ")
    assert world.messages() == [{"kind": "event", "topic": "human.interact", "payload": "Which one?"} | FROM]


def test_an_inbox_out_of_reach_is_an_error_the_model_sees(world: World) -> None:
    world.state.write_text("a file where the folder should be")
    assert "Nothing was recorded" in world.refused("emit_event", topic="a")


# -- tasks -----------------------------------------------------------------------------------------


def test_an_added_task_gets_an_id_that_is_free(world: World) -> None:
    (world.root / "tasks.jsonl").write_text('{"id":"fix-the-parser","title":"x"}\n')
    session = world.session()
    arguments = {"title": "Fix the parser!", "description": "It leaks", "criteria": ["no leak"]}
    assert "fix-the-parser-2" in world.result("add_task", arguments, session)[0]
    assert "fix-the-parser-2" in world.result("add_task", arguments, session)[0], "said twice"
    assert "fix-the-parser-3" in world.result("add_task", {"title": "Fix the Parser"}, session)[0]
    assert "- task: 修理" in world.result("add_task", {"title": "修理"}, session)[0]
    first, *others = world.messages()
    assert first == {"kind": "task", "how": "add", "parent": ""} | FROM | {
        "tasks": [arguments | {"title": "Fix the parser!", "id": "fix-the-parser-2"}]
    }
    assert [task["id"] for m in others for task in m["tasks"]] == ["fix-the-parser-3", "task"]  # type: ignore[attr-defined]


def test_a_split_makes_dotted_children_that_are_free(world: World) -> None:
    (world.root / "tasks.jsonl").write_text(f'{{"id":"{TASK}.1","title":"x"}}\n')
    session = world.session()
    world.result("split_task", CALLS["split_task"], session)
    world.result("split_task", {"taskId": TASK, "tasks": [{"title": "Three"}, {"title": "Four"}]}, session)
    messages = world.messages()
    assert [(m["how"], m["parent"]) for m in messages] == [("split", TASK)] * 2
    ids = [[task["id"] for task in m["tasks"]] for m in messages]  # type: ignore[attr-defined]
    assert ids == [[f"{TASK}.2", f"{TASK}.3"], [f"{TASK}.4", f"{TASK}.5"]]


def test_only_this_loops_task_can_be_split(world: World) -> None:
    assert "is not the task of this loop" in world.refused(
        "split_task", taskId="other", tasks=[{"title": "a"}, {"title": "b"}]
    )
    assert world.messages() == []


def test_the_list_has_the_current_task_and_the_backlog(world: World) -> None:
    assert world.call("list_tasks").startswith(f"Current task: {TASK}, iteration 3 of loop loop-1.")
    lines = [
        {"id": "A", "title": "auth", "status": "pending", "leaf": False},
        {"id": "A.1", "title": "store", "status": "active", "leaf": True, "notes": "long"},
        {"id": "A.2", "title": "x" * 1000, "status": "pending", "leaf": True},
        {"id": "AB", "title": "other"},
    ]
    (world.root / "tasks.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines) + "garbage\n{}\n"
    )
    said = world.call("list_tasks").splitlines()
    assert said[1] == "tasks.jsonl: 1 in_progress, 3 pending; 2 lines are no tasks"
    assert said[3] == '{"id": "A.1", "title": "store", "status": "active", "leaf": true}'
    assert len(said[4]) < 320
    assert len(said) == 6
    assert len(world.call("list_tasks", status="completed").splitlines()) == 2
    assert [line[:12] for line in world.call("list_tasks", status="in_progress").splitlines()[2:]] == [
        '{"id": "A.1"'
    ]
    assert len(world.call("list_tasks", under="A").splitlines()) == 4


def test_the_list_is_the_one_that_the_iteration_is_told_of(world: World) -> None:
    (world.root / "tasks.jsonl").write_text('{"id": "other"}\n')
    (world.root / "plans").mkdir()
    world.env["RALPH_BACKLOG"] = "plans/plan.jsonl"
    assert world.call("list_tasks").endswith("The workspace has no plans/plan.jsonl.")
    (world.root / "plans/plan.jsonl").write_text(f'{{"id": "A"}}\n{{"id": "{TASK}.1"}}\n{{"id": "later"}}\n')
    said = world.call("list_tasks")
    assert "plans/plan.jsonl: 3 pending" in said and "other" not in said
    # New ids are free in that list.
    assert f"- {TASK}.2: One" in world.call("split_task", **CALLS["split_task"])
    assert "- later-2: Later" in world.call("add_task", title="Later")


def test_a_list_outside_of_the_workspace_is_not_mistaken_for_another(world: World) -> None:
    (world.root / "tasks.jsonl").write_text('{"id": "later"}\n')
    world.env["RALPH_BACKLOG"] = ""
    assert world.call("list_tasks").endswith("The list of tasks is kept outside of the workspace.")
    assert "- later: Later" in world.call("add_task", title="Later")


def test_a_long_list_is_bounded_and_says_so(world: World) -> None:
    (world.root / "tasks.jsonl").write_text("".join(f'{{"id":"t{n}"}}\n' for n in range(5000)))
    said = world.call("list_tasks")
    assert "5000 pending" in said
    assert said.splitlines()[-1] == "[4900 more; narrow it by `status` or `under`]"
    (world.root / "tasks.jsonl").write_bytes(b"\n" * (5 << 20))
    assert "too much" in world.refused("list_tasks")


# -- todos -----------------------------------------------------------------------------------------


def test_a_todo_is_a_line_in_the_known_form(world: World) -> None:
    world.notes.mkdir(parents=True)
    (world.notes / "tasks.jsonl").write_text('{"id":"task-1-abcd","title":"mine","status":"open"}')
    world.call(
        "add_todo", title="Write tests", description="for dates", priority=1, blockedBy=["task-1-abcd"]
    )
    world.call("add_todo", title="Write docs")
    _, first, second = [json.loads(line) for line in (world.notes / "tasks.jsonl").read_text().splitlines()]
    assert re.fullmatch(r"task-\d+-[0-9a-f]{4}", first.pop("id"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", first.pop("created"))
    assert first == {
        "title": "Write tests",
        "description": "for dates",
        "status": "open",
        "priority": 1,
        "blocked_by": ["task-1-abcd"],
        "loop_id": "loop-1",
    }
    assert (second["priority"], "description" in second) == (3, False)


def test_an_open_todo_is_not_doubled_and_a_closed_one_comes_again(world: World) -> None:
    world.call("add_todo", title="Write tests")
    world.call("add_todo", title="Write tests")
    path = world.notes / "tasks.jsonl"
    assert len(path.read_text().splitlines()) == 1
    path.write_text(path.read_text().replace('"open"', '"closed"'))
    world.call("add_todo", title="Write tests")
    assert len(path.read_text().splitlines()) == 2


# -- memories --------------------------------------------------------------------------------------


def test_a_memory_is_put_first_in_its_section_in_the_known_form(world: World) -> None:
    world.call("add_memory", content="Old way", type="fix")
    world.call(
        "add_memory", content="  Run `make`\n\n## Fixes\nfirst ", type="fix", tags=["build", "make it"]
    )
    world.call("add_memory", content="Tabs")
    text = (world.notes / "memories.md").read_text()
    assert re.fullmatch(
        r"# Memories\n\n## Patterns\n\n### mem-\d+-[0-9a-f]{4}\n> Tabs\n<!-- tags:  \| created: \d{4}-\d\d-\d\d -->\n"
        r"\n## Decisions\n\n## Fixes\n\n### mem-\d+-[0-9a-f]{4}\n> Run `make`\n>\n> ## Fixes\n> first\n"
        r"<!-- tags: build, make it \| created: \d{4}-\d\d-\d\d -->\n"
        r"\n### mem-\d+-[0-9a-f]{4}\n> Old way\n<!-- tags:  \| created: \d{4}-\d\d-\d\d -->\n\n## Context\n",
        text,
    )


def test_the_same_memory_is_kept_once(world: World) -> None:
    world.call("add_memory", content="Tabs\n\nalways")
    assert "Known already" in world.call("add_memory", content="Tabs\n\nalways \n", tags=["new"])
    assert (world.notes / "memories.md").read_text().count("Tabs") == 1


def test_what_people_wrote_into_the_file_stays(world: World) -> None:
    """Other text, a section that is missing, a last line without its end, bytes that are no text."""
    world.notes.mkdir(parents=True)
    before = b"# Ours \xff\r\n\n## Decisions\n\n### mem-1-00aa\n> kept\n\nfree text\n## Fixes"
    (world.notes / "memories.md").write_bytes(before)
    world.call("add_memory", content="one", type="fix")
    world.call("add_memory", content="two", type="context")
    after = (world.notes / "memories.md").read_bytes()
    assert after.startswith(before + b"\n\n### mem-")
    assert b"\n\n## Context\n\n### mem-" in after
    assert "kept" in world.call("search_memories", query="kept", type="decision")


def test_search_wants_every_word_and_gives_the_newest_first(world: World) -> None:
    world.notes.mkdir(parents=True)
    block = "\n### mem-{n}-00aa\n> about Dates {n}\n<!-- tags: {tag} | created: 2026-01-01 -->\n"
    (world.notes / "memories.md").write_text(
        "# Memories\n\n## Patterns\n"
        + block.format(n=100, tag="old")
        + block.format(n=300, tag="NEW, calendar")
        + "\n### mem-500-00aa\n<!-- tags: empty | created: 2026-01-01 -->\n"
        + "\n## Fixes\n"
        + block.format(n=200, tag="calendar")
    )

    def found(**arguments: object) -> list[str]:
        return re.findall(r"^mem-(\d+)", world.call("search_memories", **arguments), re.MULTILINE)

    assert found(query="dates") == ["300", "200", "100"]
    assert found(query="DATES calendar") == ["300", "200"]
    assert found(query="calendar", type="fix") == ["200"]
    assert found() == ["300", "200", "100"]
    assert found(limit=1) == ["300"]
    assert "[2 older ones left out" in world.call("search_memories", limit=1)
    assert world.call("search_memories", query="nothing like it") == "No memory matches."


def test_what_a_search_gives_is_bounded(world: World) -> None:
    for n in range(30):
        world.call("add_memory", content=f"{n} " + "x" * 5000)
    said = world.call("search_memories", limit=50)
    assert len(said) < 21_000
    assert "[cut]" in said
    assert re.search(r"\[2\d older ones left out", said)


def test_a_pipe_in_place_of_the_file_blocks_nobody(world: World) -> None:
    world.notes.mkdir(parents=True)
    os.mkfifo(world.notes / "memories.md")
    assert "this is not a file" in world.refused("search_memories")
    assert "this is not a file" in world.refused("add_memory", content="x")


def test_notes_stay_out_of_the_tree_when_the_scratchpad_is_elsewhere(world: World) -> None:
    world.env["RALPH_SCRATCHPAD"] = str(world.root / "notes/pad.md")
    world.call("write_scratchpad", **CALLS["write_scratchpad"])
    world.call("add_todo", title="t")
    world.call("add_memory", content="m")
    assert names(world.root / "notes") == ["pad.md"]
    assert names(world.notes) == ["memories.md", "tasks.jsonl"]


def test_many_at_once_lose_nothing(tmp_path: Path) -> None:
    """Real processes: the lock is between them."""
    import subprocess
    import sys

    script = (
        "import sys; from ralph.agent_tools import memories, todos\n"
        "for n in range(10):\n"
        "    memories.add(sys.argv[1], f'{sys.argv[2]} {n}', 'fix', [])\n"
        "    todos.add(sys.argv[1], f'{sys.argv[2]} {n}', description='', priority=3, blocked_by=[], loop='')\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", script, str(tmp_path), name]) for name in "abcd"]
    assert [process.wait() for process in running] == [0] * 4
    assert len(memories.parse((tmp_path / "memories.md").read_text())) == 40
    assert len({json.loads(line)["id"] for line in (tmp_path / "tasks.jsonl").read_text().splitlines()}) == 40
