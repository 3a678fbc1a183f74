from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from history_world import JournalFile


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[JournalFile]:
    made = JournalFile(tmp_path / "state")
    yield made
    made.close()
