from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import install

from model.serve import Model


@pytest.fixture
def model(tmp_path: Path) -> Iterator[Model]:
    with Model(tmp_path / "requests.jsonl") as served:
        yield served


@pytest.fixture
def program() -> Callable[[str], install.Installed]:
    """A CLI of the cache; the test is skipped, saying why, when it is not there."""

    def find(cli: str) -> install.Installed:
        try:
            return install.installed(cli)
        except install.NotInstalled as why:
            pytest.skip(str(why))

    return find
