"""`ralph stop` and `ralph cancel`: ask the run that works here to end."""

from __future__ import annotations

import click

from ralph.cli.place import BY_INIT, here
from ralph.driver.control import tell
from ralph.errors import RalphError
from ralph.journal.lock import holder


@click.command()
@click.option("--now", is_flag=True, help="Do not wait for the iteration to end.")
def stop(now: bool) -> None:
    """End the run after its iteration; `ralph resume` goes on later.

    \b
    Example:
      ralph stop
    """
    pid = _ask("now" if now else "graceful", "ralph stop")
    click.echo(f"The run (pid {pid}) stops {'now' if now else 'after its iteration'}.")


@click.command()
def cancel() -> None:
    """End the run at once. The loop is over and cannot be resumed; its edits stay.

    \b
    Example:
      ralph cancel
    """
    pid = _ask("cancel", "ralph cancel")
    click.echo(f"The run (pid {pid}) is being cancelled.")


def _ask(how: str, by: str) -> int:
    state_dir = here().state_dir
    live = holder(state_dir)
    if live is None:
        raise RalphError("nothing runs here", todo="`ralph status` shows what was.")
    if live.get("run") == BY_INIT:
        raise RalphError("`ralph init` tries the gates here", todo="It ends by itself; Ctrl-C ends it now.")
    pid = live["pid"]
    assert isinstance(pid, int)
    tell(state_dir, {"kind": "stop", "how": how, "by": by, "run": live.get("run", "")}, pid)
    return pid
