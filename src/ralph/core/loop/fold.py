"""fold(state, fact) -> state. Pure and total; one small function for each kind of fact, found in one table.

Counting rules live here: what is an attempt, what is a crash, what is progress.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.exits import BY_NAME
from ralph.core.failures.excerpt import excerpt
from ralph.core.hats import fold as hatfold
from ralph.core.hats.model import COMPLETE_WORDS
from ralph.core.loop import signals, steering
from ralph.core.loop.attempts import ALWAYS_A_CRASH, attempt, faulted, moved_on, moved_refs, warn
from ralph.core.loop.claims import Verdict, judge, weakened
from ralph.core.loop.gate_results import gate_ended, gate_started, judged
from ralph.core.loop.state import SOFT_LIMITS, Claim, Due, LoopState, Running, verdict_key
from ralph.core.policy import put_back
from ralph.text import digest, few

SUMMARY_CHARS = 2000


def fold(s: LoopState, fact: f.Input) -> LoopState:
    handler = _HANDLERS.get(type(fact))
    return hatfold.folded(s, handler(s, fact), fact) if handler else s


def fold_all(facts: Iterable[f.Input], s: LoopState | None = None) -> LoopState:
    state = s or LoopState()
    for fact in facts:
        state = fold(state, fact)
    return state


def _loop_started(s: LoopState, x: f.LoopStarted) -> LoopState:
    return LoopState(
        loop=x.loop,
        task=x.task,
        policy=x.policy,
        root=x.root,
        folder=x.folder,
        home=x.home,
        slot=x.slot,
        backlog=x.backlog,
        started=True,
    )


def _loop_resumed(s: LoopState, x: f.LoopResumed) -> LoopState:
    """Going on after an end forgives what led to it. After a death nothing had been decided, so nothing is forgiven."""
    policy = replace(s.policy, limits=x.limits or s.policy.limits, allow=(*s.policy.allow, *x.allow))
    s = replace(
        s,
        policy=policy,
        stop=None,
        stop_by="",
        question=None if x.answer else s.question,
        asked=s.question or s.stuck_reason or s.asked if x.answer else s.asked,
        answer=x.answer or s.answer,
        steer=steering.resumed(s.steer, answer=bool(x.answer)),
    )
    if s.ended is None:
        return s
    ended = BY_NAME[s.ended]
    if s.ended == "needs-review" and not x.allow:
        # Nobody allows it: the agent has to do without.
        found = weakened(s, s.claim) if s.claim else {}
        weaker = [text for path in s.review_paths for text in found.get(path, ())]
        why = f"it passes only with changes to {', '.join(s.review_paths[:10])}; put these files back as they were"
        if weaker:
            why = f"existing tests are weaker: {few(weaker)}; make them as strong as they were"
        s = replace(s, claim=None, results=(), refusal=why)
    return replace(
        s,
        ended=None,
        end_reason="",
        end_limit="",
        crashes=0,
        overloads=0,
        waited=0.0,
        fault="",
        fault_text="",
        # After a quota end the user says when to try again; after a stop or a crash the wait goes on.
        wait_due=None if ended.ends_wait else s.wait_due,
        no_progress=0,
        restless=0,
        agent=0,
        away={},
        # A person has looked at it and wants it to go on.
        stuck_reason=None,
        streak=0,
        streak_hash="",
        under_shift=0,
        same_tree=0,
    )


def _prepared(s: LoopState, x: f.WorkspacePrepared) -> LoopState:
    return replace(
        s,
        prepared=True,
        base_tree=x.tree,
        tree=x.tree,
        base_commit=x.commit,
        branch=x.branch,
        recovery=x.recovery,
        excludes=x.excludes,
        unrecorded_inputs=x.unrecorded_inputs,
        unrecorded=frozenset(x.unrecorded),
        trees=frozenset((x.tree,)),
        base={known.gate: known.passed for known in x.known},
        base_tests={known.gate: known.tests for known in x.known if known.tests},
    )


def _changed(s: LoopState, x: f.WorkspaceChanged) -> LoopState:
    # A claim was about another tree than the one that is there now.
    s = replace(
        s,
        tree=x.tree,
        trees=s.trees | {x.tree},
        claim=None,
        unchecked=0,
        results=(),
        edited_outside=x.paths,
        restless=s.restless + 1,
    )
    # Before the first iteration nothing has begun yet: the new tree is the start.
    return replace(s, base_tree=x.tree, base={}, base_tests={}) if not s.serial else s


def _merging(s: LoopState, x: f.MergeIntended) -> LoopState:
    return replace(s, merge=x)


def _merged(s: LoopState, x: f.WorkspaceMerged) -> LoopState:
    """What was judged was another tree: gates look at this one. A reviewer has read this very change."""
    if s.claim is None:
        return replace(s, merge=None)
    before = s.claim
    s = replace(
        s,
        base_tree=x.base_tree,
        base_commit=x.commit,
        tree=x.tree,
        trees=s.trees | {x.tree},
        merges=s.merges + 1,
        results=(),
        intended=None,
        merge=None,
    )
    if x.conflicts:
        merging = tuple(dict.fromkeys((*s.merging, *x.conflicts)))
        s = replace(s, claim=None, conflicts=x.conflicts, conflict=x.text, merging=merging)
        return replace(s, conflicted=s.conflicted + 1, merged_from=before.tree)
    s = replace(s, mixed=True)
    if x.same_patch:
        s = _carried_over(s, before.tree, x.tree)
    return replace(s, claim=replace(before, tree=x.tree, round=s.merges, touched=None, hidden={}))


def _carried_over(s: LoopState, old: str, new: str) -> LoopState:
    reviews = dict(s.reviews)
    verdicts = dict(s.verdicts)
    for gate in s.gates:
        before, after = (verdict_key(gate.name, "as-is", tree) for tree in (old, new))
        if gate.kind.verdict_follows_patch and before in reviews:
            reviews[after] = replace(reviews[before], tree=new)
            verdicts[after] = verdicts.get(before, ())
    return replace(s, reviews=reviews, verdicts=verdicts)


def _landing(s: LoopState, x: f.LandingIntended) -> LoopState:
    return replace(s, intended=x)


def _landed(s: LoopState, x: f.Landed) -> LoopState:
    return replace(s, landed=x, intended=None)


def _iteration_started(s: LoopState, x: f.IterationStarted) -> LoopState:
    op = f"iteration:{x.serial}"
    fresh_shift = x.shift > s.under_shift
    return replace(
        s,
        serial=max(s.serial, x.serial),
        open={**s.open, op: Running(op=op, what="iteration", tree=x.tree)},
        under_shift=x.shift,
        shifted=fresh_shift,
        shifts=s.shifts + fresh_shift,
        claim=None,
        unchecked=0,
        results=(),
        refusals={},
        news=False,
        wait_due=None,
        restless=0,
        told=len(s.soft_notes),
        steer=steering.reading(s.steer, x.heard, x.serial),
        token=x.token,
        agent=x.agent,
        hat=x.hat,
        scratchpad=x.scratchpad if x.fresh else s.scratchpad,
    )


def _iteration_ended(s: LoopState, x: f.IterationEnded) -> LoopState:
    """Close the iteration and account for it; then read what it says, if it ended by itself."""
    crashed = x.how == "exited" and not x.fault and x.cause != "context" and _crashed(s, x)
    s = replace(
        s,
        open={op: r for op, r in s.open.items() if op != f"iteration:{x.serial}"},
        serial=max(s.serial, x.serial),
        active_seconds=s.active_seconds + max(0.0, x.seconds),
        tokens=s.tokens + max(0, x.usage.tokens),
        cost_usd=s.cost_usd + max(0.0, x.usage.cost_usd),
        estimated=s.estimated or x.estimated,
        claim=None,
        results=(),
        fault=x.fault,
        fault_text=x.fault_text,
        login_hint=x.login_hint,
        wait_due=None,
        last_how="interrupted" if x.how == "interrupted" else x.cause,
        silent=False,
        commit=x.commit or s.commit,
        stragglers=x.stragglers,
        protected=x.protected,
    )
    if not (x.how == "interrupted" or x.fault or crashed):
        # It lived long enough to make use of what it was told; otherwise the next one is told again.
        told = s.soft_notes[s.told :]
        s = replace(s, refusal="", edited_outside=(), soft_notes=told, conflict="", conflicts=(), mixed=False)
        s = replace(s, merging=s.merging if x.unresolved else ())
        s = replace(s, steer=steering.lived(s.steer, x.serial))
    s = _warn_about(s, x)
    if x.how == "interrupted":
        # It gives its number back, and a shift that was not lived through is given again.
        again = int(s.shifted)
        return replace(
            s,
            tree=x.tree or s.tree,
            under_shift=s.under_shift - again,
            shifts=s.shifts - again,
            shifted=False,
        )
    if x.fault:
        return moved_on(faulted(replace(s, tree=x.tree), x), x.fault, x.fault_text, x.back_at, x.retry_after)
    s = replace(s, iterations=s.iterations + 1, overloads=0, waited=0.0)
    if x.cause in ("iteration-time", "idle"):
        s = _note_progress(s, x)
        shown = excerpt(x.said)
        return attempt(s, "agent", digest(x.cause), code=-1, excerpt=shown, headline=_TIMED_OUT[x.cause])
    if x.cause == "context":
        s = _note_progress(replace(s, crashes=0, unchecked=x.serial), x)
        return _claimed(s, x) if s.policy.claim == "every-iteration" else s
    if x.how == "cut":
        return _note_progress(s, x)
    if crashed:
        s = replace(
            s,
            tree=x.tree,
            trees=s.trees | {x.tree},
            crashes=s.crashes + 1,
            last_how=f"exit {x.code}",
            wait_due=Due("crash", s.policy.limits.crash_wait_seconds, f"the agent exited with {x.code}"),
            crash_text=x.fault_text,
        )
        most = s.policy.limits.max_consecutive_failures
        return moved_on(s, "crashes", x.fault_text) if s.crashes >= most > 0 else s
    said = signals.read(x.said, structured=x.structured, promise=s.policy.completion_promise)
    if s.promised == x.serial:
        said = signals.with_tool(said)
    moved = x.tree != s.tree
    s = _note_progress(replace(s, crashes=0, unchecked=x.serial, silent=not said.explicit), x)
    s = _warn_of_deaf_caps(s, x)
    if said.warning:
        s = warn(s, "signals", f"iteration {x.n} {said.warning}")
    if said.word == "TASK_STUCK":
        return replace(
            s, stuck_reason=said.reason or "the agent said TASK_STUCK without a reason", unchecked=0
        )
    s, claims = hatfold.spoken(s, x, signals.claims(said, x.code, s.policy.claim), moved=moved)
    return _claimed(s, x) if claims else s


def _claimed(s: LoopState, x: f.IterationEnded) -> LoopState:
    if why := _refusal(s, x):
        return replace(s, refusal=why)
    promise = s.promise if s.promised == x.serial else ""
    summary = promise or _words(x.said, s.policy.completion_promise)
    return judged(replace(s, claim=Claim(serial=x.serial, tree=x.tree, summary=summary)))


def _words(said: str, promise: str) -> str:
    """What the agent said, without its signal."""
    lines = [line for line in said.splitlines() if signals.signal_on(line, promise)[0] is None]
    return "\n".join(lines).strip()[:SUMMARY_CHARS]


def _warn_of_deaf_caps(s: LoopState, x: f.IterationEnded) -> LoopState:
    """A cap on what the agent does not tell never acts."""
    limits = s.policy.limits
    if limits.max_cost_usd > 0 and not s.cost_usd:
        s = warn(s, "no cost", "a limit on cost is set, but the agent does not say what it costs")
    if limits.max_tokens > 0 and not s.tokens:
        s = warn(s, "no tokens", "a limit on tokens is set, but the agent does not say how many it uses")
    return s


_TIMED_OUT = {
    "iteration-time": "the iteration hit its hard time limit",
    "idle": "the agent was idle for too long",
}


def _warn_about(s: LoopState, x: f.IterationEnded) -> LoopState:
    if x.stragglers:
        left = ", ".join(x.stragglers)
        s = warn(s, "stragglers", f"iteration {x.n} left processes running, now ended: {left}")
    if x.refs_moved:
        s = warn(s, "refs", moved_refs(f"iteration {x.n}", x))
    if x.protected:
        s = warn(s, "protected", put_back(x.protected))
    return s


def _crashed(s: LoopState, x: f.IterationEnded) -> bool:
    if x.code == 0 or (x.code > 0 and x.code not in ALWAYS_A_CRASH and _says_stuck(s, x)):
        return False
    says_not_done = s.policy.claim == "exit-zero" and x.code > 0 and x.code not in ALWAYS_A_CRASH
    return not says_not_done


def _says_stuck(s: LoopState, x: f.IterationEnded) -> bool:
    """It wins over everything else, also over an exit code that merely says "not done"."""
    said = signals.read(x.said, structured=x.structured, promise=s.policy.completion_promise)
    return said.word == "TASK_STUCK"


def _agent_back(s: LoopState, x: f.AgentBack) -> LoopState:
    away = {n: why for n, why in s.away.items() if n != x.agent}
    free = [n for n in range(len(s.policy.agents)) if n not in away]
    return replace(s, away=away, agent=free[0] if free else s.agent)


def _refusal(s: LoopState, x: f.IterationEnded) -> str:
    if nested := [path for path in x.nested if path not in s.unrecorded]:
        return f"the tree holds repositories of their own, whose content git would not record: {', '.join(nested)}"
    if unclean := [path for path in x.dirty_submodules if path not in s.unrecorded]:
        return f"submodules have uncommitted changes: {', '.join(unclean)}"
    if x.unresolved:
        return f"the merge is not resolved: conflict marks are still in {few(x.unresolved)}"
    if x.tree == s.base_tree and not s.task.no_change_ok and not s.policy.unverified_ok:
        return "nothing has changed since the start, so nothing can have been completed"
    return ""


def _note_progress(s: LoopState, x: f.IterationEnded) -> LoopState:
    moved = x.tree != s.tree
    returned_after_shift = s.shifted and moved and x.tree in s.trees
    progress = x.tree not in s.trees or returned_after_shift or s.news or x.scratchpad != s.scratchpad
    return replace(
        s,
        tree=x.tree,
        trees=s.trees | {x.tree},
        scratchpad=x.scratchpad,
        news=False,
        no_progress=0 if progress else s.no_progress + 1,
        same_tree=0 if moved else s.same_tree + 1,
    )


def _inspected(s: LoopState, x: f.ClaimInspected) -> LoopState:
    if s.claim is None or s.claim.tree != x.tree:
        return s
    s = replace(s, claim=replace(s.claim, touched=x.touched, hidden=x.hidden, weakened=x.weakened))
    assert s.claim is not None
    if weaker := [text for texts in weakened(s, s.claim).values() for text in texts]:
        s = warn(s, "weakened", f"existing tests are weaker: {few(sorted(weaker))}")
    if not x.ignored:
        return s
    hides = f"new ignore rules keep files out of the snapshot: {', '.join(x.ignored[:5])}"
    return warn(s, "hidden", hides)


def _checkpoint(s: LoopState, x: f.Checkpoint) -> LoopState:
    if x.what not in SOFT_LIMITS:
        return s
    key = f"{x.what}:{x.serial}" if x.serial else x.what
    if key in s.noted:
        return s
    running = s.open.get(f"iteration:{x.serial}")
    if x.what == "precompact" and running is not None:
        s = replace(s, open={**s.open, running.op: replace(running, full_at=x.seconds)})
    s = replace(s, noted=s.noted | {key}, soft_notes=(*s.soft_notes, x.what))
    return warn(s, x.what, f"{SOFT_LIMITS[x.what]} after {x.seconds:.0f} s")


def _wait_started(s: LoopState, x: f.WaitStarted) -> LoopState:
    if steering.own(x.op):
        s = steering.wait_started(s, x)
        return replace(s, open={**s.open, x.op: Running(op=x.op, what="wait")})
    due = replace(s.wait_due, until=x.until) if s.wait_due else None
    return replace(s, wait_due=due, open={**s.open, x.op: Running(op=x.op, what="wait")})


def _wait_ended(s: LoopState, x: f.WaitEnded) -> LoopState:
    s = replace(s, open={op: r for op, r in s.open.items() if op != x.op})
    if steering.own(x.op):
        return steering.wait_ended(s, x)
    if not x.elapsed:
        return s
    seconds = s.wait_due.seconds if s.wait_due and s.wait_due.what != "crash" else 0.0
    return replace(s, wait_due=None, waited=s.waited + seconds, fault="", fault_text="")


def _stop(s: LoopState, x: f.StopRequested) -> LoopState:
    if s.stop is not None and _STOP_RANK[x.how] <= _STOP_RANK[s.stop]:
        return s
    return replace(s, stop=x.how, stop_by=x.by)


_STOP_RANK: dict[str, int] = {"graceful": 0, "now": 1, "interrupt": 2, "cancel": 3}


def _event(s: LoopState, x: f.EventReceived) -> LoopState:
    if x.serial and s.policy.routing is None and x.topic in (*COMPLETE_WORDS, s.policy.completion_promise):
        return replace(s, promised=x.serial, promise=x.payload[:SUMMARY_CHARS])
    said = f"{x.topic} {x.payload}"
    s = replace(s, events=s.events | {said}, news=s.news or said not in s.events)
    if x.topic == "human.interact":
        return steering.asked(s, x.payload)
    return s


def _claim_made(s: LoopState, x: f.ClaimMade) -> LoopState:
    made = f"\n\nMade: {few(x.artifacts, 20)}" if x.artifacts else ""
    return replace(s, promised=x.serial, promise=x.summary[:SUMMARY_CHARS] + made)


def _loop_ended(s: LoopState, x: f.LoopEnded) -> LoopState:
    end = x.end
    if end == "completed-verified":
        verdict = judge(s, s.claim) if s.claim else None
        if not (isinstance(verdict, Verdict) and verdict.what == "verified"):
            end = "internal"  # no fact may say more than the gates did
    return replace(
        s,
        ended=end,
        end_reason=x.reason,
        end_limit=x.limit,
        end_branch=x.branch,
        proof=x.proof,
        review_paths=x.paths if end == "needs-review" else (),
        open={},
    )


def _tick(s: LoopState, x: f.Tick) -> LoopState:
    running = s.open.get(x.op)
    if running is None:
        return s
    return replace(s, open={**s.open, x.op: replace(running, seconds=x.seconds, idle=x.idle)})


def _metered(s: LoopState, x: f.Metered) -> LoopState:
    running = s.open.get(x.op)
    if running is None:
        return s
    return replace(s, open={**s.open, x.op: replace(running, usage=x.usage)})


_HANDLERS: dict[type, Callable[[LoopState, Any], LoopState]] = {
    f.LoopStarted: _loop_started,
    f.LoopResumed: _loop_resumed,
    f.WorkspacePrepared: _prepared,
    f.WorkspaceChanged: _changed,
    f.MergeIntended: _merging,
    f.WorkspaceMerged: _merged,
    f.LandingIntended: _landing,
    f.Landed: _landed,
    f.IterationStarted: _iteration_started,
    f.IterationEnded: _iteration_ended,
    f.ClaimInspected: _inspected,
    f.GateStarted: gate_started,
    f.GateEnded: gate_ended,
    f.TransitionPassed: hatfold.transition_passed,
    f.BoardLooked: hatfold.board_looked,
    f.ItemGivenUp: hatfold.item_given_up,
    f.AgentBack: _agent_back,
    f.Checkpoint: _checkpoint,
    f.WaitStarted: _wait_started,
    f.WaitEnded: _wait_ended,
    f.StopRequested: _stop,
    f.Said: steering.said,
    f.Paused: steering.paused,
    f.Continued: steering.continued,
    f.Answered: steering.answered,
    f.EventReceived: _event,
    f.ClaimMade: _claim_made,
    f.LoopEnded: _loop_ended,
    f.Tick: _tick,
    f.Metered: _metered,
}
