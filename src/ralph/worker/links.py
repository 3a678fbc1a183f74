"""What a driver and the engine of a claim tell each other: a JSON value on a line each, and the order with which an engine
begins."""

from __future__ import annotations

import os
import threading
from typing import Literal

import msgspec

from ralph.core import facts as f
from ralph.core.fleet.model import (
    FaultKind,
    FleetTask,
    PersonMessage,
    Repository,
    Savepoint,
    SentFact,
    Vitals,
)


class EngineOrder(msgspec.Struct, frozen=True):
    """In a file of the claim's folder."""

    task: FleetTask
    facts: tuple[SentFact, ...]  # the server's
    messages: tuple[PersonMessage, ...]
    repository: Repository | None  # None: in place, in `workdir`
    workdir: str
    mirrors: str  # the folder of bare copies
    run: str  # id of the run
    longest_wait: float  # seconds; a longer one is parked
    sandbox: bool = False  # of a lander: its gates run in one, whatever the configuration says


# -- from the engine -------------------------------------------------------------------------------------------


class Recorded(msgspec.Struct, frozen=True, omit_defaults=True, tag="recorded"):
    """The engine's journal has this fact. The blobs that it names are in the claim's folder."""

    loop: str
    at: str
    fact: f.AnyFact
    blobs: tuple[str, ...] = ()
    savepoint: Savepoint | None = None


class Turned(msgspec.Struct, frozen=True, omit_defaults=True, tag="turned"):
    """The loop is alive, and its open operation has used this much."""

    vitals: Vitals = Vitals()


class InsideGit(msgspec.Struct, frozen=True, tag="inside-git"):
    """The loop waits for a call of git, which ends within this time."""

    seconds: float


class AsksPeople(msgspec.Struct, frozen=True, tag="asks-people"):
    """An iteration is about to be over. Answered by PeopleHeard, after what people have said until now."""


class CannotWork(msgspec.Struct, frozen=True, tag="cannot-work"):
    """Nothing about the task: this worker cannot do its part."""

    fault: FaultKind
    text: str


class Waits(msgspec.Struct, frozen=True, tag="waits"):
    """The loop waits longer than it may be kept. The engine ends."""

    seconds: float  # negative: for a message
    text: str
    quota: bool = False


FromEngine = Recorded | Turned | InsideGit | AsksPeople | CannotWork | Waits


# -- to the engine ---------------------------------------------------------------------------------------------


class PeopleSaid(msgspec.Struct, frozen=True, tag="people-said"):
    messages: tuple[PersonMessage, ...]


class PeopleHeard(msgspec.Struct, frozen=True, tag="people-heard"):
    """Nothing else was said before the engine asked, as far as the server can be reached."""


class EndLoop(msgspec.Struct, frozen=True, tag="end-loop"):
    """The worker drains: after what is under way, or at once."""

    how: Literal["graceful", "now"]


OUT_OF_REACH = "the server is out of reach"  # who wants a pause that no person wants


class HoldAgent(msgspec.Struct, frozen=True, tag="hold-agent"):
    """The server has not been heard of for too long: no agent may run until it is."""

    hold: bool


class FactsTaken(msgspec.Struct, frozen=True, tag="facts-taken"):
    """To a lander: the server has accepted the facts up to this number."""

    n: int


ToEngine = PeopleSaid | PeopleHeard | EndLoop | HoldAgent | FactsTaken

decode_from_engine = msgspec.json.Decoder(FromEngine).decode
decode_to_engine = msgspec.json.Decoder(ToEngine).decode


class LineWriter:
    """Whole lines, from any thread."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = threading.Lock()

    def send(self, value: FromEngine | ToEngine) -> None:
        """OSError: the other side is gone."""
        line = memoryview(msgspec.json.encode(value) + b"\n")
        with self._lock:
            while line:
                line = line[os.write(self._fd, line) :]

    def close(self) -> None:
        with self._lock:
            os.close(self._fd)
