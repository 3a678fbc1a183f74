"""Whom a person's words are for: the loops that the live run works on, or those that could go on. And whether the run
has heard them. Reads the journal, writes only to the inbox."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from ralph.cli.place import BY_INIT
from ralph.core import facts as f
from ralph.core.fold import fold_all
from ralph.core.next_steps import shlex_quoted
from ralph.core.state import LoopState
from ralph.core.text import few
from ralph.driver.control import tell
from ralph.driver.loops import waiting
from ralph.driver.resume import is_over, last_loop
from ralph.errors import RalphError
from ralph.journal.lock import holder
from ralph.journal.read import NAME, follow, scan
from ralph.journal.record import Record
from ralph.workspace import Repo

PATIENCE = 5.0  # seconds in which a run that is not busy has heard it
_BETWEEN = 0.05


class Live(msgspec.Struct, frozen=True):
    """The run at work here, with its loops; ended ones too."""

    run: str
    pid: int
    backlog: bool
    loops: tuple[LoopState, ...]
    paused: bool  # as a whole

    @property
    def at_work(self) -> list[LoopState]:
        return [s for s in self.loops if s.ended is None]


def live_run(repo: Repo) -> Live | None:
    """None: nothing runs here."""
    held = holder(repo.state_dir)
    if held is None:
        return None
    if held.get("run") == BY_INIT:
        raise RalphError("`ralph init` tries the gates here", todo="It ends by itself; then `ralph run`.")
    run, pid = str(held.get("run", "")), held["pid"]
    assert isinstance(pid, int)
    backlog = paused = False
    by_loop: dict[str, list[Record]] = {}
    touched: dict[str, None] = {}
    for record in scan(repo.state_dir / NAME).records:
        if record.loop and record.kind in f.BY_KIND:
            by_loop.setdefault(record.loop, []).append(record)
        if record.run != run:
            continue
        if record.loop:
            touched[record.loop] = None
        match f.decode(record.data) if record.kind in ("run.started", "paused", "continued") else None:
            case f.RunStarted() as started:
                backlog = bool(started.backlog)
            case f.Paused(task="") | f.Continued(task=""):
                paused = record.kind == "paused"
    loops = tuple(fold_all(f.decode(r.data) for r in by_loop[loop]) for loop in touched)
    return Live(run, pid, backlog, loops, paused)


def with_loops(repo: Repo) -> Live | None:
    """As `live_run`; of a run that is only beginning, its first loop is waited for."""
    deadline = time.monotonic() + PATIENCE
    while (live := live_run(repo)) and not live.loops and time.monotonic() < deadline:
        time.sleep(_BETWEEN)
    return live


def at_work(live: Live, task: str) -> list[LoopState]:
    """The loops that are meant: that of the task, or all."""
    found = [s for s in live.at_work if task in ("", s.task.id)]
    if found:
        return found
    if not task:
        raise RalphError(
            "the run works on nothing at this moment",
            todo="Write it into the task: `ralph task edit`. `ralph status` shows what it waits for.",
        )
    named = shlex_quoted(task)
    if any(s.task.id == task and s.question is not None for s in live.loops):
        raise RalphError(f"{task} waits for an answer", todo=f'Give it: `ralph answer --task {named} "..."`.')
    under_way = few([s.task.id for s in live.at_work]) or "none"
    raise RalphError(
        f"{task!r} is not worked on at this moment",
        todo=f"Under way: {under_way}. Into a task that has not begun, write it: `ralph task edit {named}`.",
    )


def could_go_on(repo: Repo, task: str) -> list[LoopState]:
    """Nothing runs: the loops that a later run can take up again."""
    records = scan(repo.state_dir / NAME).records
    newest = last_loop(records, repo.root)
    found = [newest[0]] if newest and not is_over(newest[0]) else []
    found += [begun.state for begun in waiting(records, repo).values()]
    return [s for s in found if task in ("", s.task.id)]


def put(repo: Repo, message: dict[str, object], pid: int | None) -> str:
    """The name by which its fact is found."""
    name = os.urandom(8).hex()
    tell(repo.state_dir, {**message, "by": _who()}, pid, name)
    return name


def newest_seq(repo: Repo) -> int:
    return scan(repo.state_dir / NAME).seq


def heard(repo: Repo, names: list[str], since: int) -> bool:
    """Whether the run has recorded all of them, in a few seconds. What it refuses is an error."""
    journal: Path = repo.state_dir / NAME
    left = set(names)
    deadline = time.monotonic() + PATIENCE
    follower = follow(journal, since + 1)
    try:
        while left:
            for record in follower.poll():
                if record.kind not in ("said", "answered", "paused", "continued", "inbox.refused"):
                    continue
                fact = f.decode(record.data)
                name = getattr(fact, "name", "")
                if name in left and isinstance(fact, f.InboxRefused):
                    raise RalphError(f"refused: {fact.why}", todo="`ralph status` shows how it stands.")
                left.discard(name)
            if not left or time.monotonic() >= deadline:
                break
            time.sleep(_BETWEEN)
    finally:
        follower.close()
    return not left


def only_people() -> None:
    """An iteration cannot speak as a person: what it has to say goes by events and the scratchpad."""
    if os.environ.get("RALPH_TOKEN") or os.environ.get("RALPH_LOOP"):
        raise RalphError(
            "this is for people; an iteration runs here",
            todo="Use `ralph emit` or the scratchpad to tell later iterations something.",
        )


def _who() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "somebody"
