"""decide(state) -> the operations that should be under way now. Pure and total; the order of the rules is the policy.

1. Someone wants it to end at once: cut what runs, then end.
2. What is under way goes on, unless a limit cuts it off (cutoff).
3. A claim is judged before any limit is looked at.
4. Then the reasons to end, in one table (_ENDS); then a due wait; then the next iteration.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from ralph.core.exits import SOME_TASKS_FAILED, End, exit_code
from ralph.core.failures.test_counts import fewer
from ralph.core.hats.board import any_failed, overdue, own, why_overdue
from ralph.core.hats.model import Hat
from ralph.core.hats.steps import COOLDOWN, IDLE
from ralph.core.loop import steering
from ralph.core.loop.claims import InspectClaim as InspectClaim
from ralph.core.loop.claims import Operation as Operation
from ralph.core.loop.claims import RunGate as RunGate
from ralph.core.loop.claims import Verdict, due_after_iteration, judge, weakened
from ralph.core.loop.state import Claim, Due, LoopState, Running, verdict_key
from ralph.core.policy import LandHow
from ralph.core.proof import Evidence
from ralph.text import count, few

PATIENCE = 2  # conflicts with what others landed, after which the others let it land first
UNRECORDED = "depends on files that git does not record"
NEW_TESTS_SECONDS, NEW_TESTS_TIMES = (
    30.0,
    5,
)  # that new tests may take on the starting code, and as often as on their own
REFUSALS = 2  # of an agent's credentials in a row, after which it is not waited for
_WAIT = "wait:"  # for an agent that cannot work
MOST_RESTLESS = 5  # times in a row that a gate found another tree than the one it was to look at


class Prepare(Operation, frozen=True):
    """Record the starting tree; save what the user had."""


class RunAgent(Operation, frozen=True):
    serial: int
    n: int
    agent: int = 0
    shift: int = 0
    expand: bool = False
    hat: str = ""
    hat_why: str = ""
    fresh: bool = False  # scratchpad and todos are cleared first


class Look(Operation, frozen=True):
    """See what is on the board that this hat scans; or give this item up, for this reason."""

    hat: str
    item: str = ""
    give_up: str = ""


class PassOn(Operation, frozen=True):
    """The gates passed: the event that waited for them is routed."""

    serial: int
    tree: str


class Wait(Operation, frozen=True):
    what: str
    seconds: float
    why: str
    until: str = ""


class Note(Operation, frozen=True):
    """A soft limit was passed."""

    what: str
    seconds: float
    serial: int = 0


class Continue(Operation, frozen=True):
    """Already under way and still wanted."""


class Land(Operation, frozen=True):
    """Put the judged tree on the target branch; or merge it with a target that has moved on."""

    tree: str
    how: LandHow
    note: str = ""
    tired: str = (
        ""  # why it is not merged once more, should the target have moved on again: then it lands on a branch
    )


class Finish(Operation, frozen=True):
    end: End
    reason: str
    code: int
    limit: str = ""
    proof: dict[str, str] = msgspec.field(default_factory=dict)
    paths: tuple[str, ...] = ()
    evidence: Evidence | None = None


def decide(s: LoopState) -> tuple[Operation, ...]:
    wanted = _unless_paused(s)
    if (
        s.people.pause is None
        or s.progress.open
        or s.people.stop
        or not wanted
        or isinstance(wanted[0], Finish)
    ):
        return wanted  # a loop that has nothing left to do ends, also when it is to wait
    why = f"{s.people.pause.by or 'somebody'} asked for it"
    return (Wait(id=steering.pause_id(s), what="pause", seconds=0.0, why=why),)


def _unless_paused(s: LoopState) -> tuple[Operation, ...]:
    if s.judgement.ended is not None or not s.started:
        return ()
    if s.people.stop in ("now", "interrupt", "cancel"):
        return () if s.progress.open else (_finish(s, _AT_ONCE[s.people.stop], _stop_reason(s)),)
    if s.hats.turns.cancelled:
        return () if s.progress.open else (_finish(s, "cancelled", s.hats.turns.cancelled),)
    if s.progress.open:
        return _under_way(s)
    if not s.workspace.prepared:
        return (Prepare(id="prepare"),)
    if s.workspace.restless >= MOST_RESTLESS:
        return (
            _finish(
                s,
                "blocked-on-person",
                f"something keeps changing the tree: {', '.join(s.workspace.edited_outside[:5])}",
            ),
        )
    if (base := _base_gate_due(s)) and s.people.stop is None:
        return (base,)
    if s.people.stuck_reason is not None:
        return (_or_item(s, _finish(s, "stuck", s.people.stuck_reason)),)
    if (s.judgement.claim is not None or s.judgement.unchecked) and (halt := _review_halted(s)):
        return (halt,)
    if s.judgement.unchecked and (ask := due_after_iteration(s, s.judgement.unchecked)):
        return (ask,)
    if s.judgement.claim is not None:
        return (_judged(s),)
    for rule in _ENDS:
        if end := rule(s):
            return (_or_item(s, end) if rule in _OF_AN_ITEM else end,)
    if steering.asks(s):
        return (_for_answer(s),)
    if s.agents.wait_due is not None:
        return (_wait(f"{_WAIT}{s.progress.serial}", s.agents.wait_due),)
    return (_whose_turn(s, _called(s)),)


def _or_item(s: LoopState, end: Finish) -> Operation:
    """On a board, what no one gets done is one item: it is given up, what was made of it is undone, the next one comes."""
    team, board = s.identity.policy.routing, s.hats.board
    item = board.items.get(board.under_way)
    if item is None or team is None:
        return end
    if item.scanner and team.persistent and not item.done:
        return _give_up(s, item.scanner, item.name, end.reason)
    scanner = next((h for h in team.hats if h.scan and own(h.scan, board) == item.name), None)
    return _give_up(s, scanner.id, item.name, end.reason) if scanner else end


def _give_up(s: LoopState, hat: str, item: str, why: str) -> Look:
    return Look(id=f"give-up:{s.progress.serial}:{item}", hat=hat, item=item, give_up=why)


def _whose_turn(s: LoopState, called: Hat | None) -> Operation:
    """A hat whose condition has become true comes first: its events and the others' turns are kept."""
    team = s.identity.policy.routing
    if team is None and (pause := _pause_between(s)):
        return pause
    if team is None or called is not None:
        return _run_agent(s, called)
    from ralph.core.hats import turns  # most loops route no events

    if (item := overdue(s.hats.board)) is not None:
        return _give_up(s, item.scanner, item.name, why_overdue(item))
    match turns.next_turn(team, s.hats.turns):
        case turns.NoRoute(why=why):
            return _finish(s, "no-route", why)
        case turns.Rest(seconds=seconds, why=why):
            return Wait(id=f"{IDLE}{s.hats.turns.count}", what="idle", seconds=seconds, why=why)
        case turns.Wear(turn=turn, after=after):
            hat = team.hat(turn.hat)
            if hat is not None and hat.scan is not None:
                return Look(id=f"look:{s.hats.turns.count}", hat=hat.id)
            if after and s.hats.cooled <= s.progress.serial:
                return Wait(id=f"{COOLDOWN}{s.progress.serial}", what="cooldown", seconds=after, why=turn.why)
            fresh = turns.fresh(team, turn)
            return replace(_run_agent(s, None), hat=turn.hat, hat_why=turn.why, fresh=fresh)


