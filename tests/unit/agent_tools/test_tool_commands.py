"""`ralph tools task` and `ralph tools memory`, as an agent calls them: real processes, real files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ralph.agent_tools import commands
from ralph.core.memories import parse

RALPH = str(Path(sys.executable).with_name("ralph"))
BAD = "\x1b[2Jbad\x9b1m‮"


class Place:
    """A folder of a loop; commands run in this process, which is quicker, with the environment of an iteration."""

    def __init__(
        self, path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.path = path
        self.notes = path / ".ralph/agent"
        (path / ".git").mkdir()
        monkeypatch.chdir(path)
        for name in [name for name in os.environ if name.startswith("RALPH_")]:
            monkeypatch.delenv(name)
        self.env = monkeypatch
        self._capsys = capsys

    def ok(self, *words: str) -> str:
        code, out, err = self.run(*words)
        assert code == 0, err
        return out

    def refused(self, *words: str) -> str:
        before = contents(self.notes)
        code, out, err = self.run(*words)
        assert (code, out) == (2, "")
        assert contents(self.notes) == before, "it changed something"
        return err

    def run(self, *words: str) -> tuple[int, str, str]:
        code = commands.serve(["tools", *words])
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def add(self, title: str, *words: str) -> str:
        return self.ok("task", "add", title, "--format", "quiet", *words).strip()

    def todos(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in (self.notes / "tasks.jsonl").read_text().splitlines()]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else {}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Place:
    return Place(tmp_path, monkeypatch, capsys)


# -- todos ---------------------------------------------------------------------------------------------


def test_a_todo_goes_through_its_life(place: Place) -> None:
    said = place.ok("task", "add", "Write tests", "-p", "2", "-d", "for dates")
    assert re.fullmatch(r"Created task (task-\d+-[0-9a-f]{4})\n  Title: Write tests\n  Priority: 2\n", said)
    [todo] = place.todos()
    id = str(todo["id"])
    assert (todo["status"], todo["priority"], todo["description"]) == ("open", 2, "for dates")
    assert place.ok("task", "start", id) == f"Started task: {id} - Write tests\n"
    assert place.todos()[0]["status"] == "in_progress"
    assert "started" in place.todos()[0]
    assert place.ok("task", "fail", id) == f"Failed task: {id} - Write tests\n"
    assert (place.todos()[0]["status"], "closed" in place.todos()[0]) == ("failed", True)
    assert place.ok("task", "reopen", id) == f"Reopened task: {id} - Write tests\n"
    assert (place.todos()[0]["status"], "closed" in place.todos()[0]) == ("open", False)
    assert place.ok("task", "close", id) == f"Closed task: {id} - Write tests\n"
    assert place.ok("task", "list") == "No tasks found\n"
    shown = place.ok("task", "show", id)
    assert re.search(r"^Status:      closed$", shown, re.MULTILINE)
    assert re.search(r"^Closed:      \d{4}-", shown, re.MULTILINE)


def test_ready_shows_what_has_nothing_in_its_way(place: Place) -> None:
    first = place.add("first", "-p1")
    second = place.add("second", "--blocked-by", first)
    third = place.add("third", "--priority=5")
    assert place.ok("task", "ready", "--format", "quiet").split() == [first, third]
    place.ok("task", "start", third)
    assert place.ok("task", "ready", "--format", "quiet").split() == [third, first], (
        "what is begun comes first"
    )
    place.ok("task", "fail", first)
    assert second not in place.ok("task", "ready")
    place.ok("task", "close", first)
    found = json.loads(place.ok("task", "ready", "--format=json"))
    assert [todo["id"] for todo in found] == [third, second]
    assert found[1]["blocked_by"] == [first]
    place.ok("task", "close", second)
    place.ok("task", "close", third)
    assert place.ok("task", "ready") == "No ready tasks\n"


def test_ready_is_of_this_loop_and_of_none(place: Place) -> None:
    by_hand = place.add("by hand")
    place.env.setenv("RALPH_LOOP", "loop-1")
    mine = place.add("mine")
    place.env.setenv("RALPH_LOOP", "loop-2")
    other = place.add("other")
    assert place.ok("task", "ready", "--format", "quiet").split() == [by_hand, other]
    assert place.ok("task", "ready", "-a", "--format", "quiet").split() == [by_hand, mine, other]


def test_the_list_is_filtered_as_asked(place: Place) -> None:
    low, high, over = place.add("low", "-p", "4"), place.add("high", "-p", "1"), place.add("over")
    place.ok("task", "close", over)
    old = {
        "id": "task-1-0000",
        "title": "old",
        "status": "open",
        "created": "2020-01-01T00:00:00.123456789+00:00",
    }
    with open(place.notes / "tasks.jsonl", "a") as file:
        file.write(json.dumps(old) + "\n")

    def ids(*words: str) -> list[str]:
        return place.ok("task", "list", "--format", "quiet", *words).split()

    assert ids() == [high, "task-1-0000", low]
    assert ids("--all") == [high, "task-1-0000", low, over]
    assert ids("-s", "closed") == [over]
    assert ids("--status", "IN-PROGRESS") == []
    assert ids("-d", "1") == [high, low]
    assert ids("-l", "1") == [high]
    table = place.ok("task", "list").splitlines()
    assert table[0].split() == ["ID", "Status", "Priority", "Title", "Key"]
    assert table[2].split() == [high, "open", "1", "high", "-"]
    assert "must be one of" in place.refused("task", "list", "-s", "done")


def test_an_open_todo_is_not_doubled(place: Place) -> None:
    id = place.add("Write tests")
    assert place.ok("task", "add", "Write tests").startswith(f"Open already: task {id}\n")
    place.ok("task", "close", id)
    assert place.add("Write tests") != id


def test_a_key_names_one_todo_for_good(place: Place) -> None:
    said = place.ok("task", "ensure", "Set up", "--key", "auth:setup", "-p", "1")
    assert said.startswith("Ensured task task-")
    assert "  Key: auth:setup\n" in said
    id = str(place.todos()[0]["id"])
    place.ok("task", "close", id)
    again = place.ok("task", "ensure", "Set up auth", "--key", "auth:setup", "-d", "more", "--blocked-by", id)
    assert again.startswith(f"Reused task {id}\n")
    [todo] = place.todos()
    assert (todo["title"], todo["priority"], todo["status"]) == ("Set up auth", 3, "closed")
    assert (todo["description"], todo["blocked_by"]) == ("more", [id])
    assert "--key is missing" in place.refused("task", "ensure", "x")


def test_whoever_is_waited_for_in_vain_is_named(place: Place) -> None:
    code, _, err = place.run("task", "add", "x", "--blocked-by", "task-9-0000, ,task-8-0000")
    assert (code, place.todos()[0]["blocked_by"]) == (0, ["task-9-0000", "task-8-0000"])
    assert err.count("there is no todo") == 2


def test_priorities_are_kept_in_their_range(place: Place) -> None:
    place.add("a", "-p", "0")
    place.add("b", "-p", "99")
    assert [todo["priority"] for todo in place.todos()] == [1, 5]
    assert "must be a whole number" in place.refused("task", "add", "c", "-p", "high")


def test_other_lines_stay_as_they_are(place: Place) -> None:
    """Broken lines, other spellings, bytes that are no text, a last line without its end."""
    place.notes.mkdir(parents=True)
    before = [
        b'{"id":"task-1-0000",  "title":"spaced" }',
        b"not json {",
        b'{"no":"id"}',
        b"",
        b'{"id": "task-2-0000", "title": "\\ud800 \\u00e9", "extra": {"x": [1]}, "status": "open"}',
        b'{"id":"task-3-0000","title":"\xff\xc3\xa9"}\r',
        b"[" * 100_000,
        b'{"id":"task-4-0000","title":"last"}',
    ]
    (place.notes / "tasks.jsonl").write_bytes(b"\n".join(before))
    place.ok("task", "close", "task-2-0000")
    place.ok("task", "start", "task-4-0000")
    place.add("new")
    after = (place.notes / "tasks.jsonl").read_bytes().split(b"\n")
    assert [n for n, line in enumerate(before) if after[n] != line] == [4, 7]
    changed = json.loads(after[4])
    assert (changed["title"], changed["extra"], changed["status"]) == ("\ud800 é", {"x": [1]}, "closed")
    assert json.loads(after[7])["status"] == "in_progress"
    assert json.loads(after[8])["title"] == "new"
    assert place.ok("task", "list", "--all", "--format", "quiet").split()[:2] == [
        "task-4-0000",
        "task-1-0000",
    ]


def test_values_of_other_kinds_break_nothing(place: Place) -> None:
    place.notes.mkdir(parents=True)
    (place.notes / "tasks.jsonl").write_text(
        '{"id":"a","title":7,"status":["x"],"priority":"high","blocked_by":"b","created":3}\n'
        '{"id":"b","priority":true,"blocked_by":[1,"a"],"status":"in_review"}\n'
    )
    assert place.ok("task", "list", "--format", "quiet").split() == ["a", "b"]
    assert place.ok("task", "ready", "--format", "quiet").split() == ["a"]
    assert place.ok("task", "list", "--days", "1") == "No tasks found\n"
    assert "Status:      in_review" in place.ok("task", "show", "b")


@pytest.mark.parametrize("form", ["table", "json", "quiet"])
def test_nothing_hostile_reaches_the_terminal(place: Place, form: str) -> None:
    id = place.add(f"title {BAD}\nsecond", "-d", f"text {BAD}")
    place.ok("task", "ensure", BAD, "--key", BAD)
    place.ok("memory", "add", f"text {BAD}\nsecond", "-t", "fix")
    mem = place.ok("memory", "list", "--format", "quiet").strip()
    for words in (
        ("task", "list"),
        ("task", "ready"),
        ("task", "show", id),
        ("memory", "list"),
        ("memory", "search", "text"),
        ("memory", "show", mem),
        ("memory", "prime"),
    ):
        said = place.ok(*words, "--format", form)
        assert all(c.isprintable() or c == "\n" for c in said), words
    assert json.loads(place.ok("task", "show", id, "--format", "json"))["description"] == f"text {BAD}"
    _, _, err = place.run("task", "close", BAD)
    assert err and all(c.isprintable() or c == "\n" for c in err)
    _, _, err = place.run(BAD)
    assert err and all(c.isprintable() or c == "\n" for c in err)


# -- memories ------------------------------------------------------------------------------------------


def test_a_memory_is_added_found_and_forgotten(place: Place) -> None:
    said = place.ok("memory", "add", "Run make\nfirst", "-t", "FIX", "--tags", "build, make it,")
    id = re.fullmatch(r"Memory stored: (mem-\d+-[0-9a-f]{4})\n", said)
    assert id
    assert place.ok("memory", "add", "Run make\nfirst", "-tfix").startswith(f"Known already: {id[1]}")
    [found] = json.loads(place.ok("memory", "search", "MAKE first", "--format", "json"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found.pop("created"))
    assert found == {
        "id": id[1],
        "memory_type": "fix",
        "content": "Run make\nfirst",
        "tags": ["build", "make it"],
    }
    assert place.ok("memory", "show", id[1], "--format", "markdown").startswith(
        f"### {id[1]}\n> Run make\n> first\n<!-- tags: build, make it | created: "
    )
    assert "Tags:    build, make it\n\nRun make\nfirst\n" in place.ok("memory", "show", id[1])
    assert place.ok("memory", "delete", id[1]) == f"Memory deleted: {id[1]}\n"
    assert "Memory not found" in place.refused("memory", "delete", id[1])
    assert "No memories yet" in place.ok("memory", "list")


def test_search_and_list_are_filtered_as_asked(place: Place) -> None:
    place.notes.mkdir(parents=True)
    block = "\n### mem-{n}-00aa\n> about dates {n}\n<!-- tags: {tags} | created: 2026-01-01 -->\n"
    text = "# Memories\n\n## Patterns\n" + block.format(n=100, tags="a") + "\n## Fixes\n"
    text += "".join(block.format(n=n, tags="b, C") for n in range(200, 212))
    (place.notes / "memories.md").write_text(text)

    def ids(*words: str) -> list[int]:
        return [int(id.split("-")[1]) for id in place.ok("memory", *words, "--format", "quiet").split()]

    assert ids("search", "dates") == [211, 210, 209, 208, 207, 206, 205, 204, 203, 202]
    assert len(ids("search", "dates", "--all")) == 13
    assert ids("search", "-t", "pattern") == [100]
    assert ids("search", "--tags", "x,A") == [100]
    assert ids("list", "--last", "2") == [211, 210]
    assert ids("list", "--tags", "c", "--last", "1") == [211]
    assert "Showing 10 of 13 matches" in place.ok("memory", "search", "dates")
    assert "No matching memories found in 13" in place.ok("memory", "search", "nothing like it")
    assert "(1 of 13 memories)" in place.ok("memory", "search", "dates 100")
    assert ids("prime", "--type", "pattern,decision") == [100]
    assert ids("prime", "--recent", "10000000", "--tags", "a") == [100]
    assert place.ok("memory", "prime", "--recent", "1", "--format", "quiet") == ""


def test_prime_keeps_within_its_budget_and_takes_the_newest(place: Place) -> None:
    place.notes.mkdir(parents=True)
    day = 86_400
    blocks = [
        f"\n### mem-{n * day}-00aa\n> {'x' * 100} {n}\n<!-- tags:  | created: 2026-01-01 -->\n"
        for n in range(50)
    ]
    (place.notes / "memories.md").write_text(
        "## Context\n" + "".join(blocks[25:]) + "## Patterns\n" + "".join(blocks[:25])
    )
    said = place.ok("memory", "prime", "--budget", "250")
    assert len(said.encode()) <= 1000
    assert [m.seconds // day for m in parse(said)] == [49, 48, 47, 46, 45]
    assert "45 more" in said
    everything = place.ok("memory", "prime", "--budget", "0")
    assert len(parse(everything)) == 50
    assert everything.index("## Patterns") < everything.index("## Context")
    assert len(json.loads(place.ok("memory", "prime", "--budget", "250", "--format", "json"))) == 5


def test_what_people_wrote_around_a_forgotten_memory_stays(place: Place) -> None:
    place.notes.mkdir(parents=True)
    block = "### mem-{n}-00aa\n> text {n}\n> more\n<!-- tags:  | created: 2026-01-01 -->\n"
    before = (
        "# Ours\r\n\n## Fixes\n\n"
        + block.format(n=1)
        + "\n"
        + block.format(n=2)
        + "free text\n> quoted by hand\n\n## Last"
    )
    (place.notes / "memories.md").write_text(before, newline="")
    place.ok("memory", "delete", "mem-2-00aa")
    assert (place.notes / "memories.md").read_bytes().decode() == before.replace(block.format(n=2), "")
    place.ok("memory", "delete", "mem-1-00aa")
    left = "# Ours\r\n\n## Fixes\n\nfree text\n> quoted by hand\n\n## Last"
    assert (place.notes / "memories.md").read_bytes().decode() == left


def test_a_file_of_memories_is_begun_once(place: Place) -> None:
    assert "Initialized memories file at " in place.ok("memory", "init")
    place.ok("memory", "add", "kept")
    assert "--force writes over it" in place.refused("memory", "init")
    place.ok("memory", "init", "--force")
    assert (
        place.notes / "memories.md"
    ).read_text() == "# Memories\n\n## Patterns\n\n## Decisions\n\n## Fixes\n\n## Context\n"


# -- where, who, and what is wrong ---------------------------------------------------------------------


def test_the_notes_of_the_loop_are_found_from_below_and_by_name(place: Place, tmp_path: Path) -> None:
    id = place.add("at the root")
    below = place.path / "src/deep"
    below.mkdir(parents=True)
    place.env.chdir(below)
    assert place.ok("task", "ready", "--format", "quiet").split() == [id]
    place.env.setenv("RALPH_SCRATCHPAD", str(place.notes / "hats/builder/pad.md"))
    assert place.ok("task", "ready", "--format", "quiet").split() == [id], "one list for all hats"
    other = tmp_path / "other"
    other.mkdir()
    for words in (("--root", str(other)), (f"--root={other}",)):
        place.ok("task", *words, "add", "elsewhere")
    place.ok("memory", "add", "elsewhere", "--root", str(other))
    assert sorted(path.name for path in (other / ".ralph/agent").iterdir()) == ["memories.md", "tasks.jsonl"]
    assert len(place.todos()) == 1


def test_a_gate_reads_and_writes_nothing(place: Place) -> None:
    id = place.add("x")
    place.env.setenv("RALPH_GATE", "tests")
    for words in (("task", "add", "y"), ("task", "close", id), ("memory", "add", "y"), ("memory", "init")):
        assert "a gate keeps no notes" in place.refused(*words)
    assert place.ok("task", "ready", "--format", "quiet").split() == [id]


WRONG = [
    (("--no-such-option",), "--no-such-option"),
    (("memry", "list"), "nearest: memory"),
    (("task", "lst"), "nearest: list"),
    (("task", "add"), "TITLE is missing"),
    (("task", "add", "  "), "TITLE is missing"),
    (("task", "add", "a", "b"), "put text in quotes"),
    (("task", "add", "a", "--priorty", "2"), "nearest: --priority"),
    (("task", "add", "a", "-x"), "unknown argument '-x'"),
    (("task", "add", "a", "-p"), "--priority needs a value"),
    (("task", "list", "--all=yes"), "--all takes no value"),
    (("task", "list", "--format", "yaml"), "must be one of table, json, quiet"),
    (("task", "close", "task-1-0000"), "Task task-1-0000 not found"),
    (("task", "show", "task-1-0000"), "Task task-1-0000 not found"),
    (("task", "add", "x" * 100_001), "too many"),
    (("memory", "add", "x" * 100_001), "too many"),
    (("memory", "add", "a", "-t", "rule"), "must be one of pattern, decision, fix, context"),
    (("memory", "add", "a", "--tags", "--> x"), "is no tag"),
    (("memory", "show", "mem-1-0000"), "Memory not found: mem-1-0000"),
    (("memory", "prime", "-t", "rule"), "must be of pattern"),
    (("skill", "load", "x"), "read the skill's file"),
    (("interact", "progress", "x"), "ralph emit human.interact"),
]


@pytest.mark.parametrize(("words", "said"), WRONG)
def test_what_is_wrong_is_named_and_changes_nothing(place: Place, words: tuple[str, ...], said: str) -> None:
    err = place.refused(*words)
    assert said in err
    assert err.startswith("ralph tools")


def test_text_may_begin_with_a_dash(place: Place) -> None:
    place.ok("task", "add", "--format", "quiet", "--", "--help me")
    place.ok("task", "add", "- a list")
    place.ok("task", "add", "-x does not work", "-d", "--", "--blocked_by=-1")
    first, second, third = place.todos()
    assert [todo["title"] for todo in (first, second, third)] == ["--help me", "- a list", "-x does not work"]
    assert (third["description"], third["blocked_by"]) == ("--", ["-1"])


def test_a_pipe_or_a_huge_file_in_place_of_the_notes_blocks_nobody(place: Place) -> None:
    place.notes.mkdir(parents=True)
    os.mkfifo(place.notes / "memories.md")
    (place.notes / "tasks.jsonl").write_bytes(b"x" * (5 << 20))
    for words, said in (
        (("memory", "list"), "this is not a file"),
        (("task", "list"), "too much"),
        (("task", "close", "x"), "too much"),
    ):
        code, out, err = place.run(*words)
        assert (code, out) == (2, "")
        assert said in err


@pytest.mark.parametrize(
    "name", ["", "task", "memory", *(name.removeprefix("tools ") for name in commands.tools())]
)
def test_every_command_has_help_with_an_example(place: Place, name: str) -> None:
    said = place.ok(*name.split(), "--help")
    assert said.startswith(f"Usage: ralph tools {name}".rstrip())
    assert f"ralph tools {name}".rstrip() in said.partition("Example")[2]
    assert place.ok(*name.split(), "-h") == said


# -- as processes --------------------------------------------------------------------------------------


def test_twenty_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each adds a todo and a memory and closes a todo of its own: real processes, and the lock is between them."""
    (tmp_path / ".git").mkdir()
    notes = tmp_path / ".ralph/agent"
    notes.mkdir(parents=True)
    lines = [f'{{"id":"task-{n}-0000","title":"{n}","status":"open"}}' for n in range(20)]
    (notes / "tasks.jsonl").write_text("broken {\n" + "\n".join(lines))
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    calls = ('task add "todo $1"', 'memory add "memory $1"', "task close task-$1-0000")
    script = " && ".join(f'"{RALPH}" tools {call}' for call in calls)
    running = [
        subprocess.Popen(["sh", "-c", script, "sh", str(n)], cwd=tmp_path, env=env, stdout=subprocess.DEVNULL)
        for n in range(20)
    ]
    assert [process.wait() for process in running] == [0] * 20
    first, *rest = (notes / "tasks.jsonl").read_text().splitlines()
    found = [json.loads(line) for line in rest]
    assert first == "broken {"
    assert {todo["title"] for todo in found if todo["status"] == "closed"} == {str(n) for n in range(20)}
    assert {todo["title"] for todo in found if todo["status"] == "open"} == {f"todo {n}" for n in range(20)}
    assert len({todo["id"] for todo in found}) == 40
    assert {m.content for m in parse((notes / "memories.md").read_text())} == {
        f"memory {n}" for n in range(20)
    }
    assert sorted(path.name for path in notes.iterdir()) == ["memories.md", "tasks.jsonl"]


def test_the_program_serves_it_before_any_framework(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    script = (
        "import sys; sys.argv = ['ralph', 'tools', *sys.argv[1:]]\n"
        "from ralph.cli.entry import main\n"
        "code = main()\n"
        "names = ('click', 'msgspec', 'yaml', 'subprocess', 'typing')\n"
        "heavy = [m for m in sys.modules if m.split('.')[0] in names]\n"
        "sys.exit(', '.join(heavy) or code)\n"
    )
    for words in (["task", "add", "x"], ["task", "ready"], ["memory", "add", "x"], ["memory", "search", "y"]):
        done = subprocess.run(
            [sys.executable, "-c", script, *words], cwd=tmp_path, capture_output=True, text=True
        )
        assert (done.returncode, done.stderr) == (0, ""), words
