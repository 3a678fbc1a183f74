"""The one exception for what a person can cause or must act on: what happened, where, what to do."""

from __future__ import annotations


class RalphError(Exception):
    """Shown to the user as up to three short lines; a traceback appears only with -v."""

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
