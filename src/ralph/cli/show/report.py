"""`ralph report`: what happened in a loop, as a summary, a page or JSON. Reads the journal, also of a live run."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ralph.cli.context import here
from ralph.cli.fleet.options import at_server
from ralph.errors import RalphError

if TYPE_CHECKING:
    from ralph.git.repo import Repo
    from ralph.report.sources import Changes
    from ralph.report.stories import Gathered

_JSON_MARK = '{"ralph_report": '


@click.command()
@click.argument("loop", required=False, default="")
@click.option("--html", "as_html", is_flag=True, help="Make one self-contained page instead of the summary.")
@click.option("--open", "opens", is_flag=True, help="Make the page and open it in the browser.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object with everything except long texts."
)
@click.option("-o", "--output", default="", metavar="FILE", help="Write it there; - is standard output.")
@click.option("--all", "everything", is_flag=True, help="Every loop of this workspace, not only the newest.")
@click.option("--run", "run_id", default="", help="The loops of this run.")
@click.option("--task", default="", metavar="ID", help="The newest loop of this task.")
@at_server
def report(
    loop: str,
    as_html: bool,
    opens: bool,
    as_json: bool,
    output: str,
    everything: bool,
    run_id: str,
    task: str,
    server: str,
) -> None:
    """What happened: the outcome, the evidence, each iteration. LOOP is a loop's name or its beginning; without
    it, the newest loop here. After a run over a backlog: what became of each task, and what all of it cost.

    The summary and JSON go to standard output. The page goes to a file in Ralph's own folder, outside your work
    tree, and its name is printed. With -o, a file that `ralph report` did not make is never overwritten.

    \b
    Examples:
      ralph report
      ralph report --open
      ralph report --html -o report.html
      ralph report --all --json
      ralph report --task A.1
      ralph report --task 3f2a --server http://127.0.0.1:3013
    """
    as_html = as_html or opens
    if as_html and as_json:
        raise RalphError(
            f"{'--open' if opens else '--html'} and --json cannot be combined", todo="Choose one of them."
        )
    if opens and output == "-":
        raise RalphError("--open needs a file, and -o - is standard output", todo="Leave out -o.")
    if sum(map(bool, (loop, run_id, everything, task))) > 1:
        raise RalphError("LOOP, --run, --task and --all cannot be combined", todo="Choose one of them.")
    from ralph.report.sources import Changes
    from ralph.report.stories import gather

    if server:
        from ralph.cli.fleet.task_journal import journal_at, require_begun

        require_begun(server, task)
        repo, task = journal_at(server, task, texts=True)
    else:
        repo = here()
    with Changes(repo) as changes:
        found = gather(repo, changes, loop=loop, run=run_id, everything=everything, task=task)
        if server:
            _advise(server, task, found)
        made = _made(repo, changes, found, as_html, as_json)
        if output == "-" or (not output and not as_html):
            _print(made)
            return
        path = Path(output) if output else _own_place(repo, found)
        _write(path, made)
    click.echo(f"The report is in {path}")
    if opens:
        _open(path)


def _advise(server: str, task: str, found: Gathered) -> None:
    from ralph.cli.fleet.server_status import advice

    for story in found.stories:
        story.loop.advice = advice(server, task, story.loop)


def _open(path: Path) -> None:
    """In the user's browser: that of $BROWSER, else the desktop's. A machine without one is told where the page is."""
    import webbrowser

    try:
        shown = webbrowser.open(path.resolve().as_uri())
    except (webbrowser.Error, OSError):
        shown = False
    if not shown:
        click.echo("No browser could be opened here; open the file in one.", err=True)


def _made(repo: Repo, changes: Changes, found: Gathered, as_html: bool, as_json: bool) -> Iterable[str]:
    if as_json:
        return _json(found)
    from ralph.report.render import page, summary

    if not as_html:
        return (summary(found),)
    from ralph.report.sources import StoredTexts

    return page(found, StoredTexts(repo.state_dir), changes, time.time())


def _json(found: Gathered) -> Iterator[str]:
    """docs/history.md says what it holds."""
    import msgspec

    from ralph import __version__
    from ralph.history.serialise import SCHEMA, as_text, loop_json, run_json

    yield f'{_JSON_MARK}{as_text(__version__)}, "schema": {SCHEMA}'
    if found.run:
        from ralph.report.stories import totals

        run = run_json(found.run) | msgspec.to_builtins(totals(found.stories, found.run))
        yield f', "run": {as_text(run)}'
    yield ', "loops": ['
    for number, story in enumerate(found.stories):
        loop = loop_json(story.loop, story.texts) | {"changed": story.changed}
        yield (", " if number else "") + as_text(loop)
    yield "]}\n"


def _print(made: Iterable[str]) -> None:
    for part in made:
        sys.stdout.write(part)


def _own_place(repo: Repo, found: Gathered) -> Path:
    folder = repo.state_dir / "reports"
    folder.mkdir(parents=True, exist_ok=True)
    if found.run:
        return folder / f"run-{found.run.id}.html"
    return folder / (
        f"{found.stories[0].state.identity.loop}.html" if len(found.stories) == 1 else "loops.html"
    )


def _write(path: Path, made: Iterable[str]) -> None:
    """By rename, so that no one sees half a page; a pipe or a device is written to as it is."""
    path = path.resolve()
    if path.is_dir():
        raise RalphError("is a folder", where=str(path), todo="Name a file.")
    if path.exists() and not path.is_file():
        with open(path, "w", encoding="utf-8", errors="replace") as file:
            file.writelines(made)
        return
    _refuse_to_overwrite(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(part, "x", encoding="utf-8", errors="replace") as file:
            file.writelines(made)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _refuse_to_overwrite(path: Path) -> None:
    from ralph.report.render import HEADING, MARK

    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            start = file.read(200)
    except FileNotFoundError:
        return
    ours = start.startswith((HEADING, _JSON_MARK)) or MARK in start
    if start and not ours:
        raise RalphError(
            "the file exists, and `ralph report` did not make it", where=str(path), todo="Name another file."
        )