def _pause_between(s: LoopState) -> Wait | None:
    """Breathing room between two iterations, where no events are routed."""
    team, serial = s.identity.policy.team, s.progress.serial
    if team is None or not team.cooldown or not serial or s.hats.cooled > serial:
        return None
    return Wait(id=f"{COOLDOWN}{serial}", what="cooldown", seconds=team.cooldown, why="between iterations")


def _run_agent(s: LoopState, called: Hat | None) -> RunAgent:
    level = shift_level(s)
    return RunAgent(
        id=f"iteration:{s.progress.serial + 1}",
        serial=s.progress.serial + 1,
        n=s.progress.iterations + 1,
        agent=s.agents.agent,
        shift=level,
        expand=level >= 2,
        hat=called.id if called else "",
        hat_why=_why(called, s) if called else "",
    )


def _called(s: LoopState) -> Hat | None:
    """The hat that a condition puts on now."""
    if not (hats := s.identity.policy.conditional):
        return None
    from ralph.core.hats.activation import choose  # most loops have no such hats

    return choose(hats, s, s.hats.wearing)


def _why(called: Hat, s: LoopState) -> str:
    from ralph.core.hats.activation import why_now

    return why_now(called, s, s.hats.wearing)


def _called_before_end(s: LoopState) -> Hat | None:
    """A hat that waits for a claim comes before the end, as long as there is an iteration to spend."""
    if not s.identity.policy.conditional or s.landing.landed is not None:
        return None
    unclaimed = replace(s, judgement=replace(s.judgement, claim=None))
    return None if any(rule(unclaimed) for rule in _ENDS) else _called(s)


