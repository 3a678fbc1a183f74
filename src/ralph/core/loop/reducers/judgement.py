"""What is claimed and what the gates say of it: claims, evidence, attempts, escalation, the end. Pure.

What an attempt is, is decided here. `completed-verified` is never taken from a fact alone: claims.py has to agree.
"""

from __future__ import annotations

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.failures.excerpt import excerpt
from ralph.core.loop import signals
from ralph.core.loop.claims import Verdict, advice, doubts_of, judge
from ralph.core.loop.state import (
    OUTPUTS_KEPT,
    Attempt,
    Claim,
    Judgement,
    LoopState,
    failure_key,
    verdict_key,
    with_newest,
)
from ralph.core.loop.step import CANNOT_RUN, Reducers, Step, gives_no_answer, is_promise
from ralph.core.policy import GatePolicy
from ralph.text import digest, few

SUMMARY_CHARS = 2000

_TIMED_OUT = {
    "iteration-time": "the iteration hit its hard time limit",
    "idle": "the agent was idle for too long",
}


# -- the loop starts, is resumed, ends -------------------------------------------------------------------------------


def _resumed(step: Step, x: f.LoopResumed) -> Judgement:
    """After an end what led to it is forgiven: a person has looked at it and wants it to continue."""
    j = step.before.judgement
    if j.ended is None:
        return j
    if step.before.awaits_gate and not x.answer:
        measured = {gate: passed for gate, passed in j.base.items() if gate not in j.base_unrun}
        j = replace(j, base=measured, base_unrun={}, unrunnable="")  # it may be there by now
    if j.ended == "needs-review" and not x.allow:
        j = replace(j, claim=None, results=(), refusal=_why_not_allowed(step))
    return replace(j, ended=None, end_reason="", end_limit="", streak=0, streak_hash="", under_shift=0)


def _why_not_allowed(step: Step) -> str:
    """No one allows what needed a review: the agent has to do without."""
    j = step.before.judgement
    if doubts := doubts_of(step.before):
        return advice(doubts)
    return f"it passes only with changes to {few(j.review_paths, 10)}; put these files back as they were"


def _loop_ended(step: Step, x: f.LoopEnded) -> Judgement:
    j, end = step.before.judgement, x.end
    if end == "completed-verified":
        verdict = judge(step.before, j.claim) if j.claim else None
        if not (isinstance(verdict, Verdict) and verdict.what == "verified"):
            end = "internal"  # no fact may say more than the gates did
    return replace(
        j,
        ended=end,
        end_reason=x.reason,
        end_limit=x.limit,
        end_branch=x.branch,
        proof=x.proof,
        review_paths=x.paths if end == "needs-review" else (),
        evidence=x.evidence,
    )


# -- the tree --------------------------------------------------------------------------------------------------------


def _prepared(step: Step, x: f.WorkspacePrepared) -> Judgement:
    return replace(
        step.before.judgement,
        base={known.gate: known.passed for known in x.known},
        base_again=frozenset(),
        base_tests={known.gate: known.tests for known in x.known if known.tests},
        base_reports={known.gate: known.report for known in x.known if known.report},
    )


def _tree_changed(step: Step, x: f.WorkspaceChanged) -> Judgement:
    """A claim was about another tree than the one that is there now."""
    j = _unclaimed(step.before.judgement)
    if step.before.progress.serial:
        return j
    return replace(
        j,
        base={},
        base_again=frozenset(),
        base_tests={},
        base_reports={},
        base_errors={},
        judged_in_folder=frozenset(),
    )


def _merged(step: Step, x: f.WorkspaceMerged) -> Judgement:
    """What was judged was another tree: gates look at this one. A reviewer has read this very change."""
    j = step.before.judgement
    if (claim := j.claim) is None:
        return j
    j = replace(j, results=())
    if x.conflicts:
        return replace(j, claim=None)
    if x.same_patch:
        j = _carried_over(step, j, claim.tree, x.tree)
    merges = step.now.landing.merges
    return replace(j, claim=replace(claim, tree=x.tree, round=merges, touched=None, hidden={}))


