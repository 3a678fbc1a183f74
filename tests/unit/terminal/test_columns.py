"""Text in a terminal's columns: wide and combining characters, cutting, styles."""

import pytest

from ralph.terminal.screen import TextSpan, cut, draw, pad, width_of
from ralph.terminal.words import LONGEST, one_line


@pytest.mark.parametrize(
    ("text", "columns"),
    [("plain", 5), ("漢字", 4), ("e\u0301", 1), ("\uff21", 2), ("😀", 2), ("", 0), ("\u2764\ufe0f", 2)],
)
def test_width_counts_columns_not_characters(text: str, columns: int) -> None:
    assert width_of(text) == columns


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdef", 5, "abcd…"),
        ("漢字漢字", 5, "漢字…"),
        ("漢字漢字", 4, "漢…"),  # half a character is none
        ("ab    cd", 5, "ab…"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
        ("abc", -3, ""),
    ],
)
def test_what_does_not_fit_gives_way_to_an_ellipsis(text: str, width: int, shown: str) -> None:
    assert cut(text, width) == shown
    assert width_of(cut(text, width)) <= max(0, width)


def test_a_padded_cell_has_its_width_whatever_is_in_it() -> None:
    assert [width_of(pad(text, 6)) for text in ("", "ab", "漢字", "漢字漢字", "abcdefgh")] == [6] * 5


def test_a_line_is_cut_over_its_spans_and_ends_without_spaces() -> None:
    spans = (TextSpan("abc ", "bold"), TextSpan("def", "red"), TextSpan("   "))
    assert draw(spans, 20, False) == "abc def"
    assert draw(spans, 7, False) == "abc def"
    assert draw(spans, 6, False) == "abc d…"
    assert draw(spans, 20, True) == "\x1b[1mabc \x1b[0m\x1b[31mdef\x1b[0m"
    assert draw((TextSpan("a\tb"),), 20, False) == "a   b"


def test_control_characters_never_reach_the_terminal() -> None:
    hostile = "\x1b[2Jred\x1b]0;title\x07\r\n\u202eback\x9b31m"
    shown = one_line(hostile)
    assert shown == "�[2Jred�]0;title��⏎�back�31m"
    assert one_line("x" * (LONGEST + 1)) == "x" * LONGEST + "..."
