"""What a line of the backlog says: its fields, the words for a status, ids and their parents. No file is opened here."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Literal

import msgspec

from ralph.core.policy import Task

Status = Literal["pending", "in_progress", "complete", "failed", "blocked", "cancelled"]
ProblemKind = Literal["line", "duplicate", "parent", "dependency", "cycle", "empty"]
STATUSES: tuple[Status, ...] = ("pending", "in_progress", "complete", "failed", "blocked", "cancelled")
ALIASES: dict[str, Status] = {"active": "in_progress", "completed": "complete", "done": "complete"}
PRIORITY = 2.0  # of a task that says none and whose parents say none; 0 is the most urgent
_PRIORITIES = {"critical": 0.0, "high": 1.0, "medium": 2.0, "low": 3.0, "backlog": 4.0}
_LONGEST_ID = 120


NOT_ACCEPTED = "proposed, and waits to be accepted"


class BacklogTask(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A task as the backlog has it. `parent` is told by the line or by the dots of the id."""

    id: str
    title: str
    status: Status = "pending"  # its own; what a parent amounts to is the forest's to say
    description: str = ""
    criteria: tuple[str, ...] = ()
    parent: str = ""
    leaf: bool | None = None  # None: not told, so a leaf as long as it has no children
    priority: float | None = None
    type: str = ""
    depends_on: tuple[str, ...] = ()
    no_change_ok: bool = False
    allow: tuple[str, ...] = ()
    gates: tuple[str, ...] = ()  # of its own: names of gates, or commands
    reason: str = ""  # why it failed or is blocked
    order: int = 0  # its place among all tasks
    archived: bool = False
    completed: str = ""
    commit: str = ""
    branch: str = ""  # that the commit is on, when it landed elsewhere than on the target
    target: str = ""  # where it was to land and could not
    verified: bool | None = None
    reopened: int = 0  # how often it came back from the archive
    proposed_by: str = ""  # the task whose agent wanted it

    @property
    def is_unaccepted(self) -> bool:
        """An agent wants it, and no person has said yet that it may begin."""
        return self.status == "blocked" and bool(self.proposed_by) and self.reason == NOT_ACCEPTED

    def as_task(self) -> Task:
        """What a loop needs to know of it."""
        return Task(
            self.id,
            self.title,
            self.description,
            self.criteria,
            self.no_change_ok,
            self.allow,
            self.type,
            PRIORITY if self.priority is None else self.priority,
            self.gates,
        )


class TaskProblem(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something in the backlog that cannot be worked on, and where it is."""

    what: str
    file: str = ""
    line: int = 0
    id: str = ""
    kind: ProblemKind = "line"
    missing: str = ""  # the id that was named and is not there

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}" if self.line else f"{self.file}: {self.what}"


_decoder = msgspec.json.Decoder(dict[str, Any])


def read_line(raw: bytes, order: int = 0, *, archived: bool = False) -> BacklogTask:
    """The task of one line. ValueError says what is wrong with it."""
    try:
        fields = _decoder.decode(raw)
    except msgspec.ValidationError as error:
        raise ValueError(_spoken(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise ValueError("this is not a JSON object on one line") from None
    except RecursionError:
        raise ValueError("this is nested too deeply") from None
    return read_fields(fields, order, archived=archived)


def read_fields(fields: Mapping[str, object], order: int = 0, *, archived: bool = False) -> BacklogTask:
    """The task of a line that is still a dictionary; null is as good as absent. Where it stands says `order` and `archived`,
    whatever stands in it."""
    said = {name: value for name, value in fields.items() if value is not None}
    said["order"], said["archived"] = order, archived
    if isinstance(word := said.get("status", ""), str):
        told = status(word or "pending")
        said["status"] = "complete" if archived else told
    if isinstance(word := said.get("priority"), str):
        said["priority"] = priority(word)
    if isinstance(id := said.get("id"), str) and "parent" not in fields:
        said["parent"] = parent_of(id)
    try:
        task = msgspec.convert(said, BacklogTask)
    except msgspec.ValidationError as error:
        raise ValueError(_spoken(str(error))) from None
    if why := bad_id(task.id):
        raise ValueError(why)
    if not task.title.strip():
        raise ValueError(f"{task.id}: the title is empty")
    return task


def status(word: str) -> Status:
    """The status that a word means."""
    if word in STATUSES:
        return word
    if word in ALIASES:
        return ALIASES[word]
    raise ValueError(f"unknown status {word[:40]!r} (valid: {', '.join(STATUSES)})")


def priority(told: int | float | str | None) -> float | None:
    """A number, or a word of those in use: P1, high."""
    if told is None or told == "":
        return None
    if not isinstance(told, str):
        return float(told)
    word = told.strip().lower()
    if word in _PRIORITIES:
        return _PRIORITIES[word]
    if found := re.fullmatch(r"p?(-?[0-9]{1,9})", word):
        return float(found[1])
    raise ValueError(
        f"unknown priority {told[:40]!r} (valid: a number, 0 the most urgent, or {', '.join(_PRIORITIES)})"
    )


# -- ids -----------------------------------------------------------------------------------------------


def bad_id(id: str) -> str:
    """Why this cannot be an id; empty if it can."""
    if not id or len(id) > _LONGEST_ID:
        return f"an id has 1 to {_LONGEST_ID} characters"
    if not id.isprintable() or " " in id:
        return f"the id {id!r} has a space or a control character"
    if id.startswith("-"):
        return f"the id {id!r} begins with a dash"
    if "" in id.split("."):
        return f"the id {id!r} has an empty part between its dots"
    return ""


def parent_of(id: str) -> str:
    """By the dots: A.1.2 is below A.1."""
    return id.rpartition(".")[0]


def next_child(parent: str, taken: Iterable[str]) -> str:
    """The number after the highest, so that no id comes twice, also not after a removal in the middle."""
    start = len(parent) + 1
    numbers = [int(id[start:]) for id in taken if id.startswith(f"{parent}.") and _short_number(id[start:])]
    return f"{parent}.{max(numbers, default=0) + 1}"


def next_top(taken: Iterable[str]) -> str:
    """Goes on as the last one did: B after A, US-003 after US-002."""
    known = [id for id in taken if "." not in id]
    last = re.fullmatch(r"(.*[^0-9A-Za-z])?([0-9]{1,9})", known[-1]) if known else None
    if last:
        head, digits = last[1] or "", last[2]
        return free(known, lambda n: f"{head}{int(digits) + n:0{len(digits)}}")
    highest = max((_from_letters(id) for id in known if re.fullmatch("[A-Z]{1,3}", id)), default=0)
    return free(known, lambda n: _to_letters(highest + n))


def free(taken: Collection[str], name: Callable[[int], str]) -> str:
    """The first name that is not taken."""
    n = 1
    while name(n) in taken:
        n += 1
    return name(n)


def _short_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 10


def _from_letters(text: str) -> int:
    number = 0
    for letter in text:
        number = number * 26 + ord(letter) - 64
    return number


def _to_letters(number: int) -> str:
    text = ""
    while number:
        number, rest = divmod(number - 1, 26)
        text = chr(65 + rest) + text
    return text


def _spoken(error: str) -> str:
    """msgspec's words, without its marks."""
    told, _, path = error.partition(" - at `$")
    told = told.replace("Object missing required field ", "there is no field ").replace("`", "")
    told = told.replace("Expected", "expected").replace(", got null", ", not null")
    return f"{path.strip('.`')}: {told}" if path.strip(".`") else told
