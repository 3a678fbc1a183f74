"""What the adapters make of recorded streams of the real CLIs: words, figures, and every fault by its name."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.agents import prices, stream
from ralph.agents.adapter import ErrorReader, Words
from ralph.agents.command import CommandAdapter
from ralph.agents.registry import adapter
from ralph.agents.stream import parse_settings
from ralph.core.agent_policy import AgentPolicy
from ralph.core.facts import Retry, Tokens

STREAMS = Path(__file__).resolve().parents[2] / "agents" / "streams"
CLIS = ("claude", "codex", "gemini", "opencode")
EXITS: dict[str, dict[str, int]] = json.loads((STREAMS / "exits.json").read_text("utf-8"))
FAULTS = {
    "usage-limit": "quota",
    "429": "rate-limit",
    "500": "overload",
    "529": "overload",
    "cut": "overload",
    "401": "credentials",
    "unknown-model": "unusable",
    "too-long": "unusable",
}


def lines(cli: str, case: str) -> list[str]:
    return (STREAMS / cli / f"{case}.jsonl").read_text("utf-8").splitlines()


def read(cli: str, given: list[str], code: int = 0, **policy: Any) -> Words:
    asked = AgentPolicy(backend=cli, **policy)
    reader = adapter(asked).reader(asked)
    for line in given:
        reader.feed(line)
    reader.ended(code)
    return reader.words()


@pytest.mark.parametrize("cli", CLIS)
def test_the_last_message_tokens_and_session_are_found(cli: str) -> None:
    words = read(cli, lines(cli, "success"))
    assert (words.said, words.structured, words.fault) == ("All done.", True, "")
    assert words.usage.tokens == 3 * (161 + 7)
    assert words.session.endswith("000000000000")


@pytest.mark.parametrize(
    ("cli", "asked", "split", "model"),
    [
        ("claude", "", Tokens(360, 21, 90, 33), "claude-opus-5-5"),
        ("codex", "gpt-5.4", Tokens(360, 21, 90, 33), "gpt-5.4"),
        ("gemini", "auto", Tokens(393, 21, 90), "gemini-2.5-flash"),
        ("opencode", "x/y", Tokens(393, 21, 90), "x/y"),
        ("opencode", "", Tokens(393, 21, 90), ""),  # which one it chose it does not say
    ],
)
def test_tokens_by_kind_and_the_model_are_found(cli: str, asked: str, split: Tokens, model: str) -> None:
    usage = read(cli, lines(cli, "success"), model=asked).usage
    assert (usage.split, usage.model) == (split, model) and split.all == usage.tokens


def test_the_model_is_the_one_that_answered_last_and_no_helpers_or_made_up_one() -> None:
    said = json.loads(lines("claude", "success")[-2])

    def by(model: str, **more: Any) -> str:
        return json.dumps({**said, **more, "message": {**said["message"], "model": model}})

    start = lines("claude", "success")[0]
    told = [start, by("fallback-1"), by("helper-1", parent_tool_use_id="toolu_1"), by("<synthetic>"), by("")]
    assert read("claude", [start]).usage.model == "claude-opus-5-5"
    assert read("claude", told).usage.model == "fallback-1"
    assert len(read("claude", [start, by("m" * 5000)]).usage.model) == 100


@pytest.mark.parametrize(
    ("cli", "case"), [(cli, case) for cli in CLIS for case in EXITS[cli] if case in FAULTS]
)
def test_every_recorded_fault_has_its_name(cli: str, case: str) -> None:
    words = read(cli, lines(cli, case), EXITS[cli][case])
    assert words.fault == FAULTS[case] and not words.full
    assert words.fault_text and (case != "too-long" or stream.TOO_LONG in words.fault_text)
    assert "API Error" not in words.said and "hit your" not in words.said


@pytest.mark.parametrize(("cli", "cost"), [("claude", 0.002043), ("gemini", 0.0001731)])
def test_the_cost_is_the_agents_own_or_by_the_table_and_it_is_said_which(cli: str, cost: float) -> None:
    words = read(cli, lines(cli, "success"))
    assert words.usage.cost_usd == pytest.approx(cost)
    assert words.cost_from == ("agent" if cli == "claude" else "table")


@pytest.mark.parametrize(
    ("model", "known"), [("gpt-5.4", True), ("gpt-5.4-2026-01-01", True), ("gpt-5.99", False)]
)
def test_without_a_known_model_there_are_tokens_only(model: str, known: bool) -> None:
    words = read("codex", lines("codex", "success"), model=model)
    assert bool(words.usage.cost_usd) is known and words.cost_from == ("table" if known else "")
    assert words.usage.tokens == 504


def test_a_message_in_several_lines_is_counted_once_and_while_it_works() -> None:
    first = lines("claude", "success")[:3]  # two parts of one message
    words = read("claude", first)
    assert 162 <= words.usage.tokens < 200 and words.cost_from == "table" and words.usage.cost_usd > 0
    assert read("claude", lines("claude", "success")).cost_from == "agent"


def test_what_a_helper_of_claude_says_is_not_claudes_word_but_its_tokens_count() -> None:
    said = json.loads(lines("claude", "success")[-2])
    helper = {**said, "parent_tool_use_id": "toolu_1"}
    helper["message"] = {
        **said["message"],
        "id": "other",
        "content": [{"type": "text", "text": "TASK_COMPLETE"}],
    }
    words = read("claude", [json.dumps(said), json.dumps(helper)])
    assert words.said == "All done." and words.usage.tokens >= 2 * 162


def test_codex_tells_tokens_and_model_by_its_session_file_while_it_works(tmp_path: Path) -> None:
    day = tmp_path / "sessions" / time.strftime("%Y/%m/%d")
    day.mkdir(parents=True)
    usage = {
        "input_tokens": 161,
        "cached_input_tokens": 30,
        "cache_write_input_tokens": 11,
        "output_tokens": 7,
    }
    log = [
        {"type": "turn_context", "payload": {"model": "gpt-5.4"}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": {"total_token_usage": usage}}},
        {"type": "event_msg", "payload": {"type": "token_count", "info": None}},
    ]
    (day / "rollout-x-abc.jsonl").write_text("".join(json.dumps(item) + "\n" for item in log))
    started = json.dumps({"type": "thread.started", "thread_id": "abc"})
    words = read("codex", [started], env={"CODEX_HOME": str(tmp_path)})
    assert words.usage.tokens == 168
    assert (words.usage.split, words.usage.model) == (Tokens(120, 7, 30, 11), "gpt-5.4")
    assert words.usage.cost_usd == pytest.approx(prices.cost("gpt-5.4", Tokens(120, 7, 30, 11)))
    for hostile in ("../abc", "*", ""):
        started = json.dumps({"type": "thread.started", "thread_id": hostile})
        assert read("codex", [started], env={"CODEX_HOME": str(tmp_path)}).usage.tokens == 0


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("try again at Nov 16th, 2026 12:18 AM.", 18 * 60 + 59),
        ("try again at 12:18 AM.", 18 * 60 + 59),
        ("try again in 2 hours 5 minutes.", 7500),
        ("Please retry in 34.5s.", 34.5),
        ("try again in 1 day 2 hours", 93600),
        ("try again later", -1),
        ("in the end, 5 apples", -1),
    ],
)
def test_the_time_of_a_reset_is_read(text: str, seconds: float) -> None:
    midnight = time.mktime((2026, 11, 16, 0, 0, 0, 0, 0, -1))
    assert stream.seconds_until(text, midnight) == seconds


def test_a_time_of_day_that_is_over_means_tomorrow() -> None:
    noon = time.mktime((2026, 11, 16, 12, 0, 0, 0, 0, -1))
    assert stream.seconds_until("try again at 11:59 AM", noon) == pytest.approx(86400 - 1)


@pytest.mark.parametrize("cli", CLIS)
def test_a_prompt_that_is_too_long_after_some_work_is_the_end_of_the_room_and_no_fault(cli: str) -> None:
    last = (
        3 if cli == "claude" else 6
    )  # of the lines of a run that goes well: some work is done, nothing is over
    words = read(cli, [*lines(cli, "success")[:last], *lines(cli, "too-long")], EXITS[cli]["too-long"])
    assert (words.fault, words.full, words.waiting) == ("", True, False)
    assert stream.TOO_LONG in words.fault_text


def test_opencode_that_made_room_and_went_on_has_not_crashed() -> None:
    words = read("opencode", [lines("opencode", "too-long")[0], *lines("opencode", "success")], 1)
    assert (words.said, words.fault, words.full) == ("All done.", "", True)
    assert not read("opencode", lines("opencode", "success")).full


@pytest.mark.parametrize("cli", CLIS)
def test_until_its_first_word_or_deed_an_agent_is_waiting(cli: str) -> None:
    said = {"claude": 1, "codex": 2, "gemini": 2, "opencode": 1}[cli]  # lines before it
    assert read(cli, []).waiting and read(cli, lines(cli, "success")[:said]).waiting
    assert not read(cli, lines(cli, "success")[: said + 1]).waiting
    assert not read(cli, ["Checking for updates"]).waiting, "what plain text means is not known"


def test_of_a_command_of_the_users_it_is_not_known_whether_it_waits() -> None:
    for output in ("text", "jsonl"):
        for printed in ([], ['{"type":"tool","name":"x"}'], ['{"type":"message","text":"x"}']):
            assert not read("custom", printed, output=output).waiting


def test_opencodes_own_cost_is_summed_over_its_steps() -> None:
    steps = [json.loads(line) for line in lines("opencode", "success")]
    for step in steps:
        if step["type"] == "step_finish":
            step["part"]["cost"] = 0.25
    words = read("opencode", [json.dumps(step) for step in steps], model="scripted/gpt-5.4")
    assert (words.usage.cost_usd, words.cost_from) == (0.75, "agent")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": 1}', {"a": 1}),
        ('// who\n{"a": "http://x/*y*/", /* why */ "b": [1, 2,],\n}', {"a": "http://x/*y*/", "b": [1, 2]}),
        ('{"a": "\\\\", "b": "// not, }"}', {"a": "\\", "b": "// not, }"}),
        ("[1]", None),
        ("{", None),
        ("", None),
    ],
)
def test_settings_are_read_with_comments_and_a_comma_too_many(text: str, found: Any) -> None:
    assert parse_settings(text) == found


def test_gemini_without_a_login_says_so_by_its_exit_code() -> None:
    assert read("gemini", ["Please set an Auth method"], 41).fault == "credentials"
    assert (
        read(
            "gemini", [json.dumps({"type": "result", "status": "error", "error": {"message": "x"}})], 173
        ).fault
        == "rate-limit"
    )


def retry_of(cli: str, lines: list[str]) -> Retry | None:
    policy = AgentPolicy(backend=cli)
    reader = adapter(policy).reader(policy)
    for line in lines:
        reader.feed(line)
    return reader.words().retry


def recorded(cli: str, case: str) -> list[str]:
    return (STREAMS / cli / f"{case}.jsonl").read_text("utf-8").splitlines()


def test_a_cli_that_tries_again_says_so_while_it_does() -> None:
    assert retry_of("claude", recorded("claude", "401")[:2]) == Retry(1, 1, 401, "authentication failed")
    found = retry_of("codex", recorded("codex", "401")[:3])
    assert found == Retry(1, 1, 401, "unexpected status 401 Unauthorized: Incorrect API key provided")
    assert retry_of("codex", recorded("codex", "success")) is None


def test_gemini_says_on_standard_error_that_it_tries_again() -> None:
    policy = AgentPolicy(backend="gemini")
    reader = adapter(policy).reader(policy)
    assert isinstance(reader, ErrorReader)
    reader.feed_error("YOLO mode is enabled. All tool calls will be automatically approved.")
    assert reader.words().retry is None
    reader.feed_error("Attempt 2 failed: Resource has been exhausted (e.g. check quota).")
    assert reader.words().retry == Retry(2, 0, 0, "Resource has been exhausted (e.g. check quota).")
    for line in recorded("gemini", "success"):
        reader.feed(line)
    assert reader.words().retry is None, "it has an answer again"


def test_a_cli_that_complains_in_plain_text_is_quoted() -> None:
    words = read("claude", ["Invalid API key · Please run /login"], 1)
    assert (words.fault, words.structured) == ("credentials", False) and "Invalid API key" in words.fault_text


@pytest.mark.parametrize("cli", CLIS)
@pytest.mark.parametrize("output", ["text", "jsonl"])
def test_a_known_stream_of_any_command_is_read_as_what_it_is(cli: str, output: Any) -> None:
    policy = AgentPolicy(command=("x",), output=output)
    reader = CommandAdapter().reader(policy)
    for line in ["", *lines(cli, "success")]:
        reader.feed(line)
    assert (reader.words().said, reader.words().usage.tokens) == ("All done.", 504)


def test_text_that_merely_contains_json_stays_text() -> None:
    reader = CommandAdapter().reader(AgentPolicy(command=("x",)))
    for line in ("Working", '{"type":"message","text":"ITERATION_DONE"}', "TASK_COMPLETE"):
        reader.feed(line)
    assert reader.words().said.endswith("TASK_COMPLETE") and not reader.words().structured


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["message", "content", "usage", "error", "part", "item", "stats", "models", "data",
                                       "modelUsage", "input_tokens", "type", "text", "tokens", "id"]), inner, max_size=4),
    max_leaves=10,
)  # fmt: skip
KINDS = ["system", "assistant", "result", "rate_limit_event", "thread.started", "item.completed", "turn.failed", "error",
         "turn.completed", "init", "message", "tool_use", "text", "step_finish"]  # fmt: skip


@pytest.mark.parametrize("cli", CLIS)
def test_no_json_makes_a_reader_fail_or_its_figures_odd(cli: str) -> None:
    @given(st.sampled_from(KINDS), JSON)
    def holds(kind: str, value: Any) -> None:
        item = (value if isinstance(value, dict) else {"message": value}) | {"type": kind}
        words = read(cli, [json.dumps(item)], 1)
        assert words.usage.tokens >= 0 and 0 <= words.usage.cost_usd < float("inf")
        assert words.retry_after == -1 or words.retry_after >= 0
        msgspec.json.encode(words)

    holds()