def _returned(step: Step, x: f.LandingReturned) -> Judgement:
    """It cannot land as it is: a rejected claim."""
    made = _attempt(
        step.before.judgement,
        x.gate or "landing",
        x.error_hash,
        code=x.code,
        excerpt=x.excerpt,
        headline=x.headline,
    )
    return replace(made, ended=None, results=())


def _carried_over(step: Step, j: Judgement, old: str, new: str) -> Judgement:
    reviews, verdicts = dict(j.reviews), dict(j.verdicts)
    for gate in step.now.gates:
        before, after = (verdict_key(gate.name, "as-is", tree) for tree in (old, new))
        if gate.kind.verdict_follows_patch and before in reviews:
            reviews[after] = replace(reviews[before], tree=new)
            verdicts[after] = verdicts.get(before, ())
    return replace(j, reviews=reviews, verdicts=verdicts)


# -- iterations ------------------------------------------------------------------------------------------------------


def _iteration_started(step: Step, x: f.IterationStarted) -> Judgement:
    j = _doubt_returned(step)
    new_shift = x.shift > j.under_shift
    return replace(
        _unclaimed(j),
        under_shift=x.shift,
        shifted=new_shift,
        shifts=j.shifts + new_shift,
        refusals={},
        unrunnable="",
    )


def _doubt_returned(step: Step) -> Judgement:
    """An iteration begins although a claim is open: its prompt says what is doubted. Each kind goes back once."""
    j = step.before.judgement
    doubts = doubts_of(step.before) if step.policy.rules > 1 else ()
    if not doubts:
        return j
    kinds = frozenset(doubt.kind for doubt in doubts)
    serial = step.now.progress.serial
    return replace(j, returned=j.returned | kinds, refusal=advice(doubts), doubted=serial)


def _iteration_ended(step: Step, x: f.IterationEnded) -> Judgement:
    outcome = step.outcome
    j = replace(step.before.judgement, claim=None, results=(), claimable=None)
    if outcome.lived:
        j = replace(j, refusal="")
    match outcome.kind:
        case "interrupted":
            # It gives its number back, and a shift that was not lived through is given again.
            again = int(j.shifted)
            j = replace(j, under_shift=j.under_shift - again, shifts=j.shifts - again, shifted=False)
        case "timed-out" if step.team is not None and step.hat_step.turns.held:
            pass  # what it handed over before its time was up is judged by the gates, once
        case "timed-out":
            j = _attempt(
                j, "agent", digest(x.cause), code=-1, excerpt=excerpt(x.said), headline=_TIMED_OUT[x.cause]
            )
        case "context":
            j = replace(j, unchecked=x.serial)
            if step.policy.claim == "every-iteration":
                j = _claimed(step, j, x)
        case "stuck":
            j = replace(j, unchecked=0)
        case "spoke":
            idle = step.team is not None and step.hat_step.turns.idle
            if step.team is not None and step.hat_step.dispatched:
                j = _anew(j)
            j = replace(j, unchecked=0 if idle else x.serial)
            if step.claims:
                j = _claimed(step, j, x)
            elif step.unfinished:
                j = _judged(step, replace(j, claim=Claim(serial=x.serial, tree=x.tree, unfinished=True)))
            elif step.team is None and x.code == 0:
                j = replace(j, claimable=x)
    return _by_hats(step, j)


def _claimed(step: Step, j: Judgement, x: f.IterationEnded) -> Judgement:
    if why := _refusal(step.now, x):
        return replace(j, refusal=why)
    promise = j.promise if j.promised == x.serial else ""
    summary = promise or _words(x.said, step.policy.completion_promise)
    return _judged(step, replace(j, claim=Claim(serial=x.serial, tree=x.tree, summary=summary)))


def _words(said: str, promise: str) -> str:
    """What the agent said, without its signal."""
    lines = [line for line in said.splitlines() if signals.signal_on(line, promise)[0] is None]
    return "\n".join(lines).strip()[:SUMMARY_CHARS]


