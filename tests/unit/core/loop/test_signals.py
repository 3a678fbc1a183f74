"""Signals are read only from what the agent finally says, alone on a line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph.core.loop.signals import claims, defuse, read, signal_on, with_tool


@pytest.mark.parametrize(
    "line",
    [
        "TASK_COMPLETE",
        "  TASK_COMPLETE  ",
        "**TASK_COMPLETE**",
        "`TASK_COMPLETE`",
        "TASK_COMPLETE.",
        "<promise>TASK_COMPLETE</promise>",
        "**`TASK_COMPLETE`**.",
        "_<promise>LOOP_COMPLETE</promise>_",
    ],
)
def test_signal_is_recognised_through_emphasis_and_tags(line: str) -> None:
    assert read(f"All done.\n\n{line}", structured=False).word == "TASK_COMPLETE"


@pytest.mark.parametrize(
    "text",
    [
        "I cannot output TASK_COMPLETE",
        "I am not saying TASK_COMPLETE yet.",
        "> TASK_COMPLETE",
        "- `TASK_COMPLETE`: every criterion is met",
        "task_complete",
        "TASK_COMPLETE!?",
        "TASK_COMPLETED",
        "```\nTASK_COMPLETE\n```",
        "~~~\nTASK_COMPLETE\n~~~",
        "```text\nTASK_COMPLETE",
        "TASK_COMPLETE\nbut\nthen\nmore words",
    ],
)
def test_words_that_only_mention_a_signal_are_silence(text: str) -> None:
    said = read(text, structured=False)
    assert (said.word, said.explicit) == ("ITERATION_DONE", False)


def test_plain_text_looks_at_the_last_three_lines_only() -> None:
    assert read("TASK_COMPLETE\na\n\nb\n", structured=False).word == "TASK_COMPLETE"
    assert read("TASK_COMPLETE\na\nb\nc", structured=False).word == "ITERATION_DONE"


def test_a_structured_message_is_read_whole() -> None:
    assert read("TASK_COMPLETE\na\nb\nc\nd", structured=True).word == "TASK_COMPLETE"


def test_stuck_wins_and_keeps_its_reason() -> None:
    said = read("TASK_COMPLETE\nTASK_STUCK: no network", structured=False)
    assert (said.word, said.reason) == ("TASK_STUCK", "no network")
    assert said.warning
    assert read("**TASK_STUCK:** needs a key", structured=False).reason == "needs a key"
    assert read("**TASK_STUCK**: needs a key", structured=False).reason == "needs a key"
    assert read("TASK_STUCK", structured=False).word == "TASK_STUCK"


def test_complete_together_with_done_counts_as_done_with_a_warning() -> None:
    said = read("TASK_COMPLETE\nITERATION_DONE", structured=False)
    assert said.word == "ITERATION_DONE"
    assert said.warning


def test_a_fence_is_closed_only_by_its_own_kind() -> None:
    inside = (
        "```\n~~~\nTASK_COMPLETE",
        "````\n```\nTASK_COMPLETE",
        "```\n```python\nTASK_COMPLETE",
        "~~~ x\nTASK_COMPLETE",
    )
    outside = ("```\nx\n```\nTASK_COMPLETE", "````md\n```\n````\nTASK_COMPLETE", "```x``` and\nTASK_COMPLETE")
    assert [read(text, structured=True).word for text in inside] == ["ITERATION_DONE"] * len(inside)
    assert [read(text, structured=True).word for text in outside] == ["TASK_COMPLETE"] * len(outside)


def test_silence_counts_as_done() -> None:
    assert read("", structured=False).word == "ITERATION_DONE"
    assert not read("some words", structured=False).explicit


def test_custom_promise_is_a_claim() -> None:
    assert read("<promise>ALL GREEN</promise>", structured=False, promise="ALL GREEN").word == "TASK_COMPLETE"
    assert read("**ALL GREEN.**", structured=False, promise="ALL GREEN.").word == "TASK_COMPLETE"
    assert read("all green", structured=False, promise="ALL GREEN").word == "ITERATION_DONE"


def test_non_zero_exit_voids_a_claim() -> None:
    said = read("TASK_COMPLETE", structured=False)
    assert claims(said, 0, "signal")
    assert not claims(said, 1, "signal")
    assert not claims(said, 1, "exit-zero")


def test_claim_rules() -> None:
    silence = read("", structured=False)
    stuck = read("TASK_STUCK: x", structured=False)
    assert not claims(silence, 0, "signal")
    assert claims(silence, 0, "exit-zero")
    assert claims(silence, 0, "every-iteration")
    assert not claims(stuck, 0, "exit-zero")


_WORDS = st.sampled_from(
    ["TASK_COMPLETE", "ITERATION_DONE", "TASK_STUCK: x", "LOOP_COMPLETE", "PROMISE", "text"]
)
_WRAPS = st.sampled_from(["{}", "**{}**", "`{}`", "{}.", "<promise>{}</promise>", "  {}", "> {}", "- {}"])
_LINES = st.lists(
    st.builds(lambda w, wrap: wrap.format(w), _WORDS, _WRAPS) | st.text(max_size=20), max_size=8
)


@given(_LINES)
def test_defused_text_never_contains_a_signal(lines: list[str]) -> None:
    text = defuse("\n".join(lines), "PROMISE")
    assert not [line for line in text.splitlines() if signal_on(line, "PROMISE")[0]]


@given(st.text(), st.booleans(), st.text(max_size=10))
def test_reading_never_fails(text: str, structured: bool, promise: str) -> None:
    assert read(text, structured=structured, promise=promise).word in (
        "ITERATION_DONE",
        "TASK_COMPLETE",
        "TASK_STUCK",
    )


@pytest.mark.parametrize(
    ("said", "word", "warns"),
    [
        ("I am done.", "TASK_COMPLETE", False),
        ("TASK_COMPLETE", "TASK_COMPLETE", False),
        ("ITERATION_DONE", "ITERATION_DONE", True),
        ("TASK_STUCK: no database", "TASK_STUCK", True),
        ("TASK_COMPLETE\nITERATION_DONE", "ITERATION_DONE", True),
    ],
)
def test_a_claim_by_the_tool_counts_unless_other_words_speak_against_it(
    said: str, word: str, warns: bool
) -> None:
    found = with_tool(read(said, structured=True))
    assert (found.word, bool(found.warning)) == (word, warns)
