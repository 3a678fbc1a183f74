"""`ralph recover`: list what was saved before anything could change it, and put it back."""

from __future__ import annotations

from pathlib import Path

import click

from ralph.cli.place import here
from ralph.driver.run import new_id, now
from ralph.errors import RalphError
from ralph.journal.lock import Lock
from ralph.workspace import Saved, Snapshots, drop, own_files, save, saved


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
        snapshots = Snapshots(repo, "in-place", own_files(repo, Path.cwd()))
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


def _list(found: list[Saved], as_json: bool) -> None:
    if as_json:
        import msgspec

        click.echo(msgspec.json.encode(found).decode())
    elif not found:
        click.echo("Nothing was saved here.")
    for number, one in enumerate(found, 1) if not as_json else ():
        click.echo(f"{number:>3}  {one.when}  {one.ref}  {one.reason}")


def _pick(found: list[Saved], which: str) -> Saved:
    if which.isdigit() and 1 <= int(which) <= len(found):
        return found[int(which) - 1]
    for one in found:
        if which == one.ref or (len(which) >= 7 and one.commit.startswith(which)):
            return one
    raise RalphError(f"there is no saved state {which!r}", todo="`ralph recover` lists them.")