def _refusal(s: LoopState, x: f.IterationEnded) -> str:
    """Why a claim is not even put to the gates."""
    known = s.workspace.unrecorded
    if nested := [path for path in x.nested if path not in known]:
        return f"the tree holds repositories of their own, whose content git would not record: {', '.join(nested)}"
    if unclean := [path for path in x.dirty_submodules if path not in known]:
        return f"submodules have uncommitted changes: {', '.join(unclean)}"
    if large := [path for path in x.too_large if path not in known]:
        return (
            f"the tree holds files that are too large to record: {few(large)}; remove them or, "
            "if they are no part of the work, add them to .gitignore"
        )
    if x.special:
        return f"the tree held what git cannot record, which is taken away: {few(x.special)}"
    if x.unresolved:
        return f"the merge is not resolved: conflict marks are still in {few(x.unresolved)}"
    same = x.tree == s.workspace.base_tree
    if same and not s.identity.task.no_change_ok and not s.identity.policy.unverified_ok:
        return "nothing has changed since the start, so nothing can have been completed"
    return ""


def _claim_made(step: Step, x: f.ClaimMade) -> Judgement:
    made = f"\n\nMade: {few(x.artifacts, 20)}" if x.artifacts else ""
    j = replace(step.before.judgement, promised=x.serial, promise=x.summary[:SUMMARY_CHARS] + made)
    late = j.claimable  # its words were said before: what comes later counts
    if late is None or late.serial != x.serial:
        return j
    return _claimed(step, replace(j, claimable=None), late)


def _inspected(step: Step, x: f.ClaimInspected) -> Judgement:
    j = step.before.judgement
    if j.claim is None or j.claim.tree != x.tree:
        return j
    claim = replace(
        j.claim,
        touched=x.touched,
        hidden=x.hidden,
        weakened=x.weakened,
        added=x.added,
        new_tests=x.new_tests,
        findings=x.findings,
        suppressions=x.suppressions,
        unread=x.unread,
    )
    return _judged(step, replace(j, claim=claim))


# -- gates -----------------------------------------------------------------------------------------------------------


def _gate_ended(step: Step, x: f.GateEnded) -> Judgement:
    j = step.before.judgement
    if x.how == "interrupted":
        return j
    gate = step.before.gate(x.gate)
    if gate and gate.kind.asked_once:
        return _opinion(step, j, gate, x)
    if x.purpose == "base" and x.gate in j.base_errors:
        return _compared(step, j, gate, x)
    key = verdict_key(x.gate, x.variant, x.tree)
    j = replace(j, verdicts=with_newest(j.verdicts, {key: (*j.verdicts.get(key, ()), x.passed)}))
    if not x.passed and (x.purpose == "base" or j.claim is None):
        j = replace(j, failures=with_newest(j.failures, {failure_key(x.gate, x.error_hash): None}))
    if x.purpose == "base":
        if x.in_folder:  # there can be no checkout of it
            j = replace(j, judged_in_folder=j.judged_in_folder | {x.gate})
        elif gate and not x.passed and x.unrecorded and not gate.complete:
            j = replace(j, base_errors={**j.base_errors, x.gate: x.error_hash})
            return _base_measured(j, gate, replace(x, cannot_run=""))  # what it lacks may be in the folder
        j = _asked_again(step, j, x)
        return _base_measured(j, gate, x)
    return _evidence(step, replace(j, results=(*j.results, x)), gate, x)


def _compared(step: Step, j: Judgement, gate: GatePolicy | None, x: f.GateEnded) -> Judgement:
    """It was red in a clean checkout of the start. If it says something else in the folder, it needs what git does not record:
    then only the folder can be judged."""
    errors = dict(j.base_errors)
    in_checkout = errors.pop(x.gate)
    j = replace(j, base_errors=errors)
    if not x.passed and x.error_hash == in_checkout:
        return _base_measured(j, gate, x)
    j = replace(
        j,
        verdicts=with_newest(j.verdicts, {verdict_key(x.gate, x.variant, x.tree): (x.passed,)}),
        judged_in_folder=j.judged_in_folder | {x.gate},
        base_unrun={gate: error for gate, error in j.base_unrun.items() if gate != x.gate},
    )
    if not x.passed:
        j = replace(j, failures=with_newest(j.failures, {failure_key(x.gate, x.error_hash): None}))
    return _base_measured(_asked_again(step, j, x), gate, x)


