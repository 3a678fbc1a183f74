"""`ralph say`, `ralph pause`, `ralph continue`, `ralph answer`: a person's hand in a loop while it runs."""

from __future__ import annotations

import difflib
import time

import click

from ralph.cli import whom
from ralph.cli.place import here
from ralph.core.next_steps import shlex_quoted
from ralph.core.state import LoopState
from ralph.core.text import few
from ralph.driver.wishes import MOST_CHARS
from ralph.errors import RalphError
from ralph.journal.lock import holder
from ralph.ui.terminal import one_line
from ralph.workspace import Repo

_BUSY = "Not heard yet: the run is busy. It is kept in the inbox and will be read."
_NO_WAIT = click.option("--no-wait", is_flag=True, help="Do not wait until the run has heard it.")
_TASK = click.option("--task", default="", help="Of a backlog, only the loop of this task.")


@click.command()
@click.argument("text")
@click.option("--hat", default="", help="Only for the next iteration that wears this hat or role.")
@_TASK
@_NO_WAIT
def say(text: str, hat: str, task: str, no_wait: bool) -> None:
    """Tell the next iteration something.

    It stands in its prompt under a heading of its own. A loop does not complete before it was read. When nothing runs,
    it is kept for the loop that can go on.

    \b
    Examples:
      ralph say "The staging database is back"
      ralph say "Keep the old names" --hat builder
      ralph say "Use the fixtures of A.1" --task A.2
    """
    whom.only_people()
    _check(text)
    repo = here()
    live = whom.with_loops(repo)
    loops = whom.at_work(live, task) if live else whom.could_go_on(repo, task)
    if not loops:
        raise RalphError(
            f"no loop {f'of {task!r} ' if task else ''}runs here, and none can go on",
            todo="Write it into the task.",
        )
    for s in loops:
        _check_hat(s, hat)
    since = whom.newest_seq(repo)
    message: dict[str, object] = {"kind": "say", "text": text, "hat": hat}
    names = [whom.put(repo, {**message, "loop": s.loop}, live.pid if live else None) for s in loops]
    if live is None:
        wearing = f" that wears {one_line(hat)}" if hat else ""
        click.echo(
            f"Nothing runs here. It is kept: the first iteration{wearing} after {_goes_on(loops)} will read it."
        )
    elif no_wait:
        click.echo("Said.")
    elif whom.heard(repo, names, since):
        as_hat = f" as {one_line(hat)}" if hat else ""
        of = f" of {few([one_line(s.task.id) for s in loops])}" if len(loops) > 1 else ""
        click.echo(f"Heard; the next iteration{as_hat}{of} will read it.")
    else:
        click.echo(_BUSY)


@click.command()
@_TASK
@click.option("--now", is_flag=True, help="Cut the iteration off; its edits stay, and it does not count.")
@_NO_WAIT
def pause(task: str, now: bool, no_wait: bool) -> None:
    """Let the run wait after what is under way, until `ralph continue`.

    The time does not count. `ralph stop`, `ralph cancel` and Ctrl-C work as always; a resumed loop goes on.

    \b
    Examples:
      ralph pause
      ralph pause --now
    """
    if _steer({"kind": "pause", "now": now}, task, no_wait):
        when = "at once" if now else "after what is under way"
        click.echo(f"{one_line(task) or 'The run'} pauses {when}; `ralph continue{_named(task)}` goes on.")


@click.command("continue")
@_TASK
@_NO_WAIT
def continue_(task: str, no_wait: bool) -> None:
    """Let a paused run go on.

    \b
    Example:
      ralph continue
    """
    live = whom.live_run(here())
    paused = live is not None and (live.paused or any(s.steer.pause for s in live.at_work))
    if live is not None and not paused:
        raise RalphError("nothing is paused here", todo="`ralph status` shows what it does.")
    if _steer({"kind": "continue"}, task, no_wait):
        click.echo(f"{one_line(task) or 'The run'} goes on.")


globals()["continue"] = continue_  # commands are found by their names, and this one is a word of the language


