"""Who lands first among tasks whose changes are in each other's way."""

from __future__ import annotations

from core_world import World
from test_landing_core import landed, merged, world

from ralph.core import facts as f
from ralph.core.loop.decide import lands_first


def conflicts(w: World, n: int) -> World:
    return merged(w.claim(f"t{n}", passed=True), f"m{n}", conflicts=("a",), text="CONFLICT\n")


def test_after_two_conflicts_it_goes_first_until_it_has_landed() -> None:
    w = conflicts(world(), 1)
    assert not lands_first(w.state)
    conflicts(w, 2)
    assert lands_first(w.state)
    w.claim("t3", passed=True)
    assert lands_first(w.state)
    assert not lands_first(landed(w).state)


def test_a_clean_merge_is_no_reason() -> None:
    w = merged(world().claim("t1", passed=True), "m1")
    w.gate(True)
    assert not lands_first(w.state)


def test_turned_down_it_lets_others_pass() -> None:
    w = conflicts(conflicts(world(), 1), 2)
    assert not lands_first(w.claim("t3", passed=False).state)


def test_it_keeps_nobody_waiting_while_it_waits_itself() -> None:
    w = conflicts(conflicts(world(), 1), 2)
    w.tell(f.WaitStarted(op="wait:quota:1", what="quota", seconds=7200.0))
    assert not lands_first(w.state)
