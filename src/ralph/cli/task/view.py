"""Tasks as people and programs see them: a tree, one of them, JSON. Also where the backlog of this folder is."""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

import click
import msgspec

from ralph.backlog import BACKLOG_NAME
from ralph.backlog.changes import Change
from ralph.backlog.jsonl import JsonlBacklog, hint
from ralph.backlog.source import Backlog
from ralph.cli.context import here, hide_own_files, of_folder
from ralph.cli.output import harmless
from ralph.core.exits import DONE, FAILURES, exit_code
from ralph.core.loop.end_advice import lacks, landed_apart, what_next
from ralph.core.loop.state import LoopState
from ralph.core.tasks.task import BacklogTask, TaskProblem
from ralph.errors import RalphError
from ralph.runner.unlanded_tasks import HEADS, UnlandedTask, UnlandedTasks, needs
from ralph.runner.unlanded_tasks import ready as free
from ralph.terminal.words import one_line
from ralph.text import few

_FIELDS = ["id", "title", "parent", "priority", "type", "depends_on", "description", "criteria", "archived"]
_PROBLEMS_SHOWN = 20
_COLOURS = {
    "in_progress": "cyan",
    "complete": "green",
    "failed": "red",
    "blocked": "yellow",
    "cancelled": "bright_black",
}


def opened(server: str = "") -> JsonlBacklog:
    """The backlog of this folder, or a server's tasks as one."""
    if server:
        from ralph.cli.fleet.server_backlog import opened_at

        return opened_at(server)
    repo = here()
    return JsonlBacklog(of_folder(repo, Path.cwd()), repo.state_dir)


def as_json(backlog: JsonlBacklog, task: BacklogTask) -> dict[str, object]:
    """Every key is always there, but for those of an end."""
    found: dict[str, object] = {
        **{name: getattr(task, name) for name in _FIELDS},
        "status": backlog.status(task.id),
        "leaf": backlog.tasks.is_leaf(task.id),
        **backlog.place(task.id),
    }
    for name in ("reason", "completed", "commit", "branch", "target", "verified"):
        if (value := getattr(task, name)) not in ("", None):
            found[name] = value
    return found


def echo_json(value: object) -> None:
    """As plain ASCII: no character in a task reaches the terminal as itself."""
    click.echo(json.dumps(value))


def problems_json(problems: Iterable[TaskProblem]) -> list[dict[str, object]]:
    return [{"file": p.file, "line": p.line, "id": p.id, "kind": p.kind, "what": p.what} for p in problems]


def warn(backlog: JsonlBacklog) -> None:
    """What cannot be worked on, beside the output."""
    problems = backlog.problems()
    for problem in problems[:_PROBLEMS_SHOWN]:
        click.echo(one_line(str(problem)), err=True)
    if len(problems) > _PROBLEMS_SHOWN:
        click.echo(f"... and {len(problems) - _PROBLEMS_SHOWN} more problems", err=True)


def tree(backlog: JsonlBacklog, wanted: set[str]) -> None:
    """These and the parents above them, indented."""
    shown = set(wanted)
    for id in wanted:
        task = backlog.get(id)
        while task and (task := backlog.get(task.parent)) and task.id not in shown:
            shown.add(task.id)
    rows = [(task, depth) for task, depth in backlog.tasks.walk() if task.id in shown]
    width = min(40, max((2 * depth + len(task.id) for task, depth in rows), default=0))
    for task, depth in rows:
        status = backlog.status(task.id)
        name = f"{'  ' * depth}{task.id}".ljust(width)
        more = f"  ({task.reason})" if task.reason else ""
        word = click.style(f"{status:<11}", fg=_COLOURS.get(status))
        click.echo(f"{one_line(name)}  {word}  {one_line(task.title + more)}")


def counts(backlog: JsonlBacklog) -> str:
    leaves = [task for task in backlog.all() if backlog.tasks.is_leaf(task.id)]
    complete = sum(backlog.status(task.id) == "complete" for task in leaves)
    return f"{len(leaves)} tasks: {complete} complete, {len(ready(backlog))} ready"


def ready(backlog: JsonlBacklog, most: int | None = None) -> list[BacklogTask]:
    """Those that a run would begin."""
    return free(backlog.tasks, most, [one.task for one in apart(backlog)])


