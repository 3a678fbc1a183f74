"""The one exception for what a person can cause or must act on: what happened, where, what to do."""

from __future__ import annotations

import errno

DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO)  # the disk's fault: neither the agent's nor a wrong permission
GOES_ON = "What was recorded is kept; when the cause is gone, `ralph resume` continues."


class RalphError(Exception):
    """Shown to the user as up to three short lines; a traceback appears only with -v, and only for code 70."""

    def __init__(self, what: str, *, where: str = "", todo: str = "", code: int = 2) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.todo = todo
        self.code = code

    def __str__(self) -> str:
        lines = [f"{self.where}: {self.what}" if self.where else self.what]
        if self.todo:
            lines.append(self.todo)
        return "\n".join(lines)
