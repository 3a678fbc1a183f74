"""One suite over all adapters: the real CLIs, driven by the real `ralph run`, against the scripted model."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cases
import clis
import pytest
from install import Installed

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "acceptance"))

from project import RALPH, Project, processes_with, until

from model.serve import Model
from ralph.agents import claude, gemini, opencode
from ralph.agents.adapter import Tools, Words, adapter
from ralph.core.policy import AgentPolicy

Program = Callable[[str], Installed]

SLOW = {"gemini", "opencode"}
EVERY = [pytest.param(cli, marks=pytest.mark.agents if cli in SLOW else ()) for cli in clis.STARTS]
OURS = {
    **claude.QUIET,
    **gemini.QUIET,
    **opencode.QUIET,
    "IS_SANDBOX": "1",
}  # for the adapter to set, not the test
MODELS = {
    "claude": "claude-sonnet-5-5",
    "codex": "gpt-5.4",
    "gemini": "gemini-2.5-pro",
    "opencode": f"{clis.PROVIDER}/gpt-5.4",
}
FAULTS = {
    "usage-limit": "quota",
    "429": "overload",
    "500": "overload",
    "529": "overload",
    "cut": "overload",
    "401": "credentials",
    "unknown-model": "unusable",
    "too-long": "unusable",
}
ENDS = {"quota": 9, "overload": 9, "credentials": 10, "unusable": 10}
ANSWER: tuple[dict[str, Any], ...] = (
    {"usage": cases.USAGE},
    {"say": {"text": "I write the answer."}, "write": {"path": "answer", "text": "42\n"}},
    {"bash": {"command": "echo ran >ran.txt"}},
    {"say": {"text": "All done.\n\nTASK_COMPLETE"}},
)
DONE = [{"say": {"text": "Read.\n\nTASK_COMPLETE"}}]
ODD = "--help -p \"quoted\" 'single' $HOME `id` \\n\nsecond line · é 日本 🎉\n"


class Place:
    """A user's project with a CLI of their own, logged in (with a fake key) and pointed to the scripted model."""

    def __init__(self, cli: str, installed: Installed, model: Model, root: Path) -> None:
        self.cli, self.installed, self.model = cli, installed, model
        self.project = Project(root / "project", root / "home")

    def set_up(self, steps: Any, faults: Any = (), *, cli: Any = (), loop: Any = (), **wanted: Any) -> None:
        self.model.add("work", steps, faults)
        home = Path(self.project.env["HOME"])
        start = clis.STARTS[self.cli](self.installed, clis.Wanted(self.model.base("work"), home, **wanted))
        clis.prepare(start)
        mine = ("PATH", *OURS)
        self.project.env |= {name: value for name, value in start.env.items() if name not in mine}
        self.project.env["PATH"] = f"{RALPH.parent}:{self.installed.node}:{self.project.env['PATH']}"
        # Without one, Gemini asks a router first.
        model = {"model": MODELS["gemini"]} if self.cli == "gemini" else {}
        config = {
            "cli": {"backend": self.cli, **model, "command": [str(self.installed.command)], **dict(cli)},
            "gates": [{"name": "tests", "run": "sh test.sh"}],
            "event_loop": {
                "max_iterations": 1,
                "crash_wait": 0,
                "max_wait": 0.5,
                "stop_grace": 2,
                **dict(loop),
            },
        }
        self.project.config(json.dumps(config))
        self.project.commit()

    def run(self, steps: Any = ANSWER, faults: Any = (), **more: Any) -> int:
        self.set_up(steps, faults, **more)
        self.done = self.project.ralph("run")
        return self.done.returncode

    @property
    def ended(self) -> dict[str, Any]:
        return self.project.facts("iteration.ended")[-1]

    @property
    def shown(self) -> str:
        return self.done.stdout + self.done.stderr

    def words(self, model: str = "") -> Words:
        """What the adapter's reader makes of the transcript: all of it, also what no fact carries."""
        transcript = self.project.path / ".git/ralph" / self.ended["output"]
        policy = AgentPolicy(backend=self.cli, model=model, env={"HOME": self.project.env["HOME"]})
        reader = adapter(policy).reader(policy)
        for line in transcript.read_text("utf-8").splitlines():
            reader.feed(line)
        reader.ended(self.ended["code"])
        return reader.words()


