"""A project in which a scenario is played by the real `ralph`, through its command line only: nothing of Ralph is imported here.

The folder of a world always has a path of the same length, so that sizes, line breaks and numbers of characters do not depend
on where it is; the environment is the same on every machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

LENGTH = 64  # of a world's path
DEADLINE = 120.0
IGNORED = ".ralph/\n.ralph_state.md\n.ralph.lock\nralph.log\n.stop\n"
TEST = 'test "$(cat answer 2>/dev/null)" = 42 || { echo "FAILED: the answer is not 42"; exit 1; }\n'


class Step(NamedTuple):
    """What a person does: `what` is run, start, mark, fact, shell, signal, wait or gone."""

    what: str
    words: tuple[str, ...] = ()


def run(*words: str) -> Step:
    return Step("run", words)


def start(*words: str) -> Step:
    """In the background; `wait` or `signal` follow."""
    return Step("start", words)


def mark(name: str) -> Step:
    """Wait until an agent or gate has said `touch $HOME/name`."""
    return Step("mark", (name,))


def fact(kind: str, number: int = 1) -> Step:
    """Wait until the journal has so many facts of this kind."""
    return Step("fact", (kind, str(number)))


def shell(line: str) -> Step:
    return Step("shell", (line,))


KILL = Step("signal", ("SIGKILL",))
INTERRUPT = Step("signal", ("SIGINT",))
WAIT = Step("wait")


class Ran(NamedTuple):
    command: tuple[str, ...]
    code: int
    shown: str


class World:
    def __init__(self, root: Path) -> None:
        assert len(str(root)) == LENGTH
        self.root = root
        self.project = root / "project"
        self.home = root / "home"
        self.state = self.project / ".git/ralph"
        # How Ralph names the folder of a repository's workspaces.
        self.key = "project-" + hashlib.sha256(os.fsencode(self.project / ".git")).hexdigest()[:8]
        self.env = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "TMPDIR": str(root / "tmp"),
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "COLUMNS": "100",
            "USER": "user",
            "LOGNAME": "user",
            "GIT_CONFIG_NOSYSTEM": "1",
            "RALPH_TIER": "reaper",
        }
        self._running: subprocess.Popen[str] | None = None
        self._started: tuple[str, ...] = ()

    # -- making

    def make(self) -> None:
        for folder in (self.project, self.home, self.root / "tmp"):
            folder.mkdir()
        self.git("init", "-q", "-b", "main", "--template=")
        self.git("config", "user.name", "User")
        self.git("config", "user.email", "user@localhost")
        self.git("config", "core.logAllRefUpdates", "false")
        self.write("test.sh", TEST)
        self.write(".gitignore", IGNORED)

    def write(self, name: str, text: str) -> None:
        path = self.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if name.endswith(".sh"):
            path.chmod(0o755)

    def commit(self) -> None:
        self.git("add", "-A")
        date = "2026-01-01T00:00:00Z"
        self._do(["git", "commit", "-qm", "begin"], GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)

    # -- doing

    def git(self, *words: str) -> str:
        return self._do(["git", *words]).stdout.strip()

    def _do(self, words: list[str], **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, cwd=self.project, env=self.env | env, capture_output=True, text=True, check=True
        )

    def ralph(self, *words: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "ralph", *words],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=2 * DEADLINE,
        )
        return Ran(words, done.returncode, done.stdout)

    def play(self, steps: tuple[Step, ...]) -> list[Ran]:
        found: list[Ran] = []
        try:
            for step in steps:
                found += self._step(step.what, step.words)
        finally:
            if self._running is not None:
                self._running.kill()
                self._running.wait()
        return found

    def _step(self, what: str, words: tuple[str, ...]) -> list[Ran]:
        match what:
            case "run":
                return [self.ralph(*words)]
            case "start":
                self._started = words
                out = open(self.root / "tmp/shown", "w")
                self._running = subprocess.Popen(
                    [sys.executable, "-m", "ralph", *words],
                    cwd=self.project,
                    env=self.env,
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=subprocess.STDOUT,
                    text=True,
                    start_new_session=True,
                    # A shell ignores it for what it starts in the background, and programs leave that so.
                    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                )
            case "mark":
                self._until((self.home / words[0]).exists, f"the mark {words[0]}")
            case "fact":
                self._until(lambda: self._journaled(words[0]) >= int(words[1]), f"{words[1]} x {words[0]}")
            case "shell":
                subprocess.run(["sh", "-c", words[0]], cwd=self.project, env=self.env, check=True)
            case "signal":
                assert self._running is not None
                os.kill(self._running.pid, signal.Signals[words[0]])
                return self._ended()
            case "wait":
                return self._ended()
            case _:
                raise AssertionError(what)
        return []

    def _ended(self) -> list[Ran]:
        """Also everything that it had started is gone by then: what is found dead later does not depend on luck."""
        assert self._running is not None
        code = self._running.wait(2 * DEADLINE)
        self._running = None
        self._until(lambda: not self._processes(), "every process is gone")
        shown = self.root / "tmp/shown"
        text = shown.read_text()
        shown.unlink()
        return [Ran(self._started, code, text)]

    def _processes(self) -> list[int]:
        token = f"HOME={self.home}".encode()
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if token in (entry / "environ").read_bytes():
                        found.append(int(entry.name))
                except OSError:
                    continue
        return found

    def _journaled(self, kind: str) -> int:
        path = self.state / "journal.jsonl"
        return path.read_text().count(f'"kind":"{kind}","data"') if path.exists() else 0

    def _until(self, condition: Callable[[], Any], what: str) -> None:
        deadline = time.monotonic() + DEADLINE
        while not condition():
            assert time.monotonic() < deadline, f"did not happen: {what}"
            if self._running is not None and self._running.poll() is not None and not condition():
                shown = (self.root / "tmp/shown").read_text()
                raise AssertionError(f"the run ended before: {what}\n{shown}")
            time.sleep(0.02)

    # -- looking

    def records(self) -> list[dict[str, Any]]:
        """Of every file of the journal, oldest first."""
        files = [*sorted(self.state.glob("journal-*.jsonl")), self.state / "journal.jsonl"]
        return [json.loads(line) for file in files if file.exists() for line in file.read_text().splitlines()]

    def blob(self, name: str) -> str:
        return (self.state / "blobs" / name).read_text()

    def objects(self) -> dict[str, str]:
        """Object -> its type, of the repository and of clones that are still there."""
        found = {}
        stores = [self.project / ".git", *self.home.glob(".local/state/ralph/workspaces/*/*/.git")]
        for store in stores:
            if store.is_dir():
                listed = self.git(
                    f"--git-dir={store}",
                    "cat-file",
                    "--batch-all-objects",
                    "--batch-check=%(objectname) %(objecttype)",
                )
                found |= dict(line.split() for line in listed.splitlines())
        return found


@contextmanager
def a_world() -> Iterator[World]:
    """A fresh and empty one; it is removed afterwards."""
    base = Path(tempfile.gettempdir()).resolve()
    made = Path(tempfile.mkdtemp(prefix="ralph-golden-", dir=base))
    root = made / ("w" * (LENGTH - len(str(made)) - 1))
    root.mkdir()
    try:
        yield World(root)
    finally:
        shutil.rmtree(made, ignore_errors=True)
