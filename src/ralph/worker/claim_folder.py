"""The folder of one claim: its journal, the blobs that its facts name, and the engine's clone. Another claim never uses it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from ralph.core.fleet.model import FleetTask
from ralph.core.fleet.outbox import OutboxEntry
from ralph.core.fleet.worker import ClaimRecord
from ralph.files import remove_tree, sync
from ralph.git.repo import safe_name
from ralph.journal.store import write_atomically
from ralph.worker.links import EngineOrder

_JOURNAL, _ORDER, _BLOBS = "claim.jsonl", "order.json", "blobs"
_encode = msgspec.json.encode


class ClaimFolder:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.work = path / "work"  # the engine's clone
        self.log = path / "engine.log"
        self._blobs = path / _BLOBS

    @classmethod
    def make(cls, claims: Path, task: FleetTask) -> ClaimFolder:
        folder = cls(claims / f"{safe_name(task.id)}.{task.epoch}")
        remove_tree(folder.path)
        folder._blobs.mkdir(parents=True)
        folder.begin(ClaimRecord(task.id, task.epoch, task.facts, task.chain))
        return folder

    # -- the journal of the claim

    def begin(self, record: ClaimRecord) -> None:
        """Also in place of what is there, when the server takes none of it."""
        head = msgspec.structs.replace(record, entries=())
        lines = b"".join(_encode(one) + b"\n" for one in (head, *record.entries))
        write_atomically(self.path / _JOURNAL, lines)
        sync(self.path / _JOURNAL)
        sync(self.path)

    def record(self, entries: Iterable[OutboxEntry]) -> None:
        """On disk when this returns."""
        with open(self.path / _JOURNAL, "ab") as file:
            file.write(b"".join(_encode(entry) + b"\n" for entry in entries))
            file.flush()
            os.fsync(file.fileno())

    def as_record(self) -> ClaimRecord | None:
        """What a restarted worker knows of it: whole lines up to the first that is not. None: it had not begun."""
        try:
            head, *rest = (self.path / _JOURNAL).read_bytes().split(b"\n")[:-1]
            record = msgspec.json.decode(head, type=ClaimRecord)
        except (OSError, ValueError):
            return None
        entries: list[OutboxEntry] = []
        for line in rest:
            try:
                entries.append(msgspec.json.decode(line, type=OutboxEntry))
            except ValueError:
                break
        return msgspec.structs.replace(record, entries=tuple(entries))

    # -- blobs

    def keep(self, name: str, content: bytes) -> None:
        path = self._blobs / name
        if not path.exists():
            write_atomically(path, content)
            sync(path)

    def get(self, name: str) -> bytes:
        return (self._blobs / name).read_bytes()

    def blobs(self, names: Iterable[str]) -> Mapping[str, bytes]:
        """Those of them that are here."""
        return {name: self.get(name) for name in names if (self._blobs / name).exists()}

    def all_blobs(self) -> list[Path]:
        return sorted(path for path in self._blobs.iterdir() if not path.name.endswith(".part"))

    # -- the engine's order

    def write_order(self, order: EngineOrder) -> None:
        write_atomically(self.path / _ORDER, _encode(order))

    def order(self) -> EngineOrder:
        return msgspec.json.decode((self.path / _ORDER).read_bytes(), type=EngineOrder)

    def remove(self) -> None:
        remove_tree(self.path)


def folders(claims: Path) -> list[ClaimFolder]:
    """What earlier lives of this worker left."""
    return [ClaimFolder(path) for path in sorted(claims.iterdir())] if claims.is_dir() else []
