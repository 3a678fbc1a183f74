"""Diagnostics: four files of JSON lines and a log, made from facts and from what the agent prints."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.hats.model import Hat, Team
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy, Task
from ralph.terminal.diagnostics import LOGS_KEPT, Diagnostics

WHEN = datetime(2026, 2, 17, 10, 0, 5, tzinfo=UTC)
TEAM = Team(hats=(Hat("builder", triggers=("task.start",), publishes=("build.done",)),))


class Told:
    def __init__(self, folder: Path, team: Team | None = TEAM, loop: str = "l") -> None:
        self.folder = folder
        self.diagnostics = Diagnostics(folder, WHEN)
        self.state = LoopState()
        policy = Policy(agent=AgentPolicy(), team=team)
        self.tell(f.LoopStarted(loop=loop, task=Task("t", "x"), policy=policy, root="/r"))

    def tell(self, *facts: f.AnyFact) -> Told:
        for fact in facts:
            self.state = fold(self.state, fact)
            self.diagnostics.fact(fact, self.state)
        return self

    def read(self, name: str) -> list[dict[str, Any]]:
        path = self.folder / ".ralph/diagnostics/2026-02-17T10-00-05" / f"{name}.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()]


def started(serial: int = 1) -> f.IterationStarted:
    return f.IterationStarted(
        serial=serial, n=serial, prompt="p", prompt_chars=1, tree="t", hat="builder", hat_why="why"
    )


def ended(serial: int = 1, said: str = "") -> f.IterationEnded:
    return f.IterationEnded(
        serial=serial,
        n=serial,
        how="exited",
        code=0,
        seconds=1.5,
        tree="t2",
        said=said,
        structured=True,
        usage=f.Usage(tokens=7, cost_usd=0.5),
    )


def test_facts_become_orchestration_performance_and_trace(tmp_path: Path) -> None:
    told = Told(tmp_path).tell(started(), ended(said='<event topic="build.done">x</event>'))
    told.tell(f.LoopEnded(end="stuck", reason="because", code=4))
    events = [entry["event"] for entry in told.read("orchestration")]
    assert [event["type"] for event in events] == [
        "event_published",
        "iteration_started",
        "hat_selected",
        "event_published",
        "loop_terminated",
    ]
    assert events[2] == {"type": "hat_selected", "hat": "builder", "reason": "why"}
    assert (events[3]["topic"], events[3]["payload"], events[3]["from"]) == ("build.done", "x", "builder")
    assert events[4]["reason"] == "stuck"
    metrics = {entry["metric"]["type"]: entry["metric"] for entry in told.read("performance")}
    assert metrics["iteration_duration"]["duration_ms"] == 1500
    assert metrics["token_count"] == {"type": "token_count", "tokens": 7, "cost_usd": 0.5}
    trace = told.read("trace")
    assert [entry["target"] for entry in trace][:3] == [
        "ralph::loop.started",
        "ralph::iteration.started",
        "ralph::iteration.ended",
    ]
    assert (trace[1]["iteration"], trace[1]["hat"], trace[1]["loop"]) == (1, "builder", "l")


def test_what_an_agent_prints_is_told_apart(tmp_path: Path) -> None:
    told = Told(tmp_path).tell(started())
    blocks = [
        {"type": "text", "text": "hello"},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
    ]
    told.diagnostics.heard("agent", json.dumps({"type": "assistant", "message": {"content": blocks}}), "t")
    result = [{"type": "tool_result", "tool_use_id": "t1", "content": "a.py"}]
    told.diagnostics.heard("agent", json.dumps({"type": "user", "message": {"content": result}}), "t")
    told.diagnostics.heard("agent", "plain \x1b[31mwords", "t")
    told.diagnostics.heard("gate tests", "not the agent's", "t")
    told.tell(ended())
    entries = told.read("agent-output")
    assert [entry["type"] for entry in entries] == ["text", "tool_call", "tool_result", "text", "complete"]
    assert (entries[1]["name"], entries[1]["id"], entries[1]["input"]) == ("Bash", "t1", {"command": "ls"})
    assert (entries[2]["id"], entries[2]["output"]) == ("t1", "a.py")
    assert {(entry["iteration"], entry["hat"]) for entry in entries} == {(1, "builder")}


def test_a_line_of_one_of_several_agents_is_put_down_to_its_own(tmp_path: Path) -> None:
    told = Told(tmp_path).tell(started())
    other = fold(
        LoopState(), f.LoopStarted(loop="m", task=Task("u", "y"), policy=Policy(AgentPolicy()), root="/")
    )
    second = started(2)
    told.diagnostics.fact(second, fold(other, second))
    told.diagnostics.heard("agent", "mine", "u")
    told.diagnostics.heard("agent", "whose?", "v")
    assert [entry["iteration"] for entry in told.read("agent-output")] == [2, 0]


def test_thoughts_are_no_text_and_empty_results_are_recorded(tmp_path: Path) -> None:
    told = Told(tmp_path).tell(started())
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}},
    ]
    told.diagnostics.heard("agent", json.dumps({"type": "assistant", "message": {"content": blocks}}), "t")
    empty = [{"type": "tool_result", "tool_use_id": "t1", "content": "", "is_error": True}]
    told.diagnostics.heard("agent", json.dumps({"type": "user", "message": {"content": empty}}), "t")
    part = {"type": "message", "role": "assistant", "content": "half", "delta": True}
    told.diagnostics.heard("agent", json.dumps(part), "t")
    told.tell(ended())
    entries = told.read("agent-output")
    assert [entry["type"] for entry in entries] == [
        "thinking",
        "tool_call",
        "tool_result",
        "text",
        "complete",
    ]
    assert (entries[2]["name"], entries[2]["output"], entries[2]["ok"]) == ("Bash", "", False)
    assert entries[3]["text"] == "half"


def test_two_runs_within_a_second_have_folders_of_their_own_and_old_logs_go(tmp_path: Path) -> None:
    for _ in range(LOGS_KEPT + 3):
        one = Diagnostics(tmp_path, WHEN)
        one.say(["a line"])
        one.close()
    places = [path.name for path in (tmp_path / ".ralph/diagnostics").iterdir() if path.name != "logs"]
    assert len(places) == LOGS_KEPT + 3
    logs = list((tmp_path / ".ralph/diagnostics/logs").iterdir())
    assert len(logs) == LOGS_KEPT and all("a line" in log.read_text() for log in logs)


def test_what_cannot_be_written_is_said_once_and_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / ".ralph").write_text("a file in the way")
    told = Told(tmp_path).tell(started())
    told.diagnostics.heard("agent", "x", "t")
    told.diagnostics.say(["y"])
    assert "the run continues without them" in told.diagnostics.trouble
