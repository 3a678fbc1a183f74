"""A gate that says one thing in a clean checkout of the start and another in the folder needs what git does not record."""

from __future__ import annotations

from core_world import TESTS, World, policy
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.loop import decide as d
from ralph.core.policy import GatePolicy

CLEAN = replace(TESTS, hermetic=True)


def asked(w: World) -> d.RunGate | None:
    op = w.wants()
    return op if isinstance(op, d.RunGate) else None


def said(w: World, *, passed: bool, hash_: str = "a", unrecorded: tuple[str, ...] = ("lib/",)) -> World:
    """What the wanted gate says of the start."""
    op = asked(w)
    assert op is not None
    error = "" if passed else hash_
    return w.gate(passed, hermetic=not op.in_folder, error_hash=error, unrecorded=unrecorded)


def begun(gate: GatePolicy = CLEAN) -> World:
    return World(policy(gates=(gate,)))


def test_a_red_start_is_compared_with_a_folder_that_holds_more() -> None:
    w = said(begun(), passed=False)
    assert (op := asked(w)) and (op.id, op.in_folder) == ("base:tests:folder", True)
    said(w, passed=True)
    assert w.state.judgement.judged_in_folder == {"tests"} and not w.state.in_checkout(CLEAN)
    assert w.state.judgement.base == {"tests": True}
    assert asked(w) is None and "flaky" not in str(w.state.warnings.lines)
    assert "share: [lib]" in w.state.warnings.lines[0]


def test_another_error_there_is_a_difference_too() -> None:
    w = said(said(begun(), passed=False, hash_="a"), passed=False, hash_="b")
    assert w.state.judgement.judged_in_folder == {"tests"} and w.state.judgement.base == {"tests": False}


def test_the_same_error_there_leaves_the_checkout_to_judge() -> None:
    w = said(said(begun(), passed=False), passed=False)
    assert w.state.in_checkout(CLEAN) and asked(w) is None


def test_nothing_is_compared_where_nothing_can_be_missing() -> None:
    assert asked(said(begun(), passed=True)) is None
    assert asked(said(begun(), passed=False, unrecorded=())) is None
    for complete in (replace(CLEAN, setup="make"), replace(CLEAN, hidden="/hidden")):
        assert asked(said(begun(complete), passed=False)) is None


def test_another_start_is_asked_anew() -> None:
    w = said(said(begun(), passed=False), passed=True).tell(f.WorkspaceChanged(tree="other", paths=("x",)))
    assert w.state.in_checkout(CLEAN)
    assert (op := asked(w)) and (op.id, op.tree) == ("base:tests", "other")