def begun(backlog: JsonlBacklog) -> list[BacklogTask]:
    """Those that a run had begun and the next one takes up first. While one runs, it has them."""
    from ralph.history.history import backlog_history  # most commands do not ask
    from ralph.journal.lock import holder
    from ralph.journal.read import NAME, scan
    from ralph.runner.backlog_tasks import unfinished

    repo = here()
    if holder(repo.state_dir) is not None:
        return []
    loops = backlog_history(scan(repo.state_dir / NAME).records, repo.root).loops.values()
    return [task for id in unfinished(loops) if (task := backlog.get(id)) and not task.archived]


def apart(backlog: JsonlBacklog) -> list[UnlandedTask]:
    """What is complete and could not land. Git is asked only when there is any."""
    anywhere = any(task.target for task in backlog.all())
    return UnlandedTasks(here()).among(backlog.all()) if anywhere else []


def waits_for(backlog: JsonlBacklog, task: BacklogTask, elsewhere: list[UnlandedTask]) -> list[str]:
    """Ids of dependencies and parents that hold it; those whose work is on a branch with where it is."""
    if task.archived:
        return []
    return [*backlog.tasks.held_by(task.id), *waits_for_apart(task.id, backlog, elsewhere)]


def detail(backlog: JsonlBacklog, task: BacklogTask) -> None:
    elsewhere = apart(backlog)
    landing = next((f"{one.where}: {one.todo}" for one in elsewhere if one.task == task.id), task.branch)
    where = ":".join(map(str, backlog.place(task.id).values()))
    click.echo(one_line(f"{task.id}  {task.title}"))
    rows: list[tuple[str, str]] = [("status", backlog.status(task.id)), ("reason", task.reason)]
    rows += [("waits for", ", ".join(waits_for(backlog, task, elsewhere)))]
    rows += [("type", task.type), ("priority", "" if task.priority is None else f"{task.priority:g}")]
    rows += [("parent", task.parent), ("depends on", ", ".join(task.depends_on))]
    rows += [("gates", ", ".join(task.gates))]
    rows += [("completed", task.completed), ("commit", task.commit), ("landed", landing)]
    rows += [
        ("verified", "" if task.verified is None else "yes" if task.verified else "no"),
        ("where", where),
    ]
    for label, text in rows:
        if text:
            click.echo(f"{label:<11} {one_line(text)}")
    for line in task.description.splitlines():
        click.echo(f"  {harmless(line)}")
    for criterion in task.criteria:
        click.echo(one_line(f"- {criterion}"))
    for child in backlog.tasks.children(task.id):
        click.echo(one_line(f"{child.id}  {backlog.status(child.id)}  {child.title}"))


def write(backlog: JsonlBacklog, changes: Iterable[Change] = ()) -> None:
    """These changes, or those that were noted. RalphError where the list says otherwise by now."""
    for conflict in backlog.apply(changes).conflicts:
        raise RalphError(
            conflict.what, where=BACKLOG_NAME, todo="Look at it with `ralph task show`, then try again."
        )
    hide_own_files(here(), Path.cwd())


_REASON = 120  # characters


class TaskOutcome(msgspec.Struct, frozen=True):
    """A loop that is over, or parked; and what its task has become in the backlog."""

    state: LoopState
    split: str = ""  # into which parts, in place of failing
    missing: str = ""  # it is done, and not where it was to be: what a person has still to do about it

    @property
    def task(self) -> str:
        return self.state.identity.task.id

    @property
    def done(self) -> bool:
        return self.state.judgement.ended in DONE

    @property
    def next(self) -> str:
        """What a person can do for it."""
        return what_next(self.state.judgement.ended, self.state) if self.state.judgement.ended else ""

    @property
    def url(self) -> str:
        """Of its pull request."""
        return self.state.landing.landed.url if self.state.landing.landed else ""


def outcome(s: LoopState, backlog: Backlog | None, elsewhere: UnlandedTasks) -> TaskOutcome:
    return TaskOutcome(s, _split(s, backlog) if backlog else "", _missing(s, elsewhere))


