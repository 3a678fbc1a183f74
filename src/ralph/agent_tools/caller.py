"""Who calls: the iteration whose agent started this server, as its environment tells, and where it works.

The token is known to one iteration only; without it nothing may be written, and the driver would refuse it anyway.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from ralph.errors import RalphError

TEXT_LIMIT = 100_000  # characters of one text; what goes into a prompt is paid for in every iteration


class Caller:
    def __init__(self, env: Mapping[str, str], cwd: str) -> None:
        self.env = env
        self.loop = env.get("RALPH_LOOP", "")
        self.task = env.get("RALPH_TASK", "")
        self.iteration = env.get("RALPH_ITERATION", "")
        self._state = env.get("RALPH_STATE", "")
        self._token = "" if "RALPH_GATE" in env else env.get("RALPH_TOKEN", "")
        self._scratchpad = env.get("RALPH_SCRATCHPAD", "")
        # The workspace's copy of the backlog, relative to its root; empty where it has none.
        self.backlog = env.get("RALPH_BACKLOG", "tasks.jsonl")
        self._cwd = cwd
        self.proposed: dict[str, list[str]] = {}  # the ids of tasks proposed so far, by the proposal's name

    @property
    def inside(self) -> bool:
        return bool(self._token and self._state and self.loop and self.task)

    def require(self) -> None:
        if not self.inside:
            raise RalphError(
                "refused: no iteration runs here (RALPH_TOKEN is not set), so nobody would hear it",
                todo="Only an agent inside `ralph run` can do this; a reviewer cannot. Go on without it.",
            )

    def tell(self, message: dict[str, object], name: str = "") -> None:
        """Put a message for the driver. Two with the same name, of this iteration, count as one."""
        from ralph.journal import inbox

        self.require()
        whose = {"loop": self.loop, "token": self._token}
        inbox.put(
            f"{self._state}/inbox", {**message, **whose}, f"{_short(self._token)}-{name}" if name else ""
        )

    # -- places ------------------------------------------------------------------------------------

    @property
    def scratchpad(self) -> str:
        return self._scratchpad or f"{self._cwd}/.ralph/agent/scratchpad.md"

    @property
    def notes(self) -> str:
        """The folder of todos and memories, one for all hats and tasks: `agent` in the .ralph that holds the scratchpad.
        Where that is the user's own place, the nearest .ralph/agent of the workspace, else that of the folder itself."""
        before, inside, _ = f"{os.path.dirname(self._scratchpad)}/".rpartition("/.ralph/")
        if inside:
            return f"{before}/.ralph/agent"
        folder, root = os.path.realpath(self._cwd), self.root
        while folder != root and folder.startswith(f"{root}/"):
            if os.path.isdir(f"{folder}/.ralph/agent"):
                return f"{folder}/.ralph/agent"
            folder = os.path.dirname(folder)
        at_root = f"{root}/.ralph/agent"
        return at_root if os.path.isdir(at_root) else f"{self._cwd}/.ralph/agent"

    @property
    def memories(self) -> str:
        """The folder of memories. A task's workspace is given up after it, so that they are kept in the user's checkout."""
        return self.env.get("RALPH_MEMORIES") or self.notes

    @property
    def root(self) -> str:
        """The workspace: what holds the scratchpad and is a repository, else the folder where the agent works."""
        start = os.path.dirname(self._scratchpad) if self._scratchpad else self._cwd
        folder = os.path.realpath(start)
        while folder != os.path.dirname(folder):
            if os.path.lexists(f"{folder}/.git") or os.path.isdir(f"{folder}/.ralph/repository"):
                return folder
            folder = os.path.dirname(folder)
        return os.path.realpath(self._cwd)

    def find(self, name: str) -> str:
        """A file of the workspace by a path that an agent gave, relative to the root. Must exist and lie inside."""
        root = self.root
        for base in (self._cwd, root):
            path = os.path.realpath(os.path.join(base, name))
            if path.startswith(f"{root}/") and os.path.exists(path):
                return os.path.relpath(path, root)
        raise RalphError(
            f"there is no file {name!r} in the workspace {root}",
            todo="Name files that exist inside it, relative to it; leave out what you did not make.",
        )


def _short(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]


def digest(message: object) -> str:
    """The same content always has the same name, so that a call made twice counts once."""
    import json

    return _short(json.dumps(message, sort_keys=True))
