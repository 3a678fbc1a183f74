"""Long texts of facts, by reference: the history says where they are, and they are read from the journal on demand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from ralph.journal.read import read_record


class TextRef(msgspec.Struct, frozen=True):
    """A text that is not held in memory: the record and the field that have it, and how long it is."""

    seq: int
    field: str
    chars: int


def text_ref(seq: int, field: str, text: str | tuple[str, ...]) -> TextRef | None:
    """None: there is no text."""
    chars = len(text) if isinstance(text, str) else sum(map(len, text))
    return TextRef(seq, field, chars) if text else None


class JournalTexts:
    """Reads what a TextRef names; empty where the journal does not have it any more."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir

    def text(self, ref: TextRef | None) -> str:
        return str(self._field(ref) or "") if ref else ""

    def texts(self, ref: TextRef | None) -> tuple[str, ...]:
        return tuple(self._field(ref) or ()) if ref else ()

    def _field(self, ref: TextRef) -> Any:
        found = read_record(self._state_dir, ref.seq)
        return msgspec.json.decode(found.data).get(ref.field) if found else None
