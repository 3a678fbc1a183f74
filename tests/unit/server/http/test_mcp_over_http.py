"""The tools at /mcp, called by the official client."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from mcp_over_http import call, names
from serving import Served

pytest.importorskip("mcp.client.client", reason="needs the package `mcp`")


def claimed(served: Served, label: str) -> dict[str, Any]:
    body = {"offer": {"worker": "w", "labels": [label]}, "key": str(uuid.uuid4())}
    return served.ask("POST", "/api/claims", body).json["task"]  # type: ignore[no-any-return]


def run_token(served: Served, task: dict[str, Any]) -> str:
    path = f"/api/tasks/{task['id']}/run-token?epoch={task['epoch']}&worker=w"
    return str(served.ask("POST", path).json["token"])


def test_a_task_is_sent_found_looked_at_and_cancelled(served: Served) -> None:
    wrong, said = call(served, "send-task", {"task": "Do a thing", "ralphPromise": "it is done"})
    assert not wrong, said
    id = json.loads(said)["id"]
    assert json.loads(call(served, "get-tasks", {"search": "do a thing"})[1])["tasks"][0]["id"] == id
    assert json.loads(call(served, "get-task-details", {"taskId": id})[1])["ralphPromise"] == "it is done"
    progress = json.loads(call(served, "task-progress", {"taskId": id})[1])
    assert (progress["status"], progress["ralphMaxIterations"]) == ("pending", 50)
    assert json.loads(call(served, "cancel-task", {"taskId": id})[1])["status"] == "cancelled"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"task": "x"}, "ralphPromise: "),
        ({"task": "x", "ralphPromise": "y", "ralphMaxIterations": 101}, "ralphMaxIterations: "),
        ({"task": "x", "ralphPromise": "y", "taskType": "t" * 51}, "taskType: "),
        ({"task": "x", "ralphPromise": "y", "prompt": "z"}, "prompt: "),
    ],
)
def test_a_task_that_is_wrong_is_not_sent_and_the_field_is_named(
    served: Served, arguments: dict[str, Any], words: str
) -> None:
    wrong, said = call(served, "send-task", arguments)
    assert wrong
    assert said.startswith(words)


def test_completion_is_a_claim_that_reaches_the_worker(served: Served) -> None:
    call(served, "send-task", {"task": "x", "ralphPromise": "y", "labels": ["mcp"]})
    task = claimed(served, "mcp")
    secret = run_token(served, task)
    said = {
        "taskId": task["id"],
        "summary": "all of it is done",
        "promiseEvidence": "make test passes",
        "artifactPaths": ["a.py"],
    }
    wrong, told = call(served, "ralph-complete", said, secret)
    assert not wrong, told
    assert told.startswith("Claimed; the gates decide.")
    assert served.ask("GET", f"/api/tasks/{task['id']}").json["status"] == "in_progress", (
        "no more than a claim"
    )
    beat = {"epoch": task["epoch"], "worker": "w"}
    heard = served.ask("POST", f"/api/tasks/{task['id']}/heartbeat", beat).json["messages"]
    assert [message["kind"] for message in heard] == ["complete"]
    del said["taskId"]
    assert json.loads(heard[0]["body"]) == said


def test_only_who_works_on_a_ralph_task_may_claim_it(served: Served) -> None:
    done = {"summary": "all of it is done", "promiseEvidence": "make test passes"}
    other = json.loads(call(served, "send-task", {"task": "x", "taskType": "chore", "labels": ["m2"]})[1])[
        "id"
    ]
    assert call(served, "ralph-complete", {"taskId": other, **done})[1].startswith(
        f"{other} is no ralph task"
    )
    free = json.loads(call(served, "send-task", {"task": "x", "ralphPromise": "y", "labels": ["m3"]})[1])[
        "id"
    ]
    assert (
        call(served, "ralph-complete", {"taskId": free, **done})[1]
        == f"no one works on {free}: it is pending"
    )
    secret = run_token(served, claimed(served, "m3"))
    assert call(served, "ralph-complete", {"taskId": other, **done}, secret) == (
        True,
        f"there is no task {other}",
    )
    short = call(served, "ralph-complete", {"taskId": free, **done, "summary": "done"}, secret)
    assert short[0]
    assert short[1].startswith("summary: ")
    served.ask("POST", f"/api/tasks/{free}/cancel")
    assert served.ask("GET", f"/api/tasks/{free}", token=secret).status == 401, "it died with the claim"


def test_a_token_sees_the_tools_it_may_call(served: Served) -> None:
    assert len(names(served, served.token)) == 7
    reader = served.ask("POST", "/api/tokens", {"name": "r", "role": "read"}).json["secret"]
    assert names(served, reader) == {"get-tasks", "get-task-details", "task-progress"}
    assert call(served, "send-task", {"task": "x", "ralphPromise": "y"}, reader) == (
        True,
        "a read token may not do this",
    )


def test_without_a_token_nothing_is_told(served: Served) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answer = served.ask("POST", "/mcp", body, token="", Accept="application/json, text/event-stream")
    assert answer.status == 401


def test_an_answer_reaches_a_task_that_is_blocked_on_a_person(served: Served) -> None:
    id = json.loads(call(served, "send-task", {"task": "x", "ralphPromise": "y"})[1])["id"]
    assert not call(served, "answer-task", {"taskId": id, "answer": "the left one"})[0]
    messages = served.ask("GET", f"/api/tasks/{id}/messages").json["messages"]
    assert [(one["kind"], one["body"], one["author"]) for one in messages] == [
        ("answer", "the left one", "admin")
    ]
