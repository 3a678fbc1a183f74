"""What people say to a task reaches its loop, and what a loop waits for gives the task back."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from fleet import FleetServer
from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.fleet import requests as r
from ralph.core.fleet.worker import CallFailure, WorkerTiming
from ralph.core.loop.fold import fold_all
from ralph.core.policy import Policy, Task
from ralph.git.repo import find
from ralph.runner.operations import moment_in
from ralph.worker.claim_folder import ClaimFolder
from ralph.worker.links import OUT_OF_REACH, LineWriter, Recorded, Waits, decode_from_engine
from ralph.worker.reporter import FactReporter, LoopWaits
from ralph.worker.savepoints import Savepoints
from remote_project import CONFIG, RemoteProject

HELD = """\
iterations:
  - - run: touch {place}/begun; while ! test -e {place}/go; do sleep 0.05; done
    - say: ITERATION_DONE
  - - write: {{path: greeting, text: "hello, world\\n"}}
    - say: TASK_COMPLETE
"""
ASKS = """\
iterations:
  - - emit: {topic: human.interact, payload: "which world?"}
    - say: ITERATION_DONE
  - - write: {path: greeting, text: "hello, world\\n"}
    - say: TASK_COMPLETE
"""


def test_what_a_person_says_is_heard_once_and_taken_by_a_fact(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    remote.commit({"agent.yml": HELD.format(place=tmp_path)})
    server.create()
    server.say("say", "before it began")
    workers()
    server.wait((tmp_path / "begun").exists)
    server.say("say", "while it worked")
    server.wait(lambda: sum(isinstance(x, f.Said) for x in server.facts()) == 2)
    (tmp_path / "go").touch()
    server.wait(lambda: server.task().phase == "land")
    said = [(x.text, x.by) for x in server.facts() if isinstance(x, f.Said)]
    assert said == [("before it began", "pat"), ("while it worked", "pat")]
    assert server.store.read(lambda tx: tx.messages("t1")) == ()


def test_what_is_said_just_before_an_iteration_ends_is_heard_before_its_claim_is_taken(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    """However seldom the worker asks by itself: the next iteration reads it, and its claim counts."""
    script = HELD.replace("say: ITERATION_DONE", "say: TASK_COMPLETE").replace(
        "  - - run: touch", '  - - write: {{path: greeting, text: "hello, world\\n"}}\n    - run: touch', 1
    )
    remote.commit({"agent.yml": script.format(place=tmp_path)})
    server.create()
    workers(timing=WorkerTiming(heartbeat=600, cut=3600, turn=3600, idle=0.05))
    server.wait((tmp_path / "begun").exists)
    server.wait(lambda: any(isinstance(x, f.IterationStarted) for x in server.facts()))
    server.say("say", "greet them twice")
    (tmp_path / "go").touch()
    server.wait(lambda: server.task().phase == "land")
    kinds = [type(x) for x in server.facts()]
    assert kinds.index(f.Said) < kinds.index(f.IterationEnded)
    assert server.task().progress.ralph_iterations == 2


def test_a_pause_parks_the_task_until_someone_continues_it(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    remote.commit({"agent.yml": HELD.format(place=tmp_path)})
    server.create()
    workers()
    server.wait((tmp_path / "begun").exists)
    server.say("pause")
    server.wait(lambda: any(isinstance(x, f.Paused) for x in server.facts()))
    (tmp_path / "go").touch()
    server.wait(lambda: not server.task().is_held)
    parked = server.task()
    assert (parked.status, parked.not_before > 0, parked.progress.end) == ("pending", True, "")
    server.say("continue")
    server.wait(lambda: server.task().phase == "land")
    assert any(isinstance(x, f.Continued) for x in server.facts())
    assert server.task().progress.ralph_iterations == 2


@pytest.mark.parametrize(("waited", "parked"), [(0.0, True), (1000.0, False)])
def test_a_wait_is_parked_for_what_is_left_of_it(
    tmp_path: Path, remote: RemoteProject, waited: float, parked: bool
) -> None:
    """Claimed again when it is over, the loop continues; it is not parked for as long once more."""
    repo = find(remote.work)
    assert repo is not None
    read, write = os.pipe()
    savepoints = Savepoints(repo, ClaimFolder(tmp_path).keep, None)
    reporter = FactReporter(ClaimFolder(tmp_path), repo, LineWriter(write), savepoints, 60.0)
    started = f.LoopStarted("l", Task("t", "t"), Policy(agent=AgentPolicy()), root=str(repo.root))
    wait = f.WaitStarted(op="w", what="quota", seconds=900.0, until=moment_in(900.0 - waited))
    with pytest.raises(LoopWaits) if parked else nullcontext():
        reporter.fact(wait, fold_all([started, wait]))
    told = [decode_from_engine(line) for line in os.read(read, 1 << 16).splitlines()]
    assert isinstance(told[0], Recorded)
    waits = [one for one in told if isinstance(one, Waits)]
    assert [(0 < one.seconds <= 900, one.quota) for one in waits] == [(True, True)] * parked
    os.close(read)
    os.close(write)


def test_an_answer_lets_a_loop_continue_that_asked(
    server: FleetServer, remote: RemoteProject, workers: Any
) -> None:
    remote.commit({"agent.yml": ASKS})
    server.create()
    workers()
    server.wait(lambda: server.task().status == "blocked")
    assert "which world?" in server.task().reason
    server.say("answer", "this one")
    server.wait(lambda: server.task().phase == "land")
    assert [x.text for x in server.facts() if isinstance(x, f.Answered)] == ["this one"]
    assert server.store.read(lambda tx: tx.messages("t1")) == ()


def test_a_person_stops_a_loop_and_it_waits_for_their_next_word(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path
) -> None:
    remote.commit({"agent.yml": HELD.format(place=tmp_path)})
    server.create()
    workers()
    server.wait((tmp_path / "begun").exists)
    server.say("stop")
    server.wait(lambda: any(isinstance(x, f.StopRequested) for x in server.facts()))
    (tmp_path / "go").touch()
    server.wait(lambda: not server.task().is_held)
    assert server.task().progress.end == "stopped" and server.task().not_before > 0
    server.say("say", "go on")
    server.wait(lambda: server.task().phase == "land")


def test_a_plan_that_is_not_there_blocks_the_task_and_is_named(server: FleetServer, workers: Any) -> None:
    server.create(ralph_plan_path="docs/plan.md")
    workers()
    server.wait(lambda: server.task().status == "blocked")
    assert "docs/plan.md" in server.task().reason


def test_what_was_refused_begins_anew_when_it_is_corrected(
    server: FleetServer, remote: RemoteProject, workers: Any
) -> None:
    server.create(ralph_plan_path="docs/plan.md")
    workers()
    server.wait(lambda: server.task().status == "blocked")
    remote.commit({"docs/plan.md": "greet the world\n"})
    server.ask(r.RetryTask("t1"))
    server.wait(lambda: server.task().phase == "land")


def test_a_configuration_that_is_wrong_blocks_the_task(
    server: FleetServer, remote: RemoteProject, workers: Any
) -> None:
    remote.commit({"ralph.yml": "gates: [{nam: tests}]\n"})
    server.create()
    workers()
    server.wait(lambda: server.task().status == "blocked")
    assert "ralph.yml" in server.task().reason


def test_a_loop_that_was_held_while_the_server_was_away_continues_by_itself(
    server: FleetServer, remote: RemoteProject, workers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = tmp_path / "begun"
    remote.commit({"agent.yml": HELD.format(place=tmp_path)})
    server.create()
    timing = WorkerTiming(heartbeat=0.3, cut=2.0, idle=0.05, backoff=0.05, longest_backoff=0.2)
    worker = workers(timing=timing).worker
    server.wait(begun.exists)
    with monkeypatch.context() as away:
        away.setattr(server.transport, "send", lambda request: CallFailure("unreachable"))
        server.wait(lambda: worker.protocol.claims["t1"].cut)
        begun.unlink()
    server.wait(begun.exists)
    (tmp_path / "go").touch()
    server.wait(lambda: server.task().phase == "land")
    assert [x.by for x in server.facts() if isinstance(x, f.Paused)] == [OUT_OF_REACH]


def test_a_task_may_ask_for_an_agent_by_name(
    server: FleetServer, workers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho codex-cli 9.9.9\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    server.create(agent="codex")
    workers()
    server.wait(lambda: any(isinstance(x, f.LoopStarted) for x in server.facts()))
    started = next(x for x in server.facts() if isinstance(x, f.LoopStarted))
    assert [one.backend for one in started.policy.agents] == ["codex"], "ralph.yml names the scripted one"


def test_an_agent_that_is_not_known_blocks_the_task_and_is_named(server: FleetServer, workers: Any) -> None:
    server.create(agent="cladue")
    workers()
    server.wait(lambda: server.task().status == "blocked")
    assert "there is no agent cladue; known: " in server.task().reason


def test_a_task_is_tried_again_with_a_higher_limit_and_the_others_stay(
    server: FleetServer, remote: RemoteProject, workers: Any
) -> None:
    remote.commit({"ralph.yml": f"{CONFIG}event_loop: {{max_attempts: 7}}\n"})
    server.create(ralph_max_iterations=1)
    workers()
    server.wait(lambda: server.task().status == "failed")
    assert server.task().progress.rejected == 1
    server.ask(r.RetryTask("t1", limits={"max_iterations": 3}))
    server.wait(lambda: server.task().phase == "land")
    (resumed,) = [x for x in server.facts() if isinstance(x, f.LoopResumed)]
    assert resumed.limits is not None
    assert (resumed.limits.max_iterations, resumed.limits.max_attempts) == (3, 7)
    assert server.task().spec.ralph_max_iterations == 3
    assert server.task().progress.rejected == 1, "the second iteration's claim was accepted"
