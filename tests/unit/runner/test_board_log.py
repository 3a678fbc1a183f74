"""What poll-log.txt is left with when the disk has no room for the next look."""

from __future__ import annotations

import errno
import resource
from pathlib import Path

import pytest

from ralph.core.loop.state import LoopState
from ralph.runner.operations.board import _log


def test_a_look_that_does_not_fit_on_the_disk_leaves_no_half_line(tmp_path: Path) -> None:
    log = tmp_path / "poll-log.txt"
    _log(log, "first — START\nfirst — END\n", LoopState())
    before = log.read_text()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before.encode()) + 5, hard))
    try:
        with pytest.raises(OSError) as failed:
            _log(log, "second — START\nsecond — END\n", LoopState())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert failed.value.errno == errno.ENOSPC
    assert log.read_text() == before
