"""One claim under way: what its loop needs is fetched, then its engine is started, listened to and ended."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from ralph.core.fleet import worker as w
from ralph.core.fleet.model import FleetTask, Savepoint
from ralph.core.fleet.outbox import OutboxEntry
from ralph.core.fleet.requests import Offer
from ralph.errors import RalphError
from ralph.journal.record import new_id
from ralph.worker import links
from ralph.worker.claim_folder import ClaimFolder
from ralph.worker.moving import continued, loop_in
from ralph.worker.savepoints import blob_name
from ralph.worker.transport import Transport, Unreachable

T = TypeVar("T")
NOT_HANDED_ON = ("RALPH_SERVER_TOKEN",)  # no engine, and so no agent, speaks with the server
FINISHING = 60.0  # seconds in which an engine whose claim is over may tell whom it has to tell
TRIES = 10  # to get a blob from a server that does not answer
_HASH = re.compile(rb'"([0-9a-f]{64})"')
_LAST_WORDS = 2000  # bytes


class WorkerSettings(msgspec.Struct, frozen=True):
    folder: Path  # mirrors and claims; no other worker's
    offers: tuple[Offer, ...]
    slots: int = 1
    timing: w.WorkerTiming = w.WorkerTiming()
    workdir: Path | None = None  # where tasks without a repository are worked on; None: they are not claimed
    free_bytes: int = 1 << 30  # with less on the disk it claims nothing
    once: bool = False  # ends after the first claim that it had
    drain_seconds: float = 60.0  # for what is under way when a person drains it from afar
    sandbox: bool = False  # of a lander: its gates run in one, whatever the configuration says

    @property
    def claims(self) -> Path:
        return self.folder / "claims"

    @property
    def mirrors(self) -> Path:
        return self.folder / "mirrors"


class Prepared(msgspec.Struct, frozen=True):
    runner: ClaimRunner


class NotPrepared(msgspec.Struct, frozen=True):
    runner: ClaimRunner
    text: str


class EngineSaid(msgspec.Struct, frozen=True):
    runner: ClaimRunner
    said: links.FromEngine


class EngineEnded(msgspec.Struct, frozen=True):
    runner: ClaimRunner
    code: int


RunnerEvent = Prepared | NotPrepared | EngineSaid | EngineEnded


class ClaimRunner:
    """`put` takes events; they come from threads of this object's own."""

    def __init__(self, folder: ClaimFolder, granted: FleetTask, put: Callable[[RunnerEvent], None]) -> None:
        self.folder = folder
        self.granted = granted
        self.task = granted.id
        self.over = False  # it is being given back
        self.broken = False  # the server takes nothing more of it
        self.closed = False  # the fact with which the claim ends is recorded
        self.asked_at = 0.0  # when its engine wanted to know what people have said; 0: it does not
        self._put = put
        self._entries: list[OutboxEntry] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: links.LineWriter | None = None
        self._early: list[links.ToEngine] = []
        self._killed = False

    @property
    def has_begun(self) -> bool:
        """There are facts of this claim, so that its end has to be one."""
        return bool(self._entries)

    # -- what the loop needs

    def prepare(self, transport: Transport, granted: w.TaskGranted, settings: WorkerSettings) -> None:
        def fetch() -> None:
            try:
                self._fetch(transport, granted, settings)
            except (RalphError, OSError, Unreachable) as error:
                self._put(NotPrepared(self, " ".join(str(error).split())[:500]))
            else:
                self._put(Prepared(self))

        threading.Thread(target=fetch, daemon=True).start()

    def _fetch(self, transport: Transport, granted: w.TaskGranted, settings: WorkerSettings) -> None:
        task = granted.task
        name, workdir = task.spec.repository, settings.workdir
        repository = _patiently(lambda: transport.repository(name)) if name else None
        if name and repository is None:
            raise RalphError(f"the server knows no repository {name}")
        if not name and workdir is None:
            raise RalphError("the task names no repository, and this worker has no folder for such tasks")
        state = loop_in(granted.facts, continued(task, granted.facts))
        point = task.savepoint or Savepoint("")
        named = (name.decode() for name in _HASH.findall(msgspec.json.encode(state)))
        for hash in dict.fromkeys((*point.blobs.values(), *named)):
            content = _patiently(partial(transport.blob, hash))
            if content is not None and blob_name(content) == hash:
                self.folder.keep(hash, content)
            elif hash in point.blobs.values():
                raise RalphError(f"the server has lost {hash}, which the savepoint names")
        order = links.EngineOrder(
            task,
            granted.facts,
            granted.messages,
            repository,
            str(workdir or ""),
            str(settings.mirrors),
            new_id(),
            settings.timing.longest_wait,
            settings.sandbox,
        )
        self.folder.write_order(order)

    # -- the engine

    def start(self) -> None:
        if self._killed:
            return
        env = {key: value for key, value in os.environ.items() if key not in NOT_HANDED_ON}
        module = f"ralph.worker.{'lander' if self.granted.phase == 'land' else 'engine'}"
        with open(self.folder.log, "ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, str(self.folder.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=self.folder.path,
                env={**env, "RALPH_WORKSPACES": str(self.folder.path / "gates")},
                start_new_session=True,  # Ctrl-C is for the worker
            )
        assert self._process.stdin is not None
        self._writer = links.LineWriter(os.dup(self._process.stdin.fileno()))
        self._process.stdin.close()
        threading.Thread(target=self._listen, args=(self._process,), daemon=True).start()
        for what in self._early:
            self.tell(what)

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with suppress(ValueError):  # half a line of one that was killed
            for line in process.stdout:
                self._put(EngineSaid(self, links.decode_from_engine(line)))
        self._put(EngineEnded(self, process.wait()))

    def tell(self, what: links.ToEngine) -> None:
        if self._writer is None:
            self._early.append(what)
            return
        with suppress(OSError):  # it has ended: that is told by itself
            self._writer.send(what)

    def kill(self) -> None:
        """Its guards end what it has started."""
        self._killed = True
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def finish(self) -> None:
        """One whose loop has ended only tidies up, and notifies; any other is stopped now."""
        if self.closed and self._process is not None:
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(FINISHING)
        self.kill()

    def last_words(self) -> str:
        try:
            text = self.folder.log.read_bytes()[-_LAST_WORDS:].decode("utf-8", "replace")
        except OSError:
            return ""
        return " ".join(text.split())[-300:]

    # -- the claim's journal

    def write(self, entry: OutboxEntry) -> None:
        self.closed = self.closed or entry.closing
        self._entries.append(entry)
        self.folder.record((entry,))

    def record_of(self, entry: OutboxEntry) -> w.ClaimRecord:
        """The journal with this entry in place of those that the server did not take."""
        kept = tuple(one for one in self._entries if one.fact.n < entry.fact.n)
        task = self.granted
        record = w.ClaimRecord(task.id, task.epoch, task.facts, task.chain)
        return replace(record, entries=(*kept, entry))


def _patiently(ask: Callable[[], T]) -> T:
    for attempt in range(TRIES):
        try:
            return ask()
        except Unreachable:
            time.sleep(min(0.2 * 2**attempt, 10.0))
    return ask()
