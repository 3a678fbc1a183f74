"""Hooks with the real Claude Code and Codex: a full context, and an agent that ends without a word."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conformance import Place
from install import Installed

from model.serve import Model

FULL = {"usage": {"input": 110_000, "output": 10}}
SMALL = {"usage": {"input": 1_000, "output": 10}}
# Each compacts at 100,000 tokens here, in the way of its own.
COMPACTS: dict[str, dict[str, Any]] = {
    "claude": {"env": {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "100000"}},
    "codex": {"args": ["-c", "model_auto_compact_token_limit=100000"]},
}
BUSY = {"bash": {"command": "n=0; while [ $n -lt 1200 ]; do n=$((n+1)); sleep 0.05; done"}}
CLIS = pytest.mark.parametrize("cli", list(COMPACTS))


@pytest.fixture
def place(cli: str, program: Callable[[str], Installed], model: Model, tmp_path: Path) -> Place:
    return Place(cli, program(cli), model, tmp_path)


def checkpoints(place: Place) -> list[str]:
    return [fact["what"] for fact in place.project.facts("checkpoint")]


def sent(place: Place, turn: int) -> str:
    return json.dumps([r.body for r in place.model.requests("work") if r.turn == turn])


@CLIS
def test_an_agent_whose_context_was_compacted_is_told_to_wrap_up(place: Place) -> None:
    steps = [
        {"bash": {"command": "echo one"}},
        FULL,
        {"write": {"path": "answer", "text": "42\n"}},
        SMALL,
        {"bash": {"command": "echo three"}},
        {"say": {"text": "Wrapped up.\n\nTASK_COMPLETE"}},
    ]
    assert place.run(steps, cli=COMPACTS[place.cli]) == 0, place.shown
    assert checkpoints(place) == ["precompact", "stop"]
    assert "in 300 s Ralph ends this iteration" in sent(place, 3)
    assert "in 300 s Ralph ends this iteration" not in sent(place, 0)


@CLIS
def test_an_agent_that_does_not_wrap_up_is_ended_and_a_fresh_one_goes_on(place: Place) -> None:
    steps = [{"write": {"path": "half", "text": "x\n"}}, FULL, {"bash": {"command": "echo two"}}, SMALL, BUSY]
    more = {"wrap_up_seconds": 0.5, "max_iterations": 2, "iteration_timeout": 60}
    # The second iteration meets the same model, so it ends in the same way: both count, neither is an attempt.
    assert place.run(steps, cli=COMPACTS[place.cli], loop=more) == 8, place.shown
    causes = [fact.get("cause") for fact in place.project.facts("iteration.ended")]
    assert causes == ["context", "context"]
    assert place.project.facts("loop.ended")[-1]["limit"] == "iterations"
    assert "because its context was full" in place.project.prompt(1)
    assert (place.project.path / "half").exists()


@CLIS
def test_an_agent_that_ends_without_signal_and_scratchpad_is_asked_once(place: Place) -> None:
    steps = [
        {"write": {"path": "answer", "text": "42\n"}},
        {"say": {"text": "I think I am finished."}},
        {"say": {"text": "Sorry.\n\nTASK_COMPLETE"}},
    ]
    assert place.run(steps) == 0, place.shown
    assert "Before you end: write the scratchpad" in sent(place, 2)
    assert checkpoints(place) == ["stop"]


@CLIS
def test_an_agent_that_stays_silent_is_let_go(place: Place) -> None:
    steps = [
        {"write": {"path": "part", "text": "x\n"}},
        {"say": {"text": "So."}},
        {"say": {"text": "And so."}},
    ]
    assert place.run(steps) == 8, place.shown
    assert len(place.project.facts("iteration.ended")) == 1
    assert checkpoints(place) == ["stop"]


@CLIS
def test_the_users_own_settings_are_not_touched(place: Place) -> None:
    place.set_up([{"write": {"path": "answer", "text": "42\n"}}, {"say": {"text": "TASK_COMPLETE"}}])
    home = Path(place.project.env["HOME"])
    mine = home / (".claude/settings.json" if place.cli == "claude" else ".codex/hooks.json")
    mine.parent.mkdir(exist_ok=True)
    mark = home / "mine"
    hook = {"hooks": [{"type": "command", "command": f"touch {mark}"}]}
    mine.write_text(json.dumps({"hooks": {"Stop": [hook]}}))
    before = mine.read_text()
    assert place.project.ralph("run").returncode == 0
    assert mine.read_text() == before
    assert mark.exists(), "the user's own hooks go on working"
    assert checkpoints(place) == ["stop"]