_WORDS = "a person has said something meanwhile"


def _routes(s: LoopState) -> bool:
    return s.identity.policy.routing is not None


def _to_claimer(s: LoopState, why: str) -> RunAgent:
    """A person's words, and doubts, go to the hat that claims; its claim stands unless it says otherwise."""
    return replace(_run_agent(s, None), hat=s.hats.turns.claimer, hat_why=why)


def _goes_back(s: LoopState, found: Verdict) -> bool:
    """The agent hears of each kind of doubt once, as long as there is an iteration to spend; then a person decides."""
    if s.identity.policy.rules < 2 or s.landing.landed is not None:
        return False
    new = any(doubt.kind not in s.judgement.returned for doubt in found.doubts)
    unclaimed = replace(s, judgement=replace(s.judgement, claim=None))
    return new and not any(rule(unclaimed) for rule in _ENDS)


def _words_before_end(s: LoopState) -> bool:
    """What a person has said meanwhile is read before the loop completes, as long as there is an iteration to spend."""
    if not steering.unheard(s) or s.landing.landed is not None:
        return False
    unclaimed = replace(s, judgement=replace(s.judgement, claim=None))
    return not any(rule(unclaimed) for rule in _ENDS)


def cutoff(s: LoopState, op: str) -> str:
    """Why this operation must not go on; empty when it may."""
    running = s.progress.open.get(op)
    if running is None:
        return ""
    if s.people.stop in ("now", "interrupt", "cancel"):
        return "stop"
    limits = s.identity.policy.limits
    if s.hats.turns.cancelled:
        return "stop"
    if steering.cuts(s, op):
        return "stop"
    if running.what == "wait":
        over = op.startswith(_WAIT) and s.agents.wait_due is None  # a person has ended it
        return "stop" if s.people.stop or over or (op.startswith(IDLE) and s.hats.turns.pending) else ""
    if _refused(running):
        return "credentials"
    if running.what == "gate":
        return "gate-time" if running.seconds >= _gate_limit(s, running) else ""
    spent = s.spent()
    cuts = (
        (running.seconds >= _longest(s) > 0, "iteration-time"),
        (running.idle >= limits.idle_seconds > 0, "idle"),
        (s.elapsed() >= limits.hard_seconds > 0, "time"),
        (spent.cost_usd >= limits.max_cost_usd > 0, "cost"),
        (spent.tokens >= limits.max_tokens > 0, "tokens"),
        (running.seconds >= _wrapped_up(s, running) > 0, "context"),
    )
    return next((cause for over, cause in cuts if over), "")


def _refused(running: Running) -> bool:
    """Its model refuses the agent's credentials again and again: more retries of its CLI would only take time. Once may be a
    token that the CLI then renews."""
    retry = running.retry
    return retry is not None and retry.status in (401, 403) and retry.attempt >= REFUSALS


