from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from config_project import Project


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write_file(name: str, text: str = "", mode: int = 0o644) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    return write_file
