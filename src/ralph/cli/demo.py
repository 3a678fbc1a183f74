"""`ralph demo`: the main job, whole and real, in a small repository of its own. No model, no service, no configuration."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import click

from ralph import demo as content
from ralph.errors import RalphError
from ralph.init.write import IGNORED

_FILES = ("stats.py.txt", "test_stats.py.txt", "PROMPT.md", "agent.yml", "ralph.yml")


@click.command()
@click.option(
    "--into", type=click.Path(path_type=Path), help="Make the repository in this new folder and keep it."
)
@click.option("-v", "--verbose", is_flag=True, help="Show what the agent and the gates print.")
def demo(into: Path | None, verbose: bool) -> int:
    """A whole run in a small repository: false claims turned down, a strategy shift, a proven end.

    \b
    Example:
      ralph demo --into /tmp/ralph-demo
    """
    folder = _folder(into)
    try:
        _make_repository(folder)
        click.echo("A small repository with failing tests, and a scripted agent that claims too early.\n")
        arguments = ["run", *(["-v"] if verbose else [])]
        code = subprocess.run(
            [sys.executable, "-m", "ralph", *arguments], cwd=folder, env=_environment()
        ).returncode
        click.echo("")
        if code == 0:
            click.echo("The change that the gates accepted:\n")
            subprocess.run(["git", "--no-pager", "diff", "--stat"], cwd=folder)
        if into:
            click.echo(f"\nThe repository is in {folder}; try `ralph events` there.")
        else:
            click.echo("\nThe repository is removed now; `ralph demo --into FOLDER` keeps it.")
        return code
    finally:
        if not into:
            shutil.rmtree(folder, ignore_errors=True)


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


def _make_repository(folder: Path) -> None:
    for name in _FILES:
        shutil.copyfile(Path(content.__file__).parent / name, folder / name.removesuffix(".txt"))
    (folder / ".gitignore").write_text("\n".join(("__pycache__/", *IGNORED, "")))
    for command in (
        ["init", "-q", "-b", "main"],
        ["add", "-A"],
        [
            "-c",
            "user.name=Demo",
            "-c",
            "user.email=demo@localhost",
            "commit",
            "-qm",
            "Begin with failing tests",
        ],
    ):
        try:
            subprocess.run(["git", *command], cwd=folder, check=True)
        except FileNotFoundError:
            raise RalphError("git is not installed", todo="Install git and try again.") from None


def _environment() -> dict[str, str]:
    """The gate says `python3`: let it be the one that runs Ralph. The demo's state is its own."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("RALPH_") or k == "RALPH_TIER"}
    return env | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{env.get('PATH', os.defpath)}"}
