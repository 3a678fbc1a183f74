"""A repository, a home with things that are nobody's business, and a way to run programs in a sandbox around them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ralph.sandbox.bwrap import Sandboxed, usable, wrap

needs_bwrap = pytest.mark.skipif(bool(usable(False)), reason=usable(False))
GIT = ("git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")


class World:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.workspace = self.home / "code" / "project"
        self.workspace.mkdir(parents=True)
        self.state = self.workspace / ".git" / "ralph"
        for name, text in {
            ".ssh/id_ed25519": "private",
            ".config/other.json": "private",
            "code/other/main.py": "private",
            ".agent/auth.json": "credential",
            ".agent/history": "private",
        }.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("init", "-q")
        (self.workspace / "a.txt").write_text("one\n")
        self.git("add", ".")
        self.git("commit", "-qm", "first")
        self.state.mkdir()
        (self.state / "journal").write_text("the only truth")
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
            "RALPH_STATE": str(self.state),
            "RALPH_LOOP": "loop-1",
            "RALPH_TOKEN": "token-1",
            "RALPH_ITERATION": "3",
            "RALPH_SCRATCHPAD": str(self.workspace / ".ralph/agent/scratchpad.md"),
        }

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        done = subprocess.run(
            [*GIT, *arguments], cwd=cwd or self.workspace, capture_output=True, text=True, check=True
        )
        return done.stdout

    def wrap(self, argv: Sequence[str], **how: object) -> Sandboxed:
        chosen: dict[str, object] = {
            "cwd": self.workspace,
            "workspace": self.workspace,
            "state_dir": self.state,
            "home": self.home,
            "network": False,
            "env": self.env,
            **how,
        }
        return wrap(argv, **chosen)  # type: ignore[arg-type]

    def run(self, argv: Sequence[str], **how: object) -> subprocess.CompletedProcess[str]:
        boxed = self.wrap(argv, **how)
        return subprocess.run(
            boxed.argv,
            env=boxed.env,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def python(self, code: str, *arguments: str, **how: object) -> subprocess.CompletedProcess[str]:
        return self.run([sys.executable, "-c", code, *arguments], **how)

    def sh(self, script: str, **how: object) -> str:
        done = self.run(["sh", "-c", script], **how)
        assert done.returncode == 0, done.stderr
        return done.stdout