def shift_level(s: LoopState) -> int:
    """0: carry on; 1: try something fundamentally different; 2: again, with more context."""
    over = s.judgement.streak - s.identity.policy.stuck.same_error_shift + 1
    return max(0, min(2, over)) if s.identity.policy.stuck.same_error_shift > 0 else 0


def next_deadline(s: LoopState, op: str) -> float:
    """Seconds of this operation's own time at which a rule next looks at the clock; inf when none does."""
    running = s.progress.open.get(op)
    if running is None or running.what == "wait":
        return float("inf")
    limits = s.identity.policy.limits
    if running.what == "gate":
        return _gate_limit(s, running)
    before = s.elapsed() - running.seconds
    marks = [_longest(s), limits.hard_seconds - before if limits.hard_seconds > 0 else 0]
    marks.append(_wrapped_up(s, running))
    if f"iteration-soft:{s.progress.serial}" not in s.progress.noted:
        marks.append(limits.iteration_soft_seconds)
    if "soft-time" not in s.progress.noted and limits.soft_seconds > 0:
        marks.append(max(limits.soft_seconds - before, 0.001))
    return min((m for m in marks if m > 0), default=float("inf"))


def _gate_limit(s: LoopState, running: Running) -> float:
    """Seconds that a gate may take. New tests may well hang on the starting code: they get some times what they took."""
    gate = s.gate(running.gate)
    if gate is None:
        return float("inf")
    took = [r.seconds for r in s.judgement.results if r.gate == gate.name and r.variant == "as-is"]
    if ":new-tests" not in running.op or not took:
        return gate.hard_timeout
    return min(gate.hard_timeout, max(NEW_TESTS_SECONDS, NEW_TESTS_TIMES * took[-1]))


def _longest(s: LoopState) -> float:
    """Seconds of the iteration under way: its hat may have a limit of its own."""
    hat = s.worn
    return (
        hat.timeout
        if hat is not None and hat.timeout > 0
        else s.identity.policy.limits.iteration_hard_seconds
    )


def _wrapped_up(s: LoopState, running: Running) -> float:
    """When an iteration whose context was full has had its time to wrap up; 0 when there is no such moment."""
    most = s.identity.policy.limits.wrap_up_seconds
    return running.full_at + most if running.full_at >= 0 and most > 0 else 0.0


def _under_way(s: LoopState) -> tuple[Operation, ...]:
    wanted: list[Operation] = [Continue(id=op) for op in s.progress.open if not cutoff(s, op)]
    limits = s.identity.policy.limits
    for running in s.progress.open.values():
        if running.what != "iteration":
            continue
        soft = limits.iteration_soft_seconds
        if running.seconds >= soft > 0 and f"iteration-soft:{s.progress.serial}" not in s.progress.noted:
            wanted.append(
                Note(
                    id=f"note:iteration-soft:{s.progress.serial}",
                    what="iteration-soft",
                    seconds=running.seconds,
                    serial=s.progress.serial,
                )
            )
    if s.elapsed() >= limits.soft_seconds > 0 and "soft-time" not in s.progress.noted:
        wanted.append(Note(id="note:soft-time", what="soft-time", seconds=s.elapsed()))
    return tuple(wanted)


def _wait(id: str, due: Due) -> Wait:
    return Wait(id=id, what=due.what, seconds=due.seconds, why=due.why, until=due.until)


def _for_answer(s: LoopState) -> Wait:
    return Wait(
        id=steering.ask_id(s),
        what="answer",
        seconds=s.people.ask_seconds,
        why=s.people.question or "",
        until=s.people.ask_until,
    )


def _review_halted(s: LoopState) -> Operation | None:
    """A reviewer could not do its work: that says nothing about the claim, which stays open."""
    if not s.agents.fault and s.agents.wait_due is None:
        return None
    for rule in (_unusable, _stopped, _out_of_quota):
        if end := rule(s):
            return end
    return (
        _wait(f"{_WAIT}{s.progress.serial}:{sum(s.judgement.refusals.values())}", s.agents.wait_due)
        if s.agents.wait_due
        else None
    )


