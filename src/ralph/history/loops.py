"""One loop, built fact by fact: the core's fold of its facts, and beside it what each of them was. Each new fact costs the
same, however long the loop is."""

from __future__ import annotations

import copy
import sys
from typing import Literal

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import BY_NAME, DONE, OVER, exit_code
from ralph.core.hats.event_log import EventOutcome, EventOutcomes
from ralph.core.hats.steps import IDLE
from ralph.core.loop.end_advice import what_next, why_it_ended
from ralph.core.loop.fold import fold
from ralph.core.loop.state import Attempt, LoopState, verdict_key
from ralph.core.proof import Evidence
from ralph.history import gates, iterations
from ralph.history.gates import GateRun
from ralph.history.iterations import Fate, Iteration
from ralph.history.moments import At, TimeSpan, at_record
from ralph.journal.record import Record
from ralph.journal.store import transcript_name

Standing = Literal["running", "died", "ended"]
MarkKind = Literal["shift", "checkpoint", "event", "edited", "resumed", "stop", "refused", "ended"]
PAYLOAD_CHARS = 300  # of an event that is kept; its record has the whole


class LoopWait(msgspec.Struct, frozen=True):
    at: At
    started: f.WaitStarted
    until: float
    ended: Literal["elapsed", "cut short", "waiting"] = "waiting"

    @property
    def span(self) -> TimeSpan:
        return TimeSpan(self.at.moment, self.until)


class Mark(msgspec.Struct, frozen=True):
    """Something that happened at one moment."""

    kind: MarkKind
    at: At
    fact: f.AnyFact


class Notice(msgspec.Struct, frozen=True):
    """Someone was told, or could not be."""

    at: At
    fact: f.Notified


class Message(msgspec.Struct, frozen=True):
    """What a person said to the loop."""

    at: At
    said: f.Said
    iteration: int | None = None  # that read it last; None: none yet


class TurnedDown(msgspec.Struct, frozen=True):
    """An attempt, without its output, and the iteration that made it."""

    attempt: Attempt
    serial: int


class Recent(msgspec.Struct):
    """The iterations, gate runs, waits and marks of a loop by when they last changed, so that what is new is found without
    looking at the rest. Each by its key or its place in its list -> the record."""

    iterations: dict[int, int] = {}
    gates: dict[int, int] = {}
    waits: dict[int, int] = {}
    marks: dict[int, int] = {}


def touch(changed: dict[int, int], key: int, at: At) -> None:
    changed.pop(key, None)
    changed[key] = at.seq


def since(changed: dict[int, int], cursor: int) -> list[int]:
    """What changed after that record, oldest change first."""
    found = []
    for key in reversed(changed):
        if changed[key] <= cursor:
            break
        found.append(key)
    return found[::-1]


