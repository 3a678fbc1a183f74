"""A board of folders: which item is next, which has failed, and what the log says. Pure.

Where Ralph looks itself, the caller lists the folders (name -> names in it) and does what the answer says. One item at a
time, the first folder first, the first name alphabetically. Where an agent looks, its dispatches are items too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from ralph.core.hats.model import Event, Scan
from ralph.text import one_line

MOST_FAILURES = 3
NAME_CHARS = 200
Listings = Mapping[str, Sequence[str]]


class BoardItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of one item. `failures` are of the phase that it is in."""

    name: str
    folder: str  # of several, where an agent looks for them: all
    dispatches: int = 0
    failures: int = 0
    reason: str = ""  # of the last failure
    done: bool = False  # it is in none of the folders any more
    failed: bool = False  # it was given up
    cost_usd: float = 0.0
    tokens: int = 0
    seconds: float = 0.0
    scanner: str = ""  # the hat of the agent that dispatched it; empty: Ralph looks for it
    topic: str = ""  # by which that agent dispatched it last
    content: str = ""  # digest of it when it was set aside; an agent's items stay where they are


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
                to = scan.failed if names_files(scan, place) else ""
                return board, GiveUp(name, place, to, _failed(topic, item))
            return taken(board, place, name), Dispatch(topic, place, name)
    return board, Idle()


def through(board: Board, max_items: int) -> str:
    """How the items went that were wanted."""
    failed = f", {board.failed} failed" if board.failed else ""
    return f"{board.finished} of {max_items} items: {board.finished - board.failed} done{failed}"


def any_failed(board: Board) -> bool:
    """Whether an item was given up and has not been done since."""
    return any(item.failed for item in board.items.values())


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


def gave_up(board: Board, item: str, folder: str, reason: str, content: str = "") -> Board:
    """It has been moved out of the way, or set aside. One that was still out has failed once more by that."""
    known = board.items.get(item, BoardItem(item, folder))
    failures = known.failures + (item in (board.under_way, *board.others))
    known = replace(
        known, folder=folder, failed=True, done=True, failures=failures, reason=reason, content=content
    )
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
# Ralph does not know what its folders mean. So an item that no one gets done stays where it is, and is not dispatched again
# until it has changed.


def found_in(place: str) -> str:
    """The folders of an item that was found at these paths, as facts name them; empty when it was found nowhere."""
    return ", ".join(path.rpartition("/")[0] or "." for path in place.split(", ")) if place else ""


def looking(board: Board, hat: str) -> Board:
    """This scanner, an agent, looks again: what it dispatched before is not under way any more."""
    names = {item.name for item in board.items.values() if item.scanner == hat}
    if not names.intersection((board.under_way, *board.others)):
        return board
    out = tuple(name for name in (board.under_way, *board.others) if name and name not in names)
    return replace(board, under_way=out[0] if out else "", others=out[1:])


def seen(board: Board, hat: str, places: Mapping[str, str], contents: Mapping[str, str]) -> Board:
    """The scanner, an agent, has looked. An item that is gone is through; one that was set aside and has changed since, or is
    somewhere else now, is forgotten: it may be dispatched again."""
    items, finished = dict(board.items), board.finished
    for item in board.items.values():
        if item.scanner != hat or (item.done and not item.failed):
            continue
        folder, content = found_in(places.get(item.name, "")), contents.get(item.name, "")
        if item.failed:
            if (folder, content) != (item.folder, item.content):
                kept = content or item.content
                items[item.name] = replace(item, folder=folder, content=kept, failed=not folder)
        elif not folder:
            items[item.name], finished = replace(item, done=True, failures=0, reason=""), finished + 1
    return replace(board, items=items, finished=finished)


def dispatched(board: Board, hat: str, event: Event, folder: str) -> tuple[Board, str]:
    """An agent dispatches an item, which is found in this folder; and why that is refused, if it is."""
    known = board.items.get(name := item_name(event))
    name = one_line(name, NAME_CHARS)
    if known is not None and known.failed and known.scanner:
        return board, f"{name} is set aside ({known.reason}): take another item"
    stays = _both(known.folder, folder) if known is not None and not known.done else ""
    if known is not None and stays and known.topic == event.topic:
        folder = stays
        known = replace(known, folder=stays, failures=known.failures + 1)
        board = replace(board, items={**board.items, known.name: known})
        if known.failures >= MOST_FAILURES:
            return board, f"{name} is still in {folder} after {known.failures} tries: take another item"
    elif known is not None:
        known = replace(known, failures=0, reason="", folder=folder, done=False)
        board = replace(board, items={**board.items, known.name: known})
    board = taken(board, folder, item_name(event))
    known = replace(board.items[board.under_way], scanner=hat, topic=event.topic)
    return replace(board, items={**board.items, known.name: known}), ""


def _both(one: str, other: str) -> str:
    """The folders that are in both lists: a result that was begun elsewhere does not move the item."""
    return ", ".join(folder for folder in one.split(", ") if folder and folder in other.split(", "))


def item_name(event: Event) -> str:
    """What an agent's dispatch is about: its payload, where that can be a name."""
    name = event.payload.strip()
    return name if len(name) <= NAME_CHARS and len(name.splitlines()) == 1 else ""


def nothing_left(board: Board, hat: str) -> Board:
    """The scanner says that there is nothing to do: so what it dispatched has not failed, though it stays where it was."""
    items = {
        name: replace(item, failures=0) if item.scanner == hat and not item.failed else item
        for name, item in board.items.items()
    }
    return replace(board, items=items)


def set_aside(board: Board, hat: str) -> tuple[BoardItem, ...]:
    """Of what this scanner, an agent, finds: the items that it is not to dispatch, the newest last."""
    return tuple(item for item in board.items.values() if item.failed and item.scanner == hat)


def overdue(board: Board) -> BoardItem | None:
    """An item that an agent has dispatched as often as it may."""
    tried = (item for item in board.items.values() if item.scanner and item.failures >= MOST_FAILURES)
    return next((item for item in tried if not item.failed and not item.done), None)


def why_overdue(item: BoardItem) -> str:
    return _failed(item.topic, item)


def _failed(topic: str, item: BoardItem) -> str:
    why = item.reason or f"it was still in {item.folder} afterwards"
    return f"{topic} failed {item.failures} times: {why}"


def working_on(board: Board, name: str) -> Board:
    """The iteration at hand is about this item, which need not be the last that was dispatched."""
    item = board.items.get(name)
    if item is not None and item.scanner and item.done and not item.failed:  # its scanner lost sight of it
        item = replace(item, done=False)
        board = replace(board, items={**board.items, name: item}, finished=board.finished - 1)
    if item is None or item.done or name == board.under_way:
        return board
    others = tuple(other for other in (board.under_way, *board.others) if other not in ("", name))
    return replace(board, under_way=name, others=others)


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
