"""Which repository a command is about. Without one, the folder itself is the workspace."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ralph.backlog import BACKLOG_NAME, done_name
from ralph.core.loop.state import LoopState
from ralph.errors import RalphError
from ralph.git.repo import STORE, Repo, find, is_slot_of, printable, without_git
from ralph.history.loop_records import is_over, last_loop
from ralph.journal.read import NAME, scan
from ralph.text import few

if TYPE_CHECKING:
    from ralph.runner.run_request import RunRequest

BY_INIT = "init"  # in place of a run's id, while `ralph init` tries the gates


def here() -> Repo:
    folder = Path.cwd()
    return find(folder) or without_git(folder)


def config_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Where the configuration is: it comes as `config` (a file, or None) and `layers` (what is said in place of it)."""
    import functools

    import click

    @functools.wraps(command)
    def with_config(sources: tuple[str, ...], hats: str, **given: Any) -> Any:
        said = {"hats": hats, "hats_text": _hats_text(hats)} if hats else {"hats": ""}
        assigned = tuple(source for source in sources if _is_assignment(source))
        files = [source for source in sources if source not in assigned]
        return command(config=_one_file(files), layers={**said, "assigned": assigned}, **given)

    decorated: Callable[..., Any] = with_config
    decorated = click.option(
        "-H",
        "--hats",
        default="",
        metavar="SOURCE",
        help="Use the hats of this file, or of a preset: builtin:NAME.",
    )(decorated)
    return click.option(
        "-c",
        "--config",
        "sources",
        multiple=True,
        metavar="FILE|KEY=VALUE",
        help="Use this file instead of ralph.yml (or of $RALPH_CONFIG); or set a key of it. May be repeated.",
    )(decorated)


def _is_assignment(source: str) -> bool:
    from ralph.config.layers import is_assignment

    return is_assignment(source)


def _hats_text(source: str) -> str:
    from ralph.config.layers import BUILT_IN
    from ralph.files import read_text

    if source.startswith(BUILT_IN):
        from ralph.setup.presets import preset

        return preset(source.removeprefix(BUILT_IN)).text
    if source.startswith(("http://", "https://")):
        raise RalphError(f"-H {source}: hats are not downloaded", todo="Save the file here and name it.")
    try:
        return read_text(Path(source))
    except RalphError as error:
        raise RalphError(f"-H {source}: {error.what}", todo="Name a readable YAML file.") from None


def _one_file(files: list[str]) -> Path | None:
    if not files:
        return None
    if len(files) > 1:
        raise RalphError(f"-c names two files: {files[0]} and {files[1]}", todo="Name one.")
    if files[0].startswith("builtin:"):
        raise RalphError(f"-c {files[0]}: a preset is used by its hats", todo=f"Use `-H {files[0]}`.")
    return Path(files[0])


CONFIGS = ("ralph.yml", "ralph.yaml")


def usual(root: Path) -> Path | None:
    """The one that needs no key, if it is there."""
    path = root / BACKLOG_NAME
    return path if path.exists() else None


def of_folder(repo: Repo, folder: Path) -> Path:
    """The one that the configuration here, or the nearest above, names; else the usual one, there or not."""
    config = _nearest(folder, repo.root)
    if config is None or not _may_name_one(config):
        return repo.root / BACKLOG_NAME
    from ralph.config.tasks import backlog_named_in

    try:
        return backlog_named_in(config) or repo.root / BACKLOG_NAME
    except RalphError as error:
        if error.where:
            raise
        raise RalphError(error.what, where=str(config), todo=error.todo, code=error.code) from None


def hide_own_files(repo: Repo, folder: Path, written: Iterable[Path] = ()) -> None:
    """`git status` shows nothing that Ralph made: its own files of a run in `folder`, what it has `written` there, copies of
    configurations, and the list of tasks, until the user puts that into git."""
    if not repo.versioned:
        return
    from ralph.git.repository_excludes import keep_out_of_status

    keep_out_of_status(repo, folder, (*copies_of_configs(folder), *written), list_of_tasks(repo, folder))


def hide_files_of(request: RunRequest) -> None:
    """Those of a run that begins, and the files into which its output goes."""
    from ralph.processes.output_files import output_files

    hide_own_files(request.repo, request.folder, output_files())


def copies_of_configs(folder: Path) -> list[Path]:
    """That `ralph init` made before it wrote new ones."""
    return [copy for name in CONFIGS for copy in folder.glob(f"{name}.bak*")]


def list_of_tasks(repo: Repo, folder: Path) -> list[Path]:
    """The list and its archive, if there is either."""
    file = of_folder(repo, folder)
    both = [file, Path(done_name(str(file)))]
    return both if any(map(os.path.lexists, both)) else []


class LargeFolders(RalphError):
    """Untracked folders that would be copied into every snapshot."""

    def __init__(self, folders: Mapping[str, int], todo: str) -> None:
        named = few([f"{printable(path)} ({count:,} files)" for path, count in folders.items()])
        lines = "\n".join(f"  /{printable(path)}" for path in folders)
        super().__init__(
            f"git neither tracks nor ignores {named}", todo=f"Add to .gitignore:\n{lines}\n{todo}"
        )


def _may_name_one(config: Path) -> bool:
    try:
        return b"backlog" in config.read_bytes()
    except OSError:
        return True  # the reader of configurations says what is wrong


def _nearest(folder: Path, root: Path) -> Path | None:
    inside = [place for place in (folder, *folder.parents) if place == root or root in place.parents]
    return next((place / name for place in inside for name in CONFIGS if (place / name).is_file()), None)


def latest(repo: Repo) -> LoopState | None:
    found = last_loop(scan(repo.state_dir / NAME).records, repo.root)
    return found.state if found else None


def resumable(repo: Repo) -> LoopState | None:
    """The loop that `ralph resume` would continue with."""
    state = latest(repo)
    return None if state is None or is_over(state) else state


_INSIDE = ("RALPH_TOKEN", "RALPH_GATE", "RALPH_LOOP")


NO_RUN = "no other run begins inside it"
_NO_RUN_TODO = "Do the work of the task yourself; in tests, run Ralph in a repository of their own."
_TODO = "Say it with `ralph emit` or in the scratchpad; in tests, run Ralph in a repository of their own."


def refuse_inside(repo: Repo, why: str = "this is for people", todo: str = "") -> None:
    """The one rule for commands that steer a run or change what is the user's: not from inside an iteration, gate or review,
    about the repository of that run. What agents have for themselves, and what only reads, is allowed."""
    if not any(os.environ.get(name) for name in _INSIDE) or not _is_its_own(repo):
        return
    who = "a gate or a reviewer" if os.environ.get("RALPH_GATE") else "an iteration"
    task = os.environ.get("RALPH_TASK", "")
    raise RalphError(
        f"{who} of a run works here{f', on {task}' if task else ''}: {why}",
        where=str(repo.root),
        todo=todo or (_NO_RUN_TODO if why == NO_RUN else _TODO),
    )


def _is_its_own(repo: Repo) -> bool:
    """Whether the repository is that of the loop around, one of its workspaces, or a worktree of either."""
    told = os.environ.get("RALPH_STATE", "")
    if not told:
        return False
    state = Path(told).resolve()
    if repo.state_dir.resolve() == state:
        return True
    places = (repo.root, repo.common_dir.parent)
    return any(is_slot_of(home, place) for home in (state.parent, state / STORE) for place in places)
