"""The agent's notes in a prompt: the memories that matter most, and the todos that are still open."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ralph.core import todos as t
from ralph.core.memories import fitted, parse, ranked
from ralph.text import one_line


def choose(text: str, budget: int, query: str = "", tags: Iterable[str] = ()) -> str:
    """Of the text of memories.md, as Markdown that begins with `# Memories`, at most `budget` tokens (0: all); empty
    when nothing fits. `query`: what the iteration is about (task, hat, event); `tags`: names of hat and topic."""
    return fitted(ranked(parse(text), query, tags), budget)


MOST = 40  # todos shown; the rest is counted


TITLE_CHARS = 200


ID_CHARS = 60


_TAG = re.compile(r"<(?=\s*/?\s*ready-tasks)", re.IGNORECASE)


_ICONS = {"in_progress": "[~]", "open": "[ ]"}


_HINT = "Close one with `ralph tools task close ID` once you have seen it work."


def ready_todos(text: str, loop: str = "") -> str:
    """Of the text of the agent's tasks.jsonl, what can be begun and what still waits; empty when nothing is open."""
    known = t.parse(text)[0]
    mine = t.of_loop(known, loop)
    ready = t.ordered(t.of_loop(t.ready(known), loop))
    ids = {id(todo) for todo in ready}
    blocked = t.ordered(todo for todo in mine if t.unfinished(todo) and id(todo) not in ids)
    if not ready and not blocked:
        return ""
    lines = [_counts(len(ready), len(blocked), mine), "", *(_line(todo) for todo in ready[:MOST])]
    if blocked:
        lines += ["", "Blocked:", *(_blocked(todo) for todo in blocked[: max(0, MOST - len(ready))])]
    if (more := len(ready) + len(blocked) - MOST) > 0:
        lines.append(f"[{more} more: `ralph tools task list`]")
    return "\n".join(["<ready-tasks>", *lines, "", _HINT, "</ready-tasks>"])


def _counts(ready: int, blocked: int, mine: list[t.Todo]) -> str:
    closed, failed = (sum(t.status_of(todo) == status for todo in mine) for status in ("closed", "failed"))
    return f"## Tasks: {ready} ready, {ready + blocked} open, {closed} closed" + (
        f", {failed} failed" if failed else ""
    )


def _line(todo: t.Todo) -> str:
    return f"- {_ICONS.get(t.status_of(todo), '[?]')} {_what(todo)}"


def _blocked(todo: t.Todo) -> str:
    ids = ", ".join(_plain(id, ID_CHARS) for id in t.blockers(todo)[:10])
    return f"- [blocked] {_what(todo)}" + (f" — blocked by: {ids}" if ids else "")


def _what(todo: t.Todo) -> str:
    title = _plain(t.text_of(todo, "title"), TITLE_CHARS) or "(no title)"
    key = _plain(t.text_of(todo, "key"), ID_CHARS)
    about = f" — key: {key}" if key else ""
    return f"[P{t.priority_of(todo)}] {title} ({_plain(t.text_of(todo, 'id'), ID_CHARS)}){about}"


def _plain(text: str, most: int) -> str:
    """One line that cannot end the block it stands in."""
    return _TAG.sub("‹", one_line(text, most))
