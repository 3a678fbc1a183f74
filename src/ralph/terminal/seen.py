"""What a view remembers beyond the loop's state: when things began, how long gates took, what was said last. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.hats.steps import IDLE
from ralph.core.loop.state import LoopState


class Now(NamedTuple):
    """`clock` only ever grows and measures; `wall` is what people call the time, with its zone."""

    clock: float
    wall: datetime


class LastWords(msgspec.Struct, frozen=True):
    """What a gate said last of an iteration's work."""

    passed: bool
    seconds: float
    headline: str = ""
    unclear: bool = False
    fault: str = ""


class Seen(msgspec.Struct, frozen=True):
    began: dict[str, float] = {}  # operation under way -> when, by the clock
    about: dict[str, str] = {}  # gate under way -> what of, in words
    base: dict[str, float] = {}  # gate -> seconds on the starting tree
    said: dict[str, LastWords] = {}
    doing: str = ""  # the last tool or line of what is under way
    until: str = ""  # when the wait that began last is over
    idle: float | None = None  # since when nobody has found work, by the clock


def see(seen: Seen, fact: f.AnyFact, s: LoopState, clock: float) -> Seen:
    """`s` is the state after the fact."""
    match fact:
        case f.LoopStarted() | f.LoopResumed():
            seen = Seen()
        case f.IterationStarted():
            began = {**seen.began, f"iteration:{fact.serial}": clock}
            seen = replace(seen, doing="", began=began, idle=seen.idle if _looks(s) else None)
        case f.GateStarted():
            about = {**seen.about, fact.op: _about(fact)}
            seen = replace(seen, doing="", began={**seen.began, fact.op: clock}, about=about)
        case f.WaitStarted():
            idle = clock if seen.idle is None and fact.op.startswith(IDLE) else seen.idle
            began = {**seen.began, fact.op: clock}
            seen = replace(seen, doing="", began=began, until=fact.until, idle=idle)
        case f.GateEnded(purpose="base", how="exited"):
            seen = replace(seen, base={**seen.base, fact.gate: fact.seconds})
        case f.GateEnded(how="exited"):
            said = LastWords(fact.passed, fact.seconds, fact.headline, fact.unclear, fact.fault)
            seen = replace(seen, said={**seen.said, fact.gate: said})
    return _without_ended(seen, s)


def _looks(s: LoopState) -> bool:
    """The iteration only looks whether there is work."""
    return s.worn is not None and s.worn.scanner


def _about(x: f.GateStarted) -> str:
    again = "once more" if x.op.endswith(":again") else ""
    of = {
        "base": "the starting tree",
        "iteration": "",
        "claim": "with the original inputs" if x.variant == "original" else "",
    }[x.purpose]
    return " ".join(word for word in (of, again) if word)


def _without_ended(seen: Seen, s: LoopState) -> Seen:
    if seen.began.keys() <= s.progress.open.keys():
        return seen
    return replace(
        seen,
        began={op: at for op, at in seen.began.items() if op in s.progress.open},
        about={op: what for op, what in seen.about.items() if op in s.progress.open},
    )
