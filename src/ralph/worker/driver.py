"""The worker's driver: owns the protocol, sends what it wants, acts on what it says, and looks after one engine for each claim.

One thread does all of that, and waits only for its queue. Calls to the server and what could take long happen in other threads,
which put what came of it into the queue.
"""

from __future__ import annotations

import queue
import shutil
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from ralph.core.fleet import worker as w
from ralph.core.fleet.model import FaultKind
from ralph.core.fleet.requests import Heartbeat, WorkerAnswer
from ralph.errors import RalphError
from ralph.journal.record import new_id
from ralph.worker import links
from ralph.worker.claim_folder import ClaimFolder, folders
from ralph.worker.claim_runner import (
    ClaimRunner,
    EngineEnded,
    EngineSaid,
    NotPrepared,
    Prepared,
    WorkerSettings,
)
from ralph.worker.merges import report_merges
from ralph.worker.retention import prune, retire
from ralph.worker.transport import Transport

PREPARATION = 3600.0  # seconds that fetching, cloning and restoring may take
PRUNING = 6 * 3600.0  # seconds between two looks at what is kept
MERGES = 300.0  # seconds between two looks of a lander whether pull requests are merged


def boot_clock() -> float:
    """Also counts while the machine sleeps."""
    number = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return time.clock_gettime(number)


class CallAnswered(msgspec.Struct, frozen=True):
    id: int
    answer: WorkerAnswer | w.CallFailure


class DrainWanted(msgspec.Struct, frozen=True):
    seconds: float


Event = CallAnswered | DrainWanted | Prepared | NotPrepared | EngineSaid | EngineEnded


