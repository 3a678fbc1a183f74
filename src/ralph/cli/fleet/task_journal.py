"""A server's task as a journal of this machine, so that status, logs, events and report read it like any other.

The facts are written into a cache folder, as records that were made elsewhere. Whoever looks holds the journal's lock while the
task is not over, as its run would: so views know that it is alive. Nothing here is needed by anything else, and may be removed.
"""

from __future__ import annotations

import hashlib
import os
import re
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click
import msgspec
from msgspec.structs import replace

from ralph.cli.fleet.client import PeopleClient
from ralph.core import facts as f
from ralph.core.fleet.model import SentFact
from ralph.core.fleet.requests import FactsPage
from ralph.errors import RalphError
from ralph.files import remove_tree
from ralph.git.repo import Repo, safe_name, without_git
from ralph.journal.append import Journal
from ralph.journal.lock import Busy, Lock
from ralph.journal.read import NAME, scan
from ralph.journal.record import IMPORTED
from ralph.journal.store import transcript_name, write_atomically
from ralph.worker.merges import branch_of

OVER = ("complete", "failed", "blocked", "cancelled")
BETWEEN = 1.0  # seconds between two looks at a task that is followed
PATIENCE = 5.0  # seconds that another command may take to read the same task
_HASH = re.compile(rb'"([0-9a-f]{64})"')
_MARK = "last.json"
_PLAIN = re.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}")  # the name of a loop, which is part of paths


class _Last(msgspec.Struct, frozen=True):
    """The newest fact that the journal has: whether the server still has it there is looked at first."""

    n: int = 0
    chain: str = ""


def cache_folder() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ralph" / "servers"


def journal_at(server: str, task: str, *, texts: bool = False, following: bool = False) -> tuple[Repo, str]:
    """The repository that views read, and the whole id of the task. `texts`: also prompts and outputs. It is let go of when
    the command ends."""
    client = PeopleClient(server)
    shown = find_task(client, task)
    journal = TaskJournal(client, shown["id"])
    click.get_current_context().call_on_close(journal.close)
    journal.begin(over=shown["status"] in OVER, texts=texts, following=following)
    return journal.repo, journal.task


def require_begun(server: str, task: str) -> None:
    """For who has nothing to show of a task that no worker has had yet."""
    client = PeopleClient(server)
    shown = find_task(client, task)
    if not shown["facts"]:
        why = client.ask("GET", f"/api/tasks/{quote(shown['id'], safe='')}/why")["reasons"]
        raise RalphError(
            f"{shown['id']} has not begun: {'; '.join(why)}",
            where=client.url,
            todo="With --follow it is waited for; `ralph status` shows the workers.",
        )


def change_elsewhere(server: str, task: str) -> RalphError:
    """Facts name trees, and these are in git: for who asks for a change, where it is."""
    client = PeopleClient(server)
    shown = find_task(client, task)
    result, repository = shown["result"], shown["repository"]
    branch = shown["target"] if result.get("landed") == "merge" else branch_of(shown["id"])
    if result.get("landed"):
        place = f"commit {result['commit'][:12]} on the branch {branch} of {repository}"
    elif repository:
        place = "in the task's savepoint at the server, and on no branch"
    else:
        place = "in the folder of the worker that began it"
    what = f"what a task changed is not kept here: it is {place}"
    return RalphError(
        what, where=client.url, todo="`ralph report --task ID --server URL` has what is known of it."
    )


def find_task(client: PeopleClient, task: str) -> dict[str, Any]:
    """By its id, or how it begins."""
    if not task:
        raise RalphError(
            "which task?",
            where=client.url,
            todo="Name it: --task ID. `ralph task list --server URL` lists them.",
        )
    found = client.ask("GET", f"/api/tasks?limit=50&search={quote(task, safe='')}")["tasks"]
    near = [one for one in found if one["id"] == task] or [one for one in found if one["id"].startswith(task)]
    if len(near) > 1:
        raise RalphError(f"several tasks begin with {task!r}", where=client.url, todo="Give more of the id.")
    return near[0] if near else client.ask("GET", f"/api/tasks/{quote(task, safe='')}")  # type: ignore[no-any-return]


