"""From the journal to stories: which loops are meant, and what their facts add up to. The rules are the core's own fold;
here it is only noted what each fact did. Reads only, also while a run is live."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import BY_NAME, DONE, exit_code
from ralph.core.hats.event_log import spoke
from ralph.core.loop import signals
from ralph.core.loop.end_advice import what_next, why_it_ended
from ralph.core.loop.fold import fold
from ralph.core.loop.state import SOFT_LIMITS, LoopState, verdict_key
from ralph.git.repo import Repo
from ralph.history.runs import BacklogRun, choose
from ralph.journal.lock import holder
from ralph.journal.record import Record
from ralph.journal.store import transcript_name
from ralph.report import words
from ralph.report.model import (
    AttemptRow,
    Fate,
    GateRun,
    IterationRow,
    LoopReport,
    Mark,
    MarkKind,
    Notice,
    Standing,
    TimeSpan,
    WaitRow,
)
from ralph.report.sections import HatTeller
from ralph.report.sources import Changes, StoredTexts
from ralph.terminal import words as masked
from ralph.text import few


class Gathered(msgspec.Struct, frozen=True):
    """Loops, oldest first; and the run over a backlog that they were in, when it is that run that is meant."""

    stories: list[LoopReport]
    run: BacklogRun | None = None
    earlier: str = ""  # the run over the backlog before that one


def gather(
    repo: Repo, changes: Changes, *, loop: str = "", run: str = "", everything: bool = False, task: str = ""
) -> Gathered:
    """The loops that are asked for; without a wish, the newest one of this workspace, or the newest run over its
    backlog, whichever is newer."""
    holding = holder(repo.state_dir)
    working = str(holding.get("run", "")) if holding else ""
    kept = StoredTexts(repo.state_dir)
    stories = []
    chosen = choose(repo, loop=loop, run=run, everything=everything, task=task)
    for records in chosen.loops:
        teller = _Teller()
        for record in records:
            teller.take(record)
        live = teller.runs[-1] == working
        now = datetime.now(UTC).timestamp() if live else kept.last_beat(teller.runs[-1])
        stories.append(teller.story(live, now, changes))
    return Gathered(stories, chosen.run, chosen.earlier)


def moment(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


class _Teller:
    """Folds the facts of one loop and notes, beside the state, what each of them was."""

    def __init__(self) -> None:
        self.s = LoopState()
        self.runs: list[str] = []
        self.began = self.last = 0.0
        self.iterations: dict[int, IterationRow] = {}
        self.gates: dict[str, GateRun] = {}
        self.waits: dict[str, WaitRow] = {}
        self.pauses: list[TimeSpan] = []
        self.marks: list[Mark] = []
        self.notices: list[Notice] = []
        self.attempts: list[AttemptRow] = []
        self.hats = HatTeller()
        self.end: f.LoopEnded | None = None
        self.reviewed: dict[int, tuple[int, float, bool]] = {}  # tokens, cost, whether estimated

    def take(self, record: Record) -> None:
        fact = f.decode(record.data)
        at = moment(record.at)
        self._pass_time(record, at)
        before, self.s = self.s, fold(self.s, fact)
        self.hats.take(fact, self.s)
        note = _NOTES.get(type(fact))
        if note:
            note(self, fact, record)
        if self.s.attempts > before.attempts:
            self._turned_down(fact)

    def _pass_time(self, record: Record, at: float) -> None:
        """A clock may be set back; what happened later is never shown earlier."""
        if not self.began:
            self.began = self.last = at
        at = max(at, self.last)
        if record.run not in self.runs:
            if self.runs and at > self.last:
                self.pauses.append(TimeSpan(self.last, at))
            self.runs.append(record.run)
        self.last = at

    # -- facts ---------------------------------------------------------------------------------------

    def prepared(self, x: f.WorkspacePrepared, record: Record) -> None:
        for known in x.known:
            policy = self.s.gate(known.gate)
            self._gate(
                GateRun(
                    op=f"known:{known.gate}",
                    gate=known.gate,
                    serial=0,
                    purpose="base",
                    variant="as-is",
                    tree=x.tree,
                    span=TimeSpan(self.last, self.last),
                    command=policy.run if policy else "",
                    hard=policy.hard if policy else True,
                    passed=known.passed,
                    how="known",
                    known=known.evidence,
                )
            )

    def changed(self, x: f.WorkspaceChanged, record: Record) -> None:
        self._mark("edited", f"somebody edited the tree: {few(x.paths)}")

    def resumed(self, x: f.LoopResumed, record: Record) -> None:
        self.end = None
        answer = f", with the answer: {x.answer}" if x.answer else ""
        self._mark("resumed", f"went on in run {x.run}{answer}")

    def iteration_started(self, x: f.IterationStarted, record: Record) -> None:
        op = f"iteration:{x.serial}"
        self.iterations[x.serial] = IterationRow(
            serial=x.serial,
            n=x.n,
            span=TimeSpan(self.last, self.last),
            prompt=x.prompt,
            prompt_chars=x.prompt_chars,
            shift=x.shift,
            expand=x.expand,
            tree_before=x.tree,
            output=transcript_name(record.run, record.loop, op),
        )
        if x.shift and self.s.shifted:
            more = ", with more context" if x.expand else ""
            self._mark("shift", f"strategy shift {x.shift} before iteration {x.n}{more}")

    def iteration_ended(self, x: f.IterationEnded, record: Record) -> None:
        begun = self.iterations.get(x.serial) or IterationRow(
            serial=x.serial, n=x.n, span=TimeSpan(self.last, self.last)
        )
        said = signals.read(x.said, structured=x.structured, promise=self.s.policy.completion_promise)
        fate, detail = self._fate(x, said)
        self.iterations[x.serial] = replace(
            begun,
            span=TimeSpan(begun.span.began, self._ended(begun.span.began, x.seconds)),
            fate=fate,
            detail=detail,
            claimed=self.s.claim is not None or (fate == "refused"),
            signal=said.word if said.explicit and x.how == "exited" else "",
            how=x.how,
            cause=x.cause,
            code=x.code,
            seconds=x.seconds,
            tokens=x.usage.tokens,
            cost_usd=x.usage.cost_usd,
            estimated=x.estimated,
            tree_after=x.tree,
            output=x.output,
            scratchpad=x.scratchpad,
            fault=x.fault,
            fault_text=x.fault_text,
            stragglers=x.stragglers,
            refs_moved=x.refs_moved,
            cut=x.cut,
        )

    def _fate(self, x: f.IterationEnded, said: signals.Signal) -> tuple[Fate, str]:
        s = self.s
        if x.how == "interrupted":
            return "interrupted", "interrupted"
        if x.how == "cut":
            return "cut", f"cut off: {_CUT.get(x.cause, x.cause)}"
        if x.fault:
            return "fault", f"{x.fault}: {x.fault_text}"
        if s.wait_due is not None and s.wait_due.what == "crash":
            return "crashed", f"exit {x.code}" + (f": {x.fault_text}" if x.fault_text else "")
        if s.stuck_reason is not None:
            return "stuck", s.stuck_reason
        if s.refusal:
            return "refused", f"claim refused: {s.refusal}"
        if s.claim is not None:
            return "worked", "claims completion"
        if s.policy.routing is not None:
            return "worked", spoke(x, s)
        return "worked", said.warning or ("" if said.explicit else "no signal")

    def gate_started(self, x: f.GateStarted, record: Record) -> None:
        policy = self.s.gate(x.gate)
        self._gate(
            GateRun(
                op=x.op,
                gate=x.gate,
                serial=self.s.serial,
                n=begun.n if (begun := self.iterations.get(self.s.serial)) else 0,
                purpose=x.purpose,
                variant=x.variant,
                tree=x.tree,
                span=TimeSpan(self.last, self.last),
                hard=policy.hard if policy else True,
                reviewer=bool(x.prompt or (policy and policy.kind.asked_once)),
                again=x.op.endswith(":again"),
                command=policy.run if policy else "",
                how="running",
                prompt=x.prompt,
                swapped=x.swapped,
                output=transcript_name(record.run, record.loop, x.op),
            )
        )

    def gate_ended(self, x: f.GateEnded, record: Record) -> None:
        begun = self.gates.get(x.op)
        if begun is None:
            self.gate_started(
                f.GateStarted(op=x.op, gate=x.gate, purpose=x.purpose, variant=x.variant, tree=x.tree), record
            )
            begun = self.gates[x.op]
        self.gates[x.op] = replace(
            begun,
            span=TimeSpan(begun.span.began, self._ended(begun.span.began, x.seconds)),
            command=x.command,
            passed=None if x.how == "interrupted" else x.passed,
            how=x.how,
            code=x.code,
            seconds=x.seconds,
            timed_out=x.timed_out,
            hermetic=x.hermetic,
            unclear=x.unclear,
            empty=x.empty,
            findings=x.findings,
            headline=x.headline,
            error_hash=x.error_hash,
            wrote=x.wrote,
            stragglers=x.stragglers,
            refs_moved=x.refs_moved,
            tokens=x.usage.tokens,
            cost_usd=x.usage.cost_usd,
            estimated=x.estimated,
            fault=x.fault,
            fault_text=x.fault_text,
            output=x.output,
        )
        tokens, paid, estimated = self.reviewed.get(begun.serial, (0, 0.0, False))
        self.reviewed[begun.serial] = (
            tokens + x.usage.tokens,
            paid + x.usage.cost_usd,
            estimated or x.estimated,
        )
        if self._is_flaky(self.gates[x.op]) and self.s.claim is None and not x.passed:
            self._settle("flaky", f"gate {x.gate} contradicts itself on this tree: no attempt is spent")

    def _gate(self, run: GateRun) -> None:
        """The same question may be asked again after an interruption: each run is evidence of its own."""
        earlier = self.gates.pop(run.op, None)
        if earlier is not None:
            self.gates[f"{run.op}#{len(self.gates)}"] = earlier
        self.gates[run.op] = run

    def _turned_down(self, fact: f.AnyFact) -> None:
        last, serial = self.s.history[-1], self.s.serial
        self.attempts.append(
            AttemptRow(last.number, last.gate, last.error_hash, last.shift, last.headline, serial)
        )
        if last.gate == "agent":
            return
        if not (isinstance(fact, f.GateEnded) and fact.gate == last.gate):
            self._remember(last.gate)
        # At once, by a reviewer who has seen this very tree: the state no longer says that it was a claim.
        at_once = isinstance(fact, f.IterationEnded)
        self._settle("turned-down", f"{last.gate}: {last.headline}", claimed=at_once)

    def _remember(self, gate: str) -> None:
        """A reviewer's verdict on a tree holds: what it said of an earlier claim is evidence about this one too."""
        it = self.iterations.get(self.s.serial)
        key = verdict_key(gate, "as-is", it.tree_after) if it else ""
        said = [run for run in self.gates.values() if run.reviewer and _verdict_of(run) == key]
        if it is None or not said or said[-1].serial == it.serial:
            return
        op = f"remembered:{it.serial}:{gate}"
        self.gates[op] = replace(
            said[-1],
            op=op,
            serial=it.serial,
            n=it.n,
            purpose="claim",
            again=False,
            span=TimeSpan(self.last, self.last),
            how="remembered",
            before=said[-1].before or said[-1].n,
            seconds=0.0,
            tokens=0,
            cost_usd=0.0,
        )

    def _settle(self, fate: Fate, detail: str, *, claimed: bool = False) -> None:
        """What became of the iteration whose claim was looked at."""
        if (it := self.iterations.get(self.s.serial)) is not None:
            self.iterations[self.s.serial] = replace(
                it, fate=fate, detail=detail, claimed=it.claimed or claimed
            )

    def checkpoint(self, x: f.Checkpoint, record: Record) -> None:
        if x.what != "stop":
            what = SOFT_LIMITS.get(x.what) or "checkpoint recorded"
            self._mark("checkpoint", f"{what} after {x.seconds:.0f} s")

    def wait_started(self, x: f.WaitStarted, record: Record) -> None:
        key = x.op if x.op not in self.waits else f"{x.op}#{len(self.waits)}"
        self.waits[key] = WaitRow(x.op, x.what, x.why, x.seconds, TimeSpan(self.last, self.last))

    def wait_ended(self, x: f.WaitEnded, record: Record) -> None:
        for key in reversed(self.waits):
            if self.waits[key].op == x.op:
                begun = self.waits[key]
                how = "elapsed" if x.elapsed else "cut short"
                self.waits[key] = replace(begun, ended=how, span=TimeSpan(begun.span.began, self.last))
                return

    def stop(self, x: f.StopRequested, record: Record) -> None:
        self._mark("stop", f"{x.by} asked to {_STOPS[x.how]}")

    def event(self, x: f.EventReceived, record: Record) -> None:
        self._mark("event", f"event {x.topic} {x.payload}".rstrip())

    def refused(self, x: f.InboxRefused, record: Record) -> None:
        self._mark("refused", f"a message was refused: {x.why}")

    def notified(self, x: f.Notified, record: Record) -> None:
        self.notices.append(Notice(x.occasion, x.target, x.ok, self.last, x.text))

    def ended(self, x: f.LoopEnded, record: Record) -> None:
        self.end = x
        limit = f" ({x.limit})" if x.limit else ""
        self._mark("ended", f"{self.s.ended}{limit}: {x.reason}")
        confirmed = BY_NAME[x.end].claim
        if confirmed is not None and self.s.claim is not None:
            for gate in self.s.gates:
                self._remember(gate.name)
            it = self.iterations.get(self.s.claim.serial)
            if it is not None and self.s.ended == x.end:
                fate: Fate = confirmed
                detail = x.reason
                if fate == "verified":
                    fate = "verified" if self._shown(x.proof) else "passed"
                    detail = words.proof_line(x.proof) or x.reason
                self.iterations[it.serial] = replace(it, fate=fate, detail=detail)

    def _shown(self, proof: dict[str, str]) -> bool:
        tree = self.s.claim.tree if self.s.claim else ""
        in_vain = {run.gate for run in self.gates.values() if run.empty and run.tree == tree}
        return words.shows_the_task(proof, in_vain)

    # -- the whole -----------------------------------------------------------------------------------

    def story(self, live: bool, now: float, changes: Changes) -> LoopReport:
        """`now`: until when what is under way goes on, or, after a death, went on."""
        s = self.s
        standing: Standing = "ended" if s.ended else "running" if live else "died"
        now = self.last if s.ended else max(self.last, now)
        last = self.attempts[-1] if self.attempts else None
        evidence = sorted((self._closed(run, live, now) for run in self.gates.values()), key=_begin)
        iterations = tuple(self._finished(it, live, now) for it in self.iterations.values())
        waits = tuple(_waited(wait, live, now) for wait in self.waits.values())
        work = [*(i.span for i in iterations), *(g.span for g in evidence), *(w.span for w in waits)]
        return LoopReport(
            loop=s.loop,
            task=s.task,
            policy=masked.policy(s.policy),  # a report is shown to others
            standing=standing,
            span=TimeSpan(self.began, now),
            end=s.ended or "",
            reason=why_it_ended(s) or _UNENDED.get(standing, ""),
            next=what_next(s.ended, s) if s.ended else _NEXT[standing],
            done=s.ended in DONE and exit_code(s.ended, s.policy) == 0,
            code=exit_code(s.ended, s.policy) if s.ended else None,
            limit=s.end_limit,
            proof=s.proof if s.ended else {},
            proven=s.ended == "completed-verified" and self._shown(s.proof),
            paths=self.end.paths if self.end else (),
            runs=tuple(self.runs),
            root=s.root,
            folder=s.folder,
            branch=s.branch,
            base_commit=s.base_commit,
            base_tree=s.base_tree,
            tree=s.tree,
            recovery=s.recovery,
            landed_on=s.landed.ref.removeprefix("refs/heads/") if s.landed else "",
            landed_as=s.landed.commit if s.landed else "",
            landed_note=s.landed.note if s.landed else "",
            url=s.landed.url if s.landed else "",
            kept_on=s.end_branch,
            counted=s.iterations,
            turned_down=s.attempts,
            active_seconds=s.active_seconds,
            wall_seconds=now - self.began,
            tokens=s.tokens,
            cost_usd=s.cost_usd,
            estimated=s.estimated,
            last_gate=last.gate if last else next((g.gate for g in reversed(evidence)), ""),
            last_error=last.headline if last else "",
            error_hash=last.error_hash if last else "",
            stuck=_stuck(s),
            quality_warnings=self._quality_warnings(),
            evidence=tuple(evidence),
            iterations=iterations,
            attempts=tuple(self.attempts),
            waits=waits,
            pauses=tuple(_idle(pause, work) for pause in self.pauses),
            marks=tuple(self.marks),
            notices=tuple(self.notices),
            warnings=s.warnings,
            changed=changes.files(s.base_tree, s.tree) if s.base_tree else (),
            worn=self.hats.worn(),
            items=tuple(s.board.items.values()),
        )

    def _finished(self, it: IterationRow, live: bool, now: float) -> IterationRow:
        tokens, cost, estimated = self.reviewed.get(it.serial, (0, 0.0, False))
        it = replace(it, review_tokens=tokens, review_cost_usd=cost, estimated=it.estimated or estimated)
        if it.how != "running":
            return it
        it = replace(it, span=TimeSpan(it.span.began, now), seconds=round(now - it.span.began, 3))
        return it if live else replace(it, fate="interrupted", detail="the run died", how="interrupted")

    def _closed(self, run: GateRun, live: bool, now: float) -> GateRun:
        run = replace(run, flaky=self._is_flaky(run))
        if run.how != "running":
            return run
        run = replace(run, span=TimeSpan(run.span.began, now), seconds=round(now - run.span.began, 3))
        return run if live else replace(run, how="interrupted")

    def _ended(self, began: float, seconds: float) -> float:
        """A resume closes what a dead run left long after it stopped: how long it lasted is in the fact."""
        return min(self.last, began + seconds) if seconds >= 0 else self.last

    def _is_flaky(self, run: GateRun) -> bool:
        return len(set(self.s.verdicts.get(verdict_key(run.gate, run.variant, run.tree), ()))) > 1

    def _quality_warnings(self) -> tuple[str, ...]:
        """What soft gates had to say, each thing once, however often they said it."""
        found: dict[str, None] = {}
        for run in self.gates.values():
            if not run.hard and run.purpose != "base" and (run.findings or run.passed is False):
                for text in run.findings or (run.headline or f"exit {run.code}",):
                    found[f"{run.gate}: {text}"] = None
        return tuple(found)

    def _mark(self, kind: MarkKind, text: str) -> None:
        self.marks.append(Mark(kind, self.last, text))


