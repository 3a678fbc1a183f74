"""Reads the sources of a checkout as far as a report needs them to say where a test lies. An agent may have made them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISREG

MOST_BYTES = 4 << 20
MOST_FOLDERS = 20_000
_LEFT_OUT = {"node_modules", "target", "vendor", "testdata", "__pycache__"}


def walk(root: Path, name: str) -> Iterator[Path]:
    """The files of this name, without what tools put there."""
    for seen, (parent, folders, files) in enumerate(os.walk(root)):
        if seen >= MOST_FOLDERS:
            return
        folders[:] = sorted(each for each in folders if each not in _LEFT_OUT and not each.startswith("."))
        if name in files:
            yield Path(parent, name)


def source_bytes(path: Path, most: int = MOST_BYTES) -> bytes | None:
    """None when it is not a file, cannot be read or is larger than that. Never waits."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            content = file.read(most + 1)
    except (OSError, ValueError):
        return None
    return content if len(content) <= most else None


def source_text(path: Path) -> str:
    return (source_bytes(path) or b"").decode("utf-8", "replace")
