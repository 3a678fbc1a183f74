"""`ralph demo --fleet`: a server, two workers, a lander and a repository behind them. The worker with the task is killed
half-way, the other continues the loop, and the lander puts its work onto main. Everything is real but the agent, and gone
afterwards."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import msgspec

from ralph.core import facts as f
from ralph.core.fleet import requests as r
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.errors import RalphError
from ralph.server.serve import die_with_parent
from ralph.server.temporary_postgresql import NoPostgresql, TemporaryPostgresql
from ralph.terminal.lines import lines
from ralph.text import count
from ralph.worker.http import HttpClient
from ralph.worker.transport import Unreachable

# Name, role of the token, further options of `ralph worker`.
TEAM: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("ann", "worker", ()),
    ("bob", "worker", ()),
    ("lea", "lander", ("--land",)),
)
LANDERS = {name for name, role, _ in TEAM if role == "lander"}
TARGET = "main"

REPOSITORY = "stats"
AGAIN = "Try again; `ralph doctor` shows what is missing on this machine."
LEASE = 5  # seconds
KILLED_IN = 3  # iteration
LOOK = 0.1  # seconds between two looks at the task
PATIENCE = 600.0  # seconds
OVER = ("complete", "failed", "blocked", "cancelled")


def run_fleet_demo(folder: Path, remote: Path, task: str, env: Mapping[str, str]) -> int:
    """`folder` is for what the fleet keeps; `remote` a bare repository with a `ralph.yml`."""
    fleet = DemoFleet(folder, env)
    try:
        fleet.start()
        return fleet.go(remote, task)
    finally:
        fleet.end()


class DemoFleet:
    def __init__(self, folder: Path, env: Mapping[str, str]) -> None:
        self._folder = folder
        self._env = dict(env)
        self._processes: dict[str, subprocess.Popen[str]] = {}
        self._postgresql: TemporaryPostgresql | None = None
        self._client = HttpClient("127.0.0.1", "")

    # -- its processes

    def start(self) -> None:
        db = str(self._folder / "server.db")
        try:
            self._postgresql = TemporaryPostgresql()
            db, what = self._postgresql.url(), "PostgreSQL"
        except NoPostgresql:
            what = "SQLite, because no PostgreSQL can be started here"
        url, token = self._serve(db)
        self._client = HttpClient(url, token)
        workers, landers = (
            " and ".join(name for name, role, _ in TEAM if role == wanted) for wanted in ("worker", "lander")
        )
        click.echo(f"The server listens on {url} and keeps its tasks in {what}.")
        click.echo(f"{workers} work for it; {landers} lands what is proven on {TARGET}.")
        self._db = db
        for name, role, options in TEAM:
            secret = self._ask("POST", "/api/tokens", {"name": name, "role": role})["secret"]
            state = str(self._folder / name)
            command = ("worker", "--server", url, "--name", name, "--state", state, *options)
            self._start(name, command, {"RALPH_SERVER_TOKEN": secret})

    def _serve(self, db: str) -> tuple[str, str]:
        """Its address, and the first token."""
        process = self._start(
            "server", ("serve", "--port", "0", "--db", db, "--lease-seconds", str(LEASE)), {}
        )
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            found = re.search(r"(http://[\d.:]+)[\s\S]*RALPH_SERVER_TOKEN=(\S+)", said)
            if found:
                return found[1], found[2]
        raise RalphError(f"the server did not start: {said}", todo=AGAIN, code=70)

    def _start(self, name: str, command: Sequence[str], more: Mapping[str, str]) -> subprocess.Popen[str]:
        with open(self._folder / f"{name}.log", "w") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "ralph", *command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE if name == "server" else log,
                stderr=log,
                text=True,
                cwd=self._folder,
                env=self._env | dict(more),
                start_new_session=True,
                preexec_fn=die_with_parent if sys.platform == "linux" else None,
            )
        self._processes[name] = process
        return process

    def end(self) -> None:
        for process in reversed(self._processes.values()):
            with suppress(ProcessLookupError):
                process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
        if self._postgresql is not None:
            self._postgresql.stop()

    # -- the story

    def go(self, remote: Path, task: str) -> int:
        self._ask("PUT", f"/api/repositories/{REPOSITORY}", {"url": str(remote), "target": TARGET})
        new = {"task": task, "ralphPromise": "all tests pass", "repository": REPOSITORY}
        id = self._ask("POST", "/api/tasks", new)["id"]
        story, killed, holder = TaskStory(), "", ""
        ends = time.monotonic() + PATIENCE
        while True:
            found = self._ask("GET", f"/api/tasks/{id}")
            if found["worker"] and found["worker"] != holder:
                holder = found["worker"]
                click.echo(f"\n{_taken_by(holder, killed, story)}")
            for line in story.more(self._facts(id, story.known)):
                click.echo(f"  {line}")
            if found["status"] in OVER:
                break
            if not killed and story.iteration == KILLED_IN and holder:
                killed = holder
                self._processes[killed].send_signal(signal.SIGKILL)
                click.echo(f"\nkill -9 {killed}, in the middle of iteration {KILLED_IN}.")
            if time.monotonic() > ends:
                raise RalphError(f"the task is still {found['status']}", todo=AGAIN, code=70)
            time.sleep(LOOK)
        return self._sum_up(found, remote)

    def _sum_up(self, task: dict[str, Any], remote: Path) -> int:
        reason = task["reason"] or task["result"].get("reason", "")
        click.echo(f"\nThe task is {task['status']}: {reason}.")
        log = ["git", "-C", str(remote), "log", "--oneline", "--stat", "-1", TARGET]
        shown = subprocess.run(log, stdout=subprocess.PIPE, text=True, check=True).stdout
        click.echo(f"The last commit on {TARGET} of the remote:\n")
        click.echo(textwrap.indent(shown, "  "))
        command = [sys.executable, "-m", "ralph", "server", "check", "--db", self._db]
        checked = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=self._env)
        click.echo(f"`ralph server check`: {checked.stdout.strip()}")
        return checked.returncode or int(task["status"] != "complete")

    def _facts(self, id: str, after: int) -> tuple[f.AnyFact, ...]:
        content = self._content("GET", f"/api/tasks/{id}/facts?after={after}")
        page = msgspec.json.decode(content, type=r.FactsPage)
        return tuple(f.decode(sent.body) for sent in page.facts)

    def _ask(self, method: str, path: str, body: object = None) -> Any:
        return msgspec.json.decode(self._content(method, path, body))

    def _content(self, method: str, path: str, body: object = None) -> bytes:
        try:
            status, content = self._client.ask(
                method, path, None if body is None else msgspec.json.encode(body)
            )
        except Unreachable as error:
            raise RalphError(f"the server does not answer: {error}", todo=AGAIN, code=70)
        if status >= 300:
            raise RalphError(
                f"{method} {path}: {status} {content.decode(errors='replace')}", todo=AGAIN, code=70
            )
        return content


def _taken_by(holder: str, killed: str, story: TaskStory) -> str:
    if holder in LANDERS:
        return f"{holder} merges it with {TARGET}, and judges the result."
    if killed:
        return f"{holder} continues the task, from where {killed} was: {story.so_far}."
    return f"{holder} has the task."


class TaskStory:
    """The task's facts so far, as lines for a person."""

    def __init__(self) -> None:
        self.known = 0
        self.iteration = 0  # that is under way
        self._state = LoopState()

    @property
    def so_far(self) -> str:
        iterations, attempts = self._state.progress.iterations, self._state.judgement.attempts
        return f"{count(iterations, 'iteration')}, {count(attempts, 'rejected claim')}"

    def more(self, facts: Sequence[f.AnyFact]) -> list[str]:
        said: list[str] = []
        for fact in facts:
            self._state = fold(self._state, fact)
            said += lines(fact, self._state)
            if isinstance(fact, f.IterationStarted):
                self.iteration = fact.n
        self.known += len(facts)
        return said
