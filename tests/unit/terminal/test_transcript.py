"""What agents print, as a conversation: on recorded streams of the real CLIs, and on what no CLI would print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.core import facts as f
from ralph.terminal.transcript import AgentTranscript, Conversation, LiveTranscripts, Row, lines

STREAMS = Path(__file__).resolve().parents[2] / "agents" / "streams"
EVERY = sorted(path.relative_to(STREAMS).with_suffix("").as_posix() for path in STREAMS.glob("*/*.jsonl"))
MANY = ["  1", "  2", "  3", "  4", "  … 34 more lines", "  39", "  40"]
END = ["The greeting is there.", "", "TASK_COMPLETE"]


def stream(name: str) -> list[str]:
    return (STREAMS / f"{name}.jsonl").read_text("utf-8").splitlines()


def rows(printed: list[str], *, live: bool = False) -> list[Row]:
    transcript = AgentTranscript(live=live)
    return [row for line in printed for row in transcript.feed(line)] + transcript.end()


def shown(printed: list[str], *, live: bool = False) -> list[str]:
    found = (spans for row in rows(printed, live=live) for spans in lines(row))
    return ["".join(span.text for span in spans) for spans in found]


def test_claude_code_reads_as_a_conversation() -> None:
    assert shown(stream("claude/conversation")) == [
        "model claude-opus-5-5",
        "thinking: First the files.",
        "  Then the tests.",
        "I look around.",
        "✓ Bash seq 1 40  1.0 s",
        *MANY,
        "✗ Bash echo 'FAILED: no greeting'; exit 3  1.0 s",
        "  Exit code 3",
        "  FAILED: no greeting",
        "✓ Bash true  1.0 s",
        "  (Bash completed with no output)",
        "✓ notes.note_down greeting is missing  1.0 s",
        "  noted",
        "✓ Write greeting.txt  1.0 s",
        "  File created successfully at: greeting.txt (file state is current in your context — no need to Read it back)",
        *END,
    ]  # fmt: skip


def test_codex_reads_as_a_conversation() -> None:
    assert shown(stream("codex/conversation")) == [
        "thinking: First the files.",
        "  Then the tests.",
        "I look around.",
        "✓ shell seq 1 40",
        *MANY,
        "✗ shell echo 'FAILED: no greeting'; exit 3",
        "  FAILED: no greeting",
        "✓ shell true",
        "✓ notes.note_down greeting is missing",
        "  noted",
        "✓ edit /project/greeting.txt",
        *END,
    ]


def test_gemini_cli_reads_as_a_conversation() -> None:
    """It calls a command that failed a success, and names a server's tool by one word."""
    assert shown(stream("gemini/conversation")) == [
        "model gemini-2.5-flash",
        "I look around.",
        "✓ run_shell_command seq 1 40  1.0 s",
        *MANY,
        "✓ run_shell_command echo 'FAILED: no greeting'; exit 3  1.0 s",
        "  FAILED: no greeting",
        "✓ run_shell_command true  1.0 s",
        "✓ mcp_notes_note_down greeting is missing  1.0 s",
        "  noted",
        "✓ write_file greeting.txt  1.0 s",
        *END,
    ]


def test_opencode_reads_as_a_conversation() -> None:
    assert shown(stream("opencode/conversation")) == [
        "I look around.",
        "✓ bash seq 1 40  1.0 s",
        *MANY,
        "✗ bash echo 'FAILED: no greeting'; exit 3  1.0 s",
        "  FAILED: no greeting",
        "✓ bash true  1.0 s",
        "  (no output)",
        "✓ notes_note_down greeting is missing  1.0 s",
        "  noted",
        "✓ write greeting.txt  1.0 s",
        "  Wrote file successfully.",
        *END,
    ]


def test_while_it_runs_a_call_is_shown_before_its_end() -> None:
    assert shown(stream("codex/conversation"), live=True)[3:6] == ["▸ shell seq 1 40", "✓", "  1"]


@pytest.mark.parametrize("name", EVERY)
def test_no_json_is_left_of_a_recorded_stream_and_nothing_is_said_twice(name: str) -> None:
    said = [row for row in rows(stream(name)) if row.kind in ("text", "error")]
    assert said
    assert not [row for row in said if row.text.lstrip().startswith("{")]
    assert len({row.text for row in said}) == len(said)


def test_retries_are_told_with_their_number_and_reason() -> None:
    assert shown(stream("claude/401")) == [
        "model claude-opus-5-5",
        "retry 1/1: 401 authentication failed",
        "error: Invalid API key · Fix external API key",
    ]
    assert shown(stream("codex/401"))[0].startswith("retry 1/1: unexpected status 401 Unauthorized")