class Loop(msgspec.Struct, eq=False):
    """`standing` and `until` are those of a `snapshot`. `advice`: what to do next, said by who knows more than the journal."""

    state: LoopState = LoopState()
    at: At = At()
    last: At = At()
    lives: list[str] = []  # the runs that worked on it, oldest first
    iterations: dict[int, Iteration] = {}  # by serial
    gates: list[GateRun] = []  # in the order in which they began
    waits: list[LoopWait] = []
    pauses: list[TimeSpan] = []  # when no run worked on it
    marks: list[Mark] = []
    advice: str = ""
    notices: list[Notice] = []
    messages: dict[str, Message] = {}  # by their names
    turned_down: list[TurnedDown] = []
    end: f.LoopEnded | None = None
    results: dict[str, GateRun] = {}  # gate -> the last run of it that came to a result
    base_results: dict[str, GateRun] = {}  # the same, on the starting tree
    idle: At | None = None  # since when no one has found work
    # What Ralph itself took for it, as far as the facts say: to prepare the workspace, to look at iterations and claims, to land.
    prepare_seconds: float = 0.0
    inspect_seconds: float = 0.0
    land_seconds: float = 0.0
    for_backlog: list[
        tuple[int, f.TaskProposed | f.LoopResumed | f.LoopEnded]
    ] = []  # by record, oldest first
    standing: Standing = "running"
    until: float = 0.0
    recent: Recent = msgspec.field(default_factory=Recent)
    events: EventOutcomes = msgspec.field(default_factory=EventOutcomes)
    _asked: dict[str, int] = {}  # operation under way -> its gate run
    _waited: dict[str, int] = {}  # or its wait
    _reviewed: dict[str, int] = {}  # verdict key -> the reviewer's run that gave it last

    @property
    def id(self) -> str:
        return self.state.identity.loop

    def take(self, record: Record) -> tuple[EventOutcome, ...]:
        """What became of events by it."""
        return self.note(f.decode(record.data), at_record(record, self.last.moment))

    def note(self, fact: f.AnyFact, at: At, state: LoopState | None = None) -> tuple[EventOutcome, ...]:
        """`state`: after the fact, where someone else has folded it already."""
        at = self._pass_time(at)
        before = self.state
        self.state = fold(before, fact) if state is None else state
        told = self.events.take(fact, self.state)
        self._take(fact, at)
        if isinstance(fact, f.IterationEnded | f.TransitionPassed | f.EventReceived):
            it = self.iterations.get(fact.serial)
            if told and it is not None and it.turn is not None:
                self._put(replace(it, turn=it.turn.heard(told)), at)
        if (waited := before.landing.queued) is not None and self.state.landing.queued is None:
            turn_came = isinstance(fact, f.MergeIntended | f.LandingIntended | f.Landed)
            self._wait_ended(f.WaitEnded(waited.op, elapsed=turn_came), at)
        if self.state.judgement.attempts > before.judgement.attempts:
            self._turned_down(fact, at)
        return told

    def _pass_time(self, at: At) -> At:
        if not self.lives:
            self.at = self.last = at
        if at.run not in self.lives:
            if self.lives and at.moment > self.last.moment:
                self.pauses.append(TimeSpan(self.last.moment, at.moment))
            self.lives.append(sys.intern(at.run))
        at = replace(at, run=sys.intern(at.run))
        self.last = at
        return at

    # -- facts ---------------------------------------------------------------------------------------

    def _take(self, fact: f.AnyFact, at: At) -> None:
        match fact:
            case f.IterationStarted():
                self._iteration_started(fact, at)
            case f.IterationEnded():
                self._iteration_ended(fact, at)
            case f.GateStarted():
                self._gate_started(fact, at)
            case f.GateEnded():
                self._gate_ended(fact, at)
            case f.WaitStarted():
                self._wait_started(fact, at)
            case f.LandingQueued(op=op, behind=behind):
                wait = f.WaitStarted(op, what="landing", seconds=0.0, why=f"behind {behind}")
                self._wait_started(wait, at)
            case f.WaitEnded():
                self._wait_ended(fact, at)
            case f.BoardLooked() if fact.topic:
                self.idle = None
            case f.EventReceived():
                self._mark("event", replace(fact, payload=fact.payload[:PAYLOAD_CHARS]), at)
            case f.Checkpoint() if fact.what != "stop":
                self._mark("checkpoint", fact, at)
            case f.Said():
                self.messages[fact.name] = Message(at, fact)
            case f.StopRequested():
                self._mark("stop", fact, at)
            case f.InboxRefused():
                self._mark("refused", fact, at)
            case f.Notified():
                self.notices.append(Notice(at, fact))
            case f.TaskProposed():
                self.for_backlog.append((at.seq, fact))
            case f.ClaimInspected():
                self._inspected(fact.seconds)
            case f.WorkspacePrepared():
                self._prepared(fact, at)
            case f.WorkspaceChanged():
                self._mark("edited", fact, at)
            case f.WorkspaceMerged() | f.Landed():  # a merge with a target that has moved on is a part of it
                self.land_seconds = round(self.land_seconds + fact.seconds, 3)
            case f.LoopResumed():
                self.end = self.idle = None
                self.for_backlog.append((at.seq, fact))
                self._mark("resumed", fact, at)
            case f.LoopEnded():
                self._ended(fact, at)

    def _prepared(self, x: f.WorkspacePrepared, at: At) -> None:
        self.prepare_seconds = x.seconds
        for known in x.known:
            self._add(gates.known(known, x.tree, at, self.state.gate(known.gate)), at)

    def _iteration_started(self, x: f.IterationStarted, at: At) -> None:
        output = transcript_name(at.run, self.id, f"iteration:{x.serial}")
        it = iterations.begun(x, at, output, self.state)
        self._put(it, at)
        if x.shift and self.state.judgement.shifted:
            self._mark("shift", it.started, at)
        for name in x.heard:
            if name in self.messages:
                self.messages[name] = replace(self.messages[name], iteration=x.n)
        worn = self.state.worn
        if worn is None or not worn.scanner:  # else it only looks whether there is work
            self.idle = None

    def _iteration_ended(self, x: f.IterationEnded, at: At) -> None:
        it = self.iterations.get(x.serial)
        if it is None:
            started = f.IterationStarted(serial=x.serial, n=x.n, prompt="", prompt_chars=0, tree="")
            it = iterations.begun(started, at, "", self.state)
        self._put(it.end(x, at, self.state), at)
        self._inspected(x.inspect_seconds)

    def _inspected(self, seconds: float) -> None:
        self.inspect_seconds = round(self.inspect_seconds + seconds, 3)

    def _gate_started(self, x: f.GateStarted, at: At) -> None:
        """The same question may be asked again after an interruption: each run is evidence of its own."""
        serial = 0 if x.purpose == "base" else self.state.progress.serial
        n = self.iterations[serial].n if serial in self.iterations else 0
        output = transcript_name(at.run, self.id, x.op)
        self._asked[x.op] = len(self.gates)
        self._add(gates.begun(x, at, output, serial, n, self.state.gate(x.gate)), at)

    def _gate_ended(self, x: f.GateEnded, at: At) -> None:
        if x.op not in self._asked:
            started = f.GateStarted(op=x.op, gate=x.gate, purpose=x.purpose, variant=x.variant, tree=x.tree)
            self._gate_started(started, at)
        number = self._asked.pop(x.op)
        run = self.gates[number] = self.gates[number].end(x, at)
        touch(self.recent.gates, number, at)
        if run.passed is not None:
            self.results[x.gate] = run
            if x.purpose == "base":
                self.base_results[x.gate] = run
        if run.reviewer and run.verdict_of:
            self._reviewed[run.verdict_of] = number
        it = self.iterations.get(run.serial)
        if it is not None and (x.usage != f.Usage() or x.estimated):
            used = it.review_usage
            usage = f.Usage(used.tokens + x.usage.tokens, used.cost_usd + x.usage.cost_usd)
            self._put(
                replace(it, review_usage=usage, review_estimated=it.review_estimated or x.estimated), at
            )
        if self.is_flaky(run) and self.state.judgement.claim is None and not x.passed:
            self._settle("flaky", f"gate {x.gate} contradicts itself on this tree: no attempt is spent", at)

    def _wait_started(self, x: f.WaitStarted, at: At) -> None:
        self._waited[x.op] = len(self.waits)
        touch(self.recent.waits, len(self.waits), at)
        self.waits.append(LoopWait(at, x, at.moment))
        if x.op.startswith(IDLE):
            self.idle = self.idle or at

    def _wait_ended(self, x: f.WaitEnded, at: At) -> None:
        number = self._waited.pop(x.op, None)
        if number is not None:
            how: Literal["elapsed", "cut short"] = "elapsed" if x.elapsed else "cut short"
            self.waits[number] = replace(self.waits[number], ended=how, until=at.moment)
            touch(self.recent.waits, number, at)

    def _ended(self, x: f.LoopEnded, at: At) -> None:
        self.end = x
        self.for_backlog.append((at.seq, x))
        end = self.state.judgement.ended or x.end  # the state believes no end that the gates do not bear out
        self._mark("ended", replace(x, end=end), at)
        confirmed = BY_NAME[x.end].claim
        if confirmed is None or self.state.judgement.claim is None:
            return
        for gate in self.state.gates:
            self._remember(gate.name, at)
        it = self.iterations.get(self.state.judgement.claim.serial)
        if it is not None and end == x.end:
            fate: Fate = confirmed
            detail = x.reason
            if fate == "verified":
                fate = "verified" if self.proven else "passed"
                detail = gates.proof_line(x.proof) or x.reason
            self._put(replace(it, fate=fate, detail=detail), at)

    # -- what follows from them ----------------------------------------------------------------------

    def _add(self, run: GateRun, at: At) -> None:
        touch(self.recent.gates, len(self.gates), at)
        self.gates.append(run)

    def _turned_down(self, fact: f.AnyFact, at: At) -> None:
        last, serial = self.state.judgement.history[-1], self.state.progress.serial
        self.turned_down.append(TurnedDown(replace(last, excerpt=""), serial))
        if last.gate == "agent":
            return
        if not (isinstance(fact, f.GateEnded) and fact.gate == last.gate):
            self._remember(last.gate, at)
        # At once, by a reviewer who has seen this very tree: the state no longer says that it was a claim.
        at_once = isinstance(fact, f.IterationEnded)
        self._settle("turned-down", f"{last.gate}: {last.headline}", at, claimed=at_once)

    def _remember(self, gate: str, at: At) -> None:
        """A reviewer's verdict on a tree holds: what it said of an earlier claim is evidence about this one too."""
        it = self.iterations.get(self.state.progress.serial)
        tree = it.ended.tree if it and it.ended else ""
        number = self._reviewed.get(verdict_key(gate, "as-is", tree))
        if it is None or number is None or self.gates[number].serial == it.serial:
            return
        run = gates.remembered(self.gates[number], at, it.serial, it.n)
        self._add(run, at)
        self._reviewed[run.verdict_of] = len(self.gates) - 1

    def _settle(self, fate: Fate, detail: str, at: At, *, claimed: bool = False) -> None:
        """What became of the iteration whose claim was looked at."""
        if (it := self.iterations.get(self.state.progress.serial)) is not None:
            self._put(replace(it, fate=fate, detail=detail, claimed=it.claimed or claimed), at)

    def _put(self, it: Iteration, at: At) -> None:
        self.iterations[it.serial] = it
        touch(self.recent.iterations, it.serial, at)

    def _mark(self, kind: MarkKind, fact: f.AnyFact, at: At) -> None:
        touch(self.recent.marks, len(self.marks), at)
        self.marks.append(Mark(kind, at, fact))

    # -- questions -----------------------------------------------------------------------------------

    def is_flaky(self, run: GateRun) -> bool:
        verdicts = self.state.judgement.verdicts.get(verdict_key(run.gate, run.started.variant, run.tree), ())
        return len(set(verdicts)) > 1

    @property
    def evidence(self) -> Evidence | None:
        """What the end rests on; None in journals of earlier versions, and where nothing was claimed."""
        return self.state.judgement.evidence if self.state.judgement.ended else None

    def shows_the_task(self, proof: dict[str, str]) -> bool:
        tree = self.state.judgement.claim.tree if self.state.judgement.claim else ""
        in_vain = {run.gate for run in self.gates if run.tree == tree and run.ended and run.ended.empty}
        return gates.shows_the_task(proof, in_vain)

    @property
    def proven(self) -> bool:
        """Verified, and a hard gate that was red before is green, by more than the work's own tests."""
        if self.evidence is not None and self.evidence.degree != "proven":
            return False
        return self.state.judgement.ended == "completed-verified" and self.shows_the_task(
            self.state.judgement.proof
        )

    @property
    def span(self) -> TimeSpan:
        return TimeSpan(self.at.moment, self.until or self.last.moment)

    def began(self, op: str) -> At | None:
        """When this operation, which is under way, began."""
        found = next((one for one in self.under_way() if one.op == op), None) or self.wait(op)
        return found.at if found else None

    def gate_run(self, op: str) -> GateRun | None:
        """The run of this operation that is under way."""
        return self.gates[self._asked[op]] if op in self._asked else None

    def wait(self, op: str) -> LoopWait | None:
        """The one of this name that has not ended."""
        number = self._waited.get(op)
        return self.waits[number] if number is not None else None

    @property
    def wall_seconds(self) -> float:
        return self.span.ended - self.span.began

    @property
    def code(self) -> int | None:
        return (
            exit_code(self.state.judgement.ended, self.state.identity.policy)
            if self.state.judgement.ended
            else None
        )

    @property
    def done(self) -> bool:
        """It ended well: exit code 0."""
        return self.state.judgement.ended in DONE and self.code == 0

    @property
    def reason(self) -> str:
        return why_it_ended(self.state) or _UNENDED.get(self.standing, "")

    @property
    def next_step(self) -> str:
        if self.advice:
            return self.advice
        return (
            what_next(self.state.judgement.ended, self.state)
            if self.state.judgement.ended
            else _NEXT[self.standing]
        )

    @property
    def proof(self) -> dict[str, str]:
        return self.state.judgement.proof if self.state.judgement.ended else {}

    @property
    def paths(self) -> tuple[str, ...]:
        """To be looked at, when the end is needs-review."""
        return self.end.paths if self.end else ()

    @property
    def last_attempt(self) -> Attempt | None:
        return self.turned_down[-1].attempt if self.turned_down else None

    @property
    def last_gate(self) -> str:
        last = self.last_attempt
        return last.gate if last else next((run.gate for run in reversed(self.gates)), "")

    @property
    def last_error(self) -> str:
        return self.last_attempt.headline if self.last_attempt else ""

    @property
    def models(self) -> list[str]:
        """That worked on it, as far as agents told; the newest last."""
        used = (it.result.usage.model for it in self.iterations.values())
        return list(dict.fromkeys(model for model in used if model))

    @property
    def stuck(self) -> str:
        """Why it counts as stuck; empty when it does not."""
        s = self.state
        if s.judgement.streak >= s.identity.policy.stuck.same_error_shift > 0:
            return f"same error {s.judgement.streak}x" + (
                ", strategy shift failed" if s.judgement.shifts else ""
            )
        return s.judgement.end_reason if s.judgement.ended == "stuck" else ""

    def under_way(self) -> list[Iteration | GateRun]:
        found: list[Iteration | GateRun] = []
        for running in self.state.progress.open.values():
            it = self.iterations.get(self.state.progress.serial)
            if running.what == "iteration" and it and it.op == running.op:
                found.append(it)
            elif run := self.gate_run(running.op):
                found.append(run)
        return found

    def operations(self) -> list[Iteration | GateRun]:
        """What ran in it, in the order in which it began."""
        ran = [run for run in self.gates if run.origin == "ran"]
        return sorted([*self.iterations.values(), *ran], key=lambda one: one.at.seq)

    def forget_past(self) -> None:
        """For those who show only what goes on: of what is over, each gate's last result stays, and the last words."""
        said = next((it.serial for it in reversed(self.iterations.values()) if it.said), 0)
        newest = {said, self.state.progress.serial}  # gates still look at the newest one
        self.iterations = {serial: it for serial, it in self.iterations.items() if serial in newest}
        self.gates = [self.gates[number] for number in self._asked.values()]
        self.waits = [self.waits[number] for number in self._waited.values()]
        self._asked = {op: number for number, op in enumerate(self._asked)}
        self._waited = {op: number for number, op in enumerate(self._waited)}
        self.turned_down, self.marks, self.notices, self.pauses = [], [], [], []
        self._reviewed, self.recent = {}, Recent()

    def set_down(self) -> None:
        """To be written down; `take_up` comes before the next fact."""
        self.forget_past()
        self.events.before = None
        s = self.state
        if (
            s.identity.home and s.judgement.ended in OVER
        ):  # of its evidence, only the outcome is still asked for
            self.iterations, self.results, self.base_results = {}, {}, {}
            self.events.numbers = {}
            judgement = replace(
                s.judgement,
                claim=None,
                results=(),
                verdicts={},
                failures={},
                checks={},
                reviews={},
                history=(),
            )
            self.state = replace(s, progress=replace(s.progress, trees={}, events={}), judgement=judgement)

    def take_up(self) -> None:
        self.events.stand(self.state)

    def stand(self, *, live: bool) -> Loop:
        """`live`: its run is at work."""
        self.standing = "ended" if self.state.judgement.ended else "running" if live else "died"
        return self

    def snapshot(self, now: float, *, live: bool) -> Loop:
        """As it stands: what is under way has lasted until `now` or, after a death, ended then. Costs as much as the loop
        is long."""
        shown = copy.copy(self).stand(live=live)
        now = shown.until = self.last.moment if self.state.judgement.ended else max(self.last.moment, now)
        shown.iterations = {serial: it.closed(now, live=live) for serial, it in self.iterations.items()}
        shown.gates = [
            replace(run, flaky=True) if self.is_flaky(run) else run
            for run in (run.closed(now, live=live) for run in self.gates)
        ]
        shown.waits = [_closed(wait, now, live) for wait in self.waits]
        work = [it.span for it in shown.iterations.values()]
        work += [*(run.span for run in shown.gates), *(wait.span for wait in shown.waits)]
        shown.pauses = [_without_work(pause, work) for pause in self.pauses]
        return shown


_UNENDED = {"running": "under way", "died": "the run died before it could end"}
_NEXT = {
    "running": "`ralph events --follow` shows what happens; `ralph stop` ends it after the iteration.",
    "died": "The run died. Continue with `ralph resume`.",
}


def _closed(wait: LoopWait, now: float, live: bool) -> LoopWait:
    if wait.ended != "waiting":
        return wait
    return replace(wait, until=now, ended="waiting" if live else "cut short")


def _without_work(pause: TimeSpan, work: list[TimeSpan]) -> TimeSpan:
    """A run that died went on after its last record."""
    busy = [span.ended for span in work if span.began <= pause.began]
    return TimeSpan(min(max([pause.began, *busy]), pause.ended), pause.ended)
