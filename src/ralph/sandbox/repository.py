"""The git directories behind a workspace, for the sandbox to show read-only. Reads git's files; runs nothing."""

from __future__ import annotations

import os
from pathlib import Path

from ralph.core.secrets import Masker
from ralph.errors import RalphError

_ALTERNATES_DEEP = 5


def git_places(workspace: Path) -> list[Path]:
    """`.git` itself, whatever it is, and the folders it leads to; empty without a repository."""
    dot = workspace / ".git"
    if dot.is_symlink():
        raise RalphError(
            "`.git` is a symbolic link, which an agent could replace",
            where=str(dot),
            todo="Use a clone, or `sandbox: none`.",
        )
    if not dot.exists():
        return []
    own = dot if dot.is_dir() else workspace / _said(dot).removeprefix("gitdir:").strip()
    common = own / _said(own / "commondir") if (own / "commondir").is_file() else own
    found = [dot, own, common]
    _follow_alternates(common / "objects", found, _ALTERNATES_DEEP)
    return list(dict.fromkeys(Path(os.path.normpath(place)) for place in found if place.exists()))


def _follow_alternates(objects: Path, found: list[Path], deep: int) -> None:
    for line in _said(objects / "info" / "alternates").splitlines() if deep else ():
        other = objects / line
        if line and not line.startswith("#") and other.is_dir():
            found.append(other)
            _follow_alternates(other, found, deep - 1)


def without_credentials(config: Path) -> str:
    """A git configuration whose URLs and headers hold credentials, with those masked; "" when there are none."""
    text = _said(config)
    masked = Masker(()).text(text)
    return masked + "\n" if masked != text else ""


def _said(path: Path) -> str:
    try:
        return os.fsdecode(path.read_bytes()).strip()
    except OSError:
        return ""
