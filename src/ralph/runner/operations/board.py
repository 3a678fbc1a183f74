"""A scanner that is data: Ralph looks into the folders of a board itself, and starts no agent for it.

An item that no one gets through its phase is moved away, its reason written first: after a death between the move and
the fact, the reason beside the item says what happened. An item that an agent dispatched is set aside where it is.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from ralph.backlog.changes import Failed
from ralph.core import facts as f
from ralph.core.hats import board as scanboard
from ralph.core.hats.model import Scan
from ralph.core.loop import decide as d
from ralph.core.loop.state import LoopState
from ralph.errors import RalphError
from ralph.fault_points import fault_point
from ralph.files import open_plain, read_bytes
from ralph.git.recovery import save
from ralph.git.repo import printable
from ralph.journal.record import now
from ralph.journal.store import write_atomically
from ralph.runner.hat_notes import found_item
from ralph.runner.loop_context import LoopContext
from ralph.runner.loop_workspace import straight

if TYPE_CHECKING:
    from ralph.backlog.source import Backlog

REASON = ".reason.txt"


def look(b: LoopContext, op: d.Look, s: LoopState, record: Callable[[f.AnyFact], None]) -> None:
    team = s.identity.policy.team
    hat = team.hat(op.hat) if team is not None else None
    assert team is not None and hat is not None
    if hat.scan is None:
        _set_aside(b, s, op, record)
        return
    scan, board = hat.scan, s.hats.board
    topic = (
        hat.triggers[0] if hat.triggers else hat.id
    )  # whatever event called it, the log calls it by one name

    def gave_up(item: str, folder: str, reason: str) -> scanboard.Board:
        to = scan.failed if scanboard.names_files(scan, folder) else ""
        record(f.ItemGivenUp(item=item, folder=folder, to=to, reason=reason))
        return scanboard.gave_up(board, item, folder, reason)

    backlog = _backlog(b, scan)
    listings = _listings(b.folder, scan, backlog, s)
    if op.give_up:
        _abandon(b, s, scan, backlog, op.give_up, record)
        return
    if reason := _half_given_up(b.folder, scan, board, listings):
        item = board.items[scanboard.own(scan, board)]
        board = gave_up(item.name, item.folder, reason)
    while True:
        there = scanboard.where(scan, board, listings)
        board, found = scanboard.look(scan, board, listings, max_items=team.max_items)
        _log(b.folder / scan.log, scanboard.poll_lines(f"{now()[:19]}Z", found, topic), s)
        match found:
            case scanboard.GiveUp():
                if found.to:
                    _move(b.folder, found)
                elif backlog is not None:
                    backlog.apply([Failed(found.item, found.reason)])
                board = gave_up(found.item, found.folder, found.reason)
                listings = _listings(b.folder, scan, backlog, s)
            case scanboard.Dispatch():
                record(
                    f.BoardLooked(
                        hat=hat.id,
                        topic=found.topic,
                        folder=found.folder,
                        item=found.item,
                        payload=_about(backlog, scan, found),
                        there=there,
                        tree=b.snapshots.take().tree,
                    )
                )
                return
            case scanboard.Idle():
                over = board.finished >= team.max_items > 0
                ends = over or not team.persistent
                tree = b.snapshots.take().tree if ends else ""
                record(f.BoardLooked(hat=hat.id, there=there, why=found.why, over=over, tree=tree))
                return


def _abandon(
    b: LoopContext,
    s: LoopState,
    scan: Scan,
    backlog: Backlog | None,
    reason: str,
    record: Callable[[f.AnyFact], None],
) -> None:
    """The item under way will not be got done: out of the way with it, and with what was made of it, which is saved."""
    item = s.hats.board.items[s.hats.board.under_way]
    folders = tuple(entry.folder for entry in scan.folders)
    saved = _undo(b, s, item.name, (*folders, scan.failed), scan.backlog.file if scan.backlog else "")
    there = scanboard.where(scan, s.hats.board, _listings(b.folder, scan, backlog, s))
    folder = there[0] if there else item.folder
    files = scanboard.names_files(scan, folder)
    found = scanboard.GiveUp(item.name, folder, scan.failed if files else "", reason)
    if there and files:
        _move(b.folder, found)
    elif there and backlog is not None:
        backlog.apply([Failed(item.name, reason)])
    record(
        f.ItemGivenUp(
            item=item.name,
            folder=folder,
            to=found.to,
            reason=reason,
            under_way=True,
            tree=b.snapshots.take().tree,
            saved=saved,
        )
    )


def _set_aside(b: LoopContext, s: LoopState, op: d.Look, record: Callable[[f.AnyFact], None]) -> None:
    """An agent had dispatched it: the item stays where it is. What was made of it is undone and saved, where it was being
    worked on."""
    board = s.hats.board
    name, under_way = Path(op.item).name, board.under_way == op.item
    known = (item.folder for item in board.items.values() if item.scanner)
    folders = tuple(folder for folders in known for folder in folders.split(", ") if folder not in ("", "."))
    saved = _undo(b, s, name, folders) if under_way else ""
    where, content = found_item(b.folder, op.item)
    record(
        f.ItemGivenUp(
            item=op.item,
            folder=scanboard.found_in(where),
            to="",
            reason=op.give_up,
            under_way=under_way,
            tree=b.snapshots.take().tree if under_way else "",
            saved=saved,
            stays=True,
            content=content,
        )
    )


def _undo(b: LoopContext, s: LoopState, item: str, folders: tuple[str, ...], backlog: str = "") -> str:
    """As it was when the item was dispatched, but for other items in these folders, which people may have put there since. What
    is gone comes back. The ref that keeps what was made; empty when nothing was."""
    there = b.snapshots.take().tree
    changed = b.snapshots.diff(s.hats.item_tree, there) if s.hats.item_tree else []
    made = [c.path for c in changed if c.status == "D" or _is_made(c.path, s, item, folders, backlog)]
    if not made:
        return ""
    saved = save(
        b.repo, b.snapshots, there, loop=s.identity.loop, reason=f"before giving up {item}", when=now()
    )
    b.snapshots.restore(s.hats.item_tree, made)
    return saved.ref


def _is_made(path: str, s: LoopState, item: str, folders: tuple[str, ...], backlog: str) -> bool:
    inside = path.removeprefix(f"{s.identity.folder}/") if s.identity.folder not in ("", ".") else path
    if backlog and inside == backlog:
        return False
    name = next((inside[len(f) + 1 :] for f in folders if inside.startswith(f"{f}/")), item)
    return name == item or name.startswith(f"{item}/")


def _backlog(b: LoopContext, scan: Scan) -> Backlog | None:
    if scan.backlog is None or not (b.folder / scan.backlog.file).is_file():
        return None
    from ralph.backlog.jsonl import JsonlBacklog

    return JsonlBacklog(b.folder / scan.backlog.file, b.repo.state_dir)


def _listings(folder: Path, scan: Scan, backlog: Backlog | None, s: LoopState) -> dict[str, list[str]]:
    found = {entry.folder: _names(folder / entry.folder, s) for entry in scan.folders}
    if scan.backlog is not None and backlog is not None:
        backlog.refresh()
        found[scan.backlog.file] = [task.id for task in backlog.tasks.ready()]
    return found


def _about(backlog: Backlog | None, scan: Scan, found: scanboard.Dispatch) -> str:
    """A task is named with its title; a file by its name."""
    task = (
        None
        if backlog is None or scanboard.names_files(scan, found.folder)
        else backlog.tasks.get(found.item)
    )
    return f"{task.id}: {task.title}" if task is not None else ""


def _names(path: Path, s: LoopState) -> list[str]:
    """A folder that is not there has nothing in it yet."""
    if not straight(path, s):
        return []
    try:
        with os.scandir(path) as entries:
            names = [entry.name for entry in entries]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RalphError(
            f"cannot look into the board's folder: {error.strerror}",
            where=str(path),
            todo="Make it a readable folder, or take it out of `scan:`.",
        ) from error
    for name in names:
        if printable(name) != name and not name.startswith("."):
            raise RalphError(
                f"the item {printable(name)} has a name that is not UTF-8, so no event can name it",
                where=printable(str(path)),
                todo="Rename it, then `ralph resume`.",
            )
    return names


def _half_given_up(folder: Path, scan: Scan, board: scanboard.Board, listings: scanboard.Listings) -> str:
    """Why the item under way was given up by a run that died before it could say so. One that has not failed so often
    was not: it is another's that lies there, of the same name."""
    name = scanboard.own(scan, board)
    if not name or scanboard.where(scan, board, listings):
        return ""
    if board.items[name].failures + 1 < scanboard.MOST_FAILURES:
        return ""
    reason = folder / scan.failed / f"{name}{REASON}"
    if not os.path.lexists(folder / scan.failed / name) or not reason.is_file():
        return ""
    return read_bytes(reason).decode("utf-8", "replace").partition(": ")[2].strip()[:1000]


