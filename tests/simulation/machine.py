"""A machine that works or lands: the real WorkerProtocol and LandingProtocol, on a disk that keeps only what was synced.

Its loops are generators: each yields what it waits for. A death forgets them; a pause holds everything back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import msgspec

from ralph.core import facts as f
from ralph.core.fleet import worker as w
from ralph.core.fleet.model import FleetTask, PersonMessage, Savepoint, SentFact
from ralph.core.fleet.requests import Offer
from simulation.world import Clock

if TYPE_CHECKING:
    from simulation.fleet import Fleet


class Sleep(msgspec.Struct, frozen=True):
    """Answered with "" when it is over, or with "cut"."""

    seconds: float


class AwaitAccepted(msgspec.Struct, frozen=True):
    n: int


class AwaitAllowed(msgspec.Struct, frozen=True):
    """After a cut."""


class GitCall(msgspec.Struct, frozen=True):
    """Answered with what `do` returns, or with None when no answer came."""

    do: Callable[[], Any]


Wait = Sleep | AwaitAccepted | AwaitAllowed | GitCall
Script = Generator[Wait, Any, None]


class SimLoop:
    """One loop under way on this machine."""

    def __init__(self, machine: SimMachine, granted: w.TaskGranted) -> None:
        self.machine = machine
        self.task: FleetTask = granted.task
        self.id = granted.task.id
        self.imported: tuple[SentFact, ...] = granted.facts
        self.inbox: list[PersonMessage] = list(granted.messages)
        self.taken: set[int] = set()
        self.loop = granted.task.progress.loop or f"loop-{self.id}"
        self.accepted = granted.task.facts
        self.cut = False
        self.stop = False
        self.script: Script | None = None
        self.waits_for: Wait | None = None
        self.wait_number = 0

    def record(self, fact: f.AnyFact, *, save: bool = False) -> int:
        return self.machine.record(self, fact, save=save)

    @property
    def is_current(self) -> bool:
        return self.machine.loops.get(self.id) is self


class ClaimJournal:
    """On disk: what a claim recorded and synced."""

    def __init__(self, task: FleetTask) -> None:
        self.task = task.id
        self.epoch = task.epoch
        self.facts = task.facts
        self.chain = task.chain
        self.entries: list[w.OutboxEntry] = []

    def as_record(self) -> w.ClaimRecord:
        return w.ClaimRecord(self.task, self.epoch, self.facts, self.chain, tuple(self.entries))


class SimMachine:
    def __init__(self, fleet: Fleet, name: str, offers: tuple[Offer, ...], slots: int) -> None:
        self.fleet = fleet
        self.world = fleet.world
        self.name = name
        self.offers = offers
        self.slots = slots
        dice = self.world.dice
        self.clock = Clock(self.world, dice.uniform(0.97, 1.03), dice.uniform(0, 1e6))
        self.life = 0
        self.paused_until = 0.0
        self.protocol: w.WorkerProtocol | None = None
        self.loops: dict[str, SimLoop] = {}
        self.disk: dict[str, ClaimJournal] = {}
        self.blobs: dict[str, bytes] = {}
        self._unsynced: dict[str, list[w.OutboxEntry]] = {}
        self._poke_at = float("inf")

    # -- life and death

    def boot(self) -> None:
        if self.protocol is not None:
            return
        self.life += 1
        records = [journal.as_record() for journal in self.disk.values()]
        self.world.log(self.name, "boots", f"life {self.life}", [(r.task, r.epoch) for r in records])
        self.protocol = w.WorkerProtocol(
            self.offers,
            f"{self.name}.{self.life}",
            self.clock.now(),
            slots=self.slots,
            recovered=records,
            blobs=dict(self.blobs),
        )
        self.poke()

    def die(self, downtime: float) -> None:
        if self.protocol is None:
            return
        self.world.log(self.name, "dies", sorted(self.loops))
        self.protocol = None
        self.loops.clear()
        self._unsynced.clear()
        self._poke_at = float("inf")
        self.life += 1
        self.world.at(downtime, self.boot)

    def pause(self, seconds: float) -> None:
        self.world.log(self.name, f"stands still for {seconds:.0f} s")
        self.paused_until = max(self.paused_until, self.world.now + seconds)

    def later(self, seconds: float, do: Callable[..., None], *arguments: Any) -> None:
        """On this machine, in this life, and not while it stands still."""
        self.world.at(seconds, self._now, self.life, do, arguments)

    def _now(self, life: int, do: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        if life != self.life or self.protocol is None:
            return
        if self.world.now < self.paused_until:
            self.world.at(self.paused_until - self.world.now, self._now, life, do, arguments)
            return
        do(*arguments)

    # -- the protocol

    def poke(self) -> None:
        """Gives the protocol the time, and sends what it wants."""
        protocol = self.protocol
        if protocol is None:
            return
        if self.world.now < self.paused_until:
            self._poke_in(self.paused_until - self.world.now)
            return
        now = self.clock.now()
        for notice in protocol.tick(now):
            self._notice(notice)
        for call in protocol.calls(now):
            self.fleet.network.call(self.name, call.request, self._replier(call.id))
        self._poke_in((protocol.next_at(now) - now) / self.clock.rate + 0.01)

    def _poke_in(self, seconds: float) -> None:
        moment = self.world.now + max(0.05, seconds)
        if moment < self._poke_at or self._poke_at <= self.world.now:
            self._poke_at = moment
            self.later(moment - self.world.now, self._poke_due, moment)

    def _poke_due(self, moment: float) -> None:
        if self._poke_at == moment:
            self._poke_at = float("inf")
            self.poke()

    def _replier(self, id: int) -> Callable[[Any], None]:
        life = self.life

        def reply(answer: Any) -> None:
            self._now(life, self._answered, (id, answer))

        return reply

    def _answered(self, id: int, answer: Any) -> None:
        assert self.protocol is not None
        for notice in self.protocol.answer(id, answer, self.clock.now()):
            self._notice(notice)
        self.poke()

    def _notice(self, notice: w.Notice) -> None:
        self.world.log(
            self.name,
            "*",
            notice
            if not isinstance(notice, w.TaskGranted)
            else ("granted", notice.task.id, notice.task.epoch, notice.task.phase),
        )
        match notice:
            case w.TaskGranted():
                self._begin(notice)
            case w.TaskLost() | w.TaskGivenBack():
                self._forget(notice.task, notice.epoch)
            case w.AgentCut():
                self._cut(notice.task)
            case w.AgentAllowed():
                if (loop := self.loops.get(notice.task)) is not None:
                    loop.cut = False
                    if isinstance(loop.waits_for, AwaitAllowed):
                        self._resume(loop, loop.wait_number, "")
            case w.FactsAccepted():
                if (loop := self.loops.get(notice.task)) is not None:
                    loop.accepted = max(loop.accepted, notice.n)
                    if isinstance(loop.waits_for, AwaitAccepted) and loop.accepted >= loop.waits_for.n:
                        self._resume(loop, loop.wait_number, "")
                self.fleet.note_acknowledged(self, notice)
            case w.MessagesCame():
                if (loop := self.loops.get(notice.task)) is not None:
                    loop.inbox += notice.messages
            case w.LoopBroken():
                raise AssertionError(f"the server refused a fact: {notice.entry}")
            case w.StopWanted():
                if (loop := self.loops.get(notice.task)) is not None:
                    loop.stop = True

    # -- loops

    def _begin(self, granted: w.TaskGranted) -> None:
        task = granted.task
        self._forget(task.id, 0)
        self.disk[task.id] = ClaimJournal(task)
        loop = self.loops[task.id] = SimLoop(self, granted)
        loop.script = self.fleet.script(loop)
        self._advance(loop, None)

    def _forget(self, task: str, epoch: int) -> None:
        journal = self.disk.get(task)
        if journal is not None and (not epoch or journal.epoch == epoch):
            del self.disk[task]
            self.loops.pop(task, None)
            self._unsynced.pop(task, None)

    def _cut(self, task: str) -> None:
        loop = self.loops.get(task)
        if loop is not None:
            loop.cut = True
            if isinstance(loop.waits_for, Sleep):
                self._resume(loop, loop.wait_number, "cut")

    def _resume(self, loop: SimLoop, number: int, value: Any) -> None:
        if loop.is_current and loop.wait_number == number:
            self._advance(loop, value)
            self.poke()

    def _advance(self, loop: SimLoop, value: Any) -> None:
        """Runs the script until it waits for something that is not there yet."""
        assert loop.script is not None and self.protocol is not None
        loop.wait_number += 1
        try:
            wait = loop.script.send(value)
        except StopIteration:
            loop.waits_for = None
            return
        if not loop.is_current:
            return
        loop.waits_for = wait
        now = self.clock.now()
        if self.protocol.claims.get(loop.id) is not None:
            self.protocol.turn(loop.id, now, inside_until=now + 3600)
        match wait:
            case Sleep():
                self.later(wait.seconds, self._resume, loop, loop.wait_number, "")
            case AwaitAccepted():
                if loop.accepted >= wait.n:
                    self.later(0, self._resume, loop, loop.wait_number, "")
            case AwaitAllowed():
                if not loop.cut:
                    self.later(0, self._resume, loop, loop.wait_number, "")
            case GitCall():
                self._git(loop, wait)

    def _git(self, loop: SimLoop, call: GitCall) -> None:
        """It reaches the remote now or much later, also if this machine is dead by then."""
        world, number = self.world, loop.wait_number
        delay = world.dice.uniform(0.1, 2)
        late = world.chance(world.chaos.late_pushes)
        if world.chance(0.04):
            self.later(15, self._resume, loop, number, None)
            return
        arrives = world.dice.uniform(5, 300) if late else delay

        def arrive() -> None:
            result = call.do()
            if not late:
                self._now(life, self._resume, (loop, number, result))

        life = self.life
        world.at(arrives, arrive)
        if late:
            self.later(15, self._resume, loop, number, None)

    # -- facts

    def record(self, loop: SimLoop, fact: f.AnyFact, *, save: bool) -> int:
        protocol, dice = self.protocol, self.world.dice
        assert protocol is not None
        blobs: dict[str, bytes] = {}
        point = None
        if save:
            body = f"{self.name} {loop.id} {self.life} {self.world.now}".encode()
            hash = hashlib.sha256(body).hexdigest()
            blobs = {hash: body}
            self.blobs[hash] = body
            point = Savepoint(commit=f"s{hash[:8]}", blobs={"scratchpad": hash})
        at = f"{self.world.now:.3f}"
        entry = protocol.record(loop.id, fact, loop=loop.loop, at=at, blobs=blobs, savepoint=point)
        self._unsynced.setdefault(loop.id, []).append(entry)
        if dice.random() < 0.75:
            self._sync(loop)
        else:
            self.later(dice.uniform(0.05, 2), self._sync_later, loop)
        return entry.fact.n

    def _sync_later(self, loop: SimLoop) -> None:
        if loop.is_current:
            self._sync(loop)
            self.poke()

    def _sync(self, loop: SimLoop) -> None:
        entries = self._unsynced.pop(loop.id, [])
        if entries and self.protocol is not None and loop.id in self.disk:
            self.disk[loop.id].entries += entries
            self.protocol.sync(loop.id, entries[-1].fact.n)