@click.command()
@click.argument("text")
@_TASK
@_NO_WAIT
def answer(text: str, task: str, no_wait: bool) -> int:
    """Answer what a loop asks.

    A run that waits for it goes on with it. A loop that has ended with its question (or stuck) is taken up again, as by
    `ralph resume --answer`.

    \b
    Examples:
      ralph answer "Use PostgreSQL"
      ralph answer "Yes" --task A.2
    """
    whom.only_people()
    _check(text)
    repo = here()
    live = whom.with_loops(repo)
    if live is not None and not live.backlog and not live.at_work:
        _let_end(repo)
        live = None
    if live is None:
        from ralph.cli.run import _resume
        from ralph.cli.stock import latest

        last = latest(repo)
        in_place = last is not None and last.task.id == task
        see = {"verbose": False, "no_tui": False, "as_json": False}
        return _resume(see, text, {}, task="" if in_place else task)
    s = _who_asks(list(live.loops), task)
    since = whom.newest_seq(repo)
    name = whom.put(repo, {"kind": "answer", "text": text, "loop": s.loop}, live.pid)
    if no_wait:
        click.echo("Said.")
    elif whom.heard(repo, [name], since):
        click.echo(f"Heard; {one_line(s.task.id)} goes on with your answer.")
    else:
        click.echo(_BUSY)
    return 0


def _who_asks(loops: list[LoopState], task: str) -> LoopState:
    asking = [s for s in loops if s.question is not None]
    found = [s for s in asking if task in ("", s.task.id)]
    if len(found) == 1:
        return found[0]
    if found:
        named = few([f"{s.task.id} ({one_line(s.question or '')})" for s in found])
        first = shlex_quoted(found[0].task.id)
        raise RalphError(
            f"{len(found)} tasks ask something: {named}",
            todo=f'Name one: `ralph answer --task {first} "..."`.',
        )
    others = f" Asking: {few([s.task.id for s in asking])}." if asking else ""
    raise RalphError(
        f"no question {f'of {task!r} ' if task else ''}waits for an answer here",
        todo=f'To tell the next iteration something: `ralph say "..."`.{others}',
    )


def _steer(message: dict[str, object], task: str, no_wait: bool) -> bool:
    """False: the run has not heard it yet, and that was said."""
    whom.only_people()
    repo = here()
    live = whom.with_loops(repo) if task else whom.live_run(repo)
    if live is None:
        raise RalphError("nothing runs here", todo="`ralph resume` goes on with what can go on.")
    message = {**message, "run": live.run}
    if task:
        (s,) = whom.at_work(live, task)
        message |= {"task": task, "loop": s.loop}
    since = whom.newest_seq(repo)
    name = whom.put(repo, message, live.pid)
    if no_wait or whom.heard(repo, [name], since):
        return True
    click.echo(_BUSY)
    return False


def _let_end(repo: Repo) -> None:
    """Its loop is over and it only tells others of that: wait for it, then go on with the loop."""
    deadline = time.monotonic() + whom.PATIENCE
    while holder(repo.state_dir) is not None:
        if time.monotonic() >= deadline:
            raise RalphError("the run is about to end", todo="Answer again when `ralph status` says so.")
        time.sleep(0.05)


def _check(text: str) -> None:
    if not text.strip():
        raise RalphError("there is nothing to say", todo='Give a text: `ralph say "..."`.')
    if len(text) > MOST_CHARS:
        raise RalphError(
            f"the text has {len(text)} characters; at most {MOST_CHARS} are taken",
            todo="Put it into a file of the workspace and name that.",
        )


def _check_hat(s: LoopState, hat: str) -> None:
    team = s.policy.team
    known = [*dict.fromkeys(one.id for one in team.hats)] if team else []
    if not hat or hat in known:
        return
    near = difflib.get_close_matches(hat, known, 1)
    hint = f"The nearest is {near[0]}." if near else f"It has {few(known)}." if known else "Leave out --hat."
    raise RalphError(f"{s.task.id} has no hat {hat!r}", todo=hint)


def _named(task: str) -> str:
    return f" --task {shlex_quoted(task)}" if task else ""


def _goes_on(loops: list[LoopState]) -> str:
    return "`ralph run`" if any(s.home and s.ended is None for s in loops) else _resumes(loops)


def _resumes(loops: list[LoopState]) -> str:
    return f"`ralph resume{_named(loops[0].task.id if loops[0].home else '')}`"
