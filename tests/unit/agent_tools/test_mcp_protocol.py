"""JSON-RPC and MCP: both eras, every error, and that no line stops the server."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp_world import TASK, World, ask

from ralph.agent_tools.mcp_server import HANDSHAKE, LINE_LIMIT, MODERN, Session
from ralph.agent_tools.mcp_tools import TOOLS, McpTools

VERSION, CAPABILITIES = (
    "io.modelcontextprotocol/protocolVersion",
    "io.modelcontextprotocol/clientCapabilities",
)


def initialize(session: Session, version: str) -> dict[str, Any]:
    return ask(session, {"method": "initialize", "params": {"protocolVersion": version}})["result"]  # type: ignore[no-any-return]


def modern(method: str, version: str = MODERN[0], **params: Any) -> dict[str, Any]:
    return {"method": method, "params": {**params, "_meta": {VERSION: version, CAPABILITIES: {}}}}


def code(session: Session, line: bytes) -> tuple[int, object]:
    answer = session.answer(line)
    assert answer is not None
    found = json.loads(answer)
    return found["error"]["code"], found["id"]


@pytest.mark.parametrize("version", HANDSHAKE)
def test_a_known_version_is_agreed_on(world: World, version: str) -> None:
    answer = initialize(world.session(), version)
    assert answer["protocolVersion"] == version
    assert answer["capabilities"] == {"tools": {}}
    assert answer["serverInfo"]["name"] == "ralph"
    assert TASK in answer["instructions"]


@pytest.mark.parametrize("version", ["2099-01-01", "1.0", "", MODERN[0]])
def test_an_unknown_version_is_answered_with_the_newest_that_has_a_handshake(
    world: World, version: str
) -> None:
    assert initialize(world.session(), version)["protocolVersion"] == "2025-11-25"


def test_a_handshake_without_a_version_is_refused(world: World) -> None:
    answer = ask(world.session(), {"method": "initialize", "params": {}})
    assert answer["error"]["code"] == -32602
    assert answer["error"]["data"]["supported"] == list(HANDSHAKE)


def test_ping_is_answered_empty_even_before_the_handshake(world: World) -> None:
    assert ask(world.session(), {"method": "ping"}, "a")["result"] == {}


def test_the_list_is_the_same_every_time_and_in_every_iteration(world: World) -> None:
    before = ask(world.session(), {"method": "tools/list"})["result"]
    world.env |= {"RALPH_ITERATION": "4", "RALPH_TOKEN": "another"}
    assert json.dumps(ask(world.session(), {"method": "tools/list"})["result"]) == json.dumps(before)
    assert [tool["name"] for tool in before["tools"]] == list(TOOLS)


def test_a_page_that_does_not_exist_is_an_error(world: World) -> None:
    assert (
        ask(world.session(), {"method": "tools/list", "params": {"cursor": "x"}})["error"]["code"] == -32602
    )
    assert "result" in ask(world.session(), {"method": "tools/list", "params": {"cursor": None}})


@pytest.mark.parametrize(
    "method", ["resources/list", "prompts/list", "server/unknown", "subscriptions/listen", ""]
)
def test_an_unknown_method_is_said_to_be_unknown_in_both_eras(world: World, method: str) -> None:
    assert ask(world.session(), {"method": method})["error"]["code"] == -32601
    assert ask(world.session(), modern(method))["error"]["code"] == -32601


def test_an_unknown_tool_is_a_fault_of_the_call(world: World) -> None:
    answer = ask(world.session(), {"method": "tools/call", "params": {"name": "write_scratchpads"}})
    assert answer["error"] == {"code": -32602, "message": "Unknown tool: write_scratchpads"}


@pytest.mark.parametrize(
    "params", [{}, {"name": 3}, {"name": "list_tasks", "arguments": []}, {"arguments": {}}]
)
def test_a_call_of_the_wrong_form_is_refused(world: World, params: dict[str, Any]) -> None:
    assert ask(world.session(), {"method": "tools/call", "params": params})["error"]["code"] == -32602


def test_a_call_without_arguments_is_one_with_none(world: World) -> None:
    for params in ({"name": "list_tasks"}, {"name": "list_tasks", "arguments": None}):
        assert ask(world.session(), {"method": "tools/call", "params": params})["result"]["isError"] is False


GARBAGE: dict[bytes, int] = {
    b"garbage": -32700,
    b'{"jsonrpc":"2.0","id":1,"method":"pi': -32700,
    b"\xff\xfe\x00": -32700,
    b"[" * 100_000: -32700,
    b'{"a":' * 100_000: -32700,
    b"1": -32600,
    b"null": -32600,
    b'"text"': -32600,
    b"{}": -32600,
    b"[]": -32600,
    b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]': -32600,
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}': -32600,
    b'{"jsonrpc":"2.0","id":true,"method":"ping"}': -32600,
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}': -32600,
    b'{"jsonrpc":"2.0","id":{},"method":"ping"}': -32600,
}


@pytest.mark.parametrize("line", GARBAGE, ids=lambda line: repr(line[:30]))
def test_garbage_gets_an_error_and_the_next_line_its_answer(world: World, line: bytes) -> None:
    session = world.session()
    assert code(session, line) == (GARBAGE[line], None)
    assert ask(session, {"method": "ping"})["result"] == {}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"id":7,"method":"ping"}', -32600),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":7}', -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":5}', -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32602),
    ],
)
def test_a_bad_request_with_an_id_gets_the_error_under_it(world: World, line: bytes, expected: int) -> None:
    assert code(world.session(), line) == (expected, 7)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \r",
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
        b'{"jsonrpc":"2.0","method":"notifications/unheard-of","params":5}',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"ask_human","arguments":{"question":"x"}}}',
        b'{"jsonrpc":"2.0","id":3,"result":{}}',
        b'{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}}',
    ],
)
def test_what_is_no_request_gets_no_answer_and_does_nothing(world: World, line: bytes) -> None:
    assert world.session().answer(line) is None
    assert world.messages() == []


def test_a_batch_is_served_only_where_the_agreed_revision_has_them(world: World) -> None:
    session = world.session()
    batch = (
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/x"},7,'
        b'{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}]'
    )
    initialize(session, "2025-03-26")
    answers = json.loads(session.answer(batch) or b"")
    assert [(a["id"], a.get("error", {}).get("code")) for a in answers] == [
        (1, None),
        (None, -32600),
        (2, -32600),
    ]
    assert session.answer(b'[{"jsonrpc":"2.0","method":"notifications/x"}]') is None
    initialize(session, "2025-06-18")
    assert code(session, batch) == (-32600, None)


ONE_LINE = b'{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"text":"%s"}}'
LAST = b'{"method":"tools/call","params":{"id":3,"text":"%s"},"jsonrpc":"2.0","id":%s}'
LONG = b"x" * (LINE_LIMIT + 10)
CUT: dict[str, tuple[bytes, object]] = {
    "id first": (ONE_LINE % (b"7", LONG), 7),
    "id first, text": (ONE_LINE % (b'"a-1"', LONG), "a-1"),
    "id last": (LAST % (LONG, b"8"), 8),
    "id last, before jsonrpc": (b'{"params":{"t":"%s"},"id":9,"jsonrpc":"2.0"}' % LONG, 9),
    "only a nested id": (b'{"params":{"id":5,"t":"%s","id":6},"x":{}}' % LONG, None),
    "only one in a text": (rb'{"method":"\"id\":5,","params":"%s\"id\":6}"}' % LONG, None),
    "no JSON": (LONG, None),
}


@pytest.mark.parametrize("name", CUT)
def test_a_line_that_is_too_long_is_refused_under_its_own_id(world: World, name: str) -> None:
    line, id = CUT[name]
    kept = line[:4096] + line[-4096:]
    answer = json.loads(world.session().answer(kept, cut=True) or b"")
    assert (answer["error"]["code"], answer["id"]) == (-32600, id)
    assert str(LINE_LIMIT) in answer["error"]["message"]


def test_half_characters_are_survived(world: World) -> None:
    session = world.session()
    call = rb'"params":{"name":"add_memory","arguments":{"content":"a\ud800b"}}'
    line = rb'{"jsonrpc":"2.0","id":"\ud800","method":"tools/call",' + call + b"}"
    answer = json.loads(session.answer(line) or b"")
    assert (answer["id"], answer["result"]["isError"]) == ("\ud800", False)
    assert "> a?b" in (world.notes / "memories.md").read_text()


def test_a_fault_of_the_server_is_answered_and_told_on_the_side(world: World) -> None:
    class Broken(McpTools):
        def listed(self) -> list[dict[str, object]]:
            raise KeyError("oops")

    session = world.session()
    session.tools = Broken(session.tools.caller, {})
    assert ask(session, {"method": "tools/list"})["error"] == {
        "code": -32603,
        "message": "Internal error: KeyError",
    }
    assert world.complaints == ["internal error in tools/list: KeyError: 'oops'"]
    assert ask(session, {"method": "ping"})["result"] == {}


# -- the stateless era -----------------------------------------------------------------------------


def test_discover_says_what_is_spoken_and_offered(world: World) -> None:
    result = ask(world.session(), modern("server/discover"))["result"]
    assert result["supportedVersions"] == [*MODERN, *HANDSHAKE]
    assert result["capabilities"] == {"tools": {}}
    assert (result["resultType"], result["cacheScope"]) == ("complete", "private")
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "ralph"


def test_a_modern_request_needs_no_handshake_and_its_result_says_its_type(world: World) -> None:
    session = world.session()
    listed = ask(session, modern("tools/list"))["result"]
    assert listed["resultType"] == "complete"
    assert listed["ttlMs"] > 0
    assert listed["tools"] == ask(session, {"method": "tools/list"})["result"]["tools"]
    called = ask(session, modern("tools/call", name="list_tasks", arguments={}))["result"]
    assert (called["resultType"], called["isError"]) == ("complete", False)


def test_an_older_answer_has_nothing_of_the_stateless_era(world: World) -> None:
    session = world.session()
    assert set(ask(session, {"method": "tools/list"})["result"]) == {"tools"}
    called = ask(
        session, {"method": "tools/call", "params": {"name": "list_tasks", "_meta": {"progressToken": 1}}}
    )
    assert set(called["result"]) == {"content", "isError"}


def test_a_modern_version_that_is_not_spoken_is_refused_with_those_that_are(world: World) -> None:
    for version in ("2027-01-01", "2025-11-25"):
        error = ask(world.session(), modern("server/discover", version))["error"]
        assert error["code"] == -32022
        assert error["data"] == {"supported": [*MODERN, *HANDSHAKE], "requested": version}


@pytest.mark.parametrize("meta", [None, {}, {VERSION: MODERN[0]}, {VERSION: 5, CAPABILITIES: {}}, []])
def test_discover_without_what_every_modern_request_says_is_malformed(world: World, meta: object) -> None:
    answer = ask(world.session(), {"method": "server/discover", "params": {"_meta": meta}})
    assert answer["error"]["code"] == -32602


def test_ping_does_not_exist_in_the_stateless_era(world: World) -> None:
    assert ask(world.session(), modern("ping"))["error"]["code"] == -32601


def test_both_eras_are_served_side_by_side(world: World) -> None:
    session = world.session()
    assert "result" in ask(session, modern("server/discover"))
    assert initialize(session, "2025-06-18")["protocolVersion"] == "2025-06-18"
    assert ask(session, modern("tools/list"))["result"]["resultType"] == "complete"
