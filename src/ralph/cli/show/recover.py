"""`ralph recover`: list what was saved before anything could change it, and put it back, all of it or single files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import click
import msgspec
from msgspec.structs import replace

from ralph.cli.context import here, latest, refuse_inside
from ralph.cli.output import clock
from ralph.core.loop.state import NOT_STARTED, LoopState
from ralph.errors import RalphError
from ralph.git.loose_objects import packed_objects
from ralph.git.recovery import Saved, drop, save, saved, unreadable
from ralph.git.repo import Repo, printable
from ralph.git.snapshots import Snapshots
from ralph.journal.lock import Lock
from ralph.journal.record import Damage, new_id, now
from ralph.runner.loop_workspace import snapshots_of
from ralph.terminal.words import one_line
from ralph.text import few


class RecoveryRow(Saved, frozen=True):
    """`differs`: how many files are not as they were then; None when that cannot be said."""

    number: int = 0
    differs: int | None = None


@click.command()
@click.argument("which", required=False)
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--drop", "dropping", is_flag=True, help="Forget this one instead of restoring it.")
@click.option("--json", "as_json", is_flag=True, help="Print the list as JSON.")
def recover(which: str | None, paths: tuple[str, ...], dropping: bool, as_json: bool) -> None:
    """List what was saved, when and why; with a number or ref, put the files back as they were then.

    With PATHs only these files and folders; one that was not there then is removed. What is there now is saved first,
    so that a restore can be undone in the same way. Your branch, index and HEAD are not touched.

    \b
    Examples:
      ralph recover
      ralph recover 1
      ralph recover 1 notes.txt src/
      ralph recover 1 --drop
    """
    repo = here()
    found = saved(repo)
    if which is None:
        _list(repo, found, as_json)
        return
    refuse_inside(repo)
    if dropping:
        if paths:
            raise RalphError("--drop forgets all of it", todo="Leave out the paths.")
        ref = which if which in unreadable(repo) else _pick(found, which).ref
        drop(repo, ref)
        click.echo(f"Forgotten: {ref}")
        return
    _restore(repo, _pick(found, which), paths)


def _restore(repo: Repo, one: Saved, paths: Sequence[str]) -> None:
    wanted = [_from_root(repo, path) for path in paths]
    if "." in wanted:
        wanted = []
    lock = Lock.acquire(repo.state_dir, new_id())
    try:
        with packed_objects(repo):
            snapshots = snapshots_of(repo, _last_loop(repo))
            tree = snapshots.take().tree
            for path in wanted:
                _refuse_unknown(repo, snapshots, path, one, tree)
            what = f" ({few(wanted)})" if wanted else ""
            before = save(
                repo, snapshots, tree, loop="recover", reason=f"before restoring {one.ref}{what}", when=now()
            )
            changed = snapshots.restore(one.tree, wanted or None)
    finally:
        lock.release()
    count = "1 file" if len(changed) == 1 else f"{len(changed)} files"
    click.echo(f"Restored {count} from {one.ref}.")
    for path in changed if paths else ():
        click.echo(f"  {printable(path)}")
    click.echo(f"What was here before is saved: {before.ref}")
    for place in snapshots.displaced:
        click.echo(f"No snapshot holds this, so it was moved out of the way: {printable(place)}")


def _from_root(repo: Repo, path: str) -> str:
    """As git names it. Links above it count as folders; it itself may be a link, which is then what is meant."""
    whole = Path(os.path.normpath(Path.cwd() / path))
    whole = whole.parent.resolve() / whole.name
    root = repo.root.resolve()
    if not whole.is_relative_to(root):
        raise RalphError("is not in this workspace", where=path, todo=f"Name a path below {repo.root}.")
    return str(whole.relative_to(root))


def _refuse_unknown(repo: Repo, snapshots: Snapshots, path: str, one: Saved, now: str) -> None:
    for where in (one.tree, now):
        if any(name == path or name.startswith(f"{path}/") for _, _, name in snapshots.files(where)):
            return
    lists = f"`git ls-tree -r --name-only {one.ref}` lists what is. " if repo.versioned else ""
    raise RalphError(
        "is not saved there, and not here now",
        where=printable(path),
        todo=f"{lists}Files that git ignores are never saved.",
    )


def _last_loop(repo: Repo) -> LoopState:
    """It says which files here are Ralph's own. A damaged journal must not stand between users and their files."""
    state = None
    with suppress(Damage):
        state = latest(repo)
    folder = os.path.relpath(Path.cwd(), repo.root)
    state = state or LoopState(replace(NOT_STARTED, root=str(repo.root), folder=folder))
    workspace = replace(state.workspace, base_commit="")  # it may be long gone
    return replace(state, workspace=workspace)


# -- the list ------------------------------------------------------------------------------------------


def _list(repo: Repo, found: list[Saved], as_json: bool) -> None:
    listed = _compared(repo, found)
    if as_json:
        click.echo(msgspec.json.encode(listed).decode())
        return
    lost = unreadable(repo)
    for ref in lost:
        click.echo(
            f"{ref} cannot be read: its commit is missing or damaged. `ralph recover {ref} --drop` forgets it."
        )
    if not listed:
        click.echo("Nothing else was saved here." if lost else "Nothing was saved here.")
        return
    for one in listed:
        click.echo(one_line(f"{one.number:>3}  {clock(one.when)}  {one.reason}; {_difference(one)}"))
        click.echo(f"     {one.ref}")
        if one.note:
            click.echo(f"     {one_line(one.note)}")
    click.echo(
        "`ralph recover N` puts all of it back, `ralph recover N PATH` only that; what is here now is saved first."
    )


def _difference(one: RecoveryRow) -> str:
    if one.differs is None:
        return "how it differs from now cannot be said"
    if not one.differs:
        return "nothing differs from now"
    return "1 file differs from now" if one.differs == 1 else f"{one.differs} files differ from now"


def _compared(repo: Repo, found: list[Saved]) -> list[RecoveryRow]:
    tree, snapshots = "", None
    if found:
        snapshots = snapshots_of(repo, _last_loop(repo))
        with suppress(RalphError):  # a file that cannot be read, say: the list is wanted all the same
            tree = snapshots.take().tree
    listed = []
    for number, one in enumerate(found, 1):
        differs = None
        with suppress(RalphError):
            differs = len(snapshots.diff(tree, one.tree)) if snapshots and tree else None
        listed.append(RecoveryRow(**msgspec.structs.asdict(one), number=number, differs=differs))
    return listed


def _pick(found: list[Saved], which: str) -> Saved:
    if which.isdigit() and 1 <= int(which) <= len(found):
        return found[int(which) - 1]
    for one in found:
        if which == one.ref or (len(which) >= 7 and one.commit.startswith(which)):
            return one
    raise RalphError(f"there is no saved state {which!r}", todo="`ralph recover` lists them.")
