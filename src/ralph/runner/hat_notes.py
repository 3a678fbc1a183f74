"""Notes between two phases: a fresh hat finds a scratchpad with nothing but its header, and no todos. Memories stay.

Done before the event is published, so that a death in between leaves only something to do again: each step has the same
result however often it is taken. What was there is in the store, by hash.
"""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import TypedDict

from ralph.core.hats.model import COMPLETE_WORDS
from ralph.core.loop.state import LoopState
from ralph.files import read_bytes
from ralph.git.repo import printable
from ralph.journal.store import Store, remove_file, write_atomically
from ralph.runner.loop_context import SCRATCHPAD_BYTES, notes_of
from ralph.runner.loop_workspace import straight
from ralph.text import digest

TODO_FILE = Path(".ralph/agent/tasks.jsonl")
TODOS_BYTES = 4 << 20  # of them that are kept
KEPT_BYTES = 1 << 20  # of a file that is shown
PLACES_SHOWN = 5
ITEMS_LOOKED_FOR = 200  # of those that an agent has dispatched before
FILES_LOOKED_AT = 100  # of an item that is a folder
MOST_NAME = 256


def clear(folder: Path, s: LoopState, store: Store, scratchpad: str, header: str) -> None:
    """Put `header` in place of the scratchpad (empty: the hat has none) and remove the todos of the loop's folder. What is
    no plain file of the workspace is left alone."""
    todos, path = folder / TODO_FILE, folder / scratchpad
    if _ours(todos, s) and todos.is_file():
        store.put(_read(todos, TODOS_BYTES, "surrogateescape"))
        remove_file(todos)
    if not scratchpad or not _ours(path, s):
        return
    before = _read(path, SCRATCHPAD_BYTES, "surrogateescape")
    if before != header:
        store.put(before)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, header.encode("utf-8", "replace"))


def _ours(path: Path, s: LoopState) -> bool:
    """A file of the workspace, or none yet. A folder or a pipe is not, nor what leads out of a sandbox."""
    return straight(path, s) and (path.is_file() or path.is_symlink() or not path.exists())


class KeptNotes(TypedDict):
    memories: str
    todos: str


def kept_for(folder: Path, s: LoopState) -> KeptNotes:
    """Memories and open todos, as the prompt shows them."""
    kept = KeptNotes(memories="", todos="")
    path = notes_of(s) / "memories.md"
    memories, policy = _read(path) if s.identity.home or straight(path, s) else "", s.identity.policy.memories
    if memories and policy.enabled and policy.inject == "auto":
        from ralph.prompt.hats import choose_memories

        turn = s.hats.turns.pending[0] if s.hats.turns.pending else None
        about = [s.identity.task.title, s.identity.task.description, s.hats.hat]
        about += [f"{event.topic} {event.payload}" for event in turn.events] if turn else []
        tags = [s.hats.hat, *(event.topic for event in turn.events)] if turn else [s.hats.hat]
        kept["memories"] = choose_memories(
            memories, policy.budget, " ".join(about), [tag for tag in tags if tag]
        )
    todos = folder / TODO_FILE
    if s.identity.policy.todos and straight(todos, s) and (text := _read(todos)):
        from ralph.prompt.hats import ready_todos

        kept["todos"] = ready_todos(text, s.identity.loop)
    return kept


def _read(path: Path, most: int = KEPT_BYTES, errors: str = "replace") -> str:
    try:
        return read_bytes(path, most).decode("utf-8", errors)
    except (FileNotFoundError, NotADirectoryError):
        return ""


def told_of_hat(s: LoopState) -> dict[str, str]:
    """For `ralph emit` and the tool, where events are routed: who emits, and what it may, where that is enforced."""
    team, hat = s.identity.policy.routing, s.event_hat
    if team is None or hat is None:
        return {}
    words = dict.fromkeys((*COMPLETE_WORDS, team.completion_promise))
    told = {
        "RALPH_HAT": hat.id,
        "RALPH_PUBLISHES": " ".join(hat.declared),
        "RALPH_COMPLETES": " ".join(words),
    }
    return {**told, "RALPH_SCOPE": "enforced"} if team.enforce_scope else told


class FoundItems(TypedDict):
    places: dict[str, str]
    contents: dict[str, str]


def found_items(folder: Path, s: LoopState, said: str) -> FoundItems:
    """Where the items are that an agent dispatches as a scanner, or has dispatched: in the folder, or in one below it."""
    found = FoundItems(places={}, contents={})
    hat = s.event_hat
    if hat is None or not hat.scanner or hat.scan is not None:
        return found
    from ralph.core.hats.routing import read

    known = [i.name for i in s.hats.board.items.values() if i.scanner == hat.id and (i.failed or not i.done)]
    payloads = [event.payload for event in (*s.hats.turns.said, *read(said))]
    for payload in dict.fromkeys([*payloads, *known[-ITEMS_LOOKED_FOR:]]):
        where, content = found_item(folder, payload)
        if where:
            found["places"][payload], found["contents"][payload] = where, content
    return found


def found_item(folder: Path, payload: str) -> tuple[str, str]:
    """Where the item of this name is, and a digest of it; nothing when there is none."""
    name = Path(payload.strip()).name
    if not name or "\n" in payload or len(name) >= MOST_NAME:
        return "", ""
    paths = _where(folder, name)
    text = "".join(_content(folder / path) for path in paths)
    return printable(", ".join(paths)), digest("item", text) if paths else ""


def _where(folder: Path, name: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            below = sorted(
                e.name for e in entries if e.is_dir(follow_symlinks=False) and not e.name.startswith(".")
            )
    except OSError:
        return []
    paths = [f"{one}/{name}" for one in below if os.path.lexists(folder / one / name)]
    if os.path.lexists(folder / name):
        paths.insert(0, name)
    return paths[:PLACES_SHOWN]


def _content(path: Path) -> str:
    """Of a file its text, of a folder that of its first files."""
    files = [path]
    if path.is_dir() and not path.is_symlink():
        found = (Path(at) / name for at, _, names in os.walk(path) for name in names)
        files = sorted(islice(found, FILES_LOOKED_AT))
    return "".join(f"{file.relative_to(path.parent)}\n{_read_if_plain(file)}" for file in files)


def _read_if_plain(path: Path) -> str:
    try:
        return _read(path, errors="backslashreplace")
    except OSError:  # a pipe, a link to nowhere, or not to be read
        return ""
