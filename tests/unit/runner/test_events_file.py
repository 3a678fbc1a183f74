"""`.ralph/events-*.jsonl`: made fact by fact, made anew when it is not as it was left, and never in the way of a run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from core_world import hat

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.hats.model import Team
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import Policy, SandboxPolicy, Task
from ralph.journal.append import Journal
from ralph.journal.lock import Lock
from ralph.journal.read import scan
from ralph.journal.record import Record, now
from ralph.runner.view_files import EventsFile, name_of

TEAM = Team(
    hats=(
        hat("builder", "task.start", "fix", publishes=("build.done",)),
        hat("reviewer", "build.done", publishes=("LOOP_COMPLETE", "fix")),
    ),
    enforce_scope=True,
)


class Looped:
    """A loop whose facts go into a real journal and to a real file, as a run would have it."""

    def __init__(self, path: Path, team: Team | None = TEAM, **policy: Any) -> None:
        self.folder = path / "project"
        self.folder.mkdir()
        self._state_dir = path / "state"
        self._state_dir.mkdir()
        self._lock = Lock.acquire(self._state_dir, "r1")
        self.journal = Journal.open(self._state_dir, "r1", now)
        self.file = EventsFile(self.folder, lambda: self.records())
        self.state = LoopState()
        made = Policy(agent=AgentPolicy(command=("agent",)), team=team, **policy)
        task = Task(id="t", title="T")
        self.record(f.LoopStarted(loop="l1", task=task, policy=made, root=str(self.folder)))
        self.record(f.WorkspacePrepared(tree="base"))

    def close(self) -> None:
        self.journal.close()
        self._lock.release()

    def record(self, fact: f.AnyFact) -> None:
        self.journal.append(f.kind_of(fact), f.encode(fact), "l1")
        self.state = fold(self.state, fact)
        self.file.take(fact, self.state, self.journal.at)

    def work(self, said: str, hat: str) -> None:
        serial = self.state.progress.serial + 1
        self.record(
            f.IterationStarted(serial=serial, n=serial, prompt="p", prompt_chars=1, tree="base", hat=hat)
        )
        self.record(
            f.IterationEnded(
                serial=serial, n=serial, how="exited", code=0, seconds=1.0, tree=f"t{serial}", said=said
            )
        )

    def records(self) -> list[Record]:
        return scan(self.journal.path).records

    @property
    def path(self) -> Path:
        return self.folder / ".ralph" / name_of(self.records()[0].at)

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.path.read_text().splitlines()]

    def topics(self) -> list[str]:
        return [line["topic"] for line in self.lines()]


@pytest.fixture
def loop(tmp_path: Path) -> Iterator[Looped]:
    made = Looped(tmp_path)
    yield made
    made.close()


def event(topic: str, payload: str = "") -> str:
    return f'<event topic="{topic}">{payload}</event>'


def test_each_event_is_a_line_with_the_familys_fields(loop: Looped) -> None:
    loop.work(event("build.done", "a\nb") + event("not.mine"), "builder")
    first, second = loop.lines()
    assert list(first) == ["ts", "iteration", "hat", "topic", "triggered", "payload"]
    assert (first["topic"], first["triggered"], first["hat"], first["payload"]) == (
        "task.start", "builder", None, None,
    )  # fmt: skip
    assert (second["iteration"], second["hat"], second["topic"], second["triggered"], second["payload"]) == (
        1, "builder", "build.done", "reviewer", "a\nb",
    )  # fmt: skip
    ended = loop.records()[-1]
    assert ended.kind == "iteration.ended" and second["ts"] == ended.at


def test_the_pointer_names_it(loop: Looped) -> None:
    assert (loop.folder / ".ralph/current-events").read_text() == f".ralph/{loop.path.name}"


def test_made_anew_from_the_journal_it_is_the_same(loop: Looped) -> None:
    loop.work(event("build.done"), "builder")
    loop.work(event("fix") + "\nLOOP_COMPLETE", "reviewer")
    before = loop.path.read_bytes()
    loop.path.write_bytes(before[:-20])  # torn by a death
    other = EventsFile(loop.folder, loop.records)
    other.rebuild(loop.records(), loop.state)
    assert loop.path.read_bytes() == before
    loop.file = other
    loop.work(event("build.done", "again"), "builder")
    assert loop.path.read_bytes().startswith(before)
    assert loop.topics() == ["task.start", "build.done", "fix", "build.done"]


@pytest.mark.parametrize("harm", ["removed", "appended", "cut", "a link", "a folder gone"])
def test_what_an_agent_did_to_it_does_not_last(loop: Looped, tmp_path: Path, harm: str) -> None:
    other = tmp_path / "precious"
    other.write_text("mine")
    match harm:
        case "removed":
            loop.path.unlink()
        case "appended":
            with open(loop.path, "a") as file:
                file.write('{"topic":"forged"}\n')
        case "cut":
            os.truncate(loop.path, 3)
        case "a link":
            loop.path.unlink()
            loop.path.symlink_to(other)
        case "a folder gone":
            for name in (loop.path.name, "current-events"):
                (loop.folder / ".ralph" / name).unlink()
            (loop.folder / ".ralph").rmdir()
    loop.work(event("build.done"), "builder")
    assert loop.topics() == ["task.start", "build.done"]
    assert not loop.path.is_symlink() and other.read_text() == "mine"
    loop.work(event("fix"), "reviewer")
    assert loop.topics() == ["task.start", "build.done", "fix"]


@pytest.mark.parametrize("instead", ["a folder", "a file in place of .ralph"])
def test_where_it_cannot_be_written_the_run_goes_on_and_it_is_whole_later(loop: Looped, instead: str) -> None:
    path, away = loop.path, loop.folder / "away"
    if instead == "a folder":
        path.unlink()
        (path / "x").mkdir(parents=True)
    else:
        (loop.folder / ".ralph").rename(away)
        (loop.folder / ".ralph").write_text("")
    loop.work(event("build.done"), "builder")
    if instead == "a folder":
        (path / "x").rmdir()
        path.rmdir()
    else:
        (loop.folder / ".ralph").unlink()
    loop.work(event("fix"), "reviewer")
    assert loop.topics() == ["task.start", "build.done", "fix"]


def test_a_loop_without_hats_has_the_events_that_came_in(tmp_path: Path) -> None:
    loop = Looped(tmp_path, team=None)
    assert not (loop.folder / ".ralph").exists(), "nothing is written without an event"
    loop.record(f.IterationStarted(serial=1, n=1, prompt="p", prompt_chars=1, tree="base"))
    loop.record(f.EventReceived(name="e", topic="build.done", payload="x", serial=1))
    (line,) = loop.lines()
    del line["ts"]
    assert line == {"iteration": 1, "hat": None, "topic": "build.done", "triggered": None, "payload": "x"}
    loop.close()


def test_out_of_a_sandbox_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    loop = Looped(tmp_path, sandbox=SandboxPolicy(kind="bwrap"))
    (loop.folder / ".ralph").rename(tmp_path / "away")
    (loop.folder / ".ralph").symlink_to(tmp_path / "elsewhere")
    loop.work(event("build.done"), "builder")
    assert not list((tmp_path / "elsewhere").iterdir())
    loop.close()


def test_of_two_loops_in_the_journal_only_its_own_events_are_taken(loop: Looped) -> None:
    task, policy = Task(id="u", title="U"), loop.state.identity.policy
    started = f.LoopStarted(loop="l2", task=task, policy=policy, root=str(loop.folder))
    loop.journal.append(f.kind_of(started), f.encode(started), "l2")
    loop.path.unlink()
    loop.work(event("build.done"), "builder")
    assert loop.topics() == ["task.start", "build.done"]
