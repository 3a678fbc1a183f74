"""The roles of a loop as its policy holds them. roles.py says which of them is worn."""

from __future__ import annotations

import msgspec


class Trigger(msgspec.Struct, frozen=True, omit_defaults=True):
    """Wear this role when the condition becomes true."""

    condition: str
    role: str


class Roles(msgspec.Struct, frozen=True, omit_defaults=True):
    """The personas of a loop and when each is worn; the first trigger that applies wins."""

    texts: dict[str, str] = {}  # role -> its text
    triggers: tuple[Trigger, ...] = ()
    base: str = ""  # working.md: said in every iteration, before the role
