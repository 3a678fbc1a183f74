"""Whom a person's words are for: the loops that the live run works on, or those that could go on. And whether the run
has heard them. Reads the journal, writes only to the inbox."""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any

import click
import msgspec

from ralph.cli.context import BY_INIT, here, refuse_inside, resumable
from ralph.cli.fleet.options import at_server, refuse_at_server, refuse_without_server, task_there
from ralph.cli.run import limit_options
from ralph.core import facts as f
from ralph.core.exits import resume_of, shlex_quoted
from ralph.core.loop.state import LoopState
from ralph.errors import RalphError
from ralph.git.repo import Repo
from ralph.history.saved import CurrentHistory
from ralph.journal.lock import holder
from ralph.journal.read import NAME, follow, scan
from ralph.runner.backlog_tasks import waiting
from ralph.runner.requests import MOST_CHARS, tell
from ralph.terminal.words import one_line
from ralph.text import few

PATIENCE = 5.0  # seconds in which a run that is not busy has heard it
_BETWEEN = 0.05


class LiveRun(msgspec.Struct, frozen=True):
    """The run at work here, with its loops; ended ones too."""

    run: str
    pid: int
    backlog: bool
    loops: tuple[LoopState, ...]
    paused: bool  # as a whole

    @property
    def at_work(self) -> list[LoopState]:
        return [s for s in self.loops if s.judgement.ended is None]


def _holder(repo: Repo) -> tuple[str, int] | None:
    """The run at work here and its process; None: nothing runs. RalphError: it works in another checkout."""
    held = holder(repo.state_dir)
    if held is None:
        return None
    if held.get("run") == BY_INIT:
        raise RalphError(
            "`ralph init` tries the gates here", todo="It ends by itself, or by Ctrl-C; then `ralph run`."
        )
    pid = held["pid"]
    assert isinstance(pid, int)
    root = str(held.get("root", ""))
    if root not in ("", str(repo.root)):
        task = f", on {one_line(str(held['task']))}" if held.get("task") else ""
        raise RalphError(
            f"nothing runs in this checkout; the run of this repository (pid {pid}) works in {root}{task}",
            todo=f"Run the command there: `cd {shlex_quoted(str(held.get('folder') or root))}`.",
        )
    return str(held.get("run", "")), pid


def live_run(repo: Repo) -> LiveRun | None:
    """None: nothing runs here."""
    if (held := _holder(repo)) is None:
        return None
    run, pid = held
    journal = CurrentHistory(repo.state_dir)
    begun = journal.survey.runs.named(run)
    backlog, paused = (bool(begun.started.backlog), begun.state.paused) if begun else (False, False)
    loops = journal.loops(list(journal.survey.worked.get(run, ()))).values()
    return LiveRun(run, pid, backlog, tuple(loop.state for loop in loops), paused)


def with_loops(repo: Repo) -> LiveRun | None:
    """As `live_run`; of a run that is only beginning, its first loop is waited for."""
    deadline = time.monotonic() + PATIENCE
    while (live := live_run(repo)) and not live.loops and time.monotonic() < deadline:
        time.sleep(_BETWEEN)
    return live


def at_work(live: LiveRun, task: str) -> list[LoopState]:
    """The loops that are meant: that of the task, or all."""
    found = [s for s in live.at_work if task in ("", s.identity.task.id)]
    if found:
        return found
    if not task:
        raise RalphError(
            "the run works on nothing at this moment",
            todo="Write it into the task: `ralph task edit`. `ralph status` shows what it waits for.",
        )
    named = shlex_quoted(task)
    if any(s.identity.task.id == task and s.people.question is not None for s in live.loops):
        raise RalphError(f"{task} waits for an answer", todo=f'Give it: `ralph answer --task {named} "..."`.')
    under_way = few([s.identity.task.id for s in live.at_work]) or "none"
    raise RalphError(
        f"{task!r} is not worked on at this moment",
        todo=f"Under way: {under_way}. For a task that has not begun, edit it: `ralph task edit {named}`.",
    )


def could_go_on(repo: Repo, task: str) -> list[LoopState]:
    """Nothing runs: the loops that a later run can take up again."""
    journal = CurrentHistory(repo.state_dir)
    newest = resumable(repo)
    found = [newest] if newest else []
    loops = journal.loops(journal.survey.of_backlog(repo.root)).values()
    found += [loop.state for loop in waiting(loops, repo).values()]
    return [s for s in found if task in ("", s.identity.task.id)]