def _verdict_of(run: GateRun) -> str:
    """Whose verdict on which tree it is; empty for a run that gave none."""
    given = run.passed is not None and not run.unclear and not run.fault
    return verdict_key(run.gate, run.variant, run.tree) if given else ""


def _begin(run: GateRun) -> float:
    return run.span.began


def _waited(wait: WaitRow, live: bool, now: float) -> WaitRow:
    if wait.ended != "waiting":
        return wait
    return replace(wait, span=TimeSpan(wait.span.began, now), ended="waiting" if live else "cut short")


def _idle(pause: TimeSpan, work: list[TimeSpan]) -> TimeSpan:
    """A run that died went on after its last record."""
    busy = [span.ended for span in work if span.began <= pause.began]
    return TimeSpan(min(max([pause.began, *busy]), pause.ended), pause.ended)


def _stuck(s: LoopState) -> str:
    if s.streak >= s.policy.stuck.same_error_shift > 0:
        return f"same error {s.streak}x" + (", strategy shift failed" if s.shifts else "")
    return s.end_reason if s.ended == "stuck" else ""


_CUT = {
    "iteration-time": "it hit its hard time limit",
    "idle": "it was idle for too long",
    "context": "its context was full",
    "time": "the loop's time was used up",
    "cost": "the loop's budget was used up",
    "tokens": "the loop's tokens were used up",
    "stop": "a stop was asked for",
}
_STOPS = {
    "graceful": "stop after the iteration",
    "now": "stop at once",
    "interrupt": "interrupt",
    "cancel": "cancel",
}
_UNENDED = {"running": "under way", "died": "the run died before it could end"}
_NEXT = {
    "running": "`ralph events --follow` shows what happens; `ralph stop` ends it after the iteration.",
    "died": "The run died. Go on with `ralph resume`.",
}
_NOTES: dict[type, Callable[[_Teller, Any, Record], None]] = {
    f.WorkspacePrepared: _Teller.prepared,
    f.WorkspaceChanged: _Teller.changed,
    f.LoopResumed: _Teller.resumed,
    f.IterationStarted: _Teller.iteration_started,
    f.IterationEnded: _Teller.iteration_ended,
    f.GateStarted: _Teller.gate_started,
    f.GateEnded: _Teller.gate_ended,
    f.Checkpoint: _Teller.checkpoint,
    f.WaitStarted: _Teller.wait_started,
    f.WaitEnded: _Teller.wait_ended,
    f.StopRequested: _Teller.stop,
    f.EventReceived: _Teller.event,
    f.InboxRefused: _Teller.refused,
    f.Notified: _Teller.notified,
    f.LoopEnded: _Teller.ended,
}
