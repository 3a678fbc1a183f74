"""`ralph events`: the facts of the journal, and what became of the events in it. Only reads."""

from __future__ import annotations

import time
from collections.abc import Iterable
from fnmatch import fnmatchcase

import click
import msgspec

from ralph.cli.context import here
from ralph.cli.fleet.options import at_server
from ralph.core import facts as f
from ralph.core.hats.event_log import EventOutcome, event_line, event_record, why_routed
from ralph.core.hats.turns import Routed
from ralph.core.secrets import masked
from ralph.errors import RalphError
from ralph.git.repo import Repo
from ralph.history.choose import loops_of_task, newest_loop, records_of
from ralph.history.loops import Loop
from ralph.journal.read import NAME, follow, history
from ralph.journal.record import ROTATED, Record, Rotation
from ralph.terminal.words import one_line

HEAD = f"{'#':>5}  {'time':<8}  {'iteration':<9}  {'hat':<18}  {'topic':<22}  {'triggered':<22}  payload"


class Routing:
    """Goes along with the journal. `all_loops`: not only those with hats."""

    def __init__(self, *, all_loops: bool = False) -> None:
        self._all = all_loops
        self._loops: dict[str, Loop] = {}

    def take(self, found: Record) -> tuple[EventOutcome, ...]:
        if found.kind == "loop.started":
            started = f.decode(found.data)
            if not isinstance(started, f.LoopStarted) or not (self._all or started.policy.routing):
                return ()
            self._loops[started.loop] = Loop()
        loop = self._loops.get(found.loop) if found.kind in f.BY_KIND else None
        if loop is None:
            return ()
        loop.forget_past()  # only where events go is of interest
        return loop.take(found)

    def title(self, loop: str) -> str:
        return self._loops[loop].state.identity.task.title


def below(told: tuple[EventOutcome, ...]) -> list[str]:
    """Under the line of a fact."""
    return [" " * 18 + one_line(event_line(one.routed)) for one in told]


def rows(told: tuple[EventOutcome, ...], at: str, *, as_json: bool) -> list[str]:
    """Each event once, as the file `.ralph/events-*.jsonl` has it, or in columns."""
    routed = [one.routed for one in told if one.counts]
    if as_json:
        return [msgspec.json.encode(event_record(one, at)).decode() for one in routed]
    return [one_line(_row(one, at)) for one in routed]


def _row(routed: Routed, at: str) -> str:
    event = routed.event
    number, iteration = f"#{event.n}" if event.n else "", event.iteration or ""
    columns = f"{number:>5}  {at[11:19]}  {iteration:<9}  {event.hat or '-':<18}  {event.topic:<22}"
    return f"{columns}  {', '.join(routed.triggered) or '-':<22}  {event.payload}".rstrip()


def explained(loop: str, records: Iterable[Record], n: int) -> str:
    """Why a hat was chosen for this event of the loop."""
    routing = Routing(all_loops=True)
    log = [one.routed for found in records for one in routing.take(found)]
    said = why_routed(log, n)
    if said:
        return one_line(said)
    most = max((one.event.n for one in log), default=0)
    if not most:
        raise RalphError(f"loop {loop} has no events", todo="`ralph events` shows what happened in it.")
    raise RalphError(
        f"loop {loop} has no event {n}",
        todo=f"It has those up to {most}; `ralph events --routed` lists them.",
    )


# Every kind of record that a journal may hold.
KINDS: dict[str, type[msgspec.Struct]] = {**f.BY_KIND, ROTATED: Rotation}


