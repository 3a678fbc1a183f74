"""The slices of the state: one reducer each, in one order, and none reads what is not reduced yet."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest

from ralph.core import facts as f
from ralph.core.loop import reducers
from ralph.core.loop.fold import SLICES
from ralph.core.loop.state import REMEMBERED, LoopState, with_newest

FOLDER = Path(reducers.__file__).parent
OF_THE_RUN = {  # facts that say nothing about a loop's state
    *(f.RunStarted, f.RunReviewStarted, f.RunReviewed, f.RunEnded, f.RunSwept, f.JournalRepaired),
    *(f.BacklogWritten, f.InboxRefused, f.Notified),
}


def test_every_slice_has_a_reducer_and_the_state_lists_them_in_the_order_in_which_they_are_reduced() -> None:
    assert tuple(SLICES) == LoopState.__struct_fields__
    assert {path.stem for path in FOLDER.glob("*.py")} == {*SLICES, "__init__"}


def test_every_fact_of_a_loop_concerns_a_slice() -> None:
    handled = {kind for table in SLICES.values() for kind in table}
    assert handled == {*get_args(f.AnyFact), f.Tick, f.Metered} - OF_THE_RUN


@pytest.mark.parametrize("name", SLICES)
def test_a_reducer_reads_of_the_new_state_only_the_slices_above_its_own(name: str) -> None:
    order = list(SLICES)
    above = {*order[: order.index(name)], "gates", "gate"}
    tree = ast.parse((FOLDER / f"{name}.py").read_text())
    read = {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("step.now", "now", "after")
    }
    assert read & {*order} <= above


def test_a_long_loop_compares_with_the_newest_trees_only() -> None:
    known: dict[str, None] = {}
    for n in range(REMEMBERED + 50):
        known = with_newest(known, {f"t{n}": None})
    assert list(known) == [f"t{n}" for n in range(50, REMEMBERED + 50)]
