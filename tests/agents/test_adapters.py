"""One suite over all adapters: the real CLIs, driven by the real `ralph run`, against the scripted model. Here: their work,
their words and figures, what they are handed. How they fail is in `test_adapter_faults.py`.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cases
import clis
import pytest
from conformance import DONE, EVERY, MODELS, Place
from install import Installed
from results import shows

from model.serve import Model

ECHO = Path(__file__).with_name("echo_mcp.py")
Seen = Callable[[str, str], None]
ODD = "--help -p \"quoted\" 'single' $HOME `id` \\n\nsecond line · é 日本 🎉\n"


@pytest.fixture
def place(
    request: pytest.FixtureRequest, program: Callable[[str], Installed], model: Model, tmp_path: Path
) -> Place:
    cli = request.node.callspec.params["cli"]
    return Place(cli, program(cli), model, tmp_path)


@shows("work", "words", "tokens", "cost", "session")
@pytest.mark.parametrize("cli", EVERY)
def test_it_does_the_work_and_its_claim_is_proven(cli: str, place: Place, seen: Seen) -> None:
    model = MODELS[cli]
    assert place.run(cli={"model": model}, model=model.rpartition("/")[2]) == 0, place.shown
    assert (place.project.path / "answer").read_text() == "42\n"
    assert (place.project.path / "ran.txt").read_text() == "ran\n"
    ended = place.ended
    assert ended["said"] == "All done.\n\nTASK_COMPLETE" and ended["structured"]
    assert ended["usage"]["tokens"] == 3 * (161 + 7)
    assert place.project.end()["end"] == "completed-verified"
    words = place.words(model)
    assert words.session and ended["session"] == words.session
    listed = json.loads(place.project.ralph("logs", "--json").stdout)
    assert [x["session"] for x in listed if x["what"] == "iteration"] == [words.session]
    assert words.cost_from == ("agent" if cli == "claude" else "table")
    assert ended["usage"]["cost_usd"] == pytest.approx(words.usage.cost_usd) and words.usage.cost_usd > 0
    seen("cost", "its own" if words.cost_from == "agent" else "by the table")


@shows("continued")
@pytest.mark.parametrize("cli", EVERY)
def test_the_figures_of_a_continued_session_are_of_all_of_it_or_of_this_run(
    cli: str, place: Place, seen: Seen
) -> None:
    """Ralph continues no session; a user may ask for it."""
    again = {
        "claude": ("--continue",),
        "codex": ("resume", "--last"),
        "gemini": ("--resume", "latest"),
        "opencode": ("--continue",),
    }
    place.set_up([{"usage": cases.USAGE}, *DONE])
    spent = [place.alone("Read.", args).usage.tokens for args in ((), again[cli])]
    assert spent == [168, 336 if cli in ("claude", "codex") else 168]
    seen("continued", "of the whole session" if spent[1] > spent[0] else "of this run")


@shows("arguments")
@pytest.mark.parametrize("cli", EVERY)
def test_model_and_further_arguments_are_passed(cli: str, place: Place) -> None:
    home = str(place.home)
    args: dict[str, list[str]] = {
        "claude": ["--append-system-prompt", "speak of blue"],
        "codex": ["-c", "model_reasoning_effort=low"],
        "gemini": ["--include-directories", home],
        "opencode": ["--title", "Blue"],
    }
    model = MODELS[cli].rpartition("/")[2]
    assert place.run(DONE, cli={"model": MODELS[cli], "args": args[cli]}, model=model) == 8
    asked = place.model.requests()[0]
    assert asked.model == model
    match cli:
        case "claude":
            assert "speak of blue" in asked.system
        case "codex":
            assert asked.body["reasoning"]["effort"] == "low"
        case "gemini":
            assert home in asked.text
        case "opencode":  # with a title given, it asks for none
            assert not any(request.side for request in place.model.requests(side=True))


@shows("large")
@pytest.mark.parametrize("cli", EVERY)
def test_a_prompt_of_200_kb_arrives_byte_for_byte(cli: str, place: Place) -> None:
    text = ODD + "a long line of two hundred thousand characters\n" * 4256 + "the end"
    place.project.write("PROMPT.md", text)
    assert place.run(DONE) == 8, place.shown
    prompt = place.project.prompt()
    assert len(prompt) > 200_000 and ODD.splitlines()[1] in prompt
    assert prompt.strip() in place.model.requests()[0].prompt


@shows("dash")
@pytest.mark.parametrize("cli", EVERY)
def test_a_prompt_that_begins_with_a_dash_is_no_option(cli: str, place: Place) -> None:
    """Ralph's own prompts do not; what a third party's composer does is not known."""
    place.set_up(DONE)
    prompt = "--version\n" + ODD
    place.alone(prompt)
    assert prompt.strip() in place.model.requests()[0].prompt


CALLS: list[tuple[str, dict[str, Any]]] = [
    ("write_scratchpad", {"done": "all", "testStatus": "green", "nextStep": "nothing", "blockers": "none"}),
    ("add_todo", {"title": "a todo"}),
    ("add_memory", {"content": "a memory"}),
    ("search_memories", {"query": "memory"}),
    ("list_tasks", {}),
    ("add_task", {"title": "a task"}),
    ("split_task", {"taskId": "t-1", "tasks": [{"title": "a part"}, {"title": "another"}]}),
    ("emit_event", {"topic": "note.made", "payload": "noted"}),
    (
        "ralph-complete",
        {"taskId": "t-1", "summary": "the answer is there", "promiseEvidence": "test.sh: exit code 0"},
    ),
    ("ask_human", {"question": "Is it blue?"}),
]


@shows("tools")
@pytest.mark.parametrize("cli", EVERY)
def test_it_calls_each_of_ralphs_tools_and_no_command_line_tells_the_token(
    cli: str, place: Place, seen: Seen
) -> None:
    """Everybody on the machine can read command lines."""
    from ralph.agent_tools.mcp_tools import TOOLS

    assert {name for name, _ in CALLS} == set(TOOLS)
    look = "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' >lines; echo $RALPH_TOKEN >token"
    calls = [{"mcp": {"server": "ralph", "tool": name, "arguments": given}} for name, given in CALLS]
    place.set_up([{"bash": {"command": look}}, *calls, {"say": {"text": "Done."}}])
    config = json.loads((place.project.path / "ralph.yml").read_text())
    place.project.config(json.dumps({**config, "task": {"id": "t-1"}}))
    place.start()
    notes = place.project.path / ".ralph/agent"
    asked = place.model.requests()
    assert [request.problem for request in asked if request.problem] == [], place.shown
    assert "green" in (notes / "scratchpad.md").read_text()
    assert "a todo" in (notes / "tasks.jsonl").read_text()
    assert "a memory" in (notes / "memories.md").read_text()
    proposed = [fact["how"] for fact in place.project.facts("task.proposed")]
    assert sorted(proposed) == ["add", "split"]
    assert len(place.project.facts("claim.made")) == 1
    topics = {fact["topic"] for fact in place.project.facts("event.received")}
    assert {"note.made", "human.interact"} <= topics
    # The two that only read: what they answer is a part of the conversation.
    (memory,) = re.findall(r"mem-[\w-]+", (notes / "memories.md").read_text())
    assert re.search(rf"{memory} \(pattern", asked[-1].text)
    assert "Current task: t-1" in asked[-1].text
    token = (place.project.path / "token").read_text().strip()
    assert len(token) == 32 and token not in (place.project.path / "lines").read_text("utf-8", "replace")
    seen("tools", f"{len(CALLS)} of {len(TOOLS)}")


@pytest.fixture
def own(cli: str, place: Place) -> Path:
    """A mark that an MCP server of the user's leaves when it is started. For Claude it is in the project, too."""
    mark = place.home / "started"
    script = f"touch {mark}; exec {sys.executable} {ECHO}"
    entry = {"command": "/bin/sh", "args": ["-c", script], "env": {"NOTES": str(place.home / "notes")}}
    text = json.dumps({"mcpServers": {"theirs": entry}})
    (place.home / "servers.json").write_text(text)
    if cli == "claude":
        (place.home / ".claude.json").write_text(text)
        place.project.write(".mcp.json", text)
    server = clis.Server("/bin/sh", ("-c", script), {"NOTES": str(place.home / "notes")})
    place.set_up(DONE, mcp={"theirs": server})
    return mark