@pytest.fixture
def place(request: pytest.FixtureRequest, program: Program, model: Model, tmp_path: Path) -> Place:
    cli = request.node.callspec.params["cli"]
    return Place(cli, program(cli), model, tmp_path)


@pytest.mark.parametrize("cli", EVERY)
def test_it_does_the_work_and_its_claim_is_proven(cli: str, place: Place) -> None:
    model = MODELS[cli]
    assert place.run(cli={"model": model}, model=model.rpartition("/")[2]) == 0, place.shown
    assert (place.project.path / "answer").read_text() == "42\n"
    assert (place.project.path / "ran.txt").read_text() == "ran\n"
    ended = place.ended
    assert ended["said"] == "All done.\n\nTASK_COMPLETE" and ended["structured"]
    assert ended["usage"]["tokens"] == 3 * (161 + 7)
    assert place.project.end()["end"] == "completed-verified"
    words = place.words(model)
    assert words.session
    assert words.cost_from == ("agent" if cli == "claude" else "table")
    assert ended["usage"]["cost_usd"] == pytest.approx(words.usage.cost_usd) and words.usage.cost_usd > 0


@pytest.mark.parametrize("cli", EVERY)
def test_model_and_further_arguments_are_passed(cli: str, place: Place) -> None:
    args, seen = {
        "claude": (
            ["--append-system-prompt", "speak of blue"],
            lambda asked: "speak of blue" in asked.system,
        ),
        "codex": (
            ["-c", "model_reasoning_effort=low"],
            lambda asked: asked.body["reasoning"]["effort"] == "low",
        ),
        "gemini": (
            ["--include-directories", place.project.env["HOME"]],
            lambda asked: place.project.env["HOME"] in asked.text,
        ),
        "opencode": (
            ["--title", "Blue"],
            lambda asked: not any(a.side for a in place.model.requests(side=True)),
        ),
    }[cli]
    assert (
        place.run(DONE, cli={"model": MODELS[cli], "args": args}, model=MODELS[cli].rpartition("/")[2]) == 8
    )
    asked = place.model.requests()[0]
    assert asked.model == MODELS[cli].rpartition("/")[2]
    assert seen(asked), asked.text[:3000]


@pytest.mark.parametrize("cli", EVERY)
def test_a_prompt_of_200_kb_arrives_byte_for_byte(cli: str, place: Place) -> None:
    place.project.write(
        "PROMPT.md", ODD + "a long line of two hundred thousand characters\n" * 4256 + "the end"
    )
    assert place.run(DONE) == 8, place.shown
    prompt = place.project.prompt()
    assert len(prompt) > 200_000 and ODD.splitlines()[1] in prompt
    assert prompt.strip() in place.model.requests()[0].prompt


@pytest.mark.parametrize("cli", EVERY)
def test_a_prompt_that_begins_with_a_dash_is_no_option(cli: str, place: Place) -> None:
    """Ralph's own prompts do not; what a third party's composer does is not known."""
    place.set_up(DONE)
    model = MODELS["gemini"] if cli == "gemini" else ""
    policy = AgentPolicy(backend=cli, command=(str(place.installed.command),), model=model)
    prompt = "--version\n" + ODD
    launch = adapter(policy).launch(
        policy, prompt, Path("unused"), Tools(place.project.path.parent / "private")
    )
    start = clis.Start(launch.argv, {**place.project.env, **launch.env}, prompt)
    assert launch.stdin == prompt.encode()
    done = clis.run(start, place.project.path, 60)
    assert done.code == 0, done.stderr
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


