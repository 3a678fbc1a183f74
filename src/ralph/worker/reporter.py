"""The run's view in an engine: facts with what they name, savepoints, signs of life."""

from __future__ import annotations

import re
import sys
import threading
import time
from contextlib import suppress
from datetime import datetime

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
from ralph.worker.listener import OUT_OF_REACH
from ralph.worker.savepoints import Savepoints

PULSE = 1.0  # seconds between two signs of life
GIT_PULSE = 5.0
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
        blobs = tuple(dict.fromkeys(named))
        sent = fact
        if isinstance(fact, f.LoopStarted):
            sent = replace(fact, policy=masked.sent(fact.policy))
        self._writer.send(links.Recorded(s.identity.loop, now(), sent, blobs, point))
        held = s.people.pause is not None and s.people.pause.by == OUT_OF_REACH
        if (
            isinstance(fact, f.WaitStarted) and not held
        ):  # the driver lets it continue when the server is back
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
        """Transcripts stay here."""

    def pulse(self, s: LoopState) -> float:
        if time.monotonic() - self._turned >= PULSE:
            self._turned = time.monotonic()
            self._writer.send(links.Turned(vitals_of(s)))
        return PULSE

    def end(self, s: LoopState) -> None: ...

    def note(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


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


def vitals_of(s: LoopState) -> Vitals:
    running = [one for one in s.progress.open.values() if one.what != "wait"]
    return Vitals(running[0].op, round(running[0].seconds, 3), running[0].usage) if running else Vitals()
