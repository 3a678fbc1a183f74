"""Removing a folder, whatever permissions an agent left in it."""

from __future__ import annotations

import stat
from pathlib import Path


def remove_tree(path: Path) -> None:
    """Remove a folder or file, if it is there. Links are removed, not followed."""
    import shutil

    if path.is_symlink() or path.is_file():
        path.unlink()
        return
    if not path.exists():
        return

    def open_up(function: object, name: str, error: object) -> None:
        parent = Path(name).parent
        parent.chmod(stat.S_IRWXU)
        if Path(name).is_dir() and not Path(name).is_symlink():
            Path(name).chmod(stat.S_IRWXU)
            shutil.rmtree(name)
        else:
            Path(name).unlink(missing_ok=True)

    shutil.rmtree(path, onerror=open_up)
