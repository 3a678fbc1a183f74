"""Where the backlog of a folder is. The room of the configuration is loaded only for a file that may name one."""

from __future__ import annotations

from pathlib import Path

from ralph.backlog import NAME
from ralph.errors import RalphError
from ralph.workspace import Repo

CONFIGS = ("ralph.yml", "ralph.yaml")


def usual(root: Path) -> Path | None:
    """The one that needs no key, if it is there."""
    path = root / NAME
    return path if path.exists() else None


def of_folder(repo: Repo, folder: Path) -> Path:
    """The one that the configuration here, or the nearest above, names; else the usual one, there or not."""
    config = _nearest(folder, repo.root)
    if config is None or not _may_name_one(config):
        return repo.root / NAME
    from ralph.config.backlog import named_in

    try:
        return named_in(config) or repo.root / NAME
    except RalphError as error:
        if error.where:
            raise
        raise RalphError(error.what, where=str(config), todo=error.todo, code=error.code) from None


def _may_name_one(config: Path) -> bool:
    try:
        return b"backlog" in config.read_bytes()
    except OSError:
        return True  # the reader of configurations says what is wrong


def _nearest(folder: Path, root: Path) -> Path | None:
    inside = [place for place in (folder, *folder.parents) if place == root or root in place.parents]
    return next((place / name for place in inside for name in CONFIGS if (place / name).is_file()), None)
