"""Where the items are that a scanner dispatched, as the journal is told."""

from __future__ import annotations

import os
from pathlib import Path

from ralph.runner.hat_notes import found_item


def test_a_folder_whose_name_is_not_utf8_is_told_in_a_form_that_the_journal_holds(tmp_path: Path) -> None:
    odd = tmp_path / os.fsdecode(b"caf\xe9")
    odd.mkdir()
    (odd / "item").touch()
    (tmp_path / "item").touch()
    where, content = found_item(tmp_path, "item")
    assert where == "item, caf\ufffd/item" and content