def test_a_rate_limit_is_called_so_with_its_end() -> None:
    assert [row.text.partition(" until ")[0] for row in rows(stream("claude/usage-limit"))][1] == "rate limit"


def said(text: str) -> str:
    return json.dumps({"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}})


def test_last_words_that_were_not_said_before_are_shown() -> None:
    assert shown([json.dumps({"type": "result", "result": "Done."})]) == ["Done."]
    assert shown([said("Done."), json.dumps({"type": "result", "result": "Done.\n"})]) == ["Done."]
    assert shown([said("Half."), json.dumps({"type": "result", "result": "Whole."})]) == ["Half.", "Whole."]


def test_a_notice_that_is_repeated_is_there_once() -> None:
    notice = {"type": "item.completed", "item": {"id": "0", "type": "error", "message": "hooks may run"}}
    assert shown([json.dumps(notice)] * 2) == ["hooks may run"]


def test_plain_text_stays_as_it_is() -> None:
    assert shown(["one", "", "  two  three", '{"no": "type"}']) == [
        "one",
        "",
        "  two  three",
        '{"no": "type"}',
    ]


def call(id: str, command: str) -> str:
    block = {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}
    return json.dumps({"type": "assistant", "message": {"content": [block]}})


def result(id: str, text: str, **more: Any) -> str:
    block = {"type": "tool_result", "tool_use_id": id, "content": text, **more}
    return json.dumps({"type": "user", "message": {"content": [block]}})


def test_calls_side_by_side_get_their_own_results() -> None:
    both = [call("a", "one"), call("b", "two"), result("b", "2"), result("a", "1", is_error=True)]
    assert shown(both) == ["✗ Bash one", "  1", "✓ Bash two", "  2"]
    assert shown(both, live=True) == ["▸ Bash one", "▸ Bash two", "✓", "  2", "✗ Bash one", "  1"]


def test_a_call_without_an_end_is_shown_as_begun() -> None:
    assert shown([call("a", "sleep"), said("waiting")]) == ["▸ Bash sleep", "waiting"]


def test_the_time_of_a_call_is_measured_where_the_stream_has_none() -> None:
    conversation = Conversation()
    conversation.feed(call("a", "make"), 100.0)
    (ended,) = conversation.feed(result("a", ""), 102.5)
    assert (ended.kind, ended.name, ended.seconds) == ("result", "Bash", 2.5)


def test_of_a_failed_call_the_end_is_shown() -> None:
    output = "\n".join(str(n) for n in range(100))
    assert shown([call("a", "x"), result("a", output, is_error=True)])[-1] == "  99"
    assert "  92" in shown([call("a", "x"), result("a", output, is_error=True)])
    assert "  92" not in shown([call("a", "x"), result("a", output)])


def test_lines_belong_to_the_process_that_runs_and_a_command_is_no_conversation() -> None:
    heard: list[tuple[str, str, str]] = []
    agents = LiveTranscripts(lambda task, who, rows: heard.extend((task, who, row.text) for row in rows))
    started = f.IterationStarted(serial=1, n=1, prompt="p", prompt_chars=1, tree="t")
    agents.fact(started, "A")
    part = {"type": "message", "role": "assistant", "content": "half", "delta": True}
    agents.heard("agent", json.dumps(part), "A", 0.0)
    agents.heard("tests", said("as it is"), "A", 0.0)
    agents.fact(f.IterationEnded(serial=1, n=1, how="exited", code=0, seconds=1, tree="t"), "A")
    assert heard == [("A", "tests", said("as it is")), ("A", "agent", "half")]


@given(
    st.lists(st.sampled_from([line for name in EVERY for line in stream(name)]), max_size=12), st.booleans()
)
def test_lines_in_any_order_make_rows(printed: list[str], live: bool) -> None:
    assert all(isinstance(text, str) for text in shown(printed, live=live))


def test_a_key_that_comes_in_parts_is_masked_when_they_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part alone tells nothing, and so was masked by no one."""
    from ralph.history import serialise

    monkeypatch.setenv("GEMINI_API_KEY", "fake-key-0123456789abcdef")
    serialise._masker.cache_clear()
    parts = ("My key is fake-key-01234", "56789abcdef.")
    said = [
        json.dumps({"type": "message", "role": "assistant", "content": part, "delta": True}) for part in parts
    ]
    try:
        assert shown(said) == ["My key is ***."]
    finally:
        serialise._masker.cache_clear()
