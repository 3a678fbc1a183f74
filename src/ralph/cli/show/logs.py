"""The output of an operation as it grows, until its end is in the journal or no one is left to write it there."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import click

from ralph.cli.context import here
from ralph.cli.fleet.options import at_server
from ralph.cli.output import (
    CHUNK,
    Printed,
    Splitter,
    clock,
    cut,
    lines,
    manner,
    note,
    opened,
    parts,
    put,
    say,
)
from ralph.cli.show.operation_words import Operation, as_json, blob, how_it_ended, name_of, output_of, size_of
from ralph.core import facts as f
from ralph.errors import RalphError
from ralph.git.repo import Repo
from ralph.history.choose import load, newest_loop
from ralph.history.gates import GateRun
from ralph.history.history import LiveHistory, survey
from ralph.history.iterations import Iteration
from ralph.history.loops import Loop
from ralph.history.runs import RunReview
from ralph.history.texts import JournalTexts
from ralph.journal.lock import holder
from ralph.journal.read import history
from ralph.terminal.words import one_line
from ralph.text import duration, few, size

_PAUSE = 0.1


def follow_run(repo: Repo, gate: str | None, raw: bool, journal: LiveHistory) -> None:
    """What is under way, and then each that begins after it, until the run is over. Those that ran beside another follow it."""
    if holder(repo.state_dir) is None:
        todo = "`ralph logs` lists what ran; `ralph status` says how it stands."
        raise RalphError("nothing is under way here", todo=todo)
    shown, told = _first_shown(journal), False
    over = _ended(journal)
    while True:
        live = holder(repo.state_dir) is not None  # first: what is recorded before the end is still seen
        journal.poll()
        begun = _operations(journal, gate)
        for loop, one in [(loop, one) for loop, one in begun if one.at.seq >= shown]:
            note(f"== {_whose(journal, loop)}{name_of(one)}")
            follow_one(repo, loop, one, raw, journal)
            shown, told = one.at.seq + 1, True
            if (ended := _again(journal, loop, one)) and ended.ended:
                note(f"== {_whose(journal, loop)}{name_of(one)}: {how_it_ended(ended)}")
        if not live:
            break
        if not told and not begun:
            what = f"gate {gate} does not run at this moment" if gate else "nothing runs at this moment"
            note(f"{what}; waiting for it")
            told = True
        time.sleep(_PAUSE)
    for id in _ended(journal) - over:
        found = journal.history.loops[id]
        note(f"{_whose(journal, id)}{found.state.judgement.ended}: {found.reason}")


def _ended(journal: LiveHistory) -> set[str]:
    return {id for id, loop in journal.history.loops.items() if loop.state.judgement.ended}


def _operations(journal: LiveHistory, gate: str | None) -> list[tuple[str, Operation]]:
    """Of all loops that are followed, in the order in which they began."""
    found = [(id, one) for id, loop in journal.history.loops.items() for one in loop.operations()]
    return sorted(
        ((id, one) for id, one in found if gate in (None, one.gate)), key=lambda each: each[1].at.seq
    )


def _first_shown(journal: LiveHistory) -> int:
    """The record from which on operations are shown: the first that is under way, or the next that begins."""
    journal.poll()
    open_now = [one.at.seq for loop in journal.history.loops.values() for one in loop.under_way()]
    return min(open_now, default=journal.history.cursor + 1)


def _again(journal: LiveHistory, loop: str, one: Operation) -> Operation | None:
    """As it stands now."""
    return next((other for other in journal.history.loops[loop].operations() if other.at == one.at), None)


def _whose(journal: LiveHistory, loop: str) -> str:
    task = journal.history.loops[loop].state.identity.task.id
    return f"{task}: " if len(journal.history.loops) > 1 else ""


def follow_one(repo: Repo, loop: str, one: Operation, raw: bool, journal: LiveHistory) -> None:
    output = output_of(one, repo.state_dir)
    files = [
        _Growing(output, None if raw else manner(one, live=True)),
        _Growing(output + ".err", None if raw else Printed(), errors=True),
    ]
    try:
        while True:
            # In this order: what is written after the end of a run was asked for is still seen.
            dead = holder(repo.state_dir) is None
            over = one.at not in [other.at for other in _under_way(journal, loop)]
            for file in files:
                file.show(last=over or dead)
            if over:
                return
            if dead:
                note(f"the run died while {name_of(one)} was under way; continue with `ralph resume`")
                return
            time.sleep(_PAUSE)
    finally:
        sys.stdout.flush()


def _under_way(journal: LiveHistory, loop: str) -> Sequence[Operation]:
    journal.poll()
    return journal.history.loops[loop].under_way()


class _Growing:
    """A file that is being written; it may not be there yet. `show`: how its lines are shown; None: as bytes."""

    def __init__(self, path: str, show: Printed | None, *, errors: bool = False) -> None:
        self._path = path
        self._errors = errors
        self._show = show
        self._splitter = Splitter(show) if show else None
        self._file: BinaryIO | None = None

    def show(self, *, last: bool) -> None:
        self._file = self._file or opened(self._path)
        while self._file and (part := self._file.read(CHUNK)):
            if self._splitter:
                self._say(self._splitter.feed(part))
            else:
                stream = sys.stderr.buffer if self._errors else sys.stdout.buffer
                stream.write(part)
                stream.flush()
        if self._show:
            self._show.caught_up()
        if last and self._splitter:
            self._say(self._splitter.rest())

    def _say(self, lines: list[str]) -> None:
        say(f"stderr| {line}" if self._errors else line for line in lines)
        sys.stdout.flush()


@click.command()
@click.argument("iteration", required=False, type=click.IntRange(min=0))
@click.option("--prompt", is_flag=True, help="The prompt it got (with --gate: the reviewer's).")
@click.option("--gate", metavar="NAME", help="What this gate or reviewer printed about it.")
@click.option("--diff", is_flag=True, help="What it changed.")
@click.option("--scratchpad", is_flag=True, help="What it left in the scratchpad.")
@click.option(
    "-f",
    "--follow",
    "following",
    is_flag=True,
    help="Show what is under way as it comes, to the end of the run; with ITERATION only that.",
)
@click.option("--serial", type=click.IntRange(min=1), help="This agent process, of several with one number.")
@click.option("--loop", metavar="LOOP", default="", help="An earlier loop: its id, or how it begins.")
@click.option("--task", metavar="ID", default="", help="The newest loop of this task.")
@click.option("--at-end", is_flag=True, help="Reviewers of the last run as a whole; with --gate one of them.")
@click.option(
    "--raw", is_flag=True, help="Print the bytes unchanged, including JSON and terminal control characters."
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Print what is known of them as JSON, with the paths of the files.",
)
@at_server
def logs(
    iteration: int | None,
    prompt: bool,
    gate: str | None,
    diff: bool,
    scratchpad: bool,
    following: bool,
    serial: int | None,
    loop: str,
    task: str,
    at_end: bool,
    raw: bool,
    as_json: bool,
    server: str,
) -> None:
    """What agents and gates were given and printed. Without ITERATION: a list of iterations.

    An interrupted iteration gives its number back, so one number can have several agent processes: the last is shown,
    the others are named. Number 0 is the starting tree, on which only gates run. What an agent printed is shown as a
    conversation, as by `ralph run -v`: its words, each call of a tool with how it ended, errors and retries; long results
    are folded. Control characters are made harmless, and standard error comes last. With --raw every byte is as it was
    printed, and standard error goes to standard error.

    \b
    Examples:
      ralph logs
      ralph logs 3
      ralph logs 3 --gate tests
      ralph logs 3 --prompt
      ralph logs --follow
      ralph logs --task A.1
      ralph logs --at-end --gate spec
      ralph logs 3 --task 3f2a --server http://127.0.0.1:3013
    """
    if loop and task:
        raise RalphError("--loop and --task cannot be combined", todo="Give one of them.")
    _refuse_together(prompt, diff, scratchpad, following, as_json)
    if server:
        from ralph.cli.fleet.task_journal import journal_at, require_begun

        if not following:
            require_begun(server, task)
        repo, task = journal_at(server, task, texts=True, following=following)
    else:
        repo = here()
    if at_end:
        if iteration is not None or serial is not None or loop or task or diff or scratchpad or following:
            todo = "--gate, --prompt, --raw and --json do."
            raise RalphError("--at-end is about a run, and goes with nothing about a loop", todo=todo)
        _of_the_run(repo, gate, prompt, raw, as_json)
        return
    id = newest_loop(repo, loop, task)
    if id is None:
        raise RalphError("there is no loop here yet", todo='Start with `ralph run -p "..."`.')
    if following:
        _follow(repo, id, iteration, gate, serial, raw, whole=not loop and not task)
        return
    found = load(repo, [id])[id]
    everything = found.operations()
    view = prompt or diff or scratchpad
    if iteration is None and gate is None and serial is None and not view:
        _list(repo, found, as_json)
        return
    meant = _choose(everything, iteration, gate, serial)
    if as_json:
        _print_json(repo, meant)
        return
    one = meant[-1]
    if prompt:
        _show_file(one, blob(repo.state_dir, one.started.prompt), "prompt", raw)
    elif scratchpad:
        left = one.ended.scratchpad if isinstance(one, Iteration) and one.ended else ""
        _show_file(one, blob(repo.state_dir, left), "scratchpad", raw)
    elif diff and server:
        from ralph.cli.fleet.task_journal import change_elsewhere

        raise change_elsewhere(server, task)
    elif diff:
        _show_diff(repo, one, raw)
    else:
        _show(repo, meant, raw)


def _follow(
    repo: Repo,
    id: str,
    iteration: int | None,
    gate: str | None,
    serial: int | None,
    raw: bool,
    *,
    whole: bool,
) -> None:
    """One operation, or all of the run from now on; `whole`: of every loop that the run works on."""
    known = survey(history(repo.state_dir))
    working = str((holder(repo.state_dir) or {}).get("run", ""))
    of_run = known.worked.get(working, {})
    follows = {id, *of_run} if whole and iteration is None and serial is None else {id}

    def wanted(started: f.LoopStarted) -> bool:
        return started.loop in follows or (whole and started.loop not in known.starts)

    try:
        with closing(LiveHistory(repo.state_dir, wanted)) as journal:
            if iteration is None and serial is None:
                follow_run(repo, gate, raw, journal)
                return
            journal.poll()
            chosen = _choose(journal.history.loops[id].operations(), iteration, gate, serial)[-1]
            follow_one(repo, id, chosen, raw, journal)
    except KeyboardInterrupt:
        pass


def _of_the_run(repo: Repo, gate: str | None, prompt: bool, raw: bool, as_json: bool) -> None:
    chosen = _run_reviews(repo, gate)
    if as_json:
        _print_json(repo, chosen)
    elif gate is None and not prompt:
        click.echo(f"run {chosen[-1].at.run}: reviewers of the whole run")
        _table(repo, chosen)
    elif prompt:
        _show_file(chosen[-1], blob(repo.state_dir, chosen[-1].started.prompt), "prompt", raw)
    else:
        _show(repo, chosen[-1:], raw)


def _run_reviews(repo: Repo, gate: str | None) -> list[RunReview]:
    """Of the last run here that asked any, in the order of asking; all, or those of one reviewer."""
    found = survey(history(repo.state_dir)).runs.reviews(repo.root)
    if not found:
        raise RalphError(
            "no reviewer has looked at a whole run here",
            todo="`at_end:` in ralph.yml names reviewers of a backlog's run: `ralph help backlog`.",
        )
    chosen = [one for one in found if gate in (None, one.gate)]
    if not chosen:
        names = ", ".join(dict.fromkeys(one.gate for one in found))
        raise RalphError(f"no reviewer {gate!r} was asked at the end of the run", todo=f"Asked: {names}.")
    return chosen


def _refuse_together(prompt: bool, diff: bool, scratchpad: bool, following: bool, as_json: bool) -> None:
    flags = {"--prompt": prompt, "--diff": diff, "--scratchpad": scratchpad, "--follow": following}
    said = [flag for flag, given in flags.items() if given] + (["--json"] if as_json else [])
    if len(said) > 1:
        raise RalphError(f"{' and '.join(said)} cannot be combined", todo="Give one of them at a time.")


# -- choosing ------------------------------------------------------------------------------------------


def _choose(
    everything: Sequence[Operation], iteration: int | None, gate: str | None, serial: int | None
) -> list[Operation]:
    """The operations that are meant; the last of them is the one to show."""
    of = [x for x in everything if (serial is None or x.serial == serial)]
    of = [x for x in of if iteration is None or x.n == iteration]
    if not of:
        raise _no_such(everything, iteration, serial)
    if gate is None:
        agents = [x for x in of if isinstance(x, Iteration)]
        if not agents:
            raise RalphError(
                "no agent ran on the starting tree", todo="`ralph logs 0 --gate NAME` shows what a gate said."
            )
        _name_others(agents)
        return list(agents[-1:])
    runs = [x for x in of if x.gate == gate]
    if not runs:
        raise _no_such_gate(everything, of, gate)
    return [x for x in runs if (x.n, x.serial) == (runs[-1].n, runs[-1].serial)]


def _name_others(agents: list[Iteration]) -> None:
    """They have the same number: earlier ones were interrupted."""
    one = agents[-1]
    others = [f"{x.serial} ({how_it_ended(x)})" for x in agents[:-1] if x.n == one.n]
    if others:
        note(
            f"iteration {one.n} is shown as serial {one.serial}; "
            f"--serial selects another: {few(others[::-1])}"
        )


def _no_such(everything: Sequence[Operation], iteration: int | None, serial: int | None) -> RalphError:
    which = f"serial {serial}" if serial is not None else f"iteration {iteration}"
    if serial is not None and iteration is not None:
        which = f"iteration {iteration} with serial {serial}"
    last = max((x.n for x in everything), default=0)
    todo = (
        f"`ralph logs` lists what there is, up to iteration {last}; `ralph logs --loop ID` an earlier loop."
    )
    return RalphError(f"there is no {which} in this loop", todo=todo)


def _no_such_gate(everything: Sequence[Operation], of: Sequence[Operation], gate: str) -> RalphError:
    names = list(dict.fromkeys(x.gate for x in everything if x.gate))
    if gate not in names:
        return RalphError(
            f"no gate {gate!r} has run in this loop", todo=f"Gates: {', '.join(names) or 'none'}."
        )
    here_ran = list(dict.fromkeys(x.gate for x in of if x.gate))
    ran = f"these did: {', '.join(here_ran)}" if here_ran else "no gate did"
    numbers = few([str(n) for n in dict.fromkeys(x.n for x in everything if x.gate == gate)])
    return RalphError(f"gate {gate} did not run there; {ran}", todo=f"It ran for iteration {numbers}.")


# -- the list ------------------------------------------------------------------------------------------


def _list(repo: Repo, loop: Loop, as_json: bool) -> None:
    everything, task = loop.operations(), loop.state.identity.task
    if as_json:
        _print_json(repo, everything)
        return
    click.echo(one_line(f"loop {loop.id}: {task.id}: {task.title}"))
    if not everything:
        click.echo("Nothing has run in it yet.")
        return
    _table(repo, everything)


def _table(repo: Repo, everything: Sequence[Operation]) -> None:
    rows = [_row(x, repo.state_dir) for x in everything]
    widths = [max(len(row[column]) for row in [_HEAD, *rows]) for column in range(len(_HEAD))]
    wide = sum(widths) + 2 * len(widths)
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    # On a narrow terminal the paths, which are long, are left out rather than broken.
    columns = len(_HEAD) - 1 if 0 < room < wide else len(_HEAD)
    for row in [_HEAD, *rows]:
        cells = [
            cell.rjust(width) if column in _TO_THE_RIGHT else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row[:columns], widths, strict=False))
        ]
        line = one_line("  ".join(cells).rstrip())
        click.echo(line[: room - 1] + "…" if room and len(line) > room else line)
    if columns < len(_HEAD):
        click.echo("`ralph logs N` shows one; `ralph logs --json` has the paths.")


_HEAD = ("n", "serial", "what", "when", "took", "ended", "signal", "size", "output")
_TO_THE_RIGHT = (0, 1, 4, 7)
_VARIANTS = {"original": " (originals)", "new-tests": " (new tests)"}


def _row(x: Operation, state_dir: Path) -> tuple[str, ...]:
    agent = isinstance(x, Iteration)
    variant = _VARIANTS.get(x.started.variant, "") if isinstance(x, GateRun) else ""
    model = x.result.usage.model if isinstance(x, Iteration) else ""
    what = f"agent {model}".rstrip() if agent else f"gate {x.gate}" + variant
    kept = size_of(x, state_dir)
    return (
        str(x.n),
        str(x.serial) if agent else "",
        cut(what, 30),
        clock(x.at.time),
        duration(x.ended.seconds) if x.ended else "",
        cut(how_it_ended(x), 30),
        x.signal if isinstance(x, Iteration) else "",
        "gone" if kept is None else size(kept),
        _near(output_of(x, state_dir)),
    )


def _near(path: str) -> str:
    """As seen from here, where that is shorter."""
    return min(os.path.relpath(path), path, key=len)


def _print_json(repo: Repo, chosen: Sequence[Operation]) -> None:
    import msgspec

    texts = JournalTexts(repo.state_dir)
    click.echo(msgspec.json.encode([as_json(one, repo.state_dir, texts) for one in chosen]).decode())


# -- one of them ---------------------------------------------------------------------------------------


def _show(repo: Repo, chosen: Sequence[Operation], raw: bool) -> None:
    """An agent's transcript; or what a gate said, each time it was asked about the same iteration."""
    if raw:
        _send(chosen[-1], output_of(chosen[-1], repo.state_dir))
        return
    if not chosen[-1].ended:
        note(f"{name_of(chosen[-1])} is under way; --follow shows the rest as it comes")
    for one in chosen:
        if len(chosen) > 1:
            click.echo(one_line(f"== {name_of(one)}: {how_it_ended(one)}"))
        output = output_of(one, repo.state_dir)
        out, err = opened(output), opened(output + ".err")
        if out is None and err is None:
            raise _gone(one, output)
        if out:
            say(lines(parts(out), manner(one)))
        first = True
        for line in lines(parts(err)) if err else ():
            if first:
                click.echo("== standard error")
                first = False
            say([line])


