"""The parts of a page about hats and their board."""

from __future__ import annotations

from ralph.report.hats import ITEM_HEAD, item_row, worn_row
from ralph.report.pieces import inline, scroll, section
from ralph.report.sections import ROWS_SHOWN, head_row
from ralph.report.story import Story

_NUMBERS = range(2, 7)  # columns of a board's table


def worn(story: Story, at: str) -> str:
    """Who each iteration was, and where its events went; nothing without hats."""
    if not story.worn:
        return ""
    left_out = story.left_out()
    rows = []
    for one in story.worn[-ROWS_SHOWN:]:
        number, hat, because, said = worn_row(one)
        linked = number if one.serial in left_out else f'<a href="#{at}i{one.serial}">{number}</a>'
        cleared = '<div class="muted">notes cleared</div>' if one.fresh else ""
        rows.append(
            f'<tr><td class="num">{linked}</td><td>{inline(hat, 80)}{cleared}</td>'
            f"<td>{inline(because, 160)}</td><td>{inline(said, 400)}</td></tr>"
        )
    more = len(story.worn) - ROWS_SHOWN
    left = f'<p class="muted">The last {ROWS_SHOWN} of {len(story.worn):,}.</p>' if more > 0 else ""
    head = head_row("##", "Hat", "Because of", "What it said")
    table = f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
    return section("Hats and events", left + scroll(table, "Hats and events"))


def board(story: Story) -> str:
    """The items of a board, and what each took; nothing without one."""
    if not story.items:
        return ""
    rows = "".join(
        "<tr>"
        + "".join(
            f'<td class="num">{inline(cell, 80)}</td>' if n in _NUMBERS else f"<td>{inline(cell, 240)}</td>"
            for n, cell in enumerate(item_row(item, story.policy.team, estimated=story.estimated))
        )
        + "</tr>"
        for item in story.items[-ROWS_SHOWN:]
    )
    names = (f"#{name}" if n in _NUMBERS else name for n, name in enumerate(ITEM_HEAD))
    table = f"<table><thead>{head_row(*names)}</thead><tbody>{rows}</tbody></table>"
    more = len(story.items) - ROWS_SHOWN
    left = f'<p class="muted">The last {ROWS_SHOWN} of {len(story.items):,} items.</p>' if more > 0 else ""
    return section("Board", left + scroll(table, "Board"))
