"""What can be asked of a backlog. Each change names one task; many are written at once."""

from __future__ import annotations

import msgspec

Fields = dict[str, object]  # of a line, the unknown ones too


class Claimed(msgspec.Struct, frozen=True):
    """A loop works on it."""

    id: str


class Completed(msgspec.Struct, frozen=True):
    """It is done and goes to the archive. Twice with the same commit counts once."""

    id: str
    commit: str = ""  # the landed one
    verified: bool = False
    evidence: str = ""
    when: str = ""  # a date in UTC; empty: today
    branch: str = ""  # that the commit is on, when that is not the target
    target: str = ""  # where it was to land and could not
    of_loop: bool = (
        False  # so with the others: decided by a loop, whose word counts less than a person's meanwhile
    )


class Failed(msgspec.Struct, frozen=True):
    id: str
    reason: str = ""
    of_loop: bool = False


class Blocked(msgspec.Struct, frozen=True):
    id: str
    reason: str = ""
    of_loop: bool = False


class Cancelled(msgspec.Struct, frozen=True):
    id: str
    reason: str = ""
    of_loop: bool = False


class Reopened(msgspec.Struct, frozen=True):
    """It is to be worked on (again), also when it is in the archive."""

    id: str
    of_loop: bool = False


class Edited(msgspec.Struct, frozen=True):
    """These fields get these values; None takes a field away."""

    id: str
    fields: Fields


class Added(msgspec.Struct, frozen=True):
    """A new line. A parent that was a leaf is none any more."""

    fields: Fields
    done: bool = False  # it goes to the archive at once


class Split(msgspec.Struct, frozen=True):
    """The parent becomes a container of these new lines."""

    parent: str
    children: tuple[Fields, ...]


Change = Claimed | Completed | Failed | Blocked | Cancelled | Reopened | Edited | Added | Split


class Conflict(msgspec.Struct, frozen=True):
    """A change that was not made, because a person's edit of the file says otherwise."""

    id: str
    what: str


class Applied(msgspec.Struct, frozen=True):
    conflicts: tuple[Conflict, ...] = ()
