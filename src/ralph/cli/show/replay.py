"""`ralph replay`: a recorded loop, decided again without agents. Reads only."""

from __future__ import annotations

from collections.abc import Iterator

import click
import msgspec

from ralph.cli.context import here
from ralph.core import facts as f
from ralph.core.replay import JournalEntry, Replayed
from ralph.core.replay import replay as again
from ralph.errors import RalphError
from ralph.journal.record import Record
from ralph.terminal.words import one_line


@click.command()
@click.argument("loop", required=False, default="")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: each loop with all its steps.")
def replay(loop: str, as_json: bool) -> int:
    """Re-run a recorded loop without agents, and show that the same is decided; or where it is not.

    At each point at which something was begun (an iteration, a gate, a wait, a landing, a look at a board, the end) the
    rules as they are now are asked what they want. A prompt is composed again, as far as what it was made of was kept.
    Without LOOP: the last one, or all of the last run over a backlog. The exit code is 1 when something differs.

    \b
    Examples:
      ralph replay
      ralph replay 20261121-103045 --json
    """
    from ralph.history.choose import choose, records_of
    from ralph.runner.prompt_replay import Recomposer

    repo = here()
    found = [
        (name, again(_entries(records), Recomposer(repo.state_dir)))
        for name, records in records_of(repo, choose(repo, loop=loop).ids).items()
    ]
    if as_json:
        click.echo(msgspec.json.encode(_facts(found)).decode())
    else:
        for name, replayed in found:
            for line in _lines(name, replayed):
                click.echo(one_line(line))
    return 0 if all(replayed.same for _, replayed in found) else 1


def _entries(records: list[Record]) -> Iterator[JournalEntry]:
    for record in records:
        try:
            yield JournalEntry(record.seq, f.decode(record.data), record.run)
        except msgspec.ValidationError as error:
            raise RalphError(
                f"record {record.seq} of the journal is of another version: {error}",
                todo="Replay it with the version that wrote it; `ralph events --json` shows the record.",
            ) from error


def _lines(name: str, replayed: Replayed) -> Iterator[str]:
    yield f"Loop {name}: {replayed.state.identity.task.title}"
    for step in replayed.steps:
        note = f"; {step.note}" if step.note and step.same else ""
        yield f"#{step.seq} {step.what}: {'same' if step.same else 'differs'}{note}"
        if not step.same:
            yield f"    expected: {step.expected}"
            yield f"    found:    {step.found}"
    if replayed.next:
        yield f"The journal ends here; next comes: {replayed.next}."
    count = len(replayed.steps)
    differing = [f"#{step.seq}" for step in replayed.steps if not step.same]
    if differing:
        yield f"{len(differing)} of {count} decisions differ: {', '.join(differing[:20])}."
    else:
        yield f"{count} decisions, all the same."


def _facts(found: list[tuple[str, Replayed]]) -> dict[str, object]:
    loops = [
        {
            "loop": name,
            "task": replayed.state.identity.task.id,
            "same": replayed.same,
            "steps": [{**msgspec.to_builtins(step), "same": step.same} for step in replayed.steps],
            "next": replayed.next or None,
        }
        for name, replayed in found
    ]
    return {"same": all(replayed.same for _, replayed in found), "loops": loops}
