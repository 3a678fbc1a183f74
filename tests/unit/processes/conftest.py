from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from process_world import World


@pytest.fixture
def world(tier: str, tmp_path: Path) -> Iterator[World]:
    w = World(tier, tmp_path)
    try:
        yield w
    finally:
        w.ownership.close(spare_keeper=True)
    assert w.token.survivors() == []