@pytest.mark.parametrize("cli", EVERY)
def test_it_calls_each_of_ralphs_tools_and_no_command_line_tells_the_token(cli: str, place: Place) -> None:
    """Everybody on the machine can read command lines."""
    look = "cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' >lines; echo $RALPH_TOKEN >token"
    calls = [{"mcp": {"server": "ralph", "tool": name, "arguments": given}} for name, given in CALLS]
    place.set_up([{"bash": {"command": look}}, *calls, {"say": {"text": "Done."}}])
    config = json.loads((place.project.path / "ralph.yml").read_text())
    place.project.config(json.dumps({**config, "task": {"id": "t-1"}}))
    place.done = place.project.ralph("run")
    notes = place.project.path / ".ralph/agent"
    assert (notes / "scratchpad.md").exists(), place.shown + str(
        [(r.turn, r.problem, r.tools[-12:]) for r in place.model.requests()]
    )
    assert "green" in (notes / "scratchpad.md").read_text()
    assert "a todo" in (notes / "tasks.jsonl").read_text()
    assert "a memory" in (notes / "memories.md").read_text()
    proposed = [fact["how"] for fact in place.project.facts("task.proposed")]
    assert sorted(proposed) == ["add", "split"]
    assert len(place.project.facts("claim.made")) == 1
    topics = {fact["topic"] for fact in place.project.facts("event.received")}
    assert {"note.made", "human.interact"} <= topics
    assert [entry.problem for entry in place.model.requests() if entry.problem] == []
    token = (place.project.path / "token").read_text().strip()
    assert len(token) == 32 and token not in (place.project.path / "lines").read_text("utf-8", "replace")


@pytest.mark.parametrize("cli", ["claude", pytest.param("gemini", marks=pytest.mark.agents)])
def test_the_users_own_mcp_servers_are_not_started(cli: str, place: Place) -> None:
    home = Path(place.project.env["HOME"])
    touch = {"command": "/bin/sh", "args": ["-c", f"touch {home}/started; cat"]}
    place.project.write(".mcp.json", json.dumps({"mcpServers": {"theirs": touch}}))
    place.project.write(".gemini/settings.json", json.dumps({"mcpServers": {"theirs": touch}}))
    assert place.run(DONE) == 8, place.shown
    assert not (home / "started").exists()


@pytest.mark.parametrize(
    ("cli", "name"),
    [
        pytest.param(cli, name, marks=pytest.mark.agents if cli in SLOW else ())
        for cli in clis.STARTS
        for name in cases.recorded(cli)
        if name != "success" and (cli, name) != ("opencode", "too-long")  # it goes on after it
    ],
)
def test_each_fault_is_told_and_not_counted_as_work(cli: str, name: str, place: Place) -> None:
    case = cases.case(cli, name)
    code = place.run(faults=case.faults, **case.wanted)
    ended = place.ended
    assert ended.get("fault", "") == FAULTS[name], place.shown
    assert ended["fault_text"].strip()
    assert code == ENDS[FAULTS[name]], place.shown
    if name == "usage-limit" and cli in ("claude", "codex"):
        assert 3000 < ended["retry_after"] <= 3600 + 60
    if name == "too-long":
        assert "too long" in ended["fault_text"]


@pytest.mark.parametrize("cli", EVERY)
def test_a_passing_overload_is_got_over_without_a_word(cli: str, place: Place) -> None:
    assert place.run(faults=[{"name": "429", "first": 1, "retry_after": 1}]) == 0, place.shown
    assert not place.ended.get("fault")


@pytest.mark.parametrize("cli", EVERY)
@pytest.mark.parametrize("how", ["stop", "time-out"])
def test_nothing_is_left_when_it_ends_with_a_tool_busy(cli: str, how: str, place: Place) -> None:
    home = Path(place.project.env["HOME"])
    busy = {"bash": {"command": f"touch {home}/busy; python3 -c 'import time; time.sleep(300)'"}}
    # Several: Codex leaves a command alone after ten seconds and goes on.
    place.set_up([busy] * 5 + DONE, loop={"iteration_timeout": 10 if how == "time-out" else 600})
    place.project.env["RALPH_TEST_MARK"] = mark = f"mark-{os.urandom(8).hex()}"
    run = place.project.start("run")
    until(lambda: (home / "busy").exists(), "the tool is busy")
    if how == "stop":
        assert place.project.ralph("stop", "--now").returncode == 0
    run.wait(60)
    del place.project.env["RALPH_TEST_MARK"]
    assert processes_with(mark) == [], place.project.shown()
    assert place.ended["how"] == ("cut" if how == "time-out" else "interrupted")
