"""`ralph demo`: the main job, whole and real, in a small repository of its own. No model, no service, no configuration."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from ralph import setup
from ralph.core.exits import SOME_TASKS_FAILED
from ralph.errors import RalphError
from ralph.setup.write import IGNORED

_FILES = ("stats.py.txt", "test_stats.py.txt", "PROMPT.md", "agent.yml", "ralph.yml")
_BOARD = "board"
_ITEMS = 4  # of the board; one of them fails


@click.command()
@click.option(
    "--into", type=click.Path(path_type=Path), help="Make the repository in this new folder and keep it."
)
@click.option("--board", is_flag=True, help="A board of items that hats work through, in place of one task.")
@click.option(
    "--fleet", is_flag=True, help="A server, two workers, of which one is killed half-way, and a lander."
)
@click.option("-v", "--verbose", is_flag=True, help="Show what the agent and the gates print.")
def demo(into: Path | None, board: bool, fleet: bool, verbose: bool) -> int:
    """A whole run in a small repository: false claims rejected, a strategy shift, a proven end.

    With --board: three items go through two phases under two hats; a fourth fails three times and is set aside.

    With --fleet: the same task on a server with two workers and a lander. A worker is killed with `kill -9`, the other continues
    its loop, and the lander puts the result onto main of a remote.

    \b
    Examples:
      ralph demo --into /tmp/ralph-demo
      ralph demo --board
      ralph demo --fleet
    """
    if fleet:
        return _fleet(
            refused=[name for name, given in (("--into", into), ("--board", board), ("-v", verbose)) if given]
        )
    folder = _folder(into)
    try:
        _make_repository(folder, _BOARD if board else "")
        click.echo(f"{_ABOUT[board]}\n")
        arguments = ["run", *(["--max-items", str(_ITEMS)] if board else []), *(["-v"] if verbose else [])]
        code = subprocess.run(
            [sys.executable, "-m", "ralph", *arguments],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,  # nothing is asked
        ).returncode
        code = 0 if board and code == SOME_TASKS_FAILED else code  # one of the items is there to fail
        click.echo("")
        if code == 0 and board:
            for line in _shown(folder):
                click.echo(line)
        elif code == 0:
            click.echo("The change that the gates accepted:\n")
            subprocess.run(["git", "--no-pager", "diff", "--stat"], cwd=folder)
        if into:
            more = " --routed" if board else ""
            click.echo(f"\nThe repository is in {folder}; try `ralph events{more}` there.")
        else:
            again = "ralph demo --board" if board else "ralph demo"
            click.echo(f"\nThe repository is removed now; `{again} --into FOLDER` keeps it.")
        return code
    finally:
        if not into:
            shutil.rmtree(folder, ignore_errors=True)


def _fleet(refused: list[str]) -> int:
    if refused:
        raise RalphError(
            f"--fleet and {refused[0]} cannot be combined", todo="`ralph demo --fleet` shows it."
        )
    try:
        from ralph.cli.fleet.demo import run_fleet_demo
    except ImportError as error:
        raise RalphError(
            f"the server needs a package that is not installed: {error.name}",
            todo="Install Ralph with its extra `server`: pip install '.[server]'",
        )
    folder = _folder(None)
    try:
        work, remote = folder / "work", folder / "remote.git"
        work.mkdir()
        _make_repository(work, "")
        subprocess.run(["git", "clone", "-q", "--bare", str(work), str(remote)], check=True)
        task = (work / "PROMPT.md").read_text().strip()
        code = run_fleet_demo(folder, remote, task, _environment())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    click.echo("\nAll of it is removed now. To have a server of your own: `ralph serve --worker`.")
    return code


_ABOUT = {
    False: "A small repository with failing tests, and a scripted agent that claims too early.",
    True: "A small board: four items in work/, two hats, and a scripted agent that cannot do one of the items.",
}


def _shown(folder: Path) -> Iterator[str]:
    """What the board came to."""
    for name in ("work", "proposed", "done", "failed"):
        items = sorted(
            path.name for path in folder.glob(f"{name}/*") if not path.name.endswith(".reason.txt")
        )
        yield f"{name + '/':<10} {', '.join(items) or 'empty'}"
    for reason in sorted(folder.glob("failed/*.reason.txt")):
        yield f"Why it failed: {reason.read_text().strip()}"
    looks = (folder / "poll-log.txt").read_text().splitlines()
    yield "Looked without an agent each time; poll-log.txt ends with:"
    yield from (f"  {line}" for line in looks[-3:])


def _folder(into: Path | None) -> Path:
    if into is None:
        return Path(tempfile.mkdtemp(prefix="ralph-demo-"))
    try:
        into.mkdir(parents=True)
    except FileExistsError:
        raise RalphError("already exists", where=str(into), todo="Name a new folder.") from None
    except OSError as error:
        what = f"the folder cannot be made: {error.strerror}"
        raise RalphError(what, where=str(into), todo="Name one where you may write.") from error
    return into.resolve()


def _make_repository(folder: Path, kind: str) -> None:
    source = Path(setup.__file__).parent / "demo"
    if kind:
        shutil.copytree(source / kind, folder, dirs_exist_ok=True)
    for name in () if kind else _FILES:
        shutil.copyfile(source / name, folder / name.removesuffix(".txt"))
    (folder / ".gitignore").write_text("\n".join(("__pycache__/", *IGNORED, "")))
    message = "Begin with a full board" if kind else "Begin with failing tests"
    author = ("-c", "user.name=Demo", "-c", "user.email=demo@localhost")
    for command in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        (*author, "commit", "-qm", message),
    ):
        try:
            subprocess.run(["git", *command], cwd=folder, check=True)
        except FileNotFoundError:
            raise RalphError("git is not installed", todo="Install git and try again.") from None


def _environment() -> dict[str, str]:
    """The gate says `python3`: let it be the one that runs Ralph. The demo's state is its own."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("RALPH_") or k == "RALPH_TIER"}
    return env | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{env.get('PATH', os.defpath)}"}
