"""The worker's side of the protocol, without I/O: answers and time in, calls and notices out.

A driver (the HTTP client, or the simulation) owns a WorkerProtocol. It sends what `calls` gives, passes on what came back
(`answer`), and acts on notices: start a loop, stop an agent now, hand over messages. Times are seconds of a clock that
also counts while the machine sleeps. A worker decides nothing about a task: it sends facts, and stops when it is told to.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.fleet import requests as r
from ralph.core.fleet.model import FaultKind, FleetTask, PersonMessage, Savepoint, SentFact, Vitals
from ralph.core.fleet.outbox import Outbox, OutboxEntry


class WorkerTiming(msgspec.Struct, frozen=True):
    """Seconds."""

    heartbeat: float = 15.0
    cut: float = 90.0  # without an accepted call: the agent is stopped
    longest_wait: float = 60.0  # of a loop that is kept; a longer one is parked
    turn: float = 30.0  # the main loop must have turned within this, or be inside an operation with a limit
    idle: float = 5.0  # between two claims when there was nothing to do
    backoff: float = 1.0
    longest_backoff: float = 30.0
    unauthorised: float = 60.0

    @classmethod
    def for_lease(cls, seconds: float) -> WorkerTiming:
        """Several heartbeats in a lease, and the agent cut before it is over."""
        return cls(heartbeat=seconds / 8, cut=seconds * 3 / 4, turn=min(30.0, max(5.0, seconds / 4)))


class WorkerCall(msgspec.Struct, frozen=True):
    id: int
    request: r.WorkerRequest


class CallFailure(msgspec.Struct, frozen=True):
    """No answer of the rules: a time-out, a 5xx, or the token is not accepted."""

    kind: Literal["unreachable", "unauthorised"]


# -- notices ---------------------------------------------------------------------------------------------------


class TaskGranted(msgspec.Struct, frozen=True):
    """Start or continue this loop. `facts` are the server's: imported, never sent again."""

    task: FleetTask
    facts: tuple[SentFact, ...]
    messages: tuple[PersonMessage, ...]


class TaskLost(msgspec.Struct, frozen=True):
    """Stop the agent now. What was not accepted stays here as superseded; the workspace goes to a recovery ref."""

    task: str
    epoch: int
    why: str


class TaskGivenBack(msgspec.Struct, frozen=True):
    """The claim is over as it should be."""

    task: str
    epoch: int


class AgentCut(msgspec.Struct, frozen=True):
    """Too long without an accepted call: stop the agent. The claim may still be good."""

    task: str


class AgentAllowed(msgspec.Struct, frozen=True):
    """The claim is good after all: continue."""

    task: str


class FactsAccepted(msgspec.Struct, frozen=True):
    task: str
    n: int


class MessagesCame(msgspec.Struct, frozen=True):
    task: str
    messages: tuple[PersonMessage, ...]


class LoopBroken(msgspec.Struct, frozen=True):
    """The server takes a fact of this loop for wrong: it ends here, as internal."""

    task: str
    entry: OutboxEntry


class StopWanted(msgspec.Struct, frozen=True):
    """The worker drains: end this loop after what is under way, or at once."""

    task: str
    at_once: bool


Notice = (
    TaskGranted
    | TaskLost
    | TaskGivenBack
    | AgentCut
    | AgentAllowed
    | FactsAccepted
    | MessagesCame
    | LoopBroken
    | StopWanted
)


# -- one claim -------------------------------------------------------------------------------------------------


class ClaimRecord(msgspec.Struct, frozen=True):
    """What the journal of a claim says after a restart of the worker."""

    task: str
    epoch: int
    facts: int  # of the task when it was claimed
    chain: str
    entries: tuple[OutboxEntry, ...] = ()  # recorded under this claim and on disk


