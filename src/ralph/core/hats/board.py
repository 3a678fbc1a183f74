"""A board of folders, looked at without an agent: which item is next, which has failed, and what the log says. Pure.

The caller lists the folders (name -> names in it) and does what the answer says. One item at a time, the first folder
first, the first name alphabetically.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from ralph.core.hats.model import Event, Scan
from ralph.text import one_line

MOST_FAILURES = 3
MOST_REPEATS = 3  # of one dispatch by an agent, with the item where it was
NAME_CHARS = 200
Listings = Mapping[str, Sequence[str]]


class BoardItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of one item. `failures` are of the phase that it is in."""

    name: str
    folder: str
    dispatches: int = 0
    failures: int = 0
    reason: str = ""  # of the last failure
    done: bool = False  # it is in none of the folders any more
    failed: bool = False  # it was given up
    cost_usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0


class Board(msgspec.Struct, frozen=True, omit_defaults=True):
    items: dict[str, BoardItem] = {}
    under_way: str = ""  # the item that was dispatched last
    others: tuple[str, ...] = ()  # those of other scanners, which have not looked for them since
    finished: int = 0  # items that left the board, given up or not
    failed: int = 0  # of these, given up


class Dispatch(msgspec.Struct, frozen=True):
    """Publish this event; the payload is the item's name."""

    topic: str
    folder: str
    item: str


class GiveUp(msgspec.Struct, frozen=True):
    """Move the item from `folder` to `to`, with its reason beside it; a task of a backlog (no `to`) is marked as failed
    there. Then look again."""

    item: str
    folder: str
    to: str
    reason: str


class Idle(msgspec.Struct, frozen=True):
    why: str = "no work"


Look = Dispatch | GiveUp | Idle


def look(scan: Scan, board: Board, listings: Listings, *, max_items: int = 0) -> tuple[Board, Look]:
    """What is to be done now, and the board as it is then."""
    board = accounted(scan, board, where(scan, board, listings))
    if board.finished >= max_items > 0:
        return board, Idle(through(board, max_items))
    for place, topic, names in _places(scan, listings):
        for name in names:
            item = _known(board, place, name)
            if item.failures >= MOST_FAILURES:
                why = item.reason or f"it was still in {place} afterwards"
                reason = f"{topic} failed {item.failures} times: {why}"
                return board, GiveUp(name, place, scan.failed if names_files(scan, place) else "", reason)
            return taken(board, place, name), Dispatch(topic, place, name)
    return board, Idle()


def through(board: Board, max_items: int) -> str:
    """How the items went that were wanted."""
    failed = f", {board.failed} failed" if board.failed else ""
    return f"{board.finished} of {max_items} items: {board.finished - board.failed} done{failed}"


def names_files(scan: Scan, place: str) -> bool:
    """Whether the items there are files in a folder; else they are tasks of the backlog."""
    return any(entry.folder == place for entry in scan.folders)


def _places(scan: Scan, listings: Listings) -> Iterator[tuple[str, str, Sequence[str]]]:
    """Where to look, by which event, and what is there in the order in which it is taken; a backlog has its own."""
    for entry in scan.folders:
        yield entry.folder, entry.topic, _names(listings.get(entry.folder, ()))
    if scan.backlog is not None:
        yield scan.backlog.file, scan.backlog.topic, listings.get(scan.backlog.file, ())


def taken(board: Board, folder: str, name: str) -> Board:
    """The item in this folder is under way."""
    item = _known(board, folder, name)
    item = replace(item, dispatches=item.dispatches + 1, done=False)
    others = tuple(n for n in (board.under_way, *board.others) if n not in ("", name))
    return replace(board, items={**board.items, name: item}, under_way=name, others=others)


def own(scan: Scan, board: Board) -> str:
    """The item that this scanner dispatched last, if it has not looked for it since."""
    places = {place for place, _, _ in _places(scan, {})}
    out = [name for name in (board.under_way, *board.others) if name in board.items]
    return next((name for name in out if board.items[name].folder in places), "")


def _back(board: Board, item: BoardItem, finished: int) -> Board:
    """It is known what became of the item: it is under way no more."""
    return replace(
        board,
        items={**board.items, item.name: item},
        under_way="" if board.under_way == item.name else board.under_way,
        others=tuple(name for name in board.others if name != item.name),
        finished=finished,
    )


