"""What is said of tasks that are done and not where they should be, and of tasks that cannot be begun: one line each."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator

from ralph.backlog import Backlog
from ralph.backlog.apart import needs
from ralph.backlog.nearest import hint
from ralph.core.exits import DONE, FAILURES, exit_code
from ralph.core.state import LoopState
from ralph.core.tasks import BacklogTask
from ralph.core.text import few
from ralph.driver.elsewhere import HEADS, Apart, Elsewhere
from ralph.driver.landing import lacks, landed_apart
from ralph.errors import RalphError

_REASON = 120  # characters


def loose_end(s: LoopState, elsewhere: Elsewhere) -> str:
    """What a person has still to do about a task that is done; empty: nothing."""
    unproven = bool(s.ended and exit_code(s.ended, s.policy))
    if s.ended not in DONE or not (unproven or lacks(s)):
        return ""
    branch, target = landed_apart(s)
    if not branch or s.landed is None:
        return f"no gate proved it; {s.end_reason}"
    why = f" ({s.landed.note})" if s.landed.note else ""
    if target:
        if elsewhere.is_on(target, s.landed.commit):
            return ""
        apart = Apart(s.task.id, branch, target, gone=False)
        return f"{apart.where}{why}: {apart.todo}"
    if lacks(s):
        return f"on branch {branch}, {s.landed.note}"  # which says what to do
    base = s.policy.land.target.removeprefix(HEADS)
    todo = f"gh pr create --head {shlex.quote(branch)} --base {shlex.quote(base)}"
    then = f", then `{todo}`" if s.policy.land.how == "pr" else ""
    return f"on branch {branch}{why}: look at it yourself{then}"


def is_split(s: LoopState, backlog: Backlog | None) -> bool:
    """Whether its task became a container of parts in place of failing."""
    task = backlog.tasks.get(s.task.id) if backlog and s.ended in FAILURES else None
    return task is not None and task.leaf is False


def split_into(id: str, backlog: Backlog) -> str:
    parts = backlog.tasks.children(id)
    done = sum(backlog.tasks.status(part.id) == "complete" for part in parts)
    return f"split into {few([part.id for part in parts])}; {done} of {len(parts)} done"


def not_begun(id: str, backlog: Backlog, apart: list[Apart]) -> str:
    """Why a task that was asked for by name could not be worked on, and what to do."""
    task, status = _find(id, backlog), backlog.tasks.status(id)
    name = shlex.quote(id)
    again = f"`ralph task reopen {name}`, then `ralph run --task {name}`"
    if status == "complete":
        return f"{id} is complete already. To have it made again: {again}."
    if not backlog.tasks.is_leaf(id) and backlog.tasks.children(id):
        return unready(backlog, apart, under=id) or f"{id} is {status}, and nothing below it is to be done."
    if task.status in ("failed", "blocked", "cancelled"):
        return f"{id} is {task.status}{_why(task)}. To begin it anew: {again}; `ralph status` says more."
    return f"{id} {_waits(task, backlog, apart)}: `ralph task show {name}` says more."


def unready(backlog: Backlog, apart: list[Apart], *, under: str = "", but: Collection[str] = ()) -> str:
    """Tasks that are left and that no run begins, and why. `but`: not these, of which all is said."""
    found = [task for task in backlog.tasks if _is_left(task, backlog, under) and task.id not in but]
    ready = {task.id for task in backlog.tasks.ready()} if found else set()
    failed = [task.id + _why(task) for task in found if task.status == "failed"]
    blocked = [task.id + _why(task) for task in found if task.status == "blocked"]
    waiting = (task for task in found if task.status == "pending")
    waits = [
        f"{task.id} {_waits(task, backlog, apart)}"
        for task in waiting
        if task.id not in ready or needs(backlog.tasks, task.id, _ids(apart))
    ]
    parts = [f"failed: {few(failed, 3)}"] if failed else []
    parts += [f"blocked: {few(blocked, 3)}"] if blocked else []
    parts += [few(waits, 3)] if waits else []
    if not parts:
        return ""
    first = next((t.id for t in found if t.status in ("failed", "blocked")), "")
    todo = f" `ralph task reopen {shlex.quote(first)}` puts one back." if first else ""
    return f"Not ready: {'; '.join(parts)}.{todo}"


def _is_left(task: BacklogTask, backlog: Backlog, under: str) -> bool:
    if task.archived or not backlog.tasks.is_leaf(task.id):
        return False
    return not under or task.id == under or task.id.startswith(f"{under}.")


def _waits(task: BacklogTask, backlog: Backlog, apart: list[Apart]) -> str:
    held = [*backlog.tasks.held_by(task.id), *waits_for_apart(task.id, backlog, apart)]
    return f"waits for {few(held, 3)}" if held else "cannot be worked on as its line is"


def waits_for_apart(id: str, backlog: Backlog, apart: Iterable[Apart]) -> Iterator[str]:
    """With where their work is; of a parent, that of its parts."""
    known = {one.task: one for one in apart}
    for other in needs(backlog.tasks, id, known):
        where = [one.where for one in known.values() if one.task == other or one.task.startswith(f"{other}.")]
        yield f"{other} ({'; '.join(where[:2]) or 'not landed'})"


def _find(id: str, backlog: Backlog) -> BacklogTask:
    if task := backlog.tasks.get(id):
        return task
    todo = hint(id, [task.id for task in backlog.tasks]) or "`ralph task list` shows all."
    raise RalphError(f"there is no task {id!r}", where=backlog.name, todo=todo)


def _why(task: BacklogTask) -> str:
    return f" ({task.reason[:_REASON]})" if task.reason else ""


def _ids(apart: Iterable[Apart]) -> list[str]:
    return [one.task for one in apart]