def _base_gate_due(s: LoopState) -> RunGate | None:
    """Gates look at the starting tree first, so that the end can say red→green or green→green. What is red there is asked
    once more: by chance it would be green without any work."""
    if s.progress.serial:
        return None
    for gate in s.gates:
        compare = gate.name in s.judgement.base_errors
        again = gate.name in s.judgement.base_again
        if not gate.kind.measures or (gate.name in s.judgement.base and not compare and not again):
            continue  # there is no change yet to review; or it has spoken
        return RunGate(
            id=f"base:{gate.name}" + (":folder" if compare else ":again" if again else ""),
            gate=gate.name,
            purpose="base",
            variant="as-is",
            tree=s.workspace.base_tree,
            in_folder=compare,
        )
    return None


def _judged(s: LoopState) -> Operation:
    assert s.judgement.claim is not None
    found = judge(s, s.judgement.claim)
    match found:
        case RunGate() | InspectClaim():
            return found
        case Verdict(what="verified" | "unverified") if s.judgement.claim.held:
            return PassOn(
                id=f"pass:{s.judgement.claim.serial}",
                serial=s.judgement.claim.serial,
                tree=s.judgement.claim.tree,
            )
        case Verdict(what="verified" | "unverified") if _words_before_end(s):
            return _to_claimer(s, _WORDS) if _routes(s) else _run_agent(s, _called(s))
        case Verdict(what="verified" | "unverified") if called := _called_before_end(s):
            return _run_agent(s, called)
        case Verdict(what="verified" | "unverified") if _to_land(s) and s.landing.landed is None:
            return _land(s, s.judgement.claim, found)
        case Verdict(what="verified"):
            return _finish(s, "completed-verified", _proof_line(s) + _weaker(s), proof=_proof(s))
        case Verdict(what="needs-review") if _goes_back(s, found):
            return _to_claimer(s, "its claim is in doubt") if _routes(s) else _run_agent(s, _called(s))
        case Verdict(what="needs-review"):
            return _finish(s, "needs-review", doubt_words(found), proof=_proof(s, found), paths=found.keys)
        case Verdict(what="unverified"):
            return _finish(s, "completed-unverified", "claimed; no hard gate proves it", proof=_proof(s))
    # A failed claim is taken back by fold at once; a journal that says otherwise is not to be trusted.
    return _finish(s, "internal", "a failed claim was still open")


def _to_land(s: LoopState) -> bool:
    return s.identity.policy.land.how != "none"


def _land(s: LoopState, claim: Claim, verdict: Verdict) -> Land:
    """Only what was proven goes onto the target, unless the user wants no proof."""
    policy = s.identity.policy.land
    how, note, tired = policy.how, "", ""
    if verdict.what == "unverified" and not s.identity.policy.gates_declined:
        how, note = "branch", "no hard gate proves it"
    elif s.landing.merges >= policy.merges:
        tired = f"{_short(policy.target)} kept moving on: merged {count(s.landing.merges, 'time')}"
    return Land(
        id=f"land:{claim.serial}{f'+{claim.round}' if claim.round else ''}",
        tree=claim.tree,
        how=how,
        note=note,
        tired=tired,
    )


def _short(ref: str) -> str:
    return ref.removeprefix("refs/heads/")


def doubt_words(found: Verdict) -> str:
    return "; ".join(doubt.text for doubt in found.doubts)


def _weaker(s: LoopState) -> str:
    found = weakened(s, s.judgement.claim) if s.judgement.claim else {}
    texts = [text for path in sorted(found) for text in found[path]]
    return f"; existing tests are weaker: {few(texts, 3)}" if texts else ""


_DOUBTED = {
    "hidden": "inputs out of sight",
    "judges": "red with the original inputs",
    "contradicted": "original tests disagree",
    "missing": "original tests did not run",
    "cut-short": "it was cut short",
}


