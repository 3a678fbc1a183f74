"""Workspaces of repositories that are gone. Removed is only what holds no work, unless a person wants all of it gone."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ralph.files import remove_tree
from ralph.git.repo import workspaces_dir
from ralph.git.workspaces.pool import PooledWorkspace, notes_in


class Cleaned(msgspec.Struct, frozen=True):
    removed: tuple[PooledWorkspace, ...] = ()
    kept: tuple[PooledWorkspace, ...] = ()  # a loop had not ended there: no one else has what it made


def remove_orphans(*, all: bool = False) -> Cleaned:
    removed: list[PooledWorkspace] = []
    kept: list[PooledWorkspace] = []
    place = workspaces_dir()
    for folder in sorted(place.iterdir()) if place.is_dir() else ():
        found = notes_in(folder)
        if not found or not all_gone(found):
            continue
        free = [one for one in found if all or one.state == "released"]
        kept += [one for one in found if one not in free]
        removed += free
        if len(free) == len(found):
            remove_tree(folder)
            continue
        for one in free:
            for left in (one.path, *folder.glob(f"{one.slot}.*")):
                remove_tree(left)
    return Cleaned(tuple(removed), tuple(kept))


def all_gone(found: list[PooledWorkspace]) -> bool:
    return all(one.home and not Path(one.home).exists() for one in found)
