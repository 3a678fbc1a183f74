"""A bounded look at a folder and at the programs of this machine. Reads few files, follows no pipe, changes nothing."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

READ_BYTES = 256 * 1024
MOST_ENTRIES = 5000  # of the whole look; files with fixed names are found in any case
DEEPEST = 4
# What a person did not write, or what is far too large to be looked through.
PASSED_OVER = frozenset(
    (
        *("node_modules", "bower_components", "vendor", "third_party", "site-packages", "__pycache__"),
        *("venv", "env", "virtualenv", "target", "build", "dist", "out", "bin", "obj", "coverage", "htmlcov"),
        *("DerivedData", "Pods", "elm-stuff", "testdata", "fixtures"),
    )
)


class Place:
    """One folder, as detection sees it. Paths are relative to it, with slashes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def has(self, path: str) -> bool:
        """Whether there is a file (or a link to one) of this name."""
        return stat.S_ISREG(self._mode(path))

    def has_folder(self, path: str) -> bool:
        return stat.S_ISDIR(self._mode(path))

    def is_executable(self, path: str) -> bool:
        return self.has(path) and os.access(self.folder / path, os.X_OK)

    def read(self, path: str) -> str:
        """The beginning of a file as text, whatever its bytes; empty when it cannot be read."""
        try:
            # Without blocking: a file of this name may be a pipe.
            with open(os.open(self.folder / path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    return ""
                return file.read(READ_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
        except (OSError, ValueError):
            return ""

    def first(self, *names: str) -> str:
        """The first of these files that is there; else empty."""
        return next((name for name in names if self.has(name)), "")

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Files here and a few levels down, nearest first; bounded."""
        found: list[str] = []
        seen = 0
        queue = deque([("", 0)])
        while queue:
            prefix, depth = queue.popleft()
            for name, is_folder in self._entries(prefix):
                seen += 1
                if seen > MOST_ENTRIES:
                    return tuple(found)
                if not is_folder:
                    found.append(prefix + name)
                elif depth < DEEPEST and name not in PASSED_OVER and not name.startswith("."):
                    queue.append((f"{prefix}{name}/", depth + 1))
        return tuple(found)

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders directly below that may hold projects of their own."""
        return tuple(
            name
            for name, is_folder in self._entries("")[:MOST_ENTRIES]
            if is_folder and name not in PASSED_OVER and not name.startswith(".")
        )

    def _entries(self, prefix: str) -> list[tuple[str, bool]]:
        found = []
        try:
            with os.scandir(self.folder / prefix) as listing:
                for entry in listing:
                    found.append((entry.name, entry.is_dir(follow_symlinks=False)))
                    if len(found) > MOST_ENTRIES:
                        break
        except OSError:  # not ours to read: nothing is there for us
            return []
        return sorted(found)

    def _mode(self, path: str) -> int:
        try:
            return (self.folder / path).stat().st_mode
        except (OSError, ValueError):
            return 0


class Machine:
    """Which programs can be started from here."""

    def __init__(self, env: Mapping[str, str] | None = None) -> None:
        self._env = dict(os.environ if env is None else env)

    def has(self, program: str) -> bool:
        import shutil

        return shutil.which(program, path=self._env.get("PATH", os.defpath)) is not None

    def has_module(self, python: str, module: str, folder: Path) -> bool:
        """Whether this interpreter finds the module. Asks it, without importing the module; bounded."""
        import subprocess

        ask = f"import importlib.util as u, sys; sys.exit(u.find_spec({module!r}) is None)"
        try:
            done = subprocess.run(
                [str(folder / python) if "/" in python else python, "-c", ask],
                cwd=folder,
                env=self._env,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=10,
            )
        except (OSError, subprocess.SubprocessError):
            return False
        return done.returncode == 0
