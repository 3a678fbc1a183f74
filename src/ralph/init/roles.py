"""The roles that ship with Ralph, and what is written to give them to a project."""

from __future__ import annotations

import os
from pathlib import Path

from ralph.config.roles import FILE_NAMES, FOLDER
from ralph.errors import RalphError
from ralph.init.plan import Plan
from ralph.init.write import File

_HERE = Path(__file__).parent / "role_files"
TRIGGERS = FILE_NAMES[1]  # where the triggers are written


def role_files() -> dict[str, bytes]:
    """Where each file belongs, seen from the working folder -> what it says."""
    texts = {f"{FOLDER}/{path.name}": path.read_bytes() for path in sorted(_HERE.glob("*.md"))}
    return {TRIGGERS: (_HERE / TRIGGERS).read_bytes(), **texts}


def roles(folder: Path, *, force: bool) -> Plan:
    """The files that are not there yet as they should be. Nothing that differs is replaced without `force`; then it is kept."""
    files = []
    for name, data in role_files().items():
        path = folder / name
        if not os.path.lexists(path):
            files.append(File(path, data))
        elif not path.is_file():
            raise RalphError("is not a plain file", where=name, todo="Move it away.")
        elif path.read_bytes() != data:
            if not force:
                raise RalphError(
                    "is here already, and differs",
                    where=name,
                    todo="Nothing was written. Say --force to write it anew; the old one is kept.",
                )
            files.append(File(path, data, replace=True))
    other = folder / FILE_NAMES[0]
    if not os.path.lexists(other):
        return Plan(tuple(files))
    if not force:
        raise RalphError(
            "is here already, and would be read in place of the new one",
            where=FILE_NAMES[0],
            todo="Nothing was written. Edit it, or say --force: then it is kept under another name.",
        )
    return Plan(tuple(files), (other,))
