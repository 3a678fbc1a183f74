"""What the sandbox's file system looks like: which paths are shown, writable, hidden. Says it as bwrap's arguments.

Parents are mounted before what lies in them; of two words about one path the later counts. Every path is a real one:
symbolic links on the way are made again inside, so that names which lead through them still work.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal

Kind = Literal["show", "write", "pin", "empty", "private", "blank", "link"]
_HOPS = 40  # as many links as the kernel follows

_AS_ARGUMENTS: dict[Kind, tuple[str, ...]] = {
    "show": ("--ro-bind", "{source}", "{path}"),
    "write": ("--bind", "{source}", "{path}"),
    "pin": ("--bind", "{source}", "{path}"),
    "empty": ("--tmpfs", "{path}"),  # made read-only when all mount points in it exist
    "private": ("--tmpfs", "{path}"),
    "blank": ("--ro-bind", "/dev/null", "{path}"),
    "link": ("--symlink", "{source}", "{path}"),
}
_OF_THE_HOST: tuple[Kind, ...] = ("show", "write", "pin")


class Plan:
    def __init__(self) -> None:
        self._at: dict[Path, tuple[Kind, str]] = {}

    def show(self, path: Path, source: Path | None = None) -> Path:
        """Readable there; with `source`, the content is another file's or folder's."""
        return self._put("show", path, source)

    def write(self, path: Path, source: Path | None = None) -> Path:
        return self._put("write", path, source)

    def private(self, path: Path) -> Path:
        """An empty folder that is writable and vanishes afterwards."""
        return self._put("private", path, None)

    def hide(self, path: Path) -> Path:
        """An empty folder, or a file that cannot be read, in place of what is there."""
        return self._put("empty" if path.is_dir() else "blank", path, None)

    def protect(self, path: Path, within: Path) -> None:
        """Read-only inside a writable folder, and nothing on the way to it can be renamed or replaced: what is a mount
        point cannot be."""
        real = self.show(path)
        for folder in real.parents:
            if within in folder.parents and folder not in self._at:
                self._put("pin", folder, None)

    def visit(self, path: Path) -> Path:
        """The real path, having noted every link that leads there."""
        at, rest, hops = Path("/"), list(path.parts[1:]), 0
        while rest:
            part = rest.pop(0)
            if part == "..":
                at = at.parent
                continue
            step = at / part
            try:
                target = step.readlink()
            except OSError:
                at = step
                continue
            self._at.setdefault(step, ("link", str(target)))
            hops += 1
            if hops > _HOPS:
                return step
            if target.is_absolute():
                at = Path("/")
            rest = [p for p in target.parts if p != "/"] + rest
        return at

    def arguments(self) -> list[str]:
        found: list[str] = []
        ordered = sorted(
            self._at, key=lambda path: len(path.parts)
        )  # stable, so the same call gives the same words
        for path in ordered:
            kind, source = self._at[path]
            if not self._is_there_anyway(path, kind, source):
                found += [word.format(source=source, path=path) for word in _AS_ARGUMENTS[kind]]
        for path in ordered:
            if self._at[path][0] == "empty":
                found += ["--remount-ro", str(path)]
        return found

    def _put(self, kind: Kind, path: Path, source: Path | None) -> Path:
        real = self.visit(path)
        self._at[real] = (kind, str(source or real))
        return real

    def _is_there_anyway(self, path: Path, kind: Kind, source: str) -> bool:
        around = next((self._at[p] for p in path.parents if p in self._at and self._at[p][0] != "link"), None)
        if around is None or around[0] not in _OF_THE_HOST:
            return False
        if kind == "link":
            return True  # it comes with the folder
        return kind == around[0] == "show" and source == str(path)


def unreadable_by_others(folder: Path) -> list[Path]:
    """What only the owner or a group may read. Root owns such files; an agent that runs as root has no need of them."""
    found: list[Path] = []
    waiting = [str(folder)]
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            needed = stat.S_IROTH | stat.S_IXOTH if is_folder else stat.S_IROTH
            try:
                closed = (
                    not entry.is_symlink() and entry.stat(follow_symlinks=False).st_mode & needed != needed
                )
            except OSError:
                continue
            if closed:
                found.append(Path(entry.path))
            elif is_folder:
                waiting.append(entry.path)
    return found
