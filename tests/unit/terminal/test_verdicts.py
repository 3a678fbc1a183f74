"""What a gate said is called and coloured alike wherever it is shown."""

from __future__ import annotations

import pytest

from ralph.core import facts as f
from ralph.core.agent_policy import AgentPolicy
from ralph.core.loop.fold import fold
from ralph.core.loop.state import LoopState
from ralph.core.policy import GatePolicy, Policy, Task
from ralph.terminal.lines import lines
from ralph.terminal.live import _style
from ralph.terminal.words import Verdict, colour_of, verdict


@pytest.mark.parametrize(
    ("reviewer", "passed", "unclear", "fault", "word", "colour"),
    [
        (False, True, False, "", "green", "green"),
        (False, False, False, "", "red", "red"),
        (True, True, False, "", "PASS", "green"),
        (True, False, False, "", "FAIL", "red"),
        (True, False, True, "", "no verdict", "yellow"),
        (True, False, True, "quota", "could not run", "yellow"),
    ],
)
def test_a_verdict_in_a_word(
    reviewer: bool, passed: bool, unclear: bool, fault: str, word: Verdict, colour: str
) -> None:
    assert verdict(reviewer=reviewer, passed=passed, unclear=unclear, fault=fault) == word
    assert colour_of(word) == colour


def line(gate: GatePolicy, **more: object) -> str:
    policy = Policy(agent=AgentPolicy(command=("x",)), gates=(gate,))
    started = f.LoopStarted(loop="l", task=Task(id="t", title="T"), policy=policy, root="/")
    fact = f.GateEnded(
        op="claim:1:x:as-is",
        gate=gate.name,
        purpose="claim",
        variant="as-is",
        tree="t",
        command="x",
        code=0,
        seconds=1.0,
        **more,  # type: ignore[arg-type]
    )
    return lines(fact, fold(LoopState(), started))[0]


SPEC = GatePolicy(name="spec", review="spec")
SOFT = GatePolicy(name="quality", review="quality", hard=False)


@pytest.mark.parametrize(
    ("gate", "more", "begins", "style"),
    [
        (GatePolicy(name="tests", run="x"), {"passed": True}, "gate tests: green", "green"),
        (GatePolicy(name="tests", run="x"), {"passed": False}, "gate tests: red", "red"),
        (SPEC, {"passed": True}, "reviewer spec: PASS", "green"),
        (SPEC, {"passed": False}, "reviewer spec: FAIL", "red"),
        (SPEC, {"passed": False, "unclear": True}, "reviewer spec: no verdict", "yellow"),
        (
            SPEC,
            {"passed": False, "unclear": True, "fault": "quota"},
            "reviewer spec: could not run (quota)",
            "yellow",
        ),
        (SOFT, {"passed": False}, "reviewer quality: FAIL (soft)", "yellow"),
        (SOFT, {"passed": True}, "reviewer quality: PASS (soft)", "green"),
    ],
)
def test_the_line_of_a_verdict_has_its_colour(
    gate: GatePolicy, more: dict[str, object], begins: str, style: str
) -> None:
    shown = line(gate, **more)
    assert shown.startswith(begins)
    assert _style(shown) == style


def test_what_was_known_from_before_has_its_colour_and_other_lines_of_gates_have_none() -> None:
    assert _style("gate tests on the starting tree: green (known: journal seq 41)") == "green"
    assert _style("gate tests is flaky: it says two things about one tree; no attempt is spent") == ""
    assert _style("reviewer spec edited files; undone: a") == ""
