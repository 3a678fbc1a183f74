"""The marks that git leaves of what it could not merge."""

from __future__ import annotations

import re

from ralph.core.state import LoopState
from ralph.workspace import Snapshots, printable

# git names the two sides by their commits, in marks as in names that it makes up where a file and a folder meet.
_MARK = "^[<>|]{5,} [0-9a-f]{40}"
_MADE_UP = re.compile(r"~[0-9a-f]{40,64}(_\d+)?$")


def unresolved(snapshots: Snapshots, s: LoopState, tree: str) -> tuple[str, ...]:
    """What a merge left and nobody has resolved: paths that still hold its marks, also under another name, and names that it
    made up. What the target itself has of that is no matter."""
    if not s.merging:
        return ()
    changed = {change.path for change in snapshots.diff(s.base_tree, tree) if change.status != "D"}
    made_up = {path for path in changed if _MADE_UP.search(path)}
    marked = changed & snapshots.grep(tree, _MARK)
    marked |= {path for path in changed & _both(snapshots, tree) if printable(path) in s.merging}
    if marked:
        marked -= snapshots.grep(s.base_tree, _MARK) | _both(snapshots, s.base_tree)
    return tuple(sorted(printable(path) for path in made_up | marked))


def _both(snapshots: Snapshots, tree: str) -> set[str]:
    """Files with a beginning and an end of a conflict, whatever the sides are called."""
    return snapshots.grep(tree, "^<<<<<<< ") & snapshots.grep(tree, "^>>>>>>> ")
