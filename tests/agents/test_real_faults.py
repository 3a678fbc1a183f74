"""Faults of the real CLIs are facts, not iterations: waits that are bounded, shown and outlive Ralph; ends that say why;
another agent that goes on.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from install import Installed
from loops import CLAIM, STEP, Loop
from project import end_processes, until

from model.serve import Model

Program = Callable[[str], Installed]

SOON = {"name": "usage-limit", "resets_in": 3}
LATER = {"name": "usage-limit", "resets_in": 3600}
# Claude Code reads a reset time only as a subscriber.
AS_USER: dict[str, dict[str, Any]] = {"claude": {"subscription": True}, "codex": {}}
ANSWER = ({"write": {"path": "answer", "text": "42\n"}}, CLAIM)


@pytest.fixture
def loop(program: Program, model: Model, tmp_path: Path) -> Iterator[Loop]:
    yield Loop(tmp_path, model, {cli: program(cli) for cli in ("claude", "codex")})
    end_processes(str(tmp_path))


@pytest.mark.parametrize("cli", ["claude", "codex"])
def test_a_limit_is_waited_for_until_it_is_over_whatever_happens_to_ralph(cli: str, loop: Loop) -> None:
    loop.script(cli, ANSWER, [LATER], **AS_USER[cli])
    loop.configure(cli, loop={"max_wait": "2h"})
    project = loop.project
    run = project.start("run")
    until(lambda: project.journaled("wait.started") == 1, "the wait begins")
    (ended,) = loop.ended()
    (wait,) = project.facts("wait.started")
    until_then = datetime.fromisoformat(wait["until"]).timestamp()
    assert abs(until_then - datetime.fromisoformat(ended["back_at"]).timestamp()) < 60
    assert 3000 < wait["seconds"] <= 3600 + 60, "codex names a minute, not a second"
    shown = project.ralph("status").stdout
    assert "waiting     quota until" in shown and "limit" in shown.partition("waiting")[2]
    assert "iterations  0 of 8" in shown

    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    again = project.start("resume")
    until(lambda: project.journaled("wait.started") == 2, "the wait goes on after a death")
    os.killpg(again.pid, signal.SIGINT)
    assert again.wait(60) == 130, project.shown()
    assert project.end()["end"] == "interrupted"
    third = project.start("resume")
    until(lambda: project.journaled("wait.started") == 3, "the wait goes on after an interruption")
    assert {w["until"] for w in project.facts("wait.started")} == {wait["until"]}
    assert project.ralph("stop").returncode == 0
    assert third.wait(60) == 12, project.shown()
    assert len(project.facts("iteration.started")) == 1


def test_after_the_reset_the_same_iteration_is_done(loop: Loop) -> None:
    loop.script("claude", ANSWER, [{**SOON, "first": 1}], subscription=True)
    loop.configure("claude", loop={"max_iterations": 1, "max_wait": 60})
    done = loop.run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert [(i["serial"], i["n"]) for i in loop.project.facts("iteration.started")] == [(1, 1), (2, 1)]
    assert [w["elapsed"] for w in loop.project.facts("wait.ended")] == [True]
    assert "1 iteration, 0 attempts rejected" in done.stdout


def test_a_limit_longer_than_allowed_ends_the_loop(loop: Loop) -> None:
    loop.script("codex", ANSWER, [LATER])
    loop.configure("codex", loop={"max_wait": 60})
    done = loop.run()
    assert done.returncode == 9, done.stdout + done.stderr
    assert loop.project.end()["end"] == "quota" and "60 s are allowed" in done.stdout
    assert "Next: Continue when the quota is back: `ralph resume`." in done.stdout
    assert loop.project.facts("wait.started") == []


def test_an_overload_is_backed_off_from_and_is_no_iteration(loop: Loop) -> None:
    # As many as one process meets, which tries again by itself; should it be fewer, there is a second wait.
    loop.script("codex", ANSWER, [{"name": "500", "first": 4}], retries=1)
    loop.configure("codex", loop={"max_iterations": 1})
    done = loop.run()
    assert done.returncode == 0, done.stdout + done.stderr
    waits = loop.project.facts("wait.started")
    assert [w["what"] for w in waits] == ["overload"] * len(waits) and waits
    assert 0.75 * 5 <= waits[0]["seconds"] <= 1.25 * 5
    assert [i["n"] for i in loop.project.facts("iteration.started")] == [1] * (len(waits) + 1)


@pytest.mark.parametrize(
    ("cli", "name", "mended"),
    [
        ("claude", "401", "Log in with `claude auth login` (or set ANTHROPIC_API_KEY), then `ralph resume`."),
        ("codex", "401", "Log in with `codex login`, then `ralph resume`."),
        ("claude", "unknown-model", "Name a model that the agent has: `cli.model`"),
        ("codex", "unknown-model", "Name a model that the agent has: `cli.model`"),
    ],
)
def test_an_agent_of_no_use_ends_the_loop_at_once_and_says_how_to_mend_it(
    cli: str, name: str, mended: str, loop: Loop
) -> None:
    loop.script(cli, ANSWER, [{"name": name}])
    loop.configure(cli)
    done = loop.run()
    assert done.returncode == 10, done.stdout + done.stderr
    assert len(loop.ended()) == 1 and loop.project.facts("wait.started") == []
    end = loop.project.end()
    assert end["end"] == "agent-unusable" and end["reason"] == loop.ended()[0]["fault_text"]
    assert f"Next: {mended}" in done.stdout


def test_another_agent_goes_on_and_the_first_comes_back_with_its_quota(loop: Loop) -> None:
    loop.script("claude", ANSWER, [{**SOON, "first": 1}], subscription=True)
    loop.script("codex", [STEP, {"say": {"text": "A part.\n\nITERATION_DONE"}}])
    loop.project.write("step.sh", "echo part >part; sleep 4\n")
    loop.configure("claude", fallback=["codex"])
    done = loop.run()
    assert done.returncode == 0, done.stdout + done.stderr
    started = loop.project.facts("iteration.started")
    assert [(i.get("agent", 0), i["n"]) for i in started] == [(0, 1), (1, 1), (0, 2)]
    assert "agent codex goes on" in done.stdout and "agent claude should be back" in done.stdout
    assert loop.project.facts("wait.started") == []
    assert (loop.project.path / "part").exists()


def test_another_agent_goes_on_to_the_end_for_one_that_is_not_logged_in(loop: Loop) -> None:
    loop.script("claude", ANSWER, [{"name": "401"}])
    loop.script("codex", ANSWER)
    loop.configure("claude", fallback=["codex"])
    done = loop.run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert [i.get("agent", 0) for i in loop.project.facts("iteration.started")] == [0, 1]
    assert loop.project.facts("agent.back") == []
    assert "1 iteration, " in done.stdout
