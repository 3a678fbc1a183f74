"""What agents say, read from text and from JSON lines: any bytes, any figures, bounded, and never a crash."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.agents.adapter import SAID_CHARS, Words
from ralph.agents.command import JsonLinesReader
from ralph.agents.registry import adapter
from ralph.agents.stream import TextReader
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop import signals
from ralph.errors import RalphError


def said(*lines: str) -> Words:
    reader = TextReader()
    for line in lines:
        reader.feed(line)
    return reader.words()


def understood(*items: Any) -> Words:
    """Dictionaries are lines of JSON; strings are lines as they are."""
    reader = JsonLinesReader()
    for item in items:
        reader.feed(item if isinstance(item, str) else json.dumps(item))
    return reader.words()


def word(words: Words) -> str:
    return signals.read(words.said, structured=words.structured).word


MESSAGE = {"type": "message", "role": "assistant", "text": "done\n\nTASK_COMPLETE"}


# -- text ----------------------------------------------------------------------------------------------


def test_only_the_end_of_a_long_text_is_kept() -> None:
    words = said(*(f"line {n}" for n in range(10_000)), "TASK_COMPLETE")
    assert words.said.endswith("line 9999\nTASK_COMPLETE")
    assert len(words.said) <= SAID_CHARS + 20
    assert not words.structured


def test_a_huge_line_does_not_push_the_signal_out() -> None:
    assert word(said("TASK_COMPLETE", "z" * 10_000_000)) == "TASK_COMPLETE"
    assert word(said("z" * 10_000_000, "TASK_COMPLETE")) == "TASK_COMPLETE"


def test_a_fence_opened_long_before_the_end_still_counts() -> None:
    assert word(said("```", *["code"] * 5_000, "TASK_COMPLETE")) == "ITERATION_DONE"
    assert word(said("```", *["code"] * 5_000, "```", "TASK_COMPLETE")) == "TASK_COMPLETE"


def test_colours_around_a_signal_do_not_hide_it() -> None:
    assert word(said("\x1b[1;32mTASK_COMPLETE\x1b[0m")) == "TASK_COMPLETE"
    assert said("\x1b[2J\x1b[?25lhello\x1b[38;5;196m!").said == "hello!"
    assert word(said("\x1b]0;agent: done\x07TASK_COMPLETE\x1b(B")) == "TASK_COMPLETE"


@given(st.lists(st.text(st.characters(), max_size=50), max_size=20))
def test_any_text_can_be_journaled(lines: list[str]) -> None:
    msgspec.json.encode(said(*lines).said)


# -- JSON lines ----------------------------------------------------------------------------------------


def test_the_last_assistant_message_is_what_was_said() -> None:
    words = understood(
        {"type": "message", "role": "assistant", "text": "TASK_STUCK: not now"},
        MESSAGE,
        {"type": "message", "role": "user", "text": "TASK_STUCK"},
        {"type": "tool", "text": "TASK_STUCK"},
    )
    assert words.said == "done\n\nTASK_COMPLETE"
    assert words.structured
    assert word(words) == "TASK_COMPLETE"


def test_the_common_shape_with_a_result_is_understood() -> None:
    words = understood(
        {"type": "system", "subtype": "init"},
        {
            "type": "assistant",
            "message": {
                "content": [
                    {"type": "text", "text": "one"},
                    {"type": "tool_use"},
                    {"type": "text", "text": "two"},
                ]
            },
        },
        {"type": "user", "message": {"content": [{"type": "tool_result", "content": "TASK_STUCK"}]}},
    )
    assert words.said == "one\ntwo"
    words = understood(
        {"type": "assistant", "message": {"content": "plain"}},
        {
            "type": "result",
            "result": "TASK_COMPLETE",
            "usage": {"input_tokens": 10, "output_tokens": 20},
            "total_cost_usd": 0.5,
        },
    )
    assert (words.said, words.usage.tokens, words.usage.cost_usd) == ("TASK_COMPLETE", 30, 0.5)


def test_an_assistant_that_only_uses_tools_has_said_nothing_new() -> None:
    tools = {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "x"}]}}
    assert understood(MESSAGE, tools).said == "done\n\nTASK_COMPLETE"


GARBAGE: list[Any] = [
    "",
    "plain text",
    "{",
    '{"type": "message", "text": "TASK_STUCK"',
    "[1, 2]",
    '"text"',
    "null",
    "{" * 200_000,
    '{"a":' * 200_000,
    '{"type": "usage", "input_tokens": ' + "9" * 10_000 + "}",
    "\ufffd{\x00}",
    {},
    {"type": None},
    {"type": []},
    {"type": {}},
    {"type": 5},
    {"type": "message"},
    {"type": "message", "text": None},
    {"type": "message", "text": ["TASK_STUCK"]},
    {"type": "message", "text": " \n "},
    {"type": "message", "role": ["x"], "text": "TASK_STUCK"},
    {"type": "assistant"},
    {"type": "assistant", "message": "TASK_STUCK"},
    {"type": "assistant", "message": {"content": [None, 3, {"type": "text"}, {"type": "text", "text": 4}]}},
    {"type": "result"},
    {"type": "result", "usage": [], "total_cost_usd": "much", "result": {}},
    {"type": "error", "kind": ["quota"], "text": {"a": 1}, "retry_after": []},
    {"type": "error"},
]


@pytest.mark.parametrize("line", GARBAGE, ids=lambda line: repr(line)[:40])
def test_garbage_between_the_lines_changes_nothing(line: Any) -> None:
    words = understood(MESSAGE, line, {"type": "usage", "input_tokens": 3}, MESSAGE, line)
    assert words.said == "done\n\nTASK_COMPLETE"
    assert (words.usage.tokens, words.usage.cost_usd, words.fault) == (3, 0.0, "")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
            ["message", "content", "text", "usage", "input_tokens", "output_tokens", "cost_usd", "result", "kind",
             "total_cost_usd", "retry_after", "role", "type"]), inner, max_size=4),
        max_leaves=10,
    ),
    st.sampled_from(["message", "assistant", "result", "usage", "error"]),
)  # fmt: skip
def test_no_json_makes_the_reader_fail_or_the_figures_odd(value: Any, kind: str) -> None:
    item = (value if isinstance(value, dict) else {"text": value}) | {"type": kind}
    words = understood(item)
    assert words.usage.tokens >= 0 and words.usage.cost_usd >= 0
    assert words.usage.cost_usd < float("inf")
    assert words.retry_after == -1 or words.retry_after >= 0
    msgspec.json.encode(words)


@pytest.mark.parametrize("figure", [-5, True, "7", None, "NaN", [], 1e300, 10**18], ids=repr)
def test_an_odd_figure_counts_as_nothing(figure: Any) -> None:
    words = understood({"type": "usage", "input_tokens": figure, "output_tokens": 4, "cost_usd": figure})
    assert (words.usage.tokens, words.usage.cost_usd) == (4, 0.0)


@pytest.mark.parametrize("figure", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_figures_that_are_no_numbers_count_as_nothing(figure: str) -> None:
    words = understood(
        f'{{"type": "usage", "input_tokens": {figure}, "output_tokens": 4, "cost_usd": {figure}}}'
    )
    assert (words.usage.tokens, words.usage.cost_usd) == (4, 0.0)


def test_usage_is_summed_and_a_result_gives_the_total() -> None:
    one = {"type": "usage", "input_tokens": 5, "output_tokens": 5, "cost_usd": 0.25}
    assert understood(one, one).usage.tokens == 20
    total = {"type": "result", "usage": {"input_tokens": 25, "output_tokens": 5}, "total_cost_usd": 1.5}
    assert (understood(one, one, total).usage.tokens, understood(one, total).usage.cost_usd) == (30, 1.5)
    assert understood(one, {"type": "result", "usage": {}}).usage.tokens == 10, (
        "what was counted is not forgotten"
    )


@pytest.mark.parametrize("kind", ["quota", "rate-limit", "overload", "credentials", "unusable"])
def test_a_fault_is_told_with_its_text_and_wait(kind: str) -> None:
    words = understood({"type": "error", "kind": kind, "text": "come back", "retry_after": 30})
    assert (words.fault, words.fault_text, words.retry_after) == (kind, "come back", 30.0)


@pytest.mark.parametrize("retry_after", ["soon", -3, None, True, [], 1e300])
def test_a_wait_that_makes_no_sense_was_not_said(retry_after: Any) -> None:
    assert understood({"type": "error", "kind": "quota", "retry_after": retry_after}).retry_after == -1.0


def test_a_fault_that_the_agent_got_over_is_forgotten() -> None:
    words = understood({"type": "error", "kind": "overload", "text": "busy", "retry_after": 9}, MESSAGE)
    assert (words.fault, words.fault_text, words.retry_after) == ("", "", -1.0)
    assert understood(MESSAGE, {"type": "error", "kind": "quota"}).fault == "quota"


def test_half_a_character_can_be_journaled() -> None:
    words = understood('{"type": "message", "text": "\\ud800\\nTASK_COMPLETE"}')
    assert msgspec.json.encode(words.said) and word(words) == "TASK_COMPLETE"


def test_a_message_beyond_the_bound_keeps_its_end_and_its_fence() -> None:
    text = "```\n" + "code\n" * 5_000 + "TASK_COMPLETE"
    assert word(understood({"type": "message", "text": text})) == "ITERATION_DONE"
    assert word(understood({"type": "message", "text": text + "\n```\nTASK_COMPLETE"})) == "TASK_COMPLETE"


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(RalphError, match="unknown agent 'clod'"):
        adapter(AgentPolicy(backend="clod"))


def test_an_agent_that_prints_no_json_is_read_as_plain_text() -> None:
    reader = JsonLinesReader()
    for line in ("Working", "[1, 2]", "TASK_COMPLETE"):
        reader.feed(line)
    words = reader.words()
    assert (words.said.splitlines()[-1], words.structured) == ("TASK_COMPLETE", False)
    reader.feed('{"type":"message","text":"ITERATION_DONE"}')
    assert (reader.words().said, reader.words().structured) == ("ITERATION_DONE", True)
