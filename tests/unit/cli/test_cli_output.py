"""Outputs on their way to a terminal: harmless, whole, and never more of them in memory than a part."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator

import pytest

from ralph.cli.output import CHUNK, Printed, Told, cut, lines
from ralph.text import duration, size


@pytest.mark.parametrize(
    "raw, shown",
    [
        (b"plain \xe2\x9c\x93", "plain ✓"),
        (b"\x1b[31mred\x1b[0m", "red"),
        (b"\x1b]0;title\x07x", "x"),
        (b"a\x1b", "a\ufffd"),
        (b"bell\x07 back\x08", "bell\ufffd back\ufffd"),
        (b"tab\tstays", "tab\tstays"),
        (b"windows\r", "windows"),
        (b"over\rwritten", "over\ufffdwritten"),
        ("right-to-left \u202e".encode(), "right-to-left \ufffd"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        ("\u009b31m".encode(), ""),
    ],
)
def test_what_controls_a_terminal_becomes_harmless(raw: bytes, shown: str) -> None:
    assert Printed().line(raw) == [shown]


def test_a_long_line_is_not_cut() -> None:
    text = ("x" * 5000 + "\t") * 3
    assert Printed().line(text.encode()) == [text]


def test_lines_are_put_together_over_parts_and_the_last_needs_no_newline() -> None:
    assert list(lines([b"on", b"e\ntw", b"o\n\nfo", b"ur"])) == ["one", "two", "", "four"]
    assert list(lines([b"one\n"])) == ["one"]
    assert list(lines([])) == []


def said(text: str) -> bytes:
    block = {"type": "text", "text": text}
    return json.dumps({"type": "assistant", "message": {"content": [block]}}).encode() + b"\n"


def test_what_an_agent_says_in_json_is_told_in_words_and_harmless() -> None:
    assert list(lines([said("one\ntwo\x1b[31m!\x07")], Told())) == ["one", "two!\ufffd"]
    assert list(lines([b"no json\n", b'{"type": "strange"}\n'], Told())) == [
        "no json",
        "strange",
    ]


def test_a_line_of_json_that_is_longer_than_a_part_is_told_all_the_same() -> None:
    whole = said("x" * (2 * CHUNK)) + said("then")
    pieces = [whole[at : at + CHUNK] for at in range(0, len(whole), CHUNK)]
    assert list(lines(pieces, Told())) == ["x" * (2 * CHUNK), "then"]


@pytest.mark.parametrize("show", [Printed, Told])
def test_a_line_without_end_does_not_fill_the_memory(show: type[Printed]) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(1000):
            yield b"x" * CHUNK

    tracemalloc.start()
    total = sum(map(len, lines(endless(), show())))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert total == 1000 * CHUNK
    assert peak < 20 * CHUNK


@pytest.mark.parametrize(
    "seconds, shown",
    [
        (0.04, "0.0 s"),
        (59.9, "59.9 s"),
        (59.99, "1 min 00 s"),
        (61, "1 min 01 s"),
        (3600, "1 h 00 min"),
        (200000, "2 d 07 h"),
    ],
)
def test_durations(seconds: float, shown: str) -> None:
    assert duration(seconds) == shown


@pytest.mark.parametrize(
    "count, shown", [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (999_999, "1.0 MB"), (5 * 10**9, "5.0 GB")]
)
def test_sizes(count: int, shown: str) -> None:
    assert size(count) == shown


def test_a_text_is_cut_to_one_line() -> None:
    assert cut("a\n b\tc", 10) == "a b c"
    assert cut("x" * 20, 10) == "x" * 9 + "…"
