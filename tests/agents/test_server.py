"""The scripted model by itself: what it answers, what it refuses, what it writes down."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from model import log
from model.script import BadScenario
from model.serve import Model

SERVE = Path(__file__).resolve().parents[1] / "model" / "serve.py"
WORK = [{"write": {"path": "a", "text": "x\n"}}, {"say": {"text": "The end."}}]
KEY = "a-secret-key"

CLAUDE_TOOL = {"name": "Write", "input_schema": {"properties": {"file_path": {}, "content": {}}}}
CHAT_TOOL = {
    "type": "function",
    "function": {"name": "write", "parameters": {"properties": {"filePath": {}}}},
}
# Per wire: path, first request, a tool's result to append, and where the final words are.
FIRST: dict[str, tuple[str, dict[str, Any]]] = {
    "anthropic": (
        "/v1/messages",
        {"model": "m", "tools": [CLAUDE_TOOL], "messages": [{"role": "user", "content": "Go."}]},
    ),
    "responses": (
        "/v1/responses",
        {"model": "m", "tools": [{"type": "function", "name": "exec_command"}], "input": "Go."},
    ),
    "chat": (
        "/v1/chat/completions",
        {"model": "m", "tools": [CHAT_TOOL], "messages": [{"role": "user", "content": "Go."}]},
    ),
    "gemini": (
        "/v1beta/models/m:generateContent",
        {
            "tools": [{"functionDeclarations": [{"name": "write_file"}]}],
            "contents": [{"role": "user", "parts": [{"text": "Go."}]}],
        },
    ),
}


def post(url: str, body: Any, **headers: str) -> tuple[int, Any, dict[str, str]]:
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers}
    )
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, answer.read().decode(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), {k.lower(): v for k, v in error.headers.items()}


def with_result(wire: str, body: dict[str, Any]) -> dict[str, Any]:
    more: dict[str, Any] = {
        "anthropic": [
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "ok"}]}
        ],
        "responses": [{"type": "function_call_output", "call_id": "1", "output": "ok"}],
        "chat": [{"role": "tool", "tool_call_id": "1", "content": "ok"}],
        "gemini": [{"role": "user", "parts": [{"functionResponse": {"name": "write_file"}}]}],
    }
    key = {"responses": "input", "gemini": "contents"}.get(wire, "messages")
    before = body[key] if isinstance(body[key], list) else [{"role": "user", "content": body[key]}]
    return body | {key: before + more[wire]}


@pytest.mark.parametrize("wire", FIRST)
def test_each_wire_calls_the_tool_on_offer_then_ends_with_words(model: Model, wire: str) -> None:
    model.add("work", WORK)
    path, body = FIRST[wire]
    _, first, _ = post(model.base("work") + path, body)
    offered = {"anthropic": "Write", "responses": "exec_command", "chat": "write", "gemini": "write_file"}
    assert f'"name": "{offered[wire]}"' in first
    _, last, _ = post(model.base("work") + path, with_result(wire, body))
    assert "The end." in last
    assert [(r.wire, r.turn, r.prompt.strip()) for r in model.requests()] == [
        (wire, 0, "Go."),
        (wire, 1, "Go."),
    ]


@pytest.mark.parametrize("wire", FIRST)
def test_a_stream_carries_the_same_words_as_the_whole_answer(model: Model, wire: str) -> None:
    model.add("work", [{"say": {"text": "One two three."}}])
    path, body = FIRST[wire]
    path = path.replace(":generateContent", ":streamGenerateContent?alt=sse")
    _, text, headers = post(model.base("work") + path, body | ({} if wire == "gemini" else {"stream": True}))
    assert headers["Content-Type"] == "text/event-stream"
    events = [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: {")]
    pieces = [word for event in events for word in deltas(wire, json.loads(event))]
    assert "".join(pieces) == "One two three." and len(pieces) >= 2


def deltas(wire: str, event: dict[str, Any]) -> list[str]:
    match wire:
        case "anthropic":
            return [event["delta"]["text"]] if event["type"] == "content_block_delta" else []
        case "responses":
            return [event["delta"]] if event["type"] == "response.output_text.delta" else []
        case "chat":
            return [
                choice["delta"]["content"] for choice in event["choices"] if choice["delta"].get("content")
            ]
    return [part["text"] for part in event["candidates"][0]["content"]["parts"] if part["text"]]


def test_a_repeated_request_gets_the_same_turn(model: Model) -> None:
    model.add("work", WORK)
    path, body = FIRST["anthropic"]
    answers = {post(model.base("work") + path, body)[1] for _ in range(3)}
    assert len(answers) == 1


def test_words_that_were_not_the_end_are_followed_by_the_next_step(model: Model) -> None:
    model.add("work", [{"say": {"text": "Not yet."}}, {"say": {"text": "Now."}}])
    path, body = FIRST["anthropic"]
    more = [{"role": "assistant", "content": "Not yet."}, {"role": "user", "content": "Go on."}]
    assert "Now." in post(model.base("work") + path, body | {"messages": body["messages"] + more})[1]


def test_a_request_without_tools_is_a_side_call_and_meets_no_fault_but_one_that_is_meant_for_it(
    model: Model,
) -> None:
    model.add("work", WORK, [{"name": "500"}])
    path, body = FIRST["chat"]
    status, text, _ = post(model.base("work") + path, body | {"tools": []})
    assert status == 200 and "Scripted work" in text
    assert model.requests() == [] and model.requests(side=True)[0].side
    model.add("work", WORK, [{"name": "500", "side": True}])
    assert post(model.base("work") + path, body | {"tools": []})[0] == 500


def test_a_fault_lasts_for_the_first_requests_of_each_run(model: Model) -> None:
    model.add("work", WORK, [{"name": "429", "first": 2, "retry_after": 7}])
    path, body = FIRST["anthropic"]
    answers = [post(model.base("work", "a") + path, body) for _ in range(3)]
    assert [status for status, _, _ in answers] == [429, 429, 200]
    assert answers[0][2]["retry-after"] == "7"
    assert post(model.base("work", "b") + path, body)[0] == 429


def test_a_fault_can_wait_for_its_turn(model: Model) -> None:
    model.add("work", WORK, [{"name": "529", "turn": 1}])
    path, body = FIRST["anthropic"]
    assert post(model.base("work") + path, body)[0] == 200
    assert post(model.base("work") + path, with_result("anthropic", body))[0] == 529


@pytest.mark.parametrize(
    ("wire", "fault", "status", "says"),
    [
        ("anthropic", "usage-limit", 429, "rate_limit_error"),
        ("responses", "usage-limit", 429, "usage_limit_reached"),
        ("chat", "usage-limit", 429, "insufficient_quota"),
        ("gemini", "usage-limit", 429, "QuotaFailure"),
        ("anthropic", "401", 401, "authentication_error"),
        ("gemini", "401", 401, "UNAUTHENTICATED"),
        ("chat", "too-long", 400, "context_length_exceeded"),
        ("anthropic", "too-long", 400, "prompt is too long"),
        ("gemini", "unknown-model", 404, "models/m is not found"),
        ("responses", "unknown-model", 404, "`m` does not exist"),
    ],
)
def test_faults_speak_as_their_provider_does(
    model: Model, wire: str, fault: str, status: int, says: str
) -> None:
    model.add("work", WORK, [{"name": fault, "resets_in": 600}])
    path, body = FIRST[wire]
    answered, text, headers = post(model.base("work") + path, body)
    assert answered == status and says in text
    if (wire, fault) == ("anthropic", "usage-limit"):
        assert headers["anthropic-ratelimit-unified-status"] == "rejected"
        assert 0 < int(headers["anthropic-ratelimit-unified-reset"]) - time.time() <= 600


@pytest.mark.parametrize("stream", [True, False])
def test_a_cut_answer_ends_in_the_middle(model: Model, stream: bool) -> None:
    model.add("work", WORK, [{"name": "cut"}])
    path, body = FIRST["anthropic"]
    with pytest.raises(http.client.IncompleteRead):
        post(model.base("work") + path, body | {"stream": stream})


def test_a_hanging_request_ends_with_the_server(tmp_path: Path) -> None:
    with Model(tmp_path / "log") as model:
        model.add("work", WORK, [{"name": "hang"}])
        path, body = FIRST["anthropic"]
        connection = http.client.HTTPConnection(model.url.removeprefix("http://"), timeout=20)
        connection.request("POST", f"/s/work/0{path}", json.dumps(body))
        until = time.monotonic() + 20
        while not model.requests() and time.monotonic() < until:
            time.sleep(0.02)
        connection.sock.settimeout(0.3)
        with pytest.raises(socket.timeout):
            connection.sock.recv(1)
    connection.sock.settimeout(20)
    assert connection.sock.recv(1) == b""


@pytest.mark.parametrize(
    ("steps", "faults", "says"),
    [
        ([{"wrte": {}}], [], r"steps\[0\]: unknown wrte; known: say, think, usage, write"),
        ([{"write": {"path": "a"}}], [], r"steps\[0\]\.write: needs text"),
        ([{"write": {"path": "a", "text": ""}, "bash": {"command": "b"}}], [], "one tool a step"),
        ([{"mcp": {"server": "a"}}], [], "needs tool"),
        ([{"usage": {"tokens": 1}}], [], "unknown tokens"),
        ([], [{"name": "430"}], "unknown fault '430'; known: 429, usage-limit"),
    ],
)
def test_a_bad_scenario_is_refused_and_the_place_named(
    model: Model, steps: list[Any], faults: list[Any], says: str
) -> None:
    with pytest.raises(BadScenario, match=says):
        model.add("bad", steps, faults)


def test_an_unknown_scenario_is_named(model: Model) -> None:
    path, body = FIRST["anthropic"]
    status, text, _ = post(model.base("nowhere") + path, body)
    assert status == 404 and "no scenario of this name" in text


def test_a_step_without_a_fitting_tool_is_an_error_that_names_the_tools(model: Model) -> None:
    model.add("work", [{"mcp": {"tool": "ask_human"}}])
    path, body = FIRST["anthropic"]
    status, text, _ = post(model.base("work") + path, body)
    assert status == 400 and "no MCP tool 'ask_human' among the tools: Write" in text
    assert model.requests()[0].problem in text


def test_the_log_has_the_body_to_the_byte_and_no_secret(model: Model) -> None:
    model.add("work", WORK)
    path, body = FIRST["gemini"]
    post(model.base("work", "r1") + path + "?key=" + KEY, body, Authorization=f"Bearer {KEY}")
    entry = model.requests("work", "r1")[0]
    assert entry.body == body and entry.text == json.dumps(body)
    assert entry.sha256 == log.digest(json.dumps(body).encode())
    assert entry.headers["authorization"] == log.digest(f"Bearer {KEY}".encode())
    assert KEY not in model.log.path.read_text("utf-8")


@pytest.mark.parametrize(
    ("path", "headers", "key"),
    [
        ("/v1/models", {"anthropic-version": "2023-06-01"}, "data"),
        ("/v1/models", {}, "data"),
        ("/v1beta/models", {}, "models"),
    ],
)
def test_models_are_listed(model: Model, path: str, headers: dict[str, str], key: str) -> None:
    request = urllib.request.Request(model.base("work") + path, headers=headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        assert len(json.loads(answer.read())[key]) == 1


def test_tokens_are_counted(model: Model) -> None:
    model.add("work", WORK)
    _, text, _ = post(model.base("work") + "/v1/messages/count_tokens", FIRST["anthropic"][1])
    assert json.loads(text)["input_tokens"] > 10


def test_it_runs_as_a_program_and_takes_scenarios_over_http(tmp_path: Path) -> None:
    ready, logged = tmp_path / "ready", tmp_path / "log.jsonl"
    argv = [sys.executable, str(SERVE), "--port", "0", "--ready", str(ready), "--log", str(logged)]
    process = subprocess.Popen(argv, cwd=tmp_path, env={"PATH": os.environ["PATH"]})
    try:
        until = time.monotonic() + 30
        while not ready.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        url = ready.read_text("utf-8").strip()
        assert put(f"{url}/scenarios/work", {"steps": WORK}) == (200, "")
        status, why = put(f"{url}/scenarios/work", {"steps": [{"wrte": {}}]})
        assert status == 400 and "unknown wrte" in why
        path, body = FIRST["anthropic"]
        assert "tool_use" in post(f"{url}/s/work/1{path}", body)[1]
        assert [(entry.run, entry.turn) for entry in log.read(logged) if entry.wire] == [("1", 0)]
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def put(url: str, data: Any) -> tuple[int, str]:
    request = urllib.request.Request(url, json.dumps(data).encode(), method="PUT")
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, ""
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
