"""Virtual time, the dice, the history, and a network that loses, doubles, delays and reorders."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from typing import Any

import msgspec

from ralph.core.fleet.worker import CallFailure

TIMEOUT = 20.0  # of a call


class Chaos(msgspec.Struct, frozen=True):
    """How bad the world is. Rates are for each message, or for each machine and 1,000 seconds."""

    lost: float = 0.04
    doubled: float = 0.06
    delayed: float = 0.05  # by up to `longest`
    longest: float = 240.0
    deaths: float = 2.0
    pauses: float = 2.0
    partitions: float = 1.0
    server_restarts: float = 1.5
    clock_jumps: float = 0.5
    unauthorised: float = 0.003
    people: float = 15.0
    cancels: float = 0.05  # of what people do
    rewinds: float = 4.0
    late_pushes: float = 0.1  # that arrive after their lander has given up
    slowness: float = 0.5  # of agents and gates
    seconds: float = 600.0  # then it becomes calm, and everything has to come to its end
    patience: float = 9000.0


# What a seed turns off, leaves as it is, or makes much worse: faults that never meet in an average world meet in some.
_VARIED = ("lost", "doubled", "delayed", "deaths", "pauses", "partitions", "server_restarts", "clock_jumps")
_VARIED += ("people", "cancels", "rewinds", "late_pushes", "slowness")


def drawn_chaos(dice: random.Random) -> Chaos:
    mean = Chaos()
    return msgspec.structs.replace(
        mean, **{n: getattr(mean, n) * dice.choice((0.1, 1, 1, 3)) for n in _VARIED}
    )


class World:
    def __init__(self, seed: int, chaos: Chaos | None = None) -> None:
        self.seed = seed
        self.dice = random.Random(seed)
        drawn = drawn_chaos(self.dice)  # also where it is not used: a seed draws the same afterwards
        self.chaos = chaos or drawn
        self.now = 0.0
        self.calm = False
        self.history: list[tuple[Any, ...]] = []
        self._events: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._count = 0

    def at(self, delay: float, do: Callable[..., None], *arguments: Any) -> None:
        self._count += 1
        heapq.heappush(self._events, (self.now + max(0.0, delay), self._count, do, arguments))

    def step(self) -> bool:
        if not self._events:
            return False
        self.now, _, do, arguments = heapq.heappop(self._events)
        do(*arguments)
        return True

    def log(self, *what: Any) -> None:
        self.history.append((self.now, *what))

    def chance(self, probability: float) -> bool:
        return not self.calm and self.dice.random() < probability

    def often(self, rate: float, do: Callable[[], None]) -> None:
        """Again and again while it is not calm, `rate` times in 1,000 seconds."""
        if rate <= 0:
            return

        def again() -> None:
            if not self.calm:
                do()
                self.at(self.dice.expovariate(rate / 1000), again)

        self.at(self.dice.expovariate(rate / 1000), again)

    def story(self, last: int = 0) -> str:
        lines = [f"{moment:9.2f}  " + "  ".join(map(_short, what)) for moment, *what in self.history]
        return "\n".join(lines[-last:] if last else lines)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 300 else text[:297] + "..."


class Clock:
    """A machine's own: it drifts."""

    def __init__(self, world: World, rate: float, offset: float) -> None:
        self._world = world
        self.rate = rate
        self.offset = offset

    def now(self) -> float:
        return self.offset + self.rate * self._world.now


class Network:
    """Between a machine and the server. `serve` handles one request, or raises ConnectionError."""

    def __init__(self, world: World, serve: Callable[[Any], Any]) -> None:
        self._world = world
        self._serve = serve
        self.cut_off: set[str] = set()

    def call(self, machine: str, request: Any, reply: Callable[[Any], None]) -> None:
        """`reply` is called at most twice: with answers, and with a failure when none came in time."""
        world = self._world
        copies = 2 if world.chance(world.chaos.doubled) else 1
        for _ in range(copies):
            if machine not in self.cut_off and not world.chance(world.chaos.lost):
                world.at(self._delay(), self._arrive, machine, request, reply)
        world.at(TIMEOUT, reply, CallFailure("unreachable"))

    def _delay(self) -> float:
        world = self._world
        if world.chance(world.chaos.delayed):
            return world.dice.uniform(1, world.chaos.longest)
        return world.dice.uniform(0.005, 0.3)

    def _arrive(self, machine: str, request: Any, reply: Callable[[Any], None]) -> None:
        if machine in self.cut_off:
            return
        world = self._world
        if world.chance(world.chaos.unauthorised):
            answer: Any = CallFailure("unauthorised")
        else:
            try:
                answer = self._serve(request)
            except ConnectionError:
                return
        world.log(machine, request, "→", answer)
        if not world.chance(world.chaos.lost) and machine not in self.cut_off:
            world.at(self._delay(), reply, answer)
