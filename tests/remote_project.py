"""A bare repository whose tip is a project with a gate and a scripted agent."""

from __future__ import annotations

import subprocess
from pathlib import Path

CONFIG = """\
cli: {backend: scripted, script: agent.yml}
gates: [{name: tests, run: sh test.sh}]
flaky_passes: 1
"""
TEST = "grep -q 'hello, world' greeting || { echo 'FAILED: no greeting to the world'; exit 1; }\n"
AGENT = """\
iterations:
  - - write: {path: greeting, text: "hello, everyone\\n"}
    - scratchpad: {done: a greeting, testStatus: red, nextStep: name the world, blockers: none}
    - say: TASK_COMPLETE
  - - write: {path: greeting, text: "hello, world\\n"}
    - say: TASK_COMPLETE
"""
FILES = {"ralph.yml": CONFIG, "test.sh": TEST, "agent.yml": AGENT, "greeting": "hello\n"}


class RemoteProject:
    def __init__(self, path: Path, files: dict[str, str] = FILES) -> None:
        self.path = path
        self.work = path.with_name(f"{path.name}.work")
        self._git("init", "-q", "--bare", "-b", "main", str(path), cwd=path.parent)
        self._git("clone", "-q", str(path), str(self.work), cwd=path.parent)
        self.commit(files)

    def commit(self, files: dict[str, str]) -> str:
        if self._git("ls-remote", "origin", "main"):
            self._git("fetch", "-q", "origin", "main")
            self._git("reset", "-q", "--hard", "FETCH_HEAD")
        for name, text in files.items():
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).write_text(text)
        self._git("add", "-A")
        self._git("commit", "-qm", "change")
        self._git("push", "-q", "origin", "HEAD:main")
        return self._git("rev-parse", "HEAD")

    def rewind(self, commit: str = "HEAD^") -> str:
        """As a person does who takes something off the branch again."""
        self._git("fetch", "-q", "origin", "main")
        self._git("reset", "-q", "--hard", "FETCH_HEAD")
        self._git("reset", "-q", "--hard", commit)
        self._git("push", "-q", "--force", "origin", "HEAD:main")
        return self._git("rev-parse", "HEAD")

    def revert(self) -> str:
        """Of the newest commit."""
        self._git("fetch", "-q", "origin", "main")
        self._git("reset", "-q", "--hard", "FETCH_HEAD")
        self._git("revert", "--no-edit", "HEAD")
        self._git("push", "-q", "origin", "HEAD:main")
        return self._git("rev-parse", "HEAD")

    def _git(self, *args: str, cwd: Path | None = None) -> str:
        who = ("-c", "user.name=User", "-c", "user.email=user@localhost", "-c", "init.defaultBranch=main")
        done = subprocess.run(
            ["git", *who, *args], cwd=cwd or self.work, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()