class HeldClaim:
    """A task that this worker holds, as far as it knows."""

    def __init__(self, task: str, epoch: int, facts: int, chain: str, now: float) -> None:
        self.task = task
        self.epoch = epoch
        self.outbox = Outbox(facts, chain)
        self.last_accepted = now  # when the last call was sent that was accepted
        self.beat_at = now
        self.turned = now  # the main loop
        self.inside_until = 0.0  # it is inside an operation that ends by then
        self.cut = False
        self.asking = False  # it slept: only a heartbeat goes out until one is accepted
        self.recovering = False  # of a dead worker: its tail is sent, then the task is claimed again
        self.heard = 0
        self.vitals = Vitals()
        self.release: r.Release | None = None
        self.imported: list[SentFact] | None = None  # while the facts before the claim are fetched
        self.granted: FleetTask | None = None
        self.messages: tuple[PersonMessage, ...] = ()
        self.under_way: dict[str, int] = {}  # what -> call
        self.retry_at: dict[str, float] = {}
        self.failures: dict[str, int] = {}

    def is_alive(self, now: float, timing: WorkerTiming) -> bool:
        """A hung main loop must not keep its task. Before it has begun and after it is over, there is none to hang."""
        if self.imported is not None or self.release is not None or self.outbox.is_closed:
            return True
        return now - self.turned <= timing.turn or now <= self.inside_until


