"""The marks that git leaves in files that it could not merge."""

from __future__ import annotations

from ralph.core.state import LoopState
from ralph.workspace import Snapshots


def unresolved(snapshots: Snapshots, s: LoopState, tree: str) -> tuple[str, ...]:
    """Of the paths that a merge left in conflict, those that still hold its marks, which the target's own file does not."""
    return tuple(
        path
        for path in s.merging
        if _marked(snapshots.read(tree, path)) and not _marked(snapshots.read(s.base_tree, path))
    )


def _marked(content: bytes | None) -> bool:
    lines = (content or b"").split(b"\n")
    return any(x.startswith(b"<<<<<<< ") for x in lines) and any(x.startswith(b">>>>>>> ") for x in lines)
