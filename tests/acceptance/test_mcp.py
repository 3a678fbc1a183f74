"""The tools that an agent is handed, inside a real run: what it says by them reaches the loop, and nothing more."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import pytest
from project import RALPH, Project, contents

PAD = {"done": "looked", "testStatus": "red", "nextStep": "write the answer", "blockers": "none"}
CLAIM = {"summary": "wrote the answer", "promiseEvidence": "sh test.sh: exit code 0"}
# An agent's side of the pipes: opens, waits for each answer before it goes on, prints what tools say to standard error.
TALK = """\
import json, os, subprocess, sys
server = subprocess.Popen(["ralph", "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(method, **params):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\\n")
    server.stdin.flush()
    return json.loads(server.stdout.readline())["result"]
ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "agent", "version": "1"})
for name, arguments in json.loads(sys.argv[1]):
    if arguments.get("taskId") == "mine":
        arguments["taskId"] = os.environ["RALPH_TASK"]
    result = ask("tools/call", name=name, arguments=arguments)
    print(result["isError"], result["content"][0]["text"], file=sys.stderr)
server.stdin.close()
sys.exit(server.wait())
"""


@pytest.fixture
def talking(project: Project) -> Project:
    project.write("talk.py", TALK)
    project.commit()
    return project


def calls(*wanted: tuple[str, dict[str, Any]]) -> str:
    """A line of shell that calls these tools, one after the other."""
    return f"python3 talk.py '{json.dumps(wanted)}'"


def claim(**more: Any) -> tuple[str, dict[str, Any]]:
    return "ralph-complete", {"taskId": "mine", **CLAIM, **more}


def test_a_claim_by_the_tool_is_put_to_the_gates_and_proven(talking: Project) -> None:
    """Two iterations: notes by the first reach the second, whose claim needs no word in its output."""
    first = calls(("write_scratchpad", PAD), ("add_memory", {"content": "the answer is 42"}))
    second = calls(("search_memories", {"query": "answer"}), claim(artifactPaths=["answer"]))
    talking.agent(
        f"if [ $RALPH_ITERATION = 1 ]; then {first} && echo ITERATION_DONE\n"
        f"else echo 42 > answer; {second} && echo Done.; fi"
    )
    talking.commit()
    done = talking.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    end = talking.end()
    assert (end["end"], end["proof"]) == ("completed-verified", {"tests": "red→green"})
    (made,) = talking.facts("claim.made")
    assert (made["serial"], made["summary"], made["artifacts"]) == (2, CLAIM["summary"], ["answer"])
    assert made["evidence"] == CLAIM["promiseEvidence"]
    assert "# Iteration 1 Scratchpad" in talking.prompt()
    assert "write the answer" in talking.prompt()
    assert "the answer is 42" in talking.ralph("logs", "2").stdout
    assert talking.facts("inbox.refused") == []


def test_a_claim_by_the_tool_completes_nothing_by_itself(talking: Project) -> None:
    talking.agent(f"echo 41 > answer; {calls(claim())}; echo Done.")
    talking.commit()
    done = talking.ralph("run", "--max-iterations", "1")
    assert done.returncode == 8, done.stdout
    assert [gate["passed"] for gate in talking.facts("gate.ended") if gate["purpose"] == "claim"][:1] == [
        False
    ]


def test_a_question_by_the_tool_ends_the_loop_as_blocked(talking: Project) -> None:
    talking.agent(f"{calls(('ask_human', {'question': 'Which database?'}))}; echo ITERATION_DONE")
    talking.commit()
    done = talking.ralph("run")
    assert done.returncode == 5, done.stdout
    assert talking.end()["reason"] == "Which database?"


def test_events_and_proposed_tasks_become_facts_of_their_iteration(talking: Project) -> None:
    said = calls(
        ("emit_event", {"topic": "build.done", "payload": "green"}),
        ("add_task", {"title": "Fix the docs", "criteria": ["no dead links"]}),
        ("split_task", {"taskId": "mine", "tasks": [{"title": "One"}, {"title": "Two"}]}),
        ("add_todo", {"title": "look again"}),
    )
    talking.agent(f"echo 42 > answer; {said}; echo TASK_COMPLETE")
    talking.commit()
    assert talking.ralph("run").returncode == 0
    task = talking.facts("loop.started")[-1]["task"]["id"]
    (event,) = talking.facts("event.received")
    assert (event["topic"], event["payload"], event["serial"]) == ("build.done", "green", 1)
    added, split = talking.facts("task.proposed")
    assert added["tasks"] == [{"id": "fix-the-docs", "title": "Fix the docs", "criteria": ["no dead links"]}]
    assert (split["how"], split["parent"]) == ("split", task)
    assert [child["id"] for child in split["tasks"]] == [f"{task}.1", f"{task}.2"]
    assert '"title":"look again"' in (talking.path / ".ralph/agent/tasks.jsonl").read_text()
    assert ".ralph" not in talking.git("ls-tree", "-r", "--name-only", talking.end()["tree"])


def test_a_gate_and_a_reviewer_can_neither_claim_nor_tell(talking: Project) -> None:
    """A reviewer has an iteration's number but no token; a claim of theirs would outlive the one they judge."""
    said = calls(claim(), ("emit_event", {"topic": "x"}), ("write_scratchpad", PAD))
    talking.write("review.sh", f"#!/bin/sh\ncat > /dev/null\n{said}\necho PASS\n", executable=True)
    talking.write("test.sh", f"{said}\ntest -e answer\n")
    talking.config(
        "cli: {command: ./agent.sh}\ngates:\n- {name: tests, run: sh test.sh}\n"
        "- {name: look, review: spec, agent: {command: ./review.sh}}\n"
    )
    talking.commit()
    done = talking.ralph("run")
    assert done.returncode == 0, done.stdout + done.stderr
    for kind in ("claim.made", "event.received", "inbox.refused"):
        assert talking.facts(kind) == []
    printed = "".join(talking.ralph("logs", "1", "--gate", gate).stdout for gate in ("tests", "look"))
    assert printed.count("no iteration runs here") >= 6, printed


