"""The files in which our hooks record tests (`hooks/`): where they lie beside a gate's run, and how they are read.

What is read was written by the tested processes. It is opened without waiting, bounded, and believed only in form.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Literal

import msgspec

from .report import Builder, Outcome
from .sources import source_bytes

MOST_BYTES = 64 << 20  # of all records of a run
MOST_FILES = 10_000


class HookRecord(msgspec.Struct, frozen=True):
    event: Literal["begin", "test", "trouble", "end"]
    runner: str = ""
    path: str = ""
    name: str = ""
    outcome: Outcome = "failed"
    detail: str = ""


def hooks_folder(reports: Path) -> Path:
    """Its name keeps the hooks out of what Node, jest and vitest count as covered."""
    return reports / "node_modules"


def records_folder(reports: Path) -> Path:
    return reports / "records"


def put_hooks(reports: Path) -> None:
    """Copies the hooks beside the records: a gate in a sandbox sees that folder, and nothing of Ralph's package."""
    hooks_folder(reports).mkdir(parents=True, exist_ok=True)
    records_folder(reports).mkdir(exist_ok=True)
    for source in resources.files(f"{__package__}.hooks").iterdir():
        if source.name.endswith((".py", ".mjs", ".cjs")) and source.name != "__init__.py":
            (hooks_folder(reports) / source.name).write_bytes(source.read_bytes())


def read_records(reports: Path, builder: Builder) -> None:
    left = MOST_BYTES
    for path in _files(records_folder(reports)):
        text = source_bytes(path, left)
        if text is None:
            builder.never_ended()  # replaced, or larger than any honest record
            continue
        left -= len(text)
        _read_one(text, builder)


def _read_one(text: bytes, builder: Builder) -> None:
    """One runner of one process. Without its last record it did not reach its end."""
    ended = False
    for line in text.splitlines():
        try:
            record = _record(line)
        except (ValueError, RecursionError):
            ended = False  # torn
            break
        ended = record.event == "end"
        match record.event:
            case "begin":
                builder.began(record.runner)
            case "test":
                builder.test(record.path, record.name, record.outcome, record.detail)
            case "trouble":
                builder.trouble(record.path, record.detail)
    if not ended:
        builder.never_ended()


def _record(line: bytes) -> HookRecord:
    """Messages may hold halves of characters, such as those of a file name that is not valid UTF-8."""
    try:
        return _decoder.decode(line)
    except msgspec.DecodeError:
        return _decoder.decode(json.dumps(json.loads(line), ensure_ascii=False).encode(errors="replace"))


_decoder = msgspec.json.Decoder(HookRecord)


def _files(folder: Path) -> Iterator[Path]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return
    yield from (folder / name for name in names[:MOST_FILES] if name.endswith(".jsonl"))
