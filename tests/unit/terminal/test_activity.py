"""What an agent does, read from the lines of JSON that it prints."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.terminal.activity import LONGEST_READ, activity, pieces


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "assistant", "message": {"content": list(blocks)}}


TEXT = {"type": "text", "text": "First I look.\nThen I write."}
BASH = {"type": "tool_use", "name": "Bash", "input": {"description": "run", "command": "npm test\n  --all"}}


@pytest.mark.parametrize(
    ("item", "shown"),
    [
        (assistant(TEXT), "Then I write."),
        (assistant(TEXT, BASH), "Bash npm test"),
        (assistant({"type": "tool_use", "name": "Edit", "input": {"file_path": "a.py", "old": "x"}}), "Edit a.py"),
        (assistant({"type": "tool_use", "name": "Todo", "input": {"list": [1]}}), "Todo"),
        (assistant({"type": "thinking", "thinking": "hm\nwell"}), "well"),
        ({"type": "assistant", "message": {"content": "plain"}}, "plain"),
        ({"type": "message", "role": "assistant", "text": "hello"}, "hello"),
        ({"type": "message", "role": "assistant", "content": "delta"}, "delta"),
        ({"type": "message", "role": "user", "text": "the prompt"}, ""),
        ({"type": "tool_use", "tool_name": "shell", "parameters": {"command": "ls"}}, "shell ls"),
        ({"type": "tool_use", "part": {"tool": "bash", "state": {"input": {"command": "ls"}}}}, "bash ls"),
        ({"type": "text", "part": {"text": "one\ntwo"}}, "two"),
        ({"type": "item.started", "item": {"type": "command_execution", "command": "ls -l"}}, "shell ls -l"),
        ({"type": "item.completed", "item": {"type": "agent_message", "text": "done"}}, "done"),
        ({"type": "item.started", "item": {"type": "file_change", "changes": [{"path": "a"}, {"path": 1}]}}, "edit a"),
        ({"type": "item.started", "item": {"type": "mcp_tool_call", "tool": "emit", "arguments": {"x": "y"}}}, "emit y"),
        ({"type": "result", "result": "All good.\n\nTASK_COMPLETE\n"}, "TASK_COMPLETE"),
        ({"type": "error", "text": "out of quota"}, "error: out of quota"),
        ({"type": "user", "message": {"content": [{"type": "tool_result", "content": "42 passed"}]}}, ""),
        ({"type": "usage", "input_tokens": 3}, ""),
        ({"type": "system", "subtype": "init"}, ""),
    ],
    ids=str,
)  # fmt: skip
def test_the_last_tool_or_line_is_found(item: dict[str, Any], shown: str) -> None:
    assert activity(json.dumps(item)) == shown


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("running tests", "running tests"),
        ("  indented ", "indented"),
        ("", ""),
        ("{", ""),
        ('{"no": "type"}', '{"no": "type"}'),
        ('{"type": 5}', '{"type": 5}'),
        ("[1, 2]", "[1, 2]"),
        ('{"type": "assistant", "message": 3}', ""),
        ('{"type": "assistant", "message": {"content": [null, 3, {"type": "tool_use", "name": []}]}}', ""),
        ('{"type": "item.started", "item": []}', ""),
        ("{" * 100_000, ""),
        ('{"type": "text", "part": {"text": "' + "x" * LONGEST_READ + '"}}', ""),
    ],
    ids=lambda value: value[:30],
)
def test_anything_else_is_its_own_words_or_nothing(line: str, shown: str) -> None:
    assert activity(line) == shown


def kinds(item: dict[str, Any]) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in pieces(json.dumps(item))]


def test_thoughts_words_calls_and_results_are_told_apart() -> None:
    thought = {"type": "thinking", "thinking": "hm"}
    assert kinds(assistant(thought, TEXT, BASH)) == [
        ("thinking", "hm"),
        ("text", "First I look.\nThen I write."),
        ("call", ""),
    ]
    result = {"type": "tool_result", "content": [{"type": "text", "text": "1 failed\n2 passed"}]}
    assert kinds({"type": "user", "message": {"content": [result]}}) == [("result", "1 failed\n2 passed")]


def test_a_result_without_a_text_is_a_result() -> None:
    for content in ("", [], None):
        block = {"type": "tool_result", "tool_use_id": "t1", "content": content}
        assert kinds({"type": "user", "message": {"content": [block]}}) == [("result", "")]


def test_a_line_that_is_no_stream_is_text_and_figures_are_nothing() -> None:
    assert kinds({"no": "type"}) == [("text", '{"no": "type"}')]
    assert [piece.text for piece in pieces("plain  text")] == ["plain  text"]
    assert [piece.text for piece in pieces("")] == [""]
    assert kinds({"type": "usage", "input_tokens": 3}) == []
    assert kinds({"type": "turn.completed", "usage": {}}) == []


def test_what_no_one_knows_is_named_in_short() -> None:
    assert kinds({"type": "weather", "query": "rain"}) == [("notice", "weather rain")]
    item = {"id": "1", "type": "web_search", "query": "rain", "status": "in_progress"}
    (call,) = pieces(json.dumps({"type": "item.started", "item": item}))
    assert (call.kind, call.words) == ("call", "web_search rain")


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["type", "message", "content", "text", "part", "item", "tool", "name", "input", "state"]),
        inner | st.sampled_from(["assistant", "user", "tool_use", "tool_result", "text", "item.started", "error"]),
        max_size=4,
    ),
)  # fmt: skip


@given(
    VALUES, st.sampled_from(["assistant", "user", "message", "tool_use", "item.completed", "result", "text"])
)
def test_no_shape_makes_it_fail(value: Any, kind: str) -> None:
    line = json.dumps({**(value if isinstance(value, dict) else {"message": value}), "type": kind})
    assert isinstance(activity(line), str)
    assert all(isinstance(piece.words, str) for piece in pieces(line))
