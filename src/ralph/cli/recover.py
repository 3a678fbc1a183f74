"""`ralph recover`: list what was saved before anything could change it, and put it back."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import click

from ralph.cli.place import here
from ralph.cli.stock import latest
from ralph.core.state import LoopState
from ralph.driver.place import snapshots_of
from ralph.driver.run import new_id, now
from ralph.errors import RalphError
from ralph.journal.lock import Lock
from ralph.journal.record import Damage
from ralph.workspace import Repo, Saved, drop, printable, save, saved


@click.command()
@click.argument("which", required=False)
@click.option("--drop", "dropping", is_flag=True, help="Forget this one instead of restoring it.")
@click.option("--json", "as_json", is_flag=True, help="The list as JSON.")
def recover(which: str | None, dropping: bool, as_json: bool) -> None:
    """List what was saved; with a number or ref, put the files back as they were then.

    What is there now is saved first. Your branch, index and HEAD are not touched.

    \b
    Examples:
      ralph recover
      ralph recover 1
    """
    repo = here()
    found = saved(repo)
    if which is None:
        _list(found, as_json)
        return
    one = _pick(found, which)
    if dropping:
        drop(repo, one.ref)
        click.echo(f"Forgotten: {one.ref}")
        return
    lock = Lock.acquire(repo.state_dir, new_id())
    try:
        snapshots = snapshots_of(repo, _last_loop(repo))
        before = save(
            repo,
            snapshots,
            snapshots.take().tree,
            loop="recover",
            reason=f"before restoring {one.ref}",
            when=now(),
        )
        changed = snapshots.restore(one.tree)
    finally:
        lock.release()
    click.echo(f"Restored {len(changed)} files from {one.ref}.\nWhat was here before is saved: {before.ref}")
    for place in snapshots.displaced:
        click.echo(f"No snapshot holds this, so it was moved out of the way: {printable(place)}")


def _last_loop(repo: Repo) -> LoopState:
    """It says which files here are Ralph's own. A damaged journal must not stand between users and their files."""
    state = None
    with suppress(Damage):
        state = latest(repo)
    return state or LoopState(root=str(repo.root), folder=os.path.relpath(Path.cwd(), repo.root))


def _list(found: list[Saved], as_json: bool) -> None:
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(found).decode())
    elif not found:
        click.echo("Nothing was saved here.")
    for number, one in enumerate(found, 1) if not as_json else ():
        click.echo(f"{number:>3}  {one.when}  {one.ref}  {one.reason}")
        if one.note:
            click.echo(f"     {one.note}")


def _pick(found: list[Saved], which: str) -> Saved:
    if which.isdigit() and 1 <= int(which) <= len(found):
        return found[int(which) - 1]
    for one in found:
        if which == one.ref or (len(which) >= 7 and one.commit.startswith(which)):
            return one
    raise RalphError(f"there is no saved state {which!r}", todo="`ralph recover` lists them.")
