"""What was spent, in words: the agent's own figure is plain, the table's is an estimate, and tokens alone are said to be so."""

from __future__ import annotations

import pytest

from loop_states import loop_state
from ralph.terminal.lines import summary
from ralph.terminal.words import cost, spent


@pytest.mark.parametrize(
    ("tokens", "usd", "estimated", "told"),
    [
        (0, 0.0, False, []),
        (7, 0.0, False, ["7 tokens", "cost not reported"]),
        (0, 0.25, False, ["0.25 USD"]),
        (7, 0.25, False, ["7 tokens", "0.25 USD"]),
        (7, 0.25, True, ["7 tokens", "0.25 USD (estimate)"]),
    ],
)
def test_a_cost_is_told_with_its_source(tokens: int, usd: float, estimated: bool, told: list[str]) -> None:
    assert spent(tokens, usd, estimated=estimated) == told
    state = loop_state(tokens=tokens, cost_usd=usd, estimated=estimated)
    figures = next(line for line in summary(state) if " active" in line)
    assert figures.endswith(", ".join(["0.0 s active", *told]))


def test_what_is_less_than_a_cent_is_not_shown_as_nothing() -> None:
    assert cost(0.0042, estimated=True) == "0.004 USD (estimate)"
    assert cost(0.0001) == "<0.001 USD"
    assert cost(0.0, estimated=True) == "0.00 USD"