class WorkerProtocol:
    """`name` is the worker's, `run` distinguishes its lives: both make the keys of claims."""

    def __init__(
        self,
        offers: Sequence[r.Offer],
        run: str,
        now: float,
        *,
        slots: int = 1,
        timing: WorkerTiming | None = None,
        recovered: Iterable[ClaimRecord] = (),
        blobs: Mapping[str, bytes] | None = None,
    ) -> None:
        self.offers = tuple(offers)
        self.worker = offers[0].worker
        self.run = run
        self.slots = slots
        self.timing = timing or WorkerTiming()
        self.claims: dict[str, HeldClaim] = {}
        self.blobs = dict(blobs or {})  # content of those that are named and not yet stored
        self._calls: dict[
            int, tuple[str, str, r.WorkerRequest, float]
        ] = {}  # id -> task, what, request, sent
        self._next_call = 1
        self._claim: r.ClaimRequest | None = None  # repeated until it is answered
        self._claims_made = 0
        self._claim_at = now
        self._claim_failures = 0
        self._turned = now
        self._barred_until = 0.0  # the token was not accepted
        self._draining_until: float | None = None
        self._closed_agents: dict[str, float] = {}
        self._closed_repositories: dict[str, float] = {}
        for record in recovered:
            self._recover(record, now)

    # -- what the driver says

    def record(
        self,
        task: str,
        fact: f.AnyFact,
        *,
        loop: str,
        at: str,
        blobs: Mapping[str, bytes] | None = None,
        savepoint: Savepoint | None = None,
    ) -> OutboxEntry:
        """The next fact of a held task, to be written into the claim's journal. `sync` lets it go out."""
        self.blobs.update(blobs or {})
        held = self.claims[task]
        return held.outbox.record(fact, loop=loop, at=at, blobs=tuple(blobs or ()), savepoint=savepoint)

    def sync(self, task: str, n: int) -> None:
        self.claims[task].outbox.sync(n)

    def turn(self, task: str, now: float, *, inside_until: float = 0.0, vitals: Vitals | None = None) -> None:
        """The main loop has turned for this task, or is inside a named operation until then."""
        held = self.claims[task]
        held.turned, held.inside_until = now, inside_until
        held.vitals = held.vitals if vitals is None else vitals

    def ask(self, task: str, now: float) -> None:
        """A heartbeat now: the messages are wanted before an iteration's end is recorded."""
        self.claims[task].beat_at = now

    def park(self, task: str, seconds: float, text: str) -> None:
        """The loop waits longer than it may be kept: given back when everything is accepted. Negative: for a message. What
        people have said so far must be recorded before: the server keeps a task ready as long as a message is open."""
        held = self.claims[task]
        held.release = r.Release(task, held.epoch, self.worker, park_seconds=seconds, text=text)

    def give_back(self, task: str, fault: FaultKind | Literal[""] = "", text: str = "") -> None:
        held = self.claims[task]
        held.release = r.Release(task, held.epoch, self.worker, fault=fault, text=text)

    def close_agent(self, agent: str, until: float) -> None:
        """No claims for this agent before then: it has no quota, or cannot be used here."""
        self._closed_agents[agent] = until

    def close_repository(self, repository: str, until: float) -> None:
        self._closed_repositories[repository] = until

    def drain(self, now: float, seconds: float) -> list[Notice]:
        """No further claims; what is under way may take this long."""
        self._draining_until = now + seconds
        return [StopWanted(task, at_once=seconds <= 0) for task in self.claims]

    @property
    def is_idle(self) -> bool:
        return not self.claims and self._claim is None

    # -- time

    def tick(self, now: float) -> list[Notice]:
        """What only the passing of time brings about. Before `calls`."""
        if now - self._turned > self.timing.heartbeat:
            for held in self.claims.values():  # the tail of a dead worker is only sent, and asks by itself
                held.asking, held.beat_at = not held.recovering, now
        self._turned = now
        notices: list[Notice] = []
        for held in self.claims.values():
            if not held.cut and self.is_cut_off(held, now):
                held.cut = True
                notices.append(AgentCut(held.task))
        if self._draining_until is not None and now >= self._draining_until:
            self._draining_until = float("inf")
            notices += [StopWanted(task, at_once=True) for task in self.claims]
        return notices

    def next_at(self, now: float) -> float:
        """When `tick` and `calls` want to be called again, at the latest, if nothing comes in."""
        times = [now + self.timing.heartbeat / 2 if self.claims else now + self.timing.unauthorised]
        is_claiming = any(what == "claim" for _, what, _, _ in self._calls.values())
        if not is_claiming and self._draining_until is None and len(self.claims) < self.slots:
            times.append(self._claim_at)
        for held in self.claims.values():
            if "beat" not in held.under_way and not held.recovering:
                times.append(held.beat_at)
            times += [at for what, at in held.retry_at.items() if what not in held.under_way and at > now]
        return max(min(times), self._barred_until)

    def is_cut_off(self, held: HeldClaim, now: float) -> bool:
        """Before the server would give the task to another: an agent that no one hears costs money."""
        return now >= held.last_accepted + self.timing.cut

    def calls(self, now: float) -> list[WorkerCall]:
        """Requests to be sent now; each is answered once, by an answer or a failure."""
        if now < self._barred_until:
            return []
        wanted: list[WorkerCall] = []
        for held in self.claims.values():
            for what, request in self._due(held, now):
                wanted.append(self._call(held.task, what, request, now))
                held.under_way[what] = wanted[-1].id
        if (claim := self._due_claim(now)) is not None:
            wanted.append(self._call("", "claim", claim, now))
        return wanted

    def _call(self, task: str, what: str, request: r.WorkerRequest, now: float) -> WorkerCall:
        call = WorkerCall(self._next_call, request)
        self._next_call += 1
        self._calls[call.id] = task, what, request, now
        return call

    def _due(self, held: HeldClaim, now: float) -> Iterable[tuple[str, r.WorkerRequest]]:
        """What a claim wants to send and may."""
        for what, request in self._wanted(held, now):
            if what not in held.under_way and now >= held.retry_at.get(what, 0.0):
                yield what, request

    def _wanted(self, held: HeldClaim, now: float) -> Iterable[tuple[str, r.WorkerRequest]]:
        id = {"task": held.task, "epoch": held.epoch, "worker": self.worker}
        if not held.recovering and now >= held.beat_at and held.is_alive(now, self.timing):
            yield "beat", r.Heartbeat(**id, vitals=held.vitals)  # type: ignore[arg-type]
        if held.asking:
            return
        if held.imported is not None:
            yield "import", r.FactsRequest(held.task, len(held.imported))
            return
        for blob in held.outbox.wanted_blobs():
            if blob in self.blobs:
                yield f"blob {blob}", r.BlobUpload(**id, hash=blob, body=self.blobs[blob])  # type: ignore[arg-type]
        if batch := held.outbox.next_batch():
            yield "facts", self._batch(held, batch)
        elif held.release is not None and held.outbox.is_empty:
            yield "release", held.release
        elif held.recovering and held.outbox.is_empty:
            offer = self._offer(self.offers[0], now)
            yield (
                "again",
                r.ClaimRequest(offer, f"{self.run} {held.task} {held.epoch}", held.task, held.epoch),
            )

    def _batch(self, held: HeldClaim, batch: Sequence[OutboxEntry]) -> r.FactBatch:
        blobs = tuple(dict.fromkeys(blob for entry in batch for blob in entry.blobs))
        facts = tuple(entry.fact for entry in batch)
        return r.FactBatch(held.task, held.epoch, self.worker, facts, batch[-1].savepoint, blobs)

    def _due_claim(self, now: float) -> r.ClaimRequest | None:
        if now < self._claim_at or any(what == "claim" for _, what, _, _ in self._calls.values()):
            return None
        if self._claim is None:
            if self._draining_until is not None or len(self.claims) >= self.slots:
                return None
            self._claims_made += 1
            offer = self.offers[self._claims_made % len(self.offers)]
            self._claim = r.ClaimRequest(self._offer(offer, now), f"{self.run} {self._claims_made}")
        return self._claim

    def _offer(self, offer: r.Offer, now: float) -> r.Offer:
        agents = tuple(sorted(name for name, until in self._closed_agents.items() if until > now))
        closed = tuple(sorted(name for name, until in self._closed_repositories.items() if until > now))
        return replace(offer, closed_agents=agents, closed_repositories=closed)

    # -- answers

    def answer(self, id: int, answer: r.WorkerAnswer | CallFailure, now: float) -> list[Notice]:
        """What came back. An answer to a call that was given up is no answer any more."""
        if id not in self._calls:
            return []
        task, what, request, sent = self._calls.pop(id)
        if what == "claim":
            return self._claim_answered(answer, sent, now)
        held = self.claims.get(task)
        if held is None or held.under_way.get(what) != id:
            return []
        del held.under_way[what]
        if isinstance(answer, CallFailure):
            return self._failed(held, what, answer, now)
        held.failures.pop(what, None)
        held.retry_at.pop(what, None)
        if isinstance(answer, r.Refusal):
            return self._refused(held, what, answer, now)
        return self._accepted(held, what, request, answer, sent, now)

    def _failed(self, held: HeldClaim, what: str, failure: CallFailure, now: float) -> list[Notice]:
        if failure.kind == "unauthorised":
            return self._unauthorised(now)
        held.failures[what] = held.failures.get(what, 0) + 1
        held.retry_at[what] = now + self.backoff(f"{held.task} {what}", held.failures[what])
        return []

    def _unauthorised(self, now: float) -> list[Notice]:
        """Agents stop; the claims are kept, and asked for again when the token may be good again."""
        self._barred_until = now + self.timing.unauthorised
        stopped = [held for held in self.claims.values() if not held.cut]
        for held in stopped:
            held.cut = True
        return [AgentCut(held.task) for held in stopped]

    def backoff(self, what: str, failures: int) -> float:
        """Doubled each time, and a little different for everyone; jitter is a digest, not chance."""
        t = self.timing
        digest = hashlib.sha256(f"{self.run} {what} {failures}".encode()).digest()[0]
        return float(min(t.longest_backoff, t.backoff * 2 ** min(failures - 1, 10)) * (0.75 + digest / 512))

    def _lost(self, held: HeldClaim, why: str) -> list[Notice]:
        self._drop(held)
        return [TaskLost(held.task, held.epoch, why)]

    def _drop(self, held: HeldClaim) -> None:
        if self.claims.get(held.task) is held:
            del self.claims[held.task]

    def _refused(self, held: HeldClaim, what: str, refusal: r.Refusal, now: float) -> list[Notice]:
        if what == "facts" and refusal.kind == "expected":
            if held.outbox.knows(refusal.accepted, refusal.chain):
                held.outbox.accept(refusal.accepted)
                return [FactsAccepted(held.task, refusal.accepted)]
        elif what == "facts" and refusal.kind == "missing":
            held.outbox.unstore(refusal.missing, self.blobs)
            return []
        elif what == "facts" and refusal.kind in ("invalid", "too-large") and not held.outbox.is_closed:
            ended = f.LoopEnded(
                end="internal", reason=f"the server refused a fact: {refusal.text}"[:500], code=70
            )
            last = held.outbox.entries[-1].fact
            entry = held.outbox.give_up(ended, loop=last.loop, at=last.at)
            return [LoopBroken(held.task, entry)]
        elif (
            what == "beat" and held.outbox.is_closed
        ):  # the claim is over as it should be: the answer to its end says so
            held.beat_at, held.asking = float("inf"), False
            return []
        elif what == "release" and refusal.kind == "stale":
            self._drop(held)
            return [TaskGivenBack(held.task, held.epoch)]
        return self._lost(held, refusal.text or refusal.kind)

    def _accepted(
        self,
        held: HeldClaim,
        what: str,
        request: r.WorkerRequest,
        answer: r.WorkerAnswer,
        sent: float,
        now: float,
    ) -> list[Notice]:
        if isinstance(answer, r.Accepted) and not answer.held:
            return self._over(held, what, answer)
        notices: list[Notice] = []
        if not isinstance(answer, r.FactsPage):  # that one is not fenced: it says nothing about the claim
            held.last_accepted = max(held.last_accepted, sent)
        if held.cut and not self.is_cut_off(held, now):
            held.cut = False
            notices.append(AgentAllowed(held.task))
        match answer:
            case r.FactsPage():
                return notices + self._imported(held, answer)
            case r.ClaimGrant():  # of the task that a restarted worker held
                self._drop(held)
                return notices + self._granted(answer, sent, now)
            case r.Accepted():
                notices += self._heard(held, answer.messages)
        if what == "beat":
            held.asking = False
            held.beat_at = sent + self.timing.heartbeat
        elif what.startswith("blob "):
            held.outbox.stored.add(what.removeprefix("blob "))
        elif what == "facts" and isinstance(answer, r.Accepted):
            notices += self._facts_accepted(held, answer)
        return notices

    def _over(self, held: HeldClaim, what: str, answer: r.Accepted) -> list[Notice]:
        """Done, and the claim is over with it. Nothing is said of the facts: who waits for one must not go on."""
        closed = held.outbox.is_closed
        held.outbox.accept(answer.accepted)
        if what == "release" or (closed and held.outbox.is_empty):
            self._drop(held)
            return [TaskGivenBack(held.task, held.epoch)]
        return self._lost(held, "the claim is over")

    def _facts_accepted(self, held: HeldClaim, answer: r.Accepted) -> list[Notice]:
        held.outbox.accept(answer.accepted)
        named = {blob for other in self.claims.values() for blob in other.outbox.named_blobs()}
        self.blobs = {blob: body for blob, body in self.blobs.items() if blob in named}
        return [FactsAccepted(held.task, answer.accepted)]

    def _heard(self, held: HeldClaim, messages: Sequence[PersonMessage]) -> list[Notice]:
        new = tuple(message for message in messages if message.id > held.heard)
        if not new or held.imported is not None:
            return []
        held.heard = new[-1].id
        return [MessagesCame(held.task, new)]

    # -- claims

    def _claim_answered(self, answer: r.WorkerAnswer | CallFailure, sent: float, now: float) -> list[Notice]:
        if isinstance(answer, CallFailure):
            self._claim_failures += 1
            self._claim_at = now + self.backoff("claim", self._claim_failures)
            return self._unauthorised(now) if answer.kind == "unauthorised" else []
        self._claim, self._claim_failures = None, 0
        if isinstance(answer, r.ClaimGrant) and answer.task is not None:
            self._claim_at = now
            return self._granted(answer, sent, now)
        self._claim_at = now + self.timing.idle
        return []

    def _granted(self, answer: r.ClaimGrant, sent: float, now: float) -> list[Notice]:
        task = answer.task
        assert task is not None
        before = self.claims.get(task.id)
        notices = self._lost(before, "it was claimed again") if before is not None else []
        held = HeldClaim(task.id, task.epoch, task.facts, task.chain, sent)
        held.turned, held.granted, held.messages, held.imported = now, task, answer.messages, []
        self.claims[task.id] = held
        if self._draining_until is not None:
            held.imported = None
            self.give_back(task.id, text="the worker drains")
            return notices
        return notices if task.facts else notices + self._start(held)

    def _imported(self, held: HeldClaim, page: r.FactsPage) -> list[Notice]:
        if held.imported is None or held.granted is None:
            return []
        held.imported += page.facts
        if len(held.imported) < held.granted.facts and page.facts:
            return []
        held.imported = held.imported[: held.granted.facts]
        last = held.imported[-1].chain if held.imported else ""
        return self._start(held) if last == held.granted.chain else self._lost(held, "its facts do not fit")

    def _start(self, held: HeldClaim) -> list[Notice]:
        task, facts, messages = held.granted, tuple(held.imported or ()), held.messages
        assert task is not None
        held.imported, held.messages = None, ()
        held.heard = max((message.id for message in messages), default=0)
        return [TaskGranted(task, facts, messages)]

    def _recover(self, record: ClaimRecord, now: float) -> None:
        held = HeldClaim(record.task, record.epoch, record.facts, record.chain, now)
        held.outbox.load(record.entries)
        held.outbox.stored.update(blob for entry in record.entries for blob in entry.blobs)
        held.outbox.sync(held.outbox.last)
        held.recovering = True
        self.claims[record.task] = held