def _missing(s: LoopState, elsewhere: UnlandedTasks) -> str:
    unproven = bool(s.judgement.ended and exit_code(s.judgement.ended, s.identity.policy))
    if s.judgement.ended not in DONE or not (unproven or lacks(s)):
        return ""
    branch, target = landed_apart(s)
    if not branch or s.landing.landed is None:
        return f"no gate proved it; {s.judgement.end_reason}"
    why = f" ({s.landing.landed.note})" if s.landing.landed.note else ""
    if target:
        if elsewhere.is_on(target, s.landing.landed.commit):
            return ""
        apart = UnlandedTask(s.identity.task.id, branch, target, gone=False)
        return f"{apart.where}{why}: {apart.todo}"
    if lacks(s):
        return f"on branch {branch}, {s.landing.landed.note}"  # which says what to do
    base = s.identity.policy.land.target.removeprefix(HEADS)
    todo = f"gh pr create --head {shlex.quote(branch)} --base {shlex.quote(base)}"
    then = f", then `{todo}`" if s.identity.policy.land.how == "pr" else ""
    return f"on branch {branch}{why}: look at it yourself{then}"


def _split(s: LoopState, backlog: Backlog) -> str:
    """Of a task that became a container of parts in place of failing: which, and how far they are."""
    id = s.identity.task.id
    if s.judgement.ended not in FAILURES or id not in backlog.tasks or backlog.tasks.is_leaf(id):
        return ""
    parts = backlog.tasks.children(id)
    done = sum(backlog.tasks.status(part.id) == "complete" for part in parts)
    return f"split into {few([part.id for part in parts])}; {done} of {len(parts)} done"


def not_begun(id: str, backlog: Backlog, apart: list[UnlandedTask]) -> str:
    """Why a task that was asked for by name could not be worked on, and what to do."""
    task, status = _find(id, backlog), backlog.tasks.status(id)
    name = shlex.quote(id)
    again = f"`ralph task reopen {name}`, then `ralph run --task {name}`"
    if status == "complete":
        return f"{id} is complete already. To have it made again: {again}."
    if not backlog.tasks.is_leaf(id) and backlog.tasks.children(id):
        return unready(backlog, apart, under=id) or f"{id} is {status}, and nothing below it is to be done."
    if task.status in ("failed", "blocked", "cancelled"):
        return f"{id} is {task.status}{_why(task)}. To start it over: {again}; `ralph status` says more."
    if task.status == "in_progress":
        return f"{id} is in progress: someone works on it. `ralph task reopen {name}` gives it to Ralph."
    return f"{id} {_waits(task, backlog, apart)}: `ralph task show {name}` says more."


def unready(
    backlog: Backlog, apart: list[UnlandedTask], *, under: str = "", but: Collection[str] = ()
) -> str:
    """Tasks that are left and that no run begins, and why. `but`: not these, of which all is said."""
    found = [task for task in backlog.tasks if _is_left(task, backlog, under) and task.id not in but]
    ready = {task.id for task in backlog.tasks.ready()} if found else set()
    failed = [task.id + _why(task) for task in found if task.status == "failed"]
    blocked = [task.id + _why(task) for task in found if task.status == "blocked"]
    theirs = [task.id for task in found if task.status == "in_progress"]
    waiting = (task for task in found if task.status == "pending")
    waits = [
        f"{task.id} {_waits(task, backlog, apart)}"
        for task in waiting
        if task.id not in ready or needs(backlog.tasks, task.id, _ids(apart))
    ]
    parts = [f"failed: {few(failed, 3)}"] if failed else []
    parts += [f"blocked: {few(blocked, 3)}"] if blocked else []
    parts += [f"in progress, by someone: {few(theirs, 3)}"] if theirs else []
    parts += [few(waits, 3)] if waits else []
    if not parts:
        return ""
    first = next((t for t in found if t.status in ("failed", "blocked", "in_progress")), None)
    return f"Not ready: {'; '.join(parts)}.{_how_it_begins(first) if first else ''}"


def _how_it_begins(task: BacklogTask) -> str:
    if task.is_unaccepted:
        return f" `ralph task accept {shlex.quote(task.id)}` lets it begin."
    return f" `ralph task reopen {shlex.quote(task.id)}` puts one back."


def _is_left(task: BacklogTask, backlog: Backlog, under: str) -> bool:
    if task.archived or not backlog.tasks.is_leaf(task.id):
        return False
    return not under or task.id == under or task.id.startswith(f"{under}.")


def _waits(task: BacklogTask, backlog: Backlog, apart: list[UnlandedTask]) -> str:
    held = [*backlog.tasks.held_by(task.id), *waits_for_apart(task.id, backlog, apart)]
    return f"waits for {few(held, 3)}" if held else "cannot be worked on as its line is"


def waits_for_apart(id: str, backlog: Backlog, apart: Iterable[UnlandedTask]) -> Iterator[str]:
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


def _ids(apart: Iterable[UnlandedTask]) -> list[str]:
    return [one.task for one in apart]