class TaskJournal:
    def __init__(self, client: PeopleClient, task: str) -> None:
        server = hashlib.sha256(client.url.encode()).hexdigest()[:16]
        folder = cache_folder() / server / safe_name(task)
        self.task = task
        self.repo = replace(without_git(folder), state_dir=folder.resolve() / "state")
        self._client = client
        self._lock: Lock | None = None
        self._texts = False
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def begin(self, *, over: bool, texts: bool, following: bool) -> None:
        self._texts = texts
        self._lock = self._take_lock()
        if self._lock is not None:  # else another command reads it at this moment
            self._refresh()
            while following and not over and not scan(self.repo.state_dir / NAME).records:
                time.sleep(BETWEEN)
                self._refresh()
        if texts:
            self._fetch_texts()
        if following and not over:
            self._thread = threading.Thread(target=self._follow, daemon=True)
            self._thread.start()
        elif over:
            self._release()

    def close(self) -> None:
        self._closing.set()
        if self._thread is not None:
            self._thread.join()
        self._release()

    def _take_lock(self) -> Lock | None:
        self.repo.state_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        ends = time.monotonic() + PATIENCE
        while True:
            try:
                return Lock.acquire(self.repo.state_dir, IMPORTED)
            except Busy:
                if time.monotonic() > ends:
                    return None
                time.sleep(0.05)

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _follow(self) -> None:
        """Until the task is over: then nothing holds the journal any more."""
        while not self._closing.wait(BETWEEN):
            with suppress(RalphError):  # the server is away: it is asked again
                over = self._client.ask("GET", self._path())["status"] in OVER
                if self._lock is not None:
                    self._refresh()
                if over:
                    self._release()
                    return

    # -- facts

    def _path(self, more: str = "") -> str:
        return f"/api/tasks/{quote(self.task, safe='')}{more}"

    def _refresh(self) -> None:
        """What the server has and this journal has not."""
        last = self._last()
        new = self._page(last.n - 1 if last.n else 0)
        if last.n and (not new or (new[0].n, new[0].chain) != (last.n, last.chain)):
            remove_tree(self.repo.state_dir / "blobs")
            (self.repo.state_dir / NAME).unlink(
                missing_ok=True
            )  # of another task, or of a server that was set back
            last, new = _Last(), self._page(0)
        new = [fact for fact in new if fact.n > last.n]
        while new:
            self._append(new)
            last = _Last(new[-1].n, new[-1].chain)
            write_atomically(self.repo.state_dir / _MARK, msgspec.json.encode(last))
            new = self._page(last.n)

    def _page(self, after: int) -> list[SentFact]:
        answer = self._client.ask("GET", self._path(f"/facts?after={after}"))
        return list(msgspec.convert(answer, FactsPage).facts)

    def _last(self) -> _Last:
        try:
            last = msgspec.json.decode((self.repo.state_dir / _MARK).read_bytes(), type=_Last)
        except (OSError, msgspec.DecodeError):
            last = _Last()
        if len(scan(self.repo.state_dir / NAME).records) != last.n:  # it was stopped between the two
            (self.repo.state_dir / NAME).unlink(missing_ok=True)
            return _Last()
        return last

    def _append(self, facts: list[SentFact]) -> None:
        at = ""
        journal = Journal.open(self.repo.state_dir, IMPORTED, lambda: at)
        try:
            for fact in facts:
                at, body = fact.at, self._as_here(fact)
                if self._texts:  # first: who follows looks for them when the fact is there
                    self._fetch_texts_of(fact.kind, body)
                journal.append(fact.kind, body, fact.loop)
        finally:
            journal.close()

    def _as_here(self, sent: SentFact) -> bytes:
        """With the places of this machine: whatever a worker says, no other file is read."""
        if not _PLAIN.fullmatch(sent.loop):
            todo = "Its worker is of another version, or not to be trusted: `ralph server check`."
            raise RalphError(f"fact {sent.n} is of no loop", where=self._client.url, todo=todo, code=70)
        if sent.kind not in ("loop.started", "loop.moved", "iteration.ended", "gate.ended"):
            return sent.body
        fact = f.decode(sent.body)
        match fact:
            case f.LoopStarted() | f.LoopMoved():
                fact = replace(fact, root=str(self.repo.root), home="")
            case f.IterationEnded() | f.GateEnded() if fact.output:
                op = fact.op if isinstance(fact, f.GateEnded) else f"iteration:{fact.serial}"
                fact = replace(fact, output=transcript_name(IMPORTED, sent.loop, op))
        return f.encode(fact)

    # -- texts

    def _fetch_texts(self) -> None:
        for record in scan(self.repo.state_dir / NAME).records:
            self._fetch_texts_of(record.kind, bytes(record.data))

    def _fetch_texts_of(self, kind: str, body: bytes) -> None:
        for name in dict.fromkeys(_HASH.findall(body)):
            self._fetch(name.decode(), self.repo.state_dir / "blobs" / name.decode())
        if kind not in ("iteration.ended", "gate.ended"):
            return
        fact = f.decode(body)
        assert isinstance(fact, f.IterationEnded | f.GateEnded)
        for name, end in zip(fact.kept, ("", ".err"), strict=False):
            if fact.output and re.fullmatch("[0-9a-f]{64}", name):
                self._place(name, self.repo.state_dir / f"{fact.output}{end}")

    def _fetch(self, name: str, path: Path) -> None:
        if path.exists():
            return
        content = self._client.blob(name)
        if content is not None and hashlib.sha256(content).hexdigest() == name:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, content)

    def _place(self, name: str, path: Path) -> None:
        blob = self.repo.state_dir / "blobs" / name
        if blob.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, blob.read_bytes())
