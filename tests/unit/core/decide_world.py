"""A loop whose gates have looked at the starting tree, for tests of single rules."""

from __future__ import annotations

from msgspec.structs import replace
from worlds import World, policy

from ralph.core.policy import LimitPolicy


def world(**changes: object) -> World:
    return World(policy(**changes)).base()


def limits(**changes: object) -> LimitPolicy:
    return replace(LimitPolicy(), **changes)
