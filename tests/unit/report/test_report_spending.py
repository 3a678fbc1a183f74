"""A report says of each cost where it comes from."""

from __future__ import annotations

import pytest
from report_world import World, summary

from ralph.core.policy import GatePolicy

TESTS = GatePolicy(name="tests", run="pytest -q")
REVIEW = GatePolicy(name="spec", review="spec")


@pytest.mark.parametrize(
    ("spent", "shown", "source"),
    [
        ({"tokens": 900, "usd": 0.30}, "900 tokens, 0.30 USD\n", "reported by the agent"),
        ({"tokens": 900, "usd": 0.30, "estimated": True}, "900 tokens, 0.30 USD (estimate)\n", "estimate"),
        ({"tokens": 900}, "900 tokens, cost not reported\n", "not reported"),
    ],
)
def test_it_is_said_where_the_cost_comes_from(
    world: World, spent: dict[str, int], shown: str, source: str
) -> None:
    world.start(gates=(TESTS,))
    world.iteration(**spent)  # type: ignore[arg-type]
    story = world.story()
    assert shown in summary([story])
    assert f"<small>{source}</small>" in world.page()
    assert (" (estimate)</td>" in world.page([story, story])) == (source == "estimate")


def test_an_estimate_of_one_iteration_or_reviewer_marks_its_row_and_the_sum(world: World) -> None:
    world.start(gates=(TESTS, REVIEW))
    world.iteration(tokens=900, usd=0.30)
    world.gate(True)
    world.gate(False, "spec", usd=0.05, estimated=True)
    world.iteration(tokens=900, usd=0.40)
    text = summary([world.story()])
    assert "| 1000 | 0.35 USD (estimate) |" in text
    assert "| 900 | 0.40 USD |" in text
    assert "1900 tokens, 0.75 USD (estimate)\n" in text
