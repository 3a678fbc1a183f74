"""What `ralph tools task` does and prints. The words `task` and `tasks` are those that its users know; these are todos."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence

from ralph.agent_tools import todos
from ralph.agent_tools.commands import Given, option, tool
from ralph.agent_tools.requests import TEXT_LIMIT
from ralph.core import todos as t
from ralph.core.todos import Todo
from ralph.text import harmless, one_line

_TITLE = 60  # characters of a title in a table
_TEXT = 500  # of any other single line

_FORMAT = option("--format", value="table|json|quiet", about="How it is shown; table if absent.")
_NEW = (
    option(
        "-p",
        "--priority",
        value="N",
        number=True,
        default=t.USUAL,
        about="From 1, the highest, to 5; 3 if absent.",
    ),
    option("-d", "--description", value="TEXT", about="More about it."),
    option(
        "--blocked-by", value="IDS", many=True, about="Ids of todos that must be closed first, with commas."
    ),
    _FORMAT,
)
_ID = "task-1737372000-a1b2"


@tool(
    "task add TITLE",
    "Add a todo; one that is open already is not doubled.",
    'task add "Write tests for dates" -p 2',
    *_NEW,
)
def _add(given: Given) -> str:
    return _put(given, "", "Created task", "Open already: task")


@tool(
    "task ensure TITLE",
    "Add a todo under its own key, or update the one of that key.",
    'task ensure "Write tests" --key spec:tests -p 2',
    option("--key", value="KEY", about="A name that stays the same."),
    *_NEW,
)
def _ensure(given: Given) -> str:
    key = _bounded(given.key)
    if not key:
        raise ValueError("--key is missing: a name by which the todo is known again")
    return _put(given, key, "Ensured task", "Reused task")


@tool(
    "task list",
    "Show the todos that are not over.",
    "task list --status closed",
    option("-s", "--status", value="STATUS", about="Only open, in_progress, closed or failed."),
    option("-d", "--days", value="N", number=True, about="Only those added or closed in the last N days."),
    option("-l", "--limit", value="N", number=True, about="At most N."),
    option("-a", "--all", about="Also closed and failed ones."),
    _FORMAT,
    reads=True,
)
def _list(given: Given) -> str:
    status = given.status.lower().replace("-", "_").replace("inprogress", "in_progress")
    if status and status not in t.STATUSES:
        raise ValueError(f"--status {status!r}: must be one of {', '.join(t.STATUSES)}")
    found = [
        todo
        for todo in todos.read(given.folder)
        if (t.status_of(todo) == status if status else given.all or t.unfinished(todo))
    ]
    if given.days is not None:
        found = _recent(found, given.days)
    found = t.ordered(found)
    return _table(found[: given.limit], given, "No tasks found", status=True)


@tool(
    "task ready",
    "Show the todos that can be worked on now: begun, or with nothing in their way.",
    "task ready --format json",
    option("-a", "--all", about="Also those of other loops."),
    _FORMAT,
    reads=True,
)
def _ready(given: Given) -> str:
    found = t.ready(todos.read(given.folder))
    mine = found if given.all else t.of_loop(found, given.loop)
    return _table(t.ordered(mine), given, "No ready tasks", status=False)


@tool("task show ID", "Show one todo.", "task show task-1737372000-a1b2 --format json", _FORMAT, reads=True)
def _show(given: Given) -> str:
    id = given.words[0]
    todo = next((todo for todo in todos.read(given.folder) if todo["id"] == id), None)
    if todo is None:
        raise _unknown(id)
    if given.format == "json":
        return _json(todo)
    if given.format == "quiet":
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


def _set_status(word: str, status: str, about: str, said: str) -> None:
    @tool(f"task {word} ID", f"Mark a todo as {about}.", f"task {word} {_ID}")
    def change(given: Given) -> str:
        todo = todos.set_status(given.folder, given.words[0], status)
        if todo is None:
            raise _unknown(given.words[0])
        return f"{said} task: {_plain(str(todo['id']))} - {_plain(t.text_of(todo, 'title'))}"


_set_status("start", "in_progress", "begun", "Started")
_set_status("close", "closed", "done", "Closed")
_set_status("fail", "failed", "failed", "Failed")
_set_status("reopen", "open", "open again", "Reopened")


def _put(given: Given, key: str, created: str, known: str) -> str:
    todo, new = todos.add(
        given.folder,
        _bounded(given.words[0]),
        key=key,
        description=_bounded(given.description),
        priority=min(5, max(1, given.priority)),
        blocked_by=_blockers(given),
        loop=given.loop,
    )
    return _told(todo, created if new else known, given)


def _blockers(given: Given) -> list[str]:
    """An id that is not in the list would be waited for in vain; it may still come."""
    wanted: list[str] = given.blocked_by
    if wanted:
        known = {todo["id"] for todo in todos.read(given.folder)}
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


def _told(todo: Todo, said: str, given: Given) -> str:
    if given.format == "json":
        return _json(todo, indent=None)
    if given.format == "quiet":
        return _plain(str(todo["id"]))
    lines = [f"{said} {_plain(str(todo['id']))}", f"  Title: {_plain(t.text_of(todo, 'title'))}"]
    if key := t.text_of(todo, "key"):
        lines.append(f"  Key: {_plain(key)}")
    lines.append(f"  Priority: {t.priority_of(todo)}")
    if ids := t.blockers(todo):
        lines.append(f"  Blocked by: {_plain(', '.join(ids))}")
    return "\n".join(lines)


def _table(found: Sequence[Todo], given: Given, none: str, *, status: bool) -> str:
    if given.format == "json":
        return _json(found)
    if given.format == "quiet":
        return "\n".join(_plain(str(todo["id"])) for todo in found) or "\n"
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
