"""Where a loop works, by its state alone: the folder, and the snapshots that leave Ralph's own files there alone."""

from __future__ import annotations

from pathlib import Path

from ralph.core.state import LoopState
from ralph.prompt.compose import scratchpad_path
from ralph.workspace import Repo, Snapshots, own_files


def folder_of(s: LoopState) -> Path:
    return Path(s.root) / s.folder


def snapshots_of(repo: Repo, s: LoopState) -> Snapshots:
    return Snapshots(repo, "in-place", own_files(repo, folder_of(s), (scratchpad_path(s),)))