def test_outside_an_iteration_the_tools_are_listed_and_nothing_is_written(talking: Project) -> None:
    before = contents(talking.path)
    lines = [
        {"method": "tools/list"},
        {"method": "tools/call", "params": {"name": "ralph-complete", "arguments": {"taskId": "x", **CLAIM}}},
        {"method": "tools/call", "params": {"name": "add_memory", "arguments": {"content": "x"}}},
    ]
    said = "".join(json.dumps({"jsonrpc": "2.0", "id": n} | line) + "\n" for n, line in enumerate(lines))
    done = subprocess.run(
        [RALPH, "mcp"], input=said, cwd=talking.path, env=talking.env, capture_output=True, text=True
    )
    listed, *refused = [json.loads(line)["result"] for line in done.stdout.splitlines()]
    assert (done.returncode, done.stderr, len(listed["tools"])) == (0, "", 10)
    for result in refused:
        assert result["isError"]
        assert "no iteration runs here" in result["content"][0]["text"]
    assert contents(talking.path) == before


def test_what_an_iteration_left_running_cannot_claim_for_the_next(talking: Project) -> None:
    """Its token is stale. Here a file that keeps the environment stands for whatever might outlive its iteration."""
    talking.agent(
        "if [ $RALPH_ITERATION = 1 ]; then mkdir -p .ralph; env | grep ^RALPH_ > .ralph/env; echo 1 > step; echo ITERATION_DONE\n"
        f"else echo 42 > answer; env $(cat .ralph/env) {calls(claim())}; echo working; fi"
    )
    talking.commit()
    done = talking.ralph("run", "--max-iterations", "2")
    assert done.returncode == 8, done.stdout
    assert talking.facts("claim.made") == []
    assert [fact["why"] for fact in talking.facts("inbox.refused")] == ["from an iteration that is over"]
