"""`ralph task`: the backlog in tasks.jsonl, from the command line. Works beside a run, which sees the edits."""

from __future__ import annotations

import click

from ralph.backlog import JsonlBacklog
from ralph.backlog.apart import needs
from ralph.cli import taskview
from ralph.cli.taskedits import CHANGES, known_status
from ralph.cli.taskfiles import export, import_
from ralph.core.tasks import BacklogTask

_json = click.option("--json", "as_json", is_flag=True, help="As JSON.")


@click.group()
def task() -> None:
    """The tasks in tasks.jsonl: what there is, what is next, and changes to it.

    A parent is complete when its children are, and blocked when one of them failed. Tasks that are done are in
    tasks-done.jsonl. Both files may be edited by hand at any time.

    \b
    Examples:
      ralph task add "Write the parser"
      ralph task list
      ralph task next
    """


@task.command("list")
@click.option("--status", "statuses", multiple=True, help="Only this one, e.g. failed; may be repeated.")
@click.option("--under", default="", help="Only this task and those below it.")
@click.option("--all", "everything", is_flag=True, help="Also what is in the archive.")
@_json
def list_(statuses: tuple[str, ...], under: str, everything: bool, as_json: bool) -> None:
    """The tasks as a tree, without those that are done. What cannot be worked on is named with its line.

    \b
    Examples:
      ralph task list
      ralph task list --status failed --status blocked
      ralph task list --all --json
    """
    backlog = taskview.opened()
    if under:
        backlog.find(under)
    words = {known_status(word) for word in statuses}
    wanted = [
        one
        for one, _ in backlog.tasks.walk()
        if (not words or backlog.status(one.id) in words)
        and (everything or words or not one.archived)
        and _is_under(backlog, one, under)
    ]
    if as_json:
        tasks = [taskview.as_json(backlog, one) for one in wanted]
        taskview.echo_json({"tasks": tasks, "problems": taskview.problems_json(backlog.problems())})
        return
    taskview.warn(backlog)
    if not backlog.all():
        click.echo('There are no tasks. Add one with `ralph task add "..."`.')
        return
    taskview.tree(backlog, {one.id for one in wanted})
    click.echo(taskview.counts(backlog))


@task.command("next")
@_json
def next_(as_json: bool) -> None:
    """The task that would be worked on next: the most urgent ready leaf, then the first in the file.

    \b
    Example:
      ralph task next
    """
    backlog = taskview.opened()
    found = taskview.ready(backlog, 1)
    if as_json:
        taskview.echo_json(taskview.as_json(backlog, found[0]) if found else None)
        return
    taskview.warn(backlog)
    if found:
        taskview.detail(backlog, found[0])
    else:
        click.echo(f"Nothing is ready. {taskview.counts(backlog)}.")


@task.command()
@click.argument("id")
@_json
def show(id: str, as_json: bool) -> None:
    """One task: all that is known of it, and what it waits for.

    \b
    Example:
      ralph task show A.1
    """
    backlog = taskview.opened()
    found = backlog.find(id)
    if as_json:
        children = [child.id for child in backlog.tasks.children(id)]
        apart = [one.task for one in taskview.apart(backlog)]
        waits = [] if found.archived else [*backlog.tasks.held_by(id), *needs(backlog, id, apart)]
        more: dict[str, object] = {"children": children, "waits_for": waits}
        if found.target:
            more["on_target"] = id not in apart
        taskview.echo_json({**taskview.as_json(backlog, found), **more})
    else:
        taskview.detail(backlog, found)


for _command in (*CHANGES, import_, export):
    task.add_command(_command)


# -- parts ---------------------------------------------------------------------------------------------


def _is_under(backlog: JsonlBacklog, one: BacklogTask, under: str) -> bool:
    found: BacklogTask | None = one
    while under and found:
        if found.id == under:
            return True
        found = backlog.get(found.parent)
    return not under
