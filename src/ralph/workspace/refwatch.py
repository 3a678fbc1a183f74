"""Finds out what an agent did to refs outside its workspace: other branches, tags, the stash, HEAD itself.

Reads git's files directly, because it looks at the beginning and end of every iteration. It never writes.
"""

from __future__ import annotations

import os
from pathlib import Path

from ralph.workspace.repo import Repo, printable

_OURS = "refs/ralph/"


class RefWatch:
    def __init__(self, repo: Repo) -> None:
        self._on = repo.versioned and (repo.common_dir / "refs" / "heads").is_dir()
        self._common = repo.common_dir
        self._head_file = repo.git_dir / "HEAD"
        self._files: dict[str, tuple[int, int, int]] = {}
        self._refs: dict[str, str] = {}
        self._head = ""
        self._text: tuple[dict[str, str], str, str] = ({}, "", "")
        self.look()

    def branch(self) -> str:
        """The ref that HEAD stands for; empty when detached."""
        return self._head.removeprefix("ref: ") if self._head.startswith("ref: ") else ""

    def commit(self) -> str:
        """The commit that HEAD stands for, as of the last look; empty before the first."""
        return self._refs.get(self.branch(), "") if self.branch() else self._head

    def look(self) -> None:
        """Remember how the refs are now."""
        if self._on:
            self._head = _read(self._head_file)
            self._update()

    def moved(self, *, work: bool = True) -> tuple[str, ...]:
        """What differs from the last look, except, where somebody was to `work` on it, the branch that HEAD stands for."""
        if not self._on:
            return ()
        branch, head, before = self.branch() if work else "", self._head, self._refs
        self.look()
        found = [f"HEAD: {head} → {self._head}"] if head.startswith("ref: ") and head != self._head else []
        for name in sorted(before.keys() | self._refs.keys()) if before != self._refs else ():
            if name != branch and before.get(name) != self._refs.get(name):
                was, now = before.get(name, "none"), self._refs.get(name, "none")
                found.append(f"{name}: {was[:12]} → {now[:12]}")
        return tuple(printable(line) for line in found)

    def memory(self) -> str:
        """The last look as text, for a process that comes after this one."""
        if self._text[0] is not self._refs or self._text[1] != self._head:
            lines = (f"{value} {name}" for name, value in self._refs.items())
            self._text = (self._refs, self._head, "\n".join((self._head, *lines)) if self._on else "")
        return self._text[2]

    def recall(self, memory: str) -> None:
        """Take up the look of a process before this one."""
        head, *lines = memory.split("\n")
        self._head, self._files = head, {}
        self._refs = {name: value for value, _, name in (line.partition(" ") for line in lines)}

    def _update(self) -> None:
        files = self._stat_all()
        if files == self._files:
            return
        self._files = files
        refs = _packed(self._common / "packed-refs")
        for name in files:
            if name != "packed-refs":
                refs[name] = _read(self._common / name)
        self._refs = {name: value for name, value in refs.items() if value and not name.startswith(_OURS)}

    def _stat_all(self) -> dict[str, tuple[int, int, int]]:
        found: dict[str, tuple[int, int, int]] = {}
        folders = ["refs"]
        while folders:
            folder = folders.pop()
            try:
                entries = list(os.scandir(self._common / folder))
            except FileNotFoundError:
                continue
            for entry in entries:
                name = f"{folder}/{entry.name}"
                if entry.is_dir(follow_symlinks=False):
                    if f"{name}/" != _OURS:
                        folders.append(name)
                elif not name.endswith(".lock"):
                    _note(found, name, entry)
        try:
            stat = (self._common / "packed-refs").stat()
            found["packed-refs"] = (stat.st_ino, stat.st_size, stat.st_mtime_ns)
        except FileNotFoundError:
            pass
        return found


def _note(found: dict[str, tuple[int, int, int]], name: str, entry: os.DirEntry[str]) -> None:
    try:
        stat = entry.stat(follow_symlinks=False)
    except FileNotFoundError:
        return
    found[name] = (stat.st_ino, stat.st_size, stat.st_mtime_ns)


def _packed(path: Path) -> dict[str, str]:
    refs = {}
    for line in _read(path).splitlines():
        value, _, name = line.partition(" ")
        if name and not line.startswith(("#", "^")):
            refs[name] = value
    return refs


def _read(path: Path) -> str:
    try:
        return os.fsdecode(path.read_bytes()).strip()
    except (FileNotFoundError, NotADirectoryError):
        return ""
