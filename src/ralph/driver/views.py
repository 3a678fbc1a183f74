"""The files beside the user's own that show how a loop stands. Views: lost or stale, they are written anew."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

from ralph.core import facts as f
from ralph.core.exits import DONE
from ralph.core.state import LoopState
from ralph.driver.place import straight
from ralph.driver.store import write_atomically
from ralph.errors import DISK
from ralph.journal import statefile
from ralph.prompt.compose import scratchpad_path
from ralph.seams import seam
from ralph.workspace import Snapshots, printable
from ralph.workspace.repo import safe_name

CHECKPOINTS = ("precompact", "stop", "manual")


class Views:
    def __init__(self, folder: Path, snapshots: Snapshots, now: Callable[[], str]) -> None:
        self._folder = folder
        self._snapshots = snapshots
        self._now = now
        self._shown: tuple[object, ...] = ()

    def write(self, s: LoopState) -> None:
        """The state file is kept until the task is done; then it goes, and the scratchpad, which the record keeps."""
        if s.ended in DONE:
            remove_state_file(self._folder)
            remove_scratchpad(self._folder, s)
        elif (self._folder / statefile.NAME).is_dir() or not self._usable(s):
            return  # an agent's doing; the view is lost, the journal has everything
        elif s.ended is not None or s.history or s.refusal or s.red_now():
            self._write_state_file(s)

    def _usable(self, s: LoopState) -> bool:
        return self._folder.is_dir() and straight(self._folder, s)

    def _write_state_file(self, s: LoopState) -> None:
        shown = (s.attempts, s.refusal, s.serial, s.ended, tuple(r.op for r in s.red_now()))
        if shown == self._shown:
            return
        self._shown = shown
        changes = self._snapshots.diff(s.base_tree, s.tree) if s.base_tree else []
        text = statefile.render(s, timestamp=self._now(), files_modified=[printable(c.path) for c in changes])
        write_atomically(self._folder / statefile.NAME, text.encode(), self._folder / statefile.TEMPORARY)

    def checkpoint(self, x: f.Checkpoint, s: LoopState) -> None:
        """The file of seed 001, for whoever watches it. Soft limits of time have none."""
        if x.what not in CHECKPOINTS or not self._usable(s):
            return
        keys = {
            "taskId": s.task.id,
            "iteration": s.iterations + 1,
            "contextFull": x.what == "precompact",
            "timestamp": self._now(),
            "checkpointReason": x.what,
        }
        path = checkpoint_path(self._folder, s)
        if self._folder in path.parents and not straight(path.parent, s):
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, json.dumps(keys, indent=2).encode(), path.with_name(path.name + ".part"))
        except OSError as error:
            if error.errno in DISK:
                raise  # else an agent's doing, or a folder of the user's that is not there


def checkpoint_path(folder: Path, s: LoopState) -> Path:
    named = os.environ.get("RALPH_STATE_DIR")
    place = Path(named) if named else folder / ".ralph" / "checkpoints"
    return place / f"{safe_name(s.task.id)}.checkpoint.json"


def remove_checkpoint(folder: Path, s: LoopState) -> None:
    """What an earlier loop left speaks of another context."""
    path = checkpoint_path(folder, s)
    if path.is_file():
        seam("remove.before", writes=True)
        path.unlink()
        seam("remove.after")


def remove_state_file(folder: Path) -> None:
    if (folder / statefile.NAME).is_dir():
        return
    seam("remove.before", writes=True)
    (folder / statefile.NAME).unlink(missing_ok=True)
    (folder / statefile.TEMPORARY).unlink(missing_ok=True)
    seam("remove.after")


def remove_scratchpad(folder: Path, s: LoopState) -> None:
    path = folder / scratchpad_path(s)
    if path.is_file() and straight(path.parent, s):
        seam("remove.before", writes=True)
        path.unlink()
        seam("remove.after")
