"""What `ralph tools task` does and prints. The words `task` and `tasks` are those that its users know; these are todos."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence

from ralph.agent_tools import todos
from ralph.agent_tools.caller import TEXT_LIMIT
from ralph.agent_tools.commands import GivenOptions
from ralph.core import todos as t
from ralph.core.todos import Todo
from ralph.text import harmless, one_line

_TITLE = 60  # characters of a title in a table
_TEXT = 500  # of any other single line


def _add(folder: str, given: GivenOptions, loop: str) -> str:
    todo, new = todos.add(
        folder,
        _bounded(given.argument),
        description=_bounded(given.text("description")),
        priority=_priority(given),
        blocked_by=_blockers(folder, given),
        loop=loop,
    )
    return _told(todo, "Created task" if new else "Open already: task", given)


def _ensure(folder: str, given: GivenOptions, loop: str) -> str:
    key = _bounded(given.text("key"))
    if not key:
        raise ValueError("--key is missing: a name by which the todo is known again")
    todo, new = todos.ensure(
        folder,
        _bounded(given.argument),
        key=key,
        description=_bounded(given.text("description")),
        priority=_priority(given),
        blocked_by=_blockers(folder, given),
        loop=loop,
    )
    return _told(todo, "Ensured task" if new else "Reused task", given)


def _list(folder: str, given: GivenOptions, loop: str) -> str:
    status = given.text("status").lower().replace("-", "_").replace("inprogress", "in_progress")
    if status and status not in t.STATUSES:
        raise ValueError(f"--status {status!r}: must be one of {', '.join(t.STATUSES)}")
    found = [
        todo
        for todo in todos.read(folder)
        if (t.status_of(todo) == status if status else given.flag("all") or t.unfinished(todo))
    ]
    if given.flag("days"):
        found = _recent(found, given.number("days", 0))
    found = t.ordered(found)
    return _table(found[: given.number("limit", len(found))], given, "No tasks found", status=True)


def _ready(folder: str, given: GivenOptions, loop: str) -> str:
    found = t.ready(todos.read(folder))
    mine = found if given.flag("all") else t.of_loop(found, loop)
    return _table(t.ordered(mine), given, "No ready tasks", status=False)


def _show(folder: str, given: GivenOptions, loop: str) -> str:
    id = given.argument or ""
    todo = next((todo for todo in todos.read(folder) if todo["id"] == id), None)
    if todo is None:
        raise _unknown(id)
    if given.text("format") == "json":
        return _json(todo)
    if given.text("format") == "quiet":
        return _plain(id)
    rows = [
        ("ID", id),
        ("Title", t.text_of(todo, "title")),
        ("Description", t.text_of(todo, "description")),
        ("Status", t.status_of(todo)),
        ("Priority", str(t.priority_of(todo))),
        ("Key", t.text_of(todo, "key")),
        ("Blocked by", ", ".join(t.blockers(todo))),
        *((name.title(), t.text_of(todo, name)) for name in ("created", "started", "closed")),
    ]
    return "\n".join(f"{name + ':':<13}{_lines(value, 13)}" for name, value in rows if value)


def _to(status: str, said: str) -> Callable[[str, GivenOptions, str], str]:
    def change(folder: str, given: GivenOptions, loop: str) -> str:
        todo = todos.set_status(folder, given.argument or "", status)
        if todo is None:
            raise _unknown(given.argument or "")
        return f"{said} task: {_plain(str(todo['id']))} - {_plain(t.text_of(todo, 'title'))}"

    return change


DO: dict[str, Callable[[str, GivenOptions, str], str]] = {
    "add": _add,
    "ensure": _ensure,
    "list": _list,
    "ready": _ready,
    "show": _show,
    "start": _to("in_progress", "Started"),
    "close": _to("closed", "Closed"),
    "fail": _to("failed", "Failed"),
    "reopen": _to("open", "Reopened"),
}


def _priority(given: GivenOptions) -> int:
    return min(5, max(1, given.number("priority", t.USUAL)))


def _blockers(folder: str, given: GivenOptions) -> list[str]:
    """An id that is not in the list would be waited for in vain; it may still come."""
    wanted = given.names("blocked-by")
    if wanted:
        known = {todo["id"] for todo in todos.read(folder)}
        for id in wanted:
            if id not in known:
                print(f"warning: there is no todo {_plain(id)} yet; this one waits for it", file=sys.stderr)
    return wanted


def _recent(found: Sequence[Todo], days: int) -> list[Todo]:
    """Added or closed within this many days."""
    from datetime import UTC, datetime

    def age(todo: Todo, name: str) -> float:
        try:
            when = datetime.fromisoformat(t.text_of(todo, name))
        except ValueError:
            return float("inf")
        return (datetime.now(UTC) - (when if when.tzinfo else when.replace(tzinfo=UTC))).total_seconds()

    return [todo for todo in found if min(age(todo, "created"), age(todo, "closed")) < days * 86_400]


def _told(todo: Todo, said: str, given: GivenOptions) -> str:
    if given.text("format") == "json":
        return _json(todo, indent=None)
    if given.text("format") == "quiet":
        return _plain(str(todo["id"]))
    lines = [f"{said} {_plain(str(todo['id']))}", f"  Title: {_plain(t.text_of(todo, 'title'))}"]
    if key := t.text_of(todo, "key"):
        lines.append(f"  Key: {_plain(key)}")
    lines.append(f"  Priority: {t.priority_of(todo)}")
    if ids := t.blockers(todo):
        lines.append(f"  Blocked by: {_plain(', '.join(ids))}")
    return "\n".join(lines)


def _table(found: Sequence[Todo], given: GivenOptions, none: str, *, status: bool) -> str:
    if given.text("format") == "json":
        return _json(found)
    if given.text("format") == "quiet":
        return "\n".join(_plain(str(todo["id"])) for todo in found)
    if not found:
        return none

    def row(id: str, state: str, priority: str, title: str, key: str) -> str:
        shown = f" {state:<15}" if status else ""
        return f"{id:<20}{shown} {priority:<8} {title:<{_TITLE}} {key}".rstrip()

    head = row("ID", "Status", "Priority", "Title", "Key")
    rows = [
        row(
            _plain(str(todo["id"])),
            _plain(t.status_of(todo)),
            str(t.priority_of(todo)),
            one_line(t.text_of(todo, "title"), _TITLE),
            _plain(t.text_of(todo, "key")) or "-",
        )
        for todo in found
    ]
    return "\n".join([head, "-" * max(len(head), 90), *rows])


def _unknown(id: str) -> ValueError:
    return ValueError(f"Task {_plain(id)} not found; `ralph tools task list --all` shows the ids")


def _bounded(text: str | None) -> str:
    found = (text or "").strip()
    if len(found) > TEXT_LIMIT:
        raise ValueError(f"{len(found)} characters are too many; at most {TEXT_LIMIT} are taken")
    return found


def _plain(text: str) -> str:
    return one_line(text, _TEXT)


def _lines(text: str, indent: int) -> str:
    return ("\n" + " " * indent).join(harmless(line) for line in text.splitlines())


def _json(value: object, indent: int | None = 2) -> str:
    return harmless_json(json.dumps(value, ensure_ascii=False, indent=indent))


def harmless_json(text: str) -> str:
    """The same JSON, with escapes for what would move, hide or recolour something on a terminal."""
    if text.isascii():  # JSON itself escapes the rest
        return text if "\x7f" not in text else text.replace("\x7f", "\\u007f")
    return "".join(c if c == "\n" or c.isprintable() else json.dumps(c)[1:-1] for c in text).replace(
        "\x7f", "\\u007f"
    )