def put(repo: Repo, message: Mapping[str, object], pid: int | None) -> str:
    """The name by which its fact is found."""
    name = os.urandom(8).hex()
    tell(repo.state_dir, {**message, "by": _who()}, pid, name)
    return name


def heard(repo: Repo, names: list[str], since: int) -> bool:
    """Whether the run has recorded all of them, in a few seconds. What it refuses is an error."""
    left = set(names)

    def all_heard() -> bool:
        for record in follower.poll():
            if record.kind not in ("said", "answered", "paused", "continued", "inbox.refused"):
                continue
            fact = f.decode(record.data)
            name = getattr(fact, "name", "")
            if name in left and isinstance(fact, f.InboxRefused):
                raise RalphError(f"refused: {fact.why}", todo="`ralph status` shows how it stands.")
            left.discard(name)
        return not left

    with closing(follow(repo.state_dir / NAME, since + 1)) as follower:
        return _comes_true(all_heard)


def _comes_true(it: Callable[[], bool]) -> bool:
    """In a few seconds."""
    deadline = time.monotonic() + PATIENCE
    while not (true := it()) and time.monotonic() < deadline:
        time.sleep(_BETWEEN)
    return true


def _who() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "someone"


_BUSY = "Not heard yet: the run is busy. It is kept in the inbox and will be read."
_NO_WAIT = click.option("--no-wait", is_flag=True, help="Do not wait until the run has recorded it.")
_TASK = click.option("--task", default="", help="In a backlog, only the loop of this task.")


@click.command()
@click.argument("text")
@click.option("--hat", default="", help="Only for the next iteration that wears this hat or role.")
@_TASK
@_NO_WAIT
@at_server
def say(text: str, hat: str, task: str, no_wait: bool, server: str) -> None:
    """Send a message to the next iteration.

    Its prompt shows the message under its own heading. A loop does not complete before the message was read. When
    nothing runs, it is kept for the loop that can be resumed.

    \b
    Examples:
      ralph say "The staging database is back"
      ralph say "Keep the old names" --hat builder
      ralph say "Use the fixtures of A.1" --task A.2
      ralph say "The staging database is back" --task 3f2a --server http://127.0.0.1:3013
    """
    _check(text)
    if server:
        refuse_at_server(hat=hat, no_wait=no_wait)
        _at_server(server, task, "say", text)
        return
    repo = here()
    refuse_inside(repo)
    live = with_loops(repo)
    loops = at_work(live, task) if live else could_go_on(repo, task)
    if not loops:
        raise RalphError(
            f"no loop {f'of {task!r} ' if task else ''}runs here, and none can continue",
            todo="Write it into the task.",
        )
    for s in loops:
        _check_hat(s, hat)
    messages = [{"kind": "say", "text": text, "hat": hat, "loop": s.identity.loop} for s in loops]
    if live is None:
        for message in messages:
            put(repo, message, None)
        wearing = f" that wears {one_line(hat)}" if hat else ""
        click.echo(
            f"Nothing runs here. It is kept: the first iteration{wearing} after {_goes_on(loops)} will read it."
        )
        return
    as_hat = f" as {one_line(hat)}" if hat else ""
    of = f" of {few([one_line(s.identity.task.id) for s in loops])}" if len(loops) > 1 else ""
    _tell(repo, live, messages, no_wait, f"Heard; the next iteration{as_hat}{of} will read it.", "Said.")


@click.command()
@_TASK
@click.option("--now", is_flag=True, help="Cut the iteration off; its edits stay, and it does not count.")
@_NO_WAIT
@at_server
def pause(task: str, now: bool, no_wait: bool, server: str) -> None:
    """Let the run wait after what is under way, until `ralph continue`.

    The time does not count. `ralph stop`, `ralph cancel` and Ctrl-C work as always; a resumed loop is not paused.

    \b
    Examples:
      ralph pause
      ralph pause --now
      ralph pause --task 3f2a --server http://127.0.0.1:3013
    """
    if server:
        refuse_at_server(now=now, no_wait=no_wait)
        _at_server(server, task, "pause")
        return
    when = "at once" if now else "after what is under way"
    named = f" --task {shlex_quoted(task)}" if task else ""
    _steer(
        {"kind": "pause", "now": now}, task, no_wait, f"pauses {when}; `ralph continue{named}` continues it."
    )


