"""What the live block says of hats: who is worn and why, what waits, and how the board stands. Pure."""

from __future__ import annotations

from collections import Counter

from ralph.core.state import LoopState
from ralph.core.text import few
from ralph.ui.columns import Span
from ralph.ui.hatlines import about, title
from ralph.ui.spending import cost
from ralph.ui.terminal import one_line

GAP = "   "


def worn(s: LoopState) -> tuple[Span, ...]:
    """The hat of the iteration under way, or whose turn is next; nothing without hats, or while nobody has a turn."""
    turn = s.turns.current or next(iter(s.turns.pending), None)
    if s.policy.routing is None or turn is None:
        return ()
    waits = len(s.turns.pending) - (turn in s.turns.pending)
    more = f"{GAP}{waits} more wait" if waits else ""
    name = one_line(title(s, turn.hat))
    on = Span(name, "bold") if s.turns.current else Span(f"next: {name}")
    return (on, Span(f"{GAP}{about(turn.events)}" if turn.events else ""), Span(more, "dim"))


def board(s: LoopState) -> tuple[Span, ...]:
    """How many items are where, and what they cost; nothing without a board that Ralph scans."""
    items = s.board.items.values()
    if not items:
        return ()
    there = Counter(f"in {one_line(item.folder)}/" for item in items if not item.done)
    through = sum(item.done and not item.failed for item in items)
    failed = sum(item.failed for item in items)
    told = [f"{through} through"] if through else []
    told += [f"{count} {where}" for where, count in there.items()]
    spent = sum(item.cost_usd for item in items)
    spans = [Span(few(told, 4))]
    if failed:
        spans.append(Span(f"{', ' if told else ''}{failed} given up", "yellow"))
    if spent:
        spans.append(Span(f"{GAP}{cost(spent, estimated=s.estimated)}", "dim"))
    return tuple(spans)