def _known(board: Board, folder: str, name: str) -> BoardItem:
    item = board.items.get(name, BoardItem(name, folder))
    # The name is back, or there twice: another item.
    return BoardItem(name, folder) if item.done or item.folder != folder else item


def gave_up(board: Board, item: str, folder: str, reason: str) -> Board:
    """It has been moved out of the way. One that was still out has failed once more by that."""
    known = board.items.get(item, BoardItem(item, folder))
    failures = known.failures + (item in (board.under_way, *board.others))
    known = replace(known, failed=True, done=True, failures=failures, reason=reason)
    return replace(_back(board, known, board.finished + 1), failed=board.failed + 1)


def spent(
    board: Board,
    *,
    cost_usd: float = 0.0,
    tokens: int = 0,
    seconds: float = 0.0,
    reason: str = "",
    item: str = "",
) -> Board:
    """What an iteration took goes to its item, or to the one dispatched last; `reason`: why it failed, where that is known."""
    known = board.items.get(item or board.under_way)
    if known is None:
        return board
    known = replace(
        known,
        cost_usd=known.cost_usd + max(0.0, cost_usd),
        tokens=known.tokens + max(0, tokens),
        seconds=known.seconds + max(0.0, seconds),
        reason=reason or known.reason,
    )
    return replace(board, items={**board.items, known.name: known})


def reason_text(item: str, reason: str) -> str:
    """The file beside an item that was given up: <item>.reason.txt"""
    return f"{one_line(item, NAME_CHARS)}: {reason.strip()}\n"


def poll_lines(when: str, look: Look, topic: str = "board.scan") -> str:
    """What poll-log.txt says of one look. `when` is ISO 8601 in UTC, as in 2026-02-17T10:00:05Z."""
    match look:
        case Dispatch():
            said = f"dispatching: {look.topic} {one_line(look.item, NAME_CHARS)}"
        case GiveUp():
            said = f"giving up: {one_line(look.item, NAME_CHARS)} ({one_line(look.reason, NAME_CHARS)})"
        case Idle():
            said = f"idle ({look.why})"
    return "".join(f"{when} — {topic} — {word}\n" for word in ("START", said, "END"))


def phase_header(event: Event) -> str:
    """How a cleared scratchpad begins: the phase is the last word of the topic, the item is the payload's first line."""
    phase = event.topic.rpartition(".")[2]
    first = (event.payload.strip().splitlines() or [""])[0]
    item = f" — {one_line(first, NAME_CHARS)}" if first else ""
    return f"# Phase: {phase}{item}\nStarting fresh.\n"


# -- an agent as scanner -----------------------------------------------------------------------------------------


class Repeats(msgspec.Struct, frozen=True, omit_defaults=True):
    """How often an agent has dispatched the same in a row, with the item in the same place."""

    topic: str = ""
    payload: str = ""
    where: str = ""
    times: int = 0


def dispatched(repeats: Repeats, event: Event, where: str) -> Repeats:
    """`where`: the places in which the item is found, in any fixed form; empty when it is found nowhere."""
    same = (event.topic, event.payload, where) == (repeats.topic, repeats.payload, repeats.where)
    return Repeats(event.topic, event.payload, where, repeats.times + 1 if same and where else 1)


def repeat_refusal(repeats: Repeats) -> str:
    """Why the newest dispatch is not routed; empty when it may be."""
    if repeats.times < MOST_REPEATS:
        return ""
    item = one_line(repeats.payload, NAME_CHARS)
    return f"{repeats.topic} {item}: {repeats.times} times in a row, and the item is still {repeats.where}"


def where(scan: Scan, board: Board, listings: Listings) -> tuple[str, ...]:
    """The folders in which the item is found that this scanner dispatched last."""
    name = own(scan, board)
    return tuple(place for place, _, names in _places(scan, listings) if name and name in names)


def accounted(scan: Scan, board: Board, there: Sequence[str]) -> Board:
    """The scanner's item has moved on, is through, or has failed its phase once more: `there` are its folders now."""
    item = board.items.get(own(scan, board))
    if item is None or item.done:
        return board
    finished = board.finished
    if not there:
        item, finished = replace(item, done=True, failures=0, reason=""), finished + 1
    elif item.folder in there:
        item = replace(item, failures=item.failures + 1)
    else:
        item = replace(item, folder=there[0], failures=0, reason="")
    return _back(board, item, finished)


def _names(names: Sequence[str]) -> list[str]:
    """Without hidden files, such as the .gitkeep of an empty folder."""
    return sorted(name for name in names if not name.startswith("."))
