"""What hostile text becomes: visible, on one line where one is wanted, cut where it is long, and never markup."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from loop_states import loop_state
from ralph.report.escape import commands, markdown, one_line, visible
from ralph.report.sources import StoredTexts, cut_text, read_part
from ralph.terminal.words import cost
from ralph.text import duration


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://evil\x1b\\click\x1b]8;;\x1b\\", "click"),
        ("\x9b31mred", "red"),
        ("a\x00b\x07c\x7f", "a␀b␇c␡"),
        ("10%\r20%\r\nend", "10%\n20%\nend"),
        ("user\u202ecod.exe", "user[U+202E]cod.exe"),
        ("zero\u200bwidth\ufeff", "zero[U+200B]width[U+FEFF]"),
        ("tag\U000e0041", "tag[U+E0041]"),
        ("half \ud83d", "half �"),
        ("tab\tand line\n", "tab\tand line\n"),
        ("👩‍💻 ü 漢字", "👩‍💻 ü 漢字"),
    ],
)
def test_what_would_act_or_deceive_becomes_visible(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_an_unfinished_terminal_sequence_hides_nothing_behind_it() -> None:
    assert visible("\x1b]0;title without an end\nthe rest\n") == "0;title without an end\nthe rest\n"


def test_one_line_is_one_line_and_bounded() -> None:
    assert one_line("a\n\n  b\tc") == "a b c"
    assert len(one_line("x" * 10_000, 50)) == 50
    assert one_line("x" * 50, 50) == "x" * 50
    assert one_line("\n" * 1000 + "x", 50).endswith("…"), "something was left out, and it says so"


@pytest.mark.parametrize(
    "text",
    [
        "| a | b |",
        "`code`",
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "![x](http://evil/pixel.png)",
        "**bold** _it_ ~~gone~~",
        "# heading",
        "line\n\n# heading\n\n| cell |",
        "\\| escaped pipe",
        "&lt;b&gt;",
        "see [the log][evil] and [evil]: http://evil",
        "a title with a tail ##",
    ],
)
def test_hostile_text_makes_no_markdown(text: str) -> None:
    """Read back as Markdown has it, the text is the same text, and nothing in it is active."""
    shown = markdown(one_line(text))
    assert "\n" not in shown and "<" not in shown and ">" not in shown
    plain = re.sub(r"\\(.)", "x", shown)  # without what is escaped
    assert not re.search(r"[`*|~]|^[#\[]|\]\(|\]\[|\s#+$", plain)
    back = re.sub(r"\\(.)", r"\1", shown).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    assert back == " ".join(text.split())


@pytest.mark.parametrize(
    "text",
    ["FAILED: 5 != 6", "test_bucket[3-x] == [1, 2]", "issue #12", "array[0] (first)", "a - b + c, 50%"],
)
def test_what_makes_no_markup_is_left_as_it_is(text: str) -> None:
    assert markdown(text) == text


def test_advice_keeps_its_commands_whatever_the_names_in_it() -> None:
    assert commands("Look with `git diff <a>`.") == ["Look with ", "git diff <a>", "."]
    plain, command, rest = commands("`git checkout -- 'a`b<i>[x](http://evil)\x1b[31m'`")
    assert (plain, command) == ("", "git checkout -- 'a")
    assert markdown(rest) == "b&lt;i&gt;[x\\](http://evil)'\\`"


def test_names_with_underscores_stay_readable() -> None:
    assert markdown("test_answer_is_42") == "test_answer_is_42"
    assert markdown("_emphasis_") == "\\_emphasis\\_"


def test_a_long_file_is_cut_between_lines_and_no_byte_is_unaccounted_for(tmp_path: Path) -> None:
    path = tmp_path / "out"
    lines = [f"line {n:06d}\n" for n in range(100_000)]
    path.write_text("".join(lines))
    part = read_part(path, 1000)
    assert part is not None
    assert "".join(lines).startswith(part.first) and "".join(lines).endswith(part.last)
    assert part.first.endswith("\n") and part.last.startswith("line ")
    assert len(part.first) + part.cut + len(part.last) == part.size == path.stat().st_size
    assert len(part.first) + len(part.last) <= 1000


def test_a_file_of_one_endless_line_is_cut_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"\xff" * 5000)
    part = read_part(path, 1000)
    assert part is not None
    assert (len(part.first), len(part.last), part.cut) == (500, 500, 4000)


def test_a_huge_file_is_never_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "out"
    with open(path, "wb") as file:
        file.write(b"first\n")
        file.truncate(1 << 40)  # a terabyte of nothing: reading it would show
    part = read_part(path, 4096)
    assert part is not None and part.first.startswith("first\n") and part.cut > (1 << 40) - 5000


def test_only_plain_files_are_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (tmp_path / "link").symlink_to(secret)
    os.mkfifo(tmp_path / "pipe")
    assert read_part(tmp_path / "link", 100) is None
    assert read_part(tmp_path / "pipe", 100) is None
    assert read_part(tmp_path, 100) is None
    assert read_part(tmp_path / "absent", 100) is None


def test_text_at_hand_is_cut_in_the_same_way() -> None:
    part = cut_text("é\n" * 1000, 300)
    assert part.size == 3000 and part.cut == 3000 - len((part.first + part.last).encode())
    assert cut_text("short", 300).cut == 0


def test_facts_cannot_name_files_outside_the_state_folder(tmp_path: Path) -> None:
    kept = StoredTexts(tmp_path / "state")
    assert kept.transcript("../../etc/passwd") is None
    assert kept.transcript("/etc/passwd") is None
    assert kept.transcript("") is None
    assert kept.prompt("../journal.jsonl") is None
    assert kept.transcript("runs/r/l/x.out") == tmp_path / "state/runs/r/l/x.out"


def test_numbers_are_as_people_read_them() -> None:
    assert [duration(s) for s in (0, 0.44, 59.7, 61, 3600, 7530, 90_000, -1)] == [
        "0.0 s", "0.4 s", "59.7 s", "1 min 01 s", "1 h 00 min", "2 h 05 min", "25 h 00 min", "0.0 s",
    ]  # fmt: skip
    assert [cost(c) for c in (0, 0.0004, 0.0123, 0.4, 12.345)] == [
        "0.00 USD",
        "<0.001 USD",
        "0.01 USD",
        "0.40 USD",
        "12.35 USD",
    ]
    assert cost(0.0042) == "0.004 USD"


def test_money_and_tokens_read_as_on_the_terminal() -> None:
    from ralph.terminal.lines import summary

    told = " ".join(summary(loop_state(tokens=4620, cost_usd=0.0412)))
    assert f"4620 tokens, {cost(0.0412)}" in told
