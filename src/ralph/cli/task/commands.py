"""`ralph task import`, `export` and `push`: lists of other tools, and the list of a server."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from ralph.backlog.formats.load import FORMATS, detect
from ralph.backlog.jsonl import JsonlBacklog
from ralph.cli.fleet.options import of_server
from ralph.cli.task import edits, view
from ralph.cli.task.edits import CHANGES, known_status
from ralph.core.tasks.task import BacklogTask
from ralph.errors import RalphError
from ralph.runner.unlanded_tasks import needs
from ralph.terminal.words import one_line

_SHOWN = 20


@click.command("import")
@click.argument("file", metavar="FILE")
@click.option(
    "--from", "format", type=click.Choice(FORMATS), default=None, help="The form; otherwise it is detected."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def import_(file: str, format: str | None, as_json: bool) -> None:
    """Add the tasks of a prd.json, a Markdown checklist, `gh issue list --json ...`, beads or another tasks.jsonl.

    FILE may be - for standard input. What was imported before is left as it is, so a list can be imported again.

    \b
    Examples:
      ralph task import prd.json
      ralph task import PLAN.md --from markdown
      ralph task import -
    """
    from ralph.backlog.formats.load import load
    from ralph.backlog.transfer import plan_import

    edits.refuse("import tasks", "Add them one by one with `ralph task add`.")
    content, name = _read(file)
    form = format or detect(content)
    if not form:
        raise RalphError(
            "this is not a list of tasks in a known form",
            where=name,
            todo=f"Name its form: --from {'|'.join(FORMATS)}",
        )
    incoming, problems = load(content, form, name)
    if problems:
        lines = [one_line(str(problem)) for problem in problems[:_SHOWN]]
        raise RalphError("\n".join(lines), todo="Correct this and import again; nothing was changed.")
    backlog = view.opened()
    found = plan_import(backlog, incoming, time.strftime("%Y-%m-%d", time.gmtime()))
    view.write(backlog, found.added)
    ids = [str(change.fields["id"]) for change in found.added]
    if as_json:
        view.echo_json({"format": form, "added": ids, "known": found.known, "renamed": found.renamed})
        return
    known = f"; {found.known} were here already" if found.known else ""
    click.echo(f"{len(ids)} tasks added from {form}{known}.")
    for theirs, ours in list(found.renamed.items())[:_SHOWN]:
        click.echo(one_line(f"{theirs} is {ours} here."))


@click.command()
@click.argument("format", type=click.Choice(FORMATS))
@click.option("-o", "--output", default="", help="A file to write to; it is replaced.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with the text in `text`.")
@of_server
def export(format: str, output: str, as_json: bool, server: str) -> None:
    """Print all tasks, the archived ones too, in another form. What was imported comes back as it was, but for what has
    changed; what that form has no word for goes along under `ralph`.

    \b
    Examples:
      ralph task export prd -o prd.json
      ralph task export markdown
      ralph task export jsonl --server http://127.0.0.1:3013
    """
    from ralph.backlog.formats.dump import dump
    from ralph.backlog.transfer import tasks_to_export

    backlog = view.opened(server)
    tasks = tasks_to_export(backlog)
    text = dump(tasks, format)
    if output:
        Path(output).write_text(text, encoding="utf-8", newline="")
    told: dict[str, object] = {"format": format, "tasks": len(tasks)}
    if as_json:
        view.echo_json(told | ({"file": output} if output else {"text": text}))
    elif output:
        click.echo(one_line(f"{len(tasks)} tasks written to {output}."))
    else:
        sys.stdout.write(text)
    view.warn(backlog)


def _read(file: str) -> tuple[str, str]:
    name = "standard input" if file == "-" else file
    try:
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise RalphError(
            f"cannot be read: {error.strerror}",
            where=name,
            todo="Name a file that exists, or - for standard input.",
        ) from None
    try:
        return raw.decode("utf-8-sig"), name
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise RalphError("this is not UTF-8", where=f"{name}:{line}", todo="Save it as UTF-8.") from None


_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


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
@click.option("--status", "statuses", multiple=True, help="Only this status, e.g. failed; may be repeated.")
@click.option("--under", default="", help="Only this task and those below it.")
@click.option("--all", "everything", is_flag=True, help="Also what is in the archive.")
@_json
@of_server
def list_(statuses: tuple[str, ...], under: str, everything: bool, as_json: bool, server: str) -> None:
    """The tasks as a tree, without those that are done. What cannot be worked on is named with its line.

    \b
    Examples:
      ralph task list
      ralph task list --status failed --status blocked
      ralph task list --all --json
      ralph task list --server http://127.0.0.1:3013
    """
    backlog = view.opened(server)
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
        tasks = [view.as_json(backlog, one) for one in wanted]
        view.echo_json({"tasks": tasks, "problems": view.problems_json(backlog.problems())})
        return
    view.warn(backlog)
    if not backlog.all():
        click.echo('There are no tasks. Add one with `ralph task add "..."`.')
        return
    view.tree(backlog, {one.id for one in wanted})
    click.echo(view.counts(backlog))


@task.command("next")
@_json
@of_server
def next_(as_json: bool, server: str) -> None:
    """The task that a run would begin with: one that was begun and cut short, else the most urgent ready leaf.

    \b
    Example:
      ralph task next
    """
    backlog = view.opened(server)
    found = view.begun(backlog) or view.ready(backlog, 1)
    if as_json:
        view.echo_json(view.as_json(backlog, found[0]) if found else None)
        return
    view.warn(backlog)
    if found:
        view.detail(backlog, found[0])
    else:
        click.echo(f"Nothing is ready. {view.counts(backlog)}.")


@task.command()
@click.argument("id")
@_json
@of_server
def show(id: str, as_json: bool, server: str) -> None:
    """One task: all that is known of it, and what it waits for.

    \b
    Example:
      ralph task show A.1
    """
    backlog = view.opened(server)
    found = backlog.find(id)
    if as_json:
        children = [child.id for child in backlog.tasks.children(id)]
        apart = [one.task for one in view.apart(backlog)]
        waits = [] if found.archived else [*backlog.tasks.held_by(id), *needs(backlog.tasks, id, apart)]
        more: dict[str, object] = {"children": children, "waits_for": waits}
        if found.target:
            more["on_target"] = id not in apart
        view.echo_json({**view.as_json(backlog, found), **more})
    else:
        view.detail(backlog, found)


@click.command()
@click.option("--server", required=True, metavar="URL", help="The server to push to.")
@click.option("--repository", default="", help="The repository they belong to; one that the server knows.")
@click.option("--target", default="", help="The branch on which they land.")
@click.option("--label", "labels", multiple=True, help="A label that a worker must have.")
@click.option("--agent", default="", help="Only this agent, such as claude or codex.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def push(
    server: str, repository: str, target: str, labels: tuple[str, ...], agent: str, as_json: bool
) -> None:
    """Put the tasks of tasks.jsonl that are left to do onto a server, with their ids, parents and dependencies.

    What is there already is left as it is, so a list can be pushed again. The file here does not change.

    \b
    Examples:
      ralph task push --server http://127.0.0.1:3013 --repository app
    """
    from ralph.cli.fleet.client import PeopleClient
    from ralph.cli.fleet.server_backlog import all_tasks, plan_push
    from ralph.cli.fleet.server_backlog import push as push_to

    client = PeopleClient(server)
    backlog = view.opened()
    defaults = {"repository": repository, "target": target, "labels": list(labels), "agent": agent}
    plan = plan_push(backlog, {task["id"]: task["title"] for task in all_tasks(client)}, defaults)
    push_to(client, plan)
    ids = [str(task["id"]) for task in plan.new]
    if as_json:
        view.echo_json({"pushed": ids, "known": plan.known, "left": plan.left})
        return
    known = f"; {len(plan.known)} were there already" if plan.known else ""
    click.echo(f"{len(ids)} tasks pushed to {client.url}{known}.")
    for id, why in list(plan.left.items())[:_SHOWN]:
        click.echo(one_line(f"{id} is not pushed: {why}."))
    view.warn(backlog)


for _command in (*CHANGES, import_, export, push):
    task.add_command(_command)


# -- parts ---------------------------------------------------------------------------------------------


def _is_under(backlog: JsonlBacklog, one: BacklogTask, under: str) -> bool:
    found: BacklogTask | None = one
    while under and found:
        if found.id == under:
            return True
        found = backlog.get(found.parent)
    return not under
