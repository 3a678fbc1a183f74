"""What every run does first: it makes its folders, finds out what the runs before it left to continue with, introduces itself in
the journal, ends the processes of dead runs and removes their temporary folders."""

from __future__ import annotations

import errno
import os
import pwd
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ralph import __version__
from ralph.core import facts as f
from ralph.core.policy import Policy
from ralph.core.run import RunState
from ralph.core.secrets.masker import Masker
from ralph.errors import DISK, RalphError
from ralph.files import remove_tree
from ralph.gates import kinds
from ralph.git.repo import GATE_SLOT, Repo, printable, slots_dir
from ralph.history.loop_records import Begun, begun, can_go_on, dead_runs, died_after, is_over
from ralph.journal.record import Record
from ralph.processes.marks import sweep
from ralph.runner import sandboxing
from ralph.runner.loop_workspace import folder_of
from ralph.runner.run_request import RunRequest, TaskList
from ralph.text import one_line

if TYPE_CHECKING:
    from ralph.history.history import History


ABANDONED = 86400.0  # seconds
MOST_OPTIONS = 40
_OPTION_CHARS = 200


class PastRuns:
    def __init__(self, request: RunRequest, tasks: TaskList, records: list[Record]) -> None:
        """RalphError: what was to be resumed cannot be."""
        self._request = request
        self._home = request.repo
        self._tasks = tasks
        self._records = records
        self.resumed = self._to_resume()

    @property
    def works_apart(self) -> bool:
        """Its loops have workspaces of their own."""
        if self.resumed is not None:
            return bool(self.resumed.state.identity.home)
        return self._request.policy.workspace != "in-place"

    def _to_resume(self) -> Begun | None:
        """Who asked has looked; but meanwhile another run may have continued with it."""
        if self._request.resume is None:
            return None
        found = begun(self._records, self._request.resume.loop)
        if found is None:
            raise RalphError("nothing of it is left to continue", todo="`ralph status` shows how it stands.")
        s = found.state
        if is_over(s) and not died_after(found.records, self._records):
            what = f"there is nothing to resume here: {s.identity.task.id} is over ({s.judgement.ended})"
            raise RalphError(what, todo='Start with `ralph run -p "..."`.')
        return found

    def require_usable(self) -> None:
        """RalphError: what is to be resumed needs what is not here."""
        if self.resumed is not None and not is_over(self.resumed.state):
            s = self.resumed.state
            sandboxing.check(s.identity.policy, self._home, folder_of(s))
            kinds.require_kinds(s.gates)
            require_hidden(self._home, s.identity.policy)

    def taken_up(self) -> tuple[dict[str, Begun], list[Policy]]:
        """The loops that go on, by task; and every policy under which someone may be started."""
        policies = [self._request.everyone]
        if self.resumed is not None:
            policies.append(self.resumed.state.identity.policy)
        if self._tasks.source == "prompt":
            return {}, policies
        from ralph.runner.backlog_tasks import unfinished, waiting  # a prompt needs nothing of it

        loops = self.of_backlog.loops.values()
        taken, parked = unfinished(loops), waiting(loops, self._home)
        policies += [one.state.identity.policy for one in (*taken.values(), *parked.values())]
        found = ((task, begun(self._records, loop.id)) for task, loop in taken.items())
        return {task: before for task, before in found if before}, policies

    @cached_property
    def of_backlog(self) -> History:
        from ralph.history.history import backlog_history

        return backlog_history(self._records, self._home.root)

    def nothing_left(self) -> bool:
        """What is still to be swept or can still go on must stay in sight."""
        if self.resumed is not None or self._request.aside or dead_runs(self._records):
            return False
        replaced = self._home.root if self._tasks.source == "prompt" else None
        return not can_go_on(self._records, replaced)

    def before(self, started: f.RunStarted) -> RunState:
        """What the run before came to: this one continues with it if that was cut short."""
        if not started.target:
            return RunState()
        from ralph.history.runs import runs_in  # not for a prompt in place

        before = runs_in(self._records).newest(started.backlog)
        return before.state if before else RunState()


def require_hidden(home: Repo, policy: Policy) -> None:
    """RalphError when the hidden files of a gate are not hidden from agents."""
    for gate in policy.gates:
        if gate.hidden:
            from ralph.git.gate_checkouts import check_hidden  # few gates have any

            check_hidden(home, gate, in_place=policy.workspace == "in-place", share=policy.share)


def make_folders(state_dir: Path, folder: Path) -> None:
    """Both places are looked at before the first is written to."""
    try:
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "the folder is not writable", str(folder))
        state_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in DISK:
            raise
        raise RalphError(
            f"cannot write here: {error.strerror}",
            where=str(error.filename or state_dir),
            todo="Make it writable, or work in a copy.",
        ) from error


def run_started(run: str, tier: str, residue: str, masker: Masker) -> f.RunStarted:
    return f.RunStarted(
        run=run,
        pid=os.getpid(),
        version=__version__,
        tier=tier,
        residue=residue,
        host=printable(os.uname().nodename),
        user=_user(),
        options=options(sys.argv[1:], masker),
    )


def options(given: Sequence[str], masker: Masker) -> tuple[str, ...]:
    """Masked before they are cut: half a secret is not recognised."""
    shown = [one_line(masker.text(printable(word)), _OPTION_CHARS) for word in given[:MOST_OPTIONS]]
    return (*shown, f"… {len(given) - MOST_OPTIONS} more") if len(given) > MOST_OPTIONS else tuple(shown)


def _user() -> str:
    try:
        return printable(pwd.getpwuid(os.geteuid()).pw_name)
    except KeyError:  # in a container the user may have no name
        return str(os.geteuid())


def sweep_dead(home: Repo, records: list[Record], record: Callable[[f.AnyFact], None]) -> None:
    """End whatever a dead run left running, before anything looks at the tree."""
    _drop_abandoned()
    _drop_checkouts(home)
    for dead in dead_runs(records):
        found = sweep(dead.residue) if dead.residue else []
        record(f.RunSwept(run=dead.run, found=tuple(found)))
        for left in (home.state_dir / "runs" / dead.run).glob("*/*.reports"):  # of a gate that was cut off
            remove_tree(left)


def _drop_checkouts(home: Repo) -> None:
    """Clean checkouts of gates. One run at a time works on a repository, so that whatever is there is a dead one's."""
    place = slots_dir(home)
    for left in place.glob(f"{GATE_SLOT}*"):
        with suppress(OSError):  # a gate's container may have left files of its root's
            remove_tree(left)
    for empty in (place, place.parent):
        with suppress(OSError):
            empty.rmdir()


def _drop_abandoned() -> None:
    """Temporary folders that are used for an instant and bear no run's name: a day old, they are a dead process's."""
    of_gates = f"ralph-{os.getuid()}-*"
    for pattern in ("ralph-status-*", "ralph-rules-*", "ralph-probe-*", "ralph-patch-*", of_gates):
        for left in Path(tempfile.gettempdir()).glob(pattern):
            with suppress(FileNotFoundError):
                if left.lstat().st_mtime < time.time() - ABANDONED:
                    shutil.rmtree(left, ignore_errors=True)