def _proof(s: LoopState, doubt: Verdict | None = None) -> dict[str, str]:
    """For each gate, from what it said at the start to what it says now, and why that may not be the whole truth."""
    assert s.judgement.claim is not None
    doubtful = {
        d.gate: f" ({_DOUBTED.get(d.kind, d.kind)})" for d in (doubt.doubts if doubt else ()) if d.gate
    }
    proof: dict[str, str] = {}
    for gate in s.gates:
        verdicts = s.judgement.verdicts.get(verdict_key(gate.name, "as-is", s.judgement.claim.tree), ())
        if gate.decides_doubts and not verdicts:
            continue
        if gate.kind.asked_once:
            said = ("PASS" if verdicts[-1] else "FAIL") if verdicts else "no verdict"
            proof[gate.name] = said + ("" if gate.hard else " (soft)")
            continue
        now = "green" if verdicts and verdicts[-1] else "red"
        before = s.said_at_start(gate)
        flaky = " (flaky)" if len(set(verdicts)) > 1 else ""
        last = next(
            (r for r in reversed(s.judgement.results) if (r.gate, r.variant) == (gate.name, "as-is")), None
        )
        less = fewer(s.judgement.base_tests.get(gate.name), last.tests if last else None)
        if last is not None and last.passed and last.known_red:
            now = f"red ({count(last.known_red, 'failure')} of the start, none new)"
        notes = flaky + ("" if gate.hard else " (soft)") + doubtful.get(gate.name, "")
        notes += f" ({less})" if less else ""
        notes += f" ({UNRECORDED})" if gate.name in s.judgement.judged_in_folder else ""
        proof[gate.name] = f"{before}→{now}{notes}"
    return proof


def _proof_line(s: LoopState) -> str:
    proof = _proof(s)
    if s.identity.policy.rules > 1 and s.judgement.claim is not None:
        from ralph.core.loop.evidence import evidence_of, summary  # an end is rarer than a start

        return summary(evidence_of(s, s.judgement.claim), proof)
    return ", ".join(f"{gate} {what}" for gate, what in proof.items())


def _finish(
    s: LoopState,
    end: End,
    reason: str,
    *,
    limit: str = "",
    proof: dict[str, str] | None = None,
    paths: tuple[str, ...] = (),
) -> Finish:
    return Finish(
        id=f"finish:{end}",
        end=end,
        reason=reason,
        code=exit_code(end, s.identity.policy) or (SOME_TASKS_FAILED if any_failed(s.hats.board) else 0),
        limit=limit,
        proof=proof or {},
        paths=paths,
        evidence=_evidence(s) if proof else None,
    )


def _evidence(s: LoopState) -> Evidence | None:
    from ralph.core.loop.evidence import evidence_of

    return evidence_of(s, s.judgement.claim) if s.judgement.claim else None


_AT_ONCE: dict[str, End] = {"now": "stopped", "interrupt": "interrupted", "cancel": "cancelled"}


def _blocked(s: LoopState) -> Finish | None:
    if s.people.question is None or steering.asks(s):
        return None
    return _finish(s, "blocked-on-person", s.people.question)


def _unusable(s: LoopState) -> Finish | None:
    if s.agents.fault in ("credentials", "unusable"):
        return _finish(s, "agent-unusable", s.agents.fault_text or s.agents.fault)
    most = s.identity.policy.limits.max_consecutive_failures
    if s.agents.crashes >= most > 0:
        why = f"{s.progress.last_how}: {s.agents.crash_text}" if s.agents.crash_text else s.progress.last_how
        return _finish(s, "agent-unusable", f"the agent failed {s.agents.crashes} times in a row ({why})")
    return None


def _split(s: LoopState) -> Finish | None:
    """Its agent wants parts in place of it. A claim was judged before, and has not completed it."""
    return _finish(s, "stuck", f"too large; split into {few(s.progress.split)}") if s.progress.split else None