def _send(one: Operation, output: str) -> None:
    out, err = opened(output), opened(output + ".err")
    if out is None and err is None:
        raise _gone(one, output)
    for file, stream in ((out, sys.stdout.buffer), (err, sys.stderr.buffer)):
        for part in parts(file) if file else ():
            stream.write(part)
        stream.flush()


def _show_file(one: Operation, path: str, what: str, raw: bool) -> None:
    if not path:
        if not one.ended and what == "scratchpad":
            raise RalphError(f"{name_of(one)} is under way", todo="Its scratchpad is kept when it ends.")
        raise RalphError(f"{name_of(one)} has no {what}", todo=f"{_WHY[what]} `ralph logs` lists what ran.")
    file = opened(path)
    if file is None:
        raise RalphError(f"the {what} of {name_of(one)} no longer exists", where=path, todo=_KEPT)
    put(parts(file), raw)


_WHY = {"prompt": "Only agents and reviewers get one.", "scratchpad": "Its agent left none."}


def _show_diff(repo: Repo, one: Operation, raw: bool) -> None:
    from ralph.git.program import GitFailed
    from ralph.git.trees import patch

    if not isinstance(one, Iteration):
        raise RalphError("--diff is about an iteration, not about a gate", todo="Leave out --gate.")
    if not one.ended or not one.ended.tree:
        todo = "What it changed is recorded when it ends; until then look with `git diff`."
        raise RalphError(f"{name_of(one)} is under way", todo=todo)
    if one.started.tree == one.ended.tree:
        note(f"{name_of(one)} changed nothing")
        return
    try:
        put(patch(repo, one.started.tree, one.ended.tree), raw)
    except GitFailed as failed:
        what = f"what {name_of(one)} changed is not in the repository any more: {failed.what}"
        raise RalphError(what, todo="`ralph recover` lists what is kept.", code=70) from None


_KEPT = "Someone removed it; the journal keeps what matters of it: `ralph events`."


def _gone(one: Operation, output: str) -> RalphError:
    if not one.ended:
        return RalphError(
            f"{name_of(one)} has printed nothing yet", todo="`ralph logs --follow` waits for it."
        )
    if how_it_ended(one).startswith("unusable"):
        return RalphError(
            f"{name_of(one)} was never started: {how_it_ended(one)}", todo="`ralph doctor` checks the agent."
        )
    return RalphError(f"the output of {name_of(one)} no longer exists", where=output, todo=_KEPT)
