"""How the hats of a loop stand: who is worn, what waits, since when nobody finds work, and what each item has cost."""

from __future__ import annotations

from typing import Literal

import msgspec

from ralph.core import facts as f
from ralph.core.eventview import named
from ralph.core.figures import count, duration
from ralph.core.hatfold import IDLE
from ralph.core.scanboard import Board, Item
from ralph.core.state import LoopState
from ralph.core.text import few
from ralph.journal.record import Record
from ralph.ui.hatlines import about, of_backlog, title
from ralph.ui.spending import spent


class ItemStanding(msgspec.Struct, frozen=True):
    name: str
    state: Literal["under way", "waiting", "through", "given up"]
    folder: str  # where it was found last; of a task, the file of the backlog
    task: bool  # of a backlog
    dispatches: int
    failures: int  # of the phase that it is in
    reason: str
    tokens: int
    cost_usd: float
    seconds: float


class HatStanding(msgspec.Struct, frozen=True):
    hat: str | None  # of the iteration under way; None: none is, or it wears none
    title: str
    event: str  # what it is about; empty: no iteration is under way
    queue: int  # turns that wait
    waiting: list[str]  # events, in the order in which their turn comes
    idle_since: str | None
    idle_until: str | None
    cycle: int
    items: list[ItemStanding]
    finished: int  # items that are through or given up


def hat_standing(s: LoopState, own: list[Record], *, live: bool) -> HatStanding | None:
    """None: the loop routes no events."""
    if s.policy.routing is None:
        return None
    turn = s.turns.current if live else None
    since, until = _idle(s, own) if live else ("", "")
    return HatStanding(
        hat=(turn.hat or None) if turn else None,
        title=title(s, turn.hat) if turn else "",
        event=about(turn.events) if turn else "",
        queue=len(s.turns.pending),
        waiting=[named(event) for waits in s.turns.pending for event in waits.events],
        idle_since=since or None,
        idle_until=until or None,
        cycle=s.turns.cycle,
        items=items(s),
        finished=s.board.finished,
    )


def items(s: LoopState) -> list[ItemStanding]:
    board = s.board
    return [
        ItemStanding(
            name=item.name,
            state=_state(board, item),
            folder=item.folder,
            task=of_backlog(s.policy.team, item.folder),
            dispatches=item.dispatches,
            failures=item.failures,
            reason=item.reason,
            tokens=item.tokens,
            cost_usd=item.cost_usd,
            seconds=round(item.seconds, 1),
        )
        for item in board.items.values()
    ]


def worn_text(x: HatStanding) -> str:
    """Whose turn it is, in words; empty when no iteration is under way."""
    return f"{x.title}: {x.event}" if x.event else x.title


def queue_text(x: HatStanding) -> str:
    return f"{count(x.queue, 'turn')} to come: {few(x.waiting)}" if x.queue else ""


def item_text(x: ItemStanding, *, estimated: bool) -> str:
    place = x.folder if x.task else f"{x.folder}/"
    told = {
        "under way": f"under way, from {place}",
        "waiting": f"in {place}",
        "through": "through",
        "given up": "given up",
    }[x.state]
    figures = [duration(x.seconds), *spent(x.tokens, x.cost_usd, estimated=estimated)] if x.seconds else []
    # Why it was given up says how often it failed.
    failed = [f"failed {count(x.failures, 'time')}"] if x.failures and x.state != "given up" else []
    why = f": {x.reason}" if x.reason else ""
    return ", ".join([told, *failed, *figures]) + why


def _state(board: Board, item: Item) -> Literal["under way", "waiting", "through", "given up"]:
    if item.failed:
        return "given up"
    if item.done:
        return "through"
    return "under way" if item.name == board.under_way else "waiting"


def _idle(s: LoopState, own: list[Record]) -> tuple[str, str]:
    """Since when nobody has found work, and when is looked again; nothing while somebody works."""
    if not any(op.startswith(IDLE) for op in s.open):
        return "", ""
    since = until = ""
    for record in own:
        match f.decode(record.data) if record.kind in _OF_IDLENESS else None:
            case f.WaitStarted() as x if x.op.startswith(IDLE):
                since, until = since or record.at, x.until
            case f.BoardLooked(topic=""):
                pass
            case f.IterationStarted() as x if _looks(s, x):
                pass
            case None:
                pass
            case _:
                since = ""
    return since, until


_OF_IDLENESS = ("wait.started", "board.looked", "iteration.started")


def _looks(s: LoopState, x: f.IterationStarted) -> bool:
    """The iteration only looked whether there is work."""
    hat = s.policy.team.hat(x.hat) if s.policy.team else None
    return hat is not None and hat.scanner
