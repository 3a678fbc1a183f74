"""Whatever happens to a fleet: each task comes to an end for a reason, lands at most once, and nothing accepted is lost.

`make test` runs a few dozen seeds, `make test-full` as many as fit into two minutes, `make chaos ALL=1` ten thousand.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from seed import drawn, times
from simulation.broken_rules import BROKEN, BrokenRule
from simulation.fleet import Fleet
from simulation.runs import check_seeds, explain

PARTS = 4
TWO_MINUTES = 110.0


@pytest.mark.parametrize("part", range(PARTS))
def test_a_few_dozen_seeds_are_sound(part: int) -> None:
    assert check_seeds(range(part * 12, part * 12 + 12)) == 12


def test_the_same_seed_gives_the_same_history() -> None:
    first, second = Fleet(7), Fleet(7)
    assert first.run() == second.run()
    assert first.world.story() == second.world.story()


def test_a_seed_has_landings_deaths_and_refused_calls() -> None:
    """The simulation would find nothing in a world in which nothing happens."""
    fleets = [Fleet(seed) for seed in range(12)]
    for fleet in fleets:
        fleet.run()
    stories = "".join(fleet.world.story() for fleet in fleets)
    for word in (
        "'stale'",
        " dies ",
        "stands still",
        "push refused",
        "rewinds",
        "TaskLost",
        "AgentCut",
        "is down",
    ):
        assert word in stories, word
    assert sum(len(fleet.remote.landed) for fleet in fleets) > 10


def test_a_bad_seed_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    rule = next(rule for rule in BROKEN if rule.name == "a repeated batch is counted twice")
    rule.apply(monkeypatch)
    seed = next(seed for seed in range(40) if Fleet(seed).run())
    said = explain(seed, 20)
    assert f"seed {seed}:" in said and "its facts say" in said and len(said.splitlines()) > 20


@pytest.mark.parametrize("rule", BROKEN, ids=lambda rule: rule.name)
def test_every_broken_rule_is_found(rule: BrokenRule, monkeypatch: pytest.MonkeyPatch) -> None:
    rule.apply(monkeypatch)
    assert any(Fleet(seed, rule.chaos).run() for seed in range(rule.seeds)), "no seed shows it"


@pytest.mark.parametrize("part", range(2))
def test_two_minutes_of_seeds_are_sound(part: int) -> None:
    first = drawn("simulation", part).randrange(2**40)

    def seeds() -> Iterator[int]:
        end = time.monotonic() + TWO_MINUTES
        seed = first
        while seed == first or time.monotonic() < end:
            yield seed
            seed += 1

    print(f"{check_seeds(seeds())} seeds from {first} on")


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_ten_thousand_seeds_are_sound(part: int) -> None:
    """`make chaos` runs a third of them."""
    first = drawn("simulation", "chaos", part).randrange(2**40)
    number = times(500)
    assert check_seeds(range(first, first + number)) == number
