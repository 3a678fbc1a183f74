from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from report_world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    made = World(tmp_path / "project")
    yield made
    made.close()
