"""Notes between two phases: a fresh hat finds a scratchpad with nothing but its header, and no todos. Memories stay.

Done before the event is published, so that a death in between leaves only something to do again: each step has the same
result however often it is taken. What was there is in the store, by hash.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from ralph.core.state import LoopState
from ralph.driver.bench import SCRATCHPAD_BYTES
from ralph.driver.place import straight
from ralph.driver.store import Store, write_atomically
from ralph.seams import seam

TODOS = Path(".ralph/agent/tasks.jsonl")
TODOS_BYTES = 4 << 20  # of them that are kept


class Cleared(msgspec.Struct, frozen=True, omit_defaults=True):
    """Hashes of what was there; empty: nothing, or it was cleared already."""

    scratchpad: str = ""
    todos: str = ""
    not_cleared: tuple[str, ...] = ()  # paths that are no plain files of the workspace: they are left alone


def clear(folder: Path, s: LoopState, store: Store, scratchpad: Path | None, header: str) -> Cleared:
    """Put `header` in place of the scratchpad (None: the hat has none) and remove the todos of the loop's folder."""
    left: list[str] = []
    todos, kept_todos = folder / TODOS, ""
    if not _ours(todos, s):
        left.append(str(TODOS))
    elif todos.is_file():
        kept_todos = store.put(_text(todos, TODOS_BYTES))
        seam("remove.before", writes=True)
        todos.unlink(missing_ok=True)
        seam("remove.after")
    if scratchpad is None:
        return Cleared(todos=kept_todos, not_cleared=tuple(left))
    path = folder / scratchpad
    if not _ours(path, s):
        return Cleared(todos=kept_todos, not_cleared=(*left, str(scratchpad)))
    before = _text(path, SCRATCHPAD_BYTES) if path.is_file() else ""
    if before == header:
        return Cleared(todos=kept_todos, not_cleared=tuple(left))
    kept = store.put(before)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, header.encode("utf-8", "replace"), path.with_name(f"{path.name}.part"))
    return Cleared(kept, kept_todos, tuple(left))


def _ours(path: Path, s: LoopState) -> bool:
    """A file of the workspace, or none yet. A folder or a pipe is not, nor what leads out of a sandbox."""
    return straight(path, s) and (path.is_file() or path.is_symlink() or not path.exists())


def _text(path: Path, most: int) -> str:
    with open(path, "rb") as file:
        return file.read(most).decode("utf-8", "surrogateescape")
