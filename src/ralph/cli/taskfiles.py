"""`ralph task import` and `ralph task export`: lists of other tools."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from ralph.backlog.formats import FORMATS, detect
from ralph.cli import taskagent, taskview
from ralph.errors import RalphError
from ralph.ui.terminal import one_line

_SHOWN = 20


@click.command("import")
@click.argument("file", metavar="FILE")
@click.option(
    "--from", "format", type=click.Choice(FORMATS), default=None, help="The form; otherwise it is detected."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def import_(file: str, format: str | None, as_json: bool) -> None:
    """Add the tasks of a prd.json, a Markdown checklist, `gh issue list --json ...`, beads or another tasks.jsonl.

    FILE may be - for standard input. What was imported before is left as it is, so a list can be imported again.

    \b
    Examples:
      ralph task import prd.json
      ralph task import PLAN.md --from markdown
      ralph task import -
    """
    from ralph.backlog.formats import load
    from ralph.backlog.importing import plan

    taskagent.refuse("import tasks", "Add them one by one with `ralph task add`.")
    content, name = _read(file)
    form = format or detect(content)
    if not form:
        raise RalphError(
            "this is no list of tasks that is known",
            where=name,
            todo=f"Name its form: --from {'|'.join(FORMATS)}",
        )
    incoming, problems = load(content, form, name)
    if problems:
        lines = [one_line(str(problem)) for problem in problems[:_SHOWN]]
        raise RalphError("\n".join(lines), todo="Correct this and import again; nothing was changed.")
    backlog = taskview.opened()
    found = plan(backlog, incoming, time.strftime("%Y-%m-%d", time.gmtime()))
    taskview.refuse_conflicts(backlog.apply(found.added).conflicts)
    ids = [str(change.fields["id"]) for change in found.added]
    if as_json:
        taskview.echo_json({"format": form, "added": ids, "known": found.known, "renamed": found.renamed})
        return
    known = f"; {found.known} were here already" if found.known else ""
    click.echo(f"{len(ids)} tasks added from {form}{known}.")
    for theirs, ours in list(found.renamed.items())[:_SHOWN]:
        click.echo(one_line(f"{theirs} is {ours} here."))


@click.command()
@click.argument("format", type=click.Choice(FORMATS))
@click.option("-o", "--output", default="", help="A file to write to; it is replaced.")
@click.option("--json", "as_json", is_flag=True, help="As JSON, the text in `text`.")
def export(format: str, output: str, as_json: bool) -> None:
    """Print all tasks, the archived ones too, in another form. What was imported comes back as it was, but for what has
    changed; what that form has no word for goes along under `ralph`.

    \b
    Examples:
      ralph task export prd -o prd.json
      ralph task export markdown
    """
    from ralph.backlog.exporting import outgoing
    from ralph.backlog.formats import dump

    backlog = taskview.opened()
    tasks = outgoing(backlog)
    text = dump(tasks, format)
    if output:
        Path(output).write_text(text, encoding="utf-8", newline="")
    told: dict[str, object] = {"format": format, "tasks": len(tasks)}
    if as_json:
        taskview.echo_json(told | ({"file": output} if output else {"text": text}))
    elif output:
        click.echo(one_line(f"{len(tasks)} tasks written to {output}."))
    else:
        sys.stdout.write(text)
    taskview.warn(backlog)


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
