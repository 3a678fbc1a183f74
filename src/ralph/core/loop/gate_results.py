"""What a gate's run does to the state: evidence for or against a claim, from commands and from reviewers. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from ralph.core import facts as f
from ralph.core.failures.test_counts import fewer
from ralph.core.loop.attempts import ALWAYS_A_CRASH, attempt, faulted, moved_refs, warn
from ralph.core.loop.claims import Verdict, judge
from ralph.core.loop.state import LoopState, Result, Running, failure_key, verdict_key
from ralph.core.policy import GatePolicy


def gate_started(s: LoopState, x: f.GateStarted) -> LoopState:
    running = Running(op=x.op, what="gate", gate=x.gate, tree=x.tree, swapped=x.swapped)
    return replace(s, open={**s.open, x.op: running}, restless=0)


def gate_ended(s: LoopState, x: f.GateEnded) -> LoopState:
    s = replace(
        s,
        open={op: r for op, r in s.open.items() if op != x.op},
        active_seconds=s.active_seconds + max(0.0, x.seconds),
        outputs=s.outputs.union(x.outputs),
        tokens=s.tokens + max(0, x.usage.tokens),
        cost_usd=s.cost_usd + max(0.0, x.usage.cost_usd),
        estimated=s.estimated or x.estimated,
    )
    if x.refs_moved:
        s = warn(s, "refs", moved_refs(f"reviewer {x.gate}", x))
    if x.how == "interrupted":
        return s
    policy = s.gate(x.gate)
    if policy and policy.kind.asked_once:
        return _opinion_given(s, policy, x)
    key = verdict_key(x.gate, x.variant, x.tree)
    s = replace(s, verdicts={**s.verdicts, key: (*s.verdicts.get(key, ()), x.passed)})
    if policy and (warning := _gate_warning(policy.hard, x)):
        s = warn(s, f"gate {x.gate} {x.timed_out}", warning)
    if len(set(s.verdicts[key])) > 1:
        s = warn(s, f"flaky {x.gate}", f"gate {x.gate} is flaky: it says two things about one tree")
    if not x.passed and (x.purpose == "base" or s.claim is None):
        s = replace(s, failures=s.failures | {failure_key(x.gate, x.error_hash)})
    if x.purpose != "base" and x.passed and (less := fewer(s.base_tests.get(x.gate), x.tests)):
        s = warn(s, f"fewer {x.gate}", f"gate {x.gate} tests less than at the start: {less}")
    if x.empty:
        s = warn(s, f"empty {x.gate}", f"gate {x.gate} passes, but it ran no test")
    if x.purpose == "base":
        return _base_ended(s, x)
    result = _result_of(x)
    s = replace(s, results=(*s.results, result))
    if x.purpose == "iteration":
        s = replace(s, checks={**s.checks, x.gate: result})
    if s.claim is not None and s.claim.tree == x.tree:
        return judged(s)
    if policy and policy.hard and x.timed_out == "hard" and x.purpose == "iteration":
        return attempt(s, x.gate, x.error_hash, code=x.code, excerpt=x.excerpt, headline=x.headline)
    return s


def _base_ended(s: LoopState, x: f.GateEnded) -> LoopState:
    s = replace(s, base={**s.base, x.gate: x.passed})
    if x.tests:
        s = replace(s, base_tests={**s.base_tests, x.gate: x.tests})
    if x.wrote and x.code == 0:
        s = warn(s, f"writes {x.gate}", f"{x.headline}; every claim will fail on it")
    if x.code in ALWAYS_A_CRASH:
        s = replace(s, base_unrun={**s.base_unrun, x.gate: x.error_hash})
        s = warn(s, f"unrun {x.gate}", f"gate {x.gate} cannot be run on the starting tree: {x.headline}")
    return s


def judged(s: LoopState) -> LoopState:
    """A claim that the gates turned down is taken back at once."""
    verdict = judge(s, s.claim) if s.claim else None
    return _claim_failed(s, verdict) if isinstance(verdict, Verdict) and verdict.what == "failed" else s


def _opinion_given(s: LoopState, gate: GatePolicy, x: f.GateEnded) -> LoopState:
    noun = gate.kind.noun
    if x.wrote:
        undone = f"files changed while {noun} {x.gate} ran; undone, `ralph recover` has them: {', '.join(x.wrote[:5])}"
        s = warn(s, f"gate {x.gate} wrote", undone)
    if warning := _opinion_warning(gate, x):
        s = warn(s, f"gate {x.gate} {x.timed_out}", warning)
    if x.fault and gate.hard:
        refusals = {**s.refusals, x.gate: s.refusals.get(x.gate, 0) + 1}
        text = f"{noun} {x.gate}: {x.fault_text}"
        return faulted(replace(s, refusals=refusals, fault=x.fault, fault_text=text), x)
    key = verdict_key(x.gate, x.variant, x.tree)
    result = _result_of(x)
    s = replace(s, results=(*s.results, result))
    mute_before = failure_key(x.gate, x.error_hash) in s.failures
    if (
        x.unclear
        and (x.code or mute_before)
        and x.op.endswith(":again")
        and gate.hard
        and x.timed_out != "hard"
    ):
        # It fails to answer, twice: that is not the agent's fault, and asking it about another tree would not help.
        text = f"{noun} {x.gate} {'failed to run' if x.code else 'gives no verdicts'}: {x.headline}"
        others = tuple(r for r in s.results if r.gate != x.gate)
        return replace(s, results=others, fault="unusable", fault_text=text)
    if not x.unclear:
        s = replace(
            s,
            verdicts={**s.verdicts, key: (*s.verdicts.get(key, ()), x.passed)},
            reviews={**s.reviews, key: result},
        )
    if not gate.hard:
        s = replace(s, findings={**s.findings, x.gate: x.findings})
    if x.purpose == "iteration":
        s = replace(s, checks={**s.checks, x.gate: result})
    if s.claim is not None and s.claim.tree == x.tree:
        return judged(s)
    if gate.hard and x.timed_out == "hard" and x.purpose == "iteration":
        return attempt(s, x.gate, x.error_hash, code=x.code, excerpt=x.excerpt, headline=x.headline)
    return s


def _opinion_warning(gate: GatePolicy, x: f.GateEnded) -> str:
    noun = gate.kind.noun
    if x.timed_out == "soft":
        return f"{noun} {x.gate} took {x.seconds:.1f} s, longer than its soft limit"
    if not gate.hard and (x.unclear or not x.passed):
        return f"{noun} {x.gate} (soft): {x.headline}"
    if x.unclear and x.purpose == "iteration":
        return f"{noun} {x.gate} gave no verdict: {x.headline}"
    return ""


def _gate_warning(hard: bool, x: f.GateEnded) -> str:
    if x.timed_out == "hard":
        return f"gate {x.gate} ran out of time after {x.seconds:.1f} s" if not hard else ""
    if x.timed_out == "soft":
        return f"gate {x.gate} took {x.seconds:.1f} s, longer than its soft limit"
    if not hard and not x.passed and x.purpose != "base":
        return f"gate {x.gate} (soft) failed: {x.headline}"
    return ""


def _result_of(x: f.GateEnded) -> Result:
    return Result(
        op=x.op,
        gate=x.gate,
        purpose=x.purpose,
        variant=x.variant,
        tree=x.tree,
        passed=x.passed,
        code=x.code,
        timed_out=x.timed_out,
        wrote=x.wrote,
        excerpt=x.excerpt,
        error_hash=x.error_hash,
        headline=x.headline,
        unclear=x.unclear,
        tests=x.tests,
    )


def _claim_failed(s: LoopState, verdict: Verdict) -> LoopState:
    result = verdict.result
    assert result is not None  # a failed verdict always names the result that decided it
    if result.code in ALWAYS_A_CRASH and s.base_unrun.get(result.gate) == result.error_hash:
        why = f"gate {result.gate} cannot be run, neither at the start nor now: {result.headline}. Is its command right?"
        return replace(s, claim=None, unchecked=0, question=why)
    if verdict.flaky:
        # The gate contradicts itself on one tree: its fault, not the agent's, who sees what it said all the same.
        return replace(s, claim=None, unchecked=0, checks={**s.checks, result.gate: result})
    return attempt(
        s,
        result.gate,
        result.error_hash,
        code=result.code or 1,  # a reviewer says FAIL in words
        excerpt=result.excerpt,
        headline=result.headline,
    )
