from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ralph.setup.project import Machine

Lay = Callable[[dict[str, str]], Path]
Having = Callable[..., Machine]


@pytest.fixture
def lay(tmp_path: Path) -> Lay:
    """A project folder with these files; a name that ends with * is executable."""

    def lay(files: dict[str, str]) -> Path:
        folder = tmp_path / "project"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            path = folder / name.rstrip("*")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
            if name.endswith("*"):
                path.chmod(0o755)
        return folder

    return lay


@pytest.fixture
def having(tmp_path: Path) -> Having:
    """A machine whose PATH has these programs and no others; `python3:pytest` is one that has the module."""

    def having(*programs: str) -> Machine:
        folder = tmp_path / "bin"
        folder.mkdir(exist_ok=True)
        for program in programs:
            name, _, module = program.partition(":")
            (folder / name).write_text(f"#!/bin/sh\nexit {0 if module else 1}\n")
            (folder / name).chmod(0o755)
        return Machine({"PATH": str(folder)})

    return having