class Worker:
    """`run` works until `drain` was called and nothing is held. `say` is told what a person should know."""

    def __init__(
        self,
        transport: Transport,
        settings: WorkerSettings,
        say: Callable[[str], None] = lambda text: None,
    ) -> None:
        self._transport = transport
        self._settings = settings
        self._say = say
        self._events: queue.Queue[Event] = queue.Queue()
        self._runners: dict[str, ClaimRunner] = {}
        self._room = True
        settings.folder.mkdir(parents=True, exist_ok=True)
        self._beats: dict[int, tuple[str, float]] = {}  # under way: call -> task, and when it was sent
        self._clearing: list[threading.Thread] = []
        self._prune_at = boot_clock()
        self._merges_at = boot_clock() if settings.offers[0].phase == "land" else float("inf")
        self._had_one = self._draining = False
        self._left: dict[str, list[ClaimFolder]] = {}  # of earlier lives, by task
        records, blobs = self._recovered()
        self.protocol = w.WorkerProtocol(
            settings.offers,
            f"{settings.offers[0].worker} {new_id()}",
            boot_clock(),
            slots=settings.slots,
            timing=settings.timing,
            recovered=records,
            blobs=blobs,
        )
        if settings.workdir is None:
            self.protocol.close_repository("", float("inf"))

    def _recovered(self) -> tuple[list[w.ClaimRecord], dict[str, bytes]]:
        """What the life before had on disk. Of several claims of a task the newest counts."""
        newest: dict[str, w.ClaimRecord] = {}
        blobs: dict[str, bytes] = {}
        for folder in folders(self._settings.claims):
            record = folder.as_record()
            if record is None:
                folder.remove()
                continue
            self._left.setdefault(record.task, []).append(folder)
            if record.task not in newest or record.epoch > newest[record.task].epoch:
                newest[record.task] = record
            blobs.update(folder.blobs(blob for entry in record.entries for blob in entry.blobs))
        return list(newest.values()), blobs

    # -- for other threads

    def drain(self, seconds: float) -> None:
        """No further claims; what is under way may take this long. Again with 0: at once."""
        self._events.put(DrainWanted(seconds))

    # -- the loop

    def run(self) -> None:
        slots = self._settings.slots
        with (
            ThreadPoolExecutor(4 * slots + 4, "ralph-call") as pool,
            ThreadPoolExecutor(2 * slots, "ralph-beat") as beats,
        ):
            try:
                while not (self._draining and self.protocol.is_idle):
                    self._turn(pool, beats)
            finally:
                for runner in self._runners.values():
                    runner.kill()
        for thread in self._clearing:
            thread.join()

    def _turn(self, pool: ThreadPoolExecutor, beats: ThreadPoolExecutor) -> None:
        """Heartbeats wait behind no upload."""
        now = boot_clock()
        if now >= self._prune_at:
            self._prune_at = now + PRUNING
            self._prune()
        if now >= self._merges_at:
            self._merges_at = float("inf")
            self._beside(self._report_merges)
        self.protocol.slots = self._settings.slots if self._has_room() else 0
        self._act(self.protocol.tick(now))
        for call in self.protocol.calls(now):
            if isinstance(call.request, Heartbeat):
                self._beats[call.id] = call.request.task, now
                beats.submit(self._send, call)
            else:
                pool.submit(self._send, call)
        wait = min(max(0.0, self.protocol.next_at(now) - now), 5.0)
        try:
            events = [self._events.get(timeout=max(wait, 0.01))]
        except queue.Empty:
            return
        while not self._events.empty():
            events.append(self._events.get_nowait())
        for event in events:
            self._take(event)

    def _has_room(self) -> bool:
        """A full disk would end a loop that others could have worked on."""
        free = shutil.disk_usage(self._settings.folder).free
        room = free >= self._settings.free_bytes
        if room != self._room:
            self._room = room
            if not room:
                self._say(
                    f"no claims: {free >> 20} MiB are free, {self._settings.free_bytes >> 20} are wanted"
                )
        return room

    def _send(self, call: w.WorkerCall) -> None:
        answer: WorkerAnswer | w.CallFailure
        try:
            answer = self._transport.send(call.request)
        except Exception as error:  # whatever a transport forgot to catch must not stop the worker
            self._say(f"a call failed: {error!r}")
            answer = w.CallFailure("unreachable")
        self._events.put(CallAnswered(call.id, answer))

    def _take(self, event: Event) -> None:
        now = boot_clock()
        match event:
            case CallAnswered():
                if getattr(event.answer, "drain", False) and not self._draining:
                    self._say("a person drains this worker")
                    self.drain(self._settings.drain_seconds)
                self._act(self.protocol.answer(event.id, event.answer, now))
                self._beaten(*self._beats.pop(event.id, ("", 0.0)))
            case DrainWanted():
                if self._runners and event.seconds > 0:
                    self._say(f"no further claims; what is under way may take {event.seconds:.0f} s")
                self._draining = True
                self._transport.hurry()
                self._act(self.protocol.drain(now, event.seconds))
            case _ if event.runner is not self._runners.get(event.runner.task):
                return  # of a claim that is over
            case Prepared():
                event.runner.start()
            case NotPrepared():
                self._give_back(event.runner, "internal", event.text)
            case EngineSaid():
                self._heard(event.runner, event.said, now)
            case EngineEnded():
                self._ended(event.runner, event.code)

    def _beaten(self, task: str, sent: float) -> None:
        """An answer to a heartbeat has what people said before it was sent."""
        runner = self._runners.get(task)
        if runner is None or not runner.asked_at or task not in self.protocol.claims:
            return
        if sent < runner.asked_at:
            self.protocol.ask(task, sent)
            return
        runner.asked_at = 0.0
        runner.tell(links.PeopleHeard())

    # -- what the protocol says

    def _act(self, notices: Sequence[w.Notice]) -> None:
        for notice in notices:
            match notice:
                case w.TaskGranted():
                    self._begin(notice)
                case w.TaskLost():
                    self._say(f"{notice.task} is lost: {notice.why}")
                    self._forget(notice.task)
                case w.TaskGivenBack():
                    self._forget(notice.task)
                case w.AgentCut() | w.AgentAllowed():
                    self._tell(notice.task, links.HoldAgent(isinstance(notice, w.AgentCut)))
                case w.MessagesCame():
                    self._tell(notice.task, links.PeopleSaid(notice.messages))
                case w.StopWanted():
                    self._stop(notice)
                case w.LoopBroken():
                    self._break(notice)
                case w.FactsAccepted():
                    self._accepted(notice)

    def _begin(self, granted: w.TaskGranted) -> None:
        task = granted.task
        self._forget(task.id)
        self._had_one = True
        folder = ClaimFolder.make(self._settings.claims, task)
        runner = self._runners[task.id] = ClaimRunner(folder, task, self._events.put)
        now = boot_clock()
        self.protocol.turn(task.id, now, inside_until=now + PREPARATION)
        runner.prepare(self._transport, granted, self._settings)

    def _tell(self, task: str, what: links.ToEngine) -> None:
        if (runner := self._runners.get(task)) is not None:
            runner.tell(what)

    def _accepted(self, accepted: w.FactsAccepted) -> None:
        runner = self._runners.get(accepted.task)
        if runner is not None and runner.granted.phase == "land":
            runner.tell(links.FactsTaken(accepted.n))

    def _stop(self, wanted: w.StopWanted) -> None:
        runner = self._runners.get(wanted.task)
        if runner is not None and wanted.at_once and not runner.has_begun:
            runner.kill()
            runner.over = True
            self.protocol.give_back(wanted.task, text="the worker drains")
        elif runner is not None:
            runner.tell(links.EndLoop("now" if wanted.at_once else "graceful"))

    def _forget(self, task: str) -> None:
        """The claim is over, and so are those of earlier lives."""
        runner = self._runners.pop(task, None)
        if runner is not None:
            self._clear(runner.folder, runner.finish, keep=not runner.closed)
        for folder in self._left.pop(task, []):
            self._clear(folder, lambda: None, keep=True)
        if self._settings.once and self._had_one and not self._draining and not self._runners:
            self.drain(0)

    def _clear(self, folder: ClaimFolder, end: Callable[[], None], *, keep: bool) -> None:
        """`keep`: what its workspace holds may be nowhere else."""

        def clear() -> None:
            end()
            try:
                if keep:
                    retire(folder, self._settings.mirrors)
                folder.remove()
            except (RalphError, OSError) as error:
                self._say(f"{folder.path} is kept: {error}")

        self._beside(clear)

    def _beside(self, work: Callable[[], None]) -> None:
        """In a thread that `run` waits for at its end."""
        self._clearing = [one for one in self._clearing if one.is_alive()]
        self._clearing.append(threading.Thread(target=work, daemon=True))
        self._clearing[-1].start()

    def _prune(self) -> None:
        in_use = {runner.folder.path for runner in self._runners.values()}
        in_use |= {folder.path for left in self._left.values() for folder in left}
        self._beside(lambda: prune(self._settings.claims, self._settings.mirrors, in_use, self._say))

    def _report_merges(self) -> None:
        settings = self._settings
        try:
            report_merges(self._transport, settings.offers[0], settings.mirrors, self._say)
        finally:
            self._merges_at = boot_clock() + MERGES

    def _break(self, broken: w.LoopBroken) -> None:
        """The server takes a fact for wrong. The small one that says so is all that is left to send."""
        runner = self._runners.get(broken.task)
        if runner is None:
            return
        runner.kill()
        runner.broken = True
        runner.folder.begin(runner.record_of(broken.entry))
        self.protocol.sync(broken.task, broken.entry.fact.n)

    # -- what engines say

    def _heard(self, runner: ClaimRunner, said: links.FromEngine, now: float) -> None:
        task = runner.task
        if task not in self.protocol.claims or runner.broken:
            return
        match said:
            case links.Recorded():
                blobs: Mapping[str, bytes] = runner.folder.blobs(said.blobs)
                entry = self.protocol.record(
                    task, said.fact, loop=said.loop, at=said.at, blobs=blobs, savepoint=said.savepoint
                )
                runner.write(entry)
                self.protocol.sync(task, entry.fact.n)
                self.protocol.turn(task, now)
            case links.Turned():
                self.protocol.turn(task, now, vitals=said.vitals)
            case links.AsksPeople():
                runner.asked_at = now
                self.protocol.ask(task, now)
            case links.InsideGit():
                self.protocol.turn(task, now, inside_until=now + said.seconds)
            case links.CannotWork():
                self._give_back(runner, said.fault, said.text)
            case links.Waits():
                runner.over = True
                self.protocol.park(task, said.seconds, said.text)
                agent = runner.granted.spec.agent
                if said.quota and agent:
                    self.protocol.close_agent(agent, now + said.seconds)

    def _ended(self, runner: ClaimRunner, code: int) -> None:
        """Its last fact, if that is the loop's end, is on its way; anything else is this worker's fault."""
        held = self.protocol.claims.get(runner.task)
        if held is None or runner.over or runner.broken or held.outbox.is_closed or runner.closed:
            return
        self._give_back(runner, "internal", f"the engine ended with {code}: {runner.last_words()}")

    def _give_back(self, runner: ClaimRunner, fault: FaultKind, text: str) -> None:
        if runner.task not in self.protocol.claims or runner.over:
            return
        runner.over = True
        self._say(f"{runner.task} is given back: {fault}: {text}")
        self.protocol.give_back(runner.task, fault, text)
        spec, until = runner.granted.spec, boot_clock() + self._settings.timing.unauthorised
        if fault == "clone":
            self.protocol.close_repository(spec.repository, until)
        elif fault == "agent" and spec.agent:
            self.protocol.close_agent(spec.agent, until)
