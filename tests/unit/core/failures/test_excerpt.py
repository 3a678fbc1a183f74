"""Excerpts: verbatim, bounded, safe to print."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from ralph.core.failures.excerpt import (
    FIRST_WINDOW,
    LAST_WINDOW,
    MAX_CHARS,
    MAX_LINE,
    bounded_lines,
    excerpt,
    excerpt_windows,
    windows_text,
)

TEXTS = st.text(st.characters(), max_size=400) | st.lists(
    st.sampled_from(
        ["a", "word", "\n", "\n\n", "\r", "\r\n", "\x1b[31m", "\x1b]0;t\x07", "\x1b", "x" * 3000, "é", "\x00"]
    ),
    max_size=300,
).map("".join)


def numbered(count: int) -> list[str]:
    return [f"line {n}" for n in range(1, count + 1)]


def test_output_of_a_hundred_lines_is_kept_whole() -> None:
    text = "\n".join(numbered(100))
    assert excerpt(text + "\n") == text


def test_longer_output_keeps_first_thirty_and_last_seventy_lines_and_says_how_many_are_gone() -> None:
    lines = numbered(343)
    assert excerpt("\n".join(lines)).split("\n") == [
        *lines[:30],
        "[... 243 lines truncated ...]",
        *lines[-70:],
    ]


def test_other_proportions_can_be_asked_for() -> None:
    assert excerpt("\n".join(numbered(10)), head=1, tail=2).split("\n") == [
        "line 1",
        "[... 7 lines truncated ...]",
        "line 9",
        "line 10",
    ]
    assert excerpt("\n".join(numbered(10)), head=2, tail=0) == "line 1\nline 2\n[... 8 lines truncated ...]"


def test_colours_titles_and_cursor_movements_are_removed() -> None:
    assert (
        excerpt(
            "\x1b[1;31mFAIL\x1b[0m a\x1b[K\n\x1b]0;title\x07b\x1b(B \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"
        )
        == "FAIL a\nb link"
    )


def test_of_an_overwritten_progress_line_only_its_last_state_is_kept() -> None:
    assert excerpt("10%\r50%\r100%\r\nnext\r\nspin |\rspin /\r") == "100%\nnext\nspin /"


def test_control_and_direction_characters_do_not_reach_a_terminal() -> None:
    assert excerpt("a\x00b\x07c\x08\x9b2Jd\u202ee\u2066f\tg") == "abcdef\tg"


def test_undecodable_bytes_can_be_written_to_a_file() -> None:
    assert excerpt(b"bad \xff byte".decode("utf-8", "surrogateescape")).encode() == "bad � byte".encode()


def test_an_endless_line_is_cut_and_marked() -> None:
    cut = excerpt("x" * 5_000 + "\nshort")
    first, second = cut.split("\n")
    assert len(first) <= MAX_LINE
    assert first.endswith(f"[... {5_000 - first.count('x')} characters truncated ...]")
    assert second == "short"


def test_many_long_lines_stay_within_the_total_and_are_counted() -> None:
    lines = [f"{n:03d} " + "y" * 1_500 for n in range(90)]
    cut = excerpt("\n".join(lines)).split("\n")
    assert sum(len(line) + 1 for line in cut) <= MAX_CHARS
    assert cut[0] == lines[0]
    assert cut[-1] == lines[-1]
    assert f"[... {90 - (len(cut) - 1)} lines truncated ...]" in cut


def test_huge_output_gives_the_same_excerpt_as_a_small_one_of_its_shape() -> None:
    lines = numbered(400_000)
    assert excerpt("\n".join(lines)).split("\n") == [
        *lines[:30],
        "[... 399900 lines truncated ...]",
        *lines[-70:],
    ]


def test_a_five_megabyte_line_is_bounded() -> None:
    assert len(excerpt("z" * 5_000_000)) <= 2 * MAX_LINE + 1
    assert sum(map(len, bounded_lines("z" * 5_000_000))) <= 2 * MAX_LINE


def test_windows_of_a_file_give_the_excerpt_of_the_file() -> None:
    text = "\n".join(numbered(100_000)) + "\n"
    data = text.encode()
    assert excerpt_windows(data[:FIRST_WINDOW], data[-LAST_WINDOW:], 100_000) == excerpt(text)


def test_windows_cut_inside_a_character_or_line_lose_only_that_line() -> None:
    first, last = "eins\nzwö".encode()[:-1], "ß vier\nfünf\n".encode()[1:]
    assert windows_text(first, last) == "eins\nfünf"
    assert excerpt_windows(first, last, 5) == "eins\n[... 3 lines truncated ...]\nfünf"


@settings(deadline=None)
@given(TEXTS)
def test_any_text_gives_a_bounded_printable_excerpt_which_is_its_own_excerpt(text: str) -> None:
    cut = excerpt(text)
    assert len(cut.split("\n")) <= 101
    assert len(cut) <= MAX_CHARS
    assert not [c for c in cut if unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n"]
    assert excerpt(cut) == cut


@settings(deadline=None)
@given(st.binary(max_size=200), st.binary(max_size=200), st.integers(0, 1000))
def test_any_bytes_give_an_excerpt(first: bytes, last: bytes, total: int) -> None:
    assert len(excerpt_windows(first, last, total).split("\n")) <= 101
    windows_text(first, last).encode()
