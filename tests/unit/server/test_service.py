"""What the server does by itself, at its ticks."""

from __future__ import annotations

import asyncio

import pytest

from ralph.core.fleet.model import FleetSettings
from ralph.server import service
from ralph.server.stores.memory import MemoryStore


def test_blobs_that_no_one_uses_are_pruned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "TICK", 0.01)
    monkeypatch.setattr(service, "MOST_PRUNED", 2)
    clock = 0
    store = MemoryStore(lambda: clock)
    names = [f"b{n}" for n in range(7)]
    for name in names:
        store.run(lambda tx, name=name: tx.put_blob(name, b"x"))
    store.run(lambda tx: tx.use_blobs("t", names[:1]))
    clock = FleetSettings().kept_blob_ms + 1
    store.run(lambda tx: tx.put_blob("new", b"x"))

    async def until_pruned() -> None:
        served = service.FleetService(store)
        await served.start()
        while store.read(lambda tx: tx.blob(names[-1])) is not None:
            await asyncio.sleep(0.01)
        await served.stop()

    asyncio.run(asyncio.wait_for(until_pruned(), 300))
    kept = store.read(lambda tx: [name for name in (*names, "new") if tx.blob(name) is not None])
    assert kept == ["b0", "new"]
