from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from serving import Served, serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for the tests of a module; its token is the admin's."""
    with serving(tmp_path_factory.mktemp("served") / "home") as found:
        yield found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"
