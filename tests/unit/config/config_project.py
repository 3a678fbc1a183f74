"""A project folder and how its ralph.yml is read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ralph.config.load import Resolved, load
from ralph.config.settings import Overrides
from ralph.errors import RalphError


class Project:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, text: str | bytes | None = None, *, file: str | None = None, **overrides: Any) -> Resolved:
        """`text` becomes ralph.yml; an agent and a prompt are given by the command line unless overridden."""
        if text is not None:
            data = text if isinstance(text, bytes) else text.encode()
            (self.folder / (file or "ralph.yml")).write_bytes(data)
        given = {"prompt": "Do it", "command": ("true",)} | overrides
        return load(self.folder, Path(file) if file else None, Overrides(**given))

    def error(self, text: str | bytes | None = None, *, file: str | None = None, **overrides: Any) -> str:
        with pytest.raises(RalphError) as caught:
            self.load(text, file=file, **overrides)
        assert caught.value.code == 2
        assert caught.value.todo
        return str(caught.value)
