"""The other half of the suite over all adapters: how the real CLIs fail and are ended, and what Ralph makes of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cases
import clis
import pytest
from conformance import ANSWER, DONE, EVERY, SLOW, Place
from install import Installed
from project import processes_with, until
from results import shows

from model.serve import Model

Seen = Callable[[str, str], None]
FAULTS = {
    "429": "rate-limit",
    "429-wait": "rate-limit",
    "usage-limit": "quota",
    "500": "overload",
    "529": "overload",
    "cut": "overload",
    "hang": "overload",
    "401": "credentials",
    "unknown-model": "unusable",
    "too-long": "unusable",
}
ENDS = {"quota": 9, "rate-limit": 9, "overload": 9, "credentials": 10, "unusable": 10}
MORE = {
    "429-wait": cases.Case(({"name": "429", "retry_after": 3600},)),
    "hang": cases.Case(({"name": "hang"},), {"reply_seconds": 3}),
    "cut": cases.Case(({"name": "cut"},)),
}
# These CLIs try again or wait without a word: Ralph's limit for agents that show no sign of life ends them.
SILENT = {
    ("codex", "429-wait"),
    ("opencode", "429-wait"),
    ("codex", "hang"),
    ("gemini", "hang"),
    ("opencode", "cut"),
}
WORDS = {
    "rate-limit": "backs off",
    "overload": "backs off",
    "credentials": "the loop ends",
    "unusable": "the loop ends",
}


@pytest.fixture
def place(
    request: pytest.FixtureRequest, program: Callable[[str], Installed], model: Model, tmp_path: Path
) -> Place:
    cli = request.node.callspec.params["cli"]
    return Place(cli, program(cli), model, tmp_path)


def wait(ended: dict[str, Any]) -> str:
    if ended["fault"] == "quota":
        return "waits as told" if ended.get("retry_after", -1) >= 0 else "waits 15 min"
    told = " as told" if ended["fault"] == "rate-limit" and ended.get("retry_after", -1) > 60 else ""
    silent = ", after `idle_timeout`" if ended.get("cause") == "idle" else ""
    return WORDS[ended["fault"]] + told + silent


@shows("fault")
@pytest.mark.parametrize("cli", EVERY)
@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_told_and_not_counted_as_work(cli: str, name: str, place: Place, seen: Seen) -> None:
    case = MORE.get(name) or cases.case(cli, name)
    # Long enough for it to start and ask.
    idle = {"idle_timeout": 30 if cli == "opencode" else 10} if (cli, name) in SILENT else {}
    code = place.run(faults=case.faults, loop=idle, **case.wanted)
    ended = place.ended
    fault = "overload" if idle else FAULTS[name]  # of who says nothing, no more is known
    assert ended.get("fault", "") == fault, place.shown
    assert ended["fault_text"].strip()
    assert code == ENDS[fault], place.shown
    assert bool(idle) == (ended.get("cause") == "idle")
    assert place.model.requests()[0].fault in (name, "429"), "the model was asked"
    if name == "usage-limit" and cli in ("claude", "codex"):
        assert 3000 < ended["retry_after"] <= 3600 + 60
    if name == "429-wait" and cli == "gemini":
        assert ended["retry_after"] == 3600
    if name == "too-long":
        assert "too long" in ended["fault_text"]
    seen(f"fault:{name}", wait(ended))


@shows("full")
@pytest.mark.parametrize("cli", EVERY)
def test_a_context_that_fills_up_on_the_way_is_an_ordinary_end(cli: str, place: Place, seen: Seen) -> None:
    """The work stays, the iteration counts, the next one starts afresh and nothing is called a crash. opencode makes
    room by itself, whatever was in its context, goes on, and still exits with 1."""
    once = cli == "opencode"
    fault = {"name": "too-long", "turn": 1, "side": True, "first": int(once)}
    code = place.run(faults=[fault], loop={"max_iterations": 2})
    assert code == (0 if once else 8), place.shown
    for ended in place.project.facts("iteration.ended")[: 1 if once else 2]:
        assert (ended["how"], ended["cause"], ended.get("fault", "")) == ("exited", "context", "")
    assert len(place.project.facts("iteration.ended")) == 2, place.shown
    assert (place.project.path / "answer").read_text() == "42\n"
    assert place.project.facts("wait.started") == []
    seen("full", "the next iteration")


@shows("passing")
@pytest.mark.parametrize("cli", EVERY)
def test_a_passing_overload_is_got_over_without_a_word(cli: str, place: Place) -> None:
    assert place.run(faults=[{"name": "429", "first": 1, "retry_after": 1}]) == 0, place.shown
    assert not place.ended.get("fault")


@shows("left")
@pytest.mark.parametrize("cli", EVERY)
@pytest.mark.parametrize("how", ["stop", "time-out"])
def test_nothing_is_left_when_it_ends_with_a_tool_busy(cli: str, how: str, place: Place, seen: Seen) -> None:
    busy = {"bash": {"command": f"touch {place.home}/busy; python3 -c 'import time; time.sleep(300)'"}}
    # Several: Codex leaves a command alone after ten seconds and goes on.
    limit = {"stop": 600, "time-out": 30 if cli in SLOW else 8}[how]
    place.set_up([busy] * 5 + DONE, loop={"iteration_timeout": limit})
    place.project.env["RALPH_TEST_MARK"] = mark = f"mark-{os.urandom(8).hex()}"
    run = place.project.start("run")
    until(lambda: (place.home / "busy").exists(), "the tool is busy")
    if how == "stop":
        assert place.project.ralph("stop", "--now").returncode == 0
    run.wait(60)
    del place.project.env["RALPH_TEST_MARK"]
    assert processes_with(mark) == [], place.project.shown()
    assert place.ended["how"] == ("cut" if how == "time-out" else "interrupted")
    seen(f"left:{how}", "nothing")


def test_every_cli_is_put_through_the_suite() -> None:
    assert [parameter.values[0] for parameter in EVERY] == list(clis.STARTS)
    assert ANSWER and FAULTS.keys() == {*cases.RECORDED, *MORE} - {"success", "conversation"}
