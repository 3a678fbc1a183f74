"""Screens of a terminal as one SVG: what tmux captured in, a self-contained picture out. Pure.

It has real text, no script, no font and no address in it, so that a page may show it as an image. Where nothing may
move (prefers-reduced-motion, a printer) it is the last screen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

from ralph.terminal.screen import width_of

CELL, LINE, FONT = 8.4, 19, 14  # pixels: a column, a row, the size of the letters
MARGIN, BAR = 18, 38  # around the text; the bar on top of the window

LIGHT = {
    "window": "#ffffff",
    "bar": "#f3f4f6",
    "edge": "#d0d7de",
    "text": "#24292f",
    "dim": "#6e7781",
    "colours": "#24292f #c5221f #1a7f37 #9a6700 #0969da #8250df #1b7c83 #57606a",
}
DARK = {
    "window": "#14171c",
    "bar": "#1e2229",
    "edge": "#30363d",
    "text": "#e6edf3",
    "dim": "#8b949e",
    "colours": "#6e7681 #ff7b72 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd #c9d1d9",
}


class Style(NamedTuple):
    colour: int | None = None  # of the eight; None is that of plain text
    bold: bool = False
    dim: bool = False
    italic: bool = False
    underline: bool = False


class Run(NamedTuple):
    text: str
    style: Style


Row = tuple[Run, ...]


class Screen(NamedTuple):
    rows: tuple[Row, ...]
    cursor: tuple[int, int] | None = None  # column and row, where it is seen


class Frame(NamedTuple):
    screen: Screen
    seconds: float


# -- what tmux captured ----------------------------------------------------------------------------

_SGR = re.compile(r"\x1b\[([\d;]*)m")
_TURNS: dict[int, dict[str, bool]] = {
    1: {"bold": True},
    2: {"dim": True},
    3: {"italic": True},
    4: {"underline": True},
    22: {"bold": False, "dim": False},
    23: {"italic": False},
    24: {"underline": False},
    49: {},  # the plain background; there is no other
}


def rows(captured: str) -> tuple[Row, ...]:
    """The rows of `capture-pane -e`. A style lasts until it is turned off, also into the next row."""
    style, found = Style(), []
    for line in captured.removesuffix("\n").split("\n"):
        row, done = [], 0
        for code in _SGR.finditer(line):
            row.append(Run(line[done : code.start()], style))
            style, done = restyled(style, code[1]), code.end()
        row.append(Run(line[done:], style))
        if "\x1b" in (plain := "".join(run.text for run in row)):
            raise ValueError(f"a picture cannot show this: {plain!r}")
        found.append(tuple(run for run in row if run.text))
    return tuple(found)


def restyled(style: Style, codes: str) -> Style:
    """After the escape sequence ESC [ codes m. What cannot be drawn is refused: a picture must not differ silently."""
    for code in (int(code or 0) for code in codes.split(";")):
        if code == 0:
            style = Style()
        elif code in _TURNS:
            style = style._replace(**_TURNS[code])
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style = style._replace(colour=code % 10)
        elif code == 39:
            style = style._replace(colour=None)
        else:
            raise ValueError(f"a picture cannot show the style {codes!r}")
    return style


def text_of(screen: Screen) -> list[str]:
    return ["".join(run.text for run in row).rstrip() for row in screen.rows]


# -- the picture -----------------------------------------------------------------------------------


def picture(frames: Sequence[Frame], columns: int, lines: int, title: str, told: str) -> str:
    """A window that shows one screen after the other, from the beginning again after the last. `told` is for those who
    do not see it."""
    width, height = round(columns * CELL + 2 * MARGIN), BAR + 2 * MARGIN - 4 + lines * LINE
    names: dict[Row, str] = {}
    shown = [_frame(number, frame.screen, names) for number, frame in enumerate(frames)]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(told)}</title>",
        f"<style>{_sheet(frames)}</style>",
        *_window(width, height, title),
        "<defs>",
        *(f'<g id="{name}">{_drawn(row)}</g>' for row, name in names.items()),
        "</defs>",
        f'<g class="text" transform="translate({MARGIN} {BAR + MARGIN - 2})">',
        *shown,
        "</g>",
        "</svg>\n",
    ]
    return "\n".join(parts)


def _window(width: int, height: int, title: str) -> list[str]:
    bar = f"M.5 {BAR}V10.5a10 10 0 0 1 10-10H{width - 10.5}a10 10 0 0 1 10 10V{BAR}z"
    dots = "".join(f'<circle class="dot" cx="{22 + 20 * n}" cy="{BAR / 2:g}" r="6"/>' for n in range(3))
    return [
        f'<rect class="window" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="10"/>',
        f'<path class="bar" d="{bar}"/>{dots}',
        f'<text class="title" x="{width / 2:g}" y="{BAR / 2 + 5:g}">{escape(title)}</text>',
    ]


def _frame(number: int, screen: Screen, names: dict[Row, str]) -> str:
    """Rows are drawn once and used wherever they are seen."""
    uses = []
    for place, row in enumerate(screen.rows):
        if any(run.text.strip() for run in row):
            name = names.setdefault(row, f"r{len(names)}")
            uses.append(f'<use href="#{name}" y="{place * LINE}"/>')
    if screen.cursor:
        column, place = screen.cursor
        uses.append(
            f'<rect class="d" x="{column * CELL:.4g}" y="{place * LINE + 2}" width="{CELL}" height="{LINE - 3}"/>'
        )
    return f'<g id="f{number}" class="f">{"".join(uses)}</g>'


_PIECES = re.compile(r"─+|█+|░+|[^\s─█░]+(?: [^\s─█░]+)*")
_SHAPES = {"─": (9, 1, ""), "█": (4, 12, ""), "░": (4, 12, ' fill-opacity=".3"')}  # top, height


def _drawn(row: Row) -> str:
    """Each piece at its own column and as wide as its columns, so that any font fits; lines and bars as shapes."""
    parts, column = [], 0
    for text, style in row:
        names = _classes(style)
        for piece in _PIECES.finditer(text):
            x = (column + width_of(text[: piece.start()])) * CELL
            wide = width_of(piece[0]) * CELL
            if shape := _SHAPES.get(piece[0][0]):
                top, height, shade = shape
                parts.append(
                    f'<rect{names} x="{x:.5g}" y="{top}" width="{wide:.5g}" height="{height}"{shade}/>'
                )
            else:
                parts.append(
                    f'<text{names} x="{x:.5g}" y="{FONT}" textLength="{wide:.5g}">{escape(piece[0])}</text>'
                )
        column += width_of(text)
    return "".join(parts)


def _classes(style: Style) -> str:
    names = [] if style.colour is None else [f"c{style.colour}"]
    names += [name[0] for name in ("bold", "dim", "italic", "underline") if getattr(style, name)]
    return f' class="{" ".join(names)}"' if names else ""


def _sheet(frames: Sequence[Frame]) -> str:
    rules = [
        ".text,.title{font:"
        f"{FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',monospace}}",
        ".title{text-anchor:middle;font-size:13px}",
        ".b{font-weight:700}.i{font-style:italic}.u{text-decoration:underline}",
        _colours(LIGHT),
        f"@media(prefers-color-scheme:dark){{{_colours(DARK)}}}",
        f".f{{visibility:hidden}}#f{len(frames) - 1}{{visibility:visible}}",
    ]
    if len(frames) > 1:
        rules.append(f"@media(prefers-reduced-motion:no-preference){{{_motion(frames)}}}")
    return "\n".join(rules)


def _colours(of: dict[str, str]) -> str:
    named = "".join(f".c{number}{{fill:{value}}}" for number, value in enumerate(of["colours"].split()))
    return (
        f".window{{fill:{of['window']};stroke:{of['edge']}}}.bar{{fill:{of['bar']}}}.dot{{fill:{of['edge']}}}"
        f".text{{fill:{of['text']}}}.d,.title{{fill:{of['dim']}}}{named}"
    )


def _motion(frames: Sequence[Frame]) -> str:
    """Each screen is seen in its part of the whole, and in no other."""
    whole, passed = sum(frame.seconds for frame in frames), 0.0
    rules = [f".f{{animation:{whole:.2f}s step-end infinite}}"]
    for number, frame in enumerate(frames):
        start, passed = passed, passed + frame.seconds
        before = "0%{visibility:hidden}" if number else ""
        after = f"{100 * passed / whole:.3f}%{{visibility:hidden}}" if number < len(frames) - 1 else ""
        rules.append(f"#f{number}{{animation-name:k{number}}}@keyframes k{number}{{")
        rules.append(f"{before}{100 * start / whole:.3f}%{{visibility:visible}}{after}}}")
    return "".join(rules)
