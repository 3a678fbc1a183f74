"""`ralph events`: the journal, filtered, followed, as lines or JSON. Reads only, also while a run is live."""

from __future__ import annotations

import time
from fnmatch import fnmatchcase

import click
import msgspec

from ralph.cli.operations import loops_of_task
from ralph.cli.place import here
from ralph.core import facts as f
from ralph.errors import RalphError
from ralph.journal.read import NAME, follow, history
from ralph.journal.record import Record
from ralph.journal.reference import KINDS
from ralph.ui import masked
from ralph.ui.terminal import one_line


@click.command()
@click.option(
    "--kind", "kinds", multiple=True, help="Only this kind, e.g. gate.ended or 'gate.*'; may be repeated."
)
@click.option("--loop", default="", help="Only this loop.")
@click.option("--task", default="", help="Only loops of this task.")
@click.option("--run", "run_id", default="", help="Only this run.")
@click.option("--since", type=click.IntRange(min=1), default=1, help="From this sequence number on.")
@click.option("-n", "--last", type=click.IntRange(min=1), default=None, help="Only the last N.")
@click.option("-f", "--follow", "following", is_flag=True, help="Go on as new facts come; Ctrl-C ends it.")
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object a line, as in the journal; secrets are masked."
)
def events(
    kinds: tuple[str, ...],
    loop: str,
    task: str,
    run_id: str,
    since: int,
    last: int | None,
    following: bool,
    as_json: bool,
) -> None:
    """The journal: everything that happened, in order.

    \b
    Examples:
      ralph events --kind 'gate.*'
      ralph events --follow --json
    """
    _check(kinds)
    repo = here()
    state_dir = repo.state_dir
    of_task = loops_of_task(repo, task) if task else set()

    def wanted(record: Record) -> bool:
        if task and record.loop not in of_task and not _begins(record, task, of_task):
            return False
        return (
            (not kinds or any(fnmatchcase(record.kind, kind) for kind in kinds))
            and (not loop or record.loop == loop)
            and (not run_id or record.run == run_id)
            and record.seq >= since
        )

    seen = since - 1
    found = []
    for record in history(state_dir):
        seen = max(seen, record.seq)
        if wanted(record):
            found.append(record)
    for record in found[-last:] if last else found:
        click.echo(_line(record, as_json))
    if not following:
        return
    follower = follow(state_dir / NAME, seen + 1)
    try:
        while True:
            for record in follower.poll():
                if wanted(record):
                    click.echo(_line(record, as_json))
            time.sleep(0.1)
    except KeyboardInterrupt:
        pass
    finally:
        follower.close()


def _begins(record: Record, task: str, of_task: set[str]) -> bool:
    """A loop that begins while the journal is followed."""
    if record.kind == "loop.started":
        started = f.decode(record.data)
        if isinstance(started, f.LoopStarted) and started.task.id == task:
            of_task.add(started.loop)
            return True
    return False


def _check(kinds: tuple[str, ...]) -> None:
    """A misspelt kind would look like a journal in which it never happened."""
    for kind in kinds:
        if not any(fnmatchcase(known, kind) for known in KINDS):
            import difflib

            near = difflib.get_close_matches(kind, KINDS, 1, 0.5)
            hint = f"The nearest is {near[0]}." if near else f"Kinds: {', '.join(KINDS)}."
            raise RalphError(f"--kind: there are no facts of the kind {kind!r}", todo=hint)


def _line(record: Record, as_json: bool) -> str:
    shown = masked.fact(record.kind, record.data)
    if as_json:
        return msgspec.json.encode(msgspec.structs.replace(record, data=shown)).decode()
    data = msgspec.json.decode(shown)
    data.pop("kind", None)
    fields = "  ".join(f"{key}={_short(value)}" for key, value in data.items())
    return f"{record.seq:>6}  {record.at[11:19]}  {record.kind:<20}  {fields}"


def _short(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return one_line(text if len(text) <= 80 else text[:77] + "...")