@shows("servers")
@pytest.mark.parametrize("cli", EVERY)
def test_the_users_own_mcp_servers_are_not_started(cli: str, place: Place, own: Path, seen: Seen) -> None:
    assert place.start() == 8, place.shown
    assert not own.exists()
    seen("servers", "not started")


@shows("asked")
@pytest.mark.parametrize("cli", EVERY)
def test_the_users_own_mcp_servers_are_started_when_asked_for(
    cli: str, place: Place, own: Path, seen: Seen
) -> None:
    config = json.loads((place.project.path / "ralph.yml").read_text())
    on = json.dumps({"mcp": {"theirs": {"enabled": True}}})
    config["cli"] |= {
        "claude": {"args": ["--mcp-config", str(place.home / "servers.json")]},
        "codex": {"args": ["-c", "mcp_servers.theirs.enabled=true"]},
        "gemini": {"args": ["--allowed-mcp-server-names", "theirs"]},
        "opencode": {"env": {"OPENCODE_CONFIG_CONTENT": on}},
    }[cli]
    place.project.config(json.dumps(config))
    place.project.commit()
    assert place.start() == 8, place.shown
    assert own.exists()
    how = {
        "claude": "`args: [--mcp-config, FILE]`",
        "codex": "`args: [-c, mcp_servers.NAME.enabled=true]`",
        "gemini": "`args: [--allowed-mcp-server-names, NAME]`",
        "opencode": "`env: {OPENCODE_CONFIG_CONTENT: ...}`",
    }
    seen("asked", how[cli])
