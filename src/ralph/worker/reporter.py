"""The run's view in an engine: facts with what they name, savepoints, signs of life."""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.fleet.model import Vitals
from ralph.core.loop.state import LoopState
from ralph.core.secrets import masked
from ralph.git.program import LIMIT, busy_seconds
from ralph.git.repo import Repo
from ralph.journal.record import now
from ralph.processes.capture import Line
from ralph.worker import links
from ralph.worker.claim_folder import ClaimFolder
from ralph.worker.savepoints import Savepoints, blob_name

PULSE = 1.0  # seconds between two signs of life
GIT_PULSE = 5.0
LARGEST_OUTPUT = 1 << 18  # bytes of an output that are sent
_HASH = re.compile(rb'"([0-9a-f]{64})"')


class LoopWaits(BaseException):
    """Not an error: the loop waits longer than it is kept here."""


class FactReporter:
    """The run's view: every fact of the loop goes to the driver, with what it names; and a sign of life now and then."""

    def __init__(
        self,
        folder: ClaimFolder,
        repo: Repo,
        writer: links.LineWriter,
        savepoints: Savepoints,
        longest_wait: float,
    ) -> None:
        self.saved = ""  # the tree that the last savepoint has
        self._folder = folder
        self._repo = repo
        self._writer = writer
        self._savepoints = savepoints
        self._longest_wait = longest_wait
        self._turned = 0.0

    def fact(self, fact: f.AnyFact, s: LoopState) -> None:
        if not s.identity.loop:  # of the run
            return
        named = list(self._named(fact))
        point = None
        if s.workspace.prepared and (s.workspace.tree != self.saved or isinstance(fact, f.IterationEnded)):
            made = self._savepoints.make(s)
            point, self.saved = made.point, s.workspace.tree
            named += made.new
        sent = fact
        if isinstance(fact, f.LoopStarted):
            sent = replace(fact, policy=masked.sent(fact.policy))
        elif isinstance(fact, f.IterationEnded | f.GateEnded) and fact.output:
            sent = replace(fact, kept=tuple(self._output(fact.output + end) for end in ("", ".err")))
            named += [name for name in sent.kept if name]
        blobs = tuple(dict.fromkeys(named))
        self._writer.send(links.Recorded(s.identity.loop, now(), sent, blobs, point))
        if isinstance(fact, f.WaitStarted) and not _is_held(s):
            self._wait(fact)

    def _named(self, fact: f.AnyFact) -> list[str]:
        """What the engine stored under its hash and the fact speaks of."""
        found = []
        for name in _HASH.findall(f.encode(fact)):
            stored = self._repo.state_dir / "blobs" / name.decode()
            if stored.is_file():
                self._folder.keep(name.decode(), stored.read_bytes())
                found.append(name.decode())
        return found

    def _output(self, path: str) -> str:
        """What was printed, stored under its hash. Of a long output, the end."""
        content = _end_of(self._repo.state_dir / path)
        if content is None:
            return ""
        self._folder.keep(blob_name(content), content)
        return blob_name(content)

    def _wait(self, x: f.WaitStarted) -> None:
        """A pause ends when a person says so. Another wait may have been begun on another machine."""
        left = x.seconds
        if x.until:
            left = datetime.fromisoformat(x.until).timestamp() - time.time()
        if x.what == "pause" or left > self._longest_wait:
            seconds = -1.0 if x.what == "pause" else left
            self._writer.send(links.Waits(seconds, x.why or x.what, quota=x.what == "quota"))
            raise LoopWaits

    def heard(self, task: str, who: str, line: Line) -> None:
        """Outputs are sent when they are whole."""

    def pulse(self, s: LoopState) -> float:
        if time.monotonic() - self._turned >= PULSE:
            self._turned = time.monotonic()
            self._writer.send(links.Turned(vitals_of(s)))
        return PULSE

    def end(self, s: LoopState) -> None: ...

    def note(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


def _end_of(path: Path) -> bytes | None:
    """Whole lines, and how much is left out before them. None: it is not there."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - LARGEST_OUTPUT))
            content = file.read(LARGEST_OUTPUT)
    except OSError:
        return None
    if size <= LARGEST_OUTPUT:
        return content
    end = content[content.find(b"\n") + 1 :]
    return b"[%d bytes before this stayed with the worker]\n%b" % (size - len(end), end)


class GitWatch(threading.Thread):
    """Says that the loop is alive while it waits for git, which may read a very large work tree."""

    def __init__(self, writer: links.LineWriter) -> None:
        super().__init__(daemon=True)
        self._writer = writer

    def run(self) -> None:
        while True:
            time.sleep(GIT_PULSE)
            if (busy := busy_seconds()) > 0:
                with suppress(OSError):  # the driver is gone, and so is this process in a moment
                    self._writer.send(links.InsideGit(LIMIT - busy))


def _is_held(s: LoopState) -> bool:
    """By the driver, until the server is heard of again: no one would wake a task that is parked for that."""
    return s.people.pause is not None and s.people.pause.by == links.OUT_OF_REACH


def vitals_of(s: LoopState) -> Vitals:
    running = [one for one in s.progress.open.values() if one.what != "wait"]
    return Vitals(running[0].op, round(running[0].seconds, 3), running[0].usage) if running else Vitals()
