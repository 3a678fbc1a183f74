"""What an iteration is told and asked because of the hat that it wears; and what its folder keeps for its prompt."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypedDict

from ralph.core.hats import COMPLETE_WORDS
from ralph.core.state import LoopState
from ralph.driver.bench import notes_of
from ralph.driver.place import straight
from ralph.workspace import printable

TODOS = ".ralph/agent/tasks.jsonl"
KEPT_BYTES = 1 << 20  # of a file that are read
PLACES_SHOWN = 5


class Kept(TypedDict):
    memories: str
    todos: str


def kept_for(folder: Path, s: LoopState) -> Kept:
    """Memories and open todos, as the prompt shows them."""
    kept = Kept(memories="", todos="")
    path = notes_of(s) / "memories.md"
    memories, policy = _read(path) if s.home or straight(path, s) else "", s.policy.memories
    if memories and policy.enabled and policy.inject == "auto":
        from ralph.prompt.memories import choose

        turn = s.turns.pending[0] if s.turns.pending else None
        about = [s.task.title, s.task.description, s.hat]
        about += [f"{event.topic} {event.payload}" for event in turn.events] if turn else []
        tags = [s.hat, *(event.topic for event in turn.events)] if turn else [s.hat]
        kept["memories"] = choose(memories, policy.budget, " ".join(about), [tag for tag in tags if tag])
    if s.policy.todos and (todos := _read(folder / TODOS) if straight(folder / TODOS, s) else ""):
        from ralph.prompt.todos import ready_todos

        kept["todos"] = ready_todos(todos, s.loop)
    return kept


def _read(path: Path) -> str:
    if not path.is_file():
        return ""
    with open(path, "rb") as file:
        return file.read(KEPT_BYTES).decode("utf-8", "replace")


def told_of_hat(s: LoopState) -> dict[str, str]:
    """For `ralph emit` and the tool, where events are routed: who emits, and what it may, where that is enforced."""
    team, hat = s.policy.routing, s.event_hat
    if team is None or hat is None:
        return {}
    words = dict.fromkeys((*COMPLETE_WORDS, team.completion_promise))
    told = {
        "RALPH_HAT": hat.id,
        "RALPH_PUBLISHES": " ".join(hat.declared),
        "RALPH_COMPLETES": " ".join(words),
    }
    return {**told, "RALPH_SCOPE": "enforced"} if team.enforce_scope else told


def places(folder: Path, s: LoopState, said: str) -> dict[str, str]:
    """Where the items are that an agent dispatched as a scanner: in the folder, or in one below it."""
    hat = s.event_hat
    if hat is None or not hat.scanner or hat.scan is not None:
        return {}
    from ralph.core.eventtags import read

    found: dict[str, str] = {}
    for event in (*s.turns.said, *read(said)):
        name = Path(event.payload.strip()).name
        if name and "\n" not in event.payload and len(name) < 256 and (where := _where(folder, name)):
            found[event.payload] = where
    return found


def _where(folder: Path, name: str) -> str:
    try:
        with os.scandir(folder) as entries:
            below = sorted(
                e.name for e in entries if e.is_dir(follow_symlinks=False) and not e.name.startswith(".")
            )
    except OSError:
        return ""
    paths = [f"{one}/{name}" for one in below if os.path.lexists(folder / one / name)]
    if os.path.lexists(folder / name):
        paths.insert(0, name)
    return printable(", ".join(paths[:PLACES_SHOWN]))
