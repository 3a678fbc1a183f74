"""Waits after an overload: longer each time, within bounds, and not at the same moment for loops that were refused together."""

from __future__ import annotations

import pytest
from core_world import World, policy
from msgspec.structs import replace

from loop_states import changed
from ralph.core import facts as f
from ralph.core.loop import decide as d
from ralph.core.policy import LimitPolicy

ENDLESS = replace(LimitPolicy(), max_wait_seconds=1e9)


def waits(loop: str, times: int, **more: object) -> list[float]:
    """The waits of a loop of this name whose agent meets nothing but overloads."""
    world = World(policy(limits=ENDLESS))
    world.state = changed(world.state, loop=loop)
    world.base()
    found = []
    for _ in range(times):
        world.iterate(fault="overload", fault_text="busy", code=1, **more)
        op = world.wants()
        assert isinstance(op, d.Wait) and op.what == "overload"
        found.append(op.seconds)
        world.tell(
            f.WaitStarted(
                op=op.id, what=op.what, seconds=op.seconds, why=op.why, until="2030-01-01T00:00:00+00:00"
            )
        )
        world.tell(f.WaitEnded(op=op.id, elapsed=True))
    return found


def test_each_wait_is_about_twice_the_one_before_up_to_five_minutes() -> None:
    for wait, middle in zip(waits("a", 12), [5, 10, 20, 40, 80, 160, *[300] * 6], strict=True):
        assert 0.75 * middle <= wait <= 1.25 * middle


def test_loops_that_are_refused_together_do_not_come_back_together() -> None:
    firsts = [waits(f"loop-{number}", 1)[0] for number in range(20)]
    assert len(set(firsts)) > 15
    assert max(firsts) - min(firsts) > 1


def test_the_same_loop_waits_the_same_when_its_journal_is_read_again() -> None:
    assert waits("a", 6) == waits("a", 6)


def test_a_service_that_says_when_to_come_back_is_not_asked_earlier() -> None:
    assert waits("a", 2, retry_after=90.0) == pytest.approx([90.0, 90.0])
