"""The pictures of the README: made from the real program, self-contained, and with nothing of a machine in them."""

from __future__ import annotations

import importlib
import re
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docs/pictures"
SHOWN = sorted(set(re.findall(r"docs/pictures/([\w.-]+)", (ROOT / "README.md").read_text())))
DRAWN = [name for name in SHOWN if name.endswith(".svg")]
PHOTOGRAPHS = [name for name in SHOWN if name.endswith(".png")]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def modules() -> Iterator[tuple[Any, Any]]:
    """The script, which is no part of the package, and its pure part."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FOLDER)
        yield importlib.import_module("make"), importlib.import_module("drawing")


@pytest.fixture
def make(modules: tuple[Any, Any]) -> Any:
    return modules[0]


@pytest.fixture
def drawing(modules: tuple[Any, Any]) -> Any:
    return modules[1]


def frames(svg: str) -> list[str]:
    """The text of each frame, line by line, as a browser puts it together."""
    root = ElementTree.fromstring(svg)
    rows = {row.get("id"): " ".join(row.itertext()) for row in root.iterfind(f"{SVG}defs/{SVG}g")}
    return [
        "\n".join(rows[(use.get("href") or "")[1:]] for use in frame.iterfind(f"{SVG}use"))
        for frame in root.iterfind(f"{SVG}g/{SVG}g")
    ]


def spans(svg: str) -> list[tuple[float, float]]:
    """When each frame is seen, in percent of the whole."""
    found = re.findall(r"([\d.]+)%\{visibility:visible\}(?:([\d.]+)%\{visibility:hidden\})?", svg)
    return [(float(start), float(end or 100)) for start, end in found]


# -- the pictures that are there -------------------------------------------------------------------


def test_the_readme_shows_every_picture_and_every_picture_is_there() -> None:
    assert [path.name for path in sorted(FOLDER.iterdir()) if path.suffix in (".svg", ".png")] == SHOWN
    assert "run.svg" in DRAWN and PHOTOGRAPHS


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawing_needs_nothing_from_elsewhere_and_does_nothing(name: str) -> None:
    svg = (FOLDER / name).read_text()
    assert len(svg.encode()) < 300_000
    for element in ElementTree.fromstring(svg).iter():
        kind = element.tag.removeprefix(SVG)
        assert kind in {"svg", "title", "style", "rect", "path", "circle", "text", "defs", "g", "use"}, kind
        assert not [key for key in element.keys() if key.startswith("on")]  # noqa: SIM118
        assert (element.get("href") or "#").startswith("#")
    assert re.findall(r"\w+://[^\"]+", svg) == ["http://www.w3.org/2000/svg"]
    assert "url(" not in svg and "@import" not in svg


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawing_tells_nothing_of_the_machine(name: str, make: Any) -> None:
    text = "\n".join(frames((FOLDER / name).read_text()))
    assert not re.search(r"(?<![\w~])/\w+", text), "a folder"
    assert set(re.findall(r"\b(\d{8})-\d{6}-", text)) <= {f"{make.CLOCK:%Y%m%d}"}
    assert {time[:4] for time in re.findall(r"^\d\d:\d\d:\d\d", text, re.MULTILINE)} <= {"09:0"}


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_a_photograph_is_a_small_png(name: str) -> None:
    content = (FOLDER / name).read_bytes()
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    assert len(content) < 200_000


def test_the_recording_shows_claims_turned_down_and_the_proof() -> None:
    shown = frames((FOLDER / "run.svg").read_text())
    assert shown[0] == "$"
    assert any("Ctrl-C stops" in frame and "strategy shift 1" in frame for frame in shown)
    assert any("attempt 3/5 rejected" in frame for frame in shown)
    assert "completed-verified: proven: tests red→green" in shown[-1]


# -- making them -----------------------------------------------------------------------------------


def test_styles_become_runs_and_last_into_the_next_row(drawing: Any) -> None:
    plain, red, bold = drawing.Style(), drawing.Style(colour=1), drawing.Style(bold=True)
    assert drawing.rows("a \x1b[31mb\nc\x1b[39m d\n") == (
        (drawing.Run("a ", plain), drawing.Run("b", red)),
        (drawing.Run("c", red), drawing.Run(" d", plain)),
    )
    assert drawing.rows("\x1b[1mx\x1b[0my") == ((drawing.Run("x", bold), drawing.Run("y", plain)),)


@pytest.mark.parametrize(
    ("codes", "style"),
    [
        ("1;32", {"bold": True, "colour": 2}),
        ("93", {"colour": 3}),
        ("2;3;4", {"dim": True, "italic": True, "underline": True}),
        ("1;2;22", {}),
        ("31;39;49", {}),
        ("1;4;", {}),
    ],
)
def test_escapes_change_the_style(codes: str, style: dict[str, Any], drawing: Any) -> None:
    assert drawing.restyled(drawing.Style(), codes) == drawing.Style(**style)


@pytest.mark.parametrize("text", ["\x1b[7mreversed", "\x1b[48;5;3mbackground", "\x1b[2J", "\x1b]0;title\x07"])
def test_what_cannot_be_drawn_is_refused(text: str, drawing: Any) -> None:
    with pytest.raises(ValueError, match="cannot show"):
        drawing.rows(text)


def drawn(drawing: Any, text: str) -> list[ElementTree.Element]:
    """The pieces of a row."""
    svg = drawing.picture([drawing.Frame(drawing.Screen(drawing.rows(text)), 1.0)], 80, 1, "t", "told")
    row = ElementTree.fromstring(svg).find(f"{SVG}defs/{SVG}g")
    assert row is not None
    return list(row)


def test_a_piece_stands_at_its_column_and_is_as_wide_as_its_columns(drawing: Any) -> None:
    first, wide, last = drawn(drawing, "one two   漢字   \x1b[1;32mend\x1b[0m")
    assert [(piece.text, float(piece.get("x") or -1)) for piece in (first, wide, last)] == [
        ("one two", 0),
        ("漢字", pytest.approx(10 * drawing.CELL)),
        ("end", pytest.approx(17 * drawing.CELL)),
    ]
    assert float(wide.get("textLength") or 0) == pytest.approx(4 * drawing.CELL)
    assert last.get("class") == "c2 b" and first.get("class") is None


def test_bars_and_lines_are_shapes(drawing: Any) -> None:
    line, words, full, left = drawn(drawing, "── a b ███░")
    assert [piece.tag.removeprefix(SVG) for piece in (line, words, full, left)] == [
        "rect",
        "text",
        "rect",
        "rect",
    ]
    assert float(full.get("x") or 0) == pytest.approx(7 * drawing.CELL)
    assert float(full.get("width") or 0) == pytest.approx(3 * drawing.CELL)
    assert left.get("fill-opacity")


def test_text_cannot_become_markup(drawing: Any) -> None:
    (piece,) = drawn(drawing, "<script>&amp;</script>")
    assert piece.text == "<script>&amp;</script>"


def test_at_every_moment_one_frame_is_seen_and_equal_rows_are_drawn_once(drawing: Any) -> None:
    screens = [drawing.Screen(drawing.rows(text)) for text in ("same\na", "same\nb", "same\na")]
    taken = [drawing.Frame(screen, seconds) for screen, seconds in zip(screens, (1, 2, 5), strict=True)]
    svg = drawing.picture(taken, 80, 2, "t", "told")
    assert frames(svg) == ["same\na", "same\nb", "same\na"]
    assert len(re.findall('<g id="r', svg)) == 3
    assert spans(svg) == [(0, 12.5), (12.5, 37.5), (37.5, 100)]
    assert "animation:8.00s" in svg


def test_without_motion_the_last_screen_stays(drawing: Any) -> None:
    taken = [drawing.Frame(drawing.Screen(drawing.rows(text)), 1.0) for text in "ab"]
    moving = drawing.picture(taken, 80, 1, "t", "told")
    before, _, motion = moving.partition("@media(prefers-reduced-motion:no-preference)")
    assert ".f{visibility:hidden}#f1{visibility:visible}" in before and "animation" not in before
    assert "animation" in motion
    assert "animation" not in drawing.picture(taken[:1], 80, 1, "t", "told")


def test_folders_times_and_names_made_by_chance_are_replaced(make: Any) -> None:
    told = make.Neutral(Path("/tmp/x/home"), datetime(2031, 5, 6, 23, 59, 58, 900))
    text = "\x1b[2m00:00:01  \x1b[0mrun 20310506-235959-ab12\nin /tmp/x/home/demo of 1:00:00\n2031-05-07 00:00:03 UTC"
    assert told(text) == (
        "\x1b[2m09:00:03  \x1b[0mrun 20260101-090001-7a1c\nin ~/demo of 1:00:00\n2026-01-01 09:00:05 UTC"
    )
    assert told("20310506-235959-cd34 20310506-235959-ab12") == "20260101-090001-7a1d 20260101-090001-7a1c"


def test_what_is_new_on_a_screen_gets_time_to_be_read(make: Any, drawing: Any) -> None:
    seen = [
        drawing.Screen(drawing.rows(text)) for text in ("$ x", "$ x\n   agent", "one\ntwo\n   agent", "one")
    ]
    assert [frame.seconds for frame in make.paced(seen)] == pytest.approx(
        [make.START, make.FRAME, make.FRAME + 2 * make.NEW_LINE, make.REST]
    )


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_the_script_records_the_demo_of_today(make: Any, drawing: Any) -> None:
    with make.own_folder() as folder, make.terminal(folder) as pane:
        told = make.Neutral(pane.home, datetime.now(UTC).replace(tzinfo=None))
        svg = drawing.picture(make.record(pane, told), make.COLUMNS, make.LINES, "t", "told")
        still = drawing.text_of(make.status(pane, told))
    assert not folder.exists()
    shown = frames(svg)
    assert re.search("^09:00:", shown[-1], re.MULTILINE), "the clock begins at the same time everywhere"
    assert shown[0] == "$" and f"$ {make.COMMAND}" in shown
    assert any("Ctrl-C stops" in frame for frame in shown)
    assert "completed-verified: proven: tests red→green" in shown[-1] and "~/demo" in shown[-1]
    assert still[0] == "$ ralph status" and any("completed-verified" in line for line in still)
    assert str(folder) not in svg
