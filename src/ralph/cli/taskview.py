"""Tasks as people and programs see them: a tree, one of them, JSON. Also where the backlog of this folder is."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.backlog import NAME, Conflict, JsonlBacklog
from ralph.backlog.apart import ready as free
from ralph.cli.backlogfile import of_folder
from ralph.cli.output import harmless
from ralph.cli.place import here
from ralph.core.tasks import BacklogTask, Problem
from ralph.errors import RalphError
from ralph.ui.terminal import one_line

if TYPE_CHECKING:
    from ralph.driver.elsewhere import Apart

_PROBLEMS_SHOWN = 20
_COLOURS = {
    "in_progress": "cyan",
    "complete": "green",
    "failed": "red",
    "blocked": "yellow",
    "cancelled": "bright_black",
}


def opened() -> JsonlBacklog:
    repo = here()
    return JsonlBacklog(of_folder(repo, Path.cwd()), repo.state_dir)


def as_json(backlog: JsonlBacklog, task: BacklogTask) -> dict[str, object]:
    """Every key is always there, but for those of an end."""
    found: dict[str, object] = {
        "id": task.id,
        "title": task.title,
        "status": backlog.status(task.id),
        "leaf": backlog.tasks.is_leaf(task.id),
        "parent": task.parent,
        "priority": task.priority,
        "type": task.type,
        "depends_on": list(task.depends_on),
        "description": task.description,
        "criteria": list(task.criteria),
        "archived": task.archived,
        "file": (backlog.done_path if task.archived else backlog.path).name,
        "line": backlog.line(task.id),
    }
    for name in ("reason", "completed", "commit", "branch", "target", "verified"):
        if (value := getattr(task, name)) not in ("", None):
            found[name] = value
    return found


def echo_json(value: object) -> None:
    """As plain ASCII: no character in a task reaches the terminal as itself."""
    click.echo(json.dumps(value))


def problems_json(problems: Iterable[Problem]) -> list[dict[str, object]]:
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
    return free(backlog, most, [one.task for one in apart(backlog)])


def apart(backlog: JsonlBacklog) -> list[Apart]:
    """What is complete and could not land. The rooms that ask git are loaded only when there is any."""
    if not any(task.target for task in backlog.all()):
        return []
    from ralph.driver.elsewhere import Elsewhere

    return Elsewhere(here()).among(backlog.all())


def waits_for(backlog: JsonlBacklog, task: BacklogTask, elsewhere: list[Apart]) -> list[str]:
    """Ids of dependencies and parents that hold it; those whose work is on a branch with where it is."""
    if task.archived:
        return []
    held = backlog.tasks.held_by(task.id)
    if elsewhere:
        from ralph.cli.backlogwords import waits_for_apart

        held += waits_for_apart(task.id, backlog, elsewhere)
    return held


def detail(backlog: JsonlBacklog, task: BacklogTask) -> None:
    elsewhere = apart(backlog)
    landing = next((f"{one.where}: {one.todo}" for one in elsewhere if one.task == task.id), task.branch)
    where = f"{(backlog.done_path if task.archived else backlog.path).name}:{backlog.line(task.id)}"
    click.echo(one_line(f"{task.id}  {task.title}"))
    rows: list[tuple[str, str]] = [("status", backlog.status(task.id)), ("reason", task.reason)]
    rows += [("waits for", ", ".join(waits_for(backlog, task, elsewhere)))]
    rows += [("type", task.type), ("priority", "" if task.priority is None else f"{task.priority:g}")]
    rows += [("parent", task.parent), ("depends on", ", ".join(task.depends_on))]
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


def refuse_conflicts(conflicts: Iterable[Conflict]) -> None:
    for conflict in conflicts:
        raise RalphError(conflict.what, where=NAME, todo="Look at it with `ralph task show`, then try again.")