def _used_up(s: LoopState) -> Finish | None:
    if not (s.judgement.attempts >= s.identity.policy.limits.max_attempts > 0) or not s.judgement.history:
        return None
    last = s.judgement.history[-1]
    again = f", {s.judgement.streak} times the same error" if s.judgement.streak > 1 else ""
    return _finish(
        s, "failed", f"{s.judgement.attempts} attempts used up{again}; last: {last.gate}: {last.headline}"
    )


def _same_error(s: LoopState) -> Finish | None:
    if not (s.judgement.streak >= s.identity.policy.stuck.same_error_stop > 0) or not s.judgement.history:
        return None
    last = s.judgement.history[-1]
    return _finish(
        s,
        "stuck",
        f"the same error {s.judgement.streak} times, despite strategy shifts: {last.gate}: {last.headline}",
    )


def _nothing_happens(s: LoopState) -> Finish | None:
    most = s.identity.policy.stuck.no_progress_stop
    if s.progress.no_progress >= most > 0:
        return _finish(s, "stuck", f"{s.progress.no_progress} iterations in a row changed nothing")
    if s.progress.same_tree >= 2 * most > 0:
        return _finish(s, "stuck", f"{s.progress.same_tree} iterations in a row left the tree as it was")
    return None


def _over_limit(s: LoopState) -> Finish | None:
    limits = s.identity.policy.limits
    spent = s.spent()
    over = (
        (
            s.elapsed() >= limits.hard_seconds > 0,
            "time",
            f"{s.elapsed():.0f} s of {limits.hard_seconds:.0f} s",
        ),
        (
            spent.cost_usd >= limits.max_cost_usd > 0,
            "cost",
            f"{spent.cost_usd:.2f} of {limits.max_cost_usd:.2f} USD",
        ),
        (spent.tokens >= limits.max_tokens > 0, "tokens", f"{spent.tokens} of {limits.max_tokens} tokens"),
        (
            s.progress.iterations >= limits.max_iterations,
            "iterations",
            f"{s.progress.iterations} of {limits.max_iterations} iterations",
        ),
    )
    return next((_finish(s, "limit", text, limit=name) for yes, name, text in over if yes), None)


def _stop_reason(s: LoopState) -> str:
    by = s.people.stop_by
    return f"the run has reached {by}" if by.startswith("max_run_") else f"{by} asked for it"


def _stopped(s: LoopState) -> Finish | None:
    return _finish(s, "stopped", _stop_reason(s)) if s.people.stop == "graceful" else None


def _out_of_quota(s: LoopState) -> Finish | None:
    due = s.agents.wait_due
    if due is None or due.what == "crash":
        return None
    longest = s.identity.policy.limits.max_wait_seconds
    if s.agents.waited + due.seconds <= longest:
        return None
    return _finish(s, "quota", f"{due.why}: a wait of {due.seconds:.0f} s, {longest:.0f} s are allowed")


# The reasons to end, looked at in this order once no claim is open.
_ENDS: tuple[Callable[[LoopState], Finish | None], ...] = (
    _blocked,
    _unusable,
    _split,
    _used_up,
    _same_error,
    _nothing_happens,
    _over_limit,
    _stopped,
    _out_of_quota,
)
_OF_AN_ITEM = (_used_up, _same_error, _nothing_happens)  # on a board these are about the item under way


def lands_first(s: LoopState) -> bool:
    """A change that has met a moved target in conflict twice would pay for one more iteration each time that a quicker one
    lands before it. So the others wait from its last conflict on until it has landed or was rejected; but not while it waits
    for a person, which may take hours."""
    waits = s.people.pause is not None or any(running.what == "wait" for running in s.progress.open.values())
    tries = bool(s.landing.conflicts) or s.judgement.claim is not None
    return (
        s.landing.conflicted >= PATIENCE
        and tries
        and not waits
        and s.landing.landed is None
        and s.judgement.ended is None
    )