@click.command()
@click.option(
    "--kind", "kinds", multiple=True, help="Only this kind, e.g. gate.ended or 'gate.*'; may be repeated."
)
@click.option("--loop", default="", help="Only this loop.")
@click.option("--task", default="", help="Only loops of this task.")
@click.option("--run", "run_id", default="", help="Only this run.")
@click.option("--since", type=click.IntRange(min=1), default=1, help="From this sequence number on.")
@click.option("-n", "--last", type=click.IntRange(min=1), default=None, help="Only the last N.")
@click.option(
    "--routed/--facts",
    "routed",
    default=None,
    help="The events, each once, with who emitted it and which hats it triggered; or every fact. "
    "Without either: events where the last loop has hats.",
)
@click.option("--topic", default="", help="Only events of this topic, e.g. 'work.*'; includes --routed.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default=None,
    help="Events as a table or as JSON: the same as --routed, or --routed --json.",
)
@click.option(
    "--why",
    type=click.IntRange(min=1),
    default=None,
    metavar="N",
    help="Why event N went to which hat, in the last loop or that of --loop.",
)
@click.option(
    "-f", "--follow", "following", is_flag=True, help="Keep printing new facts as they come; Ctrl-C ends it."
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print one JSON object per line, as in the journal; secrets are masked.",
)
@at_server
def events(
    kinds: tuple[str, ...],
    loop: str,
    task: str,
    run_id: str,
    since: int,
    last: int | None,
    routed: bool | None,
    topic: str,
    form: str | None,
    why: int | None,
    following: bool,
    as_json: bool,
    server: str,
) -> None:
    """The journal: everything that happened, in order.

    Where the last loop has hats, these are its events; with --facts every fact, and below it what became of events.

    \b
    Examples:
      ralph events --kind 'gate.*'
      ralph events --follow --json
      ralph events --topic 'work.*'
      ralph events --facts
      ralph events --why 3
      ralph events --follow --task 3f2a --server http://127.0.0.1:3013
    """
    _check(kinds)
    if server:
        from ralph.cli.fleet.task_journal import journal_at, require_begun

        if not following:
            require_begun(server, task)
        repo, task = journal_at(server, task, following=following)
    else:
        repo = here()
    if why is not None:
        other = bool(kinds or run_id or last or routed or topic or form or following or as_json)
        _explain(repo, why, loop, task, other=other)
        return
    if topic or form:
        routed, as_json = routed is not False, as_json or form == "json"
    if routed and kinds:
        raise click.UsageError("--routed shows events, and --kind chooses facts: use one of them.")
    if topic and not routed:
        raise click.UsageError("--topic chooses events, and --facts shows facts: use one of them.")
    if routed is None:
        of_facts = bool(kinds or run_id or as_json) or since > 1
        routed = not of_facts and _has_hats(repo, loop, task)
    state_dir = repo.state_dir
    routing = Routing(all_loops=routed)
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

    def shown(record: Record) -> list[tuple[str, str]]:
        """Every record passes through here, in order, whether it is wanted or not. Each line has its loop before it."""
        told = routing.take(record) if routed or not as_json else ()
        if not wanted(record):
            return []
        if routed:
            told = tuple(one for one in told if not topic or fnmatchcase(one.routed.event.topic, topic))
            return [(record.loop, row) for row in rows(told, record.at, as_json=as_json)]
        return [(record.loop, "\n".join([_line(record, as_json), *below(told)]))]

    before = ""

    def say(of: str, line: str) -> None:
        """Events are numbered anew in each loop: where another begins is said."""
        nonlocal before
        if routed and not as_json and before not in ("", of):
            click.echo(f"-- loop {of}: {one_line(routing.title(of))}")
        before = of
        click.echo(line)

    seen = since - 1
    found: list[tuple[str, str]] = []
    for record in history(state_dir):
        seen = max(seen, record.seq)
        found += shown(record)
    if routed and not as_json and (found or following):
        click.echo(HEAD)
    for of, line in found[-last:] if last else found:
        say(of, line)
    if not following:
        return
    follower = follow(state_dir / NAME, seen + 1)
    try:
        while True:
            for record in follower.poll():
                for of, line in shown(record):
                    say(of, line)
            time.sleep(0.1)
    except KeyboardInterrupt:
        pass
    finally:
        follower.close()


def _has_hats(repo: Repo, loop: str, task: str) -> bool:
    """Whether the loop that is meant routes events."""
    try:
        found = newest_loop(repo, loop, task)
    except RalphError:  # there is none of this name: as there are no facts of it
        return False
    records = records_of(repo, [found])[found] if found is not None else ()
    started = next((f.decode(one.data) for one in records if one.kind == "loop.started"), None)
    return isinstance(started, f.LoopStarted) and started.policy.routing is not None


def _explain(repo: Repo, n: int, loop: str, task: str, *, other: bool) -> None:
    if other:
        raise click.UsageError("--why goes with --loop or --task, and with nothing else.")
    found = newest_loop(repo, loop, task)
    if found is None:
        raise RalphError("there is no loop here yet", todo='Start one with `ralph run -p "..."`.')
    click.echo(explained(found, records_of(repo, [found])[found], n))


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
