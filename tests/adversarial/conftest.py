from __future__ import annotations

from pathlib import Path

import pytest
from project import Project

collect_ignore = ["cases"]  # what agents are given, not tests of ours


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path / "project", tmp_path / "home")
