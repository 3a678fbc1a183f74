"""Is a claim true? One function says what is still to be found out, or what the gates' results amount to.

Only `verified` comes from here, and only from hard gates that passed on the claimed tree.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from ralph.core.facts import GateEnded, Purpose, Variant
from ralph.core.globs import matches
from ralph.core.loop.state import Claim, LoopState, failure_key, verdict_key
from ralph.core.policy import GatePolicy


class Operation(msgspec.Struct, frozen=True):
    id: str


class RunGate(Operation, frozen=True):
    gate: str
    purpose: Purpose
    variant: Variant
    tree: str
    swap: tuple[str, ...] = ()


class InspectClaim(Operation, frozen=True):
    """Find out which gate inputs the change touched."""

    tree: str


class Verdict(msgspec.Struct, frozen=True):
    what: Literal["verified", "unverified", "failed", "needs-review"]
    result: GateEnded | None = None  # the one that decided, when failed
    flaky: bool = False  # results contradict each other on this tree
    paths: tuple[str, ...] = ()  # changed gate inputs on which the pass depends
    hidden: bool = False  # some of them are in no snapshot, so that nobody knows how it goes without them
    gates: tuple[str, ...] = ()
    weaker: bool = False  # the paths are of tests that no gate ran as they were


def judge(s: LoopState, claim: Claim) -> RunGate | InspectClaim | Verdict:
    if not s.gates:
        return Verdict("unverified")
    for gate in s.gates:
        if _left_out(s, claim, gate):
            continue
        found = _settle(s, claim, gate, "as-is")
        if isinstance(found, RunGate):
            return found
        if gate.hard and not found.passed:
            return Verdict("failed", result=found, flaky=_contradicted(s, found))
    if claim.touched is None:
        return InspectClaim(id=f"inspect:{claim.serial}" + _round(claim), tree=claim.tree)
    doubtful: dict[str, tuple[str, ...]] = {}
    hides = False
    for gate in s.gates:
        hidden = tuple(p for p in claim.hidden.get(gate.name, ()) if _reached(gate, p) and not _allowed(s, p))
        paths = tuple(p for p in claim.touched.get(gate.name, ()) if not _allowed(s, p))
        if gate.hard and hidden:
            # No snapshot holds these, so that they cannot be swapped for their originals.
            doubtful[gate.name], hides = hidden, True
            continue
        if not gate.hard or not paths:
            continue
        found = _settle(s, claim, gate, "original", paths)
        if isinstance(found, RunGate):
            return found
        if not found.passed:
            doubtful[gate.name] = paths
    if doubtful:
        return Verdict(
            "needs-review",
            paths=tuple(sorted({p for paths in doubtful.values() for p in paths})),
            hidden=hides,
            gates=tuple(doubtful),
        )
    if not any(g.hard for g in s.gates):
        return Verdict("unverified")
    if unproven := tuple(sorted(p for p in weakened(s, claim) if not _ran_as_it_was(s, claim, p))):
        return Verdict("needs-review", paths=unproven, weaker=True)
    return Verdict("verified")


def due_after_iteration(s: LoopState, serial: int) -> RunGate | None:
    """The next `every: iteration` gate that has not yet looked at the tree of this iteration."""
    for gate in s.gates:
        if (
            gate.every == "iteration"
            and verdict_key(gate.name, "as-is", s.workspace.tree) not in s.judgement.verdicts
        ):
            op = f"iteration:{serial}:{gate.name}" + _anew(s, gate)
            if gate.kind.asked_once and (
                s.judgement.claim or _result(s, op)
            ):  # asked in its turn; or it gave no verdict
                continue
            return RunGate(id=op, gate=gate.name, purpose="iteration", variant="as-is", tree=s.workspace.tree)
    return None


def _settle(
    s: LoopState, claim: Claim, gate: GatePolicy, variant: Variant, swap: tuple[str, ...] = ()
) -> RunGate | GateEnded:
    """This gate's word on the claim; or that it has to be asked, perhaps once more."""
    op = _named(claim, gate, variant)
    if gate.kind.asked_once:
        op += _anew(s, gate)
        found = s.judgement.reviews.get(verdict_key(gate.name, variant, claim.tree)) or _result(s, op)
        holds = _opinion_holds
    else:
        after_iteration = f"iteration:{claim.serial}:{gate.name}" if variant == "as-is" else ""
        found = _result(s, op) or _result(s, after_iteration)
        holds = _measure_holds
    if found is not None and not holds(s, gate, found):
        op += ":again"
        found = _result(s, op)
    return found or RunGate(
        id=op, gate=gate.name, purpose="claim", variant=variant, tree=claim.tree, swap=swap
    )


def _measure_holds(s: LoopState, gate: GatePolicy, first: GateEnded) -> bool:
    """A failure of a new kind, or a verdict that contradicts an earlier one on the same tree, is asked once more: a gate
    that changes its mind is flaky, and that is not the agent's fault."""
    if not gate.hard or first.wrote or first.timed_out == "hard":
        return True
    known = first.passed or failure_key(first.gate, first.error_hash) in s.judgement.failures
    return known and not _contradicted(s, first)


def _opinion_holds(s: LoopState, gate: GatePolicy, first: GateEnded) -> bool:
    """Its verdict on a tree holds; an answer without one is asked for once more."""
    return not first.unclear or first.timed_out == "hard"


def _named(claim: Claim, gate: GatePolicy, variant: Variant) -> str:
    return f"claim:{claim.serial}{_round(claim)}:{gate.name}:{variant}"


def _round(claim: Claim) -> str:
    """Merged with a target that has moved on, it is judged anew, under names of its own."""
    return f"+{claim.round}" if claim.round else ""


def _left_out(s: LoopState, claim: Claim, gate: GatePolicy) -> bool:
    """Past a cap no more is spent on what could not decide anything."""
    if (
        gate.hard
        or not gate.kind.runs_agent
        or verdict_key(gate.name, "as-is", claim.tree) in s.judgement.reviews
    ):
        return False
    limits, spent = s.identity.policy.limits, s.spent()
    return spent.cost_usd >= limits.max_cost_usd > 0 or spent.tokens >= limits.max_tokens > 0


def _anew(s: LoopState, gate: GatePolicy) -> str:
    """After a fault (quota, overload) a reviewer is asked again, under a name of its own."""
    count = s.judgement.refusals.get(gate.name, 0)
    return f":{count}" if count else ""


def _result(s: LoopState, op: str) -> GateEnded | None:
    return next((r for r in s.judgement.results if r.op == op), None)


def _contradicted(s: LoopState, result: GateEnded) -> bool:
    verdicts = s.judgement.verdicts.get(verdict_key(result.gate, result.variant, result.tree), ())
    return len(set(verdicts)) > 1


def _reached(gate: GatePolicy, path: str) -> bool:
    """A clean checkout holds nothing that no snapshot holds; only absolute paths lead out of it."""
    return not gate.hermetic or path.startswith("/")


def weakened(s: LoopState, claim: Claim) -> dict[str, tuple[str, ...]]:
    """Tests that were there and test less now, unless somebody allows it."""
    return {path: texts for path, texts in claim.weakened.items() if not _allowed(s, path)}


def _ran_as_it_was(s: LoopState, claim: Claim, path: str) -> bool:
    """Then the work has passed the tests as they were, and what is left to say is that they are weaker now."""
    touched = claim.touched or {}
    return any(path in touched.get(gate.name, ()) for gate in s.gates if gate.hard and gate.kind.measures)


def _allowed(s: LoopState, path: str) -> bool:
    return matches(path, (*s.identity.policy.allow, *s.identity.task.allow))
