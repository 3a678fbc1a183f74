"""What `ralph doctor` looks at. Every check only reads; what it starts (git, an agent's --version) changes nothing."""

from __future__ import annotations

from typing import Literal

import msgspec

from ralph.errors import RalphError


class Finding(msgspec.Struct, frozen=True):
    """`fix`: Ralph cannot do its work, or not safely. `note`: worth knowing; nothing must be done."""

    what: str
    ok: bool
    text: str
    mend: str = ""
    level: Literal["ok", "note", "fix"] = "ok"


def good(what: str, text: str) -> Finding:
    return Finding(what, True, text)


def note(what: str, text: str, mend: str = "") -> Finding:
    return Finding(what, True, text, mend, "note")


def fix(what: str, text: str, mend: str) -> Finding:
    return Finding(what, False, text, mend, "fix")


def broken(what: str, error: RalphError) -> Finding:
    where = f"{error.where}: " if error.where else ""
    return fix(what, where + error.what.replace("\n", "; "), error.todo)