def _asked_again(step: Step, j: Judgement, x: f.GateEnded) -> Judgement:
    """A red start is asked for once more before anything is called red→green, unless chance has no part in it."""
    settled = x.passed or x.wrote or x.timed_out == "hard" or x.code in CANNOT_RUN or x.cannot_run
    if x.gate in j.base_again or settled or not step.policy.asks_twice:
        return replace(j, base_again=j.base_again - {x.gate})
    return replace(j, base_again=j.base_again | {x.gate})


def _base_measured(j: Judgement, gate: GatePolicy | None, x: f.GateEnded) -> Judgement:
    red = {gate: found for gate, found in j.base_red.items() if gate != x.gate}
    j = replace(j, base={**j.base, x.gate: x.passed}, base_red=red if x.passed else {**red, x.gate: x})
    if x.tests:
        j = replace(j, base_tests={**j.base_tests, x.gate: x.tests})
    if x.report:
        j = replace(j, base_reports={**j.base_reports, x.gate: x.report})
    if x.code in CANNOT_RUN or x.cannot_run:
        j = replace(j, base_unrun={**j.base_unrun, x.gate: x.error_hash})
    if x.cannot_run and gate and gate.hard:
        why = f"gate {x.gate} cannot be run: {x.cannot_run}"
        j = replace(j, unrunnable=f"{j.unrunnable}; {why}" if j.unrunnable else why)
    return j


def _opinion(step: Step, j: Judgement, gate: GatePolicy, x: f.GateEnded) -> Judgement:
    """What a reviewer says. Its verdict on a tree holds."""
    if x.fault and gate.hard:
        return replace(j, refusals={**j.refusals, x.gate: j.refusals.get(x.gate, 0) + 1})
    j = replace(j, results=(*j.results, x))
    if gate.hard and gives_no_answer(step, x):
        return replace(j, results=tuple(r for r in j.results if r.gate != x.gate))
    if not x.unclear:
        key = verdict_key(x.gate, x.variant, x.tree)
        verdicts = with_newest(j.verdicts, {key: (*j.verdicts.get(key, ()), x.passed)})
        j = replace(j, verdicts=verdicts, reviews=with_newest(j.reviews, {key: x}))
    if not gate.hard:
        j = replace(j, findings={**j.findings, x.gate: x.findings})
    return _evidence(step, j, gate, x)


def _evidence(step: Step, j: Judgement, gate: GatePolicy | None, x: f.GateEnded) -> Judgement:
    """The claim at hand is judged again; a gate after an iteration that runs out of time is an attempt by itself."""
    if x.purpose == "iteration":
        j = replace(j, checks={**j.checks, x.gate: j.results[-1]})
    if j.claim is not None and j.claim.tree == x.tree:
        return _judged(step, j)
    if gate and gate.hard and x.timed_out == "hard" and x.purpose == "iteration":
        return _attempt(j, x.gate, x.error_hash, code=x.code, excerpt=x.excerpt, headline=x.headline)
    return j


def _judged(step: Step, j: Judgement) -> Judgement:
    """A claim that the gates reject is taken back at once; so is what says "not done", whatever they find."""
    verdict = judge(replace(step.now, judgement=j), j.claim) if j.claim else None
    if j.claim is None or not isinstance(verdict, Verdict):
        return j
    if verdict.what == "failed":
        return _rejected(j, verdict)
    return replace(j, claim=None) if j.claim.unfinished else j


def _rejected(j: Judgement, verdict: Verdict) -> Judgement:
    result = verdict.result
    assert result is not None  # a failed verdict always names the result that decided it
    if result.code in CANNOT_RUN and j.base_unrun.get(result.gate) == result.error_hash:
        why = f"gate {result.gate} cannot be run, neither at the start nor now: {result.headline}. Is its command right?"
        return replace(j, claim=None, unchecked=0, unrunnable=why)
    if verdict.flaky:
        # The gate contradicts itself on one tree: its fault, not the agent's, who sees what it said all the same.
        return replace(j, claim=None, unchecked=0, checks={**j.checks, result.gate: result})
    return _attempt(
        j,
        result.gate,
        result.error_hash,
        code=result.code or 1,  # a reviewer says FAIL in words
        excerpt=result.excerpt + _left_out(result),
        headline=result.headline,
    )