@click.command("continue")
@_TASK
@_NO_WAIT
@at_server
def continue_(task: str, no_wait: bool, server: str) -> None:
    """Let a paused run continue, or end the wait for a rate limit, a quota or after a crash now.

    \b
    Examples:
      ralph continue
      ralph continue --task A.2
      ralph continue --task 3f2a --server http://127.0.0.1:3013
    """
    if server:
        refuse_at_server(no_wait=no_wait)
        _at_server(server, task, "continue")
        return
    _go_on(task, no_wait)


globals()["continue"] = continue_  # commands are found by their names, and one is a word of the language


@click.command()
@_TASK
@_NO_WAIT
@at_server
@click.option("--fresh", is_flag=True, help="With --server: a new loop, from the start.")
@limit_options
def retry(task: str, no_wait: bool, server: str, fresh: bool, **given: Any) -> None:
    """End a wait now, as `ralph continue` does. With --server: try a task again that failed or is blocked, perhaps under
    higher limits.

    \b
    Examples:
      ralph retry --task A.2
      ralph retry --task 3f2a --max-iterations 80 --server http://127.0.0.1:3013
    """
    limits = {name: value for name, value in given.items() if value is not None}
    if not server:
        refuse_without_server(fresh=fresh, **limits)
        _go_on(task, no_wait)
        return
    refuse_at_server(no_wait=no_wait)
    from ralph.cli.fleet import people

    again = people.retry(server, task, fresh=fresh, limits=limits)
    click.echo(f"{again['id']} is {again['status']}: the next worker takes it up again.")


def _go_on(task: str, no_wait: bool) -> None:
    live = live_run(here())
    if live is None:
        raise RalphError("nothing runs here", todo="`ralph resume` continues what can be continued.")
    paused = live.paused or any(s.people.pause for s in live.at_work)
    if not paused and not any(s.agents.wait_due for s in live.at_work if task in ("", s.identity.task.id)):
        raise RalphError(
            "nothing is paused here, and no agent is waited for", todo="`ralph status` shows what it does."
        )
    _steer({"kind": "continue"}, task, no_wait, "continues." if paused else "tries again now.")


@click.command()
@click.argument("text")
@_TASK
@_NO_WAIT
@at_server
def answer(text: str, task: str, no_wait: bool, server: str) -> int:
    """Answer a loop's question.

    A run that waits for the answer continues with it. A loop that has ended with its question (or stuck) is taken up again, as by
    `ralph resume --answer`.

    \b
    Examples:
      ralph answer "Use PostgreSQL"
      ralph answer "Yes" --task A.2
      ralph answer "Yes" --task 3f2a --server http://127.0.0.1:3013
    """
    _check(text)
    if server:
        refuse_at_server(no_wait=no_wait)
        _at_server(server, task, "answer", text)
        return 0
    repo = here()
    refuse_inside(repo)
    live = with_loops(repo)
    if live is not None and not live.backlog and not live.at_work:
        _let_end(repo)
        live = None
    if live is None:
        from ralph.cli.context import latest
        from ralph.cli.run.resume import go_on

        last = latest(repo)
        in_place = last is not None and last.identity.task.id == task
        see = {"verbose": False, "no_tui": False, "as_json": False}
        return go_on(see, text, {}, task="" if in_place else task)
    s = _who_asks(list(live.loops), task)
    message = {"kind": "answer", "text": text, "loop": s.identity.loop}
    _tell(
        repo,
        live,
        [message],
        no_wait,
        f"Heard; {one_line(s.identity.task.id)} continues with your answer.",
        "Said.",
    )
    return 0


def _who_asks(loops: list[LoopState], task: str) -> LoopState:
    asking = [s for s in loops if s.people.question is not None]
    found = [s for s in asking if task in ("", s.identity.task.id)]
    if len(found) == 1:
        return found[0]
    if found:
        named = few([f"{s.identity.task.id} ({one_line(s.people.question or '')})" for s in found])
        first = shlex_quoted(found[0].identity.task.id)
        raise RalphError(
            f"{len(found)} tasks ask something: {named}",
            todo=f'Name one: `ralph answer --task {first} "..."`.',
        )
    others = f" Asking: {few([s.identity.task.id for s in asking])}." if asking else ""
    raise RalphError(
        f"no question {f'of {task!r} ' if task else ''}waits for an answer here",
        todo=f'To send the next iteration a message: `ralph say "..."`.{others}',
    )