def _move(folder: Path, found: scanboard.GiveUp) -> None:
    to = folder / found.to
    to.mkdir(parents=True, exist_ok=True)
    _make_room(to, found.item)
    reason = to / f"{found.item}{REASON}"
    text = scanboard.reason_text(found.item, found.reason)
    write_atomically(reason, text.encode("utf-8", "replace"))
    fault_point("move.before", writes=True)
    (folder / found.folder / found.item).replace(to / found.item)
    fault_point("move.after")


def _make_room(to: Path, item: str) -> None:
    """One of this name was given up before: it is kept, under a number. Its reason goes first, so that a death in between
    leaves something to do again."""
    if not os.path.lexists(to / item):
        return
    number = next(n for n in count(1) if not os.path.lexists(to / f"{item}.{n}"))
    for ending in (REASON, ""):
        if os.path.lexists(to / f"{item}{ending}"):
            fault_point("move.before", writes=True)
            (to / f"{item}{ending}").rename(to / f"{item}.{number}{ending}")


def _log(path: Path, lines: str, s: LoopState) -> None:
    """Whole lines or none: a disk that is full leaves no half of one."""
    if not straight(path, s):
        return
    data = lines.encode("utf-8", "replace")
    fault_point("log.before", writes=True)
    with open(open_plain(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab", buffering=0) as file:
        size = file.tell()
        if file.write(data) != len(data):
            file.truncate(size)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
    fault_point("log.after")
