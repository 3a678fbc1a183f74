"""A user's project for tests: a real repository in which the real `ralph` is run, as a user would, with a clean HOME."""

from __future__ import annotations

import fcntl
import os
import pty
import shutil
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import msgspec

from ralph.cli.show.events import KINDS
from ralph.core.secrets import masked
from ralph.git.repo import find, without_git
from ralph.journal.read import history

RALPH = Path(sys.executable).with_name("ralph")
CONFIG = """\
cli: {backend: custom, command: ./agent.sh, prompt_mode: stdin}
gates: [{name: tests, run: sh test.sh}]
event_loop: {max_iterations: 8, crash_wait: 0}
flaky_passes: 1
"""


class Project:
    """By default: `test.sh` passes when the file `answer` holds 42, and `agent.sh` is what the test makes of it."""

    def __init__(self, path: Path, home: Path) -> None:
        self.path = path
        self.env = {
            "PATH": f"{RALPH.parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "TMPDIR": str(home.parent / "tmp"),
        }
        for name in ("RALPH_TIER",):
            if name in os.environ:
                self.env[name] = os.environ[name]
        home.mkdir(exist_ok=True)
        (home.parent / "tmp").mkdir(exist_ok=True)
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "User")
        self.git("config", "user.email", "user@localhost")
        self.write(
            "test.sh",
            'test "$(cat answer 2>/dev/null)" = 42 || { echo "FAILED: the answer is not 42"; exit 1; }\n',
        )
        self.write("ralph.yml", CONFIG)
        self.write("PROMPT.md", "Write 42 into the file `answer`.\n")
        self.write(".gitignore", ".ralph/\n.ralph_state.md\n.ralph.lock\nralph.log\n.stop\n")
        self.agent("echo 42 > answer; echo TASK_COMPLETE")
        self.commit("begin")

    def write(self, name: str, text: str, *, executable: bool = False) -> Path:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if executable:
            path.chmod(0o755)
        return path

    def agent(self, body: str) -> None:
        """What the agent does in every iteration: a shell script. $RALPH_ITERATION is its number."""
        self.write("agent.sh", f"#!/bin/sh\ncat > /dev/null\n{body}\n", executable=True)

    def config(self, text: str) -> None:
        """Gates are asked once, unless the test says otherwise: most tests count their runs."""
        if "flaky_passes" not in text:
            json = text.startswith("{")
            text = f'{{"flaky_passes": 1, {text[1:]}' if json else f"{text.rstrip()}\nflaky_passes: 1\n"
        self.write("ralph.yml", text)

    def commit(self, message: str = "change") -> str:
        self.git("add", "-A")
        self.git("commit", "-qm", message)
        return self.git("rev-parse", "HEAD")

    def git(self, *arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env=self.env, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def ralph(
        self,
        *arguments: str,
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
        timeout: float = 120,
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [RALPH, *arguments],
            cwd=cwd or self.path,
            env=self.env | (env or {}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
        )

    def shell(self, line: str) -> subprocess.CompletedProcess[str]:
        """A line as a user would type it into bash."""
        return subprocess.run(
            ["bash", "-c", line], cwd=self.path, env=self.env, capture_output=True, text=True, timeout=120
        )

    def start(self, *arguments: str, env: dict[str, str] | None = None) -> subprocess.Popen[str]:
        """In the background, in a session of its own, output to files beside the project."""
        out = open(self.path.parent / "run.out", "a")
        return subprocess.Popen(
            [RALPH, *arguments],
            cwd=self.path,
            env=self.env | (env or {}),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def facts(self, kind: str = "*") -> list[dict[str, Any]]:
        """The journal's facts of this kind, newest last; each with its `seq`. As `ralph events --json` has them, which
        would take a quarter of a second each time."""
        assert any(fnmatchcase(known, kind) for known in KINDS), kind
        state = self.path / ".git/ralph"
        if not state.is_dir():
            state = (find(self.path) or without_git(self.path)).state_dir
        found = [record for record in history(state) if fnmatchcase(record.kind, kind)]
        told = [msgspec.json.decode(masked.fact(record.kind, record.data)) for record in found]
        return [
            data | {"seq": record.seq, "kind": record.kind} for data, record in zip(told, found, strict=True)
        ]

    def end(self) -> dict[str, Any]:
        return self.facts("loop.ended")[-1]

    def prompt(self, which: int = -1) -> str:
        """The prompt of an iteration, as it was stored when the iteration started."""
        name = self.facts("iteration.started")[which]["prompt"]
        return (self.path / ".git/ralph/blobs" / name).read_text()

    def journaled(self, kind: str) -> int:
        """How many facts of this kind the journal has now; reads the file itself, so it is cheap to poll."""
        try:
            text = (self.path / ".git/ralph/journal.jsonl").read_text()
        except FileNotFoundError:
            return 0
        return sum(f'"kind":"{kind}"' in line for line in text.splitlines())

    def mark(self, name: str) -> bool:
        """Whether an agent or gate has left this mark: `touch $HOME/name`."""
        return (Path(self.env["HOME"]) / name).exists()

    def shown(self) -> str:
        """What the runs in the background have printed."""
        return (self.path.parent / "run.out").read_text()

    def user_state(self) -> dict[str, str]:
        """What of the user's Ralph must never touch."""
        return {
            "head": (self.path / ".git/HEAD").read_text(),
            "index": (self.path / ".git/index").read_bytes().hex(),
            "refs": "\n".join(
                line
                for line in self.git("for-each-ref").splitlines()
                if not any(f"\t{own}" in line for own in ("refs/ralph/", "refs/heads/wip/ralph-fail-"))
            ),
            "stash": self.git("stash", "list"),
            "hooks": ",".join(sorted(p.name for p in (self.path / ".git/hooks").iterdir())),
            "config": (self.path / ".git/config").read_text(),
        }


class Terminal:
    """`ralph` on a real terminal, whose keys the test presses."""

    def __init__(self, project: Project, *arguments: str) -> None:
        self._fd, theirs = pty.openpty()
        self.shown = ""
        self.process = subprocess.Popen(
            [RALPH, *arguments],
            cwd=project.path,
            env=project.env | {"TERM": "xterm"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(theirs)
        os.set_blocking(self._fd, False)

    def await_text(self, text: str) -> None:
        until(lambda: text in self._read(), f"the terminal shows {text!r}")

    def press(self, keys: str) -> None:
        os.write(self._fd, keys.encode())

    def end(self) -> int:
        """Its exit code. What it still prints is read, or it could not end."""
        until(lambda: self._read() is not None and self.process.poll() is not None, "the program ends")
        self._read()
        os.close(self._fd)
        return self.process.returncode

    def hang_up(self) -> None:
        os.close(self._fd)

    def _read(self) -> str:
        try:
            while data := os.read(self._fd, 65536):
                self.shown += data.decode("utf-8", "replace")
        except OSError:  # nothing now, or nobody holds the other side any more
            pass
        return self.shown


def until(condition: Callable[[], Any], what: str, seconds: float = 60) -> Any:
    """Wait for something to become true; a deadline, not a duration."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"did not happen: {what}")


def processes_with(token: str) -> list[int]:
    """Every process whose command line or environment holds this token, found independently of Ralph."""
    return list(_scan(token.encode()))


def _scan(token: bytes) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            found = token in (entry / "cmdline").read_bytes() or token in (entry / "environ").read_bytes()
            if found and "Z" not in (entry / "stat").read_text().rpartition(")")[2].split()[0]:
                yield int(entry.name)
        except (OSError, IndexError):
            continue


def end_processes(token: str) -> None:
    for pid in processes_with(token):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def only(folder: Path, *names: str) -> Path:
    """A folder for PATH in which these programs are, and no others."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).symlink_to(str(shutil.which(name)))
    return folder


def contents(root: Path) -> dict[str, tuple[int, bytes]]:
    """Every file, link and folder below `root`, .git included: what "nothing changed" is measured by."""
    found = {}
    for path in root.rglob("*"):
        mode = path.lstat().st_mode
        if path.is_symlink():
            found[str(path.relative_to(root))] = (mode, os.fsencode(path.readlink()))
        else:
            found[str(path.relative_to(root))] = (mode, path.read_bytes() if path.is_file() else b"")
    return found