def _steer(message: dict[str, object], task: str, no_wait: bool, done: str) -> None:
    repo = here()
    refuse_inside(repo)
    live = with_loops(repo) if task else live_run(repo)
    if live is None:
        raise RalphError("nothing runs here", todo="`ralph resume` continues what can be continued.")
    message = {**message, "run": live.run}
    if task:
        (s,) = at_work(live, task)
        message |= {"task": task, "loop": s.identity.loop}
    told = f"{one_line(task) or 'The run'} {done}"
    _tell(repo, live, [message], no_wait, told, told)


def _tell(
    repo: Repo, live: LiveRun, messages: Sequence[Mapping[str, object]], no_wait: bool, done: str, said: str
) -> None:
    """`done` is shown when the run has heard them, `said` when that is not waited for."""
    since = scan(repo.state_dir / NAME).seq
    names = [put(repo, message, live.pid) for message in messages]
    click.echo(said if no_wait else done if heard(repo, names, since) else _BUSY)


def _let_end(repo: Repo) -> None:
    """Its loop is over and it only notifies others: wait for it, then continue with the loop."""
    if not _comes_true(lambda: holder(repo.state_dir) is None):
        raise RalphError("the run is about to end", todo="Answer again when `ralph status` says so.")


def _check(text: str) -> None:
    if not text.strip():
        raise RalphError("there is nothing to say", todo='Give a text: `ralph say "..."`.')
    if len(text) > MOST_CHARS:
        raise RalphError(
            f"the text has {len(text)} characters; at most {MOST_CHARS} are taken",
            todo="Put it into a file of the workspace and name that.",
        )


def _check_hat(s: LoopState, hat: str) -> None:
    team = s.identity.policy.team
    known = [*dict.fromkeys(one.id for one in team.hats)] if team else []
    if not hat or hat in known:
        return
    near = difflib.get_close_matches(hat, known, 1)
    hint = f"The nearest is {near[0]}." if near else f"It has {few(known)}." if known else "Leave out --hat."
    raise RalphError(f"{s.identity.task.id} has no hat {hat!r}", todo=hint)


def _goes_on(loops: list[LoopState]) -> str:
    cut_short = any(s.identity.of_backlog and s.judgement.ended is None for s in loops)
    return "`ralph run`" if cut_short else f"`{resume_of(loops[0])}`"


@click.command()
@click.option("--now", is_flag=True, help="Do not wait for the iteration to end.")
@at_server
@task_there
def stop(now: bool, server: str, task: str) -> None:
    """End the run after its iteration; `ralph resume` continues it later. A server's task then waits for your next message.

    \b
    Examples:
      ralph stop
      ralph stop --task 3f2a --server http://127.0.0.1:3013
    """
    if server:
        refuse_at_server(now=now)
        _at_server(server, task, "stop")
        return
    refuse_without_server(task=task)
    pid = _ask("now" if now else "graceful", "ralph stop")
    click.echo(f"The run (pid {pid}) stops {'now' if now else 'after its iteration'}.")


@click.command()
@at_server
@task_there
def cancel(server: str, task: str) -> None:
    """End the run at once. The loop is over and cannot be resumed; its edits stay.

    \b
    Examples:
      ralph cancel
      ralph cancel --task 3f2a --server http://127.0.0.1:3013
    """
    if server:
        from ralph.cli.fleet import people

        people.cancel(server, task)
        return
    refuse_without_server(task=task)
    pid = _ask("cancel", "ralph cancel")
    click.echo(f"The run (pid {pid}) is being cancelled.")


def _at_server(server: str, task: str, kind: str, text: str = "") -> None:
    from ralph.cli.fleet import people

    people.tell(server, task, kind, text)


def _ask(how: str, by: str) -> int:
    repo = here()
    refuse_inside(repo)
    if (held := _holder(repo)) is None:
        raise RalphError("nothing runs here", todo="`ralph status` shows what happened.")
    run, pid = held
    tell(repo.state_dir, {"kind": "stop", "how": how, "by": by, "run": run}, pid)
    return pid