def _left_out(x: f.GateEnded) -> str:
    """For the agent: why it may see it pass."""
    if not x.unrecorded:
        return ""
    return (
        "\n\nThe gates run in a clean checkout of what git records. Your folder also has, since the start: "
        f"{few(x.unrecorded)}. Whatever the work needs of it must be recorded, or made by the gate's own command."
    )


def _attempt(
    j: Judgement, gate: str, hash_: str, *, code: int, excerpt: str = "", headline: str = ""
) -> Judgement:
    streak = j.streak + 1 if hash_ == j.streak_hash else 1
    made = Attempt(
        number=j.attempts + 1,
        gate=gate,
        error_hash=hash_,
        shift=j.under_shift > 0,
        code=code,
        excerpt=excerpt,
        headline=headline,
    )
    # Only the last outputs are shown again; the table keeps every row.
    history = [*j.history, made]
    if (past := len(history) - OUTPUTS_KEPT) > 0:
        history[past - 1] = replace(history[past - 1], excerpt="")
    return replace(
        j,
        attempts=j.attempts + 1,
        history=tuple(history),
        failures=with_newest(j.failures, {failure_key(gate, hash_): None}),
        streak=streak,
        streak_hash=hash_,
        under_shift=j.under_shift if streak > 1 else 0,
        claim=None,
        unchecked=0,
    )


# -- hats ------------------------------------------------------------------------------------------------------------


def _event(step: Step, x: f.EventReceived) -> Judgement:
    j = step.before.judgement
    if is_promise(step, x):
        return replace(j, promised=x.serial, promise=x.payload[:SUMMARY_CHARS])
    return _by_hats(step, j)


def _by_hats(step: Step, j: Judgement) -> Judgement:
    """Where events are routed, a claim stands only as long as nothing waits and a hat that may has made it. An event may wait
    for the gates in its place, or Ralph itself finds that there is nothing left to do."""
    if step.team is None:
        return j
    turns = step.hat_step.turns
    if j.claim is not None and not j.claim.held and not turns.claim:
        j = replace(j, claim=None, results=())
    if j.claim is not None or not isinstance(step.fact, f.IterationEnded | f.BoardLooked):
        return j
    claim = Claim(serial=step.now.progress.serial, tree=step.now.workspace.tree)
    if turns.held:
        return _judged(step, replace(j, claim=replace(claim, held=True), results=()))
    if turns.claim and isinstance(step.fact, f.BoardLooked):
        return _judged(step, replace(j, claim=replace(claim, summary=step.fact.why), results=()))
    return j


def _transition_passed(step: Step, x: f.TransitionPassed) -> Judgement:
    """What was tried so far was about this transition: the next one starts over."""
    return _anew(_unclaimed(step.before.judgement))


def _board_looked(step: Step, x: f.BoardLooked) -> Judgement:
    j = step.before.judgement
    return _by_hats(step, _anew(j) if x.topic else j)


def _item_given_up(step: Step, x: f.ItemGivenUp) -> Judgement:
    j = step.before.judgement
    return _anew(_unclaimed(j)) if x.under_way else j


def _unclaimed(j: Judgement) -> Judgement:
    return replace(j, claim=None, results=(), claimable=None, unchecked=0)


def _anew(j: Judgement) -> Judgement:
    return replace(j, attempts=0, history=(), streak=0, streak_hash="", under_shift=0)


REDUCERS: Reducers = {
    f.LoopResumed: _resumed,
    f.WorkspacePrepared: _prepared,
    f.WorkspaceChanged: _tree_changed,
    f.WorkspaceMerged: _merged,
    f.LandingReturned: _returned,
    f.IterationStarted: _iteration_started,
    f.IterationEnded: _iteration_ended,
    f.ClaimInspected: _inspected,
    f.ClaimMade: _claim_made,
    f.GateEnded: _gate_ended,
    f.EventReceived: _event,
    f.TransitionPassed: _transition_passed,
    f.BoardLooked: _board_looked,
    f.ItemGivenUp: _item_given_up,
    f.LoopEnded: _loop_ended,
}
