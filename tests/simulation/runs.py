"""Runs seeds, and says of a bad one all that is needed to understand it: the problems, the least chaos, the history."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from msgspec.structs import replace

from simulation.fleet import Fleet
from simulation.world import Chaos

_FAULTS = tuple(
    name for name in Chaos.__struct_fields__ if name not in ("seconds", "patience", "longest", "slowness")
)


def check_seeds(seeds: Iterable[int]) -> int:
    """How many there were. AssertionError: the first that is not sound, with its story."""
    number = 0
    for seed in seeds:
        number += 1
        if Fleet(seed).run():
            raise AssertionError(explain(seed))
    return number


def shrink(seed: int) -> Chaos:
    """The same seed with as few kinds of faults as still bring out a problem."""
    chaos = Fleet(seed).world.chaos
    for name in _FAULTS:
        calmer = replace(chaos, **{name: 0.0})
        if Fleet(seed, calmer).run():
            chaos = calmer
    return chaos


def explain(seed: int, lines: int = 150) -> str:
    chaos = shrink(seed)
    fleet = Fleet(seed, chaos)
    problems = fleet.run() or Fleet(seed).run()
    left = [f"{name}={getattr(chaos, name):g}" for name in _FAULTS if getattr(chaos, name)]
    return "\n".join(
        (
            f"seed {seed}: `PYTHONPATH=tests python -m simulation.runs {seed}` repeats it",
            *problems,
            f"with no other faults than {', '.join(left)}; the last {lines} lines of its history:",
            fleet.world.story(lines),
        )
    )


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        print(explain(int(argument), 100_000) if Fleet(int(argument)).run() else f"seed {argument} is sound")
